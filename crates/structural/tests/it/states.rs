//! Facts about single markings, and about repetition.

use crate::explorer::{Explored, explore};
use crate::nets;
use lariat_budget::Budget;
use lariat_model::{Domain, EventId, Expr, Predicate, Proposition, State, System, VarId};
use lariat_structural::{Certificate, Facts};
use lariat_testkit::Random;
use lariat_testkit::interpret::letter;

const CUT: usize = 400;
const CASES: usize = 1000;

/// Counts of the facts found.
#[derive(Default, Debug)]
struct Sightings {
    constants: usize,
    bounds: usize,
    sums: usize,
    dead: usize,
    cubes: usize,
    finite: usize,
    terminating: usize,
    settled: usize,
    live: usize,
}

#[test]
fn facts_are_true_of_everything_explored() {
    let first = lariat_corpora::seed(1);
    let mut found = Sightings::default();
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let mut rng = Random::new(seed);
        let system = nets::random(&mut rng);
        let explored = explore(&system, CUT);
        let mut facts = Facts::of(&system);
        let context = format!("LARIAT_SEED={seed} LARIAT_CASES=1\n{system:?}");
        let found = &mut found;
        markings(&system, &explored, &mut facts, &mut rng, &context, found);
        repetition(&system, &explored, &mut facts, &mut rng, &context, found);
    }
    println!("{found:?}");
    if lariat_corpora::cases(CASES) >= CASES {
        let least = [
            (found.constants, 600),
            (found.bounds, 1300),
            (found.sums, 500),
            (found.dead, 30),
            (found.cubes, 600),
            (found.finite, 600),
            (found.terminating, 30),
            (found.settled, 600),
            (found.live, 30),
        ];
        let enough = least.iter().all(|(found, least)| found >= least);
        assert!(enough, "{found:?}");
    }
}

pub(crate) fn checked(certificate: &Certificate, system: &System, context: &str) {
    assert!(certificate.check(system), "{certificate:?}\n{context}");
    assert!(certificate.sentences(system).iter().all(|s| !s.is_empty()));
}

fn markings(
    system: &System,
    explored: &Explored,
    facts: &mut Facts,
    rng: &mut Random,
    context: &str,
    found: &mut Sightings,
) {
    let budget = Budget::unlimited();
    for _ in 0..8 {
        let proposition = nets::proposition(rng, system);
        if let Some(constant) = facts.constant(&proposition, &budget).unwrap() {
            found.constants += 1;
            checked(&constant.certificate, system, context);
            let mut letters = letters(system, explored, std::slice::from_ref(&proposition));
            let same = letters.all(|(letter, _)| (letter == 1) == constant.value);
            assert!(same, "{proposition:?} is not {constant:?}\n{context}");
        }
        let propositions: Vec<Proposition> = (0..1 + rng.below(3))
            .map(|_| nets::proposition(rng, system))
            .collect();
        let wanted = rng.below(1 << propositions.len()) as u64;
        let literal = |(i, p): (usize, &Proposition)| (p.clone(), wanted >> i & 1 == 1);
        let cube: Vec<(Proposition, bool)> = propositions.iter().enumerate().map(literal).collect();
        if let Some(certificate) = facts.infeasible(&cube, &budget).unwrap() {
            found.cubes += 1;
            checked(&certificate, system, context);
            let never =
                letters(system, explored, &propositions).all(|(letter, _)| letter != wanted);
            assert!(never, "{cube:?} happens\n{context}");
        }
        if let Some(certificate) = facts.never_rests(&cube, &budget).unwrap() {
            found.live += 1;
            checked(&certificate, system, context);
            let at = |state| letter(system, &propositions, state, None);
            let never = explored.dead().all(|s| at(s) != wanted);
            assert!(never, "{cube:?} rests\n{context}");
        }
    }
    for place in system.var_ids() {
        if let Some(bound) = facts.bound(place, &budget).unwrap() {
            found.bounds += 1;
            checked(&bound.certificate, system, context);
            let within = |v: i64| u64::try_from(v).unwrap() <= bound.most;
            let holds = explored.states.iter().all(|s| within(s[place.index()]));
            assert!(holds, "{place:?} {bound:?}\n{context}");
        }
    }
    for _ in 0..4 {
        let mut terms: Vec<(VarId, i64)> = Vec::new();
        for place in system.var_ids() {
            if rng.percent(40) {
                terms.push((place, *rng.one_of(&[1, 1, 2, -1])));
            }
        }
        let Some((most, certificate)) = facts.most(&terms, &budget).unwrap() else {
            continue;
        };
        found.sums += 1;
        checked(&certificate, system, context);
        let sum = |state: &State| -> i64 { terms.iter().map(|(p, c)| c * state[p.index()]).sum() };
        let within = |state: &State| i128::from(sum(state)) <= most;
        let holds = explored.states.iter().all(within);
        assert!(holds, "{terms:?} <= {most}\n{context}");
    }
    let covered = facts.bounded(&budget).unwrap();
    for (place, covered) in system.var_ids().zip(covered) {
        let bound = facts.bound(place, &budget).unwrap();
        assert_eq!(covered, bound.is_some(), "{place:?}\n{context}");
    }
    for event in system.event_ids() {
        if let Some(certificate) = facts.dead(event, &budget).unwrap() {
            found.dead += 1;
            checked(&certificate, system, context);
            let fired = explored.steps.iter().flatten().any(|(e, _)| *e == event);
            assert!(!fired, "{event:?} is not dead\n{context}");
        }
    }
}

