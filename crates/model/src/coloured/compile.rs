//! Compilation of transitions to the form used by unfolding, in terms of leaves.
//!
//! A colour is the vector of its leaves' values, a binding the vector of the leaves of all
//! variables. Every term becomes a formal sum
//!
//! > Σᵢ cᵢ · (s₁ × … × sₙ)
//!
//! of tuples over the leaves of its sort, where each sⱼ is one value (a constant, or a leaf of a
//! variable plus a cyclic shift) or a set of values; sums inside tuples are multiplied out. The
//! number of summands may reach the number of colours of the term; each is evaluated without the
//! syntax tree. Guards become comparisons of leaves in three-valued (Kleene) logic, so that they
//! may be decided before all leaves are bound.

use std::cell::Cell;

use super::net::{
    ColourVariableId, ColouredNet, ColouredTransition, Inscription, SortId, SortKind, Term,
    TermKind, TransitionGuard,
};
use crate::predicate::Comparison;

/// The value of an unbound leaf.
pub(super) const OPEN: u32 = u32::MAX;

/// An expression for a single value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum TermValue {
    Constant(u32),
    /// `(leaf + shift) mod size`
    Leaf {
        leaf: u32,
        shift: u32,
        size: u32,
    },
}

impl TermValue {
    /// The value under a binding in which the leaf is bound.
    pub fn value(self, binding: &[u32]) -> u32 {
        match self {
            TermValue::Constant(value) => value,
            TermValue::Leaf { leaf, shift, size } => {
                let sum = u64::from(binding[leaf as usize]) + u64::from(shift);
                let size = u64::from(size);
                (if sum >= size { sum - size } else { sum }) as u32
            }
        }
    }

    pub fn leaf(self) -> Option<usize> {
        match self {
            TermValue::Constant(_) => None,
            TermValue::Leaf { leaf, .. } => Some(leaf as usize),
        }
    }

    pub fn is_open(self, binding: &[u32]) -> bool {
        self.leaf().is_some_and(|leaf| binding[leaf] == OPEN)
    }

    /// The value of the leaf for which the slot has this value.
    pub fn solve(self, value: u32) -> u32 {
        match self {
            TermValue::Constant(constant) => constant,
            TermValue::Leaf { shift, .. } if value >= shift => value - shift,
            TermValue::Leaf { shift, size, .. } => value + size - shift,
        }
    }
}

/// A component of a tuple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TupleComponent {
    One(TermValue),
    /// All values below this bound.
    Every(u32),
    Members(Vec<u32>),
}

impl TupleComponent {
    fn count(&self) -> u64 {
        match self {
            TupleComponent::One(_) => 1,
            TupleComponent::Every(size) => u64::from(*size),
            TupleComponent::Members(members) => members.len() as u64,
        }
    }
}

/// A multiple of all combinations of the parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Summand {
    pub factor: i64,
    pub parts: Vec<TupleComponent>,
}

/// Colours with their multiplicities.
pub(super) type ArcTokens = Vec<(u64, i64)>;

/// The term of an arc or of an initial marking.
#[derive(Clone, Debug)]
pub(super) struct CompiledTerm {
    pub place: usize,
    /// The sizes of the leaves of the place's sort.
    pub sizes: Vec<u32>,
    pub summands: Vec<Summand>,
}

/// Reason why a term cannot be evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TermError {
    Negative,
    /// A multiplicity does not fit 63 bits, or there are too many colours.
    Large,
}

/// Limit on the distinct colours of a multiset.
const LARGEST: u64 = 1 << 31;

impl CompiledTerm {
    /// Number of colours that an evaluation visits.
    pub fn count(&self) -> u64 {
        let counts = self.summands.iter().map(|summand| {
            let counts = summand.parts.iter().map(TupleComponent::count);
            counts.fold(1, u64::saturating_mul)
        });
        counts.fold(0, u64::saturating_add)
    }

    /// Evaluates to colours with non-zero multiplicities, sorted, in `out`, which is overwritten.
    pub fn evaluate(&self, binding: &[u32], out: &mut ArcTokens) -> Result<(), TermError> {
        out.clear();
        if self.count() > LARGEST {
            return Err(TermError::Large);
        }
        for summand in &self.summands {
            let from = out.len();
            out.push((0, summand.factor));
            for (part, size) in summand.parts.iter().zip(&self.sizes) {
                let size = u64::from(*size);
                match part {
                    TupleComponent::One(slot) => {
                        let value = u64::from(slot.value(binding));
                        for (colour, _) in &mut out[from..] {
                            *colour = *colour * size + value;
                        }
                    }
                    TupleComponent::Every(_) | TupleComponent::Members(_) => {
                        let prefixes: Vec<u64> = out.drain(from..).map(|(c, _)| c).collect();
                        for prefix in prefixes {
                            let mut push = |value: u32| {
                                out.push((prefix * size + u64::from(value), summand.factor));
                            };
                            match part {
                                TupleComponent::Members(members) => {
                                    members.iter().copied().for_each(&mut push)
                                }
                                _ => (0..size as u32).for_each(&mut push),
                            }
                        }
                    }
                }
            }
        }
        merge(out)
    }
}

