//! Recurring states as sets, the way the paper collects them.
//!
//! While a node of level `k` is saturated, each firing at its level from `i` to `i'` meets the states `o` that are known under
//! `i'` at that time. What it reaches of them recurs:
//!
//! ```text
//! r[i'] ∪= img_ε(n[i]) ∩ o          direct images, before anything below is saturated again
//! ```
//!
//! The intersection is taken on the way down: the relational product never leaves `o`, and ends where `o` does. In the paper (V. Molnár et al. 2016,
//! Algorithm 8) one recursion returns both the saturated image and `r`, under a common key. Here `r` has a recursion
//! of its own (`images.rs`), behind the firing and under the same key `(ε, n, o, c)`, so that images are remembered without `o`. The sets are the same.
//!
//! They must outlive the firings of a node, during which nodes may be collected: each is held by a handle.

use lariat_dd::kernel::{Halt, Kept, Kernel, NodeId};
use std::collections::BTreeMap;

/// For every level the recurring states of the node in work there, by value.
pub struct RecurringSets(Vec<BTreeMap<u32, Kept>>);

impl RecurringSets {
    /// None yet.
    pub fn new(levels: usize) -> RecurringSets {
        RecurringSets(vec![BTreeMap::new(); levels])
    }

    /// Adds states below a value of the node in work on `level`.
    pub fn add(
        &mut self,
        kernel: &mut Kernel,
        (level, value): (u32, u32),
        states: NodeId,
    ) -> Result<(), Halt> {
        if states.is_empty() {
            return Ok(());
        }
        let sets = &mut self.0[level as usize];
        let before = sets.get(&value).map_or(NodeId::EMPTY, Kept::node);
        let base = kernel.mark();
        kernel.push(0, states)?;
        let all = kernel.union(before, states)?;
        kernel.release(base);
        if all != before {
            sets.insert(value, kernel.keep(all));
        }
        Ok(())
    }

    /// All of the node in work on `level`, which is no longer.
    pub fn take(&mut self, kernel: &mut Kernel, level: u32) -> Result<NodeId, Halt> {
        let base = kernel.mark();
        for (value, states) in std::mem::take(&mut self.0[level as usize]) {
            kernel.push(value, states.node())?;
        }
        kernel.make(base)
    }

    /// Forgets those of the node in work on `level`.
    pub fn clear(&mut self, level: u32) {
        self.0[level as usize].clear();
    }
}
