//! Minimal weak deterministic automata for obligation properties.
//!
//! A Boolean combination of safety and guarantee properties is recognised by a deterministic
//! automaton in which every strongly connected component accepts all or none of its cycles. The
//! construction of Dax, Eisinger and Klaedtke (*Mechanizing the powerset construction for
//! restricted classes of ω-automata*, ATVA 2007) determinises by plain subsets and tests for every
//! component whether an arbitrary one of its cycles is in the language. With Löding's colouring
//! (*Efficient minimization of deterministic weak ω-automata*, IPL 2001) the automaton is minimised
//! like a finite automaton over finite words: a component's colour is the largest number that is at
//! most that of its successors and even iff the component accepts; transient states take the
//! smallest colour of their successors.
//!
//! If the language is not an obligation, the result recognises another language. The caller must
//! then compare [`MinimalWdba::automaton`] and its complement with automata of the formula and of
//! its negation.
//!
//! Cost: the number of subsets, which is limited, times the edges of a subset.

use crate::automaton::{Automaton, Discovered, StateId, Transition};
use crate::guard::{Guard, GuardMap, Guards, Letter};
use crate::scc::components;
use crate::word::Word;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// First variable of the original automaton's states, after the atoms.
const STATES: usize = Guards::MAX_ATOMS;
/// Maximum number of states: diagram operations recurse once per state.
const MOST_STATES: usize = 2000;

/// A complete, minimal deterministic weak automaton.
pub struct MinimalWdba {
    atoms: Vec<lariat_ltl::AtomId>,
    guards: Guards,
    /// The edges of every state, with disjoint guards.
    states: Vec<Vec<(StateId, Guard)>>,
    initial: StateId,
    accepting: Vec<bool>,
}

impl MinimalWdba {
    /// The trimmed automaton, or that of the complement.
    pub fn automaton(&self, complement: bool) -> Automaton {
        let states = (self.states.iter().zip(&self.accepting))
            .map(|(edges, &accepting)| {
                let marks = Marks::all(u32::from(accepting != complement));
                let edge = |&(to, guard)| Transition { guard, marks, to };
                edges.iter().map(edge).collect()
            })
            .collect();
        let mut a = Automaton {
            atoms: self.atoms.clone(),
            guards: self.guards.clone(),
            mark_count: 1,
            initial: vec![self.initial],
            states,
        };
        super::trim::trim(&mut a);
        super::acceptance::simplify_acceptance(&mut a);
        a
    }
}

/// The minimal weak deterministic automaton of `a`'s language, if that is an obligation.
///
/// `None` if there are more than `limit` subsets, or if `a` is very large.
pub fn minimise(
    a: &Automaton,
    legal: Guard,
    limit: usize,
    budget: &Budget,
) -> Result<Option<MinimalWdba>, Stop> {
    if a.states.len() > MOST_STATES {
        return Ok(None);
    }
    let mut store = a.guards.clone();
    let Some((subsets, edges)) = powerset(a, &mut store, legal, limit, budget)? else {
        return Ok(None);
    };
    let colour = colours(a, &store, &subsets, &edges);
    let class = moore(&mut store, &edges, &colour);
    let count = class.iter().max().map_or(0, |m| *m as usize + 1);
    let mut states = vec![Vec::new(); count];
    let mut accepting = vec![false; count];
    let mut done = vec![false; count];
    for (n, out) in edges.iter().enumerate() {
        let c = class[n] as usize;
        if std::mem::replace(&mut done[c], true) {
            continue;
        }
        accepting[c] = colour[n].is_multiple_of(2);
        let mut merged = GuardMap::new();
        for &(guard, to) in out {
            merged.add(StateId(class[to]), guard, &mut store);
        }
        states[c] = merged.sorted();
    }
    Ok(Some(MinimalWdba {
        atoms: a.atoms.clone(),
        guards: store,
        states,
        initial: StateId(class[0]),
        accepting,
    }))
}

type Edges = Vec<Vec<(Guard, usize)>>;
type Subsets = Vec<Vec<StateId>>;

/// The subsets of states reachable by finite words, the initial one first, and their edges.
fn powerset(
    a: &Automaton,
    store: &mut Guards,
    legal: Guard,
    limit: usize,
    budget: &Budget,
) -> Result<Option<(Subsets, Edges)>, Stop> {
    let mut initial = a.initial.clone();
    initial.sort_unstable();
    initial.dedup();
    let mut subsets = Discovered::new();
    subsets.state(initial);
    let mut edges: Edges = Vec::new();
    while edges.len() < subsets.keys.len() {
        if subsets.keys.len() > limit {
            return Ok(None);
        }
        budget.check()?;
        // ⋀ (guard ⇒ target): the residual of a letter is the conjunction of the targets.
        let mut function = legal;
        for q in &subsets.keys[edges.len()] {
            for t in a.transitions(*q) {
                let target = store.variable(STATES + t.to.index());
                let not = store.not(t.guard);
                let move_ = store.or(not, target);
                function = store.and(function, move_);
            }
        }
        let mut out = Vec::new();
        for (mut rest, guard) in store.leaves(function, STATES as u32, &mut || budget.check())? {
            let mut subset = Vec::new();
            while let Some((v, _, high)) = store.split(rest) {
                subset.push(StateId((v - STATES) as u32));
                rest = high;
            }
            out.push((guard, subsets.state(subset).index()));
        }
        edges.push(out);
    }
    Ok(Some((subsets.keys, edges)))
}

