//! Cross-check: a second engine, as unrelated as possible to the first, decides the property.
//!
//! Single states and sets of states share the reader, the translation and the replay, and nothing
//! in between; the second engine also gets the original net, without reductions and facts.
//! Contradicting verdicts are a defect, whichever is right.

use crate::cache::SpaceCache;
use crate::decision::Decision;
use crate::options::{CheckOptions, EngineChoice};
use crate::plan::{Plan, Preset};
use crate::query::Query;
use crate::reduce::ReductionChoice;
use crate::shorten::Shortening;
use crate::verdict::{EarnedVerdict, Reason};
use lariat_engines::EngineId;
use lariat_reductions::Rules;

/// Relation of two verdicts on one property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// They are equal.
    Same,
    /// At least one of them is unknown.
    Open,
    /// They contradict each other.
    Different,
}

/// The verdict of the second engine.
#[derive(Clone, Debug)]
pub struct CrossCheck {
    /// The second decision.
    pub second: Decision,
    /// Its relation to the first.
    pub agreement: Agreement,
    /// Its wall-clock time in seconds.
    pub seconds: f64,
    /// The first engine.
    pub first: EngineId,
    /// The verdict of the first engine, before a contradiction withdrew it.
    pub first_verdict: &'static str,
}

/// The options for an engine that is unrelated to `engine`.
pub fn unrelated(engine: EngineId, options: &CheckOptions) -> CheckOptions {
    let preset = Preset::ALL.iter().find(|preset| preset.id == engine);
    let name = match preset {
        Some(preset) if !preset.plan().has_single_states() => "explicit",
        // Facts, walks and single states.
        _ => "slap-fst",
    };
    CheckOptions {
        engine: EngineChoice::Plan(Plan::of(name)),
        reduce: ReductionChoice::Only(Rules::NONE),
        whole_product: false,
        all_orders: true,
        shortening: Shortening::Never,
        ..options.clone()
    }
}

/// Compares two verdicts on one property.
pub fn agreement(first: &EarnedVerdict, second: &EarnedVerdict) -> Agreement {
    match (first, second) {
        (EarnedVerdict::Unknown(_), _) | (_, EarnedVerdict::Unknown(_)) => Agreement::Open,
        (EarnedVerdict::Holds(_), EarnedVerdict::Holds(_)) => Agreement::Same,
        (EarnedVerdict::Violated(_), EarnedVerdict::Violated(_)) => Agreement::Same,
        _ => Agreement::Different,
    }
}

/// Withdraws the first verdict if the second contradicts it.
pub fn reconcile(first: &mut Decision, second: &Decision) -> Agreement {
    let agreement = agreement(&first.verdict, &second.verdict);
    if agreement == Agreement::Different {
        let says = |decision: &Decision| {
            let word = decision.verdict.word();
            format!("{} says {word}", decision.engine)
        };
        let what = format!("engines disagree: {}, {}", says(first), says(second));
        first.verdict = EarnedVerdict::Unknown(Reason::Internal(what));
    }
    agreement
}

impl<'s> Query<'_, 's> {
    /// Runs a second engine in the time that is left, and withdraws the verdict of `first` if it
    /// contradicts.
    pub(crate) fn cross_check(
        &self,
        first: &mut Decision,
        cache: &mut SpaceCache<'s>,
    ) -> CrossCheck {
        let budget = self.budget();
        let begun = budget.elapsed();
        let (engine, word) = (first.engine, first.verdict.word());
        let options = unrelated(engine, self.options);
        let query = Query {
            options: &options,
            phases: None,
            ..*self
        };
        let mut second = query.decide(cache);
        query.check_partial_atoms(&mut second, cache);
        CrossCheck {
            agreement: reconcile(first, &second),
            second,
            seconds: (budget.elapsed() - begun).as_secs_f64(),
            first: engine,
            first_verdict: word,
        }
    }
}
