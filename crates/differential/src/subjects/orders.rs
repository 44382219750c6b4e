//! Engines on single states with partial-order reduction, and the claims that they evaluate.

use super::asking::{
    Way, answer, by_tableau, by_translation, decision_about, has_tableau, intern, run_by,
};
use super::{stutter_invariant, with_workers};
use lariat::internals::{CheckOptions, Decision, Plan};
use lariat_budget::ThreadPool;
use lariat_engines::Invariance;
use lariat_model::{Overflow, Predicate, Proposition};
use lariat_testkit::{Answer, Case, Subject, questions};

/// Decides a problem with partial-order reduction; its language must be stutter-invariant.
const REDUCED: Way = |run, problem, system, explored, account| {
    let invariance = Invariance {
        letters: true,
        ..problem.invariance
    };
    let mut problem = problem.clone().knowing(invariance);
    problem.partial_order = true;
    run.decide(&problem, system, explored, account)
};

/// Returns the engines on automata of the tableau and of the translation.
pub fn reduced() -> Vec<Subject> {
    let plain = ["explicit", "ba"].map(|preset| (preset.to_owned(), Plan::of(preset)));
    let several = ["explicit", "ba"].map(|preset| with_workers(preset, 2));
    let several_workers = several[0].1;
    let mut subjects = Vec::new();
    for (name, plan) in plain.into_iter().chain(several) {
        let run = move |case: &Case, negation: &_| run_by(REDUCED, 1, plan, case, negation, None);
        let on_tableau = by_tableau(&format!("{name}-por"), run);
        let on_translation = by_translation(&format!("{name}-por-translated"), run);
        subjects.push(on_tableau.only(|case| is_small(case) && is_supported(case)));
        subjects.push(on_translation.only(is_supported));
    }
    subjects.extend([Plan::of("explicit"), several_workers].map(with_claims));
    subjects
}

/// Returns a subject that also evaluates claims: no atom of the case is true, no finding is present.
/// A claim fails only if the oracle reaches a state against it; a complete search finds all that
/// fail, and all overflow.
fn with_claims(plan: Plan) -> Subject {
    let workers = plan.variant.workers.count();
    let name = format!("facade-{}-{workers}-claims", plan.id.name());
    let subject = Subject::new(&name, move |case| {
        let (formulas, formula) = intern(case, &case.formula);
        let propositions = case.propositions();
        let about = lariat::internals::Subject::of_system(&case.system, &formulas, &propositions);
        let options = CheckOptions {
            engine: plan.into(),
            deadlock: case.deadlock,
            claims: claims(case),
            ..CheckOptions::default()
        };
        let idle = ThreadPool::default();
        let decision = decision_about(&about, case, formula, &options, &idle);
        match mistake(case, &options.claims, &decision) {
            Some(mistake) => Answer::Unknown(format!("internal: {mistake}")),
            None => answer(case, &decision),
        }
    });
    subject.only(|case| !case.is_net() && case.fairness.is_empty())
}

fn claims(case: &Case) -> Vec<Predicate> {
    let atoms = { case.atoms.iter() }.filter_map(|atom| match &atom.proposition {
        Proposition::State(predicate) => Some(Predicate::Not(Box::new(predicate.clone()))),
        Proposition::Fires(_) => None,
    });
    let findings = case.system.declared_findings().into_iter();
    atoms
        .chain(findings.map(|finding| finding.holds()))
        .collect()
}

/// Describes a claim that is not judged as by the oracle.
fn mistake(case: &Case, claims: &[Predicate], decision: &Decision) -> Option<String> {
    let found = decision.account.claims.as_ref()?;
    let graph = case.graph();
    let is_reached = |predicate: &Predicate| questions::is_reached(&case.system, &graph, predicate);
    for (claim, failed) in claims.iter().zip(&found.failed) {
        let fails = is_reached(&Predicate::Not(Box::new(claim.clone())));
        if *failed && !fails || fails && !failed && found.complete {
            return Some(format!("{claim:?} fails: {failed}"));
        }
    }
    match case.system.overflow() {
        Overflow::When(bad) if found.complete && decision.overflow.is_none() => {
            is_reached(&bad).then(|| "overflow was not found".to_owned())
        }
        _ => None,
    }
}

/// Returns whether the tableau of the formula is small.
fn is_small(case: &Case) -> bool {
    case.formula.size() <= 6 && has_tableau(case)
}

fn is_supported(case: &Case) -> bool {
    !case.is_net() && stutter_invariant(case)
}
