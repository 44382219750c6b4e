//! The product of an explicit state space and a testing automaton.
//!
//! ```text
//! (s, t) –m→ (s', t')   iff   s → s',   c = λ(s) ⊕ λ(s') ≠ ∅,   t –c,m→ t'
//! (s, t) –m→ (s', t)    iff   s → s',   λ(s) = λ(s')
//!                       m = all if t is a livelock state of a TGTA, else none
//! ```
//!
//! (s, t) is initial if s is and λ(s) is among the first letters of t. A step without observed
//! change does not move the automaton and evaluates no guard.
//!
//! Labels are computed once per state, the moves of the automaton once per pair of automaton state
//! and change. `single.rs` has the code shared by products of single states.

use crate::explicit::labels::labelled;
use crate::explicit::single::{self, MoveRange, ProductCursor, is_forever};
use crate::explicit::steps::SingleStateProduct;
use crate::problem::Problem;
use lariat_automata::testing::{Ta, Testing, Tgta};
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Observer, Stop};
use lariat_emptiness::{Edge, Graph, LivelockGraph, Marks, NodeId};
use lariat_model::{EventId, State};
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable};

/// The immutable part of the product.
pub struct TestingProduct<'p> {
    testing: &'p Testing,
    observer: &'p dyn Observer,
    space: Explicit<'p>,
    /// Marks of a step without change in a livelock state.
    staying: Marks,
    /// Additional marks of every change.
    change: Marks,
    /// By automaton state: a run that reaches it is evidence. Empty if there is no such state.
    forever: Vec<bool>,
}

/// Worker of the product. The automaton's moves depend on its state and the change.
#[derive(Debug)]
pub struct TestingWorker {
    pairs: single::ProductWorker<(Location, Letter)>,
    initial: Option<Vec<NodeId>>,
}

impl<'p> TestingProduct<'p> {
    /// Creates the product with a generalized testing automaton, for an ordinary check.
    pub fn generalized(
        problem: &Problem<'p>,
        automaton: &'p Tgta,
        observer: &'p dyn Observer,
    ) -> TestingProduct<'p> {
        let all = automaton.0.all_marks();
        TestingProduct::new(problem, &automaton.0, all, Marks::NONE, observer)
    }

    /// Creates the product with a testing automaton, for the two-pass check.
    pub fn two_pass(
        problem: &Problem<'p>,
        automaton: &'p Ta,
        observer: &'p dyn Observer,
    ) -> TestingProduct<'p> {
        // Mark 0 is the only one of a testing automaton.
        TestingProduct::new(problem, &automaton.0, Marks::NONE, Marks::one(1), observer)
    }

    fn new(
        problem: &Problem<'p>,
        testing: &'p Testing,
        staying: Marks,
        change: Marks,
        observer: &'p dyn Observer,
    ) -> TestingProduct<'p> {
        TestingProduct {
            testing,
            observer,
            space: labelled(problem),
            staying,
            change,
            forever: if problem.takes_prefixes() {
                testing.accepting_forever()
            } else {
                Vec::new()
            },
        }
    }

    /// Creates a worker that has found nothing.
    pub fn worker(&self, budget: &Budget) -> TestingWorker {
        let states = self.space.states(budget);
        TestingWorker {
            pairs: single::ProductWorker::new(states, self.testing.states.len(), budget),
            initial: None,
        }
    }

    fn letter(&self, worker: &mut TestingWorker, state: ExplicitStateId) -> Result<Letter, Stop> {
        let label = worker.pairs.label(&self.space, state)?;
        Ok(worker.pairs.letter(label))
    }

    /// Returns the automaton's moves from `location` by a change.
    fn choices(&self, worker: &mut TestingWorker, location: Location, change: Letter) -> MoveRange {
        worker.pairs.choices((location, change), |_| {
            let changing = self.testing.changing(location, change);
            changing.map(|t| (t.marks.union(self.change), t.to))
        })
    }

    fn initial_nodes(&self, worker: &mut TestingWorker) -> Result<Vec<NodeId>, Stop> {
        let mut found = Vec::new();
        let mut k = 0;
        while let Some(state) = self.space.initial(&mut worker.pairs.states, k)? {
            k += 1;
            let letter = self.letter(worker, state)?;
            for location in self.testing.starting(letter) {
                found.push(worker.pairs.nodes.intern(state, location)?);
            }
        }
        Ok(found)
    }
}

impl TestingWorker {
    pub fn states(&self) -> &StateTable {
        self.pairs.states()
    }
}

impl SingleStateProduct for TestingProduct<'_> {
    fn next_step(
        &self,
        worker: &mut TestingWorker,
        node: NodeId,
        cursor: &mut ProductCursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop> {
        let (state, location) = worker.pairs.nodes.get(node);
        if is_forever(&self.forever, location) {
            let again = cursor.once(state).then_some(Edge {
                to: node,
                marks: self.testing.all_marks().union(self.change),
            });
            return Ok(again.map(|edge| (edge, None)));
        }
        loop {
            if let Some(listed) = worker.pairs.listed(&self.space, cursor)? {
                return Ok(Some(listed));
            }
            let states = &mut worker.pairs.states;
            let Some((event, to)) = self.space.next(states, state, &mut cursor.space)? else {
                return Ok(None);
            };
            let (here, there) = (self.letter(worker, state)?, self.letter(worker, to)?);
            let change = self.testing.change(here, there);
            if change == Letter(0) {
                let livelock = self.testing.states[location.index()].livelock;
                let marks = if livelock { self.staying } else { Marks::NONE };
                match worker.pairs.nodes.reach(to, location)? {
                    Some(to) => return Ok(Some((Edge { to, marks }, event))),
                    None => continue,
                }
            }
            let moves = self.choices(worker, location, change);
            cursor.list((event, to), moves);
        }
    }

    fn state(&self, worker: &mut TestingWorker, node: NodeId) -> State {
        worker.pairs.state(node)
    }

    fn seal(&self, worker: &mut TestingWorker) {
        worker.pairs.seal();
    }

    fn takes_prefixes(&self) -> bool {
        self.forever.contains(&true)
    }

    fn accepts_forever(&self, worker: &TestingWorker, node: NodeId) -> bool {
        is_forever(&self.forever, worker.pairs.nodes.get(node).1)
    }
}

impl Graph for TestingProduct<'_> {
    type Stop = Stop;
    type Worker = TestingWorker;
    type Cursor = ProductCursor;

    fn marks(&self) -> Marks {
        self.testing.all_marks()
    }

    fn initial(&self, worker: &mut TestingWorker, k: usize) -> Result<Option<NodeId>, Stop> {
        if worker.initial.is_none() {
            worker.initial = Some(self.initial_nodes(worker)?);
        }
        Ok(worker.initial.as_ref().and_then(|all| all.get(k)).copied())
    }

    fn next_edge(
        &self,
        worker: &mut TestingWorker,
        node: NodeId,
        cursor: &mut ProductCursor,
    ) -> Result<Option<Edge>, Stop> {
        Ok(self.next_step(worker, node, cursor)?.map(|(edge, _)| edge))
    }

    fn tick(&self, worker: &mut TestingWorker, bytes: usize) -> Result<(), Stop> {
        worker.pairs.tick(self.observer, bytes)
    }
}

impl LivelockGraph for TestingProduct<'_> {
    fn change(&self) -> Marks {
        self.change
    }

    fn is_livelock(&self, worker: &TestingWorker, node: NodeId) -> bool {
        let (_, location) = worker.pairs.nodes.get(node);
        self.testing.states[location.index()].livelock
    }
}
