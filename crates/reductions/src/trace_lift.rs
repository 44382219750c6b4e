//! Maps an event of a reduced net to a sequence of events of the original, which may depend on the
//! marking.
//!
//! Most rules produce a fixed sequence. Where places were fused, the original still distinguishes
//! them, so the sequence is chosen by the state: one of several alternatives whose token is
//! present, or moves that first bring tokens to the required places. Rules compose, so that ways
//! nest.
//!
//! Invariant: a way is executable in a state of the original iff its event is enabled in the
//! reduced net, and the tokens in a place of the reduced net are the sum of those in the places
//! fused into it. Hence no choice has to be undone.

use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, RunRecorder, State, System, Value, VarId};
use std::collections::VecDeque;
use std::sync::Arc as Shared;

/// A program of events of the original that an event of the reduced net represents.
#[derive(Clone, Debug)]
pub(super) struct EventExpansion {
    legs: Vec<Leg>,
    size: usize,
}

/// An instruction of a way. Large parts are shared, since ways are copied into longer ones.
#[derive(Clone, Debug)]
enum Leg {
    Take(EventId),
    /// Execute the first executable alternative; blocked if there is none.
    Either(Shared<[EventExpansion]>),
    /// Move tokens of the ring until the places at these positions hold at least these numbers.
    Gather(Shared<Ring>, Shared<[(usize, Value)]>),
}

/// Places between which tokens move one by one, and the moves.
#[derive(Debug)]
pub(super) struct Ring {
    /// By place of the ring: the places of the original fused into it.
    pub places: Vec<Vec<VarId>>,
    /// Moves as source and target position with the way that performs them; sorted by target.
    pub moves: Vec<(usize, usize, EventExpansion)>,
}

/// Limit on the events that one way mentions.
const MOST_MENTIONED: usize = 10_000;

impl EventExpansion {
    pub fn take(event: EventId) -> EventExpansion {
        EventExpansion {
            legs: vec![Leg::Take(event)],
            size: 1,
        }
    }

    /// The first executable alternative; `None` if the limit is exceeded.
    pub fn either(ways: Vec<EventExpansion>) -> Option<EventExpansion> {
        let size = ways.iter().map(|way| way.size).sum();
        let legs = vec![Leg::Either(ways.into())];
        (size <= MOST_MENTIONED).then_some(EventExpansion { legs, size })
    }

    /// Sequential composition; `None` if the limit is exceeded.
    pub fn then(&self, next: &EventExpansion) -> Option<EventExpansion> {
        let size = self.size + next.size;
        let legs = || [&self.legs[..], &next.legs[..]].concat();
        (size <= MOST_MENTIONED).then(|| EventExpansion { legs: legs(), size })
    }

    /// `self` preceded by moves that establish these token counts.
    pub fn after_gathering(
        &self,
        ring: &Shared<Ring>,
        needs: Vec<(usize, Value)>,
    ) -> EventExpansion {
        let mut legs = vec![Leg::Gather(Shared::clone(ring), needs.into())];
        legs.extend_from_slice(&self.legs);
        EventExpansion {
            legs,
            size: self.size,
        }
    }

    /// Events used in the name of a joint event: the first of several alternatives.
    pub fn shown(&self) -> Vec<EventId> {
        let mut shown = Vec::new();
        for leg in &self.legs {
            match leg {
                Leg::Take(event) => shown.push(*event),
                Leg::Either(ways) => {
                    shown.extend(ways.iter().take(1).flat_map(EventExpansion::shown))
                }
                Leg::Gather(..) => {}
            }
        }
        shown
    }

    /// The first event of the first alternative.
    pub fn first(&self) -> Option<EventId> {
        self.legs.iter().find_map(|leg| match leg {
            Leg::Take(event) => Some(*event),
            Leg::Either(ways) => ways.first()?.first(),
            Leg::Gather(..) => None,
        })
    }

