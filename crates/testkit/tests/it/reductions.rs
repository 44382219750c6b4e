//! Tests of reductions without engines: the oracle decides the reduced net, which must agree with
//! the net; runs are lifted and checked on the net.
//!
//! Subjects answer `Unknown` if their rules do not apply, so all decided cases are reduced.

use lariat_budget::Budget;
use lariat_model::Proposition;
use lariat_reductions::{Lift, Reduction, Rule, Rules, Support, no_advice, reduce};
use lariat_testkit::{Answer, Atom, Campaign, Case, Subject};

const REPLAY: &str = "cargo test -p lariat-testkit --test it reductions";

fn reduction<'c>(case: &'c Case, rules: Rules) -> Option<Reduction<'c>> {
    let mut seen = case.propositions();
    let constraints = case.fairness.iter();
    seen.extend(constraints.flat_map(|constraint| constraint.propositions()));
    let support = Support::of(&case.system, &seen, !case.formula.uses_next());
    let budget = Budget::unlimited();
    reduce(&case.system, &support, rules, &mut no_advice, &budget)
}

/// Returns the case on the reduced net; `None` if a proposition cannot be translated.
fn smaller(case: &Case, reduction: &Reduction<'_>) -> Option<Case> {
    let forward = |proposition: &Proposition| reduction.lift.forward(proposition);
    let atom = |atom: &Atom| forward(&atom.proposition).map(Atom::unnamed);
    let constraints = case.fairness.iter().map(|constraint| {
        let [enabled, taken] = constraint.propositions();
        constraint.about([forward(&enabled)?, forward(&taken)?])
    });
    Some(Case {
        system: reduction.system.clone(),
        atoms: case.atoms.iter().map(atom).collect::<Option<_>>()?,
        fairness: constraints.collect::<Option<_>>()?,
        formula: case.formula.clone(),
        deadlock: case.deadlock,
    })
}

fn answer(case: &Case, rules: Rules) -> Answer {
    let Some(reduction) = reduction(case, rules) else {
        return Answer::Unknown("nothing to reduce".to_owned());
    };
    let Some(smaller) = smaller(case, &reduction) else {
        return Answer::Unknown("internal: an atom cannot be translated".to_owned());
    };
    match smaller
        .oracle()
        .map(|lasso| reduction.lift.back(lasso, &Budget::unlimited()))
    {
        None => Answer::Holds,
        Some(Ok(lasso)) => Answer::Violated(lasso),
        Some(Err(astray)) => Answer::Unknown(format!("internal: {astray:?}")),
    }
}

/// Each rule alone, and all rules.
fn subjects() -> Vec<Subject> {
    let subject = |name: &str, rules: Rules| {
        let subject = Subject::new(name, move |case| answer(case, rules));
        subject.only(Case::is_net).may_give_up()
    };
    let single = Rule::ALL.map(|rule| subject(rule.name(), Rules::only(&[rule])));
    let mut subjects: Vec<Subject> = single.into();
    subjects.push(subject("all", Rules::all()));
    subjects
}

#[test]
fn reductions_preserve_the_answer_of_the_oracle() {
    let campaign = Campaign::from_env(300)
        .about(Case::reducible)
        .replayed_by(REPLAY);
    let counters = campaign.pass(&subjects());
    // The generator is made for three rules that rarely apply to plain random nets.
    let rare = [Rule::EqualFuture, Rule::TokenRings, Rule::PrefixOfInterest];
    for (name, tally) in &counters.subjects {
        let is_rare = rare.iter().any(|rule| rule.name() == name);
        let enough = tally.decided >= counters.seeds / 4;
        assert!(!is_rare || enough, "{name}: {}", tally.decided);
    }
}
