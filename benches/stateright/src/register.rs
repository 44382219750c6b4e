//! Clients of a register: each writes one value, then reads. Servers are given by a protocol.
//!
//! Both checkers run these functions; `theirs.rs` and `ours.rs` adapt them to their actors.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;

/// A node: servers come first, then clients.
pub type Node = usize;
/// Messages to be sent.
pub type Sent<I> = Vec<(Node, Message<I>)>;

/// A message between a client and a server, or between servers.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Message<I> {
    Write(u64, char),
    Read(u64),
    Written(u64),
    Value(u64, char),
    Internal(I),
}

/// The servers of a register.
pub trait Protocol: Clone + Send + Sync + 'static {
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    type Internal: Clone + Ord + Hash + Debug + Send + Sync;

    fn start(&self, id: Node) -> Self::State;

    /// Reacts to a message; the state stays borrowed if it does not change.
    fn receive(
        &self,
        servers: usize,
        id: Node,
        state: &mut Cow<'_, Self::State>,
        received: (Node, &Message<Self::Internal>),
        out: &mut Sent<Self::Internal>,
    );
}

/// All servers but one.
pub fn peers(servers: usize, id: Node) -> impl Iterator<Item = Node> {
    (0..servers).filter(move |peer| *peer != id)
}

/// A protocol with a number of servers and clients.
#[derive(Clone)]
pub struct System<P> {
    pub protocol: P,
    pub servers: usize,
    pub clients: usize,
}

/// The state of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum State<S> {
    Client {
        awaiting: Option<u64>,
        operations: u64,
    },
    Server(S),
}

impl<P: Protocol> System<P> {
    pub fn new(protocol: P, servers: usize, clients: usize) -> System<P> {
        System {
            protocol,
            servers,
            clients,
        }
    }

    /// The value that a client writes.
    pub fn value(&self, client: Node) -> char {
        (b'A' + (client - self.servers) as u8).into()
    }

    pub fn start(&self, id: Node, out: &mut Sent<P::Internal>) -> State<P::State> {
        if id < self.servers {
            return State::Server(self.protocol.start(id));
        }
        let request = id as u64;
        out.push((id % self.servers, Message::Write(request, self.value(id))));
        State::Client {
            awaiting: Some(request),
            operations: 1,
        }
    }

    pub fn receive(
        &self,
        id: Node,
        state: &mut Cow<'_, State<P::State>>,
        (from, message): (Node, &Message<P::Internal>),
        out: &mut Sent<P::Internal>,
    ) {
        let next = match &**state {
            State::Server(server) => {
                let mut server = Cow::Borrowed(server);
                let received = (from, message);
                self.protocol
                    .receive(self.servers, id, &mut server, received, out);
                match server {
                    Cow::Owned(server) => State::Server(server),
                    Cow::Borrowed(_) => return,
                }
            }
            State::Client {
                awaiting,
                operations,
            } => match message {
                Message::Written(request) if *awaiting == Some(*request) => {
                    let next = (operations + 1) * id as u64;
                    out.push((
                        (id + *operations as usize) % self.servers,
                        Message::Read(next),
                    ));
                    State::Client {
                        awaiting: Some(next),
                        operations: operations + 1,
                    }
                }
                Message::Value(request, _) if *awaiting == Some(*request) => State::Client {
                    awaiting: None,
                    operations: operations + 1,
                },
                _ => return,
            },
        };
        *state = Cow::Owned(next);
    }
}
