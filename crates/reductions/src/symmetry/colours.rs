//! Permutations of the colours of a coloured net and their action on its unfolding.
//!
//! A *role* is a set of colours that are permuted together (`roles.rs`), an *element* a colour in a
//! role. A variable `p(c)` and an event `t(β)` of the unfolded net carry tuples of elements, on
//! which permutations act: `g·p(c) = p(gc)`, `g·t(β) = t(gβ)`, `(g·m)(g·v) = m(v)`. A permutation
//! is a *symmetry* iff it maps every variable to a variable and every event `t(β)` to an existing
//! event `t(gβ)` whose arcs are the images of the arcs of `t(β)`. This is tested on the unfolded
//! net (`detect.rs`), so that guards, constants and successors need no rules.
//!
//! C. Dutheillet, G. Chiola, G. Franceschinis, S. Haddad, *On well-formed coloured nets and their
//! symbolic reachability graph*, 1990, derive symmetries from the syntax and use symbolic markings.
//! Here markings are explicit and each orbit is represented by one (`canon.rs`).

use super::group::{Group, Permutation};
use super::mix;
use super::roles::Roles;
use lariat_model::coloured::Coloured;
use lariat_model::coloured::{Colour, Unfolding};
use lariat_model::{EventId, System, Value, VarId};
use rustc_hash::FxHashMap;

/// The symmetries of the unfolding of a coloured net.
#[derive(Clone, Debug)]
pub struct Colours<'m> {
    unfolding: &'m Unfolding,
    pub(super) group: Group,
    pub(super) roles: Roles,
    /// The first element of each role, and finally the number of elements.
    pub(super) firsts: Vec<u32>,
    pub(super) vars: Carriers,
    pub(super) events: Carriers,
    /// The place and the colour of each variable.
    places: Vec<(u32, u64)>,
    /// The variable of a place and a colour, for places with elements.
    lookup: Vec<Lookup>,
}

/// The tuples of elements that variables or events carry.
#[derive(Clone, Debug, Default)]
pub(super) struct Carriers {
    pub starts: Vec<u32>,
    elements: Vec<u32>,
    /// Hash of the remainder of the object without its elements.
    pub frames: Vec<u64>,
}

impl Carriers {
    #[inline]
    pub fn of(&self, at: u32) -> &[u32] {
        let (start, end) = (self.starts[at as usize], self.starts[at as usize + 1]);
        &self.elements[start as usize..end as usize]
    }
}

/// A map from colours of a place to its variables.
#[derive(Clone, Debug)]
enum Lookup {
    /// All colours have a variable, numbered consecutively from this one.
    All(u32),
    /// Only some colours have a variable.
    Some(FxHashMap<u64, u32>),
}

impl Lookup {
    #[inline]
    fn find(&self, colour: u64) -> Option<u32> {
        match self {
            Lookup::All(first) => Some(first + colour as u32),
            Lookup::Some(vars) => vars.get(&colour).copied(),
        }
    }
}

