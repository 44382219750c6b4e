//! Messages in transit.

use super::Id;
use std::fmt;

/// A message in transit.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Envelope<T> {
    /// The sender.
    pub from: Id,
    /// The receiver.
    pub to: Id,
    /// The message.
    pub message: T,
}

impl<T: fmt::Debug> fmt::Debug for Envelope<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}→{} {:?}", self.from.0, self.to.0, self.message)
    }
}

/// The order in which a network delivers messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Any order.
    Any,
    /// Messages between the same two nodes in the order of sending.
    PerChannel,
}

/// The messages in transit, sorted: equal multisets are equal. With [`Order::PerChannel`] the
/// messages of a channel are in the order of sending.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Network<T>(Vec<Envelope<T>>);

impl<T> Default for Network<T> {
    fn default() -> Network<T> {
        Network(Vec::new())
    }
}

impl<T: Ord + Clone> Network<T> {
    pub fn add(&mut self, envelope: Envelope<T>, order: Order) {
        let before = |other: &Envelope<T>| match order {
            Order::Any => *other <= envelope,
            Order::PerChannel => (other.from, other.to) <= (envelope.from, envelope.to),
        };
        let at = self.0.partition_point(before);
        self.0.insert(at, envelope);
    }

    /// Removes the first such message.
    pub fn remove(&mut self, envelope: &Envelope<T>) {
        if let Some(at) = self.0.iter().position(|other| other == envelope) {
            self.0.remove(at);
        }
    }

    /// The different messages that may arrive next.
    pub fn deliverable(&self, order: Order) -> impl Iterator<Item = &Envelope<T>> {
        let mut before: Option<&Envelope<T>> = None;
        self.0.iter().filter(move |envelope| {
            let last = before.replace(envelope);
            last.is_none_or(|last| match order {
                Order::Any => last != *envelope,
                Order::PerChannel => (last.from, last.to) != (envelope.from, envelope.to),
            })
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Envelope<T>> {
        self.0.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Network<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(order: Order) -> (Network<u8>, Vec<u8>) {
        let mut network = Network::default();
        for (from, message) in [(1, 3), (0, 2), (0, 1), (0, 2)] {
            let (from, to) = (Id(from), Id(9));
            network.add(Envelope { from, to, message }, order);
        }
        let next = network.deliverable(order).map(|envelope| envelope.message);
        let next = next.collect();
        (network, next)
    }

    #[test]
    fn channels_are_queues_or_multisets() {
        let (mut network, next) = sent(Order::Any);
        assert_eq!(next, [1, 2, 3]);
        let all = |network: &Network<u8>| -> Vec<u8> {
            network.iter().map(|envelope| envelope.message).collect()
        };
        assert_eq!(all(&network), [1, 2, 2, 3]);
        let two = network.iter().nth(1).cloned().unwrap();
        network.remove(&two);
        assert_eq!(all(&network), [1, 2, 3]);
        let (network, next) = sent(Order::PerChannel);
        assert_eq!((next, all(&network)), (vec![2, 3], vec![2, 1, 2, 3]));
    }
}
