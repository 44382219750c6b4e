//! Search for automorphisms by individualisation and refinement, one base point after the other.
//!
//! ```text
//! base:  individualise a place of the first place cell with several members and refine, until none
//! from the last base point b to the first, for each w in b's cell not known to be symmetric to b:
//!   individualise b on the left and w on the right and refine both; if their traces agree:
//!     the candidate maps cell to cell, with fixed points where possible; if it is no symmetry:
//!       individualise one vertex on the left and in turn each of its cell on the right
//! ```
//!
//! Symmetries found at b fix all earlier base points, so the generators known when b is processed
//! generate its orbit, and products along the orbit form the transversal. Of the places without a
//! symmetry to b one per orbit is tried. Base points distinguish places only: exchanging
//! transitions with the same arcs has no effect.
//!
//! B. D. McKay, *Practical graph isomorphism*, 1981; candidates with fixed points: P. T. Darga, M.
//! H. Liffiton, K. A. Sakallah, I. L. Markov, *Exploiting structure in symmetry detection for CNF*,
//! 2004. Each search is limited; beyond the limit the image counts as not found. A subgroup is
//! always sound.

use super::chain::{BasePoint, Chain, Coset};
use super::partition::OrderedPartition;
use super::{AutomorphismLimit, VertexColouredGraph, VertexImage};
use lariat_budget::{Budget, Stop};
use rustc_hash::FxHashSet;

/// Limit on the arcs inspected in total.
const MOST_WORK: u64 = 5_000_000;

/// Limit on the arcs inspected per image of a base point, beside twice the net for refinement.
const MOST_WORK_PER_IMAGE: u64 = 50_000;

/// Limit on base points: canonization passes over the whole chain for every marking.
const MOST_LEVELS: usize = 1_000;

/// Limit on the moves of all transversal elements together, eight bytes each.
const MOST_MOVES: usize = 1_000_000;

/// The moved vertices with their images.
pub(super) type MovedVertices = Box<[(u32, u32)]>;

/// Finds symmetries that preserve the colours and pass a test.
pub(super) fn search(
    graph: &VertexColouredGraph,
    colours: &[u64],
    passes: &mut dyn FnMut(VertexImage<'_>) -> bool,
    budget: &Budget,
) -> Result<Chain, Stop> {
    let mut effort = AutomorphismLimit::new(budget, MOST_WORK);
    // Places come before transitions.
    let ranks = |(v, colour): (usize, &u64)| {
        if v < graph.vars as usize {
            colour >> 1
        } else {
            colour >> 1 | 1 << 63
        }
    };
    let colours: Vec<u64> = colours.iter().enumerate().map(ranks).collect();
    let mut left = OrderedPartition::new(&colours);
    let found = match left.refine(graph, &mut effort) {
        Err(stop) => Err(stop),
        Ok(_) if left.first_shared(0..graph.vars).is_none() => Ok(Chain::trivial(graph.vars)),
        Ok(_) => Search::new(graph, left, passes, effort).run(),
    };
    match found {
        Err(Stop::Work(_)) => Ok(Chain::trivial(graph.vars).cut_short()),
        found => found,
    }
}

struct Search<'a> {
    graph: &'a VertexColouredGraph,
    passes: &'a mut dyn FnMut(VertexImage<'_>) -> bool,
    effort: AutomorphismLimit<'a>,
    left: OrderedPartition,
    right: OrderedPartition,
    /// The mark up to which both partitions are equal.
    same: usize,
    /// The dense image of the candidate; the identity between tests.
    image: Vec<u32>,
    /// The symmetries found, each with its inverse.
    generators: Vec<(MovedVertices, MovedVertices)>,
    orbits: Orbits,
    complete: bool,
}

/// Union–find structure of the orbits under the known symmetries.
struct Orbits(Vec<u32>);

impl Orbits {
    fn root(&mut self, v: u32) -> u32 {
        let mut at = v as usize;
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at as u32
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// A base point with its cell and the partition mark before its individualisation.
struct Point {
    vertex: u32,
    cell: Vec<u32>,
    mark: usize,
    /// The places that become fixed here.
    fixed: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(
        graph: &'a VertexColouredGraph,
        left: OrderedPartition,
        passes: &'a mut dyn FnMut(VertexImage<'_>) -> bool,
        effort: AutomorphismLimit<'a>,
    ) -> Search<'a> {
        let identity: Vec<u32> = (0..graph.vertices()).collect();
        Search {
            graph,
            passes,
            effort,
            same: 0,
            right: left.clone(),
            left,
            generators: Vec::new(),
            orbits: Orbits(identity.clone()),
            image: identity,
            complete: true,
        }
    }

