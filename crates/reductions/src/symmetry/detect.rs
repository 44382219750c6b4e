//! Detection of symmetries: transpositions and rotations of colours are tested on the unfolded net.
//!
//! Per role: `c ~ d` iff exchanging the two is a symmetry. This is an equivalence, so that each
//! colour is compared with one per block; if all blocks are singletons, rotations are tried. Roles
//! of one sort without own symmetries are tried jointly. A test inspects the moved objects and
//! their neighbours only. Work is limited; beyond the limit no symmetry is reported.

use super::Symmetry;
use super::automorphisms::Automorphisms;
use super::colours::{Carriers, Colours};
use super::group::{Generator, Group, RoleGroup, least_rotation};
use super::roles::Roles;
use lariat_budget::{Budget, Stop};
use lariat_model::coloured::Coloured;
use lariat_model::{Action, Arc, EventId, System, VarId};

/// Limit on the arcs inspected.
const MOST_WORK: u64 = 5_000_000;

/// Detects the symmetries of a net: of its colours if it is the unfolding of a coloured net,
/// otherwise of its places and transitions. A system that is no net has none.
pub fn detect<'m>(
    system: &System,
    coloured: Option<&'m Coloured>,
    budget: &Budget,
) -> Result<Symmetry<'m>, Stop> {
    match coloured {
        Some(coloured) => colours(system, coloured, budget).map(Symmetry::Colours),
        None => automorphisms(system, budget).map(Symmetry::Net),
    }
}

/// Detects permutations of places and transitions within a work limit; none for a system that is no
/// net.
pub fn automorphisms(system: &System, budget: &Budget) -> Result<Automorphisms, Stop> {
    if system.is_net() {
        Automorphisms::find(system, budget)
    } else {
        Ok(Automorphisms::none(system))
    }
}

/// Detects the colour symmetries of an unfolding; none if the work limit is exceeded.
pub fn colours<'m>(
    system: &System,
    coloured: &'m Coloured,
    budget: &Budget,
) -> Result<Colours<'m>, Stop> {
    let limited = budget.clone().with_work(MOST_WORK);
    match detect_limited(system, coloured, &limited) {
        Err(Stop::Work(_)) => {
            budget.check()?;
            let none = Roles::of(&coloured.net);
            let none = none.renumbered(&vec![None; none.sorts.len()]);
            Ok(Colours::new(system, coloured, none, Group::new(Vec::new())))
        }
        found => found,
    }
}

fn detect_limited<'m>(
    system: &System,
    coloured: &'m Coloured,
    budget: &Budget,
) -> Result<Colours<'m>, Stop> {
    let finest = Roles::of(&coloured.net);
    let separate = detect_roles(system, coloured, finest.clone(), budget)?;
    let parts = separate.group.parts();
    // Roles without own symmetries are joined with others of their sort.
    let mut joint: Vec<Option<usize>> = vec![None; parts.len()];
    let mut numbers = 0;
    for role in 0..parts.len() {
        let is_joined = |other: &usize| {
            parts[*other].is_trivial() && finest.sorts[*other] == finest.sorts[role]
        };
        if !parts[role].is_trivial() || joint[role].is_some() {
            continue;
        }
        let others: Vec<usize> = (role..parts.len()).filter(is_joined).collect();
        if others.len() > 1 {
            others
                .iter()
                .for_each(|other| joint[*other] = Some(numbers));
            numbers += 1;
        }
    }
    let merged = match numbers {
        0 => None,
        _ => Some(detect_roles(
            system,
            coloured,
            finest.renumbered(&joint),
            budget,
        )?),
    };
    // Keep the roles with symmetries, single ones first.
    let mut kept: Vec<Option<usize>> = vec![None; parts.len()];
    let mut group = Vec::new();
    for (role, part) in parts.iter().enumerate() {
        if !part.is_trivial() {
            kept[role] = Some(group.len());
            group.push(part.clone());
        }
    }
    let parts = merged.iter().flat_map(|symmetry| symmetry.group.parts());
    for (number, part) in parts.enumerate().filter(|(_, part)| !part.is_trivial()) {
        for (role, joint) in joint.iter().enumerate() {
            if *joint == Some(number) {
                kept[role] = Some(group.len());
            }
        }
        group.push(part.clone());
    }
    let roles = finest.renumbered(&kept);
    Ok(Colours::new(system, coloured, roles, Group::new(group)))
}

