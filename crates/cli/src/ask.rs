//! `lariat ask`: questions about a model without a formula.

use crate::args::{Ask, Topic, Volume};
use crate::layout::layout;
use crate::progress::ProgressLine;
use crate::{Exit, Failure, input, out};
use clap::ValueEnum as _;
use lariat::internals::ask::examination::{Examination, fireable, places, total, transitions};
use lariat::internals::ask::report::{json, proof, reasons, run as run_of, run_text, word};
use lariat::internals::ask::{AskOptions, EarnedAnswer, EarnedReply, StateQuestion, StopRule, ask};
use lariat::internals::formats::LoadedModel;
use lariat::internals::ir::{EventId, Lasso, Names, NodeKind, System, suggestion};
use lariat::internals::ltl::AtomError;
use lariat::internals::{Advice, Reason, RunContext, RunLayout, SpaceCache, Stop, Systems};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub(crate) fn run(args: &Ask) -> Result<Exit, Failure> {
    let takes_names = matches!(args.topic, Topic::Bounds | Topic::Live);
    if !takes_names && !args.names.is_empty() {
        return Err(Failure::new(format!(
            "`{}` is about the whole model and takes no names",
            topic(args.topic)
        )));
    }
    let budget = input::command_budget(&args.limits);
    let mut model = input::watched_model(&args.model, &budget)?;
    args.shown.apply(&mut model);
    let shown = model.shown();
    // JSON identifies places and transitions by their ids.
    let asked = questions(&model, if args.json { &model } else { &shown }, args)?;
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
    let mut printer = AnswerPrinter {
        args,
        system: &shown.system,
        layout: layout(args.full),
        runs: HashMap::new(),
    };
    let mut on_reply = |q: usize, reply: &EarnedReply| {
        let (about, _) = &asked[q];
        let seconds = start.elapsed().as_secs_f64();
        let printed = if args.json {
            let (file, topic) = (args.model.display().to_string(), topic(args.topic));
            let object = json(&file, &model, &topic, Some(about), reply, seconds);
            out::data(&format!("{object}\n"))
        } else {
            out::text(&printer.text(about, reply))
        };
        match printed {
            Ok(()) if args.topic == Topic::OneSafe => Examination::OneSafe.decides(reply),
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
    let replies = ask(
        &model,
        &questions,
        &options,
        &mut explored,
        ctx,
        &mut on_reply,
    );
    drop(line);
    written?;
    if let Some(examination) = examination.filter(|_| !args.json) {
        out::text(&summary(examination, &asked, &replies))?;
    }
    if !args.json && !args.quiet {
        out::text(&advice(&replies, start.elapsed()))?;
    }
    let verdict = examination.and_then(|examination| examination.verdict(&replies));
    Ok(exit(&replies, verdict.is_some()))
}

/// Advice if time has ended; else nothing.
fn advice(replies: &[EarnedReply], time: Duration) -> String {
    let is_out_of_time = |reply: &EarnedReply| match &reply.answer {
        EarnedAnswer::Unknown { reason, .. } => *reason == Reason::Stopped(Stop::Time),
        _ => false,
    };
    let option = Advice::longer(time.as_secs_f64());
    let option = option.filter(|_| replies.iter().any(is_out_of_time));
    option.map_or(String::new(), |option| {
        format!("some answers are unknown; try {option}\n")
    })
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

/// The questions about a model, whose places and transitions are named as in `shown`.
fn questions(
    model: &LoadedModel,
    shown: &LoadedModel,
    args: &Ask,
) -> Result<Vec<(String, StateQuestion)>, Failure> {
    let names = model.names();
    Ok(match args.topic {
        Topic::Deadlock => Examination::Deadlock.questions(shown),
        Topic::DeadTransitions => Examination::QuasiLive.questions(shown),
        Topic::OneSafe => Examination::OneSafe.questions(shown),
        Topic::Stable => Examination::Stable.questions(shown),
        Topic::Bounds => {
            let place = |name: &str| names.number(name).ok_or(NodeKind::Place);
            let named = named(args, places(shown), &names, place)?;
            let named = named.into_iter();
            let questions = named.map(|(name, vars)| (name, StateQuestion::Most(total(&vars))));
            questions.collect()
        }
        Topic::Live => {
            let transition = |name: &str| names.events(name).ok_or(NodeKind::Transition);
            let named = named(args, transitions(shown), &names, transition)?;
            let always = |events: Vec<_>| StateQuestion::Always(fireable(&events));
            let named = named.into_iter();
            named.map(|(name, events)| (name, always(events))).collect()
        }
    })
}

/// The named items, or all; `find` returns the kind of node that it does not find.
fn named<T>(
    args: &Ask,
    all: Vec<(String, T)>,
    names: &Names<'_>,
    find: impl Fn(&str) -> Result<T, NodeKind>,
) -> Result<Vec<(String, T)>, Failure> {
    if args.names.is_empty() {
        return Ok(all);
    }
    let found = |name: &String| match find(name) {
        Ok(found) => Ok((name.clone(), found)),
        Err(kind) => {
            if let Some(AtomError { message, help, .. }) = names.ambiguity(name, kind) {
                let help = help.map_or(String::new(), |help| format!("\n  = help: {help}"));
                return Err(Failure::new(message + &help));
            }
            let sort = match kind {
                NodeKind::Place => "place",
                NodeKind::Transition => "transition",
            };
            let mut message = format!("no {sort} is called `{name}`");
            let system = names.system();
            let ids = { system.variables.iter() }
                .map(|place| &*place.name)
                .filter(|_| kind == NodeKind::Place)
                .chain(
                    { system.events.iter() }
                        .map(|transition| &*transition.name)
                        .filter(|_| kind == NodeKind::Transition),
                );
            let known = all.iter().map(|(name, _)| &**name).chain(ids);
            if let Some(nearest) = suggestion(name, known) {
                let _ = write!(message, "\n  = help: {nearest}");
            }
            Err(Failure::new(message))
        }
    };
    args.names.iter().map(found).collect()
}

/// Prints answers as text. A run that several answers share is printed once.
struct AnswerPrinter<'a> {
    args: &'a Ask,
    /// The model with the names that output uses.
    system: &'a System,
    layout: RunLayout,
    /// The runs printed so far, with the subject of their answers.
    runs: HashMap<RunKey, String>,
}

/// Identifies a run: its events, the number of steps before the loop, and a hash of its states.
#[derive(PartialEq, Eq, Hash)]
struct RunKey {
    events: Vec<Option<EventId>>,
    prefix: usize,
    states: u64,
}

impl RunKey {
    fn of(run: &Lasso) -> RunKey {
        let mut states = DefaultHasher::new();
        run.initial.hash(&mut states);
        for step in run.steps() {
            step.state.hash(&mut states);
        }
        RunKey {
            events: run.steps().map(|step| step.event).collect(),
            prefix: run.prefix.len(),
            states: states.finish(),
        }
    }
}

impl AnswerPrinter<'_> {
    /// The text of an answer; empty if the topic lists exceptions and this is none.
    fn text(&mut self, about: &str, reply: &EarnedReply) -> String {
        let (args, system, answer) = (self.args, self.system, &reply.answer);
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
        let mut out = first_words(args.topic, about, answer);
        let run = run_of(answer);
        let is_endless = matches!(answer, EarnedAnswer::Endless(_));
        let shows = !args.quiet && (args.topic != Topic::Bounds || args.explain || is_endless);
        let key = run.filter(|_| shows).map(|run| RunKey::of(run.run()));
        let known = key.as_ref().and_then(|key| self.runs.get(key)).cloned();
        if let Some(run) = run {
            let steps = run.run().prefix.len() + run.run().cycle.len();
            let plural = if steps == 1 { "" } else { "s" };
            let _ = match &known {
                Some(about) => write!(out, ", by the run of {about} above (replayed)"),
                None => write!(out, ", by a run of {steps} step{plural} (replayed)"),
            };
        }
        let _ = writeln!(out, "  [{}]", reply.asker.name());
        if let Some(run) = run.filter(|_| shows && known.is_none()) {
            out.push_str(&run_text(system, run.run(), &self.layout));
            self.runs.extend(key.map(|key| (key, about.to_owned())));
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
}

/// The answer in words.
fn first_words(topic: Topic, about: &str, answer: &EarnedAnswer) -> String {
    match (topic, answer) {
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
    }
}

/// The summary of all answers.
fn summary(
    examination: Examination,
    asked: &[(String, StateQuestion)],
    replies: &[EarnedReply],
) -> String {
    let all = asked.len();
    let count = |is: fn(&EarnedAnswer) -> bool| replies.iter().filter(|r| is(&r.answer)).count();
    let never = count(|answer| matches!(answer, EarnedAnswer::Never(_)));
    let open = count(|answer| !answer.is_known());
    let verdict = match examination.verdict(replies) {
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
            let live = count(|answer| matches!(answer, EarnedAnswer::Always(_)));
            format!("live: {verdict}, {live} of {all} transitions\n")
        }
        Examination::OneSafe => format!("one-safe: {verdict}\n"),
        Examination::Deadlock => String::new(),
    }
}

fn exit(replies: &[EarnedReply], decided: bool) -> Exit {
    let of_reply = |reply: &EarnedReply| match &reply.answer {
        EarnedAnswer::Unknown { reason, .. } => match reason {
            Reason::Internal(_) => Exit::Internal,
            Reason::Stopped(Stop::Interrupted) => Exit::Interrupted,
            _ if decided => Exit::Fine,
            _ => Exit::Undecided,
        },
        _ => Exit::Fine,
    };
    replies.iter().map(of_reply).max().unwrap_or(Exit::Fine)
}
