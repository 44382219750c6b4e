//! A small explorer of markings, steps and walks, with the interpreter of the test kit.

use lariat_model::{Deadlock, EventId, State, System};
use lariat_testkit::Random;
use lariat_testkit::interpret::steps;
use std::collections::HashMap;

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
    pub fn repeated(&self, system: &System, rng: &mut Random) -> Vec<bool> {
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
            let mut walk = vec![(rng.one_of(&system.initial).clone(), None)];
            while walk.len() < 40 {
                let possible = steps(system, &walk[walk.len() - 1].0);
                if possible.is_empty() {
                    break;
                }
                let (event, next) = rng.one_of(&possible).clone();
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

    /// The steps from a marking, with the stutter step of a dead one.
    pub fn moves(&self, s: usize, deadlock: Deadlock) -> Vec<(Option<EventId>, Option<usize>)> {
        let steps = self.steps[s].iter().map(|(e, t)| (Some(*e), *t));
        let dead = self.steps[s].is_empty() && deadlock == Deadlock::Stutter;
        steps.chain(dead.then_some((None, Some(s)))).collect()
    }

    pub fn dead(&self) -> impl Iterator<Item = &State> {
        let all = self.states.iter().zip(&self.steps);
        all.filter(|(_, steps)| steps.is_empty()).map(|(s, _)| s)
    }
}
