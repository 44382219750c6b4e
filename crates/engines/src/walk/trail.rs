//! The steps of one walk.

use crate::explicit::covering::StepBack;
use crate::explicit::product::ExplicitWorker;
use lariat_emptiness::{Marks, NodeId};
use lariat_model::{EventId, RunRecorder};
use rustc_hash::FxHashMap;

/// A walk: one more node than steps.
pub(super) struct WalkTrail {
    nodes: Vec<NodeId>,
    events: Vec<Option<EventId>>,
    marks: Vec<Marks>,
    /// By node: its first position.
    first: FxHashMap<NodeId, usize>,
    /// By mark: number of steps when it was last seen, 0 if never.
    last_seen: Vec<usize>,
    all: Marks,
    missing: Marks,
}

impl WalkTrail {
    /// Creates a trail for walks that have to collect these marks.
    pub fn new(all: Marks) -> WalkTrail {
        WalkTrail {
            nodes: Vec::new(),
            events: Vec::new(),
            marks: Vec::new(),
            first: FxHashMap::default(),
            last_seen: Vec::new(),
            all,
            missing: all,
        }
    }

    pub fn begin(&mut self, start: NodeId) {
        self.nodes.clear();
        self.nodes.push(start);
        self.events.clear();
        self.marks.clear();
        self.first.clear();
        self.first.insert(start, 0);
        self.last_seen.clear();
        self.last_seen.resize(self.all.len() as usize, 0);
        self.missing = self.all;
    }

    pub fn push(&mut self, event: Option<EventId>, marks: Marks, to: NodeId) {
        self.events.push(event);
        self.marks.push(marks);
        self.nodes.push(to);
        self.first.entry(to).or_insert(self.events.len());
        for mark in marks.intersection(self.all).iter() {
            self.last_seen[mark as usize] = self.events.len();
        }
        self.missing = self.missing.minus(marks);
        if self.missing.is_empty() {
            self.missing = self.all;
        }
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn start(&self) -> NodeId {
        self.nodes[0]
    }

    pub fn end(&self) -> NodeId {
        self.nodes[self.len()]
    }

    pub fn node(&self, position: usize) -> NodeId {
        self.nodes[position]
    }

    /// Iterates over all steps, the last one first.
    pub fn back(&self) -> impl Iterator<Item = StepBack> + Clone {
        (0..self.len()).rev().map(|position| StepBack {
            from: self.nodes[position],
            event: self.events[position],
            marks: self.marks[position],
        })
    }

    /// Returns the marks not seen since all of them were.
    pub fn missing(&self) -> Marks {
        self.missing
    }

    /// Returns whether all marks were seen from this position on.
    pub fn has_all_since(&self, position: usize) -> bool {
        self.last_seen.iter().all(|seen| *seen > position)
    }

    /// Returns the marks not seen from this position on.
    pub fn missing_since(&self, position: usize) -> Marks {
        let unseen = |mark: &u32| self.last_seen[*mark as usize] <= position;
        let marks = self.all.iter().filter(unseen);
        marks.fold(Marks::NONE, |all, mark| all.union(Marks::one(mark)))
    }

    /// Returns the last position with the current node and all marks in between.
    pub fn met_again(&self) -> Option<usize> {
        let first = *self.first.get(&self.end())?;
        if first == self.len() || !self.has_all_since(first) {
            return None;
        }
        let again = |i: &usize| self.nodes[*i] == self.end() && self.has_all_since(*i);
        (first..self.len()).rev().find(again)
    }

    /// Appends the steps from a position on to a run that ends there.
    pub fn steps(&self, worker: &mut ExplicitWorker, from: usize, run: &mut RunRecorder) {
        (from..self.len()).for_each(|i| self.step(worker, i, run));
    }

    /// Returns the path to a position without the steps between two visits of a node.
    pub fn prefix(&self, worker: &mut ExplicitWorker, to: usize) -> RunRecorder {
        let visits = self.nodes[..=to].iter().copied().zip(0..);
        let last: FxHashMap<NodeId, usize> = visits.collect();
        let mut run = RunRecorder::new(worker.state(self.start()));
        let mut at = last[&self.nodes[0]];
        while at < to {
            self.step(worker, at, &mut run);
            at = last[&self.nodes[at + 1]];
        }
        run
    }

    fn step(&self, worker: &mut ExplicitWorker, position: usize, run: &mut RunRecorder) {
        let state = worker.state(self.nodes[position + 1]);
        run.push(self.events[position], &state);
    }
}
