//! `lariat mcc`: answers in the form of the Model Checking Contest.
//!
//! Formulas of linear time are checked in growing time slices (`lariat::Checker::check_in_slices`).
//! A reserve at the end suffices to print the lines of undecided formulas.

use crate::args::{LimitArgs, Mcc};
use crate::check::threads;
use crate::input::Limits;
use crate::open_names::OpenNames;
use crate::watchdog::Watchdog;
use crate::{Exit, Failure, exams, input, out};
use lariat::internals::formats::{LoadedModel, Outline};
use lariat::internals::ir::suggestion;
use lariat::internals::{Budget, Cancel, CountOptions, RunContext, Stop, count_states};
use lariat::{Checker, Model, Properties, Report};
use lariat_campaign::units::{Bytes, TimeSpan};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time limit of the contest, without BK_TIME_CONFINEMENT.
const DEFAULT_TIME: Duration = Duration::from_secs(3600);
/// The longest time limit: longer ones may overflow an `Instant`.
const LONGEST: Duration = Duration::from_secs(1 << 32);

/// The supported examinations.
const OURS: [&str; 11] = [
    "LTLCardinality",
    "LTLFireability",
    "Liveness",
    "OneSafe",
    "QuasiLiveness",
    "ReachabilityCardinality",
    "ReachabilityDeadlock",
    "ReachabilityFireability",
    "StableMarking",
    "StateSpace",
    "UpperBounds",
];
/// Examinations of branching time: every formula is CANNOT_COMPUTE.
const BRANCHING: [&str; 2] = ["CTLCardinality", "CTLFireability"];
/// Examinations that are answered with DO_NOT_COMPETE.
const OTHERS: [&str; 1] = ["GlobalProperties"];

/// An examination in a folder, with its limits.
pub(crate) struct Exam<'a> {
    args: &'a Mcc,
    pub name: &'a str,
    budget: Budget,
    cancel: Cancel,
    pub dog: Watchdog,
    /// The instant at which checks end; the remaining time suffices for printing.
    end: Instant,
}

pub(crate) fn run(args: &Mcc) -> Result<Exit, Failure> {
    let start = Instant::now();
    let variable = |name: &str| std::env::var(name).ok();
    let examination = args
        .examination
        .clone()
        .or_else(|| variable("BK_EXAMINATION"))
        .ok_or_else(|| Failure::new("no examination: set BK_EXAMINATION or give --examination"))?;
    let number = |name: &str| {
        let parse = |text: String| {
            let number = text.trim().parse::<u64>();
            number.map_err(|_| Failure::new(format!("{name} is not a number: `{text}`")))
        };
        variable(name).map(parse).transpose()
    };
    let time = number("BK_TIME_CONFINEMENT")?.map_or(DEFAULT_TIME, Duration::from_secs);
    let time = time.min(LONGEST);
    let megabytes = match number("BK_MEMORY_CONFINEMENT")? {
        None => number("BK_MEM_CONFINEMENT")?,
        known => known,
    };
    let limits = LimitArgs {
        timeout: Some(TimeSpan(time)),
        // A tenth of the confinement is reserved for memory that the budget does not count.
        memory: megabytes.map(|mb| Bytes(mb.saturating_mul(1 << 20) / 10 * 9)),
    };
    // The reserve for printing: a twentieth of the time, at most 30 seconds.
    let end = start + time - (time / 20).min(Duration::from_secs(30));
    let Limits {
        budget,
        cancel,
        dog,
    } = input::limits(&limits);
    let left = end.saturating_duration_since(Instant::now());
    dog.watch("the examination", Some(left));
    dog.last_words(|_| {
        // Nothing is known about the file yet; an unanswered examination counts as undecided.
        let _ = out::data("CANNOT_COMPUTE\n");
        Exit::Fine
    });
    let exam = Exam {
        args,
        name: &examination,
        budget,
        cancel,
        dog,
        end,
    };
    match exam.name {
        "LTLCardinality" | "LTLFireability" => formulas(&exam),
        "StateSpace" => state_space(&exam),
        "ReachabilityCardinality" | "ReachabilityFireability" => exams::reachability(&exam),
        "UpperBounds" => exams::bounds(&exam),
        branching if BRANCHING.contains(&branching) => {
            give_up(&exam.source()?)?;
            Ok(Exit::Fine)
        }
        other if OTHERS.contains(&other) => {
            out::data("DO_NOT_COMPETE\n")?;
            Ok(Exit::Fine)
        }
        name => match exams::global(name) {
            Some(examination) => exams::whole(&exam, examination),
            None => Err(unknown_examination(name)),
        },
    }
}

fn unknown_examination(wrong: &str) -> Failure {
    let all = || OURS.iter().chain(&BRANCHING).chain(&OTHERS).copied();
    let help = suggestion(wrong, all());
    let help = help.unwrap_or_else(|| format!("expected {}", OURS.join(", ")));
    let message = format!("no examination is called `{wrong}`\n  = help: {help}");
    Failure::new(message)
}

