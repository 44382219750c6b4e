//! Images of guards under permutations.

use crate::problem::Problem;
use lariat_automata::{Guard, Guards};
use lariat_reductions::symmetry::Symmetry;
use rustc_hash::FxHashMap;

/// The guards of a problem and the diagrams of their images.
pub(super) struct Guarded<'p> {
    pub problem: &'p Problem<'p>,
    symmetry: &'p Symmetry<'p>,
    pub guards: Guards,
}

impl<'p> Guarded<'p> {
    pub fn new(problem: &'p Problem<'p>, symmetry: &'p Symmetry<'p>) -> Guarded<'p> {
        Guarded {
            problem,
            symmetry,
            guards: problem.automaton.guards.clone(),
        }
    }

    /// Returns whether a permutation maps a guard to itself.
    pub fn keeps(&mut self, guard: Guard, to: &[u32]) -> bool {
        let support = self.guards.support(guard);
        let propositions = self.problem.propositions;
        let asked = |atom: &usize| support >> atom & 1 == 1;
        let mut images = [0; Guards::MAX_ATOMS];
        for atom in (0..propositions.len()).filter(asked) {
            let Some(image) = self.symmetry.image_of_proposition(&propositions[atom], to) else {
                return false;
            };
            let is_image = |other: &usize| propositions[*other] == image;
            let found = if is_image(&atom) {
                Some(atom)
            } else {
                (0..propositions.len()).filter(asked).find(is_image)
            };
            let Some(found) = found else {
                return false;
            };
            images[atom] = found;
        }
        let stays = |atom: usize| images[atom] == atom;
        if (0..propositions.len()).filter(asked).all(stays) {
            return true;
        }
        self.image(guard, &images, &mut FxHashMap::default()) == guard
    }

    /// Returns the guard with its atoms replaced by their images.
    fn image(
        &mut self,
        guard: Guard,
        images: &[usize],
        known: &mut FxHashMap<Guard, Guard>,
    ) -> Guard {
        if let Some(known) = known.get(&guard) {
            return *known;
        }
        let Some((atom, low, high)) = self.guards.split(guard) else {
            return guard;
        };
        let low = self.image(low, images, known);
        let high = self.image(high, images, known);
        let atom = self.guards.atom(images[atom]);
        let image = self.guards.ite(atom, high, low);
        known.insert(guard, image);
        image
    }
}
