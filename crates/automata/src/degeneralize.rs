//! Degeneralization: one mark instead of several, on edges or on states.
//!
//! A state of the result is (q, level): the marks `0..level` have been seen since the last
//! accepting step. An edge with marks m goes to the first level from there that m does not
//! contain; reaching level n, behind the last mark, is the accepting step, and counting starts
//! again (Gastin and Oddoux, CAV 2001, with several levels taken at once).
//!
//! Only cycles inside one accepting component must count (Babiak, Badie, Duret-Lutz, Křetínský
//! and Strejček, SPIN 2013): in other components the level is always 0, and an edge that
//! enters a component is free to choose. It takes a level at which the target exists already
//! if there is one, and level 0 otherwise.
//!
//! Automata with marks on states are automata all of whose edges leaving one state carry the same
//! marks: a run visits the state infinitely often iff it leaves it infinitely often.

use crate::automaton::{Automaton, StateId, Transition};
use crate::scc::automaton_components;
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// Where marks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Anywhere: each edge has its own.
    Edges,
    /// All edges that leave one state carry the same marks.
    States,
}

/// Does `a` have its marks on states?
pub fn has_state_marks(a: &Automaton) -> bool {
    a.states
        .iter()
        .all(|edges| edges.windows(2).all(|w| w[0].marks == w[1].marks))
}

/// A Büchi automaton, that is one with a single mark, for the language of `a`.
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
        names: Vec::new(),
        index: FxHashMap::default(),
        entry: FxHashMap::default(),
    };
    let initial = a
        .initial
        .iter()
        .map(|&q| levels.enter(q))
        .collect::<Vec<_>>();
    let mut states = Vec::new();
    while states.len() < levels.names.len() {
        let (q, level) = levels.names[states.len()];
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
    crate::reduce::merge_edges(&mut result);
    crate::reduce::trim::trim(&mut result);
    result
}

struct Levels {
    marks: u32,
    placement: Placement,
    names: Vec<(StateId, u32)>,
    index: FxHashMap<(StateId, u32), StateId>,
    /// The first level at which a state was made.
    entry: FxHashMap<StateId, u32>,
}

impl Levels {
    fn intern(&mut self, q: StateId, level: u32) -> StateId {
        let next = StateId(self.names.len() as u32);
        let id = *self.index.entry((q, level)).or_insert(next);
        if id == next {
            self.names.push((q, level));
            self.entry.entry(q).or_insert(level);
        }
        id
    }

    /// The state for `q` where a run comes from another component.
    fn enter(&mut self, q: StateId) -> StateId {
        let level = self.entry.get(&q).copied().unwrap_or(0);
        self.intern(q, level)
    }

    /// The level behind an edge with `marks`, and whether that closes a round.
    fn advance(&self, mut level: u32, marks: Marks) -> (u32, bool) {
        let seen = |level: u32| level < self.marks && marks.contains(Marks::one(level));
        while seen(level) {
            level += 1;
        }
        if level < self.marks {
            return (level, false);
        }
        if self.placement == Placement::States {
            // The state at the last level is the accepting one.
            return (self.marks, true);
        }
        level = 0;
        while seen(level) {
            level += 1;
        }
        // All marks on one edge: the round is closed, and the next edge may close another.
        (if level == self.marks { 0 } else { level }, true)
    }
}

/// An automaton with the same marks and language as `a` whose marks are on states.
///
/// A state is split by the marks with which its own component enters it.
pub fn state_based(a: &Automaton) -> Automaton {
    if has_state_marks(a) {
        return a.clone();
    }
    let scc = automaton_components(a);
    let mut names: Vec<(StateId, Marks)> = Vec::new();
    let mut index: FxHashMap<(StateId, Marks), StateId> = FxHashMap::default();
    let mut intern = |q, marks, names: &mut Vec<_>| {
        let next = StateId(names.len() as u32);
        let id = *index.entry((q, marks)).or_insert(next);
        if id == next {
            names.push((q, marks));
        }
        id
    };
    let initial = a
        .initial
        .iter()
        .map(|&q| intern(q, Marks::NONE, &mut names))
        .collect();
    let mut states = Vec::new();
    while states.len() < names.len() {
        let (q, marks) = names[states.len()];
        let mut edges = Vec::new();
        for t in a.transitions(q) {
            let inner = scc.of[t.to.index()] == scc.of[q.index()];
            let carried = if inner { t.marks } else { Marks::NONE };
            edges.push(Transition {
                guard: t.guard,
                marks,
                to: intern(t.to, carried, &mut names),
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
    crate::reduce::merge_edges(&mut result);
    result
}
