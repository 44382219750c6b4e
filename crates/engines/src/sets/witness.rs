//! Accepting lassos inside of a family of states that a fixpoint has computed.
//!
//! Every state of the core has an accepting run inside of the core. After a path into the core: go
//! to the nearest edge with the first mark, then to the nearest with the second, and so on;
//! likewise for fairness constraints; then close the cycle if its entry is reachable. If not, the
//! entry is in another component: repeat from the current state, at most once per component on the
//! path. A reachable deadlock that stutters with all marks closes the cycle at once.
//!
//! E. M. Clarke, O. Grumberg, K. L. McMillan, X. Zhao, *Efficient generation of counterexamples and
//! witnesses in symbolic model checking*, DAC 1995. One saturation decides whether a cycle closes.
//! Paths are searched by layers from a single state, and are shortest. If the layers grow too
//! large, a single run is followed among states that can reach the goal, without repeating a state.

use super::fair::{idle_in, union};
use super::fixpoint::FairStates;
use super::operators::SymbolicProblem;
use super::walk::lost;
use super::whole::{AutomatonEdge, SetFamily, StepSelection, Whole, is_empty};
use crate::runs::{Passage, plain_run};
use lariat_automata::StateId;
use lariat_budget::{Lease, Stop};
use lariat_emptiness::Marks;
use lariat_model::{Constraint, Lasso, State, Strength};
use lariat_space::symbolic::Set;

/// A state of the product.
#[derive(Clone)]
pub struct ProductState {
    pub location: StateId,
    pub state: State,
}

/// The steps of a path, and its end.
type ProductPath = (Vec<Passage>, ProductState);

/// Construction of runs in families of the product.
pub struct RunBuilder<'a, 'r, 's> {
    pub sets: &'a mut SymbolicProblem<'r, 's>,
    pub whole: &'a Whole,
    /// The memory of the states on the paths.
    pub lease: Lease,
}

enum Goal {
    /// Taking an edge with this mark.
    Mark(u32),
    /// Reaching one of these states, possibly without a step.
    In(SetFamily),
}

/// Limit on diagram nodes created by the layers before a single run is tried.
const LAYER_NODES: u64 = 50_000;

/// Maximum length of a single run.
const RUN_LENGTH: usize = 10_000;

