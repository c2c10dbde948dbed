//! libFuzzer on `lower`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| opentool_fuzz::run("lower", input));
