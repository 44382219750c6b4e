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

use crate::problem::Problem;
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Lease, Observer, Progress, Stop};
use lariat_emptiness::{Edge, Graph, Marks, NodeId};
use lariat_model::{EventId, Predicate, Proposition, State};
use lariat_space::explicit::{self, Explicit, Interner, StateId, States, Successor};
use rustc_hash::FxHashMap;

/// The immutable part of the product.
pub struct Sync<'p> {
    problem: Problem<'p>,
    observer: &'p dyn Observer,
    space: Explicit<'p>,
    /// The letter bits that are state propositions.
    state_atoms: Vec<(u64, &'p Predicate)>,
    /// The class of each event, and the letter bits of each class. Class 0 fires nothing.
    classes: Vec<u32>,
    class_bits: Vec<u64>,
}

/// What one worker has found of the product.
#[derive(Debug)]
pub struct Worker {
    states: States,
    /// Pairs of a state (low half) and an automaton state (high half of a word).
    nodes: Interner,
    /// The label of every state, [`UNLABELLED`] until somebody asks.
    labels: Vec<u32>,
    label_bits: Vec<u64>,
    label_ids: FxHashMap<u64, u32>,
    /// What the automaton can do, by label, state and event class: a range of `moves`.
    choices: FxHashMap<(u32, Location, u32), (u32, u32)>,
    moves: Vec<(Marks, Location)>,
    budget: Budget,
    /// Bytes of the maps above, and of the arrays of the check that runs.
    own: Lease,
    check: Lease,
}

const UNLABELLED: u32 = u32::MAX;

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
        let mut state_atoms = Vec::new();
        let mut event_bits = vec![0; problem.system.events.len()];
        for (i, proposition) in problem.propositions.iter().enumerate() {
            match proposition {
                Proposition::State(predicate) => state_atoms.push((1 << i, predicate)),
                Proposition::Fires(events) => {
                    for event in events {
                        event_bits[event.index()] |= 1 << i;
                    }
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
            state_atoms,
            classes,
            class_bits,
        }
    }

    /// A worker that has found nothing yet.
    pub fn worker(&self, budget: &Budget) -> Worker {
        let locations = self.problem.automaton.states.len() as u32;
        let location_bytes = (32 - locations.leading_zeros()).div_ceil(8) as usize;
        Worker {
            states: self.space.states(budget),
            nodes: Interner::new(4 + location_bytes, budget),
            labels: Vec::new(),
            label_bits: Vec::new(),
            label_ids: FxHashMap::default(),
            choices: FxHashMap::default(),
            moves: Vec::new(),
            budget: budget.clone(),
            own: budget.lease(),
            check: budget.lease(),
        }
    }

    fn label(&self, worker: &mut Worker, state: StateId) -> Result<u32, Stop> {
        if worker.labels.len() <= state.index() {
            let before = worker.labels.capacity();
            worker.labels.resize(state.index() + 1, UNLABELLED);
            if worker.labels.capacity() != before {
                worker.account()?;
            }
        }
        let known = worker.labels[state.index()];
        if known != UNLABELLED {
            return Ok(known);
        }
        let mut bits = 0;
        for (bit, predicate) in &self.state_atoms {
            if self.space.holds(&mut worker.states, state, predicate) {
                bits |= bit;
            }
        }
        let label = *worker.label_ids.entry(bits).or_insert_with(|| {
            worker.label_bits.push(bits);
            worker.label_bits.len() as u32 - 1
        });
        worker.labels[state.index()] = label;
        Ok(label)
    }

    /// The automaton's moves from `location` under a label and an event class.
    fn choices(
        &self,
        worker: &mut Worker,
        label: u32,
        location: Location,
        class: u32,
    ) -> (u32, u32) {
        let letter = Letter(worker.label_bits[label as usize] | self.class_bits[class as usize]);
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

    /// The next edge of `node` and the event that it takes.
    pub fn next_step(
        &self,
        worker: &mut Worker,
        node: NodeId,
        cursor: &mut Cursor,
    ) -> Result<Option<(Edge, Option<EventId>)>, Stop> {
        let (state, location) = worker.pair(node);
        loop {
            if let Some((event, to)) = cursor.step
                && cursor.moves.0 < cursor.moves.1
            {
                let (marks, target) = worker.moves[cursor.moves.0 as usize];
                cursor.moves.0 += 1;
                let to = worker.node(to, target)?;
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
}

impl Worker {
    /// The state and the automaton state that a node pairs.
    pub fn pair(&self, node: NodeId) -> (StateId, Location) {
        let word = self.nodes.get(node.0).next().unwrap_or(0);
        (StateId(word as u32), Location((word >> 32) as u32))
    }

    fn node(&mut self, state: StateId, location: Location) -> Result<NodeId, Stop> {
        let word = u64::from(state.0) | u64::from(location.0) << 32;
        let (id, new) = self.nodes.intern(&[word])?;
        if new {
            self.budget.spend(1)?;
        }
        Ok(NodeId(id))
    }

    /// The values of all variables in the state of `node`.
    pub fn state(&mut self, node: NodeId) -> State {
        let (state, _) = self.pair(node);
        self.states.get(state)
    }

    /// The states found so far.
    pub fn states(&mut self) -> &mut States {
        &mut self.states
    }

    /// How many nodes have been found.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn account(&mut self) -> Result<(), Stop> {
        // Maps are counted with their usual slack.
        let bytes = self.labels.capacity() * 4
            + self.label_bits.capacity() * 8
            + self.label_ids.capacity() * 20
            + self.choices.capacity() * 24
            + self.moves.capacity() * 16;
        self.own.resize(bytes)
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
            .map(|state| worker.node(state, locations[k % locations.len()]))
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
