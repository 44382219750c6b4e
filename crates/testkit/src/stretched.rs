//! Nets with steps in two parts: what joins steps has something to join, and almost.
//!
//! Left to themselves, random nets seldom have a place that tokens only pass through.

use crate::nets::transition;
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, Variable};

/// The net with one to three events in two parts each, between which a token waits in a place of its own.
pub(crate) fn added(rng: &mut Random, mut net: System) -> System {
    for number in 0..1 + rng.below(3) {
        let at = rng.below(net.events.len());
        stretch(rng, &mut net, at, number);
    }
    // Tokens that wait, and parts that do more, may exceed the bounds of the net as it was.
    for variable in &mut net.variables {
        variable.domain = Domain::Count { bound: None };
    }
    net
}

fn stretch(rng: &mut Random, net: &mut System, at: usize, number: usize) {
    let Action::Net(arcs) = &net.events[at].action else {
        return;
    };
    let between = net.variables.len();
    let part = |of: fn(&Arc) -> (i64, i64)| -> Vec<(usize, i64, i64)> {
        let all = arcs.iter().map(|arc| (arc.var.index(), of(arc)));
        all.map(|(place, (take, give))| (place, take, give))
            .collect()
    };
    let mut first = part(|arc| (arc.need, 0));
    let mut then = part(|arc| (0, arc.need + arc.delta));
    first.push((between, 0, 1));
    then.push((between, 1, 0));
    // Now and then one of the parts does a little more than it may.
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
        // Another way out of the place.
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
