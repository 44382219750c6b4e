//! Permutation groups as stabiliser chains, and representatives of markings modulo them.
//!
//! ```text
//! G = G₀ ≥ G₁ ≥ … ≥ 1,   Gᵢ₊₁ = stabiliser of the base point bᵢ in Gᵢ
//! Uᵢ = transversal: one u ∈ Gᵢ with u·p = bᵢ per place p in the orbit of bᵢ
//! canon(m): for each level i:  m := u·m for the u ∈ Uᵢ that minimises the values of level i
//! ```
//!
//! One pass yields a marking of the orbit, which is unique if symmetric parts of the net are
//! permuted as blocks. To count orbits, the *least* marking is computed: all minimising `u` are
//! followed, each to the result of a pass over the remaining levels. As every element of the group
//! is a unique product of transversal elements, the number of paths to the least marking is the
//! order of its stabiliser, which determines the size of the orbit.
//!
//! C. C. Sims, *Computational methods in the study of permutation groups*, 1970; the pass over the
//! levels: K. Schmidt, *Integrating low level symmetries into reachability analysis*, TACAS 2000.
//! Cost: one comparison per transversal element, and one pass over the places per level that
//! changes the marking.

use super::super::canon::Tokens;
use super::super::group::{Permutation, after};
use super::search::MovedVertices;
use lariat_budget::Budget;
use lariat_model::Value;
use rustc_hash::FxHashMap;

/// Limit on the markings followed simultaneously when searching for the least of an orbit.
const MOST_FOLLOWED: usize = 256;

/// A group of permutations of the places and transitions of a net.
#[derive(Clone, Debug)]
pub struct Chain {
    vars: u32,
    levels: Vec<BasePoint>,
    complete: bool,
}

/// One level: the places that become fixed at a base point, and the transversal of its orbit.
#[derive(Clone, Debug)]
pub(super) struct BasePoint {
    /// The base point, then the other places that its stabiliser fixes.
    pub fixed: Box<[u32]>,
    /// The transversal without the identity.
    pub cosets: Vec<Coset>,
}

#[derive(Clone, Debug)]
pub(super) struct Coset {
    /// Preimages of the level's fixed places.
    pub sources: Box<[u32]>,
    /// Moved vertices with their images, by increasing vertex.
    pub moves: MovedVertices,
}

/// Scratch memory of canonization.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainScratch {
    /// The dense marking; all zero between calls.
    values: Vec<Value>,
    moved: Vec<Value>,
    /// Transversal elements applied by the last call, as level and index.
    applied: Vec<(u32, u32)>,
}

impl Chain {
    pub(super) fn new(vars: u32, levels: Vec<BasePoint>, complete: bool) -> Chain {
        Chain {
            vars,
            levels,
            complete,
        }
    }

    pub(super) fn trivial(vars: u32) -> Chain {
        Chain::new(vars, Vec::new(), true)
    }

    /// Marks the group as possibly a proper subgroup of the symmetries.
    pub(super) fn cut_short(self) -> Chain {
        Chain {
            complete: false,
            ..self
        }
    }

    /// Returns whether the group is trivial.
    pub fn is_trivial(&self) -> bool {
        self.levels.is_empty()
    }

    /// Returns whether the search for symmetries was completed.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Logarithm to base 10 of the order of the group.
    pub fn magnitude(&self) -> f64 {
        let sizes = self.levels.iter().map(|level| level.cosets.len() + 1);
        // Starts at 0.0, since an empty sum would be −0.
        sizes.fold(0.0, |sum, size| sum + (size as f64).log10())
    }

    /// The order of the group, unless it overflows.
    pub(super) fn order(&self) -> Option<u128> {
        let sizes = self.levels.iter().map(|level| level.cosets.len() + 1);
        sizes
            .map(|size| size as u128)
            .try_fold(1u128, u128::checked_mul)
    }

    pub(super) fn permutations(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let cosets = self.levels.iter().flat_map(|level| &level.cosets);
        cosets.map(|coset| &*coset.moves)
    }

    /// The transversal elements as permutations of all vertices, places before transitions.
    pub fn elements(&self, vertices: u32) -> impl Iterator<Item = Permutation> {
        self.permutations().map(move |moves| {
            let mut to: Permutation = (0..vertices).collect();
            for (from, image) in moves {
                to[*from as usize] = *image;
            }
            to
        })
    }

    /// Replaces a marking by one of its orbit in one pass; returns whether it changed.
    pub(crate) fn canon(&self, scratch: &mut ChainScratch, tokens: &mut Tokens) -> bool {
        scratch.applied.clear();
        if self.levels.is_empty() {
            return false;
        }
        self.load(&mut scratch.values, tokens);
        let ChainScratch {
            values,
            moved,
            applied,
        } = scratch;
        self.pass(values, moved, 0, |level, coset| {
            applied.push((level as u32, coset as u32));
        });
        let changed = !applied.is_empty();
        if changed {
            unload(values, tokens);
        } else {
            for (var, _) in tokens.iter() {
                values[*var as usize] = 0;
            }
        }
        changed
    }

