//! Random nets with implicit places, and places that are almost implicit.
//!
//! An added place is a weighted sum of others, with occasional errors. Plain random nets rarely
//! have implicit places, or places that violate only one condition.

use crate::nets::add_place;
use lariat_corpora::Random;
use lariat_model::{Action, Arc, Event, System, VarId};

/// Adds one or two places, each a weighted sum of others.
pub(crate) fn added(rng: &mut Random, mut net: System) -> System {
    for number in 0..1 + rng.below(2) {
        follow(rng, &mut net, number);
    }
    net
}

fn follow(rng: &mut Random, net: &mut System, number: usize) {
    let places = net.variables.len();
    let mut weights = vec![0; places];
    for _ in 0..1 + rng.below(3) {
        weights[rng.below(places)] = rng.between(1, 2);
    }
    let shadow = VarId(places as u32);
    let wrong = rng.percent(40);
    for Event { action, .. } in &mut net.events {
        let Action::Net(arcs) = action else {
            continue;
        };
        let sum = |value: fn(&Arc) -> i64| -> i64 {
            arcs.iter().map(|a| weights[a.var.index()] * value(a)).sum()
        };
        let (mut need, mut delta) = (sum(|a| a.need), sum(|a| a.delta));
        match rng.below(12) {
            0 if wrong => need += 1,
            1 if wrong => delta -= 1,
            2 => delta += 1,
            // The transition may need fewer tokens than the sum guarantees.
            3..=5 => need = 0,
            _ => {}
        }
        let need = need.max(-delta).max(0);
        if need != 0 || delta != 0 {
            let var = shadow;
            arcs.push(Arc { var, need, delta });
        }
    }
    let tokens = net.initial[0].iter().zip(&weights);
    let tokens: i64 = tokens.map(|(tokens, weight)| tokens * weight).sum();
    let more = rng.between(if wrong { -1 } else { 0 }, 1);
    add_place(net, format!("shadow{number}"), (tokens + more).max(0));
}
