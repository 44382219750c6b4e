//! The question after everything that can be known of the net without a search.
//!
//! Facts hold in every reachable marking. So a formula may be replaced by one that is the same on all runs of the net, and an automaton may
//! lose the letters, steps and acceptance that no run has. On words that are no runs both may differ from
//! the original: engines that rely on stutter-invariance are asked the simplified formula, of which it is tested anew, and never the
//! automaton that was cut down.
//!
//! Facts are asked of the net as it was read, so that all properties share them and certificates speak of places that the user knows.
//! What is left of the formula decides what reductions may do ([`reduced`]). A net on which steps were
//! agglomerated has other runs than the original: letters and steps that the original lacks may be there, so the automaton is cut down
//! anew, by facts about the smaller net. The lasso that an engine finds is replayed on the *original* property, as ever.

use super::{Schedule, Technique};
use crate::check::{Attempt, Fact, Query, Report};
use crate::explored::Explored;
use crate::features::Boundedness;
use crate::plan::Plan;
use crate::prepare::{legal_letters, meanings};
use crate::reduce::{Reduced, reduced};
use crate::subject::{Property, Subject};
use lariat_automata::{Automaton, translate};
use lariat_budget::Stop;
use lariat_engines::Needs;
use lariat_ltl::{Formula, Formulas};
use lariat_model::System;
use lariat_reductions::Removed;
use lariat_structural::{Barren, Pruned, Simplified};

/// What answers are ascribed to that need no search.
pub(super) const FACTS: &str = "facts";

/// The question after facts.
#[derive(Clone)]
pub(super) struct Learned {
    /// The store of the simplified formula.
    pub formulas: Formulas,
    /// The formula, or `None` if the property is an automaton.
    pub formula: Option<Formula>,
    /// The automaton of the violations, without what no run does.
    automaton: Automaton,
    /// Is the net known to be bounded?
    pub boundedness: Boundedness,
}

impl Learned {
    /// Does no run violate the property, whatever the states are?
    pub fn leaves_nothing(&self) -> bool {
        self.automaton.initial.is_empty()
    }

    /// The question itself, for those who look at it.
    pub fn property(&self) -> Property<'_> {
        match self.formula {
            Some(formula) => Property::Formula(formula),
            None => Property::Never(&self.automaton),
        }
    }

    /// The form of the question that is right for a plan.
    pub fn property_for(&self, plan: &Plan) -> Property<'_> {
        match plan.needs() {
            Needs::Nothing => Property::Never(&self.automaton),
            Needs::Stuttering | Needs::StateStuttering => self.property(),
        }
    }
}

/// Asks what can be known, and enters in the trail what came of it.
pub(super) fn learn<'s>(
    query: &Query<'_, 's>,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Result<Learned, Stop> {
    let (subject, budget, deadlock) = (query.subject, query.budget, query.options.deadlock);
    query.observer.engine(FACTS);
    // Who is interrupted from here on is not the engine before.
    report.engine = FACTS;
    let begun = budget.elapsed();
    let facts = explored.facts_about(subject, budget)?;
    facts.next_property();
    let (_, spent) = facts.effort();
    let mut formulas = query.formulas.clone();
    let mut told = Vec::new();
    let (formula, mut automaton) = match query.property {
        Property::Never(automaton) => (None, automaton.clone()),
        Property::Formula(formula) => {
            let propositions = subject.propositions();
            let simplified =
                facts.simplify(&mut formulas, formula, propositions, deadlock, budget)?;
            told.extend(in_words(&simplified));
            report.facts = of_formula(&simplified, &formulas, subject.system());
            if simplified.finite_runs
                && let Some(certificate) = facts.terminates(budget)?
            {
                report.facts.push(Fact {
                    says: "every run is finite".to_owned(),
                    because: certificate.sentences(subject.system()),
                });
            }
            let negation = formulas.not(simplified.formula);
            let automaton = translate(&mut formulas, negation, &legal_letters(subject), budget)?;
            (Some(simplified.formula), automaton)
        }
    };
    if !automaton.initial.is_empty() {
        let propositions = meanings(subject, &automaton);
        let pruned = facts.prune(&mut automaton, &propositions, deadlock, budget)?;
        told.extend(of_automaton(&pruned, &automaton));
        report
            .facts
            .extend(of_components(&pruned, subject.system()));
    }
    let boundedness = if facts.is_bounded(budget)? {
        Boundedness::Proved
    } else {
        Boundedness::Open
    };
    let (_, now) = facts.effort();
    report.trail.push(Attempt {
        engine: FACTS,
        outcome: if told.is_empty() {
            "nothing that helps".to_owned()
        } else {
            told.join("; ")
        },
        why: "what the state equation says of every reachable marking".to_owned(),
        work: now - spent,
        time: budget.elapsed().saturating_sub(begun),
    });
    Ok(Learned {
        formulas,
        formula,
        automaton,
        boundedness,
    })
}