    fn run(mut self) -> Result<Chain, Stop> {
        let base = self.base()?;
        self.right = self.left.clone();
        let mut levels = Vec::with_capacity(base.len());
        let mut moves = 0;
        for point in base.iter().rev() {
            self.left.undo(point.mark);
            self.right.undo(point.mark);
            match self.images(point) {
                Err(Stop::Work(_)) => {
                    self.complete = false;
                    // Keep the symmetries found so far.
                    levels.extend(self.level(point, &mut moves));
                    break;
                }
                found => found?,
            }
            levels.extend(self.level(point, &mut moves));
        }
        levels.reverse();
        Ok(Chain::new(self.graph.vars, levels, self.complete))
    }

    /// The base points in order, each with the places that become fixed.
    fn base(&mut self) -> Result<Vec<Point>, Stop> {
        let mut base = Vec::new();
        let vars = self.graph.vars;
        let mut first = 0;
        while let Some(start) = self.left.first_shared(first..vars) {
            // Earlier cells are singletons already.
            first = start;
            if base.len() == MOST_LEVELS {
                return Err(Stop::Work(MOST_WORK));
            }
            let mut cell = self.left.members(start).to_vec();
            cell.sort_unstable();
            let (vertex, mark) = (cell[0], self.left.mark());
            self.left.individualise(vertex);
            self.left.refine(self.graph, &mut self.effort)?;
            let changed = self.left.changed(mark).into_iter();
            let alone = changed.filter_map(|cell| match self.left.members(cell) {
                [v] if *v < vars => Some(*v),
                _ => None,
            });
            let mut fixed: Vec<u32> = alone.filter(|v| *v != vertex).collect();
            fixed.sort_unstable();
            fixed.insert(0, vertex);
            base.push(Point {
                vertex,
                cell,
                mark,
                fixed,
            });
        }
        Ok(base)
    }

