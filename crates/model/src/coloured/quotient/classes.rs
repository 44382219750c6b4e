//! The symmetric sorts of a coloured net, and its transitions in terms of them.
//!
//! An enumeration or a range is *symmetric* if arcs and guards name none of its colours: they
//! contain no constant, successor, set or order of it, and compare its variables by `=` and `≠`
//! only. Every permutation of its colours then maps firings to firings. The initial marking is
//! unrestricted, because bisimilarity of a marking and its images does not depend on it.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::super::compile::{self, CompiledTerm, TermValue, Test, TupleComponent};
use super::super::net::{ColouredNet, SortId, SortKind};
use super::Node;
use crate::predicate::Comparison;
use rustc_hash::FxHashSet;

/// Limit on the summands of an arc after sets are replaced by their members.
const SUMMANDS: usize = 256;

/// Limit on the input tokens and leaves of a transition, which bounds the depth of the search.
const WIDTH: usize = 64;

/// Tokens of one colour on an arc.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub place: usize,
    pub count: i64,
    pub parts: Vec<TermValue>,
}

/// A transition whose symmetric leaves range over nodes.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// By leaf of a binding: its symmetric sort, or the number of values.
    pub leaves: Vec<Leaf>,
    pub guard: Test,
    pub inputs: Vec<Pattern>,
    pub outputs: Vec<Pattern>,
}

/// The range of a leaf of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// A colour of a symmetric sort.
    Symmetric(SortId),
    /// One of this number of values.
    Values(u32),
}

/// The net in the form that the quotient is computed on.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// By place and component: the symmetric sort, if it is one.
    pub places: Vec<Vec<Option<SortId>>>,
    pub transitions: Vec<Rule>,
}

impl Rules {
    /// Returns whether a component of a place's tokens is symmetric.
    pub fn is_symmetric(&self, place: usize, component: usize) -> bool {
        self.places[place][component].is_some()
    }

    /// The symmetric sorts of places and variables, in order.
    pub fn symmetric_sorts(&self) -> BTreeSet<SortId> {
        let leaves = self.transitions.iter().flat_map(|rule| &rule.leaves);
        let of_leaves = leaves.filter_map(|leaf| match leaf {
            Leaf::Symmetric(sort) => Some(*sort),
            Leaf::Values(_) => None,
        });
        self.places
            .iter()
            .flatten()
            .flatten()
            .copied()
            .chain(of_leaves)
            .collect()
    }

    /// The nodes among the parts of a token.
    pub fn nodes<'t>(&'t self, place: usize, parts: &'t [u32]) -> impl Iterator<Item = Node> + 't {
        let symmetric = self.places[place].iter().zip(parts);
        symmetric
            .filter(|(sort, _)| sort.is_some())
            .map(|(_, node)| *node)
    }
}

/// The leaves of a sort without dots.
pub(super) fn leaf_sorts(net: &ColouredNet, sort: SortId) -> Vec<SortId> {
    let parts = net.sort(sort).parts.iter().copied();
    parts
        .filter(|part| net.sort(*part).kind != SortKind::Dot)
        .collect()
}

/// Compiles the net; `None` if no sort is symmetric, or terms have a form that is not supported.
pub(super) fn rules(net: &ColouredNet) -> Option<Rules> {
    let left = Cell::new(compile::SUMMANDS);
    let mut compiled = Vec::with_capacity(net.transitions.len());
    for transition in &net.transitions {
        compiled.push(compile::rule(net, transition, &left).ok()?);
    }
    let sorts: Vec<Vec<SortId>> = { net.places.iter() }
        .map(|place| leaf_sorts(net, place.sort))
        .collect();
    let leaves: Vec<Vec<SortId>> = { net.transitions.iter() }
        .map(|transition| {
            let variables = transition.variables.iter();
            let sorts = variables.map(|variable| leaf_sorts(net, net.variable(*variable).sort));
            sorts.flatten().collect()
        })
        .collect();
    let mut named = FxHashSet::default();
    for (rule, leaves) in compiled.iter().zip(&leaves) {
        for term in rule.inputs.iter().chain(&rule.outputs) {
            for summand in &term.summands {
                let parts = summand.parts.iter().zip(&sorts[term.place]);
                named.extend(
                    parts
                        .filter(|(p, _)| !is_variable(p))
                        .map(|(_, sort)| *sort),
                );
            }
        }
        named_in(&rule.guard, leaves, &mut named);
    }
    let is_symmetric =
        |sort: &SortId| (!named.contains(sort) && net.sort(*sort).size > 1).then_some(*sort);
    let mut rules = Rules {
        places: { sorts.iter() }
            .map(|sorts| sorts.iter().map(is_symmetric).collect())
            .collect(),
        transitions: Vec::new(),
    };
    if rules.places.iter().flatten().all(Option::is_none) {
        return None;
    }
    for (rule, leaves) in compiled.into_iter().zip(&leaves) {
        let leaf = |sort: &SortId| match is_symmetric(sort) {
            Some(sort) => Leaf::Symmetric(sort),
            None => Leaf::Values(net.sort(*sort).size as u32),
        };
        let leaves: Vec<Leaf> = leaves.iter().map(leaf).collect();
        let mut guard = rule.guard;
        unbounded(&mut guard, &leaves);
        let inputs = in_order(patterns(&rule.inputs)?);
        let outputs = patterns(&rule.outputs)?;
        if inputs.len() + leaves.len() > WIDTH {
            return None;
        }
        rules.transitions.push(Rule {
            leaves,
            guard,
            inputs,
            outputs,
        });
    }
    Some(rules)
}

