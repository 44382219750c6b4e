//! Reductions by themselves: the oracle is asked about what each rule leaves, and must say what it says about the net; runs are carried back and checked there.
//!
//! Subjects know nothing of cases in which their rules find nothing, so that what is counted as decided was decided on a smaller net.

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

/// The same question about a smaller net; `None` if it cannot be asked there.
fn smaller(case: &Case, reduction: &Reduction<'_>) -> Option<Case> {
    let forward = |proposition: &Proposition| reduction.lift.forward(proposition);
    let atom = |atom: &Atom| {
        Some(Atom {
            proposition: forward(&atom.proposition)?,
            text: None,
        })
    };
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
        return Answer::Unknown("internal: an atom means nothing any more".to_owned());
    };
    match smaller.oracle().map(|lasso| reduction.lift.back(lasso)) {
        None => Answer::Holds,
        Some(Ok(lasso)) => Answer::Violated(lasso),
        Some(Err(astray)) => Answer::Unknown(format!("internal: {astray:?}")),
    }
}

/// Each rule alone, and all of them.
fn subjects() -> Vec<Subject> {
    let subject = |name: &str, rules: Rules| {
        let asked = Subject::new(name, move |case| answer(case, rules));
        asked.only(Case::is_net).may_give_up()
    };
    let alone = Rule::ALL.map(|rule| subject(rule.name(), Rules::only(&[rule])));
    let mut subjects: Vec<Subject> = alone.into();
    subjects.push(subject("all", Rules::all()));
    subjects
}

#[test]
fn the_oracle_says_the_same_of_smaller_nets() {
    let campaign = Campaign::from_env(300)
        .about(Case::reducible)
        .replayed_by(REPLAY);
    let counters = match campaign.run(&subjects(), |_| ()) {
        Ok(counters) => counters,
        Err(failure) => panic!("{failure}"),
    };
    println!("{counters}");
    // These nets are drawn for three rules that random ones hardly ever give anything to do.
    let rare = [Rule::EqualFuture, Rule::TokenRings, Rule::PrefixOfInterest];
    for (name, tally) in &counters.subjects {
        let is_rare = rare.iter().any(|rule| rule.name() == name);
        let enough = tally.decided >= counters.seeds / 4;
        assert!(!is_rare || enough, "{name}: {}", tally.decided);
    }
}
