//! A net on which questions are asked: the one that was read, or a smaller one, with the way back.
//!
//! Reductions keep what stutter-invariant formulas say of the places that are looked at, and of which runs end. So they keep
//! which of these markings are reachable, the maxima of sums over these places, and whether there is a deadlock: joining steps moves a dead
//! marking, but neither makes nor removes one, so a question about nothing but deadlocks looks at no place at all. Whether something
//! *stays* reachable is not a property of single runs; for such questions steps are not joined, and the other rules keep the graph
//! of the markings up to bisimilarity.

use super::answer::resting;
use super::{OpenQuestion, StateQuestion};
use crate::advice::advice_by_facts;
use lariat_budget::{Budget, Stop};
use lariat_engines::questions::{Ends, QuestionSet};
use lariat_model::{Comparison, Lasso, Linear, Predicate, Proposition, System};
use lariat_reductions::{Astray, Lift as _, ReductionLift, Rules, Support, Systems, reduce};

/// Arcs that reductions may look at.
const MOST_WORK: u64 = 5_000_000;

/// A net with questions about it.
pub(super) struct Stage<'s> {
    /// The net.
    pub system: &'s System,
    /// Questions by their position among all, in terms of the net.
    pub asked: Vec<(usize, StateQuestion)>,
    lift: Option<ReductionLift<'s>>,
}

impl<'s> Stage<'s> {
    /// The net as it was read.
    pub fn whole(system: &'s System, cases: &[OpenQuestion<'_>], questions: &[usize]) -> Stage<'s> {
        let asked = questions.iter().map(|q| {
            let OpenQuestion {
                question, folded, ..
            } = &cases[*q];
            (*q, folded.as_ref().unwrap_or(question).clone())
        });
        Stage {
            system,
            asked: asked.collect(),
            lift: None,
        }
    }

    /// The same on a net that is smaller, if there is one.
    pub fn reduced(self, systems: &'s Systems, budget: &Budget) -> Result<Stage<'s>, Stop> {
        budget.check()?;
        let observed: Vec<Proposition> = (self.asked.iter())
            .filter_map(|(_, question)| observed(question))
            .map(Proposition::State)
            .collect();
        let joins = !(self.asked.iter()).any(|(_, q)| matches!(q, StateQuestion::Always(_)));
        let support = Support::of(self.system, &observed, joins);
        let limited = budget.clone().with_work(MOST_WORK);
        let mut advice = advice_by_facts(budget);
        let rules = Rules::usual();
        let Some(reduction) = reduce(self.system, &support, rules, &mut advice, &limited) else {
            return Ok(self);
        };
        let lift = reduction.lift;
        let forward =
            |(q, question): &(usize, StateQuestion)| Some((*q, forward(&lift, question)?));
        let Some(asked) = self.asked.iter().map(forward).collect() else {
            return Ok(self);
        };
        Ok(Stage {
            system: systems.keep(reduction.system),
            asked,
            lift: Some(lift),
        })
    }

    /// All its questions, open.
    pub fn board(&self, ends: Ends) -> QuestionSet<'s> {
        let questions = self.asked.iter().map(|(_, question)| question.clone());
        QuestionSet::new(self.system, questions.collect(), ends)
    }

    /// The run of the net as it was read that a run of this one stands for, if it can be told. `question` is what the run answers.
    pub fn back(&self, run: Lasso, question: &StateQuestion) -> Result<Option<Lasso>, String> {
        let Some(lift) = &self.lift else {
            return Ok(Some(run));
        };
        let at_rest = matches!(question, StateQuestion::Reach(Predicate::Deadlock));
        let told = if at_rest { resting(run) } else { run };
        match lift.back(told) {
            Ok(run) if at_rest => Ok(Some(Lasso {
                cycle: Vec::new(),
                growth: None,
                ..run
            })),
            Ok(run) => Ok(Some(run)),
            Err(Astray::Unliftable(_)) => Ok(None),
            Err(Astray::Defect(why)) => Err(why),
        }
    }
}

/// What a question looks at; nothing if it is about deadlocks alone.
fn observed(question: &StateQuestion) -> Option<Predicate> {
    match question {
        StateQuestion::Reach(Predicate::Deadlock) => None,
        StateQuestion::Reach(predicate) | StateQuestion::Always(predicate) => {
            Some(predicate.clone())
        }
        StateQuestion::Most(terms) => Some(Predicate::Linear(at_least(terms))),
    }
}

/// A comparison of the sum.
fn at_least(terms: &[(lariat_model::VarId, i64)]) -> Linear {
    Linear {
        terms: terms.to_vec(),
        comparison: Comparison::Ge,
        constant: 0,
    }
}

/// The question about the net that a reduction leaves.
fn forward(lift: &ReductionLift<'_>, question: &StateQuestion) -> Option<StateQuestion> {
    let state =
        |predicate: &Predicate| match lift.forward(&Proposition::State(predicate.clone()))? {
            Proposition::State(predicate) => Some(predicate),
            Proposition::Fires(_) => None,
        };
    Some(match question {
        StateQuestion::Reach(predicate) => StateQuestion::Reach(state(predicate)?),
        StateQuestion::Always(predicate) => StateQuestion::Always(state(predicate)?),
        StateQuestion::Most(terms) => match state(&Predicate::Linear(at_least(terms)))? {
            Predicate::Linear(linear) => StateQuestion::Most(linear.terms),
            _ => return None,
        },
    })
}
