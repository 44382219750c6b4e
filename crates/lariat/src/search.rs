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
use crate::translate::{Translated, translate};
use lariat_automata::Automaton;
use lariat_budget::{Budget, Statistic, Stop};
use lariat_engines::testing_automata::Construction;
use lariat_engines::{Account, EngineId, Found, Invariance, Outcome, Problem, product_size};
use lariat_model::{Constraint, Deadlock, Lasso, Predicate, Value};
use lariat_reductions::{LiftError, Removed};

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
    /// Searches for a violating run with one plan, and lifts it to the original system. `passes`
    /// are the reductions of the subject's system.
    pub fn search(
        &self,
        task: &SearchTask,
        passes: &[Removed],
        cache: &mut SpaceCache<'s>,
    ) -> Result<SearchOutcome, Unliftable> {
        let SearchTask { plan, budget, .. } = task;
        self.ctx.observer.engine(plan.id.name());
        let mut outcome = SearchOutcome {
            passes: passes.to_vec(),
            ..SearchOutcome::stopped(plan.id, Stop::Work(0))
        };
        let system = self.subject.system();
        let mut run = || {
            budget.check()?;
            let translated = translate(self.subject, self.formulas, self.property, plan, budget)?;
            let symmetry = if plan.divides() {
                Some(cache.symmetry(self.subject, budget)?)
            } else {
                None
            };
            let mut problem = self.problem(&translated, task);
            problem.symmetry = symmetry.as_deref();
            let plan_run = PlanRun {
                plan,
                order: &self.options.order,
                shared: self.budget(),
                ctx: self.ctx.with_budget(budget),
            };
            let found = plan_run.decide(&problem, system, cache, &mut outcome.account)?;
            self.complete(found, &problem, task, &mut outcome, cache)
        };
        let found = run();
        outcome.work = budget.work_spent();
        let overflow = outcome.account.overflow;
        outcome.overflow = overflow.map(|var| system.variable(var).name.clone());
        outcome.found = match found {
            Ok(Outcome::Accepting(lasso)) => match self.subject.lifted(lasso, budget) {
                Ok(lasso) if self.is_evidence(&lasso) => Ok(Outcome::Accepting(lasso)),
                Ok(_) if self.prefixes => {
                    self.remark(WHOLE_RUNS);
                    return self.about_whole_runs().search(task, passes, cache);
                }
                // A covering run may not settle a constant atom that facts have removed.
                Ok(_) => return Err(Unliftable("an atom may change as tokens accumulate".into())),
                Err(LiftError::Unliftable(why)) => return Err(Unliftable(why)),
                Err(LiftError::Defect(why)) => Err(Stop::Internal(why)),
                Err(LiftError::Stopped(stop)) => Err(stop),
            },
            found => found,
        };
        Ok(outcome)
    }

    /// The problem that the engine decides.
    fn problem<'t>(&'t self, translated: &'t Translated<'_>, task: &SearchTask) -> Problem<'t> {
        let system = self.subject.system();
        let (automaton, propositions) = (&*translated.automaton, &translated.propositions);
        let mut problem = Problem::new(system, automaton, propositions, self.options.deadlock)
            .assuming(&translated.fairness)
            .knowing(translated.invariance());
        problem.most_tokens = task.most_tokens;
        problem.prefixes = self.prefixes;
        if !system.is_net() {
            problem.claims = &self.options.claims;
            problem.partial_order = !self.options.all_orders && task.plan.omits_orders();
        }
        problem.unread = self.unread(automaton);
        problem
    }

    /// Completes a finished search: shortens the run on the reduced net, counts the whole product
    /// if the options require it, and tests whether runs exist if the property holds.
    fn complete(
        &self,
        found: Outcome<Lasso>,
        problem: &Problem<'_>,
        task: &SearchTask,
        outcome: &mut SearchOutcome,
        cache: &mut SpaceCache<'s>,
    ) -> Found {
        let SearchTask { plan, budget, .. } = task;
        let found = match found {
            Outcome::Accepting(lasso) if !outcome.passes.is_empty() => {
                let effort = budget.work_spent().max(product_states(&outcome.account));
                Outcome::Accepting(self.shortened(problem, lasso, effort))
            }
            found => found,
        };
        if self.options.whole_product {
            let construction = Construction::of(&plan.variant);
            let ctx = self.ctx.with_budget(budget);
            if let Ok(size) = product_size(problem, plan.automaton, construction, ctx) {
                let stats = &mut outcome.account.stats;
                stats.set(Statistic::FULL_STATES, size.nodes);
                stats.set(Statistic::FULL_EDGES, size.edges);
            }
        }
        if found == Outcome::Empty && self.may_have_no_run() {
            outcome.vacuous = self.no_run_counts(plan, cache);
        }
        Ok(found)
    }

    /// Returns whether the policy or the fairness assumptions may exclude all runs. Fairness of
    /// events leaves every finite run a fair continuation; a condition that must recur may not.
    fn may_have_no_run(&self) -> bool {
        let demanding =
            |constraint: &Constraint| !matches!(constraint.enabled, Predicate::Enabled(_));
        let assumed = &self.subject.fairness().constraints;
        self.options.deadlock == Deadlock::Ignore || assumed.iter().any(demanding)
    }

    /// Returns the reason if no run counts at all, so that a formula and its negation hold alike.
    /// The test has its own work limit: on an unbounded net without a cycle it would not terminate.
    /// Running out of it does not affect the verdict.
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
