//! Proof that places of nested units hold at most one token.
//!
//! A `nupn` section may say that its net is safe. That is a claim about behaviour, so it is proved
//! or not used. Let `P(u)` be the places of unit `u` and of the units above it. If no transition
//! puts more tokens on `P(u)` than it takes from there, and at most one is there initially, then
//!
//! ```text
//! Σ { m(p) | p ∈ P(u) } ≤ 1   for every reachable marking m.
//! ```
//!
//! In nets made from process algebra this holds for the leaves of the tree: a token that starts
//! subunits moves into each of them. All units are tested together: the units numbered in
//! depth-first order, the sum of a transition changes only at units whose places it changes, and
//! between them a range of units has the same sum.

use lariat_model::{Action, System, VarId};

/// Units in depth-first order.
struct UnitTree {
    /// By place: its unit, if it has one.
    unit: Vec<Option<usize>>,
    /// By unit: the unit above it, and the end of the range of units below it.
    above: Vec<Option<usize>>,
    end: Vec<usize>,
}

impl UnitTree {
    fn new(system: &System) -> UnitTree {
        let mut tree = UnitTree {
            unit: vec![None; system.variables.len()],
            above: Vec::new(),
            end: Vec::new(),
        };
        // Units to enter, with the unit above; `None` ends the range of the unit above.
        let mut open = vec![(system.units.first(), None)];
        while let Some((unit, above)) = open.pop() {
            let Some(unit) = unit else {
                if let Some(above) = above {
                    tree.end[above] = tree.above.len();
                }
                continue;
            };
            let number = tree.above.len();
            tree.above.push(above);
            tree.end.push(number);
            for place in &unit.places {
                tree.unit[place.index()] = Some(number);
            }
            open.push((None, Some(number)));
            let below = unit.subunits.iter().map(|sub| &system.units[*sub]);
            open.extend(below.map(|sub| (Some(sub), Some(number))));
        }
        tree
    }

    /// Adds, in `counts`, one to each unit `u` such that the sum of `changes` over `P(u)` is
    /// positive. `counts` holds the differences between consecutive units.
    fn count_growing(&self, changes: &mut Vec<(usize, i128)>, counts: &mut [i64]) {
        changes.sort_unstable();
        changes.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            sum.1 += if same { next.1 } else { 0 };
            same
        });
        // Changed units around the current one, with the sums over their places and those above.
        let mut around: Vec<(usize, i128)> = Vec::new();
        for (unit, change) in changes {
            while around.last().is_some_and(|(u, _)| self.end[*u] <= *unit) {
                around.pop();
            }
            let outer = around.last().map_or(0, |(_, sum)| *sum);
            let sum = outer + *change;
            let more = i64::from(sum > 0) - i64::from(outer > 0);
            counts[*unit] += more;
            counts[self.end[*unit]] -= more;
            around.push((*unit, sum));
        }
    }
}

/// Returns, by place, whether the units prove that it holds at most one token.
pub(super) fn proved_safe(system: &System) -> Vec<bool> {
    let tree = UnitTree::new(system);
    let units = tree.above.len();
    let mut counts = vec![0; units + 1];
    let mut changes = Vec::new();
    for event in &system.events {
        if let Action::Net(arcs) = &event.action {
            let change = |var: VarId, delta: i64| Some((tree.unit[var.index()]?, delta.into()));
            changes.clear();
            changes.extend(arcs.iter().filter_map(|arc| change(arc.var, arc.delta)));
            tree.count_growing(&mut changes, &mut counts);
        }
    }
    let mut tokens = vec![0i128; units];
    for (unit, tokens_here) in tree.unit.iter().zip(&system.initial[0]) {
        if let Some(unit) = unit {
            tokens[*unit] += i128::from(*tokens_here);
        }
    }
    // The number of units up to each one whose sum is at most one.
    let (mut growing, mut proved) = (0, vec![0]);
    for unit in 0..units {
        growing += counts[unit];
        tokens[unit] += tree.above[unit].map_or(0, |above| tokens[above]);
        let is_proved = growing == 0 && tokens[unit] <= 1;
        proved.push(proved[unit] + usize::from(is_proved));
    }
    let is_safe = |unit: usize| proved[tree.end[unit]] > proved[unit];
    (tree.unit.iter().map(|unit| unit.is_some_and(is_safe))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Arc, Domain, Event, Unit, Variable};

    /// A net with these transitions (place, change), initially marked places, and units (places,
    /// subunits).
    fn net(
        places: usize,
        marked: &[usize],
        transitions: &[&[(u32, i64)]],
        units: &[(&[u32], &[usize])],
    ) -> System {
        let mut initial = vec![0; places];
        marked.iter().for_each(|place| initial[*place] = 1);
        let variable = |i| Variable {
            name: format!("p{i}"),
            domain: Domain::Count { bound: None },
        };
        let arc = |(place, delta): &(u32, i64)| Arc {
            var: VarId(*place),
            need: (-delta).max(0),
            delta: *delta,
        };
        let event = |arcs: &&[(u32, i64)]| Event {
            name: "t".to_owned(),
            action: Action::Net(arcs.iter().map(arc).collect()),
        };
        System {
            variables: (0..places).map(variable).collect(),
            events: transitions.iter().map(event).collect(),
            initial: vec![initial.into()],
            units: units
                .iter()
                .map(|(places, subunits)| Unit {
                    places: places.iter().copied().map(VarId).collect(),
                    subunits: subunits.to_vec(),
                    ..Unit::default()
                })
                .collect(),
            ..System::default()
        }
    }

    /// Place 0 of the root starts two units of two places each, which end together.
    const FORK: &[(&[u32], &[usize])] = &[(&[0], &[1, 2]), (&[1, 2], &[]), (&[3, 4], &[])];

    #[test]
    fn units_that_are_started_and_joined_are_safe() {
        let start: &[(u32, i64)] = &[(0, -1), (1, 1), (3, 1)];
        let end: &[(u32, i64)] = &[(2, -1), (4, -1), (0, 1)];
        let (left, right): (&[_], &[_]) = (&[(1, -1), (2, 1)], &[(3, -1), (4, 1)]);
        let fork = net(5, &[0], &[start, end, left, right], FORK);
        assert_eq!(proved_safe(&fork), [true; 5]);
        // A transition that marks place 4 for nothing spoils its unit only.
        let fork = net(5, &[0], &[start, end, left, right, &[(4, 1)]], FORK);
        assert_eq!(proved_safe(&fork), [true, true, true, false, false]);
        // One that marks place 0 for nothing spoils all.
        let fork = net(5, &[0], &[start, end, left, right, &[(0, 1)]], FORK);
        assert_eq!(proved_safe(&fork), [false; 5]);
        // A unit that is marked initially although the root is.
        let fork = net(5, &[0, 3], &[start, end, left, right], FORK);
        assert_eq!(proved_safe(&fork), [true, true, true, false, false]);
    }

    #[test]
    fn places_outside_units_are_not_proved() {
        let pass: &[(u32, i64)] = &[(0, -1), (1, 1)];
        let one = net(2, &[0], &[pass], &[(&[0], &[])]);
        assert_eq!(proved_safe(&one), [true, false]);
        assert_eq!(proved_safe(&net(2, &[0], &[pass], &[])), [false, false]);
    }
}
