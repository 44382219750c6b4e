//! A short random walk over a net, before the layout is chosen, that estimates the tokens per
//! place.
//!
//! A place without a stated bound needs a field width. Proving a bound would often cost more than
//! the search; values that exceed the estimate go into overflow vectors (`overflow.rs`).

use super::enabled::EnabledSet;
use super::layout::PackedLayout;
use super::net::{CompiledNet, order};
use lariat_model::{System, Value};
use lariat_random::Random;

const STEPS: usize = 1024;
/// Gains after which a place that never had two tokens is assumed to be safe.
const GAINS: u32 = 4;

#[derive(Debug)]
pub(super) struct WalkObservations {
    pub most: Vec<Value>,
    gains: Vec<u32>,
    /// Maximum over the places of interest.
    highest: Value,
}

impl WalkObservations {
    /// Returns whether a place appears to be safe: it never had two tokens, and either gained
    /// tokens often, or no place of interest had two.
    pub fn looks_safe(&self, place: usize) -> bool {
        let often = self.gains[place] >= GAINS;
        self.most[place] <= 1 && (self.highest <= 1 || often)
    }
}

/// Walks over the net of a system with any `layout`; `open` are the places of interest.
pub(super) fn rehearse(
    system: &System,
    layout: &PackedLayout,
    open: impl Iterator<Item = usize>,
) -> WalkObservations {
    let net = CompiledNet::new(system, order(system), layout);
    let nothing = || vec![0; system.variables.len()];
    let initial: Vec<Value> = system.initial.first().map_or_else(nothing, |s| s.to_vec());
    let mut seen = WalkObservations {
        most: initial.clone(),
        gains: vec![0; initial.len()],
        highest: 0,
    };
    walk(&net, &initial, &mut seen);
    for place in open {
        let starts = system.initial.iter().map(|state| state[place]);
        seen.most[place] = starts.fold(seen.most[place], Value::max);
        seen.highest = seen.highest.max(seen.most[place]);
    }
    seen
}

fn walk(net: &CompiledNet, initial: &[Value], seen: &mut WalkObservations) {
    if net.len() == 0 {
        return;
    }
    let mut random = Random::new(1);
    let mut values = initial.to_vec();
    let mut enabled = EnabledSet::new(net, &values);
    let mut changed = Vec::new();
    for _ in 0..STEPS {
        changed.clear();
        let from = random.below(net.len() as u32);
        let taken = enabled.find(from).or_else(|| enabled.find(0));
        let Some(t) = taken else {
            let places = (0..).zip(&values).zip(initial);
            let differ = places.filter(|((_, now), start)| now != start);
            changed.extend(differ.map(|((place, now), _)| (place, *now)));
            if changed.is_empty() {
                return;
            }
            values.copy_from_slice(initial);
            enabled.follow(net, &values, &changed, &mut |_, _| {});
            continue;
        };
        for put in net.puts(t) {
            let place = put.var as usize;
            let old = values[place];
            values[place] = old.saturating_add(put.delta);
            changed.push((put.var, old));
            seen.most[place] = seen.most[place].max(values[place]);
            seen.gains[place] += u32::from(put.delta > 0);
        }
        enabled.follow(net, &values, &changed, &mut |_, _| {});
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{place, pour, transition};
    use super::*;

    #[test]
    fn a_walk_observes_token_counts() {
        // One token moves between two places; all tokens of a third move to a fourth.
        let system = System {
            initial: vec![vec![1, 0, 9, 0].into()],
            variables: ["a", "b", "c", "d"].map(place).to_vec(),
            events: vec![
                transition("to", &[(0, 1, -1), (1, 0, 1)]),
                transition("fro", &[(0, 0, 1), (1, 1, -1)]),
                transition("pour", &[(2, 1, -1), (3, 0, 1)]),
            ],
            ..System::default()
        };
        let seen = rehearse(&system, &PackedLayout::new(&system), 0..4);
        assert_eq!(seen.most, [1, 1, 9, 9]);
        let safe = [0, 1, 2, 3].map(|p| seen.looks_safe(p));
        assert_eq!(safe, [true, true, false, false]);
    }

    #[test]
    fn a_system_without_initial_states_has_no_walk() {
        let nowhere = System {
            initial: Vec::new(),
            ..pour(3)
        };
        let seen = |system: &System| rehearse(system, &PackedLayout::new(system), 0..2);
        assert!(seen(&nowhere).looks_safe(1));
        assert_eq!(seen(&pour(3)).most[1], 3);
    }
}
