//! See `lariat_fuzz::etf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lariat_fuzz::etf(bytes);
});
