//! Exclusion of markings by the state equation, solved for the certificate.
//!
//! Every reachable marking is `m = m0 + C·x` with `m, x >= 0`. By Farkas' lemma none satisfies the
//! rows `A·m >= b` iff there are `u >= 0` (weights of places) and `z >= 0` (of rows) with
//!
//! ```text
//! w = u + z·A      w·C <= 0      w·m0 < z·b
//! ```
//!
//! because then `z·b <= z·A·m <= w·m <= w·m0`. The program solves for `u` and `z` themselves:
//!
//! ```text
//! minimise u·m0 + z·(A·m0 - b)   where   (u + z·A)·C <= 0,   0 <= u, z <= 1
//! ```
//!
//! The origin is feasible, a negative value is a proof, and the solution, rounded to integers and
//! checked, *is* the certificate: the invariant `w·m <= w·m0`. The least upper bound of a sum `c·m`
//! is the same program with the weight of `c` fixed.
//!
//! The program is restricted to a cone of influence. Events with equal effects share a row. A place
//! `p` has a weight `u(p)` only if it loses tokens by an effect that increases a row or another
//! place of the cone. A place with a row `m(p) >= k` needs none: the weight of the row is as good.

use crate::cases::{LinearCase, LinearConstraint};
use crate::certificate::{Certificate, PlaceWeights, Statement, at_start};
use crate::net::IncidenceNet;
use crate::rational::proportional;
use crate::solver::LinearProgram;
use lariat_budget::{Budget, Stop};
use lariat_model::VarId;
use rustc_hash::FxHashMap;

/// Objective above which a solution counts as 0 and the exact check is skipped.
const BELOW_ZERO: f64 = -1e-7;

/// The effects and places in the cone of influence of some rows.
struct Cone {
    effects: Vec<usize>,
    places: Vec<VarId>,
}

/// The change of a sum by each effect; `None` on overflow.
fn gains(net: &IncidenceNet, terms: &[(VarId, i128)]) -> Option<FxHashMap<usize, i128>> {
    let mut gains: FxHashMap<usize, i128> = FxHashMap::default();
    for (place, weight) in terms {
        for (effect, change) in &net.changes[place.index()] {
            let more = weight.checked_mul(i128::from(*change))?;
            let slot = gains.entry(*effect).or_default();
            *slot = slot.checked_add(more)?;
        }
    }
    Some(gains)
}

fn cone(net: &IncidenceNet, gains: &[FxHashMap<usize, i128>]) -> Cone {
    let mut wanted = vec![false; net.effects.len()];
    let mut helps = vec![false; net.places];
    let mut todo = Vec::new();
    for (effect, gain) in gains.iter().flatten() {
        if *gain > 0 && !std::mem::replace(&mut wanted[*effect], true) {
            todo.push(*effect);
        }
    }
    while let Some(effect) = todo.pop() {
        for (place, change) in &net.effects[effect] {
            if *change > 0 || std::mem::replace(&mut helps[place.index()], true) {
                continue;
            }
            for (next, change) in &net.changes[place.index()] {
                if *change > 0 && !std::mem::replace(&mut wanted[*next], true) {
                    todo.push(*next);
                }
            }
        }
    }
    let chosen = |flags: &[bool]| (0..flags.len()).filter(|i| flags[*i]).collect::<Vec<_>>();
    let place = |p: usize| VarId(p as u32);
    Cone {
        effects: chosen(&wanted),
        places: chosen(&helps).into_iter().map(place).collect(),
    }
}

/// Constraints of a program under construction, by effect of the cone.
struct Matrix {
    rows: FxHashMap<usize, Vec<(usize, f64)>>,
}

impl Matrix {
    fn new(cone: &Cone) -> Matrix {
        Matrix {
            rows: cone.effects.iter().map(|e| (*e, Vec::new())).collect(),
        }
    }

    fn place(&mut self, net: &IncidenceNet, column: usize, place: VarId) {
        for (effect, change) in &net.changes[place.index()] {
            if let Some(row) = self.rows.get_mut(effect) {
                row.push((column, *change as f64));
            }
        }
    }

    fn gains(&mut self, column: usize, gains: &FxHashMap<usize, i128>) {
        for (effect, gain) in gains {
            if let Some(row) = self.rows.get_mut(effect).filter(|_| *gain != 0) {
                row.push((column, *gain as f64));
            }
        }
    }

    fn finish(
        mut self,
        cone: &Cone,
        program: &mut LinearProgram<'_>,
        most: impl Fn(usize) -> f64,
    ) -> Result<(), Stop> {
        for effect in &cone.effects {
            let mut row = self.rows.remove(effect).unwrap_or_default();
            row.sort_unstable_by_key(|(column, _)| *column);
            program.row(row, most(*effect))?;
        }
        Ok(())
    }
}

