//! The net in the form that this crate uses: needs, effects, and the effects on each place.
//!
//! Events with equal effects share a column of the incidence matrix `C`. Events with a never marked
//! input place have none. The places that no run marks are the greatest set `S` with
//!
//! ```text
//! m0(S) = 0   and   every event that puts a token on S takes one from S
//! ```
//!
//! (an unmarked *siphon*), computed in linear time. Linear invariants do not imply it.

use lariat_model::{Action, EventId, State, System, Value, VarId};
use rustc_hash::FxHashMap;

/// Limit on the number of initial markings of a supported net.
const MOST_INITIAL: usize = 64;

/// Limit on places plus events; the linear programs of larger nets are too large.
pub(crate) const MOST_NODES: usize = 60_000;

/// The change of each place that an event changes: sorted, no 0.
pub(crate) type TokenChange = Vec<(VarId, Value)>;

/// A net with its columns and its never marked places.
#[derive(Clone, Debug)]
pub(crate) struct IncidenceNet {
    /// The number of places.
    pub places: usize,
    /// For each event its preset as (place, least number of tokens), sorted, no 0.
    pub needs: Vec<Vec<(VarId, Value)>>,
    /// The distinct effects of events that are not silenced; none is empty.
    pub effects: Vec<TokenChange>,
    /// Index of the effect of each event; `None` if it changes nothing or is silenced.
    pub effect_of: Vec<Option<usize>>,
    /// For each place the effects that change it, with the change.
    pub changes: Vec<Vec<(usize, Value)>>,
    /// For each place whether it is never marked.
    pub empty: Vec<bool>,
    /// For each event whether it needs a never marked place, so that it never fires.
    pub silenced: Vec<bool>,
    /// Initial markings; at least one.
    pub initial: Vec<State>,
}

impl IncidenceNet {
    /// Converts a system to a net; `None` if it is none or has more than `nodes` places and events.
    pub fn within(nodes: usize, system: &System) -> Option<IncidenceNet> {
        let small = system.variables.len() + system.events.len() <= nodes;
        small.then(|| IncidenceNet::of(system)).flatten()
    }

    /// Converts a system to a net; `None` if it is no supported net.
    pub fn of(system: &System) -> Option<IncidenceNet> {
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
            let needed = arcs.iter().filter(|a| a.need > 0);
            needs.push(needed.map(|a| (a.var, a.need)).collect());
            let changed = arcs.iter().filter(|a| a.delta != 0);
            deltas.push(changed.map(|a| (a.var, a.delta)).collect::<TokenChange>());
        }
        let mut net = IncidenceNet {
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
        let mut known: FxHashMap<TokenChange, usize> = FxHashMap::default();
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

    /// The greatest unmarked siphon, and the events that it silences.
    fn never_marked(&self, deltas: &[TokenChange]) -> (Vec<bool>, Vec<bool>) {
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
            let gains = deltas[event].iter().filter(|(_, d)| *d > 0);
            gains.map(|(p, _)| p.index())
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

    /// Returns whether the event is enabled in `state`.
    pub fn enabled(&self, state: &[Value], event: EventId) -> bool {
        let mut needs = self.needs[event.index()].iter();
        needs.all(|(place, need)| state[place.index()] >= *need)
    }

    pub fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.needs.len() as u32).map(EventId)
    }

    /// Index of the event's effect; `None` if it changes nothing or is silenced.
    pub fn column(&self, event: EventId) -> Option<usize> {
        self.effect_of[event.index()]
    }
}
