//! One worker's part of the product of system and automaton: the nodes that it owns, and the edges that leave them.
//!
//! ```text
//! owner(s, q) = ⌊h(s) · workers / 2⁶⁴⌋
//! ```
//!
//! h is a hash of the *values* of a state (`States::print`), the same wherever it is computed. The state of the automaton is left out of it on
//! purpose: all nodes with one state have one owner, which stores the state once and computes its label once. Every edge is
//! enumerated again in every wave; nothing is kept of a node but its number.

use crate::question::{Buchi, is_weak};
use crate::wire::garbled;
use lariat_automata::{Automaton, Letter, StateId as Location, accepting_forever};
use lariat_budget::{Budget, Lease, Stop};
use lariat_engines::{Alphabet, ClassId, Problem};
use lariat_model::{Deadlock, EventId, Predicate, Proposition, System};
use lariat_space::explicit::{Explicit, Interner, Prospect, StateId, States, TOGETHER};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// What all nodes share.
pub(crate) struct Product<'q> {
    pub space: Explicit<'q>,
    automaton: Automaton,
    alphabet: Arc<Alphabet>,
    pub accepting: Vec<bool>,
    /// Where the beginning of a run is evidence already; empty if that is not asked.
    forever: Vec<bool>,
    pub is_weak: bool,
    /// Does any edge ask what is true in a state?
    reads_states: bool,
}

/// The worker that owns the states with this print.
#[inline]
pub(crate) fn owner(print: u64, workers: usize) -> usize {
    ((u128::from(print) * workers as u128) >> 64) as usize
}

