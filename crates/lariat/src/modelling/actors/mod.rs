//! Message-passing protocols: nodes with a state, messages and timers, on a network.
//!
//! An [`Actor`] says how a node reacts; [`Actors`] is the [`Model`] of several nodes
//! on a network that may reorder, lose or duplicate messages, and of which some nodes may crash.
//!
//! ```
//! use lariat::modelling::Checker;
//! use lariat::modelling::actors::{Actor, Actors, Id, Out};
//!
//! /// Node 0 asks, node 1 answers.
//! struct Ask;
//!
//! impl Actor for Ask {
//!     type State = bool;
//!     type Message = &'static str;
//!     type Timer = ();
//!
//!     fn start(&self, id: Id, out: &mut Out<Self>) -> bool {
//!         if id == Id(0) {
//!             out.send(Id(1), "ping");
//!         }
//!         false
//!     }
//!
//!     fn receive(&self, id: Id, state: &mut bool, from: Id, _: &&'static str, out: &mut Out<Self>) {
//!         *state = true;
//!         if id == Id(1) {
//!             out.send(from, "pong");
//!         }
//!     }
//! }
//!
//! let asked = |actors: Actors<Ask>| Checker::new(actors).atom("answered", |w| w[Id(0)]);
//! let reliable = asked(Actors::new(Ask, 2));
//! assert_eq!(reliable.check("F answered")?.holds(), Some(true));
//! let lossy = asked(Actors::new(Ask, 2).losing());
//! let report = lossy.check("F answered")?;
//! assert!(report.to_string().contains(r#"Lose(0→1 "ping")"#));
//! # Ok::<(), lariat::Error>(())
//! ```

mod network;
mod world;

pub use network::{Envelope, Order};
pub use world::World;

use super::{Checker, Message, Model};
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::sync::Arc;
use world::{Node, Tables};

/// A node, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id(pub usize);

/// The behaviour of all nodes of a protocol; nodes with different roles are told apart by their
/// ids.
pub trait Actor: Send + Sync + Sized + 'static {
    /// The state of a node.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// A message.
    type Message: Clone + Ord + Hash + Debug + Send + Sync;
    /// A timer; `()` if there is at most one kind.
    type Timer: Clone + Ord + Hash + Debug + Send + Sync;

    /// The first state of a node.
    fn start(&self, id: Id, out: &mut Out<Self>) -> Self::State;

    /// Reacts to a message.
    fn receive(
        &self,
        id: Id,
        state: &mut Self::State,
        from: Id,
        message: &Self::Message,
        out: &mut Out<Self>,
    );

    /// Reacts to a timer that has expired, which is no longer set.
    fn expire(
        &self,
        _id: Id,
        _state: &mut Self::State,
        _timer: &Self::Timer,
        _out: &mut Out<Self>,
    ) {
    }

    /// The state of a node after a restart, from its state before the crash: by default all is
    /// lost.
    fn restart(&self, id: Id, _before: &Self::State, out: &mut Out<Self>) -> Self::State {
        self.start(id, out)
    }
}

/// The output of a node: messages to send and timers to set.
pub struct Out<A: Actor> {
    /// The node, and the number of all nodes.
    id: Id,
    nodes: usize,
    messages: Vec<(Id, A::Message)>,
    timers: Vec<(A::Timer, bool)>,
}

impl<A: Actor> Out<A> {
    fn new(id: Id, nodes: usize) -> Out<A> {
        Out {
            id,
            nodes,
            messages: Vec::new(),
            timers: Vec::new(),
        }
    }

    /// Sends a message to a node, which may be the sender.
    pub fn send(&mut self, to: Id, message: A::Message) {
        self.messages.push((to, message));
    }

    /// Sends a message to several nodes.
    pub fn send_all(&mut self, to: impl IntoIterator<Item = Id>, message: &A::Message) {
        let messages = to.into_iter().map(|to| (to, message.clone()));
        self.messages.extend(messages);
    }

    /// Sends a message to all other nodes.
    pub fn broadcast(&mut self, message: &A::Message) {
        let id = self.id;
        let others = (0..self.nodes).map(Id).filter(|other| *other != id);
        self.send_all(others, message);
    }

    /// Sets a timer, which may expire at any time from now on.
    pub fn set(&mut self, timer: A::Timer) {
        self.timers.push((timer, true));
    }

    /// Cancels a timer.
    pub fn cancel(&mut self, timer: A::Timer) {
        self.timers.push((timer, false));
    }
}

