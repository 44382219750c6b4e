//! Coloured nets: symmetric nets in PNML, and the place/transition nets that they abbreviate.
//!
//! A [`ColouredNet`] is read with all its sorts checked; [`unfold`] makes a [`crate::System`] of it, in
//! which `p(1,2)` is the place `p` with a colour and `t(x=1,y=2)` the transition `t` with a binding.
//! The [`Unfolding`] says which is which. Runs of the unfolded net are replayed on the coloured one
//! ([`ColouredNet::replay`]) by an interpreter of its own.

mod compile;
mod declare;
mod join;
mod names;
mod net;
mod raw;
mod read;
mod semantics;
mod terms;
mod unfold;

pub use names::ColourNames;
pub(crate) use names::UnfoldedNames;
pub use net::{
    Class, Colour, ColouredNet, Guard, Inscription, Partition, Place, PlaceId, Sort, SortId,
    SortKind, Term, TermKind, Transition, TransitionId, Variable, VariableId,
};
pub(crate) use read::read;
pub use semantics::Marking;
pub use unfold::{Unfolded, Unfolding, unfold};
