#![no_main]
enginewire_fuzz::target!(typed);
