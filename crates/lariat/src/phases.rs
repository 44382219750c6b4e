//! The phases of a check, and the time that each takes.
//!
//! A check passes through the phases in the order of [`Phase`], some of them only if they are
//! needed. All share the time limit of the property. Shortening and the vacuity check have shares
//! of their own, because the verdict is known before; see `shorten.rs` and `vacuity.rs`.

use lariat_budget::Budget;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A phase of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// Short searches before anything is known about the model.
    FirstSearch,
    /// Structural facts simplify the property.
    Simplification,
    /// The net is reduced for the property.
    Reduction,
    /// An engine, or the schedule of `auto`, searches for a violating run, and lifts it.
    Search,
    /// The run is replayed on the original model.
    Replay,
    /// The atoms are checked to have values where the verdict depends on them.
    PartialAtoms,
    /// A shorter counterexample is searched.
    Shortening,
    /// A second engine checks the verdict.
    CrossCheck,
    /// Irrelevant parts of a property that holds are searched.
    Vacuity,
}

impl Phase {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Phase::FirstSearch => "first search",
            Phase::Simplification => "simplification",
            Phase::Reduction => "reduction",
            Phase::Search => "search",
            Phase::Replay => "replay",
            Phase::PartialAtoms => "values of atoms",
            Phase::Shortening => "shortening",
            Phase::CrossCheck => "cross-check",
            Phase::Vacuity => "vacuity",
        }
    }
}

/// The phases of one check so far. Clones share the log, which the thread of the check writes and
/// other threads may read at any time.
///
/// ```
/// # let text = b"process Light { state red, green; init red;
/// #              trans red -> green {}, green -> red {}; }
/// #              system async;";
/// # let model = lariat::Model::parse("light.dve", text)?;
/// use lariat::{Phase, PhaseLog};
///
/// let report = lariat::Checker::new(&model).check("G F Light.green")?;
/// let phases: &PhaseLog = report.phases();
/// assert_eq!(phases.current(), None);
/// assert!(phases.times().iter().any(|(phase, _)| *phase == Phase::FirstSearch));
/// # Ok::<(), lariat::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct PhaseLog(Arc<Mutex<Times>>);

#[derive(Clone, Default)]
struct Times {
    ended: Vec<(Phase, Duration)>,
    /// The phase that goes on, and its begin on the clock of the budget.
    current: Option<(Phase, Duration)>,
}

impl PhaseLog {
    /// Ends the current phase and begins another one.
    pub(crate) fn enter(&self, phase: Phase, budget: &Budget) {
        let now = budget.elapsed();
        let mut times = self.lock();
        times.end(now);
        times.current = Some((phase, now));
    }

    /// Ends the current phase.
    pub(crate) fn end(&self, budget: &Budget) {
        self.lock().end(budget.elapsed());
    }

    /// The phase that goes on.
    pub fn current(&self) -> Option<Phase> {
        self.lock().current.map(|(phase, _)| phase)
    }

    /// The phases that have ended, in order, with their times.
    pub fn times(&self) -> Vec<(Phase, Duration)> {
        self.lock().ended.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Times> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Times {
    fn end(&mut self, now: Duration) {
        if let Some((phase, begun)) = self.current.take() {
            let time = now.saturating_sub(begun);
            match self.ended.iter_mut().find(|(known, _)| *known == phase) {
                Some((_, total)) => *total += time,
                None => self.ended.push((phase, time)),
            }
        }
    }
}

impl fmt::Debug for PhaseLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        list.entries(
            self.times()
                .iter()
                .map(|(phase, time)| (phase.name(), time)),
        );
        list.finish()
    }
}
