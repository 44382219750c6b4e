//! The part of the product that one worker owns: its nodes, and their outgoing edges.
//!
//! ```text
//! owner(s, q) = ⌊h(s) · workers / 2⁶⁴⌋
//! ```
//!
//! h is a hash of the *values* of a state (`StateTable::print`), equal in all processes. It ignores
//! the automaton state, so that all nodes with one state have one owner, which stores and labels
//! the state once. Every wave enumerates the edges again; a node is stored as its index only.

use crate::question::{Buchi, is_weak};
use crate::wire::invalid;
use lariat_automata::{Automaton, Letter, StateId as Location, accepting_forever};
use lariat_budget::{Budget, Lease, Stop};
use lariat_engines::{Alphabet, ClassId, Problem};
use lariat_model::{Deadlock, EventId, Predicate, Proposition, System};
use lariat_space::explicit::{
    Explicit, ExplicitStateId, PreparedSuccessor, StateTable, TOGETHER, VectorInterner,
};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The data shared by all nodes.
pub(crate) struct DistributedProduct<'q> {
    pub space: Explicit<'q>,
    automaton: Automaton,
    alphabet: Arc<Alphabet>,
    pub accepting: Vec<bool>,
    /// For each location whether every continuation is accepted; empty if prefixes do not count.
    forever: Vec<bool>,
    pub is_weak: bool,
    /// True if some guard depends on the state.
    reads_states: bool,
}

/// The worker that owns the states with this print.
#[inline]
pub(crate) fn owner(print: u64, workers: usize) -> usize {
    ((u128::from(print) * workers as u128) >> 64) as usize
}

impl<'q> DistributedProduct<'q> {
    pub fn new(
        system: &'q System,
        propositions: &'q [Proposition],
        deadlock: Deadlock,
        buchi: &Buchi,
        prefixes: bool,
    ) -> DistributedProduct<'q> {
        let automaton = buchi.automaton();
        let accepting = buchi.accepting();
        let alphabet = Problem::new(system, &automaton, propositions, deadlock)
            .alphabet()
            .clone();
        let atoms = propositions.iter().enumerate();
        let atoms: Vec<(u64, &Predicate)> = atoms
            .filter_map(|(i, proposition)| match proposition {
                Proposition::State(predicate) => Some((1 << i, predicate)),
                Proposition::Fires(_) => None,
            })
            .collect();
        DistributedProduct {
            is_weak: is_weak(&automaton, &accepting),
            forever: if prefixes {
                accepting_forever(&automaton)
            } else {
                Vec::new()
            },
            reads_states: automaton.support() & alphabet.state_atoms() != 0,
            space: Explicit::new(system, deadlock).observing(atoms),
            automaton,
            alphabet,
            accepting,
        }
    }

    /// Creates the empty part of worker `me`.
    pub fn owned(&self, me: usize, workers: usize, budget: &Budget) -> Owned {
        let locations = self.automaton.states.len();
        let bits = u32::BITS - (locations as u32).leading_zeros();
        let stride = 4 + bits.div_ceil(8) as usize;
        Owned {
            states: self.space.states(budget),
            nodes: WorkerNodes {
                me,
                workers,
                pairs: (locations > 1).then(|| VectorInterner::new(stride, budget)),
                choices: FxHashMap::default(),
                targets: Vec::new(),
            },
            lease: budget.lease(),
        }
    }

    pub fn locations(&self) -> u32 {
        self.automaton.states.len() as u32
    }

    /// Returns whether every continuation of a run that has reached `location` is accepted.
    #[inline]
    pub fn is_forever(&self, location: u32) -> bool {
        self.forever.get(location as usize) == Some(&true)
    }

    /// Visits the initial nodes that the worker owns.
    pub fn initial(&self, owned: &mut Owned, mut visit: impl FnMut(OwnNode)) -> Result<(), Stop> {
        let mut k = 0;
        while let Some(prospect) = self.space.initial_prospect(&mut owned.states, k)? {
            let Owned { states, nodes, .. } = owned;
            if owner(states.print(prospect), nodes.workers) == nodes.me {
                for location in &self.automaton.initial {
                    let location = location.0;
                    visit(nodes.enter(states, Arrival { prospect, location })?);
                }
            }
            k += 1;
        }
        Ok(())
    }

    /// Visits all edges of a node, each with its event and target.
    pub fn edges(
        &self,
        owned: &mut Owned,
        node: OwnNode,
        mut visit: impl FnMut(
            &mut StateTable,
            &mut WorkerNodes,
            Option<EventId>,
            Target,
        ) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (state, location) = owned.get(node);
        let letter = if self.reads_states {
            self.space.truth(&mut owned.states, state)
        } else {
            0
        };
        let Owned { states, nodes, .. } = owned;
        // If guards do not distinguish events, all edges have the same target locations.
        let is_blind = self.alphabet.classes().len() == 1;
        let always = is_blind.then(|| self.choices(nodes, letter, location, ClassId::UNNAMED));
        if always.as_ref().is_some_and(Range::is_empty) {
            return Ok(());
        }
        self.space
            .prospects(states, state, |states, event, prospect| {
                let moves = match &always {
                    Some(always) => always.clone(),
                    None => self.choices(nodes, letter, location, self.alphabet.class(event)),
                };
                if moves.is_empty() {
                    return Ok(());
                }
                let print = states.print(prospect);
                for i in moves {
                    let location = nodes.targets[i];
                    let arrival = Arrival { prospect, location };
                    visit(states, nodes, event, Target { arrival, print })?;
                }
                Ok(())
            })
    }

    /// The successor locations under a letter, as a range of the worker's list.
    fn choices(
        &self,
        nodes: &mut WorkerNodes,
        letter: u64,
        location: u32,
        class: ClassId,
    ) -> Range<usize> {
        let WorkerNodes {
            choices, targets, ..
        } = nodes;
        let range = choices.entry((letter, location, class)).or_insert_with(|| {
            let start = targets.len() as u32;
            let letter = Letter(letter | self.alphabet.letter(class).0);
            let reading = self.automaton.reading(Location(location), letter);
            targets.extend(reading.map(|edge| edge.to.0));
            (start, targets.len() as u32)
        });
        range.0 as usize..range.1 as usize
    }
}

