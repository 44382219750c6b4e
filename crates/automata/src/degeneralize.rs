//! Degeneralization: one mark instead of several, on edges or on states.
//!
//! A state of the result is (q, level): the marks `0..level` have occurred since the last accepting
//! step. An edge with marks m leads to the first level from there that m does not contain; reaching
//! level n, after the last mark, is the accepting step, and counting restarts (Gastin and Oddoux,
//! CAV 2001, with several levels per step).
//!
//! Only cycles inside one accepting component matter (Babiak, Badie, Duret-Lutz, Křetínský and
//! Strejček, SPIN 2013): in other components the level is always 0, and the level after an edge
//! that enters a component is arbitrary. During construction such an edge takes a level at which
//! the target already exists, or level 0; at the end all of them are redirected to the copy
//! furthest downstream, which often makes the others unreachable.
//!
//! Marks are on states if all edges that leave a state carry the same marks: a run visits the state
//! infinitely often iff it leaves it infinitely often.

use crate::automaton::{Automaton, Discovered, StateId, Transition};
use crate::scc::automaton_components;
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// Placement of marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Each edge has its own marks.
    Edges,
    /// All edges that leave one state carry the same marks.
    States,
}

/// Returns whether `a` has its marks on states.
pub fn has_state_marks(a: &Automaton) -> bool {
    a.states
        .iter()
        .all(|edges| edges.windows(2).all(|w| w[0].marks == w[1].marks))
}

/// A Büchi automaton (with a single mark) for the language of `a`.
pub fn degeneralize(a: &Automaton, placement: Placement) -> Automaton {
    if placement == Placement::Edges && a.mark_count == 1
        || placement == Placement::States && a.mark_count == 1 && has_state_marks(a)
    {
        return a.clone();
    }
    let scc = automaton_components(a);
    let mut levels = Levels {
        marks: a.mark_count,
        placement,
        names: Discovered::new(),
        entry: FxHashMap::default(),
    };
    let initial = a.initial.iter().map(|&q| levels.enter(q)).collect();
    let mut states = Vec::new();
    while states.len() < levels.names.keys.len() {
        let (q, level) = levels.names.keys[states.len()];
        let here = scc.of[q.index()];
        let accepting_state = placement == Placement::States && level == a.mark_count;
        let start = if accepting_state { 0 } else { level };
        let mut edges = Vec::new();
        for t in a.transitions(q) {
            let (to, accepting) = if scc.of[t.to.index()] != here {
                (levels.enter(t.to), false)
            } else if !scc.accepting(here) {
                (levels.intern(t.to, 0), false)
            } else {
                let (next, accepting) = levels.advance(start, t.marks);
                (levels.intern(t.to, next), accepting)
            };
            let marked = match placement {
                Placement::Edges => accepting,
                Placement::States => accepting_state,
            };
            edges.push(Transition {
                guard: t.guard,
                marks: if marked { Marks::one(0) } else { Marks::NONE },
                to,
            });
        }
        states.push(edges);
    }
    let mut result = Automaton {
        atoms: a.atoms.clone(),
        guards: a.guards.clone(),
        mark_count: 1,
        initial,
        states,
    };
    let copied: Vec<StateId> = levels.names.keys.iter().map(|name| name.0).collect();
    lead_downstream(&mut result, &scc.of, &copied);
    crate::reduce::merge_edges(&mut result);
    crate::reduce::trim::trim(&mut result);
    result
}

/// Redirects edges between components to the last of the target's copies.
///
/// All copies of a state have its language. `component` is that of the original states; `copied`
/// maps each new state to its original.
fn lead_downstream(b: &mut Automaton, component: &[u32], copied: &[StateId]) {
    let order = automaton_components(b).of;
    let mut last: FxHashMap<StateId, StateId> = FxHashMap::default();
    for copy in b.state_ids() {
        let slot = last.entry(copied[copy.index()]).or_insert(copy);
        if order[copy.index()] < order[slot.index()] {
            *slot = copy;
        }
    }
    let entry = |to: StateId| last[&copied[to.index()]];
    for q in &mut b.initial {
        *q = entry(*q);
    }
    for (edges, from) in b.states.iter_mut().zip(copied) {
        for t in edges {
            if component[from.index()] != component[copied[t.to.index()].index()] {
                t.to = entry(t.to);
            }
        }
    }
}

