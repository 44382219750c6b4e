//! The product of two automata: words that both accept.
//!
//! States are pairs; an edge reads the letters that both edges read and carries the marks of both,
//! with those of the right automaton shifted behind those of the left. The product is a [`Graph`]
//! built on demand, so any emptiness check decides whether the languages intersect.

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards, Letter};
use crate::word::Word;
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::{Counts, Edge, Graph, GraphLasso, Marks, NodeId, Outcome, couvreur, lasso};
use lariat_ltl::AtomId;
use rustc_hash::FxHashMap;

/// The product of two automata, over the union of their atoms.
#[derive(Clone, Debug)]
pub struct AutomatonProduct {
    atoms: Vec<AtomId>,
    guards: Guards,
    left: Vec<Vec<Transition>>,
    right: Vec<Vec<Transition>>,
    initial: Vec<(StateId, StateId)>,
    marks: Marks,
    budget: Budget,
}

/// The pairs that a search has visited.
#[derive(Debug)]
pub struct AutomatonPairs {
    guards: Guards,
    nodes: Vec<(StateId, StateId)>,
    index: FxHashMap<(StateId, StateId), NodeId>,
    lease: Lease,
    budget: Budget,
}

impl AutomatonProduct {
    /// The product of `a` and `b` on legal letters.
    pub fn new(
        a: &Automaton,
        b: &Automaton,
        legal: &LegalLetters,
        budget: &Budget,
    ) -> Result<AutomatonProduct, Stop> {
        let mut atoms = a.atoms.clone();
        atoms.extend(b.atoms.iter().filter(|x| !a.atoms.contains(x)));
        if atoms.len() > Guards::MAX_ATOMS {
            return Err(Stop::Unsupported(format!(
                "the two automata have {} atoms, at most {} are possible",
                atoms.len(),
                Guards::MAX_ATOMS
            )));
        }
        if a.mark_count + b.mark_count > Marks::MAX {
            return Err(Stop::Unsupported(format!(
                "the two automata have {} acceptance marks, at most {} are possible",
                a.mark_count + b.mark_count,
                Marks::MAX
            )));
        }
        let mut guards = Guards::new();
        let legal = legal.guard(&atoms, &mut guards);
        let left = take_in(a, &atoms, 0, legal, &mut guards);
        let right = take_in(b, &atoms, a.mark_count, Guards::TRUE, &mut guards);
        let initial = a
            .initial
            .iter()
            .flat_map(|&p| b.initial.iter().map(move |&q| (p, q)))
            .collect();
        Ok(AutomatonProduct {
            atoms,
            guards,
            left,
            right,
            initial,
            marks: Marks::all(a.mark_count + b.mark_count),
            budget: budget.clone(),
        })
    }

