//! Steps of a net in the quotient under symmetries: the target of a step is replaced by a
//! representative before it is looked up.
//!
//! This module does not know the symmetries. It passes the tokens of a successor to the caller,
//! which replaces them, and looks up the state that differs from the state in focus by the result.
//! A state costs one pass over its places; a step costs the places that the transition and the
//! representative change.

use super::{Explicit, ExplicitStateId, StateTable, StepCursor};
use lariat_budget::Stop;
use lariat_model::{EventId, Value};
use lariat_reductions::symmetry::Tokens;

/// Buffers for the tokens of the state in focus and of one successor.
#[derive(Debug, Default)]
pub(super) struct TokenScratch {
    state: Option<ExplicitStateId>,
    tokens: Tokens,
    next: Tokens,
}

impl Explicit<'_> {
    /// The next event that is enabled in `state`, or `Some(None)` for stuttering in a deadlock that
    /// stutters; `None` after the last. All events must be net transitions. The target is computed
    /// by [`quotient`](Explicit::quotient).
    pub fn next_event(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
        cursor: &mut StepCursor,
    ) -> Result<Option<Option<EventId>>, Stop> {
        if cursor.done {
            return Ok(None);
        }
        states.tick()?;
        states.load(self, state);
        if let Some(at) = states.focus.find(&self.moves.net, cursor.at) {
            cursor.at = at + 1;
            cursor.moved = true;
            return Ok(Some(Some(self.moves.net.transitions[at as usize].event)));
        }
        Ok(self.end(state, cursor).map(|(event, _)| event))
    }

    /// The tokens of a state of a net: marked places in increasing order.
    pub fn tokens<'a>(&self, states: &'a mut StateTable, state: ExplicitStateId) -> &'a Tokens {
        states.load(self, state);
        let StateTable { marked, focus, .. } = states;
        if marked.state != Some(state) {
            marked.state = Some(state);
            marked.tokens.clear();
            let values = (0..).zip(focus.values.iter().copied());
            let values = values.filter(|(_, value)| *value != 0);
            marked.tokens.extend(values);
        }
        &marked.tokens
    }

    /// Calls `read` with the tokens of a state of a net and the values of all places.
    pub fn with_values<T>(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
        read: impl FnOnce(&Tokens, &[Value]) -> T,
    ) -> T {
        self.tokens(states, state);
        read(&states.marked.tokens, &states.focus.values)
    }

    /// Target of `event`, or of stuttering, from `state`, with its tokens replaced by `represent`,
    /// which returns whether it has changed them and leaves them in increasing order. `None` if the
    /// step is cut off.
    pub fn quotient(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
        event: Option<EventId>,
        represent: impl FnOnce(&mut Tokens) -> bool,
    ) -> Result<Option<ExplicitStateId>, Stop> {
        self.tokens(states, state);
        let mut next = std::mem::take(&mut states.marked.next);
        next.clone_from(&states.marked.tokens);
        let found = self.represented(states, state, event, &mut next, represent);
        states.marked.next = next;
        found
    }

    fn represented(
        &self,
        states: &mut StateTable,
        state: ExplicitStateId,
        event: Option<EventId>,
        next: &mut Tokens,
        represent: impl FnOnce(&mut Tokens) -> bool,
    ) -> Result<Option<ExplicitStateId>, Stop> {
        let transition = event.and_then(|event| self.moves.net.number(event));
        if let Some(transition) = transition {
            if !states.fire(self, transition)? {
                return Ok(None);
            }
            for put in self.moves.net.puts(transition) {
                add(next, put.var, put.delta);
            }
        }
        if !represent(next) {
            return match transition {
                Some(_) => states.intern().map(Some),
                None => Ok(Some(state)),
            };
        }
        states.assign_tokens(next);
        states.pack()?;
        states.intern().map(Some)
    }

    /// Interns the state of a net with these tokens, which are in increasing order.
    pub fn with_tokens(
        &self,
        states: &mut StateTable,
        tokens: &Tokens,
    ) -> Result<ExplicitStateId, Stop> {
        states.open()?;
        let mut values: Vec<Value> = vec![0; self.system.variables.len()];
        for (var, value) in tokens {
            values[*var as usize] = *value;
        }
        states.scratch.assigned.clear();
        states.scratch.assigned.extend((0..).zip(values));
        states.pack()?;
        states.intern()
    }
}

/// Adds tokens to a place.
fn add(tokens: &mut Tokens, var: u32, delta: Value) {
    match tokens.binary_search_by_key(&var, |(var, _)| *var) {
        Ok(at) => {
            tokens[at].1 += delta;
            if tokens[at].1 == 0 {
                tokens.remove(at);
            }
        }
        Err(at) => tokens.insert(at, (var, delta)),
    }
}

impl StateTable {
    /// Assigns the places in which `next` differs from the state in focus.
    fn assign_tokens(&mut self, next: &Tokens) {
        let (assigned, old) = (&mut self.scratch.assigned, &self.marked.tokens);
        assigned.clear();
        let (mut i, mut j) = (0, 0);
        while i < old.len() || j < next.len() {
            let before = old.get(i).map_or(u32::MAX, |(var, _)| *var);
            let after = next.get(j).map_or(u32::MAX, |(var, _)| *var);
            if before < after {
                assigned.push((before, 0));
                i += 1;
                continue;
            }
            if before > after || old[i].1 != next[j].1 {
                assigned.push(next[j]);
            }
            i += usize::from(before == after);
            j += 1;
        }
    }
}
