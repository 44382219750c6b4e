//! Orders are permutations, and near-optimal on nets with a known best order.

use super::*;
use crate::expr::{Expr, LValue};
use crate::predicate::{Comparison, Predicate};
use crate::system::{Action, Arc, Assignment, Domain, Event, Unit, Variable};
use lariat_corpora::{Random, each_case, seed};

fn variables(n: usize) -> Vec<Variable> {
    (0..n)
        .map(|i| Variable {
            name: format!("p{i}"),
            domain: Domain::Count { bound: None },
        })
        .collect()
}

fn event(name: usize, action: Action) -> Event {
    Event {
        name: format!("t{name}"),
        action,
    }
}

fn net(mut places: Vec<u32>) -> Action {
    places.sort_unstable();
    places.dedup();
    let arc = |p| Arc {
        var: VarId(p),
        need: 1,
        delta: -1,
    };
    Action::Net(places.into_iter().map(arc).collect())
}

fn random_system(random: &mut Random) -> System {
    let n = random.below(40);
    let mut system = System {
        variables: variables(n),
        ..System::default()
    };
    if n == 0 {
        return system;
    }
    for t in 0..random.below(60) {
        let action = match random.below(4) {
            0 => Action::Program {
                guard: Predicate::compare(some_var(random, n), Comparison::Gt, 0),
                effects: vec![Assignment {
                    target: LValue::Var(some_var(random, n)),
                    value: Expr::Var(some_var(random, n)),
                }],
            },
            1 => {
                let (a, b) = (random.below(n) as u32, random.below(n) as u32);
                let mut vars = vec![VarId(a), VarId(b)];
                vars.dedup();
                let row = vars.iter().map(|_| Some((0, 1))).collect();
                Action::Table {
                    vars,
                    rows: vec![row],
                }
            }
            _ => net((0..random.below(6))
                .map(|_| random.below(n) as u32)
                .collect()),
        };
        system.events.push(event(t, action));
    }
    if random.below(3) == 0 {
        system.fault = Some(some_var(random, n));
    }
    for u in 0..random.below(6) {
        system.units.push(Unit {
            places: (0..random.below(5)).map(|_| some_var(random, n)).collect(),
            // Cyclic, duplicate or dangling references must be tolerated.
            subunits: (0..random.below(4)).map(|_| random.below(u + 4)).collect(),
            ..Unit::default()
        });
    }
    system
}

fn some_var(random: &mut Random, n: usize) -> VarId {
    VarId(random.below(n) as u32)
}

#[test]
fn every_order_is_a_permutation() {
    each_case(2000, |random| {
        let system = random_system(random);
        let n = system.variables.len();
        for name in OrderName::all() {
            let Some(order) = named(&system, name) else {
                assert!(
                    name.heuristic == Heuristic::Units && system.units.len() < 2,
                    "{name} failed on {system:?}"
                );
                continue;
            };
            assert_eq!(order.len(), n);
            if let Some(fault) = system.fault {
                assert_eq!(order.level(fault).index(), n - 1);
            }
            for level in (0..n as u32).map(Level) {
                assert_eq!(order.level(order.var(level)), level);
                let mirrored = order.reversed().level(order.var(level));
                assert_eq!(mirrored.index(), n - 1 - level.index());
            }
        }
        let candidates = candidates(&system);
        assert!(candidates.windows(2).all(|w| w[0].score <= w[1].score));
        let file = named(&system, OrderName::FILE).unwrap();
        assert!(candidates.iter().all(|c| c.order != file));
    });
}

/// A chain of events `p_i → p_{i+1}` whose places are listed in random order.
fn shuffled_chain(random: &mut Random, n: usize) -> System {
    let mut at: Vec<u32> = (0..n as u32).collect();
    random.shuffle(&mut at);
    System {
        variables: variables(n),
        events: (1..n)
            .map(|i| event(i, net(vec![at[i - 1], at[i]])))
            .collect(),
        ..System::default()
    }
}

fn total_span(system: &System, order: &Order) -> u64 {
    let graph = Hypergraph::of(system);
    let span = |edge: &[u32]| {
        let levels = || edge.iter().map(|v| order.level(VarId(*v)).0);
        let covered = levels().max().zip(levels().min());
        covered.map_or(0, |(bottom, top)| u64::from(bottom - top + 1))
    };
    graph.edges().map(span).sum()
}

#[test]
fn chains_are_ordered_nearly_optimally() {
    let mut random = Random::new(seed(1));
    for n in [10, 100, 1000] {
        let system = shuffled_chain(&mut random, n);
        let best = 2 * (n as u64 - 1);
        for name in ["rcm-force", "noack-up", "noack-down"] {
            let order = named(&system, name.parse().unwrap()).unwrap();
            let span = total_span(&system, &order);
            // The greedy order may start in the middle and extend in both directions.
            assert!(span <= 2 * best, "{name} on a chain of {n}: {span}");
        }
        let force = named(&system, "force".parse().unwrap()).unwrap();
        // FORCE alone finds a local optimum, but a better order than the file's.
        assert!(n < 100 || 2 * total_span(&system, &force) <= total_span(&system, &Order::file(n)));
    }
}

#[test]
fn places_of_a_unit_are_adjacent() {
    let mut random = Random::new(seed(1));
    let n = 60;
    let mut system = shuffled_chain(&mut random, n);
    system.units = vec![Unit {
        subunits: (1..=20).collect(),
        ..Unit::default()
    }];
    for u in 0..20 {
        system.units.push(Unit {
            places: vec![VarId(u), VarId(u + 20), VarId(u + 40)],
            ..Unit::default()
        });
    }
    let order = named(&system, "units".parse().unwrap()).unwrap();
    for unit in &system.units[1..] {
        let levels = || unit.places.iter().map(|p| order.level(*p).0);
        assert_eq!(levels().max().unwrap() - levels().min().unwrap(), 2);
    }
}

#[test]
fn names_parse_as_they_are_displayed() {
    for name in OrderName::all() {
        assert_eq!(name.to_string().parse(), Ok(name));
    }
    let bare: OrderName = "noack".parse().unwrap();
    assert_eq!(bare.to_string(), "noack-up");
    assert_eq!("file".parse(), Ok(OrderName::FILE));
    assert!("noak".parse::<OrderName>().unwrap_err().contains("noack"));
}
