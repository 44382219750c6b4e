//! Tests of the harness with faulty subjects.

use lariat_model::{Deadlock, Lasso};
use lariat_testkit::{Answer, Campaign, Case, Subject};

const REPLAY: &str = "cargo test -p lariat-testkit --test it harness";

/// Returns the report of the harness about the oracle's answers changed by `fault`.
fn report_of(fault: fn(&Case, Answer) -> Answer) -> String {
    let correct = |case: &Case| case.oracle().map_or(Answer::Holds, Answer::Violated);
    let subject = Subject::new("faulty", move |case| fault(case, correct(case)));
    let campaign = Campaign {
        seed: 1,
        cases: 400,
        replay: REPLAY.to_owned(),
        case: Case::random,
    };
    match campaign.run(&[subject], |_| {}) {
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
fn a_correct_subject_passes() {
    assert_eq!(report_of(|_, answer| answer), "nothing");
}

#[test]
fn wrong_verdicts_are_caught_and_replayed() {
    let report = report_of(|_, _| Answer::Holds);
    assert!(report.contains("answers that it holds"), "{report}");
    assert!(report.contains("shrunk"), "{report}");
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
    // Wrong only about formulas with X under one policy.
    let report = report_of(|case, answer| match case.deadlock {
        Deadlock::Ignore if case.formula.uses_next() => Answer::Holds,
        _ => answer,
    });
    assert!(report.contains("answers that it holds"), "{report}");
    assert!(report.contains("deadlocks Ignore"), "{report}");
}

#[test]
fn forgotten_stutter_steps_are_caught() {
    // Answers as under `Ignore`.
    let report = report_of(|case, _| {
        let case = Case {
            deadlock: Deadlock::Ignore,
            ..case.clone()
        };
        case.oracle().map_or(Answer::Holds, Answer::Violated)
    });
    assert!(report.contains("answers that it holds"), "{report}");
}

#[test]
fn wrong_lassos_are_caught() {
    let open = report_of(|_, answer| edit(answer, |lasso| lasso.cycle.truncate(0)));
    assert!(
        open.contains("a continuation satisfies") || open.contains("a finite run does not count"),
        "{open}"
    );
    let start = report_of(|_, answer| edit(answer, |lasso| lasso.initial[0] += 1));
    assert!(
        start.contains("does not start in an initial state"),
        "{start}"
    );
    let idle = report_of(|_, answer| {
        edit(answer, |lasso| {
            for step in &mut lasso.cycle {
                step.event = None;
            }
        })
    });
    assert!(idle.contains("stutters"), "{idle}");
    let jump = report_of(|_, answer| edit(answer, |lasso| drop(lasso.prefix.pop())));
    assert!(jump.contains("returned a wrong lasso"), "{jump}");
    let satisfying = report_of(|case, answer| {
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
fn wrong_violations_panics_and_unknown_answers_are_caught() {
    let invented = report_of(|case, answer| match (answer, case.formula.negated()) {
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
    let unknown = report_of(|_, _| Answer::Unknown("inconclusive".to_owned()));
    assert!(
        unknown.contains("answers unknown: inconclusive"),
        "{unknown}"
    );
    let panics = report_of(|_, answer| match answer {
        Answer::Violated(lasso) if lasso.prefix.len() > 3 => panic!("seeded"),
        answer => answer,
    });
    assert!(panics.contains("panicked: seeded"), "{panics}");
}

#[test]
fn internal_errors_are_never_permitted() {
    let campaign = Campaign {
        seed: 1,
        cases: 20,
        replay: REPLAY.to_owned(),
        case: Case::random,
    };
    let run = |why: &'static str| {
        let subject = Subject::new("unknown", |_| Answer::Unknown(why.to_owned())).may_give_up();
        campaign.run(&[subject], |_| {})
    };
    let counters = run("bound: too small").unwrap();
    assert_eq!(counters.subjects[0].1.unknown, 80);
    assert!(run("internal: broken").is_err());
}
