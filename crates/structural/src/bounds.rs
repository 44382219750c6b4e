//! Upper bounds of places.
//!
//! One linear program finds the bounded places, those in some `y·m <= k` with `y >= 0`, `y·C <= 0`:
//!
//! ```text
//! maximise Σ v(p)   where   (v + r)·C <= 0,   0 <= v <= 1,   0 <= r
//! ```
//!
//! Invariants add up, so the optimum has `v(p) = 1` for all of them. No program is needed if no
//! event adds tokens. That invariant is a sum of many and bounds each place badly, so one program
//! per place ([`upper_bound`]) tightens it. Each invariant found bounds all of its places, and a
//! place that was sampled at its bound needs no program.
//!
//! The programs depend only on the net. Threads with clones of one [`Answers`] solve each of them
//! once; threads that start at the same time work on different places first.

use crate::Facts;
use crate::certificate::{Certificate, Statement};
use crate::net::IncidenceNet;
use crate::rational::proportional;
use crate::refute::{implied_bound, upper_bound};
use crate::solver::LinearProgram;
use lariat_budget::{Budget, Stop};
use lariat_model::VarId;
use lariat_parallel::{OnceMap, Outside};

/// An upper bound of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Largest number of tokens in any reachable marking.
    pub most: u64,
    /// The proof; empty if the model declares the bound.
    pub certificate: Certificate,
}

/// Invariants that bound the places of one net: a memo table for [`Facts`] of several threads.
#[derive(Clone, Debug, Default)]
pub struct Answers(OnceMap<VarId, Option<Statement>>);

/// Bounds found so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundTable {
    /// True once the program for bounded places has run.
    covered: bool,
    /// The best bound of each place, and the index of its reason.
    best: Vec<Option<(u64, Option<usize>)>>,
    /// For each place whether its program has run.
    asked: Vec<bool>,
    reasons: Vec<Statement>,
    pub(crate) answers: Answers,
}

impl Facts {
    /// The best bound of the place that the state equation gives.
    pub fn bound(&mut self, place: VarId, budget: &Budget) -> Result<Option<Bound>, Stop> {
        self.begin();
        self.tighten(place, budget)?;
        Ok(self.known_bound(place))
    }

    /// For each place whether it is known to be bounded.
    pub fn bounded(&mut self, budget: &Budget) -> Result<Vec<bool>, Stop> {
        self.cover(budget)?;
        Ok(self.bounds.best.iter().map(Option::is_some).collect())
    }

    /// Returns whether the net is known to be bounded; for other systems, whether all have domains.
    pub fn is_bounded(&mut self, budget: &Budget) -> Result<bool, Stop> {
        if let Some(folded) = &mut self.folded {
            return folded.facts.is_bounded(budget);
        }
        if self.net.is_none() {
            return Ok(self.domains);
        }
        Ok(self.bounded(budget)?.into_iter().all(|bounded| bounded))
    }

    /// Bounds of all places after at most `questions` linear programs.
    pub fn bounds(&mut self, questions: usize, budget: &Budget) -> Result<Vec<Option<u64>>, Stop> {
        self.tighten_above(0, questions, budget)?;
        let best = self.bounds.best.iter();
        Ok(best.map(|b| b.map(|(most, _)| most)).collect())
    }

    /// Tightens the bounds of bounded places with at most `questions` programs; skips places with a
    /// bound of at most `enough`. Places that another thread is working on come last.
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

    /// Returns whether the place has a bound, and one above `enough`.
    fn is_above(&self, place: VarId, enough: u64) -> bool {
        let known = self.bounds.best[place.index()];
        known.is_some_and(|(most, _)| most > enough)
    }

    /// The best bound known so far.
    pub(crate) fn known_bound(&self, place: VarId) -> Option<Bound> {
        let (most, reason) = (*self.bounds.best.get(place.index())?)?;
        let certificate = match (reason, &self.net) {
            (Some(reason), _) => self.bounds.reasons[reason].clone().into(),
            (None, Some(net)) if net.empty[place.index()] => Statement::Empty(vec![place]).into(),
            (None, _) => Certificate::default(),
        };
        Some(Bound { most, certificate })
    }

    /// Initialises the bounds that need no program.
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

    /// Runs the program for bounded places once.
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

    /// Runs the program of the place unless its bound is tight; returns whether it did.
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
            _ => answers.0.get(Outside::of_thread(budget), &place, || {
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

    /// Takes over the bounds that an invariant implies for its places.
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

/// The invariant with these weights; `None` if the check fails.
fn invariant(net: &IncidenceNet, weights: Vec<(VarId, i128)>) -> Option<Statement> {
    let most = crate::certificate::at_start(net, &weights)?;
    let statement = Statement::Invariant { weights, most };
    statement.check(net)?.then_some(statement)
}

/// An invariant with a largest set of places.
fn cover(net: &IncidenceNet, most: u64, budget: &Budget) -> Result<Option<Statement>, Stop> {
    let mut program = LinearProgram::new(budget);
    let mut rows = vec![Vec::new(); net.effects.len()];
    for changes in &net.changes {
        for (cost, upper) in [(-1.0, 1.0), (0.0, f64::INFINITY)] {
            let column = program.column(cost, upper);
            for (effect, change) in changes {
                rows[*effect].push((column, *change as f64));
            }
        }
    }
    for row in rows {
        program.row(row, 0.0)?;
    }
    let Some(values) = program.minimise(most)? else {
        return Ok(None);
    };
    let sums: Vec<f64> = values.chunks(2).map(|v| v[0] + v[1]).collect();
    let weights = proportional(&sums).and_then(|weights| {
        let places = (0..).map(VarId).zip(weights).filter(|(_, w)| *w > 0);
        invariant(net, places.collect())
    });
    Ok(weights)
}
