//! Walks that follow the state equation.
//!
//! If a goal requires a few dozen of thousands of events, random walks fail, and counting missing
//! tokens does not show the way. The state equation does: a smallest solution `x` from the current
//! marking ([`lariat_structural::Directions`]) determines the events and their numbers. The walk
//! fires events with *credit*, initially `x`, until it is used up, and then computes another
//! solution. (ITS-tools walks to markings like this: Y. Thierry-Mieg, *Structural reductions
//! revisited*, Petri Nets 2020, its `tryParikhWalk`.) Here the walk continues to infinite runs:
//!
//! 1. outside of accepting components, to a letter that leads closer to one;
//! 2. inside, the position becomes an *anchor*, and the walk visits a letter with each mark missing
//!    since;
//! 3. if none is missing, to the marking of the anchor or a larger one. That closes a loop of
//!    thousands of events, beyond any bounded search, or a covering run.
//!
//! A solution need not be firable. If no event with credit is enabled, the walk takes some random
//! steps, more each time, before the next solution.
//!
//! Cost: a linear program per solution, in units that are counted as steps.

use super::{RandomWalker, WalkStep};
use lariat_budget::Stop;
use lariat_emptiness::NodeId;
use lariat_model::EventId;
use lariat_space::explicit::StepChoice;
use lariat_structural::{Destination, Directions, EffectClass};

/// Limit per solution, in units of the solver.
const UNITS_PER_QUESTION: u64 = 5_000;
/// Limit on all solutions of a walk: a few that fail, or hundreds.
const UNITS_PER_WALK: u64 = 10_000;
/// Steps that take about as long as a unit of the solver.
const STEPS_PER_UNIT: u64 = 4;
/// Random steps after the first solution that cannot be fired; then twice as many, and so on.
const RANDOM_STEPS: usize = 4;

pub(super) struct Guide {
    directions: Directions,
    /// By effect: number of times that it is still to be fired.
    credit: Vec<u32>,
    left: u64,
    /// Position at which the loop is to be closed.
    anchor: Option<usize>,
    /// Units left for solutions.
    units: u64,
    /// Random steps before the next solution, and their number the next time.
    random_steps: usize,
    next_random_steps: usize,
}

impl Guide {
    pub fn new(directions: Directions) -> Guide {
        Guide {
            credit: vec![0; directions.effects()],
            directions,
            left: 0,
            anchor: None,
            units: UNITS_PER_WALK,
            random_steps: 0,
            next_random_steps: RANDOM_STEPS,
        }
    }

    pub fn begin(&mut self) {
        self.clear_credit();
        self.anchor = None;
        (self.units, self.random_steps, self.next_random_steps) = (UNITS_PER_WALK, 0, RANDOM_STEPS);
    }

    fn clear_credit(&mut self) {
        self.credit.fill(0);
        self.left = 0;
    }

    fn has_credit(&self, event: Option<EventId>) -> bool {
        let effect = event.and_then(|event| self.directions.effect(event));
        effect.is_some_and(|effect| self.credit[effect.index()] > 0)
    }

    fn fired(&mut self, event: Option<EventId>) {
        if let Some(effect) = event.and_then(|event| self.directions.effect(event)) {
            self.credit[effect.index()] -= 1;
            self.left -= 1;
        }
    }
}

impl RandomWalker<'_, '_> {
    /// Returns a step by the state equation, or a random one if there is no solution.
    pub(super) fn guided(
        &mut self,
        guide: &mut Guide,
        node: NodeId,
        ways: &mut [StepChoice],
    ) -> Result<Option<WalkStep>, Stop> {
        if let Some(choice) = self.with_credit(guide, node, ways)? {
            return Ok(Some(choice));
        }
        guide.clear_credit();
        if guide.random_steps > 0 || guide.units == 0 {
            guide.random_steps = guide.random_steps.saturating_sub(1);
            return self.drawn(node, ways);
        }
        let Some(destination) = self.aim(guide, node) else {
            return self.drawn(node, ways);
        };
        match self.ask(guide, &destination, node)? {
            // The destination is reached.
            Some(counts) if counts.is_empty() => {
                return match self.nearest(node, ways)? {
                    Some(choice) => Ok(Some(choice)),
                    None => self.drawn(node, ways),
                };
            }
            Some(counts) => {
                for (effect, times) in counts {
                    guide.credit[effect.index()] = times;
                    guide.left += u64::from(times);
                }
                if let Some(choice) = self.with_credit(guide, node, ways)? {
                    return Ok(Some(choice));
                }
                guide.clear_credit();
            }
            // The anchor may be unreachable.
            None => guide.anchor = None,
        }
        guide.random_steps = guide.next_random_steps;
        guide.next_random_steps *= 2;
        self.drawn(node, ways)
    }

    /// Solves the state equation from a node to a destination; counts the cost as steps.
    fn ask(
        &mut self,
        guide: &mut Guide,
        destination: &Destination,
        node: NodeId,
    ) -> Result<Option<Vec<(EffectClass, u32)>>, Stop> {
        let (state, _) = self.worker.nodes.get(node);
        let own = self.budget.clone().with_work(u64::MAX);
        let here = self.product.values(&mut self.worker, state);
        let most = guide.units.min(UNITS_PER_QUESTION);
        let found = guide.directions.to(destination, here, most, &own);
        guide.units = guide.units.saturating_sub(own.work_spent());
        let steps = own.work_spent().saturating_mul(STEPS_PER_UNIT);
        self.counts.edges += steps;
        self.budget.spend(steps)?;
        found
    }

    /// Returns a step by an event with credit.
    fn with_credit(
        &mut self,
        guide: &mut Guide,
        node: NodeId,
        ways: &mut [StepChoice],
    ) -> Result<Option<WalkStep>, Stop> {
        if guide.left == 0 {
            return Ok(None);
        }
        self.random.shuffle(ways);
        for way in ways.iter().copied() {
            if guide.has_credit(way.0)
                && let Some(choice) = self.step_by(node, way)?
            {
                guide.fired(way.0);
                return Ok(Some(choice));
            }
        }
        Ok(None)
    }

    /// Returns the destination from the end of the walk: the anchor, or a drawn marking that the
    /// automaton waits for.
    fn aim(&mut self, guide: &mut Guide, node: NodeId) -> Option<Destination> {
        let (_, location) = self.worker.nodes.get(node);
        let missing = if self.acceptance.is_accepting(location) {
            let anchor = *guide.anchor.get_or_insert(self.trail.len());
            let missing = self.trail.missing_since(anchor);
            if missing.is_empty() {
                // Leave the anchor before returning to it.
                if anchor == self.trail.len() {
                    return None;
                }
                let (state, _) = self.worker.nodes.get(self.trail.node(anchor));
                let marking = self.product.values(&mut self.worker, state);
                return Some(Destination::covering(marking));
            }
            missing
        } else {
            guide.anchor = None;
            self.trail.missing()
        };
        let cubes: Vec<_> = self.goal.cubes(location, missing).collect();
        let cube = self.random.pick(&cubes)?;
        let propositions = self.problem.propositions;
        let destinations = guide.directions.destinations(propositions, *cube);
        self.random.pick(&destinations).cloned()
    }
}
