//! The automaton type of this crate.

use crate::guard::{Guard, Guards, Letter};
use lariat_emptiness::Marks;
use lariat_ltl::AtomId;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A state of an [`Automaton`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// Index of this state in an array over all states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The states of an automaton under construction, each given by a key, in the order of discovery.
pub(crate) struct Discovered<K> {
    pub keys: Vec<K>,
    index: FxHashMap<K, StateId>,
}

impl<K: Clone + Eq + Hash> Discovered<K> {
    pub fn new() -> Discovered<K> {
        Discovered {
            keys: Vec::new(),
            index: FxHashMap::default(),
        }
    }

    /// The state with this key.
    pub fn state(&mut self, key: K) -> StateId {
        *self.index.entry(key).or_insert_with_key(|key| {
            self.keys.push(key.clone());
            StateId(self.keys.len() as u32 - 1)
        })
    }
}

/// One edge, which represents a transition for every letter that satisfies the guard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Transition {
    /// The letters that it reads.
    pub guard: Guard,
    /// Its acceptance marks.
    pub marks: Marks,
    /// The target.
    pub to: StateId,
}

/// A transition-based generalized Büchi automaton.
///
/// A word is accepted by an infinite run that carries every mark of
/// [`all_marks`](Automaton::all_marks) infinitely often; without marks every infinite run accepts.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The atoms: bit `i` of a [`Letter`] and variable `i` of a [`Guard`] is `atoms[i]`.
    pub atoms: Vec<AtomId>,
    /// The store of its guards.
    pub guards: Guards,
    /// The number of acceptance marks.
    pub mark_count: u32,
    /// Initial states; none for the empty language.
    pub initial: Vec<StateId>,
    /// The edges of every state.
    pub states: Vec<Vec<Transition>>,
}

impl Automaton {
    /// The automaton that accepts every word.
    pub fn universal() -> Automaton {
        let state = StateId(0);
        let transition = Transition {
            guard: Guards::TRUE,
            marks: Marks::NONE,
            to: state,
        };
        Automaton {
            atoms: Vec::new(),
            guards: Guards::new(),
            mark_count: 0,
            initial: vec![state],
            states: vec![vec![transition]],
        }
    }

    /// Appends an atom with an unused id; there must be fewer than [`Guards::MAX_ATOMS`]. Returns
    /// the letters in which it holds.
    pub fn fresh_atom(&mut self) -> Guard {
        let id = self.atoms.iter().map(|atom| atom.0 + 1).max();
        self.atoms.push(AtomId(id.unwrap_or(0)));
        self.guards.atom(self.atoms.len() - 1)
    }

    /// Adds a mark to every edge of an automaton without marks.
    pub(crate) fn ensure_mark(&mut self) {
        if self.mark_count == 0 {
            self.mark_count = 1;
            for t in self.states.iter_mut().flatten() {
                t.marks = Marks::one(0);
            }
        }
    }

    /// All states.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len() as u32).map(StateId)
    }

    /// The edges that leave `state`.
    pub fn transitions(&self, state: StateId) -> &[Transition] {
        &self.states[state.index()]
    }

    /// The edges of `state` that read `letter`.
    pub fn reading(&self, state: StateId, letter: Letter) -> impl Iterator<Item = &Transition> {
        self.transitions(state)
            .iter()
            .filter(move |t| self.guards.accepts(t.guard, letter))
    }

    /// The marks that an accepting run carries infinitely often.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.mark_count)
    }

    /// Returns whether there is at most one initial state and each state has at most one successor
    /// per letter.
    pub fn is_deterministic(&self) -> bool {
        let mut guards = self.guards.clone();
        self.initial.len() <= 1
            && self.states.iter().all(|edges| {
                let mut read = Guards::FALSE;
                edges.iter().all(|t| {
                    let fresh = guards.and(read, t.guard) == Guards::FALSE;
                    read = guards.or(read, t.guard);
                    fresh
                })
            })
    }

    /// The atoms that occur in some guard, as bits of a letter.
    pub fn support(&self) -> u64 {
        let edges = self.states.iter().flatten();
        edges.fold(0, |all, edge| all | self.guards.support(edge.guard))
    }

    /// The atoms on edges reachable from `state`.
    pub fn free_atoms(&self, state: StateId) -> u64 {
        let mut seen = vec![false; self.states.len()];
        let mut open = vec![state];
        let mut free = 0;
        while let Some(q) = open.pop() {
            if !std::mem::replace(&mut seen[q.index()], true) {
                for edge in self.transitions(q) {
                    free |= self.guards.support(edge.guard);
                    open.push(edge.to);
                }
            }
        }
        free
    }

    /// The edges in *normal form*, and all marks: at least one mark, which every edge carries if
    /// there was none; one edge per source, marks and target; no unsatisfiable guards.
    ///
    /// Engines on sets need this form, because they treat a self-loop without marks as no edge, and
    /// every edge costs a saturation. Guards are merged in `guards`, a copy of the automaton's
    /// store.
    pub fn normal_edges(&self, guards: &mut Guards) -> (Marks, Vec<Vec<Transition>>) {
        let unmarked = self.mark_count == 0;
        let mut states = Vec::with_capacity(self.states.len());
        for transitions in &self.states {
            let mut edges: Vec<Transition> = Vec::with_capacity(transitions.len());
            for t in transitions {
                let marks = if unmarked { Marks::all(1) } else { t.marks };
                match edges.iter_mut().find(|e| (e.marks, e.to) == (marks, t.to)) {
                    Some(edge) => edge.guard = guards.or(edge.guard, t.guard),
                    None => edges.push(Transition { marks, ..*t }),
                }
            }
            edges.retain(|edge| edge.guard != Guards::FALSE);
            states.push(edges);
        }
        (Marks::all(self.mark_count.max(1)), states)
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }
}
