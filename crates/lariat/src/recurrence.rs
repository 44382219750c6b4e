//! Nested properties of reachable states, which are no linear-time properties.
//!
//! ```text
//! AG EF p  ⟺  ∀ s ∈ R: R(s) ∩ ⟦p⟧ ≠ ∅        EF AG p  ⟺  ¬ AG EF ¬p
//! ```
//!
//! where `R` is the set of reachable states and `R(s)` of those reachable from `s`. That is the
//! question `always p` of [`ask`](crate::ask), which answers it: a run to a state from which p is
//! unreachable is the evidence, replayed on the model; the absence needs a complete search.

use crate::ask::{AskOptions, EarnedAnswer, EarnedReply, QuestionEngine, StateQuestion, ask};
use crate::cache::SpaceCache;
use crate::check_parallel::CheckOutput;
use crate::checker::{CheckEvent, Checker, Session};
use crate::cross_check::{CrossCheck, reconcile};
use crate::decision::Decision;
use crate::options::EngineChoice;
use crate::phases::Phase;
use crate::properties::Property;
use crate::query::Query;
use crate::report::Report;
use crate::subject::PropertyForm;
use crate::verdict::{EarnedVerdict, Reason};
use lariat_budget::Stop;
use lariat_engines::{EngineId, Outcome};
use lariat_formats::LoadedModel;
use lariat_ltl::Formula;
use lariat_model::state_predicate;
use std::ops::ControlFlow;
use std::sync::Arc;

/// How a question is answered.
#[derive(Clone, Debug)]
pub(crate) struct Methods {
    pub engines: Vec<QuestionEngine>,
    pub reduce: bool,
}

impl Methods {
    /// All engines.
    pub fn all() -> Methods {
        Methods {
            engines: QuestionEngine::ALL.to_vec(),
            reduce: true,
        }
    }

    /// Complete searches that share as little as possible with the engine `first`.
    pub fn unrelated(first: QuestionEngine) -> Methods {
        let other = match first {
            QuestionEngine::Sets | QuestionEngine::Formula => QuestionEngine::Explicit,
            _ => QuestionEngine::Sets,
        };
        Methods {
            engines: vec![other],
            reduce: false,
        }
    }
}

impl<'m> Checker<'m> {
    /// Checks a nested property, and emits its report.
    pub(crate) fn check_nested(
        &self,
        session: &Session<'_, 'm>,
        query: &Query<'_, 'm>,
        property: &Property,
        cache: &mut SpaceCache<'m>,
        output: &mut CheckOutput<'_, CheckEvent>,
    ) {
        let (model, budget) = (self.model().loaded(), query.budget());
        let begun = budget.elapsed();
        let observer = self.observer();
        let observed = query.observed_by(&*observer);
        query.enter(Phase::Search);
        let (mut decision, asker) = observed.stays_reachable(model, &Methods::all(), cache);
        let mut check = None;
        if self.cross_checks
            && let Some(asker) = asker
        {
            query.enter(Phase::CrossCheck);
            let start = budget.elapsed();
            let first_verdict = decision.verdict.word();
            let other = Methods::unrelated(asker);
            let second = observed.stays_reachable(model, &other, cache).0;
            check = Some(CrossCheck {
                agreement: reconcile(&mut decision, &second),
                second,
                seconds: (budget.elapsed() - start).as_secs_f64(),
                first: EngineId::Ask,
                first_verdict,
            });
        }
        drop(observer);
        let vocabulary = Arc::clone(&session.vocabulary);
        let mut report = Report::new(vocabulary, property, decision, session.concurrency);
        report.cross_check = check;
        if let Some(phases) = query.phases {
            phases.end(budget);
            report.phases = phases.clone();
        }
        report.seconds = (budget.elapsed() - begun).as_secs_f64();
        output.emit(CheckEvent::Report(Box::new(report)));
    }
}

impl<'s> Query<'_, 's> {
    /// Decides whether the state formula of the property is reachable from all reachable states.
    /// Returns also the engine that answered.
    pub fn stays_reachable(
        &self,
        model: &'s LoadedModel,
        methods: &Methods,
        cache: &mut SpaceCache<'s>,
    ) -> (Decision, Option<QuestionEngine>) {
        let not_run = Reason::Inconclusive("no engine was run".to_owned());
        let mut decision = Decision {
            engine: EngineId::Ask,
            ..Decision::undecided(self.options, not_run)
        };
        let reply = match self.question(model) {
            Ok(question) => self.reply(model, question, methods, cache),
            Err(stop) => {
                decision.verdict = EarnedVerdict::Unknown(Reason::Stopped(stop));
                return (decision, None);
            }
        };
        let Some(EarnedReply { answer, asker }) = reply else {
            return (decision, None);
        };
        let found = match answer {
            EarnedAnswer::Always(_) => Ok(Outcome::Empty),
            EarnedAnswer::Lost(witness, _) => Ok(Outcome::Accepting(witness.run(&model.system))),
            EarnedAnswer::Unknown { reason, .. } => {
                decision.verdict = EarnedVerdict::Unknown(reason);
                return (decision, None);
            }
            _ => Err(Stop::Internal("an answer to another question".to_owned())),
        };
        // The run was replayed on the model when the answer was earned.
        decision.verdict = EarnedVerdict::earn(found, self.budget(), Ok);
        // Whether p is reachable depends on states beyond the run.
        if decision.verdict.is_known()
            && let Some(doubt) = self.missing_in_states(cache)
        {
            decision.verdict = doubt;
        }
        (decision, Some(asker))
    }

    /// The question about the model, unless it cannot be asked.
    fn question(&self, model: &LoadedModel) -> Result<StateQuestion, Stop> {
        let refused = |why: &str| Err(Stop::Unsupported(why.to_owned()));
        if matches!(self.options.engine, EngineChoice::Plan(_)) {
            return refused("engines check linear time; only `auto` answers AG EF and EF AG");
        }
        if model.quotient.is_some() || model.system.source.is_some() {
            return refused("AG EF and EF AG need a model of variables and events");
        }
        let PropertyForm::Formula(formula) = self.property else {
            return refused("AG EF and EF AG need a state formula");
        };
        let goal =
            |formula: Formula| state_predicate(self.formulas, self.subject.propositions(), formula);
        match goal(formula) {
            Some(goal) => Ok(StateQuestion::Always(goal)),
            None => refused("AG EF and EF AG need a state formula"),
        }
    }

    fn reply(
        &self,
        model: &'s LoadedModel,
        question: StateQuestion,
        methods: &Methods,
        cache: &mut SpaceCache<'s>,
    ) -> Option<EarnedReply> {
        let options = AskOptions {
            askers: methods.engines.clone(),
            reduce: methods.reduce,
            ..AskOptions::default()
        };
        let mut answer = None;
        ask(
            model,
            &[question],
            &options,
            cache,
            self.ctx,
            &mut |_, reply| {
                answer = Some(reply);
                ControlFlow::Continue(())
            },
        );
        answer
    }
}
