//! Published variants have the products of the papers, which verdicts alone do not show.

use crate::asking::{by, check, order, published};
use lariat::internals::ir::generate::{Family, generate};
use lariat::internals::{
    AbsenceProof, AbsenceProofs, AutomatonKind, Budget, CheckOptions, Decision, EarnedVerdict,
    Plan, Reason, Recurring, StatValue, Statistic, Stop, Variant,
};

const REWORK: &str = "(G F work_4 & G F !work_4) -> (G F done_4 | G F redo_4)";

fn decide(plan: Plan, formula: &str) -> Decision {
    let system = generate(Family::Kanban, 2).unwrap();
    let options = CheckOptions {
        order: order("noack-up"),
        ..by(plan)
    };
    check(&system, formula, &options, &Budget::unlimited())
}

fn count(report: &Decision, statistic: Statistic) -> u64 {
    match report.account.stats.get(statistic) {
        Some(StatValue::Count(count)) => *count,
        other => panic!("{statistic:?}: {other:?}"),
    }
}

const PROOFS: [Statistic; 7] = [
    Statistic::SCC_CHECKS,
    Statistic::SCC_PREVENTED_BY_STRUCTURE,
    Statistic::SCC_PREVENTED_BY_AUTOMATON,
    Statistic::SCC_PREVENTED_BY_RECURRING,
    Statistic::SCC_PREVENTED_BY_ABSTRACTION,
    Statistic::SCC_PREVENTED_BY_MARKS,
    Statistic::SCC_SYMBOLIC_RUNS,
];

/// The variant equals its parts, which can be selected separately, and no subset of them.
#[test]
fn published_hyb_reads_büchi_automata_stores_sets_and_omits_proofs() {
    let hyb = Plan::of("hyb").reading(AutomatonKind::Ba);
    let counted = |variant| {
        let report = decide(hyb.as_variant(variant), REWORK);
        assert!(matches!(report.verdict, EarnedVerdict::Holds(_)));
        PROOFS.map(|statistic| count(&report, statistic))
    };
    let parts = |recurring, left_out: &[AbsenceProof]| Variant {
        recurring,
        proofs: AbsenceProofs::without(left_out),
        ..Variant::default()
    };
    let whole = counted(published());
    assert_eq!(whole, counted(parts(Recurring::Sets, &AbsenceProof::OURS)));
    assert_eq!(whole[1..3], [0, 0], "by structure, by automaton");
    assert_ne!(whole, counted(parts(Recurring::Arcs, &AbsenceProof::OURS)));
    assert_ne!(whole, counted(parts(Recurring::Sets, &[])));
}

/// In the published products self-loops without all marks are edges, fixpoints are for states with
/// self-loops alone, and sets have one label.
#[test]
fn products_have_the_nodes_of_the_papers() {
    for (engine, ours, theirs) in [("slap", 4, 5), ("slap-fst", 2, 2), ("bcz", 630, 868)] {
        for (variant, nodes) in [(Variant::default(), ours), (published(), theirs)] {
            let variant = Variant {
                reachable_first: true,
                ..variant
            };
            let report = decide(Plan::of(engine).as_variant(variant), REWORK);
            let counted = count(&report, Statistic::PRODUCT_STATES);
            assert_eq!(counted, nodes, "{engine}, published: {}", variant.published);
        }
    }
}

#[test]
fn the_observation_product_of_the_paper_has_no_events() {
    let sop = Plan::of("sop");
    let formula = "G F fires(finish_1)";
    let ours = decide(sop, formula).verdict;
    assert!(!matches!(ours, EarnedVerdict::Unknown(_)), "{ours:?}");
    let theirs = decide(sop.as_variant(published()), formula).verdict;
    let refused = matches!(
        theirs,
        EarnedVerdict::Unknown(Reason::Stopped(Stop::Unsupported(_)))
    );
    assert!(refused, "{theirs:?}");
}
