//! Every subject on every fixed case and on random ones; and the harness itself on subjects that lie.

use lariat_engines::Engine;
use lariat_model::{Deadlock, Lasso, Proposition};
use lariat_testkit::case::{Atom, Case};
use lariat_testkit::oracle::{self, Buchi, Reachable};
use lariat_testkit::{Answer, Campaign, Rng, Subject, cases, lassos, subjects, tableau};

const REPLAY: &str = "cargo test -p lariat-testkit --test differential";

#[test]
fn no_subject_differs_from_the_oracle() {
    let campaign = Campaign::from_env(300).replayed_by(REPLAY);
    match campaign.run(&subjects::all(), |_| {}) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}

#[test]
fn the_oracle_knows_the_fixed_cases() {
    for fixed in cases::all() {
        let found = fixed.case.oracle();
        assert_eq!(
            found.is_none(),
            fixed.holds,
            "{}\n{}",
            fixed.name,
            fixed.case
        );
        if let Some(lasso) = found {
            assert_eq!(fixed.case.check(&lasso), Ok(()), "{}", fixed.name);
        }
        if let Some(automaton) = &fixed.automaton {
            let system = &fixed.case.system;
            let graph = Reachable::explore(system, 1000)
                .unwrap()
                .under(fixed.case.deadlock);
            let run = oracle::accepted(system, &fixed.case.propositions(), &graph, automaton);
            assert_eq!(run.is_none(), fixed.holds, "{}", fixed.name);
        }
    }
}

#[test]
fn every_subject_knows_the_fixed_cases() {
    for fixed in cases::all() {
        let expected = fixed.case.oracle();
        for subject in subjects::all().iter().filter(|s| s.supports(&fixed.case)) {
            if let Err(complaint) = subject.judge(&fixed.case, expected.as_ref()) {
                panic!(
                    "{}: {} {complaint}\n{}",
                    fixed.name,
                    subject.name(),
                    fixed.case
                );
            }
        }
    }
}

/// The engines that need nothing but, perhaps, propositions about states.
fn all_engines() -> Vec<(&'static str, Engine)> {
    let mut all = subjects::engines();
    all.extend(subjects::state_engines());
    all
}

/// An engine on a given automaton: right, with a run of the system that the automaton accepts.
fn on_automaton(engine: Engine, case: &Case, negation: &Buchi) -> Result<bool, String> {
    let automaton = subjects::automaton(negation, case.atoms.len());
    let propositions = case.propositions();
    let expected = oracle::accepted(&case.system, &propositions, &case.graph(), negation);
    match (subjects::run(engine, case, &automaton), expected) {
        (Answer::Holds, None) => Ok(true),
        (Answer::Violated(lasso), Some(_)) => {
            let letters = lassos::follow(&lasso, &case.system, &propositions, case.deadlock)?;
            match oracle::accepts(negation, &letters, lasso.prefix.len()) {
                true => Ok(false),
                false => Err(format!("the automaton rejects {lasso:?}")),
            }
        }
        (answer, expected) => Err(format!("{answer:?}, but the oracle has {expected:?}")),
    }
}

#[test]
fn every_engine_knows_the_fixed_automata() {
    for fixed in cases::all() {
        for (name, engine) in all_engines() {
            if let Some(automaton) = &fixed.automaton {
                let answer = on_automaton(engine, &fixed.case, automaton);
                assert_eq!(answer, Ok(fixed.holds), "{}: {name}", fixed.name);
            }
        }
    }
}

/// Automata that no translation would make: any marks, any number of initial states, dead ends.
#[test]
fn every_engine_is_right_about_random_automata() {
    let (mut holds, mut violated) = (0, 0);
    for seed in Campaign::from_env(250).seeds() {
        let case = Case::random(seed);
        let negation = Buchi::random(&mut Rng::new(!seed), case.atoms.len());
        let of_states = |atom: &Atom| matches!(atom.proposition, Proposition::State(_));
        let engines = match case.atoms.iter().all(of_states) {
            true => all_engines(),
            false => subjects::engines(),
        };
        for (name, engine) in engines {
            for case in [&case.variants()[0], &case.variants()[2]] {
                match on_automaton(engine, case, &negation) {
                    Ok(true) => holds += 1,
                    Ok(false) => violated += 1,
                    Err(why) => panic!("seed {seed}: {name}: {why}\n{case}\n{negation:?}"),
                }
            }
        }
    }
    println!("{holds} empty, {violated} not");
    assert!(Campaign::from_env(250).cases < 100 || holds.min(violated) * 8 > holds.max(violated));
}

/// The closure construction of the oracle and the tableau, which goes the other way round, agree.
#[test]
fn tableau_and_oracle_agree() {
    for seed in Campaign::from_env(1000).seeds() {
        let base = Case::random(seed);
        let all = Reachable::explore(&base.system, 1000).unwrap();
        for case in base.variants() {
            let Some(automaton) = tableau::buchi(&case.formula.negated(), 1000) else {
                continue;
            };
            let graph = all.under(case.deadlock);
            let run = oracle::accepted(&case.system, &case.propositions(), &graph, &automaton);
            assert_eq!(
                run.is_some(),
                case.oracle().is_some(),
                "seed {seed}\n{case}"
            );
            if let Some(run) = run {
                assert_eq!(case.check(&run), Ok(()), "seed {seed}\n{case}");
            }
        }
    }
}

