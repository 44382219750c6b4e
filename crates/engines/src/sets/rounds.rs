//! How an engine on sets begins: where everything is known, or on the fly.
//!
//! Where the reachable states are known there is one round. Otherwise the engine starts from the initial states under the order of a space,
//! and a violation that is near must not wait for closures of all that is far. So there are rounds on smaller and larger *grounds*, parts of the
//! system's steps:
//!
//! ```text
//! narrow  C_w = states reached by the events of a corridor, w = 1, 2 …          these events inside of C_w
//! near    B_d = states within d steps of the initial ones, d = 2, 3, 4, 6 …     steps inside of B_d
//! capped  N_c = {s → s' | s'(p) ≤ c for all p}, c = few, twice as many …       all steps of N_c
//! ```
//!
//! Every run of a ground is a run of the system, so that a violation found is a violation; that there is none counts only where no step was left
//! out. That every engine finds what is in a ground, whatever it leaves out, follows from its own proof, with the ground for the system: a state whose steps are
//! left out is not taken for a dead one, because that is asked of the system. Corridors lead to what the atoms look at (`corridor.rs`). Narrow and near rounds are
//! made with a share of the work that there is, so that they cost a share and look the deeper the more there is to spend. Caps are for nets that may be unbounded, on which a closure need not end;
//! the papers' engines suppose finitely many states.
//!
//! As published there are no narrow or near rounds.
//!
//! Rounds rather than closures that are suspended and resumed: nodes of a product with half-made sets would be other nodes, and none of the checks
//! by inclusion would be as good as the papers have them.

use super::corridor::corridors;
use super::operators::{Sets, Territory};
use crate::engine::{Found, Task};
use crate::hyb::first_cap;
use lariat_budget::{Statistic, Stop};
use lariat_emptiness::Outcome;
use lariat_model::Lasso;
use lariat_space::symbolic::{Reached, Set, Steps, Symbolic};

/// What an engine does in its sets.
pub type Procedure = fn(&mut Task<'_>, &mut Sets<'_, '_>) -> Found;

/// Steps from the initial states in the first round.
const FIRST_DEPTH: u32 = 2;

/// Work of near rounds where nothing limits it.
const NEAR: u64 = 1_000_000;

/// The part of the work there is that near rounds may take.
const NEAR_SHARE: u64 = 4;

/// Decides a task among the reachable states of its system.
pub fn decide(procedure: Procedure, task: &mut Task<'_>, reached: &mut Reached<'_>) -> Found {
    task.account.order = Some(reached.order.clone());
    let territory = Territory::Reachable(reached.states.clone());
    round(procedure, task, &mut reached.space, territory).0
}

/// Decides a task from the initial states on. The space is replaced by one with a larger cap where that is needed.
pub fn on_the_fly(procedure: Procedure, task: &mut Task<'_>, space: &mut Symbolic<'_>) -> Found {
    if space.cap().is_none() {
        let cap = first_cap(task.problem.system);
        if cap < u32::MAX {
            *space = space.capped(cap, task.budget)?;
        }
    }
    loop {
        let left = task.budget.work_left();
        let share = left.map_or(NEAR, |left| left / NEAR_SHARE);
        if !task.variant.published
            && let Some(found) = near(procedure, task, space, share)?
        {
            return Ok(found);
        }
        let (found, left_out) = round(procedure, task, space, Territory::Open);
        match (found?, space.cap()) {
            (Outcome::Empty, Some(cap)) if left_out => {
                // A place without end costs its values, also where they make few nodes.
                task.budget.spend(cap.into())?;
                *space = space.capped(cap.saturating_mul(2), task.budget)?;
            }
            (found, _) => return Ok(found),
        }
    }
}

/// The part of that work that rounds in corridors may take.
const NARROW_SHARE: u64 = 2;

/// Rounds in corridors and near the initial states, until one decides or they have taken their share, `work`.
pub fn near(
    procedure: Procedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
    work: u64,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    for (rounds, share) in [
        (rounds_narrow as Rounds, work / NARROW_SHARE),
        (rounds_near as Rounds, work),
    ] {
        let budget = task.budget.clone().with_work(share);
        match rounds(procedure, &mut task.under(&budget), space) {
            Ok(None) => {}
            // Was it the share that ran out, or a limit around it?
            Err(Stop::Work(_)) => task.budget.spend(0)?,
            found => return found,
        }
    }
    Ok(None)
}

/// Rounds on grounds of one kind; `None` if none of them decides.
type Rounds =
    fn(Procedure, &mut Task<'_>, &mut Symbolic<'_>) -> Result<Option<Outcome<Lasso>>, Stop>;

fn rounds_narrow(
    procedure: Procedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    space.set_budget(task.budget);
    let system = task.problem.system;
    for events in corridors(system, task.problem.propositions) {
        let steps = space.steps(&events);
        let mut corridor = space.initial()?;
        // Not even each event once need lead to an end: some may go on adding tokens.
        for _ in 0..events.len() {
            let larger = grown(space, &corridor, &steps)?;
            if larger == corridor {
                break;
            }
            corridor = larger;
        }
        let territory = Territory::Corridor(corridor, events.into());
        let (found, _) = round(procedure, task, space, territory);
        if let found @ Outcome::Accepting(_) = found? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn rounds_near(
    procedure: Procedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    space.set_budget(task.budget);
    let all = space.all();
    let mut ball = space.initial()?;
    let (mut radius, mut next) = (0, FIRST_DEPTH);
    loop {
        let mut complete = false;
        while radius < next && !complete {
            let larger = grown(space, &ball, &all)?;
            complete = larger == ball;
            ball = larger;
            radius += 1;
        }
        let territory = if complete {
            Territory::Reachable(ball.clone())
        } else {
            Territory::Within(ball.clone())
        };
        let (found, left_out) = round(procedure, task, space, territory);
        match found? {
            Outcome::Empty if !complete => next = next.saturating_add(next / 2),
            Outcome::Empty if left_out => return Ok(None),
            found => return Ok(Some(found)),
        }
    }
}

/// The states of `set` and those that one of the steps leads to.
fn grown(space: &mut Symbolic<'_>, set: &Set, steps: &Steps) -> Result<Set, Stop> {
    let image = space.image(set, steps)?;
    space.store().union(set, &image)
}

/// One round; true if a step that mattered may have been left out by the space.
fn round(
    procedure: Procedure,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
    territory: Territory,
) -> (Found, bool) {
    let mut sets = Sets::new(task.problem, space, territory, task.budget);
    sets.published = task.variant.published;
    let found = procedure(task, &mut sets);
    let store = sets.space.store_figures();
    let stats = &mut task.account.stats;
    stats.set(Statistic::SYMBOLIC_OPERATIONS, sets.operations);
    stats.set(Statistic::DIVERGENCE_TESTS, sets.divergence_tests);
    stats.set(Statistic::DIAGRAM_PEAK, store.peak);
    stats.set(Statistic::DIAGRAM_CREATED, store.created);
    stats.set(Statistic::CACHE_LOOKUPS, store.lookups);
    stats.set(Statistic::CACHE_HITS, store.hits);
    stats.set(Statistic::BYTES_PEAK, task.budget.bytes_peak());
    (found, sets.left_out)
}
