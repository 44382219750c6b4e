//! Direct and reverse simulation, by signatures.
//!
//! Direct: q ≤ q' iff every edge q –ℓ,m→ d is answered by some q' –ℓ,m'→ d' with m ⊆ m' and d ≤ d'.
//! Then L(q) ⊆ L(q'); states that simulate each other are merged, and of two edges of one state the
//! answered one is dropped. Reverse simulation is the same on incoming edges, where an initial
//! state is only answered by an initial one; it preserves the language of the automaton but not of
//! its states.
//!
//! The signature of a state maps each letter to the best pairs of marks and class,
//!
//! > sig(q)(ℓ) = max { (m, class(d))  |  q –ℓ,m→ d }    where (m, c) ≤ (m', c') iff m ⊆ m', c ≤ c'
//!
//! and q ≤ q' iff every pair of sig(q)(ℓ) is below one of sig(q')(ℓ), for all ℓ. It is stored
//! inversely, as one guard for each pair: the letters for which it is among the best. The order of
//! pairs is antisymmetric, so this form is unique and states of equal signature are one class.
//! Classes and their order are refined from "all equal" to a fixpoint. The quotient is read off the
//! signatures, whose edges no other edge answers.
//!
//! Signatures are those of Babiak, Badie, Duret-Lutz, Křetínský and Strejček (*Compositional
//! approach to suspension and other improvements to LTL translation*, SPIN 2013), where each is one
//! diagram over letters, marks and classes:
//!
//! > ⋁ { guard ∧ ⋀_{i ∉ m} markᵢ ∧ ⋀_{c ≥ class(d)} class_c  |  q –guard,m→ d }
//!
//! The diagrams of this module are over letters alone. For a fixed letter the published one is a
//! disjunction of as many conjunctions as there are edges, but its diagram may be exponential in
//! them, because it also distinguishes sets of classes that are not upward closed, which is
//! unnecessary.
//!
//! Cost: rounds × edges² diagram operations on letters. For large automata the order of classes is
//! not computed, which leaves bisimulation.

use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// Direction of the edges that a simulation compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SimulationDirection {
    /// Outgoing edges: the future of a state.
    Direct,
    /// Incoming edges: its past.
    Reverse,
}

/// Maximum number of states for comparing classes; larger automata are only merged by equal
/// signatures, which is bisimulation.
const MOST_COMPARED: usize = 500;
/// Maximum number of edges for comparing classes: 10⁸ comparisons per round.
const MOST_EDGES: usize = 10_000;
/// Maximum number of states for any reduction, since the number of rounds may be as large.
const MOST_STATES: usize = 2000;

/// An edge to be compared.
#[derive(Clone, Copy)]
struct Side {
    /// Its legal letters.
    guard: Guard,
    marks: Marks,
    /// The state at the other end.
    other: StateId,
}

/// The compared edges of a state.
#[derive(Clone)]
struct View {
    /// True if the state is initial and this is compared.
    initial: bool,
    /// True if every letter has at most one edge.
    deterministic: bool,
    edges: Vec<Side>,
}

/// The best edges of a state for each letter.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Signature {
    initial: bool,
    /// Sorted by class and marks, without duplicates; guards are never `FALSE`.
    offers: Vec<Offer>,
}

/// Edges with these marks to this class, on the letters for which the state has no better ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Offer {
    class: u32,
    marks: Marks,
    guard: Guard,
}

/// A partition of the states, and the order of its classes.
#[derive(PartialEq, Eq)]
struct Classes {
    /// The class of every state.
    of: Vec<u32>,
    /// For every class the classes that simulate it, including itself, in increasing order.
    above: Vec<Vec<u32>>,
}

/// Replaces `a` by its quotient; returns an old state for each new one.
///
/// Guards are compared on the letters of `legal` only. Large automata are unchanged.
pub fn simulate(
    a: &mut Automaton,
    direction: SimulationDirection,
    legal: Guard,
    budget: &Budget,
) -> Result<Vec<StateId>, Stop> {
    if a.states.len() > MOST_STATES {
        return Ok(a.state_ids().collect());
    }
    let views = views(a, direction, legal);
    let (classes, signatures) = refine(&mut a.guards, &views, budget)?;
    a.states = quotient(direction, &signatures);
    a.initial = initial_classes(&a.initial, direction, &classes);
    super::merge_edges(a);
    let mut representative = vec![StateId(0); signatures.len()];
    for (n, &c) in classes.of.iter().enumerate().rev() {
        representative[c as usize] = StateId(n as u32);
    }
    Ok(representative)
}

