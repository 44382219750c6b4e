//! `lariat mcc`: answers in the form of the Model Checking Contest.
//!
//! The time that is left is shared over the open formulas in growing slices: every round gives
//! each open formula a slice, and the next round's slice is four times as long, so that an
//! easy formula never waits for a hard one and at most a third of the time goes to searches that
//! are begun again. Towards the end a slice is a fair share of what is left, but at least twice what the
//! formula had before: less would bring nothing new. Rounds go on until the time does not allow another one.
//! A reserve is kept at the end to print what is open.
//!
//! The formulas of a round are decided side by side, on as many processors as there are, and a fair share is one of all processors.

use crate::args::{Limits, Mcc};
use crate::check::threads;
use crate::{Exit, Failure, exams, input, out};
use lariat::formats::mcc::read as read_properties;
use lariat::formats::{Model, Outline};
use lariat::model::{Properties, suggestion};
use lariat::{
    Budget, Counting, Decided, Explored, Idle, Options, OrderChoice, Property, Quiet, Reason,
    Report, Shelf, Shortening, Stop, Subject, Systems, Verdict, check, side_by_side, states,
};
use lariat_campaign::units::{Bytes, Span};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The contest's own limit, if nobody says another.
const DEFAULT_TIME: Duration = Duration::from_secs(3600);
/// More than anybody waits, and less than a clock can hold.
const LONGEST: Duration = Duration::from_secs(1 << 32);
const FIRST_SLICE: Duration = Duration::from_secs(2);
/// A slice below this is over before anything has begun.
const SHORTEST: Duration = Duration::from_millis(5);

/// The examinations that are answered.
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
/// Those of branching time, whose formulas are not decided.
const BRANCHING: [&str; 2] = ["CTLCardinality", "CTLFireability"];
/// The other ones of the contest.
const OTHERS: [&str; 1] = ["GlobalProperties"];

pub(crate) fn run(args: &Mcc) -> Result<Exit, Failure> {
    let start = Instant::now();
    let variable = |name: &str| std::env::var(name).ok();
    let examination = args
        .examination
        .clone()
        .or_else(|| variable("BK_EXAMINATION"))
        .ok_or_else(|| Failure::new("no examination: set BK_EXAMINATION or give --examination"))?;
    let number = |name: &str| match variable(name) {
        None => Ok(None),
        Some(text) => match text.trim().parse::<u64>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Failure::new(format!("{name} is no number: `{text}`"))),
        },
    };
    let time = number("BK_TIME_CONFINEMENT")?.map_or(DEFAULT_TIME, Duration::from_secs);
    let time = time.min(LONGEST);
    let megabytes = match number("BK_MEMORY_CONFINEMENT")? {
        None => number("BK_MEM_CONFINEMENT")?,
        known => known,
    };
    let limits = Limits {
        timeout: Some(Span(time)),
        // The confinement is that of the process; a tenth is left for what no ledger counts.
        memory: megabytes.map(|mb| Bytes(mb.saturating_mul(1 << 20) / 10 * 9)),
    };
    // Stop early enough to be heard: a twentieth of the time, at most 30 seconds.
    let end = start + time - (time / 20).min(Duration::from_secs(30));
    match examination.as_str() {
        "LTLCardinality" | "LTLFireability" => formulas(args, &examination, &limits, end),
        "StateSpace" => state_space(args, &limits, end),
        "ReachabilityCardinality" | "ReachabilityFireability" => {
            exams::reachability(args, &examination, &limits, end)
        }
        "UpperBounds" => exams::bounds(args, &examination, &limits, end),
        branching if BRANCHING.contains(&branching) => undecided(args, branching, &limits, end),
        other if OTHERS.contains(&other) => {
            out::data("DO_NOT_COMPETE\n")?;
            Ok(Exit::Fine)
        }
        name => match exams::global(name) {
            Some(examination) => exams::whole(args, (name, examination), &limits, end),
            None => Err(unknown_examination(name)),
        },
    }
}

/// Says of every formula that it is not decided.
fn undecided(
    args: &Mcc,
    examination: &str,
    limits: &Limits,
    end: Instant,
) -> Result<Exit, Failure> {
    let (budget, _) = input::budget(limits);
    give_up(&Source::read(args, examination, &budget, end)?)?;
    Ok(Exit::Fine)
}

fn unknown_examination(wrong: &str) -> Failure {
    let all = || OURS.iter().chain(&BRANCHING).chain(&OTHERS).copied();
    let help = match suggestion(wrong, all()) {
        Some(nearest) => nearest,
        None => format!("expected {}", OURS.join(", ")),
    };
    Failure::new(format!(
        "no examination is called `{wrong}`\n  = help: {help}"
    ))
}

/// A formula without an answer.
#[derive(Clone, Copy)]
struct Open<'p> {
    property: &'p lariat::model::Property,
    /// The longest time that it was given.
    had: Duration,
}

