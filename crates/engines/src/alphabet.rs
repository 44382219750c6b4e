//! The letters of a problem: which atoms speak of states, which of events, and which events look alike.
//!
//! A letter is (state, event taken from it), as the set of atoms that are true. Bit `i` is the problem's
//! `i`-th proposition. Events that make the same `fires` atoms true are one *class*: no automaton tells
//! them apart. Class 0 makes none true; a stutter step, which fires nothing, belongs to it, so that
//! it is there even where it has no event.
//!
//! Built once for a problem and shared by whatever reads letters. Only the replay computes its own, so that
//! an error here cannot vouch for itself.

use lariat_automata::Letter;
use lariat_model::{EventId, Predicate, Proposition, System};

/// Events that make the same propositions true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventClass {
    /// The propositions, by their positions in the list.
    pub propositions: Vec<usize>,
    /// The events, in ascending order.
    pub events: Vec<EventId>,
}

/// The classes of the events of `system` under some propositions; the first makes none of them true.
///
/// This also says which `fires` atoms can be true together: exactly those of one class.
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

/// A class of events: dense, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(pub u32);

impl ClassId {
    /// The class of stuttering, and of events that no atom names.
    pub const UNNAMED: ClassId = ClassId(0);

    /// The position in a list of all classes.
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
    /// The alphabet of at most 64 propositions about `system`.
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

    /// The atoms that speak of states, as bits of a letter.
    pub fn state_atoms(&self) -> u64 {
        self.states
    }

    /// The atoms that speak of events, as bits of a letter.
    pub fn event_atoms(&self) -> u64 {
        self.events
    }

    /// All classes, [`ClassId::UNNAMED`] first.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = ClassId> + use<> {
        (0..self.bits.len() as u32).map(ClassId)
    }

    /// The class of a step, by the event that it takes.
    pub fn class(&self, event: Option<EventId>) -> ClassId {
        event.map_or(ClassId::UNNAMED, |event| self.class_of[event.index()])
    }

    /// The event atoms that are true when an event of the class is taken.
    pub fn letter(&self, class: ClassId) -> Letter {
        self.bits[class.index()]
    }

    /// The events of a class.
    pub fn events(&self, class: ClassId) -> &[EventId] {
        &self.members[class.index()]
    }
}

/// The propositions about states, each with its bit in a letter.
pub fn state_propositions(propositions: &[Proposition]) -> impl Iterator<Item = (u64, &Predicate)> {
    let atoms = propositions.iter().enumerate();
    atoms.filter_map(|(i, proposition)| match proposition {
        Proposition::State(predicate) => Some((1 << i, predicate)),
        Proposition::Fires(_) => None,
    })
}
