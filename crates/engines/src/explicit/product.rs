//! The synchronous product of an explicit state space and an automaton.
//!
//! ```text
//! (s, q) –marks→ (s', q')   iff   s –e→ s',   q –guard,marks→ q',   (λ(s), e) ⊨ guard
//! ```
//!
//! The automaton reads the letter of the *source*: its state propositions and the event taken. A
//! deadlock's stutter step is a step without event (the space adds it).
//!
//! A guard is evaluated once per state label, automaton state and *event class* (events that make
//! the same `fires` atoms true). If no transition of `q` accepts the label of a state, nothing is
//! fired. See `single.rs` for the rest.
//!
//! Fairness constraints are additional marks of a step, or pairs (`fairness.rs`). Where a prefix is
//! evidence ([`Problem::prefixes`]) and the automaton accepts every continuation from `q`, `(s, q)`
//! has a single edge, a self-loop with all marks, which checks report as a cycle; `steps.rs` turns
//! it into a prefix.

use crate::alphabet::{Alphabet, ClassId};
use crate::explicit::fairness::Constraints;
use crate::explicit::labels::{Label, labelled, limited};
use crate::explicit::partial_order::visible;
use crate::explicit::product_nodes::ProductNodes;
use crate::explicit::single::{self, MoveRange, ProductCursor, is_forever};
use crate::explicit::steps::SingleStateProduct;
use crate::problem::Problem;
use lariat_automata::{Letter, StateId as Location, accepting_forever, automaton_components};
use lariat_budget::{Budget, Observer, Stop};
use lariat_emptiness::{Edge, Graph, Marks, NodeId, PairSet, Streett, Transient};
use lariat_model::{Deadlock, EventId, State, Value};
use lariat_parallel::Outside;
use lariat_space::explicit::{self, Explicit, ExplicitStateId, StepChoice, Successor};
use std::sync::Arc;

/// The immutable part of the product.
pub struct ExplicitProduct<'p> {
    problem: Problem<'p>,
    observer: &'p dyn Observer,
    space: Explicit<'p>,
    alphabet: Arc<Alphabet>,
    constraints: Constraints<'p>,
    /// By automaton state: a run that reaches it is evidence. Empty if there is no such state.
    forever: Vec<bool>,
    /// Components of the automaton, if there is fairness. Moves into those from which fewer
    /// components can be reached come first: a run that stays in a rejecting component and treats
    /// every event fairly would visit all states before it leaves.
    components: Vec<u32>,
    /// By automaton state: no accepting cycle of the automaton passes through it.
    transient: Vec<bool>,
}

/// Worker of the product. The automaton's moves depend on label, automaton state and event class.
pub type ExplicitWorker = single::ProductWorker<(Label, Location, ClassId)>;

