//! The verdict of a search: three-valued, and earned.
//!
//! `Holds` is made only from a search that reports completeness, `Violated` only from a lasso that
//! was replayed; both contain a value that no other module can construct. Everything else is
//! `Unknown` with the reason.

use lariat_budget::{Budget, Lease, Stop};
use lariat_engines::Outcome;
use lariat_model::{Lasso, ReplayError};
use std::fmt;
use std::sync::Arc;

/// The verdict on a property, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarnedVerdict {
    /// A complete search found no run that violates the property.
    Holds(CompletedSearch),
    /// This run violates the property.
    Violated(ReplayedRun),
    /// Undecided, for this reason.
    Unknown(Reason),
}

/// Proof that a search was complete. Only this module constructs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedSearch(());

/// A lasso that was replayed step by step on the original system, and that violates the original
/// property. Only this module constructs it. Clones share the lasso, which may be long, and the lease
/// of its memory.
#[derive(Clone, Debug)]
pub struct ReplayedRun {
    lasso: Arc<Lasso>,
    _lease: Arc<Lease>,
}

impl ReplayedRun {
    fn new(lasso: Lasso, budget: &Budget) -> Result<ReplayedRun, Stop> {
        let mut lease = budget.lease();
        lease.resize(lasso.bytes())?;
        Ok(ReplayedRun {
            lasso: Arc::new(lasso),
            _lease: Arc::new(lease),
        })
    }

    /// The lasso, as a run of the original system.
    pub fn lasso(&self) -> &Lasso {
        &self.lasso
    }

    /// The lasso, shared.
    pub(crate) fn shared(&self) -> Arc<Lasso> {
        Arc::clone(&self.lasso)
    }
}

impl PartialEq for ReplayedRun {
    fn eq(&self, other: &ReplayedRun) -> bool {
        self.lasso == other.lasso
    }
}

impl Eq for ReplayedRun {}

/// Why a verdict is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A limit was reached, or the engine does not support the question.
    Stopped(Stop),
    /// The search ended without a verdict.
    Inconclusive(String),
    /// A defect of Lariat, such as a lasso that fails its replay.
    Internal(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(stop) => stop.fmt(f),
            Reason::Inconclusive(why) => write!(f, "inconclusive: {why}"),
            Reason::Internal(what) => write!(f, "internal: {what}"),
        }
    }
}

impl EarnedVerdict {
    /// Makes a verdict of an engine's result; the only constructor.
    ///
    /// `replay` replays a lasso on the original system; its memory is leased from the budget.
    pub fn earn(
        found: Result<Outcome<Lasso>, Stop>,
        budget: &Budget,
        replay: impl FnOnce(Lasso) -> Result<Lasso, ReplayError>,
    ) -> EarnedVerdict {
        match found {
            Ok(Outcome::Empty) => EarnedVerdict::Holds(CompletedSearch(())),
            Ok(Outcome::Accepting(lasso)) => {
                let kept = |lasso| Ok(ReplayedRun::new(lasso, budget)?);
                match replay(lasso).and_then(kept) {
                    Ok(run) => EarnedVerdict::Violated(run),
                    Err(ReplayError::Defect(what)) => {
                        EarnedVerdict::Unknown(Reason::Internal(what))
                    }
                    Err(ReplayError::Stopped(stop)) => {
                        EarnedVerdict::Unknown(Reason::Stopped(stop))
                    }
                }
            }
            Ok(Outcome::Undecided(_)) => EarnedVerdict::Unknown(Reason::Inconclusive(
                "the emptiness check found a cycle that may not exist".to_owned(),
            )),
            Err(Stop::Internal(what)) => EarnedVerdict::Unknown(Reason::Internal(what)),
            Err(stop) => EarnedVerdict::Unknown(Reason::Stopped(stop)),
        }
    }

    /// Returns whether the property is decided.
    pub fn is_known(&self) -> bool {
        !matches!(self, EarnedVerdict::Unknown(_))
    }

    /// `holds`, `violated` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            EarnedVerdict::Holds(_) => "holds",
            EarnedVerdict::Violated(_) => "violated",
            EarnedVerdict::Unknown(_) => "unknown",
        }
    }
}
