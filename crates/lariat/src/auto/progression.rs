//! `X` at the top of a formula, answered some steps later.
//!
//! A run with the letters `a·w` satisfies `f` iff `w` satisfies the progression of `f` by `a` (`ltl/progress.rs`). If every `X` of `f` stands below Boolean operators and
//! other `X` alone, progression by as many letters as `X` are nested leaves a formula without any. So the first steps are taken here, one state at a time:
//!
//! ```text
//! (f, m0)  –t→  (f after the letter of m0 and t, m1)  –u→  …      until what is left has no X
//! ```
//!
//! States with equal formulas left after equally many steps are one [`Group`], a question of its own about the system that begins in all of them (`reductions/later.rs`). Its
//! formula is stutter-invariant, so that steps may be joined and engines that need it take part. The property holds iff all groups hold, and a run that violates one violates the
//! property behind the steps that lead to it.
//!
//! **Deadlocks.** Where finite runs count, a dead state goes on to itself by the letter without event; otherwise no run that counts comes through it, and it is dropped.
//! Groups of which `true` is left are kept in that case alone: that there is any infinite run is asked of them.
//!
//! Fairness says nothing of finitely many steps, but nobody has needed both: such questions are asked as a whole.

use super::learn::{self, Learned};
use crate::check::Query;
use crate::explored::Explored;
use crate::subject::{Property, Subject};
use lariat_budget::Stop;
use lariat_ltl::{AtomId, Formula, Formulas, Simplifier, classes, leading_nexts, progress};
use lariat_model::{Deadlock, EventId, Proposition, State, Step};
use lariat_reductions::{Beginning, Pass, later};
use std::collections::HashSet;

/// What progression is called in the trail.
pub(super) const PROGRESSION: &str = "progression";

/// States that the first steps may lead to, with what is left of the formula, in sum: they should be a small part of all.
const MOST_STATES: usize = 1000;

/// Values of variables in all states together that are kept at once, at most: about 80 MB.
const MOST_VALUES: usize = 10_000_000;

/// Events that may be tried on them, in sum; more take longer than a glance at the states does.
const MOST_TRIED: usize = 2_000_000;

/// Groups beyond which nobody would come to the last.
const MOST_GROUPS: usize = 8;

/// What is left to be asked after some steps.
pub(super) struct Group<'s> {
    /// The system that begins where these steps lead to.
    pub subject: Subject<'s>,
    /// What is left of the question.
    pub learned: Learned,
    /// How many steps there were.
    pub ahead: usize,
}

/// States after equally many steps with the same formula left.
struct Lot {
    left: Formula,
    ahead: usize,
    ways: Vec<Beginning>,
}

/// The questions that are left of `learned` when there is no `X` any more; `None` if some `X` is not at the top, if there is none, or if there are too many states.
pub(super) fn groups<'s>(
    query: &Query<'_, 's>,
    learned: &Learned,
    explored: &Explored<'s>,
) -> Result<Option<Vec<Group<'s>>>, Stop> {
    let Some(formula) = learned.formula else {
        return Ok(None);
    };
    if !query.subject.constraints().is_empty() {
        return Ok(None);
    }
    let mut formulas = learned.formulas.clone();
    let Some(mut lots) = lots(query, &mut formulas, formula)? else {
        return Ok(None);
    };
    // What is violated whatever follows is found at once.
    lots.sort_by_key(|lot| (lot.left != Formulas::FALSE, lot.ahead));
    let atoms: Vec<AtomId> = (0..query.subject.propositions().len() as u32)
        .map(AtomId)
        .collect();
    let mut groups = Vec::with_capacity(lots.len());
    for Lot { left, ahead, ways } in lots {
        let (system, lift) = later(query.subject.system(), ways);
        let pass = Pass {
            name: PROGRESSION,
            system: explored.systems().keep(system),
            lift: Box::new(lift),
        };
        let Some(subject) = query.subject.after(pass, &atoms) else {
            return Ok(None);
        };
        let asked = Query {
            subject: &subject,
            formulas: &formulas,
            property: Property::Formula(left),
            ..*query
        };
        let mut left = learn::nothing(&asked)?;
        left.boundedness = learned.boundedness;
        groups.push(Group {
            learned: left,
            subject,
            ahead,
        });
    }
    Ok((!groups.is_empty()).then_some(groups))
}

/// Takes the first steps.
fn lots(
    query: &Query<'_, '_>,
    formulas: &mut Formulas,
    formula: Formula,
) -> Result<Option<Vec<Lot>>, Stop> {
    let (system, deadlock) = (query.subject.system(), query.options.deadlock);
    let mut simplifier = Simplifier::new();
    let formula = simplifier.simplify(formulas, formula);
    let Some(steps @ 1..) = leading_nexts(formulas, formula) else {
        return Ok(None);
    };
    let most = MOST_STATES.min(MOST_VALUES / system.variables.len().max(1));
    let mut lots: Vec<Lot> = Vec::new();
    let (mut states, mut tried) = (0, 0);
    let begin = |state: &State| Beginning {
        initial: state.clone(),
        steps: Vec::new(),
    };
    let starts = system.initial.iter().map(begin);
    let mut open: Vec<(Formula, Beginning)> = starts.map(|way| (formula, way)).collect();
    for ahead in 0..=steps {
        let mut seen: HashSet<(Formula, State)> = HashSet::new();
        for (left, way) in std::mem::take(&mut open) {
            query.budget.check()?;
            if !seen.insert((left, way.end().clone())) {
                continue;
            }
            states += 1;
            if classes(formulas, left).x_free {
                if left == Formulas::TRUE && deadlock == Deadlock::Stutter {
                    continue;
                }
                match lots
                    .iter_mut()
                    .find(|lot| (lot.left, lot.ahead) == (left, ahead))
                {
                    Some(lot) => lot.ways.push(way),
                    None => lots.push(Lot {
                        left,
                        ahead,
                        ways: vec![way],
                    }),
                }
            } else {
                tried += system.events.len();
                let Some(taken) = steps_from(query, way.end(), most) else {
                    return Ok(None);
                };
                for step in taken {
                    let letter = |atom| says(query, atom, way.end(), step.event);
                    let next = progress(formulas, left, letter);
                    let next = simplifier.simplify(formulas, next);
                    let mut way = way.clone();
                    way.steps.push(step);
                    open.push((next, way));
                }
            }
            let many = states + open.len() > most || lots.len() > MOST_GROUPS;
            if many || tried > MOST_TRIED {
                return Ok(None);
            }
        }
    }
    Ok(open.is_empty().then_some(lots))
}

/// The steps of runs that count from a state; `None` if there are more than so many.
fn steps_from(query: &Query<'_, '_>, state: &State, most: usize) -> Option<Vec<Step>> {
    let system = query.subject.system();
    let mut steps: Vec<Step> = Vec::new();
    for event in system.event_ids() {
        let successors = system.successors(state, event).into_iter();
        steps.extend(successors.map(|state| Step {
            event: Some(event),
            state,
        }));
        if steps.len() > most {
            return None;
        }
    }
    if steps.is_empty() && query.options.deadlock == Deadlock::Stutter {
        steps.push(Step {
            event: None,
            state: state.clone(),
        });
    }
    Some(steps)
}

/// Is an atom true in a state from which this event is taken?
fn says(query: &Query<'_, '_>, atom: AtomId, state: &State, event: Option<EventId>) -> bool {
    match &query.subject.propositions()[atom.index()] {
        Proposition::State(predicate) => query.subject.system().holds(predicate, state),
        Proposition::Fires(events) => event.is_some_and(|event| events.contains(&event)),
    }
}
