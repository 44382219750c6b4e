//! Only tests: see `tests/independent.rs`.