/// The letters of all steps, and of all dead markings.
fn letters<'a>(
    system: &'a System,
    explored: &'a Explored,
    propositions: &'a [Proposition],
) -> impl Iterator<Item = (u64, Option<EventId>)> + 'a {
    let all = explored.states.iter().zip(&explored.steps);
    all.flat_map(move |(state, steps)| {
        let events = steps.iter().map(|(event, _)| Some(*event));
        let events = events.chain(steps.is_empty().then_some(None));
        events.map(move |event| (letter(system, propositions, state, event), event))
    })
}

fn repetition(
    system: &System,
    explored: &Explored,
    facts: &mut Facts,
    rng: &mut Random,
    context: &str,
    found: &mut Sightings,
) {
    let budget = Budget::unlimited();
    let repeated = explored.repeated(system, rng);
    let repeating = facts.repeating(&budget).unwrap();
    checked(&repeating.certificate, system, context);
    for event in system.event_ids() {
        let known = repeating.events.contains(&event);
        let right = known || !repeated[event.index()];
        assert!(right, "{event:?} repeats\n{context}");
        found.finite += usize::from(!known);
    }
    if let Some(certificate) = facts.terminates(&budget).unwrap() {
        found.terminating += 1;
        checked(&certificate, system, context);
        assert!(!repeated.contains(&true), "{context}");
    }
    let settled = facts.settled(&budget).unwrap();
    for place in system.var_ids().filter(|p| settled[p.index()]) {
        found.settled += 1;
        let changes = |event: &EventId| system.event(*event).action.writes().contains(&place);
        let mut repeating = system.event_ids().filter(|e| repeated[e.index()]);
        let changed = repeating.any(|e| changes(&e));
        assert!(!changed, "{place:?} does not settle\n{context}");
    }
}

/// Asserts that all places have bounds of at most `most`.
fn assert_bounds(facts: &mut Facts, most: u64) {
    let bounds = facts.bounds(1000, &Budget::unlimited()).unwrap();
    let holds = bounds.iter().all(|b| b.is_some_and(|b| b <= most));
    assert!(holds, "{bounds:?}");
}

#[test]
fn places_of_known_nets_are_bounded() {
    use lariat_model::generate::{Family, generate};
    let budget = Budget::unlimited();
    for (family, most) in [
        (Family::Philosophers, 1),
        (Family::SlottedRing, 1),
        (Family::Kanban, 4),
    ] {
        let system = generate(family, 4).unwrap();
        let mut facts = Facts::of(&system);
        assert!(facts.is_bounded(&budget).unwrap());
        assert_bounds(&mut facts, most);
        assert!(facts.terminates(&budget).unwrap().is_none());
    }
    let system = generate(Family::Philosophers, 2).unwrap();
    let bound = Facts::of(&system).bound(VarId(0), &budget).unwrap();
    let sentences = bound.unwrap().certificate.sentences(&system);
    assert_eq!(sentences, ["Fork_1 + HasLeft_1 + HasRight_2 <= 1"]);
}

/// Several threads that share answers find the same bounds and solve each program once.
#[test]
fn threads_share_the_answers_of_programs() {
    use lariat_model::generate::{Family, generate};
    use lariat_structural::Answers;
    let budget = Budget::unlimited();
    let system = generate(Family::Fms, 7).unwrap();
    let mut alone = Facts::of(&system);
    let expected = alone.bounds(1000, &budget).unwrap();
    let (asked, _) = alone.effort();
    assert!(asked > 5, "{asked}");

    let answers = Answers::default();
    let mut first = Facts::of(&system).sharing(&answers);
    assert_eq!(first.bounds(1000, &budget).unwrap(), expected);
    assert_eq!(first.effort(), alone.effort());
    let mut second = Facts::of(&system).sharing(&answers);
    assert_eq!(second.bounds(1000, &budget).unwrap(), expected);
    // Each thread solves the program for bounded places.
    assert!(second.effort().0 <= 1, "{:?}", second.effort());

    let answers = Answers::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut facts = Facts::of(&system).sharing(&answers);
                assert_eq!(facts.bounds(1000, &budget).unwrap(), expected);
            });
        }
    });
}

