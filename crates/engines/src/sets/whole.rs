//! The synchronous product as sets: one set of states per automaton state.
//!
//! A *family* `Z` holds for every automaton state `q` the states `s` with `(q,s)` in the family.
//! Fixpoints over the product become fixpoints over families:
//!
//! ```text
//! post(Z)[d] = ⋃ q –f→ d: post(Z[q], f)            pre(Z)[q] = ⋃ q –f→ d: pre(Z[d], f)
//! ```
//!
//! Closures saturate: the self-loops of each automaton state are one filtered saturation; only
//! steps to other automaton states are propagated one by one.

use super::operators::SymbolicProblem;
use lariat_automata::{AutomatonComponents, Guard, Guards, StateId, Transition};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::{Constraint, EventId};
use lariat_space::symbolic::Set;
use std::collections::VecDeque;

/// A set of states per automaton state.
pub type SetFamily = Vec<Set>;

/// An edge of the automaton.
#[derive(Clone, Copy)]
pub struct AutomatonEdge {
    pub from: StateId,
    pub to: StateId,
    pub guard: Guard,
    pub marks: Marks,
}

/// Selection of steps of the product.
#[derive(Clone, Copy)]
pub enum StepSelection<'a> {
    /// By edges that carry all of these marks.
    Marked(Marks),
    /// By these events.
    By(&'a [EventId]),
}

/// The automaton, prepared for families.
#[derive(Clone)]
pub struct Whole {
    /// All marks; at least one.
    pub marks: Marks,
    pub edges: Vec<AutomatonEdge>,
    /// By state, the letters of all its self-loops.
    loops: Vec<Guard>,
    /// The edges between different states, merged per source and target.
    crossings: Vec<AutomatonEdge>,
    /// The fairness constraints that are not encoded in the automaton.
    pub demands: Vec<Constraint>,
}

/// Returns whether all sets of the family are empty.
pub fn is_empty(family: &SetFamily) -> bool {
    family.iter().all(Set::is_empty)
}

impl Whole {
    /// Creates the product of the problem of `sets`, without fairness constraints.
    pub fn new(sets: &mut SymbolicProblem<'_, '_>) -> Whole {
        let (marks, normal) = sets.automaton().normal_edges(&mut sets.guards);
        let mut loops = vec![Guards::FALSE; normal.len()];
        let mut edges = Vec::new();
        let mut crossings: Vec<AutomatonEdge> = Vec::new();
        for (q, out) in normal.into_iter().enumerate() {
            let from = StateId(q as u32);
            let first = crossings.len();
            for Transition { guard, marks, to } in out {
                let edge = AutomatonEdge {
                    from,
                    to,
                    guard,
                    marks,
                };
                edges.push(edge);
                if to == from {
                    loops[q] = sets.guards.or(loops[q], guard);
                } else {
                    match crossings[first..].iter_mut().find(|c| c.to == to) {
                        Some(known) => known.guard = sets.guards.or(known.guard, guard),
                        None => crossings.push(edge),
                    }
                }
            }
        }
        Whole {
            marks,
            edges,
            loops,
            crossings,
            demands: Vec::new(),
        }
    }

    /// Creates the product with the fairness constraints of the problem.
    pub fn with_fairness(sets: &mut SymbolicProblem<'_, '_>) -> Whole {
        let mut whole = Whole::new(sets);
        whole.demands = sets.fairness().to_vec();
        whole
    }

    /// Removes the edges between components of the automaton: runs stay in one component.
    #[must_use]
    pub fn staying(mut self, components: &AutomatonComponents) -> Whole {
        let stays = |edge: &AutomatonEdge| {
            components.of[edge.from.index()] == components.of[edge.to.index()]
        };
        self.edges.retain(stays);
        self.crossings.retain(stays);
        self
    }

    pub fn empty(&self, sets: &mut SymbolicProblem<'_, '_>) -> SetFamily {
        vec![sets.space.empty(); self.loops.len()]
    }

    /// Returns the initial states of the product.
    pub fn initial(&self, sets: &mut SymbolicProblem<'_, '_>) -> Result<SetFamily, Stop> {
        let mut family = self.empty(sets);
        let start = sets.space.initial()?;
        for q in &sets.automaton().initial {
            family[q.index()] = start.clone();
        }
        Ok(family)
    }

    /// Returns the states reachable from `family`.
    pub fn reach(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: SetFamily,
    ) -> Result<SetFamily, Stop> {
        self.spread(
            sets,
            family,
            |edge| (edge.from, edge.to),
            |sets, q, set| sets.close(set, self.loops[q]),
            |sets, edge, set| sets.post(set, edge.guard),
        )
    }

