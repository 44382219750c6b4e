//! What benchmark programs share: their arguments, and what the process has used so far.
//!
//! They are run by `cargo bench -p CRATE --bench NAME -- ARGUMENTS`, or directly, without cargo.

use std::path::PathBuf;

/// The arguments, without the one that cargo adds.
pub fn arguments() -> impl Iterator<Item = String> {
    std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
}

/// A file named on the command line. Cargo runs benches in the folder of their crate; a name counts from the
/// folder where the user stands.
pub fn file(name: &str) -> PathBuf {
    match std::env::var_os("PWD") {
        Some(folder) => PathBuf::from(folder).join(name),
        None => PathBuf::from(name),
    }
}

/// CPU seconds of this process so far, threads included.
pub fn cpu() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// The largest resident memory of this process so far, in megabytes; 0 where the system does not tell.
pub fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
