//! The post: one dataflow that carries parcels from worker to worker until nobody has anything left to send.
//!
//! ```text
//! feedback → exchange by address → office → feedback
//! ```
//!
//! The office of a worker holds the right to send (a capability, in the words of `timely`) as long as its worker is busy or has unread
//! parcels; without that right, it can only get it back with a parcel. So the dataflow is over exactly when no worker is
//! busy and no parcel is on its way: the progress tracking of `timely` (Murray, McSherry, Isaacs, Isard, Barham and Abadi, *Naiad*, SOSP
//! 2013) is our termination detection. What a worker does with its parcels happens outside of the dataflow, in `wave.rs`.
//!
//! `timely` has no flow control: whatever is sent is queued. So a parcel is acknowledged by the office that reads it, and a worker that has
//! [`WINDOW`] parcels on their way to another stops working until it hears of them. What lies in queues is
//! at most `WINDOW · PARCEL` bytes for each pair of workers.

use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

/// Bytes after which a parcel is closed: large enough that what `timely` does for each is little.
const PARCEL: usize = 1 << 15;

/// Room in a parcel for what closes it, if that is not long.
const ONE_MORE: usize = 64;

/// Parcels to one worker that may be on their way: enough that the way there and back hardly ever makes a worker wait.
const WINDOW: u32 = 64;

/// What goes from one worker to another at once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Parcel {
    pub to: u32,
    pub from: u32,
    /// Parcels of the addressee that the sender has read since it last said so.
    pub read: u32,
    pub contents: Contents,
}

/// Bytes, which are copied as one piece.
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

/// The office of one worker.
#[derive(Default)]
pub(crate) struct Office {
    inbox: RefCell<Vec<Parcel>>,
    outbox: RefCell<Vec<Parcel>>,
    /// Has its worker work to do?
    is_busy: Cell<bool>,
    activator: RefCell<Option<Activator>>,
}

impl Office {
    /// Opens the offices of one dataflow: all workers do so, in the same order. Everybody is busy at first.
    pub fn open(worker: &mut Worker) -> Rc<Office> {
        let office = Rc::new(Office::default());
        office.is_busy.set(true);
        let desk = office.clone();
        worker.dataflow::<u64, _, _>(move |scope| {
            let (handle, cycle) = scope.feedback::<Vec<Parcel>>(1);
            let by_address = Exchange::new(|parcel: &Parcel| u64::from(parcel.to));
            let sent = cycle.unary(by_address, "post", |capability, info| {
                let activator = scope.activator_for(info.address);
                desk.activator.replace(Some(activator));
                let mut held = Some(capability);
                move |input, output| {
                    input.for_each_time(|capability, batches| {
                        if held.is_none() {
                            held = Some(capability.retain(0));
                        }
                        let mut inbox = desk.inbox.borrow_mut();
                        batches.for_each(|batch| inbox.append(batch));
                    });
                    let Some(capability) = &held else {
                        return;
                    };
                    let parcels = desk.outbox.take();
                    if !parcels.is_empty() {
                        let mut session = output.session(capability);
                        session.give_iterator(parcels.into_iter());
                    }
                    if !desk.is_busy.get() && desk.inbox.borrow().is_empty() {
                        held = None;
                    }
                }
            });
            sent.connect_loop(handle);
        });
        office
    }

    /// Parcels that have come since somebody last asked.
    pub fn collect(&self) -> Vec<Parcel> {
        self.inbox.take()
    }

    /// Sends parcels, and says whether the worker goes on working.
    pub fn dispatch(&self, parcels: &mut Vec<Parcel>, is_busy: bool) {
        self.outbox.borrow_mut().append(parcels);
        self.is_busy.set(is_busy);
        if let Some(activator) = &*self.activator.borrow() {
            activator.activate();
        }
    }
}

/// What a worker has for the others.
pub(crate) struct Outbox {
    me: u32,
    peers: Vec<Peer>,
    closed: Vec<Parcel>,
    /// Workers that too many parcels are on their way to.
    full: usize,
    /// Bytes that were sent, the worker's own not counted.
    pub bytes: u64,
}

#[derive(Default)]
struct Peer {
    open: Vec<u8>,
    /// Parcels that it has not told to have read.
    unread: u32,
    /// Parcels of its that were read here and not told of.
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

    /// The number of workers.
    pub fn peers(&self) -> usize {
        self.peers.len()
    }

    /// Adds something to the parcel for `to`; `write` may append any bytes, also none.
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
        self.closed.push(Parcel {
            to: to as u32,
            from: self.me,
            read: std::mem::take(&mut peer.owed),
            contents: Contents(contents),
        });
    }

    /// Notes what a parcel says of those that were sent, and that it has been read.
    pub fn note(&mut self, parcel: &Parcel) {
        if let Some(peer) = self.peers.get_mut(parcel.from as usize) {
            let before = peer.unread;
            peer.unread = before.saturating_sub(parcel.read);
            if before >= WINDOW && peer.unread < WINDOW {
                self.full -= 1;
            }
            peer.owed += u32::from(!parcel.contents.0.is_empty());
        }
    }

    /// Are too many parcels on their way?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full > 0
    }

    /// Everything that is to be sent now.
    pub fn take(&mut self) -> &mut Vec<Parcel> {
        for to in 0..self.peers.len() {
            if !self.peers[to].open.is_empty() || self.peers[to].owed > 0 {
                self.close(to);
            }
        }
        &mut self.closed
    }
}
