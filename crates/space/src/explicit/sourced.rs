//! States of a system with a [`Source`]: the source numbers them, and these numbers are the ids.
//!
//! Nothing is packed. A worker keeps the steps of the states that it has expanded last in a
//! direct-mapped cache: a depth-first search returns to a state once per new successor, usually
//! soon, and the program that computes the steps may be slow.
//!
//! The memory of the source is leased by the workers of one search together, under a lock that is
//! taken once per [`LEASE_STEP`] new bytes.

use super::{Explicit, ExplicitStateId, StateTable, StepChoice, StepCursor, Successor};
use crate::explicit::states::Cut;
use lariat_budget::{Budget, Lease, Stop};
use lariat_model::{EventId, Source, SourceRef, SourceStep, State, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// States whose steps are cached, a power of two.
const CACHED: usize = 1 << 10;
/// Bytes after which the lease is adapted.
const LEASE_STEP: usize = 1 << 16;

/// The states of a source, as seen by one worker.
#[derive(Debug)]
pub(super) struct SourcedStates {
    source: Arc<dyn Source>,
    cache: Vec<StepList>,
    values: Vec<Value>,
    /// Number of states when the table was sealed.
    sealed: Option<usize>,
    lease: Arc<Mutex<Lease>>,
    /// Bytes of the source when this worker last adapted the lease.
    leased: usize,
}

/// The steps of one state.
#[derive(Clone, Debug, Default)]
struct StepList {
    of: Option<u32>,
    steps: Vec<SourceStep>,
}

impl SourcedStates {
    pub fn new(source: &SourceRef, budget: &Budget) -> SourcedStates {
        SourcedStates {
            source: Arc::clone(&source.0),
            cache: vec![StepList::default(); CACHED],
            values: Vec::new(),
            sealed: None,
            lease: Arc::new(Mutex::new(budget.lease())),
            leased: 0,
        }
    }

    /// The same states for another worker, which shares the lease.
    pub fn another(&self) -> SourcedStates {
        SourcedStates {
            source: Arc::clone(&self.source),
            cache: vec![StepList::default(); CACHED],
            values: Vec::new(),
            lease: Arc::clone(&self.lease),
            ..*self
        }
    }

    pub fn len(&self) -> usize {
        self.source.len()
    }

    pub fn bytes(&self) -> usize {
        self.source.bytes()
    }

    pub fn seal(&mut self) {
        self.sealed = Some(self.source.len());
    }

    pub fn get(&self, state: ExplicitStateId) -> State {
        let mut values = Vec::new();
        self.source.values(state.0, &mut values);
        values.into()
    }

    pub fn values(&mut self, state: ExplicitStateId) -> &[Value] {
        self.values.clear();
        self.source.values(state.0, &mut self.values);
        &self.values
    }

    fn is_omitted(&self, state: u32) -> bool {
        self.sealed.is_some_and(|end| state as usize >= end)
    }

    fn steps(&mut self, state: ExplicitStateId) -> Result<&[SourceStep], Stop> {
        let list = &mut self.cache[state.index() % CACHED];
        if list.of != Some(state.0) {
            list.of = None;
            list.steps.clear();
            self.source.steps(state.0, &mut list.steps)?;
            list.of = Some(state.0);
            let bytes = self.source.bytes();
            if bytes > self.leased + LEASE_STEP && self.sealed.is_none() {
                let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
                if bytes > lease.bytes() as usize {
                    lease.resize(bytes)?;
                }
                self.leased = bytes;
            }
        }
        Ok(&self.cache[state.index() % CACHED].steps)
    }
}

impl Explicit<'_> {
    /// [`initial`](Explicit::initial) for a system with a source, which knows all initial states.
    pub(super) fn initial_sourced(&self, k: usize) -> Result<Option<ExplicitStateId>, Stop> {
        let Some(state) = self.system.initial.get(k) else {
            return Ok(None);
        };
        let number = state.first().and_then(|number| u32::try_from(*number).ok());
        match number {
            Some(number) => Ok(Some(ExplicitStateId(number))),
            None => Err(Stop::Internal("an initial state has no number".to_owned())),
        }
    }

    /// [`next`](Explicit::next) for a system with a source.
    pub(super) fn next_sourced(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        cursor: &mut StepCursor,
    ) -> Result<Option<Successor>, Stop> {
        let Some(sourced) = &mut states.sourced else {
            return Err(Stop::Internal("a table without its source".to_owned()));
        };
        loop {
            let step = sourced.steps(from)?.get(cursor.at as usize).copied();
            let Some(step) = step.filter(|_| cursor.at < cursor.end()) else {
                if cursor.goes_round() {
                    continue;
                }
                return Ok(self.end(from, cursor));
            };
            cursor.at += 1;
            cursor.moved = true;
            match step.to {
                Some(to) if sourced.is_omitted(to) => {}
                Some(to) => return Ok(Some((Some(step.event), ExplicitStateId(to)))),
                None => states.cut_off.seen = Cut::Before,
            }
        }
    }

    /// [`ways`](Explicit::ways) for a system with a source.
    pub(super) fn ways_sourced(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        ways: &mut Vec<StepChoice>,
    ) -> Result<(), Stop> {
        if let Some(sourced) = &mut states.sourced {
            let steps = (0..).zip(sourced.steps(from)?);
            let inside = steps.filter(|(_, step)| step.to.is_some());
            ways.extend(inside.map(|(at, step)| (Some(step.event), StepCursor::from(at))));
        }
        Ok(())
    }

    /// [`expand`](Explicit::expand) for a system with a source.
    pub(super) fn expand_sourced(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        steps: &mut Vec<(EventId, ExplicitStateId)>,
    ) -> Result<(), Stop> {
        states.tick()?;
        if let Some(sourced) = &mut states.sourced {
            let all = sourced.steps(from)?.iter();
            let inside = all.filter_map(|step| Some((step.event, ExplicitStateId(step.to?))));
            let before = steps.len();
            steps.extend(inside);
            if steps.len() - before < sourced.steps(from)?.len() {
                states.cut_off.seen = Cut::Before;
            }
        }
        Ok(())
    }

    /// Calls `visit` with the events of the steps from a state of a system with a source. A stop is
    /// reported when the steps are listed.
    pub(super) fn enabled_sourced(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        visit: impl FnMut(EventId),
    ) {
        if let Some(sourced) = &mut states.sourced
            && let Ok(steps) = sourced.steps(from)
        {
            steps.iter().map(|step| step.event).for_each(visit);
        }
    }
}
