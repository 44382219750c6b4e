//! Random nets on which agglomerations apply, or almost: some events are split into two parts.
//!
//! Plain random nets rarely have a place that tokens only pass through.

use crate::nets::transition;
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, Variable};

/// Splits one to three events into two parts each, connected by a new place.
pub(crate) fn added(rng: &mut Random, mut net: System) -> System {
    for number in 0..1 + rng.below(3) {
        let at = rng.below(net.events.len());
        split_event(rng, &mut net, at, number);
    }
    // The additions may exceed the bounds of the original net.
    for variable in &mut net.variables {
        variable.domain = Domain::Count { bound: None };
    }
    net
}

fn split_event(rng: &mut Random, net: &mut System, at: usize, number: usize) {
    let Action::Net(arcs) = &net.events[at].action else {
        return;
    };
    let between = net.variables.len();
    let part = |weights: fn(&Arc) -> (i64, i64)| -> Vec<(usize, i64, i64)> {
        let all = arcs.iter().map(|arc| (arc.var.index(), weights(arc)));
        all.map(|(place, (take, give))| (place, take, give))
            .collect()
    };
    let mut first = part(|arc| (arc.need, 0));
    let mut then = part(|arc| (0, arc.need + arc.delta));
    first.push((between, 0, 1));
    then.push((between, 1, 0));
    // Occasionally one of the parts violates a condition of agglomeration.
    let other = rng.below(between);
    match rng.below(10) {
        0 => then.extend([(other, 1, 0), (other, 0, 1)]),
        1 => first.push((other, 0, 1)),
        _ => {}
    }
    let name = net.events[at].name.clone();
    net.events[at].action = transition(&first);
    let mut add = |arcs: &[(usize, i64, i64)], suffix: &str| {
        net.events.push(Event {
            name: format!("{name}_{number}{suffix}"),
            action: transition(arcs),
        });
    };
    add(&then, "");
    if rng.percent(20) {
        // A second consumer of the place.
        add(&[(between, 1, 0), (other, 0, 1)], "b");
    }
    net.variables.push(Variable {
        name: format!("between{number}"),
        domain: Domain::Count { bound: None },
    });
    let waits = i64::from(rng.percent(10));
    let initial = net.initial[0].iter().copied();
    net.initial = vec![initial.chain([waits]).collect()];
}
