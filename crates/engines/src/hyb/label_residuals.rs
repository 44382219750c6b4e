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

use super::proofs::Proofs;
use super::still::{GuardedMove, is_idempotent, is_identity};
use crate::problem::Problem;
use lariat_automata::{Cube, Guard, Guards, StateId, automaton_components};
use lariat_budget::{Budget, Lease, Stop};
use lariat_dd::kernel::{KeyPart, Meaning, Scope};
use lariat_dd::{Predicate, Residual, Store};
use lariat_emptiness::Marks;
use lariat_model::{Proposition, State};
use lariat_space::symbolic::{Layout, Residuals, Symbolic};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    /// Index of its guard.
    guard: usize,
    marks: Marks,
    inner: bool,
}

/// Cofactors of guards: those of the edges, or those of `resting_letters`.
struct Relation {
    guards: Box<[Guard]>,
    support: u64,
    /// True if all guards are false.
    empty: bool,
    /// True if the guards of all inner edges are false.
    idle: bool,
    /// Computed by [`LabelResiduals::moves`], once everything is decided.
    moves: Option<Moves>,
    /// Results of [`LabelResiduals::is_still`], by [`Still`].
    still: [Option<bool>; 3],
}

/// A relation on automaton states.
#[derive(Default)]
struct Moves {
    any: Vec<(u32, u32)>,
    inner: Vec<(u32, u32, Marks)>,
}

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
    pub proofs: Proofs,
}

