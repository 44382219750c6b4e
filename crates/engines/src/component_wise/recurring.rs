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
//! of its own, behind the firing and under the same key `(ε, n, o, c)`, so that images are remembered without `o`. The sets are the same.
//!
//! They must outlive the firings of a node, during which nodes may be collected: each is held by a handle.

use super::images::{By, moved};
use super::letters::{Letters, MoveKind};
use super::steps::{Position, Steps};
use lariat_dd::Residual;
use lariat_dd::kernel::{Call, ChainId, ChainStep, Halt, Kept, Kernel, NodeId, Opening, StackMark};
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

/// `img_ε(n) ∩ t`
#[derive(Clone, Copy)]
struct Returning {
    chain: ChainId,
    node: NodeId,
    target: NodeId,
    at: Position,
}

impl Call<By<'_>> for Returning {
    type Key = (ChainId, NodeId, NodeId, Residual, MoveKind);

    fn open(self, kernel: &mut Kernel, by: &mut By<'_>) -> Result<Opening<Self::Key>, Halt> {
        let Returning {
            chain,
            node,
            target,
            at,
        } = self;
        if node.is_empty() || target.is_empty() {
            return Ok(Opening::AtOnce(NodeId::EMPTY));
        }
        if at.level == by.steps.automaton {
            let moved = moved(kernel, by.letters, by.kind, node, at.residual)?;
            let base = kernel.mark();
            kernel.push(0, moved)?;
            let returning = kernel.intersection(moved, target)?;
            kernel.release(base);
            return Ok(Opening::AtOnce(returning));
        }
        Ok(Opening::Walk {
            node,
            operation: by.steps.returning,
            key: (chain, node, target, at.residual, by.kind),
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        by: &mut By<'_>,
        (value, child): (u32, NodeId),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.at.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            let target = kernel.child(self.target, to);
            if target.is_empty() {
                continue;
            }
            if let Some(at) = by.read(kernel, self.at, to)? {
                let below = Returning {
                    chain: rest,
                    node: child,
                    target,
                    at,
                };
                kernel.call_into(to, below, by)?;
            }
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut By<'_>, edges: StackMark) -> Result<NodeId, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

impl Steps {
    /// `img_ε(n) ∩ t` by inner moves, for the event that `chain` is the rest of.
    pub fn returning(
        &self,
        kernel: &mut Kernel,
        letters: &mut Letters,
        chain: ChainId,
        (node, target): (NodeId, NodeId),
        at: Position,
    ) -> Result<NodeId, Halt> {
        let mut by = By::new(self, letters, MoveKind::Inner);
        let returning = Returning {
            chain,
            node,
            target,
            at,
        };
        kernel.call(returning, &mut by)
    }
}
