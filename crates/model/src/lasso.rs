//! Runs as evidence: lassos, covering runs and finite prefixes.
//!
//! A run is its initial state and, per step, the event and the differences that the step makes. Its
//! size is thus the number of changed values, not the number of places times the number of steps;
//! a [`RunCursor`] recomputes the states in order.

use crate::system::{EventId, State, Value, VarId};
use lariat_budget::{Budget, Lease, Stop};
use std::fmt;

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The event taken; `None` for a stuttering step at a deadlock.
    pub event: Option<EventId>,
    /// By changed variable: the (wrapping) difference.
    changes: Box<[(VarId, Value)]>,
}

impl Step {
    /// The bytes that a step in a list takes.
    fn bytes(&self) -> usize {
        // An allocation takes more than its contents.
        const BLOCK: usize = 16;
        size_of::<Step>() + BLOCK + size_of_val(&*self.changes)
    }

    /// The step by `event` from one state to another.
    pub fn between(event: Option<EventId>, before: &[Value], after: &[Value]) -> Step {
        let pairs = (0..).map(VarId).zip(before.iter().zip(after));
        let changed = pairs.filter(|(_, (x, y))| x != y);
        Step {
            event,
            changes: changed
                .map(|(var, (x, y))| (var, y.wrapping_sub(*x)))
                .collect(),
        }
    }

    /// The step by `event` with these (wrapping) differences, each variable at most once.
    pub(crate) fn by(event: EventId, changes: impl Iterator<Item = (VarId, Value)>) -> Step {
        let changes = changes.filter(|(_, change)| *change != 0);
        let mut changes: Box<[(VarId, Value)]> = changes.collect();
        changes.sort_unstable_by_key(|(var, _)| *var);
        Step {
            event: Some(event),
            changes,
        }
    }

    /// A stuttering step.
    pub fn stutter() -> Step {
        Step {
            event: None,
            changes: Box::default(),
        }
    }

    /// The changed variables with the (wrapping) differences.
    pub fn changes(&self) -> &[(VarId, Value)] {
        &self.changes
    }

    /// The same step on the first `variables` variables.
    #[must_use]
    pub fn on_first(self, variables: usize) -> Step {
        let changes = self.changes.into_iter();
        Step {
            event: self.event,
            changes: changes.filter(|(var, _)| var.index() < variables).collect(),
        }
    }

    /// Returns the state after the step from `state`.
    pub fn target(&self, state: &State) -> State {
        let mut target = state.clone();
        self.apply(&mut target);
        target
    }

    pub(crate) fn apply(&self, state: &mut [Value]) {
        for (var, change) in &self.changes {
            let value = &mut state[var.index()];
            *value = value.wrapping_add(*change);
        }
    }

    fn undo(&self, state: &mut [Value]) {
        for (var, change) in &self.changes {
            let value = &mut state[var.index()];
            *value = value.wrapping_sub(*change);
        }
    }
}

/// An infinite run: a finite prefix, then a loop repeated infinitely often.
///
/// In an ordinary lasso the state after `cycle` equals the state before its first step. In a
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
    /// The run without steps.
    pub fn standing(initial: State) -> Lasso {
        Lasso {
            initial,
            prefix: Vec::new(),
            cycle: Vec::new(),
            growth: None,
        }
    }

    /// The run through these states: the events of the prefix and of the loop, each with the state
    /// after it.
    pub fn through(
        initial: State,
        prefix: impl IntoIterator<Item = (Option<EventId>, State)>,
        cycle: impl IntoIterator<Item = (Option<EventId>, State)>,
    ) -> Lasso {
        let mut run = RunRecorder::new(initial);
        for (event, state) in prefix {
            run.push(event, &state);
        }
        let entry = run.len();
        for (event, state) in cycle {
            run.push(event, &state);
        }
        run.into_lasso(entry)
    }

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

    /// The number of steps of the prefix and one round of the loop.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Returns whether the run has no steps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Approximate bytes of memory that the run takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.initial) + self.steps().map(Step::bytes).sum::<usize>()
    }

    /// A cursor at the initial state, over all steps.
    pub fn cursor(&self) -> RunCursor<'_> {
        RunCursor {
            state: self.initial.clone(),
            taken: None,
            first: &self.prefix,
            rest: &self.cycle,
        }
    }

    /// A cursor at the entry of the loop, over one round.
    pub fn cycle_cursor(&self) -> RunCursor<'_> {
        RunCursor {
            state: self.entry(),
            taken: None,
            first: &self.cycle,
            rest: &[],
        }
    }

    /// All states in order, the initial one first. Every state is a copy: for short runs.
    pub fn states(&self) -> Vec<State> {
        let mut state = self.initial.clone();
        let mut states = vec![state.clone()];
        for step in self.steps() {
            step.apply(&mut state);
            states.push(state.clone());
        }
        states
    }

    /// The state in which the loop starts or the prefix ends.
    pub fn entry(&self) -> State {
        let mut state = self.initial.clone();
        self.prefix.iter().for_each(|step| step.apply(&mut state));
        state
    }

    /// The state after the last step.
    pub fn end(&self) -> State {
        let mut state = self.initial.clone();
        self.steps().for_each(|step| step.apply(&mut state));
        state
    }

    /// Returns whether the loop closes: the state after the first round is the one before it plus
    /// [`growth`](Lasso::growth), if any, which is non-negative.
    pub fn comes_round(&self) -> bool {
        if self.cycle.is_empty() {
            return false;
        }
        let entry = self.entry();
        let mut end = entry.clone();
        self.cycle.iter().for_each(|step| step.apply(&mut end));
        let Some(growth) = &self.growth else {
            return end == entry;
        };
        let adds = |((before, more), after): ((&Value, &Value), &Value)| {
            *more >= 0 && before.checked_add(*more) == Some(*after)
        };
        entry.len() == growth.len() && entry.iter().zip(growth).zip(&end).all(adds)
    }
}

