//! All subjects of the harness. A new engine is added by one line in [`plans`].

mod asking;
mod fair;
mod orders;
mod programs;
mod stressed;

pub use asking::{
    automaton, facade, facade_reduced, facade_text, facade_with, on_tableau, on_translation, run,
};
pub(crate) use asking::{by_tableau, by_translation, decide_about, intern};
pub use fair::{fair, with_premises};
pub use programs::programs;
pub use stressed::stressed;

use asking::{PATIENCE, facade_with_idle_threads, has_tableau, on_translation_with};
use lariat::internals::{
    AbsenceProof, AbsenceProofs, AutomatonKind, CheckOptions, Emptiness, EngineChoice, EngineId,
    Fixpoint, Needs, Plan, Preset, Recurring, Rule, Rules, Schedule, Variant, Workers,
};
use lariat_automata::LegalLetters;
use lariat_budget::Budget;
use lariat_distributed::{Machines, engine};
use lariat_engines::Engine;
use lariat_testkit::{Case, Subject};
use std::num::NonZeroUsize;
use std::sync::OnceLock;

/// Returns every plan that is run without the façade, with its name. [`all`] restricts plans to the
/// formulas that they support, such as stutter-invariant ones.
pub fn plans() -> Vec<(String, Plan)> {
    let with = |preset: &str, check: Emptiness| {
        let plan = Plan::of(preset).checked_by(check);
        (format!("{preset}-{}", check.name()), plan)
    };
    let reading = |preset: &str, kind: AutomatonKind, check: Emptiness| {
        let plan = Plan::of(preset).reading(kind).checked_by(check);
        (format!("{preset}-{}-{}", kind.name(), check.name()), plan)
    };
    let mut plans: Vec<(String, Plan)> = [
        "explicit", "sym", "ba", "bcz", "slap", "slap-fst", "el", "owcty", "hyb", "ta", "tgta",
    ]
    .map(|preset| (preset.to_owned(), Plan::of(preset)))
    .into();
    for preset in ["slap", "sog", "sop"] {
        let checks = [
            Emptiness::Couvreur,
            Emptiness::Iec,
            Emptiness::Aec,
            Emptiness::Layers,
        ];
        plans.extend(checks.map(|check| with(preset, check)));
    }
    plans.extend([
        with("bcz", Emptiness::Iec),
        with("bcz", Emptiness::Aec),
        reading("sog", AutomatonKind::Ta, Emptiness::Couvreur),
        reading("sog", AutomatonKind::Ta, Emptiness::Aec),
        reading("sog", AutomatonKind::Tgta, Emptiness::Nsiec),
        reading("sog", AutomatonKind::Tgta, Emptiness::Iec),
    ]);
    let published = Variant {
        published: true,
        ..Variant::default()
    };
    for preset in [
        "explicit", "sog", "slap", "slap-fst", "bcz", "owcty", "el", "hyb", "ta", "tgta",
    ] {
        let plan = Plan::of(preset).as_variant(published);
        plans.push((format!("{preset}-published"), plan));
    }
    let reachable_first = Variant {
        reachable_first: true,
        ..Variant::default()
    };
    for preset in ["sop", "slap-fst"] {
        let plan = Plan::of(preset).as_variant(reachable_first);
        plans.push((format!("{preset}-reachable-first"), plan));
    }
    let el = Variant {
        fixpoint: Fixpoint::El,
        ..Variant::default()
    };
    let slap_fst = Plan::of("slap-fst").checked_by(Emptiness::Iec);
    plans.push(("slap-fst-el".to_owned(), slap_fst.as_variant(el)));
    plans.push((DISTRIBUTED.to_owned(), distributed()));
    for workers in [2, 3] {
        plans.extend(["explicit", "ba"].map(|preset| with_workers(preset, workers)));
    }
    plans.extend(hyb_without());
    plans.extend(hyb_with_sets());
    plans
}

/// Name of the plan of [`distributed`].
const DISTRIBUTED: &str = "distributed";

/// The distributed engine on three threads, which own different numbers of states by rounding.
fn distributed() -> Plan {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| match Machines::threads(3) {
        Ok(machines) => engine(Box::leak(Box::new(machines))),
        Err(why) => panic!("no threads: {why}"),
    });
    Plan::of_engine(engine)
}

/// An explicit engine with several workers.
fn with_workers(preset: &str, workers: usize) -> (String, Plan) {
    let several = NonZeroUsize::new(workers).map_or(Workers::ONE, Workers::new);
    let plan = Plan::of(preset).by(several);
    (format!("{preset}-{workers}-workers"), plan)
}