    /// Returns the states reachable from `family` inside of `within`, for `family ⊆ within`.
    pub fn reach_within(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: SetFamily,
        within: &SetFamily,
    ) -> Result<SetFamily, Stop> {
        self.spread(
            sets,
            family,
            |edge| (edge.from, edge.to),
            |sets, q, set| sets.close_within(set, self.loops[q], &within[q]),
            |sets, edge, set| {
                let within = &within[edge.to.index()];
                if within.is_empty() {
                    return Ok(within.clone());
                }
                let next = sets.post(set, edge.guard)?;
                sets.space.store().intersection(&next, within)
            },
        )
    }

    /// Returns the states that reach `family` inside of `within`, for `family ⊆ within`.
    pub fn back_within(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: SetFamily,
        within: &SetFamily,
    ) -> Result<SetFamily, Stop> {
        self.spread(
            sets,
            family,
            |edge| (edge.to, edge.from),
            |sets, q, set| sets.back_within(set, self.loops[q], &within[q]),
            |sets, edge, set| sets.pre(set, edge.guard, &within[edge.from.index()]),
        )
    }

    /// Returns the least family `⊇ family` closed under `close` per automaton state and under
    /// `cross` per edge between states, in the direction given by `ends`.
    fn spread<'r, 's>(
        &self,
        sets: &mut SymbolicProblem<'r, 's>,
        mut family: SetFamily,
        ends: impl Fn(&AutomatonEdge) -> (StateId, StateId),
        close: impl Fn(&mut SymbolicProblem<'r, 's>, usize, &Set) -> Result<Set, Stop>,
        cross: impl Fn(&mut SymbolicProblem<'r, 's>, &AutomatonEdge, &Set) -> Result<Set, Stop>,
    ) -> Result<SetFamily, Stop> {
        let mut queue: VecDeque<usize> = (0..family.len())
            .filter(|q| !family[*q].is_empty())
            .collect();
        while let Some(q) = queue.pop_front() {
            family[q] = close(sets, q, &family[q])?;
            for edge in &self.crossings {
                let (from, to) = ends(edge);
                if from.index() != q {
                    continue;
                }
                let next = cross(sets, edge, &family[q])?;
                let joined = sets.space.store().union(&family[to.index()], &next)?;
                if joined != family[to.index()] {
                    family[to.index()] = joined;
                    if !queue.contains(&to.index()) {
                        queue.push_back(to.index());
                    }
                }
            }
        }
        Ok(family)
    }

    /// Returns the members of `family` with a stutter loop.
    pub fn stuttering(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: &SetFamily,
    ) -> Result<SetFamily, Stop> {
        let stuttering = |set: &Set| sets.stuttering(set, Guards::TRUE);
        family.iter().map(stuttering).collect()
    }

    /// Returns the edges with some steps and with members of `family` at both ends.
    fn edges_inside(&self, family: &SetFamily, steps: StepSelection<'_>) -> Vec<AutomatonEdge> {
        let marks = match steps {
            StepSelection::Marked(marks) => marks,
            StepSelection::By(_) => Marks::NONE,
        };
        let is_inside = |edge: &&AutomatonEdge| {
            let ends = [edge.from, edge.to];
            edge.marks.contains(marks) && ends.iter().all(|q| !family[q.index()].is_empty())
        };
        self.edges.iter().filter(is_inside).copied().collect()
    }

    /// Returns the sources of some steps inside of `family`.
    pub fn sources(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: &SetFamily,
        steps: StepSelection<'_>,
    ) -> Result<SetFamily, Stop> {
        let mut sources = self.empty(sets);
        for edge in self.edges_inside(family, steps) {
            let (q, d) = (edge.from.index(), edge.to.index());
            let some = match steps {
                StepSelection::Marked(_) => sets.pre(&family[d], edge.guard, &family[q])?,
                StepSelection::By(events) => {
                    sets.pre_by(&family[d], edge.guard, events, &family[q])?
                }
            };
            sources[q] = sets.space.store().union(&sources[q], &some)?;
        }
        Ok(sources)
    }

    /// Returns the targets of some steps inside of `family`.
    pub fn targets(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        family: &SetFamily,
        steps: StepSelection<'_>,
    ) -> Result<SetFamily, Stop> {
        let mut targets = self.empty(sets);
        for edge in self.edges_inside(family, steps) {
            let (q, d) = (edge.from.index(), edge.to.index());
            let next = match steps {
                StepSelection::Marked(_) => sets.post(&family[q], edge.guard)?,
                StepSelection::By(events) => sets.post_by(&family[q], edge.guard, events)?,
            };
            let some = sets.space.store().intersection(&next, &family[d])?;
            targets[d] = sets.space.store().union(&targets[d], &some)?;
        }
        Ok(targets)
    }
}
