//! Firing by several: where somebody is idle, the edges of a node are [parts](crate::crew) for whoever comes first.

use std::sync::Arc;

use super::fire::Firing;
use super::{Filter, Listener, Saturation, Silent, Unfiltered};
use crate::crew::{Crew, Part};
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

/// An edge of the image in the making: where it lies on the stack, what is to be fired for it, and the part that it has become.
struct Pending {
    at: usize,
    firing: Firing,
    part: Option<Arc<Part>>,
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

    /// The image of the node at `firing`, which is not in the cache, by whoever is idle; its edges are known to be more than one.
    #[cold]
    pub(super) fn fire_together<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        crew: &Arc<Crew>,
        firing: Firing,
    ) -> Result<NodeId, Halt> {
        let base = self.stack.len();
        self.push_edges(firing.node)?;
        let end = self.stack.len();
        let mut pending = Vec::new();
        let action = self.action_at(firing.chain, firing.level);
        for at in base..end {
            let (value, child) = self.stack[at];
            match action {
                ChainAction::Delta { need, delta, rest } => {
                    if value >= need
                        && let Some(to) = self.shift(value, delta)?
                    {
                        self.fire_later(run, (firing, child), rest, to, &mut pending)?;
                    }
                }
                ChainAction::Table { start, end } => {
                    let (first, last) = self.tables.chains.rows_from(start, end, value);
                    for row in first..last {
                        let row = self.tables.chains.row(row);
                        self.fire_later(run, (firing, child), row.rest, row.to, &mut pending)?;
                    }
                }
            }
        }
        for edge in pending.iter_mut().skip(1) {
            if !crew.is_hungry() {
                break;
            }
            let part = Part::new(FiringPart {
                firing: edge.firing,
                events: run.events.clone(),
            });
            if crew.offer(&part) {
                edge.part = Some(part);
            }
        }
        let mut left = pending.into_iter();
        while let Some(edge) = left.next() {
            match self.now(run, crew, &edge, firing.level) {
                Ok(image) => self.stack[edge.at].1 = image,
                Err(halt) => {
                    let parts: Vec<_> = [edge]
                        .into_iter()
                        .chain(left)
                        .filter_map(|edge| edge.part)
                        .collect();
                    self.abandon(crew, &parts);
                    return Err(halt);
                }
            }
        }
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
        pending: &mut Vec<Pending>,
    ) -> Result<(), Halt> {
        let at = self.stack.len();
        let firing = Firing {
            chain,
            node: child,
            level: above.level + 1,
            source: Residual::TRUE,
            target: Residual::TRUE,
        };
        let known = match chain == ChainId::END || child == NodeId::ONE {
            true => Some(child),
            false => self.cached(OPERATIONS.fire, (chain, child, run.events.scope.id())),
        };
        if known.is_none() {
            pending.push(Pending {
                at,
                firing,
                part: None,
            });
        }
        self.push(to, known.unwrap_or(NodeId::EMPTY))
    }

    /// The node of an edge that was left open.
    fn now<F: Filter, L: Listener<F>>(
        &mut self,
        run: &mut Saturation<'_, F, L>,
        crew: &Arc<Crew>,
        edge: &Pending,
        level: u32,
    ) -> Result<NodeId, Halt> {
        let known = match &edge.part {
            Some(part) => self.result_of(crew, part, level)?,
            None => None,
        };
        match known {
            Some(image) => Ok(image),
            None => self.fire(run, edge.firing),
        }
    }
}