    fn load(&self, values: &mut Vec<Value>, tokens: &Tokens) {
        values.resize(self.vars as usize, 0);
        for (var, value) in tokens {
            values[*var as usize] = *value;
        }
    }

    /// Performs the pass over the levels from `first` on and calls `record` for each element
    /// applied.
    fn pass(
        &self,
        values: &mut [Value],
        moved: &mut Vec<Value>,
        first: usize,
        mut record: impl FnMut(usize, usize),
    ) {
        for (at, level) in self.levels.iter().enumerate().skip(first) {
            let mut best: (&[u32], Option<usize>) = (&level.fixed, None);
            for (number, coset) in level.cosets.iter().enumerate() {
                if is_less(values, &coset.sources, best.0) {
                    best = (&coset.sources, Some(number));
                }
            }
            if let (_, Some(number)) = best {
                self.apply(values, moved, &level.cosets[number]);
                record(at, number);
            }
        }
    }

    fn apply(&self, values: &mut [Value], moved: &mut Vec<Value>, coset: &Coset) {
        let places = coset.moves.partition_point(|(from, _)| *from < self.vars);
        let moves = &coset.moves[..places];
        moved.clear();
        moved.extend(moves.iter().map(|(from, _)| values[*from as usize]));
        for ((_, to), value) in moves.iter().zip(moved) {
            values[*to as usize] = *value;
        }
    }

    /// The product of the elements applied by the last call, for a net with this number of
    /// vertices.
    pub(crate) fn permutation(&self, scratch: &ChainScratch, vertices: u32) -> Permutation {
        let mut all: Permutation = (0..vertices).collect();
        let mut one = all.clone();
        for (level, coset) in &scratch.applied {
            let moves = &self.levels[*level as usize].cosets[*coset as usize].moves;
            for (from, to) in moves {
                one[*from as usize] = *to;
            }
            all = after(&one, &all);
            for (from, _) in moves {
                one[*from as usize] = *from;
            }
        }
        all
    }

    /// Replaces a marking by the least of its orbit and returns the size of the orbit; `None`, with
    /// some marking of the orbit, if the search was cut short.
    pub(crate) fn least(
        &self,
        scratch: &mut ChainScratch,
        tokens: &mut Tokens,
        budget: Option<&Budget>,
    ) -> Option<u128> {
        let order = self.order().filter(|_| self.complete);
        let Some(order) = order else {
            self.canon(scratch, tokens);
            return None;
        };
        if self.levels.is_empty() {
            return Some(1);
        }
        self.canon(scratch, tokens);
        let mut first = Vec::new();
        self.load(&mut first, tokens);
        let mut followed: FxHashMap<Vec<Value>, u128> = FxHashMap::from_iter([(first, 1)]);
        for (at, level) in self.levels.iter().enumerate() {
            followed = self.next(at, level, followed, &mut scratch.moved, budget)?;
        }
        // At the last level all moved places are minimised: one marking remains.
        let (mut least, ways) = followed.into_iter().next()?;
        unload(&mut least, tokens);
        Some(order / ways)
    }

    /// The minimal markings at the next level, each with the number of paths to it.
    fn next(
        &self,
        at: usize,
        level: &BasePoint,
        followed: FxHashMap<Vec<Value>, u128>,
        moved: &mut Vec<Value>,
        budget: Option<&Budget>,
    ) -> Option<FxHashMap<Vec<Value>, u128>> {
        let seen = |values: &[Value], sources: &[u32]| -> Vec<Value> {
            sources.iter().map(|v| values[*v as usize]).collect()
        };
        let mut least: Option<Vec<Value>> = None;
        let mut next: FxHashMap<Vec<Value>, u128> = FxHashMap::default();
        for (values, ways) in followed {
            if budget.is_some_and(|budget| budget.check().is_err()) {
                return None;
            }
            let all = level.cosets.iter().map(Some);
            for coset in [None].into_iter().chain(all) {
                let sources = coset.map_or(&level.fixed, |coset| &coset.sources);
                let own = seen(&values, sources);
                if least.as_ref().is_some_and(|least| own > *least) {
                    continue;
                }
                if least.as_ref() != Some(&own) {
                    next.clear();
                    least = Some(own);
                }
                let mut image = values.clone();
                if let Some(coset) = coset {
                    self.apply(&mut image, moved, coset);
                }
                self.pass(&mut image, moved, at + 1, |_, _| {});
                *next.entry(image).or_insert(0) += ways;
                if next.len() > MOST_FOLLOWED {
                    return None;
                }
            }
        }
        Some(next)
    }
}

/// Compares the values of two sequences of places lexicographically.
#[inline]
fn is_less(values: &[Value], ours: &[u32], theirs: &[u32]) -> bool {
    for (our, their) in ours.iter().zip(theirs) {
        let (ours, theirs) = (values[*our as usize], values[*their as usize]);
        if ours != theirs {
            return ours < theirs;
        }
    }
    false
}

/// Converts a dense marking to tokens and clears it.
fn unload(values: &mut [Value], tokens: &mut Tokens) {
    tokens.clear();
    let marked = (0..).zip(values.iter().copied());
    tokens.extend(marked.filter(|(_, value)| *value != 0));
    values.fill(0);
}
