//! The automaton's transition relation as a residual of the state.
//!
//! In the product the automaton reads the label of the state that a step leads *to*:
//!
//! ```text
//! (s, q) → (s', q')   iff   s → s',   q –λ(s')→ q'
//! ```
//!
//! Reading `s'` level by level from the top, what is left of the labels not yet known is a function from
//! the levels below to relations on automaton states. A residual is the pair of
//!
//! - the automaton's guards, cofactored by the atoms that are decided, and
//! - for every atom that some guard still asks for, the residual of its predicate.
//!
//! Guards are canonical and atoms that no guard asks for are dropped, so that labels between
//! which the automaton can no longer tell are one residual. Below the last component every atom is
//! decided, and the guards that are true are the moves.
//!
//! Only edges inside accepting components of the automaton can be on an accepting cycle of the
//! product: they are its *inner* moves. Whatever looks for cycles looks at these alone.
//!
//! V. Molnár, A. Vörös, D. Darvas, T. Bartha, I. Majzik, *Component-wise incremental LTL model checking*
//! (2016), evaluate propositions of single components; a predicate over several is no different here. The
//! marks of our automata are on edges and stay there: being on states they would have to be
//! remembered in the product.

use super::proofs::Proofs;
use super::still::{GuardedMove, is_idempotent, is_identity};
use crate::problem::Problem;
use lariat_automata::{Cube, Guard, Guards, StateId, automaton_components};
use lariat_budget::{Lease, Stop};
use lariat_dd::kernel::{KeyPart, Meaning, Scope};
use lariat_dd::{Predicate, Residual};
use lariat_emptiness::Marks;
use lariat_model::{Proposition, State};
use lariat_space::symbolic::{Layout, Residuals, Symbolic};
use rustc_hash::FxHashMap;

/// An edge of the automaton.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    /// Which of the different guards.
    guard: usize,
    marks: Marks,
    inner: bool,
}

/// Guards of which some atoms are decided: those of the edges, or those of the states' rest.
struct Relation {
    guards: Box<[Guard]>,
    support: u64,
    /// Can none of them be true any more?
    empty: bool,
    /// Can no inner edge be taken any more?
    idle: bool,
    /// Filled in by [`LabelResiduals::moves`], once everything is decided.
    moves: Option<Moves>,
    /// The answers that [`LabelResiduals::is_still`] has given, by [`Still`].
    still: [Option<bool>; 3],
}

/// A relation on automaton states.
#[derive(Default)]
struct Moves {
    any: Vec<(u32, u32)>,
    inner: Vec<(u32, u32, Marks)>,
}

/// Atoms with what is left of their predicates.
type Atoms = Box<[(u32, Residual)]>;

/// Guards and the predicates of the atoms they ask for.
struct Pending {
    relation: u32,
    atoms: Atoms,
    /// The first level that matters.
    top: u32,
}

/// The residuals of one problem.
pub struct LabelResiduals {
    query: Residuals,
    guards: Guards,
    /// The level of the automaton.
    automaton: u32,
    edges: Vec<Edge>,
    /// From which states do inner edges lead, and with which marks?
    inner: Vec<Option<Marks>>,
    /// All marks, without those that every inner edge carries.
    marks: Marks,
    relations: Vec<Relation>,
    relation_ids: FxHashMap<Box<[Guard]>, u32>,
    cofactors: FxHashMap<(u32, u32, bool), u32>,
    pending: Vec<Pending>,
    ids: FxHashMap<(u32, Atoms), Residual>,
    stepped: FxHashMap<(Residual, u32, u32), Residual>,
    /// What is asked before anything is read.
    root: Residual,
    /// The same for: may a run that stays in this state for ever be accepted?
    resting: Residual,
    scopes: [Scope; 3],
    lease: Lease,
    ask_at: usize,
    /// Steps to larger values are not taken.
    cap: u32,
    /// Was one looked at, whether it could be taken or not?
    cut: bool,
    /// Is it asked whether labels may be read again in vain?
    asks_still: bool,
}

/// Numbers below stand for [`Residual::FALSE`] and [`Residual::TRUE`].
const FIRST: u32 = 2;

