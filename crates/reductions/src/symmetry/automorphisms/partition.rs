//! Equitable ordered partitions of the vertices of a net's graph, by colour refinement.
//!
//! ```text
//! while the queue holds a splitter cell S:
//!   sig(v) := Σ over arcs from v into S of hash(weights of the arc)
//!   split every cell by sig; queue the parts, except the largest if the whole cell was not queued
//! ```
//!
//! Cells are ranges of one array, ordered by invariants of symmetries: positions, sizes and
//! signatures. So a symmetry between two partitions maps cell to cell, and refinements with
//! different *traces* are related by no symmetry. Splits are recorded on a trail and undone in
//! reverse order.
//!
//! J. Hopcroft, *An n log n algorithm for minimizing states in a finite automaton*, 1971; for
//! graphs B. D. McKay, *Practical graph isomorphism*, 1981. Cost: O(arcs · log(vertices)).

use super::super::mix;
use super::{AutomorphismLimit, VertexColouredGraph};
use lariat_budget::Stop;

#[derive(Clone, Debug)]
pub(super) struct OrderedPartition {
    /// The vertices cell by cell, and the position of each vertex.
    order: Vec<u32>,
    place: Vec<u32>,
    /// By vertex: the start of its cell.
    cell: Vec<u32>,
    /// By start: the number of vertices in the cell.
    length: Vec<u32>,
    /// Starts of the cells split off, in chronological order.
    trail: Vec<u32>,
    signatures: Vec<u64>,
    queue: Vec<u32>,
    queued: Vec<bool>,
}

