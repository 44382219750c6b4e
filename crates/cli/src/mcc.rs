//! `lariat mcc`: answers in the form of the Model Checking Contest.
//!
//! The time that is left is shared over the open formulas in growing slices: every round gives
//! each open formula a slice, and the next round's slice is four times as long, so that an
//! easy formula never waits for a hard one and at most a third of the time goes to searches that
//! are begun again. A reserve is kept at the end to print what is open.

use crate::args::{Limits, Mcc};
use crate::{Exit, Failure, input, out};
use lariat::model::{Model, Properties};
use lariat::{
    Budget, Counting, Explored, Options, OrderChoice, Property, Quiet, Stop, Subject, Systems,
    Verdict, check, states,
};
use lariat_campaign::units::{Bytes, Span};
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
        "LTLCardinality" | "LTLFireability" => formulas(args, &examination, &limits, end),
        "StateSpace" => state_space(args, &limits, end),
        _ => {
            out::data("DO_NOT_COMPETE\n")?;
            Ok(Exit::Fine)
        }
    }
}

fn formulas(args: &Mcc, examination: &str, limits: &Limits, end: Instant) -> Result<Exit, Failure> {
    let (budget, cancel) = input::budget(limits);
    let model = model(args, &budget, end)?;
    let path = args.folder.join(format!("{examination}.xml"));
    let mut properties = Properties::new();
    let origin = path.display().to_string();
    properties.add_mcc(&model.names(), &origin, &input::bytes(&path)?)?;
    let subject = Subject::new(&model, &properties);
    let systems = Systems::new();
    let mut explored = Explored::new(&systems);
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
            let report = check(
                &subject,
                formula,
                &Options::default(),
                &mut explored,
                &own,
                &Quiet,
            );
            let answer = match report.verdict {
                Verdict::Holds(_) => "TRUE",
                Verdict::Violated(_) => "FALSE",
                Verdict::Unknown(_) => {
                    still_open.push(property);
                    continue;
                }
            };
            let name = &property.name;
            let techniques = techniques(report.engine != "explicit");
            out::data(&format!(
                "FORMULA {name} {answer} TECHNIQUES {techniques}\n"
            ))?;
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

/// What the contest wants to know of how an answer was found.
fn techniques(diagrams: bool) -> &'static str {
    if diagrams {
        "DECISION_DIAGRAMS"
    } else {
        "EXPLICIT"
    }
}

/// The model of the folder, within the time.
fn model(args: &Mcc, budget: &Budget, end: Instant) -> Result<Model, Failure> {
    let left = end.saturating_duration_since(Instant::now());
    let budget = budget.clone().with_deadline(left);
    input::model(&args.folder.join("model.pnml"), &budget)
}

fn state_space(args: &Mcc, limits: &Limits, end: Instant) -> Result<Exit, Failure> {
    let (budget, _) = input::budget(limits);
    let model = model(args, &budget, end)?;
    let budget = budget.with_deadline(end.saturating_duration_since(Instant::now()));
    let found = states(
        &model.system,
        Counting::Auto,
        &OrderChoice::Auto,
        &budget,
        &Quiet,
    );
    let techniques = techniques(found.engine == "symbolic");
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