/// Returns whether a component is a variable without a shift.
fn is_variable(part: &TupleComponent) -> bool {
    matches!(part, TupleComponent::One(TermValue::Leaf { shift: 0, .. }))
}

/// Adds the sorts of which a guard names a colour, or uses the order.
fn named_in(test: &Test, leaves: &[SortId], named: &mut FxHashSet<SortId>) {
    match test {
        Test::All(tests) | Test::Some(tests) => {
            tests.iter().for_each(|test| named_in(test, leaves, named));
        }
        Test::Not(test) => named_in(test, leaves, named),
        Test::Compare(comparison, left, right) => {
            let is_plain = |value: &TermValue| matches!(value, TermValue::Leaf { shift: 0, .. });
            let equality = matches!(comparison, Comparison::Eq | Comparison::Ne);
            if !(equality && is_plain(left) && is_plain(right)) {
                let both = [left.leaf(), right.leaf()];
                named.extend(both.into_iter().flatten().map(|leaf| leaves[leaf]));
            }
        }
    }
}

/// Removes the modulus from symmetric leaves, whose values are node numbers.
fn unbounded(test: &mut Test, leaves: &[Leaf]) {
    match test {
        Test::All(tests) | Test::Some(tests) => {
            tests.iter_mut().for_each(|test| unbounded(test, leaves));
        }
        Test::Not(test) => unbounded(test, leaves),
        Test::Compare(_, left, right) => {
            for value in [left, right] {
                if let TermValue::Leaf { leaf, size, .. } = value
                    && matches!(leaves[*leaf as usize], Leaf::Symmetric(_))
                {
                    *size = u32::MAX;
                }
            }
        }
    }
}

/// The tokens of arcs, with sets replaced by their members; `None` if tokens are subtracted.
fn patterns(terms: &[CompiledTerm]) -> Option<Vec<Pattern>> {
    let mut all = Vec::new();
    for term in terms {
        for summand in &term.summands {
            if summand.factor < 0 {
                return None;
            }
            let mut fronts: Vec<Vec<TermValue>> = vec![Vec::new()];
            for part in &summand.parts {
                let values: Vec<TermValue> = match part {
                    TupleComponent::One(value) => vec![*value],
                    TupleComponent::Every(size) if *size as usize > SUMMANDS => return None,
                    TupleComponent::Every(size) => (0..*size).map(TermValue::Constant).collect(),
                    TupleComponent::Members(members) => {
                        members.iter().copied().map(TermValue::Constant).collect()
                    }
                };
                if fronts.len() * values.len() > SUMMANDS {
                    return None;
                }
                let longer = |front: &Vec<TermValue>| {
                    let front = front.clone();
                    let values = values.iter();
                    values
                        .map(move |value| [&front[..], &[*value]].concat())
                        .collect::<Vec<_>>()
                };
                fronts = fronts.iter().flat_map(longer).collect();
            }
            all.extend(fronts.into_iter().map(|parts| Pattern {
                place: term.place,
                count: summand.factor,
                parts,
            }));
        }
    }
    Some(all)
}

/// Orders input tokens so that each shares as many leaves as possible with earlier ones.
fn in_order(mut rest: Vec<Pattern>) -> Vec<Pattern> {
    let mut ordered: Vec<Pattern> = Vec::with_capacity(rest.len());
    let mut bound = FxHashSet::default();
    while !rest.is_empty() {
        let known = |pattern: &Pattern| {
            let leaves = pattern.parts.iter().filter_map(|value| value.leaf());
            leaves.filter(|leaf| bound.contains(leaf)).count()
        };
        let best = (0..rest.len()).max_by_key(|i| (known(&rest[*i]), rest.len() - i));
        let next = rest.remove(best.unwrap_or(0));
        bound.extend(next.parts.iter().filter_map(|value| value.leaf()));
        ordered.push(next);
    }
    ordered
}