impl<'p> ExplicitProduct<'p> {
    /// Creates the product; explores nothing.
    pub fn new(problem: &Problem<'p>, observer: &'p dyn Observer) -> ExplicitProduct<'p> {
        let components = automaton_components(problem.automaton);
        let forever = if problem.takes_prefixes() {
            accepting_forever(problem.automaton)
        } else {
            Vec::new()
        };
        let is_transient = |(location, component): (usize, &u32)| {
            !components.accepting(*component) && forever.get(location) != Some(&true)
        };
        let transient = components.of.iter().enumerate().map(is_transient);
        ExplicitProduct {
            transient: transient.collect(),
            forever,
            problem: problem.clone(),
            observer,
            space: labelled(problem),
            alphabet: problem.alphabet().clone(),
            constraints: Constraints::new(
                problem.system,
                problem.fairness,
                problem.automaton.mark_count,
            ),
            components: if problem.fairness.is_empty() {
                Vec::new()
            } else {
                components.of
            },
        }
    }

    /// Restricts the steps of the system to ample sets if the problem permits it.
    pub(crate) fn reduced(mut self, budget: &Budget) -> Result<ExplicitProduct<'p>, Stop> {
        if let Some(visible) = visible(&self.problem) {
            self.space = self.space.reduced(&visible, budget)?;
        }
        Ok(self)
    }

    /// Creates a worker that has found nothing.
    pub fn worker(&self, budget: &Budget) -> ExplicitWorker {
        let states = limited(&self.problem, self.space.states(budget));
        match self.constraints.len() {
            0 => ExplicitWorker::new(states, self.problem.automaton.states.len(), budget),
            _ => ExplicitWorker::round_robin(states, budget),
        }
    }

    /// Creates workers that share their nodes; a node has the same number in all of them.
    pub fn workers(&self, workers: usize, budget: &Budget) -> Vec<ExplicitWorker> {
        let states = self.space.workers(workers, budget).into_iter();
        let locations = self.problem.automaton.states.len();
        let nodes = ProductNodes::shared(workers, locations, budget);
        let worker = |(states, nodes)| {
            ExplicitWorker::with_nodes(limited(&self.problem, states), nodes, budget)
        };
        states.zip(nodes).map(worker).collect()
    }

    pub(crate) fn space(&self) -> &Explicit<'p> {
        &self.space
    }

    /// Returns whether every accepting cycle is fair. If not, only the check for pairs is exact.
    pub(crate) fn has_fairness_in_marks(&self) -> bool {
        self.constraints.in_marks
    }

    /// Returns the marks of fairness constraints on a step by `event` from `state`.
    pub(crate) fn fair_marks(
        &self,
        worker: &mut ExplicitWorker,
        state: ExplicitStateId,
        event: Option<EventId>,
    ) -> Result<Marks, Stop> {
        if self.constraints.len() == 0 {
            return Ok(Marks::NONE);
        }
        let enabled = worker.enabled(&self.constraints, &self.space, state)?;
        Ok(self.constraints.marks(enabled, event))
    }

    /// Appends all ways from `node` to `ways`, including a stutter step if deadlocks stutter.
    pub(crate) fn ways(
        &self,
        worker: &mut ExplicitWorker,
        node: NodeId,
        ways: &mut Vec<StepChoice>,
    ) -> Result<(), Stop> {
        let (state, _) = worker.nodes.get(node);
        self.space.ways(&mut worker.states, state, ways)?;
        if ways.is_empty() && self.problem.deadlock == Deadlock::Stutter {
            ways.push((None, explicit::StepCursor::default()));
        }
        Ok(())
    }

    /// Takes a way: returns its step and the automaton's moves; `None` if there are no moves, which
    /// is checked before the step is computed.
    pub(crate) fn take(
        &self,
        worker: &mut ExplicitWorker,
        node: NodeId,
        (event, mut way): StepChoice,
    ) -> Result<Option<(Successor, MoveRange)>, Stop> {
        let (state, location) = worker.nodes.get(node);
        let label = worker.label(&self.space, state)?;
        let moves = self.choices(worker, label, location, self.alphabet.class(event));
        if moves.is_empty() {
            return Ok(None);
        }
        let step = self.space.next(&mut worker.states, state, &mut way)?;
        // If the way was cut off by a limit, `next` returns a later step.
        let step = step.filter(|step| step.0 == event);
        Ok(step.map(|step| (step, moves)))
    }

    pub(crate) fn letter(
        &self,
        worker: &mut ExplicitWorker,
        state: ExplicitStateId,
    ) -> Result<Letter, Stop> {
        let label = worker.label(&self.space, state)?;
        Ok(worker.letter(label))
    }

    pub(crate) fn values<'w>(
        &self,
        worker: &'w mut ExplicitWorker,
        state: ExplicitStateId,
    ) -> &'w [Value] {
        self.space.values(&mut worker.states, state)
    }

    /// Returns the automaton's moves from `location` under a label and an event class.
    fn choices(
        &self,
        worker: &mut ExplicitWorker,
        label: Label,
        location: Location,
        class: ClassId,
    ) -> MoveRange {
        worker.choices((label, location, class), |labels| {
            let letter = Letter(labels.letter(label).0 | self.alphabet.letter(class).0);
            let reading = self.problem.automaton.reading(location, letter);
            let mut moves: Vec<_> = reading.map(|t| (t.marks, t.to)).collect();
            moves.sort_by_key(|(_, to)| self.components.get(to.index()).copied());
            moves.into_iter()
        })
    }
}