impl OrderedPartition {
    /// The partition by colours in increasing order.
    pub fn new(colours: &[u64]) -> OrderedPartition {
        let count = colours.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|v| colours[*v as usize]);
        let mut partition = OrderedPartition {
            place: vec![0; count],
            cell: vec![0; count],
            length: vec![0; count],
            trail: Vec::new(),
            signatures: vec![0; count],
            queue: Vec::new(),
            queued: vec![false; count],
            order,
        };
        let mut start = 0;
        for at in 0..count {
            let v = partition.order[at] as usize;
            if at > 0 && colours[v] != colours[partition.order[at - 1] as usize] {
                start = at;
            }
            partition.place[v] = at as u32;
            partition.cell[v] = start as u32;
            partition.length[start] += 1;
        }
        for start in partition.starts(0..count as u32) {
            partition.enqueue(start);
        }
        partition
    }

    /// Starts of the cells in a range of positions that begins with a cell.
    pub fn starts(&self, positions: std::ops::Range<u32>) -> Vec<u32> {
        let mut all = Vec::new();
        let mut at = positions.start;
        while at < positions.end {
            all.push(at);
            at += self.length[at as usize];
        }
        all
    }

    /// The first non-singleton cell in a range of positions that begins with a cell.
    pub fn first_shared(&self, positions: std::ops::Range<u32>) -> Option<u32> {
        let mut at = positions.start;
        while at < positions.end {
            match self.length[at as usize] {
                1 => at += 1,
                _ => return Some(at),
            }
        }
        None
    }

    /// The members of the cell that starts here.
    pub fn members(&self, start: u32) -> &[u32] {
        &self.order[start as usize..(start + self.length[start as usize]) as usize]
    }

    /// The start of the cell of a vertex.
    pub fn cell_of(&self, vertex: u32) -> u32 {
        self.cell[vertex as usize]
    }

    /// The current length of the trail, to which [`undo`](OrderedPartition::undo) returns.
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Starts of the cells changed by splits since `mark`.
    pub fn changed(&self, mark: usize) -> Vec<u32> {
        let mut changed = Vec::with_capacity(2 * (self.trail.len() - mark));
        for start in &self.trail[mark..] {
            changed.push(*start);
            if let Some(before) = start.checked_sub(1) {
                changed.push(self.cell[self.order[before as usize] as usize]);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Undoes all splits since `mark` and clears the queue.
    pub fn undo(&mut self, mark: usize) {
        self.clear_queue();
        while self.trail.len() > mark {
            let Some(start) = self.trail.pop() else {
                return;
            };
            let whole = self.cell[self.order[start as usize - 1] as usize];
            let end = start + self.length[start as usize];
            for at in start..end {
                self.cell[self.order[at as usize] as usize] = whole;
            }
            self.length[whole as usize] += self.length[start as usize];
        }
    }

    /// Splits a vertex off as a singleton cell behind the rest of its cell.
    pub fn individualise(&mut self, vertex: u32) {
        let start = self.cell[vertex as usize];
        let last = start + self.length[start as usize] - 1;
        if last == start {
            return;
        }
        self.swap(self.place[vertex as usize], last);
        self.split_off(start, last);
        self.enqueue(last);
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.order.swap(a as usize, b as usize);
        self.place[self.order[a as usize] as usize] = a;
        self.place[self.order[b as usize] as usize] = b;
    }

    /// Splits off the part of the cell at `start` that begins at `from`.
    fn split_off(&mut self, start: u32, from: u32) {
        let end = start + self.length[start as usize];
        self.length[from as usize] = end - from;
        self.length[start as usize] = from - start;
        for at in from..end {
            self.cell[self.order[at as usize] as usize] = from;
        }
        self.trail.push(from);
    }

    fn enqueue(&mut self, start: u32) {
        if !std::mem::replace(&mut self.queued[start as usize], true) {
            self.queue.push(start);
        }
    }

    fn clear_queue(&mut self) {
        for start in self.queue.drain(..) {
            self.queued[start as usize] = false;
        }
    }

    /// Refines until the partition is equitable; returns the trace, a hash that symmetries
    /// preserve.
    pub fn refine(
        &mut self,
        graph: &VertexColouredGraph,
        effort: &mut AutomorphismLimit,
    ) -> Result<u64, Stop> {
        let mut trace = 0;
        let mut touched: Vec<u32> = Vec::new();
        while let Some(splitter) = self.queue.pop() {
            self.queued[splitter as usize] = false;
            let mut work = 1;
            for at in 0..self.length[splitter as usize] {
                let v = self.order[(splitter + at) as usize];
                let arcs = graph.arcs(v);
                work += arcs.len() as u64;
                for (other, label) in arcs {
                    let signature = &mut self.signatures[*other as usize];
                    if *signature == 0 {
                        touched.push(*other);
                    }
                    *signature = signature.wrapping_add(mix(1, u64::from(*label)));
                }
            }
            trace = mix(trace, u64::from(splitter));
            // Sort the members with signatures by cell and signature; those without remain in
            // front.
            let (cell, signatures) = (&self.cell, &self.signatures);
            let key = |v: &u32| (cell[*v as usize], signatures[*v as usize], *v);
            touched.sort_unstable_by_key(key);
            touched.dedup();
            let mut at = 0;
            while at < touched.len() {
                let start = self.cell[touched[at] as usize];
                let same = |v: &&u32| self.cell[**v as usize] == start;
                let count = touched[at..].iter().take_while(same).count();
                trace = self.split(start, &touched[at..at + count], trace);
                at += count;
            }
            for v in touched.drain(..) {
                self.signatures[v as usize] = 0;
            }
            effort.spend(work)?;
        }
        Ok(trace)
    }

    /// Splits a cell by the signatures of `signed`, its members with a signature, which are sorted
    /// by it.
    fn split(&mut self, start: u32, signed: &[u32], mut trace: u64) -> u64 {
        let end = start + self.length[start as usize];
        let first = end - signed.len() as u32;
        trace = mix(mix(trace, u64::from(start)), u64::from(first));
        if self.length[start as usize] == 1 {
            return mix(trace, self.signatures[signed[0] as usize]);
        }
        for (to, v) in (first..).zip(signed) {
            self.swap(self.place[*v as usize], to);
        }
        // Starts of new signatures from the end, so that each cut is made in the remaining front
        // part.
        let mut cuts: Vec<u32> = Vec::new();
        for at in (first..end).rev() {
            let v = self.order[at as usize];
            let signature = self.signatures[v as usize];
            let begins = if at > first {
                self.signatures[self.order[at as usize - 1] as usize] != signature
            } else {
                at > start
            };
            if begins || at == first {
                trace = mix(mix(trace, u64::from(at)), signature);
            }
            if begins {
                self.split_off(start, at);
                cuts.push(at);
            }
        }
        if cuts.is_empty() {
            return trace;
        }
        cuts.push(start);
        let whole = self.queued[start as usize];
        let length = |cut: &&u32| self.length[**cut as usize];
        let largest = if whole {
            u32::MAX
        } else {
            *cuts.iter().max_by_key(length).unwrap_or(&start)
        };
        for cut in cuts {
            if cut != largest {
                self.enqueue(cut);
            }
        }
        trace
    }
}
