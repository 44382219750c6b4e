//! How an engine or the façade is asked about a case, and its answer is taken down.

use lariat::internals::{
    Account, CheckOptions, EarnedVerdict, EngineChoice, Needs, OrderChoice, Plan, PlanRun,
    PropertyForm, RunContext, SpaceCache, Systems, check_subject,
};
use lariat_automata::{Automaton, Guards, Legal, StateId, Transition, translate};
use lariat_budget::{Budget, Idle};
use lariat_emptiness::Marks;
use lariat_engines::{Found, Invariance, Outcome, Problem};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::order::OrderName;
use lariat_model::{Fairness, Names, Properties, Proposition, System};
use lariat_reductions::symmetry::Symmetry;
use lariat_testkit::oracle::Buchi;
use lariat_testkit::{Answer, Case, Ltl, Subject, tableau};
use std::num::NonZeroUsize;
use std::time::Duration;

/// A way to run a plan: [`PlanRun::decide`] or [`PlanRun::by_need`].
pub(super) type Way =
    for<'s> fn(&PlanRun<'_>, &Problem<'_>, &'s System, &mut SpaceCache<'s>, &mut Account) -> Found;

/// Longer than this no small case takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Units of work in which walks find most of what there is to find in a small case. In the last of them they ask the state equation for the way.
const WALKED: u64 = 24_000;

/// What a plan may spend on a small case. Walks would go on for long where there is nothing to be found, and so would everybody about a net that grows.
fn budget(plan: Option<&Plan>, case: &Case) -> Budget {
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    if case.grows() || plan.is_some_and(|plan| *plan == Plan::of("walk")) {
        budget.with_work(WALKED)
    } else {
        budget
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

pub(super) fn has_tableau(case: &Case) -> bool {
    tableau::buchi(&case.formula.negated(), MOST_EDGES).is_some()
}

/// A plan on the automaton that the project's own translation makes.
pub fn on_translation(name: &str, plan: Plan) -> Subject {
    on_translation_with(name, plan, 1)
}

/// The same on so many threads.
pub(super) fn on_translation_with(name: &str, plan: Plan, threads: usize) -> Subject {
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
pub fn facade(name: &str, engine: EngineChoice) -> Subject {
    let (needs, walks) = match &engine {
        EngineChoice::Auto(_) => (Needs::Nothing, false),
        EngineChoice::Plan(plan) => (plan.needs(), *plan == Plan::of("walk")),
    };
    let testing = matches!(&engine, EngineChoice::Plan(plan) if plan.automaton.is_testing());
    let options = CheckOptions {
        engine,
        ..CheckOptions::default()
    };
    let subject = facade_with(name, options);
    match needs {
        Needs::Nothing if walks => subject.may_give_up(),
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
pub fn facade_with(name: &str, options: CheckOptions) -> Subject {
    facade_beside(name, options, 0)
}

/// The same where so many threads are idle.
pub(super) fn facade_beside(name: &str, options: CheckOptions, idle: usize) -> Subject {
    Subject::new(name, move |case| {
        let (formulas, formula) = intern(case, &case.formula);
        let options = CheckOptions {
            deadlock: case.deadlock,
            ..options.clone()
        };
        let idle = Idle::new(idle);
        let propositions = case.propositions();
        decide(case, &formulas, &propositions, formula, &options, &idle)
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
                let options = CheckOptions {
                    deadlock: case.deadlock,
                    ..CheckOptions::default()
                };
                let Properties {
                    formulas,
                    propositions,
                    ..
                } = &properties;
                let idle = Idle::default();
                decide(case, formulas, propositions, formula, &options, &idle)
            }
        }
    })
    .only(|case| case.formula_text().is_some())
}

pub(super) fn decide(
    case: &Case,
    formulas: &Formulas,
    propositions: &[Proposition],
    formula: Formula,
    options: &CheckOptions,
    idle: &Idle,
) -> Answer {
    let fairness = Fairness {
        told: case.fairness.iter().map(|c| c.name.clone()).collect(),
        constraints: case.fairness.clone(),
    };
    let subject = lariat::internals::Subject::of_system(&case.system, formulas, propositions);
    let subject = subject.assuming(fairness);
    decide_about(&subject, case, formula, options, idle)
}

/// What the façade says of a formula about a subject that a case is about.
pub(crate) fn decide_about(
    subject: &lariat::internals::Subject<'_>,
    case: &Case,
    formula: Formula,
    options: &CheckOptions,
    idle: &Idle,
) -> Answer {
    let systems = Systems::new();
    let plan = match &options.engine {
        EngineChoice::Auto(_) => None,
        EngineChoice::Plan(plan) => Some(plan),
    };
    let budget = budget(plan, case).with_idle(idle);
    let report = check_subject(
        subject,
        PropertyForm::Formula(formula),
        options,
        &mut SpaceCache::new(&systems),
        RunContext::quiet(&budget),
    );
    match report.verdict {
        EarnedVerdict::Holds(_) if report.vacuous.is_some() == case.has_fair_run() => {
            Answer::Unknown("internal: wrong about whether there are runs that count".to_owned())
        }
        EarnedVerdict::Holds(_) => Answer::Holds,
        EarnedVerdict::Violated(replayed) => Answer::Violated(replayed.lasso().clone()),
        EarnedVerdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
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

/// The same in this way.
pub(super) fn run_by(
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
    let budget = budget(Some(&plan), case).with_threads(threads);
    // Under an order that is given nobody looks for states in order to find one: engines on sets begin on the fly.
    let order = OrderChoice::Named(OrderName::FILE);
    let run = PlanRun {
        plan: &plan,
        order: &order,
        shared: &budget,
        ctx: RunContext::quiet(&budget),
    };
    let systems = Systems::new();
    let mut explored = SpaceCache::new(&systems);
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
            let literal = if value {
                guards.atom(atom)
            } else {
                let atom = guards.atom(atom);
                guards.not(atom)
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
