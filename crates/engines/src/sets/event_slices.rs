//! Event slices: the events of relaxed plans for the atoms of the property.
//!
//! Within the distance of a violation there may be too many states to search, but few events lead
//! to it.
//!
//! A *relaxed plan* (J. Hoffmann, B. Nebel, *The FF planning system*, JAIR 2001) reaches a goal if
//! no event removes tokens. The cost of an event is
//!
//! ```text
//! cost(e) = Σ { n · cost(p) | e needs n more tokens of p than the initial marking has }
//! cost(p) = 1 + min { cost(e) | e adds to p }
//! ```
//!
//! computed by Dijkstra's algorithm (D. E. Knuth, *A generalization of Dijkstra's algorithm*,
//! 1977). A slice contains the events of relaxed plans for all its goals. The first goals are
//! events that *toggle* an atom: the cheapest that adds to a place, or takes from it. Real events
//! remove tokens, so there are wider slices: each adds plans for the places from which the events
//! of the previous slice take; from a certain width on, goals also toggle the atoms back.
//!
//! A slice proves nothing. It restricts one search (`restrictions.rs`) of any engine, and runs of a
//! restriction are runs of the system. Cost: linear in the net, times the logarithm of a heap.

use lariat_model::{Action, Arc, EventId, Linear, Predicate, Proposition, System, Value, VarId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of slices, each wider than the one before.
const WIDTHS: usize = 5;

/// The first slice whose goals toggle atoms back.
const TOGGLE_BACK: usize = 2;

/// Limit on the events of a slice; larger slices restrict too little.
const MOST_EVENTS: usize = 200;

/// Returns the slices for some propositions, the narrowest first, each sorted; nets only.
pub(super) fn event_slices(system: &System, propositions: &[Proposition]) -> Vec<Vec<EventId>> {
    let Some(plans) = Plans::new(system) else {
        return Vec::new();
    };
    let mut slice = plans.slice();
    for proposition in propositions {
        match proposition {
            Proposition::Fires(events) => slice.add(plans.cheapest(events.iter().copied())),
            Proposition::State(predicate) => slice.toggle(predicate),
        }
    }
    let mut all: Vec<Vec<EventId>> = Vec::new();
    for width in 0..WIDTHS {
        if width > 0 {
            slice.widen();
        }
        if width == TOGGLE_BACK {
            for proposition in propositions {
                if let Proposition::State(predicate) = proposition {
                    slice.change_both_ways(predicate);
                }
            }
        }
        if slice.events.len() > MOST_EVENTS {
            break;
        }
        if all.last().map_or(0, Vec::len) < slice.events.len() {
            let mut events = slice.events.clone();
            events.sort_unstable();
            all.push(events);
        }
    }
    all
}

/// Costs of events and places if no event removes tokens.
struct Plans<'s> {
    system: &'s System,
    arcs: Vec<&'s [Arc]>,
    /// By event; `None` if it cannot be enabled.
    costs: Vec<Option<u64>>,
    /// By place, the cheapest events that add to it.
    producers: Vec<Vec<EventId>>,
    /// By place, the events that change it.
    changing: Vec<Vec<EventId>>,
}

