//! By what each state of an automaton divides.

use super::{Locals, places};
use crate::problem::Problem;
use lariat_automata::StateId as Location;
use lariat_budget::{Budget, Stop};
use lariat_reductions::symmetry::{Canon, Colours, Group, Representatives, Symmetry};

/// The groups of the states of an automaton, within R_q each.
pub(crate) struct Modulo<'p> {
    groups: Vec<Representatives<'p, 'p>>,
    /// Which of them each state has.
    of: Vec<u32>,
}

impl<'p> Modulo<'p> {
    /// R_q of every state, as far as it is found.
    pub fn new(
        problem: &'p Problem<'p>,
        symmetry: &'p Symmetry<'p>,
        budget: &Budget,
    ) -> Result<Modulo<'p>, Stop> {
        match symmetry {
            Symmetry::Colours(colours) => {
                let futures = Locals::new(problem, symmetry, colours).futures();
                Ok(Modulo::of_groups(colours, &futures))
            }
            Symmetry::Net(net) => {
                let (groups, of) = places::futures(problem, symmetry, net, budget)?;
                Ok(Modulo { groups, of })
            }
        }
    }

    /// One group of colours for each state.
    pub fn of_groups(colours: &'p Colours<'p>, futures: &[Group]) -> Modulo<'p> {
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
        Modulo {
            groups: groups.map(Representatives::Colours).collect(),
            of,
        }
    }

    /// The number of a state's group.
    #[inline]
    pub fn number(&self, location: Location) -> u32 {
        self.of[location.index()]
    }

    /// The representatives of a state's markings.
    #[inline]
    pub fn of(&self, location: Location) -> &Representatives<'p, 'p> {
        &self.groups[self.number(location) as usize]
    }

    /// Is nothing left of the symmetries anywhere?
    pub fn is_trivial(&self) -> bool {
        self.groups.iter().all(Representatives::is_trivial)
    }

    /// How many symmetries are left at the start: the logarithm of their number, to base 10.
    pub fn kept(&self, problem: &Problem<'_>) -> f64 {
        let initial = problem.automaton.initial.iter();
        let kept = initial.map(|location| self.of(*location).magnitude());
        kept.fold(0.0, f64::max)
    }
}