/// The component-wise engine without each proof of absence, without those that are not in the
/// paper, without any.
fn hyb_without() -> impl Iterator<Item = (String, Plan)> {
    let each = AbsenceProof::ALL.iter().map(std::slice::from_ref);
    let disabled = each.chain([AbsenceProof::OURS.as_slice(), &AbsenceProof::ALL]);
    disabled.map(|disabled| {
        let names: Vec<&str> = disabled.iter().map(|proof| proof.name()).collect();
        let variant = Variant {
            proofs: AbsenceProofs::without(disabled),
            ..Variant::default()
        };
        let name = format!("hyb-without-{}", names.join("-"));
        (name, Plan::of("hyb").as_variant(variant))
    })
}

/// The component-wise engine with sets of recurring states, with and without proofs of absence.
fn hyb_with_sets() -> impl Iterator<Item = (String, Plan)> {
    let plans = [
        ("hyb-sets", [].as_slice()),
        ("hyb-sets-alone", &AbsenceProof::ALL),
    ];
    plans.into_iter().map(|(name, disabled)| {
        let variant = Variant {
            recurring: Recurring::Sets,
            proofs: AbsenceProofs::without(disabled),
            ..Variant::default()
        };
        (name.to_owned(), Plan::of("hyb").as_variant(variant))
    })
}

const HYB: &str = "hyb";

/// Returns all subjects: each plan on automata of the tableau and of the translation, and the
/// façade on formulas and on their texts.
pub fn all() -> Vec<Subject> {
    let mut all = Vec::new();
    for (name, plan) in plans() {
        let on_tableau = on_tableau(&name, plan);
        let on_translation = on_translation(&format!("{name}-translated"), plan);
        match plan.needs() {
            Needs::Nothing if plan.engine.id == EngineId::Hyb => {
                // The tableau has larger automata; one variant is enough for them.
                if name == HYB {
                    all.push(on_tableau);
                }
                all.push(on_translation);
            }
            // Waking threads takes longer than small cases: run it on a part of them.
            Needs::Nothing if name == DISTRIBUTED => {
                all.push(on_tableau.only(|case| case.formula.size() % 4 == 1 && has_tableau(case)));
                all.push(on_translation.only(|case| case.formula.size() % 4 == 3));
            }
            Needs::Nothing => all.extend([on_tableau, on_translation]),
            Needs::Stuttering | Needs::StateStuttering => {
                // The tableau of a larger formula takes longer than all engines.
                let small = |case: &Case| {
                    case.formula.size() <= 6 && has_tableau(case) && stutter_invariant(case)
                };
                all.push(on_tableau.only(small));
                all.push(on_translation.only(stutter_invariant));
            }
        }
    }
    all.extend(threaded());
    let walk = Plan::of("walk");
    all.push(on_tableau("walk", walk).may_give_up());
    all.push(on_translation("walk-translated", walk).may_give_up());
    all.push(facade("facade-auto", EngineChoice::default()));
    for preset in Preset::ALL {
        let name = format!("facade-{}", preset.id.name());
        all.push(facade(&name, preset.plan().into()));
    }
    let (name, plan) = with_workers("explicit", 2);
    all.push(facade(&format!("facade-{name}"), plan.into()));
    for kind in [AutomatonKind::Ba, AutomatonKind::Ta, AutomatonKind::Tgta] {
        let name = format!("facade-sog-{}", kind.name());
        all.push(facade(&name, Plan::of("sog").reading(kind).into()));
    }
    for preset in ["sog", "sop"] {
        for check in [Emptiness::Couvreur, Emptiness::Iec, Emptiness::Aec] {
            let name = format!("facade-{preset}-{}", check.name());
            all.push(facade(&name, Plan::of(preset).checked_by(check).into()));
        }
    }
    let published = Variant {
        published: true,
        ..Variant::default()
    };
    for preset in ["sog", "sop"] {
        let plan = Plan::of(preset).as_variant(published);
        let subject = facade(&format!("facade-{preset}-published"), plan.into());
        // Not sound for some formulas in which silent steps before an event matter.
        all.push(subject.may_refuse(|case| case.formula.uses_next() || case.uses_events()));
    }
    all.push(facade("facade-auto-rounds", EngineChoice::Auto(rounds())));
    all.extend(parallel_rounds());
    all.push(facade_text());
    all.extend(reduced());
    all.extend(programs());
    all.extend(orders::reduced());
    all
}

