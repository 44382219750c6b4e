//! From a property to a verdict: plan → run → replay.

use crate::replay::{self, replay};
use crate::verdict::{Reason, Verdict};
use lariat_automata::{Automaton, Legal, translate};
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::{Engine, Outcome, Problem, explicit};
use lariat_ltl::{AtomId, Formula, Formulas};
use lariat_model::{Deadlock, EventId, Lasso, Proposition, State, Step, System};
use std::collections::{BTreeMap, BTreeSet};

/// Which engine decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Choice {
    /// Lariat chooses, and says why.
    #[default]
    Auto,
    /// The synchronous product of single states.
    Explicit,
}

/// How to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The engine.
    pub engine: Choice,
    /// What happens at deadlocks.
    pub deadlock: Deadlock,
}

/// What is to be checked of a system.
#[derive(Clone, Copy, Debug)]
pub enum Property<'a> {
    /// Every run satisfies the formula.
    Formula(Formula),
    /// No run is accepted: the automaton is that of the *negated* property.
    Never(&'a Automaton),
}

/// A model with the vocabulary of its properties.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The model.
    pub system: &'a System,
    /// The store of the formulas.
    pub formulas: &'a Formulas,
    /// What the atoms mean, by their ids.
    pub propositions: &'a [Proposition],
}

/// One engine that `auto` tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Its name.
    pub engine: &'static str,
    /// How it ended: `decided`, or `gave up: …`.
    pub outcome: String,
    /// Why it was chosen.
    pub why: String,
}

/// The answer to one property, with how it was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// The deadlock policy it is about.
    pub deadlock: Deadlock,
    /// If the property holds for no good reason: which.
    pub vacuous: Option<&'static str>,
    /// What `auto` tried; empty if an engine was asked for by name.
    pub trail: Vec<Attempt>,
    /// What was counted.
    pub stats: Stats,
}

/// Decides one property.
pub fn check(
    subject: &Subject<'_>,
    property: Property<'_>,
    options: &Options,
    budget: &Budget,
    observer: &dyn Observer,
) -> Report {
    let mut report = Report {
        verdict: Verdict::Unknown(Reason::Inconclusive("nothing was run".to_owned())),
        engine: "explicit",
        deadlock: options.deadlock,
        vacuous: None,
        trail: Vec::new(),
        stats: Stats::default(),
    };
    let found = run(subject, property, options, budget, observer, &mut report);
    report.verdict = Verdict::earn(found, |lasso| {
        let lasso = rolled_back(lasso);
        let property = match property {
            Property::Formula(formula) => replay::Property::Formula(subject.formulas, formula),
            Property::Never(automaton) => replay::Property::Never(automaton),
        };
        replay(
            subject.system,
            subject.propositions,
            property,
            options.deadlock,
            &lasso,
        )
        .map(|()| lasso)
    });
    if options.engine == Choice::Auto {
        report.trail.push(Attempt {
            engine: report.engine,
            outcome: match &report.verdict {
                Verdict::Unknown(reason) => format!("gave up: {reason}"),
                _ => "decided".to_owned(),
            },
            why: "decides full LTL with events on every model that fits into memory".to_owned(),
        });
    }
    report
}

/// The same run with its loop begun as early as possible: while the last step of the prefix is also
/// the last one of the loop, from the same state, the loop may as well start before it.
fn rolled_back(mut lasso: Lasso) -> Lasso {
    while let ([.., last], [.., closing]) = (&lasso.prefix[..], &lasso.cycle[..]) {
        let source = |steps: &[Step], first: &State| match steps {
            [.., before, _] => before.state.clone(),
            _ => first.clone(),
        };
        let same = last == closing
            && source(&lasso.prefix, &lasso.initial) == source(&lasso.cycle, &closing.state);
        if !same {
            break;
        }
        lasso.prefix.pop();
        lasso.cycle.rotate_right(1);
    }
    lasso
}

/// Searches for a violating run.
fn run(
    subject: &Subject<'_>,
    property: Property<'_>,
    options: &Options,
    budget: &Budget,
    observer: &dyn Observer,
    report: &mut Report,
) -> Result<Outcome<Lasso>, Stop> {
    budget.check()?;
    let translated;
    let automaton = match property {
        Property::Never(automaton) => automaton,
        Property::Formula(formula) => {
            translated = negated_automaton(subject, formula, budget)?;
            &translated
        }
    };
    report.stats.set("automaton_states", automaton.states.len());
    report.stats.set("automaton_edges", automaton.edge_count());
    report
        .stats
        .set("automaton_marks", u64::from(automaton.mark_count));
    let propositions = meanings(subject, automaton);
    let problem = Problem {
        system: subject.system,
        automaton,
        propositions: &propositions,
        deadlock: options.deadlock,
    };
    let engine: Engine = match options.engine {
        Choice::Auto | Choice::Explicit => explicit,
    };
    let outcome = engine(&problem, budget, observer, &mut report.stats)?;
    if outcome == Outcome::Empty && options.deadlock == Deadlock::Ignore {
        // Without any infinite run a formula and its negation hold alike; the user should know.
        let anything = Automaton::universal();
        let any_run = Problem {
            automaton: &anything,
            propositions: &[],
            ..problem
        };
        if engine(&any_run, budget, observer, &mut Stats::default())? == Outcome::Empty {
            report.vacuous = Some("no infinite run");
        }
    }
    Ok(outcome)
}

/// The automaton of all runs that violate `formula`.
fn negated_automaton(
    subject: &Subject<'_>,
    formula: Formula,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    // Rewriting makes many formulas; they go with this copy of the store.
    let mut formulas = subject.formulas.clone();
    let negation = formulas.not(formula);
    translate(&mut formulas, negation, &legal_letters(subject), budget)
}

/// Which `fires` atoms can be true together: those that share an event, and none at all.
fn legal_letters(subject: &Subject<'_>) -> Legal {
    let mut atoms_of_event: BTreeMap<EventId, Vec<AtomId>> = BTreeMap::new();
    let mut event_atoms = Vec::new();
    for (i, proposition) in subject.propositions.iter().enumerate() {
        if let Proposition::Fires(events) = proposition {
            let atom = AtomId(i as u32);
            event_atoms.push(atom);
            for event in events {
                atoms_of_event.entry(*event).or_default().push(atom);
            }
        }
    }
    if event_atoms.is_empty() {
        return Legal::any();
    }
    let together: BTreeSet<Vec<AtomId>> = atoms_of_event
        .into_values()
        .chain(std::iter::once(Vec::new()))
        .collect();
    Legal::events(event_atoms, together.into_iter().collect())
}

/// What the atoms of `automaton` mean, in its own order.
fn meanings(subject: &Subject<'_>, automaton: &Automaton) -> Vec<Proposition> {
    let atoms = automaton.atoms.iter();
    atoms
        .map(|atom| subject.propositions[atom.index()].clone())
        .collect()
}
