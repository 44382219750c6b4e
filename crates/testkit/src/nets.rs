//! Random Petri nets with few reachable markings.
//!
//! Four families, which find different defects: *machines* (synchronised state machines, safe),
//! *weighted* (arc weights up to 3, several tokens), *dying* (transitions consume more than they
//! produce, so deadlocks are frequent), *cut* (if there are too many markings, every place gets a
//! complement `p̄` with `p + p̄ = c`, which bounds it).

use crate::oracle::Reachable;
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, VarId, Variable};

/// Generates a net with at most `cut` reachable markings.
pub fn random(rng: &mut Random, cut: usize) -> System {
    let family = rng.below(4);
    worthwhile(rng, cut, |rng| {
        let mut net = match family {
            0 => machines(rng),
            1 => arbitrary(rng, "weighted", 3, 0),
            2 => arbitrary(rng, "dying", 2, -1),
            _ => arbitrary(rng, "cut", 2, 1),
        };
        if Reachable::explore(&net, cut).is_none() {
            let capacity = rng.between(1, 3);
            bound(&mut net, capacity);
        }
        net
    })
}

/// Generates a net of any size, often unbounded, for tests of growth or of single steps.
pub fn any(rng: &mut Random) -> System {
    match rng.below(3) {
        0 => machines(rng),
        1 => arbitrary(rng, "dying", 2, -1),
        _ => arbitrary(rng, "growing", 2, 1),
    }
}

/// Generates a net with more than `MANY` reachable markings, almost always an unbounded one.
pub fn growing(rng: &mut Random) -> System {
    loop {
        let (weight, growth) = (rng.between(1, 2), rng.between(0, 1));
        let net = arbitrary(rng, GROWING, weight, growth);
        if Reachable::explore(&net, MANY).is_none() {
            return net;
        }
    }
}

/// The name of nets from [`growing`].
pub(crate) const GROWING: &str = "many markings";

/// More markings than small bounded nets usually have.
const MANY: usize = 2000;

/// Draws until a system has a randomly chosen size and, usually, an infinite run, because most
/// random systems are dead initially. After twelve attempts it returns the largest one.
pub(crate) fn worthwhile(
    rng: &mut Random,
    cut: usize,
    mut draw: impl FnMut(&mut Random) -> System,
) -> System {
    let wanted = *rng.one_of(&[1, 2, 4, 8, 15, cut / 4]);
    let infinite = rng.percent(75);
    let mut best: Option<(usize, System)> = None;
    let mut attempts = 0;
    loop {
        let system = draw(rng);
        attempts += 1;
        if let Some(all) = Reachable::explore(&system, cut) {
            let size = if !infinite || all.has_infinite_run() {
                all.states.len()
            } else {
                0
            };
            if best.as_ref().is_none_or(|(most, _)| size > *most) {
                best = Some((size, system));
            }
        }
        match best {
            Some((size, system)) if size >= wanted || attempts >= 12 => return system,
            _ => {}
        }
    }
}

fn place(name: String, bound: Option<u64>) -> Variable {
    let domain = Domain::Count { bound };
    Variable { name, domain }
}

/// Returns a net without places and transitions.
pub fn empty(name: &str) -> System {
    System {
        name: name.to_owned(),
        initial: vec![Vec::new().into()],
        ..System::default()
    }
}

/// Adds an unbounded place with these initial tokens; returns its index.
pub fn add_place(net: &mut System, name: String, tokens: i64) -> usize {
    let initial = net.initial[0].iter().copied();
    net.initial = vec![initial.chain([tokens]).collect()];
    net.variables.push(place(name, None));
    net.variables.len() - 1
}

/// Adds a transition with the arcs given as (place, consumed, produced); returns its index.
pub fn add_event(net: &mut System, name: String, arcs: &[(usize, i64, i64)]) -> usize {
    let action = transition(arcs);
    net.events.push(Event { name, action });
    net.events.len() - 1
}

/// Returns the net with places `p0`, `p1`, … and transitions `t0`, `t1`, …, with the arcs of each
/// given as (place, consumed, produced).
pub fn net(marking: &[i64], transitions: &[&[(usize, i64, i64)]]) -> System {
    let mut net = empty("net");
    for (p, tokens) in marking.iter().enumerate() {
        add_place(&mut net, format!("p{p}"), *tokens);
    }
    for (t, arcs) in transitions.iter().enumerate() {
        add_event(&mut net, format!("t{t}"), arcs);
    }
    net
}

