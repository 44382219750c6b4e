//! Bounds of places from semiflows, by Farkas' algorithm.
//!
//! A semiflow `y ≥ 0` with `y·C = 0` keeps `y·m` constant, so a place `p` with `y(p) > 0` holds at
//! most `y·m₀ / y(p)` tokens (Martínez, Silva, 1982). Rows beyond the limit, and rows whose numbers
//! do not fit, are dropped: this loses bounds, never validity. If the work exceeds its limit, there
//! are no bounds.

/// Limit on the rows.
const ROWS: usize = 1000;

/// Limit on the numbers of the initial rows and of all combinations.
const WORK: usize = 1 << 24;

/// A combination of places, with its sum of effects per transition.
struct Row {
    weights: Vec<i64>,
    effects: Vec<i64>,
}

/// The bounds of places. `effects` has, by transition, the change of each place.
pub(super) fn bounds(initial: &[i64], effects: &[Vec<i64>]) -> Vec<Option<i64>> {
    let places = initial.len();
    let width = places + effects.len();
    let mut work = places.saturating_mul(width);
    if work > WORK {
        return vec![None; places];
    }
    let mut rows: Vec<Row> = (0..places)
        .map(|place| Row {
            weights: (0..places).map(|p| i64::from(p == place)).collect(),
            effects: effects.iter().map(|effect| effect[place]).collect(),
        })
        .collect();
    for transition in 0..effects.len() {
        let (mut kept, changing): (Vec<Row>, Vec<Row>) = rows
            .into_iter()
            .partition(|row| row.effects[transition] == 0);
        for gain in changing.iter().filter(|row| row.effects[transition] > 0) {
            for loss in changing.iter().filter(|row| row.effects[transition] < 0) {
                if kept.len() < ROWS {
                    work += width;
                    kept.extend(combined(gain, loss, transition));
                }
            }
        }
        if work > WORK {
            return vec![None; places];
        }
        rows = kept;
    }
    let mut bounds = vec![None; places];
    for Row { weights, .. } in &rows {
        let mut terms = weights.iter().zip(initial);
        let sum = terms.try_fold(0i64, |sum, (w, m)| sum.checked_add(w.checked_mul(*m)?));
        let Some(sum) = sum else { continue };
        for (bound, weight) in bounds.iter_mut().zip(weights) {
            if *weight > 0 {
                let most = sum / weight;
                *bound = Some(bound.map_or(most, |bound: i64| bound.min(most)));
            }
        }
    }
    bounds
}

/// The combination of two rows on which the transition has no effect; `None` if numbers overflow.
fn combined(gain: &Row, loss: &Row, transition: usize) -> Option<Row> {
    let (a, b) = (
        loss.effects[transition].checked_neg()?,
        gain.effects[transition],
    );
    let sum = |left: &[i64], right: &[i64]| -> Option<Vec<i64>> {
        let pairs = left.iter().zip(right);
        pairs
            .map(|(l, r)| l.checked_mul(a)?.checked_add(r.checked_mul(b)?))
            .collect()
    };
    let mut row = Row {
        weights: sum(&gain.weights, &loss.weights)?,
        effects: sum(&gain.effects, &loss.effects)?,
    };
    let common = row
        .weights
        .iter()
        .chain(&row.effects)
        .fold(0, |all, n| gcd(all, n.unsigned_abs()));
    if let Ok(common) = i64::try_from(common)
        && common > 1
    {
        row.weights
            .iter_mut()
            .chain(&mut row.effects)
            .for_each(|n| *n /= common);
    }
    Some(row)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn conserved_sums_bound_their_places() {
        // p → 2q → p, and r grows.
        let effects = [vec![-1, 2, 1], vec![1, -2, 0]];
        assert_eq!(bounds(&[3, 1, 0], &effects), [Some(3), Some(7), None]);
        // Nothing is conserved.
        assert_eq!(bounds(&[3], &[vec![1]]), [None]);
    }
}
