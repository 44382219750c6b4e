//! Random walks in the product. They find violating runs and never prove their absence.
//!
//! Many violations occur on almost every run, but an exhaustive search may stay in one corner of a
//! large product. A walk draws its steps with *one step of lookahead*: a step is taken only if the
//! automaton can read on after it. A walk ends with a run in five cases:
//!
//! 1. inside an accepting component of the automaton, a bounded search of the neighbourhood finds a
//!    cycle ([`near`]);
//! 2. the walk returns to one of its nodes, with all marks in between;
//! 3. it reaches a dead state whose stuttering the automaton accepts;
//! 4. it *covers* an earlier marking with more tokens, which it can repeat indefinitely
//!    ([`Covering`]);
//! 5. the automaton accepts every continuation. If finite runs do not count, a continuation must be
//!    found.
//!
//! Every other walk is directed at the letters that the automaton waits for ([`goal`]); later every
//! second of these follows the state equation ([`parikh`]). Walks become longer over time. The seed
//! is fixed, so walks are deterministic.
//!
//! ITS-tools has similar walks (Y. Thierry-Mieg, *Structural reductions revisited*, Petri Nets
//! 2020; its `RandomProductWalker`). Local search, directed walks and covering runs are ours.
//!
//! States are interned in the explicit space, which updates enabled transitions, labels and hashes
//! incrementally. Interning is cheap, identifies repeated states, and lets searches and walks share
//! them. The space is cleared from time to time, because small tables are faster.
//!
//! Cost: one step of the system and one unit of work per way examined.

mod goal;
mod near;
mod parikh;
mod trail;
mod ways;

use crate::acceptance_map::AcceptanceMap;
use crate::engine::{AutomatonKind, Engine, Found, Needs, Procedure, Task};
use crate::engine_id::EngineId;
use crate::explicit::covering::{Covering, steps_back};
use crate::explicit::product::{ExplicitProduct, ExplicitWorker};
use crate::explicit::steps::ProductRun;
use crate::explicit::{record_peak, record_search};
use crate::problem::Problem;
use goal::WalkGoals;
use lariat_automata::{Letter, StateId as Location};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::{Counts, Graph, Marks, NodeId, Outcome};
use lariat_model::{EventId, Lasso, Strength};
use lariat_random::Random;
use lariat_space::explicit::{ExplicitStateId, StepChoice};
use lariat_structural::Directions;
use near::Neighbourhood;
use parikh::Guide;
use rustc_hash::FxHashMap;
use trail::WalkTrail;

/// Random walks.
pub const WALK: Engine = Engine {
    id: EngineId::Walk,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| &[],
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Weak),
    has_published: false,
    procedure: Procedure::Single(walk),
};

/// The seed of all walks; its value is arbitrary.
const SEED: u64 = 0x1a71_a700;
/// Steps of the first walks: most violations are near.
const SHORTEST: usize = 64;
/// Steps of the longest walks.
const LONGEST: usize = 20_000;
/// Walks of equal length; later ones are half as long again.
const WALKS_PER_LENGTH: u64 = 8;
/// Steps of all walks if there is no other limit.
const MOST_STEPS: u64 = 4_000_000;
/// Ways drawn before all are tried in turn.
const DRAWS: usize = 8;
/// Ways among which a directed walk chooses.
const CANDIDATES: usize = 16;
/// One in this many steps of a directed walk is random, to escape unreachable goals.
const RANDOM_STEP: usize = 10;
/// Steps of the first phase, whose walks are short and random or directed. Later some walks follow
/// the state equation, and one in [`WALKS_PER_LENGTH`] has the greatest length.
const FIRST_PHASE: u64 = 20_000;
/// States kept from one walk to the next, about the size of a processor cache.
const MOST_STATES: usize = 50_000;