/// Sorts, adds multiplicities of equal colours, and drops zeros.
fn merge(all: &mut ArcTokens) -> Result<(), TermError> {
    all.sort_unstable_by_key(|(colour, _)| *colour);
    let mut kept = 0;
    let mut at = 0;
    while at < all.len() {
        let colour = all[at].0;
        let mut sum = 0i128;
        while at < all.len() && all[at].0 == colour {
            sum += i128::from(all[at].1);
            at += 1;
        }
        if sum < 0 {
            return Err(TermError::Negative);
        }
        if sum > 0 {
            all[kept] = (colour, i64::try_from(sum).map_err(|_| TermError::Large)?);
            kept += 1;
        }
    }
    all.truncate(kept);
    Ok(())
}

/// A guard over leaves.
#[derive(Clone, Debug)]
pub(super) enum Test {
    All(Vec<Test>),
    Some(Vec<Test>),
    Not(Box<Test>),
    Compare(Comparison, TermValue, TermValue),
}

impl Test {
    /// Evaluates the guard; `None` if the result depends on unbound leaves.
    pub fn evaluate(&self, binding: &[u32]) -> Option<bool> {
        match self {
            Test::All(tests) | Test::Some(tests) => {
                // The value of one part that decides the result.
                let decisive = matches!(self, Test::Some(_));
                let mut result = Some(!decisive);
                for test in tests {
                    match test.evaluate(binding) {
                        Some(value) if value == decisive => return Some(decisive),
                        Some(_) => {}
                        None => result = None,
                    }
                }
                result
            }
            Test::Not(test) => test.evaluate(binding).map(|value| !value),
            Test::Compare(comparison, left, right) => {
                if left.is_open(binding) || right.is_open(binding) {
                    return None;
                }
                Some(comparison.holds(left.value(binding), right.value(binding)))
            }
        }
    }

    /// The equations implied by the guard as conjuncts.
    pub fn equations(&self, found: &mut Vec<(TermValue, TermValue)>) {
        match self {
            Test::All(tests) => tests.iter().for_each(|test| test.equations(found)),
            Test::Some(tests) if tests.len() == 1 => tests[0].equations(found),
            Test::Compare(Comparison::Eq, left, right) => found.push((*left, *right)),
            _ => {}
        }
    }

