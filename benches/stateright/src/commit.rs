//! Two-phase commit with a number of resource managers, and the set of messages sent so far.

use stateright::{Model, Property};
use std::collections::BTreeSet;

/// Bits of a packed state per manager: two for its state, one each for what the transaction manager
/// knows of it and for its message.
const BITS: usize = 4;

/// The number of resource managers.
#[derive(Clone)]
pub struct Commit(pub usize);

/// A state of the protocol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    managers: Vec<Manager>,
    transaction: Transaction,
    known: Vec<bool>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Transaction {
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Message {
    Prepared(usize),
    Commit,
    Abort,
}

/// A step of the protocol.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    Commit,
    Abort,
    Learn(usize),
    Prepare(usize),
    GiveUp(usize),
    ObeyCommit(usize),
    ObeyAbort(usize),
}

/// Returns whether no manager has committed while another has aborted.
pub fn is_consistent(state: &State) -> bool {
    let has = |manager| state.managers.contains(&manager);
    !(has(Manager::Committed) && has(Manager::Aborted))
}

impl Model for Commit {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            managers: vec![Manager::Working; self.0],
            transaction: Transaction::Open,
            known: vec![false; self.0],
            messages: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let is_open = state.transaction == Transaction::Open;
        if is_open && state.known.iter().all(|known| *known) {
            steps.push(Step::Commit);
        }
        if is_open {
            steps.push(Step::Abort);
        }
        for i in 0..self.0 {
            if is_open && state.messages.contains(&Message::Prepared(i)) {
                steps.push(Step::Learn(i));
            }
            if state.managers[i] == Manager::Working {
                steps.extend([Step::Prepare(i), Step::GiveUp(i)]);
            }
            if state.messages.contains(&Message::Commit) {
                steps.push(Step::ObeyCommit(i));
            }
            if state.messages.contains(&Message::Abort) {
                steps.push(Step::ObeyAbort(i));
            }
        }
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let mut next = state.clone();
        match step {
            Step::Commit => {
                next.transaction = Transaction::Committed;
                next.messages.insert(Message::Commit);
            }
            Step::Abort => {
                next.transaction = Transaction::Aborted;
                next.messages.insert(Message::Abort);
            }
            Step::Learn(i) => next.known[i] = true,
            Step::Prepare(i) => {
                next.managers[i] = Manager::Prepared;
                next.messages.insert(Message::Prepared(i));
            }
            Step::GiveUp(i) => next.managers[i] = Manager::Aborted,
            Step::ObeyCommit(i) => next.managers[i] = Manager::Committed,
            Step::ObeyAbort(i) => next.managers[i] = Manager::Aborted,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state| {
            is_consistent(state)
        })]
    }
}

/// The model for Lariat, with states packed into a number.
impl lariat::modelling::Model for Commit {
    type State = State;
    type Action = Step;

    fn initial(&self) -> Vec<State> {
        self.init_states()
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        Model::actions(self, state, steps);
    }

    fn next(&self, state: &State, step: &Step) -> Option<State> {
        self.next_state(state, step.clone())
    }

    fn pack(&self, state: &State, bytes: &mut Vec<u8>) -> bool {
        let mut bits = state.transaction as u64;
        for (manager, known) in state.managers.iter().zip(&state.known) {
            bits = bits << BITS | (*manager as u64) << 2 | u64::from(*known) << 1;
        }
        bits <<= 2;
        for message in &state.messages {
            bits |= match message {
                Message::Prepared(i) => 1 << (2 + BITS * (self.0 - 1 - i)),
                Message::Commit => 1,
                Message::Abort => 2,
            };
        }
        bytes.extend(bits.to_le_bytes());
        true
    }

    fn unpack(&self, bytes: &[u8]) -> Option<State> {
        let bits = u64::from_le_bytes(bytes.try_into().ok()?);
        let of = |i: usize| bits >> (2 + BITS * (self.0 - 1 - i));
        let manager = |i| match of(i) >> 2 & 3 {
            0 => Manager::Working,
            1 => Manager::Prepared,
            2 => Manager::Committed,
            _ => Manager::Aborted,
        };
        let prepared = (0..self.0).filter(|i| of(*i) & 1 == 1);
        let mut messages: BTreeSet<Message> = prepared.map(Message::Prepared).collect();
        messages.extend((bits & 1 == 1).then_some(Message::Commit));
        messages.extend((bits & 2 == 2).then_some(Message::Abort));
        Some(State {
            managers: (0..self.0).map(manager).collect(),
            transaction: match bits >> (2 + BITS * self.0) {
                0 => Transaction::Open,
                1 => Transaction::Committed,
                _ => Transaction::Aborted,
            },
            known: (0..self.0).map(|i| of(i) >> 1 & 1 == 1).collect(),
            messages,
        })
    }
}
