//! The quotient of a coloured net by the permutations of symmetric colours, without unfolding.
//!
//! A marking is a graph: nodes are the colours of [symmetric sorts](classes), and a token joins the
//! nodes that it mentions. Its connected components up to renaming are the *species*. The quotient
//! is a place/transition net that counts components:
//!
//! > places = species and colours without nodes     transitions = ways to fire on components
//!
//! The map from markings to their counts is a strong bisimulation that preserves the number of
//! tokens of each place and the enabled transitions: a binding is determined, up to renaming, by
//! the components of its colours and its nodes therein. It preserves all of LTL, with `X` and events
//! of whole transitions, under both deadlock policies. This is counter abstraction (Emerson,
//! Trefler, 1999) with species as local states, where symbolic markings (Chiola, Dutheillet,
//! Franceschinis, Haddad, 1993) keep dynamic subclasses.
//!
//! Sorts that are not symmetric keep their values. There is no quotient if a species would have
//! many nodes, if there are too many species, or if arcs subtract tokens. Bounds from
//! [semiflows](semiflows) exclude species that cannot occur.

mod classes;
mod lift;
mod reactions;
mod semiflows;
mod species;

pub use lift::Binding;

use std::collections::BTreeMap;

use lariat_budget::{Budget, Stop};

use super::compile::{self, ArcTokens};
use super::net::{Colour, ColouredNet, PlaceId, SortId, SortKind, TransitionId};
use crate::names::Definition;
use crate::system::{Action, Arc, Domain, Event, EventId, State, System, VarId, Variable};
use classes::Rules;
use reactions::{Known, NoQuotient, Reaction, reactions};
use species::{Species, components};

/// A colour of a symmetric sort in a graph of tokens.
type Node = u32;

/// By place and parts, nodes or values: numbers of tokens.
type TokenCounts = BTreeMap<(usize, Vec<u32>), i64>;

/// Limit on the initial tokens with different colours, and on the nodes.
const INITIAL: u64 = 1 << 18;

/// Approximate memory per node and initial token.
const BYTES: usize = 256;

/// Limit on places times transitions of nets whose token sums are bounded.
const SKELETON: usize = 1 << 20;

/// Limit on the tokens of a place in one species.
const TOKENS: i64 = 1 << 10;

/// A coloured net with its quotient.
#[derive(Clone, Debug)]
pub struct ColourQuotient {
    /// The net as it was read.
    pub net: ColouredNet,
    rules: Rules,
    species: Vec<Species>,
    /// The colours without nodes, by place and values: the first variables of the quotient.
    plain: Vec<(usize, Vec<u32>)>,
    /// By event of the quotient.
    reactions: Vec<Reaction>,
}

/// Computes the quotient of a net and the system that it is; `None` if it has none of acceptable
/// size.
pub fn quotient(
    net: &ColouredNet,
    budget: &Budget,
) -> Result<Option<(ColourQuotient, System)>, Stop> {
    match ColourQuotient::of(net, budget) {
        Ok(quotient) => Ok(Some(quotient)),
        Err(NoQuotient::TooLarge) => Ok(None),
        Err(NoQuotient::Stop(stop)) => Err(stop),
    }
}

/// The tokens of a marking over numbered nodes.
struct Graph {
    /// By node: its sort.
    nodes: Vec<SortId>,
    /// By sort: the node of its first colour.
    first: Vec<Node>,
    tokens: TokenCounts,
}

impl Graph {
    /// The initial marking, in which every colour of a symmetric sort is a node.
    fn initial(net: &ColouredNet, rules: &Rules) -> Option<Graph> {
        let mut graph = Graph {
            nodes: Vec::new(),
            first: vec![0; net.sorts.len()],
            tokens: TokenCounts::new(),
        };
        for sort in rules.symmetric_sorts() {
            let size = net.sort(sort).size;
            if graph.nodes.len() as u64 + size > INITIAL {
                return None;
            }
            graph.first[sort.index()] = graph.nodes.len() as Node;
            graph.nodes.extend((0..size).map(|_| sort));
        }
        let left = std::cell::Cell::new(compile::SUMMANDS);
        for (place, definition) in net.places.iter().enumerate() {
            let Some(term) = &definition.initial else {
                continue;
            };
            let term = compile::ground(net, place, term, &left).ok()?;
            if term.count() > INITIAL {
                return None;
            }
            let mut tokens = ArcTokens::new();
            term.evaluate(&[], &mut tokens).ok()?;
            for (colour, count) in tokens {
                let mut parts = Vec::new();
                compile::leaf_values(&term.sizes, colour, &mut parts);
                for (part, sort) in parts.iter_mut().zip(&rules.places[place]) {
                    if let Some(sort) = sort {
                        *part += graph.first[sort.index()];
                    }
                }
                graph.tokens.insert((place, parts), count);
            }
        }
        Some(graph)
    }
}

