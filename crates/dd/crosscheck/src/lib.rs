//! Contains only tests: see `tests/independent.rs`.
