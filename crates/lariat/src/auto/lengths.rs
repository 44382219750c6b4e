//! A net with joint steps for a formula that minds them in one direction only.
//!
//! Agglomerations make runs shorter: their words lose repetitions of letters, and nothing else (`reductions/agglomeration.rs` has the proof). So, with the words `A` that violate
//! the property, the smaller net answers a half of the question:
//!
//! | `A` is insensitive to | no violating run there | a violating run there |
//! | --- | --- | --- |
//! | shortening | holds | counts if its lifted run violates the property, which is looked at |
//! | lengthening | open | violated |
//! | both | holds | violated (stutter-invariance: the usual reductions) |
//! | neither | open | – |
//!
//! (E. Paviot-Adet, D. Poitrenaud, É. Renault, Y. Thierry-Mieg, FORTE 2022; the tests are in `automata/stutter.rs`.) Where the answer is open, nobody is asked about that net any more, and the
//! question goes on without joint steps.

use super::learn::{Learned, Smaller, reduce, size};
use super::schedule::Schedule;
use crate::check::Query;
use crate::explored::Explored;
use crate::prepare::insensitive_violations;
use crate::reduce::{Joining, Reduced};
use lariat_automata::Insensitive;
use lariat_budget::Stop;

/// What such a net is called in the trail.
pub(super) const LENGTHS: &str = "lengths";

/// The net with joint steps, if it is much smaller than one of so many places and transitions, and what its answers are worth.
pub(super) fn shorter<'s>(
    query: &Query<'_, 's>,
    learned: &Learned,
    usual: usize,
    schedule: &Schedule,
    explored: &Explored<'s>,
) -> Result<Option<(Reduced<'s>, Insensitive)>, Stop> {
    let Some(formula) = learned.formula else {
        return Ok(None);
    };
    if !query.subject.constraints().is_empty() {
        return Ok(None);
    }
    let Some(reduced) = reduce(query, learned, Joining::Any, explored)? else {
        return Ok(None);
    };
    if !reduced.merges_steps() || !is_worthwhile(size(reduced.subject.system()), usual, schedule) {
        return Ok(None);
    }
    let found = insensitive_violations(query.subject, &learned.formulas, formula, query.budget)?;
    let helps = found.to_shortening || found.to_lengthening;
    Ok(helps.then_some((reduced, found)))
}

/// Is a net of this size worth turns beside one of the usual size?
pub(super) fn is_worthwhile(size: usize, usual: usize, schedule: &Schedule) -> bool {
    size.saturating_mul(100) <= usual.saturating_mul(schedule.smaller)
}

/// What such a net is, in words.
pub(super) fn in_words(smaller: &Smaller<'_>, usual: usize, found: Insensitive) -> String {
    let counts = if found.to_shortening {
        "that it holds there counts"
    } else {
        "a violation there counts"
    };
    let size = smaller.size();
    format!("{size} places and transitions instead of {usual}; {counts}")
}
