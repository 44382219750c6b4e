//! Symmetries of nets: permutations that preserve the transition relation.
//!
//! A symmetry maps places to places and transitions to transitions and preserves all arcs. Coloured
//! nets have permutations of colours (`colours.rs`), large groups with short descriptions; in other
//! nets places are permuted (`automorphisms/`). The initial marking need not be symmetric: `s` and
//! `g·s` are bisimilar, reachable or not.
//!
//! Markings are stored explicitly; each orbit is represented by one of its markings
//! (`representatives.rs`). Correctness needs no canonical choice: several representatives per orbit
//! only cost states.

mod automorphisms;
mod canon;
mod colours;
mod detect;
mod group;
mod images;
mod representatives;
mod roles;
mod size;
mod words;

pub use automorphisms::{Automorphisms, Chain, Colouring};
pub use canon::{Canon, CanonScratch, Tokens};
pub use colours::Colours;
pub use detect::{automorphisms, colours, detect};
pub use group::{Generator, Group, Permutation, RoleGroup, after, inverse};
pub use representatives::Representatives;

use lariat_model::coloured::ColouredNet;
use lariat_model::{EventId, System, VarId};

/// Symmetries of a net. Permutations act on elements: colours in roles, or places and transitions.
#[derive(Clone, Debug)]
pub enum Symmetry<'m> {
    /// Colour permutations of the unfolding of a coloured net.
    Colours(Colours<'m>),
    /// Permutations of the places and transitions of any net.
    Net(Automorphisms),
}

/// Mixes a number into a hash.
#[inline]
fn mix(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (mixed >> 32)
}

impl Symmetry<'_> {
    /// Returns whether only the identity is known.
    pub fn is_trivial(&self) -> bool {
        match self {
            Symmetry::Colours(colours) => colours.group().is_trivial(),
            Symmetry::Net(net) => net.chain().is_trivial(),
        }
    }

    /// Logarithm to base 10 of the number of symmetries.
    pub fn magnitude(&self) -> f64 {
        match self {
            Symmetry::Colours(colours) => colours.group().magnitude(),
            Symmetry::Net(net) => net.chain().magnitude(),
        }
    }

    /// Describes the symmetries, one phrase per generator class, with the names of `system` or of
    /// the coloured net that it was unfolded from.
    pub fn words(&self, system: &System, net: Option<&ColouredNet>) -> Vec<String> {
        match self {
            Symmetry::Colours(colours) => net.map(|net| colours.words(net)).unwrap_or_default(),
            Symmetry::Net(net) => net.words(system),
        }
    }

    /// The image of a variable, if it exists.
    pub fn image_of_var(&self, var: VarId, to: &[u32]) -> Option<VarId> {
        match self {
            Symmetry::Colours(colours) => colours.image_of_var(var, to),
            Symmetry::Net(_) => Some(VarId(to[var.index()])),
        }
    }

    /// The image of an event, if it exists.
    pub fn image_of_event(&self, event: EventId, to: &[u32]) -> Option<EventId> {
        match self {
            Symmetry::Colours(colours) => colours.image_of_event(event, to),
            Symmetry::Net(net) => Some(net.image_of_event(event, to)),
        }
    }
}