fn formulas(args: &Mcc, examination: &str, limits: &Limits, end: Instant) -> Result<Exit, Failure> {
    let (budget, cancel) = input::budget(limits);
    let source = Source::read(args, examination, &budget, end)?;
    let model = match model_for(args, &source, &budget, end)? {
        ControlFlow::Continue(model) => model,
        ControlFlow::Break(exit) => return Ok(exit),
    };
    let mut properties = Properties::new();
    read_properties(
        &mut properties,
        &model.names(),
        &source.origin,
        &source.bytes,
    )?;
    let subject = Subject::new(&model, &properties);
    let systems = Systems::new();
    let idle = Idle::new(threads(args.threads).get());
    let budget = budget.with_idle(&idle);
    // What was explored serves all rounds.
    let shelf = Shelf::new(&systems);
    let had = Duration::ZERO;
    let all = properties.list.iter();
    let mut open: Vec<Open<'_>> = all.map(|property| Open { property, had }).collect();
    let mut slice = FIRST_SLICE;
    loop {
        let processors = (open.len() as u32).min(threads(args.threads).get() as u32);
        let waiting = AtomicU32::new(open.len() as u32);
        let starved = |told: &Option<(Duration, Report)>| {
            let verdict = told.as_ref().map(|(_, report)| &report.verdict);
            matches!(
                verdict,
                Some(Verdict::Unknown(Reason::Stopped(Stop::Memory)))
            )
        };
        let mut tried = false;
        let mut still_open = Vec::new();
        side_by_side(
            &open,
            (&idle, &shelf),
            |formula, explored| {
                let left = end.saturating_duration_since(Instant::now());
                // Who is asked again, since memory was not enough for all, has been counted.
                let less = |waiting: u32| Some(waiting.saturating_sub(1));
                let waiting = waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
                let waiting = waiting.unwrap_or_else(|waiting| waiting);
                let share = share(slice, left * processors, waiting, formula.had);
                let share = share.filter(|_| !cancel.is_pressed());
                // The contest asks for no runs, so there is nothing to finish.
                Decided::Answer(share.map(|share| {
                    let share = share.min(left);
                    let budget = budget.clone().with_deadline(share);
                    (share, decide(&subject, formula.property, explored, &budget))
                }))
            },
            |_, answer| answer,
            starved,
            |at, told| {
                let Open { property, had } = open[at];
                tried |= told.is_some();
                match told.map_or(Err(had), |(share, report)| answer(&report, share)) {
                    Ok(answer) => out::data(&format!("FORMULA {} {answer}\n", property.name)),
                    Err(had) => {
                        still_open.push(Open { property, had });
                        Ok(())
                    }
                }
            },
        )?;
        open = still_open;
        if !tried {
            break;
        }
        slice *= 4;
    }
    cannot_compute(open.iter().map(|formula| &*formula.property.name))?;
    Ok(if cancel.is_pressed() {
        Exit::Interrupted
    } else {
        Exit::Fine
    })
}

/// What the contest is told of a formula; if there is nothing to tell, the time that it had, or for ever where more would not help.
fn answer(report: &Report, share: Duration) -> Result<String, Duration> {
    let value = match report.verdict {
        Verdict::Holds(_) => "TRUE",
        Verdict::Violated(_) => "FALSE",
        Verdict::Unknown(Reason::Stopped(Stop::Time)) => return Err(share),
        Verdict::Unknown(_) => return Err(Duration::MAX),
    };
    let techniques = techniques(report.engine);
    Ok(format!("{value} TECHNIQUES {techniques}"))
}

/// Decides one formula.
fn decide<'s>(
    subject: &Subject<'s>,
    property: &lariat::model::Property,
    explored: &mut Explored<'s>,
    budget: &Budget,
) -> Report {
    let options = Options {
        // The contest asks for no runs.
        shortening: Shortening::Never,
        ..Options::default()
    };
    let formula = Property::Formula(property.formula);
    check(subject, formula, &options, explored, budget, &Quiet)
}

/// The time for the next of `waiting` formulas, which had `had` before, if another try is worth it: a slice, or twice what it had;
/// a fair share of all that is left where that would not last for another round.
fn share(slice: Duration, left: Duration, waiting: u32, had: Duration) -> Option<Duration> {
    let fair = left / waiting.max(1);
    let next = slice.max(had.saturating_mul(2));
    let share = if fair < next.saturating_mul(3) {
        fair
    } else {
        next
    };
    (share > had && share >= SHORTEST).then_some(share)
}

pub(crate) fn cannot_compute<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), Failure> {
    for name in names {
        out::data(&format!("FORMULA {name} CANNOT_COMPUTE\n"))?;
    }
    Ok(())
}

/// How a command ends that could not read its model: in this mode all has been said with its lines.
pub(crate) fn over(stop: &Stop) -> Exit {
    match stop {
        Stop::Interrupted => Exit::Interrupted,
        _ => Exit::Fine,
    }
}

