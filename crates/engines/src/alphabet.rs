//! Letters of a problem: state atoms, event atoms, and classes of events with equal letters.
//!
//! A letter is the set of atoms that are true of a pair (state, event taken from it). Bit `i` is
//! the problem's `i`-th proposition. Events that make the same `fires` atoms true form one *class*,
//! which no automaton can tell apart. Class 0 makes none true. Stutter steps, which fire nothing,
//! belong to it, so it exists even if it contains no event.
//!
//! Built once per problem and shared by all engines. Only the replay computes letters
//! independently, so that an error here cannot confirm itself.

use lariat_automata::Letter;
use lariat_model::{EventId, Predicate, Proposition, System};

/// Events that make the same propositions true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventClass {
    /// Positions of the propositions in the list.
    pub propositions: Vec<usize>,
    /// The events, in ascending order.
    pub events: Vec<EventId>,
}

/// Returns the classes of the events of `system`; the first makes no proposition true.
///
/// The `fires` atoms that can be true together are exactly those of one class.
pub fn event_classes<'p>(
    system: &System,
    propositions: impl IntoIterator<Item = &'p Proposition>,
) -> Vec<EventClass> {
    let mut named: Vec<Vec<usize>> = vec![Vec::new(); system.events.len()];
    for (i, proposition) in propositions.into_iter().enumerate() {
        if let Proposition::Fires(events) = proposition {
            for event in events {
                let of_event = &mut named[event.index()];
                if of_event.last() != Some(&i) {
                    of_event.push(i);
                }
            }
        }
    }
    let mut classes = vec![EventClass {
        propositions: Vec::new(),
        events: Vec::new(),
    }];
    for (event, propositions) in system.event_ids().zip(named) {
        match classes.iter_mut().find(|c| c.propositions == propositions) {
            Some(class) => class.events.push(event),
            None => classes.push(EventClass {
                propositions,
                events: vec![event],
            }),
        }
    }
    classes
}

/// Index of an event class: dense, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(pub u32);

impl ClassId {
    /// The class of stutter steps and of events that no atom names.
    pub const UNNAMED: ClassId = ClassId(0);

    /// Returns the position in a list of all classes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The letters of a problem.
#[derive(Clone, Debug)]
pub struct Alphabet {
    states: u64,
    events: u64,
    bits: Vec<Letter>,
    members: Vec<Vec<EventId>>,
    class_of: Vec<ClassId>,
}

impl Alphabet {
    /// Builds the alphabet of at most 64 propositions about `system`.
    pub fn new(system: &System, propositions: &[Proposition]) -> Alphabet {
        let (mut states, mut events) = (0, 0);
        for (i, proposition) in propositions.iter().enumerate() {
            match proposition {
                Proposition::State(_) => states |= 1 << i,
                Proposition::Fires(_) => events |= 1 << i,
            }
        }
        let mut alphabet = Alphabet {
            states,
            events,
            bits: Vec::new(),
            members: Vec::new(),
            class_of: vec![ClassId::UNNAMED; system.events.len()],
        };
        for class in event_classes(system, propositions) {
            let id = ClassId(alphabet.bits.len() as u32);
            for event in &class.events {
                alphabet.class_of[event.index()] = id;
            }
            let bits = class.propositions.iter().fold(0, |bits, i| bits | 1 << i);
            alphabet.bits.push(Letter(bits));
            alphabet.members.push(class.events);
        }
        alphabet
    }

    /// Returns the atoms about states, as bits of a letter.
    pub fn state_atoms(&self) -> u64 {
        self.states
    }

    /// Returns the atoms about events, as bits of a letter.
    pub fn event_atoms(&self) -> u64 {
        self.events
    }

    /// Iterates over all classes, [`ClassId::UNNAMED`] first.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = ClassId> + use<> {
        (0..self.bits.len() as u32).map(ClassId)
    }

    /// Returns the class of a step, given the event that it takes.
    pub fn class(&self, event: Option<EventId>) -> ClassId {
        event.map_or(ClassId::UNNAMED, |event| self.class_of[event.index()])
    }

    /// Returns the event atoms that hold when an event of the class is taken.
    pub fn letter(&self, class: ClassId) -> Letter {
        self.bits[class.index()]
    }

    /// Returns the events of a class.
    pub fn events(&self, class: ClassId) -> &[EventId] {
        &self.members[class.index()]
    }
}

/// Iterates over the propositions about states, each with its bit in a letter.
pub fn state_propositions(propositions: &[Proposition]) -> impl Iterator<Item = (u64, &Predicate)> {
    let atoms = propositions.iter().enumerate();
    atoms.filter_map(|(i, proposition)| match proposition {
        Proposition::State(predicate) => Some((1 << i, predicate)),
        Proposition::Fires(_) => None,
    })
}
