//! The workbench of saturation: nodes whose edges still change.

use rustc_hash::FxHashMap;

use crate::kernel::DdNode;
use lariat_budget::{Lease, Stop};

/// The present child under one value.
#[derive(Clone, Copy)]
struct OpenEdge {
    value: u32,
    child: DdNode,
    /// True if the events must be fired from this value (again).
    queued: bool,
}

/// Stacks of slots and of queued values, with one stretch of each per node in work.
pub(crate) struct Workbench {
    slots: Vec<OpenEdge>,
    queue: Vec<u32>,
    lease: Lease,
}

/// Maximal number of slots of a sparse node that is searched linearly.
const FEW: usize = 12;

/// Bytes of one slot, with an entry in the queue and one in the index.
const SLOT_BYTES: usize = size_of::<OpenEdge>() + size_of::<u32>() + 20;

impl Workbench {
    pub fn new(lease: Lease) -> Workbench {
        Workbench {
            slots: Vec::new(),
            queue: Vec::new(),
            lease,
        }
    }

    /// Reserves memory for `more` slots. Every slot is queued at most once.
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
        // Both arrays exist for a moment.
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

    /// Returns the roots of a collection.
    pub fn roots(&self) -> impl Iterator<Item = DdNode> {
        self.slots.iter().map(|slot| slot.child)
    }

    /// Puts a node with these edges on the bench and queues all values, the smallest first.
    #[inline(always)]
    pub fn begin(&mut self, edges: &[(u32, DdNode)]) -> Result<OpenNode, Stop> {
        let mut open = OpenNode {
            slots: self.slots.len(),
            queue: self.queue.len(),
            live: edges.len(),
            dense: edges
                .last()
                .is_some_and(|&(last, _)| is_dense_enough(last, edges.len())),
            index: None,
        };
        if let (true, Some(&(last, _))) = (open.dense, edges.last()) {
            self.reserve(last as usize + 1)?;
            self.slots.extend((0..=last).map(OpenEdge::empty));
            for &(value, child) in edges {
                let slot = &mut self.slots[open.slots + value as usize];
                *slot = OpenEdge::full(value, child);
            }
        } else {
            self.reserve(edges.len())?;
            let slots = edges
                .iter()
                .map(|&(value, child)| OpenEdge::full(value, child));
            self.slots.extend(slots);
            self.build_index(&mut open);
        }
        self.queue
            .extend(edges.iter().rev().map(|&(value, _)| value));
        Ok(open)
    }

    #[cold]
    fn build_index(&mut self, open: &mut OpenNode) {
        if self.slots.len() - open.slots > FEW && open.index.is_none() {
            let mut index = FxHashMap::default();
            let values = self.slots[open.slots..].iter().map(|slot| slot.value);
            index.extend(values.zip(0..));
            open.index = Some(Box::new(index));
        }
    }

    /// Takes the next queued value. Called for every value of every node, so inlined by force.
    #[inline(always)]
    pub fn next(&mut self, open: &OpenNode) -> Option<u32> {
        if self.queue.len() == open.queue {
            return None;
        }
        let value = self.queue.pop()?;
        if let Some(at) = self.find(open, value) {
            self.slots[at].queued = false;
        }
        Some(value)
    }

    #[inline]
    fn find(&self, open: &OpenNode, value: u32) -> Option<usize> {
        if open.dense {
            let at = open.slots + value as usize;
            return (at < self.slots.len()).then_some(at);
        }
        match &open.index {
            Some(index) => index.get(&value).map(|&at| open.slots + at as usize),
            None => (open.slots..self.slots.len()).find(|&at| self.slots[at].value == value),
        }
    }

    /// Returns the child under `value`.
    #[inline]
    pub fn child(&self, open: &OpenNode, value: u32) -> DdNode {
        match self.find(open, value) {
            Some(at) => self.slots[at].child,
            None => DdNode::EMPTY,
        }
    }

    /// Sets the child under `value`, and queues the value unless it is the one `in_work`.
    #[inline]
    pub fn set(
        &mut self,
        open: &mut OpenNode,
        value: u32,
        child: DdNode,
        in_work: u32,
    ) -> Result<(), Stop> {
        let at = match self.find(open, value) {
            Some(at) => at,
            None => self.add(open, value)?,
        };
        let slot = &mut self.slots[at];
        open.live += slot.child.is_empty() as usize;
        slot.child = child;
        if value != in_work && !slot.queued {
            slot.queued = true;
            self.queue.push(value);
        }
        Ok(())
    }

    /// Adds a slot for a new value.
    fn add(&mut self, open: &mut OpenNode, value: u32) -> Result<usize, Stop> {
        if open.dense {
            if is_dense_enough(value, open.live + 1) {
                let from = (self.slots.len() - open.slots) as u32;
                self.reserve((value - from) as usize + 1)?;
                self.slots.extend((from..=value).map(OpenEdge::empty));
                return Ok(open.slots + value as usize);
            }
            let mut to = open.slots;
            for at in open.slots..self.slots.len() {
                if !self.slots[at].child.is_empty() {
                    self.slots[to] = self.slots[at];
                    to += 1;
                }
            }
            self.slots.truncate(to);
            open.dense = false;
        }
        self.reserve(1)?;
        let at = self.slots.len();
        self.slots.push(OpenEdge::empty(value));
        match &mut open.index {
            Some(index) => {
                index.insert(value, (at - open.slots) as u32);
            }
            None => self.build_index(open),
        }
        Ok(at)
    }

    /// Returns an upper bound on the number of edges.
    #[inline]
    pub fn size(&self, open: &OpenNode) -> usize {
        self.slots.len() - open.slots
    }

    /// Takes the node off the bench and appends its edges to `edges`.
    #[inline]
    pub fn end(&mut self, open: OpenNode, edges: &mut Vec<(u32, DdNode)>) {
        if !open.dense {
            self.slots[open.slots..].sort_unstable_by_key(|slot| slot.value);
        }
        let full = self.slots[open.slots..].iter();
        edges.extend(
            full.filter(|slot| !slot.child.is_empty())
                .map(|slot| (slot.value, slot.child)),
        );
        self.slots.truncate(open.slots);
        self.queue.truncate(open.queue);
    }
}

impl OpenEdge {
    #[inline]
    fn empty(value: u32) -> OpenEdge {
        OpenEdge {
            value,
            child: DdNode::EMPTY,
            queued: false,
        }
    }

    #[inline]
    fn full(value: u32, child: DdNode) -> OpenEdge {
        OpenEdge {
            value,
            child,
            queued: true,
        }
    }
}

/// Returns whether `live` children justify a slot for every value up to `last`.
#[inline]
fn is_dense_enough(last: u32, live: usize) -> bool {
    (last as usize) < 4 * live + 16
}

/// A node on the bench.
pub(crate) struct OpenNode {
    slots: usize,
    queue: usize,
    live: usize,
    dense: bool,
    /// The slot of each value, for sparse nodes with many.
    index: Option<Box<FxHashMap<u32, u32>>>,
}