impl LabelResiduals {
    /// Prepares the residuals of `problem` on the levels of `layout`, with the automaton below them; what is known of programs is known
    /// by `space`. No step is taken to a value larger than `cap`, and `proofs` says which moves are inner ones.
    pub fn new(
        problem: &Problem<'_>,
        (space, layout): (&Symbolic<'_>, &Layout),
        (cap, proofs): (u32, Proofs),
        scopes: [Scope; 4],
        leases: [Lease; 2],
    ) -> Result<LabelResiduals, Stop> {
        let [of_query, any, inner, resting] = scopes;
        let [query_lease, lease] = leases;
        let mut query = Residuals::new(layout, of_query, query_lease);
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
                    return Err(Stop::Internal("events that are not foretold".to_owned()));
                }
            }
        }
        let of_cycles = edges.iter().filter(|edge| edge.inner);
        let everywhere = of_cycles.fold(Marks::all(problem.automaton.mark_count), |all, e| {
            all.intersection(e.marks)
        });
        // Where all moves are inner ones, closures are the same, and what the search knows serves them.
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
            lease,
            ask_at: 0,
            cap,
            cut: false,
            asks_still: proofs.still,
        };
        let states = labels.resting_letters(problem);
        labels.root = labels.begin(distinct, &atoms);
        labels.resting = labels.begin(states, &atoms);
        Ok(labels)
    }

    /// The residual of the guards with nothing read but what is the same for all states.
    fn begin(&mut self, guards: Vec<Guard>, atoms: &[(u32, Residual)]) -> Residual {
        let relation = self.relation(guards.into());
        self.decide(relation, atoms.to_vec())
    }

    /// For every automaton state the letters that it accepts when they are repeated for ever:
    /// Emerson and Lei's fixpoint on guards.
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

    /// The scope of a sort of question.
    pub fn scope(&self, question: Question) -> &Scope {
        &self.scopes[question as usize]
    }

    /// May a run that stays in this state for ever be accepted? Before anything is read.
    pub fn resting(&self) -> Residual {
        self.resting
    }

    /// The answer to that for an automaton state, when everything else is read.
    pub fn rests(&self, residual: Residual, state: u32) -> bool {
        let guard = self.pending(residual).and_then(|pending| {
            let relation = &self.relations[pending.relation as usize];
            relation.guards.get(state as usize)
        });
        guard == Some(&Guards::TRUE)
    }

    /// The level of the automaton, below all components.
    pub fn automaton(&self) -> u32 {
        self.automaton
    }

    /// Before anything is read.
    pub fn root(&self) -> Residual {
        self.root
    }

    /// The marks that an accepting cycle must be seen to carry; every cycle of inner moves has the others.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// The automaton states in which a run can be that has read the label of its first state.
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

    /// The residual of `relation` where the atoms are left with these predicates.
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

    /// What is left of `residual` below `level` where that level has `value`.
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

    /// Enters what is held in the ledger, now and then.
    fn account(&mut self) -> Result<(), Stop> {
        let guards = self.relations.len() * self.edges.len();
        let things = self.stepped.len() + 2 * self.pending.len() + guards;
        if things > self.ask_at {
            self.ask_at = things + things / 4 + 256;
            self.lease.resize(self.ask_at * 64 + self.guards.bytes())?;
        }
        Ok(())
    }

    /// Do inner moves lead from this state?
    pub fn is_inner(&self, state: u32) -> bool {
        self.inner.get(state as usize).is_some_and(Option::is_some)
    }

    /// The marks of all inner moves from this state.
    pub fn marks_from(&self, state: u32) -> Marks {
        let marks = self.inner.get(state as usize).copied().flatten();
        marks.unwrap_or(Marks::NONE)
    }

    /// Can no inner move be made any more?
    pub fn is_idle(&self, residual: Residual) -> bool {
        match self.pending(residual) {
            Some(pending) => self.relations[pending.relation as usize].idle,
            None => true,
        }
    }

    /// The cap, if something may have been left out because of it.
    pub fn cut(&self) -> Option<u32> {
        self.cut.then_some(self.cap)
    }

    /// Does it change nothing to read a label of `residual` once more?
    pub fn is_still(&mut self, residual: Residual, of: Still) -> bool {
        let Some(pending) = self.pending(residual).filter(|_| self.asks_still) else {
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

    /// The moves under a residual that has read everything.
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

    /// The marks of the inner moves that lead to a state of the automaton.
    pub fn marks_into(&mut self, residual: Residual, to: u32) -> Result<Marks, Stop> {
        let inner = self.moves(residual)?.inner.iter();
        let into = inner.filter(|m| m.1 == to);
        Ok(into.fold(Marks::NONE, |marks, m| marks.union(m.2)))
    }

    /// Calls `each` with every state to which a move of some kind leads from `from`, until it returns true.
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

/// What results with residuals are remembered for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Where do all moves lead?
    Any,
    /// Where do inner moves lead?
    Inner,
    /// May the run stay?
    Resting,
}

/// What it would have to change nothing for, see `still.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Still {
    /// Unions of images under all moves.
    Images,
    /// Any parts of the product, under all moves.
    Any,
    /// Any parts of it that inner moves lead to, under these.
    Inner,
}

/// Which moves of the automaton count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveKind {
    /// All of them.
    Any,
    /// Those inside accepting components.
    Inner,
    /// Those of them with this mark.
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

/// The residual of a predicate of the problem's system.
pub fn compiled(
    query: &mut Residuals,
    problem: &Problem<'_>,
    space: &Symbolic<'_>,
    predicate: &lariat_model::Predicate,
) -> Result<Residual, Stop> {
    match query.compile(problem.system, predicate) {
        // All reachable states were seen where there are programs.
        Err(Stop::Unsupported(_)) if space.learns() => {
            let known = space.by_what_is_known(predicate);
            query.compile(problem.system, &known)
        }
        compiled => compiled,
    }
}

/// The edges of the automaton, and its different guards.
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
