//! The state of a protocol: its nodes and the messages in transit.
//!
//! A world has the numbers of its nodes' states and of its messages; [`Tables`] have the contents,
//! each stored once. So a step copies two short lists of numbers and one state of a node, and a
//! world is packed as its numbers. All threads that check a protocol share its tables, which never
//! forget.

use super::super::store::StateStore;
use super::network::{Envelope, Order};
use super::{Actor, Id, Out};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Index;
use std::sync::Arc;

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

/// The states of single nodes and the messages that occur, by number.
pub(super) struct Tables<A: Actor> {
    nodes: StateStore<Node<A>>,
    envelopes: StateStore<Envelope<A::Message>>,
}

/// The number of a value that has none, because four billion others have; a world with it cannot be
/// packed, which ends the check.
const NONE: u32 = u32::MAX;

fn number<S: Clone + Eq + Hash>(store: &StateStore<S>, value: S) -> u32 {
    let hash = StateStore::hash(&value);
    store.intern(hash, Cow::Owned(value)).unwrap_or(NONE)
}

impl<A: Actor> Tables<A> {
    pub fn new() -> Tables<A> {
        Tables {
            nodes: StateStore::new(),
            envelopes: StateStore::new(),
        }
    }

    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.envelopes.bytes()
    }
}

/// The state of all nodes, and the messages in transit. `world[id]` is the state of a node.
///
/// Worlds of different [`Actors`](super::Actors) are different.
pub struct World<A: Actor> {
    nodes: Vec<u32>,
    /// Sorted by their contents, so that equal multisets are equal; with [`Order::PerChannel`]
    /// sorted by channels, and in the order of sending in each.
    messages: Vec<u32>,
    pub(super) crashes: u32,
    tables: Arc<Tables<A>>,
}

impl<A: Actor> World<A> {
    /// A world without nodes.
    pub(super) fn new(tables: &Arc<Tables<A>>) -> World<A> {
        World {
            nodes: Vec::new(),
            messages: Vec::new(),
            crashes: 0,
            tables: Arc::clone(tables),
        }
    }

    /// The states of all nodes.
    pub fn states(&self) -> impl Iterator<Item = &A::State> {
        self.nodes().map(|node| &node.state)
    }

    /// Returns whether a node is up.
    pub fn is_up(&self, id: Id) -> bool {
        self.node(id).is_some_and(|node| node.is_up)
    }

    /// Returns whether a timer of a node is set.
    pub fn is_set(&self, id: Id, timer: &A::Timer) -> bool {
        self.node(id)
            .is_some_and(|node| node.timers.contains(timer))
    }

    /// The messages in transit.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Envelope<A::Message>> {
        self.messages.iter().map(|number| self.envelope(*number))
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node<A>> {
        let get = |number: &u32| self.tables.nodes.get(*number);
        self.nodes.iter().filter_map(get)
    }

    pub(super) fn node(&self, id: Id) -> Option<&Node<A>> {
        self.tables.nodes.get(*self.nodes.get(id.0)?)
    }

    fn envelope(&self, number: u32) -> &Envelope<A::Message> {
        let envelope = self.tables.envelopes.get(number);
        envelope.expect("fewer than four billion messages differ")
    }

    /// The messages in transit, to be printed.
    pub(super) fn network(&self) -> Vec<&Envelope<A::Message>> {
        self.messages().collect()
    }

    /// The different messages that may arrive next.
    pub(super) fn deliverable(&self, order: Order) -> impl Iterator<Item = &Envelope<A::Message>> {
        let mut before: Option<&Envelope<A::Message>> = None;
        self.messages().filter(move |envelope| {
            let last = before.replace(envelope);
            last.is_none_or(|last| match order {
                Order::Any => last != *envelope,
                Order::PerChannel => (last.from, last.to) != (envelope.from, envelope.to),
            })
        })
    }

    /// Removes the first such message.
    pub(super) fn remove(&mut self, envelope: &Envelope<A::Message>) {
        let at = self.messages().position(|other| other == envelope);
        at.map(|at| self.messages.remove(at));
    }

    fn add(&mut self, envelope: Envelope<A::Message>, order: Order) {
        let before = |other: &u32| match (self.envelope(*other), order) {
            (other, Order::Any) => *other <= envelope,
            (other, Order::PerChannel) => (other.from, other.to) <= (envelope.from, envelope.to),
        };
        let at = self.messages.partition_point(before);
        let number = number(&self.tables.envelopes, envelope);
        self.messages.insert(at, number);
    }

