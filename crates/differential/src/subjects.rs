//! Everything that the harness puts to the test. A new engine joins by one line in [`plans`].

mod asking;
mod fair;

pub(crate) use asking::{MOST_EDGES, PATIENCE, decide_about, intern, legal};
pub use asking::{
    automaton, facade, facade_text, facade_with, on_tableau, on_translation, run, run_modulo,
};
pub use fair::fair;

use asking::{facade_beside, has_tableau, on_translation_with};
use lariat::internals::{
    AutomatonKind, CheckOptions, Emptiness, EngineChoice, EngineId, Fixpoint, Needs, Plan, Preset,
    Proof, Proofs, Recurring, ReductionChoice, Rule, Rules, Schedule, Variant, Workers,
};
use lariat_automata::Legal;
use lariat_budget::Budget;
use lariat_distributed::{Machines, engine};
use lariat_engines::Engine;
use lariat_testkit::{Case, Subject};
use std::num::NonZeroUsize;
use std::sync::OnceLock;

/// Every plan that is asked without the façade, by its name: the one line that a new engine adds. Plans that need it are asked
/// about stutter-invariant formulas or about formulas over states only.
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
    plans.extend([
        with("bcz", Emptiness::Iec),
        with("bcz", Emptiness::Aec),
        with("slap", Emptiness::Couvreur),
        with("slap", Emptiness::Iec),
        with("slap", Emptiness::Aec),
        with("sog", Emptiness::Couvreur),
        with("sog", Emptiness::Iec),
        with("sog", Emptiness::Aec),
        with("sop", Emptiness::Couvreur),
        with("sop", Emptiness::Iec),
        with("sop", Emptiness::Aec),
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
        "sog", "slap", "slap-fst", "bcz", "owcty", "el", "hyb", "ta", "tgta",
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
        plans.extend(["explicit", "ba"].map(|preset| together(preset, workers)));
    }
    plans.extend(hyb_without());
    plans.extend(hyb_with_sets());
    plans
}

/// The engine whose workers divide the states among them.
const DISTRIBUTED: &str = "distributed";

/// States divided among three threads, one of which owns less than the others by rounding.
fn distributed() -> Plan {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| match Machines::threads(3) {
        Ok(machines) => engine(Box::leak(Box::new(machines))),
        Err(why) => panic!("no threads: {why}"),
    });
    Plan::of_engine(engine)
}

/// The explicit engine with so many workers.
fn together(preset: &str, workers: usize) -> (String, Plan) {
    let several = NonZeroUsize::new(workers).map_or(Workers::ONE, Workers::new);
    let plan = Plan::of(preset).by(several);
    (format!("{preset}-{workers}-workers"), plan)
}

/// The component-wise engine without one of its proofs of absence, with the two of the paper alone, and without any.
fn hyb_without() -> impl Iterator<Item = (String, Plan)> {
    let each = Proof::ALL.iter().map(std::slice::from_ref);
    let left_out = each.chain([Proof::OURS.as_slice(), &Proof::ALL]);
    left_out.map(|left_out| {
        let names: Vec<&str> = left_out.iter().map(|proof| proof.name()).collect();
        let variant = Variant {
            proofs: Proofs::without(left_out),
            ..Variant::default()
        };
        let name = format!("hyb-without-{}", names.join("-"));
        (name, Plan::of("hyb").as_variant(variant))
    })
}

/// The component-wise engine with sets of recurring states, and with the fixpoint that they belong to but without any proofs.
fn hyb_with_sets() -> impl Iterator<Item = (String, Plan)> {
    let plans = [("hyb-sets", [].as_slice()), ("hyb-sets-alone", &Proof::ALL)];
    plans.into_iter().map(|(name, left_out)| {
        let variant = Variant {
            recurring: Recurring::Sets,
            proofs: Proofs::without(left_out),
            ..Variant::default()
        };
        (name.to_owned(), Plan::of("hyb").as_variant(variant))
    })
}

/// The component-wise engine.
const HYB: &str = "hyb";

/// All subjects: each plan on the plain tableau's and on the translation's automata, and the façade with formulas
/// and with their texts.
pub fn all() -> Vec<Subject> {
    let mut all = Vec::new();
    for (name, plan) in plans() {
        let on_tableau = on_tableau(&name, plan);
        let on_translation = on_translation(&format!("{name}-translated"), plan);
        match plan.needs() {
            Needs::Nothing if plan.engine.id == EngineId::Hyb => {
                // Automata of the plain tableau are larger; one combination is enough for them.
                if name == HYB {
                    all.push(on_tableau);
                }
                all.push(on_translation);
            }
            // Waking threads takes longer than small questions do.
            Needs::Nothing if name == DISTRIBUTED => {
                all.push(on_tableau.only(|case| case.formula.size() % 4 == 1 && has_tableau(case)));
                all.push(on_translation.only(|case| case.formula.size() % 4 == 3));
            }
            Needs::Nothing => all.extend([on_tableau, on_translation]),
            Needs::Stuttering | Needs::StateStuttering => {
                // The plain tableau of a larger formula costs more than all engines together.
                let small = |case: &Case| {
                    case.formula.size() <= 6 && has_tableau(case) && stutter_invariant(case)
                };
                all.push(on_tableau.only(small));
                all.push(on_translation.only(stutter_invariant));
            }
        }
    }
    all.extend(built());
    let walk = Plan::of("walk");
    all.push(on_tableau("walk", walk).may_give_up());
    all.push(on_translation("walk-translated", walk).may_give_up());
    all.push(facade("facade-auto", EngineChoice::default()));
    for preset in Preset::ALL {
        let name = format!("facade-{}", preset.id.name());
        all.push(facade(&name, preset.plan().into()));
    }
    let (name, plan) = together("explicit", 2);
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
        // Silent steps before an event matter to some formulas.
        all.push(subject.may_refuse(|case| case.formula.uses_next() || case.uses_events()));
    }
    all.push(facade("facade-auto-rounds", EngineChoice::Auto(rounds())));
    all.extend(at_once());
    all.push(facade_text());
    all.extend(reduced());
    all
}

