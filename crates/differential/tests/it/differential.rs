//! Every subject on every fixed case and on random ones.

use lariat::internals::{Needs, Plan};
use lariat_differential::subjects;
use lariat_testkit::case::Case;
use lariat_testkit::oracle::{self, Buchi};
use lariat_testkit::{Answer, Campaign, Random, cases, lassos};

const REPLAY: &str = "cargo test -p lariat-differential";

#[test]
fn subjects_agree_with_the_oracle() {
    let campaign = Campaign::from_env(300).replayed_by(REPLAY);
    campaign.pass(&subjects::all());
}

/// A claim that a reader believes without proof makes engines disagree with the oracle.
#[test]
fn false_claims_of_files_change_no_verdict() {
    let campaign = Campaign::from_env(100).about(Case::claimed);
    campaign.replayed_by(REPLAY).pass(&subjects::all());
}

#[test]
fn subjects_decide_the_fixed_cases() {
    for fixed in cases::all() {
        let expected = fixed.case.oracle();
        for subject in subjects::all().iter().filter(|s| s.supports(&fixed.case)) {
            if let Err(complaint) = subject.judge(&fixed.case, expected.as_ref()) {
                let (name, case) = (fixed.name, &fixed.case);
                panic!("{name}: {} {complaint}\n{case}", subject.name());
            }
        }
    }
}

/// The engines without restrictions on automata.
fn all_engines() -> Vec<(String, Plan)> {
    let mut all = subjects::plans();
    all.retain(|(_, plan)| plan.needs() == Needs::Nothing);
    all.push(("walk".to_owned(), Plan::of("walk")));
    all
}

/// Runs an engine on a given automaton and checks its answer. Walks may answer `Unknown`.
fn on_automaton(plan: Plan, case: &Case, negation: &Buchi) -> Result<bool, String> {
    let automaton = subjects::automaton(negation, case.atoms.len());
    let propositions = case.propositions();
    let expected = oracle::accepted(&case.system, &propositions, &case.graph(), negation);
    match (subjects::run(plan, case, &automaton, None), expected) {
        (Answer::Holds, None) => Ok(true),
        (Answer::Violated(lasso), Some(_)) => {
            let letters = lassos::follow(&lasso, &case.system, &propositions, case.deadlock)?;
            if oracle::accepts(negation, &letters, letters.len() - lasso.cycle.len()) {
                Ok(false)
            } else {
                Err(format!("the automaton rejects {lasso:?}"))
            }
        }
        (Answer::Unknown(_), expected) if plan == Plan::of("walk") => Ok(expected.is_none()),
        (answer, expected) => Err(format!("{answer:?}, but the oracle answers {expected:?}")),
    }
}

#[test]
fn engines_decide_the_fixed_automata() {
    for fixed in cases::all() {
        for (name, engine) in all_engines() {
            if let Some(automaton) = &fixed.automaton {
                let answer = on_automaton(engine, &fixed.case, automaton);
                assert_eq!(answer, Ok(fixed.holds), "{}: {name}", fixed.name);
            }
        }
    }
}

/// Arbitrary automata: any marks, any number of initial states, dead ends.
#[test]
fn engines_agree_with_the_oracle_on_random_automata() {
    let (mut holds, mut violated) = (0, 0);
    for seed in Campaign::from_env(250).seeds() {
        let case = Case::random(seed);
        let negation = Buchi::random(&mut Random::new(!seed), case.atoms.len());
        for (name, engine) in all_engines() {
            for case in [&case.variants()[0], &case.variants()[2]] {
                match on_automaton(engine, case, &negation) {
                    Ok(true) => holds += 1,
                    Ok(false) => violated += 1,
                    Err(why) => panic!("seed {seed}: {name}: {why}\n{case}\n{negation:?}"),
                }
            }
        }
    }
    println!("{holds} empty, {violated} nonempty");
    assert!(Campaign::from_env(250).cases < 100 || holds.min(violated) * 8 > holds.max(violated));
}
