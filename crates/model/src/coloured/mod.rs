//! Coloured nets: symmetric nets in PNML, and the place/transition nets that they abbreviate.
//!
//! A [`ColouredNet`] is read with all its sorts checked; [`unfold`] translates it to a
//! [`crate::System`], in which `p(1,2)` is the place `p` with a colour and `t(x=1,y=2)` the
//! transition `t` with a binding. The [`Unfolding`] relates both. Runs of the unfolded net are
//! replayed on the coloured net ([`ColouredNet::replay`]) by an independent interpreter.
//!
//! A net with symmetric colours also has a [`quotient`], which is computed without unfolding.

mod compile;
mod join;
mod names;
mod net;
mod quotient;
mod semantics;
mod unfold;

pub use names::{ColourNames, UnfoldedNames};
pub use net::{
    Colour, ColourVariable, ColourVariableId, ColouredNet, ColouredPlace, ColouredTransition,
    Inscription, PartitionElement, PlaceId, Sort, SortId, SortKind, SortPartition, Term, TermKind,
    TransitionGuard, TransitionId,
};
pub use quotient::{Binding, ColourQuotient, quotient};
pub use semantics::Marking;
pub use unfold::{Unfolded, Unfolding, unfold};

/// The coloured origin of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coloured {
    /// The net as it was read.
    pub net: ColouredNet,
    /// The relation between its places and transitions and those of the system.
    pub unfolding: Unfolding,
}
