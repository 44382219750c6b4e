//! Lifting a run of the quotient: a choice of colours, replayed on the coloured net.
//!
//! An event of the quotient names species; the lift picks components of these species, which gives
//! the binding, and the net fires it by its own interpreter. A loop of the quotient returns to the
//! same components up to a permutation `g` of colours. Since `g` is a symmetry of the net, the loop
//! continues as `g(loop)`, `g²(loop)`, …, with the same letters.

use std::collections::BTreeMap;

use lariat_budget::Budget;

use super::super::compile::leaf_values;
use super::super::net::{Colour, ColourVariableId, PlaceId, SortId, TransitionId};
use super::super::semantics::Marking;
use super::classes::{Leaf, leaf_sorts};
use super::species::components;
use super::{ColourQuotient, Graph, Node};
use crate::lasso::{EvidenceKind, Lasso, ReplayError};
use crate::system::State;

/// Limit on the steps of a deadlock check.
const STEPS: u64 = 50_000_000;

/// A transition with the values of its variables.
pub type Binding = (TransitionId, Vec<Colour>);

/// A marking with its components.
#[derive(Clone)]
struct Concrete {
    marking: Marking,
    /// By place: the number of tokens.
    sums: Vec<i64>,
    /// By species: the nodes of each component.
    components: Vec<Vec<Vec<Node>>>,
}

impl ColourQuotient {
    /// Replays a run of the quotient on the coloured net; returns the bindings that it chose, `None`
    /// for a stuttering step.
    ///
    /// The coloured net must enable every binding, agree with the quotient on the number of tokens
    /// of every place, be dead where the run stutters, and return to the entry of the loop up to a
    /// permutation of symmetric colours.
    pub fn replay(
        &self,
        lasso: &Lasso,
        budget: &Budget,
    ) -> Result<Vec<Option<Binding>>, ReplayError> {
        let graph = Graph::initial(&self.net, &self.rules)
            .ok_or_else(|| "the marking is too large".to_owned())?;
        let mut now = self.initial(&graph)?;
        let totals: Vec<Vec<usize>> = { self.net.place_ids() }
            .map(|place| self.sum(place).iter().map(|var| var.index()).collect())
            .collect();
        let agree = |now: &Concrete, state: &State, at: usize| {
            let sum =
                |vars: &Vec<usize>| vars.iter().map(|var| i128::from(state[*var])).sum::<i128>();
            let same = totals
                .iter()
                .zip(&now.sums)
                .all(|(vars, n)| sum(vars) == i128::from(*n));
            let message =
                || format!("the marking after {at} steps differs from that of the coloured net");
            if same { Ok(()) } else { Err(message()) }
        };
        let mut state = lasso.initial.clone();
        if state.len() != self.plain.len() + self.species.len() {
            Err("the run has other places than the quotient".to_owned())?;
        }
        agree(&now, &state, 0)?;
        let mut bindings = Vec::with_capacity(lasso.len());
        let mut entry = (lasso.prefix.is_empty()).then(|| now.clone());
        for (i, step) in lasso.steps().enumerate() {
            budget.check()?;
            match step.event {
                Some(event) => {
                    let (transition, binding) = self.step(&mut now, event.index(), &graph)?;
                    bindings.push(Some((transition, binding)));
                }
                None if self.net.is_dead(&now.marking, STEPS)? => bindings.push(None),
                None => Err(format!(
                    "step {} stutters although a transition is enabled",
                    i + 1
                ))?,
            }
            step.apply(&mut state);
            agree(&now, &state, i + 1)?;
            if i + 1 == lasso.prefix.len() {
                entry = Some(now.clone());
            }
        }
        match (lasso.kind(), entry) {
            (EvidenceKind::Prefix, _) => Ok(bindings),
            (_, Some(entry)) if lasso.comes_round() => {
                self.returns(&entry, &now, lasso, &graph)?;
                Ok(bindings)
            }
            _ => Err("the loop does not close".to_owned())?,
        }
    }

    fn initial(&self, graph: &Graph) -> Result<Concrete, String> {
        let marking = self.net.initial_marking()?;
        let mut all = vec![Vec::new(); self.species.len()];
        let components = components(&self.rules, &graph.nodes, &graph.tokens);
        for component in components.ok_or("an initial component is too large")? {
            let number = self
                .species
                .iter()
                .position(|species| *species == component.species);
            all[number.ok_or("an initial component has no species")?].push(component.members);
        }
        let sum = |tokens: &BTreeMap<Colour, i64>| {
            let mut counts = tokens.values();
            counts.try_fold(0i64, |sum, count| sum.checked_add(*count))
        };
        let sums: Option<Vec<i64>> = marking.tokens.iter().map(sum).collect();
        Ok(Concrete {
            sums: sums.ok_or("a place has 2^63 tokens")?,
            marking,
            components: all,
        })
    }

