//! Fairness constraints added by need, for engines that are given an extended automaton into which
//! not all constraints fit.
//!
//! Fewer constraints leave more runs. A subset `F` of all constraints decides if no run is fair to
//! `F`, or if the run that was found is fair to all constraints:
//!
//! ```text
//! F := ∅
//! repeat  find a run that is fair to F                    none: no run is fair to all
//!         add some constraints that it violates to F      none: it is fair to all
//! ```
//!
//! Every round adds at least one constraint. Usually a few of hundreds matter. If `F` does not fit
//! into the automaton, the engine refuses; engines that support constraints directly do not use
//! this loop. (Counterexample-guided abstraction refinement: E. Clarke, O. Grumberg, S. Jha, Y. Lu,
//! H. Veith, CAV 2000.)

use crate::cache::SpaceCache;
use crate::fair_run::unmet;
use crate::plan_run::PlanRun;
use lariat_engines::{Account, FairnessAutomaton, Found, Outcome, Problem};
use lariat_model::{Constraint, System};

/// Limit on the constraints added per round: each enlarges the automaton.
const PER_ROUND: usize = 8;

impl PlanRun<'_> {
    /// Decides `problem` with as few of its constraints, all of them weak, as necessary.
    /// [`decide`](PlanRun::decide) uses it where they are too many.
    pub fn by_need<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        cache: &mut SpaceCache<'s>,
        account: &mut Account,
    ) -> Found {
        let mut needed: Vec<Constraint> = Vec::new();
        loop {
            let part = problem.clone().assuming(&needed);
            let folded = FairnessAutomaton::new(&part)?;
            let found = self.run_engine(&folded.problem(), system, cache, account)?;
            let Outcome::Accepting(lasso) = found else {
                return Ok(found);
            };
            let mut violated = unmet(problem.system, problem.fairness, &lasso, self.ctx.budget)?;
            violated.retain(|constraint| !needed.contains(constraint));
            violated.truncate(PER_ROUND);
            if violated.is_empty() {
                return Ok(Outcome::Accepting(lasso));
            }
            needed.extend(violated.into_iter().cloned());
        }
    }
}