impl<'s> Plans<'s> {
    fn new(system: &'s System) -> Option<Plans<'s>> {
        let arcs = |event: EventId| match &system.event(event).action {
            Action::Net(arcs) => Some(&arcs[..]),
            _ => None,
        };
        let arcs: Vec<&[Arc]> = system.event_ids().map(arcs).collect::<Option<_>>()?;
        let places = system.variables.len();
        let mut changing = vec![Vec::new(); places];
        let mut waiting_for = vec![Vec::new(); places];
        let mut missing = vec![0usize; arcs.len()];
        let first = system.initial.first()?;
        let missing_tokens = |arc: &Arc| {
            let more = arc.need - first[arc.var.index()];
            u64::try_from(more).ok().filter(|more| *more > 0)
        };
        for event in system.event_ids() {
            for arc in arcs[event.index()].iter().filter(|arc| arc.delta != 0) {
                changing[arc.var.index()].push(event);
            }
            for arc in arcs[event.index()] {
                if let Some(more) = missing_tokens(arc) {
                    waiting_for[arc.var.index()].push((event, more));
                    missing[event.index()] += 1;
                }
            }
        }
        let mut plans = Plans {
            system,
            costs: vec![None; arcs.len()],
            arcs,
            producers: vec![Vec::new(); places],
            changing,
        };
        let mut sums = vec![0u64; missing.len()];
        let possible = system.event_ids().filter(|e| missing[e.index()] == 0);
        let mut queue: BinaryHeap<Reverse<(u64, EventId)>> =
            possible.map(|event| Reverse((0, event))).collect();
        while let Some(Reverse((cost, event))) = queue.pop() {
            plans.costs[event.index()] = Some(cost);
            for arc in plans.arcs[event.index()].iter().filter(|arc| arc.delta > 0) {
                let place = arc.var.index();
                if let Some(producer) = plans.producers[place].first() {
                    if plans.costs[producer.index()] == Some(cost) {
                        plans.producers[place].push(event);
                    }
                    continue;
                }
                plans.producers[place].push(event);
                let each = cost.saturating_add(1);
                for (waiting, more) in &waiting_for[place] {
                    let i = waiting.index();
                    missing[i] -= 1;
                    sums[i] = sums[i].saturating_add(each.saturating_mul(*more));
                    if missing[i] == 0 {
                        queue.push(Reverse((sums[i], *waiting)));
                    }
                }
            }
        }
        Some(plans)
    }

    fn cheapest(&self, events: impl Iterator<Item = EventId>) -> Option<EventId> {
        let costs = events.filter_map(|event| Some((self.costs[event.index()]?, event)));
        costs.min().map(|(_, event)| event)
    }

    fn slice(&self) -> EventSlice<'_, 's> {
        EventSlice {
            plans: self,
            events: Vec::new(),
            is_in: vec![false; self.arcs.len()],
        }
    }
}

/// A slice: events with relaxed plans that enable them.
struct EventSlice<'p, 's> {
    plans: &'p Plans<'s>,
    events: Vec<EventId>,
    /// By event.
    is_in: Vec<bool>,
}

impl EventSlice<'_, '_> {
    /// Adds an event and a relaxed plan that enables it.
    fn add(&mut self, event: Option<EventId>) {
        let mut waiting = Vec::new();
        if let Some(event) = event {
            self.insert(event, &mut waiting);
        }
        self.add_plans(waiting);
    }

    /// Adds an event, and its unmarked input places to `waiting`.
    fn insert(&mut self, event: EventId, waiting: &mut Vec<usize>) {
        if !std::mem::replace(&mut self.is_in[event.index()], true) {
            self.events.push(event);
            waiting.extend(self.unmarked(event));
        }
    }

    /// Returns the places with fewer initial tokens than an event needs.
    fn unmarked(&self, event: EventId) -> impl Iterator<Item = usize> {
        let first = &self.plans.system.initial[0];
        let arcs = self.plans.arcs[event.index()].iter();
        let unmarked = arcs.filter(|arc| arc.need > first[arc.var.index()]);
        unmarked.map(|arc| arc.var.index())
    }

    /// Adds plans that mark some places. Places with the fewest producers come first. Among equally
    /// cheap events the one with the fewest unmarked inputs is chosen: disjoint plans compete for
    /// tokens.
    fn add_plans(&mut self, mut waiting: Vec<usize>) {
        let producers = &self.plans.producers;
        while let Some(next) = (0..waiting.len()).min_by_key(|i| producers[waiting[*i]].len()) {
            let place = waiting.swap_remove(next);
            let is_planned =
                |place: &usize| producers[*place].iter().any(|e| self.is_in[e.index()]);
            if is_planned(&place) {
                continue;
            }
            let new = |event: &&EventId| self.unmarked(**event).filter(|p| !is_planned(p)).count();
            if let Some(producer) = producers[place].iter().min_by_key(new) {
                self.insert(*producer, &mut waiting);
            }
        }
    }

