//! Which symmetries of a net a property can still see: the groups behind the quotient.
//!
//! ```text
//! G_L = the largest group in G whose generators map the propositions that L depends on to such propositions, and L to itself
//! R_q = the meet of G_L over all edges that can be reached from q
//! ```
//!
//! An image that is no proposition of the problem means that the permutation is no symmetry of the guard. So `p(1) ∨ p(2)` keeps the exchange of 1
//! and 2, and `p(1)` fixes 1. `R_q ≤ R_d` along `q → d`, and `R` is the same in a strongly connected component.
//!
//! The groups are those of S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion tests*, ACSD 2009, §6, with
//! our own shape of groups, so that meets and comparisons are cheap.

mod unroll;

pub(crate) use unroll::{Step, Unfolds, unroll};

use crate::problem::Problem;
use lariat_automata::{Guard, Guards};
use lariat_model::symmetry::{Generator, Group, Symmetry};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// The groups of the guards of a problem.
pub(crate) struct Locals<'p> {
    problem: &'p Problem<'p>,
    symmetry: &'p Symmetry<'p>,
    guards: Guards,
    known: FxHashMap<Guard, Group>,
}

impl<'p> Locals<'p> {
    pub fn new(problem: &'p Problem<'p>, symmetry: &'p Symmetry<'p>) -> Locals<'p> {
        Locals {
            problem,
            symmetry,
            guards: problem.automaton.guards.clone(),
            known: FxHashMap::default(),
        }
    }

    /// G_L: the largest group that keeps a guard.
    pub fn group(&mut self, guard: Guard) -> Group {
        if let Some(known) = self.known.get(&guard) {
            return known.clone();
        }
        let support = self.guards.support(guard);
        let all = self.symmetry.group();
        let keeps = |generator: Generator<'_>| -> Result<bool, Infallible> {
            Ok(self.keeps(guard, support, generator.to))
        };
        let Ok(group) = all.coarsest(keeps);
        self.known.insert(guard, group.clone());
        group
    }

    /// Does a permutation map a guard to itself?
    fn keeps(&mut self, guard: Guard, support: u64, to: &[u32]) -> bool {
        let propositions = self.problem.propositions;
        let asked = |atom: &usize| support >> atom & 1 == 1;
        let mut images = [0; Guards::MAX_ATOMS];
        for atom in (0..propositions.len()).filter(asked) {
            let Some(image) = self.symmetry.image_of_proposition(&propositions[atom], to) else {
                return false;
            };
            let is_image = |other: &usize| propositions[*other] == image;
            let found = match is_image(&atom) {
                true => Some(atom),
                false => (0..propositions.len()).filter(asked).find(is_image),
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

    /// The guard over other atoms.
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

    /// R_q of every state of the automaton.
    pub fn futures(&mut self) -> Vec<Group> {
        let automaton = self.problem.automaton;
        let mut futures = Vec::with_capacity(automaton.states.len());
        for state in automaton.state_ids() {
            let mut all = self.symmetry.group().clone();
            for transition in automaton.transitions(state) {
                all = all.meet(&self.group(transition.guard));
            }
            futures.push(all);
        }
        // Until nothing changes: groups only get smaller.
        loop {
            let mut changed = false;
            for state in automaton.state_ids() {
                for transition in automaton.transitions(state) {
                    let group = futures[state.index()].meet(&futures[transition.to.index()]);
                    if group != futures[state.index()] {
                        futures[state.index()] = group;
                        changed = true;
                    }
                }
            }
            if !changed {
                return futures;
            }
        }
    }
}
