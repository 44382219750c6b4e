//! Unfolding: translation of a coloured net to the place/transition net that it abbreviates.
//!
//! > places  = {p(c) | c ∈ M(p)}   transitions = {t(β) | β ⊨ guard(t), •t(β) ⊆ M}
//!
//! where M, an overapproximation of the colours that can be marked, is the least set with M₀ ⊆ M
//! and t(β)• ⊆ M for all those t(β). Other instances can never be marked or fire and are omitted.
//! The fixpoint is computed colour by colour: a new colour is matched with input arcs,
//! [`super::join`] completes the bindings, and these produce further colours. A binding that lacks
//! a colour (one of a set that an arc takes as a whole, for instance) is parked under it and
//! retried when that colour becomes known.
//!
//! Time is proportional to the bindings inspected, which exceed those found only if a guard is
//! decided late; memory to those found. Memory is leased from the budget before it is allocated.
//! Limits: a place has fewer than 2^62 colours, an unfolded net fewer than 2^32 places and
//! transitions.

use std::cell::Cell;
use std::ops::Range;

use lariat_budget::{Budget, Lease, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::{
    self, ArcTokens, CompiledTerm, CompiledTransition, TermError, TooMany, leaf_sizes,
};
use super::join::{self, JoinPlan, MarkableColours};
use super::net::{Colour, ColouredNet, PlaceId, TransitionId};
use crate::system::{Action, Arc, Domain, Event, EventId, State, System, VarId, Variable};

/// The correspondence between a coloured net and its unfolding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unfolding {
    /// By coloured place: its instances.
    places: Vec<Range<u32>>,
    /// By instance: its colour.
    colours: Vec<Colour>,
    /// By coloured transition: its bindings.
    transitions: Vec<Range<u32>>,
    /// By coloured transition: the values of its variables, binding by binding.
    bindings: Vec<Vec<Colour>>,
}

/// An unfolded net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfolded {
    /// The place/transition net.
    pub system: System,
    /// The origin of its variables and events in the coloured net.
    pub unfolding: Unfolding,
}

impl Unfolding {
    /// The instances of a place, sorted by colour; colours that are never marked have none.
    pub fn instances(&self, place: PlaceId) -> impl ExactSizeIterator<Item = VarId> + use<> {
        self.places[place.index()].clone().map(VarId)
    }

    /// The instance of a place with this colour.
    pub fn instance(&self, place: PlaceId, colour: Colour) -> Option<VarId> {
        let Range { start, end } = self.places[place.index()];
        let colours = &self.colours[start as usize..end as usize];
        let at = colours.binary_search(&colour).ok()?;
        Some(VarId(start + at as u32))
    }

    /// The place and the colour of a variable.
    pub fn place_of(&self, var: VarId) -> (PlaceId, Colour) {
        let place = self.places.partition_point(|range| range.end <= var.0);
        (PlaceId(place as u32), self.colours[var.index()])
    }

    /// The bindings of a transition, sorted by the values of its variables.
    pub fn events(
        &self,
        transition: TransitionId,
    ) -> impl ExactSizeIterator<Item = EventId> + use<> {
        self.transitions[transition.index()].clone().map(EventId)
    }

