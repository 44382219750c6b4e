//! Message passing: one dataflow that carries parcels between workers until none has work left.
//!
//! ```text
//! feedback → exchange by address → office → feedback
//! ```
//!
//! The office of a worker keeps a capability of `timely` while its worker is busy or has unread
//! parcels; once dropped, only an arriving parcel restores it. So the dataflow ends exactly when no
//! worker is busy and no parcel is in transit: the progress tracking of `timely` (Murray, McSherry,
//! Isaacs, Isard, Barham and Abadi, *Naiad*, SOSP 2013) is our termination detection. Workers
//! process their parcels outside the dataflow, in `wave.rs`.
//!
//! `timely` has no flow control and queues everything that is sent. So an office acknowledges each
//! parcel that it reads, and a worker with [`WINDOW`] unacknowledged parcels to another one waits.
//! Queues hold at most `WINDOW · PARCEL` bytes per pair of workers.

use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

/// Bytes after which a parcel is closed; amortises the overhead of `timely` per parcel.
const PARCEL: usize = 1 << 15;

/// Spare capacity of a parcel for the item that closes it.
const ONE_MORE: usize = 64;

/// Limit on unacknowledged parcels to one worker; large enough to hide the round trip.
const WINDOW: u32 = 64;

/// A message from one worker to another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MessageBatch {
    pub to: u32,
    pub from: u32,
    /// Acknowledges this number of parcels of the addressee.
    pub read: u32,
    pub contents: Contents,
}

/// Bytes that are encoded as one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents(pub Vec<u8>);

impl Serialize for Contents {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Contents {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Contents, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Contents;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Contents, E> {
                Ok(Contents(bytes.to_vec()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Contents, E> {
                Ok(Contents(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// The mailbox of one worker. Only its worker's thread uses it, inside and outside the dataflow.
#[derive(Default)]
pub(crate) struct Mailbox {
    inbox: RefCell<Vec<MessageBatch>>,
    outbox: RefCell<Vec<MessageBatch>>,
    /// True while its worker has work.
    is_busy: Cell<bool>,
    activator: RefCell<Option<Activator>>,
}

impl Mailbox {
    /// Builds the dataflow of a wave, initially busy. All workers must call this in the same order.
    pub fn open(worker: &mut Worker) -> Rc<Mailbox> {
        let office = Rc::new(Mailbox::default());
        office.is_busy.set(true);
        let mailbox = office.clone();
        worker.dataflow::<u64, _, _>(move |scope| {
            let (handle, cycle) = scope.feedback::<Vec<MessageBatch>>(1);
            let by_address = Exchange::new(|parcel: &MessageBatch| u64::from(parcel.to));
            let sent = cycle.unary(by_address, "post", |capability, info| {
                let activator = scope.activator_for(info.address);
                mailbox.activator.replace(Some(activator));
                let mut held = Some(capability);
                move |input, output| {
                    input.for_each_time(|capability, batches| {
                        if held.is_none() {
                            held = Some(capability.retain(0));
                        }
                        let mut inbox = mailbox.inbox.borrow_mut();
                        batches.for_each(|batch| inbox.append(batch));
                    });
                    let Some(capability) = &held else {
                        return;
                    };
                    let parcels = mailbox.outbox.take();
                    if !parcels.is_empty() {
                        let mut session = output.session(capability);
                        session.give_iterator(parcels.into_iter());
                    }
                    if !mailbox.is_busy.get() && mailbox.inbox.borrow().is_empty() {
                        held = None;
                    }
                }
            });
            sent.connect_loop(handle);
        });
        office
    }

    /// Takes the parcels that have arrived.
    pub fn collect(&self) -> Vec<MessageBatch> {
        self.inbox.take()
    }

    /// Queues parcels for sending and updates whether the worker is busy.
    pub fn dispatch(&self, parcels: &mut Vec<MessageBatch>, is_busy: bool) {
        self.outbox.borrow_mut().append(parcels);
        self.is_busy.set(is_busy);
        if let Some(activator) = &*self.activator.borrow() {
            activator.activate();
        }
    }
}

/// The outgoing messages of a worker.
pub(crate) struct Outbox {
    me: u32,
    peers: Vec<Peer>,
    closed: Vec<MessageBatch>,
    /// The number of workers with a full window.
    full: usize,
    /// Bytes sent to other workers and to itself.
    pub bytes: u64,
}

#[derive(Default)]
struct Peer {
    open: Vec<u8>,
    /// Parcels sent to the peer and not acknowledged.
    unread: u32,
    /// Parcels of the peer that were read and not yet acknowledged.
    owed: u32,
}

impl Outbox {
    pub fn new(worker: &Worker) -> Outbox {
        Outbox {
            me: worker.index() as u32,
            peers: (0..worker.peers()).map(|_| Peer::default()).collect(),
            closed: Vec::new(),
            full: 0,
            bytes: 0,
        }
    }

    pub fn peers(&self) -> usize {
        self.peers.len()
    }

    /// Appends an item to the parcel for `to`; `write` may append any number of bytes.
    #[inline]
    pub fn put(&mut self, to: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let open = &mut self.peers[to].open;
        if open.capacity() == 0 {
            open.reserve(PARCEL + ONE_MORE);
        }
        write(open);
        if open.len() >= PARCEL {
            self.close(to);
        }
    }

    fn close(&mut self, to: usize) {
        let peer = &mut self.peers[to];
        let contents = std::mem::take(&mut peer.open);
        self.bytes += contents.len() as u64;
        if !contents.is_empty() {
            peer.unread += 1;
            self.full += usize::from(peer.unread == WINDOW);
        }
        self.closed.push(MessageBatch {
            to: to as u32,
            from: self.me,
            read: std::mem::take(&mut peer.owed),
            contents: Contents(contents),
        });
    }

    /// Processes the acknowledgements of a received parcel, and owes one for it.
    pub fn note(&mut self, parcel: &MessageBatch) {
        if let Some(peer) = self.peers.get_mut(parcel.from as usize) {
            let before = peer.unread;
            peer.unread = before.saturating_sub(parcel.read);
            if before >= WINDOW && peer.unread < WINDOW {
                self.full -= 1;
            }
            peer.owed += u32::from(!parcel.contents.0.is_empty());
        }
    }

    /// Returns whether a window is full, so that the worker must wait.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full > 0
    }

    /// Closes all open parcels and returns everything to be sent.
    pub fn take(&mut self) -> &mut Vec<MessageBatch> {
        for to in 0..self.peers.len() {
            if !self.peers[to].open.is_empty() || self.peers[to].owed > 0 {
                self.close(to);
            }
        }
        &mut self.closed
    }
}
