//! libFuzzer on `messages`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| opentool_fuzz::run("messages", input));
