//! Common part of both agglomerations: a place between producers and consumers, and the fusion of
//! each producer with each consumer.
//!
//! # Agglomeration shortens words
//!
//! Let the word of a run be the values of its state atoms along the run; a maximal finite run
//! repeats its last letter infinitely often. Write `v ≤ w` if `v` is `w` with some repetitions of
//! letters removed, but never all repetitions of a letter repeated infinitely often. An
//! agglomeration of a net `N` to a net `R` shortens words under both deadlock policies:
//!
//! 1. *Each word `w` of `N` has a word `v ≤ w` of `R`.* Post-agglomeration: remove the steps of `F`
//!    and fuse each step of `H` with the `f` that takes its token, or with any `f` if none does.
//!    Moving `f` forward only makes its tokens available earlier; as `f` is invisible, each
//!    remaining step keeps the letter before it, and one repetition disappears where `f` was.
//!    Pre-agglomeration: remove the invisible steps of `H`, each of which repeats a letter, and
//!    move each back to its `f`. Infinitely many steps of an infinite run remain and finitely many
//!    are removed between two of them, because `F` needs tokens from `H`, and `H` takes tokens and
//!    returns none. If `N` is deadlocked, so is `R`: no `h` is enabled, hence no joint event,
//!    unless the token of a removed `h` is in `p`; then some `f` would be enabled in `N`.
//! 2. *Each word `v` of `R` has a word `w ≥ v` of `N`*, that of the lifted run: between the two
//!    parts of a joint event the letter is the one behind it (`f` invisible) or before it (`h`
//!    invisible). If `R` is deadlocked, `N` takes finitely many invisible steps, whose letter is
//!    the one repeated infinitely often.
//!
//! Two other rules also remove invisible steps. Token rings remove their moves from `w`; if only
//! moves follow, the remaining self-loop repeats the last letter as they did; the lift inserts
//! moves before events, where they repeat a letter. The prefix of interest removes steps, finitely
//! many between two others; its lift inserts some at a deadlock. The remaining rules keep all
//! words.
//!
//! `≤` is transitive, so both statements hold for all rules together: a stutter-invariant property
//! holds of `R` iff it holds of `N`, and a lifted run violates it if the run of `R` does.

use super::net::{EventIndex, ReducibleNet, ReducibleTransition};
use lariat_model::VarId;

/// Limit on the joint events that replace one place.
const MOST_JOINT: usize = 32;

/// A place that tokens only pass through, one by one.
pub(super) struct AgglomerationPlace {
    place: VarId,
    /// Events that put one token into the place and need none there.
    pub producers: Vec<EventIndex>,
    /// Events that take one token from the place.
    pub consumers: Vec<EventIndex>,
}

impl AgglomerationPlace {
    /// Returns the passage through `place` if no atom reads it, it is empty in every initial
    /// marking, and each adjacent event either produces or consumes one token there. (Events
    /// adjacent to a place that an atom reads are visible; both rules would reject them.)
    pub fn of(net: &ReducibleNet<'_>, place: VarId) -> Option<AgglomerationPlace> {
        if net.support.reads(place) || net.most_tokens(place) != 0 || !net.is_removable(place) {
            return None;
        }
        let mut passage = AgglomerationPlace {
            place,
            producers: Vec::new(),
            consumers: Vec::new(),
        };
        for (at, _, arc) in net.touching(place) {
            match (arc.need, arc.delta) {
                (0, 1) => passage.producers.push(at),
                (1, -1) => passage.consumers.push(at),
                _ => return None,
            }
            if passage.producers.len() * passage.consumers.len() > MOST_JOINT {
                return None;
            }
        }
        let is_between = !passage.producers.is_empty() && !passage.consumers.is_empty();
        is_between.then_some(passage)
    }

    /// Replaces producers, consumers and the place by joint events, unless more than `most` events
    /// would result. Returns whether it did.
    pub fn join(&self, net: &mut ReducibleNet<'_>, most: usize) -> bool {
        let (_, events) = net.size();
        let (ins, outs) = (self.producers.len(), self.consumers.len());
        if events - ins - outs + ins * outs > most {
            return false;
        }
        let mut joint: Vec<ReducibleTransition> = Vec::with_capacity(ins * outs);
        for producer in &self.producers {
            for consumer in &self.consumers {
                let (first, then) = (net.transition(*producer), net.transition(*consumer));
                match first.zip(then).and_then(|(first, then)| first.then(then)) {
                    Some(both) => joint.push(both),
                    None => return false,
                }
            }
        }
        for at in self.producers.iter().chain(&self.consumers) {
            net.remove(*at);
        }
        joint.into_iter().for_each(|both| net.add(both));
        net.remove_place(self.place);
        true
    }
}
