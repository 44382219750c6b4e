//! The automaton's transition relation as a residual of the state.
//!
//! In the product the automaton reads the label of the *target* of a step:
//!
//! ```text
//! (s, q) → (s', q')   iff   s → s',   q –λ(s')→ q'
//! ```
//!
//! After some levels of `s'` are read from the top, the unread levels determine a relation on
//! automaton states. This function is represented by a residual, the pair of
//!
//! - the automaton's guards, cofactored by the atoms that are decided, and
//! - for every atom that some guard still depends on, the residual of its predicate.
//!
//! Guards are canonical and other atoms are dropped, so labels that the automaton can no longer
//! distinguish have one residual. Below the last component all atoms are decided; the true guards
//! are the moves.
//!
//! Only edges inside accepting components of the automaton can be on an accepting cycle of the
//! product. These are its *inner* moves; all searches for cycles use them alone.
//!
//! V. Molnár, A. Vörös, D. Darvas, T. Bartha, I. Majzik, *Component-wise incremental LTL model
//! checking* (2016), evaluate propositions of single components; here a predicate may have several.
//! Marks of the automaton stay on edges: marks on states would have to be stored in the product.

use super::proofs::AbsenceProofs;
use super::relations::{GuardCofactors, GuardRelations, Moves};
use crate::problem::Problem;
use lariat_automata::{Guard, Guards};
use lariat_budget::{Budget, Lease, Stop};
use lariat_dd::kernel::CacheScope;
use lariat_dd::{LevelPredicate, Residual, Store};
use lariat_emptiness::Marks;
use lariat_model::{Proposition, State};
use lariat_space::symbolic::{LevelLayout, Residuals, Symbolic};
use rustc_hash::FxHashMap;

/// Atoms with the residuals of their predicates.
type Atoms = Box<[(u32, Residual)]>;

/// Guards and the predicates of the atoms they depend on.
struct Pending {
    relation: u32,
    atoms: Atoms,
    /// The first level that it depends on.
    top: u32,
}

/// Limits and simplifications of the product's steps.
#[derive(Clone, Copy)]
pub struct MoveOptions {
    /// The largest value of target states.
    pub cap: u32,
    pub proofs: AbsenceProofs,
}

/// The residuals of one problem.
pub struct LabelResiduals {
    query: Residuals,
    relations: GuardRelations,
    pub automaton: u32,
    pending: Vec<Pending>,
    ids: FxHashMap<(u32, Atoms), Residual>,
    stepped: FxHashMap<(Residual, u32, u32), Residual>,
    /// Residual of the transition relation before any level is read.
    pub root: Residual,
    /// Residual of "the automaton accepts the repeated label" before any level is read.
    pub resting: Residual,
    /// Scopes of cached results about targets of all moves, of inner moves, and about acceptance of
    /// the repeated label.
    pub any_scope: CacheScope,
    pub inner_scope: CacheScope,
    pub resting_scope: CacheScope,
    lease: Lease,
    account_at: usize,
    /// The largest value of target states.
    cap: u32,
    /// True if a larger value was met, even if the step cannot be taken.
    cut: bool,
}

/// Smaller numbers are [`Residual::FALSE`] and [`Residual::TRUE`].
const FIRST: u32 = 2;