/// Dead markings need no tighter bound of a place that is known to be safe.
#[test]
fn bounds_of_safe_places_are_not_tightened() {
    // One token moves between two places; with two, others would be marked.
    let system = nets::net(
        &[1, 0, 0, 0],
        &[
            &[(0, 1, 0), (1, 0, 1)],
            &[(1, 1, 0), (0, 0, 1)],
            &[(0, 1, 1), (1, 1, 0), (2, 0, 1)],
            &[(0, 1, 0), (2, 1, 0), (3, 0, 1)],
        ],
    );
    let asked = |question: fn(&mut Facts)| {
        let mut facts = Facts::of(&system);
        question(&mut facts);
        facts.effort().0
    };
    let bounds = |facts: &mut Facts| assert_bounds(facts, 1);
    let resting = |facts: &mut Facts| {
        facts.deadlock_free(&Budget::unlimited()).unwrap();
    };
    assert_eq!((asked(bounds), asked(resting)), (2, 1));
}

/// Expressions are not analysed, even if they hold initially.
#[test]
fn expressions_have_no_facts() {
    let system = nets::net(&[1], &[&[(0, 1, 0)]]);
    let marked = Predicate::Expr(Expr::Var(VarId(0)));
    let known = Facts::of(&system).constant(&Proposition::State(marked), &Budget::unlimited());
    assert_eq!(known, Ok(None));
}

/// Nothing is known about a program, so every event may repeat.
#[test]
fn all_events_of_programs_may_repeat() {
    let budget = Budget::unlimited();
    let text =
        "byte x; process P { state a; init a; trans a -> a { effect x = x + 1; }; } system async;";
    let program = lariat_formats::read("p.dve", text.as_bytes())
        .unwrap()
        .system;
    let mut facts = Facts::of(&program);
    let repeating = facts.repeating(&budget).unwrap();
    assert_eq!(repeating.events.len(), program.events.len());
    assert!(facts.terminates(&budget).unwrap().is_none());
}

/// Nets with negative counts or failing steps are not supported.
#[test]
fn negative_counts_and_failing_steps_are_unsupported() {
    let net = nets::net(&[1, 0], &[&[(0, 1, 0), (1, 0, 1)]]);
    let budget = Budget::unlimited();
    let bound = |system: &System| Facts::of(system).bound(VarId(1), &budget).unwrap();
    let known = bound(&net).unwrap();
    assert!(known.most == 1 && known.certificate.check(&net));
    let mut less = net.clone();
    less.initial = vec![[2, -1].into()];
    let mut fails = net.clone();
    fails.fault = Some(VarId(1));
    for system in [less, fails] {
        assert!(bound(&system).is_none() && !known.certificate.check(&system));
    }
}

/// Both events are always enabled, and exactly one of them fires.
#[test]
fn one_event_is_taken_at_a_time() {
    let system = nets::net(&[1], &[&[(0, 1, 1)], &[(0, 1, 1)]]);
    let fires = |events: &[u32], truth| {
        let events = events.iter().map(|e| EventId(*e)).collect();
        (Proposition::Fires(events), truth)
    };
    let infeasible = |cube: &[(Proposition, bool)]| {
        let found = Facts::of(&system).infeasible(cube, &Budget::unlimited());
        found.unwrap().is_some()
    };
    assert!(infeasible(&[fires(&[0], true), fires(&[1], true)]));
    assert!(infeasible(&[fires(&[0], true), fires(&[0, 1], false)]));
    assert!(!infeasible(&[fires(&[0, 1], true), fires(&[1], false)]));
    assert!(!infeasible(&[fires(&[0], false), fires(&[1], false)]));
}

/// An event that needs no tokens is enabled in every marking.
#[test]
fn a_source_transition_excludes_deadlock() {
    let budget = Budget::unlimited();
    let source = nets::net(&[1, 0], &[&[(0, 1, 0)], &[(1, 0, 1)]]);
    let certificate = Facts::of(&source).deadlock_free(&budget).unwrap();
    assert!(certificate.unwrap().check(&source));
    let ends = nets::net(&[1, 0], &[&[(0, 1, 0)]]);
    assert!(Facts::of(&ends).deadlock_free(&budget).unwrap().is_none());
}

/// A bound that the model declares is used without a proof.
#[test]
fn declared_bounds_are_used() {
    let mut system = nets::net(&[1], &[&[(0, 1, 2)], &[(0, 5, 1)]]);
    let most = |system: &System| {
        let bound = Facts::of(system).bound(VarId(0), &Budget::unlimited());
        bound.unwrap().map(|bound| bound.most)
    };
    assert_eq!(most(&system), None);
    system.variables[0].domain = Domain::Count { bound: Some(5) };
    assert_eq!(most(&system), Some(5));
}
