//! Single steps of the product, on nodes of any level.
//!
//! A node on level `k` under a residual `c` is a set of suffixes. Its steps are those by events
//! with their top at or below `k`; higher levels do not change. For one chain and for all events:
//!
//! ```text
//! img_ε(n, c) = {i' ↦ img_rest(n[i], c[i']) | (i, i', rest) of ε};  at the bottom: moves under c
//! img(n, c)   = {i ↦ img(n[i], c[i])} ∪ {i' ↦ img_rest(n[i], c[i'])}   over events with this top
//! src(n, t)   = {v ∈ n | img({v}) ∩ t ≠ ∅}
//! ```
//!
//! See [`images`](super::images) for the recursions.

use super::images::{ImageContext, StepKind};
use super::label_residuals::{LabelResiduals, MoveKind};
use crate::sets::walk::lost;
use lariat_budget::Stop;
use lariat_dd::kernel::{ChainId, DdNode, Halt, Kernel, Operation};
use lariat_dd::{EventRelation, Residual, Store, Subset};
use lariat_model::EventId;

/// The events of a problem and the operations on their steps.
pub struct ProductSteps {
    pub automaton: u32,
    pub all: Subset,
    /// A state is dead if none of these is enabled.
    pub alive: Subset,
    /// Events by top level.
    tops: Vec<Vec<(ChainId, EventId)>>,
    pub(super) nodes: NodeCaches,
}

type ImageCache = Operation<(ChainId, DdNode, DdNode, Residual, StepKind), DdNode>;

/// Caches of images, predicates and marks of nodes.
pub(super) struct NodeCaches {
    /// Images and sources, by the rest of an event or by all events.
    pub(super) targets_by: ImageCache,
    pub(super) sources_by: ImageCache,
    pub(super) targets: ImageCache,
    pub(super) sources: ImageCache,
    pub(super) returns: Operation<(ChainId, DdNode, DdNode, Residual), bool>,
    /// Pairs of node and residual that were searched.
    pub(super) searched: Operation<(DdNode, Residual), ()>,
    /// States with a given suffix; the residuals are the current and the wanted one.
    pub(super) ending: Operation<(DdNode, DdNode, Residual, Residual), DdNode>,
    /// Marks as a number.
    pub(super) marks: Operation<(DdNode, Residual), u64>,
    pub(super) accepting: Operation<(DdNode,), u64>,
    pub(super) lives: Operation<(DdNode,), bool>,
    /// Nodes from which an event exceeds a cap.
    pub(super) overflows: Operation<(DdNode,), bool>,
    /// As `overflows`, for the rest of an event; true if it has exceeded the cap above.
    pub(super) overflows_by: Operation<(ChainId, DdNode, bool), bool>,
}

/// Position of a node: its level and the residual of the labels.
#[derive(Clone, Copy)]
pub struct NodePosition {
    pub level: u32,
    /// Residual after reading the levels above.
    pub residual: Residual,
}

/// An event and the values that it changes.
#[derive(Clone)]
pub struct Hop {
    pub event: EventId,
    /// Levels with other values than before, and their values.
    changes: Vec<(u32, u32)>,
}

impl Hop {
    /// The hop between two suffixes that begin at `level`.
    pub fn new(event: EventId, level: u32, from: &[u32], to: &[u32]) -> Hop {
        let pairs = (level..).zip(from.iter().zip(to));
        let changes = pairs.filter(|(_, (before, after))| before != after);
        Hop {
            event,
            changes: changes.map(|(at, (_, after))| (at, *after)).collect(),
        }
    }

    /// Changes a suffix that begins at `level`.
    pub fn apply(&self, level: u32, suffix: &mut [u32]) {
        for &(at, value) in &self.changes {
            suffix[(at - level) as usize] = value;
        }
    }
}

