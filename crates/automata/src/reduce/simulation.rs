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

/// An edge that is compared.
#[derive(Clone, Copy)]
struct Side {
    /// Its part of a signature, but for the classes at the other end.
    label: Guard,
    /// The state at the other end.
    other: StateId,
}

/// What a signature is made of.
#[derive(Clone)]
struct View {
    /// What the state has without any edge: whether it is initial, where that counts.
    base: Guard,
    edges: Vec<Side>,
}

/// A partition of the states, and the order of its classes.
#[derive(PartialEq, Eq)]
struct Classes {
    /// The class of every state.
    of: Vec<u32>,
    /// For every class, those that simulate it, in increasing order, itself among them.
    above: Vec<Vec<u32>>,
}

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
    let views = views(a, direction, legal);
    let (classes, signatures) = refine(&mut a.guards, &views, budget)?;
    a.states = quotient(a, direction, &signatures, &classes.above, budget)?;
    a.initial = initial_classes(&a.initial, direction, &classes);
    super::merge_edges(a);
    let mut stands_for = vec![StateId(0); signatures.len()];
    for (n, &c) in classes.of.iter().enumerate().rev() {
        stands_for[c as usize] = StateId(n as u32);
    }
    Ok(stands_for)
}

/// For every state what is compared: its outgoing edges, or its incoming ones and whether it is
/// initial.
fn views(a: &mut Automaton, direction: Direction, legal: Guard) -> Vec<View> {
    let all = a.all_marks();
    let nothing = View {
        base: Guards::FALSE,
        edges: Vec::new(),
    };
    let mut views = vec![nothing; a.states.len()];
    if direction == Direction::Reverse {
        for q in &a.initial {
            views[q.index()].base = a.guards.variable(INITIAL);
        }
    }
    for (n, edges) in a.states.iter().enumerate() {
        for t in edges {
            let mut label = a.guards.and(t.guard, legal);
            for i in all.minus(t.marks).iter() {
                let v = a.guards.variable(MARKS + i as usize);
                label = a.guards.and(label, v);
            }
            let from = StateId(n as u32);
            let (of, other) = match direction {
                Direction::Direct => (from, t.to),
                Direction::Reverse => (t.to, from),
            };
            views[of.index()].edges.push(Side { label, other });
        }
    }
    views
}

/// Refines "all equal" until nothing changes; the classes, and the signature of each.
fn refine(
    store: &mut Guards,
    views: &[View],
    budget: &Budget,
) -> Result<(Classes, Vec<Guard>), Stop> {
    let mut classes = Classes {
        of: vec![0; views.len()],
        above: vec![vec![0]],
    };
    loop {
        budget.check()?;
        let all = signatures(store, views, &classes);
        store.check()?;
        let mut numbers: FxHashMap<Guard, u32> = FxHashMap::default();
        // For every new class its signature, and the class that it is a part of.
        let mut parts = Vec::new();
        let mut of = Vec::with_capacity(all.len());
        for (signature, &was) in all.into_iter().zip(&classes.of) {
            let next = numbers.len() as u32;
            of.push(*numbers.entry(signature).or_insert_with(|| {
                parts.push((signature, was));
                next
            }));
        }
        let above = if views.len() <= MOST_COMPARED {
            order(store, &parts, &classes.above)
        } else {
            (0..parts.len() as u32).map(|c| vec![c]).collect()
        };
        let refined = Classes { of, above };
        let stable = refined == classes;
        classes = refined;
        if stable {
            return Ok((classes, parts.into_iter().map(|part| part.0).collect()));
        }
    }
}

/// The signature of every state.
fn signatures(store: &mut Guards, views: &[View], classes: &Classes) -> Vec<Guard> {
    let mut tags = Vec::with_capacity(classes.above.len());
    for above in &classes.above {
        let mut tag = Guards::TRUE;
        for &c in above.iter().rev() {
            let v = store.variable(CLASSES + c as usize);
            tag = store.and(v, tag);
        }
        tags.push(tag);
    }
    let mut signature_of = |view: &View| {
        let mut signature = view.base;
        for side in &view.edges {
            let class = classes.of[side.other.index()];
            let edge = store.and(side.label, tags[class as usize]);
            signature = store.or(signature, edge);
        }
        signature
    };
    views.iter().map(&mut signature_of).collect()
}

/// The order of new classes, each given by its signature and its old class. The relation only
/// shrinks: pairs whose old classes were not related need no look.
fn order(store: &mut Guards, parts: &[(Guard, u32)], was_above: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut order = Vec::with_capacity(parts.len());
    for &(s, was) in parts {
        let mut above = Vec::new();
        for (c, &(t, other)) in (0..).zip(parts) {
            let was_related = || was_above[was as usize].binary_search(&other).is_ok();
            if s == t || was_related() && store.implies(s, t) {
                above.push(c);
            }
        }
        order.push(above);
    }
    order
}

/// The edges between classes, read off their signatures.
fn quotient(
    a: &mut Automaton,
    direction: Direction,
    signatures: &[Guard],
    above: &[Vec<u32>],
    budget: &Budget,
) -> Result<Vec<Vec<Transition>>, Stop> {
    let all = a.all_marks();
    let by_tag: FxHashMap<&[u32], u32> = above.iter().map(|tag| &tag[..]).zip(0..).collect();
    let mut states: Vec<Vec<Transition>> = vec![Vec::new(); signatures.len()];
    for (c, &signature) in (0..).zip(signatures) {
        let mut edge = || budget.check();
        for (rest, guard) in a.guards.leaves(signature, MARKS as u32, &mut edge)? {
            for set in a.guards.minimal_sets(rest, &mut edge)? {
                let mut missing = Marks::NONE;
                let mut tag = Vec::new();
                for v in set {
                    match v as usize {
                        INITIAL => {}
                        v if v < INITIAL => {
                            missing = missing.union(Marks::one((v - MARKS) as u32));
                        }
                        v => tag.push((v - CLASSES) as u32),
                    }
                }
                tag.sort_unstable();
                // The set of an initial state names no class and is no edge.
                let Some(&other) = by_tag.get(&tag[..]) else {
                    continue;
                };
                let (from, to) = match direction {
                    Direction::Direct => (c, other),
                    Direction::Reverse => (other, c),
                };
                states[from as usize].push(Transition {
                    guard,
                    marks: all.minus(missing),
                    to: StateId(to),
                });
            }
        }
    }
    Ok(states)
}

/// The classes of the initial states.
fn initial_classes(initial: &[StateId], direction: Direction, classes: &Classes) -> Vec<StateId> {
    let class = |q: &StateId| StateId(classes.of[q.index()]);
    let mut all: Vec<StateId> = initial.iter().map(class).collect();
    all.sort_unstable();
    all.dedup();
    if direction == Direction::Reverse {
        return all;
    }
    // An initial state whose language another one includes adds nothing.
    let is_included = |q: &StateId| {
        let above = &classes.above[q.index()];
        all.iter().any(|p| p != q && above.contains(&p.0))
    };
    all.iter().copied().filter(|q| !is_included(q)).collect()
}
