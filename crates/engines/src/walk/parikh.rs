//! Walks that follow the state equation.
//!
//! In a net of thousands of events, of which a few dozen have to be fired for what the automaton waits for, a walk that draws its steps gets nowhere, and
//! one that counts missing tokens does not see the way to them. The state equation does: a smallest solution `x` from the
//! marking at hand ([`lariat_structural::Directions`]) says which events matter, and how often. The walk then fires events with *credit*, which each has
//! as often as `x` says, until there is none left, and asks for another solution. (ITS-tools walks like this to markings: Y. Thierry-Mieg,
//! *Structural reductions revisited*, Petri Nets 2020, its `tryParikhWalk`.) We go on to infinite runs:
//!
//! 1. outside of accepting components, to a letter that leads nearer to one;
//! 2. inside, the position is made an *anchor*, and the walk goes to a letter with each mark that is missing since;
//! 3. when none is, back to the marking of the anchor, or one with more tokens. That closes a loop of thousands of events of which
//!    no search of the neighbourhood knows, or a covering run.
//!
//! A solution need not be firable. Where no event with credit can be fired the walk takes a few steps without directions, more each time, before it asks again.
//!
//! Cost: a linear program for each direction, in units that are counted with the steps.

use super::goal::Goal;
use super::{Choice, Walker};
use lariat_automata::StateId as Location;
use lariat_budget::Stop;
use lariat_emptiness::{Marks, NodeId};
use lariat_model::{EventId, Proposition};
use lariat_random::Random;
use lariat_space::explicit::Way;
use lariat_structural::{Destination, Directions, Effect};

/// What one question may cost, in units of the solver: less than a tenth of a second. Those that led somewhere on nets of up to 7 000 places took 100 to 3 500.
const UNITS_PER_QUESTION: u64 = 5_000;
/// What all questions of a walk may cost: a few that fail, or hundreds.
const UNITS_PER_WALK: u64 = 10_000;
/// Steps that take about as long as a unit of the solver's work.
const STEPS_PER_UNIT: u64 = 4;
/// Steps without directions after a solution that cannot be fired: so many, then twice as many, and so on.
const ASTRAY: usize = 4;

/// Where a walk by the state equation stands.
pub(super) struct Guide {
    directions: Directions,
    /// By effect: how often it is still to be fired.
    credit: Vec<u32>,
    /// All of that.
    left: u64,
    /// The position to which the loop is to be closed.
    anchor: Option<usize>,
    /// Units that may still be spent on questions.
    units: u64,
    /// Steps to take before the next question, and how many there are to be next time.
    astray: usize,
    further: usize,
}

/// Where to go next.
enum Aim {
    To(Destination),
    /// Anywhere.
    On,
}

impl Guide {
    pub fn new(directions: Directions) -> Guide {
        Guide {
            credit: vec![0; directions.effects()],
            directions,
            left: 0,
            anchor: None,
            units: UNITS_PER_WALK,
            astray: 0,
            further: ASTRAY,
        }
    }

    /// A new walk.
    pub fn begin(&mut self) {
        self.forget();
        self.anchor = None;
        (self.units, self.astray, self.further) = (UNITS_PER_WALK, 0, ASTRAY);
    }

    fn forget(&mut self) {
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

    /// One of the markings that the automaton waits for.
    fn letter(
        &self,
        goal: &Goal<'_>,
        propositions: &[Proposition],
        (location, missing): (Location, Marks),
        random: &mut Random,
    ) -> Option<Aim> {
        let cubes: Vec<_> = goal.cubes(location, missing).collect();
        let cube = random.pick(&cubes)?;
        let destinations = self.directions.destinations(propositions, *cube);
        random.pick(&destinations).cloned().map(Aim::To)
    }
}

impl Walker<'_, '_> {
    /// A step by the state equation, or any other where it does not help.
    pub(super) fn guided(
        &mut self,
        guide: &mut Guide,
        node: NodeId,
        ways: &mut [Way],
    ) -> Result<Option<Choice>, Stop> {
        if let Some(choice) = self.with_credit(guide, node, ways)? {
            return Ok(Some(choice));
        }
        guide.forget();
        if guide.astray > 0 || guide.units == 0 {
            guide.astray = guide.astray.saturating_sub(1);
            return self.drawn(node, ways);
        }
        let Aim::To(destination) = self.aim(guide, node) else {
            return self.drawn(node, ways);
        };
        match self.ask(guide, &destination, node)? {
            // Here we are.
            Some(counts) if counts.is_empty() => {
                let nearest = self.nearest(node, ways)?;
                return match nearest {
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
                guide.forget();
            }
            // There may be no way back.
            None => guide.anchor = None,
        }
        guide.astray = guide.further;
        guide.further *= 2;
        self.drawn(node, ways)
    }

    /// The way from a node to a destination, and what it has cost to find it.
    fn ask(
        &mut self,
        guide: &mut Guide,
        destination: &Destination,
        node: NodeId,
    ) -> Result<Option<Vec<(Effect, u32)>>, Stop> {
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

    /// A step by an event that has credit.
    fn with_credit(
        &mut self,
        guide: &mut Guide,
        node: NodeId,
        ways: &mut [Way],
    ) -> Result<Option<Choice>, Stop> {
        if guide.left == 0 {
            return Ok(None);
        }
        self.random.shuffle(ways);
        for way in ways.iter().copied() {
            if guide.has_credit(way.0)
                && let Some(choice) = self.by(node, way)?
            {
                guide.fired(way.0);
                return Ok(Some(choice));
            }
        }
        Ok(None)
    }

    /// Where to go from the end of the walk.
    fn aim(&mut self, guide: &mut Guide, node: NodeId) -> Aim {
        let (_, location) = self.worker.nodes.get(node);
        let propositions = self.problem.propositions;
        if !self.chart.is_accepting(location) {
            guide.anchor = None;
            let missing = self.trail.missing();
            let letter = guide.letter(
                &self.goal,
                propositions,
                (location, missing),
                &mut self.random,
            );
            return letter.unwrap_or(Aim::On);
        }
        let anchor = *guide.anchor.get_or_insert(self.trail.len());
        let missing = self.trail.missing_since(anchor);
        if !missing.is_empty() {
            let letter = guide.letter(
                &self.goal,
                propositions,
                (location, missing),
                &mut self.random,
            );
            return letter.unwrap_or(Aim::On);
        }
        if anchor == self.trail.len() {
            // One step, and back again.
            return Aim::On;
        }
        let (state, _) = self.worker.nodes.get(self.trail.node(anchor));
        let marking = self.product.values(&mut self.worker, state);
        Aim::To(Destination::covering(marking))
    }
}