impl SingleStateProduct for ExplicitProduct<'_> {
    fn next_step(
        &self,
        worker: &mut ExplicitWorker,
        node: NodeId,
        cursor: &mut ProductCursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop> {
        let (state, location) = worker.nodes.get(node);
        if is_forever(&self.forever, location) {
            let again = cursor.once(state).then_some(Edge {
                to: node,
                marks: self.marks(),
            });
            return Ok(again.map(|edge| (edge, None)));
        }
        worker.begin(node, cursor);
        loop {
            if let Some((mut edge, event)) = worker.listed(&self.space, cursor)? {
                let fair = self.fair_marks(worker, state, event)?;
                edge.marks = edge.marks.union(fair);
                return Ok(Some((edge, event)));
            }
            let label = worker.label(&self.space, state)?;
            if self.alphabet.classes().len() == 1 {
                // The letter does not depend on the step, so nothing may be readable at all.
                let moves = self.choices(worker, label, location, ClassId::UNNAMED);
                if moves.is_empty() {
                    return Ok(None);
                }
            }
            let states = &mut worker.states;
            let Some(step) = self.space.next(states, state, &mut cursor.space)? else {
                if !self.problem.claims.is_empty() {
                    worker.set_listed(state);
                }
                return Ok(None);
            };
            let moves = self.choices(worker, label, location, self.alphabet.class(step.0));
            cursor.list(step, moves);
        }
    }

    fn state(&self, worker: &mut ExplicitWorker, node: NodeId) -> State {
        worker.state(node)
    }

    fn seal(&self, worker: &mut ExplicitWorker) {
        worker.seal();
    }

    fn takes_prefixes(&self) -> bool {
        self.forever.contains(&true)
    }

    fn accepts_forever(&self, worker: &ExplicitWorker, node: NodeId) -> bool {
        is_forever(&self.forever, worker.nodes.get(node).1)
    }
}

impl Graph for ExplicitProduct<'_> {
    type Stop = Stop;
    type Worker = ExplicitWorker;
    type Cursor = ProductCursor;

    fn marks(&self) -> Marks {
        let constraints = self.constraints.all_marks();
        self.problem.automaton.all_marks().union(constraints)
    }

    fn initial(&self, worker: &mut ExplicitWorker, k: usize) -> Result<Option<NodeId>, Stop> {
        let locations = &self.problem.automaton.initial;
        if locations.is_empty() {
            return Ok(None);
        }
        let (i, location) = (k / locations.len(), locations[k % locations.len()]);
        match self.space.initial(&mut worker.states, i)? {
            Some(state) => worker.reach_initial(state, location),
            None => Ok(None),
        }
    }

    fn next_edge(
        &self,
        worker: &mut ExplicitWorker,
        node: NodeId,
        cursor: &mut ProductCursor,
    ) -> Result<Option<Edge>, Stop> {
        Ok(self.next_step(worker, node, cursor)?.map(|(edge, _)| edge))
    }

    fn lease(&self, worker: &mut ExplicitWorker, bytes: usize) -> Result<(), Stop> {
        worker.lease(bytes)
    }

    fn tick(&self, worker: &mut ExplicitWorker, bytes: usize) -> Result<(), Stop> {
        worker.tick(self.observer, bytes)
    }

    fn rest(&self, worker: &mut ExplicitWorker) {
        worker.states.rest();
    }
}

impl ExplicitProduct<'_> {
    /// Returns whether some nodes are transient.
    pub(crate) fn has_transient(&self) -> bool {
        self.transient.contains(&true)
    }

    /// Returns whether all other nodes than transient ones are evidence.
    pub(crate) fn has_no_components(&self) -> bool {
        let mut locations = self.transient.iter().enumerate();
        self.has_transient()
            && locations.all(|(location, transient)| {
                *transient || self.forever.get(location) == Some(&true)
            })
    }
}

impl Transient for ExplicitProduct<'_> {
    fn is_transient(&self, worker: &ExplicitWorker, node: NodeId) -> bool {
        self.transient[worker.nodes.get(node).1.index()]
    }

    fn outside<'w>(&self, worker: &'w mut ExplicitWorker) -> Outside<'w> {
        worker.outside()
    }

    fn inside(&self, worker: &mut ExplicitWorker) -> Result<(), Stop> {
        worker.states.open()
    }
}

impl Streett for ExplicitProduct<'_> {
    fn pairs(&self) -> usize {
        self.constraints.len()
    }

    fn enabled(
        &self,
        worker: &mut ExplicitWorker,
        node: NodeId,
        enabled: &mut PairSet,
    ) -> Result<(), Stop> {
        let (state, _) = worker.nodes.get(node);
        let here = worker.enabled(&self.constraints, &self.space, state)?;
        self.constraints.enable(here, enabled);
        Ok(())
    }

    fn next_meeting(
        &self,
        worker: &mut ExplicitWorker,
        node: NodeId,
        cursor: &mut ProductCursor,
        met: &mut PairSet,
    ) -> Result<Option<Edge>, Stop> {
        let Some((edge, event)) = self.next_step(worker, node, cursor)? else {
            return Ok(None);
        };
        let (state, _) = worker.nodes.get(node);
        let enabled = worker.enabled(&self.constraints, &self.space, state)?;
        self.constraints.meet(enabled, event, met);
        Ok(Some(edge))
    }
}
