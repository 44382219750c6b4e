//! The synchronous product of an explicit state space and an automaton.
//!
//! ```text
//! (s, q) –marks→ (s', q')   iff   s –e→ s',   q –guard,marks→ q',   (λ(s), e) ⊨ guard
//! ```
//!
//! The automaton reads the letter of the *source*: its state propositions and the event taken.
//! A deadlock's stutter step is a step without event (the space adds it).
//!
//! Whether a guard accepts is decided once for every combination of state label, automaton
//! state and *event class* — events that make the same `fires` atoms true are one class. Labels
//! are computed once a state and interned, so that a state costs four more bytes. A state whose
//! label no transition of `q` accepts is left without firing anything.

use crate::labels::{Label, Labels, StateAtoms};
use crate::pairs::Pairs;
use crate::problem::Problem;
use crate::steps::Steps;
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Lease, Observer, Progress, Stop};
use lariat_emptiness::{Edge, Graph, Marks, NodeId};
use lariat_model::{EventId, Proposition, State};
use lariat_space::explicit::{self, Explicit, StateId, States, Successor};
use rustc_hash::FxHashMap;

/// The immutable part of the product.
pub struct Sync<'p> {
    problem: Problem<'p>,
    observer: &'p dyn Observer,
    space: Explicit<'p>,
    state_atoms: StateAtoms<'p>,
    /// The class of each event, and the letter bits of each class. Class 0 fires nothing.
    classes: Vec<u32>,
    class_bits: Vec<u64>,
}

/// What one worker has found of the product.
#[derive(Debug)]
pub struct Worker {
    states: States,
    nodes: Pairs,
    labels: Labels,
    /// What the automaton can do, by label, state and event class: a range of `moves`.
    choices: FxHashMap<(Label, Location, u32), (u32, u32)>,
    moves: Vec<(Marks, Location)>,
    budget: Budget,
    /// Bytes of the maps above, and of the arrays of the check that runs.
    own: Lease,
    check: Lease,
}

/// Where an iteration over the edges of a node stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    space: explicit::Cursor,
    /// The step of the system whose automaton moves `moves.0..moves.1` are being listed.
    step: Option<Successor>,
    moves: (u32, u32),
}

impl<'p> Sync<'p> {
    /// Prepares the product; nothing is explored yet.
    pub fn new(problem: &Problem<'p>, observer: &'p dyn Observer) -> Sync<'p> {
        let mut event_bits = vec![0; problem.system.events.len()];
        for (i, proposition) in problem.propositions.iter().enumerate() {
            if let Proposition::Fires(events) = proposition {
                for event in events {
                    event_bits[event.index()] |= 1 << i;
                }
            }
        }
        let mut class_bits = vec![0];
        let classes = event_bits
            .into_iter()
            .map(|bits| {
                let known = class_bits.iter().position(|b| *b == bits);
                known.unwrap_or_else(|| {
                    class_bits.push(bits);
                    class_bits.len() - 1
                }) as u32
            })
            .collect();
        Sync {
            problem: *problem,
            observer,
            space: Explicit::new(problem.system, problem.deadlock),
            state_atoms: StateAtoms::new(problem),
            classes,
            class_bits,
        }
    }

    /// A worker that has found nothing yet.
    pub fn worker(&self, budget: &Budget) -> Worker {
        let mut states = self.space.states(budget);
        if let Some(most) = self.problem.most_tokens {
            states.cut_above(most);
        }
        Worker {
            states,
            nodes: Pairs::new(self.problem.automaton.states.len(), budget),
            labels: Labels::default(),
            choices: FxHashMap::default(),
            moves: Vec::new(),
            budget: budget.clone(),
            own: budget.lease(),
            check: budget.lease(),
        }
    }

    fn label(&self, worker: &mut Worker, state: StateId) -> Result<Label, Stop> {
        let Worker {
            labels,
            states,
            own,
            choices,
            moves,
            ..
        } = worker;
        // Maps are counted with their usual slack.
        let beside = choices.capacity() * 24 + moves.capacity() * 16;
        labels.of(&self.space, states, &self.state_atoms, state, |bytes| {
            own.resize(bytes + beside)
        })
    }

    /// The automaton's moves from `location` under a label and an event class.
    fn choices(
        &self,
        worker: &mut Worker,
        label: Label,
        location: Location,
        class: u32,
    ) -> (u32, u32) {
        let letter = Letter(worker.labels.letter(label).0 | self.class_bits[class as usize]);
        *worker
            .choices
            .entry((label, location, class))
            .or_insert_with(|| {
                let start = worker.moves.len() as u32;
                let reading = self.problem.automaton.reading(location, letter);
                worker.moves.extend(reading.map(|t| (t.marks, t.to)));
                (start, worker.moves.len() as u32)
            })
    }
}

impl Worker {
    /// The states found so far.
    pub fn states(&self) -> &States {
        &self.states
    }
}

impl Steps for Sync<'_> {
    fn next_step(
        &self,
        worker: &mut Worker,
        node: NodeId,
        cursor: &mut Cursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop> {
        let (state, location) = worker.nodes.get(node);
        loop {
            if let Some((event, to)) = cursor.step
                && cursor.moves.0 < cursor.moves.1
            {
                let (marks, target) = worker.moves[cursor.moves.0 as usize];
                cursor.moves.0 += 1;
                let to = worker.nodes.intern(to, target)?;
                return Ok(Some((Edge { to, marks }, event)));
            }
            let label = self.label(worker, state)?;
            let class_of = |event: Option<EventId>| event.map_or(0, |e| self.classes[e.index()]);
            if self.class_bits.len() == 1 {
                // The letter does not depend on the step: perhaps nothing can be read at all.
                let (start, end) = self.choices(worker, label, location, 0);
                if start == end {
                    return Ok(None);
                }
            }
            let Some(step) = self
                .space
                .next(&mut worker.states, state, &mut cursor.space)?
            else {
                return Ok(None);
            };
            cursor.step = Some(step);
            cursor.moves = self.choices(worker, label, location, class_of(step.0));
        }
    }

    fn state(&self, worker: &mut Worker, node: NodeId) -> State {
        let (state, _) = worker.nodes.get(node);
        worker.states.get(state)
    }
}

impl Graph for Sync<'_> {
    type Stop = Stop;
    type Worker = Worker;
    type Cursor = Cursor;

    fn marks(&self) -> Marks {
        self.problem.automaton.all_marks()
    }

    fn initial(&self, worker: &mut Worker, k: usize) -> Result<Option<NodeId>, Stop> {
        let locations = &self.problem.automaton.initial;
        if locations.is_empty() {
            return Ok(None);
        }
        let state = self
            .space
            .initial(&mut worker.states, k / locations.len())?;
        state
            .map(|state| worker.nodes.intern(state, locations[k % locations.len()]))
            .transpose()
    }

    fn next_edge(
        &self,
        worker: &mut Worker,
        node: NodeId,
        cursor: &mut Cursor,
    ) -> Result<Option<Edge>, Stop> {
        Ok(self.next_step(worker, node, cursor)?.map(|(edge, _)| edge))
    }

    fn tick(&self, worker: &mut Worker, bytes: usize) -> Result<(), Stop> {
        worker.check.resize(bytes)?;
        worker.budget.check()?;
        let figures = [
            (worker.nodes.len() as u64, "product states"),
            (worker.states.len() as u64, "states"),
        ];
        self.observer.progress(Progress {
            phase: "emptiness check",
            figures: &figures,
        });
        Ok(())
    }
}
