//! Cache of recently sent messages, which need not be sent again.
//!
//! A state with several incoming edges would be sent once per edge. The sender therefore caches
//! whole messages in a direct-mapped table, never only hashes, so that no state is lost by a
//! collision. The distance of two edges to one state grows with the width of the search levels, so
//! the table grows with the number of states. A hit also saves a lookup in the receiver's larger
//! table.

use crate::post::Outbox;
use crate::product::owner;
use lariat_budget::{Budget, Lease};
use std::hint::black_box;

/// Initial bytes of the table: small enough for a processor cache.
const LEAST: usize = 1 << 16;
/// The table takes this fraction of the bytes held for states, and of the bytes left.
const SHARE: u64 = 8;
/// Limit on the length of a cached message.
const LONGEST: usize = 56;
/// Bytes of a table entry for a message of more than eight bytes, with its length.
const WIDTH: usize = LONGEST + 1;
/// Marks an empty entry: no encoded state starts with this byte.
const NOTHING: u64 = u64::MAX;

/// A message of at most eight bytes that waits to be sent.
pub(crate) struct ShortMessage {
    pub print: u64,
    pub message: u64,
}

/// The direct-mapped table.
pub(crate) struct RecentMessages {
    /// Entries for messages of at most eight bytes.
    short: Vec<u64>,
    /// Entries of `WIDTH` bytes for longer messages.
    long: Vec<u8>,
    bytes: usize,
    lease: Lease,
}

impl RecentMessages {
    pub fn new(budget: &Budget) -> RecentMessages {
        RecentMessages {
            short: Vec::new(),
            long: Vec::new(),
            bytes: LEAST,
            lease: budget.lease(),
        }
    }

    /// Enlarges the table if `held` bytes of states justify it and memory allows; this empties it.
    pub fn fit(&mut self, held: u64, budget: &Budget) {
        let left = budget.byte_limit().saturating_sub(budget.bytes_used());
        let bytes = (held.min(left) / SHARE) as usize;
        if bytes >= 2 * self.bytes && self.lease.resize(bytes).is_ok() {
            (self.short, self.long) = (Vec::new(), Vec::new());
            self.bytes = bytes;
        }
    }

    /// Sends the waiting messages of `length` bytes that are not cached; returns their number.
    pub fn send(
        &mut self,
        waiting: &mut Vec<ShortMessage>,
        length: usize,
        out: &mut Outbox,
    ) -> u64 {
        if self.short.is_empty() {
            self.long = Vec::new();
            self.short.resize(self.bytes / size_of::<u64>(), NOTHING);
        }
        let (slots, workers) = (self.short.len(), out.peers());
        // The upper bits of the print select the owner. Reading all entries first overlaps misses.
        let place = |print: u64| owner(print << 32, slots);
        let read = |sum: u64, one: &ShortMessage| sum ^ self.short[place(one.print)];
        black_box(waiting.iter().fold(0, read));
        let mut sent = 0;
        for ShortMessage { print, message } in waiting.drain(..) {
            let known = &mut self.short[place(print)];
            if *known == message {
                continue;
            }
            *known = message;
            sent += 1;
            out.put(owner(print, workers), |bytes| {
                let end = bytes.len() + length;
                bytes.extend_from_slice(&message.to_le_bytes());
                bytes.truncate(end);
            });
        }
        sent
    }

    /// Returns whether this message of more than eight bytes is cached, and may cache it.
    pub fn has(&mut self, print: u64, message: &[u8]) -> bool {
        if message.len() > LONGEST || !self.short.is_empty() {
            return false;
        }
        let slots = self.bytes / WIDTH;
        if self.long.is_empty() {
            self.long.resize(slots * WIDTH, 0);
        }
        let start = owner(print << 32, slots) * WIDTH;
        let (length, body) = self.long[start..start + WIDTH].split_at_mut(1);
        let known = &mut body[..message.len()];
        if usize::from(length[0]) == message.len() && known == message {
            return true;
        }
        length[0] = message.len() as u8;
        known.copy_from_slice(message);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely::WorkerConfig;
    use timely::communication::Allocator;
    use timely::communication::allocator::thread::Thread;
    use timely::worker::Worker;

    fn outbox() -> Outbox {
        let single = Allocator::Thread(Thread::default());
        Outbox::new(&Worker::new(WorkerConfig::default(), single, None))
    }

    fn send(recent: &mut RecentMessages, out: &mut Outbox, messages: &[u64]) -> u64 {
        let short = |message: &u64| ShortMessage {
            print: message.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            message: *message,
        };
        recent.send(&mut messages.iter().map(short).collect(), 3, out)
    }

    #[test]
    fn cached_messages_are_not_sent_again() {
        let (mut recent, mut out) = (RecentMessages::new(&Budget::unlimited()), outbox());
        assert_eq!(send(&mut recent, &mut out, &[0, 2, 0, 2, 4]), 3);
        assert_eq!(send(&mut recent, &mut out, &[4, 6, 0]), 1);
        let sent: Vec<u8> = (out.take().drain(..))
            .flat_map(|parcel| parcel.contents.0)
            .collect();
        assert_eq!(sent, [0, 0, 0, 2, 0, 0, 4, 0, 0, 6, 0, 0]);
        let mut recent = RecentMessages::new(&Budget::unlimited());
        let long = [7; 20];
        assert!(!recent.has(1, &long) && recent.has(1, &long));
        assert!(!recent.has(1, &long[1..]) && !recent.has(1, &long));
        // A message that is too long is never cached.
        assert!(!recent.has(1, &[7; 60]) && !recent.has(1, &[7; 60]));
    }

    #[test]
    fn memory_grows_with_the_states_and_is_leased() {
        let budget = Budget::bytes(40 << 20);
        let (mut recent, mut out) = (RecentMessages::new(&budget), outbox());
        let many: Vec<u64> = (0..100_000).map(|i| 2 * i).collect();
        let again = |recent: &mut RecentMessages, out: &mut Outbox| {
            send(recent, out, &many);
            send(recent, out, &many)
        };
        let few = again(&mut recent, &mut out);
        recent.fit(16 << 20, &budget);
        assert_eq!(budget.bytes_used(), 2 << 20);
        let fewer = again(&mut recent, &mut out);
        assert!(fewer < few, "{fewer} of {few}");
        // Little memory is left: the table keeps its size.
        recent.fit(1 << 30, &budget);
        assert!(budget.bytes_used() <= 38 << 20 >> 3);
        drop(recent);
        assert_eq!(budget.bytes_used(), 0);
    }
}
