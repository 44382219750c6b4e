//! The synchronous product as sets: one set of states per automaton state.
//!
//! A *family* `Z` holds for every automaton state `q` the states `s` with `(q,s)` in the family.
//! Fixpoints over the product become fixpoints over families:
//!
//! ```text
//! post(Z)[d] = ⋃ q –f→ d: post(Z[q], f)            pre(Z)[q] = ⋃ q –f→ d: pre(Z[d], f)
//! ```
//!
//! Closures saturate: the self-loops of each automaton state are one filtered saturation, and only
//! what crosses to another automaton state is propagated step by step.

use super::fair::Demand;
use super::operators::Sets;
use lariat_automata::{AutomatonComponents, Guard, Guards, StateId, Transition};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_space::symbolic::Set;
use std::collections::VecDeque;

/// A set of states per automaton state.
pub type Family = Vec<Set>;

/// An edge of the automaton.
#[derive(Clone, Copy)]
pub struct AutomatonEdge {
    /// Where it leaves.
    pub from: StateId,
    /// Where it leads.
    pub to: StateId,
    /// The letters it reads.
    pub guard: Guard,
    /// Its marks.
    pub marks: Marks,
}

/// The automaton, prepared for families.
#[derive(Clone)]
pub struct Whole {
    /// All marks; at least one.
    pub marks: Marks,
    /// The edges.
    pub edges: Vec<AutomatonEdge>,
    /// The letters of all self-loops of each state.
    loops: Vec<Guard>,
    /// Without self-loops, and one edge per source and target.
    crossings: Vec<AutomatonEdge>,
    /// The fairness constraints, if they are none of the automaton's.
    pub demands: Vec<Demand>,
}

/// Is there nothing in the family?
pub fn is_empty(family: &Family) -> bool {
    family.iter().all(Set::is_empty)
}

