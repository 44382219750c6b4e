//! `EF p` and `AG p` as properties of `check`: one reachability modality around a property of states, no branching-time logic.
//!
//! `AG p` is `G p`. `EF p` holds if `G !p` is violated, and the run that violates it is its witness; so the engines for formulas answer both,
//! and only what is told is turned round.

use lariat::Verdict;
use lariat::model::Modality;
use serde_json::Value as Json;

/// Does the property hold, if the formula that was decided for it has this verdict?
pub(crate) fn holds(modality: Option<Modality>, verdict: &Verdict) -> Option<bool> {
    let formula = match verdict {
        Verdict::Holds(_) => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(_) => return None,
    };
    Some(match modality {
        Some(Modality::Some) => !formula,
        Some(Modality::All) | None => formula,
    })
}

/// What a person is told of how it was decided.
pub(crate) fn note(modality: Option<Modality>) -> Option<String> {
    Some(match modality? {
        Modality::Some => "decided as `G !p`, of which it is the opposite".to_owned(),
        Modality::All => "decided as `G p`".to_owned(),
    })
}

/// The same for a script: the run that violates `G !p` is the `witness` of `EF p`.
pub(crate) fn enter(answer: &mut Json, modality: Option<Modality>) {
    let Some(modality) = modality else {
        return;
    };
    answer["modality"] = modality.name().into();
    if modality == Modality::All {
        return;
    }
    answer["verdict"] = match answer["verdict"].as_str() {
        Some("holds") => "violated",
        Some("violated") => "holds",
        _ => "unknown",
    }
    .into();
    answer["witness"] = answer["counterexample"].take();
}
