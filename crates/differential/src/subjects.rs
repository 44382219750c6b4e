//! Everything that the harness puts to the test. A new engine joins by one line in [`engines`], in
//! [`state_engines`] if it cannot see events, or in [`stutter_invariant_engines`] if it relies on that.

use lariat::{Choice, Explored, Kind, Needs, Options, Property, Tuning, Verdict, check};
use lariat_automata::{Automaton, Guards, Legal, StateId, Transition, translate};
use lariat_budget::{Budget, Quiet, Stats};
use lariat_emptiness::Marks;
use lariat_engines::hybrid::{Absorb, Check, Fixpoint, Method};
use lariat_engines::{
    Engine, Hyb, Hybrid, Invariance, Outcome, Problem, Proofs, ba, bcz, el, explicit, hyb, owcty,
    slap, slap_fst, ta, tgta,
};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::{Names, Properties, Proposition};
use lariat_testkit::oracle::Buchi;
use lariat_testkit::{Answer, Case, Ltl, Subject, tableau};
use std::time::Duration;

/// Every engine by its name: the one line that a new one adds.
pub fn engines() -> Vec<(&'static str, Engine)> {
    vec![
        ("explicit", explicit),
        ("ba", ba),
        ("bcz", bcz),
        ("slap", slap),
        ("slap-fst", slap_fst),
        ("el", el),
        ("owcty", owcty),
        ("bcz-iec", |p, b, o, s| {
            with(Method::Bcz, Check::Iec).run(p, b, o, s)
        }),
        ("bcz-aec", |p, b, o, s| {
            with(Method::Bcz, Check::Aec).run(p, b, o, s)
        }),
        ("slap-couvreur", |p, b, o, s| {
            with(SLAP, Check::Couvreur).run(p, b, o, s)
        }),
        ("slap-iec", |p, b, o, s| {
            with(SLAP, Check::Iec).run(p, b, o, s)
        }),
        ("slap-aec", |p, b, o, s| {
            with(SLAP, Check::Aec).run(p, b, o, s)
        }),
        ("slap-marked", |p, b, o, s| {
            with(Method::Slap(Absorb::Marked), Check::Nsiec).run(p, b, o, s)
        }),
        ("slap-fst-el", |p, b, o, s| {
            with(Method::SlapFst(Absorb::All, Fixpoint::El), Check::Iec).run(p, b, o, s)
        }),
    ]
}

const SLAP: Method = Method::Slap(Absorb::All);

fn with(method: Method, check: Check) -> Hybrid {
    Hybrid {
        check,
        ..Hybrid::new(method)
    }
}

/// The engines that are right about formulas over states only.
pub fn state_engines() -> Vec<(&'static str, Engine)> {
    vec![
        ("hyb", hyb),
        ("hyb-without-structure", |p, b, o, s| {
            without(false, false, true).run(p, b, o, s)
        }),
        ("hyb-without-recurring", |p, b, o, s| {
            without(true, false, false).run(p, b, o, s)
        }),
        ("hyb-without-abstraction", |p, b, o, s| {
            without(false, true, false).run(p, b, o, s)
        }),
        ("hyb-without-recurring-abstraction", |p, b, o, s| {
            without(true, true, false).run(p, b, o, s)
        }),
        ("hyb-without-recurring-structure", |p, b, o, s| {
            without(true, false, true).run(p, b, o, s)
        }),
        ("hyb-without-abstraction-structure", |p, b, o, s| {
            without(false, true, true).run(p, b, o, s)
        }),
        ("hyb-without-all", |p, b, o, s| {
            without(true, true, true).run(p, b, o, s)
        }),
    ]
}

fn without(recurring: bool, abstraction: bool, structure: bool) -> Hyb {
    Hyb {
        proofs: Proofs {
            recurring: !recurring,
            abstraction: !abstraction,
            structure: !structure,
        },
        ..Hyb::default()
    }
}

/// The engines that are right about stutter-invariant formulas over states only.
pub fn stutter_invariant_engines() -> Vec<(&'static str, Engine)> {
    vec![
        ("ta", ta),
        ("tgta", tgta),
        ("sog-ta", |p, b, o, s| {
            with(Method::SogTa, Check::Couvreur).run(&invariant(p), b, o, s)
        }),
        ("sog-ta-aec", |p, b, o, s| {
            with(Method::SogTa, Check::Aec).run(&invariant(p), b, o, s)
        }),
        ("sog-tgta", |p, b, o, s| {
            with(Method::SogTgta, Check::Nsiec).run(&invariant(p), b, o, s)
        }),
        ("sog-tgta-iec", |p, b, o, s| {
            with(Method::SogTgta, Check::Iec).run(&invariant(p), b, o, s)
        }),
    ]
}

/// The same problem, known to be about a stutter-invariant language.
fn invariant<'a>(problem: &Problem<'a>) -> Problem<'a> {
    let invariance = Invariance {
        letters: true,
        ..problem.invariance
    };
    Problem {
        invariance,
        ..*problem
    }
}

