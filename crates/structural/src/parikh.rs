//! How often each event has to be fired to come from one marking to another: Parikh vectors.
//!
//! ```text
//! minimise Σ x(t)   where   m + C·x >= 0,   A·(m + C·x) >= b,   x >= 0
//! ```
//!
//! Whoever goes from `m` to a marking with `A·m' >= b` fires a solution of this; whether a solution can be fired in some order is not
//! asked here (H. Wimmel and K. Wolf, *Applying CEGAR to the Petri net state equation*, LMCS 2012). The smallest one is a
//! hint which of thousands of events matter, and how often: walks try to fire it (`engines/walk/parikh.rs`). Solutions are rounded up and not checked, for nothing is
//! concluded from them. Costs are positive, so that the origin is feasible for the dual program, and as many pivots are made as there are places to pass.

use crate::cases::{Case, Row, is_contradiction};
use crate::net::{MOST_NODES, Net};
use crate::prune::literals;
use crate::solver::Program;
use lariat_automata::Cube;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, Proposition, System, Value, VarId};

/// Numbers of firings below this are the solver's noise.
const NOISE: f64 = 1e-6;

/// Events that have the same effect are one here: which of them is fired depends on what they need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect(u32);

impl Effect {
    /// A number from 0 on.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Markings to go to.
#[derive(Clone, Debug)]
pub struct Destination(Case);

impl Destination {
    /// This marking, or one with more tokens.
    pub fn covering(marking: &[Value]) -> Destination {
        let tokens = marking
            .iter()
            .enumerate()
            .filter(|(_, tokens)| **tokens > 0);
        let rows = tokens.map(|(p, tokens)| Row::least(VarId(p as u32), i128::from(*tokens)));
        Destination(rows.collect())
    }
}

/// A net, to be asked for the way.
#[derive(Clone, Debug)]
pub struct Directions {
    net: Net,
}

impl Directions {
    /// `None` if the system is no net, or one that is too large to be asked.
    pub fn of(system: &System) -> Option<Directions> {
        Net::within(MOST_NODES, system).map(|net| Directions { net })
    }

    /// How many different effects there are.
    pub fn effects(&self) -> usize {
        self.net.effects.len()
    }

    /// The effect of an event; `None` if it changes nothing or can never fire.
    pub fn effect(&self, event: EventId) -> Option<Effect> {
        self.net.column(event).map(|column| Effect(column as u32))
    }

    /// The markings of a cube of these propositions; more where they are too many to be told apart.
    pub fn destinations(&self, propositions: &[Proposition], cube: Cube) -> Vec<Destination> {
        let cases = self.net.cube(&literals(propositions, cube)).0.into_iter();
        let possible = cases.filter(|case| !is_contradiction(case));
        possible.map(Destination).collect()
    }

    /// How often which effect is needed from a marking to the destination: nothing if that is here. `None` if there is no way, or if
    /// `most` units of work do not suffice to find one.
    pub fn to(
        &self,
        destination: &Destination,
        from: &[Value],
        most: u64,
        budget: &Budget,
    ) -> Result<Option<Vec<(Effect, u32)>>, Stop> {
        let Some(values) = firings(&self.net, &destination.0, from, most, budget)? else {
            return Ok(None);
        };
        let times = |value: f64| (value - NOISE).ceil().clamp(0.0, f64::from(u32::MAX)) as u32;
        let counts = (0..).map(Effect).zip(values.into_iter().map(times));
        Ok(Some(counts.filter(|(_, times)| *times > 0).collect()))
    }
}

/// A solution of the program above, as the solver leaves it: how often each effect is to happen on the way from a marking to the rows.
fn firings(
    net: &Net,
    rows: &[Row],
    from: &[Value],
    most: u64,
    budget: &Budget,
) -> Result<Option<Vec<f64>>, Stop> {
    let mut program = Program::default();
    for _ in &net.effects {
        program.column(1.0, f64::INFINITY);
    }
    for (changes, tokens) in net.changes.iter().zip(from) {
        if changes.iter().any(|(_, change)| *change < 0) {
            let row = changes
                .iter()
                .map(|(effect, change)| (*effect, -*change as f64));
            program.row(row.collect(), *tokens as f64);
        }
    }
    for row in rows {
        match wanted(net, row, from) {
            Some((terms, beyond)) if !terms.is_empty() => program.row(terms, beyond),
            // Nothing changes it: it holds, or never will.
            Some((_, beyond)) if beyond >= 0.0 => {}
            _ => return Ok(None),
        }
    }
    program.minimise(most, budget)
}

/// A row of the destination as one about effects: `-(A·C)·x <= A·m - b`.
fn wanted(net: &Net, row: &Row, from: &[Value]) -> Option<(Vec<(usize, f64)>, f64)> {
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
    use lariat_model::{Action, Arc, Comparison, Domain, Event, Predicate, Variable};

    /// Two tokens in p0 go to p1 one by one, and from there both together to p2; `again` does what `one` does.
    fn system() -> System {
        let event = |name: &str, arcs: &[(u32, Value, Value)]| Event {
            name: name.to_owned(),
            action: Action::Net(
                arcs.iter()
                    .map(|(place, need, delta)| Arc {
                        var: VarId(*place),
                        need: *need,
                        delta: *delta,
                    })
                    .collect(),
            ),
        };
        System {
            initial: vec![vec![2, 0, 0].into()],
            variables: (0..3)
                .map(|i| Variable {
                    name: format!("p{i}"),
                    domain: Domain::Count { bound: None },
                })
                .collect(),
            events: vec![
                event("one", &[(0, 1, -1), (1, 0, 1)]),
                event("both", &[(1, 2, -2), (2, 0, 1)]),
                event("again", &[(0, 2, -1), (1, 0, 1)]),
                event("look", &[(2, 1, 0)]),
            ],
            ..System::default()
        }
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
    fn what_has_to_be_fired_is_counted_by_effect() {
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
        // Tokens are missing; nothing leads back; too little work.
        assert_eq!(way(there, &[1, 0, 0]).map(|counts| counts.len()), None);
        assert_eq!(way(&Destination::covering(&[2, 0, 0]), &[1, 1, 0]), None);
        assert_eq!(directions.to(there, &[2, 0, 0], 0, &budget), Ok(None));
    }
}
