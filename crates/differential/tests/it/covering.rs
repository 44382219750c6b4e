//! Covering runs: counterexamples of unbounded nets, in which no state needs to recur.

use lariat::internals::{
    CheckOptions, EarnedVerdict, Plan, PropertyForm, Reason, RunContext, SpaceCache, Subject,
    Systems, check_subject,
};
use lariat_budget::Budget;
use lariat_differential::subjects;
use lariat_model::{Deadlock, Domain, Lasso, Names, PropertyList, System};
use lariat_testkit::{Answer, Campaign, Case, nets};

/// Transitions with their arcs: place, consumed and produced tokens.
pub type Transitions<'a> = &'a [(&'a str, &'a [(usize, i64, i64)])];

pub fn net(places: &[(&str, i64)], transitions: Transitions<'_>) -> System {
    let marking: Vec<i64> = places.iter().map(|(_, tokens)| *tokens).collect();
    let arcs: Vec<_> = transitions.iter().map(|(_, arcs)| *arcs).collect();
    let mut net = nets::net(&marking, &arcs);
    for (variable, (name, _)) in net.variables.iter_mut().zip(places) {
        variable.name = (*name).to_owned();
    }
    for (event, (name, _)) in net.events.iter_mut().zip(transitions) {
        event.name = (*name).to_owned();
    }
    net
}

/// Engines that find covering runs.
const ENGINES: [&str; 2] = ["walk", "explicit"];

/// Checks a formula with an engine under both policies, which must agree.
fn check_both(engine: &str, system: &System, formula: &str) -> EarnedVerdict {
    let verdicts = Deadlock::ALL.map(|deadlock| ask_under(engine, system, formula, deadlock));
    for verdict in &verdicts {
        if let EarnedVerdict::Unknown(Reason::Internal(what)) = verdict {
            panic!("{formula}: {what}");
        }
    }
    let [first, second] = verdicts;
    assert_eq!(first.word(), second.word(), "{engine}: {formula}");
    first
}

fn ask_under(finder: &str, system: &System, formula: &str, deadlock: Deadlock) -> EarnedVerdict {
    let mut properties = PropertyList::new();
    let names = Names::of(system);
    let added = properties.add_formula(&names, "formula", None, formula);
    added.unwrap();
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    let options = CheckOptions {
        engine: Plan::of(finder).into(),
        deadlock,
        ..CheckOptions::default()
    };
    let systems = Systems::new();
    let budget = Budget::unlimited().with_work(20_000);
    let property = PropertyForm::Formula(properties.list[0].formula);
    let (mut explored, ctx) = (SpaceCache::new(&systems), RunContext::quiet(&budget));
    check_subject(&subject, property, &options, &mut explored, ctx).verdict
}

/// Asserts that all engines find a covering run; returns that of the depth-first search.
fn covered(system: &System, formula: &str) -> Lasso {
    let [_, found] = ENGINES.map(|engine| covered_by(engine, system, formula));
    found
}

/// Asserts that an engine finds a covering run, and returns it.
fn covered_by(engine: &str, system: &System, formula: &str) -> Lasso {
    let lasso = violation(engine, system, formula);
    assert!(lasso.growth.is_some(), "{engine}: {formula}: {lasso:?}");
    lasso
}

/// Asserts that an engine finds a violation, and returns its run.
fn violation(engine: &str, system: &System, formula: &str) -> Lasso {
    match check_both(engine, system, formula) {
        EarnedVerdict::Violated(run) => run.lasso().clone(),
        verdict => panic!("{engine}: {formula}: {verdict:?}"),
    }
}

/// Asserts that all engines find a bad prefix.
fn bad_prefix(system: &System, formula: &str) {
    for engine in ENGINES {
        let lasso = violation(engine, system, formula);
        assert!(lasso.cycle.is_empty(), "{formula}: {lasso:?}");
    }
}

/// Asserts that no engine finds a violation. Walks never answer that a formula holds.
fn not_violated(system: &System, formula: &str) {
    let verdict = check_both("walk", system, formula);
    assert!(
        matches!(verdict, EarnedVerdict::Unknown(Reason::Stopped(_))),
        "{formula}: {verdict:?}"
    );
    let verdict = check_both("explicit", system, formula);
    assert!(
        !matches!(verdict, EarnedVerdict::Violated(_)),
        "{formula}: {verdict:?}"
    );
}

