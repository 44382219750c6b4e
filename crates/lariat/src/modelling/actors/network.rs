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
