//! Reactions: the firings of a coloured net in terms of species.
//!
//! A binding picks colours, hence components of the marking. The search matches the input tokens of
//! a transition one by one with tokens of components taken so far or of one more component, then
//! binds the remaining leaves. A complete match removes its components from the marking; their
//! tokens, without those consumed and with those produced, fall apart into new components. As
//! every colour belongs to one component, this covers every binding.

use std::collections::BTreeMap;

use lariat_budget::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::compile::{OPEN, TermValue};
use super::super::net::SortId;
use super::classes::{Leaf, Pattern, Rule, Rules};
use super::species::{Species, components};
use super::{Node, TokenCounts};

/// Limit on the number of species and of places without nodes.
const PLACES: usize = 4096;
/// Limit on the number of reactions.
const REACTIONS: usize = 1 << 16;
/// Limit on the steps of all searches together.
const STEPS: u64 = 1 << 18;

/// One way to fire a transition.
#[derive(Clone, Debug)]
pub(super) struct Reaction {
    pub transition: usize,
    /// The species of the components that take part. Their nodes are numbered consecutively.
    pub components: Vec<usize>,
    /// By leaf: a node, or a value.
    pub binding: Vec<u32>,
    /// The resulting components: species, and by node the node of the participants.
    pub products: Vec<(usize, Vec<Node>)>,
    /// Tokens consumed from places without nodes.
    pub takes: BTreeMap<usize, i64>,
    /// Tokens produced there.
    pub puts: BTreeMap<usize, i64>,
}

/// The species and places found so far.
#[derive(Default)]
pub(super) struct Known {
    pub species: Vec<Species>,
    numbers: FxHashMap<Species, usize>,
    /// By place: the species with tokens in it.
    holders: Vec<Vec<usize>>,
    /// By sort: the species with such a node.
    with_sort: FxHashMap<SortId, Vec<usize>>,
    /// The colours, of places with no symmetric component, that can be marked.
    pub plain: Vec<(usize, Vec<u32>)>,
    plain_numbers: FxHashMap<(usize, Vec<u32>), usize>,
    /// By place: its entries in `plain`.
    plain_in: Vec<Vec<usize>>,
}

impl Known {
    pub fn new(places: usize) -> Known {
        Known {
            holders: vec![Vec::new(); places],
            plain_in: vec![Vec::new(); places],
            ..Known::default()
        }
    }

    pub fn species(&mut self, species: Species) -> usize {
        if let Some(number) = self.numbers.get(&species) {
            return *number;
        }
        let number = self.species.len();
        for token in &species.tokens {
            let holders = &mut self.holders[token.place];
            if holders.last() != Some(&number) {
                holders.push(number);
            }
        }
        for sort in &species.nodes {
            let with_sort = self.with_sort.entry(*sort).or_default();
            if with_sort.last() != Some(&number) {
                with_sort.push(number);
            }
        }
        self.numbers.insert(species.clone(), number);
        self.species.push(species);
        number
    }

    pub fn plain(&mut self, place: usize, parts: Vec<u32>) -> usize {
        let number = self.plain.len();
        let entry = self.plain_numbers.entry((place, parts.clone()));
        let known = *entry.or_insert(number);
        if known == number {
            self.plain_in[place].push(number);
            self.plain.push((place, parts));
        }
        known
    }

    fn sizes(&self) -> [usize; 2] {
        [self.species.len(), self.plain.len()]
    }
}

/// Reasons why a net has no quotient of acceptable size, or why the search ended.
pub(super) enum NoQuotient {
    TooLarge,
    Stop(Stop),
}

