//! Simplification of acceptance, component by component.
//!
//! Acceptance depends only on the edges taken infinitely often, which are inside one accepting
//! strongly connected component. So marks on all other edges are removed. Inside a component C,
//! with E_i the inner edges that carry mark i, mark i is redundant if E_i is all of C's inner edges
//! or if E_j ⊆ E_i for another needed j (a cycle through E_j is one through E_i). Different
//! components need different marks, and no cycle visits two of them, so the needed marks are
//! renumbered from 0 in each; a component that needs fewer marks carries the spare ones on all of
//! its inner edges.
//!
//! If no component needs a mark but there is a rejecting cycle, one mark is kept to distinguish
//! them.

use crate::automaton::{Automaton, StateId};
use crate::scc::automaton_components;
use lariat_emptiness::Marks;

/// Makes the components of `states` rejecting by removing all marks from their inner edges.
///
/// For components in which no relevant word is accepted. An automaton without marks gets one on all
/// other edges.
pub fn reject(a: &mut Automaton, states: &[StateId]) {
    if states.is_empty() {
        return;
    }
    let scc = automaton_components(a);
    let mut rejected = vec![false; scc.marks.len()];
    for state in states {
        rejected[scc.of[state.index()] as usize] = true;
    }
    let fresh = a.mark_count == 0;
    a.mark_count = a.mark_count.max(1);
    for (n, edges) in a.states.iter_mut().enumerate() {
        let own = scc.of[n];
        for t in edges {
            if rejected[own as usize] && scc.of[t.to.index()] == own {
                t.marks = Marks::NONE;
            } else if fresh {
                t.marks = Marks::one(0);
            }
        }
    }
}

/// Removes marks that do not change the language. The automaton must be trimmed.
pub fn simplify_acceptance(a: &mut Automaton) {
    let scc = automaton_components(a);
    let count = scc.marks.len();
    // together[c][i]: the marks that every inner edge of c with mark i carries.
    let all = a.all_marks();
    let mut together = vec![vec![all; a.mark_count as usize]; count];
    let mut everywhere = vec![all; count];
    let mut rejecting_cycle = false;
    for (n, edges) in a.states.iter_mut().enumerate() {
        let c = scc.of[n];
        for t in edges {
            if scc.of[t.to.index()] != c {
                t.marks = Marks::NONE;
            } else if !scc.accepting(c) {
                t.marks = Marks::NONE;
                rejecting_cycle = true;
            } else {
                let c = c as usize;
                everywhere[c] = everywhere[c].intersection(t.marks);
                for i in t.marks.iter() {
                    let slot = &mut together[c][i as usize];
                    *slot = slot.intersection(t.marks);
                }
            }
        }
    }
    let needed: Vec<Vec<u32>> = (0..count as u32)
        .map(|c| {
            if !scc.accepting(c) {
                return Vec::new();
            }
            let c = c as usize;
            all.iter()
                .filter(|&i| !everywhere[c].contains(Marks::one(i)))
                .filter(|&i| {
                    // Implied by another mark; of two equal ones the first is kept.
                    !all.iter().any(|j| {
                        j != i
                            && together[c][j as usize].contains(Marks::one(i))
                            && (j < i || !together[c][i as usize].contains(Marks::one(j)))
                    })
                })
                .collect()
        })
        .collect();
    let most = needed.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let new_count = if rejecting_cycle { most.max(1) } else { most };
    // If no mark is saved, the numbers are kept, so that equal parts of the automaton remain equal.
    let rename = new_count < a.mark_count;
    for (n, edges) in a.states.iter_mut().enumerate() {
        let c = scc.of[n];
        if !scc.accepting(c) {
            continue;
        }
        let needed = &needed[c as usize];
        for t in edges.iter_mut().filter(|t| scc.of[t.to.index()] == c) {
            if rename {
                let kept = numbered(t.marks, needed.iter().copied());
                let spare = Marks::all(new_count).minus(Marks::all(needed.len() as u32));
                t.marks = kept.union(spare);
            }
        }
    }
    a.mark_count = new_count;
}

/// The marks of `kept` that are in `marks`, numbered by their positions in `kept`.
pub(crate) fn numbered(marks: Marks, kept: impl Iterator<Item = u32>) -> Marks {
    let positions = (0..).zip(kept);
    let positions = positions.filter(|(_, i)| marks.contains(Marks::one(*i)));
    positions.fold(Marks::NONE, |all, (k, _)| all.union(Marks::one(k)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Transition;
    use crate::reduce::trim::trim;

    #[test]
    fn a_rejected_component_accepts_nothing() {
        let mut a = Automaton::universal();
        reject(&mut a, &[]);
        assert_eq!(a.mark_count, 0);
        reject(&mut a, &[StateId(0)]);
        assert_eq!((a.mark_count, a.states[0][0].marks), (1, Marks::NONE));
        trim(&mut a);
        assert!(a.initial.is_empty());
    }

    #[test]
    fn the_components_of_all_given_states_reject() {
        let mut a = Automaton::universal();
        let any = a.states[0][0];
        let to = |n| Transition {
            to: StateId(n),
            ..any
        };
        // Three states with a loop each, in a chain.
        a.states = vec![vec![to(0), to(1)], vec![to(1), to(2)], vec![to(2)]];
        reject(&mut a, &[StateId(0), StateId(2)]);
        let loops: Vec<Marks> = a.states.iter().map(|edges| edges[0].marks).collect();
        assert_eq!(loops, [Marks::NONE, Marks::one(0), Marks::NONE]);
    }
}
