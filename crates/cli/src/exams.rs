//! Examinations of the contest other than formulas of linear time: see [`mcc`](crate::mcc).
//!
//! Reachability, bounds and the global properties are questions about reachable states. All of an examination's questions are asked
//! together, because what answers one helps to answer others; each answer is printed as soon as it is known.

use crate::args::{Limits, Mcc};
use crate::mcc::{Source, cannot_compute, model_for, over, read};
use crate::{Exit, Failure, input, out};
use lariat::internals::ask::examination::{Examination, total};
use lariat::internals::ask::{
    AskOptions, EarnedAnswer, EarnedReply, QuestionEngine, StateQuestion, ask,
};
use lariat::internals::formats::{LoadedModel, mcc};
use lariat::internals::ir::Reachability;
use lariat::internals::{Budget, Cancel, RunContext, SpaceCache, Systems};
use std::ops::ControlFlow;
use std::time::Instant;

/// The examination that a name of the contest stands for, if it is about a model as a whole.
pub(crate) fn global(examination: &str) -> Option<Examination> {
    Some(match examination {
        "ReachabilityDeadlock" => Examination::Deadlock,
        "OneSafe" => Examination::OneSafe,
        "StableMarking" => Examination::Stable,
        "QuasiLiveness" => Examination::QuasiLive,
        "Liveness" => Examination::Live,
        _ => return None,
    })
}

/// One line about the whole model.
pub(crate) fn whole(
    args: &Mcc,
    (name, examination): (&str, Examination),
    limits: &Limits,
    end: Instant,
) -> Result<Exit, Failure> {
    let (budget, cancel) = input::budget(limits);
    let model = match read(args, &budget, end) {
        Err(Failure::Undecided(stop)) => {
            cannot_compute(std::iter::once(name))?;
            return Ok(over(&stop));
        }
        model => model?,
    };
    let questions = examination.questions(&model);
    let questions: Vec<StateQuestion> = questions.into_iter().map(|(_, q)| q).collect();
    let options = AskOptions {
        ends: examination.ends(),
        ..AskOptions::default()
    };
    let mut tell = |_: usize, reply: &EarnedReply| examination.decides(reply);
    let replies = asked(&model, &questions, &options, (&budget, end), &mut tell);
    match examination.verdict(&replies) {
        Some(verdict) => {
            let asker = replies
                .last()
                .map_or(QuestionEngine::Explicit, |reply| reply.asker);
            line(name, if verdict { "TRUE" } else { "FALSE" }, asker)?;
        }
        None => cannot_compute(std::iter::once(name))?,
    }
    Ok(exit(&cancel))
}

/// `EF` and `AG` formulas, a line each.
pub(crate) fn reachability(
    args: &Mcc,
    examination: &str,
    limits: &Limits,
    end: Instant,
) -> Result<Exit, Failure> {
    let of_file = |model: &LoadedModel, origin: &str, bytes: &[u8]| {
        let list = mcc::read_reachability(&model.names(), origin, bytes)?;
        let row = |property: Reachability| Row {
            name: property.name.clone(),
            question: StateQuestion::Reach(property.wanted()),
            value: Box::new(move |answer| match answer {
                EarnedAnswer::Reached(_) => Some(truth(property.verdict(true))),
                EarnedAnswer::Never(_) => Some(truth(property.verdict(false))),
                _ => None,
            }),
        };
        Ok(list.into_iter().map(row).collect())
    };
    rows(args, examination, limits, end, &of_file)
}

/// The largest number of tokens in some places, a line each.
pub(crate) fn bounds(
    args: &Mcc,
    examination: &str,
    limits: &Limits,
    end: Instant,
) -> Result<Exit, Failure> {
    let of_file = |model: &LoadedModel, origin: &str, bytes: &[u8]| {
        let list = mcc::read_bounds(&model.names(), origin, bytes)?;
        let row = |(name, vars): (String, Vec<_>)| Row {
            name,
            question: StateQuestion::Most(total(&vars)),
            value: Box::new(|answer| match answer {
                EarnedAnswer::Most { value, .. } => Some(value.to_string()),
                EarnedAnswer::Endless(_) => Some("+inf".to_owned()),
                _ => None,
            }),
        };
        Ok(list.into_iter().map(row).collect())
    };
    rows(args, examination, limits, end, &of_file)
}

fn truth(truth: bool) -> String {
    if truth { "TRUE" } else { "FALSE" }.to_owned()
}

/// A question of a file, and what its answer is called.
struct Row {
    name: String,
    question: StateQuestion,
    value: Box<Value>,
}

/// What an answer is called, if it is one.
type Value = dyn Fn(&EarnedAnswer) -> Option<String>;

type Reader<'r> = &'r dyn Fn(&LoadedModel, &str, &[u8]) -> Result<Vec<Row>, Failure>;

fn rows(
    args: &Mcc,
    examination: &str,
    limits: &Limits,
    end: Instant,
    of_file: Reader<'_>,
) -> Result<Exit, Failure> {
    let (budget, cancel) = input::budget(limits);
    let source = Source::read(args, examination, &budget, end)?;
    let model = match model_for(args, &source, &budget, end)? {
        ControlFlow::Continue(model) => model,
        ControlFlow::Break(exit) => return Ok(exit),
    };
    let rows = of_file(&model, &source.origin, &source.bytes)?;
    let questions: Vec<StateQuestion> = rows.iter().map(|row| row.question.clone()).collect();
    let mut written = Ok(());
    let mut tell = |q: usize, reply: &EarnedReply| {
        let row = &rows[q];
        let said = match (row.value)(&reply.answer) {
            Some(value) => line(&row.name, &value, reply.asker),
            None => cannot_compute(std::iter::once(&*row.name)),
        };
        match said {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                written = Err(failure);
                ControlFlow::Break(())
            }
        }
    };
    let options = AskOptions::default();
    asked(&model, &questions, &options, (&budget, end), &mut tell);
    written?;
    Ok(exit(&cancel))
}

fn asked(
    model: &LoadedModel,
    questions: &[StateQuestion],
    options: &AskOptions,
    (budget, end): (&Budget, Instant),
    tell: &mut dyn FnMut(usize, &EarnedReply) -> ControlFlow<()>,
) -> Vec<EarnedReply> {
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    let left = end.saturating_duration_since(Instant::now());
    let budget = budget.clone().with_deadline(left);
    ask(
        model,
        questions,
        options,
        &mut explored,
        RunContext::quiet(&budget),
        tell,
    )
}

fn line(name: &str, value: &str, asker: QuestionEngine) -> Result<(), Failure> {
    let techniques = match asker {
        QuestionEngine::Facts => "TOPOLOGICAL",
        QuestionEngine::Walk | QuestionEngine::Explicit | QuestionEngine::KarpMiller => "EXPLICIT",
        QuestionEngine::Sets | QuestionEngine::Formula => "DECISION_DIAGRAMS",
    };
    out::data(&format!("FORMULA {name} {value} TECHNIQUES {techniques}\n"))
}

fn exit(cancel: &Cancel) -> Exit {
    if cancel.is_pressed() {
        Exit::Interrupted
    } else {
        Exit::Fine
    }
}
