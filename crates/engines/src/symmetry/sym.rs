//! The quotient: the product of a net and an automaton modulo symmetries.
//!
//! ```text
//! initial:  (q, canon(R_q, s0))
//! (q, m) –marks→ (d, canon(R_d, t))   iff   m –e→ t,   q –guard,marks→ d,   (λ(m), e) ⊨ guard
//! ```
//!
//! R_q are the symmetries that respect all guards reachable from q (`symmetry/mod.rs`).
//! `(q, s) ~ (q, g·s)` for `g ∈ R_q` is a bisimulation that preserves marks, because `R_q ≤ R_d`.
//! So the quotient is exact for full LTL with events and `X` and for every check, and `canon` may
//! return any marking of the orbit. Deadlocks are the same for all markings of an orbit.
//!
//! *Twins* of a marking are elements whose exchange, in R_q, does not change it. Of events that
//! differ by twins one is taken: `m –σe→ σ·t`, and `σ·t ~ t`.
//!
//! E. A. Emerson, A. P. Sistla, *Symmetry and model checking*, 1996, divide by the symmetries of
//! the whole formula; here each automaton state has its own group. A lasso is unrolled to a run of
//! the net (`symmetry/unroll.rs`). Without symmetries this is the explicit engine.

use super::unroll::QuotientStep;
use crate::alphabet::{Alphabet, ClassId};
use crate::engine::{AutomatonKind, Emptiness, Engine, Found, Needs, Procedure, Task};
use crate::engine_id::EngineId;
use crate::explicit::labels::{Label, labelled, limited};
use crate::explicit::single::{self, MoveRange};
use crate::explicit::{complete, record_peak, record_search, synchronous};
use crate::problem::Problem;
use crate::symmetry::QuotientGroups;
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Observer, Statistic, Stop};
use lariat_emptiness::{Counts, Edge, Graph, Marks, NodeId, Outcome, couvreur, lasso};
use lariat_model::{EventId, State};
use lariat_reductions::symmetry::{CanonScratch, Permutation, Symmetry, Tokens};
use lariat_space::explicit::{self, Explicit, ExplicitStateId};
use std::sync::Arc;

/// The quotient engine.
pub const SYM: Engine = Engine {
    id: EngineId::Sym,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| &[Emptiness::Couvreur],
    needs: Needs::Nothing,
    fairness: |_| None,
    has_published: false,
    procedure: Procedure::Single(decide),
};

/// Returns the decimal logarithm of the number of symmetries that a property respects initially.
pub fn symmetries_kept(
    problem: &Problem<'_>,
    symmetry: &Symmetry<'_>,
    budget: &Budget,
) -> Result<f64, Stop> {
    Ok(QuotientGroups::new(problem, symmetry, budget)?.kept(problem))
}

fn decide(task: &mut Task<'_>) -> Found {
    let problem = task.problem;
    let symmetry = match problem.symmetry {
        Some(symmetry) if problem.system.is_net() => symmetry,
        _ => return synchronous(task),
    };
    let stats = &mut task.account.stats;
    stats.set(Statistic::SYMMETRIES, symmetry.magnitude());
    let groups = if symmetry.is_trivial() {
        None
    } else {
        Some(QuotientGroups::new(problem, symmetry, task.budget)?)
    };
    let kept = groups.as_ref().map_or(0.0, |groups| groups.kept(problem));
    stats.set(Statistic::SYMMETRIES_KEPT, kept);
    let Some(groups) = groups.filter(|groups| !groups.is_trivial()) else {
        return synchronous(task);
    };
    let product = Quotient::new(problem, symmetry, groups, task.observer);
    let mut worker = product.worker(task.budget);
    let mut counts = Counts::default();
    let found = couvreur(&product, &mut worker, &mut counts);
    record_search(task.account, &counts, worker.pairs.states());
    let found = match found? {
        Outcome::Empty => complete(Outcome::Empty, worker.pairs.states()),
        Outcome::Accepting(evidence) => match lasso(&product, &mut worker, &evidence)? {
            Some(found) => product
                .unroll(&mut worker, &found, task.budget)
                .map(Outcome::Accepting),
            None => Err(Stop::Internal("a component without a lasso".to_owned())),
        },
        Outcome::Undecided(_) => Err(Stop::Internal(
            "an exact check returned an inexact result".to_owned(),
        )),
    };
    record_peak(task);
    found
}

