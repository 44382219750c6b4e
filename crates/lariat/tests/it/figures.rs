//! Small figures of the papers: each published variant has their nodes, and nothing of ours.

use crate::asking::{
    Arcs, by, check, check_anew, event, net, one_property, order, published, system,
};
use lariat::internals::formats::read;
use lariat::internals::{
    Budget, CheckOptions, Decision, EarnedVerdict, Emptiness, Plan, PropertyForm, StatValue,
    Statistic, Subject, System, Variant,
};
use lariat_corpora::models;

fn options(plan: Plan) -> CheckOptions {
    CheckOptions {
        order: order("file-up"),
        ..by(plan)
    }
}

fn count(report: &Decision, statistic: Statistic) -> u64 {
    match report.account.stats.get(statistic) {
        Some(StatValue::Count(count)) => *count,
        other => panic!("{statistic:?}: {other:?}"),
    }
}

/// Decides a formula about the net in a file.
fn decide(net: &[u8], formula: &str, plan: Plan) -> Decision {
    let model = read("net", net).expect("a net");
    let properties = one_property(&model.names(), formula);
    let property = PropertyForm::Formula(properties.list[0].formula);
    let subject = Subject::new(&model, &properties);
    check_anew(&subject, property, &options(plan), &Budget::unlimited())
}

/// The Kripke structure of Fig. 1b of *Combining explicit and symbolic approaches*: a cycle of
/// `s0` … `s3` with an exit to a cycle of `s4` … `s7`. One token marks the state.
fn two_cycles() -> System {
    let exit = [(0, 4), (4, 5), (5, 6), (6, 7), (7, 4)];
    let steps = [(0, 1), (1, 2), (2, 3), (3, 0)].into_iter().chain(exit);
    let arcs: Vec<[(u32, i64, i64); 2]> = steps
        .map(|(from, to)| {
            let mut arcs = [(from, 1, -1), (to, 0, 1)];
            arcs.sort_unstable();
            arcs
        })
        .collect();
    let arcs: Vec<Arcs<'_>> = arcs.iter().map(|arcs| arcs.as_slice()).collect();
    net(&[1, 0, 0, 0, 0, 0, 0, 0], &arcs)
}

/// The negation of `a U b`, the formula of the figure: `a` holds in `s0` … `s4` and `s7`, `b` in
/// `s4` and `s5`.
const NOT_UNTIL: &str = r#"!("tokens(p0, p1, p2, p3, p4, p7) >= 1" U "tokens(p4, p5) >= 1")"#;

/// Fig. 1 has a product per engine. Where the automaton has read `b`, every continuation is
/// accepted: our variants end there, the published ones search a cycle.
#[test]
fn products_of_the_first_paper() {
    let nodes = |engine: &str, variant| {
        let plan = Plan::of(engine).as_variant(variant);
        let report = check(
            &two_cycles(),
            NOT_UNTIL,
            &options(plan),
            &Budget::unlimited(),
        );
        assert!(
            matches!(report.verdict, EarnedVerdict::Violated(_)),
            "{engine}"
        );
        count(&report, Statistic::PRODUCT_STATES)
    };
    let figure = [
        // All of (q0, s0 … s4) and (q1, s4 … s7).
        ("explicit", 9, 6),
        ("bcz", 9, 5),
        // (q0, {s0 … s3}), its divergent node, (q0, {s4}), and (q1, ·) for each of s4 … s7.
        ("sog", 7, 3),
        // (q1, {s4 … s7}) and its divergent node in place of the last four.
        ("sop", 5, 3),
        // (q0, {s0 … s4}), (q1, {s5}), (q1, {s4 … s7}).
        ("slap", 3, 1),
        // A fixpoint decides (q1, {s5}).
        ("slap-fst", 2, 1),
    ];
    for (engine, theirs, ours) in figure {
        assert_eq!(nodes(engine, published()), theirs, "{engine}, published");
        assert_eq!(nodes(engine, Variant::default()), ours, "{engine}");
    }
}

