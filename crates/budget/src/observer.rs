//! Progress reports of a run, and the context that long computations take.

use crate::Budget;

/// A moment in a long computation.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What is being done, in a few words for a person: `"exploring"`, `"emptiness check"`.
    pub phase: &'static str,
    /// Figures that grow, with the word that follows each: `[(12_000, "states")]`.
    pub figures: &'a [(u64, &'static str)],
}

/// Hears progress and remarks. All methods have an empty default.
///
/// `Sync`, because several workers may speak at once.
pub trait Observer: Sync {
    /// Called now and then during long work; must return quickly.
    fn progress(&self, _: Progress<'_>) {}

    /// An engine begins, and what is heard from now on is about its work; `auto` has several in turn.
    fn engine(&self, _: &'static str) {}

    /// A remark worth keeping in a log: which order was chosen, why an engine was left.
    fn remark(&self, _: &str) {}
}

/// Hears nothing.
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

    /// A context without an observer.
    pub fn quiet(budget: &'a Budget) -> RunContext<'a> {
        RunContext::new(budget, &Quiet)
    }

    /// The same observer with another budget.
    #[must_use]
    pub fn with_budget<'b>(self, budget: &'b Budget) -> RunContext<'b>
    where
        'a: 'b,
    {
        RunContext::new(budget, self.observer)
    }
}
