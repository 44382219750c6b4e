//! What both agglomerations share: a place between producers and consumers, and joining each of the ones with each of the
//! others.
//!
//! # Runs become shorter
//!
//! Let the word of a run be what atoms about states say along it; a run that ends in a deadlock and counts repeats its last letter for ever. We write `v ≤ w` if `v` is `w` with
//! some repetitions of letters left out, of a letter that is repeated for ever never all. One agglomeration of a net `N` to a net `R` does not only keep words up to repetitions: they
//! get shorter, under both deadlock policies.
//!
//! 1. *Each word `w` of `N` has a word `v ≤ w` of `R`.* Post-agglomeration: leave the steps of `F` out, and let each step of `H` be joined with the `f` that takes its token, or with any if none does.
//!    `f` is moved forward over others, who do not mind tokens that come earlier; it is invisible, so that the letter before each step that is left is the one that it was, and where `f` was there is a
//!    repetition less. Pre-agglomeration: leave the steps of `H` out, each of which is invisible and a repetition; it is moved back to its `f`. Infinitely many steps are left of an infinite run, and finitely many are
//!    left out between two of them, because `F` needs tokens from `H`, and `H` takes tokens and gives none back. Where `N` is dead, `R` is: no `h` is enabled, so that no joint event is, unless the token of an `h` that was left out
//!    waits in `p` for some `f`, which would be enabled in `N`.
//! 2. *Each word `v` of `R` has a word `w ≥ v` of `N`*, that of the run which the lift makes: between the two parts of a joint event the letter is that behind it (`f` is invisible) or before it (`h` is). Where `R` is dead, `N` takes finitely
//!    many invisible steps, whose letter is that which is repeated for ever.
//!
//! Of the other rules two leave out invisible steps, too, and nothing else. Moves in a token ring are left out of `w`, unless nothing else follows: then what stays of them repeats the last letter for ever as they did; and the lift
//! puts moves before events, which repeat the letter there. Steps behind the prefix of interest are left out of `w`, finitely many between two others; and the lift adds some at a dead end. The rest keep words as they are.
//!
//! `≤` is transitive, so both are true of all rules together. A stutter-invariant property therefore
//! holds of `R` iff it holds of `N`, and a run that the lift makes violates it if the run of `R` does.

use super::net::{Net, Position, Transition};
use lariat_model::VarId;

/// Joint events that one place may be replaced by.
const MOST_JOINT: usize = 32;

/// A place that tokens only pass through, one by one.
pub(super) struct Passage {
    place: VarId,
    /// Each puts one token into the place and needs none there.
    pub producers: Vec<Position>,
    /// Each takes one token from it.
    pub consumers: Vec<Position>,
}

impl Passage {
    /// The passage through a place, if the place is one: no atom reads it, it is empty in every initial marking, and whoever touches it
    /// produces or consumes one token and does nothing else there. (Where an atom reads it, whoever touches it is visible, and both rules would say no a little later.)
    pub fn of(net: &Net<'_>, place: VarId) -> Option<Passage> {
        if net.support.reads(place) || net.most_tokens(place) != 0 || !net.may_lose(place) {
            return None;
        }
        let mut passage = Passage {
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

    /// Replaces producers, consumers and the place by joint events, unless there would be more than `most` events. Says
    /// whether it did.
    pub fn join(&self, net: &mut Net<'_>, most: usize) -> bool {
        let (_, events) = net.size();
        let (ins, outs) = (self.producers.len(), self.consumers.len());
        if events - ins - outs + ins * outs > most {
            return false;
        }
        let mut joint: Vec<Transition> = Vec::with_capacity(ins * outs);
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
