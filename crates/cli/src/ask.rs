//! `lariat ask`: questions about a model without a formula.

use crate::args::{Ask, Topic, Volume};
use crate::open_names::OpenNames;
use crate::progress::ProgressLine;
use crate::{Exit, Failure, input, out};
use clap::ValueEnum as _;
use lariat::internals::ask::examination::{Examination, fireable, places, total, transitions};
use lariat::internals::ask::report::{json, proof, reasons, run as run_of, run_text, word};
use lariat::internals::ask::{
    AnswerKind, AskOptions, EarnedAnswer, EarnedReply, QuestionEngine, StateQuestion, StopRule, ask,
};
use lariat::internals::formats::LoadedModel;
use lariat::internals::ir::suggestion;
use lariat::internals::{Reason, RunContext, SpaceCache, Stop, System, Systems};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::time::Instant;

pub(crate) fn run(args: &Ask) -> Result<Exit, Failure> {
    let takes_names = matches!(args.topic, Topic::Bounds | Topic::Live);
    if !takes_names && !args.names.is_empty() {
        return Err(Failure::new(format!(
            "`{}` is about the whole model and takes no names",
            topic(args.topic)
        )));
    }
    let (budget, dog) = input::command_budget(&args.limits);
    let model = input::watched_model(&args.model, &budget)?;
    let asked = questions(&model, args)?;
    let questions = asked.iter().map(|(_, question)| question.clone());
    let questions: Vec<StateQuestion> = questions.collect();
    let line = ProgressLine::new(if args.json || args.quiet {
        Volume::Silent
    } else {
        Volume::Progress
    });
    let start = Instant::now();
    let examination = whole(args.topic);
    let options = AskOptions {
        ends: match args.topic {
            Topic::OneSafe => StopRule::WithTheFirstRun,
            _ => StopRule::WithAll,
        },
        ..AskOptions::default()
    };
    let mut written = Ok(());
    // The exit statuses of unknown answers, while the examination is undecided.
    let mut open = Exit::Fine;
    let (file, topic) = (args.model.display().to_string(), topic(args.topic));
    let names = asked.iter().map(|(about, _)| about.clone());
    let open_names = {
        let (file, topic, is_json) = (file.clone(), topic.clone(), args.json);
        let line = move |about: &str, stop: &Stop| {
            let seconds = start.elapsed().as_secs_f64();
            undecided(is_json, [&file, &topic, about], stop, seconds)
        };
        OpenNames::new(names, &dog, line, Exit::of_stop)
    };
    let mut on_reply = |q: usize, reply: EarnedReply| {
        let (about, _) = &asked[q];
        open = open.max(exit(&reply));
        let seconds = start.elapsed().as_secs_f64();
        let printed = if args.json {
            let object = json(&file, &model.system, &topic, Some(about), &reply, seconds);
            let line = format!("{object}\n");
            open_names.answer(q, || out::data(&line))
        } else {
            let text = text(args, &model, about, &reply);
            open_names.answer(q, || out::text(&text))
        };
        match printed {
            Ok(()) if args.topic == Topic::OneSafe => {
                Examination::OneSafe.decides(reply.answer.kind())
            }
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                written = Err(failure);
                ControlFlow::Break(())
            }
        }
    };
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
    let ctx = RunContext::new(&budget, &line);
    let answers = ask(
        &model,
        &questions,
        &options,
        &mut explored,
        ctx,
        &mut on_reply,
    );
    drop(line);
    dog.done();
    written?;
    if let Some(examination) = examination.filter(|_| !args.json) {
        out::text(&summary(examination, &answers))?;
    }
    let verdict = examination.and_then(|examination| examination.verdict(&answers));
    Ok(match open {
        Exit::Undecided if verdict.is_some() => Exit::Fine,
        open => open,
    })
}

/// The answer to a question about this model, topic and item for which the process is ended.
fn undecided(is_json: bool, about: [&str; 3], stop: &Stop, seconds: f64) -> String {
    let [file, topic, about] = about;
    if !is_json {
        return format!("{about}: unknown: {stop}\n");
    }
    let reply = EarnedReply {
        answer: EarnedAnswer::Unknown {
            reason: Reason::Stopped(stop.clone()),
            at_least: None,
            at_most: None,
        },
        asker: QuestionEngine::Explicit,
    };
    let object = json(
        file,
        &System::default(),
        topic,
        Some(about),
        &reply,
        seconds,
    );
    format!("{object}\n")
}

/// The name of the topic on the command line.
fn topic(topic: Topic) -> String {
    let value = topic.to_possible_value();
    value.map_or(String::new(), |value| value.get_name().to_owned())
}

/// The examination that summarizes the answers, if there is one.
fn whole(topic: Topic) -> Option<Examination> {
    match topic {
        Topic::OneSafe => Some(Examination::OneSafe),
        Topic::Stable => Some(Examination::Stable),
        Topic::DeadTransitions => Some(Examination::QuasiLive),
        Topic::Live => Some(Examination::Live),
        Topic::Deadlock | Topic::Bounds => None,
    }
}

