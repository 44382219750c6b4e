//! Events that lead to what the property looks at: where a violation is a dozen steps away, all that can be done within a dozen steps is too much to
//! look at, and what has to be done for it is little.
//!
//! A *relaxed plan* (J. Hoffmann, B. Nebel, *The FF planning system*, JAIR 2001) reaches a goal if no event ever takes a token away. What an
//! event costs then is
//!
//! ```text
//! cost(e) = Σ { n · cost(p) | •e needs n tokens more of p than there are at first }       cost(p) = 1 + min { cost(e) | e adds to p }
//! ```
//!
//! and is found with the cheapest events first, as shortest paths are (D. E. Knuth, *A generalization of Dijkstra's algorithm*, 1977). Goals are the
//! cheapest events that add to, and that take from, each place which an atom reads, and those that atoms name. A corridor consists of the events that
//! plans for all goals are made of. Real events take tokens away, so there are wider corridors: each adds plans for the places that the events of the one before take from.
//!
//! Nothing is proved by a corridor. It is a ground for one round (`rounds.rs`), whatever the engine, and any run there is a run of the system. Cost: linear in
//! the net but for the logarithm of a queue.

use lariat_model::{Action, Arc, EventId, Predicate, Proposition, System};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Corridors that are tried; each is wider than the one before.
const WIDTHS: usize = 4;

/// Events of a corridor; one that is wider leaves out too little.
const MOST_EVENTS: usize = 200;

/// Corridors to what some propositions look at, the narrowest first, each with its events in order; none for a system that is no net.
pub(super) fn corridors(system: &System, propositions: &[Proposition]) -> Vec<Vec<EventId>> {
    let Some(plans) = Plans::of(system) else {
        return Vec::new();
    };
    let mut corridor = plans.corridor();
    for proposition in propositions {
        match proposition {
            Proposition::Fires(events) => corridor.add(plans.cheapest(events.iter().copied())),
            Proposition::State(predicate) => corridor.reach(predicate),
        }
    }
    let mut all: Vec<Vec<EventId>> = Vec::new();
    while all.len() < WIDTHS && corridor.events.len() <= MOST_EVENTS {
        if all
            .last()
            .is_some_and(|last| last.len() == corridor.events.len())
        {
            break;
        }
        let mut events = corridor.events.clone();
        events.sort_unstable();
        all.push(events);
        corridor.widen();
    }
    all.retain(|events| !events.is_empty());
    all
}

/// What everything costs if no token is ever taken away.
struct Plans<'s> {
    system: &'s System,
    arcs: Vec<&'s [Arc]>,
    /// By event; `None` if it never becomes possible.
    costs: Vec<Option<u64>>,
    /// By place: the cheapest events that add to it.
    givers: Vec<Vec<EventId>>,
    /// By place: the events that change it.
    changing: Vec<Vec<EventId>>,
}

