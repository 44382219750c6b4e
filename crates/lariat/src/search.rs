//! Searching the product of a subject's system with one plan, and lifting the run that is found.
//!
//! ```text
//! translate   property → automaton of its negation, with what the plan must know of it
//! search      automaton × system, by the plan's engine
//! lift        a run of the searched system → a run of the original system
//! ```

use crate::cache::SpaceCache;
use crate::decision::product_states;
use crate::plan::Plan;
use crate::plan_run::PlanRun;
use crate::query::{Query, WHOLE_RUNS};
use crate::translate::translate;
use lariat_automata::Automaton;
use lariat_budget::{Budget, Statistic, Stop};
use lariat_engines::testing_automata::Construction;
use lariat_engines::{Account, EngineId, Found, Invariance, Outcome, Problem, product_size};
use lariat_model::{Constraint, Deadlock, Predicate, Value};
use lariat_reductions::{Astray, Removed};

/// Work that may be spent on whether there is any infinite run.
const VACUITY_WORK: u64 = 2_000_000;

/// A plan with its budget.
pub(crate) struct SearchTask {
    pub plan: Plan,
    pub budget: Budget,
    /// See [`Problem::most_tokens`].
    pub most_tokens: Option<Value>,
}

impl SearchTask {
    /// A plan that may use the whole budget.
    pub fn whole(plan: Plan, budget: &Budget) -> SearchTask {
        SearchTask {
            plan,
            budget: budget.clone(),
            most_tokens: None,
        }
    }
}

/// The outcome of one search, with its statistics.
#[derive(Clone)]
pub(crate) struct SearchOutcome {
    pub found: Found,
    pub engine: EngineId,
    pub account: Account,
    pub overflow: Option<String>,
    pub vacuous: Option<&'static str>,
    /// The reductions of the searched net.
    pub passes: Vec<Removed>,
    pub work: u64,
}

impl SearchOutcome {
    /// A search that stopped before it began.
    pub fn stopped(engine: EngineId, stop: Stop) -> SearchOutcome {
        SearchOutcome {
            found: Err(stop),
            engine,
            account: Account::default(),
            overflow: None,
            vacuous: None,
            passes: Vec::new(),
            work: 0,
        }
    }

    /// Returns whether the search decided the property.
    pub fn is_decided(&self) -> bool {
        matches!(self.found, Ok(Outcome::Empty | Outcome::Accepting(_)))
    }
}

/// A run was found that cannot be lifted from the reduced net to the original, and why.
pub(crate) struct Unliftable(pub String);

/// The remark before the original net is searched after a lift has failed.
pub(crate) fn without_reductions(why: &str) -> String {
    format!("searching again without reductions: {why}")
}