/// Every other engine on two and three threads. Engines on sets that search a product have builders beside the check, workers on one diagram store, also
/// about nets that grow. Those that do not want all reachable states have a look near the initial states beside all that. The rest is told of threads, and must not mind.
fn built() -> Vec<Subject> {
    let variants = [
        Variant {
            reachable_first: true,
            ..Variant::default()
        },
        Variant {
            published: true,
            ..Variant::default()
        },
    ];
    let mut subjects = Vec::new();
    let mut add = |plan: Plan, threads: usize, variant: Variant| {
        let how = match variant {
            Variant {
                published: true, ..
            } => "-published",
            Variant {
                reachable_first: true,
                ..
            } => "-reachable-first",
            _ => "",
        };
        let plan = plan.as_variant(variant);
        let kind = if plan.automaton.is_testing() {
            format!("-{}", plan.automaton.name())
        } else {
            String::new()
        };
        let name = format!("{}{kind}{how}-{threads}-threads", plan.engine.id.name());
        let subject = on_translation_with(&name, plan, threads);
        // Starting threads takes longer than small questions do: each asks about half of the formulas.
        subjects.push(match (plan.needs(), threads) {
            (Needs::Nothing, 2) => subject.only(|case| case.formula.size().is_multiple_of(2)),
            (Needs::Nothing, _) => subject.only(|case| case.formula.size() % 2 == 1),
            (_, 2) => subject
                .only(|case| case.formula.size().is_multiple_of(2) && stutter_invariant(case)),
            _ => subject.only(|case| case.formula.size() % 2 == 1 && stutter_invariant(case)),
        });
    };
    let hyb = |threads: usize| {
        let name = format!("{HYB}-{threads}-threads");
        on_translation_with(&name, Plan::of(HYB), threads)
    };
    for threads in [2, 3] {
        let [ours, published] = variants;
        for preset in ["sog", "sop", "slap", "slap-fst", "bcz", "el", "owcty"] {
            add(Plan::of(preset), threads, ours);
        }
        for preset in ["sog", "slap", "slap-fst", "ta", "tgta"] {
            add(Plan::of(preset), threads, Variant::default());
        }
        add(
            Plan::of("slap").checked_by(Emptiness::Aec),
            threads,
            published,
        );
        add(
            Plan::of("sog").checked_by(Emptiness::Iec),
            threads,
            published,
        );
    }
    subjects.push(hyb(2).only(|case| case.formula.size() % 4 == 1));
    subjects.push(hyb(3).only(|case| case.formula.size() % 4 == 3));
    subjects
}

/// `auto` with one and two idle threads, on which engines of a round have their turns at once; each about a part of the formulas, as starting threads takes longer than small
/// questions do.
fn at_once() -> [Subject; 2] {
    let with = |idle: usize| {
        let name = format!("facade-auto-rounds-{idle}-idle");
        let options = CheckOptions {
            engine: EngineChoice::Auto(rounds()),
            ..CheckOptions::default()
        };
        facade_beside(&name, options, idle)
    };
    [
        with(1).only(|case| case.is_net() && case.formula.size() % 3 == 1),
        with(2).only(|case| case.is_net() && case.formula.size() % 3 == 2),
    ]
}

/// With so little work in its first turns `auto` asks for facts and goes through many rounds.
fn rounds() -> Schedule {
    Schedule {
        glance: 1,
        walk: 1,
        first_look: 1,
        ..Schedule::default()
    }
}

/// The façade after reductions: all rules with several engines, and each rule alone.
fn reduced() -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |name: &str, plan: Plan, rules: Rules| {
        let options = CheckOptions {
            engine: plan.into(),
            reduce: ReductionChoice::Only(rules),
            ..CheckOptions::default()
        };
        let name = format!("reduced-{name}");
        subjects.push(facade_with(&name, options).only(Case::is_net));
    };
    add("explicit", Plan::of("explicit"), Rules::all());
    add("slap", Plan::of("slap"), Rules::all());
    for rule in Rule::ALL {
        add(rule.name(), Plan::of("explicit"), Rules::only(&[rule]));
    }
    subjects
}

/// Does the formula speak of states only, and does repeating letters never matter to it?
fn stutter_invariant(case: &Case) -> bool {
    if case.uses_events() {
        return false;
    }
    let (mut formulas, formula) = intern(case, &case.formula);
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    lariat_automata::stutter_invariant(&mut formulas, formula, &Legal::any(), &budget) == Ok(true)
}
