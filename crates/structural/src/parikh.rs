//! Parikh vectors: firing counts that lead from one marking to another.
//!
//! ```text
//! minimise Σ x(t)   where   m + C·x >= 0,   A·(m + C·x) >= b,   x >= 0
//! ```
//!
//! Every path from `m` to a marking with `A·m' >= b` has a solution as its firing counts; the
//! converse does not hold (H. Wimmel and K. Wolf, *Applying CEGAR to the Petri net state equation*,
//! LMCS 2012). The smallest solution is a hint which events matter, and how often; random walks try
//! to fire it (`engines/walk/parikh.rs`). Solutions are rounded up and not checked, because no fact
//! depends on them. Costs are positive, so that the origin is dual feasible.

use crate::cases::{LinearCase, LinearConstraint, is_contradiction};
use crate::net::{IncidenceNet, MOST_NODES};
use crate::prune::literals;
use crate::solver::LinearProgram;
use lariat_automata::Cube;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, Proposition, System, Value, VarId};

/// Firing counts below this are numerical noise.
const NOISE: f64 = 1e-6;

/// Index of a distinct effect; events with the same effect may differ in their presets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffectClass(u32);

impl EffectClass {
    /// The index, counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of target markings, given by linear inequalities.
#[derive(Clone, Debug)]
pub struct Destination(LinearCase);

impl Destination {
    /// The markings that cover this one.
    pub fn covering(marking: &[Value]) -> Destination {
        let tokens = (0..)
            .map(VarId)
            .zip(marking)
            .filter(|(_, tokens)| **tokens > 0);
        let row = |(p, tokens): (VarId, &Value)| LinearConstraint::least(p, i128::from(*tokens));
        Destination(tokens.map(row).collect())
    }
}

/// A net prepared for Parikh vector queries.
#[derive(Clone, Debug)]
pub struct Directions {
    net: IncidenceNet,
}

impl Directions {
    /// Creates the directions; `None` if the system is no net or too large.
    pub fn of(system: &System) -> Option<Directions> {
        IncidenceNet::within(MOST_NODES, system).map(|net| Directions { net })
    }

    /// The number of distinct effects.
    pub fn effects(&self) -> usize {
        self.net.effects.len()
    }

    /// The effect of an event; `None` if it changes nothing or can never fire.
    pub fn effect(&self, event: EventId) -> Option<EffectClass> {
        let column = self.net.column(event);
        column.map(|column| EffectClass(column as u32))
    }

    /// The markings of a cube of these propositions, as a superset if it has too many cases.
    pub fn destinations(&self, propositions: &[Proposition], cube: Cube) -> Vec<Destination> {
        let cases = self.net.cube(&literals(propositions, cube)).0.into_iter();
        let possible = cases.filter(|case| !is_contradiction(case));
        possible.map(Destination).collect()
    }

    /// Firing counts per effect from a marking to the destination; empty if it is already reached.
    /// `None` if there are none, or if finding them takes more than `most` units of work.
    pub fn to(
        &self,
        destination: &Destination,
        from: &[Value],
        most: u64,
        budget: &Budget,
    ) -> Result<Option<Vec<(EffectClass, u32)>>, Stop> {
        let Some(values) = firings(&self.net, &destination.0, from, most, budget)? else {
            return Ok(None);
        };
        let times = |value: f64| (value - NOISE).ceil().clamp(0.0, f64::from(u32::MAX)) as u32;
        let counts = (0..).map(EffectClass).zip(values.into_iter().map(times));
        Ok(Some(counts.filter(|(_, times)| *times > 0).collect()))
    }
}

/// An unrounded solution of the program above.
fn firings(
    net: &IncidenceNet,
    rows: &[LinearConstraint],
    from: &[Value],
    most: u64,
    budget: &Budget,
) -> Result<Option<Vec<f64>>, Stop> {
    let mut program = LinearProgram::new(budget);
    for _ in &net.effects {
        program.column(1.0, f64::INFINITY);
    }
    for (changes, tokens) in net.changes.iter().zip(from) {
        if changes.iter().any(|(_, change)| *change < 0) {
            let row = changes
                .iter()
                .map(|(effect, change)| (*effect, -*change as f64));
            program.row(row.collect(), *tokens as f64)?;
        }
    }
    for row in rows {
        match wanted(net, row, from) {
            Some((terms, beyond)) if !terms.is_empty() => program.row(terms, beyond)?,
            // No effect changes the sum: the row holds already, or never will.
            Some((_, beyond)) if beyond >= 0.0 => {}
            _ => return Ok(None),
        }
    }
    program.minimise(most)
}

/// A row of the destination as a constraint on firing counts: `-(A·C)·x <= A·m - b`.
fn wanted(
    net: &IncidenceNet,
    row: &LinearConstraint,
    from: &[Value],
) -> Option<(Vec<(usize, f64)>, f64)> {
    let mut terms: Vec<(usize, f64)> = Vec::new();
    for (place, factor) in &row.terms {
        let changes = net.changes[place.index()].iter();
        terms.extend(
            changes.map(|(effect, change)| (*effect, -(*factor * i128::from(*change)) as f64)),
        );
    }
    terms.sort_unstable_by_key(|(effect, _)| *effect);
    terms.dedup_by(|again, first| {
        let same = again.0 == first.0;
        first.1 += if same { again.1 } else { 0.0 };
        same
    });
    terms.retain(|(_, a)| *a != 0.0);
    let here = crate::certificate::dot(&row.terms, |p| i128::from(from[p.index()]))?;
    Some((terms, here.checked_sub(row.least)? as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Comparison, Predicate};
    use lariat_testkit::nets;

    /// Two tokens move from p0 to p1 one by one, then both to p2; t2 has the effect of t0.
    fn system() -> System {
        let one: &[_] = &[(0, 1, 0), (1, 0, 1)];
        let both: &[_] = &[(1, 2, 0), (2, 0, 1)];
        let again: &[_] = &[(0, 2, 1), (1, 0, 1)];
        nets::net(&[2, 0, 0], &[one, both, again, &[(2, 1, 1)]])
    }

    fn marked(place: u32) -> (Vec<Proposition>, Cube) {
        let marked = Predicate::compare(VarId(place), Comparison::Ge, 1);
        let cube = Cube {
            positive: 1,
            negative: 0,
        };
        (vec![Proposition::State(marked)], cube)
    }

    #[test]
    fn firing_counts_are_per_effect() {
        let system = system();
        let directions = Directions::of(&system).unwrap();
        let effect = |event| directions.effect(EventId(event));
        assert_eq!((effect(0), effect(3)), (effect(2), None));
        let (one, both) = (effect(0).unwrap(), effect(1).unwrap());
        let (propositions, cube) = marked(2);
        let [there] = &directions.destinations(&propositions, cube)[..] else {
            panic!("one case");
        };
        let budget = Budget::unlimited();
        let way =
            |to: &Destination, from: &[Value]| directions.to(to, from, 1000, &budget).unwrap();
        assert_eq!(way(there, &[2, 0, 0]), Some(vec![(one, 2), (both, 1)]));
        assert_eq!(way(there, &[0, 2, 0]), Some(vec![(both, 1)]));
        assert_eq!(way(there, &[0, 0, 1]), Some(vec![]));
        // Too few tokens; an unreachable destination; too little work.
        assert_eq!(way(there, &[1, 0, 0]).map(|counts| counts.len()), None);
        assert_eq!(way(&Destination::covering(&[2, 0, 0]), &[1, 1, 0]), None);
        assert_eq!(directions.to(there, &[2, 0, 0], 0, &budget), Ok(None));
    }
}
