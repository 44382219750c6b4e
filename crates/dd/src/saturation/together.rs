//! Firing by several: where somebody is idle, edges of nodes that are being fired become [parts](crate::crew) for whoever comes first.
//!
//! A worker keeps account of what it has still to fire, for all nodes on its way down. What it gives away is the last edge of the *outermost* of them:
//! the node where it happens to be when somebody becomes idle is mostly near the bottom, where an image takes a microsecond or two, and
//! whoever got that would be back before the next one could be offered.
//!
//! Every second worker fires edges from the last to the first. The edges of a node lead to much that is the same, and two workers who go the same way
//! compute the same at the same time; from opposite ends they meet, and find what the other has remembered. (On a slotted ring of 100 that
//! makes 25 million look-ups of 28, where one worker needs 16.)

use std::sync::Arc;

use super::fire::Firing;
use super::{Filter, Listener, Saturation, Silent, Unfiltered};
use crate::crew::Part;
use crate::event::{ChainAction, ChainId, Subset};
use crate::kernel::{Halt, Kernel, NodeId, OPERATIONS, Residual};

/// An event to be fired on a node, in a saturation without a filter.
pub(crate) struct FiringPart {
    firing: Firing,
    events: Subset,
}

impl FiringPart {
    /// The level of the node.
    pub fn level(&self) -> u32 {
        self.firing.level
    }
}

/// An edge of an image in the making: where it lies on the stack, what is to be fired for it, and the part that it has become.
struct OpenEdge {
    at: usize,
    firing: Firing,
    part: Option<Arc<Part>>,
}

/// A node that is being fired: which of the open edges are its own and nobody's yet.
struct OpenNode {
    next: usize,
    end: usize,
}

