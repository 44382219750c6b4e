//! A set of patterns — some slots fixed, the others free — as one predicate.
//!
//! Sorted patterns are processed slot by slot as in a trie, so that patterns with a common prefix
//! share its comparisons; values with equal continuations are tested together:
//!
//! ```text
//! matches(R) = ⋁ over the values v of the first slot x of R:  x = v ∧ matches({r | (x,v)·r ∈ R})
//! ```

use std::ops::Range;

use lariat_model::{Comparison, Predicate, Value, VarId};

/// Depth beyond which patterns are not shared.
const DEPTH: usize = 32;

type Pattern<'p> = &'p [(u32, Value)];

/// The predicate that some pattern matches; slots are in increasing order in each.
pub(super) fn matches(mut patterns: Vec<Pattern>) -> Predicate {
    patterns.sort_unstable();
    patterns.dedup();
    sorted(&patterns, 0)
}

/// The predicate that some pattern matches after its first `depth` slots, which all share.
fn sorted(patterns: &[Pattern], depth: usize) -> Predicate {
    let Some(first) = patterns.first() else {
        return Predicate::Const(false);
    };
    // The shortest comes first.
    if first.len() == depth {
        return Predicate::Const(true);
    }
    if depth >= DEPTH {
        let conjunction = |p: &Pattern| {
            let cells = p[depth..].iter();
            all(cells.map(|(slot, value)| equals(*slot, *value)).collect())
        };
        return any(patterns.iter().map(conjunction).collect());
    }
    let mut choices: Vec<(u32, Vec<Value>, Predicate)> = Vec::new();
    let mut rest = patterns;
    while let Some((slot, value)) = rest.first().map(|p| p[depth]) {
        let count = rest.partition_point(|p| p[depth] <= (slot, value));
        let (same, others) = rest.split_at(count);
        let left = sorted(same, depth + 1);
        // Only recent choices are compared: equal continuations usually belong to nearby values.
        match choices
            .iter_mut()
            .rev()
            .take(16)
            .find(|(s, _, p)| *s == slot && *p == left)
        {
            Some((_, values, _)) => values.push(value),
            None => choices.push((slot, vec![value], left)),
        }
        rest = others;
    }
    let choice = |(slot, values, left): (u32, Vec<Value>, Predicate)| {
        let here = any(ranges(&values).map(|r| within(slot, r)).collect());
        match left {
            Predicate::Const(true) => here,
            left => all(vec![here, left]),
        }
    };
    any(choices.into_iter().map(choice).collect())
}

/// Maximal runs of consecutive values.
fn ranges(values: &[Value]) -> impl Iterator<Item = Range<Value>> {
    values
        .chunk_by(|a, b| a.checked_add(1) == Some(*b))
        .map(|run| run[0]..run[run.len() - 1])
}

/// The predicate that the slot is in `values`, with both ends included.
fn within(slot: u32, values: Range<Value>) -> Predicate {
    if values.start == values.end {
        return equals(slot, values.start);
    }
    let bound = |c, value| Predicate::compare(VarId(slot), c, value);
    all(vec![
        bound(Comparison::Ge, values.start),
        bound(Comparison::Le, values.end),
    ])
}

fn equals(slot: u32, value: Value) -> Predicate {
    Predicate::compare(VarId(slot), Comparison::Eq, value)
}

fn all(mut parts: Vec<Predicate>) -> Predicate {
    match parts.len() {
        1 => parts.remove(0),
        _ => Predicate::And(parts),
    }
}

fn any(mut parts: Vec<Predicate>) -> Predicate {
    match parts.len() {
        1 => parts.remove(0),
        _ => Predicate::Or(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_corpora::Random;
    use lariat_model::System;

    #[test]
    fn the_predicate_is_the_union_of_the_patterns() {
        let mut random = Random::new(7);
        let system = System::default();
        for _ in 0..300 {
            let patterns: Vec<Vec<(u32, Value)>> = (0..random.below(12))
                .map(|_| {
                    let mut pattern = Vec::new();
                    for slot in 0..3 {
                        if random.below(3) > 0 {
                            pattern.push((slot, random.below(3)));
                        }
                    }
                    pattern
                })
                .collect();
            let predicate = matches(patterns.iter().map(Vec::as_slice).collect());
            for code in 0..27 {
                let state = [code % 3, code / 3 % 3, code / 9];
                let want = patterns
                    .iter()
                    .any(|p| p.iter().all(|(slot, v)| state[*slot as usize] == *v));
                assert_eq!(system.holds(&predicate, &state), want, "{patterns:?}");
            }
        }
    }
}