impl LabelResiduals {
    /// Prepares the residuals of `problem` on the levels of `layout`, with the automaton below;
    /// `space` provides the learned behaviour of programs. Steps to values above `cap` are omitted;
    /// `proofs` determines the inner moves.
    pub fn new(
        problem: &Problem<'_>,
        space: &Symbolic<'_>,
        layout: &LevelLayout,
        moves: MoveOptions,
        store: &mut Store,
        budget: &Budget,
    ) -> Result<LabelResiduals, Stop> {
        let MoveOptions { cap, proofs } = moves;
        let [of_query, any, inner, resting] = [(); 4].map(|()| store.scope());
        let mut query = Residuals::new(layout, of_query, budget);
        let (relations, distinct) = GuardRelations::new(problem, proofs);
        let asked = |i: usize| {
            let asks = |guard: &Guard| problem.automaton.guards.support(*guard) >> i & 1 == 1;
            distinct.iter().any(asks)
        };
        let mut atoms = Vec::new();
        for (i, proposition) in problem.propositions.iter().enumerate() {
            match proposition {
                _ if !asked(i) => {}
                Proposition::State(predicate) => {
                    let residual = compiled(&mut query, problem, space, predicate)?;
                    atoms.push((i as u32, residual));
                }
                Proposition::Fires(_) => {
                    return Err(Stop::Internal(
                        "event atoms without an event level".to_owned(),
                    ));
                }
            }
        }
        // If all moves are inner ones, closures are the same and can share one cache.
        let inner = if relations.all_inner() {
            any.clone()
        } else {
            inner
        };
        let mut labels = LabelResiduals {
            query,
            relations,
            automaton: layout.levels() as u32,
            pending: Vec::new(),
            ids: FxHashMap::default(),
            stepped: FxHashMap::default(),
            root: Residual::FALSE,
            resting: Residual::FALSE,
            any_scope: any,
            inner_scope: inner,
            resting_scope: resting,
            lease: budget.lease(),
            account_at: 0,
            cap,
            cut: false,
        };
        let states = labels.relations.resting_letters(problem);
        labels.root = labels.begin(distinct, &atoms);
        labels.resting = labels.begin(states, &atoms);
        Ok(labels)
    }

    /// Returns the residual of guards before any level is read; constant atoms are decided.
    fn begin(&mut self, guards: Vec<Guard>, atoms: &[(u32, Residual)]) -> Residual {
        let relation = self.relations.intern(guards.into());
        self.decide(relation, atoms.to_vec())
    }

    /// Evaluates this residual for an automaton state, when all levels are read.
    pub fn rests(&self, residual: Residual, state: u32) -> bool {
        let guard = self.pending(residual).and_then(|pending| {
            let guards = &self.relations.get(pending.relation).guards;
            guards.get(state as usize)
        });
        guard == Some(&Guards::TRUE)
    }

    /// Returns the marks that a search has to require; every cycle of inner moves has the others.
    pub fn marks(&self) -> Marks {
        self.relations.marks
    }

    /// Returns the automaton states after reading the label of an initial state.
    pub fn first(&self, problem: &Problem<'_>, state: &State) -> Vec<u32> {
        let letter = problem.label(state);
        let mut first = Vec::new();
        for &q in &problem.automaton.initial {
            let read = problem.automaton.reading(q, letter);
            first.extend(read.map(|edge| edge.to.0));
        }
        first.sort_unstable();
        first.dedup();
        first
    }

    /// Returns the residual of `relation` with these residuals of its atoms.
    fn decide(&mut self, mut relation: u32, mut atoms: Vec<(u32, Residual)>) -> Residual {
        for (atom, rest) in &atoms {
            if *rest == Residual::TRUE || *rest == Residual::FALSE {
                relation = self
                    .relations
                    .cofactor(relation, *atom, *rest == Residual::TRUE);
            }
        }
        let GuardCofactors { support, empty, .. } = self.relations.get(relation);
        atoms.retain(|(atom, _)| support >> atom & 1 == 1);
        if *empty {
            return Residual::FALSE;
        }
        let key = (relation, atoms.into_boxed_slice());
        if let Some(&known) = self.ids.get(&key) {
            return known;
        }
        let id = Residual(self.pending.len() as u32 + FIRST);
        let tops = key.1.iter().map(|(_, rest)| self.query.top(*rest).0);
        self.pending.push(Pending {
            relation,
            top: tops.min().unwrap_or(u32::MAX),
            atoms: key.1.clone(),
        });
        self.ids.insert(key, id);
        id
    }

    fn pending(&self, residual: Residual) -> Option<&Pending> {
        self.pending.get(residual.0.checked_sub(FIRST)? as usize)
    }

