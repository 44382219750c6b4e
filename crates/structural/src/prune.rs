//! Removal of automaton parts that no run of the net uses.
//!
//! Three rules, each of which preserves acceptance of the words that runs of the net have:
//!
//! - *cubes*: a guard loses the cubes that no reachable marking satisfies;
//! - *steps*: an edge is removed if none of its letters can follow a letter that leads to its
//!   source ([`Facts::never_follows`]); edges of initial states stay, which are entered without a
//!   letter;
//! - *cycles*: barren components ([`Facts::barren`]) lose their marks.
//!
//! Acceptance of other words may change, so a stutter-invariant automaton may lose that property.
//! An empty automaton still means that no run is accepted.

use crate::Facts;
use crate::cycles::BarrenComponent;
use lariat_automata::{Automaton, Cube, Guard, Guards, StateId, reduce};
use lariat_budget::{Budget, Stop};
use lariat_model::{Deadlock, Proposition};
use rustc_hash::FxHashMap;

/// Limit on the cubes of a guard; guards with more are unchanged.
const MOST_CUBES: usize = 32;

/// Limit on the pairs of cubes per edge that are tested for succession.
const MOST_PAIRS: usize = 16;

/// The parts that were removed from an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pruned {
    /// Infeasible cubes of guards.
    pub cubes: usize,
    /// Edges that cannot follow any edge into their source.
    pub steps: usize,
    /// Components in which no run is accepted.
    pub barren: Vec<BarrenComponent>,
}

impl Facts {
    /// Removes from the automaton what no run of the net uses, by the rules of this file.
    /// `propositions[i]` is the meaning of the automaton's atom `i`.
    pub fn prune(
        &mut self,
        automaton: &mut Automaton,
        propositions: &[Proposition],
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<Pruned, Stop> {
        let mut pruned = Pruned::default();
        if self.net.is_none() {
            return Ok(pruned);
        }
        pruned.cubes = self.prune_cubes(automaton, propositions, budget)?;
        reduce::trim::trim(automaton);
        pruned.barren = self.barren(automaton, propositions, deadlock, budget)?;
        let states = pruned.barren.iter().flat_map(|b| b.states.iter().copied());
        let states: Vec<StateId> = states.collect();
        reduce::acceptance::reject(automaton, &states);
        reduce::trim::trim(automaton);
        pruned.steps = self.prune_steps(automaton, propositions, deadlock, budget)?;
        reduce::trim::trim(automaton);
        Ok(pruned)
    }

    fn prune_cubes(
        &mut self,
        automaton: &mut Automaton,
        propositions: &[Proposition],
        budget: &Budget,
    ) -> Result<usize, Stop> {
        let mut removed = 0;
        let mut known: FxHashMap<Guard, Guard> = FxHashMap::default();
        for state in 0..automaton.states.len() {
            for edge in 0..automaton.states[state].len() {
                let guard = automaton.states[state][edge].guard;
                let better = match known.get(&guard) {
                    Some(better) => *better,
                    None => {
                        let mut left = guard;
                        for cube in cubes(&mut automaton.guards, guard) {
                            let literals = literals(propositions, cube);
                            if self.infeasible(&literals, budget)?.is_some() {
                                let cube = automaton.guards.cube(cube);
                                left = automaton.guards.minus(left, cube);
                                removed += 1;
                            }
                        }
                        known.insert(guard, left);
                        left
                    }
                };
                automaton.states[state][edge].guard = better;
            }
            automaton.states[state].retain(|t| t.guard != Guards::FALSE);
        }
        Ok(removed)
    }

    fn prune_steps(
        &mut self,
        automaton: &mut Automaton,
        propositions: &[Proposition],
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<usize, Stop> {
        let mut entering = vec![Guards::FALSE; automaton.states.len()];
        for t in automaton.states.iter().flatten() {
            let slot = &mut entering[t.to.index()];
            *slot = automaton.guards.or(*slot, t.guard);
        }
        let mut removed = 0;
        for (state, entering) in entering.into_iter().enumerate() {
            if automaton.initial.iter().any(|q| q.index() == state) {
                continue;
            }
            let before = cubes(&mut automaton.guards, entering);
            let edges = automaton.states[state].clone();
            let count = edges.len();
            let mut kept = Vec::with_capacity(count);
            for t in edges {
                let after = cubes(&mut automaton.guards, t.guard);
                if !self.separate(propositions, &before, &after, deadlock, budget)? {
                    kept.push(t);
                }
            }
            removed += count - kept.len();
            automaton.states[state] = kept;
        }
        Ok(removed)
    }

    /// Returns whether no letter of `after` can follow one of `before`.
    fn separate(
        &mut self,
        propositions: &[Proposition],
        before: &[Cube],
        after: &[Cube],
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        if !(1..=MOST_PAIRS).contains(&(before.len() * after.len())) {
            return Ok(false);
        }
        for first in before {
            for second in after {
                let [first, second] = [first, second].map(|cube| literals(propositions, *cube));
                let never = self.never_follows(&first, &second, deadlock, budget)?;
                if never.is_none() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// The cubes of a guard; empty if there are too many.
fn cubes(guards: &mut Guards, guard: Guard) -> Vec<Cube> {
    let cubes = guards.cubes(guard);
    if cubes.len() <= MOST_CUBES {
        cubes
    } else {
        Vec::new()
    }
}

pub(crate) fn literals(propositions: &[Proposition], cube: Cube) -> Vec<(Proposition, bool)> {
    let literal = |(i, proposition): (usize, &Proposition)| {
        let [positive, negative] = [cube.positive, cube.negative].map(|bits| bits >> i & 1 == 1);
        (positive || negative).then(|| (proposition.clone(), positive))
    };
    let all = propositions.iter().enumerate();
    all.filter_map(literal).collect()
}
