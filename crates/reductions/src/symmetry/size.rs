//! Sizes of orbits.
//!
//! ```text
//! |H·m| = |H| / |{g ∈ H | g·m = m}|
//! ```
//!
//! Without tied cells the stabiliser inside blocks consists of the permutations of twins.
//! Otherwise, by orbit–stabiliser for a tied cell: the number of its members that a symmetry of the
//! marking maps to the first, times the stabiliser of the first. Rotations are enumerated: those
//! after which exchanges restore the marking count.

use super::canon::{Canon, CanonScratch, Tokens};
use super::group::RoleGroup;

impl Canon<'_, '_> {
    /// The size of the orbit of this marking; `None` on overflow or if a limit cut the search
    /// short.
    pub fn orbit_size(&self, room: &mut CanonScratch, tokens: &Tokens) -> Option<u128> {
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
        // By Lagrange's theorem the division of the products is exact.
        Some(exchanges.checked_mul(rotations)? / fixing.checked_mul(back)?)
    }

    /// The images of the marking under all combinations of rotations.
    fn rotated(&self, room: &mut CanonScratch, tokens: &Tokens) -> Vec<Tokens> {
        let mut all = vec![tokens.clone()];
        let mut first = 0;
        for part in self.group().parts() {
            if let RoleGroup::Rotations { colours, step } = *part {
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