/// The residuals of one problem.
pub struct LabelResiduals {
    query: Residuals,
    guards: Guards,
    automaton: u32,
    edges: Vec<Edge>,
    /// By automaton state: marks of the inner edges from it, if there are any.
    inner: Vec<Option<Marks>>,
    /// All marks except those on every inner edge.
    marks: Marks,
    relations: Vec<Relation>,
    relation_ids: FxHashMap<Box<[Guard]>, u32>,
    cofactors: FxHashMap<(u32, u32, bool), u32>,
    pending: Vec<Pending>,
    ids: FxHashMap<(u32, Atoms), Residual>,
    stepped: FxHashMap<(Residual, u32, u32), Residual>,
    /// Residual of the transition relation before any level is read.
    root: Residual,
    /// Residual of "the automaton accepts the repeated label" before any level is read.
    resting: Residual,
    scopes: [Scope; 3],
    lease: Lease,
    account_at: usize,
    /// The largest value of target states.
    cap: u32,
    /// True if a larger value was met, even if the step cannot be taken.
    cut: bool,
    /// Enables [`LabelResiduals::is_still`].
    still_enabled: bool,
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
        layout: &Layout,
        moves: MoveOptions,
        store: &mut Store,
        budget: &Budget,
    ) -> Result<LabelResiduals, Stop> {
        let MoveOptions { cap, proofs } = moves;
        let [of_query, any, inner, resting] = [(); 4].map(|()| store.scope());
        let mut query = Residuals::new(layout, of_query, budget.lease());
        let (edges, distinct) = edges(problem, proofs);
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
        let of_cycles = edges.iter().filter(|edge| edge.inner);
        let everywhere = of_cycles.fold(Marks::all(problem.automaton.mark_count), |all, e| {
            all.intersection(e.marks)
        });
        // If all moves are inner ones, closures are the same and can share one cache.
        let inner = if edges.iter().all(|edge| edge.inner) {
            any.clone()
        } else {
            inner
        };
        let mut from_inner = vec![None; problem.automaton.states.len()];
        for edge in edges.iter().filter(|edge| edge.inner) {
            let marks: &mut Option<Marks> = &mut from_inner[edge.from as usize];
            *marks = Some(marks.unwrap_or(Marks::NONE).union(edge.marks));
        }
        let mut labels = LabelResiduals {
            query,
            inner: from_inner,
            guards: problem.automaton.guards.clone(),
            automaton: layout.levels() as u32,
            marks: Marks::all(problem.automaton.mark_count).minus(everywhere),
            edges,
            relations: Vec::new(),
            relation_ids: FxHashMap::default(),
            cofactors: FxHashMap::default(),
            pending: Vec::new(),
            ids: FxHashMap::default(),
            stepped: FxHashMap::default(),
            root: Residual::FALSE,
            resting: Residual::FALSE,
            scopes: [any, inner, resting],
            lease: budget.lease(),
            account_at: 0,
            cap,
            cut: false,
            still_enabled: proofs.still,
        };
        let states = labels.resting_letters(problem);
        labels.root = labels.begin(distinct, &atoms);
        labels.resting = labels.begin(states, &atoms);
        Ok(labels)
    }

    /// Returns the residual of guards before any level is read; constant atoms are decided.
    fn begin(&mut self, guards: Vec<Guard>, atoms: &[(u32, Residual)]) -> Residual {
        let relation = self.relation(guards.into());
        self.decide(relation, atoms.to_vec())
    }

    /// By automaton state: letters whose repetition it accepts (Emerson and Lei's fixpoint).
    fn resting_letters(&mut self, problem: &Problem<'_>) -> Vec<Guard> {
        let automaton = problem.automaton;
        let guards = &mut self.guards;
        let marks: Vec<Marks> = match automaton.mark_count {
            0 => vec![Marks::NONE],
            n => (0..n).map(Marks::one).collect(),
        };
        let mut stay = vec![Guards::TRUE; automaton.states.len()];
        loop {
            let before = stay.clone();
            for &mark in &marks {
                let mut near = vec![Guards::FALSE; stay.len()];
                loop {
                    let last = near.clone();
                    for (q, edges) in automaton.states.iter().enumerate() {
                        for edge in edges {
                            let to = edge.to.index();
                            let goal = if edge.marks.contains(mark) {
                                guards.or(stay[to], near[to])
                            } else {
                                near[to]
                            };
                            let taken = guards.and(edge.guard, goal);
                            near[q] = guards.or(near[q], taken);
                        }
                    }
                    if near == last {
                        break;
                    }
                }
                for (all, near) in stay.iter_mut().zip(near) {
                    *all = guards.and(*all, near);
                }
            }
            if stay == before {
                return stay;
            }
        }
    }

    /// Returns the cache scope of a kind of query.
    pub fn scope(&self, question: Question) -> &Scope {
        &self.scopes[question as usize]
    }

    pub fn resting(&self) -> Residual {
        self.resting
    }

    /// Evaluates this residual for an automaton state, when all levels are read.
    pub fn rests(&self, residual: Residual, state: u32) -> bool {
        let guard = self.pending(residual).and_then(|pending| {
            let relation = &self.relations[pending.relation as usize];
            relation.guards.get(state as usize)
        });
        guard == Some(&Guards::TRUE)
    }

    pub fn automaton(&self) -> u32 {
        self.automaton
    }

    pub fn root(&self) -> Residual {
        self.root
    }

    /// Returns the marks that a search has to require; every cycle of inner moves has the others.
    pub fn marks(&self) -> Marks {
        self.marks
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

    fn relation(&mut self, guards: Box<[Guard]>) -> u32 {
        if let Some(&known) = self.relation_ids.get(&guards) {
            return known;
        }
        let support = guards.iter().fold(0, |s, g| s | self.guards.support(*g));
        let mut inner = self.edges.iter().filter(|edge| edge.inner);
        let takes = |edge: &Edge| guards.get(edge.guard) != Some(&Guards::FALSE);
        let id = self.relations.len() as u32;
        self.relations.push(Relation {
            support,
            empty: guards.iter().all(|g| *g == Guards::FALSE),
            idle: !inner.any(takes),
            moves: None,
            still: [None; 3],
            guards: guards.clone(),
        });
        self.relation_ids.insert(guards, id);
        id
    }

    fn cofactor(&mut self, relation: u32, atom: u32, value: bool) -> u32 {
        let key = (relation, atom, value);
        if let Some(&known) = self.cofactors.get(&key) {
            return known;
        }
        let bit = 1 << atom;
        let literal = self.guards.cube(Cube {
            positive: if value { bit } else { 0 },
            negative: if value { 0 } else { bit },
        });
        let before = self.relations[relation as usize].guards.clone();
        let after = before.iter().map(|g| self.guards.restrict(*g, literal));
        let after = after.collect();
        let result = self.relation(after);
        self.cofactors.insert(key, result);
        result
    }

    /// Returns the residual of `relation` with these residuals of its atoms.
    fn decide(&mut self, mut relation: u32, mut atoms: Vec<(u32, Residual)>) -> Residual {
        for (atom, rest) in &atoms {
            if *rest == Residual::TRUE || *rest == Residual::FALSE {
                relation = self.cofactor(relation, *atom, *rest == Residual::TRUE);
            }
        }
        let support = self.relations[relation as usize].support;
        atoms.retain(|(atom, _)| support >> atom & 1 == 1);
        if self.relations[relation as usize].empty {
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
            *rest = Predicate::step(&mut self.query, *rest, level, value)?;
        }
        let result = self.decide(relation, atoms);
        self.stepped.insert(key, result);
        Ok(result)
    }

    /// Updates the lease from time to time.
    fn account(&mut self) -> Result<(), Stop> {
        let guards = self.relations.len() * self.edges.len();
        let things = self.stepped.len() + 2 * self.pending.len() + guards;
        if things > self.account_at {
            self.account_at = things + things / 4 + 256;
            self.lease
                .resize(self.account_at * 64 + self.guards.bytes())?;
        }
        Ok(())
    }

    /// Returns whether inner moves lead from this state.
    pub fn is_inner(&self, state: u32) -> bool {
        self.inner.get(state as usize).is_some_and(Option::is_some)
    }

    /// Returns the marks of all inner moves from this state.
    pub fn marks_from(&self, state: u32) -> Marks {
        let marks = self.inner.get(state as usize).copied().flatten();
        marks.unwrap_or(Marks::NONE)
    }

    /// Returns whether no inner move is possible.
    pub fn is_idle(&self, residual: Residual) -> bool {
        match self.pending(residual) {
            Some(pending) => self.relations[pending.relation as usize].idle,
            None => true,
        }
    }

    /// Returns the cap if steps may have been omitted.
    pub fn cut(&self) -> Option<u32> {
        self.cut.then_some(self.cap)
    }

    /// Returns whether reading a label of `residual` twice is the same as once.
    pub fn is_still(&mut self, residual: Residual, of: Still) -> bool {
        let Some(pending) = self.pending(residual).filter(|_| self.still_enabled) else {
            return false;
        };
        let relation = pending.relation as usize;
        if let Some(known) = self.relations[relation].still[of as usize] {
            return known;
        }
        let under = &self.relations[relation].guards;
        let edges = self.edges.iter().filter(|e| e.inner || of != Still::Inner);
        let moves: Vec<GuardedMove> = edges
            .filter_map(|e| Some((e.from, e.to, *under.get(e.guard)?)))
            .filter(|m| m.2 != Guards::FALSE)
            .collect();
        let answer = match of {
            Still::Images => is_idempotent(&mut self.guards, &moves),
            Still::Any | Still::Inner => is_identity(&mut self.guards, &moves),
        };
        self.relations[relation].still[of as usize] = Some(answer);
        answer
    }

    /// Returns the moves under a residual that has read all levels.
    fn moves(&mut self, residual: Residual) -> Result<&Moves, Stop> {
        let at = match self.pending(residual) {
            Some(pending) if pending.atoms.is_empty() => pending.relation as usize,
            _ => {
                return Err(Stop::Internal(
                    "a label that is undecided below the last level".to_owned(),
                ));
            }
        };
        let relation = &mut self.relations[at];
        let guards = &relation.guards;
        Ok(relation.moves.get_or_insert_with(|| {
            let mut moves = Moves::default();
            for edge in &self.edges {
                if guards.get(edge.guard) == Some(&Guards::TRUE) {
                    moves.any.push((edge.from, edge.to));
                    if edge.inner {
                        moves.inner.push((edge.from, edge.to, edge.marks));
                    }
                }
            }
            moves.any.sort_unstable();
            moves.any.dedup();
            moves.inner.sort_unstable();
            moves
        }))
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

/// Kind of query under which results with residuals are cached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Targets of all moves.
    Any,
    /// Targets of inner moves.
    Inner,
    /// Acceptance of the repeated label.
    Resting,
}

/// Sets on which reading a label twice must be the same as once, see `still.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Still {
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

impl KeyPart for MoveKind {
    const MEANING: Meaning = Meaning::Number;

    #[inline]
    fn to_word(self) -> u32 {
        match self {
            MoveKind::Any => 0,
            MoveKind::Inner => 1,
            MoveKind::Marked(mark) => 2 + mark,
        }
    }
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

/// Returns the edges of the automaton and its different guards.
fn edges(problem: &Problem<'_>, proofs: Proofs) -> (Vec<Edge>, Vec<Guard>) {
    let automaton = problem.automaton;
    let components = automaton_components(automaton);
    let (mut edges, mut distinct) = (Vec::new(), Vec::new());
    for (q, out) in automaton.states.iter().enumerate() {
        for edge in out {
            let known = distinct.iter().position(|g| *g == edge.guard);
            let guard = known.unwrap_or_else(|| {
                distinct.push(edge.guard);
                distinct.len() - 1
            });
            edges.push(Edge {
                from: q as u32,
                to: edge.to.0,
                guard,
                marks: edge.marks,
                inner: !proofs.automaton || components.is_inner(StateId(q as u32), edge.to),
            });
        }
    }
    (edges, distinct)
}