impl<'m> Colours<'m> {
    /// The action of permutations of the elements of these roles, with a group.
    pub(super) fn new(
        system: &System,
        coloured: &'m Coloured,
        roles: Roles,
        group: Group,
    ) -> Colours<'m> {
        let Coloured { net, unfolding } = coloured;
        let mut firsts = vec![0];
        for part in group.parts() {
            firsts.push(firsts[firsts.len() - 1] + part.colours());
        }
        let mut vars = Carriers::default();
        let mut lookup = Vec::with_capacity(net.places.len());
        let mut places = Vec::with_capacity(system.variables.len());
        for place in net.place_ids() {
            let slots = &roles.places[place.index()];
            let instances = unfolding.instances(place);
            let complete = instances.len() as u64 == net.sort(net.place(place).sort).size;
            let mut found = match unfolding.instances(place).next() {
                Some(first) if complete => Lookup::All(first.0),
                _ => Lookup::Some(FxHashMap::default()),
            };
            for var in instances {
                let (_, colour) = unfolding.place_of(var);
                places.push((place.0, colour.0));
                let mut rest = colour.0;
                vars.starts.push(vars.elements.len() as u32);
                for slot in slots {
                    let value = slot.leaf.colour(colour.0);
                    vars.elements.push(firsts[slot.role] + value as u32);
                    rest -= value * slot.leaf.stride;
                }
                vars.frames.push(mix(mix(0, u64::from(place.0)), rest));
                if let (Lookup::Some(found), false) = (&mut found, slots.is_empty()) {
                    found.insert(colour.0, var.0);
                }
            }
            lookup.push(found);
        }
        vars.starts.push(vars.elements.len() as u32);
        let mut events = Carriers::default();
        for transition in net.transition_ids() {
            let slots: Vec<_> = roles.of_transition(transition).collect();
            for event in unfolding.events(transition) {
                events.starts.push(events.elements.len() as u32);
                if slots.is_empty() {
                    continue;
                }
                let (_, binding) = unfolding.binding(event);
                for (variable, slot) in &slots {
                    let value = slot.leaf.colour(binding[*variable].0);
                    events.elements.push(firsts[slot.role] + value as u32);
                }
            }
        }
        events.starts.push(events.elements.len() as u32);
        debug_assert_eq!(vars.starts.len(), system.variables.len() + 1);
        debug_assert_eq!(events.starts.len(), system.events.len() + 1);
        Colours {
            unfolding,
            group,
            roles,
            firsts,
            vars,
            events,
            places,
            lookup,
        }
    }

    pub(super) fn with_group(self, group: Group) -> Colours<'m> {
        Colours { group, ..self }
    }

    /// All known symmetries.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.firsts[self.firsts.len() - 1] as usize
    }

    /// The identity.
    pub fn identity(&self) -> Permutation {
        (0..self.elements() as u32).collect()
    }

    /// The elements that an event carries, in the order of the transition's variables.
    #[inline]
    pub fn of_event(&self, event: EventId) -> &[u32] {
        self.events.of(event.0)
    }

    /// The image of a variable, if it exists.
    #[inline]
    pub fn image_of_var(&self, var: VarId, to: &[u32]) -> Option<VarId> {
        let elements = self.vars.of(var.0);
        if elements.iter().all(|e| to[*e as usize] == *e) {
            return Some(var);
        }
        let (place, mut colour) = self.places[var.index()];
        for (slot, element) in self.roles.places[place as usize].iter().zip(elements) {
            let step = i64::from(to[*element as usize]) - i64::from(*element);
            colour = colour.wrapping_add((step as u64).wrapping_mul(slot.leaf.stride));
        }
        self.lookup[place as usize].find(colour).map(VarId)
    }

    /// The image of an event, if it exists.
    pub fn image_of_event(&self, event: EventId, to: &[u32]) -> Option<EventId> {
        let elements = self.events.of(event.0);
        if elements.iter().all(|e| to[*e as usize] == *e) {
            return Some(event);
        }
        let (transition, binding) = self.unfolding.binding(event);
        let mut image: Vec<Colour> = binding.to_vec();
        let slots = self.roles.of_transition(transition);
        for ((variable, slot), element) in slots.zip(elements) {
            let step = i64::from(to[*element as usize]) - i64::from(*element);
            let colour = &mut image[variable].0;
            *colour = colour.wrapping_add((step as u64).wrapping_mul(slot.leaf.stride));
        }
        self.unfolding.event(transition, &image)
    }

    /// The image of a marking under a symmetry.
    pub fn image_of_state(&self, state: &[Value], to: &[u32]) -> Box<[Value]> {
        let mut image: Box<[Value]> = state.into();
        for (var, value) in (0..).map(VarId).zip(state) {
            if let Some(to) = self.image_of_var(var, to) {
                image[to.index()] = *value;
            }
        }
        image
    }
}
