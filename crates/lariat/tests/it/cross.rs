//! Cross-checks: which second engine is chosen, and how contradicting verdicts are reported.

use crate::asking::{by, check, philosophers};
use lariat::internals::{
    Agreement, Budget, CheckOptions, Decision, EarnedVerdict, EngineChoice, EngineId, Plan, Preset,
    Reason, agreement, reconcile, unrelated,
};
use lariat_engines::Outcome;

fn checked(options: &CheckOptions) -> Decision {
    let budget = Budget::unlimited();
    check(&philosophers(2), "G !deadlock", options, &budget)
}

#[test]
fn the_second_engine_is_unrelated_to_the_first() {
    for preset in Preset::ALL {
        let options = by(preset.plan());
        let first = checked(&options);
        let other = unrelated(first.engine, &options);
        let EngineChoice::Plan(plan) = &other.engine else {
            panic!("no single engine");
        };
        let single = preset.plan().has_single_states();
        assert_ne!(plan.has_single_states(), single, "{}", preset.id.name());
        let second = checked(&other);
        let agreement = agreement(&first.verdict, &second.verdict);
        assert_eq!(agreement, Agreement::Same, "{}", preset.id.name());
    }
}

#[test]
fn contradicting_verdicts_are_withdrawn() {
    let first = checked(&by(Plan::of("explicit")));
    // The verdict of a defective engine.
    let second = Decision {
        verdict: EarnedVerdict::earn(Ok(Outcome::Empty), &Budget::unlimited(), Ok),
        engine: EngineId::SlapFst,
        ..first.clone()
    };
    for (one, other) in [(&first, &second), (&second, &first)] {
        let mut report = one.clone();
        assert_eq!(reconcile(&mut report, other), Agreement::Different);
        let EarnedVerdict::Unknown(Reason::Internal(what)) = report.verdict else {
            panic!("{:?}", report.verdict);
        };
        assert!(what.contains("explicit says violated"), "{what}");
        assert!(what.contains("slap-fst says holds"), "{what}");
    }
    let unknown = Decision {
        verdict: EarnedVerdict::Unknown(Reason::Inconclusive("not asked".to_owned())),
        ..first.clone()
    };
    let mut report = first.clone();
    assert_eq!(reconcile(&mut report, &unknown), Agreement::Open);
    assert_eq!(report.verdict, first.verdict);
}
