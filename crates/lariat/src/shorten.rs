//! Shortens the counterexample of a decided property, within a bounded effort.
//!
//! A run that an engine has found is rarely the shortest. It is shortened on the original system
//! with counted effort (`lariat_engines::shorten`), ends where the property is lost for good if a
//! prefix is evidence, and is replayed again. The verdict is known before: if the effort or the
//! time ends, the run stays as it was found.

use crate::check_partial_atoms::check_run;
use crate::decision::Decision;
use crate::plan::Plan;
use crate::query::Query;
use crate::replay::BadBeginning;
use crate::translate::translate;
use crate::verdict::EarnedVerdict;
use lariat_budget::{Budget, Observer, Progress, RunContext};
use lariat_engines::{Outcome, Problem, ShortenEffort, shorten};
use lariat_model::{Deadlock, Lasso};
use std::time::Duration;

/// Effort spent on a shorter counterexample than the one found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shortening {
    /// None.
    Never,
    /// About as much as finding the run took, at least a little, and more for long runs.
    #[default]
    Counted,
    /// As much as the limits allow.
    Insist,
}

impl Shortening {
    /// Product states that may always be explored.
    const LEAST: u64 = 80_000;
    /// Product states that may be explored per step of a run that is still long.
    const PER_STEP: u64 = 2_500;
    /// Product states explored at most unless the user insists.
    const MOST: u64 = 1_000_000;
    /// Time that may always be spent.
    const LEAST_TIME: Duration = Duration::from_millis(500);
    /// The divisor of the remaining time that may be spent.
    const TIME_SHARE: u32 = 10;

    /// Product states that may be explored after a search of `work`.
    fn at_first(work: u64) -> u64 {
        work.clamp(Shortening::LEAST, Shortening::MOST)
    }

    /// Product states that may be explored if the run still has `steps` steps then.
    fn at_last(self, steps: usize) -> u64 {
        match self {
            Shortening::Never => 0,
            Shortening::Counted => (Shortening::PER_STEP * steps as u64).min(Shortening::MOST),
            Shortening::Insist => u64::MAX,
        }
    }

    /// The budget for shortening after a search that took `found_in`: at most that long, and at
    /// most a tenth of the remaining time.
    pub(crate) fn budget(self, budget: &Budget, found_in: Duration) -> Budget {
        if self == Shortening::Insist {
            return budget.clone();
        }
        let mut time = found_in.max(Shortening::LEAST_TIME);
        if let Some(left) = budget.time_left() {
            let share = left / Shortening::TIME_SHARE;
            time = time.min(share.max(Shortening::LEAST_TIME)).min(left);
        }
        budget.clone().with_deadline(time)
    }
}

/// Copies of a run while it is shortened.
const COPIES: usize = 4;

impl Query<'_, '_> {
    /// Replaces the run of a violation by a shorter one, and describes it: where it meets the
    /// fairness constraints, and after which position every continuation violates the property. A
    /// run lifted from a reduced net was shortened there; the lift added invisible steps.
    pub fn shorten(&self, decision: &mut Decision) {
        self.replace_by_shorter(decision);
        if let EarnedVerdict::Violated(run) = &decision.verdict {
            let constraints = self.subject.fairness().constraints.iter();
            let names = constraints.map(|c| c.name.clone());
            decision.met = names
                .zip(self.subject.met(run.lasso(), self.budget()))
                .collect();
        }
    }

    fn replace_by_shorter(&self, decision: &mut Decision) {
        let EarnedVerdict::Violated(found) = &decision.verdict else {
            return;
        };
        // Without memory for copies of a long run, it stays as it was found.
        let mut copies = self.budget().lease();
        if copies.resize(COPIES * found.lasso().bytes()).is_err() {
            return;
        }
        let lasso = found.lasso().clone();
        let (lasso, bad) = if self.options.shortening == Shortening::Never {
            let bad = self.bad_beginning(&lasso);
            let position = bad.and_then(|bad| position_in(&lasso, bad));
            (lasso, position)
        } else {
            self.shortened_and_ended(lasso, decision.search_effort())
        };
        // A shorter run may visit a state in which an atom has no value.
        if check_run(self.subject, self.atoms, &lasso).is_none() {
            let found = Ok(Outcome::Accepting(lasso));
            let verdict = EarnedVerdict::earn(found, self.budget(), |lasso| self.replay(lasso));
            if matches!(verdict, EarnedVerdict::Violated(_)) {
                decision.verdict = verdict;
                decision.bad = bad;
            }
        }
    }

    /// A run at most as long, which ends where the property is lost for good if prefixes are
    /// evidence, and the position after which every continuation violates the property.
    fn shortened_and_ended(&self, lasso: Lasso, effort: u64) -> (Lasso, Option<usize>) {
        let (subject, budget) = (self.subject, self.budget());
        let explicit = Plan::of("explicit");
        let mut shorter = lasso.clone();
        if let Ok(translated) = translate(subject, self.formulas, self.property, &explicit, budget)
        {
            let (automaton, propositions) = (&*translated.automaton, &translated.propositions);
            let deadlock = self.options.deadlock;
            let mut problem = Problem::new(subject.system(), automaton, propositions, deadlock)
                .assuming(&translated.fairness);
            problem.prefixes = self.prefixes;
            problem.unread = self.unread(automaton);
            shorter = self.shortened(&problem, shorter, effort);
        }
        let (shorter, bad) = self.ended(shorter);
        if self.is_inconclusive_prefix(&shorter) {
            return self.about_whole_runs().shortened_and_ended(lasso, effort);
        }
        (shorter, bad)
    }

    fn bad_beginning(&self, lasso: &Lasso) -> Option<BadBeginning> {
        let budget = self.budget();
        self.subject.bad_beginning(self.property, lasso, budget)
    }

    /// The run up to where the property is lost for good, if prefixes are evidence.
    fn ended(&self, mut lasso: Lasso) -> (Lasso, Option<usize>) {
        let Some(bad) = self.bad_beginning(&lasso) else {
            return (lasso, None);
        };
        if self.prefixes && self.options.deadlock == Deadlock::Stutter {
            lasso.prefix.append(&mut lasso.cycle);
            lasso.prefix.truncate(bad.steps);
            lasso.growth = None;
            (lasso, Some(bad.position))
        } else {
            let position = position_in(&lasso, bad);
            (lasso, position)
        }
    }

    /// A run as short as the options require, after a search of `work`.
    pub fn shortened(&self, problem: &Problem<'_>, lasso: Lasso, work: u64) -> Lasso {
        let shortening = self.options.shortening;
        if shortening == Shortening::Never {
            return lasso;
        }
        let effort = ShortenEffort {
            at_first: Shortening::at_first(work),
            at_last: &|steps| shortening.at_last(steps),
        };
        let observer = ShorteningObserver(self.ctx.observer);
        let ctx = RunContext::new(self.budget(), &observer);
        shorten(problem, lasso, &effort, ctx)
    }
}

/// The position after which a run violates the property for good, unless it is reached only in a
/// later round of the loop.
fn position_in(lasso: &Lasso, bad: BadBeginning) -> Option<usize> {
    let position = bad.position;
    (position < lasso.steps().count()).then_some(position)
}

/// Reports progress as shortening, not as the work of an engine.
struct ShorteningObserver<'a>(&'a dyn Observer);

impl Observer for ShorteningObserver<'_> {
    fn progress(&self, progress: Progress<'_>) {
        self.0.progress(Progress::new(
            "shortening the counterexample",
            progress.figures,
        ));
    }

    fn remark(&self, remark: &str) {
        self.0.remark(remark);
    }
}
