//! Examinations of the contest other than formulas of linear time: see [`mcc`](crate::mcc).
//!
//! Reachability, bounds and the global properties are questions about reachable states. The
//! questions of an examination are answered together, because they share searches; each answer is
//! printed as soon as it is known.

use crate::mcc::{Exam, cannot_compute, over};
use crate::{Exit, Failure, out};
use lariat::internals::ask::examination::{Examination, total};
use lariat::internals::ask::{
    AnswerKind, AskOptions, EarnedAnswer, EarnedReply, QuestionEngine, StateQuestion, ask,
};
use lariat::internals::formats::{LoadedModel, mcc};
use lariat::internals::ir::Reachability;
use lariat::internals::{RunContext, SpaceCache, Systems};
use std::ops::ControlFlow;

/// The examination with this contest name, if it is about the whole model.
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

/// Answers an examination of the whole model, in one line.
pub(crate) fn whole(exam: &Exam<'_>, examination: Examination) -> Result<Exit, Failure> {
    let name = exam.name;
    let open = exam.open_names([name.to_owned()]);
    let model = match exam.model() {
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
    let mut asker = QuestionEngine::Explicit;
    let mut on_reply = |_: usize, reply: EarnedReply| {
        if reply.answer.is_known() {
            asker = reply.asker;
        }
        examination.decides(reply.answer.kind())
    };
    let answers = answers(exam, &model, &questions, &options, &mut on_reply);
    match examination.verdict(&answers) {
        Some(verdict) => open.answer(0, || line(name, truth(verdict), asker))?,
        None => open.answer(0, || cannot_compute(std::iter::once(name)))?,
    }
    exam.dog.done();
    Ok(exam.exit())
}

/// Answers `EF` and `AG` formulas, one line per formula.
pub(crate) fn reachability(exam: &Exam<'_>) -> Result<Exit, Failure> {
    let of_file = |model: &LoadedModel, origin: &str, bytes: &[u8]| {
        let list = mcc::read_reachability(&model.names(), origin, bytes)?;
        let row = |property: Reachability| Row {
            name: property.name.clone(),
            question: StateQuestion::Reach(property.wanted()),
            value: Box::new(move |answer| match answer {
                EarnedAnswer::Reached(_) => Some(truth(property.verdict(true)).to_owned()),
                EarnedAnswer::Never(_) => Some(truth(property.verdict(false)).to_owned()),
                _ => None,
            }),
        };
        Ok(list.into_iter().map(row).collect())
    };
    rows(exam, &of_file)
}

/// Answers the largest number of tokens in sets of places, one line per set.
pub(crate) fn bounds(exam: &Exam<'_>) -> Result<Exit, Failure> {
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
    rows(exam, &of_file)
}

fn truth(truth: bool) -> &'static str {
    if truth { "TRUE" } else { "FALSE" }
}

/// A question of a file, and the format of its answer.
struct Row {
    name: String,
    question: StateQuestion,
    value: Box<Value>,
}

/// Formats an answer; `None` if it is unknown.
type Value = dyn Fn(&EarnedAnswer) -> Option<String>;

type Reader<'r> = &'r dyn Fn(&LoadedModel, &str, &[u8]) -> Result<Vec<Row>, Failure>;

fn rows(exam: &Exam<'_>, of_file: Reader<'_>) -> Result<Exit, Failure> {
    let source = exam.source()?;
    let model = match exam.model_for(&source, exam.model())? {
        ControlFlow::Continue(model) => model,
        ControlFlow::Break(exit) => return Ok(exit),
    };
    let rows = of_file(&model, &source.origin, &source.bytes)?;
    let questions: Vec<StateQuestion> = rows.iter().map(|row| row.question.clone()).collect();
    let open = exam.open_names(rows.iter().map(|row| row.name.clone()));
    let mut written = Ok(());
    let mut on_reply = |q: usize, reply: EarnedReply| {
        let row = &rows[q];
        let printed = open.answer(q, || match (row.value)(&reply.answer) {
            Some(value) => line(&row.name, &value, reply.asker),
            None => cannot_compute(std::iter::once(&*row.name)),
        });
        match printed {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                written = Err(failure);
                ControlFlow::Break(())
            }
        }
    };
    let options = AskOptions::default();
    answers(exam, &model, &questions, &options, &mut on_reply);
    exam.dog.done();
    written?;
    Ok(exam.exit())
}

fn answers(
    exam: &Exam<'_>,
    model: &LoadedModel,
    questions: &[StateQuestion],
    options: &AskOptions,
    on_reply: &mut dyn FnMut(usize, EarnedReply) -> ControlFlow<()>,
) -> Vec<AnswerKind> {
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    let budget = exam.budget_left();
    let ctx = RunContext::quiet(&budget);
    ask(model, questions, options, &mut explored, ctx, on_reply)
}

fn line(name: &str, value: &str, asker: QuestionEngine) -> Result<(), Failure> {
    let techniques = match asker {
        QuestionEngine::Facts => "TOPOLOGICAL",
        QuestionEngine::Walk | QuestionEngine::Explicit | QuestionEngine::KarpMiller => "EXPLICIT",
        QuestionEngine::Sets | QuestionEngine::Formula => "DECISION_DIAGRAMS",
    };
    out::data(&format!("FORMULA {name} {value} TECHNIQUES {techniques}\n"))
}
