//! Does a property hold for no good reason? Asked when one holds, with a small part of the effort that it took.
//!
//! `ltl` says which stronger formulas to ask ([`strengthenings`]); each that holds too shows a part of the property that says nothing about this model. What cannot be
//! decided in the time is not told: a note is never a guess.

use lariat::ltl::{Formula, Formulas, Strengthening, Syntax, print, strengthenings};
use lariat::{Budget, Verdict};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// Parts of the largest formula that is taken apart: each part is a formula to be simplified.
const LARGEST: usize = 100;
/// Stronger formulas that are asked at most.
const MOST: usize = 8;
/// The part of the work of the check, and of its time, that may be spent: a note is not worth more to those who did not ask for it.
const PART: u32 = 10;
/// Work that may always be spent: a tenth of a small check would be nothing, and nobody notices this.
const LEAST_WORK: u64 = 20_000;
/// Time that may always be spent, for the same reason; the work is usually done long before.
const LEAST_TIME: Duration = Duration::from_millis(50);

/// What is to be asked of a property that holds.
pub(crate) fn questions(formulas: &mut Formulas, f: Formula) -> Vec<Strengthening> {
    if formulas.subformulas(f).len() > LARGEST {
        return Vec::new();
    }
    let mut questions = strengthenings(formulas, f);
    questions.truncate(MOST);
    questions
}

/// The parts that do not matter. `budget` has counted the work of the check; `ask` answers a formula within another one.
pub(crate) fn vacuous(
    questions: &[Strengthening],
    formulas: &Formulas,
    (budget, took): (&Budget, Duration),
    mut ask: impl FnMut(Formula, &Budget) -> Verdict,
) -> Vec<Strengthening> {
    let work = LEAST_WORK.max(budget.work_spent() / u64::from(PART));
    let time = LEAST_TIME.max(took / PART);
    let time = budget.time_left().map_or(time, |left| left.min(time));
    let own = budget.clone().with_work(work).with_deadline(time);
    let mut found: Vec<Strengthening> = Vec::new();
    for question in questions {
        let inside =
            |other: &Strengthening| formulas.subformulas(other.part).contains(&question.part);
        if !found.iter().any(inside) && matches!(ask(question.formula, &own), Verdict::Holds(_)) {
            found.push(*question);
        }
        if own.spend(0).and(own.check()).is_err() {
            break;
        }
    }
    found
}

/// The note about a part that does not matter.
pub(crate) fn in_words(formulas: &Formulas, part: &Strengthening) -> String {
    let text = |f| print(formulas, f, Syntax::Full);
    match part.never {
        Some(condition) => format!("`{}` never happens", text(condition)),
        None => format!("`{}` could as well be {}", text(part.part), part.by),
    }
}

/// Adds what was found to an answer.
pub(crate) fn enter(answer: &mut Json, formulas: &Formulas, found: &[Strengthening]) {
    if let (Some(object), false) = (answer.as_object_mut(), found.is_empty()) {
        let text = |f| print(formulas, f, Syntax::Full);
        let parts: Vec<Json> = (found.iter())
            .map(|part| {
                json!({
                    "part": text(part.part),
                    "may_be": part.by,
                    "never": part.never.map(text),
                })
            })
            .collect();
        object.insert("vacuity".to_owned(), parts.into());
    }
}
