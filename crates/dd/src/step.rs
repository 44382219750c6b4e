//! Single steps: images, pre-images, enabledness, deadlocks.
//!
//! For one chain the recursions follow its levels. For all events of a [`Subset`] they walk the
//! diagram once, handling on every level the events with that top, instead of once per event:
//!
//! ```text
//! img(n)  = {i ↦ img(n[i])} ∪ {i' ↦ img_rest(n[i]) | (i, i', rest) of an event with this top}
//! dead(n) = {i ↦ dead(n[i]) \ enabled_rest(n[i]) for every (i, i', rest)}
//! ```
//!
//! `pre(B) ∩ C` is the image under the inverse events, intersected with `C`. Deadlocks do not
//! stutter here: `space` adds them, as `Succ(S) = img(S) ∪ (S ∩ dead)`.

use crate::event::{ChainId, ChainStep, EventRelation, Subset};
use crate::kernel::{CacheScopeId, Call, DdNode, Halt, Kernel, OPERATIONS, Opening, StackMark};
use crate::store::{Set, Store};
use lariat_budget::Stop;

impl Kernel {
    /// Sorts the edges above `mark` by value and unites those with equal values.
    pub fn sort(&mut self, mark: StackMark) -> Result<(), Halt> {
        let base = self.stack.len() - self.mark().above(mark);
        self.sort_and_merge(base)
    }

    /// Sorts the edges above `base` by value and unites those with equal values.
    pub(crate) fn sort_and_merge(&mut self, base: usize) -> Result<(), Halt> {
        self.stack[base..].sort_unstable_by_key(|edge| edge.0);
        let mut last = base;
        for at in base + 1..self.stack.len() {
            let (value, child) = self.stack[at];
            if self.stack[last].0 == value {
                let sum = self.union(self.stack[last].1, child)?;
                self.stack[last].1 = sum;
            } else {
                last += 1;
                self.stack[last] = (value, child);
            }
        }
        self.stack.truncate((last + 1).min(self.stack.len()));
        Ok(())
    }

    /// Returns the image of `node`, on `level`, under `chain`, neither saturated nor filtered.
    pub fn image(&mut self, chain: ChainId, node: DdNode, level: u32) -> Result<DdNode, Halt> {
        self.call(Image { chain, node, level }, &mut ())
    }

    /// The image of `node`, on `level`, under those of `events` with a top at or below it.
    pub fn image_all(&mut self, events: &Subset, node: DdNode, level: u32) -> Result<DdNode, Halt> {
        self.call(ImageAll { node, level }, &mut &*events)
    }

    /// The vectors of `node`, on `level`, that have a successor under `chain`.
    pub fn enabled(&mut self, chain: ChainId, node: DdNode, level: u32) -> Result<DdNode, Halt> {
        self.call(Enabled { chain, node, level }, &mut ())
    }

    /// The vectors of `node`, on `level`, without successors by events with tops at or below it.
    pub fn dead(&mut self, events: &Subset, node: DdNode, level: u32) -> Result<DdNode, Halt> {
        self.call(Dead { node, level }, &mut &*events)
    }
}

/// The image of a node under one chain.
#[derive(Clone, Copy)]
struct Image {
    chain: ChainId,
    node: DdNode,
    level: u32,
}

impl<C> Call<C> for Image {
    type Key = (ChainId, DdNode);

