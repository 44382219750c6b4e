//! The set of enabled transitions, updated incrementally from the places that changed.
//!
//! A disabled transition *waits* at one place where it lacks tokens, and is tested again only when
//! this place gains some (as clauses watch literals: M. Moskewicz et al., *Chaff*, 2001). So a
//! place with thousands of consumers costs little: most of them wait elsewhere. The transitions
//! that a place disables by losing tokens are searched for among its consumers, or among all
//! enabled transitions, whichever are fewer.
//!
//! The transitions that wait at a place form a linked list: `first` and `next`. The enabled
//! transitions are a bit set, with a second layer of bits for its nonzero words.

use super::net::CompiledNet;
use lariat_model::Value;

/// The end of a list.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct EnabledSet {
    bits: Vec<u64>,
    words: Vec<u64>,
    count: usize,
    /// For each place the first transition that waits there, and for each transition the next.
    first: Vec<u32>,
    next: Vec<u32>,
}

impl EnabledSet {
    /// The transitions that are enabled under `values`.
    pub fn new(net: &CompiledNet, values: &[Value]) -> EnabledSet {
        let words = net.len().div_ceil(64);
        let mut enabled = EnabledSet {
            bits: vec![0; words],
            words: vec![0; words.div_ceil(64)],
            count: 0,
            first: vec![NONE; values.len()],
            next: vec![NONE; net.len()],
        };
        for t in 0..net.len() as u32 {
            match net.lacks(t, values) {
                Some(place) => enabled.wait(t, place),
                None => enabled.enable(t),
            }
        }
        enabled
    }

    #[inline]
    pub fn has(&self, t: u32) -> bool {
        self.bits[t as usize / 64] >> (t % 64) & 1 == 1
    }

    /// First enabled transition from number `from` on.
    #[inline]
    pub fn find(&self, from: u32) -> Option<u32> {
        let word = from as usize / 64;
        let rest = self.bits.get(word)? >> (from % 64);
        if rest != 0 {
            return Some(from + rest.trailing_zeros());
        }
        let word = word + 1;
        let mut at = word / 64;
        let mut rest = self.words.get(at)? >> (word % 64) << (word % 64);
        while rest == 0 {
            at += 1;
            rest = *self.words.get(at)?;
        }
        let word = at * 64 + rest.trailing_zeros() as usize;
        Some(word as u32 * 64 + self.bits[word].trailing_zeros())
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Appends all enabled transitions in increasing order.
    #[inline]
    pub fn list(&self, all: &mut Vec<u32>) {
        for (at, words) in self.words.iter().enumerate() {
            let mut words = *words;
            while words != 0 {
                let word = at * 64 + words.trailing_zeros() as usize;
                words &= words - 1;
                let mut bits = self.bits[word];
                while bits != 0 {
                    all.push(word as u32 * 64 + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
        }
    }

    /// Updates the set after the places in `changed`, each with its old value, took the values in
    /// `values`. Calls `flipped` with each transition that became enabled (true) or disabled
    /// (false); a transition may be reported as both.
    #[inline]
    pub fn follow(
        &mut self,
        net: &CompiledNet,
        values: &[Value],
        changed: &[(u32, Value)],
        flipped: &mut impl FnMut(u32, bool),
    ) {
        let mut search_all = false;
        for (place, old) in changed {
            let new = values[*place as usize];
            if new >= *old {
                continue;
            }
            let consumers = net.consumers(*place);
            if consumers.len() > 2 * self.count {
                search_all = true;
                continue;
            }
            for consumer in consumers {
                if new < consumer.need && self.has(consumer.transition) {
                    self.disable(consumer.transition, *place);
                    flipped(consumer.transition, false);
                }
            }
        }
        if search_all {
            self.disable_all(net, values, flipped);
        }
        for (place, old) in changed {
            if values[*place as usize] > *old {
                self.wake(net, values, *place, flipped);
            }
        }
    }

    fn disable_all(
        &mut self,
        net: &CompiledNet,
        values: &[Value],
        flipped: &mut impl FnMut(u32, bool),
    ) {
        let mut from = 0;
        while let Some(t) = self.find(from) {
            if let Some(place) = net.lacks(t, values) {
                self.disable(t, place);
                flipped(t, false);
            }
            from = t + 1;
        }
    }

    /// Tests the transitions that wait at a place that gained tokens: each waits at another place,
    /// or is enabled.
    #[inline]
    fn wake(
        &mut self,
        net: &CompiledNet,
        values: &[Value],
        place: u32,
        flipped: &mut impl FnMut(u32, bool),
    ) {
        let mut at = std::mem::replace(&mut self.first[place as usize], NONE);
        while at != NONE {
            let next = self.next[at as usize];
            match net.lacks(at, values) {
                Some(other) => self.wait(at, other),
                None => {
                    self.enable(at);
                    flipped(at, true);
                }
            }
            at = next;
        }
    }

    #[inline]
    fn wait(&mut self, t: u32, place: u32) {
        self.next[t as usize] = std::mem::replace(&mut self.first[place as usize], t);
    }

    #[inline]
    fn enable(&mut self, t: u32) {
        let word = t as usize / 64;
        self.bits[word] |= 1 << (t % 64);
        self.words[word / 64] |= 1 << (word % 64);
        self.count += 1;
    }

    #[inline]
    fn disable(&mut self, t: u32, place: u32) {
        let word = t as usize / 64;
        self.bits[word] &= !(1 << (t % 64));
        if self.bits[word] == 0 {
            self.words[word / 64] &= !(1 << (word % 64));
        }
        self.count -= 1;
        self.wait(t, place);
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::PackedLayout;
    use super::super::net::order;
    use super::super::testing;
    use super::*;
    use lariat_corpora::{Random, cases, seed};

    /// After any changes the set equals one computed from scratch, in the same order.
    #[test]
    fn incremental_update_equals_recomputation() {
        let mut random = Random::new(seed(20_112));
        for case in 0..cases(200) {
            let places = 1 + random.below(60_u32);
            let transitions = random.below(400_u32);
            let system = testing::net(&mut random, places, transitions, 3);
            let net = CompiledNet::new(&system, order(&system), &PackedLayout::new(&system));
            let mut values: Vec<Value> = system.initial[0].to_vec();
            let mut enabled = EnabledSet::new(&net, &values);
            let mut counted = enabled.count;
            for _ in 0..50 {
                let mut changed = Vec::new();
                for place in 0..places {
                    let new = random.below(4);
                    let old = values[place as usize];
                    if random.chance(1, 10) && old != new {
                        values[place as usize] = new;
                        changed.push((place, old));
                    }
                }
                enabled.follow(&net, &values, &changed, &mut |_, more| {
                    if more { counted += 1 } else { counted -= 1 }
                });
                assert_eq!(counted, enabled.count, "case {case}");
                let wanted = (0..net.len() as u32).filter(|t| net.lacks(*t, &values).is_none());
                let wanted: Vec<u32> = wanted.collect();
                let mut listed = Vec::new();
                enabled.list(&mut listed);
                assert_eq!(listed, wanted, "case {case}");
                let mut from = 0;
                for t in &wanted {
                    assert_eq!(enabled.find(from), Some(*t), "case {case}");
                    from = t + 1;
                }
                assert_eq!((enabled.find(from), enabled.count), (None, wanted.len()));
            }
        }
    }
}
