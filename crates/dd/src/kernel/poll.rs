//! Budget polls inside operations: counting work, reading the clock, unwinding.

use super::Kernel;
use lariat_budget::Stop;

/// Unwinds an operation; the reason is in the kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Halt(());

/// Number of steps between two polls of the budget.
pub(super) const POLL_INTERVAL: u32 = 1 << 12;

/// Number of whole operations between two polls.
const OPERATIONS_PER_POLL: u32 = 256;

/// Number of edges that count as one step: values may grow without bound, and nodes with them.
const EDGES: usize = 64;

/// Number of steps without a new node that count as much work as a new node.
const STEPS: u32 = 4;

impl Kernel {
    /// Counts a step that was not cached, and polls the budget at intervals.
    ///
    /// Steps are work too, if less than nodes: an operation may find existing nodes only.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Halt> {
        self.work.fuel -= 1;
        if self.work.fuel == 0 {
            self.poll()
        } else {
            Ok(())
        }
    }

    /// Counts the edges of a node as steps, of which the last one is left to the next
    /// [`tick`](Kernel::tick).
    #[inline]
    pub(super) fn count_edges(&mut self, edges: usize) {
        if edges >= EDGES {
            let steps = u32::try_from(edges / EDGES).unwrap_or(u32::MAX);
            self.work.fuel = self.work.fuel.saturating_sub(steps).max(1);
        }
    }

    /// Counts a whole operation, and polls the budget at intervals: all its results may be cached.
    pub(crate) fn count_operation(&mut self) -> Result<(), Halt> {
        self.work.operations = self.work.operations.wrapping_add(1);
        if self.work.operations.is_multiple_of(OPERATIONS_PER_POLL) {
            self.poll()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Halt> {
        let settled = self.report_work();
        self.work.fuel = POLL_INTERVAL;
        self.work.reported = POLL_INTERVAL;
        let stop = match self.work.budget.check().and(settled) {
            Ok(()) if self.pressures.is_starved() => Stop::Memory,
            Ok(()) => return Ok(()),
            Err(stop) => stop,
        };
        Err(self.halt(stop))
    }

    /// Reports the work since the last report to the budget.
    fn report_work(&mut self) -> Result<(), Stop> {
        let steps = self.work.reported - self.work.fuel;
        let nodes = std::mem::take(&mut self.work.unspent);
        self.work.reported = self.work.fuel;
        self.work.budget.spend(nodes.max((steps / STEPS).into()))
    }

    /// Ends the whole operation with `stop`; the caller returns the result as an error.
    #[cold]
    pub fn halt(&mut self, stop: Stop) -> Halt {
        self.work.reason = Some(stop);
        Halt(())
    }

    /// Ends the whole operation without a reason; the caller returns the result as an error.
    ///
    /// For listeners that have reached their aim.
    #[cold]
    pub fn leave(&mut self) -> Halt {
        self.work.reason = None;
        Halt(())
    }

    /// Converts the outcome of a whole operation into that of a public call, and cleans up after a
    /// halt. `None` if a listener left.
    pub(crate) fn finish<T>(&mut self, outcome: Result<T, Halt>) -> Result<Option<T>, Stop> {
        self.reset_pacing();
        match outcome {
            Ok(result) => self.report_work().map(|()| Some(result)),
            Err(Halt(())) => {
                self.stack.clear();
                self.slides.trail.clear();
                self.bench.clear();
                match self.work.reason.take() {
                    Some(stop) => Err(stop),
                    None => Ok(None),
                }
            }
        }
    }
}
