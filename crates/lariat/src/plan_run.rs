//! Running one plan on a problem: provides what the engine needs, and runs it.

use crate::cache::{SpaceCache, SpaceKey};
use crate::learning::while_learning;
use crate::on_sets::{OnSets, on_sets};
use crate::plan::Plan;
use lariat_budget::{Budget, RunContext, Statistic, Stop};
use lariat_engines::{Account, AutomatonKind, FairnessAutomaton, Found, Problem, Procedure, Task};
use lariat_model::System;
use lariat_space::symbolic::OrderChoice;

/// Work for finding an order where the reachable states are not needed: the product is often small
/// where the states are too many.
const ORDER_WORK: u64 = 2_000_000;

/// A plan with everything it needs to run.
#[derive(Clone, Copy)]
pub struct PlanRun<'a> {
    /// The engine and its options.
    pub plan: &'a Plan,
    /// The order of the variables in decision diagrams.
    pub order: &'a OrderChoice,
    /// The budget for finding an order, which serves all properties.
    pub shared: &'a Budget,
    /// The budget of the engine, and the observer.
    pub ctx: RunContext<'a>,
}

impl PlanRun<'_> {
    /// Decides `problem`, which is about `system`. Explored states are stored in `cache`;
    /// statistics are entered in `account`, also if the run stops early.
    pub fn decide<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        cache: &mut SpaceCache<'s>,
        account: &mut Account,
    ) -> Found {
        // The papers search complete lassos: no prefix is evidence.
        let published = self.plan.variant.published;
        let whole_runs = published.then(|| problem.without_prefixes());
        let problem = whole_runs.as_ref().unwrap_or(problem);
        let kind = self.plan.automaton;
        account
            .stats
            .set(Statistic::AUTOMATON_KIND, kind.name().to_owned());
        if kind.is_testing() && !problem.invariance.letters {
            return Err(Stop::Unsupported(
                "testing automata need a stutter-invariant property".to_owned(),
            ));
        }
        let Some(asked) = problem.fairness.iter().map(|c| c.strength).max() else {
            return self.run_engine(problem, system, cache, account);
        };
        self.plan.accepts(asked).map_err(Stop::Unsupported)?;
        if self.plan.engine.takes_constraints(kind) {
            return self.run_engine(problem, system, cache, account);
        }
        match FairnessAutomaton::new(problem) {
            Ok(folded) => self.run_engine(&folded.problem(), system, cache, account),
            Err(Stop::Unsupported(_)) => self.by_need(problem, system, cache, account),
            Err(stop) => Err(stop),
        }
    }

    /// Runs the engine on a problem whose fairness it supports, with its kind of automaton.
    pub(crate) fn run_engine<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        cache: &mut SpaceCache<'s>,
        account: &mut Account,
    ) -> Found {
        if system.source.is_some() && !self.plan.calls_programs() {
            return Err(Stop::Unsupported(format!(
                "`{}` needs a model of variables and events; `explicit`, `ba`, `ta`, `tgta` and `walk` check programs",
                self.plan.id
            )));
        }
        let degeneralized = match self.plan.automaton {
            AutomatonKind::Ba => Some(problem.degeneralized(self.ctx.budget)?),
            _ => None,
        };
        account.automaton(degeneralized.as_ref().unwrap_or(problem.automaton));
        let with_buchi = degeneralized.as_ref().map(|a| problem.with_automaton(a));
        let problem = with_buchi.as_ref().unwrap_or(problem);
        let PlanRun {
            plan,
            order,
            shared,
            ctx,
        } = *self;
        let mut task = Task {
            problem,
            automaton: plan.automaton,
            emptiness: plan.emptiness,
            variant: plan.variant,
            budget: ctx.budget,
            observer: ctx.observer,
            account,
        };
        match plan.engine.procedure {
            Procedure::Single(decide) => decide(&mut task),
            Procedure::Team(team) => team.decide(&mut task),
            Procedure::Sets(procedure) => {
                let how = OnSets {
                    procedure,
                    system,
                    order,
                };
                let found = on_sets(how, &mut task, cache);
                if matches!(found, Err(Stop::Memory)) {
                    // Unfinished diagrams would take the memory of the next engine.
                    cache.forget(system);
                }
                found
            }
            Procedure::Hyb(decide) => {
                if let Some(found) = while_learning(decide, &mut task, system, order, cache)? {
                    return Ok(found);
                }
                let key = SpaceKey::new(order, problem.deadlock);
                let ordered = cache.ordered(system, &key, ORDER_WORK, ctx.with_budget(shared))?;
                task.account.overflow = ordered.overflow;
                task.account.order = Some(ordered.name.to_owned());
                decide(&mut task, ordered.space)
            }
        }
    }
}
