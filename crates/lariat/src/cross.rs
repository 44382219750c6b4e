//! A second opinion: does an engine that shares as little as possible with the first one say the same?
//!
//! Single states and sets of states share the reader, the translation and the replay, and nothing in between; the second engine also gets the net as it was
//! read, without reductions and facts. Two answers that contradict each other are a defect, whichever is right.

use crate::check::{Choice, Options, Report};
use crate::plan::{Plan, Preset};
use crate::reduce::Reduce;
use crate::report;
use crate::shortening::Shortening;
use crate::verdict::{Reason, Verdict};
use lariat_reductions::Rules;

/// How to ask an engine that is not related to the one that has answered.
pub fn unrelated(report: &Report, options: &Options) -> Options {
    let is_single = |preset: Preset| preset.plan().has_single_states();
    let name = match Preset::named(report.engine) {
        Some(preset) if !is_single(preset) => "explicit",
        // Facts, walks and single states.
        _ => "slap-fst",
    };
    Options {
        choice: Choice::Plan(Plan::of(name)),
        reduce: Reduce::Only(Rules::NONE),
        whole_product: false,
        // Nobody reads its run, and what engines on sets cannot find by themselves is no second opinion.
        shortening: Shortening::Never,
        ..options.clone()
    }
}

/// What two answers to one question mean together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// They are the same.
    Same,
    /// One of them is unknown.
    Open,
    /// They contradict each other.
    Different,
}

/// Compares two answers to one question.
pub fn agreement(first: &Verdict, second: &Verdict) -> Agreement {
    match (first, second) {
        (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => Agreement::Open,
        (Verdict::Holds(_), Verdict::Holds(_)) => Agreement::Same,
        (Verdict::Violated(_), Verdict::Violated(_)) => Agreement::Same,
        _ => Agreement::Different,
    }
}

/// The first answer, taken back if the second contradicts it.
pub fn reconciled(first: Report, second: &Report) -> (Report, Agreement) {
    let agreement = agreement(&first.verdict, &second.verdict);
    if agreement != Agreement::Different {
        return (first, agreement);
    }
    let says =
        |report: &Report| format!("{} says {}", report.engine, report::word(&report.verdict));
    let what = format!("engines disagree: {}, {}", says(&first), says(second));
    let verdict = Verdict::Unknown(Reason::Internal(what));
    (Report { verdict, ..first }, agreement)
}
