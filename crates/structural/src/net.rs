//! A net as the rules of this crate want it: needs, effects, and who touches whom.
//!
//! Events with equal effects are one column of the incidence matrix `C`. Events that can never fire because their places
//! are empty and stay empty are left out of it: the places that no run can mark are the greatest set `S` with
//!
//! ```text
//! m0(S) = 0   and   every event that puts a token on S takes one from S
//! ```
//!
//! (an unmarked *siphon*), found from its complement in time linear in the arcs. Linear invariants alone do not see it.

use lariat_model::{Action, EventId, State, System, Value, VarId};
use rustc_hash::FxHashMap;

/// Facts are found for nets with at most this many initial markings.
const MOST_INITIAL: usize = 64;

/// Facts are found for nets with at most so many places and events together: beyond that every linear program is too large.
pub(crate) const MOST_NODES: usize = 60_000;

/// What an event changes: places with what is added, sorted, no 0.
pub(crate) type Effect = Vec<(VarId, Value)>;

/// A net.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    /// How many places there are.
    pub places: usize,
    /// For every event what it needs, as (place, at least so many), sorted, no 0.
    pub needs: Vec<Vec<(VarId, Value)>>,
    /// The different effects of events that are not silenced; none is empty.
    pub effects: Vec<Effect>,
    /// The effect of every event; `None` if it changes nothing or is silenced.
    pub effect_of: Vec<Option<usize>>,
    /// The effects that touch a place, with what they add.
    pub changes: Vec<Vec<(usize, Value)>>,
    /// Places that are never marked.
    pub empty: Vec<bool>,
    /// Events that need one of these.
    pub silenced: Vec<bool>,
    /// Where runs start; at least one marking.
    pub initial: Vec<State>,
}

impl Net {
    /// The net that a system is, if it is one and has at most so many places and events together.
    pub fn within(nodes: usize, system: &System) -> Option<Net> {
        let small = system.variables.len() + system.events.len() <= nodes;
        small.then(|| Net::of(system)).flatten()
    }

    /// The net that a system is, if it is one.
    pub fn of(system: &System) -> Option<Net> {
        let proper = system.is_net() && system.fault.is_none();
        let initial = (1..=MOST_INITIAL).contains(&system.initial.len());
        let counts = system.initial.iter().flatten().all(|tokens| *tokens >= 0);
        if !proper || !initial || !counts {
            return None;
        }
        let (mut needs, mut deltas) = (Vec::new(), Vec::new());
        for event in &system.events {
            let Action::Net(arcs) = &event.action else {
                return None;
            };
            needs.push(
                arcs.iter()
                    .filter(|a| a.need > 0)
                    .map(|a| (a.var, a.need))
                    .collect(),
            );
            let changed = arcs.iter().filter(|a| a.delta != 0);
            deltas.push(changed.map(|a| (a.var, a.delta)).collect::<Effect>());
        }
        let mut net = Net {
            places: system.variables.len(),
            needs,
            effects: Vec::new(),
            effect_of: Vec::new(),
            changes: vec![Vec::new(); system.variables.len()],
            empty: Vec::new(),
            silenced: Vec::new(),
            initial: system.initial.clone(),
        };
        (net.empty, net.silenced) = net.never_marked(&deltas);
        let mut known: FxHashMap<Effect, usize> = FxHashMap::default();
        for (event, delta) in deltas.into_iter().enumerate() {
            if delta.is_empty() || net.silenced[event] {
                net.effect_of.push(None);
                continue;
            }
            let next = net.effects.len();
            let id = *known.entry(delta.clone()).or_insert(next);
            if id == next {
                for (place, change) in &delta {
                    net.changes[place.index()].push((id, *change));
                }
                net.effects.push(delta);
            }
            net.effect_of.push(Some(id));
        }
        Some(net)
    }

    /// The unmarked siphon, and the events that it silences.
    fn never_marked(&self, deltas: &[Effect]) -> (Vec<bool>, Vec<bool>) {
        let mut marked = vec![false; self.places];
        let mut waiting = vec![Vec::new(); self.places];
        let mut missing: Vec<usize> = self.needs.iter().map(Vec::len).collect();
        for (event, needs) in self.needs.iter().enumerate() {
            for (place, _) in needs {
                waiting[place.index()].push(event);
            }
        }
        let mut fresh: Vec<usize> = Vec::new();
        let mut mark = |place: usize, fresh: &mut Vec<usize>| {
            if !std::mem::replace(&mut marked[place], true) {
                fresh.push(place);
            }
        };
        let put = |event: usize| {
            deltas[event]
                .iter()
                .filter(|(_, d)| *d > 0)
                .map(|(p, _)| p.index())
        };
        for state in &self.initial {
            let places = (0..self.places).filter(|p| state[*p] > 0);
            places.for_each(|p| mark(p, &mut fresh));
        }
        for event in (0..missing.len()).filter(|e| missing[*e] == 0) {
            put(event).for_each(|p| mark(p, &mut fresh));
        }
        while let Some(place) = fresh.pop() {
            for &event in &waiting[place] {
                missing[event] -= 1;
                if missing[event] == 0 {
                    put(event).for_each(|p| mark(p, &mut fresh));
                }
            }
        }
        let empty = marked.into_iter().map(|marked| !marked).collect();
        (empty, missing.into_iter().map(|n| n > 0).collect())
    }

    /// Is the event enabled in `state`?
    pub fn enabled(&self, state: &[Value], event: EventId) -> bool {
        let needs = &self.needs[event.index()];
        needs
            .iter()
            .all(|(place, need)| state[place.index()] >= *need)
    }

    /// All events.
    pub fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.needs.len() as u32).map(EventId)
    }

    /// The events that can change something and are not silenced, with their effects.
    pub fn column(&self, event: EventId) -> Option<usize> {
        self.effect_of[event.index()]
    }
}
