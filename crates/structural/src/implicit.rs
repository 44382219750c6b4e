//! Implicit places: places that never disable an event on their own.
//!
//! A place `p` is implied by a weighted sum `y` of other places (`reductions::ImplicitPlace`
//! defines and checks this) if the weights are a point with `s > 0` of
//!
//! ```text
//! y·C <= s·C(p)      y·(m0 - pre(t)) <= s·(m0(p) - pre(t, p)) for all t that need p
//! 0 <= y,  0 <= s <= 1
//! ```
//!
//! The origin is feasible, so the solver starts without a first phase and its work can be counted.
//! The program minimises `Σ y`, with a large reward for `s`, so that removing `p` depends on few
//! places. Two tests come first: each event that takes from `p` must take from another place, and
//! no sampled marking may have lacked tokens in `p` alone.

use crate::Facts;
use crate::net::IncidenceNet;
use crate::rational::proportional;
use crate::solver::LinearProgram;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, Value, VarId};
use lariat_reductions::ImplicitPlace;
use rustc_hash::FxHashMap;

/// Reward per unit of `s`; larger than the sum of all weights.
const WORTH: f64 = 10_000.0;

impl Facts {
    /// Finds implicit places, to be removed in this order: one that is found implies no later ones.
    pub fn implicit(
        &mut self,
        places: &[VarId],
        budget: &Budget,
    ) -> Result<Vec<ImplicitPlace>, Stop> {
        let Some(net) = &self.net else {
            return Ok(Vec::new());
        };
        let mut needing = vec![Vec::new(); net.places];
        let mut deciding = self.samples.deciding.clone();
        for event in net.events() {
            for (place, _) in &net.needs[event.index()] {
                needing[place.index()].push(event);
                // A never marked place may be all that disables a silenced event.
                deciding[place.index()] |= net.silenced[event.index()];
            }
        }
        let mut may_support = vec![true; net.places];
        let mut found = Vec::new();
        for place in places.iter().filter(|place| !deciding[place.index()]) {
            may_support[place.index()] = false;
            let Some(net) = self.net.as_ref().filter(|_| self.allowance() > 0) else {
                break;
            };
            let implied = match shape(net, *place, &may_support, &needing[place.index()]) {
                Some(shape) => {
                    self.ask(budget, |net, most, budget| solve(net, &shape, most, budget))?
                }
                None => None,
            };
            may_support[place.index()] = implied.is_none();
            found.extend(implied);
        }
        Ok(found)
    }
}

/// The part of the program that is relevant for one place.
struct Shape {
    place: VarId,
    /// Places that may have a weight.
    supports: Vec<VarId>,
    /// The effects that increase some supporting place or decrease the place itself.
    effects: Vec<usize>,
    /// The presets of the events that need tokens in the place.
    needs: Vec<Vec<(VarId, Value)>>,
}

/// Collects the relevant places and effects; `None` if the place is clearly not implicit.
///
/// A place is relevant if it loses tokens by an effect by which `p` loses or a relevant place
/// gains, or if an event needs both it and `p`.
fn shape(
    net: &IncidenceNet,
    place: VarId,
    may_support: &[bool],
    needing: &[EventId],
) -> Option<Shape> {
    let (mut wanted, mut effects) = (vec![false; net.effects.len()], Vec::new());
    let (mut helps, mut supports) = (vec![false; net.places], Vec::new());
    let want = |effect: usize, wanted: &mut Vec<bool>, effects: &mut Vec<usize>| {
        if !std::mem::replace(&mut wanted[effect], true) {
            effects.push(effect);
        }
    };
    for (effect, change) in &net.changes[place.index()] {
        if *change < 0 {
            let loses = |(q, change): &(VarId, Value)| *change < 0 && may_support[q.index()];
            if !net.effects[*effect].iter().any(loses) {
                return None;
            }
            want(*effect, &mut wanted, &mut effects);
        }
    }
    let mut help = |q: VarId, supports: &mut Vec<VarId>| {
        if may_support[q.index()] && !std::mem::replace(&mut helps[q.index()], true) {
            supports.push(q);
        }
    };
    let mut needs: Vec<Vec<(VarId, Value)>> = Vec::new();
    for event in needing {
        let own = &net.needs[event.index()];
        own.iter().for_each(|(q, _)| help(*q, &mut supports));
        needs.push(own.clone());
    }
    needs.sort_unstable();
    needs.dedup();
    let (mut looked, mut seen) = (0, 0);
    while looked < effects.len() || seen < supports.len() {
        if let Some(effect) = effects.get(looked) {
            let losers = net.effects[*effect]
                .iter()
                .filter(|(_, change)| *change < 0);
            losers.for_each(|(q, _)| help(*q, &mut supports));
            looked += 1;
        }
        if let Some(q) = supports.get(seen) {
            let gains = net.changes[q.index()]
                .iter()
                .filter(|(_, change)| *change > 0);
            gains.for_each(|(effect, _)| want(*effect, &mut wanted, &mut effects));
            seen += 1;
        }
    }
    effects.sort_unstable();
    supports.sort_unstable();
    Some(Shape {
        place,
        supports,
        effects,
        needs,
    })
}

/// Solves the program and rounds the weights to integers.
fn solve(
    net: &IncidenceNet,
    shape: &Shape,
    most: u64,
    budget: &Budget,
) -> Result<Option<ImplicitPlace>, Stop> {
    // With several initial markings the inequality would have to hold for each of them.
    let [start] = &net.initial[..] else {
        return Ok(None);
    };
    let column: FxHashMap<VarId, usize> = shape.supports.iter().copied().zip(0..).collect();
    let mut program = LinearProgram::new(budget);
    for _ in &shape.supports {
        program.column(1.0, f64::INFINITY);
    }
    let scale = program.column(-WORTH, 1.0);
    for effect in &shape.effects {
        let (mut row, mut own) = (Vec::new(), 0);
        for (q, change) in &net.effects[*effect] {
            match column.get(q) {
                Some(column) => row.push((*column, *change as f64)),
                None if *q == shape.place => own = *change,
                None => {}
            }
        }
        if own != 0 {
            row.push((scale, -own as f64));
        }
        program.row(row, 0.0)?;
    }
    for needs in &shape.needs {
        let need = |q: VarId| needs.iter().find(|(p, _)| *p == q).map_or(0, |(_, n)| *n);
        let beyond = |q: VarId| (start[q.index()] - need(q)) as f64;
        let row = column.iter().map(|(q, column)| (*column, beyond(*q)));
        let mut row: Vec<(usize, f64)> = row.filter(|(_, a)| *a != 0.0).collect();
        row.sort_unstable_by_key(|(column, _)| *column);
        row.push((scale, -beyond(shape.place)));
        program.row(row, 0.0)?;
    }
    let values = program.minimise(most)?;
    let Some(weights) = values.and_then(|values| proportional(&values)) else {
        return Ok(None);
    };
    let Some((scale, weights)) = weights.split_last().filter(|(scale, _)| **scale > 0) else {
        return Ok(None);
    };
    let by = shape.supports.iter().copied().zip(weights.iter().copied());
    Ok(Some(ImplicitPlace {
        place: shape.place,
        scale: *scale,
        by: by.filter(|(_, weight)| *weight > 0).collect(),
    }))
}