/// A token alternates between `a` and `b`; each round adds a token to `heap`, so no state recurs.
fn alternating() -> System {
    net(
        &[("a", 1), ("b", 0), ("heap", 0)],
        &[
            ("go", &[(0, 1, 0), (1, 0, 1), (2, 0, 1)]),
            ("come", &[(0, 0, 1), (1, 1, 0)]),
        ],
    )
}

#[test]
fn covering_runs_refute_formulas_on_acyclic_graphs() {
    let lasso = covered(&alternating(), "F G a");
    assert_eq!(lasso.growth.as_deref(), Some(&[0, 0, 1][..]));
    assert_eq!(lasso.cycle.len(), 2);
    bad_prefix(&alternating(), "G (a -> X a)");
    covered(&alternating(), "F G !fires(go)");
    covered(&alternating(), "F G \"fireable(go)\"");
}

#[test]
fn atoms_that_change_by_growth_are_not_stable() {
    // The first rounds have few tokens, later ones have many.
    not_violated(&alternating(), "F \"heap >= 300\"");
    not_violated(&alternating(), "F G \"heap >= 2\"");
    not_violated(&alternating(), "F \"heap == 250\"");
    // The same comparisons are stable once growth does not change their value.
    bad_prefix(&alternating(), "G \"heap <= 2\"");
    // A depth-first search never leaves the first component of this automaton.
    covered_by("walk", &alternating(), "G F \"heap == 2\"");
    covered(&alternating(), "F G \"heap < 2\"");
    bad_prefix(&alternating(), "G !\"heap > 3\"");
}

#[test]
fn transitions_that_growth_enables_are_not_stable() {
    // `dump` needs many tokens of `heap`.
    type Arcs = [(usize, i64, i64)];
    let mut arcs: Vec<(&str, &Arcs)> = vec![
        ("go", &[(0, 1, 0), (1, 0, 1), (2, 0, 1)]),
        ("come", &[(0, 0, 1), (1, 1, 0)]),
        ("dump", &[(2, 500, 500)]),
    ];
    let places = [("a", 1), ("b", 0), ("heap", 0), ("lock", 0)];
    not_violated(&net(&places, &arcs), "F \"fireable(dump)\"");
    // With a lock that is never opened it stays disabled.
    arcs[2] = ("dump", &[(2, 500, 500), (3, 1, 1)]);
    covered(&net(&places, &arcs), "F \"fireable(dump)\"");
    covered_by("walk", &net(&places, &arcs), "G F \"fireable(dump)\"");
}

#[test]
fn arc_weights_are_respected() {
    // A round consumes two tokens of `p` and produces three.
    let system = net(
        &[("p", 2), ("q", 0)],
        &[
            ("split", &[(0, 2, 0), (1, 0, 1)]),
            ("join", &[(0, 0, 3), (1, 1, 0)]),
        ],
    );
    // A depth-first search fires `split` first whenever it is enabled.
    for (engine, formula) in [("walk", "F G \"q >= 1\""), ("explicit", "F G \"q <= 0\"")] {
        let growth = covered_by(engine, &system, formula).growth.unwrap();
        assert!(growth[0] >= 0 && growth[1] >= 0, "{growth:?}");
        assert!(growth[0] + growth[1] > 0, "{growth:?}");
    }
    // There is always a token somewhere.
    not_violated(&system, "G \"p + q >= 1\"");
}

#[test]
fn a_round_must_not_consume_tokens() {
    // Rounds consume tokens of `fuel`, so they cannot be repeated forever.
    let system = net(
        &[("fuel", 3000), ("p", 0), ("q", 0)],
        &[("burn", &[(0, 1, 0), (1, 0, 2), (2, 0, 1)])],
    );
    not_violated(&system, "F \"fuel == 0\"");
    not_violated(&system, "F !fires(burn)");
}

