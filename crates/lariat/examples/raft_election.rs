//! The election of a leader in Raft: at most one leader per term.
//!
//! Three nodes, and as many terms as given: a node whose timer expires in the last term does not
//! begin another one. `generous` nodes forget that they have voted in a term.
//!
//! ```text
//! cargo run -p lariat --example raft_election
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Event, Id, Out, World};

const NODES: usize = 3;
const MAJORITY: usize = 2;

pub(crate) struct Raft {
    terms: u8,
    generous: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    term: u8,
    voted: Option<Id>,
    role: Role,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Role {
    Follower { leader: Option<Id> },
    Candidate { votes: Vec<Id> },
    Leader,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Request(u8),
    Vote(u8),
    Heartbeat(u8),
}

fn others(id: Id) -> impl Iterator<Item = Id> {
    (0..NODES).map(Id).filter(move |other| *other != id)
}

impl Actor for Raft {
    type State = Node;
    type Message = Message;
    type Timer = ();

    fn start(&self, _: Id, out: &mut Out<Raft>) -> Node {
        out.set(());
        Node {
            term: 0,
            voted: None,
            role: Role::Follower { leader: None },
        }
    }

    fn expire(&self, id: Id, node: &mut Node, (): &(), out: &mut Out<Raft>) {
        if node.role == Role::Leader || node.term == self.terms {
            return;
        }
        node.term += 1;
        node.voted = Some(id);
        node.role = Role::Candidate { votes: vec![id] };
        out.send_all(others(id), &Message::Request(node.term));
        out.set(());
    }

    fn receive(&self, id: Id, node: &mut Node, from: Id, message: &Message, out: &mut Out<Raft>) {
        let (Message::Request(term) | Message::Vote(term) | Message::Heartbeat(term)) = message;
        if *term > node.term {
            node.term = *term;
            node.voted = None;
            node.role = Role::Follower { leader: None };
        }
        if *term < node.term {
            return;
        }
        match (message, &mut node.role) {
            (Message::Request(_), _) if node.voted.is_none() || self.generous => {
                node.voted = Some(from);
                out.send(from, Message::Vote(*term));
            }
            (Message::Vote(_), Role::Candidate { votes }) => {
                votes.push(from);
                votes.sort();
                if votes.len() == MAJORITY {
                    node.role = Role::Leader;
                    out.cancel(());
                    out.send_all(others(id), &Message::Heartbeat(*term));
                }
            }
            (Message::Heartbeat(_), _) => node.role = Role::Follower { leader: Some(from) },
            _ => {}
        }
    }
}

/// Nodes that lead, with their terms.
fn leaders(world: &World<Raft>) -> impl Iterator<Item = u8> {
    let leaders = world.states().filter(|node| node.role == Role::Leader);
    leaders.map(|node| node.term)
}

/// The checker of the protocol.
pub(crate) fn checker(terms: u8, generous: bool) -> Checker<Actors<Raft>> {
    Checker::new(Actors::new(Raft { terms, generous }, NODES))
        .atom("two leaders", |world| {
            let mut terms: Vec<u8> = leaders(world).collect();
            terms.sort_unstable();
            terms.windows(2).any(|pair| pair[0] == pair[1])
        })
        .atom("elected", move |world| {
            leaders(world).any(|term| term == terms)
        })
        .atom("known", |world| {
            let knows = |node: &Node| match node.role {
                Role::Follower { leader } => leader.is_some(),
                Role::Leader => true,
                Role::Candidate { .. } => false,
            };
            world.states().all(knows)
        })
        .weak_fairness("deliveries", |_, event| event.delivers())
        .weak_fairness("timers", |_, event| matches!(event, Event::Expire(..)))
}

/// No term has two leaders.
pub(crate) const SAFETY: &str = r#"G !"two leaders""#;
/// All nodes get to know the leader of the last term.
pub(crate) const LIVENESS: &str = "G (elected -> F known)";

fn main() -> Result<(), lariat::Error> {
    // A protocol with a bug may violate both; one is enough to find it.
    for (generous, formulas) in [(false, &[SAFETY, LIVENESS][..]), (true, &[SAFETY])] {
        println!("generous voters: {generous}");
        for formula in formulas {
            println!("{}", checker(2, generous).check(formula)?);
        }
    }
    Ok(())
}
