//! Pruned automata accept the same runs of a net; excluded steps and dead markings do not occur.

use crate::explorer::{Explored, explore};
use crate::nets;
use lariat_automata::{
    Automaton, Guard, Guards, LegalLetters, Letter, StateId, Transition, components, translate,
};
use lariat_budget::Budget;
use lariat_emptiness::Marks;
use lariat_ltl::{AtomId, Formulas, OperatorWeights, random_formula};
use lariat_model::{Comparison, Deadlock, EventId, Predicate, Proposition, System, VarId};
use lariat_structural::Facts;
use lariat_testkit::Random;
use lariat_testkit::interpret::letter;

const CUT: usize = 150;
const CASES: usize = 1500;

/// The meanings of the atoms of an automaton.
pub fn of_atoms(automaton: &Automaton, meaning: &[Proposition]) -> Vec<Proposition> {
    let atoms = automaton.atoms.iter();
    atoms.map(|atom| meaning[atom.index()].clone()).collect()
}

/// Returns whether a run of the explored part is accepted; exact if everything was explored.
pub fn accepts(
    system: &System,
    explored: &Explored,
    automaton: &Automaton,
    propositions: &[Proposition],
    deadlock: Deadlock,
) -> bool {
    let width = automaton.states.len();
    let mut edges: Vec<Vec<(usize, Marks)>> = vec![Vec::new(); explored.states.len() * width];
    for (s, state) in explored.states.iter().enumerate() {
        for (event, target) in explored.moves(s, deadlock) {
            let read = Letter(letter(system, propositions, state, event));
            for (q, target) in automaton.state_ids().filter_map(|q| Some((q, target?))) {
                for t in automaton.reading(q, read) {
                    edges[s * width + q.index()].push((target * width + t.to.index(), t.marks));
                }
            }
        }
    }
    let starts = automaton.initial.iter().map(|q| q.index());
    let starts = starts.flat_map(|q| (0..system.initial.len()).map(move |s| s * width + q));
    let mut seen = vec![false; edges.len()];
    let mut todo: Vec<usize> = starts.collect();
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            todo.extend(edges[node].iter().map(|(t, _)| *t));
        }
    }
    let found = components(edges.len(), |n, k| edges[n].get(k).map(|(t, _)| *t));
    let mut marks = vec![None; found.count];
    for node in (0..edges.len()).filter(|n| seen[*n]) {
        for (target, carried) in &edges[node] {
            if found.of[*target] == found.of[node] {
                let slot: &mut Option<Marks> = &mut marks[found.of[node] as usize];
                *slot = Some(slot.unwrap_or(Marks::NONE).union(*carried));
            }
        }
    }
    let all = automaton.all_marks();
    marks.into_iter().flatten().any(|m| m.contains(all))
}

#[test]
fn pruned_automata_accept_the_same_runs() {
    let first = lariat_corpora::seed(1);
    let budget = Budget::unlimited();
    let (mut asked, mut cubes, mut steps, mut barren, mut emptied) = (0, 0, 0, 0, 0);
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let mut rng = Random::new(seed);
        let system = nets::random(&mut rng);
        let explored = explore(&system, CUT);
        let mut facts = Facts::of(&system);
        for _ in 0..3 {
            let mut formulas = Formulas::new();
            let atoms: Vec<_> = ["a", "b", "c"].map(|a| formulas.atom_id(a)).into();
            let meaning = [0; 3].map(|_| nets::proposition(&mut rng, &system));
            let (size, weights) = (2 + rng.below(7), &OperatorWeights::ALL);
            let f = random_formula(&mut formulas, &atoms, size, weights, &mut rng);
            let before = translate(&mut formulas, f, &LegalLetters::any(), &budget).unwrap();
            let own = of_atoms(&before, &meaning);
            for deadlock in [Deadlock::Stutter, Deadlock::Ignore] {
                let mut after = before.clone();
                let pruned = facts.prune(&mut after, &own, deadlock, &budget).unwrap();
                for component in &pruned.barren {
                    assert!(component.certificate.check(&system));
                }
                let accepted = accepts(&system, &explored, &before, &own, deadlock);
                let still = accepts(&system, &explored, &after, &own, deadlock);
                let context = format!(
                    "LARIAT_SEED={seed} LARIAT_CASES=1 {deadlock:?}\n{system:?}\n{own:?}\n{pruned:?}"
                );
                assert_eq!(accepted, still, "{context}");
                asked += 1;
                cubes += pruned.cubes;
                steps += pruned.steps;
                barren += pruned.barren.len();
                emptied += usize::from(after.initial.is_empty() && !before.initial.is_empty());
            }
        }
    }
    println!("{asked} asked: {cubes} cubes, {steps} steps, {barren} barren, {emptied} emptied");
    if lariat_corpora::cases(CASES) >= CASES {
        assert!(cubes > 1500 && steps > 30 && barren > 300 && emptied > 800);
    }
}

