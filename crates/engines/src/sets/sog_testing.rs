//! Testing automata × SOG: the symbolic observation graph read by its changes.
//!
//! Along the edges of the [SOG](super::sog) the label always changes, and that is all a testing automaton
//! reads. With t –c,m→ t' an edge by the change c, and aggregates a, b:
//!
//! ```text
//! (t,a) –m→ (t',b)    iff   b ∈ succ(a),   t –c,m→ t',   c = l(a) ⊕ l(b)
//! (t,a) –all→ (t,a)   iff   t is a livelock state and a has a cycle
//! ```
//!
//! There are no divergent nodes: staying in an aggregate for ever is a loop of its node, and the
//! test for a cycle is made in livelock states only. Of aggregates without a change that the automaton
//! can take nothing is computed.
//!
//! **TGTA** (Ben Salem, Duret-Lutz and Kordon, ToPNoC VI, 2012): the loop is the one that the automaton has. In
//! the product with single states a run may pass it now and then and collect marks without
//! staying; here repeated letters are gone, and a stutter-invariant language does not mind.
//!
//! **TA**: a run accepts by changes from Büchi states, whose marks are on the edges above, or by staying
//! in a livelock state. The second pass of the check on single states looks for cycles without change; here
//! they are inside of aggregates, so that the same product with the same loops serves both kinds, and
//! one pass of any check is enough.
//!
//! Right for every stutter-invariant property of states, because the SOG is stutter-equivalent to
//! the system and the testing automaton has the language of the one it was made of.
//!
//! Cost: as SOG, with at most as many closures and fewer cycle tests.

use super::operators::Sets;
use super::product::{Aggregate, Passage, Product};
use super::walk::stay;
use crate::engine::{AutomatonKind, Task};
use crate::testing_automata::only_states;
use lariat_automata::testing::{Ta, Testing, Tgta};
use lariat_automata::{Cube, Guard, Guards, Letter};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_parallel::Common;
use lariat_space::symbolic::Set;
use std::sync::Arc;

/// The letters of all steps: events are not observed.
const ANY: Guard = Guards::TRUE;

/// The product. What is known of aggregates is known to all its clones.
#[derive(Clone)]
pub struct SogTesting {
    testing: Testing,
    /// The successors of an aggregate before they are closed, each with its label.
    exits: Common<Set, Arc<[(Letter, Set)]>>,
    closed: Common<Set, Set>,
    divergent: Common<Set, bool>,
    /// Where it accepts whatever follows, if the beginning of a run is evidence.
    forever: Vec<bool>,
}

impl SogTesting {
    /// The product with the testing automaton, of the kind that `task` asks for.
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
            exits: Common::default(),
            closed: Common::default(),
            divergent: Common::default(),
        })
    }

    /// The automaton of the product.
    pub fn testing(&self) -> &Testing {
        &self.testing
    }

    /// The label that the states of an aggregate share.
    fn label(&self, sets: &mut Sets<'_, '_>, set: &Set) -> Letter {
        let state = sets.space.pick(set);
        Letter(state.map_or(0, |state| sets.label(&state) & self.testing.observed))
    }

    /// The aggregate that states of one label become.
    fn close(&self, sets: &mut Sets<'_, '_>, part: &Set, label: Letter) -> Result<Set, Stop> {
        self.closed.get(part, || {
            let same = sets.guards.cube(Cube {
                positive: label.0,
                negative: self.testing.observed & !label.0,
            });
            sets.close_into(part, ANY, same)
        })
    }

    fn exits(&self, sets: &mut Sets<'_, '_>, set: &Set) -> Result<Arc<[(Letter, Set)]>, Stop> {
        self.exits.get(set, || {
            let next = sets.post(set, ANY)?;
            let outside = sets.space.store().difference(&next, set)?;
            Ok(sets.parts(&outside, self.testing.observed)?.into())
        })
    }

    fn diverges(&self, sets: &mut Sets<'_, '_>, set: &Set) -> Result<bool, Stop> {
        let find = || Ok(!sets.divergent(set, ANY)?.is_empty());
        self.divergent.get(set, find)
    }
}

impl Product for SogTesting {
    fn marks(&self) -> Marks {
        self.testing.all_marks()
    }

    fn initial(
        &mut self,
        sets: &mut Sets<'_, '_>,
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
        sets: &mut Sets<'_, '_>,
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
            // Only out of a part of an aggregate, which a check may have taken apart.
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

    fn evidence(&self, sets: &mut Sets<'_, '_>, node: &Aggregate) -> Result<Set, Stop> {
        Ok(match self.forever.get(node.location.index()) {
            Some(true) => node.set.clone(),
            _ => sets.space.empty(),
        })
    }

    fn start(&mut self, _: &mut Sets<'_, '_>, _: &Aggregate) -> Option<Guard> {
        Some(ANY)
    }

    fn passage(
        &mut self,
        sets: &mut Sets<'_, '_>,
        from: &Aggregate,
        k: usize,
        _: &Aggregate,
    ) -> Result<Passage, Stop> {
        if k == 0 {
            let divergent = sets.divergent(&from.set, ANY)?;
            return stay(sets, &divergent, ANY).map(Passage::End);
        }
        Ok(Passage::Step {
            guard: ANY,
            through: Some(ANY),
        })
    }
}