impl ProductSteps {
    /// Prepares the steps of `events` on a store whose last level is the automaton. A state is dead
    /// if none of `alive` is enabled.
    pub fn new(
        store: &mut Store,
        events: &[(EventId, EventRelation)],
        alive: &[EventRelation],
    ) -> Result<ProductSteps, Stop> {
        let automaton = store.levels() as u32 - 1;
        let all = store.subset(events.iter().map(|(_, event)| *event));
        let alive = store.subset(alive.iter().copied());
        let mut tops = vec![Vec::new(); automaton as usize + 1];
        let mut declared = None;
        store.run(|kernel| {
            for (id, event) in events {
                let chain = event.chain();
                let level = kernel.first_level(chain).unwrap_or(0);
                tops[level as usize].push((chain, *id));
            }
            declared = Some(ProductSteps {
                automaton,
                all,
                alive,
                tops,
                nodes: NodeCaches {
                    targets_by: kernel.operation(),
                    sources_by: kernel.operation(),
                    targets: kernel.operation(),
                    sources: kernel.operation(),
                    returns: kernel.operation(),
                    searched: kernel.operation(),
                    ending: kernel.operation(),
                    marks: kernel.operation(),
                    accepting: kernel.operation(),
                    lives: kernel.operation(),
                    overflows: kernel.operation(),
                    overflows_by: kernel.operation(),
                },
            });
            Ok(DdNode::EMPTY)
        })?;
        declared.ok_or_else(|| Stop::Internal("operations of a diagram".to_owned()))
    }

    pub fn tops(&self, level: u32) -> &[(ChainId, EventId)] {
        &self.tops[level as usize]
    }

    /// Returns the position below `value`; `None` if no wanted move is left.
    #[inline]
    pub fn read(
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        kind: MoveKind,
        at: NodePosition,
        value: u32,
    ) -> Result<Option<NodePosition>, Halt> {
        let residual = labels.step(at.residual, at.level, value);
        let residual = residual.map_err(|stop| kernel.halt(stop))?;
        let over =
            residual == Residual::FALSE || (kind != MoveKind::Any && labels.is_idle(residual));
        Ok((!over).then_some(NodePosition {
            level: at.level + 1,
            residual,
        }))
    }
}

impl ImageContext<'_> {
    /// Finds a step by a wanted event from a single suffix into `target`; there must be one.
    pub fn step_into(
        &mut self,
        kernel: &mut Kernel,
        from: &[u32],
        target: DdNode,
        at: NodePosition,
        is_wanted: impl Fn(EventId) -> bool,
    ) -> Result<Hop, Halt> {
        // Above the top level of an event, source and target agree.
        let (mut target, mut place) = (target, at);
        for (offset, &value) in from.iter().enumerate() {
            if place.level == self.steps.automaton || target.is_empty() {
                break;
            }
            let tops = self.steps.tops(place.level).iter().copied();
            for (chain, event) in tops.filter(|(_, event)| is_wanted(*event)) {
                if let Some(mut to) = self.follow(kernel, chain, &from[offset..], target, place)? {
                    to.reverse();
                    return Ok(Hop::new(event, place.level, &from[offset..], &to));
                }
            }
            target = kernel.child(target, value);
            match self.read(kernel, place, value)? {
                Some(below) => place = below,
                None => break,
            }
        }
        Err(kernel.halt(lost()))
    }

    /// Follows `chain` from a single suffix into `target`; returns the reversed target values.
    fn follow(
        &mut self,
        kernel: &mut Kernel,
        chain: ChainId,
        from: &[u32],
        target: DdNode,
        at: NodePosition,
    ) -> Result<Option<Vec<u32>>, Halt> {
        let [value, from @ ..] = from else {
            return Ok(None);
        };
        if at.level == self.steps.automaton {
            let mut next = 0;
            let found = self.labels.any_move(self.kind, at.residual, *value, |q| {
                next = q;
                !kernel.child(target, q).is_empty()
            });
            let found = found.map_err(|stop| kernel.halt(stop))?;
            return Ok(found.then(|| vec![next]));
        }
        let mut steps = kernel.steps(chain, at.level, *value);
        while let Some(step) = kernel.next_step(&mut steps)? {
            let into = kernel.child(target, step.to);
            if into.is_empty() {
                continue;
            }
            if let Some(below) = self.read(kernel, at, step.to)?
                && let Some(mut to) = self.follow(kernel, step.rest, from, into, below)?
            {
                to.push(step.to);
                return Ok(Some(to));
            }
        }
        Ok(None)
    }
}
