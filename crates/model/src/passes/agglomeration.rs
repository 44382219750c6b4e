//! What both agglomerations share: a place between producers and consumers, and joining each of the ones with each of the
//! others.

use super::net::{Net, Position, Transition};
use crate::system::VarId;

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
    /// The passage through a place, if the place is one: no atom reads it, it is empty at the start, and whoever touches it
    /// produces or consumes one token and does nothing else there.
    pub fn of(net: &Net<'_>, place: VarId) -> Option<Passage> {
        if net.support.reads(place) || net.tokens(place) != 0 || !net.may_lose(place) {
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
