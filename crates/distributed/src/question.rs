//! Questions in the form in which they are sent to other processes.
//!
//! Process 0 sends the reduced system and the automaton, so that the other processes need no files.

use crate::wire::pack;
use lariat_automata::{
    Automaton, Cube, Guards, StateId as Location, Transition, automaton_components,
};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_engines::Problem;
use lariat_ltl::AtomId;
use lariat_model::{Deadlock, Predicate, Proposition, System};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A question to all workers. Process 0 encodes borrowed data, workers decode their own.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum WorkerQuestion<'a> {
    /// Does the system have a run that the automaton accepts?
    Accepts {
        system: Cow<'a, System>,
        propositions: Cow<'a, [Proposition]>,
        deadlock: Deadlock,
        automaton: Buchi,
        /// True if a prefix is a counterexample when every continuation is accepted.
        prefixes: bool,
    },
    /// How many states are there, and in how many do these claims fail?
    Count {
        system: Cow<'a, System>,
        claims: Cow<'a, [Predicate]>,
    },
}

/// A Büchi automaton with marks on states, whose guards are lists of cubes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Buchi {
    atoms: u32,
    initial: Vec<u32>,
    states: Vec<State>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct State {
    accepting: bool,
    /// Cubes, as positive and negative atoms, and targets.
    edges: Vec<(Vec<(u64, u64)>, u32)>,
}

impl Buchi {
    /// Converts a degeneralized automaton.
    pub fn new(automaton: &Automaton) -> Buchi {
        let mut guards = automaton.guards.clone();
        let all = automaton.all_marks();
        let mut encode = |edge: &Transition| {
            let cubes = guards.cubes(edge.guard).into_iter();
            let cubes = cubes.map(|cube| (cube.positive, cube.negative));
            (cubes.collect(), edge.to.0)
        };
        let states = automaton.states.iter().map(|edges| State {
            accepting: edges.iter().all(|edge| edge.marks.contains(all)),
            edges: edges.iter().map(&mut encode).collect(),
        });
        Buchi {
            atoms: automaton.atoms.len() as u32,
            states: states.collect(),
            initial: automaton.initial.iter().map(|q| q.0).collect(),
        }
    }

    /// Restores the automaton; its atoms are numbered like the propositions.
    pub fn automaton(&self) -> Automaton {
        let mut guards = Guards::new();
        let mut states = Vec::with_capacity(self.states.len());
        for state in &self.states {
            let marks = if state.accepting {
                Marks::one(0)
            } else {
                Marks::NONE
            };
            let edges = state.edges.iter().map(|(cubes, to)| {
                let guard = cubes.iter().fold(Guards::FALSE, |all, cube| {
                    let (positive, negative) = *cube;
                    let cube = guards.cube(Cube { positive, negative });
                    guards.or(all, cube)
                });
                Transition {
                    guard,
                    marks,
                    to: Location(*to),
                }
            });
            states.push(edges.collect());
        }
        Automaton {
            atoms: (0..self.atoms).map(AtomId).collect(),
            guards,
            mark_count: 1,
            initial: self.initial.iter().copied().map(Location).collect(),
            states,
        }
    }

    /// For each state whether it is accepting.
    pub fn accepting(&self) -> Vec<bool> {
        self.states.iter().map(|state| state.accepting).collect()
    }
}

/// Returns whether no component has both accepting and other states.
pub(crate) fn is_weak(automaton: &Automaton, accepting: &[bool]) -> bool {
    let components = automaton_components(automaton);
    let mut kinds: Vec<Option<bool>> = vec![None; accepting.len()];
    let mut states = components.of.iter().zip(accepting);
    states.all(|(component, accepting)| {
        *kinds[*component as usize].get_or_insert(*accepting) == *accepting
    })
}

/// Encodes the question about a problem whose automaton has been degeneralized.
pub(crate) fn about_runs(problem: &Problem<'_>) -> Result<Vec<u8>, Stop> {
    pack(&WorkerQuestion::Accepts {
        system: Cow::Borrowed(problem.system),
        propositions: Cow::Borrowed(problem.propositions),
        deadlock: problem.deadlock,
        automaton: Buchi::new(problem.automaton),
        prefixes: problem.takes_prefixes(),
    })
}

/// Encodes the question about the number of states.
pub(crate) fn about_states(system: &System, claims: &[Predicate]) -> Result<Vec<u8>, Stop> {
    pack(&WorkerQuestion::Count {
        system: Cow::Borrowed(system),
        claims: Cow::Borrowed(claims),
    })
}

/// The 64-bit FNV-1a hash by which processes compare models and questions.
pub fn digest(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix)
}
