//! Coloured nets: symmetric nets in PNML, and the place/transition nets that they abbreviate.
//!
//! A [`ColouredNet`] is read with all its sorts checked; [`unfold`] makes a [`crate::System`] of it, in
//! which `p(1,2)` is the place `p` with a colour and `t(x=1,y=2)` the transition `t` with a binding.
//! The [`Unfolding`] says which is which. Runs of the unfolded net are replayed on the coloured one
//! ([`ColouredNet::replay`]) by an interpreter of its own.

mod compile;
mod join;
mod names;
mod net;
mod semantics;
mod unfold;

pub use names::{ColourNames, UnfoldedNames};
pub use net::{
    Class, Colour, ColouredNet, Guard, Inscription, Partition, Place, PlaceId, Sort, SortId,
    SortKind, Term, TermKind, Transition, TransitionId, Variable, VariableId,
};
pub use semantics::Marking;
pub use unfold::{Unfolded, Unfolding, unfold};

/// Where the system of a coloured net comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coloured {
    /// The net as it was read.
    pub net: ColouredNet,
    /// What its places and transitions are in the system.
    pub unfolding: Unfolding,
}
