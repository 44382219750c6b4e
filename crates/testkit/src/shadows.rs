//! Places that follow others: sums of places with a little too much or too little now and then.
//!
//! Left to themselves, random nets hardly have places of which others tell that there is enough in them, and even fewer of which that is almost true.

use lariat_corpora::Random;
use lariat_model::{Action, Arc, Domain, Event, System, VarId, Variable};

/// The net with one or two more places, each of which follows some others.
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
        let sum = |of: fn(&Arc) -> i64| -> i64 {
            arcs.iter().map(|a| weights[a.var.index()] * of(a)).sum()
        };
        let (mut need, mut delta) = (sum(|a| a.need), sum(|a| a.delta));
        match rng.below(12) {
            0 if wrong => need += 1,
            1 if wrong => delta -= 1,
            2 => delta += 1,
            // It may need less than it finds.
            3..=5 => need = 0,
            _ => {}
        }
        let need = need.max(-delta).max(0);
        if need != 0 || delta != 0 {
            arcs.push(Arc {
                var: shadow,
                need,
                delta,
            });
        }
    }
    let tokens = net.initial[0].iter().zip(&weights);
    let tokens: i64 = tokens.map(|(tokens, weight)| tokens * weight).sum();
    let more = if wrong {
        rng.between(-1, 1)
    } else {
        rng.between(0, 1)
    };
    let initial = net.initial[0].iter().copied();
    net.initial = vec![initial.chain([(tokens + more).max(0)]).collect()];
    net.variables.push(Variable {
        name: format!("shadow{number}"),
        domain: Domain::Count { bound: None },
    });
}
