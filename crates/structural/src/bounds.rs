//! Bounds of places.
//!
//! *Which places are bounded at all* is one program: the places in some invariant `y·m <= k` with `y >= 0`, `y·C <= 0`,
//!
//! ```text
//! maximise Σ v(p)   where   (v + r)·C <= 0,   0 <= v <= 1,   0 <= r
//! ```
//!
//! whose optimum has `v(p) = 1` for all of them, because invariants add up. No program is needed where no event makes tokens.
//! The invariant found is a sum of many and bounds each place badly. *How much a place can hold* is a
//! program a place ([`upper_bound`]), but each invariant found bounds all of its places, and a place that was seen as
//! full as its bound needs none; so there are about as many as the net has components.
//!
//! What a program says of a net depends on the net alone. So it is solved once for all who [share](Answers) what they find, and those who begin with the same
//! question at the same time divide the places among themselves.

use crate::Facts;
use crate::certificate::{Certificate, Statement};
use crate::net::Net;
use crate::rational::proportional;
use crate::refute::{implied_bound, upper_bound};
use crate::solver::Program;
use lariat_budget::{Budget, Stop};
use lariat_model::VarId;
use lariat_parallel::Common;

/// A bound of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// No reachable marking has more tokens there.
    pub most: u64,
    /// Why; empty if the model says so itself.
    pub certificate: Certificate,
}

/// What programs said of the places of one net, the same to all clones: for [`Facts`] about that net which several threads ask.
#[derive(Clone, Debug, Default)]
pub struct Answers(Common<VarId, Option<Statement>>);

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Is it known which places are bounded?
    covered: bool,
    /// The best bound of each place, and its reason.
    best: Vec<Option<(u64, Option<usize>)>>,
    /// Has the program for this place been solved?
    asked: Vec<bool>,
    reasons: Vec<Statement>,
    pub(crate) answers: Answers,
}

impl Facts {
    /// A bound of the place: the best that the state equation gives.
    pub fn bound(&mut self, place: VarId, budget: &Budget) -> Result<Option<Bound>, Stop> {
        self.begin();
        self.tighten(place, budget)?;
        Ok(self.known_bound(place))
    }

    /// For every place whether it is known to be bounded.
    pub fn bounded(&mut self, budget: &Budget) -> Result<Vec<bool>, Stop> {
        self.cover(budget)?;
        Ok(self.bounds.best.iter().map(Option::is_some).collect())
    }

    /// Is the whole net known to be bounded? A system that is no net is, if its variables have domains.
    pub fn is_bounded(&mut self, budget: &Budget) -> Result<bool, Stop> {
        if let Some(folded) = &mut self.folded {
            return folded.facts.is_bounded(budget);
        }
        if self.net.is_none() {
            return Ok(self.domains);
        }
        Ok(self.bounded(budget)?.into_iter().all(|bounded| bounded))
    }

    /// Bounds of all places, as good as at most `questions` programs make them.
    pub fn bounds(&mut self, questions: usize, budget: &Budget) -> Result<Vec<Option<u64>>, Stop> {
        self.tighten_above(0, questions, budget)?;
        let best = self.bounds.best.iter();
        Ok(best.map(|b| b.map(|(most, _)| most)).collect())
    }

    /// Makes the bounds of bounded places as good as at most `questions` programs can, but for those that are no more than `enough` already.
    pub(crate) fn tighten_above(
        &mut self,
        enough: u64,
        questions: usize,
        budget: &Budget,
    ) -> Result<(), Stop> {
        self.cover(budget)?;
        let mut left = questions;
        let mut others = Vec::new();
        for place in (0..self.bounds.best.len() as u32).map(VarId) {
            if left > 0 && self.is_above(place, enough) {
                if self.bounds.answers.0.is_sought(&place) {
                    others.push(place)
                } else {
                    left -= usize::from(self.tighten(place, budget)?)
                }
            }
        }
        for place in others {
            if left > 0 && self.is_above(place, enough) {
                left -= usize::from(self.tighten(place, budget)?);
            }
        }
        Ok(())
    }

    /// Is the place known to be bounded, and not by `enough`?
    fn is_above(&self, place: VarId, enough: u64) -> bool {
        let known = self.bounds.best[place.index()];
        known.is_some_and(|(most, _)| most > enough)
    }

