//! `hyb` on programs, on the fly: with the steps learned near the initial states.
//!
//! The component-wise engine builds its product in one closure, with relations that it is given.
//! Those of a program are learned from states (`space/symbolic/program.rs`), and a learned step is
//! correct wherever it applies. So there are rounds,
//!
//! ```text
//! B_d = states within d = 4, 8, 16 … steps;  run the engine with the steps learned in B_d
//! ```
//!
//! A run found in a round is a run of the program; finding none means nothing. A state whose steps
//! were not learned looks dead, so stutter loops are omitted; and it is unknown where events are
//! enabled, so that questions about enabledness wait until all states are explored. Questions about
//! the event taken do not: the engine sees it in the steps that it has.

use crate::cache::{SpaceCache, SpaceKey, StartingPoint};
use crate::on_sets::check_claims;
use lariat_budget::{RunContext, Stop};
use lariat_emptiness::Outcome;
use lariat_engines::{Found, Problem, Task};
use lariat_model::{Deadlock, Event, Lasso, Proposition, System};
use lariat_space::symbolic::{OrderChoice, Symbolic};

/// Work of all rounds together.
const ROUNDS_WORK: u64 = 1_000_000;

/// Steps from the initial states in the first round; each further round doubles them.
const FIRST_DEPTH: u32 = 4;

/// Work for finding an order before anything else is known.
const ORDER_WORK: u64 = 50_000;

/// Runs a component-wise engine with the steps learned near the initial states. Returns `None` if
/// no round decides, or if nothing has to be learned.
pub(crate) fn while_learning<'s>(
    decide: fn(&mut Task<'_>, &Symbolic<'_>) -> Found,
    task: &mut Task<'_>,
    system: &'s System,
    order: &OrderChoice,
    cache: &mut SpaceCache<'s>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let is_program = |event: &Event| event.action.is_program();
    if !system.events.iter().any(is_program) || reads_enabledness(task.problem) {
        return Ok(None);
    }
    let key = SpaceKey::new(order, task.problem.deadlock);
    let ctx = RunContext::new(task.budget, task.observer);
    let order = match cache.starting_point(system, &key, ORDER_WORK, ctx)? {
        StartingPoint::States(_) => return Ok(None),
        StartingPoint::Order { space, name } => {
            task.account.order = Some(name.to_owned());
            space.layout().order().clone()
        }
    };
    let limited = ctx.budget.clone().with_work(ROUNDS_WORK);
    let mut space = Symbolic::new(system, &order, Deadlock::Ignore, &limited)?;
    let found = rounds(decide, &mut task.under(&limited), &mut space);
    check_claims(&mut space, task);
    match found {
        // An exhausted share of the rounds is no result; an exhausted outer limit is an error.
        Err(Stop::Work(_)) => ctx.budget.spend(0).map(|()| None),
        found => found,
    }
}

fn rounds(
    decide: fn(&mut Task<'_>, &Symbolic<'_>) -> Found,
    task: &mut Task<'_>,
    space: &mut Symbolic<'_>,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let all = space.all();
    let mut ball = space.initial()?;
    let (mut radius, mut next) = (0, FIRST_DEPTH);
    loop {
        while radius < next {
            let image = space.image(&ball, &all)?;
            let larger = space.store().union(&ball, &image)?;
            if larger == ball {
                return Ok(None);
            }
            ball = larger;
            radius += 1;
        }
        if let found @ Outcome::Accepting(_) = decide(task, space)? {
            return Ok(Some(found));
        }
        next = next.saturating_mul(2);
    }
}

fn reads_enabledness(problem: &Problem<'_>) -> bool {
    let reads = |proposition: &Proposition| match proposition {
        Proposition::Fires(_) => false,
        Proposition::State(predicate) => predicate.reads_events(),
    };
    !problem.fairness.is_empty() || problem.propositions.iter().any(reads)
}
