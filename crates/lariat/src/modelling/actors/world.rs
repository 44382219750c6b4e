//! The state of a protocol: its nodes and the messages in transit.

use super::network::{Envelope, Network, Order};
use super::{Actor, Id, Out};
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Index;

/// A node of a protocol.
pub(super) struct Node<A: Actor> {
    pub state: A::State,
    pub timers: BTreeSet<A::Timer>,
    pub is_up: bool,
}

impl<A: Actor> Node<A> {
    pub fn new(state: A::State) -> Node<A> {
        Node {
            state,
            timers: BTreeSet::new(),
            is_up: true,
        }
    }

    fn fields(&self) -> (&A::State, &BTreeSet<A::Timer>, bool) {
        (&self.state, &self.timers, self.is_up)
    }
}

impl<A: Actor> fmt::Debug for Node<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.state)?;
        if !self.timers.is_empty() {
            write!(f, " timers {:?}", self.timers)?;
        }
        f.write_str(if self.is_up { "" } else { " (crashed)" })
    }
}

/// The state of all nodes, and the messages in transit. `world[id]` is the state of a node.
pub struct World<A: Actor> {
    pub(super) nodes: Vec<Node<A>>,
    pub(super) network: Network<A::Message>,
    pub(super) crashes: usize,
}

impl<A: Actor> World<A> {
    /// The states of all nodes.
    pub fn states(&self) -> impl Iterator<Item = &A::State> {
        self.nodes.iter().map(|node| &node.state)
    }

    /// Returns whether a node is up.
    pub fn is_up(&self, id: Id) -> bool {
        self.nodes.get(id.0).is_some_and(|node| node.is_up)
    }

    /// Returns whether a timer of a node is set.
    pub fn is_set(&self, id: Id, timer: &A::Timer) -> bool {
        let node = self.nodes.get(id.0);
        node.is_some_and(|node| node.timers.contains(timer))
    }

    /// The messages in transit.
    pub fn messages(&self) -> impl Iterator<Item = &Envelope<A::Message>> {
        self.network.iter()
    }

    pub(super) fn carry_out(&mut self, from: Id, out: Out<A>, order: Order) {
        for (to, message) in out.messages {
            self.network.add(Envelope { from, to, message }, order);
        }
        if let Some(node) = self.nodes.get_mut(from.0) {
            for (timer, is_set) in out.timers {
                if is_set {
                    node.timers.insert(timer);
                } else {
                    node.timers.remove(&timer);
                }
            }
        }
    }

    fn fields(&self) -> (&[Node<A>], &Network<A::Message>, usize) {
        (&self.nodes, &self.network, self.crashes)
    }
}

impl<A: Actor> Index<Id> for World<A> {
    type Output = A::State;

    fn index(&self, id: Id) -> &A::State {
        &self.nodes[id.0].state
    }
}

impl<A: Actor> Default for World<A> {
    fn default() -> World<A> {
        World {
            nodes: Vec::new(),
            network: Network::default(),
            crashes: 0,
        }
    }
}

// Derived traits would require them of the actor.

impl<A: Actor> Clone for Node<A> {
    fn clone(&self) -> Node<A> {
        Node {
            state: self.state.clone(),
            timers: self.timers.clone(),
            is_up: self.is_up,
        }
    }
}

impl<A: Actor> PartialEq for Node<A> {
    fn eq(&self, other: &Node<A>) -> bool {
        self.fields() == other.fields()
    }
}

impl<A: Actor> Eq for Node<A> {}

impl<A: Actor> Hash for Node<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fields().hash(hasher);
    }
}

impl<A: Actor> Clone for World<A> {
    fn clone(&self) -> World<A> {
        World {
            nodes: self.nodes.clone(),
            network: self.network.clone(),
            crashes: self.crashes,
        }
    }
}

impl<A: Actor> PartialEq for World<A> {
    fn eq(&self, other: &World<A>) -> bool {
        self.fields() == other.fields()
    }
}

impl<A: Actor> Eq for World<A> {}

impl<A: Actor> Hash for World<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.fields().hash(hasher);
    }
}

impl<A: Actor> fmt::Debug for World<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let World { nodes, network, .. } = self;
        write!(f, "World {{ nodes: {nodes:?}, network: {network:?} }}")
    }
}
