//! Testing automata × SOG: the symbolic observation graph read by label changes.
//!
//! Every edge of the [SOG](super::sog) changes the label, and a testing automaton reads only label
//! changes. With t –c,m→ t' an edge by the change c, and aggregates a, b:
//!
//! ```text
//! (t,a) –m→ (t',b)    iff   b ∈ succ(a),   t –c,m→ t',   c = l(a) ⊕ l(b)
//! (t,a) –all→ (t,a)   iff   t is a livelock state and a has a cycle
//! ```
//!
//! There are no divergent nodes: an infinite run inside of an aggregate is a self-loop of its node,
//! and divergence is tested in livelock states only. Aggregates are not closed if the automaton
//! cannot take the change that leads to them.
//!
//! **TGTA** (Ben Salem, Duret-Lutz and Kordon, ToPNoC VI, 2012): the self-loop is that of the
//! automaton. In the product with single states a run may take it a few times and collect marks;
//! here repeated letters are removed, which a stutter-invariant language allows.
//!
//! **TA**: a run accepts by changes from Büchi states, whose marks are on the edges above, or in a
//! livelock state. On single states, a second pass searches cycles without changes; here they are
//! inside of aggregates. One product serves both kinds of automata, and any check needs one pass.
//!
//! Exact for every stutter-invariant property of states, because the SOG is stutter-equivalent to
//! the system and the testing automaton has the language of the original automaton.
//!
//! Cost: as SOG, with at most as many closures and fewer cycle tests.

use super::operators::SymbolicProblem;
use super::product::{Aggregate, EdgePassage, SetProduct};
use super::walk::divergent_run;
use crate::engine::{AutomatonKind, Task};
use crate::testing_automata::only_states;
use lariat_automata::testing::{Ta, Testing, Tgta};
use lariat_automata::{Cube, Guard, Guards, Letter};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_parallel::{OnceMap, Outside};
use lariat_space::symbolic::Set;
use std::sync::Arc;

/// All letters: events are not observed.
const ANY: Guard = Guards::TRUE;

/// The product. Clones, one per builder, share their memo tables.
#[derive(Clone)]
pub struct SogTesting {
    testing: Testing,
    /// The successors of an aggregate before their closure, with their labels.
    exits: OnceMap<Set, Arc<[(Letter, Set)]>>,
    closed: OnceMap<Set, Set>,
    divergent: OnceMap<Set, bool>,
    /// By automaton state: true if it accepts every continuation. Empty if finite prefixes are no
    /// evidence.
    forever: Vec<bool>,
}

impl SogTesting {
    /// Creates the product with a testing automaton of the kind required by `task`.
    pub fn new(task: &Task<'_>) -> Result<SogTesting, Stop> {
        let problem = task.problem;
        only_states(problem)?;
        if !problem.invariance.letters {
            return Err(Stop::Unsupported(
                "the observation graph needs a stutter-invariant property".to_owned(),
            ));
        }
        let testing = match task.automaton {
            AutomatonKind::Ta => Ta::new(problem.automaton, task.budget)?.0,
            _ => Tgta::new(problem.automaton, task.budget)?.0,
        };
        let forever = if problem.takes_prefixes() {
            testing.accepting_forever()
        } else {
            Vec::new()
        };
        Ok(SogTesting {
            forever,
            testing,
            exits: OnceMap::default(),
            closed: OnceMap::default(),
            divergent: OnceMap::default(),
        })
    }

    pub fn testing(&self) -> &Testing {
        &self.testing
    }

    /// Returns the common label of an aggregate.
    fn label(&self, sets: &mut SymbolicProblem<'_, '_>, set: &Set) -> Letter {
        let state = sets.space.pick(set);
        Letter(state.map_or(0, |state| sets.label(&state) & self.testing.observed))
    }

    fn close(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        part: &Set,
        label: Letter,
    ) -> Result<Set, Stop> {
        let budget = sets.space.budget();
        self.closed.get(Outside::of_thread(&budget), part, || {
            let same = sets.guards.cube(Cube {
                positive: label.0,
                negative: self.testing.observed & !label.0,
            });
            sets.close_into(part, ANY, same)
        })
    }

    fn exits(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        set: &Set,
    ) -> Result<Arc<[(Letter, Set)]>, Stop> {
        let budget = sets.space.budget();
        self.exits.get(Outside::of_thread(&budget), set, || {
            let next = sets.post(set, ANY)?;
            let outside = sets.space.store().difference(&next, set)?;
            Ok(sets.parts(&outside, self.testing.observed)?.into())
        })
    }

    fn diverges(&self, sets: &mut SymbolicProblem<'_, '_>, set: &Set) -> Result<bool, Stop> {
        let budget = sets.space.budget();
        let find = || Ok(!sets.divergent(set, ANY)?.is_empty());
        self.divergent.get(Outside::of_thread(&budget), set, find)
    }
}

impl SetProduct for SogTesting {
    fn marks(&self) -> Marks {
        self.testing.all_marks()
    }

    fn initial(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        k: usize,
    ) -> Result<Option<Vec<Aggregate>>, Stop> {
        if k > 0 {
            return Ok(None);
        }
        let all = sets.space.initial()?;
        let mut nodes = Vec::new();
        for (label, part) in sets.parts(&all, self.testing.observed)? {
            let locations: Vec<_> = self.testing.starting(label).collect();
            if locations.is_empty() {
                continue;
            }
            let set = self.close(sets, &part, label)?;
            nodes.extend(locations.iter().map(|q| Aggregate::plain(*q, set.clone())));
        }
        Ok(Some(nodes))
    }

    fn edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        let state = &self.testing.states[from.location.index()];
        let Some(k) = k.checked_sub(1) else {
            let stays = state.livelock && self.diverges(sets, &from.set)?;
            let all = self.testing.all_marks();
            return Ok(Some(
                stays.then(|| (all, from.clone())).into_iter().collect(),
            ));
        };
        if state.changes.is_empty() && !state.livelock {
            return Ok(None);
        }
        let Some((label, part)) = self.exits(sets, &from.set)?.get(k).cloned() else {
            return Ok(None);
        };
        let here = self.label(sets, &from.set);
        let change = self.testing.change(here, label);
        let moves: Vec<_> = match change {
            // Possible only if a check has decomposed an aggregate, whose parts are not closed.
            Letter(0) => vec![(Marks::NONE, from.location)],
            change => {
                let changing = self.testing.changing(from.location, change);
                changing.map(|t| (t.marks, t.to)).collect()
            }
        };
        if moves.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let set = self.close(sets, &part, label)?;
        let edge = |(marks, location)| (marks, Aggregate::plain(location, set.clone()));
        Ok(Some(moves.into_iter().map(edge).collect()))
    }

    fn evidence(&self, sets: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> Result<Set, Stop> {
        Ok(match self.forever.get(node.location.index()) {
            Some(true) => node.set.clone(),
            _ => sets.space.empty(),
        })
    }

    fn start(&mut self, _: &mut SymbolicProblem<'_, '_>, _: &Aggregate) -> Option<Guard> {
        Some(ANY)
    }

    fn passage(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<EdgePassage, Stop> {
        if k == 0 {
            let divergent = sets.divergent(&from.set, ANY)?;
            return divergent_run(sets, &divergent, ANY).map(EdgePassage::End);
        }
        Ok(EdgePassage::Step {
            guard: ANY,
            through: Some(ANY),
        })
    }
}
