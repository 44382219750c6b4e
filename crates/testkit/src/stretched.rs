//! Nets with steps in two parts: what joins steps has something to join, and almost.
//!
//! Left to themselves, random nets seldom have a place that tokens only pass through.

use crate::formulas::{Ltl, Op1, Op2};
use crate::nets::transition;
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, Variable};

/// The net with one to three events in two parts each, between which a token waits in a place of its own.
pub(crate) fn added(rng: &mut Random, mut net: System) -> System {
    for number in 0..1 + rng.below(3) {
        let at = rng.below(net.events.len());
        stretch(rng, &mut net, at, number);
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

/// A formula with `X`: at its top alone, where a part of a letter is followed by one, or anywhere.
pub(crate) fn formula(rng: &mut Random, atoms: usize) -> Ltl {
    let plain = |rng: &mut Random, most: usize| {
        let size = 1 + rng.below(most);
        Ltl::random(rng, atoms, size, false)
    };
    let unary = |op, f: Ltl| Ltl::Unary(op, Box::new(f));
    let binary = |op, f: Ltl, g: Ltl| Ltl::Binary(op, Box::new(f), Box::new(g));
    match rng.below(3) {
        0 => {
            let mut f = plain(rng, 5);
            for _ in 0..1 + rng.below(3) {
                f = unary(Op1::Next, f);
                if rng.percent(50) {
                    let op = *rng.one_of(&[Op2::And, Op2::Or, Op2::Implies, Op2::Iff, Op2::Xor]);
                    f = binary(op, f, plain(rng, 4));
                }
            }
            f
        }
        1 => {
            let (now, next) = (plain(rng, 2), plain(rng, 3));
            let step = unary(Op1::Next, next);
            match rng.below(3) {
                0 => unary(Op1::Globally, binary(Op2::Implies, now, step)),
                1 => unary(Op1::Finally, binary(Op2::And, now, step)),
                _ => binary(Op2::Until, plain(rng, 2), binary(Op2::And, now, step)),
            }
        }
        _ => {
            let size = 2 + rng.below(8);
            Ltl::random(rng, atoms, size, true)
        }
    }
}
