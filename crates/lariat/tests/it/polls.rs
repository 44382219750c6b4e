//! Every command on a sample of models with a budget that ends at each poll: a stopped computation
//! names the reason, any other one is right, and none holds memory afterwards.
//!
//! A clock that jumps forwards is a budget that ends at the next poll. Budgets measure time by the
//! monotonic clock; `clippy.toml` forbids to read any other one.

use crate::asking::{FORMULAS, about, by, in_rounds, philosophers};
use lariat::internals::ask::{AnswerKind, AskOptions, StateQuestion, ask};
use lariat::internals::formats::{self, LoadError, LoadedModel, ModelFormat, pnml};
use lariat::internals::ir::Predicate;
use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::{
    Budget, CountOptions, CountingMethod, EngineChoice, EngineId, Preset, Rules, RunContext,
    SpaceCache, Stop, Subject, Systems, count_states, orbits, reduction,
};
use lariat::{Checker, Model};
use lariat_budget::{FaultTarget, InjectedFault};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Polls at which computations are stopped: the first ones, and later ones with growing gaps.
fn polls() -> impl Iterator<Item = u64> {
    let next = |at: &u64| Some(at + 1 + at / 4);
    std::iter::successors(Some(0), next).take_while(|at| *at < 20_000)
}

/// Runs `work` with budgets that end at each poll, by time, memory and a signal. `work` returns
/// whether it was stopped, and panics if its result is wrong or if it names another reason.
fn at_each_poll(name: &str, work: impl Fn(&Budget, &Stop) -> bool) {
    let mut stopped = 0;
    for stop in [Stop::Time, Stop::Memory, Stop::Interrupted] {
        for at in polls() {
            let fault = InjectedFault::new(stop.clone(), at, FaultTarget::All);
            let budget = Budget::faulty(fault);
            stopped += u32::from(work(&budget, &stop));
            assert_eq!(budget.bytes_used(), 0, "{name}: {stop} at poll {at}");
        }
    }
    assert!(stopped > 0, "{name} never polls");
}

fn model() -> Model {
    let loaded = LoadedModel::new(ModelFormat::Pnml, philosophers(3));
    Model::from_loaded("philosophers", Arc::new(loaded))
}

#[test]
fn checks_stop_at_each_poll() {
    let model = model();
    let plans = Preset::ALL.iter().map(|preset| preset.plan());
    let plans = plans.filter(|plan| plan.engine.id != EngineId::Walk);
    let auto = EngineChoice::Auto(in_rounds());
    let engines = plans.map(EngineChoice::from).chain([auto]);
    for (number, engine) in engines.enumerate() {
        // A formula that holds and one that is violated, in turns.
        let (formula, holds) = FORMULAS[number % FORMULAS.len()];
        at_each_poll(engine.name(), |budget, stop| {
            let checker = Checker::new(&model)
                .options(by(engine.clone()))
                .cross_check(number % 3 == 0)
                .budget(budget.clone());
            let report = checker.check(formula).unwrap();
            match report.holds() {
                Some(truth) => {
                    assert_eq!(truth, holds, "{}: {formula}", engine.name());
                    false
                }
                None => {
                    let json = report.to_json();
                    let reason = json["reason"].as_str().unwrap().to_owned();
                    let is_stop = reason.starts_with(&stop.to_string());
                    let is_refused = reason.starts_with("unsupported");
                    assert!(is_stop || is_refused, "{}: {reason}", engine.name());
                    is_stop
                }
            }
        });
    }
}

#[test]
fn questions_stop_at_each_poll() {
    let model = LoadedModel::new(ModelFormat::Pnml, philosophers(3));
    let system = &model.system;
    let always =
        StateQuestion::Always(Predicate::Enabled(vec![system.event_ids().next().unwrap()]));
    let most = StateQuestion::Most(vec![(system.var_ids().next().unwrap(), 1)]);
    let questions = [
        (
            StateQuestion::Reach(Predicate::Deadlock),
            AnswerKind::Reached,
        ),
        (most, AnswerKind::Most),
        (always, AnswerKind::Lost),
    ];
    for (question, expected) in questions {
        at_each_poll("ask", |budget, _| {
            let systems = Systems::new();
            let mut cache = SpaceCache::new(&systems);
            let kinds = ask(
                &model,
                std::slice::from_ref(&question),
                &AskOptions::default(),
                &mut cache,
                RunContext::quiet(budget),
                &mut |_, _| ControlFlow::Continue(()),
            );
            let is_open = kinds == [AnswerKind::Unknown];
            assert!(is_open || kinds == [expected], "{kinds:?}");
            is_open
        });
    }
}

#[test]
fn counting_stops_at_each_poll() {
    let system = philosophers(4);
    let count = |method, budget: &Budget| {
        let options = CountOptions {
            method,
            ..CountOptions::default()
        };
        count_states(&system, &options, RunContext::quiet(budget))
    };
    for method in [
        CountingMethod::Auto,
        CountingMethod::Explicit,
        CountingMethod::Symbolic,
    ] {
        let expected = count(method, &Budget::unlimited()).states;
        assert!(expected.is_some());
        at_each_poll(method.name(), |budget, stop| {
            let found = count(method, budget);
            match &found.stop {
                None => assert_eq!(found.states, expected),
                Some(reason) => assert_eq!(reason, stop),
            }
            found.stop.is_some()
        });
    }
    let model = LoadedModel::new(ModelFormat::Pnml, system.clone());
    at_each_poll("orbits", |budget, stop| {
        let found = orbits(&model, RunContext::quiet(budget));
        let found = found.map(|found| found.and_then(|found| found.stop));
        let reason = match found {
            Ok(None) => return false,
            Ok(Some(reason)) | Err(reason) => reason,
        };
        assert_eq!(reason, *stop);
        true
    });
}

#[test]
fn reading_and_reducing_stop_at_each_poll() {
    let system = philosophers(3);
    let text = pnml::write(&system).unwrap();
    at_each_poll("reading", |budget, stop| {
        match formats::load("net", text.as_bytes(), budget) {
            Ok(model) => assert_eq!(model.system, system),
            Err(LoadError::Stop(reason)) => {
                assert_eq!(reason, *stop);
                return true;
            }
            Err(LoadError::Input(error)) => panic!("{error}"),
        }
        false
    });
    // A stopped reduction keeps what it has reached.
    let net = generate(Family::Kanban, 2).unwrap();
    let (properties, _) = about(&net, &[]);
    let places = |budget: &Budget| {
        let subject = Subject::of_system(&net, &properties.formulas, &properties.propositions);
        let found = reduction(&subject, &[], Rules::all(), budget);
        found.map(|found| found.map(|(reduction, _)| reduction.system.variables.len()))
    };
    let expected = places(&Budget::unlimited());
    assert!(matches!(expected, Ok(Some(_))));
    at_each_poll("reducing", |budget, stop| {
        let found = places(budget);
        assert!(found.is_ok() || found == Err(stop.clone()), "{found:?}");
        found != expected
    });
}
