//! Random nets with inhibitor, reset and read arcs.

use lariat_corpora::Random;
use lariat_model::{Action, Arc, System, Transition, VarId};

/// Adds inhibitor, reset and read arcs to some transitions of a net.
pub fn added(rng: &mut Random, mut net: System) -> System {
    "guarded".clone_into(&mut net.name);
    let places = net.variables.len();
    let place = |rng: &mut Random| VarId(rng.below(places) as u32);
    for event in &mut net.events {
        let Action::Net(arcs) = &event.action else {
            continue;
        };
        if rng.percent(50) {
            continue;
        }
        let mut transition = Transition {
            arcs: arcs.clone(),
            ..Transition::default()
        };
        if rng.percent(60) {
            transition.inhibitors.push((place(rng), rng.between(1, 2)));
        }
        if rng.percent(40) {
            empty(&mut transition, place(rng));
        }
        if rng.percent(30) {
            read(&mut transition, place(rng), rng.between(1, 2));
        }
        event.action = transition.into_action();
    }
    net
}

/// Adds a reset arc; the outputs remain.
fn empty(transition: &mut Transition, place: VarId) {
    let arc = { transition.arcs.iter_mut() }.find(|arc| arc.var == place);
    let made = arc.map_or(0, |arc| arc.need + std::mem::take(&mut arc.delta));
    transition.resets.push((place, made));
}

/// Adds a read arc.
fn read(transition: &mut Transition, place: VarId, weight: i64) {
    match transition.arcs.iter_mut().find(|arc| arc.var == place) {
        Some(arc) => arc.need = arc.need.max(weight),
        None => {
            let (var, need, delta) = (place, weight, 0);
            transition.arcs.push(Arc { var, need, delta });
            transition.arcs.sort_unstable_by_key(|arc| arc.var);
        }
    }
}
