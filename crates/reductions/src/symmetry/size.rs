//! How many markings an orbit has.
//!
//! ```text
//! |H·m| = |H| / |{g ∈ H | g·m = m}|
//! ```
//!
//! Without tied cells the symmetries of a marking inside of blocks are the permutations of twins. A tied cell has as many of them as it has members that a
//! symmetry of the marking takes to the first, times those that fix the first. Rotations are counted one by one: those after which exchanges lead
//! back to the marking.

use super::canon::{Canon, Room, Tokens};
use super::group::Part;

impl Canon<'_, '_> {
    /// The number of markings in the orbit of this one; `None` if the search for it was cut short, or if it is too large a number.
    pub fn orbit_size(&self, room: &mut Room, tokens: &Tokens) -> Option<u128> {
        let mut exchanges: u128 = 1;
        for part in self.group().parts() {
            for block in part.blocks() {
                exchanges = exchanges.checked_mul(factorial(block.len())?)?;
            }
        }
        let fixing = self.exchanges_fixing(room, tokens)?;
        let rotated = self.rotated(room, tokens);
        let mut own = tokens.clone();
        self.only_exchange(room, &mut own)?;
        let mut back: u128 = 0;
        let rotations = rotated.len() as u128;
        for mut marking in rotated {
            self.only_exchange(room, &mut marking)?;
            back += u128::from(marking == own);
        }
        // Lagrange: both quotients are whole together.
        Some(exchanges.checked_mul(rotations)? / fixing.checked_mul(back)?)
    }

    /// The marking under every combination of rotations.
    fn rotated(&self, room: &mut Room, tokens: &Tokens) -> Vec<Tokens> {
        let mut all = vec![tokens.clone()];
        let mut first = 0;
        for part in self.group().parts() {
            if let Part::Rotations { colours, step } = *part {
                let turns = (0..colours).step_by(step as usize);
                let before = std::mem::take(&mut all);
                for shift in turns {
                    let turned = before
                        .iter()
                        .map(|tokens| self.turned(room, tokens, first..first + colours, shift));
                    all.extend(turned);
                }
            }
            first += part.colours();
        }
        all
    }
}

pub(super) fn factorial(n: usize) -> Option<u128> {
    (2..=n as u128).try_fold(1u128, |product, factor| product.checked_mul(factor))
}
