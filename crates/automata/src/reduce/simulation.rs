//! Direct and reverse simulation, by signatures that are decision diagrams.
//!
//! Direct: q ≤ q' iff every edge q –ℓ,m→ d is answered by some q' –ℓ,m'→ d' with m ⊆ m' and d ≤ d'.
//! Then L(q) ⊆ L(q'); states that simulate each other are merged, and of two edges of
//! one state the answered one is dropped. Reverse simulation is the same on incoming edges, where
//! an initial state is only answered by an initial one; it preserves the language of the
//! automaton but not of its states.
//!
//! Following Babiak, Badie, Duret-Lutz, Křetínský and Strejček (*Compositional approach to
//! suspension and other improvements to LTL translation*, SPIN 2013), a state's signature is
//!
//! > sig(q) = ⋁ { guard ∧ ⋀_{i ∉ m} markᵢ ∧ ⋀_{c ≥ class(d)} class_c  |  q –guard,m→ d }
//!
//! which is monotone in the mark and class variables, so that q ≤ q' iff sig(q) ⇒ sig(q').
//! Classes and their order are refined from "all equal" until nothing changes. The
//! quotient is read off the signatures: below the letters of a signature every
//! minimal set of variables is an edge that no other edge answers.
//!
//! Cost: rounds × (edges + classes²) diagram operations; beyond a few hundred states the order of
//! classes is not computed, which leaves bisimulation.

use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// Which edges a simulation looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Outgoing edges: the future of a state.
    Direct,
    /// Incoming edges: its past.
    Reverse,
}

/// Variables behind those of the atoms.
const MARKS: usize = Guards::MAX_ATOMS;
const INITIAL: usize = MARKS + Marks::MAX as usize;
const CLASSES: usize = INITIAL + 1;

/// Up to this many states classes are compared with each other; beyond, states are only merged
/// where their signatures are equal, which is bisimulation.
const MOST_COMPARED: usize = 500;
/// Beyond this many states nothing is done at all: diagram operations recurse once a class.
const MOST_STATES: usize = 2000;

/// Replaces `a` by its quotient, and says which old state each new one stands for.
///
/// Guards are compared on the letters of `legal` only. Large automata are left as they are.
pub fn simulate(
    a: &mut Automaton,
    direction: Direction,
    legal: Guard,
    budget: &Budget,
) -> Result<Vec<StateId>, Stop> {
    if a.states.len() > MOST_STATES {
        return Ok(a.state_ids().collect());
    }
    let compared = a.states.len() <= MOST_COMPARED;
    // For every state the edges to compare; `to` is the state at their other end.
    let mut sides: Vec<Vec<Transition>> = vec![Vec::new(); a.states.len()];
    for (n, edges) in a.states.iter().enumerate() {
        for t in edges {
            match direction {
                Direction::Direct => sides[n].push(*t),
                Direction::Reverse => sides[t.to.index()].push(Transition {
                    to: StateId(n as u32),
                    ..*t
                }),
            }
        }
    }
    let mut is_initial = vec![false; a.states.len()];
    for q in &a.initial {
        is_initial[q.index()] = true;
    }
    let all = a.all_marks();
    let store = &mut a.guards;
    let labels: Vec<Vec<Guard>> = sides
        .iter()
        .map(|edges| {
            edges
                .iter()
                .map(|t| {
                    let mut label = store.and(t.guard, legal);
                    for i in all.minus(t.marks).iter() {
                        let v = store.variable(MARKS + i as usize);
                        label = store.and(label, v);
                    }
                    label
                })
                .collect()
        })
        .collect();

    let mut class = vec![0u32; a.states.len()];
    // above[c]: the classes that simulate c, in increasing order, c among them.
    let mut above: Vec<Vec<u32>> = vec![vec![0]];
    let signatures = loop {
        budget.check()?;
        let tags: Vec<Guard> = above
            .iter()
            .map(|classes| {
                let mut tag = Guards::TRUE;
                for &c in classes.iter().rev() {
                    let v = store.variable(CLASSES + c as usize);
                    tag = store.and(v, tag);
                }
                tag
            })
            .collect();
        let mut numbers: FxHashMap<Guard, u32> = FxHashMap::default();
        let mut signatures = Vec::new();
        let mut origins = Vec::new();
        let mut refined = Vec::with_capacity(class.len());
        for (n, edges) in sides.iter().enumerate() {
            let mut signature = if direction == Direction::Reverse && is_initial[n] {
                store.variable(INITIAL)
            } else {
                Guards::FALSE
            };
            for (t, &label) in edges.iter().zip(&labels[n]) {
                let edge = store.and(label, tags[class[t.to.index()] as usize]);
                signature = store.or(signature, edge);
            }
            let next = numbers.len() as u32;
            refined.push(*numbers.entry(signature).or_insert_with(|| {
                signatures.push(signature);
                origins.push(class[n]);
                next
            }));
        }
        store.check()?;
        // The relation only shrinks: pairs that were not related need no look.
        let mut order = Vec::with_capacity(signatures.len());
        for (&s, &was) in signatures.iter().zip(&origins) {
            if !compared {
                order.push(vec![order.len() as u32]);
                continue;
            }
            let mut larger = Vec::new();
            for (c, (&t, &other)) in signatures.iter().zip(&origins).enumerate() {
                if s == t
                    || above[was as usize].binary_search(&other).is_ok() && store.implies(s, t)
                {
                    larger.push(c as u32);
                }
            }
            order.push(larger);
        }
        let stable = refined == class && order == above;
        class = refined;
        above = order;
        if stable {
            break signatures;
        }
    };

    let by_tag: FxHashMap<&[u32], u32> = above
        .iter()
        .enumerate()
        .map(|(c, classes)| (&classes[..], c as u32))
        .collect();
    let mut states: Vec<Vec<Transition>> = vec![Vec::new(); signatures.len()];
    for (c, &signature) in signatures.iter().enumerate() {
        let mut edge = || budget.check();
        for (rest, guard) in store.leaves(signature, MARKS as u32, &mut edge)? {
            for set in store.minimal_sets(rest, &mut edge)? {
                let mut missing = Marks::NONE;
                let mut classes = Vec::new();
                for v in set {
                    match v as usize {
                        INITIAL => {}
                        v if v < INITIAL => {
                            missing = missing.union(Marks::one((v - MARKS) as u32));
                        }
                        v => classes.push((v - CLASSES) as u32),
                    }
                }
                classes.sort_unstable();
                // The set of an initial state names no class and is no edge.
                let Some(&other) = by_tag.get(&classes[..]) else {
                    continue;
                };
                let (from, to) = match direction {
                    Direction::Direct => (c, other),
                    Direction::Reverse => (other as usize, c as u32),
                };
                states[from].push(Transition {
                    guard,
                    marks: all.minus(missing),
                    to: StateId(to),
                });
            }
        }
    }
    a.states = states;
    let mut initial: Vec<StateId> = a
        .initial
        .iter()
        .map(|q| StateId(class[q.index()]))
        .collect();
    initial.sort_unstable();
    initial.dedup();
    if direction == Direction::Direct {
        // An initial state whose language another one includes adds nothing.
        let all = initial.clone();
        initial.retain(|q| {
            !all.iter()
                .any(|p| p != q && above[q.index()].contains(&p.0))
        });
    }
    a.initial = initial;
    super::merge_edges(a);
    let mut stands_for = vec![StateId(0); signatures.len()];
    for (n, &c) in class.iter().enumerate().rev() {
        stands_for[c as usize] = StateId(n as u32);
    }
    Ok(stands_for)
}
