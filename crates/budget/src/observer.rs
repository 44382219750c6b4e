//! Progress reports of a run, and the context that long computations take.

use crate::Budget;

/// A progress report of a long computation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The present task, in a few words for a person: `"exploring"`, `"emptiness check"`.
    pub phase: &'static str,
    /// Growing figures, with the noun that follows each: `[(12_000, "states")]`.
    pub figures: &'a [(u64, &'static str)],
}

impl<'a> Progress<'a> {
    /// A report of a phase with its figures.
    pub fn new(phase: &'static str, figures: &'a [(u64, &'static str)]) -> Progress<'a> {
        Progress { phase, figures }
    }
}

/// Receives progress and remarks. All methods have an empty default.
///
/// `Sync`, because several threads may call it concurrently.
pub trait Observer: Sync {
    /// Called repeatedly during long work; must return quickly.
    fn progress(&self, _: Progress<'_>) {}

    /// An engine starts, and later calls refer to it; `auto` runs several in turn.
    fn engine(&self, _: &'static str) {}

    /// A remark for the log: the chosen variable order, the reason to give up an engine.
    fn remark(&self, _: &str) {}
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}

/// The limits of a computation and the observer that receives its progress.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// Time, memory, counted work and cancellation.
    pub budget: &'a Budget,
    /// Receives progress and remarks; several threads may call it.
    pub observer: &'a dyn Observer,
}

impl<'a> RunContext<'a> {
    /// Combines a budget with an observer.
    pub fn new(budget: &'a Budget, observer: &'a dyn Observer) -> RunContext<'a> {
        RunContext { budget, observer }
    }

    /// Returns a context without an observer.
    pub fn quiet(budget: &'a Budget) -> RunContext<'a> {
        RunContext::new(budget, &Quiet)
    }

    /// Returns a context with the same observer and another budget.
    #[must_use]
    pub fn with_budget<'b>(self, budget: &'b Budget) -> RunContext<'b>
    where
        'a: 'b,
    {
        RunContext::new(budget, self.observer)
    }
}