/// What the harness says of a subject that answers honestly and is then changed by `fault`.
fn caught(fault: fn(&Case, Answer) -> Answer) -> String {
    let honest = |case: &Case| case.oracle().map_or(Answer::Holds, Answer::Violated);
    let liar = Subject::new("liar", move |case| fault(case, honest(case)));
    let campaign = Campaign {
        seed: 1,
        cases: 400,
        replay: REPLAY.to_owned(),
    };
    match campaign.run(&[liar], |_| {}) {
        Ok(_) => "nothing".to_owned(),
        Err(failure) => failure.to_string(),
    }
}

fn edit(answer: Answer, change: impl Fn(&mut Lasso)) -> Answer {
    match answer {
        Answer::Violated(mut lasso) => {
            change(&mut lasso);
            Answer::Violated(lasso)
        }
        other => other,
    }
}

#[test]
fn an_honest_subject_passes() {
    assert_eq!(caught(|_, answer| answer), "nothing");
}

#[test]
fn wrong_verdicts_are_caught_and_replayed() {
    let report = caught(|_, _| Answer::Holds);
    assert!(report.contains("says it holds"), "{report}");
    assert!(report.contains("made smaller"), "{report}");
    let seed = report
        .strip_prefix("seed ")
        .unwrap()
        .split(':')
        .next()
        .unwrap();
    let replay = format!("replay: LARIAT_SEED={seed} LARIAT_CASES=1 {REPLAY}");
    assert!(report.ends_with(&replay), "{report}");
}

#[test]
fn rare_wrong_verdicts_are_caught() {
    // Wrong only about X under one policy.
    let report = caught(|case, answer| match case.deadlock {
        Deadlock::Ignore if case.formula.uses_next() => Answer::Holds,
        _ => answer,
    });
    assert!(report.contains("says it holds"), "{report}");
    assert!(report.contains("deadlocks Ignore"), "{report}");
}

#[test]
fn forgotten_stutter_steps_are_caught() {
    // Answers as if finite runs did not count.
    let report = caught(|case, _| {
        let case = Case {
            deadlock: Deadlock::Ignore,
            ..case.clone()
        };
        case.oracle().map_or(Answer::Holds, Answer::Violated)
    });
    assert!(report.contains("says it holds"), "{report}");
}

#[test]
fn wrong_lassos_are_caught() {
    let open = caught(|_, answer| edit(answer, |lasso| lasso.cycle.truncate(0)));
    assert!(open.contains("the loop is empty"), "{open}");
    let start = caught(|_, answer| edit(answer, |lasso| lasso.initial[0] += 1));
    assert!(
        start.contains("does not start in an initial state"),
        "{start}"
    );
    let idle = caught(|_, answer| {
        edit(answer, |lasso| {
            for step in &mut lasso.cycle {
                step.event = None;
            }
        })
    });
    assert!(idle.contains("stutters"), "{idle}");
    let jump = caught(|_, answer| edit(answer, |lasso| drop(lasso.prefix.pop())));
    assert!(jump.contains("gave a wrong lasso"), "{jump}");
    let satisfying = caught(|case, answer| {
        let negation = Case {
            formula: case.formula.negated(),
            ..case.clone()
        };
        match (answer, negation.oracle()) {
            (Answer::Violated(_), Some(other)) => Answer::Violated(other),
            (answer, _) => answer,
        }
    });
    assert!(
        satisfying.contains("the run satisfies the formula"),
        "{satisfying}"
    );
}

#[test]
fn invented_violations_panics_and_shrugs_are_caught() {
    let invented = caught(|case, answer| match (answer, case.formula.negated()) {
        (Answer::Holds, formula) => {
            let negation = Case {
                formula,
                ..case.clone()
            };
            negation.oracle().map_or(Answer::Holds, Answer::Violated)
        }
        (answer, _) => answer,
    });
    assert!(
        invented.contains("the run satisfies the formula"),
        "{invented}"
    );
    let shrug = caught(|_, _| Answer::Unknown("inconclusive".to_owned()));
    assert!(shrug.contains("does not know: inconclusive"), "{shrug}");
    let panics = caught(|_, answer| match answer {
        Answer::Violated(lasso) if lasso.prefix.len() > 3 => panic!("seeded"),
        answer => answer,
    });
    assert!(panics.contains("panicked: seeded"), "{panics}");
}

#[test]
fn who_may_give_up_may_not_hide_defects() {
    let campaign = Campaign {
        seed: 1,
        cases: 20,
        replay: REPLAY.to_owned(),
    };
    let run = |why: &'static str| {
        let subject = Subject::new("quitter", |_| Answer::Unknown(why.to_owned())).may_give_up();
        campaign.run(&[subject], |_| {})
    };
    let counters = run("bound: too small").unwrap();
    assert_eq!(counters.subjects[0].1.unknown, 80);
    assert!(run("internal: broken").is_err());
}
