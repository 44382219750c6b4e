//! Vacuity: finds irrelevant parts of a property that holds, with a fraction of the check's effort.
//!
//! `ltl` provides the stronger formulas to check ([`strengthenings`]); each that holds too shows a
//! part of the property that is irrelevant for this model. A part that cannot be decided within the
//! limits is not reported.

use crate::cache::SpaceCache;
use crate::options::CheckOptions;
use crate::query::{Query, atoms_of};
use crate::shorten::Shortening;
use crate::subject::PropertyForm;
use crate::verdict::EarnedVerdict;
use lariat_ltl::{Formula, Formulas, Strengthening, Syntax, print, strengthenings};
use std::time::Duration;

/// Limit on the subformulas of a formula that is strengthened: each creates a formula to simplify.
const LARGEST: usize = 100;
const MOST: usize = 8;
/// The divisor of the check's work and time that may be spent.
const SHARE: u32 = 10;
/// Work that may always be spent.
const LEAST_WORK: u64 = 20_000;
/// Time that may always be spent.
const LEAST_TIME: Duration = Duration::from_millis(50);

/// The stronger formulas to check if `f` holds.
pub(crate) fn vacuity_questions(formulas: &mut Formulas, f: Formula) -> Vec<Strengthening> {
    if formulas.subformulas(f).len() > LARGEST {
        return Vec::new();
    }
    let mut questions = strengthenings(formulas, f);
    questions.truncate(MOST);
    questions
}

/// Describes a part that does not matter.
pub fn vacuity_in_words(formulas: &Formulas, part: &Strengthening) -> String {
    let text = |f| print(formulas, f, Syntax::Full);
    match part.never {
        Some(condition) => format!("`{}` never happens", text(condition)),
        None => format!(
            "the property also holds with `{}` in place of `{}`",
            part.by,
            text(part.part)
        ),
    }
}

impl<'s> Query<'_, 's> {
    /// The parts of the property that do not matter, after a check that took `took` and whose work
    /// the query's budget has counted.
    pub(crate) fn vacuity(
        &self,
        questions: &[Strengthening],
        took: Duration,
        cache: &mut SpaceCache<'s>,
    ) -> Vec<Strengthening> {
        let budget = self.budget();
        let work = LEAST_WORK.max(budget.work_spent() / u64::from(SHARE));
        let time = LEAST_TIME.max(took / SHARE);
        let time = budget.time_left().map_or(time, |left| left.min(time));
        let own = budget.clone().with_work(work).with_deadline(time);
        let options = CheckOptions {
            shortening: Shortening::Never,
            whole_product: false,
            claims: Vec::new(),
            ..self.options.clone()
        };
        let mut found: Vec<Strengthening> = Vec::new();
        for question in questions {
            let contains = |other: &Strengthening| {
                self.formulas
                    .subformulas(other.part)
                    .contains(&question.part)
            };
            if found.iter().any(contains) {
                continue;
            }
            let property = PropertyForm::Formula(question.formula);
            let atoms = atoms_of(self.subject, property);
            let ctx = self.ctx.with_budget(&own);
            let query = Query::new(self.subject, property, &atoms, &options, ctx);
            let mut decision = query.decide(cache);
            query.check_partial_atoms(&mut decision, cache);
            if matches!(decision.verdict, EarnedVerdict::Holds(_)) {
                found.push(*question);
            }
            if own.spend(0).and(own.check()).is_err() {
                break;
            }
        }
        found
    }
}
