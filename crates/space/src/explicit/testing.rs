//! Random nets for tests, and a fixed one.

use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, Value, VarId, Variable};

/// A net with `places` places and weights below `weights`. Some transitions take or put
/// nothing, some only read, and one place has many arcs.
pub(super) fn net(random: &mut Random, places: u32, transitions: u32, weights: u32) -> System {
    let mut events = Vec::new();
    for i in 0..transitions {
        let mut arcs: Vec<(u32, Value, Value)> = Vec::new();
        let (takes, puts) = (random.below(3), random.below(3));
        for k in 0..takes + puts {
            let var = match random.below(4) {
                0 => 0,
                _ => random.below(places),
            };
            let tokens = Value::from(1 + random.below(weights));
            if arcs.iter().all(|(known, ..)| *known != var) {
                arcs.push(match (k < takes, random.below(5)) {
                    (true, 0) => (var, tokens, 0),
                    (true, _) => (var, tokens, -tokens),
                    (false, _) => (var, 0, tokens),
                });
            }
        }
        arcs.sort_unstable();
        events.push(transition(&format!("t{i}"), &arcs));
    }
    let initial = (0..places).map(|_| Value::from(random.below(4) * random.below(weights + 1)));
    System {
        initial: vec![initial.collect()],
        variables: (0..places).map(|i| place(&format!("p{i}"))).collect(),
        events,
        ..System::default()
    }
}

/// A net that moves bundles of `weight` tokens, one or two at a time, and creates none: its
/// state space is finite.
pub(super) fn closed_net(random: &mut Random, places: u32, bundles: u32, weight: Value) -> System {
    let mut events = Vec::new();
    for i in 0..3 * places {
        let mut deltas = vec![0; places as usize];
        let mut needs = vec![0; places as usize];
        for _ in 0..1 + random.below(2) {
            let from = random.below(places) as usize;
            deltas[from] -= weight;
            needs[from] += weight;
            deltas[random.below(places) as usize] += weight;
        }
        let arcs = (0..places).zip(needs.into_iter().zip(deltas));
        let arcs = arcs.filter(|(_, arc)| *arc != (0, 0));
        let arcs: Vec<(u32, Value, Value)> = arcs.map(|(p, (n, d))| (p, n, d)).collect();
        events.push(transition(&format!("t{i}"), &arcs));
    }
    let mut initial = vec![0; places as usize];
    (0..bundles).for_each(|_| initial[random.below(places) as usize] += weight);
    System {
        initial: vec![initial.into()],
        variables: (0..places).map(|i| place(&format!("p{i}"))).collect(),
        events,
        ..System::default()
    }
}

pub(super) fn place(name: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        domain: Domain::Count { bound: None },
    }
}

pub(super) fn transition(name: &str, arcs: &[(u32, Value, Value)]) -> Event {
    let arc = |&(var, need, delta): &(u32, Value, Value)| Arc {
        var: VarId(var),
        need,
        delta,
    };
    Event {
        name: name.to_owned(),
        action: Action::Net(arcs.iter().map(arc).collect()),
    }
}

/// A net that moves `n` tokens from the first place to the second, one at a time, into a deadlock.
pub(super) fn pour(n: Value) -> System {
    System {
        variables: vec![place("p"), place("q")],
        events: vec![transition("t", &[(0, 1, -1), (1, 0, 1)])],
        initial: vec![vec![n, 0].into()],
        ..System::default()
    }
}
