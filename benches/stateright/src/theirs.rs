//! The register as actors of Stateright, with its tester of linearizability.

use crate::register::{Message, Protocol, Sent, State, System};
use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, Envelope, Id, Network, Out};
use stateright::semantics::register::{Register, RegisterOp, RegisterRet};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester};
use std::borrow::Cow;

/// The operations of all clients so far.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct History(LinearizabilityTester<Id, Register<char>>);

// Values are letters, so equality is reflexive.
impl Eq for History {}

impl History {
    /// A history without operations.
    pub fn new() -> History {
        History(LinearizabilityTester::new(Register(char::default())))
    }

    pub fn is_consistent(&self) -> bool {
        self.0.is_consistent()
    }

    /// Records that a client sends a message. An operation that cannot begin makes the history
    /// inconsistent.
    pub fn invoke<I>(&mut self, client: usize, message: &Message<I>) {
        let _ = match message {
            Message::Write(_, value) => self.0.on_invoke(client.into(), RegisterOp::Write(*value)),
            Message::Read(_) => self.0.on_invoke(client.into(), RegisterOp::Read),
            _ => return,
        };
    }

    /// Records that a client receives a message.
    pub fn complete<I>(&mut self, client: usize, message: &Message<I>) {
        let _ = match message {
            Message::Written(_) => self.0.on_return(client.into(), RegisterRet::WriteOk),
            Message::Value(_, value) => {
                self.0.on_return(client.into(), RegisterRet::ReadOk(*value))
            }
            _ => return,
        };
    }
}

fn send<P: Protocol>(sent: Sent<P::Internal>, out: &mut Out<System<P>>) {
    for (to, message) in sent {
        out.send(Id::from(to), message);
    }
}

impl<P: Protocol> Actor for System<P> {
    type Msg = Message<P::Internal>;
    type State = State<P::State>;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, id: Id, _: &Option<()>, out: &mut Out<Self>) -> Self::State {
        let mut sent = Vec::new();
        let state = self.start(id.into(), &mut sent);
        send(sent, out);
        state
    }

    fn on_msg(
        &self,
        id: Id,
        state: &mut Cow<'_, Self::State>,
        from: Id,
        message: Self::Msg,
        out: &mut Out<Self>,
    ) {
        let mut sent = Vec::new();
        self.receive(id.into(), state, (from.into(), &message), &mut sent);
        send(sent, out);
    }
}

/// The model of Stateright.
pub fn model<P: Protocol>(system: &System<P>) -> ActorModel<System<P>, (), History> {
    let nodes = system.servers + system.clients;
    let sends = |_: &(), history: &History, sent: Envelope<&Message<P::Internal>>| {
        if !matches!(sent.msg, Message::Write(..) | Message::Read(_)) {
            return None;
        }
        let mut history = history.clone();
        history.invoke(sent.src.into(), sent.msg);
        Some(history)
    };
    let receives = |_: &(), history: &History, received: Envelope<&Message<P::Internal>>| {
        if !matches!(received.msg, Message::Written(_) | Message::Value(..)) {
            return None;
        }
        let mut history = history.clone();
        history.complete(received.dst.into(), received.msg);
        Some(history)
    };
    ActorModel::new((), History::new())
        .actors((0..nodes).map(|_| system.clone()))
        .init_network(Network::new_unordered_nonduplicating([]))
        .property(Expectation::Always, "linearizable", |_, state| {
            state.history.is_consistent()
        })
        .record_msg_out(sends)
        .record_msg_in(receives)
}
