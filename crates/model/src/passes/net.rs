//! The net that rules work on: places and events come and go, and every event remembers what it stands for.

use super::support::Support;
use crate::system::{Action, Arc, Event, EventId, State, System, Unit, Value, VarId};
use lariat_budget::{Budget, Stop};
use rustc_hash::FxHashSet;

/// Steps that one event may stand for; longer counterexamples help nobody.
const MOST_STEPS: usize = 10_000;

/// The position of an event in a [`Net`]. It is never used again when the event is gone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Position(usize);

/// An event of the net.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// At most one arc a place, sorted by place, none without effect and need.
    pub arcs: Vec<Arc>,
    /// The events of the original that it stands for, in this order.
    pub path: Vec<EventId>,
}

impl Transition {
    /// How it touches a place.
    pub fn arc(&self, place: VarId) -> Option<&Arc> {
        let at = self.arcs.binary_search_by_key(&place, |arc| arc.var);
        at.ok().map(|at| &self.arcs[at])
    }

    /// What it needs in a place.
    pub fn need(&self, place: VarId) -> Value {
        self.arc(place).map_or(0, |arc| arc.need)
    }

    /// `self`, then `next`, in one step; `None` if that is too long or its weights are too large.
    pub fn then(&self, next: &Transition) -> Option<Transition> {
        if self.path.len() + next.path.len() > MOST_STEPS {
            return None;
        }
        let mut arcs = Vec::with_capacity(self.arcs.len() + next.arcs.len());
        let places = self.arcs.iter().chain(&next.arcs).map(|arc| arc.var);
        let mut places: Vec<VarId> = places.collect();
        places.sort_unstable();
        places.dedup();
        for var in places {
            let none = Arc {
                var,
                need: 0,
                delta: 0,
            };
            let first = self.arc(var).unwrap_or(&none);
            let second = next.arc(var).unwrap_or(&none);
            let need = first.need.max(second.need.checked_sub(first.delta)?);
            let delta = first.delta.checked_add(second.delta)?;
            need.checked_add(delta)?;
            if need != 0 || delta != 0 {
                arcs.push(Arc { var, need, delta });
            }
        }
        let path = [&self.path[..], &next.path[..]].concat();
        Some(Transition { arcs, path })
    }
}

/// A net that shrinks.
pub(super) struct Net<'a> {
    pub support: &'a Support,
    system: &'a System,
    budget: &'a Budget,
    /// Initial markings; there is one at least.
    markings: &'a [State],
    /// By place: the fewest and the most tokens in one of them.
    fewest: Vec<Value>,
    most: Vec<Value>,
    has_place: Vec<bool>,
    transitions: Vec<Option<Transition>>,
    /// By place: transitions with an arc there, in order of their positions; some may be gone.
    touching: Vec<Vec<Position>>,
    places: usize,
    events: usize,
    /// What must be fired at a dead end of the net until the original is dead too, last level first; see
    /// `pre_agglomeration.rs`.
    pub pending: Vec<Vec<Vec<EventId>>>,
}