impl<'q> Product<'q> {
    pub fn new(
        system: &'q System,
        propositions: &'q [Proposition],
        deadlock: Deadlock,
        buchi: &Buchi,
        prefixes: bool,
    ) -> Product<'q> {
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
        Product {
            is_weak: is_weak(&automaton, &accepting),
            forever: match prefixes {
                true => accepting_forever(&automaton),
                false => Vec::new(),
            },
            reads_states: automaton.support() & alphabet.state_atoms() != 0,
            space: Explicit::new(system, deadlock).observing(atoms),
            automaton,
            alphabet,
            accepting,
        }
    }

    /// A worker's part that has nothing yet.
    pub fn owned(&self, (me, workers): (usize, usize), budget: &Budget) -> Owned {
        let locations = self.automaton.states.len();
        let bits = u32::BITS - (locations as u32).leading_zeros();
        let stride = 4 + bits.div_ceil(8) as usize;
        Owned {
            states: self.space.states(budget),
            nodes: Nodes {
                me,
                workers,
                pairs: (locations > 1).then(|| Interner::new(stride, budget)),
                choices: FxHashMap::default(),
                targets: Vec::new(),
            },
            lease: budget.lease(),
        }
    }

    /// How many states the automaton has.
    pub fn locations(&self) -> u32 {
        self.automaton.states.len() as u32
    }

    /// Is a run that has come to `location` evidence, whatever follows?
    #[inline]
    pub fn is_forever(&self, location: u32) -> bool {
        self.forever.get(location as usize) == Some(&true)
    }

    /// Tells the initial nodes that the worker owns.
    pub fn initial(&self, owned: &mut Owned, mut visit: impl FnMut(OwnNode)) -> Result<(), Stop> {
        let mut k = 0;
        while let Some(prospect) = self.space.initial_prospect(&mut owned.states, k)? {
            let Owned { states, nodes, .. } = owned;
            if owner(states.print(prospect), nodes.workers) == nodes.me {
                for location in &self.automaton.initial {
                    visit(nodes.enter(states, prospect, location.0)?);
                }
            }
            k += 1;
        }
        Ok(())
    }

    /// Tells all edges of a node, each as an event and where it leads.
    pub fn edges(
        &self,
        owned: &mut Owned,
        node: OwnNode,
        mut visit: impl FnMut(&mut States, &mut Nodes, Option<EventId>, Target) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let (state, location) = owned.get(node);
        let letter = match self.reads_states {
            true => self.space.truth(&mut owned.states, state),
            false => 0,
        };
        let Owned { states, nodes, .. } = owned;
        // Where no event is told from another, all of them lead to the same locations.
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
                    let target = Target {
                        prospect,
                        print,
                        location,
                    };
                    visit(states, nodes, event, target)?;
                }
                Ok(())
            })
    }

    /// Where the automaton can go by a letter, as a range of a worker's list.
    fn choices(
        &self,
        nodes: &mut Nodes,
        letter: u64,
        location: u32,
        class: ClassId,
    ) -> Range<usize> {
        let Nodes {
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

/// A node of one worker: dense, from 0, in the order of discovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwnNode(pub u32);

impl OwnNode {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an edge leads, whoever owns that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub prospect: Prospect,
    pub print: u64,
    pub location: u32,
}

/// What one worker owns of a product.
pub(crate) struct Owned {
    pub states: States,
    pub nodes: Nodes,
    /// For arrays over the nodes.
    pub lease: Lease,
}

/// The nodes of one worker.
pub(crate) struct Nodes {
    pub me: usize,
    pub workers: usize,
    /// Pairs of state and location; none where there is one location, and a node is a state.
    pairs: Option<Interner>,
    choices: FxHashMap<(u64, u32, ClassId), (u32, u32)>,
    targets: Vec<u32>,
}

impl Owned {
    /// How many nodes were found.
    pub fn len(&self) -> usize {
        let pairs = self.nodes.pairs.as_ref();
        pairs.map_or(self.states.len(), Interner::len)
    }

    /// The state and the location of a node.
    pub fn get(&self, node: OwnNode) -> (StateId, u32) {
        let Some(pairs) = &self.nodes.pairs else {
            return (StateId(node.0), 0);
        };
        let mut cells = pairs.get(node.0);
        let mut next = || cells.next().unwrap_or(0);
        (StateId(next()), next())
    }

    /// Takes in all nodes that wait, which the worker owns.
    pub fn enter_all(&mut self, waiting: &mut Waiting) -> Result<(), Stop> {
        let Owned { states, nodes, .. } = self;
        waiting.all(states, |states, (prospect, location)| {
            nodes.enter(states, prospect, location).map(drop)
        })
    }

    /// Reads all nodes of a message; behind each are `more` further bytes. What makes no sense is an error.
    pub fn read(
        &mut self,
        mut bytes: &[u8],
        more: usize,
        mut visit: impl FnMut(&mut States, &mut Nodes, Arrival, &[u8]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut waiting = Waiting::default();
        while !bytes.is_empty() {
            let read = self.states.read(&mut bytes)?;
            let (Some((location, prospect)), Some((behind, rest))) =
                (read, bytes.split_at_checked(more))
            else {
                return Err(garbled("a state is cut short"));
            };
            bytes = rest;
            let Owned { states, nodes, .. } = self;
            let place = (prospect, location);
            if more > 0 || !waiting.add(place) {
                visit(states, nodes, place, behind)?;
            }
            if waiting.is_full() {
                waiting.all(states, |states, place| visit(states, nodes, place, &[]))?;
            }
        }
        let Owned { states, nodes, .. } = self;
        waiting.all(states, |states, place| visit(states, nodes, place, &[]))
    }
}

/// A state and a location.
pub(crate) type Arrival = (Prospect, u32);

/// States that are words and will be looked for together, so that what is read for one is on its way while another is looked for.
#[derive(Default)]
pub(crate) struct Waiting(Vec<(u64, u32)>);

impl Waiting {
    /// Adds a state, if it can wait.
    #[inline]
    pub fn add(&mut self, (prospect, location): Arrival) -> bool {
        match prospect {
            Prospect::Word(word) => self.0.push((word, location)),
            Prospect::Prepared | Prospect::Here(_) => return false,
        }
        true
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.0.len() >= TOGETHER
    }

    /// Visits all that wait; those that are known already as such.
    #[inline]
    pub fn all(
        &mut self,
        states: &mut States,
        mut visit: impl FnMut(&mut States, Arrival) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        for some in self.0.chunks(TOGETHER) {
            let found = states.seek(some.iter().map(|(word, _)| *word));
            for (prospect, (_, location)) in found.zip(some) {
                visit(states, (prospect, *location))?;
            }
        }
        self.0.clear();
        Ok(())
    }
}

impl Nodes {
    /// Takes in a node that the worker owns.
    #[inline]
    pub fn enter(
        &mut self,
        states: &mut States,
        prospect: Prospect,
        location: u32,
    ) -> Result<OwnNode, Stop> {
        let state = states.enter(prospect)?;
        match &mut self.pairs {
            None => Ok(OwnNode(state.0)),
            Some(pairs) => Ok(OwnNode(pairs.intern(&[state.0, location])?.0)),
        }
    }

    /// A node that was taken in before.
    #[inline]
    pub fn known(&self, states: &mut States, prospect: Prospect, location: u32) -> Option<OwnNode> {
        let state = states.known(prospect)?;
        match &self.pairs {
            None => Some(OwnNode(state.0)),
            Some(pairs) => pairs.find(&[state.0, location]).map(OwnNode),
        }
    }
}
