//! libFuzzer on `repair`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| opentool_fuzz::run("repair", input));
