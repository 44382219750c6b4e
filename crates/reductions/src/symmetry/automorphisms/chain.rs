//! A group as a stabiliser chain, and representatives of markings by it.
//!
//! ```text
//! G = G₀ ≥ G₁ ≥ … ≥ 1,   Gᵢ₊₁ = what keeps the base point bᵢ,   Uᵢ = one u of Gᵢ for each place of the orbit of bᵢ, u takes it to bᵢ
//! canon(m): for each level i:  m := u·m for the u of Uᵢ that gives the smallest values to the places that Gᵢ₊₁ keeps
//! ```
//!
//! One pass is exact where parts of the net change places as wholes, and always a marking of the orbit. Where the *least* marking of an orbit is wanted, because orbits are
//! counted, all `u` that give the smallest values are followed, each up to what one pass makes of it: as every element of the group is one product of elements of transversals, the
//! number of ways to the least marking is the number of symmetries that keep it, and tells the size of the orbit.
//!
//! C. C. Sims, *Computational methods in the study of permutation groups*, 1970; the pass over the levels is that of K. Schmidt, *Integrating low level symmetries into reachability analysis*,
//! TACAS 2000. Cost: a comparison for each element of a transversal, and a pass over the places for each level that changes something.

use super::super::canon::Tokens;
use super::super::group::{Permutation, after};
use super::search::Moves;
use lariat_model::Value;
use rustc_hash::FxHashMap;

/// Markings that are followed at once in the search for the least of an orbit.
const MOST_FOLLOWED: usize = 256;

/// A group of permutations of the places and transitions of a net.
#[derive(Clone, Debug)]
pub struct Chain {
    vars: u32,
    levels: Vec<Level>,
    complete: bool,
}

/// A base point: the places that are alone from it on, and what takes others to it.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The base point, then others.
    pub fixed: Box<[u32]>,
    /// The transversal without the identity.
    pub cosets: Vec<Coset>,
}

/// A permutation.
#[derive(Clone, Debug)]
pub(super) struct Coset {
    /// Where the values of the level's places come from.
    pub sources: Box<[u32]>,
    /// Where vertices go that do not stay, in increasing order.
    pub moves: Moves,
}

/// What representing by a chain needs besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The marking; between two calls all are 0.
    values: Vec<Value>,
    moved: Vec<Value>,
    /// What the last call has applied, by levels and numbers in them.
    applied: Vec<(u32, u32)>,
}

impl Chain {
    pub(super) fn new(vars: u32, levels: Vec<Level>, complete: bool) -> Chain {
        Chain {
            vars,
            levels,
            complete,
        }
    }

    /// The group of the identity.
    pub(super) fn trivial(vars: u32) -> Chain {
        Chain::new(vars, Vec::new(), true)
    }

    /// The same, not all of the group that was looked for.
    pub(super) fn cut_short(self) -> Chain {
        Chain {
            complete: false,
            ..self
        }
    }

    /// Nothing but the identity?
    pub fn is_trivial(&self) -> bool {
        self.levels.is_empty()
    }

    /// Was the search for symmetries brought to its end?
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The logarithm of the number of permutations, to base 10.
    pub fn magnitude(&self) -> f64 {
        let sizes = self.levels.iter().map(|level| level.cosets.len() + 1);
        // From 0 on: a sum of nothing would be −0.
        sizes.fold(0.0, |sum, size| sum + (size as f64).log10())
    }

    /// The number of permutations.
    pub(super) fn order(&self) -> Option<u128> {
        let sizes = self.levels.iter().map(|level| level.cosets.len() + 1);
        sizes
            .map(|size| size as u128)
            .try_fold(1u128, u128::checked_mul)
    }

    /// The permutations of all transversals, by what they move.
    pub(super) fn permutations(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let cosets = self.levels.iter().flat_map(|level| &level.cosets);
        cosets.map(|coset| &*coset.moves)
    }

    /// The permutations of all transversals, places before transitions, of which there are so many together.
    pub fn elements(&self, vertices: u32) -> impl Iterator<Item = Permutation> {
        self.permutations().map(move |moves| {
            let mut to: Permutation = (0..vertices).collect();
            for (from, image) in moves {
                to[*from as usize] = *image;
            }
            to
        })
    }

    /// Turns a marking into one of its orbit, in one pass; says whether it has changed.
    pub(crate) fn canon(&self, scratch: &mut Scratch, tokens: &mut Tokens) -> bool {
        scratch.applied.clear();
        if self.levels.is_empty() {
            return false;
        }
        self.load(&mut scratch.values, tokens);
        let Scratch {
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

    /// One pass over the levels from `first` on.
    fn pass(
        &self,
        values: &mut [Value],
        moved: &mut Vec<Value>,
        first: usize,
        mut tell: impl FnMut(usize, usize),
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
                tell(at, number);
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

    /// What the last call has applied, for a net with so many places and transitions.
    pub(crate) fn permutation(&self, scratch: &Scratch, vertices: u32) -> Permutation {
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

    /// Turns a marking into the least of its orbit and says how many markings that has; `None`, with another marking of the orbit, if the search for it was
    /// cut short.
    pub(crate) fn least(&self, scratch: &mut Scratch, tokens: &mut Tokens) -> Option<u128> {
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
            followed = self.next(at, level, followed, &mut scratch.moved)?;
        }
        // Every place that moves has the least value: there is one left.
        let (mut least, ways) = followed.into_iter().next()?;
        unload(&mut least, tokens);
        Some(order / ways)
    }

    /// The markings of the next level, each with the number of ways to it.
    fn next(
        &self,
        at: usize,
        level: &Level,
        followed: FxHashMap<Vec<Value>, u128>,
        moved: &mut Vec<Value>,
    ) -> Option<FxHashMap<Vec<Value>, u128>> {
        let seen = |values: &[Value], sources: &[u32]| -> Vec<Value> {
            sources.iter().map(|v| values[*v as usize]).collect()
        };
        let mut least: Option<Vec<Value>> = None;
        let mut next: FxHashMap<Vec<Value>, u128> = FxHashMap::default();
        for (values, ways) in followed {
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

/// Are the values from some places smaller than those from others?
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

/// The tokens of a marking, which is left empty.
fn unload(values: &mut [Value], tokens: &mut Tokens) {
    tokens.clear();
    let marked = (0..).zip(values.iter().copied());
    tokens.extend(marked.filter(|(_, value)| *value != 0));
    values.fill(0);
}
