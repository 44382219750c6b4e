//! Subjects for cases about fair runs.

use super::asking::{Way, by_translation, facade, on_tableau, on_translation, run_by};
use super::{plans, programs, reduced, rounds, stutter_invariant};
use lariat::internals::{EngineChoice, Plan, Preset};
use lariat_engines::Needs;
use lariat_model::Strength;
use lariat_testkit::formulas::{Op1, Op2};
use lariat_testkit::{Atom, Case, Ltl, Subject};

/// Returns the subjects for cases about fair runs: every plan that supports fairness, on the kinds
/// of fairness that it supports, and the façade.
pub fn fair() -> Vec<Subject> {
    let mut all = Vec::new();
    let unpublished = |(_, plan): &(String, Plan)| !plan.variant.published;
    for (name, plan) in plans().into_iter().filter(unpublished) {
        let stuttering = matches!(plan.needs(), Needs::Stuttering | Needs::StateStuttering);
        let subject = on_translation(&name, plan);
        match (plan.engine.fairness)(plan.automaton) {
            None => {}
            Some(Strength::Strong) => {
                all.push(on_tableau(&format!("{name}-tableau"), plan));
                all.push(subject);
            }
            Some(Strength::Weak) if stuttering => {
                all.push(subject.only(|case| is_weak(case) && stutter_invariant(case)))
            }
            Some(Strength::Weak) => all.push(subject.only(is_weak)),
        }
    }
    for name in ["slap", "ba"] {
        all.push(by_need(&format!("{name}-by-need"), Plan::of(name)).only(is_weak));
    }
    let walk = on_translation("walk", Plan::of("walk"));
    all.push(walk.only(is_weak).may_give_up());
    all.push(facade("facade-auto", EngineChoice::default()));
    all.push(facade("facade-auto-rounds", EngineChoice::Auto(rounds())));
    for preset in Preset::ALL {
        let name = format!("facade-{}", preset.id.name());
        let subject = facade(&name, preset.plan().into());
        all.push(subject.only(is_weak).may_give_up());
    }
    all.push(by_formula());
    all.extend(programs());
    all.extend(reduced().into_iter().map(|subject| match subject.name() {
        "reduced-slap" => subject.only(|case| is_weak(case) && case.has_places_only()),
        _ => subject,
    }));
    all
}

/// A plan that adds constraints on demand, as if there were too many for one automaton.
fn by_need(name: &str, plan: Plan) -> Subject {
    let way: Way =
        |run, problem, system, explored, account| run.by_need(problem, system, explored, account);
    by_translation(name, move |case, negation| {
        run_by(way, 1, plan, case, negation, None)
    })
}

/// Returns whether all constraints are weak.
fn is_weak(case: &Case) -> bool {
    case.fairness.iter().all(|c| c.strength == Strength::Weak)
}

/// Moves the constraints into premises of the formula: `(GF(!enabled1 | taken1) & …) -> f`, with
/// `(GF enabled1 -> GF taken1)` for strong constraints.
pub fn with_premises(mut case: Case) -> Case {
    let unary = |op, f| Ltl::Unary(op, Box::new(f));
    let binary = |op, f, g| Ltl::Binary(op, Box::new(f), Box::new(g));
    let often = |f| unary(Op1::Globally, unary(Op1::Finally, f));
    let mut premise = Ltl::Const(true);
    for constraint in std::mem::take(&mut case.fairness) {
        let [enabled, taken] = constraint.propositions().map(|proposition| {
            case.atoms.push(Atom::unnamed(proposition));
            Ltl::Atom(case.atoms.len() - 1)
        });
        let demand = match constraint.strength {
            Strength::Weak => often(binary(Op2::Or, unary(Op1::Not, enabled), taken)),
            Strength::Strong => binary(Op2::Implies, often(enabled), often(taken)),
        };
        premise = binary(Op2::And, premise, demand);
    }
    case.formula = binary(Op2::Implies, premise, case.formula);
    case
}

/// The façade on formulas with fairness as a premise.
fn by_formula() -> Subject {
    let explicit = facade("by-formula", Plan::of("explicit").into());
    Subject::new("by-formula", move |case| {
        explicit.answer(&with_premises(case.clone()))
    })
}