/// Returns the action with the arcs given as (place, consumed, produced).
pub(crate) fn transition(arcs: &[(usize, i64, i64)]) -> Action {
    let mut by_place: Vec<Arc> = Vec::new();
    for &(place, take, give) in arcs {
        let var = VarId(place as u32);
        match by_place.iter_mut().find(|a| a.var == var) {
            Some(arc) => {
                arc.need += take;
                arc.delta += give - take;
            }
            None => by_place.push(Arc {
                var,
                need: take,
                delta: give - take,
            }),
        }
    }
    by_place.retain(|a| a.need != 0 || a.delta != 0);
    by_place.sort_by_key(|a| a.var);
    Action::Net(by_place)
}

/// Generates two or three cyclic machines; some transitions move several of them at once.
fn machines(rng: &mut Random) -> System {
    let mut system = empty("machines");
    let known = rng.percent(50).then_some(1);
    let mut machines: Vec<Vec<usize>> = Vec::new();
    let mut marking = Vec::new();
    for m in 0..2 + rng.below(2) {
        let size = 2 + rng.below(3);
        let first = marking.len();
        machines.push((first..first + size).collect());
        marking.extend((0..size).map(|i| i64::from(i == 0)));
        for i in 0..size {
            system.variables.push(place(format!("m{m}_{i}"), known));
        }
    }
    // Most transitions follow the cycle. Some also move another machine, from one of its places to
    // another or to the same one (a test arc).
    for (m, machine) in machines.iter().enumerate() {
        for i in 0..machine.len() {
            let to = match rng.below(10) {
                0 => continue,
                1 => *rng.one_of(machine),
                _ => machine[(i + 1) % machine.len()],
            };
            let mut arcs = vec![(machine[i], 1, 0), (to, 0, 1)];
            if rng.percent(35) {
                let other = &machines[(m + 1 + rng.below(machines.len() - 1)) % machines.len()];
                let from = *rng.one_of(other);
                let to = if rng.percent(40) {
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
    if system.events.is_empty() {
        add_event(&mut system, "t0".to_owned(), &[(0, 1, 0), (1, 0, 1)]);
    }
    system.initial = vec![marking.into()];
    system
}

/// Generates random arcs; `growth` shifts the weights towards producing or consuming.
fn arbitrary(rng: &mut Random, name: &str, weight: i64, growth: i64) -> System {
    let places = 2 + rng.below(4);
    let mut system = System {
        name: name.to_owned(),
        variables: (0..places).map(|p| place(format!("p{p}"), None)).collect(),
        ..System::default()
    };
    for t in 0..2 + rng.below(6) {
        let mut arcs = Vec::new();
        for _ in 0..1 + rng.below(2) * rng.below(2) {
            let take = if rng.percent(60) {
                1
            } else {
                rng.between(1, weight)
            };
            arcs.push((rng.below(places), take, 0));
        }
        for _ in 0..1 + rng.below(2) {
            let most = (weight + growth).max(1);
            arcs.push((rng.below(places), 0, rng.between(1, most)));
        }
        if growth > 0 && rng.percent(15) {
            arcs.retain(|a| a.1 == 0);
        }
        if rng.percent(10) {
            // A test arc.
            let tested = rng.below(places);
            arcs.extend([(tested, 1, 0), (tested, 0, 1)]);
        }
        add_event(&mut system, format!("t{t}"), &arcs);
    }
    let marking = (0..places).map(|_| {
        if rng.percent(55) {
            rng.between(1, 3)
        } else {
            0
        }
    });
    system.initial = vec![marking.collect()];
    system
}

/// Gives every place a complement: `p + p̄ = capacity`, or the initial tokens of `p` if more.
fn bound(net: &mut System, capacity: i64) {
    let places = net.variables.len();
    let marking = net.initial[0].to_vec();
    let most: Vec<i64> = marking.iter().map(|m| capacity.max(*m)).collect();
    for event in &mut net.events {
        let Action::Net(arcs) = &mut event.action else {
            continue;
        };
        let mut both: Vec<(usize, i64, i64)> = Vec::new();
        for arc in arcs.iter() {
            let p = arc.var.index();
            both.push((p, arc.need, arc.need + arc.delta));
            if arc.delta > 0 {
                both.push((places + p, arc.delta, 0));
            } else if arc.delta < 0 {
                both.push((places + p, 0, -arc.delta));
            }
        }
        event.action = transition(&both);
    }
    for (p, most) in most.iter().enumerate() {
        let bound = Some(*most as u64);
        net.variables[p].domain = Domain::Count { bound };
        let complement = format!("not_{}", net.variables[p].name);
        net.variables.push(place(complement, bound));
    }
    let complement = (0..places).map(|p| most[p] - marking[p]);
    net.initial = vec![marking.iter().copied().chain(complement).collect()];
}
