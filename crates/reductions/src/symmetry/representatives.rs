//! One marking of each orbit, by whatever means the symmetries offer.

use super::Symmetry;
use super::automorphisms::Chain;
use super::canon::{Canon, Room, Tokens};
use super::group::Permutation;
use lariat_model::{EventId, Value, VarId};
use std::borrow::Cow;

/// Representatives of markings modulo a group.
#[derive(Clone, Debug)]
pub enum Representatives<'s, 'm> {
    /// Of permutations of colours.
    Colours(Canon<'s, 'm>),
    /// Of permutations of so many places and transitions.
    Net(Cow<'s, Chain>, u32),
}

impl<'s, 'm> Representatives<'s, 'm> {
    /// Representatives modulo all symmetries that are known.
    pub fn of_all(symmetry: &'s Symmetry<'m>) -> Representatives<'s, 'm> {
        match symmetry {
            Symmetry::Colours(colours) => {
                Representatives::Colours(Canon::new(colours, colours.group().clone()))
            }
            Symmetry::Net(net) => Representatives::Net(Cow::Borrowed(net.chain()), net.vertices()),
        }
    }

    /// Is every marking its own representative?
    pub fn is_trivial(&self) -> bool {
        match self {
            Representatives::Colours(canon) => canon.is_trivial(),
            Representatives::Net(chain, _) => chain.is_trivial(),
        }
    }

    /// The logarithm of the number of permutations, to base 10.
    pub fn magnitude(&self) -> f64 {
        match self {
            Representatives::Colours(canon) => canon.group().magnitude(),
            Representatives::Net(chain, _) => chain.magnitude(),
        }
    }

    /// Turns a marking into the representative of its orbit; says whether it has changed. [`permutation`](Representatives::permutation) tells what was
    /// applied.
    #[inline]
    pub fn canon(&self, room: &mut Room, tokens: &mut Tokens) -> bool {
        match self {
            Representatives::Colours(canon) => canon.canon(room, tokens),
            Representatives::Net(chain, _) => chain.canon(&mut room.net, tokens),
        }
    }

    /// Where the elements went in the last call of [`canon`](Representatives::canon).
    pub fn permutation(&self, room: &Room) -> Permutation {
        match self {
            Representatives::Colours(_) => room.permutation().to_vec(),
            Representatives::Net(chain, vertices) => chain.permutation(&room.net, *vertices),
        }
    }

    /// The same with a representative that is the same for all of the orbit, which may cost more; where that could not be made sure of,
    /// [`Room::was_cut`] says so from then on. What was applied is not told.
    pub fn least(&self, room: &mut Room, tokens: &mut Tokens) -> bool {
        match self {
            Representatives::Colours(canon) => canon.canon(room, tokens),
            Representatives::Net(chain, _) => {
                let before = tokens.clone();
                room.cut |= chain.least(&mut room.net, tokens).is_none();
                before != *tokens
            }
        }
    }

    /// The number of markings in the orbit of this one; `None` if the search for it was cut short, or if it is too large a number.
    pub fn orbit_size(&self, room: &mut Room, tokens: &Tokens) -> Option<u128> {
        match self {
            Representatives::Colours(canon) => canon.orbit_size(room, tokens),
            Representatives::Net(chain, _) => chain.least(&mut room.net, &mut tokens.clone()),
        }
    }

    /// Is it worth looking for twins before this event?
    #[inline]
    pub fn may_have_twins(&self, event: EventId) -> bool {
        match self {
            Representatives::Colours(canon) => canon.may_have_twins(event),
            Representatives::Net(..) => false,
        }
    }

    /// Finds the *twins* of a marking, elements that may be exchanged without changing it; places and transitions have none that are looked for.
    /// [`is_first`](Representatives::is_first) asks for them.
    pub fn find_twins(&self, room: &mut Room, tokens: &Tokens, value: impl Fn(VarId) -> Value) {
        if let Representatives::Colours(canon) = self {
            canon.find_twins(room, tokens, value);
        }
    }

    /// Of the events that differ by exchanging twins of the marking, is this the one to be taken?
    #[inline]
    pub fn is_first(&self, room: &Room, event: EventId) -> bool {
        match self {
            Representatives::Colours(canon) => canon.is_first(room, event),
            Representatives::Net(..) => true,
        }
    }
}
