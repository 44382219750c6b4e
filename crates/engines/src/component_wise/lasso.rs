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
//! If `z` leads to `z'` by inner steps, a shortest path closes the cycle. If not, `z'` is in a component
//! before that of `z`, and the walk goes on from there; components are finitely many.
//!
//! *The prefix* leads to any state that ends in the cycle and whose levels above leave the same residual: the
//! saturation came across one. Only events with their top at or below the highest level that was begun
//! have been fired by then, so no others are needed.

use super::fixpoint::closure;
use super::letters::{Letters, MoveKind};
use super::path::{Goal, Paths, Walk, contains, pick};
use super::search::Arc;
use super::steps::{Hop, Position, Steps};
use crate::sets::walk::lost;
use lariat_dd::kernel::{Halt, Kernel, NodeId};

/// Everything that a walk needs.
pub struct Walker<'a> {
    /// The labels.
    pub letters: &'a mut Letters,
    /// The events.
    pub steps: &'a Steps,
    /// Events with a higher top are not taken.
    pub top: u32,
}

impl Walker<'_> {
    /// A fair cycle in the node at `at`, given what [`fair`](super::fixpoint::fair) left, which is rooted.
    pub fn cycle(
        &mut self,
        kernel: &mut Kernel,
        arcs: &[Arc],
        reached: NodeId,
        at: Position,
    ) -> Result<Walk, Halt> {
        let base = kernel.mark();
        let (letters, steps) = (&mut *self.letters, self.steps);
        // The stages: where each begins, and all of it.
        let mut stages = vec![(
            MoveKind::Inner,
            reached,
            closure(kernel, letters, steps, reached, at)?,
        )];
        kernel.push(0, stages[0].2)?;
        for mark in letters.marks().iter() {
            let kind = MoveKind::Marked(mark);
            let (_, _, before) = stages[stages.len() - 1];
            let entries = steps.images(kernel, letters, kind, before, at)?;
            kernel.push(0, entries)?;
            let stage = closure(kernel, letters, steps, entries, at)?;
            kernel.push(0, stage)?;
            stages.push((kind, entries, stage));
        }
        let mut end = pick(kernel, reached)?;
        loop {
            let round = self.round(kernel, arcs, &stages, &end, at)?;
            if round.start == end {
                kernel.release(base);
                return Ok(round);
            }
            // Can the round be closed?
            let here = kernel.chain_of(&end)?;
            kernel.push(0, here)?;
            let ahead = closure(kernel, self.letters, self.steps, here, at)?;
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

    /// A path with all marks and a new step to `end`, from a member of the first entries.
    fn round(
        &mut self,
        kernel: &mut Kernel,
        arcs: &[Arc],
        stages: &[(MoveKind, NodeId, NodeId)],
        end: &[u32],
        at: Position,
    ) -> Result<Walk, Halt> {
        let base = kernel.mark();
        let mut pieces: Vec<Vec<Hop>> = Vec::new();
        let mut entry = end.to_vec();
        for (i, (_, entries, stage)) in stages.iter().enumerate().rev() {
            let goal = kernel.chain_of(&entry)?;
            kernel.push(0, goal)?;
            let kind = stages.get(i + 1).map_or(MoveKind::Inner, |next| next.0);
            let sources = match stages.get(i + 1) {
                Some(_) => {
                    let pair = (*stage, goal);
                    self.steps.sources(kernel, self.letters, kind, pair, at)?
                }
                None => self.sources_along(kernel, arcs, (*stage, goal), at)?,
            };
            let from = pick(kernel, sources)?;
            let hop = self.hop(kernel, kind, (&from, goal), at)?;
            pieces.push(vec![hop]);
            let walk = self.inside(kernel, *entries, &from, at)?;
            pieces.push(walk.hops);
            entry = walk.start;
        }
        kernel.release(base);
        Ok(Walk {
            level: at.level,
            start: entry,
            hops: pieces.into_iter().rev().flatten().collect(),
        })
    }

    /// The members of a node from which a step on one of `arcs` leads into another node.
    fn sources_along(
        &mut self,
        kernel: &mut Kernel,
        arcs: &[Arc],
        (node, target): (NodeId, NodeId),
        at: Position,
    ) -> Result<NodeId, Halt> {
        let base = kernel.mark();
        for arc in arcs.iter().filter(|arc| arc.recurring) {
            let (from, to) = (kernel.child(node, arc.from), kernel.child(target, arc.to));
            let residual = match self.letters.step(at.residual, at.level, arc.to) {
                Ok(residual) => residual,
                Err(stop) => return Err(kernel.halt(stop)),
            };
            if self.letters.is_idle(residual) {
                continue;
            }
            let below = Position {
                level: at.level + 1,
                residual,
            };
            let (kind, pair) = (MoveKind::Inner, (from, to));
            let steps = self.steps;
            let part = steps.source(kernel, self.letters, kind, arc.rest, pair, below)?;
            if !part.is_empty() {
                kernel.push(arc.from, part)?;
            }
        }
        kernel.sort(base)?;
        kernel.make(base)
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
            letters: self.letters,
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
            residual: self.letters.root(),
        };
        let mut paths = Paths {
            letters: self.letters,
            steps: self.steps,
            kind: MoveKind::Any,
        };
        let walk = paths.path_below(kernel, self.top, initial, goal, at)?;
        walk.ok_or_else(|| kernel.halt(lost()))
    }

    fn hop(
        &mut self,
        kernel: &mut Kernel,
        kind: MoveKind,
        pair: (&[u32], NodeId),
        at: Position,
    ) -> Result<Hop, Halt> {
        let steps = self.steps;
        let hop = steps.step_into(kernel, self.letters, kind, pair, at)?;
        hop.ok_or_else(|| kernel.halt(lost()))
    }
}