/// All subjects: each engine on the plain tableau's and on the translation's automata, and the façade with formulas
/// and with their texts.
pub fn all() -> Vec<Subject> {
    let mut all = Vec::new();
    for (name, run) in engines() {
        all.push(engine(name, run));
        all.push(translated(&format!("{name}-translated"), run));
    }
    for choice in Choice::ALL {
        all.push(facade(choice, None));
    }
    for kind in [Kind::Ba, Kind::Ta, Kind::Tgta] {
        all.push(facade(Choice::Sog, Some(kind)));
    }
    for (name, run) in state_engines() {
        let of_states = |case: &Case| !case.uses_events();
        // Automata of the plain tableau are larger; one combination is enough for them.
        if name == "hyb" {
            all.push(engine(name, run).only(|case| has_tableau(case) && !case.uses_events()));
        }
        all.push(translated(&format!("{name}-translated"), run).only(of_states));
    }
    for (name, run) in stutter_invariant_engines() {
        // The plain tableau of a larger formula costs more than all engines together.
        all.push(
            engine(name, run).only(|case| {
                case.formula.size() <= 6 && has_tableau(case) && stutter_invariant(case)
            }),
        );
        all.push(translated(&format!("{name}-translated"), run).only(stutter_invariant));
    }
    all.push(facade_rounds());
    all.push(facade_text());
    all
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
const PATIENCE: Duration = Duration::from_secs(60);

/// Automata beyond this many edges are not worth a test's time.
const MOST_EDGES: usize = 3000;

/// An engine on the plain tableau's automaton of the negated formula, so that no translation or reduction stands
/// between a difference and its cause.
pub fn engine(name: &str, engine: Engine) -> Subject {
    Subject::new(name, move |case| {
        match tableau::buchi(&case.formula.negated(), MOST_EDGES) {
            Some(negation) => run(engine, case, &automaton(&negation, case.atoms.len())),
            None => Answer::Unknown("internal: not supported".to_owned()),
        }
    })
    .only(has_tableau)
}

fn has_tableau(case: &Case) -> bool {
    tableau::buchi(&case.formula.negated(), MOST_EDGES).is_some()
}

/// An engine on the automaton that the project's own translation makes.
pub fn translated(name: &str, engine: Engine) -> Subject {
    Subject::new(name, move |case| {
        let (mut formulas, formula) = intern(case, &case.formula.negated());
        let budget = Budget::unlimited().with_deadline(PATIENCE);
        match translate(&mut formulas, formula, &legal(case), &budget) {
            Ok(negation) => run(engine, case, &negation),
            Err(stop) => Answer::Unknown(stop.to_string()),
        }
    })
}

/// The whole way from a formula to a replayed verdict, with one engine. It may only refuse what it says
/// it cannot do.
pub fn facade(choice: Choice, kind: Option<Kind>) -> Subject {
    let name = match kind {
        None => format!("facade-{}", choice.name()),
        Some(kind) => format!("facade-{}-{}", choice.name(), kind.name()),
    };
    let tuning = Tuning {
        kind,
        ..Tuning::default()
    };
    tuned(&name, choice, tuning)
}

/// `auto` with so little work in its first round that it goes through many of them.
pub fn facade_rounds() -> Subject {
    let tuning = Tuning {
        first_look: 1,
        ..Tuning::default()
    };
    tuned("facade-auto-rounds", Choice::Auto, tuning)
}

fn tuned(name: &str, choice: Choice, tuning: Tuning) -> Subject {
    let needs = choice.needs(&tuning);
    let subject = Subject::new(name, move |case| {
        let (formulas, formula) = intern(case, &case.formula);
        let options = Options {
            engine: choice,
            tuning: tuning.clone(),
            deadlock: case.deadlock,
        };
        decide(case, &formulas, &case.propositions(), formula, &options)
    });
    match needs {
        Needs::Nothing => subject,
        Needs::States => subject.only(|case| !case.uses_events()),
        _ => subject.may_give_up(),
    }
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
    let subject = lariat::Subject {
        coloured: None,
        system: &case.system,
        formulas,
        propositions,
    };
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    let report = check(
        &subject,
        Property::Formula(formula),
        options,
        &mut Explored::new(&case.system),
        &budget,
        &Quiet,
    );
    match report.verdict {
        Verdict::Holds(_) if report.vacuous.is_some() == case.has_infinite_run() => {
            Answer::Unknown("internal: wrong about whether there are infinite runs".to_owned())
        }
        Verdict::Holds(_) => Answer::Holds,
        Verdict::Violated(replayed) => Answer::Violated(replayed.lasso().clone()),
        Verdict::Unknown(reason) => Answer::Unknown(reason.to_string()),
    }
}

/// The formula in a store where atom `i` is the case's atom `i`, also if the formula leaves some out.
fn intern(case: &Case, formula: &Ltl) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let names = case.atom_names();
    for name in &names {
        formulas.atom_id(name);
    }
    let formula = formula.intern(&mut formulas, &names);
    (formulas, formula)
}

/// Which combinations of event atoms occur: those of every single event, and none.
fn legal(case: &Case) -> Legal {
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

/// The answer of an engine to a case, given an automaton of the negated formula over the case's atoms.
///
/// Atom `i` of the automaton is the case's atom `automaton.atoms[i]`.
pub fn run(engine: Engine, case: &Case, negation: &Automaton) -> Answer {
    let propositions: Vec<_> = negation
        .atoms
        .iter()
        .map(|atom| case.atoms[atom.index()].proposition.clone())
        .collect();
    let problem = Problem {
        system: &case.system,
        automaton: negation,
        propositions: &propositions,
        deadlock: case.deadlock,
        invariance: Invariance::default(),
        most_tokens: None,
    };
    let budget = Budget::unlimited().with_deadline(PATIENCE);
    match engine(&problem, &budget, &Quiet, &mut Stats::default()) {
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
