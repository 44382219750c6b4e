//! Successors of a state that are brought into the cache together.
//!
//! A depth-first search waits for memory more than for anything else: looking up one successor after the other waits for each. Where they would be found is known from
//! what differs, so that all of a state are asked for at once, when a search comes to it and when it comes back to it.

use super::index::mix;
use super::net::Net;
use super::plain::hash_of_word;
use super::states::States;
use super::store::StateId;
use super::words::Words;

/// Successors that are touched at once.
const TOUCHED: usize = 16;

/// What was touched last, and what that was worth.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// The state whose successors were touched last.
    last: Option<StateId>,
    /// Did the first step from the last state that a search came to lead on to a later one? Then it is likely to be on its way down, where it takes one step from
    /// each state, and to touch more of them would be in vain.
    descends: bool,
}

impl States {
    /// Is it worthwhile to touch successors of `from`? It is when a search comes to a state, and when it comes back to it from others: what was
    /// touched before is long forgotten then. It is not before the first step of a search on its way down; those who share a store ask for all steps of a state before they take one.
    #[inline]
    pub(super) fn should_touch(&mut self, from: StateId, is_first: bool) -> bool {
        !(is_first && self.touched.descends && !self.store.is_common())
            && self.touched.last.replace(from) != Some(from)
            && self.store.outgrows_cache()
    }

    /// A search takes a step, the first one from a state or another.
    #[inline]
    pub(super) fn goes(&mut self, from: StateId, to: StateId, is_first: bool) {
        if is_first {
            self.touched.descends = to > from;
        }
    }

    /// Whoever comes to `from` next will ask for one of its successors only.
    pub(super) fn touch_nothing(&mut self, from: StateId) {
        self.touched.last = Some(from);
    }

    /// Brings into the cache where the successors of the state in focus, by transitions from number `at` on, would be found: a search usually asks for
    /// several of them before it goes elsewhere.
    #[inline]
    pub(super) fn touch(&self, net: &Net, mut at: u32) {
        let (mut hashes, mut len) = ([0; TOUCHED], 0);
        while len < TOUCHED
            && let Some(t) = self.focus.find(net, at)
        {
            let weight = net.transitions[t as usize].weight;
            hashes[len] = mix(self.focus.sum.wrapping_add(weight));
            len += 1;
            at = t + 1;
        }
        self.store.touch(&hashes[..len]);
    }

    /// The same where states are words.
    #[inline]
    pub(super) fn touch_words(&self, words: &Words, word: u64, mut at: u32) {
        let (mut hashes, mut len) = ([0; TOUCHED], 0);
        while len < TOUCHED
            && let Some(t) = words.find(word, at)
        {
            if let Some(to) = words.fire(word, t) {
                hashes[len] = hash_of_word(to, 0);
                len += 1;
            }
            at = t + 1;
        }
        self.store.touch(&hashes[..len]);
    }
}