/// Index of a node of one worker, in the order of discovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwnNode(pub u32);

impl OwnNode {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The target of an edge, which may have any owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub arrival: Arrival,
    pub print: u64,
}

/// The part of a product that one worker owns.
pub(crate) struct Owned {
    pub states: StateTable,
    pub nodes: WorkerNodes,
    /// Accounts for the arrays over the nodes.
    pub lease: Lease,
}

/// The nodes of one worker.
pub(crate) struct WorkerNodes {
    pub me: usize,
    pub workers: usize,
    /// Pairs of state and location; `None` if there is one location, so that a node is a state.
    pairs: Option<VectorInterner>,
    choices: FxHashMap<(u64, u32, ClassId), (u32, u32)>,
    targets: Vec<u32>,
}

impl Owned {
    pub fn len(&self) -> usize {
        let pairs = self.nodes.pairs.as_ref();
        pairs.map_or(self.states.len(), VectorInterner::len)
    }

    pub fn get(&self, node: OwnNode) -> (ExplicitStateId, u32) {
        let Some(pairs) = &self.nodes.pairs else {
            return (ExplicitStateId(node.0), 0);
        };
        let mut cells = pairs.get(node.0);
        let mut next = || cells.next().unwrap_or(0);
        (ExplicitStateId(next()), next())
    }

    /// Adds all waiting nodes, which the worker owns.
    pub fn enter_all(&mut self, waiting: &mut PendingLookups) -> Result<(), Stop> {
        let Owned { states, nodes, .. } = self;
        waiting.all(states, |states, arrival| {
            nodes.enter(states, arrival).map(drop)
        })
    }

    /// Decodes all nodes of a message, each followed by `more` further bytes.
    pub fn read(
        &mut self,
        mut bytes: &[u8],
        more: usize,
        mut visit: impl FnMut(&mut StateTable, &mut WorkerNodes, Arrival, &[u8]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut waiting = PendingLookups::default();
        while !bytes.is_empty() {
            let read = self.states.read(&mut bytes)?;
            let (Some((location, prospect)), Some((behind, rest))) =
                (read, bytes.split_at_checked(more))
            else {
                return Err(invalid("a state is cut short"));
            };
            bytes = rest;
            let Owned { states, nodes, .. } = self;
            let arrival = Arrival { prospect, location };
            if more > 0 || !waiting.add(arrival) {
                visit(states, nodes, arrival, behind)?;
            }
            if waiting.is_full() {
                waiting.all(states, |states, arrival| visit(states, nodes, arrival, &[]))?;
            }
        }
        let Owned { states, nodes, .. } = self;
        waiting.all(states, |states, arrival| visit(states, nodes, arrival, &[]))
    }
}

/// A state and a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub prospect: PreparedSuccessor,
    pub location: u32,
}

impl Arrival {
    /// Appends its encoding to a message.
    #[inline]
    pub fn write(self, states: &StateTable, bytes: &mut Vec<u8>) {
        states.write(self.location, self.prospect, bytes);
    }
}

/// One-word states that are looked up together, so that their cache misses overlap.
#[derive(Default)]
pub(crate) struct PendingLookups(Vec<(u64, u32)>);

impl PendingLookups {
    /// Adds a node; returns `false` if its state is not one word.
    #[inline]
    pub fn add(&mut self, arrival: Arrival) -> bool {
        match arrival.prospect {
            PreparedSuccessor::Word(word) => self.0.push((word, arrival.location)),
            PreparedSuccessor::Prepared | PreparedSuccessor::Here(_) => return false,
        }
        true
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.0.len() >= TOGETHER
    }

    /// Visits all waiting nodes, after looking up their states, and removes them.
    #[inline]
    pub fn all(
        &mut self,
        states: &mut StateTable,
        mut visit: impl FnMut(&mut StateTable, Arrival) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        for some in self.0.chunks(TOGETHER) {
            let found = states.seek(some.iter().map(|(word, _)| *word));
            for (prospect, (_, location)) in found.zip(some) {
                let location = *location;
                visit(states, Arrival { prospect, location })?;
            }
        }
        self.0.clear();
        Ok(())
    }
}

impl WorkerNodes {
    /// Adds a node that the worker owns; returns its index.
    #[inline]
    pub fn enter(&mut self, states: &mut StateTable, arrival: Arrival) -> Result<OwnNode, Stop> {
        let state = states.enter(arrival.prospect)?;
        match &mut self.pairs {
            None => Ok(OwnNode(state.0)),
            Some(pairs) => Ok(OwnNode(pairs.intern(&[state.0, arrival.location])?.0)),
        }
    }

    /// The index of a node if it was added before.
    #[inline]
    pub fn known(&self, states: &mut StateTable, arrival: Arrival) -> Option<OwnNode> {
        let state = states.known(arrival.prospect)?;
        match &self.pairs {
            None => Some(OwnNode(state.0)),
            Some(pairs) => pairs.find(&[state.0, arrival.location]).map(OwnNode),
        }
    }
}
