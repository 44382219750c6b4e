//! Covering runs: evidence of nets that grow, where no state need ever come back.

use lariat::internals::{
    CheckOptions, EarnedVerdict, Plan, PropertyForm, Reason, RunContext, SpaceCache, Subject,
    Systems, check_subject,
};
use lariat_budget::Budget;
use lariat_differential::subjects;
use lariat_model::{
    Action, Arc, Deadlock, Domain, Event, Lasso, Names, Properties, System, VarId, Variable,
};
use lariat_testkit::{Answer, Campaign, Case};

/// Transitions with their arcs: place, tokens taken, tokens put.
pub type Transitions<'a> = &'a [(&'a str, &'a [(usize, i64, i64)])];

pub fn net(places: &[(&str, i64)], transitions: Transitions<'_>) -> System {
    let arc = |(place, take, put): &(usize, i64, i64)| Arc {
        var: VarId(*place as u32),
        need: *take,
        delta: put - take,
    };
    let variable = |(name, _): &(&str, i64)| Variable {
        name: (*name).to_owned(),
        domain: Domain::Count { bound: None },
    };
    System {
        variables: places.iter().map(variable).collect(),
        events: transitions
            .iter()
            .map(|(name, arcs)| Event {
                name: (*name).to_owned(),
                action: Action::Net(arcs.iter().map(arc).collect()),
            })
            .collect(),
        initial: vec![places.iter().map(|(_, tokens)| *tokens).collect()],
        ..System::default()
    }
}

/// Who finds covering runs.
const FINDERS: [&str; 2] = ["walk", "explicit"];

/// What one of them says of a formula, under both policies, which must agree.
fn ask(finder: &str, system: &System, formula: &str) -> EarnedVerdict {
    let verdicts = Deadlock::ALL.map(|deadlock| ask_under(finder, system, formula, deadlock));
    for verdict in &verdicts {
        if let EarnedVerdict::Unknown(Reason::Internal(what)) = verdict {
            panic!("{formula}: {what}");
        }
    }
    assert_eq!(
        verdicts[0].word(),
        verdicts[1].word(),
        "{finder}: {formula}"
    );
    verdicts[0].clone()
}

fn ask_under(finder: &str, system: &System, formula: &str, deadlock: Deadlock) -> EarnedVerdict {
    let mut properties = Properties::new();
    let names = Names::of(system);
    properties
        .add_formula(&names, "formula", None, formula)
        .unwrap();
    let subject = Subject::of_system(system, &properties.formulas, &properties.propositions);
    let options = CheckOptions {
        engine: Plan::of(finder).into(),
        deadlock,
        ..CheckOptions::default()
    };
    let systems = Systems::new();
    let budget = Budget::unlimited().with_work(20_000);
    let property = PropertyForm::Formula(properties.list[0].formula);
    let mut explored = SpaceCache::new(&systems);
    check_subject(
        &subject,
        property,
        &options,
        &mut explored,
        RunContext::quiet(&budget),
    )
    .verdict
}

/// Violated by covering runs; that of a depth-first search is returned.
fn covered(system: &System, formula: &str) -> Lasso {
    let [_, found] = FINDERS.map(|finder| covered_by(finder, system, formula));
    found
}

/// Violated by a covering run, which is returned.
fn covered_by(finder: &str, system: &System, formula: &str) -> Lasso {
    match ask(finder, system, formula) {
        EarnedVerdict::Violated(run) => {
            let lasso = run.lasso().clone();
            assert!(lasso.growth.is_some(), "{finder}: {formula}: {lasso:?}");
            lasso
        }
        verdict => panic!("{finder}: {formula}: {verdict:?}"),
    }
}

/// Violated by the beginning of a run, whatever follows.
fn begun(system: &System, formula: &str) {
    for finder in FINDERS {
        match ask(finder, system, formula) {
            EarnedVerdict::Violated(run) => {
                assert!(run.lasso().cycle.is_empty(), "{formula}: {run:?}")
            }
            verdict => panic!("{finder}: {formula}: {verdict:?}"),
        }
    }
}