#[test]
fn excluded_steps_do_not_occur() {
    let first = lariat_corpora::seed(1);
    let budget = Budget::unlimited();
    let mut found = 0;
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let mut rng = Random::new(seed);
        let system = nets::random(&mut rng);
        let explored = explore(&system, CUT);
        let mut facts = Facts::of(&system);
        for _ in 0..6 {
            let both = [0; 2].map(|_| nets::proposition(&mut rng, &system));
            let wanted = [rng.percent(50), rng.percent(50)];
            let cube = |i: usize| vec![(both[i].clone(), wanted[i])];
            for deadlock in [Deadlock::Stutter, Deadlock::Ignore] {
                let answer = facts.never_follows(&cube(0), &cube(1), deadlock, &budget);
                let Some(certificate) = answer.unwrap() else {
                    continue;
                };
                found += 1;
                assert!(certificate.check(&system));
                let follows = follows(&system, &explored, &both, wanted, deadlock);
                assert!(
                    !follows,
                    "LARIAT_SEED={seed} LARIAT_CASES=1\n{system:?}\n{both:?}\n{wanted:?} {deadlock:?}"
                );
            }
        }
    }
    println!("{found} pairs that never follow each other");
    assert!(lariat_corpora::cases(CASES) < CASES || found > 1000);
}

/// Two events have the same effect; without a token that one needs only the other can fire.
#[test]
fn events_with_equal_effects_may_differ_in_needs() {
    let more: &[(usize, i64, i64)] = &[(0, 1, 0), (1, 1, 1), (2, 0, 1)];
    let less: &[(usize, i64, i64)] = &[(0, 1, 0), (2, 0, 1)];
    let comes: &[(usize, i64, i64)] = &[(3, 1, 0), (1, 0, 1)];
    let compare = |place, comparison, tokens| {
        let predicate = Predicate::compare(VarId(place), comparison, tokens);
        (Proposition::State(predicate), true)
    };
    let first = [compare(0, Comparison::Ge, 1), compare(1, Comparison::Le, 0)];
    let second = [compare(2, Comparison::Ge, 1)];
    let follows = |events: &[&[(usize, i64, i64)]]| {
        let mut facts = Facts::of(&nets::net(&[1, 0, 0, 1], events));
        let budget = Budget::unlimited();
        let answer = facts.never_follows(&first, &second, Deadlock::Ignore, &budget);
        answer.unwrap().is_none()
    };
    assert!(!follows(&[more, comes]));
    assert!(follows(&[more, less, comes]));
}

/// Only the last of a hundred events marks the place: all of them are tested, or none.
#[test]
fn the_last_of_many_events_counts() {
    const EVENTS: usize = 100;
    let arcs: Vec<[(usize, i64, i64); 2]> = (1..=EVENTS)
        .map(|place| [(0, 1, 0), (place, 0, 1)])
        .collect();
    let events: Vec<&[(usize, i64, i64)]> = arcs.iter().map(|arcs| &arcs[..]).collect();
    let mut marking = vec![0; EVENTS + 1];
    marking[0] = 1;
    let system = nets::net(&marking, &events);
    let marked = |place: usize| {
        let marked = Predicate::compare(VarId(place as u32), Comparison::Ge, 1);
        [(Proposition::State(marked), true)]
    };
    let (mut facts, budget) = (Facts::of(&system), Budget::unlimited());
    let answer = facts.never_follows(&marked(0), &marked(EVENTS), Deadlock::Ignore, &budget);
    assert_eq!(answer, Ok(None));
}