    /// Returns the residual below `level` if that level has `value`.
    #[inline]
    pub fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        if value > self.cap {
            self.cut = true;
            return Ok(Residual::FALSE);
        }
        match self.pending(residual) {
            Some(pending) if pending.top <= level => self.read(residual, level, value),
            _ => Ok(residual),
        }
    }

    fn read(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        let key = (residual, level, value);
        if let Some(&known) = self.stepped.get(&key) {
            return Ok(known);
        }
        self.account()?;
        let Some(pending) = self.pending(residual) else {
            return Ok(residual);
        };
        let (relation, mut atoms) = (pending.relation, pending.atoms.to_vec());
        for (_, rest) in &mut atoms {
            *rest = LevelPredicate::step(&mut self.query, *rest, level, value)?;
        }
        let result = self.decide(relation, atoms);
        self.stepped.insert(key, result);
        Ok(result)
    }

    /// Updates the lease from time to time.
    fn account(&mut self) -> Result<(), Stop> {
        let guards = self.relations.guard_count();
        let things = self.stepped.len() + 2 * self.pending.len() + guards;
        if things > self.account_at {
            self.account_at = things + things / 4 + 256;
            self.lease
                .resize(self.account_at * 64 + self.relations.diagram_bytes())?;
        }
        Ok(())
    }

    /// Returns the marks of the inner edges from an automaton state, if there are any.
    pub fn inner_marks(&self, state: u32) -> Option<Marks> {
        self.relations.inner.get(state as usize).copied().flatten()
    }

    /// Returns whether no inner move is possible.
    pub fn is_idle(&self, residual: Residual) -> bool {
        self.pending(residual)
            .is_none_or(|pending| self.relations.get(pending.relation).idle)
    }

    /// Returns the cap if steps may have been omitted.
    pub fn cut(&self) -> Option<u32> {
        self.cut.then_some(self.cap)
    }

    /// Returns whether reading a label of `residual` twice is the same as once.
    pub fn is_still(&mut self, residual: Residual, of: Stability) -> bool {
        match self.pending(residual).map(|pending| pending.relation) {
            Some(relation) => self.relations.is_still(relation, of),
            None => false,
        }
    }

    /// Returns the moves under a residual that has read all levels.
    fn moves(&mut self, residual: Residual) -> Result<&Moves, Stop> {
        match self.pending(residual) {
            Some(pending) if pending.atoms.is_empty() => {
                let relation = pending.relation;
                Ok(self.relations.moves(relation))
            }
            _ => Err(Stop::Internal(
                "a label that is undecided below the last level".to_owned(),
            )),
        }
    }

    /// Returns the marks of the inner moves into an automaton state.
    pub fn marks_into(&mut self, residual: Residual, to: u32) -> Result<Marks, Stop> {
        let inner = self.moves(residual)?.inner.iter();
        let into = inner.filter(|m| m.1 == to);
        Ok(into.fold(Marks::NONE, |marks, m| marks.union(m.2)))
    }

    /// Calls `each` with every target of a move from `from`, until it returns true.
    pub fn any_move(
        &mut self,
        kind: MoveKind,
        residual: Residual,
        from: u32,
        mut each: impl FnMut(u32) -> bool,
    ) -> Result<bool, Stop> {
        let moves = self.moves(residual)?;
        Ok(match kind {
            MoveKind::Any => {
                let first = moves.any.partition_point(|m| m.0 < from);
                let own = moves.any[first..].iter().take_while(|m| m.0 == from);
                own.into_iter().any(|m| each(m.1))
            }
            MoveKind::Inner | MoveKind::Marked(_) => {
                let first = moves.inner.partition_point(|m| m.0 < from);
                let mut own = moves.inner[first..].iter().take_while(|m| m.0 == from);
                let wanted = match kind {
                    MoveKind::Marked(mark) => Marks::one(mark),
                    _ => Marks::NONE,
                };
                own.any(|m| m.2.contains(wanted) && each(m.1))
            }
        })
    }
}

/// Sets on which reading a label twice must be the same as once, see `stability.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stability {
    /// Unions of images under all moves.
    Images,
    /// Any parts of the product, under all moves.
    Any,
    /// Any targets of inner moves, under inner moves.
    Inner,
}

/// Selection of the automaton's moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    Any,
    /// Moves inside accepting components.
    Inner,
    /// Inner moves with this mark.
    Marked(u32),
}

/// Returns the residual of a predicate of the problem's system.
pub fn compiled(
    query: &mut Residuals,
    problem: &Problem<'_>,
    space: &Symbolic<'_>,
    predicate: &lariat_model::Predicate,
) -> Result<Residual, Stop> {
    match query.compile(problem.system, predicate) {
        // For programs all reachable states are known.
        Err(Stop::Unsupported(_)) if space.learns() => {
            let known = space.by_what_is_known(predicate);
            query.compile(problem.system, &known)
        }
        compiled => compiled,
    }
}
