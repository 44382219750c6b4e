//! Everything that the harness puts to the test. A new engine joins by one line in [`plans`].

use lariat::{
    Account, AutomatonKind, Choice, Emptiness, Explored, Fixpoint, Needs, Options, OrderChoice,
    Plan, Preset, Proof, Proofs, Property, Reduce, Rule, Rules, Run, Schedule, Systems, Variant,
    Verdict, Workers, check,
};
use lariat_automata::{Automaton, Guards, Legal, StateId, Transition, translate};
use lariat_budget::{Budget, Quiet};
use lariat_distributed::{Machines, engine};
use lariat_emptiness::Marks;
use lariat_engines::{Engine, Found, Invariance, Outcome, Problem};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::order::OrderName;
use lariat_model::symmetry::Symmetry;
use lariat_model::{Action, Event, Fairness, Names, Properties, Proposition, Strength, System};
use lariat_testkit::formulas::{Op1, Op2};
use lariat_testkit::oracle::Buchi;
use lariat_testkit::{Answer, Atom, Case, Ltl, Subject, tableau};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::Duration;

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
        "sog", "slap", "slap-fst", "bcz", "owcty", "el", "ta", "tgta",
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
    plans.extend([2, 3].map(together));
    plans.extend(hyb_without());
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
fn together(workers: usize) -> (String, Plan) {
    let several = NonZeroUsize::new(workers).map_or(Workers::ONE, Workers::new);
    let plan = Plan::of("explicit").by(several);
    (format!("explicit-{workers}-workers"), plan)
}

