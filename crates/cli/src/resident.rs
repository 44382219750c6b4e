//! The memory that the process has, compared with its limit.
//!
//! Large allocations are leased from the budget before they are made. Stacks, small objects and what
//! the allocator keeps are not. So the watchdog thread also reads the resident memory of the process
//! without the pages of files (the code of the program is one): above the [ceiling](ceiling), the
//! computations that run stop with [`Stop::Memory`](lariat::internals::Stop::Memory).
//!
//! The allocator may keep memory that is free again. Therefore what the process had when it was
//! stopped is the new ceiling: properties that are checked afterwards may use it again. Above
//! [another bound](last), nothing is computed any more.

use lariat::internals::{Budget, ProcessSize};
use rustix::param::page_size;
use std::fs::read_to_string;
use std::time::Duration;

const MB: u64 = 1 << 20;

/// Interval between two observations.
const INTERVAL: Duration = Duration::from_millis(20);
/// Interval near the ceiling.
const SOON: Duration = Duration::from_millis(2);

/// The resident memory of this process, observed now and then.
pub(crate) struct ResidentMemory {
    budget: Budget,
    ceiling: u64,
    last: u64,
    size: ProcessSize,
}

impl ResidentMemory {
    pub(crate) fn new(budget: &Budget) -> ResidentMemory {
        ResidentMemory {
            budget: budget.clone(),
            ceiling: ceiling(budget.byte_limit()),
            last: last(budget.byte_limit()),
            size: ProcessSize::Fine,
        }
    }

    /// Compares the memory with the ceiling, and tells the budget. Returns when to do so again.
    pub(crate) fn observe(&mut self) -> Duration {
        let Some(bytes) = resident() else {
            return INTERVAL;
        };
        self.compare(bytes);
        if bytes < self.ceiling - self.ceiling / 4 {
            INTERVAL
        } else {
            SOON
        }
    }

    fn compare(&mut self, bytes: u64) {
        let size = match bytes {
            _ if bytes > self.last => ProcessSize::Full,
            _ if bytes > self.ceiling => ProcessSize::Outgrown,
            _ => ProcessSize::Fine,
        };
        self.ceiling = self.ceiling.max(bytes);
        if size != self.size {
            self.size = size;
            self.budget.set_size(size);
        }
    }
}

/// Resident bytes that a process with this limit may have: room for stacks and for what the allocator
/// keeps.
fn ceiling(limit: u64) -> u64 {
    limit.saturating_add(limit / 10).saturating_add(14 * MB)
}

/// Resident bytes above which no computation goes on.
fn last(limit: u64) -> u64 {
    limit.saturating_add(limit / 10).saturating_add(26 * MB)
}

/// The resident bytes of this process that belong to no file, where the system tells.
fn resident() -> Option<u64> {
    let counts = read_to_string("/proc/self/statm").ok()?;
    let mut counts = counts.split(' ').skip(1).map(str::parse::<u64>);
    let (resident, shared) = (counts.next()?.ok()?, counts.next()?.ok()?);
    let pages = resident.saturating_sub(shared);
    Some(pages.saturating_mul(page_size() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat::internals::Stop;

    #[test]
    fn each_growth_above_the_ceiling_stops_the_computations_once() {
        let budget = Budget::bytes(100 * MB);
        let mut memory = ResidentMemory::new(&budget);
        let mut outcomes = Vec::new();
        for megabytes in [100, 124, 125, 125, 110, 125, 126, 126, 137, 137, 136] {
            memory.compare(megabytes * MB);
            outcomes.push(budget.check());
        }
        let (fine, over) = (Ok(()), Err(Stop::Memory));
        let wanted = [&fine, &fine, &over, &fine, &fine, &fine, &over, &fine];
        let full = [&over, &over, &fine];
        let wanted: Vec<_> = wanted.into_iter().chain(full).collect();
        assert_eq!(outcomes.iter().collect::<Vec<_>>(), wanted);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_this_process_is_known() {
        assert!(resident().is_some_and(|bytes| bytes > 0));
    }
}
