//! Answers of each engine on two small nets, including those that it must not give.

use super::*;
use crate::testing::net;
use lariat_budget::{Budget, RunContext};
use lariat_model::{Comparison, Deadlock, EventId};
use lariat_space::symbolic::{OrderChoice, ReachResult, reach};

/// `p0 → p1 → p2`, where the last step loses a token, and `p1 → p0`. Two tokens.
fn losing() -> System {
    net(&[2, 0, 0], &[(&[0], &[1]), (&[1], &[0]), (&[1, 1], &[2])])
}

/// `p0` adds tokens to `p1` indefinitely; `p1` fills `p2`, which holds at most one.
fn growing() -> System {
    net(&[1, 0, 0, 1], &[(&[0], &[0, 1]), (&[1, 3], &[2])])
}

fn at_least(var: u32, tokens: Value) -> Predicate {
    Predicate::compare(VarId(var), Comparison::Ge, tokens)
}

fn about_losing() -> Vec<StateQuestion> {
    vec![
        StateQuestion::Reach(at_least(2, 1)),
        StateQuestion::Reach(at_least(2, 2)),
        StateQuestion::Reach(Predicate::Deadlock),
        StateQuestion::Most(vec![(VarId(0), 1), (VarId(1), 1)]),
        StateQuestion::Always(Predicate::Enabled(vec![EventId(0)])),
        StateQuestion::Always(Predicate::Const(true)),
    ]
}

/// The best finding of each question, without runs.
fn answers(search: &Search, questions: usize) -> Vec<String> {
    let mut answers = vec![String::new(); questions];
    for (q, finding) in &search.findings {
        let word = match finding {
            Finding::Reached(run) => format!("in {}", run.prefix.len()),
            Finding::Never => "never".to_owned(),
            Finding::AtLeast(value, _) => format!("≥{value}"),
            Finding::AtMost(value) => format!("≤{value}"),
            Finding::Endless(_) => "endless".to_owned(),
            Finding::Always => "always".to_owned(),
            Finding::Lost(run) => format!("lost in {}", run.prefix.len()),
        };
        if word.starts_with('≤') && !answers[*q].is_empty() {
            answers[*q].push_str(&word)
        } else {
            answers[*q] = word
        }
    }
    answers
}

/// A search and its findings.
struct Search {
    findings: Vec<(usize, Finding)>,
    stop: Option<Stop>,
}

fn found_by(search: impl FnOnce(&mut FindingSink<'_>) -> SearchEnd) -> Search {
    let mut findings = Vec::new();
    let SearchEnd { stop, .. } = search(&mut |q, finding| findings.push((q, finding)));
    Search { findings, stop }
}

/// Searches the first net for the answers to all questions.
fn about_all(
    search: impl FnOnce(&mut QuestionSet<'_>, &mut FindingSink<'_>) -> SearchEnd,
) -> Search {
    let system = losing();
    let mut open = QuestionSet::new(&system, about_losing(), StopRule::WithAll);
    found_by(|sink| search(&mut open, sink))
}

#[test]
fn sweeps_and_sets_find_shortest_runs_and_prove_the_rest() {
    let system = losing();
    let budget = Budget::unlimited();
    let (order, ctx) = (OrderChoice::Auto, RunContext::quiet(&budget));
    let found = reach(&system, &order, Deadlock::Stutter, ctx);
    let Ok(ReachResult::All(mut reached)) = found else {
        panic!("a bounded net");
    };
    for search in [
        about_all(|open, sink| sweep(open, &budget, sink)),
        about_all(|open, sink| by_sets(open, &mut reached, &budget, sink)),
    ] {
        assert_eq!(search.stop, None);
        let wanted = ["in 3", "never", "in 3", "≥2≤2", "lost in 3", "always"];
        assert_eq!(answers(&search, 6), wanted);
    }
}

#[test]
fn walks_prove_nothing() {
    for seed in 0..20 {
        let budget = Budget::unlimited().with_work(2000);
        let search = about_all(|open, sink| wander(open, seed, &budget, sink));
        let answers = answers(&search, 6);
        assert!(answers[0].starts_with("in "), "seed {seed}: {answers:?}");
        for (_, finding) in &search.findings {
            let proves = matches!(
                finding,
                Finding::Never | Finding::AtMost(_) | Finding::Always
            );
            assert!(!proves, "seed {seed}");
        }
    }
}

#[test]
fn the_tree_finds_unbounded_sums() {
    let system = growing();
    let questions = vec![
        StateQuestion::Most(vec![(VarId(1), 1)]),
        StateQuestion::Most(vec![(VarId(2), 1)]),
        StateQuestion::Reach(at_least(1, 1000)),
        StateQuestion::Reach(at_least(2, 2)),
    ];
    let mut open_questions = QuestionSet::new(&system, questions.clone(), StopRule::WithAll);
    let unlimited = Budget::unlimited();
    let search = found_by(|sink| karp_miller(&mut open_questions, &unlimited, sink));
    assert_eq!(search.stop, None);
    let answers = answers(&search, questions.len());
    assert_eq!(answers[0], "endless");
    assert!(answers[1].ends_with("≤1"), "{answers:?}");
    assert_ne!(answers[2], "never");
    assert_eq!(answers[3], "never");
    let endless = search.findings.iter().find_map(|finding| match finding {
        (_, Finding::Endless(run)) => run.growth.clone(),
        _ => None,
    });
    assert!(endless.is_some_and(|growth| growth[1] > 0));
}

/// An incomplete search proves nothing.
#[test]
fn incomplete_searches_prove_nothing() {
    for work in 1..4 {
        let budget = Budget::unlimited().with_work(work);
        let search = about_all(|open, sink| sweep(open, &budget, sink));
        assert!(matches!(search.stop, Some(Stop::Work(_))), "{work}");
        let answers = answers(&search, 6);
        assert_eq!(answers[1], "", "{work}");
        assert!(!answers[3].contains('≤'), "{work}: {answers:?}");
        assert_eq!(answers[5], "", "{work}");
    }
}

/// Walks that end at once poll the budget, too.
#[test]
fn short_walks_respect_the_deadline() {
    let system = net(&[1, 0], &[(&[0], &[1])]);
    let question = StateQuestion::Reach(at_least(1, 2));
    let mut open_questions = QuestionSet::new(&system, vec![question], StopRule::WithAll);
    let budget = Budget::unlimited().with_deadline(std::time::Duration::from_millis(20));
    let search = found_by(|sink| wander(&mut open_questions, 1, &budget, sink));
    assert_eq!(search.stop, Some(Stop::Time));
}
