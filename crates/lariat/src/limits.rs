//! Default limits of a process.

/// Three quarters of the memory that this process may use, as far as the operating system reports
/// it.
pub fn default_memory() -> u64 {
    let number = |path: &str, find: fn(&str) -> Option<u64>| {
        std::fs::read_to_string(path).ok().as_deref().and_then(find)
    };
    let machine = number("/proc/meminfo", |text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes << 10)
    });
    let group = number("/sys/fs/cgroup/memory.max", |text| text.trim().parse().ok());
    let known = machine.into_iter().chain(group).min().unwrap_or(4 << 30);
    known / 4 * 3
}
