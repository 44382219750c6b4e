//! The fewest events that do what is wanted of them together: smallest solutions of the state equation.
//!
//! ```text
//! minimise Σ x(t)   where   least(p) <= C(p)·x <= most(p),   least(t) <= x(t) <= most(t)
//! ```
//!
//! With every effect 0 and one event at least once, that is a small T-invariant; with the effect of a run, the fewest events with which its
//! end could be reached (T. Murata, *Petri nets: properties, analysis and applications*, 1989). Whether they can be fired in any
//! order is not asked here: who shortens a run tries it (H. Wimmel and K. Wolf, *Applying CEGAR to the Petri net state equation*, LMCS 2012, go on
//! from there). The vertex that the solver finds is rounded to integers, which are checked exactly; they need not be the fewest then.

use crate::rational::proportional;
use crate::solver::Program;
use lariat_budget::{Budget, Stop};
use lariat_model::{Action, EventId, System, Value, VarId};
use rustc_hash::FxHashMap;

/// An event that may be used, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The event.
    pub event: EventId,
    /// At least so often.
    pub least: u32,
    /// At most so often.
    pub most: u32,
}

/// What is to be added to a place by all events together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The place. One that is not mentioned may change in any way.
    pub place: VarId,
    /// At least so much.
    pub least: Value,
    /// At most so much; anything if `None`.
    pub most: Option<Value>,
}

/// Few events, with how often each is used, that change the places as wanted: the fewest, up to rounding.
///
/// `None` if there are none, if `work` units do not suffice to find them, or if an event is no transition of a net.
pub fn fewest(
    system: &System,
    events: &[Times],
    changes: &[Change],
    work: u64,
    budget: &Budget,
) -> Result<Option<Vec<(EventId, u64)>>, Stop> {
    let Some(effects) = Effects::of(system, events, changes) else {
        return Ok(None);
    };
    let mut program = Program::default();
    for times in events {
        // A column is what is used beyond the least.
        program.column(1.0, f64::from(times.most.saturating_sub(times.least)));
    }
    for (change, terms) in changes.iter().zip(&effects.of) {
        if terms.is_empty() {
            // Nothing changes it: the exact check knows whether that is what is wanted.
            continue;
        }
        let always: i128 = terms
            .iter()
            .map(|(i, a)| i128::from(*a) * i128::from(events[*i].least))
            .sum();
        let row = |sign: f64| -> Vec<(usize, f64)> {
            terms.iter().map(|(i, a)| (*i, sign * *a as f64)).collect()
        };
        program.row(row(-1.0), (always - i128::from(change.least)) as f64);
        if let Some(most) = change.most {
            program.row(row(1.0), (i128::from(most) - always) as f64);
        }
    }
    let Some(values) = program.minimise(work, budget)? else {
        return Ok(None);
    };
    let values: Vec<f64> = (values.iter().zip(events))
        .map(|(beyond, times)| beyond + f64::from(times.least))
        .collect();
    let whole = |round: fn(f64) -> f64| values.iter().map(|v| round(*v) as i128).collect();
    // Multiples of a T-invariant are T-invariants; where effects are not 0, only the other two can be right.
    let candidates: [Option<Vec<i128>>; 3] = [
        Some(whole(f64::round)),
        proportional(&values),
        Some(whole(f64::ceil)),
    ];
    let found = candidates
        .into_iter()
        .flatten()
        .find(|counts| effects.are_as_wanted(events, changes, counts));
    Ok(found.map(|counts| {
        let used = events.iter().zip(counts).filter(|(_, count)| *count > 0);
        used.map(|(times, count)| (times.event, count as u64))
            .collect()
    }))
}

/// For each change the events, by their position, that contribute to it.
struct Effects {
    of: Vec<Vec<(usize, Value)>>,
}

impl Effects {
    fn of(system: &System, events: &[Times], changes: &[Change]) -> Option<Effects> {
        let rows: FxHashMap<VarId, usize> = (changes.iter().enumerate())
            .map(|(row, change)| (change.place, row))
            .collect();
        let mut of = vec![Vec::new(); changes.len()];
        for (i, times) in events.iter().enumerate() {
            let Action::Net(arcs) = &system.event(times.event).action else {
                return None;
            };
            for arc in arcs.iter().filter(|arc| arc.delta != 0) {
                if let Some(row) = rows.get(&arc.var) {
                    of[*row].push((i, arc.delta));
                }
            }
        }
        Some(Effects { of })
    }

    fn are_as_wanted(&self, events: &[Times], changes: &[Change], counts: &[i128]) -> bool {
        let used = events.iter().zip(counts).all(|(times, count)| {
            (i128::from(times.least)..=i128::from(times.most)).contains(count)
        });
        let changed = changes.iter().zip(&self.of).all(|(change, terms)| {
            let sum = terms.iter().try_fold(0i128, |sum, (i, a)| {
                sum.checked_add(i128::from(*a).checked_mul(counts[*i])?)
            });
            sum.is_some_and(|sum| {
                sum >= i128::from(change.least)
                    && change.most.is_none_or(|most| sum <= i128::from(most))
            })
        });
        used && changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Arc, Domain, Event, Variable};

