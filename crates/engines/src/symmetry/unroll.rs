//! Runs of the system along lassos of a quotient.
//!
//! Let `xᵢ –e→ t` be the step behind the i-th edge and `xᵢ₊₁ = κᵢ·t`. With `gᵢ·sᵢ = xᵢ`, beginning
//! with the initial state of the system,
//!
//! ```text
//! sᵢ –gᵢ⁻¹·e→ gᵢ⁻¹·t,   gᵢ₊₁ = κᵢ·gᵢ
//! ```
//!
//! The cycle is unrolled until the state at its start repeats; the steps before its first visit are
//! prefix. After `j` rounds the state is `g⁻¹κ⁻ʲ·x`, where `κ` is the product of the `κᵢ` of the
//! cycle, so there are at most as many rounds as the order of `κ`.

use super::sym::{Quotient, QuotientWorker};
use crate::explicit::steps::{MOST_STEPS, too_long};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::{Edge, Graph as _, GraphLasso, NodeId};
use lariat_model::{EventId, Lasso, RunRecorder, State, System};
use lariat_reductions::symmetry::{Permutation, Symmetry, after, inverse};

/// Step of a quotient: its event, and the permutation from its target to the representative.
pub(crate) struct QuotientStep {
    pub event: Option<EventId>,
    pub applied: Permutation,
}

fn lost(what: &str) -> Stop {
    Stop::Internal(format!("a lasso of the quotient has no {what}"))
}

impl Quotient<'_> {
    /// Returns the run of the system along a lasso of the quotient, unless it is too long.
    pub fn unroll(
        &self,
        worker: &mut QuotientWorker,
        found: &GraphLasso,
        budget: &Budget,
    ) -> Result<Lasso, Stop> {
        let origin = self.origin(worker, found.initial)?;
        let (initial, to) = origin.ok_or_else(|| lost("initial state"))?;
        let prefix = self.steps(worker, found.initial, &found.prefix)?;
        let cycle = self.steps(worker, found.entry(), &found.cycle)?;
        let mut run = Run {
            system: self.problem.system,
            symmetry: self.symmetry,
            to,
            run: RunRecorder::new(initial).leased(budget),
        };
        run.along(&prefix)?;
        // The states at the start of the rounds, each with the number of steps before it.
        let mut starts: Vec<(State, usize)> = Vec::new();
        loop {
            self.tick(worker, 0)?;
            run.run.settle()?;
            let known = starts.iter().find(|(state, _)| state == run.run.state());
            if let Some((_, length)) = known {
                return Ok(run.run.into_lasso(*length));
            }
            starts.push((run.run.state().clone(), run.run.len()));
            run.along(&cycle)?;
        }
    }

    fn steps(
        &self,
        worker: &mut QuotientWorker,
        mut from: NodeId,
        path: &[Edge],
    ) -> Result<Vec<QuotientStep>, Stop> {
        let mut steps = Vec::with_capacity(path.len());
        for edge in path {
            let step = self.step(worker, from, *edge)?;
            steps.push(step.ok_or_else(|| lost("step behind an edge"))?);
            from = edge.to;
        }
        Ok(steps)
    }
}

/// A run of the system, built in parallel with one of the quotient.
struct Run<'a> {
    system: &'a System,
    symmetry: &'a Symmetry<'a>,
    /// Permutation from the state to its representative.
    to: Permutation,
    run: RunRecorder,
}

impl Run<'_> {
    fn along(&mut self, steps: &[QuotientStep]) -> Result<(), Stop> {
        for QuotientStep { event, applied } in steps {
            if self.run.len() >= MOST_STEPS {
                return Err(too_long(self.run.len()));
            }
            match event {
                None => self.run.stutter(),
                Some(event) => {
                    let image = self.symmetry.image_of_event(*event, &inverse(&self.to));
                    let image = image.ok_or_else(|| lost("image of an event"))?;
                    let step = self.system.steps(self.run.state(), image).pop();
                    self.run
                        .take(step.ok_or_else(|| lost("successor by an image"))?);
                }
            }
            self.to = after(applied, &self.to);
        }
        Ok(())
    }
}