    /// Returns whether one of these events, which are sorted, is mentioned.
    pub fn mentions(&self, events: &[EventId]) -> bool {
        self.legs.iter().any(|leg| match leg {
            Leg::Take(event) => events.binary_search(event).is_ok(),
            Leg::Either(ways) => ways.iter().any(|way| way.mentions(events)),
            Leg::Gather(..) => false,
        })
    }
}

/// Reason why a way was not executed completely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum LiftHalt {
    Blocked,
    /// The run exceeds the step limit.
    TooLong,
    /// The budget ended.
    Stopped(Stop),
}

/// Limit on the steps of a lifted run.
const MOST_STEPS: usize = 1_000_000;
/// Steps between two polls of the budget.
const POLL_INTERVAL: usize = 256;

/// A run of the original under construction.
pub(super) struct LiftedRun<'a, 's> {
    system: &'s System,
    budget: &'a Budget,
    pub run: RunRecorder,
}

impl<'a, 's> LiftedRun<'a, 's> {
    pub fn new(system: &'s System, initial: &State, budget: &'a Budget) -> LiftedRun<'a, 's> {
        LiftedRun {
            system,
            budget,
            run: RunRecorder::new(initial.clone()).leased(budget),
        }
    }

    pub fn state(&self) -> &State {
        self.run.state()
    }

    /// Executes the way; on failure the run is unchanged.
    pub fn follow(&mut self, way: &EventExpansion) -> Result<(), LiftHalt> {
        let before = self.run.len();
        let ended = way.legs.iter().try_for_each(|leg| match leg {
            Leg::Take(event) => self.take(*event),
            Leg::Either(ways) => self.one_of(ways),
            Leg::Gather(ring, needs) => self.gather(ring, needs),
        });
        if ended.is_err() {
            self.run.truncate(before);
        }
        ended
    }

    fn take(&mut self, event: EventId) -> Result<(), LiftHalt> {
        let next = self.system.steps(self.state(), event).pop();
        let step = next.ok_or(LiftHalt::Blocked)?;
        if self.run.len() >= MOST_STEPS {
            return Err(LiftHalt::TooLong);
        }
        if self.run.len().is_multiple_of(POLL_INTERVAL) {
            let settled = self.budget.check().and_then(|()| self.run.settle());
            settled.map_err(LiftHalt::Stopped)?;
        }
        self.run.take(step);
        Ok(())
    }

    fn one_of(&mut self, ways: &[EventExpansion]) -> Result<(), LiftHalt> {
        for way in ways {
            match self.follow(way) {
                Err(LiftHalt::Blocked) => {}
                ended => return ended,
            }
        }
        Err(LiftHalt::Blocked)
    }

    /// Moves the nearest spare tokens to the places where tokens are missing.
    fn gather(&mut self, ring: &Ring, needs: &[(usize, Value)]) -> Result<(), LiftHalt> {
        loop {
            let there = ring.places.iter();
            let mut spare: Vec<Value> = there.map(|there| tokens(self.state(), there)).collect();
            needs.iter().for_each(|(at, need)| spare[*at] -= need);
            let Some(missing) = spare.iter().position(|spare| *spare < 0) else {
                return Ok(());
            };
            for way in ring.nearest(missing, &spare).ok_or(LiftHalt::Blocked)? {
                self.follow(way)?;
            }
        }
    }
}

impl Ring {
    /// Shortest sequence of moves that brings a spare token to place `to` (backward breadth-first
    /// search).
    fn nearest(&self, to: usize, spare: &[Value]) -> Option<Vec<&EventExpansion>> {
        let mut next: Vec<Option<(usize, &EventExpansion)>> = vec![None; self.places.len()];
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
            let first = self.moves.partition_point(|(_, there, _)| *there < at);
            let arriving = self.moves[first..]
                .iter()
                .take_while(|(_, there, _)| *there == at);
            for (from, _, way) in arriving {
                if *from != to && next[*from].is_none() {
                    next[*from] = Some((at, way));
                    queue.push_back(*from);
                }
            }
        }
        None
    }
}

/// Sum of the tokens in these places.
pub(super) fn tokens(state: &State, places: &[VarId]) -> Value {
    places.iter().map(|place| state[place.index()]).sum()
}
