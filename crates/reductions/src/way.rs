//! What an event of a reduced net stands for: events of the original, in an order that may depend on where the tokens are.
//!
//! Most rules leave a plain sequence. Where places have become one, the original still tells them apart, and so the way back looks at its state: it takes
//! whichever event finds its token, or first brings tokens to where they are needed. What one rule leaves is a part of what the next one makes, so
//! that ways nest.
//!
//! A way is possible in a state of the original exactly if the event that it stands for is enabled in the reduced net: each rule keeps that,
//! and what is in a place of the reduced net is always the sum of what is in the places that became it. So no choice is ever regretted.

use lariat_model::{EventId, State, Step, System, Value, VarId};
use std::collections::VecDeque;
use std::sync::Arc as Shared;

/// Events of the original that are taken for one event of the reduced net.
#[derive(Clone, Debug)]
pub(super) struct Way {
    legs: Vec<Leg>,
    /// How many events it mentions.
    size: usize,
}

/// Legs are parts of ever longer ways: whatever is large in them is shared.
#[derive(Clone, Debug)]
enum Leg {
    /// This event.
    Take(EventId),
    /// The first of these that is possible; if one is.
    Either(Shared<[Way]>),
    /// Tokens go round until there are so many in these places of the ring, by position.
    Gather(Shared<Ring>, Shared<[(usize, Value)]>),
}

/// Places among which tokens go round one by one, wherever somebody wants them.
#[derive(Debug)]
pub(super) struct Ring {
    /// By place: those of the original of whose tokens it is the sum.
    pub places: Vec<Vec<VarId>>,
    /// From which place to which, by positions, and how.
    pub moves: Vec<(usize, usize, Way)>,
}

/// Events that one way may mention; longer counterexamples help nobody.
const MOST_MENTIONED: usize = 10_000;

impl Way {
    /// A single event.
    pub fn take(event: EventId) -> Way {
        Way {
            legs: vec![Leg::Take(event)],
            size: 1,
        }
    }

    /// One of several, whichever is possible; `None` if that is too long.
    pub fn either(ways: Vec<Way>) -> Option<Way> {
        let size = ways.iter().map(|way| way.size).sum();
        let legs = vec![Leg::Either(ways.into())];
        (size <= MOST_MENTIONED).then_some(Way { legs, size })
    }

    /// `self`, then `next`; `None` if that is too long.
    pub fn then(&self, next: &Way) -> Option<Way> {
        let size = self.size + next.size;
        let legs = || [&self.legs[..], &next.legs[..]].concat();
        (size <= MOST_MENTIONED).then(|| Way { legs: legs(), size })
    }

    /// The same once there are so many tokens in these places of a ring.
    pub fn after_gathering(&self, ring: &Shared<Ring>, needs: Vec<(usize, Value)>) -> Way {
        let mut legs = vec![Leg::Gather(Shared::clone(ring), needs.into())];
        legs.extend_from_slice(&self.legs);
        Way {
            legs,
            size: self.size,
        }
    }

    /// Events that stand for it in names: of several choices the first.
    pub fn shown(&self) -> Vec<EventId> {
        let mut shown = Vec::new();
        for leg in &self.legs {
            match leg {
                Leg::Take(event) => shown.push(*event),
                Leg::Either(ways) => shown.extend(ways.iter().take(1).flat_map(Way::shown)),
                Leg::Gather(..) => {}
            }
        }
        shown
    }

    /// The first event of the first choice.
    pub fn first(&self) -> Option<EventId> {
        self.legs.iter().find_map(|leg| match leg {
            Leg::Take(event) => Some(*event),
            Leg::Either(ways) => ways.first()?.first(),
            Leg::Gather(..) => None,
        })
    }

    /// Is one of these events, sorted, among those that it mentions?
    pub fn mentions(&self, events: &[EventId]) -> bool {
        self.legs.iter().any(|leg| match leg {
            Leg::Take(event) => events.binary_search(event).is_ok(),
            Leg::Either(ways) => ways.iter().any(|way| way.mentions(events)),
            Leg::Gather(..) => false,
        })
    }
}

/// Why a way is not taken to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// Something is not enabled.
    Blocked,
    /// The run is too long to be told.
    TooLong,
}

/// Steps beyond which a run is not told.
const MOST_STEPS: usize = 1_000_000;

/// A run of the original as it is made.
pub(super) struct Run<'s> {
    system: &'s System,
    pub initial: &'s State,
    pub steps: Vec<Step>,
}

impl<'s> Run<'s> {
    /// The run that has not begun.
    pub fn new(system: &'s System, initial: &'s State) -> Run<'s> {
        Run {
            system,
            initial,
            steps: Vec::new(),
        }
    }

    /// Where it is.
    pub fn state(&self) -> &State {
        self.steps.last().map_or(self.initial, |step| &step.state)
    }

    /// Goes this way, or stays where it is.
    pub fn follow(&mut self, way: &Way) -> Result<(), Halt> {
        let before = self.steps.len();
        let ended = way.legs.iter().try_for_each(|leg| match leg {
            Leg::Take(event) => self.take(*event),
            Leg::Either(ways) => self.one_of(ways),
            Leg::Gather(ring, needs) => self.gather(ring, needs),
        });
        if ended.is_err() {
            self.steps.truncate(before);
        }
        ended
    }

    fn take(&mut self, event: EventId) -> Result<(), Halt> {
        let next = self.system.successors(self.state(), event).pop();
        let state = next.ok_or(Halt::Blocked)?;
        if self.steps.len() >= MOST_STEPS {
            return Err(Halt::TooLong);
        }
        self.steps.push(Step {
            event: Some(event),
            state,
        });
        Ok(())
    }

    fn one_of(&mut self, ways: &[Way]) -> Result<(), Halt> {
        for way in ways {
            match self.follow(way) {
                Err(Halt::Blocked) => {}
                ended => return ended,
            }
        }
        Err(Halt::Blocked)
    }

    /// Brings the nearest tokens that can be spared to where some are missing.
    fn gather(&mut self, ring: &Ring, needs: &[(usize, Value)]) -> Result<(), Halt> {
        loop {
            let there = ring.places.iter();
            let mut spare: Vec<Value> = there.map(|there| tokens(self.state(), there)).collect();
            needs.iter().for_each(|(at, need)| spare[*at] -= need);
            let Some(missing) = spare.iter().position(|spare| *spare < 0) else {
                return Ok(());
            };
            for way in ring.nearest(missing, &spare).ok_or(Halt::Blocked)? {
                self.follow(way)?;
            }
        }
    }
}

impl Ring {
    /// The moves by which a token comes to place `to` from the nearest one with tokens to spare.
    fn nearest(&self, to: usize, spare: &[Value]) -> Option<Vec<&Way>> {
        let mut next: Vec<Option<(usize, &Way)>> = vec![None; self.places.len()];
        let mut queue = VecDeque::from([to]);
        while let Some(at) = queue.pop_front() {
            if spare[at] > 0 {
                let mut ways = Vec::new();
                let mut at = at;
                while at != to {
                    let (further, way) = next[at]?;
                    ways.push(way);
                    at = further;
                }
                return Some(ways);
            }
            for (from, _, way) in self.moves.iter().filter(|(_, there, _)| *there == at) {
                if *from != to && next[*from].is_none() {
                    next[*from] = Some((at, way));
                    queue.push_back(*from);
                }
            }
        }
        None
    }
}

/// How much is in these places.
pub(super) fn tokens(state: &State, places: &[VarId]) -> Value {
    places.iter().map(|place| state[place.index()]).sum()
}