/// Computes all reactions among the species that can occur, starting from those in `known`. A
/// species with more than `bounds` tokens in a place does not occur.
pub(super) fn reactions(
    rules: &Rules,
    known: &mut Known,
    bounds: &[Option<i64>],
    budget: &Budget,
) -> Result<Vec<Reaction>, NoQuotient> {
    let mut found = Vec::new();
    let mut arcs = FxHashSet::default();
    let mut steps = 0;
    // Sizes before the last round: what is beyond them was not combined with the rest.
    let mut before = [0, 0];
    let mut first = true;
    loop {
        let now = known.sizes();
        if now == before && !first {
            return Ok(found);
        }
        for (transition, rule) in rules.transitions.iter().enumerate() {
            let mut search = Search {
                rules,
                rule,
                known,
                bounds,
                budget,
                before: (!first).then_some(before),
                now,
                steps: &mut steps,
                components: Vec::new(),
                starts: Vec::new(),
                nodes: Vec::new(),
                binding: vec![OPEN; rule.leaves.len()],
                plain: Vec::new(),
                found: Vec::new(),
            };
            search.inputs(0)?;
            for mut reaction in search.found {
                reaction.transition = transition;
                if arcs.insert(reaction.arcs()) {
                    found.push(reaction);
                }
            }
            if found.len() > REACTIONS || known.sizes().iter().any(|size| *size > PLACES) {
                return Err(NoQuotient::TooLarge);
            }
        }
        before = now;
        first = false;
    }
}

/// The arcs of a reaction: transition, species consumed and produced, other tokens.
type Arcs = (
    usize,
    Vec<usize>,
    Vec<usize>,
    Vec<(usize, i64)>,
    Vec<(usize, i64)>,
);

impl Reaction {
    fn arcs(&self) -> Arcs {
        let mut consumed = self.components.clone();
        consumed.sort_unstable();
        let mut produced: Vec<usize> = self.products.iter().map(|(species, _)| *species).collect();
        produced.sort_unstable();
        let pairs = |counts: &BTreeMap<usize, i64>| counts.iter().map(|(p, n)| (*p, *n)).collect();
        let (takes, puts) = (pairs(&self.takes), pairs(&self.puts));
        (self.transition, consumed, produced, takes, puts)
    }
}

/// The search for the matches of a transition.
struct Search<'a> {
    rules: &'a Rules,
    rule: &'a Rule,
    known: &'a mut Known,
    bounds: &'a [Option<i64>],
    budget: &'a Budget,
    /// A match with nothing beyond these sizes was found before.
    before: Option<[usize; 2]>,
    /// Only species and places below these numbers are matched.
    now: [usize; 2],
    steps: &'a mut u64,
    /// The species of the components taken so far, and the number of the first node of each.
    components: Vec<usize>,
    starts: Vec<Node>,
    /// The sorts of their nodes.
    nodes: Vec<SortId>,
    binding: Vec<u32>,
    /// The matched entries of `Known::plain`.
    plain: Vec<usize>,
    found: Vec<Reaction>,
}