/// An automaton whose states have edges (guard, marks, target).
fn automaton(
    guards: Guards,
    atoms: u32,
    mark_count: u32,
    states: &[&[(Guard, Marks, u32)]],
) -> Automaton {
    let edge = |(guard, marks, to): &(Guard, Marks, u32)| Transition {
        guard: *guard,
        marks: *marks,
        to: StateId(*to),
    };
    let edges = |edges: &&[_]| edges.iter().map(edge).collect();
    Automaton {
        atoms: (0..atoms).map(AtomId).collect(),
        guards,
        mark_count,
        initial: vec![StateId(0)],
        states: states.iter().map(edges).collect(),
    }
}

/// An odd number of the first atoms holds: a guard of many cubes.
fn odd(guards: &mut Guards, atoms: u32) -> Guard {
    (0..atoms).fold(Guards::FALSE, |odd, atom| {
        let atom = guards.atom(atom as usize);
        let (now, before) = (guards.minus(atom, odd), guards.minus(odd, atom));
        guards.or(now, before)
    })
}

/// For each of the first places whether it has a token.
fn marked(places: u32) -> Vec<Proposition> {
    let marked = |place| Predicate::compare(VarId(place), Comparison::Ge, 1);
    let places = (0..places).map(VarId);
    places.map(|p| Proposition::State(marked(p.0))).collect()
}

/// Returns whether a barren component is found.
fn is_barren(
    system: &System,
    automaton: &Automaton,
    propositions: &[Proposition],
    deadlock: Deadlock,
) -> bool {
    let budget = Budget::unlimited();
    let found = Facts::of(system).barren(automaton, propositions, deadlock, &budget);
    !found.unwrap().is_empty()
}

/// An event may need as many tokens as the letters allow.
#[test]
fn events_may_need_all_that_letters_allow() {
    let few = Predicate::compare(VarId(0), Comparison::Le, 1);
    let mut guards = Guards::new();
    let edge = (guards.atom(0), Marks::NONE, 0);
    let always = automaton(guards, 1, 0, &[&[edge]]);
    for (tokens, barren) in [(1, false), (2, true)] {
        let turns = nets::net(&[tokens], &[&[(0, tokens, tokens)]]);
        let few = [Proposition::State(few.clone())];
        let found = is_barren(&turns, &always, &few, Deadlock::Ignore);
        assert_eq!(found, barren, "{tokens}");
    }
}

/// One marking repeats, in which an odd number of places is marked. The guard has more cubes than
/// the limit, and any of them may contain the letter.
#[test]
fn guards_of_many_cubes_are_not_cut() {
    const PLACES: u32 = 7;
    let mut guards = Guards::new();
    let odd = odd(&mut guards, PLACES);
    let always = automaton(guards, PLACES, 0, &[&[(odd, Marks::NONE, 0)]]);
    for one in [0, PLACES - 1] {
        let mut marking: Vec<i64> = (0..PLACES).map(|place| i64::from(place == one)).collect();
        marking.push(1);
        let clock = nets::net(&marking, &[&[(PLACES as usize, 1, 1)]]);
        let found = is_barren(&clock, &always, &marked(PLACES), Deadlock::Ignore);
        assert!(!found, "{one}");
    }
}

/// One of two places is marked in a dead marking; either cube of the guard allows it.
#[test]
fn a_dead_run_may_read_any_cube() {
    let mut guards = Guards::new();
    let odd = odd(&mut guards, 2);
    let always = automaton(guards, 2, 0, &[&[(odd, Marks::NONE, 0)]]);
    for (marking, barren) in [([1, 0, 0], false), ([0, 1, 0], false), ([1, 1, 0], true)] {
        let dead = nets::net(&marking, &[&[(2, 1, 0)]]);
        let found = is_barren(&dead, &always, &marked(2), Deadlock::Stutter);
        assert_eq!(found, barren, "{marking:?}");
    }
}