/// What the contest wants to know of how an answer was found.
fn techniques(engine: &str) -> &'static str {
    match engine {
        "facts" => "TOPOLOGICAL",
        "explicit" | "walk" => "EXPLICIT",
        _ => "DECISION_DIAGRAMS",
    }
}

/// The file of an examination.
pub(crate) struct Source {
    pub origin: String,
    pub bytes: Vec<u8>,
}

impl Source {
    pub(crate) fn read(
        args: &Mcc,
        examination: &str,
        budget: &Budget,
        end: Instant,
    ) -> Result<Source, Failure> {
        let path = args.folder.join(format!("{examination}.xml"));
        let origin = path.display().to_string();
        let left = end.saturating_duration_since(Instant::now());
        let texts = input::for_texts(budget, Some(left));
        let own = texts.clone();
        let bytes = input::supervised(&texts, move || input::bytes(&path, &own))?;
        Ok(Source { origin, bytes })
    }
}

/// Says of every formula of the file that it is not answered.
fn give_up(source: &Source) -> Result<(), Failure> {
    let mut outline = Outline::default();
    outline.add_mcc(&source.bytes);
    cannot_compute(outline.list.iter().map(|(name, _)| &**name))
}

/// The model that a file of formulas is about; if limits end before it is read, every formula has had its line.
pub(crate) fn model_for(
    args: &Mcc,
    source: &Source,
    budget: &Budget,
    end: Instant,
) -> Result<ControlFlow<Exit, Model>, Failure> {
    match read(args, budget, end) {
        Err(Failure::Undecided(stop)) => {
            give_up(source)?;
            Ok(ControlFlow::Break(over(&stop)))
        }
        model => Ok(ControlFlow::Continue(model?)),
    }
}

pub(crate) fn read(args: &Mcc, budget: &Budget, end: Instant) -> Result<Model, Failure> {
    let left = end.saturating_duration_since(Instant::now());
    let reading = budget.clone().with_deadline(left);
    input::watched_model(&args.folder.join("model.pnml"), &reading)
}

fn state_space(args: &Mcc, limits: &Limits, end: Instant) -> Result<Exit, Failure> {
    let (budget, _) = input::budget(limits);
    let model = match read(args, &budget, end) {
        Err(Failure::Undecided(stop)) => {
            out::data("CANNOT_COMPUTE\n")?;
            return Ok(over(&stop));
        }
        model => model?,
    };
    let budget = budget.with_deadline(end.saturating_duration_since(Instant::now()));
    let found = states(
        &model.system,
        Counting::Auto,
        &OrderChoice::Auto,
        &budget,
        &Quiet,
    );
    let techniques = techniques(found.engine);
    let rows = [
        ("STATES", found.states.map(|n| n.to_string())),
        ("TRANSITIONS", found.edges.map(|n| n.to_string())),
        (
            "MAX_TOKEN_PER_MARKING",
            found.max_tokens.map(|n| n.to_string()),
        ),
        (
            "MAX_TOKEN_IN_PLACE",
            found.max_tokens_in_place.map(|n| n.to_string()),
        ),
    ];
    if rows.iter().all(|(_, number)| number.is_none()) {
        out::data("CANNOT_COMPUTE\n")?;
    }
    for (what, number) in rows {
        if let Some(number) = number {
            out::data(&format!(
                "STATE_SPACE {what} {number} TECHNIQUES {techniques}\n"
            ))?;
        }
    }
    Ok(match found.stop {
        Some(Stop::Interrupted) => Exit::Interrupted,
        _ => Exit::Fine,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is played here is a contest in which nothing is ever decided.
    #[test]
    fn open_formulas_use_the_time() {
        for (formulas, seconds) in [(16, 24), (16, 3600), (1, 60), (3, 5), (16, 1)] {
            let total = Duration::from_secs(seconds);
            let mut left = total;
            let mut had = vec![Duration::ZERO; formulas];
            let mut slice = FIRST_SLICE;
            loop {
                let mut tried = false;
                for (i, had) in had.iter_mut().enumerate() {
                    let waiting = (formulas - i) as u32;
                    if let Some(share) = share(slice, left, waiting, *had) {
                        assert!(share > *had);
                        (*had, left, tried) = (share, left - share, true);
                    }
                }
                if !tried {
                    break;
                }
                slice *= 4;
            }
            assert!(
                left < total / 10 + SHORTEST,
                "{formulas} {seconds}: {left:?}"
            );
            assert!(had.iter().all(|had| !had.is_zero()));
        }
        // One that is hard among easy ones: what they leave is its own.
        let second = Duration::from_secs(1);
        let slice = FIRST_SLICE * 4;
        assert_eq!(share(slice, 14 * second, 1, second), Some(14 * second));
        assert_eq!(share(slice, 60 * second, 1, second), Some(slice));
        assert_eq!(share(FIRST_SLICE, second, 1, second), None);
        assert_eq!(share(FIRST_SLICE, 9 * second, 1, Duration::MAX), None);
    }
}
