//! The verdict: three-valued, and earned.
//!
//! `Holds` comes only from a search that says it is complete, `Violated` only with a lasso that
//! has been replayed; both carry a value that no other module can make. Everything else is
//! `Unknown` with the reason.

use lariat_budget::Stop;
use lariat_engines::Outcome;
use lariat_model::Lasso;
use std::fmt;

/// The answer to "does every run satisfy the property?"
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes: a complete search found no run that violates it.
    Holds(Complete),
    /// No: this run violates it.
    Violated(Replayed),
    /// Undecided, for this reason.
    Unknown(Reason),
}

/// Proof that a search ended with nothing left to look at. Only this module makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complete(());

/// A lasso that was replayed, step by step, on the original system, and that violates
/// the original property. Only this module makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed(Lasso);

impl Replayed {
    /// The lasso, in terms of the original system.
    pub fn lasso(&self) -> &Lasso {
        &self.0
    }
}

/// Why a verdict is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A budget ended or an engine cannot answer.
    Stopped(Stop),
    /// The search ended without an answer, and says why.
    Inconclusive(String),
    /// A defect of Lariat: a lasso that fails its replay, say. Never to be taken for a verdict.
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

impl Verdict {
    /// The only way to a verdict: what an engine returned, and a replay of what it found.
    ///
    /// `replay` carries the lasso back to the original system and checks it there; its error
    /// says what was wrong with it.
    pub fn earn(
        found: Result<Outcome<Lasso>, Stop>,
        replay: impl FnOnce(Lasso) -> Result<Lasso, String>,
    ) -> Verdict {
        match found {
            Ok(Outcome::Empty) => Verdict::Holds(Complete(())),
            Ok(Outcome::Accepting(lasso)) => match replay(lasso) {
                Ok(lasso) => Verdict::Violated(Replayed(lasso)),
                Err(what) => Verdict::Unknown(Reason::Internal(what)),
            },
            Ok(Outcome::Undecided(_)) => Verdict::Unknown(Reason::Inconclusive(
                "undecided, the check found a cycle that may not exist".to_owned(),
            )),
            Err(Stop::Internal(what)) => Verdict::Unknown(Reason::Internal(what)),
            Err(stop) => Verdict::Unknown(Reason::Stopped(stop)),
        }
    }
}