impl<'s> Plans<'s> {
    fn of(system: &'s System) -> Option<Plans<'s>> {
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
        let lacks = |arc: &Arc| {
            let more = arc.need - first[arc.var.index()];
            u64::try_from(more).ok().filter(|more| *more > 0)
        };
        for event in system.event_ids() {
            for arc in arcs[event.index()].iter().filter(|arc| arc.delta != 0) {
                changing[arc.var.index()].push(event);
            }
            for arc in arcs[event.index()] {
                if let Some(more) = lacks(arc) {
                    waiting_for[arc.var.index()].push((event, more));
                    missing[event.index()] += 1;
                }
            }
        }
        let mut plans = Plans {
            system,
            costs: vec![None; arcs.len()],
            arcs,
            givers: vec![Vec::new(); places],
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
                if let Some(giver) = plans.givers[place].first() {
                    if plans.costs[giver.index()] == Some(cost) {
                        plans.givers[place].push(event);
                    }
                    continue;
                }
                plans.givers[place].push(event);
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

    /// The empty corridor.
    fn corridor(&self) -> Corridor<'_, 's> {
        Corridor {
            plans: self,
            events: Vec::new(),
            is_in: vec![false; self.arcs.len()],
        }
    }
}

/// Events with the plans that make them possible.
struct Corridor<'p, 's> {
    plans: &'p Plans<'s>,
    events: Vec<EventId>,
    /// By event.
    is_in: Vec<bool>,
}

impl Corridor<'_, '_> {
    /// Adds an event and what has to happen for it.
    fn add(&mut self, event: Option<EventId>) {
        let mut waiting = Vec::new();
        if let Some(event) = event {
            self.insert(event, &mut waiting);
        }
        self.supply(waiting);
    }

    /// Adds an event; what it lacks is left to be supplied.
    fn insert(&mut self, event: EventId, waiting: &mut Vec<usize>) {
        if !std::mem::replace(&mut self.is_in[event.index()], true) {
            self.events.push(event);
            waiting.extend(self.lacking(event));
        }
    }

    /// The places that have fewer tokens at first than an event needs.
    fn lacking(&self, event: EventId) -> impl Iterator<Item = usize> {
        let first = &self.plans.system.initial[0];
        let arcs = self.plans.arcs[event.index()].iter();
        let lacking = arcs.filter(|arc| arc.need > first[arc.var.index()]);
        lacking.map(|arc| arc.var.index())
    }

    /// Adds plans for some places. Those with the least choice come first, and among equally cheap events the one that shares most with what is there: plans that
    /// share little take tokens from each other.
    fn supply(&mut self, mut waiting: Vec<usize>) {
        let givers = &self.plans.givers;
        while let Some(next) = (0..waiting.len()).min_by_key(|i| givers[waiting[*i]].len()) {
            let place = waiting.swap_remove(next);
            let is_supplied = |place: &usize| givers[*place].iter().any(|e| self.is_in[e.index()]);
            if is_supplied(&place) {
                continue;
            }
            let new = |event: &&EventId| self.lacking(**event).filter(|p| !is_supplied(p)).count();
            if let Some(giver) = givers[place].iter().min_by_key(new) {
                self.insert(*giver, &mut waiting);
            }
        }
    }

    /// Adds plans that change what a predicate looks at.
    fn reach(&mut self, predicate: &Predicate) {
        match predicate {
            // What would have to be done for a deadlock cannot be told from a few places.
            Predicate::Const(_) | Predicate::Deadlock => {}
            Predicate::Not(p) => self.reach(p),
            Predicate::And(ps) | Predicate::Or(ps) => ps.iter().for_each(|p| self.reach(p)),
            Predicate::Enabled(events) => {
                self.add(self.plans.cheapest(events.iter().copied()));
                for event in events {
                    let needs = self.plans.arcs[event.index()].iter();
                    for arc in needs.filter(|arc| arc.need > 0) {
                        self.change(arc.var.index());
                    }
                }
            }
            Predicate::Linear(_) | Predicate::Expr(_) => {
                let mut vars = Vec::new();
                predicate.collect_vars(&mut vars);
                vars.iter().for_each(|var| self.change(var.index()));
            }
        }
    }

    /// Adds the cheapest ways to add to a place and to take from it.
    fn change(&mut self, place: usize) {
        let plans = self.plans;
        let changes = |event: &EventId, sign| {
            let mut arcs = plans.arcs[event.index()].iter();
            arcs.any(|arc| arc.var.index() == place && arc.delta.signum() == sign)
        };
        for sign in [1, -1] {
            let all = plans.changing[place].iter().copied();
            self.add(plans.cheapest(all.filter(|event| changes(event, sign))));
        }
    }

    /// Adds plans for all that its events take from.
    fn widen(&mut self) {
        let arcs = self.events.iter().flat_map(|e| self.plans.arcs[e.index()]);
        let taken_from = arcs.filter(|arc| arc.delta < 0);
        let mut places: Vec<usize> = taken_from.map(|arc| arc.var.index()).collect();
        places.sort_unstable();
        places.dedup();
        self.supply(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Comparison, Value, VarId};

    fn net(places: u32, marked: &[u32], transitions: &[(&[u32], &[u32])]) -> System {
        let tokens = (0..places).map(|p| Value::from(marked.contains(&p)));
        System {
            initial: vec![tokens.collect()],
            ..crate::testing::net(places, transitions)
        }
    }

    fn to(system: &System, place: u32) -> Vec<Vec<u32>> {
        let marked = Predicate::compare(VarId(place), Comparison::Ge, 1);
        let all = corridors(system, &[Proposition::State(marked)]);
        let ids = |events: &Vec<EventId>| events.iter().map(|event| event.0).collect();
        all.iter().map(ids).collect()
    }

    #[test]
    fn what_leads_to_a_place_is_kept_and_the_rest_is_not() {
        // 0 → 1 → 2, a longer way 0 → 3 → 4 → 2, and 5 → 6 somewhere else.
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

    /// One event adds to a place for two tokens and comes first, the other for one.
    #[test]
    fn what_needs_fewer_tokens_is_cheaper() {
        let system = net(
            4,
            &[0, 3],
            &[(&[1, 1], &[2, 2]), (&[1, 3], &[2]), (&[0], &[1])],
        );
        assert_eq!(to(&system, 2)[0], [1, 2]);
    }

    /// Two events need the same token: it has to come back in between, which a plan does not know and a wider corridor does.
    #[test]
    fn what_is_taken_is_given_back_in_a_wider_corridor() {
        // 0 → 1 by a tool 4, 1 → 2 by the tool 4 as well; 5 gives the tool back, 6 is somewhere else.
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
