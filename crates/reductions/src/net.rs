//! The mutable net that the rules transform; each event records the events of the original that it
//! represents.

use super::reduction::ReductionLift;
use super::support::Support;
use super::trace_lift::EventExpansion;
use lariat_budget::{Budget, Stop};
use lariat_model::{Action, Arc, Domain, Event, State, System, Unit, Value, VarId, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// The position of an event in a [`ReducibleNet`], never reused after the event is removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct EventIndex(usize);

impl EventIndex {
    pub fn index(self) -> usize {
        self.0
    }
}

#[derive(Clone, Debug)]
pub(super) struct ReducibleTransition {
    /// At most one arc per place, sorted by place; none without effect and need.
    pub arcs: Vec<Arc>,
    /// The events of the original that it represents.
    pub way: EventExpansion,
}

impl ReducibleTransition {
    pub fn arc(&self, place: VarId) -> Option<&Arc> {
        let at = self.arcs.binary_search_by_key(&place, |arc| arc.var);
        at.ok().map(|at| &self.arcs[at])
    }

    pub fn need(&self, place: VarId) -> Value {
        self.arc(place).map_or(0, |arc| arc.need)
    }

    /// Sequential composition in one step; `None` if the way is too long or a weight overflows.
    pub fn then(&self, next: &ReducibleTransition) -> Option<ReducibleTransition> {
        let way = self.way.then(&next.way)?;
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
        Some(ReducibleTransition { arcs, way })
    }

    /// The arcs after these places, which are sorted, are fused into the first; `None` on overflow.
    fn fused(&self, places: &[VarId]) -> Option<Vec<Arc>> {
        let is_fused = |arc: &Arc| places.binary_search(&arc.var).is_ok();
        let mut sum = Arc {
            var: *places.first()?,
            need: 0,
            delta: 0,
        };
        for arc in self.arcs.iter().filter(|arc| is_fused(arc)) {
            sum.need = sum.need.checked_add(arc.need)?;
            sum.delta = sum.delta.checked_add(arc.delta)?;
        }
        sum.need.checked_add(sum.delta)?;
        let mut arcs = self.arcs.clone();
        arcs.retain(|arc| !is_fused(arc));
        arcs.insert(arcs.partition_point(|arc| arc.var < sum.var), sum);
        Some(arcs)
    }
}

pub(super) struct ReducibleNet<'a> {
    pub support: &'a Support,
    system: &'a System,
    budget: &'a Budget,
    /// Initial markings, at least one.
    markings: Cow<'a, [State]>,
    /// By place: the minimum and the maximum over the initial markings.
    fewest: Vec<Value>,
    most: Vec<Value>,
    /// Members of fused places, in terms of the original.
    fused: FxHashMap<VarId, Vec<VarId>>,
    has_place: Vec<bool>,
    transitions: Vec<Option<ReducibleTransition>>,
    /// By place: transitions with an arc there, by increasing position; some may have been removed.
    touching: Vec<Vec<EventIndex>>,
    places: usize,
    events: usize,
    /// Ways to fire at a deadlock of the net until the original is deadlocked too, last level
    /// first; see `pre_agglomeration.rs` and `prefix_of_interest.rs`.
    pub pending: Vec<Vec<EventExpansion>>,
}

