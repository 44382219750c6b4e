//! The reference semantics of a coloured net: markings, firing, and the replay of a run.
//!
//! Terms and guards are interpreted without unfolding, as directly as possible, to check results
//! obtained on the unfolding independently. A term is a formal sum of colours with integer
//! multiplicities,
//!
//! > ⟦a + b⟧ = ⟦a⟧ + ⟦b⟧,  ⟦a − b⟧ = ⟦a⟧ − ⟦b⟧,  ⟦n·a⟧ = n·⟦a⟧,  ⟦(a, b)⟧ = ⟦a⟧ × ⟦b⟧,
//!
//! and is undefined if a resulting multiplicity is negative.

use std::collections::BTreeMap;

use super::names::ColourNames;
use super::net::{
    Colour, ColourVariableId, ColouredNet, PlaceId, SortKind, Term, TermKind, TransitionGuard,
    TransitionId,
};
use crate::lasso::{EvidenceKind, Lasso, ReplayError};
use crate::system::{State, System};
use lariat_budget::Budget;

/// The tokens of every place: the non-zero multiplicities of its colours.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marking {
    /// By place.
    pub tokens: Vec<BTreeMap<Colour, i64>>,
}

/// Limit on the distinct colours of an interpreted term.
const LARGEST: u64 = 1 << 24;

/// Numbers of tokens of some colours in some places.
pub(super) type Counts = BTreeMap<(PlaceId, Colour), i64>;

type Formal = BTreeMap<Colour, i128>;

/// A partial assignment of colours to variables.
type Values<'v> = &'v dyn Fn(ColourVariableId) -> Option<Colour>;

impl ColouredNet {
    /// The initial marking.
    pub fn initial_marking(&self) -> Result<Marking, String> {
        let mut marking = Marking::default();
        for place in &self.places {
            marking.tokens.push(match &place.initial {
                Some(term) => self.tokens(term, &|_| None)?,
                None => BTreeMap::new(),
            });
        }
        Ok(marking)
    }

    /// The marking after firing a transition under a binding, one colour per variable; an error
    /// message if it is not enabled.
    pub fn fire(
        &self,
        marking: &Marking,
        transition: TransitionId,
        binding: &[Colour],
    ) -> Result<Marking, String> {
        let mut next = marking.clone();
        next.put(self.effect(marking, transition, binding)?);
        Ok(next)
    }

    /// The new numbers of tokens after firing a transition under a binding, where they change.
    pub(super) fn effect(
        &self,
        marking: &Marking,
        transition: TransitionId,
        binding: &[Colour],
    ) -> Result<Counts, String> {
        let name = || self.binding_name(transition, binding);
        let definition = self.transition(transition);
        let sizes = definition
            .variables
            .iter()
            .map(|v| self.sort(self.variable(*v).sort).size);
        if definition.variables.len() != binding.len()
            || !sizes.zip(binding).all(|(size, c)| c.0 < size)
        {
            return Err(format!("{} is no binding", name()));
        }
        let values = |variable: ColourVariableId| {
            let at = definition.variables.binary_search(&variable).ok()?;
            binding.get(at).copied()
        };
        if self.holds(&definition.guard, &values) != Some(true) {
            return Err(format!("the guard of {} does not hold", name()));
        }
        let mut next = Counts::new();
        for arc in &definition.inputs {
            for (colour, count) in self.tokens(&arc.term, &values)? {
                let instance = || self.instance_name(arc.place, colour);
                let here = next.entry((arc.place, colour));
                let present = here.or_insert_with(|| marking.count(arc.place, colour));
                if *present < count {
                    return Err(format!("{} needs more tokens in {}", name(), instance()));
                }
                *present -= count;
            }
        }
        for arc in &definition.outputs {
            for (colour, count) in self.tokens(&arc.term, &values)? {
                let here = next.entry((arc.place, colour));
                let present = here.or_insert_with(|| marking.count(arc.place, colour));
                let sum = present.checked_add(count);
                *present = sum.ok_or("a place has 2^63 tokens")?;
            }
        }
        next.retain(|(place, colour), count| marking.count(*place, *colour) != *count);
        Ok(next)
    }

