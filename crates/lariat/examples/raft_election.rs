//! The election of a leader in Raft: at most one leader per term.
//!
//! Three nodes; a node whose timer expires in the last term does not begin another one. `generous`
//! nodes forget that they have voted in a term.
//!
//! ```text
//! cargo run --release -p lariat --example raft_election
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Id, Out, World};
use std::collections::BTreeSet;

const NODES: usize = 3;
const TERMS: u8 = 2;

pub(crate) struct Raft {
    generous: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    term: u8,
    voted: bool,
    role: Role,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Role {
    Follower(Option<Id>),
    Candidate(BTreeSet<Id>),
    Leader,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Request(u8),
    Vote(u8),
    Heartbeat(u8),
}

impl Actor for Raft {
    type State = Node;
    type Message = Message;
    type Timer = ();

    fn start(&self, _: Id, out: &mut Out<Raft>) -> Node {
        out.set(());
        Node {
            term: 0,
            voted: false,
            role: Role::Follower(None),
        }
    }

    fn expire(&self, id: Id, node: &mut Node, (): &(), out: &mut Out<Raft>) {
        if node.role != Role::Leader && node.term < TERMS {
            node.term += 1;
            node.voted = true;
            node.role = Role::Candidate(BTreeSet::from([id]));
            out.broadcast(&Message::Request(node.term));
            out.set(());
        }
    }

    fn receive(&self, _: Id, node: &mut Node, from: Id, message: &Message, out: &mut Out<Raft>) {
        let (Message::Request(term) | Message::Vote(term) | Message::Heartbeat(term)) = *message;
        if term > node.term {
            (node.term, node.voted) = (term, false);
            node.role = Role::Follower(None);
        }
        match (message, &mut node.role) {
            _ if term < node.term => {}
            (Message::Request(_), _) if !node.voted || self.generous => {
                node.voted = true;
                out.send(from, Message::Vote(term));
            }
            (Message::Vote(_), Role::Candidate(votes)) => {
                votes.insert(from);
                if votes.len() > NODES / 2 {
                    node.role = Role::Leader;
                    out.cancel(());
                    out.broadcast(&Message::Heartbeat(term));
                }
            }
            (Message::Heartbeat(_), _) => node.role = Role::Follower(Some(from)),
            _ => {}
        }
    }
}

/// The number of leaders in a term.
fn leaders(world: &World<Raft>, term: u8) -> usize {
    let leads = |node: &&Node| node.role == Role::Leader && node.term == term;
    world.states().filter(leads).count()
}

/// The checker of the protocol.
pub(crate) fn checker(generous: bool) -> Checker<Actors<Raft>> {
    let knows = |node: &Node| matches!(node.role, Role::Leader | Role::Follower(Some(_)));
    Checker::new(Actors::new(Raft { generous }, NODES))
        .atom("two leaders", |w| (1..=TERMS).any(|t| leaders(w, t) > 1))
        .atom("elected", |world| leaders(world, TERMS) > 0)
        .atom("known", move |world| world.states().all(knows))
        .fair_deliveries()
        .fair_timers()
}

/// No term has two leaders.
pub(crate) const SAFETY: &str = r#"G !"two leaders""#;
/// All nodes get to know the leader of the last term.
pub(crate) const LIVENESS: &str = "G (elected -> F known)";

pub(crate) fn main() -> Result<(), lariat::Error> {
    println!("{}", checker(false).check(SAFETY)?);
    println!("{}", checker(false).check(LIVENESS)?);
    println!("{}", checker(true).check(SAFETY)?);
    Ok(())
}
