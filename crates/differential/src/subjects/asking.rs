//! Conversion of engines and the façade to subjects.

use lariat::internals::{
    Account, CheckOptions, Decision, EarnedVerdict, EngineChoice, Needs, OrderChoice, Plan,
    PlanRun, PropertyForm, ReductionChoice, Rules, RunContext, SpaceCache, Systems, check_subject,
};
use lariat_automata::{Automaton, Guards, LegalLetters, StateId, Transition, translate};
use lariat_budget::{Budget, ThreadPool};
use lariat_emptiness::Marks;
use lariat_engines::{Found, Invariance, Outcome, Problem};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::order::OrderName;
use lariat_model::{Fairness, Names, PropertyList, Proposition, System};
use lariat_reductions::symmetry::Symmetry;
use lariat_testkit::oracle::Buchi;
use lariat_testkit::{Answer, Case, Ltl, Subject, tableau};
use std::num::NonZeroUsize;
use std::time::Duration;

/// A function that runs a plan: [`PlanRun::decide`] or [`PlanRun::by_need`].
pub(super) type Way =
    for<'s> fn(&PlanRun<'_>, &Problem<'_>, &'s System, &mut SpaceCache<'s>, &mut Account) -> Found;

/// Time limit of a small case.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Work limit of walks, enough for most small cases and for solving the state equation.
const WALKED: u64 = 24_000;

/// Returns the budget of a plan for a small case, with a work limit if it may not terminate.
fn budget(plan: Option<&Plan>, case: &Case) -> Budget {
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    if case.grows() || plan.is_some_and(|plan| *plan == Plan::of("walk")) {
        budget.with_work(WALKED)
    } else {
        budget
    }
}

/// Limit on the edges of an automaton of the tableau.
const MOST_EDGES: usize = 3000;

/// Creates a subject that runs a plan on the automaton of the plain tableau, so that a difference
/// is never caused by the translation or by reductions.
pub fn on_tableau(name: &str, plan: Plan) -> Subject {
    by_tableau(name, move |case, negation| run(plan, case, negation, None))
}

/// Creates a subject that runs a function on the automaton of the plain tableau.
pub(crate) fn by_tableau(
    name: &str,
    run: impl Fn(&Case, &Automaton) -> Answer + Sync + 'static,
) -> Subject {
    Subject::new(name, move |case| match negation_by_tableau(case) {
        Some(negation) => run(case, &automaton(&negation, case.atoms.len())),
        None => Answer::Unknown("internal: not supported".to_owned()),
    })
    .only(has_tableau)
}

fn negation_by_tableau(case: &Case) -> Option<Buchi> {
    tableau::buchi(&case.formula.negated(), MOST_EDGES)
}

pub(super) fn has_tableau(case: &Case) -> bool {
    negation_by_tableau(case).is_some()
}

/// Creates a subject that runs a plan on the automaton of the project's translation.
pub fn on_translation(name: &str, plan: Plan) -> Subject {
    on_translation_with(name, plan, 1)
}

/// Like [`on_translation`], on several threads.
pub(super) fn on_translation_with(name: &str, plan: Plan, threads: usize) -> Subject {
    by_translation(name, move |case, negation| {
        run_by(DECIDE, threads, plan, case, negation, None)
    })
}

/// Creates a subject that runs a function on the automaton of the project's translation.
pub(crate) fn by_translation(
    name: &str,
    run: impl Fn(&Case, &Automaton) -> Answer + Sync + 'static,
) -> Subject {
    Subject::new(name, move |case| {
        let (mut formulas, formula) = intern(case, &case.formula.negated());
        let budget = Budget::unlimited().with_deadline(PATIENCE);
        match translate(&mut formulas, formula, &legal(case), &budget) {
            Ok(negation) => run(case, &negation),
            Err(stop) => Answer::Unknown(stop.to_string()),
        }
    })
}

/// Creates a subject that runs the façade, from the formula to the replayed verdict. It may answer
/// `Unknown` only to cases that the plan does not support.
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

/// Creates a subject that runs the façade with these options and the deadlock policy of each case.
pub fn facade_with(name: &str, options: CheckOptions) -> Subject {
    facade_with_idle_threads(name, options, 0)
}

/// Like [`facade_with`], with `idle` idle threads.
pub(super) fn facade_with_idle_threads(name: &str, options: CheckOptions, idle: usize) -> Subject {
    Subject::new(name, move |case| {
        let (formulas, formula) = intern(case, &case.formula);
        let options = CheckOptions {
            deadlock: case.deadlock,
            ..options.clone()
        };
        let idle = ThreadPool::new(idle);
        let propositions = case.propositions();
        decide(case, &formulas, &propositions, formula, &options, &idle)
    })
}

/// Creates a subject that runs the façade with reductions by these rules.
pub fn facade_reduced(name: &str, engine: EngineChoice, rules: Rules) -> Subject {
    let options = CheckOptions {
        engine,
        reduce: ReductionChoice::Only(rules),
        ..CheckOptions::default()
    };
    facade_with(name, options)
}