    /// The event of a transition with these values of its variables, if it exists.
    pub fn event(&self, transition: TransitionId, binding: &[Colour]) -> Option<EventId> {
        let range = &self.transitions[transition.index()];
        let all = &self.bindings[transition.index()];
        let width = all.len() / range.len().max(1);
        if width == 0 {
            return (!range.is_empty() && binding.is_empty()).then_some(EventId(range.start));
        }
        let (mut low, mut high) = (0, range.len());
        while low < high {
            let middle = low.midpoint(high);
            match all[middle * width..(middle + 1) * width].cmp(binding) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(EventId(range.start + middle as u32)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The transition of an event and the values of its variables.
    pub fn binding(&self, event: EventId) -> (TransitionId, &[Colour]) {
        let transition = self
            .transitions
            .partition_point(|range| range.end <= event.0);
        let range = &self.transitions[transition];
        let all = &self.bindings[transition];
        let width = all.len() / range.len().max(1);
        let from = (event.0 - range.start) as usize * width;
        (TransitionId(transition as u32), &all[from..from + width])
    }
}

/// A binding, by its leaves.
type Leaves = Box<[u32]>;

struct Unfolder<'n> {
    net: &'n ColouredNet,
    rules: &'n [CompiledTransition],
    budget: &'n Budget,
    lease: Lease,
    /// Bytes in use, covered by the lease.
    bytes: usize,
    facts: MarkableColours,
    /// By transition: the bindings whose guard holds and whose atoms are known.
    found: Vec<FxHashSet<Leaves>>,
    /// By missing colour of a place: the bindings that lack it.
    parked: FxHashMap<(usize, u64), Vec<(usize, Leaves)>>,
    /// Known colours that have not been joined.
    fresh: Vec<(usize, u64)>,
}

/// Unfolds a coloured net.
pub fn unfold(net: &ColouredNet, budget: &Budget) -> Result<Unfolded, Stop> {
    budget.check()?;
    let left = Cell::new(compile::SUMMANDS);
    let mut rules = Vec::with_capacity(net.transitions.len());
    for transition in &net.transitions {
        let rule = compile::rule(net, transition, &left);
        rules.push(rule.map_err(|TooMany| too_large(&transition.name))?);
    }
    let mut unfolder = Unfolder {
        net,
        rules: &rules,
        budget,
        lease: budget.lease(),
        bytes: 0,
        facts: MarkableColours::default(),
        found: vec![FxHashSet::default(); net.transitions.len()],
        parked: FxHashMap::default(),
        fresh: Vec::new(),
    };
    let marking = unfolder.marking(&left)?;
    unfolder.need((compile::SUMMANDS - left.get()) * 64)?;
    unfolder.saturate(&marking)?;
    unfolder.finish(&marking)
}

impl<'n> Unfolder<'n> {
    /// Leases bytes before their allocation.
    fn need(&mut self, bytes: usize) -> Result<(), Stop> {
        const CHUNK: usize = 1 << 16;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes as u64 > self.lease.bytes() {
            self.lease.resize(self.bytes.saturating_add(CHUNK))?;
        }
        Ok(())
    }

    fn marking(&mut self, left: &Cell<usize>) -> Result<Vec<ArcTokens>, Stop> {
        let mut marking = Vec::with_capacity(self.net.places.len());
        for (place, definition) in self.net.places.iter().enumerate() {
            self.facts.add_place(leaf_sizes(self.net, definition.sort));
            let mut tokens = Vec::new();
            if let Some(term) = &definition.initial {
                let sum = compile::ground(self.net, place, term, left)
                    .map_err(|TooMany| too_large(&definition.name))?;
                if !self.evaluate(&sum, &[], &mut tokens)? {
                    let name = &definition.name;
                    return Err(Stop::Bound(format!(
                        "the initial marking of `{name}` subtracts more tokens than it adds"
                    )));
                }
            }
            self.need(tokens.len() * 16)?;
            marking.push(tokens);
        }
        Ok(marking)
    }

    /// Evaluates a term; returns whether it is defined under this binding.
    fn evaluate(
        &mut self,
        sum: &CompiledTerm,
        binding: &[u32],
        out: &mut ArcTokens,
    ) -> Result<bool, Stop> {
        let before = self.bytes;
        // The result is temporary: its bytes are leased and released.
        let colours = usize::try_from(sum.count()).unwrap_or(usize::MAX);
        self.need(colours.saturating_mul(24))?;
        self.bytes = before;
        match sum.evaluate(binding, out) {
            Ok(()) => Ok(true),
            Err(TermError::Negative) => Ok(false),
            Err(TermError::Large) => Err(too_large(&self.net.places[sum.place].name)),
        }
    }

    fn learn(&mut self, place: usize, colour: u64) -> Result<(), Stop> {
        if self.facts.learn(place, colour) {
            self.need(self.facts.bytes_per_colour(place))?;
            self.fresh.push((place, colour));
        }
        Ok(())
    }

    fn saturate(&mut self, marking: &[ArcTokens]) -> Result<(), Stop> {
        let rules = self.rules;
        let plans = rules.iter().map(|rule| join::plans(rule, &mut self.facts));
        let plans: Vec<Vec<JoinPlan>> = plans.collect();
        // By place: the plans that start from one of its colours.
        let mut starts: Vec<Vec<(usize, &JoinPlan)>> = vec![Vec::new(); self.net.places.len()];
        for (place, tokens) in marking.iter().enumerate() {
            for (colour, _) in tokens {
                self.learn(place, *colour)?;
            }
        }
        for (rule, plans) in plans.iter().enumerate() {
            for plan in plans {
                match &plan.start {
                    Some(atom) => starts[atom.place].push((rule, plan)),
                    None => self.complete(rule, plan, &[])?,
                }
            }
        }
        let mut ticks = 0u32;
        while let Some((place, colour)) = self.fresh.pop() {
            ticks = ticks.wrapping_add(1);
            if ticks.is_multiple_of(256) {
                self.budget.check()?;
            }
            let leaves = self.facts.activate(place, colour);
            for (rule, plan) in &starts[place] {
                self.complete(*rule, plan, &leaves)?;
            }
            if let Some(parked) = self.parked.remove(&(place, colour)) {
                for (rule, binding) in parked {
                    self.fire(rule, binding)?;
                }
            }
        }
        Ok(())
    }

    /// Enumerates the bindings of a plan and fires the new ones.
    fn complete(&mut self, rule: usize, plan: &JoinPlan, leaves: &[u32]) -> Result<(), Stop> {
        let mut new: Vec<Leaves> = Vec::new();
        let bytes = 64 + 4 * self.rules[rule].leaves.len();
        let (found, bytes_now) = (&mut self.found[rule], self.bytes);
        let lease = &mut self.lease;
        join::search(
            &self.rules[rule],
            plan,
            &self.facts,
            leaves,
            self.budget,
            &mut |binding| {
                if !found.contains(binding) {
                    let now = bytes_now.saturating_add((new.len() + 1) * 2 * bytes);
                    if now as u64 > lease.bytes() {
                        lease.resize(now.saturating_add(1 << 16))?;
                    }
                    let binding: Leaves = binding.into();
                    new.push(binding.clone());
                    found.insert(binding);
                }
                Ok(())
            },
        )?;
        self.bytes = self.bytes.saturating_add(new.len() * bytes);
        for binding in new {
            self.fire(rule, binding)?;
        }
        Ok(())
    }

    /// Adds the colours that a binding produces, if all colours it consumes are known.
    fn fire(&mut self, rule: usize, binding: Leaves) -> Result<(), Stop> {
        let compiled = &self.rules[rule];
        let mut tokens = Vec::new();
        match self.missing(&compiled.inputs, &binding, &mut tokens)? {
            Missing::Nothing => self.put(&compiled.outputs, &binding, &mut tokens),
            Missing::Value => Ok(()),
            Missing::Colour(place, colour) => {
                self.need(64 + 4 * binding.len())?;
                let parked = self.parked.entry((place, colour)).or_default();
                parked.push((rule, binding));
                Ok(())
            }
        }
    }

    fn missing(
        &mut self,
        inputs: &[CompiledTerm],
        binding: &[u32],
        tokens: &mut ArcTokens,
    ) -> Result<Missing, Stop> {
        for sum in inputs {
            if !self.evaluate(sum, binding, tokens)? {
                return Ok(Missing::Value);
            }
            let known = &self.facts.relation(sum.place).known;
            if let Some((colour, _)) = tokens.iter().find(|(colour, _)| !known.contains(colour)) {
                return Ok(Missing::Colour(sum.place, *colour));
            }
        }
        Ok(Missing::Nothing)
    }

    fn put(
        &mut self,
        outputs: &[CompiledTerm],
        binding: &[u32],
        tokens: &mut ArcTokens,
    ) -> Result<(), Stop> {
        // A binding under which one output is undefined produces nothing.
        for sum in outputs {
            if !self.evaluate(sum, binding, tokens)? {
                return Ok(());
            }
        }
        for sum in outputs {
            if self.evaluate(sum, binding, tokens)? {
                for (colour, _) in tokens.iter() {
                    self.learn(sum.place, *colour)?;
                }
            }
        }
        Ok(())
    }

    /// Builds the system and the correspondence.
    fn finish(mut self, marking: &[ArcTokens]) -> Result<Unfolded, Stop> {
        let net = self.net;
        let mut system = System {
            name: net.name.clone(),
            ..System::default()
        };
        let mut unfolding = Unfolding::default();
        let mut initial: Vec<i64> = Vec::new();
        for (place, definition) in net.place_ids().zip(&net.places) {
            let start = system.variables.len() as u32;
            let known = &self.facts.relation(place.index()).known;
            let mut colours: Vec<u64> = known.iter().copied().collect();
            colours.sort_unstable();
            let tokens = &marking[place.index()];
            for colour in colours {
                let name = net.instance_name(place, Colour(colour));
                self.need(name.len() + 96)?;
                let at = tokens.binary_search_by_key(&colour, |(colour, _)| *colour);
                initial.push(at.map_or(0, |at| tokens[at].1));
                unfolding.colours.push(Colour(colour));
                system.variables.push(Variable {
                    name,
                    domain: Domain::Count { bound: None },
                });
            }
            let end = u32::try_from(system.variables.len());
            let end = end.map_err(|_| too_large(&definition.name))?;
            unfolding.places.push(start..end);
        }
        system.initial = vec![State::from(initial)];
        for (transition, definition) in net.transition_ids().zip(&net.transitions) {
            let start = system.events.len() as u32;
            let found = std::mem::take(&mut self.found[transition.index()]);
            let mut bindings: Vec<Leaves> = found.into_iter().collect();
            bindings.sort_unstable();
            let rule = &self.rules[transition.index()];
            let sizes = definition.variables.iter();
            let sizes = sizes.map(|variable| leaf_sizes(net, net.variable(*variable).sort));
            let sizes: Vec<Vec<u32>> = sizes.collect();
            let mut values_of_all = Vec::new();
            for (i, leaves) in bindings.iter().enumerate() {
                if i % 1024 == 1023 {
                    self.budget.check()?;
                }
                let Some(arcs) = self.arcs(rule, leaves, &unfolding)? else {
                    continue;
                };
                let values = colours(&sizes, leaves);
                let name = net.binding_name(transition, &values);
                self.need(name.len() + 24 * arcs.len() + 96 + 8 * values.len())?;
                values_of_all.extend(values);
                system.events.push(Event {
                    name,
                    action: Action::Net(arcs),
                });
            }
            let end =
                u32::try_from(system.events.len()).map_err(|_| too_large(&definition.name))?;
            unfolding.transitions.push(start..end);
            unfolding.bindings.push(values_of_all);
        }
        Ok(Unfolded { system, unfolding })
    }

    /// The arcs of a binding; `None` if it can never fire.
    fn arcs(
        &mut self,
        rule: &CompiledTransition,
        leaves: &[u32],
        unfolding: &Unfolding,
    ) -> Result<Option<Vec<Arc>>, Stop> {
        // Variable, tokens taken, tokens put.
        let mut all: Vec<(VarId, i64, i64)> = Vec::new();
        let mut tokens = Vec::new();
        for (sums, out) in [(&rule.inputs, false), (&rule.outputs, true)] {
            for sum in sums {
                if !self.evaluate(sum, leaves, &mut tokens)? {
                    return Ok(None);
                }
                for (colour, count) in &tokens {
                    let place = PlaceId(sum.place as u32);
                    let Some(var) = unfolding.instance(place, Colour(*colour)) else {
                        return Ok(None);
                    };
                    let (take, put) = if out { (0, *count) } else { (*count, 0) };
                    all.push((var, take, put));
                }
            }
        }
        all.sort_unstable();
        let mut arcs: Vec<Arc> = Vec::with_capacity(all.len());
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            let sum = |part: fn(&(VarId, i64, i64)) -> i64| {
                same.iter()
                    .try_fold(0i64, |sum, arc| sum.checked_add(part(arc)))
            };
            let (Some(need), Some(put)) = (sum(|a| a.1), sum(|a| a.2)) else {
                let (place, _) = unfolding.place_of(same[0].0);
                return Err(too_large(&self.net.place(place).name));
            };
            arcs.push(Arc {
                var: same[0].0,
                need,
                delta: put - need,
            });
        }
        Ok(Some(arcs))
    }
}

enum Missing {
    Nothing,
    /// A term is undefined.
    Value,
    Colour(usize, u64),
}

/// Combines the values of leaves to colours of the variables.
fn colours(sizes: &[Vec<u32>], leaves: &[u32]) -> Vec<Colour> {
    let mut rest = leaves;
    let colour = |sizes: &Vec<u32>| {
        let (own, behind) = rest.split_at(sizes.len());
        rest = behind;
        let index = sizes.iter().zip(own).fold(0, |index, (size, value)| {
            index * u64::from(*size) + u64::from(*value)
        });
        Colour(index)
    };
    sizes.iter().map(colour).collect()
}

fn too_large(name: &str) -> Stop {
    Stop::Bound(format!("the unfolding of `{name}` is too large"))
}
