//! Paxos with one decree: two proposers, three acceptors, one value is chosen.
//!
//! Proposer `p` has the single ballot `p + 1` and its own value. `forgetful` proposers ignore the
//! values that acceptors report, and propose their own.
//!
//! ```text
//! cargo run -p lariat --example paxos
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Id, Out, World};

const PROPOSERS: usize = 2;
const ACCEPTORS: usize = 3;
const MAJORITY: usize = 2;

pub(crate) type Ballot = u8;
/// The last vote of an acceptor: ballot and value.
pub(crate) type Vote = Option<(Ballot, char)>;

pub(crate) struct Paxos {
    forgetful: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Preparing { promises: Vec<(Id, Vote)> },
    Proposing { value: char, accepted: Vec<Id> },
    Chosen(char),
    Acceptor { promised: Ballot, vote: Vote },
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
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
        out.send_all(acceptors(), &Message::Prepare(id.0 as Ballot + 1));
        Node::Preparing {
            promises: Vec::new(),
        }
    }

    fn receive(&self, id: Id, node: &mut Node, from: Id, message: &Message, out: &mut Out<Paxos>) {
        let own = id.0 as Ballot + 1;
        match (&mut *node, message) {
            (Node::Acceptor { promised, vote }, Message::Prepare(ballot)) if ballot > promised => {
                *promised = *ballot;
                out.send(from, Message::Promise(*ballot, *vote));
            }
            (Node::Acceptor { promised, vote }, Message::Propose(ballot, value))
                if ballot >= promised =>
            {
                (*promised, *vote) = (*ballot, Some((*ballot, *value)));
                out.send(from, Message::Accept(*ballot));
            }
            (Node::Preparing { promises }, Message::Promise(ballot, vote)) if *ballot == own => {
                promises.push((from, *vote));
                promises.sort();
                if promises.len() == MAJORITY {
                    let reported = promises.iter().filter_map(|(_, vote)| *vote).max();
                    let reported = reported.filter(|_| !self.forgetful);
                    let value = reported.map_or((b'A' + id.0 as u8).into(), |(_, value)| value);
                    let accepted = Vec::new();
                    *node = Node::Proposing { value, accepted };
                    out.send_all(acceptors(), &Message::Propose(own, value));
                }
            }
            (Node::Proposing { value, accepted }, Message::Accept(ballot)) if *ballot == own => {
                accepted.push(from);
                accepted.sort();
                if accepted.len() == MAJORITY {
                    *node = Node::Chosen(*value);
                }
            }
            _ => {}
        }
    }
}

fn chosen(world: &World<Paxos>) -> impl Iterator<Item = char> {
    world.states().filter_map(|node| match node {
        Node::Chosen(value) => Some(*value),
        _ => None,
    })
}

/// The checker of the protocol.
pub(crate) fn checker(forgetful: bool) -> Checker<Actors<Paxos>> {
    let name = |id: Id| match id.0.checked_sub(PROPOSERS) {
        None => format!("proposer {}", id.0),
        Some(i) => format!("acceptor {i}"),
    };
    Checker::new(Actors::new(Paxos { forgetful }, PROPOSERS + ACCEPTORS).named(name))
        .atom("chosen", |world| chosen(world).next().is_some())
        .atom("disagree", |world| {
            let mut values = chosen(world);
            let first = values.next();
            values.any(|value| Some(value) != first)
        })
        .weak_fairness("deliveries", |_, event| event.delivers())
}

/// Proposers that have chosen agree.
pub(crate) const SAFETY: &str = "G !disagree";
/// Some value is chosen, if all messages arrive.
pub(crate) const LIVENESS: &str = "F chosen";

fn main() -> Result<(), lariat::Error> {
    for forgetful in [false, true] {
        println!("forgetful proposers: {forgetful}");
        for formula in [SAFETY, LIVENESS] {
            println!("{}", checker(forgetful).check(formula)?);
        }
    }
    Ok(())
}
