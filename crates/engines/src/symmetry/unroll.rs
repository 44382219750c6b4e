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
use crate::explicit::steps::MOST_BYTES;
use crate::runs::plain_run;
use lariat_budget::Stop;
use lariat_emptiness::{Edge, GraphLasso, NodeId};
use lariat_model::{EventId, Lasso, State, Step, System, Value};
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
    pub fn unroll(&self, worker: &mut QuotientWorker, found: &GraphLasso) -> Result<Lasso, Stop> {
        let origin = self.origin(worker, found.initial)?;
        let (initial, to) = origin.ok_or_else(|| lost("initial state"))?;
        let prefix = self.steps(worker, found.initial, &found.prefix)?;
        let cycle = self.steps(worker, found.entry(), &found.cycle)?;
        let each = initial.len() * size_of::<Value>() + size_of::<Step>();
        let mut run = Run {
            system: self.problem.system,
            symmetry: self.symmetry,
            state: initial.clone(),
            to,
            steps: Vec::new(),
            most: MOST_BYTES / each.max(1),
        };
        run.along(&prefix)?;
        // The states at the start of the rounds, each with the number of steps before it.
        let mut starts: Vec<(State, usize)> = Vec::new();
        loop {
            let known = starts.iter().find(|(state, _)| *state == run.state);
            if let Some((_, length)) = known {
                let mut prefix = run.steps;
                let cycle = prefix.split_off(*length);
                return Ok(plain_run(initial, prefix, cycle));
            }
            starts.push((run.state.clone(), run.steps.len()));
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
    state: State,
    /// Permutation from the state to its representative.
    to: Permutation,
    steps: Vec<Step>,
    most: usize,
}

impl Run<'_> {
    fn along(&mut self, steps: &[QuotientStep]) -> Result<(), Stop> {
        for QuotientStep { event, applied } in steps {
            if self.steps.len() >= self.most {
                return Err(Stop::Bound(format!(
                    "a violating run of more than {} steps was found, too long to report",
                    self.most
                )));
            }
            let event = match event {
                None => None,
                Some(event) => {
                    let image = self.symmetry.image_of_event(*event, &inverse(&self.to));
                    let image = image.ok_or_else(|| lost("image of an event"))?;
                    let next = self.system.successors(&self.state, image).pop();
                    self.state = next.ok_or_else(|| lost("successor by an image"))?;
                    Some(image)
                }
            };
            self.steps.push(Step {
                event,
                state: self.state.clone(),
            });
            self.to = after(applied, &self.to);
        }
        Ok(())
    }
}
