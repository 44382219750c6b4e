//! Prefetches the hash slots of all successors of a state.
//!
//! A depth-first search mostly waits for memory, once for each successor that it looks up. The
//! hashes of all successors follow from what differs, so their slots are requested together, when
//! the search visits a state first and when it backtracks to it.

use super::index::mix;
use super::net::CompiledNet;
use super::plain::hash_of_word;
use super::states::StateTable;
use super::store::ExplicitStateId;
use super::words::Words;

/// Successors prefetched together.
const PREFETCH_BATCH: usize = 16;

/// The last prefetch, and a prediction whether the next one is useful.
#[derive(Debug, Default)]
pub(super) struct PrefetchHistory {
    /// The state whose successors were prefetched last.
    last: Option<ExplicitStateId>,
    /// True if the first step from the last visited state led to a later state. Then the search
    /// probably descends and takes one step per state, so that prefetching more is wasted.
    descends: bool,
}

impl StateTable {
    /// Returns whether to prefetch successors of `from`: at the first visit and after backtracking,
    /// when earlier prefetches have been evicted, but not before the first step of a descending
    /// search. Workers that share a store list all steps of a state before they take one, so they
    /// do not descend in this sense.
    #[inline]
    pub(super) fn should_prefetch(&mut self, from: ExplicitStateId, is_first: bool) -> bool {
        !(is_first && self.prefetch_history.descends && !self.store.is_common())
            && self.prefetch_history.last.replace(from) != Some(from)
            && self.store.outgrows_cache()
    }

    /// Records a step of the search; `is_first` if it is the first step from its state.
    #[inline]
    pub(super) fn record_step(
        &mut self,
        from: ExplicitStateId,
        to: ExplicitStateId,
        is_first: bool,
    ) {
        if is_first {
            self.prefetch_history.descends = to > from;
        }
    }

    /// Suppresses prefetching for `from`, of which the caller will look up one successor only.
    pub(super) fn suppress_prefetch(&mut self, from: ExplicitStateId) {
        self.prefetch_history.last = Some(from);
    }

    /// Prefetches the slots of the successors of the state in focus by the transitions from number
    /// `at` on: a search usually looks up several of them before it leaves the state.
    #[inline]
    pub(super) fn prefetch(&self, net: &CompiledNet, mut at: u32) {
        let (mut hashes, mut len) = ([0; PREFETCH_BATCH], 0);
        while len < PREFETCH_BATCH
            && let Some(t) = self.focus.find(net, at)
        {
            let weight = net.transitions[t as usize].weight;
            hashes[len] = mix(self.focus.sum.wrapping_add(weight));
            len += 1;
            at = t + 1;
        }
        self.store.prefetch(&hashes[..len]);
    }

    /// [`prefetch`](StateTable::prefetch) for a state that is a word.
    #[inline]
    pub(super) fn touch_words(&self, words: &Words, word: u64, mut at: u32) {
        let (mut hashes, mut len) = ([0; PREFETCH_BATCH], 0);
        while len < PREFETCH_BATCH
            && let Some(t) = words.find(word, at)
        {
            if let Some(to) = words.fire(word, t) {
                hashes[len] = hash_of_word(to, 0);
                len += 1;
            }
            at = t + 1;
        }
        self.store.prefetch(&hashes[..len]);
    }
}
