//! Graphs whose nodes are sets of nodes of an explicit graph.

use std::collections::HashMap;

use lariat_emptiness::{Edge, Graph, Marks, NodeId, Ordered};

use crate::explicit::{self, Explicit, Limit, Stopped};
use lariat_corpora::Random;

/// A seeded fault that the tests must detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// `includes` answers the opposite question.
    Reversed,
    /// `minus` drops the difference.
    NoRest,
    /// Sets of different classes are compared.
    OneClass,
}

/// A graph of sets: all edges of `base` with the same marks from the set into one class and one
/// group form one edge. Every member of a target has a predecessor in the source, and every edge of
/// `base` is covered: so both graphs agree on emptiness, for any grouping.
#[derive(Clone, Debug)]
pub struct Powerset {
    pub base: Explicit,
    /// A base node `i` encodes a pair: its class `i % classes`, like the state of an automaton, and
    /// `i / classes`. Only nodes of one class are in one set.
    pub classes: usize,
    /// Edges into one class are split further by this group of the target.
    pub group: Vec<u32>,
    /// Sets of the initial nodes.
    pub initial: Vec<u64>,
    /// Elements of `whole` that `minus` adds to the difference, so that differences need not be
    /// disjoint from `part` or smaller than `whole`.
    pub sticky: u64,
    /// Every second edge leads to another node with the same set.
    pub twins: bool,
    pub fault: Fault,
}

/// Interned sets, and the budget.
pub struct Store {
    pub limit: Limit,
    pub sets: Vec<u64>,
    ids: HashMap<(u64, bool), NodeId>,
}

impl Store {
    pub fn new(limit: Limit) -> Store {
        Store {
            limit,
            sets: Vec::new(),
            ids: HashMap::new(),
        }
    }

    fn id(&mut self, set: u64, twin: bool) -> NodeId {
        *self.ids.entry((set, twin)).or_insert_with(|| {
            self.sets.push(set);
            NodeId(self.sets.len() as u32 - 1)
        })
    }
}

pub fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| set >> i & 1 == 1)
}

impl Powerset {
    /// A random graph with many inclusions: it mostly runs forward through overlapping sets of
    /// successors, with short edges back and few marks.
    pub fn random(random: &mut Random) -> Powerset {
        let n = random.between(4, 20);
        let marks = random.between(1, 3) as u32;
        let (forward, back) = (random.between(20, 60), random.between(5, 60));
        let chance = random.between(3, 40);
        let mut edges = vec![Vec::new(); n];
        for (i, out) in edges.iter_mut().enumerate() {
            let common = explicit::marks(random, marks, chance);
            for j in i + 1..n.min(i + 6) {
                if random.percent(forward) {
                    let changes = random.percent(20);
                    let own = changes.then(|| explicit::marks(random, marks, chance));
                    out.push((j, own.unwrap_or(common)));
                }
            }
            if random.percent(back) {
                out.push((random.between(i.saturating_sub(3), i), common));
            }
        }
        let classes = random.between(1, 3);
        let colours = random.between(1, 2);
        let group = (0..n).map(|_| random.below(colours) as u32).collect();
        let initial: Vec<u64> = (0..random.between(1, 2))
            .map(|_| {
                let c = random.below(n.min(6)) % classes;
                (0..n.min(6))
                    .filter(|&i| i % classes == c && random.percent(60))
                    .fold(0, |set, i| set | 1 << i)
            })
            .filter(|&set| set != 0)
            .collect();
        Powerset {
            base: Explicit {
                marks: Marks::all(marks),
                initial: initial.iter().flat_map(|&s| members(s)).collect(),
                edges,
            },
            classes,
            group,
            initial,
            sticky: if random.percent(20) { random.bits() } else { 0 },
            twins: random.percent(25),
            fault: Fault::None,
        }
    }

    fn successors(&self, set: u64) -> Vec<(Marks, u64)> {
        let mut keys: Vec<(Marks, usize, u32)> = Vec::new();
        let mut edges: Vec<(Marks, u64)> = Vec::new();
        for source in members(set) {
            for &(to, marks) in &self.base.edges[source] {
                let key = (marks, to % self.classes, self.group[to]);
                let i = keys.iter().position(|&k| k == key).unwrap_or_else(|| {
                    keys.push(key);
                    edges.push((marks, 0));
                    keys.len() - 1
                });
                edges[i].1 |= 1 << to;
            }
        }
        edges
    }
}

impl Graph for Powerset {
    type Stop = Stopped;
    type Worker = Store;
    type Cursor = usize;

    fn marks(&self) -> Marks {
        self.base.marks
    }

    fn initial(&self, worker: &mut Store, k: usize) -> Result<Option<NodeId>, Stopped> {
        worker.limit.spend()?;
        Ok(self.initial.get(k).map(|&set| worker.id(set, false)))
    }

    fn next_edge(
        &self,
        worker: &mut Store,
        node: NodeId,
        cursor: &mut usize,
    ) -> Result<Option<Edge>, Stopped> {
        worker.limit.spend()?;
        let successors = self.successors(worker.sets[node.index()]);
        let edge = successors.get(*cursor);
        let twin = self.twins && *cursor % 2 == 1;
        *cursor += 1;
        Ok(edge.map(|&(marks, set)| Edge {
            to: worker.id(set, twin),
            marks,
        }))
    }

    fn tick(&self, worker: &mut Store, _: usize) -> Result<(), Stopped> {
        worker.limit.spend()
    }
}

impl Ordered for Powerset {
    fn class(&self, worker: &Store, node: NodeId) -> u32 {
        match self.fault {
            Fault::OneClass => 0,
            _ => members(worker.sets[node.index()])
                .next()
                .map_or(0, |i| (i % self.classes) as u32),
        }
    }

    fn includes(&self, worker: &mut Store, big: NodeId, small: NodeId) -> Result<bool, Stopped> {
        worker.limit.spend()?;
        let (big, small) = match self.fault {
            Fault::Reversed => (small, big),
            _ => (big, small),
        };
        let states = |node: NodeId| {
            members(worker.sets[node.index()]).fold(0u64, |set, i| set | 1 << (i / self.classes))
        };
        Ok(states(small) & !states(big) == 0)
    }

    fn minus(
        &self,
        worker: &mut Store,
        whole: NodeId,
        part: NodeId,
    ) -> Result<Option<NodeId>, Stopped> {
        worker.limit.spend()?;
        let (whole, part) = (worker.sets[whole.index()], worker.sets[part.index()]);
        let rest = whole & !part;
        if rest == 0 || self.fault == Fault::NoRest {
            return Ok(None);
        }
        Ok(Some(worker.id(rest | whole & self.sticky, false)))
    }
}
