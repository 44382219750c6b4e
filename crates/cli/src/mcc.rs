//! `lariat mcc`: answers in the form of the Model Checking Contest.
//!
//! The time that is left is shared over the open formulas in growing slices: every round gives
//! each open formula a slice, and the next round's slice is four times as long, so that an
//! easy formula never waits for a hard one and at most a third of the time goes to searches that
//! are begun again. A reserve is kept at the end to print what is open.

use crate::args::{Limits, Mcc};
use crate::units::{Bytes, Span};
use crate::{Exit, Failure, input, out};
use lariat::model::{Names, Properties};
use lariat::space::explicit::{Explicit, count};
use lariat::{Deadlock, Options, Property, Quiet, Stop, Subject, System, Verdict, check};
use std::time::{Duration, Instant};

/// The contest's own limit, if nobody says another.
const DEFAULT_TIME: Duration = Duration::from_secs(3600);
/// More than anybody waits, and less than a clock can hold.
const LONGEST: Duration = Duration::from_secs(1 << 32);
const FIRST_SLICE: Duration = Duration::from_secs(2);

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
        "LTLCardinality" | "LTLFireability" => {
            let system = input::model(&args.folder.join("model.pnml"))?.system;
            formulas(args, &examination, &system, &limits, end)
        }
        "StateSpace" => {
            let system = input::model(&args.folder.join("model.pnml"))?.system;
            state_space(&system, &limits, end)
        }
        _ => {
            out::data("DO_NOT_COMPETE\n")?;
            Ok(Exit::Fine)
        }
    }
}

fn formulas(
    args: &Mcc,
    examination: &str,
    system: &System,
    limits: &Limits,
    end: Instant,
) -> Result<Exit, Failure> {
    let path = args.folder.join(format!("{examination}.xml"));
    let mut properties = Properties::new();
    let origin = path.display().to_string();
    properties.add_mcc(&Names::of(system), &origin, &input::bytes(&path)?)?;
    let subject = Subject {
        system,
        formulas: &properties.formulas,
        propositions: &properties.propositions,
    };
    let (budget, cancel) = input::budget(limits);
    let mut open: Vec<_> = properties.list.iter().collect();
    let mut slice = FIRST_SLICE;
    while !open.is_empty() && !cancel.is_pressed() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        // The last round is the one in which everybody's fair share is no more than a slice.
        let last = slice * open.len() as u32 >= left;
        let mut waiting = open.len() as u32;
        let mut still_open = Vec::new();
        for property in open {
            let left = end.saturating_duration_since(Instant::now());
            let share = if last {
                left / waiting
            } else {
                slice.min(left)
            };
            waiting -= 1;
            let own = budget.clone().with_deadline(share);
            let formula = Property::Formula(property.formula);
            let report = check(&subject, formula, &Options::default(), &own, &Quiet);
            let answer = match report.verdict {
                Verdict::Holds(_) => "TRUE",
                Verdict::Violated(_) => "FALSE",
                Verdict::Unknown(_) => {
                    still_open.push(property);
                    continue;
                }
            };
            let name = &property.name;
            out::data(&format!("FORMULA {name} {answer} TECHNIQUES EXPLICIT\n"))?;
        }
        open = still_open;
        if last {
            break;
        }
        slice *= 4;
    }
    for property in open {
        out::data(&format!("FORMULA {} CANNOT_COMPUTE\n", property.name))?;
    }
    Ok(match cancel.is_pressed() {
        true => Exit::Interrupted,
        false => Exit::Fine,
    })
}

fn state_space(system: &System, limits: &Limits, end: Instant) -> Result<Exit, Failure> {
    let (budget, _) = input::budget(limits);
    let budget = budget.with_deadline(end.saturating_duration_since(Instant::now()));
    let found = count(&Explicit::new(system, Deadlock::Stutter), &budget, &Quiet);
    if let Some(stop) = found.stop {
        out::data("CANNOT_COMPUTE\n")?;
        return Ok(match stop {
            Stop::Interrupted => Exit::Interrupted,
            _ => Exit::Fine,
        });
    }
    let rows = [
        ("STATES", found.states.to_string()),
        ("TRANSITIONS", found.edges.to_string()),
        ("MAX_TOKEN_PER_MARKING", found.max_tokens.to_string()),
        ("MAX_TOKEN_IN_PLACE", found.max_tokens_in_place.to_string()),
    ];
    for (what, number) in rows {
        out::data(&format!(
            "STATE_SPACE {what} {number} TECHNIQUES EXPLICIT\n"
        ))?;
    }
    Ok(Exit::Fine)
}
