//! Names of colours and bindings: `p(1,2)` and `t(x=1,y=2)`.
//!
//! A place without colours and a transition without variables are named by their ids. The
//! components of a product are separated by commas, those of a variable's value by semicolons.
//! Names of constants and variables contain neither of these nor parentheses, so names are
//! unambiguous.

use rustc_hash::FxHashMap;

use super::net::{Colour, ColouredNet, PlaceId, SortId, SortKind, TransitionId};
use super::unfold::Unfolding;
use crate::system::{EventId, VarId};

impl ColouredNet {
    /// The displayed name of a colour.
    pub fn colour_name(&self, sort: SortId, colour: Colour) -> String {
        let mut name = String::new();
        self.spell(sort, colour, ',', &mut name);
        name
    }

    /// `p(1,2)`: a place with one of its colours.
    pub fn instance_name(&self, place: PlaceId, colour: Colour) -> String {
        let place = self.place(place);
        let mut name = place.name.clone();
        if self.sort(place.sort).kind != SortKind::Dot {
            name.push('(');
            self.spell(place.sort, colour, ',', &mut name);
            name.push(')');
        }
        name
    }

    /// `t(x=1,y=2)`: a transition with the values of its variables.
    pub fn binding_name(&self, transition: TransitionId, binding: &[Colour]) -> String {
        let transition = self.transition(transition);
        let mut name = transition.name.clone();
        for (i, (variable, colour)) in transition.variables.iter().zip(binding).enumerate() {
            let variable = self.variable(*variable);
            name.push(if i == 0 { '(' } else { ',' });
            name.push_str(&variable.name);
            name.push('=');
            self.spell(variable.sort, *colour, ';', &mut name);
        }
        if !transition.variables.is_empty() {
            name.push(')');
        }
        name
    }

    fn spell(&self, sort: SortId, colour: Colour, separator: char, name: &mut String) {
        let parts = &self.sort(sort).parts;
        let mut weight = self.sort(sort).size;
        let mut rest = colour.0;
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                name.push(separator);
            }
            weight /= self.sort(*part).size.max(1);
            let value = rest / weight.max(1);
            rest %= weight.max(1);
            match &self.sort(*part).kind {
                SortKind::Enumeration { constants, .. } => {
                    let constant = usize::try_from(value).ok().and_then(|v| constants.get(v));
                    name.push_str(constant.map_or("?", |constant| constant));
                }
                SortKind::Range { first, .. } => {
                    name.push_str(&(i128::from(*first) + i128::from(value)).to_string());
                }
                SortKind::Dot | SortKind::Product(_) => name.push_str("dot"),
            }
        }
    }
}

/// A lookup table of the names of a coloured net.
#[derive(Clone, Debug)]
pub struct ColourNames<'n> {
    net: &'n ColouredNet,
    places: FxHashMap<&'n str, PlaceId>,
    transitions: FxHashMap<&'n str, TransitionId>,
    /// By enumeration: the positions of its constants.
    constants: Vec<FxHashMap<&'n str, u64>>,
}

impl<'n> ColourNames<'n> {
    /// All names of the net.
    pub fn of(net: &'n ColouredNet) -> ColourNames<'n> {
        let constants = |kind: &'n SortKind| match kind {
            SortKind::Enumeration { constants, .. } => {
                let numbered = constants.iter().zip(0..);
                numbered.map(|(name, i)| (&**name, i)).collect()
            }
            _ => FxHashMap::default(),
        };
        ColourNames {
            net,
            places: net.place_ids().map(|p| (&*net.place(p).name, p)).collect(),
            transitions: net
                .transition_ids()
                .map(|t| (&*net.transition(t).name, t))
                .collect(),
            constants: net.sorts.iter().map(|sort| constants(&sort.kind)).collect(),
        }
    }

    /// The place denoted by `name`, with a colour if the name contains one.
    pub fn place(&self, name: &str) -> Option<(PlaceId, Option<Colour>)> {
        if let Some(place) = self.places.get(name) {
            return Some((*place, None));
        }
        let (place, colour) = split(name)?;
        let place = *self.places.get(place)?;
        let sort = self.net.place(place).sort;
        if self.net.sort(sort).kind == SortKind::Dot {
            return None;
        }
        Some((place, Some(self.colour(sort, colour, ',')?)))
    }

    /// The transition denoted by `name`, with the values of the variables it mentions, by their
    /// positions.
    pub fn transition(&self, name: &str) -> Option<(TransitionId, Vec<(usize, Colour)>)> {
        if let Some(transition) = self.transitions.get(name) {
            return Some((*transition, Vec::new()));
        }
        let (transition, values) = split(name)?;
        let id = *self.transitions.get(transition)?;
        let variables = &self.net.transition(id).variables;
        let mut bound = Vec::new();
        for value in values.split(',') {
            let (variable, value) = value.split_once('=')?;
            let position = variables
                .iter()
                .position(|v| self.net.variable(*v).name == variable.trim())?;
            let sort = self.net.variable(variables[position]).sort;
            let colour = self.colour(sort, value, ';')?;
            if bound.iter().any(|(known, _)| *known == position) {
                return None;
            }
            bound.push((position, colour));
        }
        Some((id, bound))
    }