impl OpenNode {
    fn take(&mut self, last: bool) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        if last {
            self.end -= 1;
            return Some(self.end);
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

/// What a worker has still to fire, outermost node first, for as long as it is one of several.
#[derive(Default)]
pub(crate) struct Open {
    edges: Vec<OpenEdge>,
    nodes: Vec<OpenNode>,
    /// Of so many nodes nothing is left to offer.
    spent: usize,
}

impl Open {
    /// The edge that takes longest as far as one can tell: the one that a worker who goes `backwards` or not would fire last, of the outermost node that has any.
    fn outermost(&mut self, backwards: bool) -> Option<&mut OpenEdge> {
        let nodes = self.nodes[self.spent..].iter();
        self.spent += nodes.take_while(|node| node.next == node.end).count();
        let node = self.nodes.get_mut(self.spent)?;
        let index = node.take(!backwards)?;
        self.edges.get_mut(index)
    }

    /// Nobody wants the edge that was just taken.
    fn keep(&mut self, backwards: bool) {
        match self.nodes.get_mut(self.spent) {
            Some(node) if backwards => node.next -= 1,
            Some(node) => node.end += 1,
            None => {}
        }
    }

    /// What the worker itself is to fire next for the innermost node.
    fn next(&mut self, backwards: bool) -> Option<(usize, Firing)> {
        let node = self.nodes.last_mut()?;
        let edge = &self.edges[node.take(backwards)?];
        Some((edge.at, edge.firing))
    }

    /// The innermost node is done.
    fn close(&mut self, first: usize) {
        self.nodes.pop();
        self.spent = self.spent.min(self.nodes.len());
        self.edges.truncate(first);
    }

    pub(crate) fn clear(&mut self) {
        *self = Open::default();
    }
}

impl Kernel {
    /// Computes a part.
    pub(crate) fn perform(&mut self, part: &FiringPart) -> Result<NodeId, Halt> {
        let mut run = Saturation {
            events: &part.events,
            filter: &mut Unfiltered,
            listener: &mut Silent,
        };
        self.fire(&mut run, part.firing)
    }

    /// The image of the node at `firing`, which is not in the cache, together with whoever is idle.
    #[inline(never)]
    pub(super) fn fire_together<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        firing: Firing,
    ) -> Result<NodeId, Halt> {
        let base = self.stack.len();
        self.push_edges(firing.node)?;
        let end = self.stack.len();
        let first = self.open.edges.len();
        let action = self.action_at(firing.chain, firing.level);
        for at in base..end {
            let (value, child) = self.stack[at];
            match action {
                ChainAction::Delta { need, delta, rest } => {
                    if value >= need
                        && let Some(to) = self.shift(value, delta)?
                    {
                        self.fire_later(run, (firing, child), rest, to)?;
                    }
                }
                ChainAction::Table { start, end } => {
                    let (first, last) = self.tables.chains.rows_from(start, end, value);
                    for row in first..last {
                        let row = self.tables.chains.row(row);
                        self.fire_later(run, (firing, child), row.rest, row.to)?;
                    }
                }
            }
        }
        self.open.nodes.push(OpenNode {
            next: first,
            end: self.open.edges.len(),
        });
        let fired = self.fire_open(run, firing.level, first);
        if fired.is_err() {
            let left = self.open.edges[first..].iter_mut();
            let parts: Vec<_> = left.filter_map(|edge| edge.part.take()).collect();
            self.abandon(&parts);
        }
        self.open.close(first);
        fired?;
        let mut to = end;
        for at in end..self.stack.len() {
            if !self.stack[at].1.is_empty() {
                self.stack[to] = self.stack[at];
                to += 1;
            }
        }
        self.stack.truncate(to);
        if matches!(action, ChainAction::Table { .. }) {
            self.tidy(end)?;
        }
        let result = self.fix(run, firing.level, end, firing.target)?;
        self.stack.truncate(base);
        self.tick()?;
        Ok(result)
    }

    /// Pushes an edge under `to` for what `chain` makes of `child`, one level below `above`: whole if it is known, and else without a node yet.
    fn fire_later<F: Filter, L>(
        &mut self,
        run: &Saturation<'_, F, L>,
        (above, child): (Firing, NodeId),
        chain: ChainId,
        to: u32,
    ) -> Result<(), Halt> {
        let at = self.stack.len();
        let firing = Firing {
            chain,
            node: child,
            level: above.level + 1,
            source: Residual::TRUE,
            target: Residual::TRUE,
        };
        let known = if chain == ChainId::END || child == NodeId::ONE {
            Some(child)
        } else {
            self.cached(OPERATIONS.fire, (chain, child, run.events.scope.id()))
        };
        if known.is_none() {
            self.open.edges.push(OpenEdge {
                at,
                firing,
                part: None,
            });
        }
        self.push(to, known.unwrap_or(NodeId::EMPTY))
    }

    /// Fires the open edges of the innermost node, which is on `level` and whose edges begin with `first`. Others are offered on the way to whoever is idle.
    fn fire_open<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        level: u32,
        first: usize,
    ) -> Result<(), Halt> {
        while let Some((at, firing)) = self.open.next(self.backwards) {
            self.offer_outermost(run.events);
            self.stack[at].1 = self.fire(run, firing)?;
        }
        for index in first..self.open.edges.len() {
            let edge = &self.open.edges[index];
            let (at, firing) = (edge.at, edge.firing);
            let Some(part) = edge.part.clone() else {
                continue;
            };
            self.stack[at].1 = match self.result_of(&part, level)? {
                Some(image) => image,
                None => self.fire(run, firing)?,
            };
        }
        Ok(())
    }

    /// Offers the outermost edges while somebody is idle.
    #[inline]
    fn offer_outermost(&mut self, events: &Subset) {
        while let Some(crew) = self.crew.as_ref().filter(|crew| crew.is_hungry())
            && let Some(edge) = self.open.outermost(self.backwards)
        {
            let part = Part::new(FiringPart {
                firing: edge.firing,
                events: events.clone(),
            });
            if !crew.offer(&part) {
                self.open.keep(self.backwards);
                return;
            }
            edge.part = Some(part);
        }
    }
}
