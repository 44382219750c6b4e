//! The engines that use symmetries, on nets with symmetries.
//!
//! A case contains only the unfolded net, so each subject is made for one model.

use crate::subjects::{
    MOST_EDGES, PATIENCE, automaton, decide_about, intern, legal, run_with_symmetry,
};
use lariat::internals::{CheckOptions, Emptiness, EngineChoice, Plan, Schedule};
use lariat_automata::translate;
use lariat_budget::{Budget, ThreadPool};
use lariat_formats::LoadedModel;
use lariat_model::PropertyList;
use lariat_reductions::symmetry::{Symmetry, detect};
use lariat_testkit::{Answer, Case, Subject, tableau};
use std::sync::Arc;

/// Returns every plan that uses symmetries, with its name.
pub fn plans() -> Vec<(String, Plan)> {
    let mut plans = vec![("sym".to_owned(), Plan::of("sym"))];
    plans.extend(Emptiness::OF_SETS.iter().map(|check| {
        let plan = Plan::of("ssp").checked_by(*check);
        (format!("ssp-{}", check.name()), plan)
    }));
    plans
}

/// Detects the symmetries of a small model.
///
/// # Panics
///
/// Never: there are no limits.
pub fn symmetry(model: &LoadedModel) -> Symmetry<'_> {
    detect(
        &model.system,
        model.coloured.as_deref(),
        &Budget::unlimited(),
    )
    .expect("no limits")
}

/// Returns the subjects for a net: each plan on automata of the tableau and of the translation, and
/// through the façade. The sets of `ssp` are closed under permutations of colours only.
pub fn subjects(model: &Arc<LoadedModel>) -> Vec<Subject> {
    let mut all = Vec::new();
    let coloured = model.coloured.is_some();
    let plans = plans().into_iter();
    for (name, plan) in plans.filter(|(name, _)| coloured || name == "sym") {
        all.push(on_tableau(&name, plan, model.clone()));
        all.push(on_translation(
            &format!("{name}-translated"),
            plan,
            model.clone(),
        ));
        all.push(facade(
            &format!("facade-{name}"),
            plan.into(),
            model.clone(),
        ));
    }
    all.push(facade(
        "facade-auto",
        EngineChoice::default(),
        model.clone(),
    ));
    // Small limits, so that `auto` also runs later engines, such as those that use symmetries.
    let rounds = Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        symmetric_places: 1,
        many_symmetries: 0.1,
        ..Schedule::default()
    };
    all.push(facade(
        "facade-auto-rounds",
        EngineChoice::Auto(rounds),
        model.clone(),
    ));
    all
}

fn on_tableau(name: &str, plan: Plan, model: Arc<LoadedModel>) -> Subject {
    let has_tableau = |case: &Case| tableau::buchi(&case.formula.negated(), MOST_EDGES).is_some();
    Subject::new(name, move |case| {
        match tableau::buchi(&case.formula.negated(), MOST_EDGES) {
            Some(negation) => {
                let negation = automaton(&negation, case.atoms.len());
                run_with_symmetry(plan, case, &negation, Some(&symmetry(&model)))
            }
            None => Answer::Unknown("internal: not supported".to_owned()),
        }
    })
    .only(has_tableau)
}

fn on_translation(name: &str, plan: Plan, model: Arc<LoadedModel>) -> Subject {
    Subject::new(name, move |case| {
        let (mut formulas, formula) = intern(case, &case.formula.negated());
        let budget = Budget::unlimited().with_deadline(PATIENCE);
        match translate(&mut formulas, formula, &legal(case), &budget) {
            Ok(negation) => run_with_symmetry(plan, case, &negation, Some(&symmetry(&model))),
            Err(stop) => Answer::Unknown(stop.to_string()),
        }
    })
}

fn facade(name: &str, engine: EngineChoice, model: Arc<LoadedModel>) -> Subject {
    Subject::new(name, move |case| {
        let (formulas, formula) = intern(case, &case.formula);
        let mut properties = PropertyList::new();
        properties.formulas = formulas;
        properties.propositions = case.propositions();
        let subject = lariat::internals::Subject::new(&model, &properties);
        let options = CheckOptions {
            engine: engine.clone(),
            deadlock: case.deadlock,
            ..CheckOptions::default()
        };
        decide_about(&subject, case, formula, &options, &ThreadPool::default())
    })
}
