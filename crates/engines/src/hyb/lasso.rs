//! A concrete lasso from what was found.
//!
//! *The cycle* lies in the node, whatever the levels above are. The fixpoint left a set `Z` whose members each
//! come from a member by inner steps with all marks and a new step at the end. From some
//! `z ∈ Z` the path is walked back to such a `z'`, in sets that are saturated and from single states:
//!
//! ```text
//! X₀ = N*(Z)   X_m = N*(N_m(X_m₋₁))      z ← y ∈ X_last ⇠ N_last(…) ← … ⇠ X₀ ∋ z' ∈ Z
//! ```
//!
//! Constraints of fairness are stages like marks, but those that the path behind meets already are passed over.
//! If `z` leads to `z'` by inner steps, a shortest path closes the cycle. If not, `z'` is in a component
//! before that of `z`, and the walk goes on from there; components are finitely many.
//!
//! *The prefix* leads to any state that ends in the cycle and whose levels above leave the same residual: the
//! saturation came across one. Only events with their top at or below the highest level that was begun
//! have been fired by then, so no others are needed.

use super::demands::{DemandId, Demands};
use super::fixpoint::{Stage, Wanted, closure};
use super::label_residuals::{LabelResiduals, MoveKind};
use super::path::{Goal, Paths, Walk, contains, pick};
use super::steps::{Hop, Position, Steps};
use crate::sets::walk::lost;
use lariat_dd::kernel::{Halt, Kernel, NodeId};
use lariat_model::EventId;

/// Everything that a walk needs.
pub struct Walker<'a> {
    /// The labels.
    pub labels: &'a mut LabelResiduals,
    /// The events.
    pub steps: &'a Steps,
    /// Events with a higher top are not taken.
    pub top: u32,
}

impl Walker<'_> {
    /// A cycle of those that are wanted in the node at `at`, given what [`fair`](super::fixpoint::fair) left, which is rooted.
    pub fn cycle(
        &mut self,
        kernel: &mut Kernel,
        wanted: &mut Wanted<'_>,
        reached: NodeId,
        at: Position,
    ) -> Result<Walk, Halt> {
        let base = kernel.mark();
        let (labels, steps) = (&mut *self.labels, self.steps);
        let mut all = closure(kernel, labels, steps, reached, at)?;
        kernel.push(0, all)?;
        let mut stages = Stages {
            first: reached,
            next: Vec::new(),
            last: all,
        };
        for stage in wanted.stages(labels) {
            let entries = wanted.entries(kernel, labels, steps, stage, (all, at))?;
            kernel.push(0, entries)?;
            let before = all;
            all = closure(kernel, labels, steps, entries, at)?;
            kernel.push(0, all)?;
            stages.next.push((stage, before, entries));
            stages.last = all;
        }
        let mut end = pick(kernel, reached)?;
        loop {
            let round = self.round(kernel, wanted, &stages, &end, at)?;
            if round.start == end {
                kernel.release(base);
                return Ok(round);
            }
            // Can the round be closed?
            let here = kernel.chain_of(&end)?;
            kernel.push(0, here)?;
            let ahead = closure(kernel, self.labels, self.steps, here, at)?;
            kernel.push(0, ahead)?;
            if contains(kernel, ahead, &round.start) {
                let goal = round.start.clone();
                let mut back = self.inside(kernel, here, &goal, at)?;
                back.hops.extend(round.hops);
                kernel.release(base);
                return Ok(back);
            }
            end = round.start;
        }
    }

    /// A path through all stages and with a new step to `end`, from a member of the first entries.
    fn round(
        &mut self,
        kernel: &mut Kernel,
        wanted: &mut Wanted<'_>,
        stages: &Stages,
        end: &[u32],
        at: Position,
    ) -> Result<Walk, Halt> {
        let base = kernel.mark();
        let mut trail = Trail::default();
        let goal = kernel.chain_of(end)?;
        kernel.push(0, goal)?;
        let (labels, steps) = (&mut *self.labels, self.steps);
        let pair = (stages.last, goal);
        let sources = wanted.new.sources(kernel, labels, steps, pair, at)?;
        let mut here = pick(kernel, sources)?;
        let inner = |_: EventId| true;
        trail.hop(
            &here,
            self.hop(kernel, (MoveKind::Inner, inner), (&here, goal), at)?,
        );
        for &(stage, before, entries) in stages.next.iter().rev() {
            // Every stage is a part of the one before, so what is met already need not be met again.
            if let Stage::Demand(demand) = stage
                && trail.meets(kernel, wanted.demands, demand, (&here, at))?
            {
                continue;
            }
            let walk = self.inside(kernel, entries, &here, at)?;
            here = walk.start.clone();
            trail.walk(walk);
            let goal = kernel.chain_of(&here)?;
            kernel.push(0, goal)?;
            let pair = (before, goal);
            let (from, hop) = match stage {
                Stage::Mark(mark) => {
                    let kind = MoveKind::Marked(mark);
                    let sources = self.steps.sources(kernel, self.labels, kind, pair, at)?;
                    let from = pick(kernel, sources)?;
                    let hop = self.hop(kernel, (kind, inner), (&from, goal), at)?;
                    (from, hop)
                }
                Stage::Demand(demand) => {
                    let demands = &mut *wanted.demands;
                    if idle(kernel, demands, demand, (&here, at))? {
                        continue;
                    }
                    let (labels, steps) = (&mut *self.labels, self.steps);
                    let sources = demands.takers(kernel, labels, steps, demand, pair, at)?;
                    let from = pick(kernel, sources)?;
                    let of_demand = |event| demands.is_met(demand, event);
                    let hop = self.hop(kernel, (MoveKind::Inner, of_demand), (&from, goal), at)?;
                    (from, hop)
                }
            };
            here = from;
            trail.hop(&here, hop);
        }
        let walk = self.inside(kernel, stages.first, &here, at)?;
        let start = walk.start.clone();
        trail.walk(walk);
        kernel.release(base);
        Ok(Walk {
            level: at.level,
            start,
            hops: trail.pieces.into_iter().rev().flatten().collect(),
        })
    }

    /// A path of inner steps from one of `entries` to `end`.
    fn inside(
        &mut self,
        kernel: &mut Kernel,
        entries: NodeId,
        end: &[u32],
        at: Position,
    ) -> Result<Walk, Halt> {
        let mut paths = Paths {
            labels: self.labels,
            steps: self.steps,
            kind: MoveKind::Inner,
        };
        paths.path_to(kernel, entries, end, at)
    }

    /// A path of the product from one of `initial` to `goal`.
    pub fn prefix(
        &mut self,
        kernel: &mut Kernel,
        initial: NodeId,
        goal: Goal<'_>,
    ) -> Result<Walk, Halt> {
        let at = Position {
            level: 0,
            residual: self.labels.root(),
        };
        let mut paths = Paths {
            labels: self.labels,
            steps: self.steps,
            kind: MoveKind::Any,
        };
        let walk = paths.path_below(kernel, self.top, initial, goal, at)?;
        walk.ok_or_else(|| kernel.halt(lost()))
    }

    fn hop(
        &mut self,
        kernel: &mut Kernel,
        wanted: (MoveKind, impl Fn(EventId) -> bool),
        pair: (&[u32], NodeId),
        at: Position,
    ) -> Result<Hop, Halt> {
        let steps = self.steps;
        let hop = steps.step_into(kernel, self.labels, wanted, pair, at)?;
        hop.ok_or_else(|| kernel.halt(lost()))
    }
}

