//! Symmetries of a net but for some transitions.
//!
//! A net `T` whose guards or constants distinguish colours in a few transitions is a symmetric net
//! `T_S` in which some bindings of these transitions never fire:
//!
//! ```text
//! T = T_S ⊗ C      C: one state, with a loop for every event of T
//! ```
//!
//! `T_S` has all images of their events under a group `G`; the constraint automaton `C` reads events
//! with their bindings. A permutation belongs to `G` iff it maps places to places and the events of
//! all *other* transitions to events with the images of their arcs. `C` is symmetric only under the
//! *stabilisers* of the constrained transitions: permutations that map their events to such events.
//!
//! Per role, the adjacent transpositions of its colours are tested. If at most half of the
//! transitions that use the role break them, these become constrained.
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion tests*,
//! report LIP6 2006/003, §6.4. Cost: as the detection of symmetries; limited work.

use super::colours::Colours;
use super::detect::{MOST_WORK, Test};
use super::group::{Generator, Group};
use super::roles::Roles;
use lariat_budget::{Budget, Stop};
use lariat_model::{EventId, System};
use std::collections::BTreeSet;

/// The events of a constrained transition.
#[derive(Clone, Debug)]
pub struct ConstrainedEvents {
    /// The events, sorted.
    pub events: Box<[EventId]>,
    /// Permutations that map them to each other, with their arcs.
    pub stabiliser: Group,
}

/// The symmetries of a net without the constraints of some transitions.
#[derive(Clone, Debug)]
pub struct Relaxed<'m> {
    /// The symmetries of `T_S`.
    pub colours: Colours<'m>,
    /// The constrained transitions.
    pub constrained: Vec<ConstrainedEvents>,
}

/// Finds constrained transitions; `None` if that adds no symmetries, or takes too much work.
pub fn relaxed<'m>(
    system: &System,
    exact: &Colours<'m>,
    budget: &Budget,
) -> Result<Option<Relaxed<'m>>, Stop> {
    let limited = budget.clone().with_work(MOST_WORK);
    match relaxed_limited(system, exact, &limited) {
        Err(Stop::Work(_)) => budget.check().map(|()| None),
        found => found,
    }
}

fn relaxed_limited<'m>(
    system: &System,
    exact: &Colours<'m>,
    budget: &Budget,
) -> Result<Option<Relaxed<'m>>, Stop> {
    let coloured = exact.coloured;
    let finest = Roles::of(&coloured.net);
    let sorts = finest.sorts.iter();
    let full = Group::full(sorts.map(|sort| coloured.net.sort(*sort).size as u32));
    let action = Colours::new(system, coloured, finest.clone(), full);
    let constrained = constrained_transitions(system, &action, budget)?;
    if constrained.is_empty() {
        return Ok(None);
    }
    let transition = |event: EventId| coloured.unfolding.binding(event).0.0;
    let mut test = Test::new(system, &action, budget);
    let group = action.group.coarsest(|generator| {
        test.is_symmetry(generator, |event| constrained.contains(&transition(event)))
    })?;
    // Keep the roles with symmetries.
    let mut kept: Vec<Option<usize>> = vec![None; group.parts().len()];
    let mut parts = Vec::new();
    for (role, part) in group.parts().iter().enumerate() {
        if !part.is_trivial() {
            kept[role] = Some(parts.len());
            parts.push(part.clone());
        }
    }
    let group = Group::new(parts);
    if group.magnitude() <= exact.group().magnitude() {
        return Ok(None);
    }
    let colours = Colours::new(system, coloured, finest.renumbered(&kept), group);
    let mut found = Vec::new();
    for number in constrained {
        let is_own = |event: &EventId| transition(*event) == number;
        let events: Box<[EventId]> = system.event_ids().filter(is_own).collect();
        let mut test = Test::new(system, &colours, budget);
        let stabiliser = colours
            .group
            .coarsest(|generator| test.is_symmetry(generator, |event| !is_own(&event)))?;
        found.push(ConstrainedEvents { events, stabiliser });
    }
    Ok(Some(Relaxed {
        colours,
        constrained: found,
    }))
}

/// Returns the numbers of the transitions that break symmetries of a role, for the roles of which
/// they are at most half of the transitions.
fn constrained_transitions(
    system: &System,
    action: &Colours<'_>,
    budget: &Budget,
) -> Result<BTreeSet<u32>, Stop> {
    let unfolding = &action.coloured.unfolding;
    let mut test = Test::new(system, action, budget);
    let mut all = BTreeSet::new();
    for (role, part) in action.group.parts().iter().enumerate() {
        let mut breakers = BTreeSet::new();
        let mut to = action.identity();
        let first = action.firsts[role];
        let mut maps_places = true;
        for colour in first + 1..first + part.colours() {
            let moved = [colour - 1, colour];
            to.swap(moved[0] as usize, moved[1] as usize);
            let generator = Generator {
                to: &to,
                moved: &moved,
            };
            maps_places = test.is_symmetry(generator, |event| {
                breakers.insert(unfolding.binding(event).0.0);
                true
            })?;
            to.swap(moved[0] as usize, moved[1] as usize);
            if !maps_places {
                break;
            }
        }
        let uses = |slots: &&Vec<Vec<_>>| {
            slots
                .iter()
                .flatten()
                .any(|slot: &super::roles::RoleLeaf| slot.role == role)
        };
        let users = action.roles.transitions.iter().filter(uses).count();
        if maps_places && 2 * breakers.len() <= users {
            all.extend(breakers);
        }
    }
    Ok(all)
}
