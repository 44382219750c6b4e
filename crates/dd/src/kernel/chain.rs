//! What actions of events do to values.

use super::{Halt, Kernel};
use lariat_budget::Stop;

impl Kernel {
    /// `value + delta`, which is never negative where guards hold.
    #[inline]
    pub(crate) fn shift(&mut self, value: u32, delta: i64) -> Result<u32, Halt> {
        match u32::try_from(value as i64 + delta) {
            Ok(to) => Ok(to),
            Err(_) => Err(self.halt(Stop::Bound(format!(
                "a value beyond {} in a diagram",
                u32::MAX
            )))),
        }
    }
}