impl Whole {
    /// The product of the problem of `sets`.
    pub fn new(sets: &mut Sets<'_, '_>) -> Whole {
        let (marks, normal) = sets.automaton().normal_edges(&mut sets.guards);
        let mut loops = vec![Guards::FALSE; normal.len()];
        let mut edges = Vec::new();
        let mut crossings: Vec<AutomatonEdge> = Vec::new();
        for (q, out) in normal.into_iter().enumerate() {
            let from = StateId(q as u32);
            let first = crossings.len();
            for Transition { guard, marks, to } in out {
                let by = AutomatonEdge {
                    from,
                    to,
                    guard,
                    marks,
                };
                edges.push(by);
                if to == from {
                    loops[q] = sets.guards.or(loops[q], guard);
                } else {
                    match crossings[first..].iter_mut().find(|c| c.to == to) {
                        Some(known) => known.guard = sets.guards.or(known.guard, guard),
                        None => crossings.push(by),
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

    /// The same with the fairness constraints of the problem.
    pub fn fair(sets: &mut Sets<'_, '_>) -> Whole {
        let mut whole = Whole::new(sets);
        whole.demands = sets.fairness().iter().map(Demand::new).collect();
        whole
    }

    /// The same without edges between components of the automaton: of its runs those that stay in one.
    #[must_use]
    pub fn staying(mut self, components: &AutomatonComponents) -> Whole {
        let stays =
            |by: &AutomatonEdge| components.of[by.from.index()] == components.of[by.to.index()];
        self.edges.retain(stays);
        self.crossings.retain(stays);
        self
    }

    /// Nothing.
    pub fn empty(&self, sets: &mut Sets<'_, '_>) -> Family {
        vec![sets.space.empty(); self.loops.len()]
    }

    /// The initial states of the product.
    pub fn initial(&self, sets: &mut Sets<'_, '_>) -> Result<Family, Stop> {
        let mut family = self.empty(sets);
        let start = sets.space.initial()?;
        for q in &sets.automaton().initial {
            family[q.index()] = start.clone();
        }
        Ok(family)
    }

    /// Everything that can be reached from `family`.
    pub fn reach(&self, sets: &mut Sets<'_, '_>, family: Family) -> Result<Family, Stop> {
        self.spread(
            sets,
            family,
            |by| (by.from, by.to),
            |sets, q, set| sets.close(set, self.loops[q]),
            |sets, by, set| sets.post(set, by.guard),
        )
    }

    /// What can be reached from `family` inside of `within`, which includes it.
    pub fn reach_within(
        &self,
        sets: &mut Sets<'_, '_>,
        family: Family,
        within: &Family,
    ) -> Result<Family, Stop> {
        self.spread(
            sets,
            family,
            |by| (by.from, by.to),
            |sets, q, set| sets.close_within(set, self.loops[q], &within[q]),
            |sets, by, set| {
                let within = &within[by.to.index()];
                if within.is_empty() {
                    return Ok(within.clone());
                }
                let next = sets.post(set, by.guard)?;
                sets.space.store().intersection(&next, within)
            },
        )
    }

    /// What can reach `family` inside of `within`, which includes it.
    pub fn back_within(
        &self,
        sets: &mut Sets<'_, '_>,
        family: Family,
        within: &Family,
    ) -> Result<Family, Stop> {
        self.spread(
            sets,
            family,
            |by| (by.to, by.from),
            |sets, q, set| sets.back_within(set, self.loops[q], &within[q]),
            |sets, by, set| sets.pre(set, by.guard, &within[by.from.index()]),
        )
    }

    /// The least family above `family` that is closed at every automaton state and across.
    fn spread<'r, 's>(
        &self,
        sets: &mut Sets<'r, 's>,
        mut family: Family,
        ends: impl Fn(&AutomatonEdge) -> (StateId, StateId),
        close: impl Fn(&mut Sets<'r, 's>, usize, &Set) -> Result<Set, Stop>,
        cross: impl Fn(&mut Sets<'r, 's>, &AutomatonEdge, &Set) -> Result<Set, Stop>,
    ) -> Result<Family, Stop> {
        let mut queue: VecDeque<usize> = (0..family.len())
            .filter(|q| !family[*q].is_empty())
            .collect();
        while let Some(q) = queue.pop_front() {
            family[q] = close(sets, q, &family[q])?;
            for by in &self.crossings {
                let (from, to) = ends(by);
                if from.index() != q {
                    continue;
                }
                let next = cross(sets, by, &family[q])?;
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

    /// The members of `family` that stutter.
    pub fn resting(&self, sets: &mut Sets<'_, '_>, family: &Family) -> Result<Family, Stop> {
        let still = |set: &Set| sets.resting(set, Guards::TRUE);
        family.iter().map(still).collect()
    }

    /// The sources of edges inside of `family` that carry all of `marks`.
    pub fn sources(
        &self,
        sets: &mut Sets<'_, '_>,
        family: &Family,
        marks: Marks,
    ) -> Result<Family, Stop> {
        let mut sources = self.empty(sets);
        for by in self.edges.iter().filter(|by| by.marks.contains(marks)) {
            let (q, d) = (by.from.index(), by.to.index());
            if family[q].is_empty() || family[d].is_empty() {
                continue;
            }
            let some = sets.pre(&family[d], by.guard, &family[q])?;
            sources[q] = sets.space.store().union(&sources[q], &some)?;
        }
        Ok(sources)
    }

    /// The targets of edges inside of `family` that carry all of `marks`.
    pub fn targets(
        &self,
        sets: &mut Sets<'_, '_>,
        family: &Family,
        marks: Marks,
    ) -> Result<Family, Stop> {
        let mut targets = self.empty(sets);
        for by in self.edges.iter().filter(|by| by.marks.contains(marks)) {
            let (q, d) = (by.from.index(), by.to.index());
            if family[q].is_empty() || family[d].is_empty() {
                continue;
            }
            let next = sets.post(&family[q], by.guard)?;
            let some = sets.space.store().intersection(&next, &family[d])?;
            targets[d] = sets.space.store().union(&targets[d], &some)?;
        }
        Ok(targets)
    }
}
