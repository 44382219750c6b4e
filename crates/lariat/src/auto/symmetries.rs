//! Schedules the engine modulo symmetries on the original net: reductions do not preserve them.
//!
//! Symmetries of colours take little work to find. If there are many, a short search modulo
//! symmetries precedes facts, and their number becomes a feature of the question. Symmetries of
//! places have to be searched for, and compete with reductions: they are computed if the first
//! search of the reduced net did not decide, and if there are many, their engine joins the field.

use super::field::{EngineRun, engine_run};
use super::schedule::Schedule;
use super::simplify::SimplifiedQuestion;
use super::technique::Technique;
use crate::cache::SpaceCache;
use crate::plan::Plan;
use crate::query::Query;
use crate::translate::translate;
use lariat_budget::Stop;
use lariat_engines::Problem;

/// The origin of symmetries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Colours,
    Places,
}

/// The logarithm of the number of symmetries of the original net that preserve the property; 0 if
/// the net's symmetries have the other origin, or cannot be used.
pub(super) fn kept<'s>(
    query: &Query<'_, 's>,
    simplified: Option<&SimplifiedQuestion>,
    origin: Origin,
    schedule: &Schedule,
    cache: &mut SpaceCache<'s>,
) -> Result<f64, Stop> {
    let has_colours = query.subject.coloured().is_some();
    if schedule.without.contains(Technique::Symmetries)
        || has_colours != (origin == Origin::Colours)
        // Engines that use symmetries do not support fairness.
        || !query.subject.constraints().is_empty()
    {
        return Ok(0.0);
    }
    let symmetry = cache.symmetry(query.subject, query.budget())?;
    if symmetry.is_trivial() {
        return Ok(0.0);
    }
    let plan = Plan::of("sym");
    let (formulas, property) = match simplified {
        Some(simplified) => (&simplified.formulas, simplified.property_for(&plan)),
        None => (query.formulas, query.property),
    };
    let translated = translate(query.subject, formulas, property, &plan, query.budget())?;
    let problem = Problem::new(
        query.subject.system(),
        &translated.automaton,
        &translated.propositions,
        query.options.deadlock,
    );
    lariat_engines::symmetries_kept(&problem, &symmetry, query.budget())
}

/// The run before facts, which decides nets that are small modulo their colours.
pub(super) fn glance<'s>(
    query: &Query<'_, 's>,
    schedule: &Schedule,
    cache: &mut SpaceCache<'s>,
) -> Result<Vec<EngineRun>, Stop> {
    let kept = kept(query, None, Origin::Colours, schedule, cache)?;
    let why = "many symmetries: models whose quotient is small end here";
    let glance = || engine_run("sym", schedule.glance, why);
    let is_worthwhile = kept >= schedule.many_symmetries;
    Ok(is_worthwhile.then(glance).into_iter().collect())
}

/// The run that joins the field after the first search if the net has many symmetries of places.
pub(super) fn of_places<'s>(
    query: &Query<'_, 's>,
    simplified: Option<&SimplifiedQuestion>,
    schedule: &Schedule,
    cache: &mut SpaceCache<'s>,
) -> Result<Option<EngineRun>, Stop> {
    let kept = kept(query, simplified, Origin::Places, schedule, cache)?;
    let why = "many symmetries of places: the quotient may be far smaller";
    let work = schedule.first_look / schedule.symmetric_places.max(1);
    let joins = || engine_run("sym", work, why);
    Ok((kept >= schedule.many_symmetries).then(joins))
}
