//! Recurring states as sets, as published.
//!
//! While a node of level `k` is saturated, each firing at its level from `i` to `i'` meets the
//! states `o` already known under `i'`. The states of its image in `o` recur:
//!
//! ```text
//! r[i'] ∪= img_ε(n[i]) ∩ o          direct images, before anything below is saturated again
//! ```
//!
//! The relational product is restricted to `o` while it descends. In the paper (V. Molnár et al.
//! 2016, Algorithm 8) one recursion returns both the saturated image and `r`, under a common key.
//! Here `r` has a separate recursion (`images.rs`) after the firing, with the same key
//! `(ε, n, o, c)`, so that images are cached without `o`. The sets are the same.
//!
//! Handles keep the sets alive between the firings of a node.

use lariat_dd::kernel::{DdNode, Halt, Kernel, PinnedNode};
use std::collections::BTreeMap;

/// By level: recurring states of the node being saturated there, by value.
pub struct RecurringSets(Vec<BTreeMap<u32, PinnedNode>>);

impl RecurringSets {
    pub fn new(levels: usize) -> RecurringSets {
        RecurringSets(vec![BTreeMap::new(); levels])
    }

    /// Adds states below a value of the node being saturated on `level`.
    pub fn add(
        &mut self,
        kernel: &mut Kernel,
        level: u32,
        value: u32,
        states: DdNode,
    ) -> Result<(), Halt> {
        if states.is_empty() {
            return Ok(());
        }
        let sets = &mut self.0[level as usize];
        let before = sets.get(&value).map_or(DdNode::EMPTY, PinnedNode::node);
        let base = kernel.mark();
        kernel.push(0, states)?;
        let all = kernel.union(before, states)?;
        kernel.release(base);
        if all != before {
            sets.insert(value, kernel.keep(all));
        }
        Ok(())
    }

    /// Removes and returns the set of the node being saturated on `level`.
    pub fn take(&mut self, kernel: &mut Kernel, level: u32) -> Result<DdNode, Halt> {
        let base = kernel.mark();
        for (value, states) in std::mem::take(&mut self.0[level as usize]) {
            kernel.push(value, states.node())?;
        }
        kernel.make(base)
    }

    /// Clears the set of the node being saturated on `level`.
    pub fn clear(&mut self, level: u32) {
        self.0[level as usize].clear();
    }
}