impl<'a> ReducibleNet<'a> {
    /// Copies a system; `None` if it is no net.
    pub fn new(
        system: &'a System,
        support: &'a Support,
        budget: &'a Budget,
    ) -> Option<ReducibleNet<'a>> {
        if system.fault.is_some() || system.initial.is_empty() {
            return None;
        }
        let mut net = ReducibleNet {
            support,
            system,
            budget,
            markings: Cow::Borrowed(&system.initial),
            fewest: by_place(&system.initial, Value::min),
            most: by_place(&system.initial, Value::max),
            fused: FxHashMap::default(),
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
            net.add(ReducibleTransition {
                arcs: arcs.clone(),
                way: EventExpansion::take(id),
            });
        }
        Some(net)
    }

    /// Counts work; an error ends the reductions and keeps those made so far.
    pub fn spend(&self, work: usize) -> Result<(), Stop> {
        self.budget.spend(work as u64 + 1)
    }

    pub fn size(&self) -> (usize, usize) {
        (self.places, self.events)
    }

    /// Minimum of a value over the initial markings.
    pub fn least_of<T: Ord>(&self, value: impl Fn(&State) -> T) -> Option<T> {
        self.markings.iter().map(value).min()
    }

    pub fn fewest_tokens(&self, place: VarId) -> Value {
        self.fewest[place.index()]
    }

    pub fn most_tokens(&self, place: VarId) -> Value {
        self.most[place.index()]
    }

    pub fn place_ids(&self) -> Vec<VarId> {
        let ids = self.system.var_ids();
        ids.filter(|place| self.has_place[place.index()]).collect()
    }

    /// Places that no atom reads, the candidates for removal.
    pub fn free_places(&self) -> Vec<VarId> {
        let mut places = self.place_ids();
        places.retain(|place| !self.support.reads(*place));
        places
    }

    pub fn has_place(&self, place: VarId) -> bool {
        self.has_place[place.index()]
    }

    /// Returns whether the place exists and is not the last one, which always remains.
    pub fn is_removable(&self, place: VarId) -> bool {
        self.has_place[place.index()] && self.places > 1
    }

    pub fn transitions(&self) -> impl Iterator<Item = (EventIndex, &ReducibleTransition)> {
        let all = self.transitions.iter().enumerate();
        all.filter_map(|(i, transition)| Some((EventIndex(i), transition.as_ref()?)))
    }

    /// Events adjacent to a place, with their arcs there.
    pub fn touching(
        &self,
        place: VarId,
    ) -> impl Iterator<Item = (EventIndex, &ReducibleTransition, &Arc)> {
        self.touching[place.index()].iter().filter_map(move |at| {
            let transition = self.transitions[at.0].as_ref()?;
            Some((*at, transition, transition.arc(place)?))
        })
    }

    pub fn transition(&self, at: EventIndex) -> Option<&ReducibleTransition> {
        self.transitions[at.0].as_ref()
    }

    pub fn add(&mut self, transition: ReducibleTransition) {
        let at = EventIndex(self.transitions.len());
        for arc in &transition.arcs {
            self.touching[arc.var.index()].push(at);
        }
        self.transitions.push(Some(transition));
        self.events += 1;
    }

    pub fn remove(&mut self, at: EventIndex) {
        if self.transitions[at.0].take().is_some() {
            self.events -= 1;
        }
    }

    /// Removes a place with all its arcs.
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

    /// Atoms that name the event. If there are any, it represents a single event or one of several
    /// that the same atoms name.
    pub fn names(&self, transition: &ReducibleTransition) -> &'a [u32] {
        let first = transition.way.first();
        first.map_or(&[], |event| self.support.names(event))
    }

    pub fn set_way(&mut self, at: EventIndex, way: EventExpansion) {
        if let Some(transition) = &mut self.transitions[at.0] {
            transition.way = way;
        }
    }

    /// Fuses places, which are sorted and read by no atom, into the first, which holds the sum of
    /// their tokens. Returns false and changes nothing if a number overflows.
    pub fn fuse(&mut self, places: &[VarId]) -> bool {
        let Some((first, others)) = places.split_first() else {
            return false;
        };
        let mut touching: Vec<EventIndex> = (places.iter())
            .flat_map(|place| self.touching(*place).map(|(at, ..)| at))
            .collect();
        touching.sort_unstable();
        touching.dedup();
        let fused = |at: &EventIndex| self.transition(*at)?.fused(places);
        let arcs: Option<Vec<Vec<Arc>>> = touching.iter().map(fused).collect();
        let sum = |marking: &State| {
            let tokens = places.iter().map(|place| marking[place.index()]);
            { tokens }.try_fold(0, Value::checked_add)
        };
        let sums: Option<Vec<Value>> = self.markings.iter().map(sum).collect();
        let (Some(arcs), Some(sums)) = (arcs, sums) else {
            return false;
        };
        let members = places.iter().flat_map(|place| self.members(place));
        let members: Vec<VarId> = members.copied().collect();
        for (at, arcs) in touching.iter().zip(arcs) {
            if let Some(transition) = &mut self.transitions[at.0] {
                transition.arcs = arcs;
            }
        }
        for place in others {
            self.remove_place(*place);
            self.fused.remove(place);
        }
        self.touching[first.index()] = touching;
        self.fewest[first.index()] = sums.iter().copied().min().unwrap_or(0);
        self.most[first.index()] = sums.iter().copied().max().unwrap_or(0);
        for (marking, tokens) in self.markings.to_mut().iter_mut().zip(sums) {
            marking[first.index()] = tokens;
        }
        self.fused.insert(*first, members);
        true
    }

    /// Places of the original that were fused into this one.
    pub fn members<'n>(&'n self, place: &'n VarId) -> &'n [VarId] {
        let fused = self.fused.get(place);
        fused.map_or(std::slice::from_ref(place), |members| members)
    }

    /// Returns whether the event changes a place that some atom reads.
    pub fn is_visible(&self, transition: &ReducibleTransition) -> bool {
        let seen = |arc: &Arc| arc.delta != 0 && self.support.reads(arc.var);
        transition.arcs.iter().any(seen)
    }

    /// Builds the current net as a system.
    pub fn current(&self) -> Current {
        let old = self.system;
        let there: Vec<VarId> = self.place_ids();
        let mut places: Vec<Option<VarId>> = vec![None; old.variables.len()];
        for (new, place) in (0..).map(VarId).zip(&there) {
            places[place.index()] = Some(new);
        }
        let unit = |unit: &Unit| Unit {
            name: unit.name.clone(),
            places: (unit.places.iter())
                .filter_map(|place| places.get(place.index()).copied().flatten())
                .collect(),
            subunits: unit.subunits.clone(),
        };
        let mut names: FxHashSet<String> = if self.fused.is_empty() {
            FxHashSet::default()
        } else {
            old.variables.iter().map(|v| v.name.clone()).collect()
        };
        let mut system = System {
            name: old.name.clone(),
            variables: (there.iter())
                .map(|place| self.variable(place, &mut names))
                .collect(),
            initial: self.without_twins(&there),
            units: old.units.iter().map(unit).collect(),
            ..System::default()
        };
        let mut names: FxHashSet<String> = old.events.iter().map(|e| e.name.clone()).collect();
        for (_, transition) in self.transitions() {
            let renamed = |arc: &Arc| places[arc.var.index()].map(|var| Arc { var, ..*arc });
            let shown = transition.way.shown();
            let shown = shown.iter().map(|event| old.event(*event).name.as_str());
            system.events.push(Event {
                name: joint_name(&shown.collect::<Vec<_>>(), ".", &mut names),
                action: Action::Net(transition.arcs.iter().filter_map(renamed).collect()),
            });
        }
        Current {
            system,
            places,
            there,
        }
    }

    /// Converts to the lift from the system of [`current`](ReducibleNet::current), whose place
    /// table is `places`.
    pub fn into_lift(
        mut self,
        original: &System,
        mut places: Vec<Option<VarId>>,
    ) -> ReductionLift<'_> {
        let ways = self.transitions.into_iter().flatten();
        let ways = ways.map(|transition| transition.way).collect();
        let fused = self.fused.drain();
        let fused = fused.map(|(place, members)| (places[place.index()].take(), members));
        let mut fused: Vec<_> = fused.collect();
        fused.sort_unstable();
        ReductionLift {
            original,
            fused,
            places,
            ways,
            pending: self.pending,
        }
    }

    /// The variable of a place; the bound of a fused place is the sum of the bounds.
    fn variable(&self, place: &VarId, taken: &mut FxHashSet<String>) -> Variable {
        let members = self.members(place).iter();
        let members: Vec<&Variable> = members.map(|place| self.system.variable(*place)).collect();
        if let [single] = members[..] {
            return single.clone();
        }
        let bound = |variable: &&Variable| match variable.domain {
            Domain::Count { bound } => bound,
            _ => None,
        };
        let bounds = members.iter().map(bound);
        let bound = { bounds }.try_fold(0_u64, |sum, bound| sum.checked_add(bound?));
        let names: Vec<&str> = members.iter().map(|v| v.name.as_str()).collect();
        Variable {
            name: joint_name(&names, "+", taken),
            domain: Domain::Count { bound },
        }
    }

    /// Initial markings restricted to these places, without duplicates.
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
}

/// Combines the markings place by place.
fn by_place(markings: &[State], choose: fn(Value, Value) -> Value) -> Vec<Value> {
    let mut chosen = markings.first().map_or(Vec::new(), |m| m.to_vec());
    for marking in markings {
        for (chosen, tokens) in chosen.iter_mut().zip(marking) {
            *chosen = choose(*chosen, *tokens);
        }
    }
    chosen
}

pub(super) struct Current {
    pub system: System,
    /// By place of the original: its id in this system.
    pub places: Vec<Option<VarId>>,
    /// By place of this system: its id in the original.
    pub there: Vec<VarId>,
}

/// Limit on the names that a joint name lists.
const SHOWN: usize = 4;

/// A unique name for an object joined from these parts.
fn joint_name(parts: &[&str], between: &str, taken: &mut FxHashSet<String>) -> String {
    if let [single] = parts {
        return (*single).to_owned();
    }
    let mut name = parts[..parts.len().min(SHOWN)].join(between);
    if parts.len() > SHOWN {
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
