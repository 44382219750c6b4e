//! Random nets, growing or terminating, and random predicates.

use lariat_model::{Comparison, EventId, Linear, Predicate, Proposition, System, VarId};
use lariat_testkit::Random;
pub use lariat_testkit::nets::net;
use lariat_testkit::nets::{add_event, add_place, empty};

/// A net of synchronised machines, or with random arcs.
pub fn random(rng: &mut Random) -> System {
    match rng.below(4) {
        0 => machines(rng),
        _ => arbitrary(rng),
    }
}

/// Two or three cyclic machines; some steps move or test a second one. Safe, maybe with deadlocks.
fn machines(rng: &mut Random) -> System {
    let mut system = empty("machines");
    let mut machines: Vec<Vec<usize>> = Vec::new();
    for _ in 0..2 + rng.below(2) {
        let (first, size) = (system.variables.len(), 2 + rng.below(3));
        machines.push((first..first + size).collect());
        for i in 0..size {
            add_place(&mut system, format!("p{}", first + i), i64::from(i == 0));
        }
    }
    for (m, machine) in machines.iter().enumerate() {
        for i in 0..machine.len() {
            let to = if rng.percent(80) {
                machine[(i + 1) % machine.len()]
            } else {
                *rng.one_of(machine)
            };
            let mut arcs = vec![(machine[i], 1, 0), (to, 0, 1)];
            if rng.percent(40) {
                let other = &machines[(m + 1) % machines.len()];
                let from = *rng.one_of(other);
                let to = if rng.percent(50) {
                    from
                } else {
                    *rng.one_of(other)
                };
                arcs.extend([(from, 1, 0), (to, 0, 1)]);
            }
            let name = format!("t{}", system.events.len());
            add_event(&mut system, name, &arcs);
        }
    }
    system
}

/// A net with random arcs; `tilt` decides whether events add, keep or remove tokens.
fn arbitrary(rng: &mut Random) -> System {
    let places = 2 + rng.below(5);
    let tilt = rng.between(-1, 1);
    let weight = *rng.one_of(&[1, 1, 2, 3]);
    let mut system = net(&vec![0; places], &[]);
    system.initial.clear();
    for t in 0..1 + rng.below(6) {
        let mut arcs: Vec<(i64, i64)> = vec![(0, 0); places];
        for _ in 0..1 + rng.below(3) {
            arcs[rng.below(places)].0 += rng.between(1, weight);
        }
        for _ in 0..rng.below(3) + usize::from(tilt > 0) {
            arcs[rng.below(places)].1 += rng.between(1, weight);
        }
        if tilt < 0 && rng.percent(70) {
            // Fewer tokens than before: most of these nets terminate.
            let taken: i64 = arcs.iter().map(|a| a.0).sum();
            while arcs.iter().map(|a| a.1).sum::<i64>() >= taken {
                if let Some(some) = arcs.iter_mut().find(|a| a.1 > 0) {
                    some.1 -= 1;
                }
            }
        }
        if rng.percent(5) {
            arcs.iter_mut().for_each(|a| a.0 = 0);
        }
        let arcs = (0..)
            .zip(arcs)
            .map(|(place, (take, give))| (place, take, give));
        add_event(&mut system, format!("t{t}"), &Vec::from_iter(arcs));
    }
    let starts = if rng.percent(10) { 2 } else { 1 };
    for _ in 0..starts {
        let marking = (0..places).map(|_| {
            if rng.percent(45) {
                rng.between(1, 3)
            } else {
                0
            }
        });
        let marking = marking.collect();
        if !system.initial.contains(&marking) {
            system.initial.push(marking);
        }
    }
    system
}

/// A random predicate of the net.
pub fn predicate(rng: &mut Random, system: &System, depth: usize) -> Predicate {
    let any = |rng: &mut Random| {
        let event = |rng: &mut Random| EventId(rng.below(system.events.len()) as u32);
        let mut events: Vec<EventId> = (0..1 + rng.below(2)).map(|_| event(rng)).collect();
        events.sort_unstable();
        events.dedup();
        events
    };
    let nested = depth > 0 && rng.percent(40);
    match (nested, rng.below(6)) {
        (true, 0 | 1) => Predicate::Not(Box::new(predicate(rng, system, depth - 1))),
        (true, n) => {
            let all = (0..2).map(|_| predicate(rng, system, depth - 1)).collect();
            if n % 2 == 0 {
                Predicate::And(all)
            } else {
                Predicate::Or(all)
            }
        }
        (false, 0) => Predicate::Enabled(any(rng)),
        (false, 1) if rng.percent(30) => Predicate::Deadlock,
        (false, _) => {
            let mut terms: Vec<(VarId, i64)> = Vec::new();
            for p in 0..system.variables.len() as u32 {
                if rng.percent(35) {
                    terms.push((VarId(p), *rng.one_of(&[1, 1, 1, 2, -1])));
                }
            }
            use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
            let comparison = *rng.one_of(&[Ge, Ge, Le, Eq, Ne, Lt, Gt]);
            let constant = rng.between(-1, 4);
            Predicate::Linear(Linear {
                terms,
                comparison,
                constant,
            })
        }
    }
}

/// A random predicate, or a fired event.
pub fn proposition(rng: &mut Random, system: &System) -> Proposition {
    if rng.percent(20) {
        Proposition::Fires(vec![EventId(rng.below(system.events.len()) as u32)])
    } else {
        Proposition::State(predicate(rng, system, 2))
    }
}
