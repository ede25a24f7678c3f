#![no_main]
libfuzzer_sys::fuzz_target!(|entropy: &[u8]| enginewire_fuzz::hold_addresses(entropy));
