#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| ordain_fuzz::judgements(input));
