//! Constraints of fairness by need: for engines that are given a larger automaton, where all constraints do not fit into it.
//!
//! Fewer constraints leave more runs. So a part `F` of all constraints decides if there is no run that is fair to `F`, and if the run that was found is fair
//! to all:
//!
//! ```text
//! F := ∅
//! repeat  find a run that is fair to F                         none: there is none that is fair to all
//!         add some constraints that it violates to F           none: it is fair to all
//! ```
//!
//! Every round adds one at least, none twice. Mostly a few of hundreds matter. That `F` itself does not fit is told as such; who knows constraints without an
//! automaton is not asked this way. (Abstraction refined by counterexamples: E. Clarke, O. Grumberg, S. Jha, Y. Lu, H. Veith, CAV 2000.)

use crate::explored::Explored;
use crate::fair_run::unmet;
use crate::run::Run;
use lariat_engines::{Account, Folded, Found, Outcome, Problem};
use lariat_model::{Constraint, System};

/// Constraints that a round adds at most: each makes the automaton larger, and may be met by whoever meets others.
const MORE: usize = 8;

impl Run<'_> {
    /// Decides `problem` with as few of its constraints, all of them weak, as it takes. [`decide`](Run::decide) does so where they are too many.
    pub fn by_need<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        explored: &mut Explored<'s>,
        account: &mut Account,
    ) -> Found {
        let mut needed: Vec<Constraint> = Vec::new();
        loop {
            let part = problem.clone().assuming(&needed);
            let folded = Folded::new(&part)?;
            let found = self.in_form(&folded.problem(), system, explored, account)?;
            let Outcome::Accepting(lasso) = found else {
                return Ok(found);
            };
            let mut violated = unmet(problem.system, problem.fairness, &lasso);
            violated.retain(|constraint| !needed.contains(constraint));
            violated.truncate(MORE);
            if violated.is_empty() {
                return Ok(Outcome::Accepting(lasso));
            }
            needed.extend(violated.into_iter().cloned());
        }
    }
}