    /// Replaces a node, or adds it behind the last.
    pub(super) fn put(&mut self, id: Id, node: Node<A>) {
        let number = number(&self.tables.nodes, node);
        match self.nodes.get_mut(id.0) {
            Some(node) => *node = number,
            None => self.nodes.push(number),
        }
    }

    /// Carries out the output of a node, and replaces the node.
    pub(super) fn carry_out(&mut self, from: Id, mut node: Node<A>, out: Out<A>, order: Order) {
        for (to, message) in out.messages {
            self.add(Envelope { from, to, message }, order);
        }
        for (timer, is_set) in out.timers {
            if is_set {
                node.timers.insert(timer);
            } else {
                node.timers.remove(&timer);
            }
        }
        self.put(from, node);
    }

    /// Appends the numbers of a world: crashes, nodes, messages in transit. Fails if one is missing.
    pub(super) fn pack(&self, bytes: &mut Vec<u8>) -> bool {
        let numbers = || self.nodes.iter().chain(&self.messages);
        write(self.crashes, bytes);
        numbers().for_each(|number| write(*number, bytes));
        numbers().all(|number| *number != NONE)
    }

    /// The world with this many nodes that was packed into these bytes.
    pub(super) fn unpack(
        tables: &Arc<Tables<A>>,
        nodes: usize,
        mut bytes: &[u8],
    ) -> Option<World<A>> {
        let crashes = read(&mut bytes)?;
        let nodes = (0..nodes)
            .map(|_| read(&mut bytes))
            .collect::<Option<_>>()?;
        let mut messages = Vec::with_capacity(bytes.len());
        while !bytes.is_empty() {
            messages.push(read(&mut bytes)?);
        }
        Some(World {
            nodes,
            messages,
            crashes,
            tables: Arc::clone(tables),
        })
    }

    fn fields(&self) -> (&[u32], &[u32], u32) {
        (&self.nodes, &self.messages, self.crashes)
    }
}

/// Appends a number: seven bits per byte, the low ones first; the last byte has its high bit clear.
fn write(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front.
fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

impl<A: Actor> Index<Id> for World<A> {
    type Output = A::State;

    fn index(&self, id: Id) -> &A::State {
        match self.node(id) {
            Some(node) => &node.state,
            None => panic!("there is no node {}", id.0),
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
            messages: self.messages.clone(),
            crashes: self.crashes,
            tables: Arc::clone(&self.tables),
        }
    }
}

impl<A: Actor> PartialEq for World<A> {
    fn eq(&self, other: &World<A>) -> bool {
        self.fields() == other.fields() && Arc::ptr_eq(&self.tables, &other.tables)
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
        let nodes: Vec<_> = self.nodes().collect();
        write!(
            f,
            "World {{ nodes: {nodes:?}, network: {:?} }}",
            self.network()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes that do nothing.
    struct Idle;

    impl Actor for Idle {
        type State = ();
        type Message = u8;
        type Timer = ();

        fn start(&self, _: Id, _: &mut Out<Idle>) {}

        fn receive(&self, _: Id, (): &mut (), _: Id, _: &u8, _: &mut Out<Idle>) {}
    }

    fn sent(order: Order) -> (World<Idle>, Vec<u8>) {
        let mut world = World::new(&Arc::new(Tables::new()));
        for (from, message) in [(1, 3), (0, 2), (0, 1), (0, 2)] {
            let (from, to) = (Id(from), Id(9));
            world.add(Envelope { from, to, message }, order);
        }
        let next = world.deliverable(order).map(|envelope| envelope.message);
        let next = next.collect();
        (world, next)
    }

    #[test]
    fn channels_are_queues_or_multisets() {
        let (mut world, next) = sent(Order::Any);
        assert_eq!(next, [1, 2, 3]);
        let all = |world: &World<Idle>| -> Vec<u8> {
            world.messages().map(|envelope| envelope.message).collect()
        };
        assert_eq!(all(&world), [1, 2, 2, 3]);
        let two = world.messages().nth(1).cloned().unwrap();
        world.remove(&two);
        assert_eq!(all(&world), [1, 2, 3]);
        let (world, next) = sent(Order::PerChannel);
        assert_eq!((next, all(&world)), (vec![2, 3], vec![2, 1, 2, 3]));
    }

    #[test]
    fn numbers_are_read_as_written() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u32::MAX - 1, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| write(*number, &mut bytes));
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(read(&mut rest), Some(number));
        }
        assert!(rest.is_empty() && read(&mut rest).is_none() && read(&mut &[0x80][..]).is_none());
    }
}
