//! What a program does wrong, whatever is asked of it: failed assertions, the error state, values that wrap around.
//!
//! A verdict about a program that has gone wrong may be a verdict about the mistake, so `check` says what `states` would. It looks at some thousand
//! states before the first property, which are all of a small program. Of a larger one engines tell what they saw in the states that they came by
//! ([`lariat::Account::claims`]). Where neither has looked at all states, that is said: nothing is claimed to be absent.

use crate::progress::grouped;
use lariat::formats::{Format, Model};
use lariat::model::{Comparison, Predicate};
use lariat::space::symbolic::UBig;
use lariat::{Account, Budget, Counting, OrderChoice, Quiet, Statistic, states_and_claims};
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
    /// What the program claims of itself: its assertions, and last that there is no error, if there may be one.
    claims: Vec<Claim>,
    /// A variable that is assigned a value beyond its range.
    overflow: Option<String>,
    /// The most states that were looked at.
    states: u64,
    /// Were all states looked at?
    complete: bool,
    /// Is the model a program?
    is_program: bool,
}

struct Claim {
    holds: Predicate,
    what: What,
    fails: bool,
}

enum What {
    /// An assertion by its name.
    Assertion(String),
    /// The error state, by the atom that names it.
    Fault(String),
}

impl Claim {
    fn warn(&self) {
        crate::warn(&match &self.what {
            What::Assertion(name) => format!(
                "assertion {name} fails in a state that is reached; `lariat states` counts them"
            ),
            What::Fault(fault) => format!(
                "the program can go wrong (an index, a divisor or a shift) and stops there; -f 'G !{fault}' shows how"
            ),
        });
    }
}

/// Looks at the first states of a program, and says on stderr what is wrong; nothing is known of other models.
pub(crate) fn mistakes(model: &Model, budget: &Budget, limit: Option<Duration>) -> Mistakes {
    let system = &model.system;
    if model.format != Format::Dve {
        return Mistakes::default();
    }
    let name = |var| system.variable(var).name.clone();
    let asserted = model.assertions.iter().map(|assertion| Claim {
        holds: assertion.holds.clone(),
        what: What::Assertion(assertion.name.clone()),
        fails: false,
    });
    let sound = system.fault.map(|var| Claim {
        holds: Predicate::compare(var, Comparison::Eq, 0),
        what: What::Fault(name(var)),
        fails: false,
    });
    let mut mistakes = Mistakes {
        claims: asserted.chain(sound).collect(),
        is_program: true,
        ..Mistakes::default()
    };
    let time = limit.map_or(MOST, |limit| (limit / PART).min(MOST));
    let own = budget.clone().with_deadline(time).with_work(STATES);
    let (claims, order) = (mistakes.predicates(), OrderChoice::default());
    let found = states_and_claims(system, &claims, Counting::Explicit, &order, &own, &Quiet);
    let failed: Vec<bool> = found.failed.iter().map(|n| *n != UBig::ZERO).collect();
    mistakes.learn(&failed, found.overflow.map(name));
    mistakes.complete = found.stop.is_none();
    if let Some(lariat::Figure::Count(states)) = found.stats.get(Statistic::STATES_SEEN) {
        mistakes.states = *states;
    }
    mistakes
}

impl Mistakes {
    /// What engines are asked to look at besides the question: nothing, if everything is known.
    pub(crate) fn open(&self) -> Vec<Predicate> {
        if self.complete {
            Vec::new()
        } else {
            self.predicates()
        }
    }

    fn predicates(&self) -> Vec<Predicate> {
        let holds = self.claims.iter().map(|claim| claim.holds.clone());
        holds.collect()
    }

    /// Says on stderr what is wrong and was not said before.
    fn learn(&mut self, failed: &[bool], overflow: Option<String>) {
        for (claim, failed) in self.claims.iter_mut().zip(failed) {
            if *failed && !claim.fails {
                claim.fails = true;
                claim.warn();
            }
        }
        if let (None, Some(variable)) = (&self.overflow, overflow) {
            crate::warn_of_overflow(&variable);
            self.overflow = Some(variable);
        }
    }

    /// What an engine has seen besides.
    pub(crate) fn add(&mut self, account: &Account, overflow: Option<&String>) {
        let told = account.claims.clone().unwrap_or_default();
        self.learn(&told.failed, overflow.cloned());
        self.complete |= told.complete;
        self.states = self.states.max(told.states.unwrap_or(0));
    }

    /// Says on stderr where looking for mistakes has ended, if it was not at the last state.
    pub(crate) fn tell_where_it_ended(&self) {
        if self.is_program && !self.complete {
            crate::remark(&format!(
                "failing assertions, errors and values that wrap around were looked for in {} states; there may be more: `lariat states` looks at all",
                grouped(self.states)
            ));
        }
    }

    /// Adds what is known of a program to an answer.
    pub(crate) fn enter(&self, answer: &mut Json) {
        if !self.is_program {
            return;
        }
        let (mut failed, mut error_state) = (Vec::new(), None);
        for claim in self.claims.iter().filter(|claim| claim.fails) {
            match &claim.what {
                What::Assertion(name) => failed.push(name),
                What::Fault(name) => error_state = Some(name),
            }
        }
        if let Some(object) = answer.as_object_mut() {
            let mistakes = json!({
                "failed_assertions": failed,
                "error_state": error_state,
                "overflow": self.overflow,
                "states": (!self.complete).then_some(self.states),
                "complete": self.complete,
            });
            object.insert("mistakes".to_owned(), mistakes);
        }
    }
}