/// The component-wise engine without one of its proofs of absence, with the two of the paper alone, and without any.
fn hyb_without() -> impl Iterator<Item = (String, Plan)> {
    let ours = [Proof::Structure, Proof::Automaton].as_slice();
    let each = Proof::ALL.iter().map(std::slice::from_ref);
    let left_out = each.chain([ours, &Proof::ALL]);
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

/// The component-wise engine, which sees the events of nets and tables, and of programs the states alone.
pub const HYB: &str = "hyb";

/// Does it see all that the formula of a case speaks of?
fn hyb_sees(case: &Case) -> bool {
    !case.uses_events() || !has_programs(case)
}

/// Has the system of a case programs?
pub fn has_programs(case: &Case) -> bool {
    let programs = |event: &Event| matches!(event.action, Action::Program { .. });
    case.system.events.iter().any(programs)
}

/// All subjects: each plan on the plain tableau's and on the translation's automata, and the façade with formulas
/// and with their texts.
pub fn all() -> Vec<Subject> {
    let mut all = Vec::new();
    for (name, plan) in plans() {
        let on_tableau = on_tableau(&name, plan);
        let on_translation = on_translation(&format!("{name}-translated"), plan);
        match plan.needs() {
            Needs::Nothing if plan.engine.name == HYB => {
                // Automata of the plain tableau are larger; one combination is enough for them.
                if name == HYB {
                    all.push(on_tableau.only(|case| has_tableau(case) && hyb_sees(case)));
                }
                all.push(on_translation.only(hyb_sees));
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
    all.push(facade("facade-auto", Choice::default()));
    for preset in Preset::ALL {
        let name = format!("facade-{}", preset.name);
        all.push(facade(&name, preset.plan().into()));
    }
    let (name, plan) = together(2);
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
    all.push(facade("facade-auto-rounds", Choice::Auto(rounds())));
    all.push(facade_text());
    all.extend(reduced());
    all
}

/// Engines on sets with builders beside the check: two and three workers on one diagram store, which are at work where nothing
/// limits counted work, so not near the initial states.
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
        let how = match variant.published {
            true => "published",
            false => "reachable-first",
        };
        let plan = plan.as_variant(variant);
        let name = format!("{}-{how}-{threads}-threads", plan.engine.name);
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
    for threads in [2, 3] {
        let [ours, published] = variants;
        for preset in ["sog", "sop", "slap", "slap-fst", "bcz"] {
            add(Plan::of(preset), threads, ours);
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
    subjects
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

/// The subjects of cases about fair runs: every plan that knows fairness, asked what it knows, and the façade. Who knows weak fairness alone is
/// asked about nothing else.
pub fn fair() -> Vec<Subject> {
    let mut all = Vec::new();
    let ours = |(_, plan): &(String, Plan)| !plan.variant.published;
    for (name, plan) in plans().into_iter().filter(ours) {
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
            Some(Strength::Weak) if plan.engine.name == HYB => {
                all.push(subject.only(|case| is_weak(case) && hyb_sees(case)))
            }
            Some(Strength::Weak) => all.push(subject.only(is_weak)),
        }
    }
    for name in ["slap", "ba"] {
        all.push(by_need(&format!("{name}-by-need"), Plan::of(name)).only(is_weak));
    }
    all.push(
        on_translation("walk", Plan::of("walk"))
            .only(is_weak)
            .may_give_up(),
    );
    all.push(facade("facade-auto", Choice::default()));
    all.push(facade("facade-auto-rounds", Choice::Auto(rounds())));
    for preset in Preset::ALL {
        let name = format!("facade-{}", preset.name);
        all.push(
            facade(&name, preset.plan().into())
                .only(is_weak)
                .may_give_up(),
        );
    }
    all.push(by_formula());
    all.extend(reduced().into_iter().map(|subject| match subject.name() {
        "reduced-slap" => subject.only(|case| is_weak(case) && case.is_net()),
        _ => subject,
    }));
    all
}

/// A plan that is given constraints by and by, as if they were too many for one automaton.
fn by_need(name: &str, plan: Plan) -> Subject {
    Subject::new(name, move |case| {
        let (mut formulas, formula) = intern(case, &case.formula.negated());
        let budget = Budget::unlimited().with_deadline(PATIENCE);
        match translate(&mut formulas, formula, &legal(case), &budget) {
            Ok(negation) => {
                let way: Way = |run, problem, system, explored, account| {
                    run.by_need(problem, system, explored, account)
                };
                run_by(way, 1, plan, case, &negation, None)
            }
            Err(stop) => Answer::Unknown(stop.to_string()),
        }
    })
}

/// Is no constraint strong?
fn is_weak(case: &Case) -> bool {
    case.fairness.iter().all(|c| c.strength == Strength::Weak)
}

/// Fairness as the premise of the formula: `(GF(!enabled1 | taken1) & …) -> f`, and `(GF enabled1 -> GF taken1)` for a strong one.
fn by_formula() -> Subject {
    Subject::new("by-formula", |case| {
        let mut asked = case.clone();
        let unary = |op, f| Ltl::Unary(op, Box::new(f));
        let binary = |op, f, g| Ltl::Binary(op, Box::new(f), Box::new(g));
        let often = |f| unary(Op1::Globally, unary(Op1::Finally, f));
        let mut premise = Ltl::Const(true);
        for constraint in std::mem::take(&mut asked.fairness) {
            let [enabled, taken] = constraint.propositions().map(|proposition| {
                asked.atoms.push(Atom {
                    proposition,
                    text: None,
                });
                Ltl::Atom(asked.atoms.len() - 1)
            });
            let demand = match constraint.strength {
                Strength::Weak => often(binary(Op2::Or, unary(Op1::Not, enabled), taken)),
                Strength::Strong => binary(Op2::Implies, often(enabled), often(taken)),
            };
            premise = binary(Op2::And, premise, demand);
        }
        asked.formula = binary(Op2::Implies, premise, case.formula.clone());
        let options = Options {
            deadlock: case.deadlock,
            choice: Plan::of("explicit").into(),
            ..Options::default()
        };
        let (formulas, formula) = intern(&asked, &asked.formula);
        decide(&asked, &formulas, &asked.propositions(), formula, &options)
    })
}

/// The façade after reductions: all rules with several engines, and each rule alone.
fn reduced() -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |name: &str, plan: Plan, rules: Rules| {
        let options = Options {
            choice: plan.into(),
            reduce: Reduce::Only(rules),
            ..Options::default()
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

/// Longer than this no small case takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Units of work in which walks find most of what there is to find in a small case.
const WALKED: u64 = 20_000;

/// What a plan may spend on a small case. Walks would go on for long where there is nothing to be found.
fn budget(plan: Option<&Plan>) -> Budget {
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    match plan.is_some_and(|plan| *plan == Plan::of("walk")) {
        true => budget.with_work(WALKED),
        false => budget,
    }
}

/// Automata beyond this many edges are not worth a test's time.
pub(crate) const MOST_EDGES: usize = 3000;

/// A plan on the plain tableau's automaton of the negated formula, so that no translation or reduction stands
/// between a difference and its cause.
pub fn on_tableau(name: &str, plan: Plan) -> Subject {
    Subject::new(name, move |case| {
        match tableau::buchi(&case.formula.negated(), MOST_EDGES) {
            Some(negation) => run(plan, case, &automaton(&negation, case.atoms.len())),
            None => Answer::Unknown("internal: not supported".to_owned()),
        }
    })
    .only(has_tableau)
}

fn has_tableau(case: &Case) -> bool {
    tableau::buchi(&case.formula.negated(), MOST_EDGES).is_some()
}

/// A plan on the automaton that the project's own translation makes.
pub fn on_translation(name: &str, plan: Plan) -> Subject {
    on_translation_with(name, plan, 1)
}

/// The same on so many threads.
fn on_translation_with(name: &str, plan: Plan, threads: usize) -> Subject {
    Subject::new(name, move |case| {
        let (mut formulas, formula) = intern(case, &case.formula.negated());
        let budget = Budget::unlimited().with_deadline(PATIENCE);
        match translate(&mut formulas, formula, &legal(case), &budget) {
            Ok(negation) => run_on(threads, plan, case, &negation, None),
            Err(stop) => Answer::Unknown(stop.to_string()),
        }
    })
}

/// The whole way from a formula to a replayed verdict. It may only refuse what it says it cannot do.
pub fn facade(name: &str, choice: Choice) -> Subject {
    let (needs, walks) = match &choice {
        Choice::Auto(_) => (Needs::Nothing, false),
        Choice::Plan(plan) => (plan.needs(), *plan == Plan::of("walk")),
    };
    let component_wise = choice.name() == HYB;
    let testing = matches!(&choice, Choice::Plan(plan) if plan.automaton.is_testing());
    let options = Options {
        choice,
        ..Options::default()
    };
    let subject = facade_with(name, options);
    match needs {
        Needs::Nothing if walks => subject.may_give_up(),
        Needs::Nothing if component_wise => subject.only(hyb_sees),
        Needs::Nothing => subject,
        Needs::Stuttering | Needs::StateStuttering if testing => {
            subject.may_refuse(|case| case.formula.uses_next() || case.uses_events())
        }
        Needs::Stuttering | Needs::StateStuttering => {
            subject.may_refuse(|case| case.formula.uses_next())
        }
    }
}

/// The façade with these options, under the policy of each case.
fn facade_with(name: &str, options: Options) -> Subject {
    Subject::new(name, move |case| {
        let (formulas, formula) = intern(case, &case.formula);
        let options = Options {
            deadlock: case.deadlock,
            ..options.clone()
        };
        decide(case, &formulas, &case.propositions(), formula, &options)
    })
}

/// The whole way from the text of a formula on, where it can be written as one.
pub fn facade_text() -> Subject {
    Subject::new("facade-text", |case| {
        let mut properties = Properties::new();
        let names = Names::of(&case.system);
        let text = case.formula_text().unwrap_or_default();
        match properties.add_formula(&names, "formula", None, &text) {
            Err(error) => Answer::Unknown(format!("internal: `{text}` is refused: {error}")),
            Ok(()) => {
                let formula = properties.list[0].formula;
                let options = Options {
                    deadlock: case.deadlock,
                    ..Options::default()
                };
                let Properties {
                    formulas,
                    propositions,
                    ..
                } = &properties;
                decide(case, formulas, propositions, formula, &options)
            }
        }
    })
    .only(|case| case.formula_text().is_some())
}

fn decide(
    case: &Case,
    formulas: &Formulas,
    propositions: &[Proposition],
    formula: Formula,
    options: &Options,
) -> Answer {
    let fairness = Fairness {
        told: case.fairness.iter().map(|c| c.name.clone()).collect(),
        constraints: case.fairness.clone(),
    };
    let subject = lariat::Subject::of_system(&case.system, formulas, propositions);
    let subject = subject.assuming(fairness);
    decide_about(&subject, case, formula, options)
}

/// What the façade says of a formula about a subject that a case is about.
pub(crate) fn decide_about(
    subject: &lariat::Subject<'_>,
    case: &Case,
    formula: Formula,
    options: &Options,
) -> Answer {
    let systems = Systems::new();
    let plan = match &options.choice {
        Choice::Auto(_) => None,
        Choice::Plan(plan) => Some(plan),
    };
    let budget = budget(plan);
    let report = check(
        subject,
        Property::Formula(formula),
        options,
        &mut Explored::new(&systems),
        &budget,
        &Quiet,
    );
    match report.verdict {
        Verdict::Holds(_) if report.vacuous.is_some() == case.has_fair_run() => {
            Answer::Unknown("internal: wrong about whether there are runs that count".to_owned())
        }
        Verdict::Holds(_) => Answer::Holds,
        Verdict::Violated(replayed) => Answer::Violated(replayed.lasso().clone()),
        Verdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
    }
}

/// The formula in a store where atom `i` is the case's atom `i`, also if the formula leaves some out.
pub(crate) fn intern(case: &Case, formula: &Ltl) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let names = case.atom_names();
    for name in &names {
        formulas.atom_id(name);
    }
    let formula = formula.intern(&mut formulas, &names);
    (formulas, formula)
}

/// Which combinations of event atoms occur: those of every single event, and none.
pub(crate) fn legal(case: &Case) -> Legal {
    let mut events = Vec::new();
    let mut combinations = vec![Vec::new(); case.system.events.len() + 1];
    for (i, atom) in case.atoms.iter().enumerate() {
        if let Proposition::Fires(fired) = &atom.proposition {
            let id = AtomId(i as u32);
            events.push(id);
            for event in fired {
                combinations[event.index()].push(id);
            }
        }
    }
    Legal::events(events, combinations)
}

/// The answer of a plan to a case, given an automaton of the negated formula over the case's atoms.
///
/// Atom `i` of the automaton is the case's atom `automaton.atoms[i]`. A plan that needs a stutter-invariant language is only asked
/// about one.
pub fn run(plan: Plan, case: &Case, negation: &Automaton) -> Answer {
    run_modulo(plan, case, negation, None)
}

/// The same, with symmetries of the system that are known.
pub fn run_modulo(
    plan: Plan,
    case: &Case,
    negation: &Automaton,
    symmetry: Option<&Symmetry<'_>>,
) -> Answer {
    run_on(1, plan, case, negation, symmetry)
}

/// The same on so many threads.
fn run_on(
    threads: usize,
    plan: Plan,
    case: &Case,
    negation: &Automaton,
    symmetry: Option<&Symmetry<'_>>,
) -> Answer {
    let way: Way =
        |run, problem, system, explored, account| run.decide(problem, system, explored, account);
    run_by(way, threads, plan, case, negation, symmetry)
}

/// A way to run a plan: [`Run::decide`] or [`Run::by_need`].
type Way = for<'s> fn(&Run<'_>, &Problem<'_>, &'s System, &mut Explored<'s>, &mut Account) -> Found;

/// The same in this way.
fn run_by(
    way: Way,
    threads: usize,
    plan: Plan,
    case: &Case,
    negation: &Automaton,
    symmetry: Option<&Symmetry<'_>>,
) -> Answer {
    let atoms = negation.atoms.iter();
    let propositions: Vec<Proposition> = atoms
        .map(|atom| case.atoms[atom.index()].proposition.clone())
        .collect();
    let needs_invariance = matches!(plan.needs(), Needs::Stuttering | Needs::StateStuttering);
    let invariance = Invariance {
        letters: needs_invariance,
        ..Invariance::default()
    };
    let problem = Problem::new(&case.system, negation, &propositions, case.deadlock);
    let mut problem = problem.assuming(&case.fairness).knowing(invariance);
    problem.symmetry = symmetry;
    let read = |i: usize| negation.atoms.contains(&AtomId(i as u32));
    let atoms = case.atoms.iter().enumerate();
    problem.unread = atoms
        .filter(|(i, _)| !read(*i))
        .map(|(_, atom)| atom.proposition.clone())
        .collect();
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let budget = budget(Some(&plan)).with_threads(threads);
    // Under an order that is given nobody looks for states in order to find one: engines on sets begin on the fly.
    let order = OrderChoice::Named(OrderName::FILE);
    let run = Run {
        plan: &plan,
        order: &order,
        budget: &budget,
        shared: &budget,
        observer: &Quiet,
    };
    let systems = Systems::new();
    let mut explored = Explored::new(&systems);
    let account = &mut Account::default();
    match way(&run, &problem, &case.system, &mut explored, account) {
        Ok(Outcome::Empty) => Answer::Holds,
        Ok(Outcome::Accepting(lasso)) => Answer::Violated(lasso),
        Ok(Outcome::Undecided(_)) => Answer::Unknown("inconclusive".to_owned()),
        Err(stop) => Answer::Unknown(stop.to_string()),
    }
}

/// The same automaton in the project's own type, over the atoms `0..atoms`.
pub fn automaton(buchi: &Buchi, atoms: usize) -> Automaton {
    let ends = buchi.edges.iter().flat_map(|e| [e.from, e.to]);
    let size = ends.chain(buchi.initial.iter().copied()).max();
    let mut guards = Guards::new();
    let mut states = vec![Vec::new(); size.map_or(0, |s| s + 1)];
    for edge in &buchi.edges {
        let mut guard = Guards::TRUE;
        for &(atom, value) in &edge.guard {
            let literal = match value {
                true => guards.atom(atom),
                false => {
                    let atom = guards.atom(atom);
                    guards.not(atom)
                }
            };
            guard = guards.and(guard, literal);
        }
        states[edge.from].push(Transition {
            guard,
            marks: Marks(edge.marks),
            to: StateId(edge.to as u32),
        });
    }
    Automaton {
        atoms: (0..atoms as u32).map(AtomId).collect(),
        guards,
        mark_count: buchi.marks,
        initial: buchi.initial.iter().map(|q| StateId(*q as u32)).collect(),
        states,
    }
}
