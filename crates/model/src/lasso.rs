//! Runs that end in a loop.

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
/// Usually the last state of `cycle`, which is never empty, equals the state before its first step. A net may instead
/// have more tokens after the steps than before them: a *covering run*. More tokens disable nothing, so its steps can be
/// taken again as well, and each round adds as much as the first one did. That is evidence about a formula where
/// further rounds make the same propositions true as the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Where the run starts.
    pub initial: State,
    /// The steps before the loop.
    pub prefix: Vec<Step>,
    /// The steps of the loop.
    pub cycle: Vec<Step>,
    /// What each round of a covering run adds to every place; `None` where the loop closes.
    pub growth: Option<State>,
}

impl Lasso {
    /// The state in which the loop starts.
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