/// Engines on two and three threads. Symbolic engines that search a product have builder threads on
/// one diagram store; those that do not compute all reachable states also search near the initial
/// states in the background. The other engines ignore the number of threads.
fn threaded() -> Vec<Subject> {
    let reachable_first = Variant {
        reachable_first: true,
        ..Variant::default()
    };
    let published = Variant {
        published: true,
        ..Variant::default()
    };
    let (mut subjects, mut layered) = (Vec::new(), Vec::new());
    let mut add = |plan: Plan, threads: usize, variant: Variant| {
        let suffix = match (variant.published, variant.reachable_first) {
            (true, _) => "-published",
            (_, true) => "-reachable-first",
            _ => "",
        };
        let plan = plan.as_variant(variant);
        let kind = if plan.automaton.is_testing() {
            format!("-{}", plan.automaton.name())
        } else {
            String::new()
        };
        let name = format!("{}{kind}{suffix}-{threads}-threads", plan.engine.id.name());
        let subject = on_translation_with(&name, plan, threads);
        // Starting threads takes longer than small cases: half of the formulas each.
        subjects.push(match (plan.needs(), threads) {
            (Needs::Nothing, 2) => subject.only(is_even),
            (Needs::Nothing, _) => subject.only(|case| !is_even(case)),
            (_, 2) => subject.only(|case| is_even(case) && stutter_invariant(case)),
            _ => subject.only(|case| !is_even(case) && stutter_invariant(case)),
        });
    };
    let hyb = |threads: usize| {
        let name = format!("{HYB}-{threads}-threads");
        on_translation_with(&name, Plan::of(HYB), threads)
    };
    for threads in [2, 3] {
        for preset in ["sog", "sop", "slap", "slap-fst", "bcz", "el", "owcty"] {
            add(Plan::of(preset), threads, reachable_first);
        }
        for preset in ["sog", "slap", "slap-fst", "ta", "tgta"] {
            add(Plan::of(preset), threads, Variant::default());
        }
        let [slap, sog] = ["slap", "sog"].map(Plan::of);
        add(slap.checked_by(Emptiness::Aec), threads, published);
        let in_layers = slap.checked_by(Emptiness::Layers);
        let name = format!("slap-layers-{threads}-threads");
        layered.push(on_translation_with(&name, in_layers, threads).only(is_even));
        add(sog.checked_by(Emptiness::Iec), threads, published);
    }
    subjects.extend(layered);
    subjects.push(hyb(2).only(|case| case.formula.size() % 4 == 1));
    subjects.push(hyb(3).only(|case| case.formula.size() % 4 == 3));
    subjects
}

/// `auto` with one and two idle threads, on which it runs the engines of a round in parallel. Each
/// runs on a part of the formulas, because starting threads takes longer than small cases.
fn parallel_rounds() -> [Subject; 2] {
    let with = |idle: usize| {
        let name = format!("facade-auto-rounds-{idle}-idle");
        let options = CheckOptions {
            engine: EngineChoice::Auto(rounds()),
            ..CheckOptions::default()
        };
        facade_with_idle_threads(&name, options, idle)
    };
    [
        with(1).only(|case| case.has_places_only() && case.formula.size() % 3 == 1),
        with(2).only(|case| case.has_places_only() && case.formula.size() % 3 == 2),
    ]
}

/// Returns a schedule with small limits, so that `auto` reaches structural facts and many rounds.
pub fn rounds() -> Schedule {
    Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    }
}

/// The façade with reductions: all rules with two engines, and each rule alone.
fn reduced() -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |name: &str, plan: Plan, rules: Rules| {
        let subject = facade_reduced(&format!("reduced-{name}"), plan.into(), rules);
        // No rule may apply to a net with inhibitor or reset arcs.
        subjects.push(subject.only(Case::has_places_only));
    };
    add("explicit", Plan::of("explicit"), Rules::all());
    add("slap", Plan::of("slap"), Rules::all());
    for rule in Rule::ALL {
        add(rule.name(), Plan::of("explicit"), Rules::only(&[rule]));
    }
    subjects
}

/// Returns whether the size of the formula is even.
fn is_even(case: &Case) -> bool {
    case.formula.size().is_multiple_of(2)
}

/// Returns whether the formula has no atoms about events and is stutter-invariant.
fn stutter_invariant(case: &Case) -> bool {
    if case.uses_events() {
        return false;
    }
    let (mut formulas, formula) = intern(case, &case.formula);
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    lariat_automata::stutter_invariant(&mut formulas, formula, &LegalLetters::any(), &budget)
        == Ok(true)
}
