//! The portfolio: which engines are tried, in which order, and why.
//!
//! Small models end in a glance at their states, and many violations in a few walks. Then it is asked what can be known of a net without any search
//! ([`lariat_structural`]): constant atoms, finite runs, automata without what no run does. For what is left of the property the net is made
//! smaller, and engines are asked about the smaller one. Most
//! counterexamples are near the initial state, so a short explicit search comes next. Where that is
//! not enough, programs go on as single states. Nets go on in *rounds*: every engine of the field
//! gets so much work, those most likely to finish first, and in the next round several times as much.
//! So no engine that never ends keeps others from the answer, and what is done again is a small part of the
//! whole. An engine that ran out of memory, or that cannot answer such questions, leaves the field. Symmetries have turns of their own (`symmetries.rs`).
//!
//! Who is in the field depends on the [features](crate::features) of the question. On nets of the contest `hyb`
//! decides most of all engines on sets. On generated ones (`campaigns/slap.toml`) `slap-fst` never
//! fails where formulas hold; where they are violated `sop` is best if the formula is stutter-invariant, and
//! `slap` if not.
//!
//! Work is counted, never the clock: the same question is answered by the same engines in every run. What an engine
//! held is given back before the next one starts, but for the reachable states, which are kept for the next property. Where threads are idle several engines of a round have
//! their turns at once (`at_once.rs`); who answers does not depend on who is quicker.

mod at_once;
mod field;
mod learn;
mod portfolio;
mod schedule;
mod symmetries;
mod technique;

pub use schedule::Schedule;
pub use technique::{LeftOut, Technique};

use crate::check::{Query, Report, Turn, Unliftable};
use crate::explored::Explored;
use crate::features::Boundedness;
use crate::plan::Plan;
use field::{glance, stroll};
use lariat_budget::Stop;
use lariat_engines::Found;
use learn::{FACTS, Learned, learn};
use portfolio::Portfolio;
use symmetries::Origin;

/// Product states from which on several workers search them together: for fewer it is not worth starting threads, and with one worker
/// everything repeats.
const WORTH_SHARING: u64 = 1_000_000;

/// Tries the engines in turn until one decides.
pub(crate) fn run<'s>(
    query: &Query<'_, 's>,
    schedule: &Schedule,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Found {
    let mut portfolio = Portfolio::new(*query, schedule);
    if !query.subject.system().is_net() {
        portfolio.choose(Boundedness::Open, 0.0);
        return portfolio.rounds(explored, report);
    }
    let mut begin = vec![glance(schedule)];
    if !schedule.without.contains(Technique::Walk) {
        begin.push(stroll(schedule));
    }
    if let Some(found) = portfolio.turns(begin, 0, explored, report).done() {
        return found;
    }
    let begin = symmetries::glance(query, schedule, explored)?;
    if let Some(found) = portfolio.turns(begin, 0, explored, report).done() {
        return found;
    }
    let learned = if schedule.without.contains(Technique::Facts) {
        learn::nothing(query)?
    } else {
        learn(query, explored, report)?
    };
    if learned.leaves_nothing() {
        return decided_by_facts(query, &learned, explored, report);
    }
    if let Some(reduced) = learn::reduce(query, &learned, explored)? {
        let smaller = learn::about(query, reduced, &learned, schedule, explored, report)?;
        report.passes.clone_from(&smaller.removed);
        if smaller.learned.leaves_nothing() {
            let subject = &smaller.subject;
            let query = Query { subject, ..*query };
            return decided_by_facts(&query, &smaller.learned, explored, report);
        }
        portfolio.reduced = Some(smaller);
    }
    let symmetries = symmetries::kept(query, Some(&learned), Origin::Colours, schedule, explored)?;
    let boundedness = learned.boundedness;
    portfolio.learned = Some(learned);
    portfolio.choose(boundedness, symmetries);
    if let Some(found) = portfolio.next_round(explored, report).done() {
        return found;
    }
    let learned = portfolio.learned.as_ref();
    if let Some(joins) = symmetries::of_places(query, learned, schedule, explored)? {
        portfolio.join(joins);
    }
    portfolio.rounds(explored, report)
}

/// The end of a question of which facts have left nothing: the empty automaton is searched as any other, which takes no time and
/// asks what is to be asked of every answer.
fn decided_by_facts<'s>(
    query: &Query<'_, 's>,
    learned: &Learned,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Found {
    let plan = Plan::of("explicit");
    let query = Query {
        formulas: &learned.formulas,
        property: learned.property_for(&plan),
        ..*query
    };
    let found = query.run(&Turn::whole(plan, query.budget), explored, report);
    report.engine = FACTS;
    found.unwrap_or_else(|Unliftable(why)| Err(Stop::Internal(why)))
}
