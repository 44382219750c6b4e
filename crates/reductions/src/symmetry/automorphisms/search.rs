//! The search for symmetries, one base point after the other.
//!
//! ```text
//! base:  individualise a place of the first cell with several, refine, until every place is alone
//! from the last base point b to the first, for each w in b's cell that no known symmetry takes to b:
//!   individualise b on the left and w on the right and refine both; if their traces agree:
//!     the candidate takes cell to cell, and stays where it can; is it a symmetry?
//!     if not, individualise once more, one vertex on the left, in turn each of its cell on the right
//! ```
//!
//! What is found at b keeps all base points before it, so that the symmetries known when b is looked at generate its orbit, and products along the orbit
//! are the transversal. Places that no symmetry takes to b are asked for once for each of their orbits. The last base point is the one behind which all places are alone:
//! transitions with the same arcs are exchanged with no effect.
//!
//! B. D. McKay, *Practical graph isomorphism*, 1981; the candidate that stays where it can is that of P. T. Darga, M. H. Liffiton, K. A. Sakallah, I. L. Markov,
//! *Exploiting structure in symmetry detection for CNF*, 2004. Each search has a limit of its own, behind which the image counts as not found: fewer symmetries are always right.

use super::chain::{Chain, Coset, Level};
use super::partition::Partition;
use super::{Effort, Graph, Image};
use lariat_budget::{Budget, Stop};
use rustc_hash::FxHashSet;

/// Arcs that may be looked at in all: some tenths of a second. Symmetries are an opportunity, not the question.
const MOST_WORK: u64 = 5_000_000;

/// Arcs that may be looked at for one image of one base point, besides twice the net, which refining from nothing costs: where so many are not enough, the search is hardly ever worth its end.
const MOST_WORK_FOR_ONE: u64 = 50_000;

/// Base points: a chain with more would not be walked along for every marking.
const MOST_LEVELS: usize = 1_000;

/// Moves of all elements of transversals together, eight bytes each.
const MOST_MOVES: usize = 1_000_000;

/// Where the vertices go that do not stay.
pub(super) type Moves = Box<[(u32, u32)]>;

/// The symmetries that keep the colours and pass a test; as many as are found.
pub(super) fn search(
    graph: &Graph,
    colours: &[u64],
    passes: &mut dyn FnMut(Image<'_>) -> bool,
    budget: &Budget,
) -> Result<Chain, Stop> {
    let mut effort = Effort::new(budget, MOST_WORK);
    // Places come before transitions.
    let ranks = |(v, colour): (usize, &u64)| {
        if v < graph.vars as usize {
            colour >> 1
        } else {
            colour >> 1 | 1 << 63
        }
    };
    let colours: Vec<u64> = colours.iter().enumerate().map(ranks).collect();
    let mut left = Partition::new(&colours);
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
    graph: &'a Graph,
    passes: &'a mut dyn FnMut(Image<'_>) -> bool,
    effort: Effort<'a>,
    left: Partition,
    right: Partition,
    /// Where the partitions were the same.
    same: usize,
    /// The candidate; the identity between two tests.
    image: Vec<u32>,
    /// What was found, and the way back of each, the one beside the other.
    generators: Vec<(Moves, Moves)>,
    orbits: Orbits,
    complete: bool,
}

/// Which vertices are in one orbit of what is known.
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

/// A base point, the cell that it was taken from, and how the partition was before.
struct Point {
    vertex: u32,
    cell: Vec<u32>,
    mark: usize,
    /// The places that are alone from here on.
    fixed: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(
        graph: &'a Graph,
        left: Partition,
        passes: &'a mut dyn FnMut(Image<'_>) -> bool,
        effort: Effort<'a>,
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
                    // What is known is kept; nothing more is looked for.
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

    /// The base points, from the first on, each with what it makes alone.
    fn base(&mut self) -> Result<Vec<Point>, Stop> {
        let mut base = Vec::new();
        let vars = self.graph.vars;
        let mut first = 0;
        while let Some(start) = self.left.first_shared(first..vars) {
            // All before are alone already.
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

    /// Looks for a symmetry from each member of a base point's cell to it.
    fn images(&mut self, point: &Point) -> Result<(), Stop> {
        let mut lost: Vec<u32> = Vec::new();
        for other in point.cell[1..].iter().copied() {
            let root = self.orbits.root(other);
            if root == self.orbits.root(point.vertex)
                || lost.iter().any(|v| self.orbits.root(*v) == root)
            {
                continue;
            }
            let most = MOST_WORK_FOR_ONE + 2 * self.graph.arcs.len() as u64;
            self.effort.limit = MOST_WORK.min(self.effort.spent + most);
            self.same = point.mark;
            let found = self.take(other, point.vertex, 0);
            self.effort.limit = MOST_WORK;
            self.left.undo(point.mark);
            self.right.undo(point.mark);
            match found {
                Ok(Some(moves)) => {
                    for (from, to) in &moves {
                        self.orbits.join(*from, *to);
                    }
                    let back = back(&moves);
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

    /// A symmetry that takes one cell of the left partition to that of the right in the same place, all over, and `from` to `to`.
    fn take(&mut self, from: u32, to: u32, depth: usize) -> Result<Option<Moves>, Stop> {
        let marks = (self.left.mark(), self.right.mark());
        self.left.individualise(from);
        self.right.individualise(to);
        let left = self.left.refine(self.graph, &mut self.effort)?;
        let right = self.right.refine(self.graph, &mut self.effort)?;
        let mut found = None;
        if left == right {
            found = self.beyond(depth)?;
        }
        self.left.undo(marks.0);
        self.right.undo(marks.1);
        Ok(found)
    }

    /// The candidate of two partitions, or one of finer ones.
    fn beyond(&mut self, depth: usize) -> Result<Option<Moves>, Stop> {
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
        // Who can stay is asked first.
        images.sort_unstable_by_key(|v| (*v != from, *v));
        for to in images {
            if let Some(found) = self.take(from, to, depth + 1)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The permutation that takes cell to cell and stays where it can, and the first cell of several places whose members it moves; `None` if the partitions
    /// are not alike after all.
    fn candidate(&mut self) -> Result<Option<(Moves, Option<u32>)>, Stop> {
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

    /// Are arcs taken to arcs with the same weights, and does the permutation pass the test?
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

    /// The level of a base point: one permutation for each vertex that some product of generators takes to it.
    fn level(&mut self, point: &Point, moves: &mut usize) -> Option<Level> {
        let generators = std::mem::take(&mut self.generators);
        // For each vertex of the orbit what takes it to the point, in the order in which they were found.
        let mut known: FxHashSet<u32> = FxHashSet::from_iter([point.vertex]);
        let mut found: Vec<(u32, Moves)> = vec![(point.vertex, Moves::default())];
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
            let back = back(&moves);
            self.load(&back);
            let sources = point.fixed.iter().map(|v| self.image[*v as usize]);
            let sources = sources.collect();
            self.unload(&back);
            cosets.push(Coset { sources, moves });
        }
        (!cosets.is_empty()).then(|| Level {
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

    /// The first, and then the second.
    fn product(&mut self, first: &[(u32, u32)], second: &[(u32, u32)]) -> Moves {
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

/// The way back.
fn back(moves: &[(u32, u32)]) -> Moves {
    let mut back: Vec<(u32, u32)> = moves.iter().map(|(from, to)| (*to, *from)).collect();
    back.sort_unstable();
    back.into()
}