/// The immutable part of the quotient.
pub(crate) struct Quotient<'p> {
    pub problem: &'p Problem<'p>,
    pub symmetry: &'p Symmetry<'p>,
    observer: &'p dyn Observer,
    space: Explicit<'p>,
    alphabet: Arc<Alphabet>,
    groups: QuotientGroups<'p>,
}

/// The part of the quotient found by one worker.
pub(crate) struct QuotientWorker {
    pub pairs: single::ProductWorker<(Label, Location, ClassId)>,
    room: CanonScratch,
    /// Twins of the state `twins_of.0` modulo the group `twins_of.1`.
    twins: CanonScratch,
    twins_of: Option<(ExplicitStateId, u32)>,
}

/// Position in the iteration over the edges of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuotientCursor {
    space: explicit::StepCursor,
    /// The event whose moves are being listed.
    step: Option<Option<EventId>>,
    moves: MoveRange,
}

impl<'p> Quotient<'p> {
    /// Creates the quotient of a problem by subgroups of R_q.
    pub fn new(
        problem: &'p Problem<'p>,
        symmetry: &'p Symmetry<'p>,
        groups: QuotientGroups<'p>,
        observer: &'p dyn Observer,
    ) -> Quotient<'p> {
        Quotient {
            problem,
            symmetry,
            observer,
            space: labelled(problem),
            alphabet: problem.alphabet().clone(),
            groups,
        }
    }

    pub fn worker(&self, budget: &Budget) -> QuotientWorker {
        let states = limited(self.problem, self.space.states(budget));
        QuotientWorker {
            pairs: single::ProductWorker::new(states, self.problem.automaton.states.len(), budget),
            room: CanonScratch::default(),
            twins: CanonScratch::default(),
            twins_of: None,
        }
    }

    /// Returns the automaton's moves from `location` under a label and an event class.
    fn choices(
        &self,
        worker: &mut QuotientWorker,
        label: Label,
        location: Location,
        class: ClassId,
    ) -> MoveRange {
        worker.pairs.choices((label, location, class), |labels| {
            let letter = Letter(labels.letter(label).0 | self.alphabet.letter(class).0);
            let reading = self.problem.automaton.reading(location, letter);
            reading.map(|t| (t.marks, t.to))
        })
    }

    /// Returns whether the event represents those that differ from it by twins.
    fn is_first(
        &self,
        worker: &mut QuotientWorker,
        state: ExplicitStateId,
        location: Location,
        event: EventId,
    ) -> bool {
        let group = self.groups.number(location);
        let canon = self.groups.representatives(location);
        if !canon.may_have_twins(event) {
            return true;
        }
        if worker.twins_of != Some((state, group)) {
            let QuotientWorker { pairs, twins, .. } = &mut *worker;
            let states = &mut pairs.states;
            self.space.with_values(states, state, |tokens, values| {
                canon.find_twins(twins, tokens, |var| values[var.index()]);
            });
            worker.twins_of = Some((state, group));
        }
        canon.is_first(&worker.twins, event)
    }

    /// Returns the representative of a step's target with the automaton in `to`; leaves the
    /// permutation in the worker's scratch memory `room`.
    fn target(
        &self,
        worker: &mut QuotientWorker,
        state: ExplicitStateId,
        event: Option<EventId>,
        to: Location,
    ) -> Result<Option<ExplicitStateId>, Stop> {
        let canon = self.groups.representatives(to);
        let QuotientWorker { pairs, room, .. } = worker;
        let states = &mut pairs.states;
        let canonize = |tokens: &mut Tokens| canon.canon(room, tokens);
        self.space.quotient(states, state, event, canonize)
    }

    fn next_step(
        &self,
        worker: &mut QuotientWorker,
        node: NodeId,
        cursor: &mut QuotientCursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop> {
        let (state, location) = worker.pairs.nodes.get(node);
        loop {
            if let Some(event) = cursor.step {
                match worker.pairs.next_move(&mut cursor.moves) {
                    None => cursor.step = None,
                    Some((marks, to)) => {
                        if let Some(target) = self.target(worker, state, event, to)? {
                            let to = worker.pairs.nodes.intern(target, to)?;
                            return Ok(Some((Edge { to, marks }, event)));
                        }
                    }
                }
                continue;
            }
            let label = worker.pairs.label(&self.space, state)?;
            if self.alphabet.classes().len() == 1 {
                // The letter does not depend on the step, so nothing may be readable at all.
                let moves = self.choices(worker, label, location, ClassId::UNNAMED);
                if moves.is_empty() {
                    return Ok(None);
                }
            }
            let states = &mut worker.pairs.states;
            let Some(event) = self.space.next_event(states, state, &mut cursor.space)? else {
                return Ok(None);
            };
            if let Some(event) = event
                && !self.is_first(worker, state, location, event)
            {
                continue;
            }
            cursor.moves = self.choices(worker, label, location, self.alphabet.class(event));
            cursor.step = Some(event);
        }
    }

    /// Returns the node of a marking with the automaton in `location`.
    pub fn node(
        &self,
        worker: &mut QuotientWorker,
        mut tokens: Tokens,
        location: Location,
    ) -> Result<NodeId, Stop> {
        let canon = self.groups.representatives(location);
        canon.canon(&mut worker.room, &mut tokens);
        let state = (self.space).with_tokens(&mut worker.pairs.states, &tokens)?;
        worker.pairs.nodes.intern(state, location)
    }

    /// Returns the representative of an initial state and the permutation to it.
    fn initial_state(
        &self,
        worker: &mut QuotientWorker,
        state: &State,
        location: Location,
    ) -> Result<(ExplicitStateId, Permutation), Stop> {
        let marked = (0..).zip(state.iter().copied());
        let mut tokens: Tokens = marked.filter(|(_, value)| *value != 0).collect();
        let canon = self.groups.representatives(location);
        canon.canon(&mut worker.room, &mut tokens);
        let id = (self.space).with_tokens(&mut worker.pairs.states, &tokens)?;
        Ok((id, canon.permutation(&worker.room)))
    }
}

