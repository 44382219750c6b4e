//! Simplifies the question by structural facts, before any search.
//!
//! Facts hold in every reachable marking. So a formula may be replaced by one that is equivalent on
//! all runs of the net, and an automaton may lose the letters, steps and acceptance that no run
//! has. On words that are not runs both may differ from the original: engines that need
//! stutter-invariance get the simplified formula, tested anew, and never the pruned automaton.
//!
//! Facts are derived for the original net, so that all properties share them and certificates are
//! about places that the user knows. The simplified formula decides which reductions are allowed
//! ([`reduced_for`]). A net in which steps were agglomerated has other runs than the original, with
//! letters and steps that the original lacks, so the automaton is translated and pruned anew, by
//! facts about the reduced net. The lasso that an engine finds is replayed against the *original*
//! property.

use crate::cache::SpaceCache;
use crate::decision::{Attempt, Fact};
use crate::features::Boundedness;
use crate::plan::Plan;
use crate::query::Query;
use crate::reduce::{Reduced, reduced_for};
use crate::subject::{PropertyForm, Subject};
use crate::translate::{legal_letters, meanings};
use lariat_automata::{Automaton, translate};
use lariat_budget::Stop;
use lariat_engines::{EngineId, Needs};
use lariat_ltl::{Formula, Formulas};
use lariat_model::System;
use lariat_reductions::Removed;
use lariat_structural::{BarrenComponent, Pruned, Simplified};

/// The question after structural facts.
#[derive(Clone)]
pub(super) struct SimplifiedQuestion {
    /// The store of the simplified formula.
    pub formulas: Formulas,
    /// The formula, or `None` if the property is an automaton.
    formula: Option<Formula>,
    /// The automaton of the violations, without what no run does.
    automaton: Automaton,
    /// Whether the net is known to be bounded.
    pub boundedness: Boundedness,
}

/// The attempts and facts of one question so far.
#[derive(Default)]
pub(super) struct History {
    pub trail: Vec<Attempt>,
    pub facts: Vec<Fact>,
}

impl SimplifiedQuestion {
    /// Returns whether no run violates the property, whatever the states are.
    pub fn leaves_nothing(&self) -> bool {
        self.automaton.initial.is_empty()
    }

    /// The question as a formula, if it is one.
    pub fn property(&self) -> PropertyForm<'_> {
        match self.formula {
            Some(formula) => PropertyForm::Formula(formula),
            None => PropertyForm::Never(&self.automaton),
        }
    }

    /// The form of the question that a plan may be given.
    pub fn property_for(&self, plan: &Plan) -> PropertyForm<'_> {
        match plan.needs() {
            Needs::Nothing => PropertyForm::Never(&self.automaton),
            Needs::Stuttering | Needs::StateStuttering => self.property(),
        }
    }
}