/// The question as it was asked, for those who do without facts.
pub(super) fn nothing(query: &Query<'_, '_>) -> Result<Learned, Stop> {
    let mut formulas = query.formulas.clone();
    let (formula, automaton) = match query.property {
        Property::Never(automaton) => (None, automaton.clone()),
        Property::Formula(formula) => {
            let negation = formulas.not(formula);
            let legal = legal_letters(query.subject);
            let automaton = translate(&mut formulas, negation, &legal, query.budget)?;
            (Some(formula), automaton)
        }
    };
    Ok(Learned {
        formulas,
        formula,
        automaton,
        boundedness: Boundedness::Open,
    })
}

/// A net that reductions have left, and the question about it.
pub(super) struct Smaller<'s> {
    pub subject: Subject<'s>,
    pub learned: Learned,
    pub removed: Vec<Removed>,
}

/// The net that reductions leave of the query's, for what is left of the formula; `None` if there is nothing to reduce.
pub(super) fn reduce<'s>(
    query: &Query<'_, 's>,
    learned: &Learned,
    explored: &Explored<'s>,
) -> Result<Option<Reduced<'s>>, Stop> {
    let asked = query.subject.with_formulas(learned.formulas.clone());
    let (property, options) = (learned.property(), query.options);
    reduced(&asked, property, options, explored, query.budget)
}

/// The question about a reduced net.
pub(super) fn about<'s>(
    query: &Query<'_, 's>,
    reduced: Reduced<'s>,
    learned: &Learned,
    schedule: &Schedule,
    explored: &mut Explored<'s>,
    report: &mut Report,
) -> Result<Smaller<'s>, Stop> {
    let Query {
        options, budget, ..
    } = *query;
    let agglomerated = reduced.merges_steps();
    let Reduced { subject, removed } = reduced;
    let mut learned = learned.clone();
    if agglomerated && let Some(formula) = learned.formula {
        let begun = budget.elapsed();
        let formulas = &mut learned.formulas;
        let negation = formulas.not(formula);
        let mut automaton = translate(formulas, negation, &legal_letters(&subject), budget)?;
        if !schedule.without.contains(Technique::Facts) {
            let propositions = meanings(&subject, &automaton);
            let facts = explored.facts(subject.system());
            let (_, spent) = facts.effort();
            let pruned = facts.prune(&mut automaton, &propositions, options.deadlock, budget)?;
            let told = of_automaton(&pruned, &automaton);
            if !told.is_empty() {
                let (_, now) = facts.effort();
                report.trail.push(Attempt {
                    engine: FACTS,
                    outcome: told.join("; "),
                    why: "the same of the reduced net, which has other steps".to_owned(),
                    work: now - spent,
                    time: budget.elapsed().saturating_sub(begun),
                });
                (report.facts).extend(of_components(&pruned, subject.system()));
            }
        }
        learned.automaton = automaton;
    }
    Ok(Smaller {
        subject,
        learned,
        removed,
    })
}

/// A number of things in words; nothing if there are none.
fn counted(n: usize, one: &str, many: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    }
}

/// What became of a formula.
fn in_words(simplified: &Simplified) -> Vec<String> {
    let mut told: Vec<String> = [
        counted(
            simplified.constants.len(),
            "constant atom",
            "constant atoms",
        ),
        counted(
            simplified.same.len(),
            "atom that another one stands for",
            "atoms that others stand for",
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if simplified.finite_runs {
        told.push("all runs are finite".to_owned());
    }
    match simplified.formula {
        Formulas::TRUE => told.push("the property is `true`".to_owned()),
        Formulas::FALSE => told.push("the property is `false`".to_owned()),
        _ => {}
    }
    told
}

/// What was used of the net to simplify a formula.
fn of_formula(simplified: &Simplified, formulas: &Formulas, system: &System) -> Vec<Fact> {
    let constants = simplified.constants.iter().map(|(atom, constant)| Fact {
        says: format!(
            "`{}` is always {}",
            formulas.atom_name(*atom),
            constant.value
        ),
        because: constant.certificate.sentences(system),
    });
    let same = simplified.same.iter().map(|(atom, other, sign)| {
        let [atom, other] = [atom, other].map(|a| formulas.atom_name(*a));
        let is = if *sign {
            "says the same as"
        } else {
            "is the negation of"
        };
        Fact {
            says: format!("`{atom}` {is} `{other}`"),
            because: Vec::new(),
        }
    });
    constants.chain(same).collect()
}

/// Why components of an automaton accept no run.
fn of_components(pruned: &Pruned, system: &System) -> Vec<Fact> {
    let fact = |barren: &Barren| Fact {
        says: "no run stays in a component of the automaton that would accept it".to_owned(),
        because: barren.certificate.sentences(system),
    };
    pruned.barren.iter().map(fact).collect()
}

/// What became of an automaton.
fn of_automaton(pruned: &Pruned, automaton: &Automaton) -> Vec<String> {
    let mut told: Vec<String> = [
        counted(
            pruned.cubes,
            "impossible combination",
            "impossible combinations",
        ),
        counted(pruned.steps, "impossible step", "impossible steps"),
        counted(
            pruned.barren.len(),
            "component without accepted runs",
            "components without accepted runs",
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if automaton.initial.is_empty() {
        told.push("nothing is left of the automaton".to_owned());
    }
    told
}
