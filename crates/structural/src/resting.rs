//! Dead markings, as linear inequalities.
//!
//! In a dead marking every event lacks tokens in some place of its preset: `m(p) <= n(p) - 1`. With
//! bounds `m(p) <= B(p)` of all places the convex hull of that disjunction is
//!
//! ```text
//! Σ over p of (m(p) - n(p) + 1) / (B(p) - n(p) + 1)  <=  |preset| - 1
//! ```
//!
//! For a preset of one place this is `m(p) <= n(p) - 1`, bounded or not; for safe places `Σ m <=
//! |preset| - 1`. Events without such a row are skipped: the rows describe a superset.

use crate::Facts;
use crate::cases::{LinearCase, LinearCases, LinearConstraint};
use crate::certificate::{Certificate, Statement};
use crate::net::IncidenceNet;
use crate::rational::gcd;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, Proposition};

/// Limit on the programs that are solved for bounds.
const MOST_BOUNDS: usize = 200;
/// Bound that is not tightened: a row gains nothing from a bound below 1.
const SAFE: u64 = 1;
/// Largest coefficient; rows with larger ones are skipped.
const MOST_SCALE: i128 = 1_000_000;

/// A description of the dead markings.
#[derive(Clone, Debug)]
pub(crate) enum DeadMarkings {
    /// No marking is dead: this event is always enabled.
    Never(EventId),
    /// Dead markings satisfy these rows; the certificate proves the bounds used.
    Rows(LinearCase, Certificate),
}

impl Facts {
    /// Proves that no reachable marking is dead.
    pub fn deadlock_free(&mut self, budget: &Budget) -> Result<Option<Certificate>, Stop> {
        self.never_rests(&[], budget)
    }

    /// Proves that no reachable dead marking, where no event fires, has these truth values.
    pub fn never_rests(
        &mut self,
        cube: &[(Proposition, bool)],
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let Some(net) = &self.net else {
            return Ok(None);
        };
        let Some(cases) = net.resting_cube(cube) else {
            return Ok(Some(Certificate::default()));
        };
        if !self.samples_may_rest(&cases) {
            return Ok(None);
        }
        match self.resting(budget)? {
            DeadMarkings::Never(event) => Ok(Some(Statement::Always(event).into())),
            DeadMarkings::Rows(rows, mut grounds) => {
                let cases = cases.and(LinearCases(vec![rows]));
                let found = self.refuted(&cases, budget)?;
                Ok(found.map(|certificate| {
                    grounds.extend(certificate);
                    grounds
                }))
            }
        }
    }

    /// Returns whether no sampled dead marking satisfies one of the cases.
    fn samples_may_rest(&self, cases: &LinearCases) -> bool {
        let Some(net) = &self.net else {
            return true;
        };
        let mut cases = cases.0.iter();
        !cases.any(|case| self.samples.contain_dead(net, case))
    }

    fn resting(&mut self, budget: &Budget) -> Result<DeadMarkings, Stop> {
        if let Some(known) = &self.resting {
            return Ok(known.clone());
        }
        self.tighten_above(SAFE, MOST_BOUNDS, budget)?;
        let found = self.describe();
        self.resting = Some(found.clone());
        Ok(found)
    }

    fn describe(&self) -> DeadMarkings {
        let (mut rows, mut grounds) = (LinearCase::new(), Certificate::default());
        let Some(net) = &self.net else {
            return DeadMarkings::Rows(rows, grounds);
        };
        for event in net.events().filter(|e| !net.silenced[e.index()]) {
            if net.needs[event.index()].is_empty() {
                return DeadMarkings::Never(event);
            }
            if let Some((row, reasons)) = self.lacks(net, event)
                && !rows.contains(&row)
            {
                rows.push(row);
                grounds.extend(reasons);
            }
        }
        DeadMarkings::Rows(rows, grounds)
    }