/// A step of a protocol.
#[derive(Clone, PartialEq, Eq)]
pub enum Event<M, T> {
    /// A node receives a message.
    Deliver(Envelope<M>),
    /// A node receives a message that will be delivered once more.
    Duplicate(Envelope<M>),
    /// The network loses a message.
    Lose(Envelope<M>),
    /// A timer of a node expires.
    Expire(Id, T),
    /// A node crashes.
    Crash(Id),
    /// A node that has crashed starts again.
    Restart(Id),
}

impl<M, T> Event<M, T> {
    /// The node that acts; `None` if the network loses a message.
    pub fn node(&self) -> Option<Id> {
        match self {
            Event::Deliver(envelope) | Event::Duplicate(envelope) => Some(envelope.to),
            Event::Lose(_) => None,
            Event::Expire(id, _) | Event::Crash(id) | Event::Restart(id) => Some(*id),
        }
    }

    /// Returns whether a message is delivered.
    pub fn delivers(&self) -> bool {
        matches!(self, Event::Deliver(_))
    }

    /// Returns whether a message is delivered to this node.
    pub fn delivers_to(&self, id: Id) -> bool {
        matches!(self, Event::Deliver(envelope) if envelope.to == id)
    }
}

impl<M: Debug, T: Debug> Debug for Event<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Deliver(envelope) => write!(f, "Deliver({envelope:?})"),
            Event::Duplicate(envelope) => write!(f, "Duplicate({envelope:?})"),
            Event::Lose(envelope) => write!(f, "Lose({envelope:?})"),
            Event::Expire(id, timer) => write!(f, "Expire({}: {timer:?})", id.0),
            Event::Crash(id) => write!(f, "Crash({})", id.0),
            Event::Restart(id) => write!(f, "Restart({})", id.0),
        }
    }
}

/// Nodes of one protocol on a network.
pub struct Actors<A: Actor> {
    actor: A,
    nodes: usize,
    order: Order,
    loses: bool,
    duplicates: bool,
    crashes: usize,
    restarts: bool,
    names: Vec<String>,
    tables: Arc<Tables<A>>,
}

impl<A: Actor> Actors<A> {
    /// A number of nodes on a network that delivers every message once, in any order.
    pub fn new(actor: A, nodes: usize) -> Actors<A> {
        Actors {
            actor,
            nodes,
            order: Order::Any,
            loses: false,
            duplicates: false,
            crashes: 0,
            restarts: false,
            names: (0..nodes).map(|id| format!("node {id}")).collect(),
            tables: Arc::new(Tables::new()),
        }
    }

    /// The behaviour of the nodes.
    pub fn actor(&self) -> &A {
        &self.actor
    }

    /// The ids of all nodes.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<A> {
        (0..self.nodes).map(Id)
    }

    /// Delivers messages from one node to another in the order in which they were sent.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.order = Order::PerChannel;
        self
    }

    /// Lets the network lose messages.
    #[must_use]
    pub fn losing(mut self) -> Self {
        self.loses = true;
        self
    }

    /// Lets the network deliver messages any number of times.
    #[must_use]
    pub fn duplicating(mut self) -> Self {
        self.duplicates = true;
        self
    }

    /// Lets up to `count` crashes happen, after which a node does nothing and loses the messages
    /// that arrive.
    #[must_use]
    pub fn crashing(mut self, count: usize) -> Self {
        self.crashes = count;
        self
    }

    /// Lets nodes that have crashed start again.
    #[must_use]
    pub fn restarting(mut self) -> Self {
        self.restarts = true;
        self
    }

    /// Names the nodes in traces and pages.
    #[must_use]
    pub fn named(mut self, name: impl Fn(Id) -> String) -> Self {
        self.names = self.ids().map(name).collect();
        self
    }

    /// Lets a node act, and carries out its output.
    fn act(
        &self,
        world: &mut World<A>,
        id: Id,
        act: impl FnOnce(&A, &mut Node<A>, &mut Out<A>),
    ) -> Option<()> {
        let mut node = world.node(id)?.clone();
        let mut out = Out::new(id, self.nodes);
        act(&self.actor, &mut node, &mut out);
        world.carry_out(id, node, out, self.order);
        Some(())
    }
}