    /// A new context for one search.
    pub fn worker(&self) -> AutomatonPairs {
        AutomatonPairs {
            guards: self.guards.clone(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            lease: self.budget.lease(),
            budget: self.budget.clone(),
        }
    }

    /// The atoms of the product's letters.
    pub fn atoms(&self) -> &[AtomId] {
        &self.atoms
    }

    /// A word over [`atoms`](AutomatonProduct::atoms) that both accept; `None` if there is none.
    pub fn common_word(&self) -> Result<Option<Word>, Stop> {
        let mut worker = self.worker();
        let mut counts = Counts::default();
        let Outcome::Accepting(evidence) = couvreur(self, &mut worker, &mut counts)? else {
            return Ok(None);
        };
        let Some(found) = lasso(self, &mut worker, &evidence)? else {
            return Ok(None);
        };
        Ok(Some(self.word(&mut worker, &found)))
    }

    /// Returns whether no word is accepted by both.
    pub fn is_empty(&self) -> Result<bool, Stop> {
        let outcome = couvreur(self, &mut self.worker(), &mut Counts::default())?;
        Ok(matches!(outcome, Outcome::Empty))
    }

    fn word(&self, worker: &mut AutomatonPairs, found: &GraphLasso) -> Word {
        let mut at = found.initial;
        let mut read = |edges: &[Edge]| {
            edges
                .iter()
                .map(|edge| {
                    let letter = self.letter(worker, at, edge);
                    at = edge.to;
                    letter
                })
                .collect()
        };
        Word {
            prefix: read(&found.prefix),
            cycle: read(&found.cycle),
        }
    }

    /// A letter of `edge` from the pair `from`.
    fn letter(&self, worker: &mut AutomatonPairs, from: NodeId, edge: &Edge) -> Letter {
        let (p, q) = worker.nodes[from.index()];
        let to = worker.nodes[edge.to.index()];
        for s in &self.left[p.index()] {
            for t in &self.right[q.index()] {
                if (s.to, t.to) == to && s.marks.union(t.marks) == edge.marks {
                    let guard = worker.guards.and(s.guard, t.guard);
                    if let Some(letter) = worker.guards.some_letter(guard) {
                        return letter;
                    }
                }
            }
        }
        unreachable!("the lasso consists of edges of the product")
    }
}

/// The edges of `a` over other atoms, with marks shifted by `shift`.
fn take_in(
    a: &Automaton,
    atoms: &[AtomId],
    shift: u32,
    legal: Guard,
    guards: &mut Guards,
) -> Vec<Vec<Transition>> {
    let names: Vec<usize> = a
        .atoms
        .iter()
        .filter_map(|x| atoms.iter().position(|y| x == y))
        .collect();
    a.states
        .iter()
        .map(|edges| {
            edges
                .iter()
                .map(|t| {
                    let guard = guards.import(&a.guards, t.guard, &names);
                    Transition {
                        guard: guards.and(guard, legal),
                        // A shift by 64 occurs only if there is nothing to shift.
                        marks: Marks(t.marks.0.checked_shl(shift).unwrap_or(0)),
                        to: t.to,
                    }
                })
                .collect()
        })
        .collect()
}

impl AutomatonPairs {
    fn intern(&mut self, pair: (StateId, StateId)) -> Result<NodeId, Stop> {
        if let Some(&id) = self.index.get(&pair) {
            return Ok(id);
        }
        if self.nodes.len() == self.nodes.capacity() {
            let pairs = (2 * self.nodes.len()).max(64);
            self.lease.resize(40 * pairs + self.guards.bytes())?;
        }
        self.budget.spend(1)?;
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(pair);
        self.index.insert(pair, id);
        Ok(id)
    }
}

impl Graph for AutomatonProduct {
    type Stop = Stop;
    type Worker = AutomatonPairs;
    type Cursor = (usize, usize);

    fn marks(&self) -> Marks {
        self.marks
    }

    fn initial(&self, worker: &mut AutomatonPairs, k: usize) -> Result<Option<NodeId>, Stop> {
        self.initial
            .get(k)
            .map(|&pair| worker.intern(pair))
            .transpose()
    }

    fn next_edge(
        &self,
        worker: &mut AutomatonPairs,
        node: NodeId,
        cursor: &mut (usize, usize),
    ) -> Result<Option<Edge>, Stop> {
        let (i, j) = cursor;
        let (p, q) = worker.nodes[node.index()];
        let (left, right) = (&self.left[p.index()], &self.right[q.index()]);
        while let Some(s) = left.get(*i) {
            while let Some(t) = right.get(*j) {
                *j += 1;
                if worker.guards.and(s.guard, t.guard) != Guards::FALSE {
                    return Ok(Some(Edge {
                        to: worker.intern((s.to, t.to))?,
                        marks: s.marks.union(t.marks),
                    }));
                }
            }
            *i += 1;
            *j = 0;
        }
        Ok(None)
    }

    fn tick(&self, _: &mut AutomatonPairs, _: usize) -> Result<(), Stop> {
        self.budget.check()
    }
}

/// Returns whether `a` and `b` accept no common legal word.
pub fn disjoint(
    a: &Automaton,
    b: &Automaton,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<bool, Stop> {
    AutomatonProduct::new(a, b, legal, budget)?.is_empty()
}