/// Simplifies the question by facts about the net, and records them.
pub(super) fn simplify<'s>(
    query: &Query<'_, 's>,
    cache: &mut SpaceCache<'s>,
    history: &mut History,
) -> Result<SimplifiedQuestion, Stop> {
    let (subject, budget, deadlock) = (query.subject, query.budget(), query.options.deadlock);
    query.ctx.observer.engine(EngineId::Facts.name());
    let begun = budget.elapsed();
    let facts = cache.facts_about(subject, budget)?;
    facts.next_property();
    let (_, spent) = facts.effort();
    let mut formulas = query.formulas.clone();
    let mut found = Vec::new();
    let (formula, mut automaton) = match query.property {
        PropertyForm::Never(automaton) => (None, automaton.clone()),
        PropertyForm::Formula(formula) => {
            let propositions = subject.propositions();
            let simplified =
                facts.simplify(&mut formulas, formula, propositions, deadlock, budget)?;
            found.extend(in_words(&simplified));
            history.facts = of_formula(&simplified, &formulas, subject.system());
            if simplified.finite_runs
                && let Some(certificate) = facts.terminates(budget)?
            {
                history.facts.push(Fact {
                    statement: "every run is finite".to_owned(),
                    reasons: certificate.sentences(subject.system()),
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
        found.extend(of_automaton(&pruned, &automaton));
        let components = of_components(&pruned, subject.system());
        history.facts.extend(components);
    }
    let boundedness = if facts.is_bounded(budget)? {
        Boundedness::Proved
    } else {
        Boundedness::Open
    };
    let (_, now) = facts.effort();
    history.trail.push(Attempt {
        engine: EngineId::Facts,
        outcome: if found.is_empty() {
            "nothing that helps".to_owned()
        } else {
            found.join("; ")
        },
        why: "invariants of the state equation, true in every reachable marking".to_owned(),
        work: now - spent,
        time: budget.elapsed().saturating_sub(begun),
    });
    Ok(SimplifiedQuestion {
        formulas,
        formula,
        automaton,
        boundedness,
    })
}

/// The question as the user asked it, where facts are switched off.
pub(super) fn unsimplified(query: &Query<'_, '_>) -> Result<SimplifiedQuestion, Stop> {
    let mut formulas = query.formulas.clone();
    let (formula, automaton) = match query.property {
        PropertyForm::Never(automaton) => (None, automaton.clone()),
        PropertyForm::Formula(formula) => {
            let negation = formulas.not(formula);
            let legal = legal_letters(query.subject);
            let automaton = translate(&mut formulas, negation, &legal, query.budget())?;
            (Some(formula), automaton)
        }
    };
    Ok(SimplifiedQuestion {
        formulas,
        formula,
        automaton,
        boundedness: Boundedness::Open,
    })
}

/// A reduced net, and the question about it.
pub(super) struct ReducedQuestion<'s> {
    pub subject: Subject<'s>,
    pub simplified: SimplifiedQuestion,
    pub removed: Vec<Removed>,
}

impl<'s> ReducedQuestion<'s> {
    /// The query about the reduced net, in the form that `plan` may be given.
    pub fn query<'q>(&'q self, query: &Query<'q, 's>, plan: &Plan) -> Query<'q, 's> {
        Query {
            subject: &self.subject,
            formulas: &self.simplified.formulas,
            property: self.simplified.property_for(plan),
            ..*query
        }
    }
}

/// Reduces the query's net for the simplified formula, and adapts the question to the new net;
/// `None` if no rule applies.
pub(super) fn reduce<'s>(
    query: &Query<'_, 's>,
    simplified: &SimplifiedQuestion,
    with_facts: bool,
    cache: &mut SpaceCache<'s>,
    history: &mut History,
) -> Result<Option<ReducedQuestion<'s>>, Stop> {
    let asked = query.subject.with_formulas(simplified.formulas.clone());
    let Some(reduced) = reduced_for(&asked, simplified.property(), query, cache)? else {
        return Ok(None);
    };
    let budget = query.budget();
    let merges_steps = reduced.merges_steps();
    let Reduced { subject, removed } = reduced;
    let mut simplified = simplified.clone();
    if merges_steps && let Some(formula) = simplified.formula {
        let begun = budget.elapsed();
        let formulas = &mut simplified.formulas;
        let negation = formulas.not(formula);
        let mut automaton = translate(formulas, negation, &legal_letters(&subject), budget)?;
        if with_facts {
            let propositions = meanings(&subject, &automaton);
            let facts = cache.facts(subject.system());
            let (_, spent) = facts.effort();
            let deadlock = query.options.deadlock;
            let pruned = facts.prune(&mut automaton, &propositions, deadlock, budget)?;
            let found = of_automaton(&pruned, &automaton);
            if !found.is_empty() {
                let (_, now) = facts.effort();
                history.trail.push(Attempt {
                    engine: EngineId::Facts,
                    outcome: found.join("; "),
                    why: "facts about the reduced net, which has other steps".to_owned(),
                    work: now - spent,
                    time: budget.elapsed().saturating_sub(begun),
                });
                let components = of_components(&pruned, subject.system());
                history.facts.extend(components);
            }
        }
        simplified.automaton = automaton;
    }
    Ok(Some(ReducedQuestion {
        subject,
        simplified,
        removed,
    }))
}

/// A number of things in words; `None` for zero.
fn counted(n: usize, one: &str, many: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    }
}

fn in_words(simplified: &Simplified) -> Vec<String> {
    let (constants, same) = (simplified.constants.len(), simplified.same.len());
    let (one, many) = ("atom equivalent to another", "atoms equivalent to others");
    let mut found = Vec::new();
    found.extend(counted(constants, "constant atom", "constant atoms"));
    found.extend(counted(same, one, many));
    if simplified.at_start {
        found.push("parts that the initial state decides".to_owned());
    }
    if simplified.finite_runs {
        found.push("all runs are finite".to_owned());
    }
    match simplified.formula {
        Formulas::TRUE => found.push("the property is `true`".to_owned()),
        Formulas::FALSE => found.push("the property is `false`".to_owned()),
        _ => {}
    }
    found
}

fn of_formula(simplified: &Simplified, formulas: &Formulas, system: &System) -> Vec<Fact> {
    let constants = simplified.constants.iter().map(|(atom, constant)| {
        let (atom, value) = (formulas.atom_name(*atom), constant.value);
        Fact {
            statement: format!("`{atom}` is always {value}"),
            reasons: constant.certificate.sentences(system),
        }
    });
    let same = simplified.same.iter().map(|(atom, other, sign)| {
        let [atom, other] = [atom, other].map(|a| formulas.atom_name(*a));
        let is = if *sign {
            "is equivalent to"
        } else {
            "is the negation of"
        };
        Fact {
            statement: format!("`{atom}` {is} `{other}`"),
            reasons: Vec::new(),
        }
    });
    constants.chain(same).collect()
}

/// The reasons why components of an automaton accept no run.
fn of_components(pruned: &Pruned, system: &System) -> Vec<Fact> {
    let fact = |barren: &BarrenComponent| Fact {
        statement: "no run stays in a component of the automaton that would accept it".to_owned(),
        reasons: barren.certificate.sentences(system),
    };
    pruned.barren.iter().map(fact).collect()
}

fn of_automaton(pruned: &Pruned, automaton: &Automaton) -> Vec<String> {
    let barren = pruned.barren.len();
    let (one, many) = (
        "component without accepted runs",
        "components without accepted runs",
    );
    let mut found = Vec::new();
    found.extend(counted(
        pruned.cubes,
        "impossible combination",
        "impossible combinations",
    ));
    found.extend(counted(pruned.steps, "impossible step", "impossible steps"));
    found.extend(counted(barren, one, many));
    if automaton.initial.is_empty() {
        found.push("the automaton is empty".to_owned());
    }
    found
}