fn questions(model: &LoadedModel, args: &Ask) -> Result<Vec<(String, StateQuestion)>, Failure> {
    Ok(match args.topic {
        Topic::Deadlock => Examination::Deadlock.questions(model),
        Topic::DeadTransitions => Examination::QuasiLive.questions(model),
        Topic::OneSafe => Examination::OneSafe.questions(model),
        Topic::Stable => Examination::Stable.questions(model),
        Topic::Bounds => {
            let named = named(args, places(model), "place", |name| {
                model.names().number(name)
            })?;
            let named = named.into_iter();
            let questions = named.map(|(name, vars)| (name, StateQuestion::Most(total(&vars))));
            questions.collect()
        }
        Topic::Live => {
            let all = transitions(model);
            let named = named(args, all, "transition", |name| model.names().events(name))?;
            let always = |events: Vec<_>| StateQuestion::Always(fireable(&events));
            let named = named.into_iter();
            named.map(|(name, events)| (name, always(events))).collect()
        }
    })
}

/// The named items, or all.
fn named<T>(
    args: &Ask,
    all: Vec<(String, T)>,
    sort: &str,
    find: impl Fn(&str) -> Option<T>,
) -> Result<Vec<(String, T)>, Failure> {
    if args.names.is_empty() {
        return Ok(all);
    }
    let found = |name: &String| match find(name) {
        Some(found) => Ok((name.clone(), found)),
        None => {
            let mut message = format!("no {sort} is called `{name}`");
            if let Some(nearest) = suggestion(name, all.iter().map(|(name, _)| &**name)) {
                let _ = write!(message, "\n  = help: {nearest}");
            }
            Err(Failure::new(message))
        }
    };
    args.names.iter().map(found).collect()
}

/// The text of an answer; empty if the topic lists exceptions and this is none.
fn text(args: &Ask, model: &LoadedModel, about: &str, reply: &EarnedReply) -> String {
    let system = &model.system;
    let answer = &reply.answer;
    let expected = match (args.topic, answer) {
        (Topic::DeadTransitions | Topic::Stable, EarnedAnswer::Reached(_)) => true,
        (Topic::OneSafe, EarnedAnswer::Never(_)) => true,
        // Another answer has decided the question.
        (Topic::OneSafe, EarnedAnswer::Unknown { reason, .. }) => {
            matches!(reason, Reason::Inconclusive(_))
        }
        _ => false,
    };
    if expected {
        return String::new();
    }
    let mut out = match (args.topic, answer) {
        (Topic::Deadlock, EarnedAnswer::Reached(_)) => "deadlock: yes".to_owned(),
        (Topic::Deadlock, EarnedAnswer::Never(_)) => {
            "deadlock: no, every reachable state enables a transition".to_owned()
        }
        (Topic::DeadTransitions, EarnedAnswer::Never(_)) => format!("{about} can never fire"),
        (Topic::Stable, EarnedAnswer::Never(_)) => format!("{about} never changes"),
        (Topic::OneSafe, EarnedAnswer::Reached(_)) => {
            format!("{about} can hold more than one token")
        }
        (Topic::Live, EarnedAnswer::Always(_)) => format!("{about} can always fire again"),
        (Topic::Live, EarnedAnswer::Lost(..)) => format!("{about} can be lost"),
        _ => format!("{about}: {}", word(answer)),
    };
    let run = run_of(answer);
    let is_endless = matches!(answer, EarnedAnswer::Endless(_));
    let shows = !args.quiet && (args.topic != Topic::Bounds || args.explain || is_endless);
    if let Some(run) = run {
        let steps = run.len();
        let plural = if steps == 1 { "" } else { "s" };
        let _ = write!(out, ", by a run of {steps} step{plural} (replayed)");
    }
    let _ = writeln!(out, "  [{}]", reply.asker.name());
    if let Some(run) = run.filter(|_| shows) {
        out.push_str(&run_text(system, &run.run(system), args.full));
    }
    if let Some(proof) = proof(answer).filter(|_| args.explain) {
        let reasons = reasons(system, proof);
        if reasons.is_empty() {
            let _ = writeln!(out, "    because all reachable states were explored");
        }
        for reason in reasons {
            let _ = writeln!(out, "    because {reason}");
        }
    }
    out
}

/// The summary of all answers.
fn summary(examination: Examination, answers: &[AnswerKind]) -> String {
    let all = answers.len();
    let count = |kind| answers.iter().filter(|answer| **answer == kind).count();
    let never = count(AnswerKind::Never);
    let open = count(AnswerKind::Unknown);
    let verdict = match examination.verdict(answers) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    let unknown = match open {
        0 => String::new(),
        _ => format!(", {open} are unknown"),
    };
    match examination {
        Examination::QuasiLive => {
            format!("{never} of {all} transitions can never fire{unknown}\n")
        }
        Examination::Stable => format!("{never} of {all} places never change{unknown}\n"),
        Examination::Live => {
            let live = count(AnswerKind::Always);
            format!("live: {verdict}, {live} of {all} transitions\n")
        }
        Examination::OneSafe => format!("one-safe: {verdict}\n"),
        Examination::Deadlock => String::new(),
    }
}

/// The exit status of an answer that counts even if the examination is decided without it.
fn exit(reply: &EarnedReply) -> Exit {
    match &reply.answer {
        EarnedAnswer::Unknown { reason, .. } => match reason {
            Reason::Internal(_) => Exit::Internal,
            Reason::Stopped(Stop::Interrupted) => Exit::Interrupted,
            _ => Exit::Undecided,
        },
        _ => Exit::Fine,
    }
}
