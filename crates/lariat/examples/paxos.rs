//! Paxos with one decree: two proposers, three acceptors, one value is chosen.
//!
//! Proposer `p` has the single ballot `p + 1` and its own value. `forgetful` proposers ignore the
//! values that acceptors report, and propose their own.
//!
//! ```text
//! cargo run --release -p lariat --example paxos
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Id, Out, World};
use std::collections::{BTreeMap, BTreeSet};

const PROPOSERS: usize = 2;
const ACCEPTORS: usize = 3;
const MAJORITY: usize = 2;

pub(crate) struct Paxos {
    forgetful: bool,
}

pub(crate) type Ballot = usize;
/// The last vote of an acceptor.
pub(crate) type Vote = Option<(Ballot, char)>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Preparing(BTreeMap<Id, Vote>),
    Proposing(char, BTreeSet<Id>),
    Chosen(char),
    Acceptor { promised: Ballot, vote: Vote },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Prepare(Ballot),
    Promise(Ballot, Vote),
    Propose(Ballot, char),
    Accept(Ballot),
}

fn acceptors() -> impl Iterator<Item = Id> {
    (PROPOSERS..PROPOSERS + ACCEPTORS).map(Id)
}

impl Actor for Paxos {
    type State = Node;
    type Message = Message;
    type Timer = ();

    fn start(&self, id: Id, out: &mut Out<Paxos>) -> Node {
        if id.0 >= PROPOSERS {
            let (promised, vote) = (0, None);
            return Node::Acceptor { promised, vote };
        }
        out.send_all(acceptors(), &Message::Prepare(id.0 + 1));
        Node::Preparing(BTreeMap::new())
    }

    fn receive(&self, id: Id, node: &mut Node, from: Id, message: &Message, out: &mut Out<Paxos>) {
        let own = id.0 + 1;
        match (&mut *node, *message) {
            (Node::Acceptor { promised, vote }, Message::Prepare(ballot)) if ballot > *promised => {
                *promised = ballot;
                out.send(from, Message::Promise(ballot, *vote));
            }
            (Node::Acceptor { promised, vote }, Message::Propose(b, value)) if b >= *promised => {
                (*promised, *vote) = (b, Some((b, value)));
                out.send(from, Message::Accept(b));
            }
            (Node::Preparing(promises), Message::Promise(ballot, vote)) if ballot == own => {
                promises.insert(from, vote);
                if promises.len() == MAJORITY {
                    let reported = promises.values().flatten().max();
                    let reported = reported.filter(|_| !self.forgetful);
                    let value = reported.map_or(['A', 'B'][id.0], |(_, value)| *value);
                    *node = Node::Proposing(value, BTreeSet::new());
                    out.send_all(acceptors(), &Message::Propose(own, value));
                }
            }
            (Node::Proposing(value, accepted), Message::Accept(ballot)) if ballot == own => {
                accepted.insert(from);
                if accepted.len() == MAJORITY {
                    *node = Node::Chosen(*value);
                }
            }
            _ => {}
        }
    }
}

/// The checker of the protocol.
pub(crate) fn checker(forgetful: bool) -> Checker<Actors<Paxos>> {
    let is_chosen =
        |world: &World<Paxos>, value| world.states().any(|node| *node == Node::Chosen(value));
    Checker::new(Actors::new(Paxos { forgetful }, PROPOSERS + ACCEPTORS))
        .atom("A", move |world| is_chosen(world, 'A'))
        .atom("B", move |world| is_chosen(world, 'B'))
        .fair_deliveries()
}

/// Proposers that have chosen agree.
pub(crate) const SAFETY: &str = "G !(A & B)";
/// Some value is chosen, if all messages arrive.
pub(crate) const LIVENESS: &str = "F (A | B)";

pub(crate) fn main() -> Result<(), lariat::Error> {
    println!("{}", checker(false).check(SAFETY)?);
    println!("{}", checker(false).check(LIVENESS)?);
    println!("{}", checker(true).check(SAFETY)?);
    Ok(())
}
