//! Command lines and resource usage of benchmark programs.
//!
//! They are run by `cargo bench -p CRATE --bench NAME -- ARGUMENTS`, or without cargo.

use std::path::PathBuf;

/// Returns the arguments without `--bench`, which cargo adds.
pub fn arguments() -> impl Iterator<Item = String> {
    std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
}

/// Resolves a file name relative to the user's folder; cargo runs benches in that of their crate.
pub fn file(name: &str) -> PathBuf {
    match std::env::var_os("PWD") {
        Some(folder) => PathBuf::from(folder).join(name),
        None => PathBuf::from(name),
    }
}

/// Returns the CPU seconds used by all threads of this process.
pub fn cpu() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Returns the peak resident memory of this process in megabytes; 0 if unavailable.
pub fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
