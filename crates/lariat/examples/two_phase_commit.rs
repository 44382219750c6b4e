//! Two-phase commit: all participants of a transaction commit, or none does.
//!
//! The coordinator collects the votes of all participants and announces the decision. An
//! `impatient` participant that has voted yes does not wait for the decision and aborts.
//!
//! ```text
//! cargo run --release -p lariat --example two_phase_commit
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Id, Out, World};
use std::collections::BTreeSet;

const COORDINATOR: Id = Id(0);
const PARTICIPANTS: usize = 3;

pub(crate) struct Commit {
    impatient: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Collecting(BTreeSet<Id>),
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Yes,
    No,
    Commit,
    Abort,
}

/// A participant finishes its part of the work, or gives up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Timer {
    Finish,
    GiveUp,
}

impl Actor for Commit {
    type State = Node;
    type Message = Message;
    type Timer = Timer;

    fn start(&self, id: Id, out: &mut Out<Commit>) -> Node {
        if id == COORDINATOR {
            return Node::Collecting(BTreeSet::new());
        }
        out.set(Timer::Finish);
        out.set(Timer::GiveUp);
        Node::Working
    }

    fn receive(&self, _: Id, node: &mut Node, from: Id, message: &Message, out: &mut Out<Commit>) {
        match (&mut *node, message) {
            (Node::Collecting(yes), Message::Yes) => {
                yes.insert(from);
                if yes.len() == PARTICIPANTS {
                    *node = Node::Committed;
                    out.broadcast(&Message::Commit);
                }
            }
            (Node::Collecting(_), Message::No) => {
                *node = Node::Aborted;
                out.broadcast(&Message::Abort);
            }
            (Node::Working | Node::Prepared, Message::Commit) => *node = Node::Committed,
            (Node::Working | Node::Prepared, Message::Abort) => *node = Node::Aborted,
            _ => {}
        }
    }

    fn expire(&self, _: Id, node: &mut Node, timer: &Timer, out: &mut Out<Commit>) {
        match (&mut *node, timer) {
            (Node::Working, Timer::Finish) => {
                *node = Node::Prepared;
                out.send(COORDINATOR, Message::Yes);
            }
            (Node::Working, Timer::GiveUp) => {
                *node = Node::Aborted;
                out.send(COORDINATOR, Message::No);
            }
            (Node::Prepared, Timer::GiveUp) if self.impatient => *node = Node::Aborted,
            _ => {}
        }
    }
}

/// The checker of the protocol.
pub(crate) fn checker(impatient: bool) -> Checker<Actors<Commit>> {
    let name = |id| match id {
        COORDINATOR => "coordinator".to_owned(),
        Id(i) => format!("participant {i}"),
    };
    let some = |world: &World<Commit>, node: Node| world.states().any(|state| *state == node);
    let is_done = |node: &Node| matches!(node, Node::Committed | Node::Aborted);
    Checker::new(Actors::new(Commit { impatient }, PARTICIPANTS + 1).named(name))
        .atom("commit", move |world| some(world, Node::Committed))
        .atom("abort", move |world| some(world, Node::Aborted))
        .atom("done", move |world| world.states().all(is_done))
        .fair_deliveries()
        .fair_timers()
}

/// No participant commits while another aborts.
pub(crate) const SAFETY: &str = "G !(commit & abort)";
/// Every node learns the decision.
pub(crate) const LIVENESS: &str = "F done";

pub(crate) fn main() -> Result<(), lariat::Error> {
    println!("{}", checker(false).check(SAFETY)?);
    println!("{}", checker(false).check(LIVENESS)?);
    println!("{}", checker(true).check(SAFETY)?);
    Ok(())
}
