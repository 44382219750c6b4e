//! State spaces compared with the reference semantics, and with known figures of contest nets.

mod coloured;
mod contest_nets;
mod programs;
mod promela;
mod random_programs;
mod symmetry;
mod turns;

use lariat_budget::{Budget, RunContext, Stop};
use lariat_model::{Deadlock, System};
use lariat_space::explicit::{Explicit, ExplicitCounts, count};
use lariat_space::symbolic::{OrderChoice, ReachResult, Reached, reach};

/// Statistics of a state space that fits in memory.
fn counted(space: &Explicit<'_>, name: &str) -> ExplicitCounts {
    let found = count(space, &[], RunContext::quiet(&Budget::bytes(2 << 30)));
    assert_eq!(found.stop, None, "{name}");
    found
}

/// All reachable states as a set; `None` if there are infinitely many.
fn reached<'a>(system: &'a System, budget: &Budget) -> Result<Option<Box<Reached<'a>>>, Stop> {
    let order = OrderChoice::Auto;
    match reach(system, &order, Deadlock::Stutter, RunContext::quiet(budget))? {
        ReachResult::All(reached) => Ok(Some(reached)),
        ReachResult::Unbounded(_) => Ok(None),
    }
}