    /// A ring of three places, a way around from the first to the last, and two tokens for one and back again.
    fn system() -> System {
        let event = |name: &str, arcs: &[(u32, Value)]| Event {
            name: name.to_owned(),
            action: Action::Net(
                arcs.iter()
                    .map(|(place, delta)| Arc {
                        var: VarId(*place),
                        need: (-delta).max(0),
                        delta: *delta,
                    })
                    .collect(),
            ),
        };
        System {
            initial: vec![vec![1, 0, 0, 0].into()],
            variables: (0..4)
                .map(|i| Variable {
                    name: format!("p{i}"),
                    domain: Domain::Count { bound: None },
                })
                .collect(),
            events: vec![
                event("a", &[(0, -1), (1, 1)]),
                event("b", &[(1, -1), (2, 1)]),
                event("c", &[(2, -1), (0, 1)]),
                event("straight", &[(0, -1), (2, 1)]),
                event("split", &[(2, -1), (3, 2)]),
                event("join", &[(2, 1), (3, -1)]),
            ],
            ..System::default()
        }
    }

    fn any(events: &[u32]) -> Vec<Times> {
        (events.iter())
            .map(|event| Times {
                event: EventId(*event),
                least: 0,
                most: 100,
            })
            .collect()
    }

    fn exactly(changes: &[Value]) -> Vec<Change> {
        (0..)
            .zip(changes)
            .map(|(place, change)| Change {
                place: VarId(place),
                least: *change,
                most: Some(*change),
            })
            .collect()
    }

    fn asked(events: &[Times], changes: &[Change]) -> Option<Vec<(u32, u64)>> {
        let found = fewest(&system(), events, changes, 1000, &Budget::unlimited());
        let found = found.unwrap()?;
        Some(found.into_iter().map(|(e, n)| (e.0, n)).collect())
    }

    #[test]
    fn the_short_way_is_found() {
        let there = exactly(&[-1, 0, 1, 0]);
        assert_eq!(asked(&any(&[0, 1, 2, 3]), &there), Some(vec![(3, 1)]));
        assert_eq!(asked(&any(&[0, 1, 2]), &there), Some(vec![(0, 1), (1, 1)]));
        assert_eq!(asked(&any(&[0, 2]), &there), None);
    }

    #[test]
    fn small_invariants_are_found() {
        let nothing = exactly(&[0, 0, 0, 0]);
        let mut events = any(&[0, 1, 2, 3]);
        events[2].least = 1;
        assert_eq!(asked(&events, &nothing), Some(vec![(2, 1), (3, 1)]));
        events[1].least = 2;
        assert_eq!(asked(&events, &nothing), Some(vec![(0, 2), (1, 2), (2, 2)]));
        events[0].most = 1;
        assert_eq!(asked(&events, &nothing), None);
    }

    /// Half an event is none: two rounds are asked for where one would be of halves.
    #[test]
    fn fractions_become_multiples() {
        let mut system = system();
        system.events[5] = Event {
            name: "join".to_owned(),
            action: Action::Net(vec![
                Arc {
                    var: VarId(2),
                    need: 0,
                    delta: 2,
                },
                Arc {
                    var: VarId(3),
                    need: 4,
                    delta: -4,
                },
            ]),
        };
        let mut events = any(&[4, 5]);
        events[0].least = 1;
        let nothing = exactly(&[0, 0, 0, 0]);
        let found = fewest(&system, &events, &nothing, 1000, &Budget::unlimited());
        assert_eq!(found, Ok(Some(vec![(EventId(4), 2), (EventId(5), 1)])));
    }

    /// The solver may say what it likes: each of these counts is wrong in one way only.
    #[test]
    fn counts_are_checked() {
        let mut events = any(&[0, 1]);
        (events[0].least, events[0].most) = (1, 2);
        let change = |place, least, most| Change {
            place: VarId(place),
            least,
            most,
        };
        let changes = [change(0, -2, None), change(2, 1, Some(2))];
        let effects = Effects::of(&system(), &events, &changes).unwrap();
        let good = |counts: [i128; 2]| effects.are_as_wanted(&events, &changes, &counts);
        assert!(good([1, 1]) && good([2, 2]));
        // Too few or too many tokens come to p2, too often or not at all; more than can be counted.
        assert!(!good([1, 0]) && !good([1, 3]));
        assert!(!good([0, 1]));
        let free = [change(1, -100, None)];
        let effects = Effects::of(&system(), &events, &free).unwrap();
        assert!(!effects.are_as_wanted(&events, &free, &[3, 1]));
        assert!(!effects.are_as_wanted(&events, &free, &[1, i128::MIN]));
        // p0 loses more than it may.
        let few = [change(0, -1, None)];
        let effects = Effects::of(&system(), &events, &few).unwrap();
        assert!(!effects.are_as_wanted(&events, &few, &[2, 1]));
    }
}
