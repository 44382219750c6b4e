//! Sampled reachable markings, which refute candidate facts without the solver.
//!
//! A random walk starts from the initial markings in turn, restarts in dead markings and after a
//! fixed number of steps, and ends after a counted number of arc inspections. It keeps some
//! markings, and records which events fired and the largest count of each place.

use crate::cases::LinearCase;
use crate::net::IncidenceNet;
use lariat_model::{EventId, State, Value};

/// Limit on the needs and effects that the walk inspects.
const MOST_INSPECTED: usize = 100_000;
/// Limit on the markings that the walk keeps.
const KEPT: usize = 64;
/// Steps after which the walk restarts.
const STEPS: usize = 400;

/// Markings, fired events and largest counts of a random walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    states: Vec<State>,
    pub fired: Vec<bool>,
    pub most: Vec<Value>,
    /// For each place whether it alone disabled an event.
    pub deciding: Vec<bool>,
}

impl Samples {
    /// Runs the random walk.
    pub fn of(net: &IncidenceNet) -> Samples {
        let mut samples = Samples {
            states: net.initial.clone(),
            fired: vec![false; net.needs.len()],
            most: vec![0; net.places],
            deciding: vec![false; net.places],
        };
        for state in &net.initial {
            raise(&mut samples.most, state);
        }
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut inspected = net.places;
        let mut walks = 0;
        while inspected < MOST_INSPECTED {
            let mut state = net.initial[walks % net.initial.len()].clone();
            walks += 1;
            for step in 0..STEPS {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let Some(event) = samples.some_enabled(net, &state, random, &mut inspected) else {
                    // A dead initial marking ends the sampling.
                    inspected = if step == 0 { MOST_INSPECTED } else { inspected };
                    samples.keep_dead(&state);
                    break;
                };
                if !samples.fire(net, &mut state, event, &mut inspected) {
                    break;
                }
                let spread = step.is_power_of_two() || (random >> 32).is_multiple_of(16);
                if spread && samples.states.len() < KEPT && inspected < MOST_INSPECTED {
                    inspected += net.places;
                    samples.states.push(state.clone());
                }
                if inspected >= MOST_INSPECTED {
                    break;
                }
            }
        }
        samples
    }

    /// Keeps a dead marking; there is extra capacity for these.
    fn keep_dead(&mut self, state: &State) {
        if self.states.len() < 2 * KEPT && !self.states.contains(state) {
            self.states.push(state.clone());
        }
    }

    fn some_enabled(
        &mut self,
        net: &IncidenceNet,
        state: &State,
        random: u64,
        inspected: &mut usize,
    ) -> Option<EventId> {
        let count = net.needs.len();
        let first = (random >> 11) as usize % count.max(1);
        (0..count)
            .map(|i| EventId(((first + i) % count) as u32))
            .find(|event| {
                let needs = &net.needs[event.index()];
                *inspected += 1 + needs.len();
                let mut lacking = needs.iter().filter(|(p, need)| state[p.index()] < *need);
                let Some((place, _)) = lacking.next() else {
                    return true;
                };
                if lacking.next().is_none() {
                    self.deciding[place.index()] = true;
                }
                false
            })
    }

    /// Fires the event; returns `false` if a count would overflow.
    fn fire(
        &mut self,
        net: &IncidenceNet,
        state: &mut State,
        event: EventId,
        inspected: &mut usize,
    ) -> bool {
        self.fired[event.index()] = true;
        if let Some(column) = net.column(event) {
            for (place, change) in &net.effects[column] {
                *inspected += 1;
                let slot = &mut state[place.index()];
                match slot.checked_add(*change) {
                    Some(value) => *slot = value,
                    None => return false,
                }
                let most = &mut self.most[place.index()];
                *most = (*most).max(*slot);
            }
        }
        true
    }

    /// Returns whether a kept marking satisfies the case.
    pub fn contain(&self, case: &LinearCase) -> bool {
        let holds = |state: &State| case.iter().all(|row| row.holds(state) != Some(false));
        self.states.iter().any(holds)
    }

    /// Returns whether a kept dead marking satisfies the case.
    pub fn contain_dead(&self, net: &IncidenceNet, case: &LinearCase) -> bool {
        let holds = |state: &State| case.iter().all(|row| row.holds(state) != Some(false));
        let dead = |state: &State| !net.events().any(|event| net.enabled(state, event));
        self.states.iter().any(|state| holds(state) && dead(state))
    }

    /// Adds a reachable marking that a walk or search has found.
    pub fn add(&mut self, state: &[Value]) {
        raise(&mut self.most, state);
        if self.states.len() < 3 * KEPT {
            self.states.push(state.into());
        }
    }
}

fn raise(most: &mut [Value], state: &[Value]) {
    for (most, value) in most.iter_mut().zip(state) {
        *most = (*most).max(*value);
    }
}