fn walk(task: &mut Task<'_>) -> Found {
    let acceptance = AcceptanceMap::new(task.problem);
    if acceptance.is_empty() {
        return Ok(Outcome::Empty);
    }
    let product = ExplicitProduct::new(task.problem, task.observer);
    if !product.has_fairness_in_marks() {
        return Err(Stop::Unsupported(
            "walk supports only weak fairness, with at most 64 constraints".to_owned(),
        ));
    }
    let mut walker = RandomWalker::new(task.problem, &product, &acceptance, task.budget);
    let found = walker.walks();
    record_search(task.account, &walker.counts, walker.worker.states());
    record_peak(task);
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Random,
    /// Closer to the letters that the automaton waits for, by missing tokens.
    Directed,
    Guided,
}

struct RandomWalker<'a, 'p> {
    problem: &'a Problem<'p>,
    product: &'a ExplicitProduct<'p>,
    acceptance: &'a AcceptanceMap,
    goal: WalkGoals<'a>,
    covering: Option<Covering<'a>>,
    /// Directions by the state equation, computed after the first phase.
    guide: Option<Guide>,
    budget: &'a Budget,
    worker: ExplicitWorker,
    random: Random,
    trail: WalkTrail,
    counts: Counts,
    /// Cache of `can_read_on`, by label and automaton state.
    reads_on: FxHashMap<(Letter, Location), bool>,
    /// Scratch memory for the ways from a node and the automaton's moves.
    ways: Vec<StepChoice>,
    targets: Vec<(Marks, Location)>,
}

#[derive(Clone, Copy)]
struct WalkStep {
    event: Option<EventId>,
    state: ExplicitStateId,
    marks: Marks,
    location: Location,
}