    /// Adds plans that may toggle a predicate from its initial value.
    fn toggle(&mut self, predicate: &Predicate) {
        let system = self.plans.system;
        let first = &system.initial[0];
        match predicate {
            // A deadlock does not depend on a few places.
            Predicate::Const(_) | Predicate::Deadlock => {}
            Predicate::Not(p) => self.toggle(p),
            // Parts whose initial value differs from that of the whole need not be toggled.
            Predicate::And(ps) | Predicate::Or(ps) => {
                let now = system.holds(predicate, first);
                let alike = ps.iter().filter(|p| system.holds(p, first) == now);
                alike.for_each(|p| self.toggle(p));
            }
            Predicate::Enabled(events) if system.holds(predicate, first) => {
                for place in self.needed(events) {
                    self.change(place, Sign::Less);
                }
            }
            Predicate::Enabled(events) => self.add(self.plans.cheapest(events.iter().copied())),
            Predicate::Linear(linear) => {
                let (more, less) = toggles(linear, first);
                for (var, factor) in &linear.terms {
                    let (more, less) = if *factor > 0 {
                        (more, less)
                    } else {
                        (less, more)
                    };
                    if more {
                        self.change(*var, Sign::More);
                    }
                    if less {
                        self.change(*var, Sign::Less);
                    }
                }
            }
            Predicate::Expr(_) => self.change_both_ways(predicate),
        }
    }

    /// Adds plans that change the places of a predicate in both directions.
    fn change_both_ways(&mut self, predicate: &Predicate) {
        let mut vars = Vec::new();
        match predicate {
            Predicate::Const(_) | Predicate::Deadlock => {}
            Predicate::Not(p) => self.change_both_ways(p),
            Predicate::And(ps) | Predicate::Or(ps) => {
                ps.iter().for_each(|p| self.change_both_ways(p));
            }
            Predicate::Enabled(events) => {
                self.add(self.plans.cheapest(events.iter().copied()));
                vars = self.needed(events);
            }
            Predicate::Linear(_) | Predicate::Expr(_) => predicate.collect_vars(&mut vars),
        }
        for var in vars {
            self.change(var, Sign::More);
            self.change(var, Sign::Less);
        }
    }

    /// Returns the input places of some events.
    fn needed(&self, events: &[EventId]) -> Vec<VarId> {
        let arcs = events.iter().flat_map(|e| self.plans.arcs[e.index()]);
        arcs.filter(|arc| arc.need > 0).map(|arc| arc.var).collect()
    }

    /// Adds the cheapest plan that adds tokens to a place, or takes some.
    fn change(&mut self, place: VarId, sign: Sign) {
        let plans = self.plans;
        let changes = |event: &EventId| {
            let arcs = plans.arcs[event.index()].iter();
            arcs.filter(|arc| arc.var == place).any(|arc| match sign {
                Sign::More => arc.delta > 0,
                Sign::Less => arc.delta < 0,
            })
        };
        let all = plans.changing[place.index()].iter().copied();
        self.add(plans.cheapest(all.filter(changes)));
    }