impl Search<'_> {
    fn poll(&mut self) -> Result<(), NoQuotient> {
        *self.steps += 1;
        if self.steps.is_multiple_of(1024) {
            self.budget.check().map_err(NoQuotient::Stop)?;
        }
        if *self.steps > STEPS {
            Err(NoQuotient::TooLarge)
        } else {
            Ok(())
        }
    }

    /// Matches the input tokens from the given one on, then completes the binding.
    fn inputs(&mut self, at: usize) -> Result<(), NoQuotient> {
        self.poll()?;
        if self.rule.guard.evaluate(&self.binding) == Some(false) {
            return Ok(());
        }
        let rule = self.rule;
        let Some(pattern) = rule.inputs.get(at) else {
            return self.open_leaves();
        };
        let symmetric = (0..pattern.parts.len()).any(|i| self.rules.is_symmetric(pattern.place, i));
        if !symmetric {
            return self.plain_input(at, pattern);
        }
        let bound = pattern.parts.iter().enumerate().find_map(|(i, value)| {
            let node = self.binding[value.leaf()?];
            (self.rules.is_symmetric(pattern.place, i) && node != OPEN).then_some(node)
        });
        if let Some(node) = bound {
            let component = self.starts.partition_point(|start| *start <= node) - 1;
            return self.tokens_of(component, at, pattern);
        }
        for component in 0..self.components.len() {
            self.tokens_of(component, at, pattern)?;
        }
        let holders = &self.known.holders[pattern.place];
        let holders: Vec<usize> = holders
            .iter()
            .copied()
            .take_while(|species| *species < self.now[0])
            .collect();
        for species in holders {
            self.take(species);
            self.tokens_of(self.components.len() - 1, at, pattern)?;
            self.give_back();
        }
        Ok(())
    }

    fn plain_input(&mut self, at: usize, pattern: &Pattern) -> Result<(), NoQuotient> {
        let entries = &self.known.plain_in[pattern.place];
        let entries: Vec<usize> = entries
            .iter()
            .copied()
            .take_while(|entry| *entry < self.now[1])
            .collect();
        for entry in entries {
            let parts = self.known.plain[entry].1.clone();
            let binding = self.binding.clone();
            if self.unify(pattern, &parts) {
                self.plain.push(entry);
                self.inputs(at + 1)?;
                self.plain.pop();
            }
            self.binding = binding;
        }
        Ok(())
    }

    /// Matches an input token with each token of a component.
    fn tokens_of(
        &mut self,
        component: usize,
        at: usize,
        pattern: &Pattern,
    ) -> Result<(), NoQuotient> {
        let species = self.components[component];
        for token in 0..self.known.species[species].tokens.len() {
            let token = &self.known.species[species].tokens[token];
            if token.place != pattern.place {
                continue;
            }
            let parts = self.numbered(&token.parts.clone(), pattern.place, self.starts[component]);
            let binding = self.binding.clone();
            if self.unify(pattern, &parts) {
                self.inputs(at + 1)?;
            }
            self.binding = binding;
        }
        Ok(())
    }

    /// The parts of a component's token with its nodes numbered from `start`.
    fn numbered(&self, parts: &[u32], place: usize, start: Node) -> Vec<u32> {
        let part = |(i, part): (usize, &u32)| match self.rules.is_symmetric(place, i) {
            true => start + part,
            false => *part,
        };
        parts.iter().enumerate().map(part).collect()
    }

    /// Extends the binding so that the pattern denotes a token; returns whether this is possible.
    fn unify(&mut self, pattern: &Pattern, parts: &[u32]) -> bool {
        pattern
            .parts
            .iter()
            .zip(parts)
            .all(|(value, part)| match value {
                TermValue::Leaf { leaf, .. } if self.binding[*leaf as usize] == OPEN => {
                    self.binding[*leaf as usize] = value.solve(*part);
                    true
                }
                value => self.value(*value) == *part,
            })
    }

    /// The value of a term; a node if its leaf is symmetric.
    fn value(&self, value: TermValue) -> u32 {
        match value {
            TermValue::Leaf { leaf, .. }
                if matches!(self.rule.leaves[leaf as usize], Leaf::Symmetric(_)) =>
            {
                self.binding[leaf as usize]
            }
            value => value.value(&self.binding),
        }
    }

    fn take(&mut self, species: usize) {
        self.components.push(species);
        self.starts.push(self.nodes.len() as Node);
        self.nodes
            .extend_from_slice(&self.known.species[species].nodes);
    }

    fn give_back(&mut self) {
        self.components.pop();
        if let Some(start) = self.starts.pop() {
            self.nodes.truncate(start as usize);
        }
    }

    /// Binds leaves that no input token has bound.
    fn open_leaves(&mut self) -> Result<(), NoQuotient> {
        self.poll()?;
        if self.rule.guard.evaluate(&self.binding) == Some(false) {
            return Ok(());
        }
        let Some(leaf) = self.binding.iter().position(|value| *value == OPEN) else {
            return self.complete();
        };
        match self.rule.leaves[leaf] {
            Leaf::Values(size) => {
                for value in 0..size {
                    self.binding[leaf] = value;
                    self.open_leaves()?;
                }
            }
            Leaf::Symmetric(sort) => {
                self.bind_to_nodes(leaf, sort, 0)?;
                let species = self.known.with_sort.get(&sort).into_iter().flatten();
                let species: Vec<usize> = species
                    .copied()
                    .take_while(|species| *species < self.now[0])
                    .collect();
                for species in species {
                    let from = self.nodes.len();
                    self.take(species);
                    self.bind_to_nodes(leaf, sort, from)?;
                    self.give_back();
                }
            }
        }
        self.binding[leaf] = OPEN;
        Ok(())
    }

    fn bind_to_nodes(&mut self, leaf: usize, sort: SortId, from: usize) -> Result<(), NoQuotient> {
        for node in from..self.nodes.len() {
            if self.nodes[node] == sort {
                self.binding[leaf] = node as u32;
                self.open_leaves()?;
            }
        }
        self.binding[leaf] = OPEN;
        Ok(())
    }

    /// Adds the reaction of a complete match, unless it was found before or cannot occur.
    fn complete(&mut self) -> Result<(), NoQuotient> {
        if let Some([species, plain]) = self.before
            && self.components.iter().all(|known| *known < species)
            && self.plain.iter().all(|known| *known < plain)
        {
            return Ok(());
        }
        let mut tokens = TokenCounts::new();
        for (component, species) in self.components.iter().enumerate() {
            for token in &self.known.species[*species].tokens {
                let parts = self.numbered(&token.parts, token.place, self.starts[component]);
                tokens.insert((token.place, parts), token.count);
            }
        }
        if !self.fits(&tokens) {
            return Ok(());
        }
        let (mut takes, mut puts) = (BTreeMap::new(), BTreeMap::new());
        let rule = self.rule;
        for pattern in &rule.inputs {
            let key = self.token(pattern);
            if self.is_plain(pattern.place) {
                let entry = self.known.plain(key.0, key.1);
                add(takes.entry(entry).or_insert(0), pattern.count)?;
                continue;
            }
            match tokens.get_mut(&key) {
                Some(count) if *count >= pattern.count => *count -= pattern.count,
                _ => return Ok(()),
            }
        }
        tokens.retain(|_, count| *count > 0);
        for pattern in &rule.outputs {
            let key = self.token(pattern);
            if !self.is_plain(pattern.place) {
                add(tokens.entry(key).or_insert(0), pattern.count)?;
            }
        }
        if !self.fits(&tokens) {
            return Ok(());
        }
        for pattern in &rule.outputs {
            if !self.is_plain(pattern.place) {
                continue;
            }
            let key = self.token(pattern);
            let entry = self.known.plain(key.0, key.1);
            add(puts.entry(entry).or_insert(0), pattern.count)?;
        }
        let mut products = Vec::new();
        let resulting = components(self.rules, &self.nodes, &tokens).ok_or(NoQuotient::TooLarge)?;
        for component in resulting {
            products.push((self.known.species(component.species), component.members));
        }
        self.found.push(Reaction {
            transition: 0,
            components: self.components.clone(),
            binding: self.binding.clone(),
            products,
            takes,
            puts,
        });
        Ok(())
    }

    fn is_plain(&self, place: usize) -> bool {
        self.rules.places[place].iter().all(Option::is_none)
    }

    fn token(&self, pattern: &Pattern) -> (usize, Vec<u32>) {
        let parts = pattern.parts.iter().map(|value| self.value(*value));
        (pattern.place, parts.collect())
    }

    /// Returns whether the tokens respect the bounds.
    fn fits(&self, tokens: &TokenCounts) -> bool {
        let mut sums = vec![0i64; self.bounds.len()];
        for ((place, _), count) in tokens {
            sums[*place] = sums[*place].saturating_add(*count);
        }
        let within = |(sum, bound): (&i64, &Option<i64>)| bound.is_none_or(|bound| *sum <= bound);
        sums.iter().zip(self.bounds).all(within)
    }
}

fn add(count: &mut i64, more: i64) -> Result<(), NoQuotient> {
    *count = count.checked_add(more).ok_or(NoQuotient::TooLarge)?;
    Ok(())
}
