//! Step facts: `a -> X !b`.
//!
//! `b` cannot follow `a` if for every event `t`
//!
//! ```text
//! m |= a,   m >= pre(t),   m + C(t) |= b
//! ```
//!
//! is excluded by the state equation; if dead markings are repeated, `m |= a ∧ b` must also be
//! excluded for dead `m`, where no event fires. The rows of `b` are shifted by the event's effect,
//! so that all rows are about the marking before it.

use crate::Facts;
use crate::cases::{LinearCases, LinearConstraint};
use crate::certificate::{Certificate, gain};
use crate::net::IncidenceNet;
use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, EventId, Proposition};
use rustc_hash::FxHashSet;

/// Limit on the number of distinct events.
const MOST_EVENTS: usize = 64;

impl Facts {
    /// Proves that no position with the literals `second` directly follows one with `first`.
    pub fn never_follows(
        &mut self,
        first: &[(Proposition, bool)],
        second: &[(Proposition, bool)],
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let Some(net) = &self.net else {
            return Ok(None);
        };
        let allowed = |event: &EventId| {
            let agrees = |(proposition, truth): &(Proposition, bool)| match proposition {
                Proposition::Fires(events) => events.contains(event) == *truth,
                Proposition::State(_) => true,
            };
            !net.silenced[event.index()] && first.iter().all(agrees)
        };
        let mut seen = FxHashSet::default();
        let events: Vec<EventId> = net
            .events()
            .filter(allowed)
            .filter(|e| seen.insert((&net.needs[e.index()], net.column(*e))))
            .collect();
        if events.len() > MOST_EVENTS {
            return Ok(None);
        }
        let (before, after) = (net.cube(first), net.cube(second));
        let questions: Option<Vec<LinearCases>> = events
            .iter()
            .map(|e| net.step(&before, *e, &after))
            .collect();
        let Some(questions) = questions else {
            return Ok(None);
        };
        let mut certificate = Certificate::default();
        if deadlock == Deadlock::Stutter {
            let both: Vec<_> = first.iter().chain(second).cloned().collect();
            match self.never_rests(&both, budget)? {
                Some(reason) => certificate.extend(reason),
                None => return Ok(None),
            }
        }
        let refuted = questions.iter().map(|cases| self.refuted(cases, budget));
        let refuted = Certificate::of_all(refuted)?;
        Ok(refuted.map(|reasons| {
            certificate.extend(reasons);
            certificate
        }))
    }
}

impl IncidenceNet {
    /// Markings of `before` from which the event leads to one of `after`; `None` on overflow.
    fn step(
        &self,
        before: &LinearCases,
        event: EventId,
        after: &LinearCases,
    ) -> Option<LinearCases> {
        let mut moved = after.clone();
        if let Some(column) = self.column(event) {
            for row in moved.0.iter_mut().flatten() {
                let LinearConstraint { terms, least } = row;
                *least = least.checked_sub(gain(terms, &self.effects[column])?)?;
            }
        }
        let enabled = self.some_enabled(std::iter::once(event));
        Some(before.clone().and(enabled).and(moved))
    }
}