impl<'s> Query<'_, 's> {
    /// Searches for a violating run with one plan, and lifts it to the original system. `passes` are the
    /// reductions of the subject's system.
    pub fn search(
        &self,
        task: &SearchTask,
        passes: &[Removed],
        cache: &mut SpaceCache<'s>,
    ) -> Result<SearchOutcome, Unliftable> {
        let engine = task.plan.id;
        let mut outcome = self
            .search_product(task, passes, cache)
            .unwrap_or_else(|stop| SearchOutcome::stopped(engine, stop));
        let lasso = match outcome.found {
            Ok(Outcome::Accepting(lasso)) => lasso,
            _ => return Ok(outcome),
        };
        outcome.found = match self.subject.lifted(lasso) {
            Ok(lasso) if self.is_evidence(&lasso) => Ok(Outcome::Accepting(lasso)),
            Ok(_) if self.prefixes => {
                self.remark(WHOLE_RUNS);
                return self.about_whole_runs().search(task, passes, cache);
            }
            // Facts may have removed a constant atom whose constancy a covering run does not show.
            Ok(_) => {
                return Err(Unliftable(
                    "an atom may change as tokens accumulate".to_owned(),
                ));
            }
            Err(Astray::Unliftable(why)) => return Err(Unliftable(why)),
            Err(Astray::Defect(why)) => Err(Stop::Internal(why)),
        };
        Ok(outcome)
    }

    /// Searches for a violating run of the subject's system.
    fn search_product(
        &self,
        task: &SearchTask,
        passes: &[Removed],
        cache: &mut SpaceCache<'s>,
    ) -> Result<SearchOutcome, Stop> {
        let SearchTask { plan, budget, .. } = task;
        budget.check()?;
        self.ctx.observer.engine(plan.id.name());
        let deadlock = self.options.deadlock;
        let translated = translate(self.subject, self.formulas, self.property, plan, budget)?;
        let system = self.subject.system();
        let (automaton, propositions) = (&*translated.automaton, &translated.propositions);
        let mut problem = Problem::new(system, automaton, propositions, deadlock)
            .assuming(&translated.fairness)
            .knowing(translated.invariance());
        problem.most_tokens = task.most_tokens;
        problem.prefixes = self.prefixes;
        if !system.is_net() {
            problem.claims = &self.options.claims;
        }
        let symmetry = if plan.divides() {
            Some(cache.symmetry(self.subject, budget)?)
        } else {
            None
        };
        problem.symmetry = symmetry.as_deref();
        problem.unread = self.unread(automaton);
        let run = PlanRun {
            plan,
            order: &self.options.order,
            shared: self.budget(),
            ctx: self.ctx.with_budget(budget),
        };
        let mut account = Account::default();
        let found = run.decide(&problem, system, cache, &mut account);
        let work = budget.work_spent();
        let found = found.map(|outcome| match outcome {
            Outcome::Accepting(lasso) if !passes.is_empty() => {
                let effort = work.max(product_states(&account));
                Outcome::Accepting(self.shortened(&problem, lasso, effort))
            }
            outcome => outcome,
        });
        if self.options.whole_product && found.is_ok() {
            let read = (plan.automaton, Construction::of(&plan.variant));
            if let Ok(size) = product_size(&problem, read, budget, self.ctx.observer) {
                account.stats.set(Statistic::FULL_STATES, size.nodes);
                account.stats.set(Statistic::FULL_EDGES, size.edges);
            }
        }
        let vacuous = if found == Ok(Outcome::Empty) && self.may_have_no_run() {
            self.no_run_counts(plan, cache)
        } else {
            None
        };
        let name = |var| system.variable(var).name.clone();
        Ok(SearchOutcome {
            found,
            engine: plan.id,
            overflow: account.overflow.map(name),
            account,
            vacuous,
            passes: passes.to_vec(),
            work,
        })
    }

    /// Returns whether the policy or the fairness assumptions may exclude all runs. Fairness of events
    /// leaves every finite run a fair continuation; a condition that must recur may not.
    fn may_have_no_run(&self) -> bool {
        let demanding =
            |constraint: &Constraint| !matches!(constraint.enabled, Predicate::Enabled(_));
        let assumed = &self.subject.fairness().constraints;
        self.options.deadlock == Deadlock::Ignore || assumed.iter().any(demanding)
    }

    /// Returns the reason if no run counts at all, so that a formula and its negation hold alike. The
    /// test has its own work limit: on an unbounded net without a cycle it would not terminate. Running
    /// out of it does not affect the verdict.
    fn no_run_counts(&self, plan: &Plan, cache: &mut SpaceCache<'s>) -> Option<&'static str> {
        // Every word is accepted, so that single states need no other kind of automaton.
        let single = Plan::of("explicit");
        let plan = if plan.has_single_states() {
            &single
        } else {
            plan
        };
        let anything = Automaton::universal();
        let system = self.subject.system();
        let invariance = Invariance {
            letters: true,
            silent: true,
            states: &[true],
        };
        let any_run = Problem::new(system, &anything, &[], self.options.deadlock)
            .assuming(self.subject.constraints())
            .knowing(invariance);
        let budget = self.budget().clone().with_work(VACUITY_WORK);
        let run = PlanRun {
            plan,
            order: &self.options.order,
            shared: &budget,
            ctx: self.ctx.with_budget(&budget),
        };
        let found = run.decide(&any_run, system, cache, &mut Account::default());
        let nothing = match self.subject.constraints() {
            [] => "no infinite run",
            _ => "no fair run",
        };
        (found == Ok(Outcome::Empty)).then_some(nothing)
    }
}