/// An invariant that no marking of the case satisfies; `None` if none is known.
pub(crate) fn refute(
    net: &IncidenceNet,
    case: &LinearCase,
    most: u64,
    budget: &Budget,
) -> Result<Option<Certificate>, Stop> {
    let satisfied =
        |state: &lariat_model::State| case.iter().all(|row| row.holds(state) != Some(false));
    if net.initial.iter().any(satisfied) {
        return Ok(None);
    }
    let gains = case.iter().map(|row| gains(net, &row.terms));
    let Some(gains) = gains.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let cone = cone(net, &gains);
    let is_bounded =
        |row: &LinearConstraint, p: &VarId| row.terms[..] == [(*p, 1)] && row.least >= 0;
    let mut places = cone.places.clone();
    places.retain(|p| !case.iter().any(|row| is_bounded(row, p)));
    // The cost of a column for an initial marking.
    let cost = |column: usize, start: usize| {
        let state = &net.initial[start];
        let tokens = |p: VarId| state[p.index()] as f64;
        match column.checked_sub(case.len()) {
            Some(place) => tokens(places[place]),
            None => {
                let terms = case[column].terms.iter();
                let sum: f64 = terms.map(|(p, c)| *c as f64 * tokens(*p)).sum();
                sum - case[column].least as f64
            }
        }
    };
    let count = case.len() + places.len();
    let mut program = LinearProgram::new(budget);
    let single = net.initial.len() == 1;
    for column in 0..count {
        program.column(if single { cost(column, 0) } else { 0.0 }, 1.0);
    }
    if !single {
        // The objective must be negative for all initial markings; `below` is the margin.
        let below = program.column(-1.0, 1.0);
        for start in 0..net.initial.len() {
            let costs = (0..count).map(|column| (column, cost(column, start)));
            let costs = costs.filter(|(_, c)| *c != 0.0);
            program.row(costs.chain([(below, 1.0)]).collect(), 0.0)?;
        }
    }
    let mut matrix = Matrix::new(&cone);
    for (row, gains) in gains.iter().enumerate() {
        matrix.gains(row, gains);
    }
    for (place, column) in places.iter().zip(case.len()..) {
        matrix.place(net, column, *place);
    }
    matrix.finish(&cone, &mut program, |_| 0.0)?;
    let Some(values) = program.minimise(most)? else {
        return Ok(None);
    };
    let worst = (0..net.initial.len())
        .map(|start| (0..count).map(|c| values[c] * cost(c, start)).sum::<f64>())
        .fold(f64::NEG_INFINITY, f64::max);
    if worst > BELOW_ZERO {
        return Ok(None);
    }
    Ok(exclusion(net, case, &places, &values[..count]))
}

/// Rounds the values and checks the resulting invariant exactly.
fn exclusion(
    net: &IncidenceNet,
    case: &LinearCase,
    places: &[VarId],
    values: &[f64],
) -> Option<Certificate> {
    let weights = not_negative(values)?;
    let (rows, own) = weights.split_at(case.len());
    let mut sum: FxHashMap<VarId, i128> = FxHashMap::default();
    sum.extend(places.iter().copied().zip(own.iter().copied()));
    let mut least = 0i128;
    for (LinearConstraint { terms, least: b }, z) in case.iter().zip(rows) {
        least = least.checked_add(b.checked_mul(*z)?)?;
        for (place, c) in terms {
            let slot = sum.entry(*place).or_default();
            *slot = slot.checked_add(c.checked_mul(*z)?)?;
        }
    }
    let weights = sorted(sum);
    let most = at_start(net, &weights)?;
    let certificate = Certificate::from(Statement::Invariant { weights, most });
    (most < least && certificate.is_true_of(net)).then_some(certificate)
}

/// Integers proportional to the values; negative ones, which are noise, become 0.
fn not_negative(values: &[f64]) -> Option<Vec<i128>> {
    let weights = proportional(values)?.into_iter();
    Some(weights.map(|weight| weight.max(0)).collect())
}

fn sorted(sum: FxHashMap<VarId, i128>) -> PlaceWeights {
    let mut weights: PlaceWeights = sum.into_iter().filter(|(_, w)| *w != 0).collect();
    weights.sort_unstable();
    weights
}

/// An invariant `s·c·m + u·m <= k` with `s > 0`, and the upper bound `⌊k/s⌋` of `c·m` from it.
pub(crate) fn upper_bound(
    net: &IncidenceNet,
    terms: &[(VarId, i128)],
    most: u64,
    budget: &Budget,
) -> Result<Option<(i128, Statement)>, Stop> {
    let Some(gains) = gains(net, terms) else {
        return Ok(None);
    };
    let cone = cone(net, std::slice::from_ref(&gains));
    let mut program = LinearProgram::new(budget);
    for place in &cone.places {
        let starts = net.initial.iter().map(|state| state[place.index()]);
        program.column(starts.max().unwrap_or(0) as f64, f64::INFINITY);
    }
    let mut matrix = Matrix::new(&cone);
    for (column, place) in cone.places.iter().enumerate() {
        matrix.place(net, column, *place);
    }
    matrix.finish(&cone, &mut program, |effect| {
        -(gains.get(&effect).copied().unwrap_or(0) as f64)
    })?;
    let Some(mut values) = program.minimise(most)? else {
        return Ok(None);
    };
    values.push(1.0);
    Ok(bound(net, terms, &cone.places, &values))
}

