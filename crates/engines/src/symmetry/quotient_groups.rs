//! The groups by which the quotient divides, one per automaton state.

use super::{Locals, places};
use crate::problem::Problem;
use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Stop};
use lariat_reductions::symmetry::{Canon, Colours, Group, Representatives, Symmetry};

/// Groups of the states of an automaton, each a subgroup of R_q.
pub(crate) struct QuotientGroups<'p> {
    groups: Vec<Representatives<'p, 'p>>,
    /// By automaton state: index of its group.
    of: Vec<u32>,
}

impl<'p> QuotientGroups<'p> {
    /// Computes R_q of every state, or a subgroup of it.
    pub fn new(
        problem: &'p Problem<'p>,
        symmetry: &'p Symmetry<'p>,
        budget: &Budget,
    ) -> Result<QuotientGroups<'p>, Stop> {
        match symmetry {
            Symmetry::Colours(colours) => {
                let futures = Locals::new(problem, symmetry, colours).futures();
                Ok(QuotientGroups::of_groups(colours, &futures))
            }
            Symmetry::Net(net) => {
                let (groups, of) = places::futures(problem, symmetry, net, budget)?;
                Ok(QuotientGroups { groups, of })
            }
        }
    }

    /// Builds the groups from one group of colours per automaton state.
    pub fn of_groups(colours: &'p Colours<'p>, futures: &[Group]) -> QuotientGroups<'p> {
        let mut different: Vec<&Group> = Vec::new();
        let mut of = Vec::with_capacity(futures.len());
        for group in futures {
            let known = different.iter().position(|known| *known == group);
            of.push(known.unwrap_or(different.len()) as u32);
            if known.is_none() {
                different.push(group);
            }
        }
        let canon = |group: &Group| Canon::new(colours, group.clone());
        let groups = different.into_iter().map(canon);
        QuotientGroups {
            groups: groups.map(Representatives::Colours).collect(),
            of,
        }
    }

    #[inline]
    pub fn number(&self, location: Location) -> u32 {
        self.of[location.index()]
    }

    /// Returns the canonization by a state's group.
    #[inline]
    pub fn representatives(&self, location: Location) -> &Representatives<'p, 'p> {
        &self.groups[self.number(location) as usize]
    }

    pub fn is_trivial(&self) -> bool {
        self.groups.iter().all(Representatives::is_trivial)
    }

    /// Returns the decimal logarithm of the order of an initial state's group.
    pub fn kept(&self, problem: &Problem<'_>) -> f64 {
        let initial = problem.automaton.initial.iter();
        let kept = initial.map(|location| self.representatives(*location).magnitude());
        kept.fold(0.0, f64::max)
    }
}
