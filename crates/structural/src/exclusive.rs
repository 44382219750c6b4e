//! Sets of places of which at most one is marked, for components of several places (`reductions/src/levels.rs`).
//!
//! An invariant `w·m <= k` with `w >= 0` excludes that two places with weights above `k/2` are marked together, and that one of them has two
//! tokens:
//!
//! ```text
//! 2·w_p > k,  2·w_q > k      ⟹      not (m_p >= 1 and m_q >= 1),  m_p <= 1
//! ```
//!
//! Such invariants are the certificates of bounds, one linear program each, which are checked once more. What a file says of its units is asked as a question: is
//! the sum of a unit's places at most 1? All places must be known to be safe, or there is no answer.

use crate::Facts;
use crate::certificate::{Certificate, Statement};
use lariat_budget::{Budget, Stop};
use lariat_model::{System, VarId};

/// Where sets are taken from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Candidates {
    /// The places of each unit.
    Units,
    /// The invariants by which places are bounded, those with most places first.
    Invariants,
}

impl Facts {
    /// Disjoint sets of at least two places of `system`, whose facts these are, with at most one token in each set; `None` unless every place is known to be safe.
    pub fn exclusive(
        &mut self,
        system: &System,
        candidates: Candidates,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<VarId>>>, Stop> {
        if let Some(known) = self.exclusive.get(&candidates) {
            return Ok(known.clone());
        }
        let found = self.find_exclusive(system, candidates, budget)?;
        self.exclusive.insert(candidates, found.clone());
        Ok(found)
    }

    fn find_exclusive(
        &mut self,
        system: &System,
        candidates: Candidates,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<VarId>>>, Stop> {
        let mut left = vec![true; system.variables.len()];
        let mut sets = Vec::new();
        let mut by_bounds = Vec::new();
        if candidates == Candidates::Units {
            for unit in system.units.iter().filter(|unit| unit.places.len() > 1) {
                let terms: Vec<_> = unit.places.iter().map(|place| (*place, 1)).collect();
                let Some((_, certificate)) = self.most(&terms, budget)? else {
                    continue;
                };
                let excluded = excluding(system, &certificate);
                if unit
                    .places
                    .iter()
                    .all(|p| excluded.contains(p) && left[p.index()])
                {
                    unit.places.iter().for_each(|p| left[p.index()] = false);
                    sets.push(unit.places.clone());
                }
            }
        }
        for place in system.var_ids().filter(|place| left[place.index()]) {
            match self.bound(place, budget)? {
                Some(bound) if bound.most <= 1 && bound.certificate.check(system) => {
                    by_bounds.push(excluding(system, &bound.certificate));
                }
                _ => return Ok(None),
            }
        }
        if candidates == Candidates::Invariants {
            by_bounds.sort_by_key(|set| std::cmp::Reverse(set.len()));
            for mut set in by_bounds {
                set.retain(|place| left[place.index()]);
                if set.len() > 1 {
                    set.iter().for_each(|p| left[p.index()] = false);
                    sets.push(set);
                }
            }
        }
        Ok(Some(sets))
    }
}

/// The places that exclude each other by the first statement that excludes any.
fn excluding(system: &System, certificate: &Certificate) -> Vec<VarId> {
    let of = |statement: &Statement| match statement {
        Statement::Invariant { weights, most } if weights.iter().all(|(_, w)| *w >= 0) => {
            let heavy = |w: i128| w.checked_mul(2).is_some_and(|twice| twice > *most);
            let places = weights.iter().filter(|(_, w)| heavy(*w));
            Some(places.map(|(place, _)| *place).collect())
        }
        _ => None,
    };
    if certificate.check(system) {
        certificate
            .statements
            .iter()
            .find_map(of)
            .unwrap_or_default()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::generate::{Family, generate};
    use lariat_model::{Action, Arc, Event, Unit};

    #[test]
    fn states_of_a_philosopher_exclude_each_other() {
        let mut net = generate(Family::Philosophers, 3).unwrap();
        let budget = Budget::unlimited();
        let found = Facts::of(&net).exclusive(&net, Candidates::Invariants, &budget);
        let sets = found.unwrap().unwrap();
        assert!(sets.iter().all(|set| set.len() > 1) && !sets.is_empty());
        let mut seen: Vec<VarId> = sets.concat();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), sets.concat().len());
        // A unit is taken if it is proved to be one, and no other.
        let places = sets[0].clone();
        let other = net.var_ids().find(|place| !places.contains(place)).unwrap();
        let unit = |places: &[VarId]| Unit {
            places: places.to_vec(),
            ..Unit::default()
        };
        net.units = vec![unit(&places), unit(&[other, places[0]])];
        let found = Facts::of(&net).exclusive(&net, Candidates::Units, &budget);
        assert_eq!(found.unwrap().unwrap(), std::slice::from_ref(&places));
        // Of units with places in common the first is taken; of two that may be marked together none is.
        let marked = |place: &VarId| net.initial[0][place.index()] > 0;
        let together: Vec<VarId> = net.var_ids().filter(marked).take(2).collect();
        net.units = vec![unit(&together), unit(&places), unit(&places[1..])];
        let found = Facts::of(&net).exclusive(&net, Candidates::Units, &budget);
        assert_eq!(found.unwrap().unwrap(), [places]);
        // Nothing is said of a net with a place that is not safe.
        let fills = |var| Arc {
            var,
            need: 0,
            delta: 1,
        };
        net.events.push(Event {
            name: "fills".to_owned(),
            action: Action::Net(vec![fills(VarId(0))]),
        });
        let found = Facts::of(&net).exclusive(&net, Candidates::Invariants, &budget);
        assert_eq!(found, Ok(None));
    }

    /// Whoever puts a token on p or q puts one on r: `p + q <= r` is true, and excludes nothing. Nor does what is not true.
    #[test]
    fn sums_on_both_sides_exclude_nothing() {
        let mut net = System {
            initial: vec![[0, 0, 0].into()],
            ..System::default()
        };
        for name in ["p", "q", "r"] {
            net.variables.push(lariat_model::Variable {
                name: name.to_owned(),
                domain: lariat_model::Domain::Count { bound: None },
            });
        }
        let puts = |place| Arc {
            var: VarId(place),
            need: 0,
            delta: 1,
        };
        for place in [0, 1] {
            net.events.push(Event {
                name: "puts".to_owned(),
                action: Action::Net(vec![puts(place), puts(2)]),
            });
        }
        let sum = |weights: &[i128], most| {
            let weights = (0..).map(VarId).zip(weights.iter().copied()).collect();
            Certificate::from(Statement::Invariant { weights, most })
        };
        assert!(sum(&[1, 1, -1], 0).check(&net));
        assert_eq!(excluding(&net, &sum(&[1, 1, -1], 0)), []);
        assert_eq!(excluding(&net, &sum(&[1, 1], 1)), []);
        // A weight of half is not more than half.
        net.events.clear();
        assert_eq!(excluding(&net, &sum(&[3, 3], 4)), [VarId(0), VarId(1)]);
        assert_eq!(excluding(&net, &sum(&[3, 2], 4)), [VarId(0)]);
    }
}