/// Creates a subject that runs the façade on the text of the formula, if it has one.
pub fn facade_text() -> Subject {
    Subject::new("facade-text", |case| {
        let mut properties = PropertyList::new();
        let names = Names::of(&case.system);
        let text = case.formula_text().unwrap_or_default();
        match properties.add_formula(&names, "formula", None, &text) {
            Err(error) => Answer::Unknown(format!("internal: `{text}` is rejected: {error}")),
            Ok(()) => {
                let formula = properties.list[0].formula;
                let options = CheckOptions {
                    deadlock: case.deadlock,
                    ..CheckOptions::default()
                };
                let (formulas, propositions) = (&properties.formulas, &properties.propositions);
                let idle = ThreadPool::default();
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
    idle: &ThreadPool,
) -> Answer {
    let fairness = Fairness {
        told: case.fairness.iter().map(|c| c.name.clone()).collect(),
        constraints: case.fairness.clone(),
    };
    let subject = lariat::internals::Subject::of_system(&case.system, formulas, propositions);
    let subject = subject.assuming(fairness);
    decide_about(&subject, case, formula, options, idle)
}

/// Runs the façade on a formula about `subject`, the system of `case`.
pub(crate) fn decide_about(
    subject: &lariat::internals::Subject<'_>,
    case: &Case,
    formula: Formula,
    options: &CheckOptions,
    idle: &ThreadPool,
) -> Answer {
    answer(case, &decision_about(subject, case, formula, options, idle))
}

/// The decision of the façade on a formula about `subject`, the system of `case`.
pub(super) fn decision_about(
    subject: &lariat::internals::Subject<'_>,
    case: &Case,
    formula: Formula,
    options: &CheckOptions,
    idle: &ThreadPool,
) -> Decision {
    let systems = Systems::new();
    let plan = match &options.engine {
        EngineChoice::Auto(_) => None,
        EngineChoice::Plan(plan) => Some(plan),
    };
    let budget = budget(plan, case).with_thread_pool(idle);
    check_subject(
        subject,
        PropertyForm::Formula(formula),
        options,
        &mut SpaceCache::new(&systems),
        RunContext::quiet(&budget),
    )
}

/// The answer of a decision.
pub(super) fn answer(case: &Case, decision: &Decision) -> Answer {
    match &decision.verdict {
        EarnedVerdict::Holds(_) if decision.vacuous.is_some() == case.has_fair_run() => {
            Answer::Unknown("internal: wrong about the existence of fair runs".to_owned())
        }
        EarnedVerdict::Holds(_) => Answer::Holds,
        EarnedVerdict::Violated(replayed) => Answer::Violated(replayed.lasso().clone()),
        EarnedVerdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
    }
}

/// Adds the formula to a new store. Atom `i` of the store is atom `i` of the case, even if unused.
pub(crate) fn intern(case: &Case, formula: &Ltl) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let names = case.atom_names();
    for name in &names {
        formulas.atom_id(name);
    }
    let formula = formula.intern(&mut formulas, &names);
    (formulas, formula)
}

/// Returns the possible combinations of event atoms: those of each event, and none of them.
pub(crate) fn legal(case: &Case) -> LegalLetters {
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
    LegalLetters::events(events, combinations)
}

/// Runs a plan on a case with an automaton of the negated formula, with the known symmetries of the
/// system.
///
/// Atom `i` of the automaton is atom `negation.atoms[i]` of the case. If the plan needs a
/// stutter-invariant language, that of the automaton must be.
pub fn run(
    plan: Plan,
    case: &Case,
    negation: &Automaton,
    symmetry: Option<&Symmetry<'_>>,
) -> Answer {
    run_by(DECIDE, 1, plan, case, negation, symmetry)
}

pub(super) const DECIDE: Way =
    |run, problem, system, explored, account| run.decide(problem, system, explored, account);

/// Like [`run`], by the function `way` on several threads.
pub(super) fn run_by(
    way: Way,
    threads: usize,
    plan: Plan,
    case: &Case,
    negation: &Automaton,
    symmetry: Option<&Symmetry<'_>>,
) -> Answer {
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let budget = budget(Some(&plan), case).with_threads(threads);
    run_under(way, &budget, plan, case, negation, symmetry)
}

/// Like [`run`], by the function `way` under this budget.
pub(super) fn run_under(
    way: Way,
    budget: &Budget,
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
    // A fixed order, so that symbolic engines start on the fly instead of searching for an order.
    let order = OrderChoice::Named(OrderName::FILE);
    let run = PlanRun {
        plan: &plan,
        order: &order,
        shared: budget,
        ctx: RunContext::quiet(budget),
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

/// Converts an automaton of the oracle to the project's type, over the atoms `0..atoms`.
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
