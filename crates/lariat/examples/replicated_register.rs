//! A register on three replicas, of which one may crash: reads do not go back in time.
//!
//! The writer writes 1; the reader reads twice, each time the largest value of a majority. Before a
//! read returns, the reader writes the value back (H. Attiya, A. Bar-Noy, D. Dolev, *Sharing memory
//! robustly in message-passing systems*, 1995). A `hasty` reader does not.
//!
//! ```text
//! cargo run --release -p lariat --example replicated_register
//! ```

use lariat::modelling::Checker;
use lariat::modelling::actors::{Actor, Actors, Id, Out, World};

const WRITER: Id = Id(0);
const READER: Id = Id(1);
const REPLICAS: [Id; 3] = [Id(2), Id(3), Id(4)];

pub(crate) struct Register {
    hasty: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Replica(u8),
    Writer,
    Reader(Reader),
}

/// A reader with the answers to its last request: each read is a request, and each write-back.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reader {
    request: u8,
    answers: usize,
    largest: u8,
    results: Vec<u8>,
}

/// A message to a replica has the number of the request, which its answer repeats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    Read(u8),
    Write(u8, u8),
    Value(u8, u8),
}

impl Actor for Register {
    type State = Node;
    type Message = Message;
    type Timer = ();

    fn start(&self, id: Id, out: &mut Out<Register>) -> Node {
        match id {
            WRITER => {
                out.send_all(REPLICAS, &Message::Write(0, 1));
                Node::Writer
            }
            READER => {
                out.send_all(REPLICAS, &Message::Read(0));
                Node::Reader(Reader::default())
            }
            _ => Node::Replica(0),
        }
    }

    fn receive(&self, _: Id, node: &mut Node, from: Id, got: &Message, out: &mut Out<Register>) {
        match (node, *got) {
            (Node::Replica(value), Message::Read(n)) => out.send(from, Message::Value(n, *value)),
            (Node::Replica(value), Message::Write(n, new)) => {
                *value = new.max(*value);
                out.send(from, Message::Value(n, *value));
            }
            (Node::Reader(reader), Message::Value(n, value)) if n == reader.request => {
                // A write-back does not change the result.
                let is_read = n % 2 == 0 || self.hasty;
                if is_read {
                    reader.largest = reader.largest.max(value);
                }
                reader.answers += 1;
                if reader.answers < REPLICAS.len().div_ceil(2) {
                    return;
                }
                (reader.answers, reader.request) = (0, n + 1);
                if is_read && !self.hasty {
                    return out.send_all(REPLICAS, &Message::Write(n + 1, reader.largest));
                }
                reader.results.push(std::mem::take(&mut reader.largest));
                if reader.results.len() < 2 {
                    out.send_all(REPLICAS, &Message::Read(n + 1));
                }
            }
            _ => {}
        }
    }
}

/// The checker of the protocol.
pub(crate) fn checker(hasty: bool) -> Checker<Actors<Register>> {
    let results = |world: &World<Register>| match &world[READER] {
        Node::Reader(reader) => reader.results.clone(),
        _ => Vec::new(),
    };
    let actors = Actors::new(Register { hasty }, 5).in_order().crashing(1);
    Checker::new(actors)
        .atom("goes back", move |world| results(world) == [1, 0])
        .atom("read twice", move |world| results(world).len() == 2)
        .atom("reader up", |world| world.is_up(READER))
        .fair_deliveries()
}

/// The second read returns no older value than the first one.
pub(crate) const SAFETY: &str = r#"G !"goes back""#;
/// Reads end although a replica may crash.
pub(crate) const LIVENESS: &str = r#"G "reader up" -> F "read twice""#;

pub(crate) fn main() -> Result<(), lariat::Error> {
    println!("{}", checker(false).check(SAFETY)?);
    println!("{}", checker(false).check(LIVENESS)?);
    println!("{}", checker(true).check(SAFETY)?);
    Ok(())
}
