//! Classic scalable nets for benchmarks and tutorials.
//!
//! Each family has one parameter and one file, which states its origin and the numbers of markings.

mod diners;
mod fms;
mod kanban;
mod peterson;
mod philosophers;
mod slotted_ring;

use std::fmt;
use std::str::FromStr;

use crate::system::{Action, Arc, Domain, Event, System, Value, VarId, Variable};

/// A scalable family of nets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// Dining philosophers, with a deadlock.
    Philosophers,
    /// Dining philosophers that eat, with a deadlock.
    Diners,
    /// A ring of stations that share slots.
    SlottedRing,
    /// A production line controlled by cards.
    Kanban,
    /// A flexible manufacturing system.
    Fms,
    /// Peterson's mutual exclusion for several processes.
    Peterson,
}

/// The error that a family or size does not exist, in one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuchNet(String);

impl fmt::Display for NoSuchNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoSuchNet {}

impl Family {
    /// All families.
    pub const ALL: [Family; 6] = [
        Family::Philosophers,
        Family::Diners,
        Family::SlottedRing,
        Family::Kanban,
        Family::Fms,
        Family::Peterson,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Family::Philosophers => "philosophers",
            Family::Diners => "diners",
            Family::SlottedRing => "slotted-ring",
            Family::Kanban => "kanban",
            Family::Fms => "fms",
            Family::Peterson => "peterson",
        }
    }

    /// The supported sizes. Sizes that are numbers of tokens are practically unlimited; otherwise
    /// the largest net has some hundred thousand nodes.
    pub fn sizes(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Family::Philosophers | Family::Diners | Family::SlottedRing => 2..=100_000,
            Family::Kanban | Family::Fms => 1..=u32::MAX,
            Family::Peterson => 1..=50,
        }
    }
}

impl FromStr for Family {
    type Err = NoSuchNet;

    fn from_str(name: &str) -> Result<Family, NoSuchNet> {
        let found = Family::ALL.into_iter().find(|family| family.name() == name);
        found.ok_or_else(|| {
            let all = Family::ALL.map(Family::name).join(", ");
            NoSuchNet(format!(
                "no family of nets is called `{name}`: expected one of {all}"
            ))
        })
    }
}

/// Generates the net of this family and size.
pub fn generate(family: Family, size: u32) -> Result<System, NoSuchNet> {
    let sizes = family.sizes();
    if !sizes.contains(&size) {
        return Err(NoSuchNet(format!(
            "the family {} has no size {size}: expected {} to {}",
            family.name(),
            sizes.start(),
            sizes.end()
        )));
    }
    let mut net = NetBuilder::default();
    net.system.name = format!("{}-{size}", family.name());
    match family {
        Family::Philosophers => philosophers::build(&mut net, size),
        Family::Diners => diners::build(&mut net, size),
        Family::SlottedRing => slotted_ring::build(&mut net, size),
        Family::Kanban => kanban::build(&mut net, size),
        Family::Fms => fms::build(&mut net, size),
        Family::Peterson => peterson::build(&mut net, size),
    }
    Ok(net.finish())
}

/// A net with ordinary arcs under construction.
#[derive(Default)]
struct NetBuilder {
    system: System,
    marking: Vec<Value>,
}

impl NetBuilder {
    fn place(&mut self, name: impl Into<String>, tokens: u32) -> VarId {
        let id = VarId(self.system.variables.len() as u32);
        self.system.variables.push(Variable {
            name: name.into(),
            domain: Domain::Count { bound: None },
        });
        self.marking.push(tokens.into());
        id
    }

    /// Adds a transition that takes one token from each place of `from` and puts one into each of
    /// `to`.
    fn transition(&mut self, name: impl Into<String>, from: &[VarId], to: &[VarId]) {
        let mut vars = [from, to].concat();
        vars.sort_unstable();
        vars.dedup();
        let count = |list: &[VarId], var| list.iter().filter(|v| **v == var).count() as Value;
        let arcs = vars.into_iter().map(|var| {
            let need = count(from, var);
            Arc {
                var,
                need,
                delta: count(to, var) - need,
            }
        });
        self.system.events.push(Event {
            name: name.into(),
            action: Action::Net(arcs.collect()),
        });
    }

    fn finish(mut self) -> System {
        self.system.initial = vec![self.marking.into()];
        self.system
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashSet, VecDeque};

    use super::*;

    /// The number of reachable markings, by explicit enumeration.
    fn states(system: &System) -> usize {
        let mut seen: HashSet<_> = system.initial.iter().cloned().collect();
        let mut queue: VecDeque<_> = system.initial.iter().cloned().collect();
        while let Some(state) = queue.pop_front() {
            for event in system.event_ids() {
                for next in system.successors(&state, event) {
                    if seen.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
            }
        }
        seen.len()
    }

    #[test]
    fn small_sizes_have_known_numbers_of_markings() {
        for (family, pinned) in [
            (Family::Philosophers, &[(2, 18), (3, 76), (5, 1364)][..]),
            (Family::Diners, &[(2, 22), (3, 100), (5, 2164)]),
            (Family::SlottedRing, &[(2, 52), (3, 504), (4, 5136)]),
            (Family::Kanban, &[(1, 160), (2, 4600)]),
            (Family::Fms, &[(1, 120), (2, 3444)]),
            (Family::Peterson, &[(2, 20_754)]),
        ] {
            for &(size, want) in pinned {
                let system = generate(family, size).unwrap();
                assert_eq!(states(&system), want, "{} {size}", family.name());
            }
        }
    }

    #[test]
    fn odd_sizes_and_names_are_refused() {
        let error = generate(Family::Philosophers, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the family philosophers has no size 1: expected 2 to 100000"
        );
        assert!(generate(Family::Peterson, 51).is_err());
        assert_eq!("fms".parse(), Ok(Family::Fms));
        assert!("fsm".parse::<Family>().is_err());
    }

    #[test]
    fn names_are_unique() {
        for family in Family::ALL {
            let system = generate(family, 3).unwrap();
            let places = system.variables.iter().map(|v| &v.name);
            let names: HashSet<_> = places
                .chain(system.events.iter().map(|e| &e.name))
                .collect();
            assert_eq!(names.len(), system.variables.len() + system.events.len());
        }
    }
}