    fn colour(&self, sort: SortId, text: &str, separator: char) -> Option<Colour> {
        let sort = self.net.sort(sort);
        let mut values = text.split(separator);
        let mut index = 0;
        for part in &sort.parts {
            let text = values.next()?.trim();
            let value = match &self.net.sort(*part).kind {
                SortKind::Enumeration { .. } => *self.constants[part.index()].get(text)?,
                SortKind::Range { first, last } => {
                    let value: i64 = text.parse().ok()?;
                    if !(*first..=*last).contains(&value) {
                        return None;
                    }
                    value.abs_diff(*first)
                }
                SortKind::Dot => (text == "dot").then_some(0)?,
                SortKind::Product(_) => return None,
            };
            index = index * self.net.sort(*part).size + value;
        }
        values.next().is_none().then_some(Colour(index))
    }
}

/// Splits `id(inside)`; `inside` contains no parentheses.
fn split(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')')?.rsplit_once('(')
}

/// The meanings of the names of a coloured net in its unfolding.
#[derive(Clone, Debug)]
pub struct UnfoldedNames<'n> {
    names: ColourNames<'n>,
    unfolding: &'n Unfolding,
}

impl<'n> UnfoldedNames<'n> {
    /// The names of a net with their meanings in this unfolding.
    pub fn new(net: &'n ColouredNet, unfolding: &'n Unfolding) -> UnfoldedNames<'n> {
        UnfoldedNames {
            names: ColourNames::of(net),
            unfolding,
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &'n str> {
        let net = self.names.net;
        let places = net.places.iter().map(|place| &*place.name);
        places.chain(net.transitions.iter().map(|transition| &*transition.name))
    }

    pub(crate) fn is_place(&self, name: &str) -> bool {
        self.names.place(name).is_some()
    }

    pub(crate) fn is_transition(&self, name: &str) -> bool {
        self.names.transition(name).is_some()
    }

    /// The instances whose sum a name denotes, all those of a place or one; empty if never marked.
    pub(crate) fn number(&self, name: &str) -> Option<Vec<VarId>> {
        let (place, colour) = self.names.place(name)?;
        Some(match colour {
            None => self.unfolding.instances(place).collect(),
            Some(colour) => self.unfolding.instance(place, colour).into_iter().collect(),
        })
    }

    /// The bindings of a transition that agree with the values in the name.
    pub(crate) fn events(&self, name: &str) -> Option<Vec<EventId>> {
        let (transition, values) = self.names.transition(name)?;
        let agrees = |event: &EventId| {
            let (_, binding) = self.unfolding.binding(*event);
            values.iter().all(|(at, value)| binding[*at] == *value)
        };
        Some(self.unfolding.events(transition).filter(agrees).collect())
    }

    /// The error message and advice for `name(inside)`, where `name` denotes the place or
    /// transition `id`.
    pub(crate) fn misfit(&self, id: &str, name: &str, inside: &str) -> Option<(String, String)> {
        let net = self.names.net;
        if let Some(place) = self.names.places.get(id) {
            let sort = net.place(*place).sort;
            let help = match net.sort(sort).kind {
                SortKind::Dot => format!("its tokens have no colours: write `{name}`"),
                _ => format!("its colours are {}", self.colours_of(sort)),
            };
            return Some((format!("the place `{name}` has no colour `{inside}`"), help));
        }
        let transition = net.transition(*self.names.transitions.get(id)?);
        let variables = transition.variables.iter().map(|v| {
            let variable = net.variable(*v);
            format!("{} = {}", variable.name, self.colours_of(variable.sort))
        });
        let variables: Vec<String> = variables.collect();
        let help = match &variables[..] {
            [] => format!("it has no variables: write `{name}`"),
            variables => format!(
                "expected values of some of its variables: {}",
                variables.join("; ")
            ),
        };
        let message = format!("the transition `{name}` has no binding `{inside}`");
        Some((message, help))
    }

    /// A short description of the colours of a sort.
    fn colours_of(&self, sort: SortId) -> String {
        const SHOWN: usize = 8;
        let net = self.names.net;
        match &net.sort(sort).kind {
            SortKind::Dot => "dot".to_owned(),
            SortKind::Range { first, last } => format!("{first} to {last}"),
            SortKind::Enumeration { constants, .. } => {
                let mut shown: Vec<&str> = constants.iter().take(SHOWN).map(|c| &**c).collect();
                if constants.len() > SHOWN {
                    shown.push("…");
                }
                shown.join(", ")
            }
            SortKind::Product(_) => {
                let parts = net.sort(sort).parts.iter();
                let parts: Vec<String> = parts.map(|part| self.colours_of(*part)).collect();
                format!("tuples, of {}", parts.join(" and of "))
            }
        }
    }

    /// The place with several instances, the first of which is this variable, and their number.
    pub(crate) fn place_from(&self, var: VarId) -> Option<(&'n str, usize)> {
        let (place, _) = self.unfolding.place_of(var);
        let mut instances = self.unfolding.instances(place);
        let len = instances.len();
        (len > 1 && instances.next() == Some(var))
            .then(|| (&*self.names.net.place(place).name, len))
    }

    /// The transition with several bindings, the first of which is this event, and their number.
    pub(crate) fn transition_from(&self, event: EventId) -> Option<(&'n str, usize)> {
        let (transition, _) = self.unfolding.binding(event);
        let mut events = self.unfolding.events(transition);
        let len = events.len();
        let name = &*self.names.net.transition(transition).name;
        (len > 1 && events.next() == Some(event)).then_some((name, len))
    }
}
