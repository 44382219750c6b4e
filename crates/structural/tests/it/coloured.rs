//! Facts about coloured nets from their skeletons alone.

use crate::explorer::{Explored, explore};
use crate::states::checked;
use lariat_budget::Budget;
use lariat_formats::{LoadedModel, read};
use lariat_model::coloured::Coloured;
use lariat_model::{Comparison, EventId, Linear, Predicate, Proposition, VarId};
use lariat_structural::{FactLimits, Facts};
use lariat_testkit::interpret::letter;
use lariat_testkit::{Random, coloured};

const CUT: usize = 300;
const CASES: usize = 300;

/// A random coloured net with few enough bindings to be unfolded.
fn random(seed: u64) -> LoadedModel {
    let mut random = Random::new(seed);
    loop {
        let text = coloured::random(&mut random);
        if let Ok(model) = read("random", text.as_bytes()) {
            return model;
        }
    }
}

/// A sum over whole places, sometimes with one colour omitted or counted twice, or whether a
/// binding of a transition is enabled or fired.
fn proposition(rng: &mut Random, coloured: &Coloured) -> Proposition {
    let Coloured { net, unfolding } = coloured;
    if rng.percent(40) {
        let transitions: Vec<_> = net.transition_ids().collect();
        let events: Vec<EventId> = unfolding.events(*rng.one_of(&transitions)).collect();
        return if rng.percent(20) {
            Proposition::Fires(events)
        } else {
            Proposition::State(Predicate::Enabled(events))
        };
    }
    let mut terms: Vec<(VarId, i64)> = Vec::new();
    let places: Vec<_> = net.place_ids().filter(|_| rng.percent(50)).collect();
    for place in places {
        let weight = *rng.one_of(&[1, 1, 2, -1]);
        terms.extend(unfolding.instances(place).map(|member| (member, weight)));
    }
    if rng.percent(30) && !terms.is_empty() {
        let odd = rng.below(terms.len());
        if rng.percent(50) {
            terms.remove(odd);
        } else {
            terms[odd].1 *= 2;
        }
    }
    use Comparison::{Eq, Ge, Le, Ne};
    let sum = Predicate::Linear(Linear {
        terms,
        comparison: *rng.one_of(&[Ge, Le, Eq, Ne]),
        constant: rng.between(-2, 6),
    });
    Proposition::State(if rng.percent(10) {
        Predicate::And(vec![sum, Predicate::Deadlock])
    } else {
        sum
    })
}

fn is_constant(
    model: &LoadedModel,
    explored: &Explored,
    proposition: &Proposition,
    value: bool,
) -> bool {
    let at = |state: usize, event| {
        let propositions = std::slice::from_ref(proposition);
        letter(&model.system, propositions, &explored.states[state], event) == 1
    };
    (0..explored.states.len()).all(|state| {
        let events = explored.steps[state].iter().map(|(event, _)| Some(*event));
        events.chain([None]).all(|event| at(state, event) == value)
    })
}

#[test]
fn facts_by_skeleton_are_true() {
    let first = lariat_corpora::seed(1);
    let budget = Budget::unlimited();
    let limits = FactLimits {
        nodes: 0,
        ..FactLimits::default()
    };
    let (mut constants, mut bounded, mut finite) = (0, 0, 0);
    for seed in (first..).take(lariat_corpora::cases(CASES)) {
        let (mut rng, model) = (Random::new(seed), random(seed));
        let (system, coloured) = (&model.system, model.coloured.as_ref().unwrap());
        if system.events.is_empty() || system.variables.is_empty() {
            continue;
        }
        let explored = explore(system, CUT);
        let mut facts = Facts::limited(system, limits);
        facts.unfolded_from(coloured, system, &budget).unwrap();
        let context = format!("LARIAT_SEED={seed} LARIAT_CASES=1\n{system:?}");
        for _ in 0..12 {
            let proposition = proposition(&mut rng, coloured);
            if let Some(constant) = facts.constant(&proposition, &budget).unwrap() {
                constants += 1;
                checked(&constant.certificate, system, &context);
                assert!(
                    is_constant(&model, &explored, &proposition, constant.value),
                    "{proposition:?} is not {constant:?}\n{context}"
                );
            }
        }
        if facts.is_bounded(&budget).unwrap() {
            bounded += 1;
            // The net itself proves at least as much.
            assert!(Facts::of(system).is_bounded(&budget).unwrap(), "{context}");
        }
        if let Some(certificate) = facts.terminates(&budget).unwrap() {
            finite += 1;
            checked(&certificate, system, &context);
            let own = Facts::of(system).terminates(&budget).unwrap();
            assert!(own.is_some(), "{context}");
        }
    }
    println!("{constants} constants, {bounded} bounded, {finite} finite");
    if lariat_corpora::cases(CASES) >= CASES {
        assert!(constants > 500 && bounded > 60 && finite > 40);
    }
}
