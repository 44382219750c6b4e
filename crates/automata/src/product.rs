//! The product of two automata: words that both accept.
//!
//! States are pairs; an edge reads the letters that both edges read and carries the marks of both,
//! with those of the right automaton shifted behind those of the left. The product is a [`Graph`]
//! built on demand, so any emptiness check decides whether the languages intersect.

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::{Counts, Edge, Graph, Marks, NodeId, Outcome, couvreur};
use lariat_ltl::AtomId;
use rustc_hash::FxHashMap;

/// The product of two automata, over the union of their atoms.
#[derive(Clone, Debug)]
struct AutomatonProduct {
    guards: Guards,
    left: Vec<Vec<Transition>>,
    right: Vec<Vec<Transition>>,
    initial: Vec<(StateId, StateId)>,
    marks: Marks,
    budget: Budget,
}

/// The pairs that a search has visited.
#[derive(Debug)]
struct AutomatonPairs {
    guards: Guards,
    nodes: Vec<(StateId, StateId)>,
    index: FxHashMap<(StateId, StateId), NodeId>,
    lease: Lease,
    budget: Budget,
}

impl AutomatonProduct {
    /// The product of `a` and `b` on legal letters.
    fn new(
        a: &Automaton,
        b: &Automaton,
        legal: &LegalLetters,
        budget: &Budget,
    ) -> Result<AutomatonProduct, Stop> {
        let mut atoms = a.atoms.clone();
        atoms.extend(b.atoms.iter().filter(|x| !a.atoms.contains(x)));
        if atoms.len() > Guards::MAX_ATOMS {
            return Err(too_many(atoms.len(), "atoms", Guards::MAX_ATOMS));
        }
        let mark_count = a.mark_count + b.mark_count;
        if mark_count > Marks::MAX {
            let (count, most) = (mark_count as usize, Marks::MAX as usize);
            return Err(too_many(count, "acceptance marks", most));
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
            guards,
            left,
            right,
            initial,
            marks: Marks::all(mark_count),
            budget: budget.clone(),
        })
    }

    /// A new context for one search.
    fn worker(&self) -> AutomatonPairs {
        AutomatonPairs {
            guards: self.guards.clone(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            lease: self.budget.lease(),
            budget: self.budget.clone(),
        }
    }
}

fn too_many(count: usize, what: &str, most: usize) -> Stop {
    let message = format!("the two automata have {count} {what}, at most {most} are possible");
    Stop::Unsupported(message)
}

/// The edges of `a` over other atoms, with marks shifted by `shift`.
fn take_in(
    a: &Automaton,
    atoms: &[AtomId],
    shift: u32,
    legal: Guard,
    guards: &mut Guards,
) -> Vec<Vec<Transition>> {
    let position = |x: &AtomId| atoms.iter().position(|y| x == y);
    let names: Vec<usize> = a.atoms.iter().filter_map(position).collect();
    let mut states = a.states.clone();
    for t in states.iter_mut().flatten() {
        let guard = guards.import(&a.guards, t.guard, &names);
        t.guard = guards.and(guard, legal);
        // A shift by 64 occurs only if there is nothing to shift.
        t.marks = Marks(t.marks.0.checked_shl(shift).unwrap_or(0));
    }
    states
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
        let pair = self.initial.get(k);
        pair.map(|&pair| worker.intern(pair)).transpose()
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
    let product = AutomatonProduct::new(a, b, legal, budget)?;
    let outcome = couvreur(&product, &mut product.worker(), &mut Counts::default())?;
    Ok(matches!(outcome, Outcome::Empty))
}
