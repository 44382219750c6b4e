//! Symmetries of a net that a property respects: the groups of the quotient.
//!
//! ```text
//! G_L = the largest group in G whose generators map L to itself and
//!       the propositions that L depends on to such propositions
//! R_q = the meet of G_L over all edges that can be reached from q
//! ```
//!
//! If an image is no proposition of the problem, the permutation is no symmetry of the guard. So
//! `p(1) ∨ p(2)` respects the exchange of 1 and 2, and `p(1)` fixes 1. `R_q ≤ R_d` along `q → d`,
//! and `R` is constant on a strongly connected component.
//!
//! Groups of colours have meets (`Locals`). Meets of groups of places and transitions are
//! expensive, so R_q is computed separately for each set of guards (`places.rs`).
//!
//! The groups are those of S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata
//! using inclusion tests*, report LIP6 2006/003 (shorter: ACSD 2007), §6, in a restricted form with
//! cheap meets and comparisons.

mod guarded;
mod places;
mod quotient_groups;
mod ssp;
mod sym;
mod unroll;

pub(crate) use quotient_groups::QuotientGroups;
pub use ssp::SSP;
pub use sym::{SYM, symmetries_kept};

use crate::problem::Problem;
use guarded::Guarded;
use lariat_automata::Guard;
use lariat_reductions::symmetry::{Colours, Generator, Group, Symmetry};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// Groups of colours that respect the guards of a problem.
pub(crate) struct Locals<'p> {
    problem: &'p Problem<'p>,
    colours: &'p Colours<'p>,
    guarded: Guarded<'p>,
    known: FxHashMap<Guard, Group>,
}

impl<'p> Locals<'p> {
    pub fn new(
        problem: &'p Problem<'p>,
        symmetry: &'p Symmetry<'p>,
        colours: &'p Colours<'p>,
    ) -> Locals<'p> {
        Locals {
            problem,
            colours,
            guarded: Guarded::new(problem, symmetry),
            known: FxHashMap::default(),
        }
    }

    /// Returns G_L, the largest group that respects a guard.
    pub fn group(&mut self, guard: Guard) -> Group {
        if let Some(known) = self.known.get(&guard) {
            return known.clone();
        }
        let keeps = |generator: Generator<'_>| -> Result<bool, Infallible> {
            Ok(self.guarded.keeps(guard, generator.to))
        };
        let Ok(group) = self.colours.group().coarsest(keeps);
        self.known.insert(guard, group.clone());
        group
    }

    /// Returns R_q of every state of the automaton.
    pub fn futures(&mut self) -> Vec<Group> {
        let automaton = self.problem.automaton;
        let mut futures = Vec::with_capacity(automaton.states.len());
        for state in automaton.state_ids() {
            let mut all = self.colours.group().clone();
            for transition in automaton.transitions(state) {
                all = all.meet(&self.group(transition.guard));
            }
            futures.push(all);
        }
        // Groups only shrink, so the iteration terminates.
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
