//! Nets with steps in two parts and formulas with `X`: what is asked some steps later, and nets of which one answer counts.

use lariat::{
    Choice, Explored, LeftOut, Options, Property, Report, Schedule, Subject, Systems, Technique,
    Verdict, check,
};
use lariat_budget::{Budget, Quiet};
use lariat_differential::subjects;
use lariat_model::{
    Action, Arc, Deadlock, Domain, Event, Names, Properties, System, VarId, Variable,
};
use lariat_testkit::{Campaign, Case};

#[test]
fn nets_with_steps_in_two_parts_are_answered_as_the_oracle_does() {
    let campaign = Campaign::from_env(150).about(Case::stretched);
    let subjects: Vec<_> = subjects::forms().collect();
    match campaign.run(&subjects, |_| ()) {
        Ok(counters) => println!("{counters}"),
        Err(failure) => panic!("{failure}"),
    }
}

/// A net of places with their tokens and of transitions with (place, taken, put).
fn net(marking: &[i64], transitions: &[&[(u32, i64, i64)]]) -> System {
    let arc = |&(place, take, put): &(u32, i64, i64)| Arc {
        var: VarId(place),
        need: take,
        delta: put - take,
    };
    let place = |i: usize| Variable {
        name: format!("p{i}"),
        domain: Domain::Count { bound: None },
    };
    let event = |(i, arcs): (usize, &&[(u32, i64, i64)])| {
        let mut arcs: Vec<Arc> = arcs.iter().map(arc).collect();
        arcs.sort_by_key(|arc| arc.var);
        Event {
            name: format!("t{i}"),
            action: Action::Net(arcs),
        }
    };
    System {
        variables: (0..marking.len()).map(place).collect(),
        events: transitions.iter().enumerate().map(event).collect(),
        initial: vec![marking.into()],
        ..System::default()
    }
}

/// What `auto` says if the first thing it does beside a glance is this.
fn asked(system: &System, formula: &str, deadlock: Deadlock, technique: Technique) -> Report {
    let mut properties = Properties::new();
    let added = properties.add_formula(&Names::of(system), "test", None, formula);
    added.unwrap();
    let other = match technique {
        Technique::Lengths => Technique::Progression,
        _ => Technique::Lengths,
    };
    let schedule = Schedule {
        glance: 1,
        walk: 1,
        smaller: 100,
        lengths: 0,
        without: LeftOut::of(&[Technique::Walk, Technique::Facts, other]),
        ..Schedule::default()
    };
    check(
        &Subject::of_system(system, &properties.formulas, &properties.propositions),
        Property::Formula(properties.list[0].formula),
        &Options {
            choice: Choice::Auto(schedule),
            deadlock,
            ..Options::default()
        },
        &mut Explored::new(&Systems::new()),
        &Budget::unlimited().with_work(2_000_000),
        &Quiet,
    )
}

/// The verdict, and whether the technique had a turn.
fn answer(
    system: &System,
    formula: &str,
    deadlock: Deadlock,
    technique: Technique,
) -> (bool, bool) {
    let report = asked(system, formula, deadlock, technique);
    let had_turn = { report.trail.iter() }.any(|attempt| attempt.engine == technique.name());
    match report.verdict {
        Verdict::Holds(_) => (true, had_turn),
        Verdict::Violated(_) => (false, had_turn),
        Verdict::Unknown(why) => panic!("{formula}: {why}"),
    }
}

/// A token goes round from `p0` over `p1` to `p2` and back; that it goes on from `p1` is not seen by who looks at `p0`.
const ROUND: &[&[(u32, i64, i64)]] = &[
    &[(0, 1, 0), (1, 0, 1)],
    &[(1, 1, 0), (2, 0, 1)],
    &[(2, 1, 0), (0, 0, 1)],
];