/// The view of every state: its outgoing edges, or its incoming edges and whether it is initial.
fn views(a: &mut Automaton, direction: SimulationDirection, legal: Guard) -> Vec<View> {
    let all = a.all_marks();
    let nothing = View {
        initial: false,
        deterministic: true,
        edges: Vec::new(),
    };
    let mut views = vec![nothing; a.states.len()];
    if direction == SimulationDirection::Reverse {
        for q in &a.initial {
            views[q.index()].initial = true;
        }
    }
    for (n, edges) in a.states.iter().enumerate() {
        for t in edges {
            let guard = a.guards.and(t.guard, legal);
            let marks = t.marks.intersection(all);
            let from = StateId(n as u32);
            let (of, other) = match direction {
                SimulationDirection::Direct => (from, t.to),
                SimulationDirection::Reverse => (t.to, from),
            };
            let side = Side {
                guard,
                marks,
                other,
            };
            views[of.index()].edges.push(side);
        }
    }
    for view in &mut views {
        let mut read = Guards::FALSE;
        view.deterministic = view.edges.iter().all(|side| {
            let fresh = a.guards.and(read, side.guard) == Guards::FALSE;
            read = a.guards.or(read, side.guard);
            fresh
        });
    }
    views
}

/// Refines "all equal" to a fixpoint; returns the classes, and the signature of each.
fn refine(
    store: &mut Guards,
    views: &[View],
    budget: &Budget,
) -> Result<(Classes, Vec<Signature>), Stop> {
    let mut classes = Classes {
        of: vec![0; views.len()],
        above: vec![vec![0]],
    };
    let edges: usize = views.iter().map(|view| view.edges.len()).sum();
    let is_compared = views.len() <= MOST_COMPARED && edges <= MOST_EDGES;
    loop {
        budget.check()?;
        let mut numbers: FxHashMap<Signature, u32> = FxHashMap::default();
        // For every new class its signature, and its old class.
        let mut parts = Vec::new();
        let mut of = Vec::with_capacity(views.len());
        for (view, &was) in views.iter().zip(&classes.of) {
            let signature = signature(store, view, &classes);
            let next = numbers.len() as u32;
            of.push(*numbers.entry(signature).or_insert_with_key(|signature| {
                parts.push((signature.clone(), was));
                next
            }));
        }
        store.check()?;
        let above = if is_compared {
            order(store, &parts, &classes, budget)?
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

/// The signature of a state.
fn signature(store: &mut Guards, view: &View, classes: &Classes) -> Signature {
    let offer = |side: &Side| Offer {
        class: classes.of[side.other.index()],
        marks: side.marks,
        guard: side.guard,
    };
    let mut offers: Vec<Offer> = view.edges.iter().map(offer).collect();
    offers.sort_unstable_by_key(|offer| (offer.class, offer.marks));
    offers.dedup_by(|next, kept| {
        let same = (next.class, next.marks) == (kept.class, kept.marks);
        if same {
            kept.guard = store.or(kept.guard, next.guard);
        }
        same
    });
    // `answers` is transitive, so offers may change during the loop. In a deterministic state no
    // offer is better than another.
    let compared = if view.deterministic { 0 } else { offers.len() };
    for i in 0..compared {
        for j in 0..offers.len() {
            if i != j && classes.answers(&offers[j], &offers[i]) {
                offers[i].guard = store.minus(offers[i].guard, offers[j].guard);
            }
        }
    }
    offers.retain(|offer| offer.guard != Guards::FALSE);
    Signature {
        initial: view.initial,
        offers,
    }
}

impl Classes {
    /// Returns whether `other` is at least as good as `offer`, on their common letters.
    fn answers(&self, other: &Offer, offer: &Offer) -> bool {
        other.marks.contains(offer.marks) && self.is_above(other.class, offer.class)
    }

    fn is_above(&self, other: u32, class: u32) -> bool {
        other == class || self.above[class as usize].binary_search(&other).is_ok()
    }

    /// Returns whether `other` answers all edges of `signature`.
    fn simulates(&self, store: &mut Guards, other: &Signature, signature: &Signature) -> bool {
        let mut is_answered = |offer: &Offer| {
            let mut left = offer.guard;
            other.offers.iter().any(|answer| {
                if self.answers(answer, offer) {
                    left = store.minus(left, answer.guard);
                }
                left == Guards::FALSE
            })
        };
        (other.initial || !signature.initial) && signature.offers.iter().all(&mut is_answered)
    }
}

/// The order of the new classes, each given by its signature and its old class. The relation only
/// shrinks: pairs whose old classes were not related are skipped.
fn order(
    store: &mut Guards,
    parts: &[(Signature, u32)],
    were: &Classes,
    budget: &Budget,
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut order = Vec::with_capacity(parts.len());
    for (n, (signature, was)) in parts.iter().enumerate() {
        let mut above = Vec::new();
        for (c, (other, other_was)) in parts.iter().enumerate() {
            if c != n {
                if !were.is_above(*other_was, *was) {
                    continue;
                }
                budget.check()?;
                if !were.simulates(store, other, signature) {
                    continue;
                }
            }
            above.push(c as u32);
        }
        order.push(above);
        store.check()?;
    }
    Ok(order)
}

/// The edges between classes, read off their signatures.
fn quotient(direction: SimulationDirection, signatures: &[Signature]) -> Vec<Vec<Transition>> {
    let mut states: Vec<Vec<Transition>> = vec![Vec::new(); signatures.len()];
    for (c, signature) in (0..).zip(signatures) {
        for offer in &signature.offers {
            let (from, to) = match direction {
                SimulationDirection::Direct => (c, offer.class),
                SimulationDirection::Reverse => (offer.class, c),
            };
            states[from as usize].push(Transition {
                guard: offer.guard,
                marks: offer.marks,
                to: StateId(to),
            });
        }
    }
    states
}

/// The classes of the initial states.
fn initial_classes(
    initial: &[StateId],
    direction: SimulationDirection,
    classes: &Classes,
) -> Vec<StateId> {
    let class = |q: &StateId| StateId(classes.of[q.index()]);
    let mut all: Vec<StateId> = initial.iter().map(class).collect();
    all.sort_unstable();
    all.dedup();
    if direction == SimulationDirection::Reverse {
        return all;
    }
    // An initial state is redundant if another one simulates it.
    let is_included = |q: &StateId| {
        let above = &classes.above[q.index()];
        all.iter().any(|p| p != q && above.contains(&p.0))
    };
    all.iter().copied().filter(|q| !is_included(q)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An automaton given by the edges of each state: guard, marks, target. The first state is
    /// initial.
    fn automaton(guards: Guards, edges: &[&[(Guard, Marks, u32)]]) -> Automaton {
        let transition = |&(guard, marks, to): &(Guard, Marks, u32)| Transition {
            guard,
            marks,
            to: StateId(to),
        };
        Automaton {
            atoms: vec![lariat_ltl::AtomId(0)],
            guards,
            mark_count: 2,
            initial: vec![StateId(0)],
            states: (edges.iter())
                .map(|edges| edges.iter().map(transition).collect())
                .collect(),
        }
    }

    fn simulated(mut a: Automaton, direction: SimulationDirection, legal: Guard) -> Automaton {
        simulate(&mut a, direction, legal, &Budget::unlimited()).unwrap();
        a
    }

    /// An edge is dropped exactly on the letters on which another answers it; incomparable marks
    /// are kept.
    #[test]
    fn edges_are_answered_letter_by_letter() {
        let mut guards = Guards::new();
        let a = guards.atom(0);
        let not_a = guards.not(a);
        let [zero, one] = [0, 1].map(Marks::one);
        let both = zero.union(one);
        let any = Guards::TRUE;
        let edges: &[(Guard, Marks, u32)] = &[
            (any, Marks::NONE, 0),
            (a, zero, 0),
            (any, one, 0),
            (not_a, both, 0),
        ];
        let it = simulated(
            automaton(guards, &[edges]),
            SimulationDirection::Direct,
            any,
        );
        let left: Vec<_> = (it.states[0].iter()).map(|t| (t.guard, t.marks)).collect();
        let mut expected = vec![(a, zero), (a, one), (not_a, both)];
        expected.sort_unstable_by_key(|edge| edge.1);
        assert_eq!(left, expected);
    }

    /// States that differ only in an answered edge, or only on illegal letters, are merged.
    #[test]
    fn answered_edges_and_illegal_letters_are_ignored() {
        let mut guards = Guards::new();
        let a = guards.atom(0);
        let (any, none, all) = (Guards::TRUE, Marks::NONE, Marks::all(2));
        let states: [&[(Guard, Marks, u32)]; 2] = [&[(a, none, 1), (a, all, 1)], &[(a, all, 0)]];
        let it = simulated(automaton(guards, &states), SimulationDirection::Direct, any);
        assert_eq!((it.states.len(), it.edge_count()), (1, 1));

        let states: [&[(Guard, Marks, u32)]; 2] = [&[(a, all, 1)], &[(any, all, 0)]];
        for (legal, classes) in [(any, 2), (a, 1)] {
            let it = automaton(it.guards.clone(), &states);
            let it = simulated(it, SimulationDirection::Direct, legal);
            assert_eq!(it.states.len(), classes);
        }
    }

    /// 0 leads to 1, which accepts every word, and to 2, which requires `a`: the latter edge is
    /// answered. For incoming edges the states differ, because 0 is initial and 1 is not.
    #[test]
    fn targets_are_compared() {
        let mut guards = Guards::new();
        let a = guards.atom(0);
        let (any, all) = (Guards::TRUE, Marks::all(2));
        let states: [&[(Guard, Marks, u32)]; 3] = [
            &[(a, all, 1), (any, all, 2)],
            &[(any, all, 1)],
            &[(a, all, 2)],
        ];
        let it = automaton(guards, &states);
        let mut it = simulated(it, SimulationDirection::Direct, any);
        let not_a = it.guards.not(a);
        let left: Vec<_> = (it.states[0].iter()).map(|t| (t.guard, t.to.0)).collect();
        assert_eq!(left, [(a, 1), (not_a, 2)]);

        let states: [&[(Guard, Marks, u32)]; 2] =
            [&[(any, all, 0), (any, all, 1)], &[(any, all, 1)]];
        let it = automaton(it.guards, &states);
        let it = simulated(it, SimulationDirection::Reverse, any);
        assert_eq!(it.initial, [StateId(0)]);
        assert_eq!(it.states.len(), 2);
    }
}
