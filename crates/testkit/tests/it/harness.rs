//! Tests of the harness with faulty subjects.

use lariat_model::{Deadlock, Lasso};
use lariat_testkit::{Answer, Campaign, Case, Subject};

const REPLAY: &str = "cargo test -p lariat-testkit --test it harness";

/// A change of the right answer.
type Fault = fn(&Case, Answer) -> Answer;

fn campaign(cases: u64) -> Campaign {
    Campaign {
        seed: 1,
        cases,
        replay: REPLAY.to_owned(),
        case: Case::random,
    }
}

/// Returns the report of the harness about the oracle's answers changed by `fault`.
fn report_of(fault: Fault) -> String {
    let subject = Subject::new("faulty", move |case| fault(case, answer_to(case.clone())));
    match campaign(400).run(&[subject], |_| {}) {
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

/// The oracle's answer.
fn answer_to(case: Case) -> Answer {
    case.oracle().map_or(Answer::Holds, Answer::Violated)
}

fn negated(case: &Case) -> Case {
    Case {
        formula: case.formula.negated(),
        ..case.clone()
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
    let (seed, _) = report
        .strip_prefix("seed ")
        .unwrap()
        .split_once(':')
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
        answer_to(Case {
            deadlock: Deadlock::Ignore,
            ..case.clone()
        })
    });
    assert!(report.contains("answers that it holds"), "{report}");
}

/// Changes of answers, and the complaints about them.
const FAULTS: [(Fault, &str); 7] = [
    (
        |_, answer| edit(answer, |lasso| lasso.initial[0] += 1),
        "does not start in an initial state",
    ),
    (
        |_, answer| {
            edit(answer, |lasso| {
                lasso.cycle.iter_mut().for_each(|s| s.event = None)
            })
        },
        "stutters",
    ),
    (
        |_, answer| edit(answer, |lasso| drop(lasso.prefix.pop())),
        "returned a wrong lasso",
    ),
    (
        |case, answer| match (answer, negated(case).oracle()) {
            (Answer::Violated(_), Some(other)) => Answer::Violated(other),
            (answer, _) => answer,
        },
        "the run satisfies the formula",
    ),
    (
        |case, answer| match answer {
            Answer::Holds => answer_to(negated(case)),
            answer => answer,
        },
        "the run satisfies the formula",
    ),
    (
        |_, _| Answer::Unknown("inconclusive".to_owned()),
        "answers unknown: inconclusive",
    ),
    (
        |_, answer| match answer {
            Answer::Violated(lasso) if lasso.prefix.len() > 3 => panic!("seeded"),
            answer => answer,
        },
        "panicked: seeded",
    ),
];

#[test]
fn wrong_lassos_panics_and_unknown_answers_are_caught() {
    for (fault, complaint) in FAULTS {
        let report = report_of(fault);
        assert!(report.contains(complaint), "{complaint}: {report}");
    }
    let open = report_of(|_, answer| edit(answer, |lasso| lasso.cycle.truncate(0)));
    let complaints = ["a continuation satisfies", "a finite run does not count"];
    let is_found = complaints.iter().any(|complaint| open.contains(complaint));
    assert!(is_found, "{open}");
}

#[test]
fn internal_errors_are_never_permitted() {
    let campaign = campaign(20);
    let run = |why: &'static str| {
        let subject = Subject::new("unknown", |_| Answer::Unknown(why.to_owned())).may_give_up();
        campaign.run(&[subject], |_| {})
    };
    let counters = run("bound: too small").unwrap();
    assert_eq!(counters.subjects[0].1.unknown, 80);
    assert!(run("internal: broken").is_err());
}
