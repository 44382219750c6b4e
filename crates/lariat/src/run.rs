//! A plan on a problem: finds what the engine takes, and runs it.

use crate::explored::Explored;
use crate::learning::while_learning;
use crate::on_sets::{OnSets, on_sets};
use crate::plan::Plan;
use lariat_budget::{Budget, Observer, Statistic, Stop};
use lariat_engines::{Account, AutomatonKind, Folded, Found, Problem, Procedure, Task};
use lariat_model::System;
use lariat_space::symbolic::OrderChoice;

/// Work that finding an order may cost where the reachable states are not needed: the product should be small
/// where they are many, and they may be too many.
const ORDER_WORK: u64 = 2_000_000;

/// One engine's turn: how it is to decide, and with what.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// How.
    pub plan: &'a Plan,
    /// The order of the variables in diagrams.
    pub order: &'a OrderChoice,
    /// What the engine may spend.
    pub budget: &'a Budget,
    /// What finding an order may cost where the engine needs nothing else: it serves all properties.
    pub shared: &'a Budget,
    /// Where progress is reported.
    pub observer: &'a dyn Observer,
}

impl Run<'_> {
    /// Decides `problem`, which is about `system`. What is explored on the way is kept in `explored`; what is to be told
    /// of the run is entered in `account`, also if it ends early.
    pub fn decide<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        explored: &mut Explored<'s>,
        account: &mut Account,
    ) -> Found {
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
            return self.in_form(problem, system, explored, account);
        };
        self.plan.accepts(asked).map_err(Stop::Unsupported)?;
        if self.plan.engine.takes_constraints(kind) {
            return self.in_form(problem, system, explored, account);
        }
        match Folded::new(problem) {
            Ok(folded) => self.in_form(&folded.problem(), system, explored, account),
            Err(Stop::Unsupported(_)) => self.by_need(problem, system, explored, account),
            Err(stop) => Err(stop),
        }
    }

    /// Decides a problem whose fairness the engine knows, with the kind of automaton that it reads.
    pub(crate) fn in_form<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        explored: &mut Explored<'s>,
        account: &mut Account,
    ) -> Found {
        let kind = self.plan.automaton;
        if kind != AutomatonKind::Ba {
            account.automaton(problem.automaton);
            return self.with_engine(problem, system, explored, account);
        }
        let automaton = problem.degeneralized(self.budget)?;
        account.automaton(&automaton);
        let problem = problem.with_automaton(&automaton);
        self.with_engine(&problem, system, explored, account)
    }

    fn with_engine<'s>(
        &self,
        problem: &Problem<'_>,
        system: &'s System,
        explored: &mut Explored<'s>,
        account: &mut Account,
    ) -> Found {
        let Run {
            plan,
            order,
            budget,
            shared,
            observer,
        } = *self;
        let mut task = Task {
            problem,
            automaton: plan.automaton,
            emptiness: plan.emptiness,
            variant: plan.variant,
            budget,
            observer,
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
                let found = on_sets(how, &mut task, explored);
                if matches!(found, Err(Stop::Memory)) {
                    // Half-made diagrams would be in the next engine's way.
                    explored.forget(system);
                }
                found
            }
            Procedure::ComponentWise(decide) => {
                if let Some(found) = while_learning(decide, &mut task, system, order, explored)? {
                    return Ok(found);
                }
                let ordered = explored.ordered(
                    system,
                    order,
                    problem.deadlock,
                    ORDER_WORK,
                    shared,
                    observer,
                )?;
                task.account.overflow = ordered.overflow;
                task.account.order = Some(ordered.name.to_owned());
                decide(&mut task, ordered.space)
            }
        }
    }
}