fn detect_roles<'m>(
    system: &System,
    coloured: &'m Coloured,
    roles: Roles,
    budget: &Budget,
) -> Result<Colours<'m>, Stop> {
    let sorts = roles.sorts.iter();
    let all = Group::full(sorts.map(|sort| coloured.net.sort(*sort).size as u32));
    let action = Colours::new(system, coloured, roles, all);
    let mut test = Test::new(system, &action, budget);
    let mut keeps = |generator: Generator<'_>| test.is_symmetry(generator);
    let blocks = action.group.coarsest(&mut keeps)?;
    let mut parts = blocks.parts().to_vec();
    let mut to = action.identity();
    for (part, first) in parts.iter_mut().zip(&action.firsts) {
        let colours = part.colours();
        if part.is_trivial() {
            let step = least_rotation(*first, colours, 1, &mut to, &mut keeps)?;
            *part = if step < colours {
                RoleGroup::Rotations { colours, step }
            } else {
                part.clone()
            };
        }
    }
    Ok(action.with_group(Group::new(parts)))
}

/// Lists of numbers by key, in compressed form.
#[derive(Default)]
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0u32; count + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (key, item) in pairs {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        Lists { starts, items }
    }

    fn of(&self, key: u32) -> &[u32] {
        let (start, end) = (self.starts[key as usize], self.starts[key as usize + 1]);
        &self.items[start as usize..end as usize]
    }
}

/// Lists the carriers of each element.
fn carriers(elements: usize, carriers: &Carriers) -> Lists {
    let count = carriers.starts.len() as u32 - 1;
    let pairs = (0..count).flat_map(|at| carriers.of(at).iter().map(move |e| (*e, at)));
    Lists::new(elements, pairs)
}

/// The symmetry test, with indices that restrict it to affected objects.
struct Test<'t, 'm> {
    system: &'t System,
    action: &'t Colours<'m>,
    budget: &'t Budget,
    vars: Lists,
    events: Lists,
    neighbours: Lists,
    /// The image of each variable; the identity between tests.
    images: Vec<u32>,
    /// The last test that inspected each event.
    seen: Vec<u32>,
    tests: u32,
    arcs: Vec<Arc>,
}

fn arcs(system: &System, event: u32) -> &[Arc] {
    match &system.event(EventId(event)).action {
        Action::Net(arcs) => arcs,
        _ => &[],
    }
}

impl<'t, 'm> Test<'t, 'm> {
    fn new(system: &'t System, action: &'t Colours<'m>, budget: &'t Budget) -> Test<'t, 'm> {
        let (elements, events) = (action.elements(), system.events.len() as u32);
        let neighbours =
            (0..events).flat_map(|e| arcs(system, e).iter().map(move |arc| (arc.var.0, e)));
        Test {
            system,
            action,
            budget,
            vars: carriers(elements, &action.vars),
            events: carriers(elements, &action.events),
            neighbours: Lists::new(system.variables.len(), neighbours),
            images: (0..system.variables.len() as u32).collect(),
            seen: vec![0; system.events.len()],
            tests: 0,
            arcs: Vec::new(),
        }
    }

    /// Returns whether the permutation maps variables to variables and events to events with the
    /// same arcs.
    fn is_symmetry(&mut self, Generator { to, moved }: Generator<'_>) -> Result<bool, Stop> {
        // Elements without variables could be exchanged arbitrarily, which would be useless.
        if moved.iter().all(|e| self.vars.of(*e).is_empty()) {
            return Ok(false);
        }
        let mut changed = Vec::new();
        let kept = self.keeps(to, moved, &mut changed);
        for var in changed {
            self.images[var as usize] = var;
        }
        kept
    }

    fn keeps(&mut self, to: &[u32], moved: &[u32], changed: &mut Vec<u32>) -> Result<bool, Stop> {
        for element in moved {
            for var in self.vars.of(*element) {
                let Some(image) = self.action.image_of_var(VarId(*var), to) else {
                    return Ok(false);
                };
                self.images[*var as usize] = image.0;
                changed.push(*var);
            }
        }
        self.tests += 1;
        for element in moved {
            for at in 0..self.events.of(*element).len() {
                let event = self.events.of(*element)[at];
                if !self.keeps_event(to, event)? {
                    return Ok(false);
                }
            }
        }
        for var in changed.iter() {
            for at in 0..self.neighbours.of(*var).len() {
                let event = self.neighbours.of(*var)[at];
                if !self.keeps_event(to, event)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn keeps_event(&mut self, to: &[u32], event: u32) -> Result<bool, Stop> {
        if std::mem::replace(&mut self.seen[event as usize], self.tests) == self.tests {
            return Ok(true);
        }
        let own = arcs(self.system, event);
        self.budget.spend(own.len() as u64 + 1)?;
        let Some(image) = self.action.image_of_event(EventId(event), to) else {
            return Ok(false);
        };
        let expected = arcs(self.system, image.0);
        if own.len() != expected.len() {
            return Ok(false);
        }
        self.arcs.clear();
        let images = &self.images;
        let mapped = own.iter().map(|arc| Arc {
            var: VarId(images[arc.var.index()]),
            ..*arc
        });
        self.arcs.extend(mapped);
        self.arcs.sort_unstable_by_key(|arc| arc.var);
        Ok(self.arcs == expected)
    }
}
