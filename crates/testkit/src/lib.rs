//! Random systems and formulas, the brute-force oracle, and the differential harness.

#![forbid(unsafe_code)]
