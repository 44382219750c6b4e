//! A question as a temporal formula: a state with `p` is reachable iff `G !p` is violated.
//!
//! For what is left when everything that answers many questions at once has had its turn. The engines for formulas go about
//! it in their own ways: reductions for this one predicate, products with few states, symmetries. A sum is asked for by `G (c·s <= k)`, where
//! `k` is the largest value that is known: either that is its maximum, or there is a run beyond it.

use super::answer::{searched, sum};
use super::{Answer, Asker, Desk, Question};
use crate::check::{Options, check};
use crate::explored::Explored;
use crate::shortening::Shortening;
use crate::subject::{Property, Subject};
use crate::verdict::{Reason, Verdict};
use lariat_budget::Stop;
use lariat_engines::questions::Finding;
use lariat_model::{Comparison, Lasso, Linear, Predicate, Properties, Proposition, Value};
use lariat_reductions::Systems;

/// How often a sum is asked for before somebody else has a turn.
const STEPS_UP: usize = 4;

impl Desk<'_, '_> {
    /// Asks for the open questions one by one, each with so much work.
    pub(super) fn formulas(&mut self, work: u64) -> Result<Option<Stop>, Stop> {
        if !self.may(Asker::Formula) {
            return Ok(None);
        }
        let mut last = None;
        for q in self.open() {
            if self.is_over() {
                break;
            }
            last = match self.cases[q].question {
                Question::Reach(predicate) => self.violated(q, predicate, work)?,
                Question::Most(_) => self.climb(q, work)?,
                Question::Always(_) => last,
            };
        }
        Ok(last)
    }

    /// Looks for larger and larger values of a sum.
    fn climb(&mut self, q: usize, work: u64) -> Result<Option<Stop>, Stop> {
        for _ in 0..STEPS_UP {
            let case = &self.cases[q];
            let (Question::Most(terms), None) = (case.question, &case.reply) else {
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

    /// Is `G !p` violated?
    fn violated(&mut self, q: usize, p: &Predicate, work: u64) -> Result<Option<Stop>, Stop> {
        self.observer.engine(Asker::Formula.name());
        let mut properties = Properties::new();
        let atom = properties.formulas.atom_id("p");
        let asked = properties.formulas.atom(atom);
        properties.propositions = vec![Proposition::State(p.clone())];
        let not = properties.formulas.not(asked);
        let never = properties.formulas.globally(not);
        let subject = Subject::new(self.model, &properties);
        let options = Options {
            shortening: Shortening::Never,
            ..Options::default()
        };
        let systems = Systems::new();
        let mut explored = Explored::new(&systems);
        let limited = self.budget.clone().with_work(work);
        let property = Property::Formula(never);
        let report = check(
            &subject,
            property,
            &options,
            &mut explored,
            &limited,
            self.observer,
        );
        let asker = Asker::Formula;
        match report.verdict {
            Verdict::Holds(_) => match self.cases[q].question {
                Question::Most(_) => {
                    if let Some((low, _)) = self.cases[q].low {
                        self.at_most(q, low, searched(), asker);
                        self.meet(q);
                    }
                }
                _ => self.reply(q, Answer::Never(searched()), asker),
            },
            Verdict::Violated(run) => {
                let Some(run) = until(self.model, run.lasso(), p) else {
                    return Ok(None);
                };
                let finding = match self.cases[q].question {
                    Question::Most(terms) => Finding::AtLeast(sum(terms, run.entry()), run),
                    _ => Finding::Reached(run),
                };
                let whole = super::Stage::whole(&self.model.system, &self.cases, &[q]);
                if let Err(what) = self.take(&whole, q, finding, asker) {
                    self.defect.get_or_insert(what);
                }
            }
            Verdict::Unknown(Reason::Stopped(stop)) => match stop {
                Stop::Time | Stop::Interrupted => return Err(stop),
                stop => return Ok(Some(stop)),
            },
            Verdict::Unknown(Reason::Internal(what)) => {
                self.defect.get_or_insert(what);
            }
            Verdict::Unknown(Reason::Inconclusive(_)) => {}
        }
        Ok(None)
    }
}

/// The beginning of a run, up to the first state like this.
fn until(model: &lariat_formats::Model, run: &Lasso, p: &Predicate) -> Option<Lasso> {
    let system = &model.system;
    let states = std::iter::once(&run.initial).chain(run.steps().map(|step| &step.state));
    let at = { states }.position(|state| system.holds(p, state))?;
    Some(Lasso {
        initial: run.initial.clone(),
        prefix: run.steps().take(at).cloned().collect(),
        cycle: Vec::new(),
        growth: None,
    })
}