    pub fn leaves(&self, found: &mut Vec<usize>) {
        match self {
            Test::All(tests) | Test::Some(tests) => tests.iter().for_each(|t| t.leaves(found)),
            Test::Not(test) => test.leaves(found),
            Test::Compare(_, left, right) => {
                found.extend([*left, *right].iter().filter_map(|s| s.leaf()))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct CompiledTransition {
    /// The size of each leaf of a binding.
    pub leaves: Vec<u32>,
    pub guard: Test,
    pub inputs: Vec<CompiledTerm>,
    pub outputs: Vec<CompiledTerm>,
}

/// The compilation context: for each of the transition's variables the start of its leaves.
struct Scope<'n> {
    net: &'n ColouredNet,
    variables: &'n [ColourVariableId],
    starts: Vec<u32>,
    left: &'n Cell<usize>,
}

/// The sizes of the leaves of a sort.
pub(super) fn leaf_sizes(net: &ColouredNet, sort: SortId) -> Vec<u32> {
    let parts = net.sort(sort).parts.iter().map(|part| net.sort(*part));
    parts
        .filter(|part| part.kind != SortKind::Dot)
        .map(|part| part.size as u32)
        .collect()
}

/// Appends the values of a colour's leaves.
pub(super) fn leaf_values(sizes: &[u32], mut colour: u64, out: &mut Vec<u32>) {
    let from = out.len();
    out.resize(from + sizes.len(), 0);
    for (slot, size) in out[from..].iter_mut().zip(sizes).rev() {
        *slot = (colour % u64::from(*size)) as u32;
        colour /= u64::from(*size);
    }
}

/// The error that multiplying out exceeds [`SUMMANDS`].
pub(super) struct TooMany;

/// Limit on the summands of all terms of a net together.
pub(super) const SUMMANDS: usize = 1 << 22;

/// Compiles a transition; `left` is the number of summands still allowed for the net.
pub(super) fn rule(
    net: &ColouredNet,
    transition: &ColouredTransition,
    left: &Cell<usize>,
) -> Result<CompiledTransition, TooMany> {
    let mut leaves = Vec::new();
    let mut starts = Vec::new();
    for variable in &transition.variables {
        starts.push(leaves.len() as u32);
        leaves.extend(leaf_sizes(net, net.variable(*variable).sort));
    }
    let scope = Scope {
        net,
        variables: &transition.variables,
        starts,
        left,
    };
    let sums = |arcs: &[Inscription]| -> Result<Vec<CompiledTerm>, TooMany> {
        let sum = |arc: &Inscription| scope.sum(arc.place.index(), &arc.term);
        arcs.iter().map(sum).collect()
    };
    Ok(CompiledTransition {
        guard: scope.test(&transition.guard),
        inputs: sums(&transition.inputs)?,
        outputs: sums(&transition.outputs)?,
        leaves,
    })
}

pub(super) fn ground(
    net: &ColouredNet,
    place: usize,
    term: &Term,
    left: &Cell<usize>,
) -> Result<CompiledTerm, TooMany> {
    let scope = Scope {
        net,
        variables: &[],
        starts: Vec::new(),
        left,
    };
    scope.sum(place, term)
}

impl Scope<'_> {
    fn sum(&self, place: usize, term: &Term) -> Result<CompiledTerm, TooMany> {
        Ok(CompiledTerm {
            place,
            sizes: leaf_sizes(self.net, term.sort),
            summands: self.summands(term)?,
        })
    }

    fn summands(&self, term: &Term) -> Result<Vec<Summand>, TooMany> {
        let spend = |summands: usize| match self.left.get().checked_sub(summands) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(TooMany),
        };
        let one = |parts: Vec<TupleComponent>| {
            spend(1)?;
            Ok(vec![Summand { factor: 1, parts }])
        };
        match &term.kind {
            TermKind::Variable(_)
            | TermKind::Constant(_)
            | TermKind::Successor(_)
            | TermKind::Predecessor(_) => {
                let slots = self.slots(term).into_iter();
                one(slots.map(TupleComponent::One).collect())
            }
            TermKind::All => {
                let sizes = leaf_sizes(self.net, term.sort).into_iter();
                one(sizes.map(TupleComponent::Every).collect())
            }
            TermKind::Members(members) if members.is_empty() => Ok(Vec::new()),
            TermKind::Members(members) => {
                let members = members.iter().map(|m| m.0 as u32).collect();
                one(vec![TupleComponent::Members(members)])
            }
            TermKind::Scaled(factor, term) => {
                let factor = i64::try_from(*factor).map_err(|_| TooMany)?;
                let mut summands = self.summands(term)?;
                for summand in &mut summands {
                    summand.factor = summand.factor.checked_mul(factor).ok_or(TooMany)?;
                }
                summands.retain(|summand| summand.factor != 0);
                Ok(summands)
            }
            TermKind::Add(terms) | TermKind::Subtract(terms) => {
                let subtract = matches!(term.kind, TermKind::Subtract(_));
                let mut all = Vec::new();
                for (i, term) in terms.iter().enumerate() {
                    let mut summands = self.summands(term)?;
                    if subtract && i > 0 {
                        summands.iter_mut().for_each(|s| s.factor = -s.factor);
                    }
                    all.append(&mut summands);
                }
                Ok(all)
            }
            TermKind::Tuple(terms) => {
                let mut all = vec![Summand {
                    factor: 1,
                    parts: Vec::new(),
                }];
                for term in terms {
                    let summands = self.summands(term)?;
                    spend(all.len().saturating_mul(summands.len()))?;
                    let mut longer = Vec::with_capacity(all.len() * summands.len());
                    for left in &all {
                        for right in &summands {
                            let parts = left.parts.iter().chain(&right.parts).cloned().collect();
                            let factor = left.factor.checked_mul(right.factor).ok_or(TooMany)?;
                            longer.push(Summand { factor, parts });
                        }
                    }
                    all = longer;
                }
                Ok(all)
            }
        }
    }

    /// The leaves of a single colour.
    fn slots(&self, term: &Term) -> Vec<TermValue> {
        match &term.kind {
            TermKind::Variable(variable) => {
                let position = self.variables.binary_search(variable).unwrap_or(0);
                let start = self.starts.get(position).copied().unwrap_or(0);
                let sizes = leaf_sizes(self.net, term.sort);
                let leaf = |(i, size)| TermValue::Leaf {
                    leaf: start + i as u32,
                    shift: 0,
                    size,
                };
                sizes.into_iter().enumerate().map(leaf).collect()
            }
            TermKind::Constant(colour) => {
                let mut values = Vec::new();
                leaf_values(&leaf_sizes(self.net, term.sort), colour.0, &mut values);
                values.into_iter().map(TermValue::Constant).collect()
            }
            TermKind::Successor(of) | TermKind::Predecessor(of) => {
                let size = self.net.sort(term.sort).size as u32;
                let step = match term.kind {
                    TermKind::Successor(_) => 1,
                    _ => size - 1,
                };
                let shifted = |slot| match slot {
                    TermValue::Constant(value) => {
                        TermValue::Constant(add_modulo(value, step, size))
                    }
                    TermValue::Leaf { leaf, shift, size } => TermValue::Leaf {
                        leaf,
                        shift: add_modulo(shift, step, size),
                        size,
                    },
                };
                self.slots(of).into_iter().map(shifted).collect()
            }
            TermKind::Tuple(terms) => terms.iter().flat_map(|term| self.slots(term)).collect(),
            // Not single colours.
            TermKind::All
            | TermKind::Members(_)
            | TermKind::Scaled(..)
            | TermKind::Add(_)
            | TermKind::Subtract(_) => Vec::new(),
        }
    }

    fn test(&self, guard: &TransitionGuard) -> Test {
        let tests =
            |guards: &[TransitionGuard]| guards.iter().map(|guard| self.test(guard)).collect();
        match guard {
            TransitionGuard::And(guards) => Test::All(tests(guards)),
            TransitionGuard::Or(guards) => Test::Some(tests(guards)),
            TransitionGuard::Not(guard) => Test::Not(Box::new(self.test(guard))),
            TransitionGuard::Compare(comparison, left, right) => {
                let pairs = self.slots(left).into_iter().zip(self.slots(right));
                let compare = |comparison, pairs: &[(TermValue, TermValue)]| {
                    let tests = pairs.iter().map(|(l, r)| Test::Compare(comparison, *l, *r));
                    tests.collect::<Vec<_>>()
                };
                let pairs: Vec<(TermValue, TermValue)> = pairs.collect();
                match (comparison, &pairs[..]) {
                    (comparison, [(left, right)]) => Test::Compare(*comparison, *left, *right),
                    (Comparison::Eq, pairs) => Test::All(compare(Comparison::Eq, pairs)),
                    (Comparison::Ne, pairs) => Test::Some(compare(Comparison::Ne, pairs)),
                    // Dots are equal; tuples are not ordered.
                    (Comparison::Le | Comparison::Ge, _) => Test::All(Vec::new()),
                    (Comparison::Lt | Comparison::Gt, _) => Test::Some(Vec::new()),
                }
            }
        }
    }
}

fn add_modulo(value: u32, step: u32, size: u32) -> u32 {
    ((u64::from(value) + u64::from(step)) % u64::from(size)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_solved_modulo_the_size() {
        for size in 1..5 {
            for shift in 0..size {
                let leaf = 0;
                let slot = TermValue::Leaf { leaf, shift, size };
                for value in 0..size {
                    assert_eq!(slot.value(&[value]), (value + shift) % size);
                    assert_eq!(slot.value(&[slot.solve(value)]), value);
                }
            }
        }
    }

    #[test]
    fn sums_add_multiplicities() {
        let one = |factor, value| Summand {
            factor,
            parts: vec![
                TupleComponent::One(TermValue::Constant(value)),
                TupleComponent::Every(2),
            ],
        };
        let mut sum = CompiledTerm {
            place: 0,
            sizes: vec![3, 2],
            summands: vec![one(2, 1), one(1, 0), one(-2, 1)],
        };
        let mut tokens = Vec::new();
        assert_eq!(sum.count(), 6);
        assert_eq!(sum.evaluate(&[], &mut tokens), Ok(()));
        assert_eq!(tokens, [(0, 1), (1, 1)]);
        sum.summands.push(one(-1, 2));
        assert_eq!(sum.evaluate(&[], &mut tokens), Err(TermError::Negative));
        sum.summands = vec![one(i64::MAX, 0), one(1, 0)];
        assert_eq!(sum.evaluate(&[], &mut tokens), Err(TermError::Large));
    }

    #[test]
    fn guards_are_decided_early() {
        let leaf = |leaf| TermValue::Leaf {
            leaf,
            shift: 0,
            size: 3,
        };
        let less = Test::Compare(Comparison::Lt, leaf(0), leaf(1));
        let first = Test::Compare(Comparison::Eq, leaf(0), TermValue::Constant(2));
        let both = Test::All(vec![less.clone(), first.clone()]);
        assert_eq!(both.evaluate(&[1, OPEN]), Some(false));
        assert_eq!(both.evaluate(&[2, OPEN]), None);
        let either = Test::Some(vec![less, first]);
        assert_eq!(either.evaluate(&[2, OPEN]), Some(true));
    }
}
