//! The work limits of `auto`.
//!
//! A unit is a product state or a diagram node. The ratios make the runs of a round take similar
//! time. With a growth factor of 8 repeated work is a seventh of the whole. A violation that a
//! shorter first search misses is found by a later round. Modulo many symmetries there are usually
//! few states, so a longer search of the quotient often completes; each of its states costs several
//! single ones. `glance` and `walk` are not tuned: no campaign compared other values.

use super::technique::LeftOut;
use lariat_model::Value;

/// The work limits of `auto`'s engines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// Product states of the explicit search before facts are derived; it decides small models.
    pub glance: u64,
    /// Steps of the random walks after it; the rounds start with `growth` times as many.
    pub walk: u64,
    /// Product states (at least 1) of the explicit search after facts; later work is proportional.
    pub first_look: u64,
    /// Work of the component-wise engine per state of `first_look`, 1 to 100.
    pub saturation: u64,
    /// Work of engines on sets per state of `first_look`, 1 to 100.
    pub sets: u64,
    /// Growth factor of the work per round, 2 to 100.
    pub growth: u64,
    /// The logarithm (base 10) of the number of symmetries from which the quotient replaces single
    /// states in all rounds.
    pub many_symmetries: f64,
    /// Factor of `first_look` for a search modulo that many symmetries.
    pub symmetric_look: u64,
    /// States of `first_look` per state of a search modulo symmetries of places.
    pub symmetric_places: u64,
    /// Token limit per place (or the initial maximum) of a second search of an unbounded net.
    pub few_tokens: Value,
    /// Techniques that are switched off.
    pub without: LeftOut,
}

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule {
            glance: 10_000,
            walk: 20_000,
            first_look: 200_000,
            saturation: 3,
            sets: 2,
            growth: 8,
            many_symmetries: 2.0,
            symmetric_look: 3,
            symmetric_places: 4,
            few_tokens: 3,
            without: LeftOut::default(),
        }
    }
}