impl ColourQuotient {
    fn of(net: &ColouredNet, budget: &Budget) -> Result<(ColourQuotient, System), NoQuotient> {
        let rules = classes::rules(net).ok_or(NoQuotient::TooLarge)?;
        let graph = Graph::initial(net, &rules).ok_or(NoQuotient::TooLarge)?;
        let mut lease = budget.lease();
        let leased = lease.resize((graph.nodes.len() + graph.tokens.len()) * BYTES);
        leased.map_err(NoQuotient::Stop)?;
        let bounds = bounds(&rules, &graph).ok_or(NoQuotient::TooLarge)?;
        let mut known = Known::new(net.places.len());
        let mut species = Vec::new();
        let mut plain = Vec::new();
        let components =
            components(&rules, &graph.nodes, &graph.tokens).ok_or(NoQuotient::TooLarge)?;
        for component in components {
            species.push(known.species(component.species));
        }
        for ((place, parts), count) in &graph.tokens {
            if rules.nodes(*place, parts).next().is_none() {
                plain.push((known.plain(*place, parts.clone()), *count));
            }
        }
        let reactions = reactions(&rules, &mut known, &bounds, budget)?;
        let quotient = ColourQuotient {
            net: net.clone(),
            rules,
            species: known.species,
            plain: known.plain,
            reactions,
        };
        let tokens = quotient.species.iter().flat_map(|species| &species.tokens);
        if tokens.map(|token| token.count).any(|count| count > TOKENS) {
            return Err(NoQuotient::TooLarge);
        }
        let mut initial = vec![0; quotient.plain.len() + quotient.species.len()];
        plain
            .into_iter()
            .for_each(|(entry, count)| initial[entry] = count);
        species
            .iter()
            .for_each(|species| initial[quotient.plain.len() + species] += 1);
        let system = quotient.system(initial.into());
        Ok((quotient, system))
    }

    /// The variable that counts the components of a species.
    fn var(&self, species: usize) -> VarId {
        VarId((self.plain.len() + species) as u32)
    }

    fn system(&self, initial: State) -> System {
        let plain = { self.plain.iter() }.map(|(place, parts)| {
            self.net
                .instance_name(PlaceId(*place as u32), self.colour(*place, parts))
        });
        let mut names: Vec<String> = plain.collect();
        let numbered = self.species.iter().enumerate();
        names.extend(numbered.map(|(number, species)| self.species_name(number, species)));
        let variable = |name| Variable {
            name,
            domain: Domain::Count { bound: None },
        };
        let mut counts = vec![0; self.net.transitions.len()];
        let event = |reaction: &Reaction| {
            let count = &mut counts[reaction.transition];
            *count += 1;
            let name = &self.net.transitions[reaction.transition].name;
            Event {
                name: format!("{name}#{count}"),
                action: Action::Net(self.arcs(reaction)),
            }
        };
        System {
            name: self.net.name.clone(),
            variables: names.into_iter().map(variable).collect(),
            events: self.reactions.iter().map(event).collect(),
            initial: vec![initial],
            ..System::default()
        }
    }

    fn arcs(&self, reaction: &Reaction) -> Vec<Arc> {
        let mut counts: BTreeMap<VarId, (i64, i64)> = BTreeMap::new();
        for (entry, count) in &reaction.takes {
            counts.entry(VarId(*entry as u32)).or_default().0 += count;
        }
        for (entry, count) in &reaction.puts {
            counts.entry(VarId(*entry as u32)).or_default().1 += count;
        }
        for species in &reaction.components {
            counts.entry(self.var(*species)).or_default().0 += 1;
        }
        for (species, _) in &reaction.products {
            counts.entry(self.var(*species)).or_default().1 += 1;
        }
        let arc = |(var, (need, put)): (VarId, (i64, i64))| Arc {
            var,
            need,
            delta: put - need,
        };
        counts.into_iter().map(arc).collect()
    }