impl<'a, 'p> RandomWalker<'a, 'p> {
    fn new(
        problem: &'a Problem<'p>,
        product: &'a ExplicitProduct<'p>,
        acceptance: &'a AcceptanceMap,
        budget: &'a Budget,
    ) -> RandomWalker<'a, 'p> {
        RandomWalker {
            problem,
            product,
            acceptance,
            goal: WalkGoals::new(problem, acceptance),
            covering: Covering::new(problem, product),
            guide: None,
            budget,
            worker: product.worker(budget),
            random: Random::new(SEED),
            trail: WalkTrail::new(product.marks()),
            counts: Counts::default(),
            reads_on: FxHashMap::default(),
            ways: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Walks until a run is found or a limit is reached.
    fn walks(&mut self) -> Found {
        let mut length = SHORTEST;
        let mut number = 0;
        let mut is_late = false;
        while self.counts.edges < MOST_STEPS {
            number += 1;
            if !is_late && self.counts.edges >= FIRST_PHASE {
                is_late = true;
                self.guide = Directions::of(self.problem.system).map(Guide::new);
            }
            let style = match number % 4 {
                0 if self.guide.is_some() => Style::Guided,
                0 | 2 if self.goal.is_cheap() => Style::Directed,
                _ => Style::Random,
            };
            let is_long = style == Style::Guided || is_late && number % WALKS_PER_LENGTH == 1;
            let most = if is_long { LONGEST } else { length };
            match self.walk(most, length, style) {
                Ok(Some(lasso)) => return Ok(Outcome::Accepting(lasso)),
                // The next walk may stay below the limit on tokens.
                Ok(None) | Err(Stop::Bound(_)) => {}
                Err(stop) => return Err(stop),
            }
            if number % WALKS_PER_LENGTH == 0 {
                length = LONGEST.min(length + length / 2);
            }
            if self.worker.states().len() > MOST_STATES {
                self.worker = self.product.worker(self.budget);
            }
        }
        Err(Stop::Work(MOST_STEPS))
    }

    fn spend(&mut self) -> Result<(), Stop> {
        self.counts.edges += 1;
        self.budget.spend(1)
    }

    /// Makes one walk of at most `most` steps, with bounded searches about every `length` steps.
    fn walk(&mut self, most: usize, length: usize, style: Style) -> Result<Option<Lasso>, Stop> {
        self.budget.check()?;
        self.spend()?;
        let starts = self.problem.system.initial.len() * self.problem.automaton.initial.len();
        let start = self.random.below(starts);
        let Some(start) = self.product.initial(&mut self.worker, start)? else {
            return Ok(None);
        };
        let (_, mut at) = self.worker.nodes.get(start);
        self.trail.begin(start);
        if let Some(guide) = &mut self.guide {
            guide.begin();
        }
        let mut steps_to_search = self.random.below(length);
        while self.trail.len() < most {
            let node = self.trail.end();
            if self.acceptance.is_forever(at) && self.problem.takes_prefixes() {
                let RandomWalker { trail, worker, .. } = self;
                return Ok(Some(trail.prefix(worker, trail.len()).into_prefix()));
            }
            if self.acceptance.is_accepting(at) {
                if steps_to_search == 0 {
                    let component = self.acceptance.component(at);
                    if let Some(lasso) = self.look_around(node, Some(component))? {
                        return Ok(Some(lasso));
                    }
                    steps_to_search = self.random.below(length);
                }
                steps_to_search = steps_to_search.saturating_sub(1);
            }
            let (worker, random) = (&mut self.worker, &mut self.random);
            ways::list(self.product, worker, node, random, &mut self.ways)?;
            if let [(None, _)] = self.ways[..] {
                // Few nodes are reachable from a dead state.
                return self.look_around(node, None);
            }
            let Some(choice) = self.choose(node, style)? else {
                return Ok(None);
            };
            let to = self.worker.nodes.intern(choice.state, choice.location)?;
            if !self.acceptance.is_together(at, choice.location) {
                steps_to_search = self.random.below(length / 2);
            }
            at = choice.location;
            self.trail.push(choice.event, choice.marks, to);
            self.counts.deepest = self.counts.deepest.max(self.trail.len() as u64);
            if let Some(lasso) = self.repeated_run(at)? {
                return Ok(Some(lasso));
            }
        }
        Ok(None)
    }

    /// Searches for a cycle near the end of the walk.
    fn look_around(&mut self, node: NodeId, within: Option<u32>) -> Result<Option<Lasso>, Stop> {
        let near = Neighbourhood {
            product: self.product,
            acceptance: self.acceptance,
            budget: self.budget,
            start: node,
            within,
            seed: self.random.bits(),
        };
        let Some(found) = near.search(&mut self.worker, &mut self.counts)? else {
            return Ok(None);
        };
        let (product, worker) = (self.product, &mut self.worker);
        let walked = self.trail.prefix(worker, self.trail.len());
        let mut run = ProductRun::new(product, worker, walked);
        run.follow(node, &found.prefix)?;
        let entry = (
            run.run.len(),
            found.prefix.last().map_or(node, |edge| edge.to),
        );
        run.follow(entry.1, &found.cycle)?;
        Ok(Some(run.run.into_lasso(entry.0)))
    }

    /// Returns a run if the walk has repeated or covered one of its nodes.
    fn repeated_run(&mut self, at: Location) -> Result<Option<Lasso>, Stop> {
        let RandomWalker {
            trail,
            worker,
            product,
            ..
        } = self;
        let (entry, growth) = if let Some(entry) = trail.met_again() {
            (entry, None)
        } else if let Some(covering) = &mut self.covering
            && self.acceptance.is_accepting(at)
            && let back = trail.back().take(steps_back(trail.len()))
            && let Some(covered) =
                covering.covers(product, worker, self.acceptance, trail.end(), back)
        {
            (trail.len() - covered.steps, Some(covered.growth))
        } else {
            return Ok(None);
        };
        let mut run = trail.prefix(worker, entry);
        let loop_start = run.len();
        trail.steps(worker, entry, &mut run);
        Ok(Some(Lasso {
            growth,
            ..run.into_lasso(loop_start)
        }))
    }

    fn choose(&mut self, node: NodeId, style: Style) -> Result<Option<WalkStep>, Stop> {
        let mut ways = std::mem::take(&mut self.ways);
        if style == Style::Guided
            && let Some(mut guide) = self.guide.take()
        {
            let chosen = self.guided(&mut guide, node, &mut ways);
            (self.guide, self.ways) = (Some(guide), ways);
            return chosen;
        }
        let directed = style == Style::Directed && !self.random.chance(1, RANDOM_STEP);
        let mut chosen = None;
        if directed {
            chosen = self.nearest(node, &ways)?;
        }
        if chosen.is_none() {
            chosen = self.drawn(node, &mut ways)?;
        }
        self.ways = ways;
        Ok(chosen)
    }

    /// Draws a step after which the automaton can read on; tries all ways after a few draws.
    fn drawn(&mut self, node: NodeId, ways: &mut [StepChoice]) -> Result<Option<WalkStep>, Stop> {
        for _ in 0..DRAWS.min(ways.len()) {
            let way = ways[self.random.below(ways.len())];
            if let Some(choice) = self.step_by(node, way)? {
                return Ok(Some(choice));
            }
        }
        self.random.shuffle(ways);
        for way in ways.iter().copied() {
            if let Some(choice) = self.step_by(node, way)? {
                return Ok(Some(choice));
            }
        }
        Ok(None)
    }

    /// Returns the step that is closest to the goal, among some ways.
    fn nearest(&mut self, node: NodeId, ways: &[StepChoice]) -> Result<Option<WalkStep>, Stop> {
        let mut best: Option<(u64, WalkStep)> = None;
        for i in 0..CANDIDATES.min(ways.len()) {
            let way = if ways.len() <= CANDIDATES {
                ways[i]
            } else {
                ways[self.random.below(ways.len())]
            };
            let Some(choice) = self.step_by(node, way)? else {
                continue;
            };
            let values = self.product.values(&mut self.worker, choice.state);
            let missing = self.trail.missing();
            let distance = self.goal.distance(values, choice.location, missing);
            let nearer = match &best {
                None => true,
                Some((least, _)) if distance == *least => self.random.coin(),
                Some((least, _)) => distance < *least,
            };
            if nearer {
                best = Some((distance, choice));
            }
        }
        Ok(best.map(|(_, choice)| choice))
    }

    /// Returns the step by a way, with a random move after which the automaton can read on.
    fn step_by(&mut self, node: NodeId, way: StepChoice) -> Result<Option<WalkStep>, Stop> {
        self.spend()?;
        let taken = self.product.take(&mut self.worker, node, way)?;
        let Some(((event, state), moves)) = taken else {
            return Ok(None);
        };
        let (from, _) = self.worker.nodes.get(node);
        let fair = self.product.fair_marks(&mut self.worker, from, event)?;
        let letter = self.product.letter(&mut self.worker, state)?;
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        targets.extend_from_slice(self.worker.moves(moves));
        targets.retain(|(_, to)| self.can_read_on(letter, *to));
        let target = self.random.pick(&targets).copied();
        self.targets = targets;
        Ok(target.map(|(marks, location)| WalkStep {
            event,
            state,
            marks: marks.union(fair),
            location,
        }))
    }

    /// Returns whether an edge of `location` towards acceptance reads the atoms, with any event.
    fn can_read_on(&mut self, letter: Letter, location: Location) -> bool {
        let (acceptance, problem) = (self.acceptance, self.problem);
        let reads = || {
            let alphabet = problem.alphabet();
            let mut letters =
                (alphabet.classes()).map(|class| Letter(letter.0 | alphabet.letter(class).0));
            let edges = |letter| problem.automaton.reading(location, letter);
            acceptance.is_alive(location) && letters.any(|letter| edges(letter).next().is_some())
        };
        let known = self.reads_on.entry((letter, location));
        *known.or_insert_with(reads)
    }
}