/// Two states alternate, and each edge has its own mark: a run in a dead marking sees both.
#[test]
fn a_dead_run_sees_the_marks_of_a_cycle() {
    let edge = |mark, to| (Guards::TRUE, Marks::one(mark), to);
    let states: [&[_]; 2] = [&[edge(0, 1)], &[edge(1, 0)]];
    let turns = automaton(Guards::new(), 0, 2, &states);
    let dead = nets::net(&[0], &[&[(0, 1, 0)]]);
    assert!(!is_barren(&dead, &turns, &[], Deadlock::Stutter));
    assert!(is_barren(&dead, &turns, &[], Deadlock::Ignore));
}

/// Four places are filled and emptied freely; more pairs of cubes than the limit, so no edge goes.
#[test]
fn guards_with_many_pairs_of_cubes_may_follow_each_other() {
    const PLACES: u32 = 4;
    let arcs = (0..PLACES as usize).flat_map(|place| [[(place, 0, 1)], [(place, 1, 0)]]);
    let arcs: Vec<[(usize, i64, i64); 1]> = arcs.chain([[(PLACES as usize, 1, 1)]]).collect();
    let events: Vec<&[(usize, i64, i64)]> = arcs.iter().map(|arcs| &arcs[..]).collect();
    let system = nets::net(&[0, 0, 0, 0, 1], &events);
    let mut guards = Guards::new();
    let odd = odd(&mut guards, PLACES);
    let edge = |guard, to| (guard, Marks::NONE, to);
    let states: [&[_]; 3] = [
        &[edge(Guards::TRUE, 0), edge(odd, 1)],
        &[edge(odd, 2)],
        &[edge(Guards::TRUE, 2)],
    ];
    let mut twice = automaton(guards, PLACES, 0, &states);
    let (mut facts, budget) = (Facts::of(&system), Budget::unlimited());
    let pruned = facts.prune(&mut twice, &marked(PLACES), Deadlock::Ignore, &budget);
    assert_eq!((pruned.unwrap().steps, twice.states.len()), (0, 3));
}

/// Returns whether some position with the first letter has a successor with the second.
fn follows(
    system: &System,
    explored: &Explored,
    both: &[Proposition; 2],
    wanted: [bool; 2],
    deadlock: Deadlock,
) -> bool {
    let steps = |s: usize| explored.moves(s, deadlock).into_iter();
    let holds = |i: usize, s: usize, event| {
        (letter(system, &both[i..=i], &explored.states[s], event) == 1) == wanted[i]
    };
    (0..explored.states.len()).any(|s| {
        let first = steps(s).filter(|(event, _)| holds(0, s, *event));
        let mut next = first.filter_map(|(_, target)| target);
        next.any(|t| steps(t).any(|(event, _)| holds(1, t, event)))
    })
}

/// Every event of a large net is tested against a component's letters, which name thousands of
/// events: the letters must be computed once per component.
#[test]
fn letters_of_a_component_are_computed_once() {
    const TOGGLES: usize = 4000;
    let marking: Vec<i64> = (0..2 * TOGGLES).map(|i| i64::from(i % 2 == 0)).collect();
    let arcs: Vec<_> = (0..2 * TOGGLES)
        .map(|i| [(i, 1, 0), (i ^ 1, 0, 1)])
        .collect();
    let events: Vec<&[(usize, i64, i64)]> = arcs.iter().map(|arcs| &arcs[..]).collect();
    let system = nets::net(&marking, &events);
    let mut formulas = Formulas::new();
    let atom = formulas.atom_id("some");
    let some = formulas.atom(atom);
    let inner = formulas.not(some);
    let rest = formulas.globally(inner);
    let rest = formulas.finally(rest);
    let up = (0..TOGGLES).map(|i| EventId(2 * i as u32)).collect();
    let propositions = [Proposition::State(Predicate::Enabled(up))];
    let budget = Budget::unlimited();
    let mut automaton = translate(&mut formulas, rest, &LegalLetters::any(), &budget).unwrap();
    let mut facts = Facts::of(&system);
    let pruned = facts.prune(&mut automaton, &propositions, Deadlock::Stutter, &budget);
    // Half of the toggles may stay up in a dead marking, which no linear program excludes.
    assert!(pruned.unwrap().barren.is_empty());
}
