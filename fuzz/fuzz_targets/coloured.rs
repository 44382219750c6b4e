//! See `lariat_fuzz::coloured`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lariat_fuzz::coloured(bytes);
});
