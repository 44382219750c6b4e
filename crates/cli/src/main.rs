//! The binary `lariat`: arguments, exit codes, printing.

#![forbid(unsafe_code)]

fn main() {}