    /// Returns whether the marking is a deadlock. Backtracks over the variables and prunes when the
    /// guard or an arc with bound variables fails. Returns an error after `steps` steps.
    pub fn is_dead(&self, marking: &Marking, steps: u64) -> Result<bool, String> {
        let mut left = steps;
        for transition in self.transition_ids() {
            if self.some_binding(marking, transition, &mut left)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn some_binding(
        &self,
        marking: &Marking,
        transition: TransitionId,
        left: &mut u64,
    ) -> Result<Option<Vec<Colour>>, String> {
        let definition = self.transition(transition);
        let order = self.order(transition);
        let mut binding: Vec<Option<Colour>> = vec![None; definition.variables.len()];
        // The values tried, by depth.
        let mut tried: Vec<u64> = Vec::new();
        loop {
            let fewer = left.checked_sub(1);
            *left = fewer.ok_or("the search for a binding takes too long")?;
            let possible = {
                let values = |variable: ColourVariableId| {
                    let at = definition.variables.binary_search(&variable).ok()?;
                    binding.get(at).copied().flatten()
                };
                self.holds(&definition.guard, &values) != Some(false)
                    && definition.inputs.iter().all(|arc| {
                        let mut variables = Vec::new();
                        arc.term.collect_variables(&mut variables);
                        if variables.iter().any(|v| values(*v).is_none()) {
                            return true;
                        }
                        let present = &marking.tokens[arc.place.index()];
                        let enough = |(c, n)| present.get(&c).is_some_and(|m| *m >= n);
                        let need = self.tokens(&arc.term, &values);
                        need.is_ok_and(|need| need.into_iter().all(enough))
                    })
            };
            if possible {
                let complete: Option<Vec<Colour>> = binding.iter().copied().collect();
                match complete {
                    // Firing adds up several arcs to one place.
                    Some(complete) if self.fire(marking, transition, &complete).is_ok() => {
                        return Ok(Some(complete));
                    }
                    Some(_) => {}
                    None => {
                        binding[order[tried.len()]] = Some(Colour(0));
                        tried.push(0);
                        continue;
                    }
                }
            }
            loop {
                let Some(last) = tried.last_mut() else {
                    return Ok(None);
                };
                *last += 1;
                let value = *last;
                let at = order[tried.len() - 1];
                if value < self.sort(self.variable(definition.variables[at]).sort).size {
                    binding[at] = Some(Colour(value));
                    break;
                }
                binding[at] = None;
                tried.pop();
            }
        }
    }

    /// The order of binding a transition's variables: those of arcs with few variables first.
    fn order(&self, transition: TransitionId) -> Vec<usize> {
        let definition = self.transition(transition);
        let mut order: Vec<usize> = Vec::new();
        let mut arcs: Vec<Vec<ColourVariableId>> = Vec::new();
        for arc in &definition.inputs {
            let mut variables = Vec::new();
            arc.term.collect_variables(&mut variables);
            arcs.push(variables);
        }
        arcs.sort_by_key(Vec::len);
        let all = arcs.iter().flatten().chain(&definition.variables);
        for at in all.filter_map(|variable| definition.variables.binary_search(variable).ok()) {
            if !order.contains(&at) {
                order.push(at);
            }
        }
        order
    }

    /// Replays a run of the unfolded net on this one. Only names are taken from the unfolding:
    /// every event is parsed as `t(x=1)`, every variable as `p(1)`, and the markings along the run
    /// must be those that firing computes. A stuttering step requires a deadlock. The growth of a
    /// covering run is checked per place and colour; it is valid because coloured nets are
    /// monotonic.
    ///
    /// A step costs as much as the tokens that it moves; a stuttering step, a deadlock check.
    pub fn replay(
        &self,
        system: &System,
        lasso: &Lasso,
        budget: &Budget,
    ) -> Result<(), ReplayError> {
        /// Limit on the steps of a deadlock check.
        const STEPS: u64 = 50_000_000;
        let names = ColourNames::of(self);
        let mut instances = Vec::with_capacity(system.variables.len());
        for variable in &system.variables {
            let (place, colour) = names
                .place(&variable.name)
                .ok_or_else(|| format!("`{}` is no place of the coloured net", variable.name))?;
            instances.push((place, colour.unwrap_or(Colour(0))));
        }
        let differs = |at: usize| {
            Err(format!(
                "the marking after {at} steps differs from that of the coloured net"
            ))
        };
        let mut marking = self.initial_marking()?;
        let initial = &lasso.initial;
        if initial.len() != instances.len() || marking != shown(self, &instances, initial) {
            differs(0)?;
        }
        for (i, step) in lasso.steps().enumerate() {
            budget.check()?;
            let mut effect = Counts::new();
            match &step.event {
                Some(event) => {
                    let name = &system.event(*event).name;
                    let (transition, mut values) = names
                        .transition(name)
                        .ok_or_else(|| format!("`{name}` is no transition of the coloured net"))?;
                    values.sort_unstable();
                    let binding: Vec<Colour> = values.into_iter().map(|(_, c)| c).collect();
                    effect = self.effect(&marking, transition, &binding)?;
                }
                None if self.is_dead(&marking, STEPS)? => {}
                None => {
                    let step = i + 1;
                    Err(format!(
                        "step {step} stutters although a transition is enabled"
                    ))?;
                }
            }
            let counts = step.changes().iter().map(|(var, change)| {
                let (place, colour) = instances[var.index()];
                let count = marking.count(place, colour).wrapping_add(*change);
                ((place, colour), count)
            });
            if effect != counts.collect() {
                differs(i + 1)?;
            }
            marking.put(effect);
        }
        if lasso.kind() == EvidenceKind::Prefix || lasso.comes_round() {
            Ok(())
        } else {
            Err("the loop does not close".to_owned())?
        }
    }

    /// Evaluates a guard; `None` if the result depends on unbound variables.
    fn holds(&self, guard: &TransitionGuard, values: Values<'_>) -> Option<bool> {
        match guard {
            TransitionGuard::And(guards) | TransitionGuard::Or(guards) => {
                // The value of one part that decides the result.
                let decisive = matches!(guard, TransitionGuard::Or(_));
                let parts = guards.iter().map(|guard| self.holds(guard, values));
                let parts: Vec<_> = parts.collect();
                if parts.contains(&Some(decisive)) {
                    return Some(decisive);
                }
                (!parts.contains(&None)).then_some(!decisive)
            }
            TransitionGuard::Not(guard) => self.holds(guard, values).map(|value| !value),
            TransitionGuard::Compare(comparison, left, right) => {
                let (left, right) = (self.colour(left, values)?, self.colour(right, values)?);
                Some(comparison.holds(left, right))
            }
        }
    }

    /// The value of a term that is a single colour.
    fn colour(&self, term: &Term, values: Values<'_>) -> Option<Colour> {
        let size = self.sort(term.sort).size;
        match &term.kind {
            TermKind::Variable(variable) => values(*variable),
            TermKind::Constant(colour) => Some(*colour),
            TermKind::Successor(term) => Some(Colour((self.colour(term, values)?.0 + 1) % size)),
            TermKind::Predecessor(term) => {
                Some(Colour((self.colour(term, values)?.0 + size - 1) % size))
            }
            TermKind::Tuple(terms) => {
                let parts = terms.iter().map(|term| self.colour(term, values));
                Some(self.tuple(term.sort, &parts.collect::<Option<Vec<_>>>()?))
            }
            _ => None,
        }
    }

    fn tokens(&self, term: &Term, values: Values<'_>) -> Result<BTreeMap<Colour, i64>, String> {
        let mut tokens = BTreeMap::new();
        for (colour, count) in self.formal(term, values)? {
            if count < 0 {
                return Err("a subtraction leaves a negative number of tokens".to_owned());
            }
            let count =
                i64::try_from(count).map_err(|_| "a multiset has 2^63 tokens".to_owned())?;
            if count > 0 {
                tokens.insert(colour, count);
            }
        }
        Ok(tokens)
    }

    fn formal(&self, term: &Term, values: Values<'_>) -> Result<Formal, String> {
        let once = |colour| Formal::from([(colour, 1)]);
        Ok(match &term.kind {
            TermKind::Variable(_)
            | TermKind::Constant(_)
            | TermKind::Successor(_)
            | TermKind::Predecessor(_) => {
                once(self.colour(term, values).ok_or("a variable has no value")?)
            }
            TermKind::All => {
                let size = self.sort(term.sort).size;
                if size > LARGEST {
                    let name = &self.sort(term.sort).name;
                    return Err(format!("the sort `{name}` is too large"));
                }
                (0..size).map(|colour| (Colour(colour), 1)).collect()
            }
            TermKind::Members(members) => members.iter().map(|colour| (*colour, 1)).collect(),
            TermKind::Scaled(factor, term) => {
                let mut formal = self.formal(term, values)?;
                for count in formal.values_mut() {
                    let product = count.checked_mul(i128::from(*factor));
                    *count = product.ok_or("the numbers are too large")?;
                }
                formal
            }
            TermKind::Add(terms) | TermKind::Subtract(terms) => {
                let subtract = matches!(term.kind, TermKind::Subtract(_));
                let mut sum = Formal::new();
                for (i, term) in terms.iter().enumerate() {
                    for (colour, count) in self.formal(term, values)? {
                        let count = if subtract && i > 0 { -count } else { count };
                        let slot = sum.entry(colour).or_insert(0);
                        *slot = slot.checked_add(count).ok_or("the numbers are too large")?;
                    }
                }
                sum
            }
            TermKind::Tuple(terms) => {
                let SortKind::Product(sorts) = &self.sort(term.sort).kind else {
                    return Err("a tuple has a sort that is no product".to_owned());
                };
                let mut tuples = once(Colour(0));
                for (term, sort) in terms.iter().zip(sorts) {
                    let size = self.sort(*sort).size;
                    let component = self.formal(term, values)?;
                    if (tuples.len() as u64).saturating_mul(component.len() as u64) > LARGEST {
                        return Err("a tuple has too many values".to_owned());
                    }
                    let mut longer = Formal::new();
                    for (front, n) in &tuples {
                        for (back, m) in &component {
                            let count = n.checked_mul(*m).ok_or("the numbers are too large")?;
                            longer.insert(Colour(front.0 * size + back.0), count);
                        }
                    }
                    tuples = longer;
                }
                tuples
            }
        })
    }
}

impl Marking {
    pub(super) fn count(&self, place: PlaceId, colour: Colour) -> i64 {
        let tokens = &self.tokens[place.index()];
        tokens.get(&colour).copied().unwrap_or(0)
    }

    pub(super) fn put(&mut self, counts: Counts) {
        for ((place, colour), count) in counts {
            self.change(place, colour, count);
        }
    }

    fn change(&mut self, place: PlaceId, colour: Colour, count: i64) {
        let tokens = &mut self.tokens[place.index()];
        if count == 0 {
            tokens.remove(&colour);
        } else {
            tokens.insert(colour, count);
        }
    }
}

/// Converts a state of the unfolded net to a marking.
fn shown(net: &ColouredNet, instances: &[(PlaceId, Colour)], state: &State) -> Marking {
    let mut marking = Marking {
        tokens: vec![BTreeMap::new(); net.places.len()],
    };
    for ((place, colour), count) in instances.iter().zip(state) {
        marking.change(*place, *colour, *count);
    }
    marking
}
