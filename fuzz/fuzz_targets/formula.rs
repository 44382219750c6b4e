//! See `lariat_fuzz::formula`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lariat_fuzz::formula(bytes);
});
