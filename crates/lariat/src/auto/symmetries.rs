//! Turns for the engine that divides by symmetries. It is asked about the net as it was read, as reductions keep none.
//!
//! Symmetries of colours are known for little work. Where there are many, a glance at single states modulo them comes before facts, and they are a
//! feature of the question from then on. Symmetries of places have to be searched for, and compete with reductions: they are asked for
//! when the first look at the reduced net was not enough, and if there are many their engine joins the field.

use super::field::{Candidate, candidate};
use super::learn::Learned;
use super::schedule::Schedule;
use super::technique::Technique;
use crate::check::Query;
use crate::explored::Explored;
use crate::plan::Plan;
use crate::prepare::prepare;
use lariat_budget::Stop;
use lariat_engines::Problem;

/// Where symmetries come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Colours,
    Places,
}

/// The symmetries of the net as it was read that the property cannot tell apart: the logarithm of their number. 0 if the net has them from elsewhere, or if
/// nobody is to divide by them.
pub(super) fn kept<'s>(
    query: &Query<'_, 's>,
    learned: Option<&Learned>,
    origin: Origin,
    schedule: &Schedule,
    explored: &mut Explored<'s>,
) -> Result<f64, Stop> {
    let has_colours = query.subject.coloured().is_some();
    if schedule.without.contains(Technique::Symmetries)
        || has_colours != (origin == Origin::Colours)
        // Nobody who divides by symmetries knows fairness.
        || !query.subject.constraints().is_empty()
    {
        return Ok(0.0);
    }
    let symmetry = explored.symmetry(query.subject, query.budget)?;
    if symmetry.is_trivial() {
        return Ok(0.0);
    }
    let plan = Plan::of("sym");
    let (formulas, property) = match learned {
        Some(learned) => (&learned.formulas, learned.property_for(&plan)),
        None => (query.formulas, query.property),
    };
    let prepared = prepare(query.subject, formulas, property, &plan, query.budget)?;
    let problem = Problem::new(
        query.subject.system(),
        &prepared.automaton,
        &prepared.propositions,
        query.options.deadlock,
    );
    lariat_engines::symmetries_kept(&problem, &symmetry, query.budget)
}

/// Before facts: nets that are small modulo their colours end here.
pub(super) fn glance<'s>(
    query: &Query<'_, 's>,
    schedule: &Schedule,
    explored: &mut Explored<'s>,
) -> Result<Vec<Candidate>, Stop> {
    let kept = kept(query, None, Origin::Colours, schedule, explored)?;
    let why = "many symmetries: models that are small without them end here";
    let glance = || candidate("sym", schedule.glance, why);
    let is_worthwhile = kept >= schedule.many_symmetries;
    Ok(is_worthwhile.then(glance).into_iter().collect())
}

/// After the first look: who joins the field if the net has many symmetries of places.
pub(super) fn of_places<'s>(
    query: &Query<'_, 's>,
    learned: Option<&Learned>,
    schedule: &Schedule,
    explored: &mut Explored<'s>,
) -> Result<Option<Candidate>, Stop> {
    let kept = kept(query, learned, Origin::Places, schedule, explored)?;
    let why = "many symmetries of places: there may be far fewer states than there seem to be";
    let work = schedule.first_look / schedule.symmetric_places.max(1);
    let joins = || candidate("sym", work, why);
    Ok((kept >= schedule.many_symmetries).then(joins))
}
