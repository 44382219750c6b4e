//! The engines that use symmetries, on nets with symmetries.
//!
//! A case contains only the unfolded net, so each subject is made for one model.

use crate::subjects::{by_tableau, by_translation, decide_about, intern, rounds, run};
use lariat::internals::{CheckOptions, Emptiness, EngineChoice, Plan, Schedule, Variant};
use lariat_automata::Automaton;
use lariat_budget::{Budget, ThreadPool};
use lariat_formats::LoadedModel;
use lariat_model::PropertyList;
use lariat_reductions::symmetry::{Symmetry, detect};
use lariat_testkit::{Case, Subject};
use std::sync::Arc;

/// Returns every plan that uses symmetries, with its name.
pub fn plans() -> Vec<(String, Plan)> {
    let mut plans = vec![("sym".to_owned(), Plan::of("sym"))];
    plans.extend(Emptiness::OF_SETS.iter().map(|check| {
        let plan = Plan::of("ssp").checked_by(*check);
        (format!("ssp-{}", check.name()), plan)
    }));
    let published = Variant {
        published: true,
        ..Variant::default()
    };
    plans.extend(Emptiness::OF_SETS.iter().map(|check| {
        let plan = Plan::of("ssp").as_variant(published).checked_by(*check);
        (format!("ssp-published-{}", check.name()), plan)
    }));
    plans
}

/// Detects the symmetries of a small model.
///
/// # Panics
///
/// Never: there are no limits.
pub fn symmetry(model: &LoadedModel) -> Symmetry<'_> {
    let coloured = model.coloured.as_deref();
    detect(&model.system, coloured, &Budget::unlimited()).expect("no limits")
}

/// Returns the subjects for a net: each plan on automata of the tableau and of the translation, and
/// through the façade. The sets of `ssp` are closed under permutations of colours only.
pub fn subjects(model: &Arc<LoadedModel>) -> Vec<Subject> {
    let mut all = Vec::new();
    let coloured = model.coloured.is_some();
    let with_symmetry = |plan: Plan| {
        let model = model.clone();
        move |case: &Case, negation: &Automaton| run(plan, case, negation, Some(&symmetry(&model)))
    };
    let facade = |name: &str, engine: EngineChoice| facade(name, engine, model.clone());
    let plans = plans().into_iter();
    for (name, plan) in plans.filter(|(name, _)| coloured || name == "sym") {
        let translated = format!("{name}-translated");
        all.push(by_tableau(&name, with_symmetry(plan)));
        all.push(by_translation(&translated, with_symmetry(plan)));
        all.push(facade(&format!("facade-{name}"), plan.into()));
    }
    all.push(facade("facade-auto", EngineChoice::default()));
    // Small limits, so that `auto` also runs later engines, such as those that use symmetries.
    let rounds = Schedule {
        symmetric_places: 1,
        many_symmetries: 0.1,
        ..rounds()
    };
    all.push(facade("facade-auto-rounds", EngineChoice::Auto(rounds)));
    all
}

pub(crate) fn facade(name: &str, engine: EngineChoice, model: Arc<LoadedModel>) -> Subject {
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
