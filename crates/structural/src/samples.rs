//! Markings that were seen: what happens on a short walk needs no proof of its absence.
//!
//! One random walk from each start for a counted number of looks at arcs, restarted where it dies. A few dozen
//! markings are kept, spread over the walk; of all of them it is known which events fired and how full places were. A
//! question whose answer is among them is never put to the solver.

use crate::cases::Case;
use crate::net::Net;
use lariat_model::{EventId, State, Value};

/// Looks at needs and effects that the walk may cost: well below a millisecond.
const LOOKS: usize = 100_000;
/// Markings that are kept.
const KEPT: usize = 64;
/// A walk starts again after so many steps.
const STEPS: usize = 400;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    states: Vec<State>,
    pub fired: Vec<bool>,
    pub most: Vec<Value>,
    /// For every place: did it alone keep an event from being enabled?
    pub deciding: Vec<bool>,
}

impl Samples {
    /// Walks a little.
    pub fn of(net: &Net) -> Samples {
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
        let mut looks = net.places;
        let mut walks = 0;
        while looks < LOOKS {
            let mut state = net.initial[walks % net.initial.len()].clone();
            walks += 1;
            for step in 0..STEPS {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let Some(event) = samples.some_enabled(net, &state, random, &mut looks) else {
                    // Where the very first marking is dead there is nothing to see.
                    looks = if step == 0 { LOOKS } else { looks };
                    samples.keep_dead(&state);
                    break;
                };
                if !samples.fire(net, &mut state, event, &mut looks) {
                    break;
                }
                let spread = step.is_power_of_two() || (random >> 32).is_multiple_of(16);
                if spread && samples.states.len() < KEPT && looks < LOOKS {
                    looks += net.places;
                    samples.states.push(state.clone());
                }
                if looks >= LOOKS {
                    break;
                }
            }
        }
        samples
    }

    /// Keeps the first dead markings, which are worth more than others.
    fn keep_dead(&mut self, state: &State) {
        if self.states.len() < 2 * KEPT && !self.states.contains(state) {
            self.states.push(state.clone());
        }
    }

    fn some_enabled(
        &mut self,
        net: &Net,
        state: &State,
        random: u64,
        looks: &mut usize,
    ) -> Option<EventId> {
        let count = net.needs.len();
        let first = (random >> 11) as usize % count.max(1);
        (0..count)
            .map(|i| EventId(((first + i) % count) as u32))
            .find(|event| {
                let needs = &net.needs[event.index()];
                *looks += 1 + needs.len();
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

    /// False if a count would leave 63 bits.
    fn fire(&mut self, net: &Net, state: &mut State, event: EventId, looks: &mut usize) -> bool {
        self.fired[event.index()] = true;
        if let Some(column) = net.column(event) {
            for (place, change) in &net.effects[column] {
                *looks += 1;
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

    /// Was a marking of the case seen?
    pub fn contain(&self, case: &Case) -> bool {
        let holds = |state: &State| case.iter().all(|row| row.holds(state) != Some(false));
        self.states.iter().any(holds)
    }

    /// Was a dead marking of the case seen?
    pub fn contain_dead(&self, net: &Net, case: &Case) -> bool {
        let holds = |state: &State| case.iter().all(|row| row.holds(state) != Some(false));
        let dead = |state: &State| !net.events().any(|event| net.enabled(state, event));
        self.states.iter().any(|state| holds(state) && dead(state))
    }

    /// Adds a reachable marking that somebody else has seen.
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
