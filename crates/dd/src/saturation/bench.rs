//! The workbench of saturation: nodes while their edges still change.

use rustc_hash::FxHashMap;

use crate::kernel::NodeId;
use lariat_budget::{Lease, Stop};

/// The present child under one value.
#[derive(Clone, Copy)]
struct Slot {
    value: u32,
    child: NodeId,
    /// Must the events be fired from this value (again)?
    queued: bool,
}

/// Stacks of slots and of queued values; one stretch of each per node in work.
pub(crate) struct Workbench {
    slots: Vec<Slot>,
    queue: Vec<u32>,
    lease: Lease,
}

/// Below this many slots a sparse node is searched one by one.
const FEW: usize = 12;

/// Bytes for one slot, a place in the queue, and one in the index.
const SLOT_BYTES: usize = size_of::<Slot>() + size_of::<u32>() + 20;

impl Workbench {
    pub fn new(lease: Lease) -> Workbench {
        Workbench {
            slots: Vec::new(),
            queue: Vec::new(),
            lease,
        }
    }

    /// Room for `more` slots. Every slot is queued at most once.
    #[inline]
    fn reserve(&mut self, more: usize) -> Result<(), Stop> {
        if self.slots.capacity() - self.slots.len() < more {
            self.widen(more)?;
        }
        Ok(())
    }

    #[cold]
    fn widen(&mut self, more: usize) -> Result<(), Stop> {
        let length = self.slots.len();
        let capacity = (length + more).max(length + length / 2).max(64);
        // Old and new exist together for a moment.
        self.lease.resize((length + capacity) * SLOT_BYTES)?;
        self.slots.reserve_exact(capacity - length);
        let queued = self.queue.len();
        self.queue.reserve_exact(capacity.saturating_sub(queued));
        self.lease.resize(capacity * SLOT_BYTES)
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.queue.clear();
    }

    /// What a collection must keep.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.slots.iter().map(|slot| slot.child)
    }

    /// Puts a node with these edges on the bench, with every value queued, the smallest first.
    #[inline]
    pub fn begin(&mut self, edges: &[(u32, NodeId)]) -> Result<Piece, Stop> {
        let mut piece = Piece {
            slots: self.slots.len(),
            queue: self.queue.len(),
            live: edges.len(),
            dense: edges
                .last()
                .is_some_and(|&(last, _)| room_is_dense(last, edges.len())),
            index: None,
        };
        if let (true, Some(&(last, _))) = (piece.dense, edges.last()) {
            self.reserve(last as usize + 1)?;
            self.slots.extend((0..=last).map(Slot::empty));
            for &(value, child) in edges {
                let slot = &mut self.slots[piece.slots + value as usize];
                *slot = Slot::full(value, child);
            }
        } else {
            self.reserve(edges.len())?;
            let slots = edges.iter().map(|&(value, child)| Slot::full(value, child));
            self.slots.extend(slots);
            self.build_index(&mut piece);
        }
        self.queue
            .extend(edges.iter().rev().map(|&(value, _)| value));
        Ok(piece)
    }

    #[cold]
    fn build_index(&mut self, piece: &mut Piece) {
        if self.slots.len() - piece.slots > FEW && piece.index.is_none() {
            let mut index = FxHashMap::default();
            let values = self.slots[piece.slots..].iter().map(|slot| slot.value);
            index.extend(values.zip(0..));
            piece.index = Some(Box::new(index));
        }
    }

    /// The next queued value and its child.
    #[inline]
    pub fn next(&mut self, piece: &Piece) -> Option<u32> {
        if self.queue.len() == piece.queue {
            return None;
        }
        let value = self.queue.pop()?;
        if let Some(at) = self.find(piece, value) {
            self.slots[at].queued = false;
        }
        Some(value)
    }

    #[inline]
    fn find(&self, piece: &Piece, value: u32) -> Option<usize> {
        if piece.dense {
            let at = piece.slots + value as usize;
            return (at < self.slots.len()).then_some(at);
        }
        match &piece.index {
            Some(index) => index.get(&value).map(|&at| piece.slots + at as usize),
            None => (piece.slots..self.slots.len()).find(|&at| self.slots[at].value == value),
        }
    }

    /// The child under `value`.
    #[inline]
    pub fn child(&self, piece: &Piece, value: u32) -> NodeId {
        match self.find(piece, value) {
            Some(at) => self.slots[at].child,
            None => NodeId::EMPTY,
        }
    }

    /// Sets the child under `value`, and queues the value unless it is the one `in_work`.
    #[inline]
    pub fn set(
        &mut self,
        piece: &mut Piece,
        value: u32,
        child: NodeId,
        in_work: u32,
    ) -> Result<(), Stop> {
        let at = match self.find(piece, value) {
            Some(at) => at,
            None => self.open(piece, value)?,
        };
        let slot = &mut self.slots[at];
        piece.live += slot.child.is_empty() as usize;
        slot.child = child;
        if value != in_work && !slot.queued {
            slot.queued = true;
            self.queue.push(value);
        }
        Ok(())
    }

    /// A slot for a value that has none.
    fn open(&mut self, piece: &mut Piece, value: u32) -> Result<usize, Stop> {
        if piece.dense {
            if room_is_dense(value, piece.live + 1) {
                let from = (self.slots.len() - piece.slots) as u32;
                self.reserve((value - from) as usize + 1)?;
                self.slots.extend((from..=value).map(Slot::empty));
                return Ok(piece.slots + value as usize);
            }
            let mut to = piece.slots;
            for at in piece.slots..self.slots.len() {
                if !self.slots[at].child.is_empty() {
                    self.slots[to] = self.slots[at];
                    to += 1;
                }
            }
            self.slots.truncate(to);
            piece.dense = false;
        }
        self.reserve(1)?;
        let at = self.slots.len();
        self.slots.push(Slot::empty(value));
        match &mut piece.index {
            Some(index) => {
                index.insert(value, (at - piece.slots) as u32);
            }
            None => self.build_index(piece),
        }
        Ok(at)
    }

    /// How many edges the node may have by now.
    #[inline]
    pub fn size(&self, piece: &Piece) -> usize {
        self.slots.len() - piece.slots
    }

    /// Takes the node off the bench and appends its edges to `edges`.
    #[inline]
    pub fn end(&mut self, piece: Piece, edges: &mut Vec<(u32, NodeId)>) {
        if !piece.dense {
            self.slots[piece.slots..].sort_unstable_by_key(|slot| slot.value);
        }
        let full = self.slots[piece.slots..].iter();
        edges.extend(
            full.filter(|slot| !slot.child.is_empty())
                .map(|slot| (slot.value, slot.child)),
        );
        self.slots.truncate(piece.slots);
        self.queue.truncate(piece.queue);
    }
}

impl Slot {
    #[inline]
    fn empty(value: u32) -> Slot {
        Slot {
            value,
            child: NodeId::EMPTY,
            queued: false,
        }
    }

    #[inline]
    fn full(value: u32, child: NodeId) -> Slot {
        Slot {
            value,
            child,
            queued: true,
        }
    }
}

/// May `live` children have a slot for every value up to `last`?
#[inline]
fn room_is_dense(last: u32, live: usize) -> bool {
    (last as usize) < 4 * live + 16
}

/// A node on the bench.
pub(crate) struct Piece {
    slots: usize,
    queue: usize,
    live: usize,
    dense: bool,
    /// Where the slot of a value is, for sparse nodes with many.
    index: Option<Box<FxHashMap<u32, u32>>>,
}