/// Not said to be violated. Walks never say that something holds.
fn open(system: &System, formula: &str) {
    let verdict = ask("walk", system, formula);
    assert!(
        matches!(verdict, EarnedVerdict::Unknown(Reason::Stopped(_))),
        "{formula}: {verdict:?}"
    );
    let verdict = ask("explicit", system, formula);
    assert!(
        !matches!(verdict, EarnedVerdict::Violated(_)),
        "{formula}: {verdict:?}"
    );
}

/// `a` and `b` take turns, each turn leaves a token in `heap`, and nothing takes one from there: no state comes back.
fn turns() -> System {
    net(
        &[("a", 1), ("b", 0), ("heap", 0)],
        &[
            ("go", &[(0, 1, 0), (1, 0, 1), (2, 0, 1)]),
            ("come", &[(0, 0, 1), (1, 1, 0)]),
        ],
    )
}

#[test]
fn a_net_without_any_cycle_is_refuted() {
    let lasso = covered(&turns(), "F G a");
    assert_eq!(lasso.growth.as_deref(), Some(&[0, 0, 1][..]));
    assert_eq!(lasso.cycle.len(), 2);
    begun(&turns(), "G (a -> X a)");
    covered(&turns(), "F G !fires(go)");
    covered(&turns(), "F G \"fireable(go)\"");
}

#[test]
fn atoms_that_change_by_growth_are_not_settled() {
    // That there are few tokens in the first rounds says nothing about later ones.
    open(&turns(), "F \"heap >= 300\"");
    open(&turns(), "F G \"heap >= 2\"");
    open(&turns(), "F \"heap == 250\"");
    // The same comparisons are settled where the truth stays as it is.
    begun(&turns(), "G \"heap <= 2\"");
    // Depth-first, an automaton that may wait for its component waits for ever.
    covered_by("walk", &turns(), "G F \"heap == 2\"");
    covered(&turns(), "F G \"heap < 2\"");
    begun(&turns(), "G !\"heap > 3\"");
}

#[test]
fn transitions_that_growth_enables_are_not_settled() {
    // `dump` needs many tokens of the heap and is disabled until then.
    type Arcs = [(usize, i64, i64)];
    let mut arcs: Vec<(&str, &Arcs)> = vec![
        ("go", &[(0, 1, 0), (1, 0, 1), (2, 0, 1)]),
        ("come", &[(0, 0, 1), (1, 1, 0)]),
        ("dump", &[(2, 500, 500)]),
    ];
    let places = [("a", 1), ("b", 0), ("heap", 0), ("lock", 0)];
    open(&net(&places, &arcs), "F \"fireable(dump)\"");
    // With a lock that nobody opens it stays so.
    arcs[2] = ("dump", &[(2, 500, 500), (3, 1, 1)]);
    covered(&net(&places, &arcs), "F \"fireable(dump)\"");
    covered_by("walk", &net(&places, &arcs), "G F \"fireable(dump)\"");
}

#[test]
fn weights_count() {
    // A round takes two tokens from `p` and puts three there.
    let system = net(
        &[("p", 2), ("q", 0)],
        &[
            ("split", &[(0, 2, 0), (1, 0, 1)]),
            ("join", &[(0, 0, 3), (1, 1, 0)]),
        ],
    );
    // Depth-first, `split` comes first whenever it can.
    for (finder, formula) in [("walk", "F G \"q >= 1\""), ("explicit", "F G \"q <= 0\"")] {
        let growth = covered_by(finder, &system, formula).growth.unwrap();
        assert!(growth[0] >= 0 && growth[1] >= 0, "{growth:?}");
        assert!(growth[0] + growth[1] > 0, "{growth:?}");
    }
    // There is always a token somewhere.
    open(&system, "G \"p + q >= 1\"");
}

