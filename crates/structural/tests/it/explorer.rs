//! A small explorer of markings, steps and walks with its own implementation of the semantics.

use crate::rng::Rng;
use lariat_model::{Action, EventId, Predicate, Proposition, State, System, Value};
use std::collections::HashMap;

pub fn steps(system: &System, state: &[Value]) -> Vec<(EventId, State)> {
    let step = |event: EventId| {
        let Action::Net(arcs) = &system.event(event).action else {
            panic!("these are nets");
        };
        let mut next: State = state.into();
        for arc in arcs {
            if state[arc.var.index()] < arc.need {
                return None;
            }
            next[arc.var.index()] += arc.delta;
        }
        Some((event, next))
    };
    system.event_ids().filter_map(step).collect()
}

pub fn satisfies(system: &System, state: &[Value], predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Const(value) => *value,
        Predicate::Linear(linear) => {
            let sum = |sum, (v, c): &(lariat_model::VarId, Value)| sum + c * state[v.index()];
            linear
                .comparison
                .holds(linear.terms.iter().fold(0, sum), linear.constant)
        }
        Predicate::Expr(_) => panic!("these are nets"),
        Predicate::Enabled(events) => steps(system, state).iter().any(|(e, _)| events.contains(e)),
        Predicate::Deadlock => steps(system, state).is_empty(),
        Predicate::Not(p) => !satisfies(system, state, p),
        Predicate::And(ps) => !ps.iter().any(|p| !satisfies(system, state, p)),
        Predicate::Or(ps) => ps.iter().any(|p| satisfies(system, state, p)),
    }
}

/// Bit `i` is the value of `propositions[i]` for the marking and the event fired there.
pub fn letter(
    system: &System,
    propositions: &[Proposition],
    state: &[Value],
    event: Option<EventId>,
) -> u64 {
    let holds = |proposition: &Proposition| match proposition {
        Proposition::State(p) => satisfies(system, state, p),
        Proposition::Fires(events) => event.is_some_and(|e| events.contains(&e)),
    };
    let bit = |(i, p)| u64::from(holds(p)) << i;
    propositions.iter().enumerate().map(bit).sum()
}

/// The first markings of a breadth-first search, at most `cut`, with the steps between them.
pub struct Explored {
    pub states: Vec<State>,
    /// The steps of each marking; the target is `None` if it was not explored.
    pub steps: Vec<Vec<(EventId, Option<usize>)>>,
    /// True if all reachable markings were explored.
    pub complete: bool,
}

pub fn explore(system: &System, cut: usize) -> Explored {
    let mut known: HashMap<State, usize> = HashMap::new();
    let mut all = Explored {
        states: Vec::new(),
        steps: Vec::new(),
        complete: true,
    };
    for state in &system.initial {
        if !known.contains_key(state) {
            known.insert(state.clone(), all.states.len());
            all.states.push(state.clone());
        }
    }
    while all.steps.len() < all.states.len() {
        let mut found = Vec::new();
        for (event, next) in steps(system, &all.states[all.steps.len()]) {
            let target = match known.get(&next) {
                Some(id) => Some(*id),
                None if all.states.len() < cut => {
                    known.insert(next.clone(), all.states.len());
                    all.states.push(next);
                    Some(all.states.len() - 1)
                }
                None => {
                    all.complete = false;
                    None
                }
            };
            found.push((event, target));
        }
        all.steps.push(found);
    }
    all
}

impl Explored {
    /// The events on a cycle, and those between two markings of a random walk of which the second
    /// covers the first: all of them can be repeated infinitely often.
    pub fn repeated(&self, system: &System, rng: &mut Rng) -> Vec<bool> {
        let mut repeated = vec![false; system.events.len()];
        let found = lariat_automata::components(self.states.len(), |n, k| {
            self.steps[n].iter().filter_map(|(_, t)| *t).nth(k)
        });
        for (source, steps) in self.steps.iter().enumerate() {
            for (event, target) in steps {
                if target.is_some_and(|t| found.of[t] == found.of[source]) {
                    repeated[event.index()] = true;
                }
            }
        }
        for _ in 0..5 {
            let mut walk = vec![(rng.pick(&system.initial).clone(), None)];
            while walk.len() < 40 {
                let possible = steps(system, &walk[walk.len() - 1].0);
                if possible.is_empty() {
                    break;
                }
                let (event, next) = rng.pick(&possible).clone();
                let covers = |s: &State| s.iter().zip(&next).all(|(a, b)| a <= b);
                if let Some(from) = walk.iter().position(|(s, _)| covers(s)) {
                    let between = walk[from + 1..].iter().filter_map(|(_, e)| *e);
                    for e in between.chain([event]) {
                        repeated[e.index()] = true;
                    }
                }
                walk.push((next, Some(event)));
            }
        }
        repeated
    }

    pub fn dead(&self) -> impl Iterator<Item = &State> {
        self.states
            .iter()
            .zip(&self.steps)
            .filter(|(_, steps)| steps.is_empty())
            .map(|(s, _)| s)
    }
}
