//! A net that engines search for questions, original or reduced, and the lift of its runs.
//!
//! Reductions preserve the stutter-invariant formulas about the observed places, and which runs are
//! finite. So they preserve which markings of the observed places are reachable, the maxima of sums
//! over them, and whether a deadlock is reachable: agglomeration changes dead markings, but neither
//! makes nor removes one, so a question about deadlocks alone observes no place. Whether a
//! predicate *stays* reachable is not a property of single runs; for such questions events are not
//! agglomerated, and the other rules preserve the state graph up to bisimilarity.

use super::answer::resting;
use super::{OpenQuestion, StateQuestion};
use crate::advice::advice_by_facts;
use lariat_budget::{Budget, Stop};
use lariat_engines::questions::{QuestionSet, StopRule};
use lariat_model::{Comparison, Lasso, Linear, Predicate, Proposition, ReplayError, System};
use lariat_reductions::{Lift as _, LiftError, ReductionLift, Rules, Support, Systems, reduce};

/// Limit on the arcs that reductions inspect.
const MOST_WORK: u64 = 5_000_000;

/// A net with the questions about it.
pub(super) struct Stage<'s> {
    /// The net.
    pub system: &'s System,
    /// The questions, expressed for this net, with their positions among all questions.
    pub asked: Vec<(usize, StateQuestion)>,
    lift: Option<ReductionLift<'s>>,
}

impl<'s> Stage<'s> {
    /// The original net.
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

    /// The stage after reduction of its net; unchanged if no rule applies.
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

    /// The set of all questions of the stage, open.
    pub fn board(&self, ends: StopRule) -> QuestionSet<'s> {
        let questions = self.asked.iter().map(|(_, question)| question.clone());
        QuestionSet::new(self.system, questions.collect(), ends)
    }

    /// Lifts a run of this net to the original net; `None` if it cannot be lifted. `question` is
    /// the question that the run answers.
    pub fn back(
        &self,
        run: Lasso,
        question: &StateQuestion,
        budget: &Budget,
    ) -> Result<Option<Lasso>, ReplayError> {
        let Some(lift) = &self.lift else {
            return Ok(Some(run));
        };
        let at_rest = matches!(question, StateQuestion::Reach(Predicate::Deadlock));
        let run = if at_rest { resting(run) } else { run };
        match lift.back(run, budget) {
            Ok(run) if at_rest => Ok(Some(Lasso {
                cycle: Vec::new(),
                growth: None,
                ..run
            })),
            Ok(run) => Ok(Some(run)),
            Err(LiftError::Unliftable(_)) => Ok(None),
            Err(LiftError::Defect(why)) => Err(ReplayError::Defect(why)),
            Err(LiftError::Stopped(stop)) => Err(ReplayError::Stopped(stop)),
        }
    }
}

/// The predicate that a question observes; `None` for a question about deadlocks alone.
fn observed(question: &StateQuestion) -> Option<Predicate> {
    match question {
        StateQuestion::Reach(Predicate::Deadlock) => None,
        StateQuestion::Reach(predicate) | StateQuestion::Always(predicate) => {
            Some(predicate.clone())
        }
        StateQuestion::Most(terms) => Some(Predicate::Linear(at_least(terms))),
    }
}

/// The comparison of a sum with 0, which observes the sum's places.
fn at_least(terms: &[(lariat_model::VarId, i64)]) -> Linear {
    Linear {
        terms: terms.to_vec(),
        comparison: Comparison::Ge,
        constant: 0,
    }
}

/// Translates a question to the reduced net; `None` if the net cannot express it.
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