    /// Searches for a symmetry from each member of a base point's cell to the base point.
    fn images(&mut self, point: &Point) -> Result<(), Stop> {
        let mut lost: Vec<u32> = Vec::new();
        for other in point.cell[1..].iter().copied() {
            let root = self.orbits.root(other);
            if root == self.orbits.root(point.vertex)
                || lost.iter().any(|v| self.orbits.root(*v) == root)
            {
                continue;
            }
            let most = MOST_WORK_PER_IMAGE + 2 * self.graph.arcs.len() as u64;
            self.effort.limit = MOST_WORK.min(self.effort.spent + most);
            self.same = point.mark;
            let found = self.map_to(other, point.vertex, 0);
            self.effort.limit = MOST_WORK;
            self.left.undo(point.mark);
            self.right.undo(point.mark);
            match found {
                Ok(Some(moves)) => {
                    for (from, to) in &moves {
                        self.orbits.join(*from, *to);
                    }
                    let back = inverse(&moves);
                    self.generators.push((moves.clone(), back.clone()));
                    self.generators.push((back, moves));
                }
                Ok(None) => lost.push(other),
                Err(Stop::Work(_)) => {
                    self.complete = false;
                    lost.push(other);
                    self.effort.spend(0)?;
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// Searches for a symmetry that maps `from` to `to` and each cell of the left partition to the
    /// corresponding one of the right.
    fn map_to(&mut self, from: u32, to: u32, depth: usize) -> Result<Option<MovedVertices>, Stop> {
        let marks = (self.left.mark(), self.right.mark());
        self.left.individualise(from);
        self.right.individualise(to);
        let left = self.left.refine(self.graph, &mut self.effort)?;
        let right = self.right.refine(self.graph, &mut self.effort)?;
        let mut found = None;
        if left == right {
            found = self.refined(depth)?;
        }
        self.left.undo(marks.0);
        self.right.undo(marks.1);
        Ok(found)
    }

    /// Searches for a symmetry between the two refined partitions: the candidate, or one of a finer
    /// pair.
    fn refined(&mut self, depth: usize) -> Result<Option<MovedVertices>, Stop> {
        let Some((moves, open)) = self.candidate()? else {
            return Ok(None);
        };
        if self.is_symmetry(&moves)? {
            return Ok(Some(moves));
        }
        let Some(cell) = open.or_else(|| self.left.first_shared(0..self.graph.vars)) else {
            return Ok(None);
        };
        if depth == MOST_LEVELS {
            return Err(Stop::Work(MOST_WORK));
        }
        let from = self.left.members(cell).iter().copied().min().unwrap_or(0);
        let mut images = self.right.members(cell).to_vec();
        // A fixed point is tried first.
        images.sort_unstable_by_key(|v| (*v != from, *v));
        for to in images {
            if let Some(found) = self.map_to(from, to, depth + 1)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The permutation that maps cell to cell with fixed points where possible, and the first place
    /// cell with several members that it moves; `None` if the partitions differ.
    fn candidate(&mut self) -> Result<Option<(MovedVertices, Option<u32>)>, Stop> {
        let (left, right) = (&self.left, &self.right);
        let changed = left.changed(self.same);
        let mut moves = Vec::new();
        let mut open = None;
        let mut work = 0;
        for cell in changed {
            let (ours, theirs) = (left.members(cell), right.members(cell));
            work += ours.len() as u64;
            if ours.len() != theirs.len() {
                return Ok(None);
            }
            let leave = ours.iter().filter(|v| right.cell_of(**v) != cell);
            let come = theirs.iter().filter(|v| left.cell_of(**v) != cell);
            let mut leave: Vec<u32> = leave.copied().collect();
            let mut come: Vec<u32> = come.copied().collect();
            if leave.len() != come.len() {
                return Ok(None);
            }
            leave.sort_unstable();
            come.sort_unstable();
            let shared = ours.len() > 1 && cell < self.graph.vars;
            if shared && !leave.is_empty() && open.is_none() {
                open = Some(cell);
            }
            moves.extend(leave.into_iter().zip(come));
        }
        self.effort.spend(work / 8)?;
        moves.sort_unstable();
        Ok(Some((moves.into(), open)))
    }

    /// Returns whether the permutation preserves the weighted arcs and passes the test.
    fn is_symmetry(&mut self, moves: &[(u32, u32)]) -> Result<bool, Stop> {
        let mut images: Vec<u32> = moves.iter().map(|(_, to)| *to).collect();
        images.sort_unstable();
        if !images.iter().eq(moves.iter().map(|(from, _)| from)) {
            return Ok(false);
        }
        self.load(moves);
        let kept = self.keeps(moves);
        self.unload(moves);
        kept
    }

    fn keeps(&mut self, moves: &[(u32, u32)]) -> Result<bool, Stop> {
        let mut arcs: Vec<(u32, u32)> = Vec::new();
        for (from, to) in moves {
            let (own, expected) = (self.graph.arcs(*from), self.graph.arcs(*to));
            self.effort.spend(own.len() as u64 + 1)?;
            if own.len() != expected.len() {
                return Ok(false);
            }
            arcs.clear();
            arcs.extend(
                own.iter()
                    .map(|(v, label)| (self.image[*v as usize], *label)),
            );
            arcs.sort_unstable();
            if arcs != expected {
                return Ok(false);
            }
        }
        Ok((self.passes)(&self.image))
    }

    /// Builds the level of a base point: one product of generators per vertex of its orbit.
    fn level(&mut self, point: &Point, moves: &mut usize) -> Option<BasePoint> {
        let generators = std::mem::take(&mut self.generators);
        // For each vertex of the orbit a permutation that maps it to the base point, in
        // breadth-first order.
        let mut known: FxHashSet<u32> = FxHashSet::from_iter([point.vertex]);
        let mut found: Vec<(u32, MovedVertices)> = vec![(point.vertex, MovedVertices::default())];
        let mut at = 0;
        'all: while at < found.len() {
            for (forth, back) in &generators {
                // v –forth→ x –known→ point
                let x = found[at].0;
                let v = back.binary_search_by_key(&x, |(from, _)| *from);
                let v = v.map_or(x, |at| back[at].1);
                if !known.insert(v) {
                    continue;
                }
                let product = self.product(forth, &found[at].1);
                *moves += product.len();
                if *moves > MOST_MOVES {
                    self.complete = false;
                    break 'all;
                }
                found.push((v, product));
            }
            at += 1;
        }
        self.generators = generators;
        let mut cosets = Vec::with_capacity(found.len() - 1);
        for (_, moves) in found.into_iter().skip(1) {
            let back = inverse(&moves);
            self.load(&back);
            let sources = point.fixed.iter().map(|v| self.image[*v as usize]);
            let sources = sources.collect();
            self.unload(&back);
            cosets.push(Coset { sources, moves });
        }
        (!cosets.is_empty()).then(|| BasePoint {
            fixed: point.fixed.clone().into(),
            cosets,
        })
    }

    fn load(&mut self, moves: &[(u32, u32)]) {
        for (from, to) in moves {
            self.image[*from as usize] = *to;
        }
    }

    fn unload(&mut self, moves: &[(u32, u32)]) {
        for (from, _) in moves {
            self.image[*from as usize] = *from;
        }
    }

    /// The composition: `first`, then `second`.
    fn product(&mut self, first: &[(u32, u32)], second: &[(u32, u32)]) -> MovedVertices {
        self.load(second);
        let image = |to: u32| self.image[to as usize];
        let mut all: Vec<(u32, u32)> = first.iter().map(|(v, to)| (*v, image(*to))).collect();
        self.unload(second);
        self.load(first);
        let stays = |v: &u32| self.image[*v as usize] == *v;
        all.extend(second.iter().filter(|(v, _)| stays(v)));
        self.unload(first);
        all.retain(|(from, to)| from != to);
        all.sort_unstable();
        all.into()
    }
}

fn inverse(moves: &[(u32, u32)]) -> MovedVertices {
    let mut moves: Vec<(u32, u32)> = moves.iter().map(|(from, to)| (*to, *from)).collect();
    moves.sort_unstable();
    moves.into()
}