/// Löding's colours; even ones accept.
fn colours(a: &Automaton, store: &Guards, subsets: &Subsets, edges: &Edges) -> Vec<usize> {
    let scc = components(edges.len(), |n, k| edges[n].get(k).map(|e| e.1));
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); scc.count];
    for (n, &c) in scc.of.iter().enumerate() {
        members[c as usize].push(n);
    }
    let mut colour = vec![0; edges.len()];
    // Components are in reverse topological order.
    for nodes in &members {
        let mut smallest = 2 * scc.count;
        for &n in nodes {
            for &(_, to) in edges[n].iter().filter(|e| scc.of[e.1] != scc.of[n]) {
                smallest = smallest.min(colour[to]);
            }
        }
        if let Some(cycle) = some_cycle(store, edges, &scc.of, nodes[0]) {
            let word = Word {
                prefix: Vec::new(),
                cycle,
            };
            let accepts = a.accepts_from(&subsets[nodes[0]], &word);
            // Colours start at twice the number of components and decrease by at most one per
            // component, so they stay positive.
            if smallest.is_multiple_of(2) != accepts {
                smallest -= 1;
            }
        }
        for &n in nodes {
            colour[n] = smallest;
        }
    }
    colour
}

/// The letters of a shortest cycle through `start`, if there is one.
fn some_cycle(store: &Guards, edges: &Edges, scc: &[u32], start: usize) -> Option<Vec<Letter>> {
    let mut from: FxHashMap<usize, (usize, Guard)> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    while let Some(n) = queue.pop_front() {
        for &(guard, to) in edges[n].iter().filter(|e| scc[e.1] == scc[start]) {
            if to == start {
                let mut letters = vec![store.some_letter(guard)?];
                let mut at = n;
                while at != start {
                    let (before, guard) = from[&at];
                    letters.push(store.some_letter(guard)?);
                    at = before;
                }
                letters.reverse();
                return Some(letters);
            }
            from.entry(to).or_insert_with(|| {
                queue.push_back(to);
                (n, guard)
            });
        }
    }
    None
}

/// Moore's partition refinement, with the edges of a state as one diagram over classes.
fn moore(store: &mut Guards, edges: &Edges, colour: &[usize]) -> Vec<u32> {
    let mut class: Vec<u32> = colour.iter().map(|c| (c % 2) as u32).collect();
    let mut count = 0;
    loop {
        let mut numbers: FxHashMap<(u32, Guard), u32> = FxHashMap::default();
        let refined: Vec<u32> = edges
            .iter()
            .enumerate()
            .map(|(n, out)| {
                let mut signature = Guards::FALSE;
                for &(guard, to) in out {
                    let v = store.variable(STATES + class[to] as usize);
                    let edge = store.and(guard, v);
                    signature = store.or(signature, edge);
                }
                let next = numbers.len() as u32;
                *numbers.entry((class[n], signature)).or_insert(next)
            })
            .collect();
        let now = numbers.len();
        class = refined;
        if now == count {
            return class;
        }
        count = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States 0, 1 and 3 accept; 2 waits for `a`. By the colours of their successors 0 and 2 are
    /// equal in the first round, and 0, 1 and 2 in the second; only their own colours distinguish
    /// them.
    #[test]
    fn own_colours_distinguish_states_with_equal_successors() {
        let mut guards = Guards::new();
        let a = guards.atom(0);
        let not_a = guards.not(a);
        let edges = [(1, 2), (1, 0), (3, 2), (3, 3)];
        let states = (edges.iter().enumerate())
            .map(|(n, &(yes, no))| {
                let marks = if n == 2 { Marks::NONE } else { Marks::one(0) };
                [(a, yes), (not_a, no)]
                    .map(|(guard, to)| Transition {
                        guard,
                        marks,
                        to: StateId(to),
                    })
                    .to_vec()
            })
            .collect();
        let automaton = Automaton {
            atoms: vec![lariat_ltl::AtomId(0)],
            guards,
            mark_count: 1,
            initial: vec![StateId(0)],
            states,
        };
        let weak = minimise(&automaton, Guards::TRUE, 100, &Budget::unlimited());
        let small = weak.unwrap().unwrap().automaton(false);
        for prefix in [&[][..], &[1], &[0, 0, 1]] {
            for cycle in [&[0][..], &[1], &[0, 1]] {
                let [prefix, cycle] = [prefix, cycle].map(|all| all.iter().copied().map(Letter));
                let word = Word {
                    prefix: prefix.collect(),
                    cycle: cycle.collect(),
                };
                assert_eq!(small.accepts(&word), automaton.accepts(&word), "{word:?}");
            }
        }
    }
}
