//! `lariat ask`: questions about a model without a formula.

use crate::args::{Ask, Topic, Volume};
use crate::layout::layout;
use crate::open_names::OpenNames;
use crate::progress::ProgressLine;
use crate::{Exit, Failure, input, out};
use clap::ValueEnum as _;
use lariat::internals::ask::examination::{Examination, fireable, places, total, transitions};
use lariat::internals::ask::report::{
    LineHead, proof, reasons, run as run_of, run_text, word, write_json,
};
use lariat::internals::ask::{
    AnswerKind, AskOptions, EarnedAnswer, EarnedReply, QuestionEngine, StateQuestion, StopRule, ask,
};
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::{
    Finding, Lasso, Names, NodeKind, OVERFLOW, Overflow, System, suggestion,
};
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
    let (budget, dog) = input::command_budget(&args.limits);
    let start = Instant::now();
    let (file, topic) = (args.model.display().to_string(), topic(args.topic));
    let line = {
        let (file, topic, is_json) = (file.clone(), topic.clone(), args.json);
        move |about: &str, stop: &Stop| {
            let seconds = start.elapsed().as_secs_f64();
            undecided(is_json, [&file, &topic, about], stop, seconds)
        }
    };
    OpenNames::new(known_subjects(args), &dog, line.clone(), Exit::of_stop);
    let mut model = match input::watched_model(&args.model, &budget) {
        Err(Failure::Undecided(stop)) => {
            crate::warn(&format!("{stop}, while reading"));
            dog.take_over();
            for about in known_subjects(args) {
                out::data(&line(&about, &stop))?;
            }
            return Ok(Exit::of_stop(&stop));
        }
        model => model?,
    };
    args.shown.apply(&mut model);
    let shown = model.shown();
    // JSON identifies places and transitions by their ids.
    let asked = questions(&model, if args.json { &model } else { &shown }, args)?;
    let questions = asked.iter().map(|(_, question)| question.clone());
    let questions: Vec<StateQuestion> = questions.collect();
    let progress = ProgressLine::new(if args.json || args.quiet {
        Volume::Silent
    } else {
        Volume::Progress
    });
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
    let mut is_out_of_time = false;
    let names = asked.iter().map(|(about, _)| about.clone());
    let open_names = OpenNames::new(names, &dog, line, Exit::of_stop);
    let mut printer = AnswerPrinter {
        args,
        system: &shown.system,
        layout: layout(args.full),
        runs: HashMap::new(),
    };
    let mut on_reply = |q: usize, reply: EarnedReply| {
        let (about, _) = &asked[q];
        open = open.max(exit(&reply));
        is_out_of_time |= matches!(
            &reply.answer,
            EarnedAnswer::Unknown {
                reason: Reason::Stopped(Stop::Time),
                ..
            }
        );
        let seconds = start.elapsed().as_secs_f64();
        // After the limit there may be many answers left, with long runs.
        let is_late = budget.check().is_err();
        let printed = if args.json {
            let head = LineHead {
                file: &file,
                ask: &topic,
                about,
                seconds,
                is_late,
            };
            open_names.answer(q, || {
                out::data_line(|out| write_json(out, &model, head, &reply))
            })
        } else {
            let text = printer.text(about, &reply, is_late);
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
    let ctx = RunContext::new(&budget, &progress);
    let answers = ask(
        &model,
        &questions,
        &options,
        &mut explored,
        ctx,
        &mut on_reply,
    );
    drop(progress);
    dog.done();
    written?;
    if let Some(examination) = examination.filter(|_| !args.json) {
        out::text(&summary(examination, &answers))?;
    }
    if args.topic == Topic::Faults {
        if model.system.overflow() == Overflow::TooLarge {
            let why = "the condition for a step that exceeds a range is too large; `lariat states` reports overflow";
            crate::warn(&format!("{OVERFLOW}: {why}"));
            open = open.max(Exit::Undecided);
        } else if questions.is_empty() && !args.json {
            out::text("the model has no assertions, and no step can fail or exceed a range\n")?;
        }
    }
    if is_out_of_time && !args.json && !args.quiet {
        out::text(&advice(start.elapsed()))?;
    }
    let verdict = examination.and_then(|examination| examination.verdict(&answers));
    Ok(match open {
        Exit::Undecided if verdict.is_some() => Exit::Fine,
        open => open,
    })
}

/// The subjects of the answers if the model cannot be read: those that the command names, or the
/// whole model, which is called by the topic.
fn known_subjects(args: &Ask) -> Vec<String> {
    if args.names.is_empty() {
        vec![topic(args.topic)]
    } else {
        args.names.clone()
    }
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
    let nothing = LoadedModel::new(ModelFormat::Etf, System::default());
    let head = LineHead {
        file,
        ask: topic,
        about,
        seconds,
        is_late: true,
    };
    let mut line = Vec::new();
    // Writing into memory does not fail.
    let _ = write_json(&mut line, &nothing, head, &reply);
    String::from_utf8(line).unwrap_or_default() + "\n"
}

/// Advice after time has ended.
fn advice(time: Duration) -> String {
    let option = Advice::longer(time.as_secs_f64());
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
        Topic::Deadlock | Topic::Bounds | Topic::Faults => None,
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
        Topic::Faults => {
            let findings = findings(&model.system).into_iter();
            let question = |finding: Finding| {
                let question = StateQuestion::Reach(finding.bad.clone());
                (finding.property_name(), question)
            };
            findings.map(question).collect()
        }
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

/// Everything that counts as a defect of the model.
fn findings(system: &System) -> Vec<Finding> {
    let mut findings = system.declared_findings();
    findings.extend(system.overflow_finding());
    findings
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

/// Identifies a run: its length, and two independent hashes of its states and events.
#[derive(PartialEq, Eq, Hash)]
struct RunKey {
    prefix: usize,
    length: usize,
    hashes: [u64; 2],
}

impl RunKey {
    fn of(run: &Lasso) -> RunKey {
        let hash = |seed: u64| {
            let mut hash = DefaultHasher::new();
            (seed, &run.initial).hash(&mut hash);
            run.steps().for_each(|step| step.hash(&mut hash));
            hash.finish()
        };
        RunKey {
            prefix: run.prefix.len(),
            length: run.len(),
            hashes: [hash(0), hash(1)],
        }
    }
}

impl AnswerPrinter<'_> {
    /// The text of an answer; empty if the topic lists exceptions and this is none. After the limit
    /// (`is_late`), runs are not shown.
    fn text(&mut self, about: &str, reply: &EarnedReply, is_late: bool) -> String {
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
        let mut out = match (args.topic, answer) {
            (Topic::Faults, EarnedAnswer::Reached(_)) => {
                let mut findings = findings(system).into_iter();
                let finding = findings.find(|finding| finding.property_name() == about);
                finding.map_or(String::new(), |finding| format!("{about}: {finding}"))
            }
            (topic, answer) => first_words(topic, about, answer),
        };
        let run = run_of(answer).map(|run| run.run(system));
        let run = run.as_ref();
        let is_endless = matches!(answer, EarnedAnswer::Endless(_));
        let shows =
            !is_late && !args.quiet && (args.topic != Topic::Bounds || args.explain || is_endless);
        let key = run.filter(|_| shows).map(RunKey::of);
        let known = key.as_ref().and_then(|key| self.runs.get(key)).cloned();
        if let Some(run) = run {
            let steps = run.len();
            let plural = if steps == 1 { "" } else { "s" };
            let _ = match &known {
                Some(about) => write!(out, ", by the run of {about} above (replayed)"),
                None => write!(out, ", by a run of {steps} step{plural} (replayed)"),
            };
        }
        let _ = writeln!(out, "  [{}]", reply.asker.name());
        if let Some(run) = run.filter(|_| shows && known.is_none()) {
            out.push_str(&run_text(system, run, &self.layout));
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
        (Topic::Faults, EarnedAnswer::Never(_)) => format!("{about}: no reachable state shows it"),
        (Topic::OneSafe, EarnedAnswer::Reached(_)) => {
            format!("{about} can hold more than one token")
        }
        (Topic::Live, EarnedAnswer::Always(_)) => format!("{about} can always fire again"),
        (Topic::Live, EarnedAnswer::Lost(..)) => format!("{about} can be lost"),
        _ => format!("{about}: {}", word(answer)),
    }
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
