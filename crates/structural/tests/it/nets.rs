//! Random nets, growing or terminating, and random predicates.

use crate::rng::Rng;
use lariat_model::{
    Action, Arc, Comparison, Domain, Event, EventId, Linear, Predicate, Proposition, System, VarId,
    Variable,
};

/// A net of synchronised machines, or with random arcs.
pub fn random(rng: &mut Rng) -> System {
    match rng.below(4) {
        0 => machines(rng),
        _ => arbitrary(rng),
    }
}

/// Two or three cyclic machines; some steps move or test a second one. Safe, maybe with deadlocks.
fn machines(rng: &mut Rng) -> System {
    let mut system = System {
        name: "machines".to_owned(),
        ..System::default()
    };
    let mut marking = Vec::new();
    let mut machines: Vec<Vec<usize>> = Vec::new();
    for _ in 0..2 + rng.below(2) {
        let (first, size) = (marking.len(), 2 + rng.below(3));
        machines.push((first..first + size).collect());
        marking.extend((0..size).map(|i| i64::from(i == 0)));
    }
    for p in 0..marking.len() {
        system.variables.push(Variable {
            name: format!("p{p}"),
            domain: Domain::Count { bound: None },
        });
    }
    for (m, machine) in machines.iter().enumerate() {
        for i in 0..machine.len() {
            let to = if rng.chance(80) {
                machine[(i + 1) % machine.len()]
            } else {
                *rng.pick(machine)
            };
            let mut arcs = vec![(0, 0); marking.len()];
            arcs[machine[i]].0 += 1;
            arcs[to].1 += 1;
            if rng.chance(40) {
                let other = &machines[(m + 1) % machines.len()];
                let from = *rng.pick(other);
                let to = if rng.chance(50) {
                    from
                } else {
                    *rng.pick(other)
                };
                arcs[from].0 += 1;
                arcs[to].1 += 1;
            }
            push(&mut system, arcs);
        }
    }
    system.initial = vec![marking.into()];
    system
}

/// The net with this marking and these events, each with its (place, taken, given).
pub fn net(marking: &[i64], events: &[&[(usize, i64, i64)]]) -> System {
    let mut system = System {
        variables: (0..marking.len())
            .map(|p| Variable {
                name: format!("p{p}"),
                domain: Domain::Count { bound: None },
            })
            .collect(),
        initial: vec![marking.into()],
        ..System::default()
    };
    for event in events {
        let mut arcs = vec![(0, 0); marking.len()];
        for (place, take, give) in *event {
            arcs[*place] = (*take, *give);
        }
        push(&mut system, arcs);
    }
    system
}

/// Adds the event with these (taken, given) per place.
fn push(system: &mut System, arcs: Vec<(i64, i64)>) {
    let arcs = arcs
        .into_iter()
        .enumerate()
        .filter(|(_, (take, give))| take + give > 0);
    let arc = |(p, (take, give)): (usize, (i64, i64))| Arc {
        var: VarId(p as u32),
        need: take,
        delta: give - take,
    };
    let action = Action::Net(arcs.map(arc).collect());
    let name = format!("t{}", system.events.len());
    system.events.push(Event { name, action });
}

/// A net with random arcs; `tilt` decides whether events add, keep or remove tokens.
fn arbitrary(rng: &mut Rng) -> System {
    let places = 2 + rng.below(5);
    let tilt = rng.between(-1, 1);
    let weight = *rng.pick(&[1, 1, 2, 3]);
    let mut system = System {
        name: "arbitrary".to_owned(),
        variables: (0..places)
            .map(|p| Variable {
                name: format!("p{p}"),
                domain: Domain::Count { bound: None },
            })
            .collect(),
        ..System::default()
    };
    for _ in 0..1 + rng.below(6) {
        let mut arcs: Vec<(i64, i64)> = vec![(0, 0); places];
        for _ in 0..1 + rng.below(3) {
            arcs[rng.below(places)].0 += rng.between(1, weight);
        }
        for _ in 0..rng.below(3) + usize::from(tilt > 0) {
            arcs[rng.below(places)].1 += rng.between(1, weight);
        }
        if tilt < 0 && rng.chance(70) {
            // Fewer tokens than before: most of these nets terminate.
            let taken: i64 = arcs.iter().map(|a| a.0).sum();
            while arcs.iter().map(|a| a.1).sum::<i64>() >= taken {
                if let Some(some) = arcs.iter_mut().find(|a| a.1 > 0) {
                    some.1 -= 1;
                }
            }
        }
        if rng.chance(5) {
            arcs.iter_mut().for_each(|a| a.0 = 0);
        }
        push(&mut system, arcs);
    }
    let starts = if rng.chance(10) { 2 } else { 1 };
    for _ in 0..starts {
        let marking = (0..places).map(|_| if rng.chance(45) { rng.between(1, 3) } else { 0 });
        let marking = marking.collect();
        if !system.initial.contains(&marking) {
            system.initial.push(marking);
        }
    }
    system
}

/// A random predicate of the net.
pub fn predicate(rng: &mut Rng, system: &System, depth: usize) -> Predicate {
    let any = |rng: &mut Rng| {
        let event = |rng: &mut Rng| EventId(rng.below(system.events.len()) as u32);
        let mut events: Vec<EventId> = (0..1 + rng.below(2)).map(|_| event(rng)).collect();
        events.sort_unstable();
        events.dedup();
        events
    };
    let nested = depth > 0 && rng.chance(40);
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
        (false, 1) if rng.chance(30) => Predicate::Deadlock,
        (false, _) => {
            let mut terms: Vec<(VarId, i64)> = Vec::new();
            for p in 0..system.variables.len() as u32 {
                if rng.chance(35) {
                    terms.push((VarId(p), *rng.pick(&[1, 1, 1, 2, -1])));
                }
            }
            let comparison = *rng.pick(&[
                Comparison::Ge,
                Comparison::Ge,
                Comparison::Le,
                Comparison::Eq,
                Comparison::Ne,
                Comparison::Lt,
                Comparison::Gt,
            ]);
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
pub fn proposition(rng: &mut Rng, system: &System) -> Proposition {
    if rng.chance(20) {
        Proposition::Fires(vec![EventId(rng.below(system.events.len()) as u32)])
    } else {
        Proposition::State(predicate(rng, system, 2))
    }
}