fn formulas(exam: &Exam<'_>) -> Result<Exit, Failure> {
    let source = exam.source()?;
    let model = match exam.model_for(&source, exam.quotient())? {
        ControlFlow::Continue(model) => Model::from_loaded(&source.origin, Arc::new(model)),
        ControlFlow::Break(exit) => return Ok(exit),
    };
    let mut properties = Properties::new(&model);
    properties.add_contest_file(&source.origin, &source.bytes)?;
    let checker = Checker::new(&model)
        .budget(exam.budget.clone())
        .timeout(exam.left())
        .default_threads(threads(exam.args.threads))
        .vacuity(false);
    let names = properties.iter().map(|property| property.name().to_owned());
    let names: Vec<String> = names.collect();
    let open = exam.open_names(names.iter().cloned());
    let mut printed = Ok(());
    let never = checker.check_in_slices(&properties, |report| {
        let question = names.iter().position(|name| name == report.name());
        printed = open.answer(question.unwrap_or(names.len()), || print(&report));
        out::flow(&printed)
    })?;
    printed?;
    open.answer_rest(|| cannot_compute(never.iter().map(String::as_str)))?;
    exam.dog.done();
    Ok(exam.exit())
}

/// Prints the line of a formula.
fn print(report: &Report) -> Result<(), Failure> {
    let name = report.name();
    let value = match report.holds() {
        Some(true) => "TRUE",
        Some(false) => "FALSE",
        None => return cannot_compute(std::iter::once(name)),
    };
    let techniques = report.techniques().join(" ");
    out::data(&format!("FORMULA {name} {value} TECHNIQUES {techniques}\n"))
}

pub(crate) fn cannot_compute<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), Failure> {
    for name in names {
        out::data(&undecided(name))?;
    }
    Ok(())
}

fn undecided(name: &str) -> String {
    format!("FORMULA {name} CANNOT_COMPUTE\n")
}

/// The exit status if the model could not be read: the lines report it, unless interrupted.
pub(crate) fn over(stop: &Stop) -> Exit {
    match stop {
        Stop::Interrupted => Exit::Interrupted,
        _ => Exit::Fine,
    }
}

/// The file of an examination.
pub(crate) struct ExaminationFile {
    pub origin: String,
    pub bytes: Vec<u8>,
}

impl Exam<'_> {
    /// The time until the end.
    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// The budget until the end.
    pub(crate) fn budget_left(&self) -> Budget {
        self.budget.clone().with_deadline(self.left())
    }

    pub(crate) fn source(&self) -> Result<ExaminationFile, Failure> {
        let path = self.args.folder.join(format!("{}.xml", self.name));
        let origin = path.display().to_string();
        let time = Some(self.left());
        let read = move |own: &_| input::bytes(&path, own);
        let bytes = input::supervised_texts(&self.budget, time, read)?;
        let mut outline = Outline::default();
        outline.add_mcc(&bytes);
        self.open_names(outline.list.into_iter().map(|(name, _)| name));
        Ok(ExaminationFile { origin, bytes })
    }

    pub(crate) fn model(&self) -> Result<LoadedModel, Failure> {
        input::watched_model(&self.args.folder.join("model.pnml"), &self.budget_left())
    }

    /// As [`model`](Exam::model), for formulas, which name no colours.
    fn quotient(&self) -> Result<LoadedModel, Failure> {
        input::watched_quotient(&self.args.folder.join("model.pnml"), &self.budget_left())
    }

    /// The model of a file of formulas. If a limit was reached, prints CANNOT_COMPUTE for every
    /// formula and returns the exit status.
    pub(crate) fn model_for(
        &self,
        source: &ExaminationFile,
        model: Result<LoadedModel, Failure>,
    ) -> Result<ControlFlow<Exit, LoadedModel>, Failure> {
        match model {
            Err(Failure::Undecided(stop)) => {
                give_up(source)?;
                Ok(ControlFlow::Break(over(&stop)))
            }
            model => Ok(ControlFlow::Continue(model?)),
        }
    }

    /// The names of open questions; the watchdog answers those that are left.
    pub(crate) fn open_names(&self, names: impl IntoIterator<Item = String>) -> OpenNames {
        OpenNames::new(names, &self.dog, |name, _| undecided(name), over)
    }

    /// The exit status after all answers.
    pub(crate) fn exit(&self) -> Exit {
        if self.cancel.is_pressed() {
            Exit::Interrupted
        } else {
            Exit::Fine
        }
    }
}

/// Prints CANNOT_COMPUTE for every formula of the file.
fn give_up(source: &ExaminationFile) -> Result<(), Failure> {
    let mut outline = Outline::default();
    outline.add_mcc(&source.bytes);
    cannot_compute(outline.list.iter().map(|(name, _)| &**name))
}

fn state_space(exam: &Exam<'_>) -> Result<Exit, Failure> {
    let model = match exam.model() {
        Err(Failure::Undecided(stop)) => {
            out::data("CANNOT_COMPUTE\n")?;
            return Ok(over(&stop));
        }
        model => model?,
    };
    let budget = exam.budget_left();
    let options = CountOptions::default();
    let found = count_states(&model.system, &options, RunContext::quiet(&budget));
    exam.dog.done();
    let techniques = match found.engine {
        "symbolic" => "DECISION_DIAGRAMS",
        _ => "EXPLICIT",
    };
    let most = found.max_tokens.map(|n| n.to_string());
    let most_in_place = found.max_tokens_in_place.map(|n| n.to_string());
    let rows = [
        ("STATES", found.states.map(|n| n.to_string())),
        ("TRANSITIONS", found.edges.map(|n| n.to_string())),
        ("MAX_TOKEN_PER_MARKING", most),
        ("MAX_TOKEN_IN_PLACE", most_in_place),
    ];
    if rows.iter().all(|(_, number)| number.is_none()) {
        out::data("CANNOT_COMPUTE\n")?;
    }
    for (what, number) in rows {
        if let Some(number) = number {
            let line = format!("STATE_SPACE {what} {number} TECHNIQUES {techniques}\n");
            out::data(&line)?;
        }
    }
    Ok(found.stop.as_ref().map_or(Exit::Fine, over))
}
