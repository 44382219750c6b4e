//! Every operation on sets, compared with an explicit exploration.

use super::*;
use lariat_budget::{Budget, Stop};
use lariat_corpora::{Random, each_case};
use lariat_model::order::{self, OrderName};
use lariat_model::{Deadlock, Domain, EventId, Predicate, State, System};
use lariat_testkit::{nets, predicates, programs};
use std::collections::{BTreeMap, BTreeSet};

type States = BTreeSet<State>;

/// Larger spaces are skipped.
const LARGEST: usize = 400;

/// A system with all its reachable states and steps, explored one state at a time.
struct Explicit<'a> {
    system: &'a System,
    reachable: States,
    steps: BTreeMap<State, Vec<(EventId, State)>>,
}

impl<'a> Explicit<'a> {
    /// `None` if there are too many states.
    fn explore(system: &'a System) -> Option<Explicit<'a>> {
        let mut todo: Vec<State> = system.initial.clone();
        let mut steps = BTreeMap::new();
        while let Some(state) = todo.pop() {
            if steps.contains_key(&state) {
                continue;
            }
            if steps.len() == LARGEST {
                return None;
            }
            let mut out = Vec::new();
            for event in system.event_ids() {
                for next in system.successors(&state, event) {
                    todo.push(next.clone());
                    out.push((event, next));
                }
            }
            steps.insert(state, out);
        }
        Some(Explicit {
            system,
            reachable: steps.keys().cloned().collect(),
            steps,
        })
    }

    fn select(&self, set: &States, predicate: &Predicate) -> States {
        let holds = |s: &&State| self.system.holds(predicate, s);
        set.iter().filter(holds).cloned().collect()
    }

    fn image(&self, set: &States, events: &[EventId]) -> States {
        let steps = set.iter().flat_map(|s| &self.steps[s]);
        steps
            .filter(|(e, _)| events.contains(e))
            .map(|(_, t)| t.clone())
            .collect()
    }

    fn pre_image(&self, set: &States, events: &[EventId]) -> States {
        let leads = |(e, t): &(EventId, State)| events.contains(e) && set.contains(t);
        let before = self.steps.iter().filter(|(_, out)| out.iter().any(leads));
        before.map(|(s, _)| s.clone()).collect()
    }

    fn dead(&self, set: &States) -> States {
        let is_dead = |s: &&State| self.steps[*s].is_empty();
        set.iter().filter(is_dead).cloned().collect()
    }

    /// The least superset of `from` that is closed under `more`.
    fn close(&self, from: &States, more: impl Fn(&States) -> States) -> States {
        let mut set = from.clone();
        loop {
            let next: States = set.union(&more(&set)).cloned().collect();
            if next == set {
                return set;
            }
            set = next;
        }
    }

    fn random_part(&self, random: &mut Random) -> States {
        let one_in = 1 + random.below(4);
        let picked = self.reachable.iter().filter(|_| random.chance(1, one_in));
        picked.cloned().collect()
    }
}

fn to_set(space: &mut Symbolic<'_>, states: &States) -> Set {
    space.set_of(states).unwrap()
}

fn from_set(space: &mut Symbolic<'_>, set: &Set) -> States {
    space.states(set).into_iter().collect()
}

fn reachable(space: &mut Symbolic<'_>) -> Set {
    let initial = space.initial().unwrap();
    space.reach(&initial, &space.all()).unwrap()
}

fn and(a: &States, b: &States) -> States {
    a.intersection(b).cloned().collect()
}

/// Random systems that are small enough, each with a space under some order.
fn campaign(count: usize, mut check: impl FnMut(&mut Random, &Explicit<'_>, &mut Symbolic<'_>)) {
    let names: Vec<OrderName> = OrderName::all().collect();
    each_case(count, |random| {
        loop {
            let system = if random.chance(1, 3) {
                nets::any(random)
            } else {
                programs::any(random)
            };
            let Some(order) = order::named(&system, *random.one_of(&names)) else {
                continue;
            };
            let Some(explicit) = Explicit::explore(&system) else {
                continue;
            };
            let deadlock = if random.coin() {
                Deadlock::Stutter
            } else {
                Deadlock::Ignore
            };
            let budget = Budget::unlimited();
            let mut space = Symbolic::new(&system, &order, deadlock, &budget).unwrap();
            if random.chance(1, 3) {
                space.store().collect_always(true);
            }
            return check(random, &explicit, &mut space);
        }
    });
}

#[test]
fn figures_agree_with_plain_exploration() {
    campaign(3000, |_, explicit, space| {
        let system = explicit.system;
        let reach = reachable(space);
        assert_eq!(from_set(space, &reach), explicit.reachable, "{system:?}");
        let census = space.census(&reach, true).unwrap();
        let edges: usize = explicit.steps.values().map(Vec::len).sum();
        assert_eq!(census.states, UBig::from(explicit.reachable.len()));
        assert_eq!(census.edges, Some(UBig::from(edges)), "{system:?}");
        assert_eq!(census.nodes, space.store().node_count(&reach) as u64);
        let is_count = |v: &usize| matches!(system.variables[*v].domain, Domain::Count { .. });
        let tokens = |s: &State| -> Vec<i64> {
            let counts = (0..s.len()).filter(is_count);
            counts.map(|v| s[v]).collect()
        };
        let largest = explicit.reachable.iter().flat_map(&tokens).max();
        let largest = largest.unwrap_or(0).max(0) as u64;
        assert_eq!(census.max_tokens_in_place, largest);
        let states = explicit.reachable.iter();
        let total = states.map(|s| tokens(s).iter().sum::<i64>());
        assert_eq!(census.max_tokens, total.max().unwrap_or(0) as u128);
        let dead = space.dead(&reach).unwrap();
        assert_eq!(from_set(space, &dead), explicit.dead(&explicit.reachable));
    });
}

#[test]
fn a_closure_can_be_interrupted_anywhere() {
    campaign(1000, |random, explicit, space| {
        let mut work = 1;
        let reach = loop {
            space.set_budget(&Budget::unlimited().with_work(work));
            let initial = space.initial();
            match initial.and_then(|initial| space.reach(&initial, &space.all())) {
                Ok(reach) => break reach,
                Err(stop) => assert!(matches!(stop, Stop::Work(_)), "{stop}"),
            }
            work += 1 + random.below(1 + work / 2);
        };
        space.set_budget(&Budget::unlimited());
        let system = explicit.system;
        assert_eq!(from_set(space, &reach), explicit.reachable, "{system:?}");
        let edges: usize = explicit.steps.values().map(Vec::len).sum();
        let census = space.census(&reach, true).unwrap();
        assert_eq!(census.edges, Some(UBig::from(edges)), "{system:?}");
    });
}

#[test]
fn steps_agree_with_plain_exploration() {
    campaign(2000, |random, explicit, space| {
        let reach = reachable(space);
        let mut events: Vec<EventId> = explicit.system.event_ids().collect();
        events.retain(|_| !random.chance(1, 3));
        let steps = space.steps(&events);
        let (a, b) = (explicit.random_part(random), explicit.random_part(random));
        let (set, within) = (to_set(space, &a), to_set(space, &b));

        let image = space.image(&set, &steps).unwrap();
        assert_eq!(from_set(space, &image), explicit.image(&a, &events));
        let before = space.pre_image(&set, &steps, &within).unwrap();
        let pre = explicit.pre_image(&a, &events);
        assert_eq!(from_set(space, &before), and(&pre, &b));
        let enabled = space.enabled(&set, &steps).unwrap();
        let can = and(&explicit.pre_image(&explicit.reachable, &events), &a);
        assert_eq!(from_set(space, &enabled), can);

        let still = if space.has_stutter_loops() {
            explicit.dead(&a)
        } else {
            States::new()
        };
        let stuttering = space.stuttering(&set).unwrap();
        assert_eq!(from_set(space, &stuttering), still);
        assert!(a.iter().all(|s| space.stutters(s) == still.contains(s)));

        let inside = space.reach_within(&set, &steps, &within).unwrap();
        let expected = explicit.close(&a, |x| and(&explicit.image(x, &events), &b));
        assert_eq!(from_set(space, &inside), expected);
        let back = space.back_within(&set, &steps, &within).unwrap();
        let expected = explicit.close(&a, |x| and(&explicit.pre_image(x, &events), &b));
        assert_eq!(from_set(space, &back), expected);

        if let Some(state) = space.pick(&reach) {
            assert!(explicit.reachable.contains(&state));
            assert!(space.contains(&reach, &state));
        }
    });
}

#[test]
fn predicates_agree_with_plain_exploration() {
    campaign(2000, |random, explicit, space| {
        let system = explicit.system;
        // Learning must also work before the whole space is seen.
        if random.coin() {
            reachable(space);
        }
        let mut events: Vec<EventId> = system.event_ids().collect();
        events.retain(|_| !random.chance(1, 4));
        let steps = space.steps(&events);
        let some = explicit.random_part(random);
        let set = to_set(space, &some);
        let mut query = space.query();
        let predicates: Vec<Predicate> =
            (0..3).map(|_| predicates::any(random, system, 2)).collect();
        for predicate in &predicates {
            let selected = space.select(&set, predicate).unwrap();
            let expected = explicit.select(&some, predicate);
            assert_eq!(from_set(space, &selected), expected, "{predicate:?}");
            let residual = match query.compile(system, predicate) {
                Ok(residual) => residual,
                Err(Stop::Unsupported(_)) => continue,
                Err(stop) => panic!("{stop}"),
            };
            let filtered = space.filter(&set, &mut query, residual).unwrap();
            assert_eq!(filtered, selected);

            let freach = space.freach(&set, &steps, &mut query, residual).unwrap();
            let expected = explicit.close(&some, |x| {
                explicit.image(&explicit.select(x, predicate), &events)
            });
            let found = from_set(space, &freach);
            assert_eq!(found, expected, "{predicate:?} {system:?}");
            let admitted = explicit.select(&explicit.reachable, predicate);
            let admitted = to_set(space, &admitted);
            let same = space.freach_set(&set, &steps, &admitted).unwrap();
            assert_eq!(same, freach);

            let reachf = space.reachf(&set, &steps, &mut query, residual).unwrap();
            let expected = explicit.close(&some, |x| {
                explicit.select(&explicit.image(x, &events), predicate)
            });
            let found = from_set(space, &reachf);
            assert_eq!(found, expected, "{predicate:?} {system:?}");
        }
    });
}

#[test]
fn large_markings_are_refused_not_wrapped() {
    let mut random = Random::new(1);
    let mut system = nets::any(&mut random);
    system.initial[0][0] = 1 << 40;
    let order = order::Order::file(system.variables.len());
    let mut space =
        Symbolic::new(&system, &order, Deadlock::Stutter, &Budget::unlimited()).unwrap();
    assert!(matches!(space.initial(), Err(Stop::Bound(_))));
}

/// A capped space detects omitted steps, from any set and by any events.
#[test]
fn steps_omitted_by_a_cap_are_detected() {
    let (mut left_out, mut complete) = (0, 0);
    each_case(300, |random| {
        let system = nets::any(random);
        let cap = 1 + random.below(3);
        let most = system.initial.iter().flatten().copied().max().unwrap_or(0);
        if most > i64::from(cap) {
            return;
        }
        let order = order::named(&system, OrderName::FILE).unwrap();
        let budget = Budget::unlimited();
        let plain = Symbolic::new(&system, &order, Deadlock::Stutter, &budget).unwrap();
        let mut space = plain.capped(cap, &budget).unwrap();
        let initial = space.initial().unwrap();
        let all = space.all();
        let reached = space.reach(&initial, &all).unwrap();
        let event = EventId(random.below(system.events.len() as u32));
        let one = space.steps(&[event]);
        let states = space.states(&reached);
        let above = |event: EventId| {
            let mut next = states.iter().flat_map(|s| system.successors(s, event));
            next.any(|s| s.iter().any(|value| *value > i64::from(cap)))
        };
        let overflows = system.event_ids().any(above);
        assert_eq!(space.overflows(&reached, &all), Ok(overflows));
        assert_eq!(space.overflows(&reached, &one), Ok(above(event)));
        left_out += usize::from(overflows);
        complete += usize::from(!overflows);
    });
    assert!(left_out > 20 && complete > 20, "{left_out}, {complete}");
}