/// `p0` is empty for two steps at a time, and for one where the first is joined with the second.
#[test]
fn only_the_answer_that_counts_is_taken_from_a_net_with_shorter_runs() {
    let system = net(&[1, 0, 0], ROUND);
    let empty = r#""p0 <= 0""#;
    for deadlock in Deadlock::ALL {
        let ask = |formula: &str| answer(&system, formula, deadlock, Technique::Lengths);
        // Violated by a repetition, which the smaller net lacks: that it holds there does not count.
        assert_eq!(ask(&format!("G({empty} -> X !{empty})")), (false, true));
        // Violated there by the lack of a repetition: the run that comes back does not violate it, and nobody minds.
        assert_eq!(ask(&format!("F({empty} & X {empty})")), (true, true));
        assert_eq!(ask(&format!("G F({empty} & X {empty})")), (true, true));
        // What is violated by shorter runs alone, and by none.
        assert_eq!(ask(&format!("F(!{empty} & X !{empty})")), (false, true));
        assert_eq!(ask(&format!("G(!{empty} -> X {empty})")), (true, true));
        // Minds both directions: nobody is asked.
        let neither = format!("G({empty} -> X X !{empty})");
        assert_eq!(ask(&neither), (false, false));
        // Here `p0` stays empty for two steps in the smaller net, too, since who looks at `p2` sees the token pass by: that it holds there counts.
        let five = net(
            &[1, 0, 0, 0, 0],
            &[
                ROUND[0],
                &[(1, 1, 0), (4, 0, 1)],
                &[(4, 1, 0), (2, 0, 1)],
                &[(2, 1, 0), (3, 0, 1)],
                &[(3, 1, 0), (0, 0, 1)],
            ],
        );
        let twice = format!(r#"F("p2 >= 1" & {empty} & X {empty})"#);
        let found = answer(&five, &twice, deadlock, Technique::Lengths);
        assert_eq!(found, (true, true));
    }
}

/// The same where everything ends: two steps that are one in the smaller net, then nothing.
#[test]
fn dead_ends_are_the_same_where_runs_are_shorter() {
    let system = net(&[1, 0, 0], &ROUND[..2]);
    let marked = r#""p0 >= 1""#;
    for (formula, stutters, ignores) in [
        (format!("G({marked} -> X !{marked})"), true, true),
        (format!("F(!{marked} & X {marked})"), false, true),
        (format!("F({marked} & X {marked})"), false, true),
    ] {
        let ask = |deadlock| answer(&system, &formula, deadlock, Technique::Lengths).0;
        assert_eq!(ask(Deadlock::Stutter), stutters, "{formula}");
        assert_eq!(ask(Deadlock::Ignore), ignores, "{formula}");
    }
}

/// Behind a choice at the start: `t0` leads to the round, `t1` to a dead end.
fn choice() -> System {
    let back: &[(u32, i64, i64)] = &[(3, 1, 0), (1, 0, 1)];
    net(
        &[1, 0, 0, 0, 0],
        &[
            &[(0, 1, 0), (1, 0, 1)],
            &[(0, 1, 0), (4, 0, 1)],
            &[(1, 1, 0), (2, 0, 1)],
            &[(2, 1, 0), (3, 0, 1)],
            back,
        ],
    )
}

#[test]
fn what_is_left_after_the_first_steps_is_what_was_asked() {
    let system = choice();
    for (formula, stutters, ignores) in [
        // A dead end goes on to itself where finite runs count, and is no run otherwise.
        (r#"X X F "p3 >= 1""#, false, true),
        (r#"X X X "p4 >= 1""#, false, false),
        (
            r#"X(("p4 >= 1" & X X G "p4 >= 1") | F "p3 >= 1")"#,
            true,
            true,
        ),
        // The state at the start counts, and so does the event that is taken there.
        (r#""p0 >= 1" & X G "p0 <= 0""#, true, true),
        (r#""p0 <= 0" | X G "p0 >= 1""#, false, false),
        (r#"X F "p3 >= 1" | fires(t1)"#, true, true),
        (r#"X F "p3 >= 1" | fires(t0)"#, false, true),
        // Several parts, of which the last is violated.
        (r#"X("p4 >= 1" | X G "p3 <= 0")"#, false, false),
        (r#"X("p1 >= 1" -> X F G "p2 >= 1")"#, false, false),
    ] {
        let ask = |deadlock| answer(&system, formula, deadlock, Technique::Progression).0;
        assert_eq!(ask(Deadlock::Stutter), stutters, "{formula}");
        assert_eq!(ask(Deadlock::Ignore), ignores, "{formula}");
    }
}

/// After two steps nothing is left to ask of the one half, which goes on for ever; the other half ends. So not all is true for want of runs.
#[test]
fn parts_that_are_true_are_asked_for_a_run() {
    let system = net(
        &[1, 0, 0, 0],
        &[
            &[(0, 1, 0), (1, 0, 1)],
            &[(0, 1, 0), (2, 0, 1)],
            &[(1, 1, 1)],
            &[(2, 1, 0), (3, 0, 1)],
        ],
    );
    let formula = r#"X("p1 >= 1" | X "p0 >= 1")"#;
    let report = asked(&system, formula, Deadlock::Ignore, Technique::Progression);
    assert!(matches!(report.verdict, Verdict::Holds(_)));
    assert_eq!(report.vacuous, None);
}

/// Random questions of this kind often have these forms, and are answered in them: nobody else had a turn in between.
#[test]
fn both_forms_answer_questions() {
    let mut answered = [0; 2];
    let campaign = Campaign::from_env(150);
    for seed in campaign.seeds() {
        let case = Case::stretched(seed);
        let Some(formula) = case.formula_text() else {
            continue;
        };
        for (count, technique) in answered
            .iter_mut()
            .zip([Technique::Progression, Technique::Lengths])
        {
            let report = asked(&case.system, &formula, case.deadlock, technique);
            let mut trail = report.trail.iter().map(|attempt| attempt.engine);
            let turns = trail.by_ref().skip_while(|name| *name != technique.name());
            *count += usize::from(turns.skip(1).count() == 1);
        }
    }
    println!("{answered:?} answered");
    assert!(campaign.cases < 150 || answered.iter().all(|count| *count > 10));
}

/// Both techniques have turns, and say in words what they do.
#[test]
fn the_trail_tells_of_other_forms_of_the_question() {
    let system = net(&[1, 0, 0], ROUND);
    let outcome = |formula: &str, technique: Technique| -> Option<String> {
        let report = asked(&system, formula, Deadlock::Stutter, technique);
        let mut trail = report.trail.into_iter();
        let attempt = trail.find(|attempt| attempt.engine == technique.name());
        attempt.map(|attempt| attempt.outcome)
    };
    let told = outcome(r#"X X G F "p0 >= 1""#, Technique::Progression);
    assert_eq!(told, None, "its `X` vanish");
    let told = outcome(r#"X F G "p0 >= 1" | X G "p0 <= 0""#, Technique::Progression);
    let words = "1 question left from 1 state, about 4 places and transitions instead of 6";
    assert_eq!(told.as_deref(), Some(words));
    let told = outcome(r#"G("p0 >= 1" -> X "p0 <= 0")"#, Technique::Lengths);
    let words = "4 places and transitions instead of 6; a violation there counts";
    assert_eq!(told.as_deref(), Some(words));
}