    fn open(self, _: &mut Kernel, _: &mut C) -> Result<Opening<Self::Key>, Halt> {
        let Image { chain, node, .. } = self;
        Ok(if chain == ChainId::END || node.is_empty() {
            Opening::AtOnce(node)
        } else {
            Opening::Walk {
                node,
                operation: OPERATIONS.image,
                key: (chain, node),
            }
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        context: &mut C,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.level, value);
        while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
            let below = Image {
                chain: rest,
                node: child,
                level: self.level + 1,
            };
            kernel.call_into(to, below, context)?;
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut C, edges: StackMark) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// The image of a node under the events of the context with a top at or below its level.
#[derive(Clone, Copy)]
struct ImageAll {
    node: DdNode,
    level: u32,
}

impl Call<&Subset> for ImageAll {
    type Key = (DdNode, CacheScopeId);

    fn open(self, _: &mut Kernel, events: &mut &Subset) -> Result<Opening<Self::Key>, Halt> {
        let ImageAll { node, .. } = self;
        Ok(match node {
            DdNode::EMPTY | DdNode::ONE => Opening::AtOnce(DdNode::EMPTY),
            _ => Opening::Walk {
                node,
                operation: OPERATIONS.image_all,
                key: (node, events.scope.id()),
            },
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        events: &mut &Subset,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let level = self.level + 1;
        kernel.call_into(value, ImageAll { node: child, level }, events)?;
        for &action in events.at(self.level, true) {
            let mut steps = kernel.steps_of(action, value);
            while let Some(ChainStep { to, rest }) = kernel.next_step(&mut steps)? {
                let below = Image {
                    chain: rest,
                    node: child,
                    level,
                };
                kernel.call_into(to, below, events)?;
            }
        }
        Ok(())
    }

    fn close(self, kernel: &mut Kernel, _: &mut &Subset, edges: StackMark) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// The vectors of a node that have a successor under one chain.
#[derive(Clone, Copy)]
struct Enabled {
    chain: ChainId,
    node: DdNode,
    level: u32,
}

impl<C> Call<C> for Enabled {
    type Key = (ChainId, DdNode);

    fn open(self, _: &mut Kernel, _: &mut C) -> Result<Opening<Self::Key>, Halt> {
        let Enabled { chain, node, .. } = self;
        Ok(if chain == ChainId::END || node.is_empty() {
            Opening::AtOnce(node)
        } else {
            Opening::Walk {
                node,
                operation: OPERATIONS.enabled,
                key: (chain, node),
            }
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        context: &mut C,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let mut steps = kernel.steps(self.chain, self.level, value);
        while let Some(chain) = kernel.next_rest(&mut steps) {
            let below = Enabled {
                chain,
                node: child,
                level: self.level + 1,
            };
            kernel.call_into(value, below, context)?;
        }
        Ok(())
    }

    /// A table may have several rows for a value, and thus produce several edges under it.
    fn close(self, kernel: &mut Kernel, _: &mut C, edges: StackMark) -> Result<DdNode, Halt> {
        kernel.sort(edges)?;
        kernel.make(edges)
    }
}

/// The vectors of a node without successors by events with tops at or below its level.
#[derive(Clone, Copy)]
struct Dead {
    node: DdNode,
    level: u32,
}

impl Call<&Subset> for Dead {
    type Key = (DdNode, CacheScopeId);

    fn open(self, _: &mut Kernel, events: &mut &Subset) -> Result<Opening<Self::Key>, Halt> {
        let Dead { node, .. } = self;
        Ok(match node {
            DdNode::EMPTY | DdNode::ONE => Opening::AtOnce(node),
            _ => Opening::Walk {
                node,
                operation: OPERATIONS.dead,
                key: (node, events.scope.id()),
            },
        })
    }

    fn edge(
        self,
        kernel: &mut Kernel,
        events: &mut &Subset,
        (value, child): (u32, DdNode),
    ) -> Result<(), Halt> {
        let level = self.level + 1;
        let mut dead = kernel.call(Dead { node: child, level }, events)?;
        for &action in events.at(self.level, true) {
            let mut steps = kernel.steps_of(action, value);
            while !dead.is_empty()
                && let Some(chain) = kernel.next_rest(&mut steps)
            {
                let mark = kernel.mark();
                kernel.push(0, dead)?;
                let enabled = kernel.enabled(chain, dead, level)?;
                kernel.push(0, enabled)?;
                dead = kernel.difference(dead, enabled)?;
                kernel.release(mark);
            }
        }
        if !dead.is_empty() {
            kernel.push(value, dead)?;
        }
        Ok(())
    }
}

impl Store {
    /// The successors of `set` under `events`.
    pub fn image(&mut self, events: &Subset, set: &Set) -> Result<Set, Stop> {
        let node = self.node_of(set);
        self.compute(|kernel| {
            let image = kernel.image_all(events, node, 0)?;
            if !events.idle {
                return Ok(image);
            }
            let mark = kernel.mark();
            kernel.push(0, image)?;
            let image = kernel.union(node, image)?;
            kernel.release(mark);
            Ok(image)
        })
    }

    /// The states of `within` with a successor in `set`; `inverses` is the [subset of the inverse
    /// events](Store::inverse_subset).
    pub fn pre_image(&mut self, inverses: &Subset, set: &Set, within: &Set) -> Result<Set, Stop> {
        let all = self.image(inverses, set)?;
        self.intersection(&all, within)
    }

    /// The successors of `set` under `event`.
    pub fn image_of(&mut self, event: EventRelation, set: &Set) -> Result<Set, Stop> {
        let node = self.node_of(set);
        self.compute(|kernel| kernel.image(event.chain(), node, 0))
    }

    /// The states of `set` in which `event` is possible.
    pub fn enabled_of(&mut self, event: EventRelation, set: &Set) -> Result<Set, Stop> {
        let node = self.node_of(set);
        self.compute(|kernel| kernel.enabled(event.chain(), node, 0))
    }

    /// The states of `set` in which one of `events` is possible.
    pub fn enabled(&mut self, events: &Subset, set: &Set) -> Result<Set, Stop> {
        let dead = self.dead(events, set)?;
        self.difference(set, &dead)
    }

    /// The states of `set` in which none of `events` is possible.
    pub fn dead(&mut self, events: &Subset, set: &Set) -> Result<Set, Stop> {
        if events.idle {
            return Ok(self.empty());
        }
        let node = self.node_of(set);
        self.compute(|kernel| kernel.dead(events, node, 0))
    }
}
