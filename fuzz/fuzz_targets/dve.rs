//! See `lariat_fuzz::dve`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lariat_fuzz::dve(bytes);
});