/// What the stages of a cycle are.
struct Stages {
    /// What was left by the fixpoint.
    first: NodeId,
    /// Each with what is before it and where it is entered.
    next: Vec<(Stage, NodeId, NodeId)>,
    /// All behind the last.
    last: NodeId,
}

/// The end of a path, which is found from there: pieces of it, the last first.
#[derive(Default)]
struct Trail {
    pieces: Vec<Vec<Hop>>,
    /// The vectors that it passes.
    vectors: Vec<Vec<u32>>,
}

impl Trail {
    /// Begins with a hop from a vector.
    fn hop(&mut self, from: &[u32], hop: Hop) {
        self.pieces.push(vec![hop]);
        self.vectors.push(from.to_vec());
    }

    /// Begins with a walk.
    fn walk(&mut self, walk: Walk) {
        self.vectors.push(walk.start.clone());
        walk.follow(|_, vector| self.vectors.push(vector.to_vec()));
        self.pieces.push(walk.hops);
    }

    /// Does it meet a constraint of fairness?
    fn meets(
        &self,
        kernel: &mut Kernel,
        demands: &mut Demands,
        demand: DemandId,
        (here, at): (&[u32], Position),
    ) -> Result<bool, Halt> {
        let mut hops = self.pieces.iter().flatten();
        if hops.any(|hop| demands.is_met(demand, hop.event)) {
            return Ok(true);
        }
        let passed = self.vectors.iter().map(Vec::as_slice);
        for vector in std::iter::once(here).chain(passed) {
            if idle(kernel, demands, demand, (vector, at))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Is a constraint of fairness not enabled in a vector?
fn idle(
    kernel: &mut Kernel,
    demands: &mut Demands,
    demand: DemandId,
    (vector, at): (&[u32], Position),
) -> Result<bool, Halt> {
    demands
        .is_idle(demand, at.level, vector)
        .map_err(|stop| kernel.halt(stop))
}
