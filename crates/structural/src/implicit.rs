//! Places of which others tell that there is always enough in them.
//!
//! The weights `y` by which they tell (`reductions::Told` says what that means, and checks it) are a point of
//!
//! ```text
//! y·C <= s·C(p)      y·(m0 - pre(t)) <= s·(m0(p) - pre(t, p)) for all t that need p      0 <= y,  0 <= s <= 1
//! ```
//!
//! with `s > 0`. The origin is always one, so that the solver begins somewhere and its work can be counted. A small `y` is wanted, so that few places have to stay for `p` to
//! go: the program minimises `Σ y`, and `s` is worth much more than any `y`. Two things are looked at before: who takes from `p` must take
//! from another place too, and no event may have been seen that lacked tokens in `p` alone.

use crate::Facts;
use crate::net::Net;
use crate::rational::proportional;
use crate::solver::Program;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, Value, VarId};
use lariat_reductions::Told;
use rustc_hash::FxHashMap;

/// What `s` is worth: more than the weights of all who tell.
const WORTH: f64 = 10_000.0;

impl Facts {
    /// Of which of these places others tell. They are meant to go in this order: who is told of tells nothing of later ones.
    pub fn implicit(&mut self, places: &[VarId], budget: &Budget) -> Result<Vec<Told>, Stop> {
        let Some(net) = &self.net else {
            return Ok(Vec::new());
        };
        let mut needing = vec![Vec::new(); net.places];
        let mut deciding = self.samples.deciding.clone();
        for event in net.events() {
            for (place, _) in &net.needs[event.index()] {
                needing[place.index()].push(event);
                // Of events that never fire no effect is known here, and such a place may be what keeps one from firing.
                deciding[place.index()] |= net.silenced[event.index()];
            }
        }
        let mut teller = vec![true; net.places];
        let mut found = Vec::new();
        for place in places.iter().filter(|place| !deciding[place.index()]) {
            teller[place.index()] = false;
            let Some(net) = self.net.as_ref().filter(|_| self.allowance() > 0) else {
                break;
            };
            let told = match shape(net, *place, &teller, &needing[place.index()]) {
                Some(shape) => {
                    let tell = |net: &Net, most, budget: &Budget| tell(net, &shape, most, budget);
                    self.ask(budget, tell)?
                }
                None => None,
            };
            teller[place.index()] = told.is_none();
            found.extend(told);
        }
        Ok(found)
    }
}

/// The columns and rows that matter.
struct Shape {
    place: VarId,
    /// Those who may tell.
    tellers: Vec<VarId>,
    /// The effects that some teller would have to answer for.
    effects: Vec<usize>,
    /// The needs of events that need something in the place.
    needs: Vec<Vec<(VarId, Value)>>,
}

/// What can help to tell of the place; `None` if it is plain that nothing does.
///
/// A place is wanted if it loses tokens by an effect to which something wanted adds, or by which `p` loses; or if somebody needs it beside `p`.
fn shape(net: &Net, place: VarId, teller: &[bool], needing: &[EventId]) -> Option<Shape> {
    let (mut wanted, mut effects) = (vec![false; net.effects.len()], Vec::new());
    let (mut helps, mut tellers) = (vec![false; net.places], Vec::new());
    let want = |effect: usize, wanted: &mut Vec<bool>, effects: &mut Vec<usize>| {
        if !std::mem::replace(&mut wanted[effect], true) {
            effects.push(effect);
        }
    };
    for (effect, change) in &net.changes[place.index()] {
        if *change < 0 {
            let loses = |(q, change): &(VarId, Value)| *change < 0 && teller[q.index()];
            if !net.effects[*effect].iter().any(loses) {
                return None;
            }
            want(*effect, &mut wanted, &mut effects);
        }
    }
    let mut help = |q: VarId, tellers: &mut Vec<VarId>| {
        if teller[q.index()] && !std::mem::replace(&mut helps[q.index()], true) {
            tellers.push(q);
        }
    };
    let mut needs: Vec<Vec<(VarId, Value)>> = Vec::new();
    for event in needing {
        let own = &net.needs[event.index()];
        own.iter().for_each(|(q, _)| help(*q, &mut tellers));
        needs.push(own.clone());
    }
    needs.sort_unstable();
    needs.dedup();
    let (mut looked, mut seen) = (0, 0);
    while looked < effects.len() || seen < tellers.len() {
        if let Some(effect) = effects.get(looked) {
            let losers = net.effects[*effect]
                .iter()
                .filter(|(_, change)| *change < 0);
            losers.for_each(|(q, _)| help(*q, &mut tellers));
            looked += 1;
        }
        if let Some(q) = tellers.get(seen) {
            let gains = net.changes[q.index()]
                .iter()
                .filter(|(_, change)| *change > 0);
            gains.for_each(|(effect, _)| want(*effect, &mut wanted, &mut effects));
            seen += 1;
        }
    }
    effects.sort_unstable();
    tellers.sort_unstable();
    Some(Shape {
        place,
        tellers,
        effects,
        needs,
    })
}

/// The weights that the solver finds, as integers.
fn tell(net: &Net, shape: &Shape, most: u64, budget: &Budget) -> Result<Option<Told>, Stop> {
    // A sum that is below m0(p) at every start, and where one start has enough, is the business of nets with one initial marking.
    let [start] = &net.initial[..] else {
        return Ok(None);
    };
    let column: FxHashMap<VarId, usize> = shape.tellers.iter().copied().zip(0..).collect();
    let mut program = Program::default();
    for _ in &shape.tellers {
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
        program.row(row, 0.0);
    }
    for needs in &shape.needs {
        let need = |q: VarId| needs.iter().find(|(p, _)| *p == q).map_or(0, |(_, n)| *n);
        let beyond = |q: VarId| (start[q.index()] - need(q)) as f64;
        let row = column.iter().map(|(q, column)| (*column, beyond(*q)));
        let mut row: Vec<(usize, f64)> = row.filter(|(_, a)| *a != 0.0).collect();
        row.sort_unstable_by_key(|(column, _)| *column);
        row.push((scale, -beyond(shape.place)));
        program.row(row, 0.0);
    }
    let values = program.minimise(most, budget)?;
    let Some(weights) = values.and_then(|values| proportional(&values)) else {
        return Ok(None);
    };
    let Some((scale, weights)) = weights.split_last().filter(|(scale, _)| **scale > 0) else {
        return Ok(None);
    };
    let by = shape.tellers.iter().copied().zip(weights.iter().copied());
    Ok(Some(Told {
        place: shape.place,
        scale: *scale,
        by: by.filter(|(_, weight)| *weight > 0).collect(),
    }))
}