struct Levels {
    marks: u32,
    placement: Placement,
    names: Discovered<(StateId, u32)>,
    /// The first level at which each state was created.
    entry: FxHashMap<StateId, u32>,
}

impl Levels {
    fn intern(&mut self, q: StateId, level: u32) -> StateId {
        self.entry.entry(q).or_insert(level);
        self.names.state((q, level))
    }

    /// The copy of `q` for a run from another component.
    fn enter(&mut self, q: StateId) -> StateId {
        let level = self.entry.get(&q).copied().unwrap_or(0);
        self.intern(q, level)
    }

    /// The level after an edge with `marks`, and whether a round is completed.
    fn advance(&self, mut level: u32, marks: Marks) -> (u32, bool) {
        let seen = |level: u32| level < self.marks && marks.contains(Marks::one(level));
        while seen(level) {
            level += 1;
        }
        if level < self.marks {
            return (level, false);
        }
        if self.placement == Placement::States {
            // The state at the last level is accepting.
            return (self.marks, true);
        }
        level = 0;
        while seen(level) {
            level += 1;
        }
        // All marks on one edge: the round is completed, and the next edge may complete another.
        (if level == self.marks { 0 } else { level }, true)
    }
}

/// An automaton with the same marks and language as `a` whose marks are on states.
///
/// States are split by the marks on the edges of their component that enter them.
pub fn state_based(a: &Automaton) -> Automaton {
    if has_state_marks(a) {
        return a.clone();
    }
    let scc = automaton_components(a);
    let mut names = Discovered::new();
    let initial = a.initial.iter().map(|&q| names.state((q, Marks::NONE)));
    let initial = initial.collect();
    let mut states = Vec::new();
    while states.len() < names.keys.len() {
        let (q, marks) = names.keys[states.len()];
        let mut edges = Vec::new();
        for t in a.transitions(q) {
            let inner = scc.of[t.to.index()] == scc.of[q.index()];
            let carried = if inner { t.marks } else { Marks::NONE };
            edges.push(Transition {
                guard: t.guard,
                marks,
                to: names.state((t.to, carried)),
            });
        }
        states.push(edges);
    }
    let mut result = Automaton {
        atoms: a.atoms.clone(),
        guards: a.guards.clone(),
        mark_count: a.mark_count,
        initial,
        states,
    };
    let copied: Vec<StateId> = names.keys.iter().map(|name| name.0).collect();
    lead_downstream(&mut result, &scc.of, &copied);
    crate::reduce::merge_edges(&mut result);
    crate::reduce::trim::trim(&mut result);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::LegalLetters;
    use crate::translate::translate;
    use lariat_budget::Budget;
    use lariat_ltl::{Formulas, FreeVocabulary, parse};

    fn sizes(text: &str) -> [usize; 3] {
        let mut formulas = Formulas::new();
        let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let a = translate(&mut formulas, f, &LegalLetters::any(), &Budget::unlimited()).unwrap();
        [
            degeneralize(&a, Placement::Edges),
            degeneralize(&a, Placement::States),
            state_based(&a),
        ]
        .map(|b| b.states.len())
    }

    #[test]
    fn copies_are_few() {
        assert_eq!(sizes("GFa & GFb"), [2, 3, 4]);
        // A component that always accepts has no copies.
        assert_eq!(sizes("F(r & G !g) | (GFa & GFb)"), [4, 5, 6]);
        assert_eq!(sizes("G a"), [1, 1, 1]);
    }
}