    /// Fires an event of the quotient on components of its species.
    fn step(&self, now: &mut Concrete, event: usize, graph: &Graph) -> Result<Binding, String> {
        let reaction = self
            .reactions
            .get(event)
            .ok_or("the run has an unknown event")?;
        let mut nodes: Vec<Node> = Vec::new();
        for species in &reaction.components {
            let component = now.components[*species].pop();
            nodes.extend(component.ok_or("no component of a consumed species is left")?);
        }
        let rule = &self.rules.transitions[reaction.transition];
        let leaves = rule
            .leaves
            .iter()
            .zip(&reaction.binding)
            .map(|(leaf, value)| match leaf {
                Leaf::Symmetric(sort) => nodes[*value as usize] - graph.first[sort.index()],
                Leaf::Values(_) => *value,
            });
        let leaves: Vec<u32> = leaves.collect();
        let transition = TransitionId(reaction.transition as u32);
        let binding = self.binding(transition, &leaves);
        let effect = self.net.effect(&now.marking, transition, &binding)?;
        for ((place, colour), count) in &effect {
            let sum = &mut now.sums[place.index()];
            let change = count.checked_sub(now.marking.count(*place, *colour));
            let changed = change.and_then(|change| sum.checked_add(change));
            *sum = changed.ok_or("a place has 2^63 tokens")?;
        }
        now.marking.put(effect);
        for (species, members) in &reaction.products {
            let members = members.iter().map(|node| nodes[*node as usize]);
            now.components[*species].push(members.collect());
        }
        Ok((transition, binding))
    }

    /// The values of a transition's variables with these leaves.
    fn binding(&self, transition: TransitionId, leaves: &[u32]) -> Vec<Colour> {
        let mut leaves = leaves.iter();
        let variables = self.net.transition(transition).variables.iter();
        let colour = |variable: &ColourVariableId| {
            let sorts = leaf_sorts(&self.net, self.net.variable(*variable).sort);
            let mixed = sorts
                .iter()
                .zip(&mut leaves)
                .fold(0, |colour, (sort, value)| {
                    colour * self.net.sort(*sort).size + u64::from(*value)
                });
            Colour(mixed)
        };
        variables.map(colour).collect()
    }

    /// Checks that a permutation of symmetric colours maps the entry of a loop to its end, apart
    /// from the tokens that a covering run adds.
    fn returns(
        &self,
        entry: &Concrete,
        end: &Concrete,
        lasso: &Lasso,
        graph: &Graph,
    ) -> Result<(), String> {
        let mut image: Vec<Option<Node>> = vec![None; graph.nodes.len()];
        for (before, after) in entry.components.iter().zip(&end.components) {
            if before.len() != after.len() {
                return Err("the loop does not return to the same components".to_owned());
            }
            for (from, to) in before.iter().flatten().zip(after.iter().flatten()) {
                image[*from as usize] = Some(*to);
            }
        }
        let mut hit = vec![false; graph.nodes.len()];
        for (node, image) in image.iter().enumerate() {
            let to = image.ok_or("a colour belongs to no component")? as usize;
            if hit[to] || graph.nodes[to] != graph.nodes[node] {
                return Err("the loop does not permute colours".to_owned());
            }
            hit[to] = true;
        }
        let mut expected = Marking {
            tokens: vec![BTreeMap::new(); self.net.places.len()],
        };
        for (place, tokens) in self.net.place_ids().zip(&entry.marking.tokens) {
            for (colour, count) in tokens {
                let colour = self.renamed(place, *colour, &image, graph);
                expected.tokens[place.index()].insert(colour, *count);
            }
        }
        for (entry, growth) in (0..self.plain.len()).zip(lasso.growth.iter().flatten()) {
            if *growth > 0 {
                let (place, values) = &self.plain[entry];
                let colour = self.colour(*place, values);
                *expected.tokens[*place].entry(colour).or_insert(0) += growth;
            }
        }
        if expected == end.marking {
            return Ok(());
        }
        Err("the end of the loop is no image of its entry".to_owned())
    }

    /// The image of a colour under a permutation of nodes.
    fn renamed(
        &self,
        place: PlaceId,
        colour: Colour,
        image: &[Option<Node>],
        graph: &Graph,
    ) -> Colour {
        let sorts = leaf_sorts(&self.net, self.net.place(place).sort);
        let sizes: Vec<u32> = sorts
            .iter()
            .map(|sort| self.net.sort(*sort).size as u32)
            .collect();
        let mut values = Vec::new();
        leaf_values(&sizes, colour.0, &mut values);
        let symmetric = &self.rules.places[place.index()];
        let shift = |sort: SortId| graph.first[sort.index()];
        for (value, sort) in values.iter_mut().zip(symmetric) {
            if let Some(sort) = sort
                && let Some(to) = image[(*value + shift(*sort)) as usize]
            {
                *value = to - shift(*sort);
            }
        }
        self.colour(place.index(), &values)
    }
}