#[test]
fn a_round_must_not_take_anything_away() {
    // Tokens of `fuel` are used up: each round is possible a few times, not for ever.
    let system = net(
        &[("fuel", 3000), ("p", 0), ("q", 0)],
        &[("burn", &[(0, 1, 0), (1, 0, 2), (2, 0, 1)])],
    );
    open(&system, "F \"fuel == 0\"");
    open(&system, "F !fires(burn)");
}

/// `tick` goes on for ever, `other` can be taken twice; both leave tokens in `heap`.
fn twice() -> System {
    net(
        &[("fuel", 2), ("heap", 0)],
        &[("tick", &[(1, 0, 1)]), ("other", &[(0, 1, 0), (1, 0, 1)])],
    )
}

#[test]
fn the_automaton_must_come_back_too() {
    open(&twice(), "!X X G fires(other)");
    covered(&twice(), "!X X G fires(tick)");
}

/// Two states of the automaton take turns in one component: `tick` alone covers what was before it, but the automaton waits for `other` then.
#[test]
fn the_automaton_must_come_back_within_a_component() {
    let system = net(
        &[("fuel", 100), ("heap", 0)],
        &[("tick", &[(1, 0, 1)]), ("other", &[(0, 1, 0), (1, 0, 1)])],
    );
    open(
        &system,
        "!G ((fires(tick) -> X fires(other)) & (fires(other) -> X fires(tick)))",
    );
}

#[test]
fn all_marks_must_lie_between() {
    open(&twice(), "!G F fires(other)");
    // Depth-first, `tick` comes first for ever.
    covered_by("walk", &twice(), "!(F fires(other) & G F fires(tick))");
}

/// A search that runs away asks only now and then: also where the path is long by then.
#[test]
fn a_search_tells_the_way_to_where_it_asked() {
    let lasso = covered_by("explicit", &turns(), "F G (a & !\"heap >= 90\")");
    assert_eq!(lasso.growth.as_deref(), Some(&[0, 0, 1][..]));
    // Below 90 tokens the atom is not settled.
    let entry = lasso.prefix.last().map(|step| step.state[2]);
    assert!(entry >= Some(90), "{entry:?}");
}

/// Declared bounds, or proofs, keep everybody from asking.
#[test]
fn places_with_bounds_do_not_grow() {
    let mut system = turns();
    for variable in &mut system.variables {
        variable.domain = Domain::Count { bound: Some(9) };
    }
    let verdict = ask("explicit", &system, "F G a");
    assert!(!matches!(&verdict, EarnedVerdict::Violated(run) if run.lasso().growth.is_some()));
}

/// Random nets that grow: whatever is claimed is a run that can be taken again and again with the same letters, and the
/// replay agrees.
#[test]
fn claims_about_random_nets_that_grow_are_true() {
    let finders = [
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
            for (i, finder) in finders.iter().enumerate() {
                if !finder.supports(&case) {
                    continue;
                }
                match finder.answer(&case) {
                    Answer::Violated(lasso) => {
                        if let Err(why) = case.check(&lasso) {
                            panic!("seed {seed}: {}: {why}\n{case}\n{lasso:?}", finder.name());
                        }
                        violated = Some(finder.name());
                        match lasso.growth {
                            Some(_) => covering[i] += 1,
                            None => closed[i] += 1,
                        }
                    }
                    Answer::Unknown(why) if !why.starts_with("internal") => nothing[i] += 1,
                    // Perhaps the automaton is empty, or it can read nothing but a few states.
                    Answer::Holds => {
                        holds = Some(finder.name());
                        nothing[i] += 1;
                    }
                    answer => panic!("seed {seed}: {}: {answer:?}\n{case}", finder.name()),
                }
            }
            if let (Some(holds), Some(violated)) = (holds, violated) {
                panic!("seed {seed}: {holds} against {violated}\n{case}");
            }
        }
    }
    println!("{closed:?} lassos, {covering:?} covering runs, {nothing:?} times nothing");
    let few = covering.iter().any(|runs| *runs <= campaign.cases / 5);
    assert!(campaign.cases < 100 || !few, "{covering:?}");
}
