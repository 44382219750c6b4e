//! Relations on automaton states given by guards, and their cofactors.

use super::label_residuals::Stability;
use super::proofs::AbsenceProofs;
use super::stability::{GuardedMove, is_idempotent, is_identity};
use crate::problem::Problem;
use lariat_automata::{Cube, Guard, Guards, StateId, automaton_components};
use lariat_emptiness::Marks;
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
pub struct GuardCofactors {
    pub guards: Box<[Guard]>,
    /// The atoms that it depends on, as bits.
    pub support: u64,
    /// True if all guards are false.
    pub empty: bool,
    /// True if the guards of all inner edges are false.
    pub idle: bool,
    /// Computed by [`GuardRelations::moves`], once everything is decided.
    moves: Option<Moves>,
    /// Results of [`GuardRelations::is_still`], by [`Stability`].
    still: [Option<bool>; 3],
}

/// A relation on automaton states.
#[derive(Default)]
pub struct Moves {
    pub any: Vec<(u32, u32)>,
    pub inner: Vec<(u32, u32, Marks)>,
}

/// The automaton's edges, and the cofactors of their guards found so far.
pub struct GuardRelations {
    diagrams: Guards,
    edges: Vec<Edge>,
    /// By automaton state: marks of the inner edges from it, if there are any.
    pub inner: Vec<Option<Marks>>,
    /// All marks except those on every inner edge.
    pub marks: Marks,
    list: Vec<GuardCofactors>,
    ids: FxHashMap<Box<[Guard]>, u32>,
    cofactors: FxHashMap<(u32, u32, bool), u32>,
    /// Enables [`GuardRelations::is_still`].
    still_enabled: bool,
}

impl GuardRelations {
    /// Creates the relations of an automaton; returns its different guards.
    pub fn new(problem: &Problem<'_>, proofs: AbsenceProofs) -> (GuardRelations, Vec<Guard>) {
        let (edges, distinct) = edges(problem, proofs);
        let all = Marks::all(problem.automaton.mark_count);
        let inner = edges.iter().filter(|edge| edge.inner);
        let everywhere = inner.fold(all, |all, edge| all.intersection(edge.marks));
        let mut from_inner = vec![None; problem.automaton.states.len()];
        for edge in edges.iter().filter(|edge| edge.inner) {
            let marks: &mut Option<Marks> = &mut from_inner[edge.from as usize];
            *marks = Some(marks.unwrap_or(Marks::NONE).union(edge.marks));
        }
        let relations = GuardRelations {
            diagrams: problem.automaton.guards.clone(),
            edges,
            inner: from_inner,
            marks: all.minus(everywhere),
            list: Vec::new(),
            ids: FxHashMap::default(),
            cofactors: FxHashMap::default(),
            still_enabled: proofs.still,
        };
        (relations, distinct)
    }

    pub fn all_inner(&self) -> bool {
        self.edges.iter().all(|edge| edge.inner)
    }

    pub fn get(&self, relation: u32) -> &GuardCofactors {
        &self.list[relation as usize]
    }

    /// Returns an upper bound on the number of guards of all relations.
    pub fn guard_count(&self) -> usize {
        self.list.len() * self.edges.len()
    }

    pub fn diagram_bytes(&self) -> usize {
        self.diagrams.bytes()
    }

    /// By automaton state: letters whose repetition it accepts (Emerson and Lei's fixpoint).
    pub fn resting_letters(&mut self, problem: &Problem<'_>) -> Vec<Guard> {
        let automaton = problem.automaton;
        let guards = &mut self.diagrams;
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

    pub fn intern(&mut self, guards: Box<[Guard]>) -> u32 {
        if let Some(&known) = self.ids.get(&guards) {
            return known;
        }
        let support = guards.iter().fold(0, |s, g| s | self.diagrams.support(*g));
        let mut inner = self.edges.iter().filter(|edge| edge.inner);
        let takes = |edge: &Edge| guards.get(edge.guard) != Some(&Guards::FALSE);
        let id = self.list.len() as u32;
        self.list.push(GuardCofactors {
            support,
            empty: guards.iter().all(|g| *g == Guards::FALSE),
            idle: !inner.any(takes),
            moves: None,
            still: [None; 3],
            guards: guards.clone(),
        });
        self.ids.insert(guards, id);
        id
    }

    pub fn cofactor(&mut self, relation: u32, atom: u32, value: bool) -> u32 {
        let key = (relation, atom, value);
        if let Some(&known) = self.cofactors.get(&key) {
            return known;
        }
        let bit = 1 << atom;
        let literal = self.diagrams.cube(Cube {
            positive: if value { bit } else { 0 },
            negative: if value { 0 } else { bit },
        });
        let before = self.list[relation as usize].guards.clone();
        let after = before.iter().map(|g| self.diagrams.restrict(*g, literal));
        let after = after.collect();
        let result = self.intern(after);
        self.cofactors.insert(key, result);
        result
    }

    /// Returns whether reading a label twice is the same as once, for all labels of a relation.
    pub fn is_still(&mut self, relation: u32, of: Stability) -> bool {
        if !self.still_enabled {
            return false;
        }
        let relation = &mut self.list[relation as usize];
        if let Some(known) = relation.still[of as usize] {
            return known;
        }
        let is_counted = |edge: &&Edge| edge.inner || of != Stability::Inner;
        let edges = self.edges.iter().filter(is_counted);
        let moves = edges.filter_map(|e| Some((e.from, e.to, *relation.guards.get(e.guard)?)));
        let moves: Vec<GuardedMove> = moves.filter(|m| m.2 != Guards::FALSE).collect();
        let answer = match of {
            Stability::Images => is_idempotent(&mut self.diagrams, &moves),
            Stability::Any | Stability::Inner => is_identity(&mut self.diagrams, &moves),
        };
        relation.still[of as usize] = Some(answer);
        answer
    }

    /// Returns the moves of a relation all of whose guards are constant.
    pub fn moves(&mut self, relation: u32) -> &Moves {
        let relation = &mut self.list[relation as usize];
        let guards = &relation.guards;
        relation.moves.get_or_insert_with(|| {
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
        })
    }
}

/// Returns the edges of the automaton and its different guards.
fn edges(problem: &Problem<'_>, proofs: AbsenceProofs) -> (Vec<Edge>, Vec<Guard>) {
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