impl<'a> Net<'a> {
    /// The whole net; `None` if the system is none.
    pub fn new(system: &'a System, support: &'a Support, budget: &'a Budget) -> Option<Net<'a>> {
        if system.fault.is_some() || system.initial.is_empty() {
            return None;
        }
        let mut net = Net {
            support,
            system,
            budget,
            markings: &system.initial,
            fewest: by_place(&system.initial, Value::min),
            most: by_place(&system.initial, Value::max),
            has_place: vec![true; system.variables.len()],
            transitions: Vec::with_capacity(system.events.len()),
            touching: vec![Vec::new(); system.variables.len()],
            places: system.variables.len(),
            events: 0,
            pending: Vec::new(),
        };
        for (id, event) in system.event_ids().zip(&system.events) {
            let Action::Net(arcs) = &event.action else {
                return None;
            };
            net.add(Transition {
                arcs: arcs.clone(),
                path: vec![id],
            });
        }
        Some(net)
    }

    /// Counts work; an error ends the reductions with what is done so far.
    pub fn spend(&self, work: usize) -> Result<(), Stop> {
        self.budget.spend(work as u64 + 1)
    }

    /// How many places and events there are.
    pub fn size(&self) -> (usize, usize) {
        (self.places, self.events)
    }

    /// The least that something is in initial markings: what holds of all of them is asked of this.
    pub fn least_of<T: Ord>(&self, of: impl Fn(&State) -> T) -> Option<T> {
        self.markings.iter().map(of).min()
    }

    /// The fewest tokens that a place has at the start.
    pub fn fewest_tokens(&self, place: VarId) -> Value {
        self.fewest[place.index()]
    }

    /// The most tokens that a place has at the start.
    pub fn most_tokens(&self, place: VarId) -> Value {
        self.most[place.index()]
    }

    /// All places that are there.
    pub fn place_ids(&self) -> Vec<VarId> {
        let ids = self.system.var_ids();
        ids.filter(|place| self.has_place[place.index()]).collect()
    }

    /// The places that may go: no atom reads them, and one place always stays.
    pub fn free_places(&self) -> Vec<VarId> {
        let mut places = self.place_ids();
        places.retain(|place| !self.support.reads(*place));
        places
    }

    /// Is the place there?
    pub fn has_place(&self, place: VarId) -> bool {
        self.has_place[place.index()]
    }

    /// Is the place there, and not the last one?
    pub fn may_lose(&self, place: VarId) -> bool {
        self.has_place[place.index()] && self.places > 1
    }

    /// All events that are there.
    pub fn transitions(&self) -> impl Iterator<Item = (Position, &Transition)> {
        let all = self.transitions.iter().enumerate();
        all.filter_map(|(i, transition)| Some((Position(i), transition.as_ref()?)))
    }

    /// The events with an arc at a place, and that arc.
    pub fn touching(&self, place: VarId) -> impl Iterator<Item = (Position, &Transition, &Arc)> {
        self.touching[place.index()].iter().filter_map(move |at| {
            let transition = self.transitions[at.0].as_ref()?;
            Some((*at, transition, transition.arc(place)?))
        })
    }

    /// The event at a position, if it is still there.
    pub fn transition(&self, at: Position) -> Option<&Transition> {
        self.transitions[at.0].as_ref()
    }

    /// One more event.
    pub fn add(&mut self, transition: Transition) {
        let at = Position(self.transitions.len());
        for arc in &transition.arcs {
            self.touching[arc.var.index()].push(at);
        }
        self.transitions.push(Some(transition));
        self.events += 1;
    }

    /// One event less.
    pub fn remove(&mut self, at: Position) {
        if self.transitions[at.0].take().is_some() {
            self.events -= 1;
        }
    }

    /// One place less, with all arcs there.
    pub fn remove_place(&mut self, place: VarId) {
        if !std::mem::replace(&mut self.has_place[place.index()], false) {
            return;
        }
        self.places -= 1;
        for at in std::mem::take(&mut self.touching[place.index()]) {
            if let Some(transition) = &mut self.transitions[at.0] {
                transition.arcs.retain(|arc| arc.var != place);
            }
        }
    }

    /// Does the event change a place that some atom reads?
    pub fn is_visible(&self, transition: &Transition) -> bool {
        let seen = |arc: &Arc| arc.delta != 0 && self.support.reads(arc.var);
        transition.arcs.iter().any(seen)
    }

    /// The net as it is now.
    pub fn current(&self) -> Current {
        let old = self.system;
        let there: Vec<VarId> = self.place_ids();
        let mut places: Vec<Option<VarId>> = vec![None; old.variables.len()];
        for (new, place) in (0..).map(VarId).zip(&there) {
            places[place.index()] = Some(new);
        }
        let unit = |unit: &Unit| Unit {
            places: (unit.places.iter())
                .filter_map(|place| places.get(place.index()).copied().flatten())
                .collect(),
            subunits: unit.subunits.clone(),
        };
        let mut system = System {
            name: old.name.clone(),
            variables: (there.iter())
                .map(|place| old.variable(*place).clone())
                .collect(),
            initial: self.without_twins(&there),
            units: old.units.iter().map(unit).collect(),
            ..System::default()
        };
        let mut names: FxHashSet<String> = old.events.iter().map(|e| e.name.clone()).collect();
        let mut events = Vec::with_capacity(self.events);
        for (at, transition) in self.transitions() {
            let renamed = |arc: &Arc| places[arc.var.index()].map(|var| Arc { var, ..*arc });
            system.events.push(Event {
                name: name(old, &transition.path, &mut names),
                action: Action::Net(transition.arcs.iter().filter_map(renamed).collect()),
            });
            events.push(at);
        }
        Current {
            system,
            places,
            there,
            events,
        }
    }

    /// The initial markings of these places, each of them once.
    fn without_twins(&self, there: &[VarId]) -> Vec<State> {
        let mut seen = FxHashSet::default();
        let left = |marking: &State| -> State {
            { there.iter() }
                .map(|place| marking[place.index()])
                .collect()
        };
        let mut all: Vec<State> = self.markings.iter().map(left).collect();
        all.retain(|marking| seen.insert(marking.clone()));
        all
    }

    /// What an event stands for; nothing if it is gone.
    pub fn path(&self, at: Position) -> Vec<EventId> {
        let transition = self.transition(at);
        transition.map_or(Vec::new(), |transition| transition.path.clone())
    }
}

/// What is in each place, of several markings the one that is chosen.
fn by_place(markings: &[State], choose: fn(Value, Value) -> Value) -> Vec<Value> {
    let mut chosen = markings.first().map_or(Vec::new(), |m| m.to_vec());
    for marking in markings {
        for (chosen, tokens) in chosen.iter_mut().zip(marking) {
            *chosen = choose(*chosen, *tokens);
        }
    }
    chosen
}

/// A net between two rules, as a system of its own.
pub(super) struct Current {
    pub system: System,
    /// By place of the original: its id here.
    pub places: Vec<Option<VarId>>,
    /// By place: its id in the original.
    pub there: Vec<VarId>,
    /// By event: where it is.
    pub events: Vec<Position>,
}

/// Names of events that are shown in the name of what they were joined to.
const SHOWN: usize = 4;

/// What an event is called that stands for these.
fn name(system: &System, path: &[EventId], taken: &mut FxHashSet<String>) -> String {
    let own = |event: &EventId| system.event(*event).name.as_str();
    if let [single] = path {
        return own(single).to_owned();
    }
    let mut name = path
        .iter()
        .take(SHOWN)
        .map(own)
        .collect::<Vec<_>>()
        .join(".");
    if path.len() > SHOWN {
        name += "…";
    }
    let mut unique = name.clone();
    let mut number = 1;
    while !taken.insert(unique.clone()) {
        number += 1;
        unique = format!("{name}.{number}");
    }
    unique
}
