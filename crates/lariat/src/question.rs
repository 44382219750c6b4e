//! Questions about reachable states, and their answers.

use crate::ask::examination::{fireable, total};
use crate::ask::{AskOptions, EarnedAnswer, StateQuestion, Witness, ask};
use crate::checker::Checker;
use crate::error::Error;
use crate::report::ReportVocabulary;
use crate::states::{CountOptions, StateSpace, count_states};
use crate::trace::Trace;
use crate::verdict::Reason;
use lariat_budget::RunContext;
use lariat_ltl::{AtomError, RawAtom};
use lariat_model::{InputError, NodeKind, Predicate, PropertyList, Proposition};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A question about the reachable states of a model.
#[derive(Clone, Debug)]
pub struct Question(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Deadlock,
    Reachable(String),
    Bound(String),
    Live(String),
}

impl Question {
    /// Whether a deadlock is reachable.
    pub fn deadlock() -> Question {
        Question(Kind::Deadlock)
    }

    /// Whether a state is reachable that satisfies an atom, such as `p >= 2`.
    pub fn reachable(atom: &str) -> Question {
        Question(Kind::Reachable(atom.to_owned()))
    }

    /// The largest number of tokens in a place, or the largest value of a variable.
    pub fn bound(name: &str) -> Question {
        Question(Kind::Bound(name.to_owned()))
    }

    /// Whether an event can become enabled again from every reachable state.
    pub fn live(event: &str) -> Question {
        Question(Kind::Live(event.to_owned()))
    }
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// Yes, shown by a replayed run, or by an exhaustive search or a checked certificate.
    Yes(Option<Trace>),
    /// No; the run leads to a state from which it is impossible.
    No(Option<Trace>),
    /// The largest value.
    Number(i128),
    /// There is no largest value: each round of this run adds to it.
    Unbounded(Trace),
    /// Undecided, for this reason.
    Unknown(Reason),
}

impl Checker<'_> {
    /// Answers a question about the reachable states, within the limits of the checker.
    pub fn ask(&self, question: &Question) -> Result<Answer, Error> {
        let question = self.bind(question)?;
        let budget = self.for_property(&self.limits());
        let observer = self.observer();
        let mut cache = self.caches().take();
        let mut answer = None;
        ask(
            self.model().loaded(),
            &[question],
            &AskOptions::default(),
            &mut cache,
            RunContext::new(&budget, &*observer),
            &mut |_, reply| {
                answer = Some(reply.answer);
                ControlFlow::Continue(())
            },
        );
        self.caches().put(cache);
        let (name, loaded) = (self.model().name(), self.model().loaded());
        let vocabulary = ReportVocabulary::new(name, loaded, PropertyList::new());
        let vocabulary = Arc::new(vocabulary);
        let trace = |run: Witness| Trace::of_run(&vocabulary, run.run(&loaded.system));
        Ok(match answer {
            Some(EarnedAnswer::Reached(run)) => Answer::Yes(Some(trace(run))),
            Some(EarnedAnswer::Always(_)) => Answer::Yes(None),
            Some(EarnedAnswer::Never(_)) => Answer::No(None),
            Some(EarnedAnswer::Lost(run, _)) => Answer::No(Some(trace(run))),
            Some(EarnedAnswer::Most { value, .. }) => Answer::Number(value),
            Some(EarnedAnswer::Endless(run)) => Answer::Unbounded(trace(run)),
            Some(EarnedAnswer::Unknown { reason, .. }) => Answer::Unknown(reason),
            None => Answer::Unknown(Reason::Inconclusive("no engine was run".to_owned())),
        })
    }

    /// Counts the state space, within the limits of the checker.
    pub fn count_states(&self) -> StateSpace {
        let budget = self.for_property(&self.limits());
        let observer = self.observer();
        let system = &self.model().loaded().system;
        let options = CountOptions::default();
        count_states(system, &options, RunContext::new(&budget, &*observer))
    }

    fn bind(&self, question: &Question) -> Result<StateQuestion, Error> {
        let names = self.model().loaded().names();
        let unknown = |name: &str, kind: NodeKind, what: &str| match names.ambiguity(name, kind) {
            Some(error) => InputError::new("question", error.message),
            None => InputError::new("question", format!("no {what} is called `{name}`")),
        };
        Ok(match &question.0 {
            Kind::Deadlock => StateQuestion::Reach(Predicate::Deadlock),
            Kind::Reachable(atom) => {
                let bound = names.atom(RawAtom::Quoted(atom));
                match bound.map_err(|AtomError { message, .. }| InputError::new(atom, message))? {
                    (_, Proposition::State(predicate)) => StateQuestion::Reach(predicate),
                    (_, Proposition::Fires(events)) => StateQuestion::Reach(fireable(&events)),
                }
            }
            Kind::Bound(name) => {
                let vars = names.number(name);
                let vars =
                    vars.ok_or_else(|| unknown(name, NodeKind::Place, "place or variable"))?;
                StateQuestion::Most(total(&vars))
            }
            Kind::Live(name) => {
                let events = names.events(name);
                let events = events.ok_or_else(|| unknown(name, NodeKind::Transition, "event"))?;
                StateQuestion::Always(fireable(&events))
            }
        })
    }
}