impl Graph for Quotient<'_> {
    type Stop = Stop;
    type Worker = QuotientWorker;
    type Cursor = QuotientCursor;

    fn marks(&self) -> Marks {
        self.problem.automaton.all_marks()
    }

    fn initial(&self, worker: &mut QuotientWorker, k: usize) -> Result<Option<NodeId>, Stop> {
        let locations = &self.problem.automaton.initial;
        if locations.is_empty() {
            return Ok(None);
        }
        let Some(state) = self.problem.system.initial.get(k / locations.len()) else {
            return Ok(None);
        };
        let location = locations[k % locations.len()];
        let (state, _) = self.initial_state(worker, state, location)?;
        worker.pairs.nodes.intern(state, location).map(Some)
    }

    fn next_edge(
        &self,
        worker: &mut QuotientWorker,
        node: NodeId,
        cursor: &mut QuotientCursor,
    ) -> Result<Option<Edge>, Stop> {
        Ok(self.next_step(worker, node, cursor)?.map(|(edge, _)| edge))
    }

    fn tick(&self, worker: &mut QuotientWorker, bytes: usize) -> Result<(), Stop> {
        worker.pairs.tick(self.observer, bytes)
    }
}

impl Quotient<'_> {
    /// Returns an initial state in the orbit of the node, and the permutation to the node's state.
    pub fn origin(
        &self,
        worker: &mut QuotientWorker,
        node: NodeId,
    ) -> Result<Option<(State, Permutation)>, Stop> {
        let (wanted, location) = worker.pairs.nodes.get(node);
        for state in &self.problem.system.initial {
            let (found, applied) = self.initial_state(worker, state, location)?;
            if found == wanted {
                return Ok(Some((state.clone(), applied)));
            }
        }
        Ok(None)
    }

    /// Returns the step behind an edge.
    pub fn step(
        &self,
        worker: &mut QuotientWorker,
        from: NodeId,
        edge: Edge,
    ) -> Result<Option<QuotientStep>, Stop> {
        let mut cursor = QuotientCursor::default();
        while let Some((found, event)) = self.next_step(worker, from, &mut cursor)? {
            if found == edge {
                let (_, to) = worker.pairs.nodes.get(edge.to);
                let applied = self.groups.representatives(to).permutation(&worker.room);
                return Ok(Some(QuotientStep { event, applied }));
            }
        }
        Ok(None)
    }
}
