//! What a program does wrong, whatever is asked of it: failed assertions, the error state, values that wrap around.
//!
//! A verdict about a program that has gone wrong may be a verdict about the mistake, so `check` says what `states` would. It looks at some thousand
//! states before the first property; what lies beyond them is left to `states`, and is not said to be absent.

use lariat::model::{Format, Model, Predicate};
use lariat::space::symbolic::UBig;
use lariat::{Budget, Counting, OrderChoice, Quiet, states_and_claims};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// States that are looked at: about a tenth of a second.
const STATES: u64 = 50_000;
/// The part of the time for a property that this may take.
const PART: u32 = 10;
/// And the most of it.
const MOST: Duration = Duration::from_millis(500);

/// What was found.
#[derive(Default)]
pub(crate) struct Mistakes {
    /// Names of the assertions that fail.
    failed: Vec<String>,
    /// The name of the error state, if it is reached.
    fault: Option<String>,
    /// A variable that is assigned a value beyond its range.
    pub overflow: Option<String>,
    /// Were all states looked at?
    complete: bool,
}

/// Looks at the first states of a program; nothing is known of other models.
pub(crate) fn mistakes(model: &Model, budget: &Budget, limit: Option<Duration>) -> Mistakes {
    let system = &model.system;
    if model.format != Format::Dve {
        return Mistakes::default();
    }
    let mut claims: Vec<Predicate> = model.assertions.iter().map(|a| a.holds.clone()).collect();
    claims.extend(
        system
            .fault
            .map(|var| Predicate::compare(var, lariat::model::Comparison::Eq, 0)),
    );
    let time = limit.map_or(MOST, |limit| (limit / PART).min(MOST));
    let own = budget.clone().with_deadline(time).with_work(STATES);
    let order = OrderChoice::default();
    let found = states_and_claims(system, &claims, Counting::Explicit, &order, &own, &Quiet);
    let fails = |i: usize| found.failed.get(i).is_some_and(|n| *n != UBig::ZERO);
    let asserted = model.assertions.iter().enumerate();
    let failed = asserted.filter(|(i, _)| fails(*i));
    let name = |var| system.variable(var).name.clone();
    Mistakes {
        failed: failed.map(|(_, a)| a.name.clone()).collect(),
        fault: system
            .fault
            .filter(|_| fails(model.assertions.len()))
            .map(name),
        overflow: found.overflow.map(name),
        complete: found.stop.is_none(),
    }
}

impl Mistakes {
    /// Says on stderr what is wrong.
    pub(crate) fn warn(&self) {
        for name in &self.failed {
            crate::warn(&format!(
                "assertion {name} fails in a state that is reached; `lariat states` counts them"
            ));
        }
        if let Some(fault) = &self.fault {
            crate::warn(&format!(
                "the program can go wrong (an index, a divisor or a shift) and stops there; -f 'G !{fault}' shows how"
            ));
        }
        if let Some(variable) = &self.overflow {
            crate::warn_of_overflow(variable);
        }
    }

    /// Adds what is wrong to an answer, if anything is.
    pub(crate) fn enter(&self, answer: &mut Json) {
        if self.failed.is_empty() && self.fault.is_none() && self.overflow.is_none() {
            return;
        }
        if let Some(object) = answer.as_object_mut() {
            let mistakes = json!({
                "failed_assertions": self.failed,
                "error_state": self.fault,
                "overflow": self.overflow,
                "complete": self.complete,
            });
            object.insert("mistakes".to_owned(), mistakes);
        }
    }
}