impl RunBuilder<'_, '_, '_> {
    /// Returns an accepting run from `first`, a member of `fair`, that ends inside of the core.
    pub fn run(&mut self, first: ProductState, fair: &FairStates) -> Result<Lasso, Stop> {
        let begin = first.state.clone();
        let into = Goal::In(fair.core.clone());
        let (mut path, mut at) = self.path_to(&fair.all, first, &into)?;
        let fair = &fair.core;
        let mut ahead = self.reach_from(&at, fair)?;
        loop {
            let rest = self.accepting_deadlocks(&ahead)?;
            if !is_empty(&rest) {
                let (steps, end) = self.path_to(&ahead, at, &Goal::In(rest))?;
                path.extend(steps);
                let still = Passage {
                    event: None,
                    state: end.state,
                };
                return Ok(plain_run(begin, path, vec![still]));
            }
            let entry = at.clone();
            let mut round = Vec::new();
            for mark in self.whole.marks.iter() {
                let (steps, end) = self.path_to(fair, at, &Goal::Mark(mark))?;
                round.extend(steps);
                at = end;
            }
            for demand in &self.whole.demands {
                let (steps, end) = self.satisfy(fair, at, demand)?;
                round.extend(steps);
                at = end;
            }
            ahead = self.reach_from(&at, fair)?;
            if self.is_in(&entry, &ahead) {
                let goal = self.singleton(&entry)?;
                let (steps, _) = self.path_to(&ahead, at, &Goal::In(goal))?;
                round.extend(steps);
                return Ok(plain_run(begin, path, round));
            }
            path.extend(round);
        }
    }

    /// Returns a prefix from `initial` after which every continuation is accepted, if `reached` has
    /// one.
    pub fn accepted_prefix(
        &mut self,
        initial: &SetFamily,
        reached: &SetFamily,
    ) -> Result<Option<Lasso>, Stop> {
        let automaton = self.sets.automaton();
        let goal = automaton.state_ids().zip(reached);
        let goal = goal.map(|(q, reached)| self.sets.evidence(q, reached));
        let goal: SetFamily = goal.collect::<Result<_, Stop>>()?;
        if is_empty(&goal) {
            return Ok(None);
        }
        let way = self.whole.back_within(self.sets, goal.clone(), reached)?;
        for q in automaton.state_ids() {
            let (initial, way_here) = (&initial[q.index()], &way[q.index()]);
            let starts = self.sets.space.store().intersection(initial, way_here)?;
            if let Some(start) = self.sets.space.pick(&starts) {
                let first = ProductState {
                    location: q,
                    state: start.clone(),
                };
                let (path, _) = self.path_to(&way, first, &Goal::In(goal))?;
                return Ok(Some(plain_run(start, path, Vec::new())));
            }
        }
        Err(lost())
    }

    /// Extends the path until a fairness constraint is satisfied, by a step or, if it is weak, by a
    /// state that does not enable it. A strong constraint that no reachable step satisfies is never
    /// enabled.
    fn satisfy(
        &mut self,
        fair: &SetFamily,
        at: ProductState,
        demand: &Constraint,
    ) -> Result<ProductPath, Stop> {
        let ahead = self.reach_from(&at, fair)?;
        let (sets, whole) = (&mut *self.sets, self.whole);
        let takers = whole.sources(sets, &ahead, StepSelection::By(&demand.taken))?;
        let idle = match demand.strength {
            Strength::Weak => idle_in(sets, demand, &ahead)?,
            Strength::Strong => whole.empty(sets),
        };
        let goal = union(sets, &idle, &takers)?;
        if is_empty(&goal) && demand.strength == Strength::Strong {
            return Ok((Vec::new(), at));
        }
        let (mut steps, end) = self.path_to(&ahead, at, &Goal::In(goal))?;
        if self.is_in(&end, &idle) {
            return Ok((steps, end));
        }
        for edge in whole.edges.iter().filter(|edge| edge.from == end.location) {
            let targets = &ahead[edge.to.index()];
            let step = (self.sets).step_by(&end.state, edge.guard, &demand.taken, targets);
            if let Some(step) = step {
                let end = ProductState {
                    location: edge.to,
                    state: step.state.clone(),
                };
                steps.push(step);
                return Ok((steps, end));
            }
        }
        Err(lost())
    }

    fn is_in(&mut self, at: &ProductState, family: &SetFamily) -> bool {
        let here = &family[at.location.index()];
        self.sets.space.contains(here, &at.state)
    }

    /// Returns the family with a single state.
    fn singleton(&mut self, at: &ProductState) -> Result<SetFamily, Stop> {
        let mut family = self.whole.empty(self.sets);
        family[at.location.index()] = self.sets.space.singleton(&at.state)?;
        Ok(family)
    }

    fn reach_from(&mut self, at: &ProductState, within: &SetFamily) -> Result<SetFamily, Stop> {
        let here = self.singleton(at)?;
        self.whole.reach_within(self.sets, here, within)
    }

    /// Returns the members of `family` that stutter by an edge with all marks.
    fn accepting_deadlocks(&mut self, family: &SetFamily) -> Result<SetFamily, Stop> {
        let (sets, whole) = (&mut *self.sets, self.whole);
        let mut rest = whole.empty(sets);
        let full = |edge: &&AutomatonEdge| edge.from == edge.to && edge.marks == whole.marks;
        for edge in whole.edges.iter().filter(full) {
            let q = edge.from.index();
            let some = sets.stuttering(&family[q], edge.guard)?;
            rest[q] = sets.space.store().union(&rest[q], &some)?;
        }
        Ok(rest)
    }

    /// Returns a path inside of `within` to the goal, a shortest one if the layers stay small.
    fn path_to(
        &mut self,
        within: &SetFamily,
        from: ProductState,
        goal: &Goal,
    ) -> Result<ProductPath, Stop> {
        let whole = self.whole;
        let mut layers = vec![self.singleton(&from)?];
        let mut seen = layers[0].clone();
        let created = self.sets.space.store_figures().created;
        let mut is_small = true;
        loop {
            if is_small && self.sets.space.store_figures().created > created + LAYER_NODES {
                is_small = false;
                if let Some(found) = self.follow(within, from.clone(), goal)? {
                    return Ok(found);
                }
            }
            let last = layers.last().ok_or_else(lost)?;
            match goal {
                Goal::Mark(mark) => {
                    let marks = Marks::one(*mark);
                    for edge in whole.edges.iter().filter(|edge| edge.marks.contains(marks)) {
                        let next = self.advance(edge, last, within)?;
                        if let Some(target) = self.sets.space.pick(&next) {
                            let (state, step) = self.predecessor(edge, last, &target)?;
                            let before = ProductState {
                                location: edge.from,
                                state,
                            };
                            let mut steps = self.retrace(&layers, before)?;
                            steps.push(step);
                            let end = ProductState {
                                location: edge.to,
                                state: target,
                            };
                            return Ok((steps, end));
                        }
                    }
                }
                Goal::In(family) => {
                    for (q, goal) in family.iter().enumerate() {
                        let met = self.sets.space.store().intersection(&last[q], goal)?;
                        if let Some(state) = self.sets.space.pick(&met) {
                            let location = StateId(q as u32);
                            let end = ProductState { location, state };
                            let steps = self.retrace(&layers, end.clone())?;
                            return Ok((steps, end));
                        }
                    }
                }
            }
            let mut fresh = whole.empty(self.sets);
            for edge in &whole.edges {
                let to = edge.to.index();
                let next = self.advance(edge, last, within)?;
                let store = self.sets.space.store();
                let new = store.difference(&next, &seen[to])?;
                seen[to] = store.union(&seen[to], &new)?;
                fresh[to] = store.union(&fresh[to], &new)?;
            }
            if is_empty(&fresh) {
                return Err(lost());
            }
            layers.push(fresh);
        }
    }

    /// Follows one run inside of `within`, without repeating a state, until it reaches the goal.
    fn follow(
        &mut self,
        within: &SetFamily,
        from: ProductState,
        goal: &Goal,
    ) -> Result<Option<ProductPath>, Stop> {
        let whole = self.whole;
        let mut fresh = match goal {
            Goal::Mark(_) => within.clone(),
            Goal::In(family) => whole.back_within(self.sets, family.clone(), within)?,
        };
        let is_goal = |edge: &AutomatonEdge| match goal {
            Goal::Mark(mark) => edge.marks.contains(Marks::one(*mark)),
            Goal::In(_) => false,
        };
        let mut at = from;
        let mut steps = Vec::new();
        while steps.len() < RUN_LENGTH {
            if matches!(goal, Goal::In(family) if self.is_in(&at, family)) {
                return Ok(Some((steps, at)));
            }
            let here = self.sets.space.singleton(&at.state)?;
            let set = &mut fresh[at.location.index()];
            *set = self.sets.space.store().difference(set, &here)?;
            let mut next = None;
            for edge in whole.edges.iter().filter(|edge| edge.from == at.location) {
                // An edge with the goal mark may end in a visited state.
                let (is_goal, to) = (is_goal(edge), edge.to.index());
                let targets = if is_goal { &within[to] } else { &fresh[to] };
                if (next.is_none() || is_goal)
                    && let Some(step) = self.sets.step_into(&at.state, edge.guard, targets)
                {
                    next = Some((is_goal, edge.to, step));
                }
                if matches!(next, Some((true, ..))) {
                    break;
                }
            }
            let Some((is_goal, to, step)) = next else {
                return Ok(None);
            };
            at = ProductState {
                location: to,
                state: step.state.clone(),
            };
            steps.push(step);
            if is_goal {
                return Ok(Some((steps, at)));
            }
        }
        Ok(None)
    }

    /// Returns the successors of a layer by `edge` inside of `within`.
    fn advance(
        &mut self,
        edge: &AutomatonEdge,
        layer: &SetFamily,
        within: &SetFamily,
    ) -> Result<Set, Stop> {
        let (from, within) = (&layer[edge.from.index()], &within[edge.to.index()]);
        if from.is_empty() || within.is_empty() {
            return Ok(self.sets.space.empty());
        }
        let next = self.sets.post(from, edge.guard)?;
        self.sets.space.store().intersection(&next, within)
    }

    /// Returns a state of the layer from which `edge` leads to `target`, and the step.
    fn predecessor(
        &mut self,
        edge: &AutomatonEdge,
        layer: &SetFamily,
        target: &State,
    ) -> Result<(State, Passage), Stop> {
        let sets = &mut *self.sets;
        let target = sets.space.singleton(target)?;
        let sources = sets.pre(&target, edge.guard, &layer[edge.from.index()])?;
        let state = sets.space.pick(&sources).ok_or_else(lost)?;
        let step = sets.step_into(&state, edge.guard, &target);
        Ok((state, step.ok_or_else(lost)?))
    }

    /// Returns the steps through the layers to `end`, a member of the last layer.
    fn retrace(&mut self, layers: &[SetFamily], end: ProductState) -> Result<Vec<Passage>, Stop> {
        let state = size_of::<Passage>() + size_of_val(&*end.state);
        let paths = usize::try_from(self.lease.bytes()).unwrap_or(usize::MAX);
        self.lease
            .resize(paths.saturating_add(layers.len() * state))?;
        let mut steps = Vec::with_capacity(layers.len());
        let mut at = end;
        for layer in layers.iter().rev().skip(1) {
            let target = self.sets.space.singleton(&at.state)?;
            let mut found = None;
            let edges = self.whole.edges.iter();
            for edge in edges.filter(|edge| edge.to == at.location) {
                let from = &layer[edge.from.index()];
                if !from.is_empty() && !self.sets.pre(&target, edge.guard, from)?.is_empty() {
                    found = Some((edge.from, self.predecessor(edge, layer, &at.state)?));
                    break;
                }
            }
            let (location, (state, step)) = found.ok_or_else(lost)?;
            steps.push(step);
            at = ProductState { location, state };
        }
        steps.reverse();
        Ok(steps)
    }
}
