//! libFuzzer on `event_stream`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| opentool_fuzz::run("event_stream", input));
