//! Random nets on which agglomerations apply, or almost: some events are split into two parts.
//!
//! Plain random nets rarely have a place that tokens only pass through.

use crate::nets::{add_event, add_place, transition};
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, System};

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
    let takes = |arc: &Arc| (arc.var.index(), arc.need, 0);
    let gives = |arc: &Arc| (arc.var.index(), 0, arc.need + arc.delta);
    let mut first: Vec<_> = arcs.iter().map(takes).collect();
    let mut then: Vec<_> = arcs.iter().map(gives).collect();
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
    add_event(net, format!("{name}_{number}"), &then);
    if rng.percent(20) {
        // A second consumer of the place.
        let arcs = [(between, 1, 0), (other, 0, 1)];
        add_event(net, format!("{name}_{number}b"), &arcs);
    }
    let waits = i64::from(rng.percent(10));
    add_place(net, format!("between{number}"), waits);
}
