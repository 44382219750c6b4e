//! The largest value of a sum of places, for [questions](Facts::most) about maxima.

use crate::Facts;
use crate::certificate::{Certificate, Statement};
use crate::refute::upper_bound;
use lariat_budget::{Budget, Stop};
use lariat_model::{Value, VarId};

impl Facts {
    /// The best upper bound of `Σ c·m` over all reachable markings that the state equation gives.
    pub fn most(
        &mut self,
        terms: &[(VarId, Value)],
        budget: &Budget,
    ) -> Result<Option<(i128, Certificate)>, Stop> {
        if let [(place, weight)] = terms
            && *weight > 0
        {
            let bound = self.bound(*place, budget)?;
            return Ok(bound.map(|bound| {
                let most = i128::from(bound.most) * i128::from(*weight);
                (most, bound.certificate)
            }));
        }
        let terms: Vec<(VarId, i128)> = terms.iter().map(|(p, c)| (*p, i128::from(*c))).collect();
        let Some(net) = &self.net else {
            return Ok(None);
        };
        if let Some(empty) = never_marked(&net.empty, &terms) {
            return Ok(Some((0, empty)));
        }
        let found = self.ask(budget, |net, most, budget| {
            upper_bound(net, &terms, most, budget)
        })?;
        Ok(found.map(|(most, statement)| (most, statement.into())))
    }
}

/// A certificate that the sum is 0 because none of its places is ever marked.
fn never_marked(empty: &[bool], terms: &[(VarId, i128)]) -> Option<Certificate> {
    let places: Vec<VarId> = terms.iter().map(|(place, _)| *place).collect();
    let all = places.iter().all(|place| empty[place.index()]);
    all.then(|| {
        if places.is_empty() {
            Certificate::default()
        } else {
            Statement::Empty(places).into()
        }
    })
}
