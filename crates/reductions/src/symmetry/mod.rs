//! Symmetries of nets: what can be exchanged without changing what the net does.
//!
//! A symmetry maps places to places and transitions to transitions and keeps all arcs. Those of coloured nets are permutations of colours (`colours.rs`), of which there are many that are
//! easily described; those of other nets are looked for place by place (`automorphisms/`). The initial marking need not be symmetric: `s` and
//! `g·s` are bisimilar, whether they can be reached or not.
//!
//! Markings are plain, and one of each orbit is chosen to represent it (`representatives.rs`). Any marking of the orbit is right; a poor choice costs states.

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
pub use canon::{Canon, Room, Tokens};
pub use colours::Colours;
pub use detect::{automorphisms, colours, detect};
pub use group::{Generator, Group, Part, Permutation, after, inverse};
pub use representatives::Representatives;

use lariat_model::coloured::ColouredNet;
use lariat_model::{EventId, System, VarId};

/// Symmetries of a net. The elements that its permutations permute are colours in roles, or places and transitions.
#[derive(Clone, Debug)]
pub enum Symmetry<'m> {
    /// Of the unfolding of a coloured net.
    Colours(Colours<'m>),
    /// Of any net.
    Net(Automorphisms),
}

/// Mixes a number into a hash.
#[inline]
fn mix(hash: u64, number: u64) -> u64 {
    let mixed = (hash ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (mixed >> 32)
}

impl Symmetry<'_> {
    /// Is none known but the identity?
    pub fn is_trivial(&self) -> bool {
        match self {
            Symmetry::Colours(colours) => colours.group().is_trivial(),
            Symmetry::Net(net) => net.chain().is_trivial(),
        }
    }

    /// The logarithm of the number of symmetries, to base 10.
    pub fn magnitude(&self) -> f64 {
        match self {
            Symmetry::Colours(colours) => colours.group().magnitude(),
            Symmetry::Net(net) => net.chain().magnitude(),
        }
    }

    /// The things that may be exchanged, one phrase each, with the names of `system` or of the
    /// coloured net that it was unfolded from.
    pub fn words(&self, system: &System, net: Option<&ColouredNet>) -> Vec<String> {
        match self {
            Symmetry::Colours(colours) => net.map(|net| colours.words(net)).unwrap_or_default(),
            Symmetry::Net(net) => net.words(system),
        }
    }

    /// The image of a variable, if it is one.
    pub fn image_of_var(&self, var: VarId, to: &[u32]) -> Option<VarId> {
        match self {
            Symmetry::Colours(colours) => colours.image_of_var(var, to),
            Symmetry::Net(_) => Some(VarId(to[var.index()])),
        }
    }

    /// The image of an event, if it is one.
    pub fn image_of_event(&self, event: EventId, to: &[u32]) -> Option<EventId> {
        match self {
            Symmetry::Colours(colours) => colours.image_of_event(event, to),
            Symmetry::Net(net) => Some(net.image_of_event(event, to)),
        }
    }
}
