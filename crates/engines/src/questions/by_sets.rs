//! Questions answered by the set of all reachable states.
//!
//! ```text
//! reach p    R ∩ ⟦p⟧ ≠ ∅
//! most c     increase k while R ∩ ⟦c·s > k⟧ ≠ ∅, by strides that double and shrink
//! always p   R \ back(R ∩ ⟦p⟧) = ∅
//! ```
//!
//! where `back` is a backward saturation inside of `R`. Liveness of many transitions would need one
//! saturation each. Two tests answer most of them first: `always p` fails if `p` fails in a dead
//! state, and is equivalent to `reach p` if the initial state can be reached from everywhere.
//!
//! A run to a state found is computed by [`path`](super::path).

use super::path::path;
use super::question_set::QuestionSet;
use super::{Finding, FindingSink, SearchEnd, StateQuestion};
use crate::sums::sum;
use lariat_budget::{Budget, Stop};
use lariat_model::{Comparison, Linear, Predicate, Value, VarId};
use lariat_space::symbolic::{Reached, Set, Symbolic};

/// Answers the open questions, given all reachable states.
pub fn by_sets(
    open_questions: &mut QuestionSet<'_>,
    reached: &mut Reached<'_>,
    budget: &Budget,
    sink: &mut FindingSink<'_>,
) -> SearchEnd {
    let counted = budget.clone().with_work(u64::MAX);
    let Reached { space, states, .. } = reached;
    space.set_budget(&counted);
    let stop = answer(open_questions, space, states, &counted, sink).err();
    space.set_budget(budget);
    SearchEnd {
        stop,
        work: counted.work_spent(),
    }
}

fn answer(
    open_questions: &mut QuestionSet<'_>,
    space: &mut Symbolic<'_>,
    states: &Set,
    budget: &Budget,
    sink: &mut FindingSink<'_>,
) -> Result<(), Stop> {
    let open: Vec<usize> = open_questions.open().collect();
    let mut recurrence = None;
    for q in open {
        if open_questions.is_over() {
            return Ok(());
        }
        budget.check()?;
        match open_questions.question(q).clone() {
            StateQuestion::Reach(predicate) => {
                let goal = space.select(states, &predicate)?;
                let finding = if goal.is_empty() {
                    Finding::Never
                } else {
                    open_questions.answered(q);
                    Finding::Reached(path(space, states, &goal, budget)?)
                };
                open_questions.close(q);
                sink(q, finding);
            }
            StateQuestion::Most(terms) => {
                let record = open_questions.record(q).unwrap_or(i128::MIN);
                let most = most(space, states, &terms, record)?;
                if let Some((value, goal)) = most.beyond {
                    let run = path(space, states, &goal, budget)?;
                    sink(q, Finding::AtLeast(value, run));
                }
                open_questions.close(q);
                sink(q, Finding::AtMost(most.value));
            }
            StateQuestion::Always(predicate) => {
                let recurrence = match &recurrence {
                    Some(known) => known,
                    None => recurrence.insert(Recurrence::new(space, states)?),
                };
                let lost = recurrence.lost(space, states, &predicate)?;
                let finding = if lost.is_empty() {
                    Finding::Always
                } else {
                    open_questions.answered(q);
                    Finding::Lost(path(space, states, &lost, budget)?)
                };
                open_questions.close(q);
                sink(q, finding);
            }
        }
    }
    Ok(())
}

/// The largest value of a sum.
struct Largest {
    value: i128,
    /// If it exceeds the value known before: the value, and the states with it.
    beyond: Option<(i128, Set)>,
}

/// Returns the largest value of a sum in a set, given that it reaches `record`.
fn most(
    space: &mut Symbolic<'_>,
    states: &Set,
    terms: &[(VarId, Value)],
    record: i128,
) -> Result<Largest, Stop> {
    let mut best = Largest {
        value: record,
        beyond: None,
    };
    let at_least = |constant| {
        Predicate::Linear(Linear {
            terms: terms.to_vec(),
            comparison: Comparison::Ge,
            constant,
        })
    };
    let mut left = states.clone();
    // The next value tried exceeds the best by the stride.
    let mut stride = 1i128;
    loop {
        let least = best.value.saturating_add(stride);
        let above = match Value::try_from(least) {
            Ok(constant) => space.select(&left, &at_least(constant))?,
            // The first time every state will do.
            Err(_) if best.value == i128::MIN => left.clone(),
            Err(_) => space.empty(),
        };
        match space.pick(&above) {
            Some(state) => {
                best.value = sum(terms, &state);
                best.beyond = Some((best.value, above.clone()));
                left = above;
                stride = stride.saturating_mul(2).min(1 << 60);
            }
            None if stride == 1 => break,
            None => stride = (stride / 4).max(1),
        }
    }
    if let Some((value, set)) = &mut best.beyond
        && let Ok(constant) = Value::try_from(*value)
    {
        // Select the states with the largest value.
        *set = space.select(set, &at_least(constant))?;
    }
    Ok(best)
}

/// Facts about all `always` questions.
struct Recurrence {
    dead: Set,
    /// True if the initial state can be reached from everywhere.
    is_reversible: bool,
}

impl Recurrence {
    fn new(space: &mut Symbolic<'_>, states: &Set) -> Result<Recurrence, Stop> {
        let dead = space.dead(states)?;
        let is_reversible = dead.is_empty() && space.system().initial.len() == 1 && {
            let all = space.all();
            let initial = space.initial()?;
            let back = space.back_within(&initial, &all, states)?;
            space.store().difference(states, &back)?.is_empty()
        };
        Ok(Recurrence {
            dead,
            is_reversible,
        })
    }

    /// Returns states from which no state with the predicate can be reached; not necessarily all.
    fn lost(
        &self,
        space: &mut Symbolic<'_>,
        states: &Set,
        predicate: &Predicate,
    ) -> Result<Set, Stop> {
        let there = space.select(&self.dead, predicate)?;
        let lost = space.store().difference(&self.dead, &there)?;
        if !lost.is_empty() {
            return Ok(lost);
        }
        let goal = space.select(states, predicate)?;
        if goal.is_empty() {
            return Ok(states.clone());
        }
        if self.is_reversible {
            return Ok(space.empty());
        }
        let all = space.all();
        let back = space.back_within(&goal, &all, states)?;
        space.store().difference(states, &back)
    }
}
