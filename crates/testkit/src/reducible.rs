//! Random nets on which rules for equal futures, rings of places and tails apply, or almost.
//!
//! Plain random nets rarely have such structures, or structures that violate only one condition.

use crate::nets::{self, transition};
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, VarId};

/// Adds one or two such structures.
pub fn added(rng: &mut Random, mut net: System) -> System {
    for _ in 0..1 + rng.below(2) {
        match rng.below(3) {
            0 => twin(rng, &mut net),
            1 => ring(rng, &mut net),
            _ => tail(rng, &mut net),
        }
    }
    net
}

fn add_place(net: &mut System, tokens: i64) -> usize {
    let name = format!("x{}", net.variables.len());
    nets::add_place(net, name, tokens)
}

fn add_event(net: &mut System, arcs: &[(usize, i64, i64)]) {
    let name = format!("x{}", net.events.len());
    nets::add_event(net, name, arcs);
}

fn arcs_of(event: &Event) -> &[Arc] {
    match &event.action {
        Action::Net(arcs) => arcs,
        _ => &[],
    }
}

/// Returns the arcs of an event as (place, consumed, produced).
fn as_triples(event: &Event) -> Vec<(usize, i64, i64)> {
    let triple = |arc: &Arc| (arc.var.index(), arc.need, arc.need + arc.delta);
    arcs_of(event).iter().map(triple).collect()
}

/// Adds a twin with equal future to an input place: the twin gets a part of the tokens and
/// producers, and copies of all consumers.
fn twin(rng: &mut Random, net: &mut System) {
    let needed = |var: &VarId| {
        let needs = |arc: &Arc| arc.var == *var && arc.need > 0;
        net.events
            .iter()
            .any(|event| arcs_of(event).iter().any(needs))
    };
    let places: Vec<VarId> = net.var_ids().filter(needed).collect();
    if places.is_empty() {
        return;
    }
    let place = rng.one_of(&places).index();
    let tokens = net.initial[0][place];
    let moved = rng.between(0, tokens);
    net.initial[0][place] -= moved;
    net.variables[place].domain = Domain::Count { bound: None };
    let other = add_place(net, moved);
    let wrong = rng.percent(35);
    for e in 0..net.events.len() {
        let mut arcs = as_triples(&net.events[e]);
        let Some(i) = arcs.iter().position(|(at, ..)| *at == place) else {
            continue;
        };
        if arcs[i].1 == 0 {
            if rng.percent(50) {
                arcs[i].0 = other;
                net.events[e].action = transition(&arcs);
            }
            continue;
        }
        arcs[i].0 = other;
        match rng.below(8) {
            0 if wrong => continue,
            1 if wrong => arcs[i].1 += 1,
            2 if wrong => arcs.push((rng.below(net.variables.len()), 0, 1)),
            3 if wrong => arcs[i].2 += 1,
            _ => {}
        }
        add_event(net, &arcs);
    }
}

/// Replaces a place by a ring of places among which tokens circulate.
fn ring(rng: &mut Random, net: &mut System) {
    let place = rng.below(net.variables.len());
    net.variables[place].domain = Domain::Count { bound: None };
    let mut places = vec![place];
    for _ in 0..1 + rng.below(2) {
        let tokens = i64::from(rng.percent(15));
        places.push(add_place(net, tokens));
    }
    for e in 0..net.events.len() {
        let mut arcs = as_triples(&net.events[e]);
        for arc in arcs.iter_mut().filter(|(at, ..)| *at == place) {
            arc.0 = *rng.one_of(&places);
        }
        // An event may consume from one place of the ring and produce in another.
        if let Some(i) = arcs.iter().position(|(at, ..)| places.contains(at)) {
            let (at, take, give) = arcs[i];
            arcs[i] = (at, take, 0);
            arcs.push((*rng.one_of(&places), 0, give));
        }
        net.events[e].action = transition(&arcs);
    }
    let wrong = rng.percent(35);
    for (i, from) in places.iter().enumerate() {
        let mut arcs = vec![(*from, 1, 0), (places[(i + 1) % places.len()], 0, 1)];
        match rng.below(8) {
            0 if wrong => continue,
            1 if wrong => arcs[0].1 = 2,
            2 if wrong => {
                let tested = rng.below(net.variables.len());
                arcs.extend([(tested, 1, 0), (tested, 0, 1)]);
            }
            3 if wrong => arcs.push((rng.below(net.variables.len()), 0, 1)),
            _ => {}
        }
        add_event(net, &arcs);
    }
}

/// Adds a chain of places that get their tokens initially or by a bounded number of firings.
fn tail(rng: &mut Random, net: &mut System) {
    let before = net.variables.len();
    let tokens = rng.between(0, 2);
    let mut places = vec![add_place(net, tokens)];
    for _ in 0..1 + rng.below(2) {
        places.push(add_place(net, 0));
    }
    if rng.percent(70) {
        // The tokens in `fuel` bound the number of firings.
        let fuel = rng.between(1, 2);
        let fuel = add_place(net, fuel);
        let tested = rng.below(before);
        let filled = *rng.one_of(&places);
        add_event(net, &[(fuel, 1, 0), (tested, 1, 1), (filled, 0, 1)]);
    }
    if rng.percent(30) {
        let fed = rng.below(net.events.len());
        let mut arcs = as_triples(&net.events[fed]);
        arcs.push((*rng.one_of(&places), 0, 1));
        net.events[fed].action = transition(&arcs);
    }
    let wrong = rng.percent(50);
    for (i, from) in places.iter().enumerate() {
        let mut arcs = vec![(*from, rng.between(1, 2), 0)];
        let further = places.get(i + 1);
        arcs.extend(further.map(|to| (*to, 0, rng.between(1, 2))));
        match rng.below(12) {
            0 if wrong => arcs.push((rng.below(before), 0, 1)),
            1 if wrong => arcs.push((rng.below(before), 1, 0)),
            2 if wrong => arcs.push((places[0], 0, 1)),
            3 if wrong => arcs = vec![(*from, 1, 1)],
            4 if wrong => arcs = vec![(*from, 1, 0), (*rng.one_of(&places), 0, 1)],
            5 if wrong => arcs[0].1 = 0,
            6 => arcs.extend(places.get(i + 2).map(|to| (*to, 0, 1))),
            7 => arcs.extend(further.map(|to| (*to, 1, 0))),
            _ => {}
        }
        add_event(net, &arcs);
    }
}
