//! Representatives of orbits, for either kind of symmetry.

use super::Symmetry;
use super::automorphisms::Chain;
use super::canon::{Canon, CanonScratch, Tokens};
use super::group::Permutation;
use lariat_model::{EventId, Value, VarId};
use std::borrow::Cow;

/// Computes representatives of markings modulo a group.
#[derive(Clone, Debug)]
pub enum Representatives<'s, 'm> {
    /// Modulo permutations of colours.
    Colours(Canon<'s, 'm>),
    /// Modulo permutations of this number of places and transitions.
    Net(Cow<'s, Chain>, u32),
}

impl<'s, 'm> Representatives<'s, 'm> {
    /// Representatives modulo all known symmetries.
    pub fn of_all(symmetry: &'s Symmetry<'m>) -> Representatives<'s, 'm> {
        match symmetry {
            Symmetry::Colours(colours) => {
                Representatives::Colours(Canon::new(colours, colours.group().clone()))
            }
            Symmetry::Net(net) => Representatives::Net(Cow::Borrowed(net.chain()), net.vertices()),
        }
    }

    /// Returns whether every marking is its own representative.
    pub fn is_trivial(&self) -> bool {
        match self {
            Representatives::Colours(canon) => canon.is_trivial(),
            Representatives::Net(chain, _) => chain.is_trivial(),
        }
    }

    /// Logarithm to base 10 of the number of permutations.
    pub fn magnitude(&self) -> f64 {
        match self {
            Representatives::Colours(canon) => canon.group().magnitude(),
            Representatives::Net(chain, _) => chain.magnitude(),
        }
    }

    /// Replaces a marking by the representative of its orbit; returns whether it changed.
    /// [`permutation`](Representatives::permutation) returns the permutation applied.
    #[inline]
    pub fn canon(&self, room: &mut CanonScratch, tokens: &mut Tokens) -> bool {
        match self {
            Representatives::Colours(canon) => canon.canon(room, tokens),
            Representatives::Net(chain, _) => chain.canon(&mut room.net, tokens),
        }
    }

    /// The permutation applied by the last call of [`canon`](Representatives::canon).
    pub fn permutation(&self, room: &CanonScratch) -> Permutation {
        match self {
            Representatives::Colours(_) => room.permutation().to_vec(),
            Representatives::Net(chain, vertices) => chain.permutation(&room.net, *vertices),
        }
    }

    /// Like [`canon`](Representatives::canon), but unique per orbit, which may cost more; if a
    /// limit prevents uniqueness, [`CanonScratch::was_cut`] returns true from then on. The
    /// permutation is not recorded.
    pub fn least(&self, room: &mut CanonScratch, tokens: &mut Tokens) -> bool {
        match self {
            Representatives::Colours(canon) => canon.canon(room, tokens),
            Representatives::Net(chain, _) => {
                let before = tokens.clone();
                room.cut |= least(chain, room, tokens).is_none();
                before != *tokens
            }
        }
    }

    /// The size of the orbit of this marking; `None` on overflow or if a limit cut the search
    /// short.
    pub fn orbit_size(&self, room: &mut CanonScratch, tokens: &Tokens) -> Option<u128> {
        match self {
            Representatives::Colours(canon) => canon.orbit_size(room, tokens),
            Representatives::Net(chain, _) => least(chain, room, &mut tokens.clone()),
        }
    }

    /// Returns whether twins may make this event redundant.
    #[inline]
    pub fn may_have_twins(&self, event: EventId) -> bool {
        match self {
            Representatives::Colours(canon) => canon.may_have_twins(event),
            Representatives::Net(..) => false,
        }
    }

    /// Finds the *twins* of a marking, elements whose exchange does not change it, for
    /// [`is_first`](Representatives::is_first). Twins of places and transitions are not searched
    /// for.
    pub fn find_twins(
        &self,
        room: &mut CanonScratch,
        tokens: &Tokens,
        value: impl Fn(VarId) -> Value,
    ) {
        if let Representatives::Colours(canon) = self {
            canon.find_twins(room, tokens, value);
        }
    }

    /// Returns whether this event represents those that differ from it by exchanging twins.
    #[inline]
    pub fn is_first(&self, room: &CanonScratch, event: EventId) -> bool {
        match self {
            Representatives::Colours(canon) => canon.is_first(room, event),
            Representatives::Net(..) => true,
        }
    }
}

fn least(chain: &Chain, room: &mut CanonScratch, tokens: &mut Tokens) -> Option<u128> {
    chain.least(&mut room.net, tokens, room.budget.as_ref())
}