/// Reason why a run was not replayed completely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// The run is none of the model, or does not show what it should.
    Defect(String),
    /// The budget ended.
    Stopped(Stop),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Defect(why) => f.write_str(why),
            ReplayError::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl From<String> for ReplayError {
    fn from(why: String) -> ReplayError {
        ReplayError::Defect(why)
    }
}

impl From<Stop> for ReplayError {
    fn from(stop: Stop) -> ReplayError {
        ReplayError::Stopped(stop)
    }
}

/// A position in a run that moves forward, with the state there.
#[derive(Clone, Debug)]
pub struct RunCursor<'l> {
    state: State,
    /// The step that was returned last; it is applied when the cursor moves on.
    taken: Option<&'l Step>,
    first: &'l [Step],
    rest: &'l [Step],
}

impl<'l> RunCursor<'l> {
    /// A cursor over some steps from a state.
    pub fn over(state: State, steps: &'l [Step]) -> RunCursor<'l> {
        RunCursor {
            state,
            taken: None,
            first: steps,
            rest: &[],
        }
    }

    /// Returns the next step, with the state *before* it.
    #[expect(
        clippy::should_implement_trait,
        reason = "the items borrow from the cursor"
    )]
    pub fn next(&mut self) -> Option<(&State, &'l Step)> {
        self.settle();
        if self.first.is_empty() {
            self.first = std::mem::take(&mut self.rest);
        }
        let (step, rest) = self.first.split_first()?;
        (self.first, self.taken) = (rest, Some(step));
        Some((&self.state, step))
    }

    /// Returns the next step, with the state *after* it.
    pub fn take(&mut self) -> Option<(&'l Step, &State)> {
        let (_, step) = self.next()?;
        self.settle();
        Some((step, &self.state))
    }

    /// Returns the state before the step that [`next`](RunCursor::next) returned last, or the state
    /// at the end.
    pub fn source(&self) -> &State {
        &self.state
    }

    /// Returns the state after all steps that were returned.
    pub fn state(&mut self) -> &State {
        self.settle();
        &self.state
    }

    fn settle(&mut self) {
        if let Some(step) = self.taken.take() {
            step.apply(&mut self.state);
        }
    }
}

/// A run under construction.
#[derive(Debug)]
pub struct RunRecorder {
    initial: State,
    state: State,
    steps: Vec<Step>,
    /// The bytes of the steps.
    bytes: usize,
    lease: Option<Lease>,
}

/// A clone has no lease.
impl Clone for RunRecorder {
    fn clone(&self) -> RunRecorder {
        RunRecorder {
            initial: self.initial.clone(),
            state: self.state.clone(),
            steps: self.steps.clone(),
            bytes: self.bytes,
            lease: None,
        }
    }
}

impl RunRecorder {
    /// A run without steps.
    pub fn new(initial: State) -> RunRecorder {
        RunRecorder {
            state: initial.clone(),
            initial,
            steps: Vec::new(),
            bytes: 0,
            lease: None,
        }
    }

    /// Pays for the steps from a budget: see [`settle`](RunRecorder::settle).
    pub fn leased(mut self, budget: &Budget) -> RunRecorder {
        self.lease = Some(budget.lease());
        self
    }

    /// Leases the memory of the steps so far. Loops without a bound call it when they poll.
    pub fn settle(&mut self) -> Result<(), Stop> {
        match &mut self.lease {
            Some(lease) => lease.resize(self.bytes),
            None => Ok(()),
        }
    }

    /// Appends the step by `event` to the state `after`.
    pub fn push(&mut self, event: Option<EventId>, after: &[Value]) {
        self.add(Step::between(event, &self.state, after));
        self.state.copy_from_slice(after);
    }

    /// Appends a step that can be taken from the current state.
    pub fn take(&mut self, step: Step) {
        step.apply(&mut self.state);
        self.add(step);
    }

    /// Appends a stuttering step.
    pub fn stutter(&mut self) {
        self.add(Step::stutter());
    }

    fn add(&mut self, step: Step) {
        self.bytes += step.bytes();
        self.steps.push(step);
    }

    /// The initial state.
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes back all steps but the first `length`.
    pub fn truncate(&mut self, length: usize) {
        while self.steps.len() > length {
            if let Some(step) = self.steps.pop() {
                self.bytes -= step.bytes();
                step.undo(&mut self.state);
            }
        }
    }

    /// Returns the steps.
    pub fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Returns the run as a prefix.
    pub fn into_prefix(self) -> Lasso {
        let entry = self.steps.len();
        self.into_lasso(entry)
    }

    /// Returns the run as a lasso whose loop begins after `entry` steps.
    pub fn into_lasso(self, entry: usize) -> Lasso {
        let mut prefix = self.steps;
        let cycle = prefix.split_off(entry);
        Lasso {
            initial: self.initial,
            prefix,
            cycle,
            growth: None,
        }
    }
}
