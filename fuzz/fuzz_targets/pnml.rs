//! See `lariat_fuzz::pnml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lariat_fuzz::pnml(bytes);
});
