//! The budget inside operations: counting work, looking at the clock, unwinding.

use super::Kernel;
use lariat_budget::Stop;

/// The reason to unwind is in the kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Halt(());

/// Steps between two looks at the clock.
pub(super) const BREATH: u32 = 1 << 12;

/// Steps without a new node that count as much work as a new node.
const STEPS: u32 = 4;

impl Kernel {
    /// Counts a step that was not in the cache; looks at the clock now and then.
    ///
    /// Steps are work like nodes are, if less: an operation that only finds nodes that exist
    /// already must come to an end too.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Halt> {
        self.fuel -= 1;
        if self.fuel == 0 {
            self.breathe()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn breathe(&mut self) -> Result<(), Halt> {
        let settled = self.settle();
        let stop = match self.budget.check().and(settled) {
            Ok(()) if self.pressures.starve() => Stop::Memory,
            Ok(()) => return Ok(()),
            Err(stop) => stop,
        };
        Err(self.halt(stop))
    }

    /// Reports the work since the last time to the budget.
    fn settle(&mut self) -> Result<(), Stop> {
        let steps = BREATH - self.fuel;
        let nodes = std::mem::take(&mut self.unspent);
        self.fuel = BREATH;
        self.budget.spend(nodes.max((steps / STEPS).into()))
    }

    /// Ends the whole operation with `stop`: return what this returns.
    #[cold]
    pub fn halt(&mut self, stop: Stop) -> Halt {
        self.reason = Some(stop);
        Halt(())
    }

    /// Ends the whole operation without a reason to stop: return what this returns.
    ///
    /// For listeners that have seen what they were looking for.
    #[cold]
    pub fn leave(&mut self) -> Halt {
        self.reason = None;
        Halt(())
    }

    /// Turns the outcome of a whole operation into that of a public call, and tidies up after a
    /// halt. `None` if a listener left.
    pub(crate) fn conclude<T>(&mut self, outcome: Result<T, Halt>) -> Result<Option<T>, Stop> {
        self.rest();
        match outcome {
            Ok(result) => self.settle().map(|()| Some(result)),
            Err(Halt(())) => {
                self.stack.clear();
                self.trail.clear();
                self.bench.clear();
                match self.reason.take() {
                    Some(stop) => Err(stop),
                    None => Ok(None),
                }
            }
        }
    }
}
