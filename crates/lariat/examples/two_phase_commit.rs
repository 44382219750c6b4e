//! Two-phase commit: all participants of a transaction commit, or none does.
//!
//! The coordinator asks every participant, collects votes, and announces the decision. With
//! `impatient` participants one that has voted yes does not wait for the decision and aborts.
//!
//! ```text
//! cargo run -p lariat --example two_phase_commit
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Event, Id, Out, World};

const COORDINATOR: Id = Id(0);

pub(crate) struct Commit {
    participants: usize,
    impatient: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Collecting { yes: Vec<Id> },
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Vote(bool),
    Decide(bool),
}

/// A participant finishes its part of the work, or loses its patience.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Timer {
    Finish,
    Fail,
}

impl Commit {
    fn decide(&self, commit: bool, out: &mut Out<Commit>) -> Node {
        out.send_all((1..=self.participants).map(Id), &Message::Decide(commit));
        if commit {
            Node::Committed
        } else {
            Node::Aborted
        }
    }
}

impl Actor for Commit {
    type State = Node;
    type Message = Message;
    type Timer = Timer;

    fn start(&self, id: Id, out: &mut Out<Commit>) -> Node {
        if id == COORDINATOR {
            return Node::Collecting { yes: Vec::new() };
        }
        out.set(Timer::Finish);
        out.set(Timer::Fail);
        Node::Working
    }

    fn receive(&self, _: Id, node: &mut Node, from: Id, message: &Message, out: &mut Out<Commit>) {
        *node = match (&mut *node, message) {
            (Node::Collecting { .. }, Message::Vote(false)) => self.decide(false, out),
            (Node::Collecting { yes }, Message::Vote(true)) => {
                yes.push(from);
                yes.sort();
                if yes.len() < self.participants {
                    return;
                }
                self.decide(true, out)
            }
            (Node::Working | Node::Prepared, Message::Decide(commit)) => {
                out.cancel(Timer::Finish);
                out.cancel(Timer::Fail);
                if *commit {
                    Node::Committed
                } else {
                    Node::Aborted
                }
            }
            _ => return,
        };
    }

    fn expire(&self, _: Id, node: &mut Node, timer: &Timer, out: &mut Out<Commit>) {
        if *timer == Timer::Finish {
            out.send(COORDINATOR, Message::Vote(true));
            if !self.impatient {
                out.cancel(Timer::Fail);
            }
            *node = Node::Prepared;
        } else {
            out.send(COORDINATOR, Message::Vote(false));
            out.cancel(Timer::Finish);
            *node = Node::Aborted;
        }
    }
}

/// The checker of the protocol.
pub(crate) fn checker(participants: usize, impatient: bool) -> Checker<Actors<Commit>> {
    let model = Commit {
        participants,
        impatient,
    };
    let name = |id| match id {
        COORDINATOR => "coordinator".to_owned(),
        Id(i) => format!("participant {i}"),
    };
    let some = |world: &World<Commit>, node: Node| world.states().any(|state| *state == node);
    let is_done = |node: &Node| matches!(node, Node::Committed | Node::Aborted);
    let mut checker = Checker::new(Actors::new(model, participants + 1).named(name))
        .atom("commit", move |world| some(world, Node::Committed))
        .atom("abort", move |world| some(world, Node::Aborted))
        .atom("done", move |world| world.states().all(is_done))
        .weak_fairness("timers", |_, event| matches!(event, Event::Expire(..)));
    for id in (0..=participants).map(Id) {
        let class = format!("deliveries to {}", id.0);
        checker = checker.weak_fairness(&class, move |_, event| event.delivers_to(id));
    }
    checker
}

/// No participant commits while another aborts.
pub(crate) const SAFETY: &str = "G !(commit & abort)";
/// Every node learns the decision.
pub(crate) const LIVENESS: &str = "F done";

fn main() -> Result<(), lariat::Error> {
    for impatient in [false, true] {
        println!("impatient participants: {impatient}");
        for formula in [SAFETY, LIVENESS] {
            println!("{}", checker(3, impatient).check(formula)?);
        }
    }
    Ok(())
}
