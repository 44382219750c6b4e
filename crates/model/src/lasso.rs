//! Runs as evidence: those that end in a loop, and beginnings.

use crate::system::{EventId, State, Value};

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The event taken; `None` for a stutter step at a deadlock.
    pub event: Option<EventId>,
    /// The state it leads to.
    pub state: State,
}

/// An infinite run: a finite prefix, then the same steps for ever.
///
/// Usually the last state of `cycle` equals the state before its first step. A net may instead
/// have more tokens after the steps than before them: a *covering run*. More tokens disable nothing, so its steps can be
/// taken again as well, and each round adds as much as the first one did. That is evidence about a formula where
/// further rounds make the same propositions true as the first.
///
/// Or `cycle` is empty: a *prefix*, the beginning of runs. That is evidence about a formula where every
/// continuation violates it, whichever there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Where the run starts.
    pub initial: State,
    /// The steps before the loop.
    pub prefix: Vec<Step>,
    /// The steps of the loop; none of a prefix.
    pub cycle: Vec<Step>,
    /// What each round of a covering run adds to every place; `None` where the loop closes.
    pub growth: Option<State>,
}

/// What a [`Lasso`] is evidence by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// Its loop closes.
    Lasso,
    /// Its rounds add tokens.
    Covering,
    /// It is a beginning, and nothing that follows matters.
    Prefix,
}

impl EvidenceKind {
    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::Lasso => "lasso",
            EvidenceKind::Covering => "covering",
            EvidenceKind::Prefix => "prefix",
        }
    }
}

impl Lasso {
    /// What it is evidence by.
    pub fn kind(&self) -> EvidenceKind {
        match (self.cycle.is_empty(), &self.growth) {
            (true, _) => EvidenceKind::Prefix,
            (false, Some(_)) => EvidenceKind::Covering,
            (false, None) => EvidenceKind::Lasso,
        }
    }

    /// All its steps: those before the loop, then once through the loop.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.prefix.iter().chain(&self.cycle)
    }

    /// The state in which the loop starts, or a prefix ends.
    pub fn entry(&self) -> &State {
        self.prefix.last().map_or(&self.initial, |step| &step.state)
    }

    /// Is the state behind the first round the one that further rounds start from: that before it, or with
    /// [`growth`](Lasso::growth) so much more, and never less, in each place?
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
