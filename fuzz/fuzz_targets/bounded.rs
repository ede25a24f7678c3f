#![no_main]
enginewire_fuzz::container!(bounded);