/// `tick` is always enabled, `other` fires at most twice; both add tokens to `heap`.
fn tick_and_other() -> System {
    net(
        &[("fuel", 2), ("heap", 0)],
        &[("tick", &[(1, 0, 1)]), ("other", &[(0, 1, 0), (1, 0, 1)])],
    )
}

#[test]
fn the_state_of_the_automaton_must_recur() {
    not_violated(&tick_and_other(), "!X X G fires(other)");
    covered(&tick_and_other(), "!X X G fires(tick)");
}

/// Two states of the automaton alternate in one component: `tick` alone covers the state of the net
/// before it, but not that of the automaton.
#[test]
fn the_state_of_the_automaton_must_recur_within_a_component() {
    let mut system = tick_and_other();
    system.initial[0][0] = 100;
    let formula = "!G ((fires(tick) -> X fires(other)) & (fires(other) -> X fires(tick)))";
    not_violated(&system, formula);
}

#[test]
fn a_round_must_carry_all_marks() {
    not_violated(&tick_and_other(), "!G F fires(other)");
    // A depth-first search fires `tick` forever.
    let formula = "!(F fires(other) & G F fires(tick))";
    covered_by("walk", &tick_and_other(), formula);
}

/// The search tests for covering only at intervals, so also at the end of long paths.
#[test]
fn covering_runs_may_have_long_prefixes() {
    let lasso = covered_by("explicit", &alternating(), "F G (a & !\"heap >= 90\")");
    assert_eq!(lasso.growth.as_deref(), Some(&[0, 0, 1][..]));
    // Below 90 tokens the atom is not stable.
    let entry = lasso.entry();
    assert!(entry[2] >= 90, "{entry:?}");
}

/// Engines do not test for covering runs if all places have declared or proved bounds.
#[test]
fn bounded_places_have_no_covering_runs() {
    let mut system = alternating();
    for variable in &mut system.variables {
        variable.domain = Domain::Count { bound: Some(9) };
    }
    let verdict = check_both("explicit", &system, "F G a");
    assert!(!matches!(&verdict, EarnedVerdict::Violated(run) if run.lasso().growth.is_some()));
}

/// Covering runs on random nets can be repeated with the same letters, and replay accepts them.
#[test]
fn covering_runs_of_random_nets_are_valid() {
    let engines = [
        subjects::on_translation("walk-translated", Plan::of("walk")),
        subjects::facade("facade-walk", Plan::of("walk").into()),
        subjects::on_translation("explicit-translated", Plan::of("explicit")),
        subjects::on_tableau("ba", Plan::of("ba")),
        subjects::facade("facade-explicit", Plan::of("explicit").into()),
    ];
    let campaign = Campaign::from_env(100);
    let (mut closed, mut covering, mut nothing) = ([0; 5], [0; 5], [0; 5]);
    for seed in campaign.seeds() {
        for case in Case::growing(seed).variants() {
            let mut holds = None;
            let mut violated = None;
            for (i, engine) in engines.iter().enumerate() {
                if !engine.supports(&case) {
                    continue;
                }
                match engine.answer(&case) {
                    Answer::Violated(lasso) => {
                        if let Err(why) = case.check(&lasso) {
                            panic!("seed {seed}: {}: {why}\n{case}\n{lasso:?}", engine.name());
                        }
                        violated = Some(engine.name());
                        match lasso.growth {
                            Some(_) => covering[i] += 1,
                            None => closed[i] += 1,
                        }
                    }
                    Answer::Unknown(why) if !why.starts_with("internal") => nothing[i] += 1,
                    // The product may be finite or empty.
                    Answer::Holds => {
                        holds = Some(engine.name());
                        nothing[i] += 1;
                    }
                    answer => panic!("seed {seed}: {}: {answer:?}\n{case}", engine.name()),
                }
            }
            if let (Some(holds), Some(violated)) = (holds, violated) {
                panic!("seed {seed}: {holds} answers holds, {violated} violated\n{case}");
            }
        }
    }
    println!("{closed:?} lassos, {covering:?} covering runs, {nothing:?} without a violation");
    let few = covering.iter().any(|runs| *runs <= campaign.cases / 5);
    assert!(campaign.cases < 100 || !few, "{covering:?}");
}
