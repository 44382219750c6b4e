//! Two-phase commit with a number of resource managers, and the set of messages sent so far.

use stateright::{Model, Property};
use std::collections::BTreeSet;

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