/// Fig. 6 of *Component-wise incremental LTL model checking*: a producer and a consumer with a
/// buffer whose content may time out. A level per place is an arc of the paper's three components.
#[test]
fn the_producer_and_consumer_of_the_second_paper() {
    let places = ["c0", "c1", "b0", "b1", "p0", "p1"];
    let events = vec![
        event("consume", &[(0, 0, 1), (1, 1, -1)]),
        event("take", &[(0, 1, -1), (1, 0, 1), (2, 0, 1), (3, 1, -1)]),
        event("timeout", &[(2, 0, 1), (3, 1, -1)]),
        event("put", &[(2, 1, -1), (3, 0, 1), (4, 0, 1), (5, 1, -1)]),
        event("produce", &[(4, 1, -1), (5, 0, 1)]),
    ];
    let model = system(&places, events, &[1, 0, 1, 0, 1, 0]);
    let plan = Plan::of("hyb").as_variant(published());
    let formula = r#"G ("c0 = 0" -> F "b1 = 1")"#;
    let report = check(&model, formula, &options(plan), &Budget::unlimited());
    assert!(
        matches!(report.verdict, EarnedVerdict::Holds(_)),
        "{:?}",
        report.verdict
    );
    let counts = [
        Statistic::SCC_CHECKS,
        Statistic::SCC_PREVENTED_BY_RECURRING,
        Statistic::SCC_PREVENTED_BY_ABSTRACTION,
        Statistic::SCC_PREVENTED_BY_MARKS,
        Statistic::SCC_SYMBOLIC_RUNS,
    ];
    // As in Example 2, one node needs a symbolic search.
    assert_eq!(
        counts.map(|statistic| count(&report, statistic)),
        [8, 4, 2, 1, 1]
    );
}

/// Fig. 3 and 4 of *Model checking using generalized testing automata*: `a U G b` has four pairs of
/// state and letter from which a run is accepted.
#[test]
fn testing_automata_of_the_third_paper() {
    for engine in ["ta", "tgta"] {
        let options = options(Plan::of(engine).as_variant(published()));
        let formula = r#"!("p0 >= 1" U G "p4 >= 1")"#;
        let report = check(&two_cycles(), formula, &options, &Budget::unlimited());
        assert_eq!(count(&report, Statistic::AUTOMATON_STATES), 4, "{engine}");
    }
}

/// Φ2 of the same paper on its MAPK net, Table 2: states and transitions of the product.
#[test]
fn the_second_formula_of_the_third_paper() {
    let Some(folder) = models("mcc") else { return };
    let file = folder.join("MAPK-PT-00008").join("model.pnml");
    let Ok(model) = std::fs::read(file) else {
        return;
    };
    let formula = r#"!("RafP < 1" U "MEKP >= 1") & !("MEKP < 1" U "MEKPP >= 1")
        & !("MEKPP < 1" U "ERKPP >= 1") & !("ERKP < 1" U "ERKPP >= 1")"#;
    let letters = [46_494, 302_350];
    let changes = [33_376, 289_235];
    for (engine, size) in [
        ("explicit", letters),
        ("ba", letters),
        ("ta", changes),
        ("tgta", changes),
    ] {
        let plan = Plan::of(engine).as_variant(published());
        let report = decide(&model, formula, plan);
        assert!(
            matches!(report.verdict, EarnedVerdict::Holds(_)),
            "{engine}"
        );
        let statistics = [Statistic::PRODUCT_STATES, Statistic::PRODUCT_EDGES];
        assert_eq!(statistics.map(|s| count(&report, s)), size, "{engine}");
    }
}

/// A graph as in Fig. 1 of *SOG-based multi-core LTL model checking*: an observed action after and
/// before hidden ones, then a hidden one that changes the label, then a deadlock.
#[test]
fn the_event_graph_of_the_fourth_paper() {
    let places = ["x0", "x4", "y0", "y1", "y2", "y3"];
    let move_token = |name: &str, from: u32| event(name, &[(from, 1, -1), (from + 1, 0, 1)]);
    let events = vec![
        move_token("u", 0),
        move_token("o", 2),
        move_token("v", 3),
        move_token("w", 4),
    ];
    let model = system(&places, events, &[1, 0, 1, 0, 0, 0]);
    let formula = r#"G (fires(o) -> F "y3 >= 1")"#;
    let nodes = [published(), Variant::default()].map(|variant| {
        let plan = Plan::of("sog").as_variant(variant);
        let plan = plan.checked_by(Emptiness::Couvreur);
        let report = check(&model, formula, &options(plan), &Budget::unlimited());
        assert!(matches!(report.verdict, EarnedVerdict::Holds(_)));
        count(&report, Statistic::PRODUCT_STATES)
    });
    // Published: the aggregates before and after the action, of the other label, and the divergent
    // one with the first automaton state; the second and third with the other automaton state.
    assert_eq!(nodes, [6, 16]);
}

/// Sets of *Emptiness check of powerset Büchi automata* are not closed under the symmetries of later
/// guards: the guard that names a client still divides them where only places are read.
#[test]
fn sets_of_the_fifth_paper() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../campaigns/symmetry/clients-3.pnml"
    );
    let model = std::fs::read(file).expect("clients-3.pnml");
    let formula = r#"G ("Busy(1) >= 1" -> G F "Answer >= 1")"#;
    let nodes = [published(), Variant::default()].map(|variant| {
        let plan = Plan::of("ssp").as_variant(variant);
        let plan = plan.checked_by(Emptiness::Couvreur);
        let report = decide(&model, formula, plan);
        count(&report, Statistic::PRODUCT_STATES)
    });
    assert_eq!(nodes, [123, 61]);
}
