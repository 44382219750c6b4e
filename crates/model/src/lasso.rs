//! Runs as evidence: lassos, covering runs and finite prefixes.

use crate::system::{EventId, State, Value};

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The event taken; `None` for a stuttering step at a deadlock.
    pub event: Option<EventId>,
    /// The state after the step.
    pub state: State,
}

/// An infinite run: a finite prefix, then a loop repeated infinitely often.
///
/// In an ordinary lasso the last state of `cycle` equals the state before its first step. In a
/// *covering run* of a net it has at least as many tokens in every place. More tokens disable
/// nothing, so the steps can be repeated, and each round adds as much as the first. This is
/// evidence about a formula if further rounds satisfy the same propositions as the first.
///
/// If `cycle` is empty, the lasso is a *prefix* of runs. This is evidence about a formula if every
/// continuation violates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The initial state.
    pub initial: State,
    /// The steps before the loop.
    pub prefix: Vec<Step>,
    /// The steps of the loop; empty for a prefix.
    pub cycle: Vec<Step>,
    /// The tokens that each round of a covering run adds per place; `None` if the loop closes.
    pub growth: Option<State>,
}

/// The kinds of evidence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// The loop closes.
    Lasso,
    /// Each round of the loop adds tokens.
    Covering,
    /// A finite prefix, all of whose continuations violate the formula.
    Prefix,
}

impl EvidenceKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::Lasso => "lasso",
            EvidenceKind::Covering => "covering",
            EvidenceKind::Prefix => "prefix",
        }
    }
}

impl Lasso {
    /// The kind of evidence.
    pub fn kind(&self) -> EvidenceKind {
        match (self.cycle.is_empty(), &self.growth) {
            (true, _) => EvidenceKind::Prefix,
            (false, Some(_)) => EvidenceKind::Covering,
            (false, None) => EvidenceKind::Lasso,
        }
    }

    /// All steps: the prefix, then one round of the loop.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.prefix.iter().chain(&self.cycle)
    }

    /// The state in which the loop starts or the prefix ends.
    pub fn entry(&self) -> &State {
        self.prefix.last().map_or(&self.initial, |step| &step.state)
    }

    /// Returns whether the loop closes: the state after the first round is the one before it plus
    /// [`growth`](Lasso::growth), if any, which is non-negative.
    pub fn comes_round(&self) -> bool {
        let Some(Step { state: end, .. }) = self.cycle.last() else {
            return false;
        };
        let Some(growth) = &self.growth else {
            return end == self.entry();
        };
        let entry = self.entry();
        let adds = |((before, more), after): ((&Value, &Value), &Value)| {
            *more >= 0 && before.checked_add(*more) == Some(*after)
        };
        entry.len() == growth.len()
            && entry.len() == end.len()
            && entry.iter().zip(growth).zip(end).all(adds)
    }
}