    /// The colour of a place with these values of its leaves.
    fn colour(&self, place: usize, values: &[u32]) -> Colour {
        let sorts = classes::leaf_sorts(&self.net, self.net.places[place].sort);
        let mixed = sorts.iter().zip(values).fold(0, |colour, (sort, value)| {
            colour * self.net.sort(*sort).size + u64::from(*value)
        });
        Colour(mixed)
    }

    /// `{p+2*q(a,b)}#7`: the tokens of a species, whose nodes are lettered if there are several.
    fn species_name(&self, number: usize, species: &Species) -> String {
        let token = |token: &species::Token| {
            let place = &self.net.places[token.place];
            let sorts = classes::leaf_sorts(&self.net, place.sort);
            let part = |(i, part): (usize, &u32)| match self.rules.is_symmetric(token.place, i) {
                true => char::from_u32('a' as u32 + part).unwrap_or('?').to_string(),
                false => self.net.colour_name(sorts[i], Colour(u64::from(*part))),
            };
            let parts: Vec<String> = token.parts.iter().enumerate().map(part).collect();
            let factor = match token.count {
                1 => String::new(),
                count => format!("{count}*"),
            };
            if parts.len() == 1 && species.nodes.len() == 1 {
                return format!("{factor}{}", place.name);
            }
            format!("{factor}{}({})", place.name, parts.join(","))
        };
        let tokens: Vec<String> = species.tokens.iter().map(token).collect();
        format!("{{{}}}#{}", tokens.join("+"), number + 1)
    }

    /// The variables whose sum is the number of tokens of a place; one with several tokens occurs
    /// several times.
    pub fn sum(&self, place: PlaceId) -> Vec<VarId> {
        let plain = (0..self.plain.len()).filter(|entry| self.plain[*entry].0 == place.index());
        let mut vars: Vec<VarId> = plain.map(|entry| VarId(entry as u32)).collect();
        for (number, species) in self.species.iter().enumerate() {
            for token in species
                .tokens
                .iter()
                .filter(|token| token.place == place.index())
            {
                vars.extend((0..token.count).map(|_| self.var(number)));
            }
        }
        vars
    }

    /// The events of a transition.
    pub fn events(&self, transition: TransitionId) -> Vec<EventId> {
        let of = |event: &usize| self.reactions[*event].transition == transition.index();
        let events = (0..self.reactions.len()).filter(of);
        events.map(|event| EventId(event as u32)).collect()
    }

    /// The meanings of the net's places and transitions.
    pub fn definitions(&self) -> Vec<(String, Definition)> {
        let mut all = Vec::new();
        for place in self.net.place_ids() {
            let definition = self.net.place(place);
            if self.net.sort(definition.sort).kind != SortKind::Dot || self.sum(place).is_empty() {
                all.push((definition.name.clone(), Definition::Sum(self.sum(place))));
            }
        }
        for transition in self.net.transition_ids() {
            let name = self.net.transition(transition).name.clone();
            all.push((name, Definition::Events(self.events(transition))));
        }
        all
    }
}

/// The bounds of places, whose tokens of all colours are counted together; `None` if numbers
/// overflow.
fn bounds(rules: &Rules, graph: &Graph) -> Option<Vec<Option<i64>>> {
    let places = rules.places.len();
    if rules.transitions.len().saturating_mul(places) > SKELETON {
        return Some(vec![None; places]);
    }
    let mut initial = vec![0i64; places];
    for ((place, _), count) in &graph.tokens {
        initial[*place] = initial[*place].checked_add(*count)?;
    }
    let mut effects = Vec::with_capacity(rules.transitions.len());
    for rule in &rules.transitions {
        let mut effect = vec![0i64; rules.places.len()];
        for (patterns, sign) in [(&rule.inputs, -1), (&rule.outputs, 1)] {
            for pattern in patterns {
                let change = pattern.count.checked_mul(sign)?;
                effect[pattern.place] = effect[pattern.place].checked_add(change)?;
            }
        }
        effects.push(effect);
    }
    Some(semiflows::bounds(&initial, &effects))
}