    fn widen(&mut self) {
        let arcs = self.events.iter().flat_map(|e| self.plans.arcs[e.index()]);
        let taken_from = arcs.filter(|arc| arc.delta < 0);
        let mut places: Vec<usize> = taken_from.map(|arc| arc.var.index()).collect();
        places.sort_unstable();
        places.dedup();
        self.add_plans(places);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    More,
    Less,
}

/// Returns whether a larger sum may toggle a comparison from its value in `state`, and whether a
/// smaller sum may.
fn toggles(linear: &Linear, state: &[Value]) -> (bool, bool) {
    let terms = linear.terms.iter();
    let sum = terms.fold(0, |sum: Value, (var, factor)| {
        sum.saturating_add(factor.saturating_mul(state[var.index()]))
    });
    let limit = linear.constant;
    let now = linear.comparison.holds(sum, limit);
    // The value of the comparison changes only around the limit.
    let around = [limit.saturating_sub(1), limit, limit.saturating_add(1)];
    let toggled = |value: &Value| linear.comparison.holds(*value, limit) != now;
    let is_toggled = |beyond: fn(&Value, &Value) -> bool| {
        around
            .iter()
            .any(|value| beyond(value, &sum) && toggled(value))
    };
    (is_toggled(Value::gt), is_toggled(Value::lt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::Comparison;

    fn net(places: u32, marked: &[u32], transitions: &[(&[u32], &[u32])]) -> System {
        let tokens = (0..places).map(|p| Value::from(marked.contains(&p)));
        crate::testing::net(&tokens.collect::<Vec<_>>(), transitions)
    }

    fn marked(place: u32) -> Predicate {
        Predicate::compare(VarId(place), Comparison::Ge, 1)
    }

    fn to(system: &System, place: u32) -> Vec<Vec<u32>> {
        for_toggling(system, marked(place))
    }

    fn for_toggling(system: &System, predicate: Predicate) -> Vec<Vec<u32>> {
        let all = event_slices(system, &[Proposition::State(predicate)]);
        let ids = |events: &Vec<EventId>| events.iter().map(|event| event.0).collect();
        all.iter().map(ids).collect()
    }

    #[test]
    fn slice_contains_only_the_shortest_plan_for_a_place() {
        // 0 → 1 → 2, a longer path 0 → 3 → 4 → 2, and an independent 5 → 6.
        let ways: &[(&[u32], &[u32])] = &[
            (&[0], &[1]),
            (&[1], &[2]),
            (&[0], &[3]),
            (&[3], &[4]),
            (&[4], &[2]),
            (&[5], &[6]),
        ];
        let system = net(7, &[0, 5], ways);
        assert_eq!(to(&system, 2), [[0, 1]]);
        assert_eq!(to(&system, 6), [[5]]);
        assert!(to(&net(7, &[5], ways), 2).is_empty());
    }

    #[test]
    fn narrow_slices_toggle_an_atom_and_wider_ones_toggle_it_back() {
        let system = net(3, &[0, 2], &[(&[0], &[1]), (&[1], &[0]), (&[2], &[0, 0])]);
        assert_eq!(to(&system, 0), [vec![0], vec![0, 2]]);
        let system = net(3, &[1], &[(&[0], &[2]), (&[1], &[0])]);
        assert_eq!(to(&system, 0), [vec![1], vec![0, 1]]);
    }

    #[test]
    fn only_parts_with_the_value_of_the_whole_are_toggled() {
        let system = net(4, &[0, 3], &[(&[3], &[2]), (&[0], &[1])]);
        let both = Predicate::And(vec![marked(0), marked(2)]);
        assert_eq!(for_toggling(&system, both), [vec![0], vec![0, 1]]);
        let one = Predicate::Or(vec![marked(0), marked(2)]);
        assert_eq!(for_toggling(&system, one), [vec![1], vec![0, 1]]);
    }

    #[test]
    fn comparisons_toggle_towards_their_limit() {
        let toggled = |comparison, limit| {
            let linear = Linear {
                terms: vec![(VarId(0), 2), (VarId(1), -1)],
                comparison,
                constant: limit,
            };
            // The sum is 3.
            toggles(&linear, &[2, 1])
        };
        assert_eq!(toggled(Comparison::Ge, 3), (false, true));
        assert_eq!(toggled(Comparison::Ge, 4), (true, false));
        assert_eq!(toggled(Comparison::Le, 3), (true, false));
        assert_eq!(toggled(Comparison::Lt, 3), (false, true));
        assert_eq!(toggled(Comparison::Eq, 3), (true, true));
        assert_eq!(toggled(Comparison::Eq, 5), (true, false));
        assert_eq!(toggled(Comparison::Ne, 1), (false, true));
        assert_eq!(toggled(Comparison::Ge, Value::MAX), (true, false));
        assert_eq!(toggled(Comparison::Gt, Value::MIN), (false, true));
    }

    #[test]
    fn events_that_need_fewer_tokens_are_cheaper() {
        let system = net(
            4,
            &[0, 3],
            &[(&[1, 1], &[2, 2]), (&[1, 3], &[2]), (&[0], &[1])],
        );
        assert_eq!(to(&system, 2)[0], [1, 2]);
    }

    #[test]
    fn wider_slices_return_tokens() {
        // 0 → 1 moves the token of 4 to 5; 1 → 2 needs it on 4; 5 → 4 returns it, 5 → 6 does not.
        let system = net(
            7,
            &[0, 4],
            &[
                (&[0, 4], &[1, 5]),
                (&[1, 4], &[2]),
                (&[5], &[4]),
                (&[5], &[6]),
            ],
        );
        assert_eq!(to(&system, 2), [vec![0, 1], vec![0, 1, 2]]);
    }
}
