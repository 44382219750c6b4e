//! What was sent a short while ago, and need not be sent again.
//!
//! A state that several edges lead to is sent once for each of them, unless the sender remembers. It remembers whole messages, one for each place that a
//! hash leads to, and never hashes of them, so that nothing is left out by mistake. Edges to one state start about as far from each other as a level of the
//! search is wide, so the memory grows with the states; what is not sent spares the receiver a look into a table that is much larger.
//!
//! Kanban 5 by four: 9.6 edges a state, of which 7.2 leave their worker; 6.3 are sent where 64 KB are remembered, 5.6 where it is an eighth of what states take,
//! 5.2 where it is a quarter.

use crate::post::Outbox;
use crate::product::owner;
use lariat_budget::{Budget, Lease};
use std::hint::black_box;

/// Bytes that are remembered at first: few enough to stay near a processor.
const LEAST: usize = 1 << 16;
/// For so many bytes of states one is for remembering, and of so many that are left at most one.
const SHARE: u64 = 8;
/// Longer messages are not remembered.
const LONGEST: usize = 56;
/// Bytes for a message that has more than eight, and its length.
const WIDTH: usize = LONGEST + 1;
/// No message of eight bytes or less: its first byte is that of a number that goes on.
const NOTHING: u64 = u64::MAX;

/// A message of at most eight bytes that waits to be sent.
pub(crate) struct Short {
    pub print: u64,
    pub message: u64,
}

/// Messages, one for each place that a hash leads to.
pub(crate) struct Recent {
    /// Those of at most eight bytes.
    short: Vec<u64>,
    /// Those that are longer, of `WIDTH` bytes each.
    long: Vec<u8>,
    bytes: usize,
    lease: Lease,
}

impl Recent {
    pub fn new(budget: &Budget) -> Recent {
        Recent {
            short: Vec::new(),
            long: Vec::new(),
            bytes: LEAST,
            lease: budget.lease(),
        }
    }

    /// Remembers more, if so many bytes are held for states by now, unless memory is short. What was remembered is forgotten, which happens seldom.
    pub fn fit(&mut self, held: u64, budget: &Budget) {
        let left = budget.byte_limit().saturating_sub(budget.bytes_used());
        let bytes = (held.min(left) / SHARE) as usize;
        if bytes >= 2 * self.bytes && self.lease.resize(bytes).is_ok() {
            (self.short, self.long) = (Vec::new(), Vec::new());
            self.bytes = bytes;
        }
    }

    /// Sends what waits, messages of `length` bytes, but for those that were sent a short while ago: how many were.
    pub fn send(&mut self, waiting: &mut Vec<Short>, length: usize, out: &mut Outbox) -> u64 {
        if self.short.is_empty() {
            self.long = Vec::new();
            self.short.resize(self.bytes / size_of::<u64>(), NOTHING);
        }
        let (slots, workers) = (self.short.len(), out.peers());
        // The upper bits of the print say whose the state is. What is read for one is on its way while another is.
        let place = |print: u64| owner(print << 32, slots);
        let read = |sum: u64, one: &Short| sum ^ self.short[place(one.print)];
        black_box(waiting.iter().fold(0, read));
        let mut sent = 0;
        for Short { print, message } in waiting.drain(..) {
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

    /// Was this message, which has more than eight bytes, sent a short while ago? If not, it is remembered to have been, unless most messages are short.
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
        let alone = Allocator::Thread(Thread::default());
        Outbox::new(&Worker::new(WorkerConfig::default(), alone, None))
    }

    fn send(recent: &mut Recent, out: &mut Outbox, messages: &[u64]) -> u64 {
        let short = |message: &u64| Short {
            print: message.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            message: *message,
        };
        recent.send(&mut messages.iter().map(short).collect(), 3, out)
    }

    #[test]
    fn what_was_just_sent_is_not_sent_again() {
        let (mut recent, mut out) = (Recent::new(&Budget::unlimited()), outbox());
        assert_eq!(send(&mut recent, &mut out, &[0, 2, 0, 2, 4]), 3);
        assert_eq!(send(&mut recent, &mut out, &[4, 6, 0]), 1);
        let sent: Vec<u8> = (out.take().drain(..))
            .flat_map(|parcel| parcel.contents.0)
            .collect();
        assert_eq!(sent, [0, 0, 0, 2, 0, 0, 4, 0, 0, 6, 0, 0]);
        let mut recent = Recent::new(&Budget::unlimited());
        let long = [7; 20];
        assert!(!recent.has(1, &long) && recent.has(1, &long));
        assert!(!recent.has(1, &long[1..]) && !recent.has(1, &long));
        // What does not fit is never remembered.
        assert!(!recent.has(1, &[7; 60]) && !recent.has(1, &[7; 60]));
    }

    #[test]
    fn memory_grows_with_the_states_and_is_leased() {
        let budget = Budget::bytes(40 << 20);
        let (mut recent, mut out) = (Recent::new(&budget), outbox());
        let many: Vec<u64> = (0..100_000).map(|i| 2 * i).collect();
        let again = |recent: &mut Recent, out: &mut Outbox| {
            send(recent, out, &many);
            send(recent, out, &many)
        };
        let few = again(&mut recent, &mut out);
        recent.fit(16 << 20, &budget);
        assert_eq!(budget.bytes_used(), 2 << 20);
        let fewer = again(&mut recent, &mut out);
        assert!(fewer < few, "{fewer} of {few}");
        // Little is left: it stays as it is.
        recent.fit(1 << 30, &budget);
        assert!(budget.bytes_used() <= 38 << 20 >> 3);
        drop(recent);
        assert_eq!(budget.bytes_used(), 0);
    }
}
