//! A question as a temporal formula: a state with `p` is reachable iff `G !p` is violated.
//!
//! Used for the questions that remain after the methods that answer many at once. The engines for
//! formulas have other methods: reductions for this one predicate, products with few states,
//! symmetries. For a sum the formula is `G (c·s <= k)`, where `k` is the largest known value:
//! either it is the maximum, or a run exceeds it.

use super::answer::{searched, sum};
use super::{AskSession, EarnedAnswer, QuestionEngine, StateQuestion};
use crate::cache::SpaceCache;
use crate::check_one::check_subject;
use crate::options::CheckOptions;
use crate::shorten::Shortening;
use crate::subject::{PropertyForm, Subject};
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::Stop;
use lariat_engines::questions::Finding;
use lariat_model::{Comparison, Lasso, Linear, Predicate, PropertyList, Proposition, Value};
use lariat_reductions::Systems;

/// Limit on the formulas decided for one sum before the next question.
const STEPS_UP: usize = 4;

impl AskSession<'_, '_> {
    /// Decides the open questions one by one, each with this work limit.
    pub(super) fn formulas(&mut self, work: u64) -> Result<Option<Stop>, Stop> {
        if !self.may(QuestionEngine::Formula) {
            return Ok(None);
        }
        let mut last = None;
        for q in self.open() {
            if self.is_over() {
                break;
            }
            last = match self.cases[q].question {
                StateQuestion::Reach(predicate) => self.violated(q, predicate, work)?,
                StateQuestion::Most(_) => self.climb(q, work)?,
                StateQuestion::Always(_) => last,
            };
        }
        Ok(last)
    }

    /// Raises the lower bound of a sum until no larger value exists, or a limit is reached.
    fn climb(&mut self, q: usize, work: u64) -> Result<Option<Stop>, Stop> {
        for _ in 0..STEPS_UP {
            let case = &self.cases[q];
            let (StateQuestion::Most(terms), None) = (case.question, case.answered) else {
                break;
            };
            let known = case.low.as_ref().map(|(low, _)| *low);
            let Some(Ok(constant)) = known.map(Value::try_from) else {
                break;
            };
            let more = Predicate::Linear(Linear {
                terms: terms.clone(),
                comparison: Comparison::Gt,
                constant,
            });
            let stop = self.violated(q, &more, work)?;
            if stop.is_some() {
                return Ok(stop);
            }
        }
        Ok(None)
    }

    /// Decides `G !p`.
    fn violated(&mut self, q: usize, p: &Predicate, work: u64) -> Result<Option<Stop>, Stop> {
        self.ctx.observer.engine(QuestionEngine::Formula.name());
        let mut properties = PropertyList::new();
        let atom = properties.formulas.atom_id("p");
        let asked = properties.formulas.atom(atom);
        properties.propositions = vec![Proposition::State(p.clone())];
        let not = properties.formulas.not(asked);
        let never = properties.formulas.globally(not);
        let subject = Subject::new(self.model, &properties);
        let options = CheckOptions {
            shortening: Shortening::Never,
            ..CheckOptions::default()
        };
        let systems = Systems::new();
        let mut cache = SpaceCache::new(&systems);
        let limited = self.ctx.budget.clone().with_work(work);
        let report = check_subject(
            &subject,
            PropertyForm::Formula(never),
            &options,
            &mut cache,
            self.ctx.with_budget(&limited),
        );
        let asker = QuestionEngine::Formula;
        match report.verdict {
            EarnedVerdict::Holds(_) => match self.cases[q].question {
                StateQuestion::Most(_) => {
                    if let Some((low, _)) = &self.cases[q].low {
                        self.at_most(q, *low, searched(), asker);
                        self.meet(q);
                    }
                }
                _ => self.reply(q, EarnedAnswer::Never(searched()), asker),
            },
            EarnedVerdict::Violated(run) => {
                let Some(run) = until(self.model, run.lasso(), p) else {
                    return Ok(None);
                };
                let finding = match self.cases[q].question {
                    StateQuestion::Most(terms) => Finding::AtLeast(sum(terms, &run.entry()), run),
                    _ => Finding::Reached(run),
                };
                let whole = super::Stage::whole(&self.model.system, &self.cases, &[q]);
                self.take_checked(&whole, q, finding, asker)?;
            }
            EarnedVerdict::Unknown(Reason::Stopped(stop)) => match stop {
                Stop::Time | Stop::Interrupted => return Err(stop),
                stop => return Ok(Some(stop)),
            },
            EarnedVerdict::Unknown(Reason::Internal(what)) => {
                self.defect.get_or_insert(what);
            }
            EarnedVerdict::Unknown(Reason::Inconclusive(_)) => {}
        }
        Ok(None)
    }
}

/// The prefix of a run up to the first state that satisfies `p`.
fn until(model: &lariat_formats::LoadedModel, run: &Lasso, p: &Predicate) -> Option<Lasso> {
    let system = &model.system;
    let mut states = run.cursor();
    let at = (0..=run.len()).find(|_| {
        states.next();
        system.holds(p, states.source())
    })?;
    Some(Lasso {
        initial: run.initial.clone(),
        prefix: run.steps().take(at).cloned().collect(),
        cycle: Vec::new(),
        growth: None,
    })
}