    /// The best bound that is known already.
    pub(crate) fn known_bound(&self, place: VarId) -> Option<Bound> {
        let (most, reason) = (*self.bounds.best.get(place.index())?)?;
        let certificate = match (reason, &self.net) {
            (Some(reason), _) => self.bounds.reasons[reason].clone().into(),
            (None, Some(net)) if net.empty[place.index()] => Statement::Empty(vec![place]).into(),
            (None, _) => Certificate::default(),
        };
        Some(Bound { most, certificate })
    }

    /// What is known without any program.
    fn begin(&mut self) {
        if !self.bounds.best.is_empty() || self.declared.is_empty() {
            return;
        }
        self.bounds.asked = vec![false; self.declared.len()];
        self.bounds.best = self
            .declared
            .iter()
            .map(|b| b.map(|most| (most, None)))
            .collect();
        let Some(net) = &self.net else {
            return;
        };
        for place in (0..net.places).filter(|p| net.empty[*p]) {
            self.bounds.best[place] = Some((0, None));
        }
        let sum = (0..net.places as u32).map(|p| (VarId(p), 1)).collect();
        if let Some(sum) = invariant(net, sum) {
            self.learn(sum);
        }
    }

    /// Finds out which places are bounded.
    fn cover(&mut self, budget: &Budget) -> Result<(), Stop> {
        self.begin();
        if !self.bounds.covered
            && self.bounds.best.iter().any(Option::is_none)
            && let Some(found) = self.ask(budget, cover)?
        {
            self.learn(found);
        }
        self.bounds.covered = true;
        Ok(())
    }

    /// Asks for the best bound unless it is known; says whether a program was.
    fn tighten(&mut self, place: VarId, budget: &Budget) -> Result<bool, Stop> {
        let Some(seen) = self.samples.most.get(place.index()) else {
            return Ok(false);
        };
        let tight = self.bounds.best[place.index()]
            .is_some_and(|(most, _)| i128::from(most) <= i128::from(*seen));
        if tight || self.bounds.asked[place.index()] {
            return Ok(false);
        }
        let answers = self.bounds.answers.clone();
        let found = match self.allowance() {
            0 => None,
            _ => answers.0.get(&place, || {
                let found = self.ask(budget, |net, most, budget| {
                    upper_bound(net, &[(place, 1)], most, budget)
                })?;
                Ok(found.map(|(_, statement)| statement))
            })?,
        };
        self.bounds.asked[place.index()] = true;
        found.into_iter().for_each(|found| self.learn(found));
        Ok(true)
    }

    /// Takes the bounds that an invariant gives to its places.
    fn learn(&mut self, statement: Statement) {
        let Statement::Invariant { weights, most } = &statement else {
            return;
        };
        let reason = self.bounds.reasons.len();
        let mut better = false;
        for (place, _) in weights {
            let Some(bound) =
                implied_bound(weights, *most, *place).and_then(|b| u64::try_from(b).ok())
            else {
                continue;
            };
            let best = &mut self.bounds.best[place.index()];
            if best.is_none_or(|(known, _)| bound < known) {
                *best = Some((bound, Some(reason)));
                better = true;
            }
        }
        if better {
            self.bounds.reasons.push(statement);
        }
    }
}

/// The invariant with these weights, if it is one.
fn invariant(net: &Net, weights: Vec<(VarId, i128)>) -> Option<Statement> {
    let most = crate::certificate::at_start(net, &weights)?;
    let statement = Statement::Invariant { weights, most };
    statement.check(net)?.then_some(statement)
}

/// An invariant with as many places as possible.
fn cover(net: &Net, most: u64, budget: &Budget) -> Result<Option<Statement>, Stop> {
    let mut program = Program::default();
    let mut rows = vec![Vec::new(); net.effects.len()];
    for changes in &net.changes {
        for (cost, upper) in [(-1.0, 1.0), (0.0, f64::INFINITY)] {
            let column = program.column(cost, upper);
            for (effect, change) in changes {
                rows[*effect].push((column, *change as f64));
            }
        }
    }
    rows.into_iter().for_each(|row| program.row(row, 0.0));
    let Some(values) = program.minimise(most, budget)? else {
        return Ok(None);
    };
    let sums: Vec<f64> = values.chunks(2).map(|v| v[0] + v[1]).collect();
    let weights = proportional(&sums).and_then(|weights| {
        let places = (0..).map(VarId).zip(weights).filter(|(_, w)| *w > 0);
        invariant(net, places.collect())
    });
    Ok(weights)
}