    /// The row of one event; `None` if a bound is missing or a number is too large.
    fn lacks(&self, net: &IncidenceNet, event: EventId) -> Option<(LinearConstraint, Certificate)> {
        let needs = &net.needs[event.index()];
        if let [(place, need)] = needs[..] {
            let row = LinearConstraint::most(place, i128::from(need) - 1);
            return Some((row, Certificate::default()));
        }
        let mut reasons = Certificate::default();
        let (mut spans, mut scale) = (Vec::new(), 1i128);
        for (place, need) in needs {
            let bound = self.known_bound(*place)?;
            // The bound is below the need: the event is never enabled, and its row is vacuous.
            let span = i128::from(bound.most) - i128::from(*need) + 1;
            if span < 1 {
                return None;
            }
            scale = scale / gcd(scale, span) * span;
            if scale > MOST_SCALE {
                return None;
            }
            spans.push(span);
            reasons.extend(bound.certificate);
        }
        let mut most = scale.checked_mul(needs.len() as i128 - 1)?;
        let mut terms = Vec::with_capacity(needs.len());
        for ((place, need), span) in needs.iter().zip(spans) {
            let weight = scale / span;
            most = most.checked_add(weight.checked_mul(i128::from(*need) - 1)?)?;
            terms.push((*place, -weight));
        }
        let least = -most;
        Some((LinearConstraint { terms, least }, reasons))
    }
}

impl IncidenceNet {
    /// The literals as conditions on a dead marking; `None` if one needs an enabled or fired event.
    fn resting_cube(&self, cube: &[(Proposition, bool)]) -> Option<LinearCases> {
        let mut cases = LinearCases::any();
        for (proposition, truth) in cube {
            match (proposition, truth) {
                (Proposition::Fires(_), true) => return None,
                (Proposition::Fires(_), false) => {}
                (Proposition::State(predicate), truth) => {
                    match at_rest(predicate) {
                        // The value in dead markings is fixed: implied, or contradictory.
                        Some(value) if value == *truth => {}
                        Some(_) => return None,
                        None => cases = cases.and(self.cases(predicate, *truth)),
                    }
                }
            }
        }
        Some(cases)
    }
}

/// The value of a predicate that is the same in all dead markings.
pub(crate) fn at_rest(predicate: &lariat_model::Predicate) -> Option<bool> {
    use lariat_model::Predicate;
    match predicate {
        Predicate::Enabled(_) => Some(false),
        Predicate::Deadlock => Some(true),
        Predicate::Const(value) => Some(*value),
        Predicate::Not(inner) => at_rest(inner).map(|value| !value),
        Predicate::And(all) => fold(all.iter().map(at_rest), false),
        Predicate::Or(all) => fold(all.iter().map(at_rest), true),
        Predicate::Linear(_) | Predicate::Expr(_) => None,
    }
}

/// Three-valued connective: one part equal to `decides` fixes the value; else all must be known.
fn fold(values: impl Iterator<Item = Option<bool>>, decides: bool) -> Option<bool> {
    let mut known = true;
    for value in values {
        if value == Some(decides) {
            return Some(decides);
        }
        known &= value.is_some();
    }
    known.then_some(!decides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::nets;

    /// The row of an event that takes `needs` from two places with these initial tokens and bounds.
    fn row(bounds: [i64; 2], needs: [i64; 2]) -> Option<LinearConstraint> {
        let system = nets::net(&bounds, &[&[(0, needs[0], 0), (1, needs[1], 0)]]);
        let mut facts = Facts::of(&system);
        facts.bounds(MOST_BOUNDS, &Budget::unlimited()).unwrap();
        let net = facts.net.as_ref()?;
        facts.lacks(net, EventId(0)).map(|(row, certificate)| {
            assert!(certificate.check(&system) && !certificate.statements.is_empty());
            row
        })
    }

    /// Every marking that disables the event satisfies the row; the largest marking does not.
    #[test]
    fn markings_that_disable_the_event_satisfy_the_row() {
        for (bounds, needs) in [
            ([1, 1], [1, 1]),
            ([2, 2], [1, 1]),
            ([3, 2], [1, 2]),
            ([3, 3], [2, 2]),
            ([5, 3], [2, 3]),
        ] {
            let row = row(bounds, needs).unwrap();
            for p in 0..=bounds[0] {
                for q in 0..=bounds[1] {
                    let lacks = p < needs[0] || q < needs[1];
                    let holds = row.holds(&[p, q]) == Some(true);
                    assert!(holds || !lacks, "{row:?} in {p}, {q}");
                    assert!(!holds || [p, q] != bounds, "{row:?}");
                }
            }
        }
        // The event is never enabled, so it has no row.
        assert_eq!(row([1, 1], [1, 2]), None);
    }
}