/// Rounds and checks an upper bound exactly; the last value is the weight of the terms.
fn bound(
    net: &IncidenceNet,
    terms: &[(VarId, i128)],
    places: &[VarId],
    values: &[f64],
) -> Option<(i128, Statement)> {
    let weights = not_negative(values)?;
    let (scale, own) = weights.split_last().filter(|(scale, _)| **scale > 0)?;
    let mut sum: FxHashMap<VarId, i128> = FxHashMap::default();
    sum.extend(places.iter().copied().zip(own.iter().copied()));
    for (place, c) in terms {
        let slot = sum.entry(*place).or_default();
        *slot = slot.checked_add(c.checked_mul(*scale)?)?;
    }
    let weights = sorted(sum);
    let most = at_start(net, &weights)?;
    let invariant = Statement::Invariant { weights, most };
    let is_true = invariant.check(net)?;
    is_true.then_some((most.div_euclid(*scale), invariant))
}

/// The bound that an invariant implies for one of its places.
pub(crate) fn implied_bound(weights: &[(VarId, i128)], most: i128, place: VarId) -> Option<i128> {
    // The rest of the sum is at least 0 only if no weight is negative.
    let at = weights.binary_search_by_key(&place, |(p, _)| *p).ok()?;
    let positive = weights.iter().all(|(_, w)| *w > 0);
    positive.then(|| most.div_euclid(weights[at].1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::nets;

    const P: VarId = VarId(0);
    const Q: VarId = VarId(1);
    const R: VarId = VarId(2);

    /// 2 p → q, with three tokens on p; if `more`, a second event adds tokens to q and r.
    fn net(more: bool) -> IncidenceNet {
        let mut events: Vec<&[_]> = vec![&[(0, 2, 0), (1, 0, 1)]];
        if more {
            events.push(&[(1, 0, 1), (2, 0, 1)]);
        }
        IncidenceNet::of(&nets::net(&[3, 0, 0], &events)).unwrap()
    }

    /// Values that give no invariant, or one that does not exclude the case, are refused.
    #[test]
    fn exclusions_are_checked() {
        let row = |terms: &[(VarId, i128)], least| LinearConstraint {
            terms: terms.to_vec(),
            least,
        };
        let excluded = |row: LinearConstraint, places: &[VarId], values: &[f64]| {
            exclusion(&net(false), &vec![row], places, values).is_some()
        };
        let two = || row(&[(Q, 1)], 2);
        assert!(excluded(two(), &[P], &[2.0, 1.0]));
        // p + q <= 3 allows q = 2.
        assert!(!excluded(two(), &[P], &[1.0, 1.0]));
        // p + 2·q <= 3 does not exclude p + 2·q >= 3: the initial marking satisfies both.
        assert!(!excluded(row(&[(P, 1), (Q, 2)], 3), &[], &[1.0]));
        // q <= 0 would exclude it, but is no invariant.
        assert!(!excluded(two(), &[P], &[1.0, 0.0]));
        // A negative weight would reverse a row that is always true.
        assert!(!excluded(row(&[(Q, 1)], -5), &[], &[-1.0]));
    }

    #[test]
    fn bounds_are_checked_and_rounded_down() {
        let most =
            |net: &IncidenceNet, terms: &[(VarId, i128)], places: &[VarId], values: &[f64]| {
                bound(net, terms, places, values).map(|(most, _)| most)
            };
        let plain = net(false);
        assert_eq!(most(&plain, &[(Q, 1)], &[P], &[0.5, 1.0]), Some(1));
        // No invariant, and no weight for the sum.
        assert_eq!(most(&plain, &[(Q, 1)], &[P], &[0.25, 1.0]), None);
        assert_eq!(most(&plain, &[(Q, 1)], &[P], &[1.0, 0.0]), None);
        // −p − 2·q <= −3, so that −p − q is at most −3/2.
        let few = [(P, -1), (Q, -1)];
        assert_eq!(most(&plain, &few, &[P], &[0.5, 1.0]), Some(-2));
        // p + 2·q <= 2·r + 3 does not bound q.
        let values = [0.5, -1.0, 1.0];
        assert_eq!(most(&net(true), &[(Q, 1)], &[P, R], &values), None);
    }

    #[test]
    fn invariants_bound_their_places() {
        let sum = [(P, 1), (Q, 2)];
        assert_eq!(implied_bound(&sum, 3, P), Some(3));
        assert_eq!(implied_bound(&sum, 3, Q), Some(1));
        assert_eq!(implied_bound(&sum, 3, R), None);
        assert_eq!(implied_bound(&[(P, 1), (Q, -2)], 3, P), None);
    }
}