/// Assumptions about time, per node.
impl<A: Actor> Checker<Actors<A>> {
    /// Assumes that a node to which messages can be delivered continuously receives one.
    #[must_use]
    pub fn fair_deliveries(self) -> Self {
        let fair = |checker: Self, id: Id| {
            let class = format!("deliveries to {}", checker.model().names[id.0]);
            checker.weak_fairness(&class, move |_, event| event.delivers_to(id))
        };
        self.model().ids().fold(self, fair)
    }

    /// Assumes that a timer of a node expires if one is set continuously.
    #[must_use]
    pub fn fair_timers(self) -> Self {
        let fair = |checker: Self, id: Id| {
            let class = format!("timers of {}", checker.model().names[id.0]);
            checker.weak_fairness(
                &class,
                move |_, event| matches!(event, Event::Expire(node, _) if *node == id),
            )
        };
        self.model().ids().fold(self, fair)
    }
}

impl<A: Actor> Model for Actors<A> {
    type State = World<A>;
    type Action = Event<A::Message, A::Timer>;

    fn initial(&self) -> Vec<World<A>> {
        let mut world = World::new(&self.tables);
        for id in self.ids() {
            let mut out = Out::new(id, self.nodes);
            let node = Node::new(self.actor.start(id, &mut out));
            world.carry_out(id, node, out, self.order);
        }
        vec![world]
    }

    fn actions(&self, world: &World<A>, actions: &mut Vec<Self::Action>) {
        for envelope in world.deliverable(self.order) {
            actions.push(Event::Deliver(envelope.clone()));
            if self.duplicates {
                actions.push(Event::Duplicate(envelope.clone()));
            }
            if self.loses {
                actions.push(Event::Lose(envelope.clone()));
            }
        }
        for (id, node) in self.ids().zip(world.nodes()) {
            if node.is_up {
                let expire = |timer: &A::Timer| Event::Expire(id, timer.clone());
                actions.extend(node.timers.iter().map(expire));
                if (world.crashes as usize) < self.crashes {
                    actions.push(Event::Crash(id));
                }
            } else if self.restarts {
                actions.push(Event::Restart(id));
            }
        }
    }

    fn next(&self, world: &World<A>, event: &Self::Action) -> Option<World<A>> {
        let mut next = world.clone();
        match event {
            Event::Lose(envelope) => next.remove(envelope),
            Event::Deliver(envelope) | Event::Duplicate(envelope) => {
                if matches!(event, Event::Deliver(_)) {
                    next.remove(envelope);
                }
                if next.node(envelope.to)?.is_up {
                    let Envelope { from, to, message } = envelope;
                    self.act(&mut next, *to, |actor, node, out| {
                        actor.receive(*to, &mut node.state, *from, message, out);
                    })?;
                }
            }
            Event::Expire(id, timer) => {
                self.act(&mut next, *id, |actor, node, out| {
                    node.timers.remove(timer);
                    actor.expire(*id, &mut node.state, timer, out);
                })?;
            }
            Event::Crash(id) => {
                next.crashes += 1;
                self.act(&mut next, *id, |_, node, _| {
                    node.is_up = false;
                    node.timers.clear();
                })?;
            }
            Event::Restart(id) => {
                self.act(&mut next, *id, |actor, node, out| {
                    node.is_up = true;
                    node.state = actor.restart(*id, &node.state, out);
                })?;
            }
        }
        (next != *world).then_some(next)
    }

    fn parts(&self, world: &World<A>) -> Vec<(String, String)> {
        let nodes = self.names.iter().zip(world.nodes());
        let mut parts: Vec<_> = nodes
            .map(|(name, node)| (name.clone(), format!("{node:?}")))
            .collect();
        parts.push(("network".to_owned(), format!("{:?}", world.network())));
        parts
    }

    fn message(&self, _: &World<A>, event: &Self::Action) -> Option<Message> {
        let (Event::Deliver(envelope) | Event::Duplicate(envelope)) = event else {
            return None;
        };
        let name = |id: Id| self.names.get(id.0).cloned();
        Some(Message {
            from: name(envelope.from)?,
            to: name(envelope.to)?,
            text: format!("{:?}", envelope.message),
        })
    }

    fn pack(&self, world: &World<A>, bytes: &mut Vec<u8>) -> bool {
        world.pack(bytes)
    }

    fn unpack(&self, bytes: &[u8]) -> Option<World<A>> {
        World::unpack(&self.tables, self.nodes, bytes)
    }

    fn table_bytes(&self) -> usize {
        self.tables.bytes()
    }
}
