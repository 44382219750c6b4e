//! What a shorter counterexample may cost: `engines/shorten` finds it, as far as the effort goes.

use lariat_budget::{Budget, Observer, Progress, RunContext};
use lariat_engines::{Effort, Problem, shorten};
use lariat_model::Lasso;

/// How much is spent on a shorter counterexample than the one that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shortening {
    /// Nothing: for those who do not show it.
    Never,
    /// About as much as finding one has cost, and always a little, the more the longer it is.
    #[default]
    Counted,
    /// Whatever the limits allow.
    Insist,
}

impl Shortening {
    /// Product states that may always be made: less than a tenth of a second.
    const LEAST: u64 = 80_000;
    /// Product states that may be made for every step of a run that is still long then: somebody has to read it.
    ///
    /// Of 217 runs of ten small contest nets 4 came out longer than with `Insist` when there was only a least of 30 000. With 2 000 a
    /// step it was one, of few steps, which needs a least of 66 000. With 10 000 a step all checks together took a fifth longer.
    const A_STEP: u64 = 2_500;
    /// Product states beyond which nobody waits for a shorter run without having asked for it.
    const MOST: u64 = 1_000_000;

    /// Product states that may be made after a search of so much work.
    fn at_first(work: u64) -> u64 {
        work.clamp(Shortening::LEAST, Shortening::MOST)
    }

    /// Product states that may be made if that leaves so many steps.
    fn at_last(self, steps: usize) -> u64 {
        match self {
            Shortening::Never => 0,
            Shortening::Counted => (Shortening::A_STEP * steps as u64).min(Shortening::MOST),
            Shortening::Insist => u64::MAX,
        }
    }

    /// Does it take as long as it ever does without having been asked for, to shorten a run of so many steps? Whoever has other things to do, too, begins with it.
    pub fn takes_longest(self, steps: usize) -> bool {
        self == Shortening::Counted && self.at_last(steps) == Shortening::MOST
    }

    /// A run as short as this asks for, after a search of so much work.
    pub(crate) fn shortened(
        self,
        problem: &Problem<'_>,
        lasso: Lasso,
        work: u64,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Lasso {
        if self == Shortening::Never {
            return lasso;
        }
        let effort = Effort {
            // Who insists gets what the usual effort brings even if the limits end before the rest.
            at_first: Shortening::at_first(work),
            at_last: &|steps| self.at_last(steps),
        };
        let observer = Afterwards(observer);
        shorten(problem, lasso, &effort, RunContext::new(budget, &observer))
    }
}

/// Who hears that a run is being shortened, and not that its engine is still at work.
struct Afterwards<'a>(&'a dyn Observer);

impl Observer for Afterwards<'_> {
    fn progress(&self, progress: Progress<'_>) {
        self.0.progress(Progress {
            phase: "shortening the counterexample",
            ..progress
        });
    }

    fn remark(&self, remark: &str) {
        self.0.remark(remark);
    }
}
