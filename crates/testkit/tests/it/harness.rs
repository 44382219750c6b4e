//! The harness on subjects that lie.

use lariat_model::{Deadlock, Lasso};
use lariat_testkit::{Answer, Campaign, Case, Subject};

const REPLAY: &str = "cargo test -p lariat-testkit --test it harness";

/// What the harness says of a subject that answers honestly and is then changed by `fault`.
fn caught(fault: fn(&Case, Answer) -> Answer) -> String {
    let honest = |case: &Case| case.oracle().map_or(Answer::Holds, Answer::Violated);
    let liar = Subject::new("liar", move |case| fault(case, honest(case)));
    let campaign = Campaign {
        seed: 1,
        cases: 400,
        replay: REPLAY.to_owned(),
        case: Case::random,
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
    assert!(
        open.contains("the run may go on") || open.contains("nothing follows a finite run"),
        "{open}"
    );
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
        case: Case::random,
    };
    let run = |why: &'static str| {
        let subject = Subject::new("quitter", |_| Answer::Unknown(why.to_owned())).may_give_up();
        campaign.run(&[subject], |_| {})
    };
    let counters = run("bound: too small").unwrap();
    assert_eq!(counters.subjects[0].1.unknown, 80);
    assert!(run("internal: broken").is_err());
}
