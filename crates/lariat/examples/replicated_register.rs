//! A register on three replicas, of which one may crash: reads do not go back in time.
//!
//! One writer writes 1; a reader reads twice, each time from a majority. Attiya, Bar-Noy and Dolev
//! let the reader write back the value that it has found before it returns. A `hasty` reader does
//! not. Messages between two nodes stay in order.
//!
//! ```text
//! cargo run -p lariat --example replicated_register
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Id, Out, World};

const WRITER: Id = Id(0);
const READER: Id = Id(1);
const MAJORITY: usize = 2;

pub(crate) struct Register {
    hasty: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Replica(u8),
    Writer { acks: usize },
    Reader { results: Vec<u8>, phase: Phase },
}

/// The phase of a read: values are being collected, or the largest one is being written back.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Phase {
    Query { answers: usize, largest: u8 },
    WriteBack { acks: usize, value: u8 },
    Done,
}

/// Every message to a replica has a number, which its answer repeats.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Read(usize),
    Value(usize, u8),
    Write(usize, u8),
    Ack(usize),
}

fn replicas() -> impl Iterator<Item = Id> {
    (2..5).map(Id)
}

fn query(results: Vec<u8>, out: &mut Out<Register>) -> Node {
    out.send_all(replicas(), &Message::Read(results.len()));
    let (answers, largest) = (0, 0);
    let phase = Phase::Query { answers, largest };
    Node::Reader { results, phase }
}

/// Ends a read.
fn finish(mut results: Vec<u8>, value: u8, out: &mut Out<Register>) -> Node {
    results.push(value);
    if results.len() < 2 {
        return query(results, out);
    }
    let phase = Phase::Done;
    Node::Reader { results, phase }
}

impl Actor for Register {
    type State = Node;
    type Message = Message;
    type Timer = ();

    fn start(&self, id: Id, out: &mut Out<Register>) -> Node {
        match id {
            WRITER => {
                out.send_all(replicas(), &Message::Write(0, 1));
                Node::Writer { acks: 0 }
            }
            READER => query(Vec::new(), out),
            _ => Node::Replica(0),
        }
    }

    fn receive(
        &self,
        _: Id,
        node: &mut Node,
        from: Id,
        message: &Message,
        out: &mut Out<Register>,
    ) {
        match (&mut *node, message) {
            (Node::Replica(value), Message::Read(n)) => out.send(from, Message::Value(*n, *value)),
            (Node::Replica(value), Message::Write(n, new)) => {
                *value = (*value).max(*new);
                out.send(from, Message::Ack(*n));
            }
            (Node::Writer { acks }, Message::Ack(_)) => *acks += 1,
            (Node::Reader { results, phase }, message) => match (phase, message) {
                (Phase::Query { answers, largest }, Message::Value(n, value))
                    if *n == results.len() =>
                {
                    *answers += 1;
                    *largest = (*largest).max(*value);
                    let (enough, value) = (*answers == MAJORITY, *largest);
                    if enough && self.hasty {
                        *node = finish(results.clone(), value, out);
                    } else if enough {
                        out.send_all(replicas(), &Message::Write(*n, value));
                        let (results, acks) = (results.clone(), 0);
                        let phase = Phase::WriteBack { acks, value };
                        *node = Node::Reader { results, phase };
                    }
                }
                (Phase::WriteBack { acks, value }, Message::Ack(n)) if *n == results.len() => {
                    *acks += 1;
                    if *acks == MAJORITY {
                        *node = finish(results.clone(), *value, out);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// The checker of the protocol.
pub(crate) fn checker(hasty: bool) -> Checker<Actors<Register>> {
    let name = |id| match id {
        WRITER => "writer".to_owned(),
        READER => "reader".to_owned(),
        Id(i) => format!("replica {}", i - 2),
    };
    let results = |world: &World<Register>| match &world[READER] {
        Node::Reader { results, .. } => results.clone(),
        _ => Vec::new(),
    };
    let mut checker = Checker::new(
        Actors::new(Register { hasty }, 5)
            .in_order()
            .crashing(1)
            .named(name),
    )
    .atom("goes back", move |world| results(world) == [1, 0])
    .atom("clients up", |world| {
        world.is_up(WRITER) && world.is_up(READER)
    })
    .atom("read twice", move |world| results(world).len() == 2);
    for id in (0..5).map(Id) {
        let class = format!("deliveries to {}", id.0);
        checker = checker.weak_fairness(&class, move |_, event| event.delivers_to(id));
    }
    checker
}

/// The second read returns no older value than the first one.
pub(crate) const SAFETY: &str = r#"G !"goes back""#;
/// Reads end although a replica may crash.
pub(crate) const LIVENESS: &str = r#"G "clients up" -> F "read twice""#;

fn main() -> Result<(), lariat::Error> {
    // A protocol with a bug may violate both; one is enough to find it.
    for (hasty, formulas) in [(false, &[SAFETY, LIVENESS][..]), (true, &[SAFETY])] {
        println!("hasty reader: {hasty}");
        for formula in formulas {
            println!("{}", checker(hasty).check(formula)?);
        }
    }
    Ok(())
}
