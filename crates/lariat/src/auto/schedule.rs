//! The numbers of `auto`, in one table.
//!
//! | name | default | range | meaning |
//! | --- | --- | --- | --- |
//! | `glance` | 10 000 | 0 … | product states of the explicit search before facts are asked for: small models end here |
//! | `walk` | 20 000 | 0 … | steps of random walks that follow the glance; each round begins with more of them |
//! | `first_look` | 200 000 | 1 … | product states of the explicit search after that; all later work is in proportion |
//! | `saturation` | 3 | 1 … 100 | units of work of the component-wise engine for each state of the first look |
//! | `sets` | 2 | 1 … 100 | the same for engines on sets of reachable states |
//! | `growth` | 8 | 2 … 100 | how much more work there is in a round than in the one before |
//! | `many_symmetries` | 2 | 0 … | with so many symmetries, as a power of 10, single states modulo symmetries take the place of single states in all rounds |
//! | `symmetric_look` | 3 | 1 … | and the first look is so many times as long |
//! | `symmetric_places` | 4 | 1 … | single states of the first look for each state modulo many symmetries of places, whose engine joins the field behind it |
//! | `few_tokens` | 3 | 1 … | where a net may be unbounded, a second look leaves out states with more tokens in a place than this and than at the start |
//!
//! A unit is a product state or a diagram node. The ratios make the turns of a round take about as long: a product state costs
//! about three nodes of a saturation, two where sets of states are held besides. With a growth of 8 everything that is
//! done again is a seventh of the whole. A smaller first look loses nothing that later rounds do not find. Modulo many symmetries single states are
//! usually few, so that a longer look at them ends more often than other engines do: a contest net of 1.4·10⁸ states has products of up to
//! 250 000 nodes. A state modulo symmetries of places costs four to six single ones; the contest's nets that need them have products of 500 to 100 000 nodes. The glance and
//! the walks are not tuned yet: no campaign has compared other values of these two rows.

use super::technique::LeftOut;
use lariat_model::Value;

/// How much work `auto` gives to whom; see the table above.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// Product states of the explicit search that comes before facts.
    pub glance: u64,
    /// Steps of random walks between the two; each round begins with more of them.
    pub walk: u64,
    /// Product states of the explicit search that comes after them.
    pub first_look: u64,
    /// Work of the component-wise engine for each of them.
    pub saturation: u64,
    /// Work of engines on sets for each of them.
    pub sets: u64,
    /// How much more work there is in a round than in the one before.
    pub growth: u64,
    /// Symmetries, as a power of 10, with which single states are searched modulo symmetries in all rounds.
    pub many_symmetries: f64,
    /// How many times as long the first look is with so many symmetries.
    pub symmetric_look: u64,
    /// Single states of the first look for each state modulo symmetries of places.
    pub symmetric_places: u64,
    /// Tokens in a place above which the second look at an unbounded net does not go.
    pub few_tokens: Value,
    /// What is done without, to see what it is worth.
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
