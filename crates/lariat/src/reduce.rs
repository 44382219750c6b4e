//! Reduces the net for one property before a search.
//!
//! The rules are in `lariat_reductions`; a rule's conditions depend on the atoms of the property
//! and on whether it is known to be stutter-invariant. Equal results are stored once, so that
//! properties with equal reductions share their reachable states.

use crate::advice::advice_by_facts;
use crate::cache::SpaceCache;
use crate::options::EngineChoice;
use crate::query::{Query, atoms_of};
use crate::subject::{PropertyForm, Subject};
use crate::translate::is_stutter_invariant;
use lariat_budget::{Budget, Stop};
use lariat_ltl::AtomId;
use lariat_model::{Constraint, Lasso, Proposition, System};
use lariat_reductions::{Lift, LiftError, PassResult, Reduction, Removed, Rules, Support, reduce};
use std::fmt;
use std::sync::Arc;

/// Which reductions are applied before a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReductionChoice {
    /// The [usual](Rules::usual) rules for `auto`, none for an engine selected by name, so that
    /// engines can be compared on the original net.
    #[default]
    Usual,
    /// These rules, whichever engine decides.
    Only(Rules),
}

impl ReductionChoice {
    fn rules(self, engine: &EngineChoice) -> Rules {
        match (self, engine) {
            (ReductionChoice::Only(rules), _) => rules,
            (ReductionChoice::Usual, EngineChoice::Auto(_)) => Rules::usual(),
            (ReductionChoice::Usual, EngineChoice::Plan(_)) => Rules::NONE,
        }
    }
}

/// A system of representatives of symmetric states, in place of a program.
#[derive(Clone)]
pub struct Quotient {
    /// The system; its propositions are those of the program.
    pub system: System,
    /// The lift to runs of the program.
    pub lift: Arc<dyn Lift>,
}

impl fmt::Debug for Quotient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Quotient")
    }
}

/// A lift that several passes share.
struct SharedLift(Arc<dyn Lift>);

impl Lift for SharedLift {
    fn forward(&self, proposition: &Proposition) -> Option<Proposition> {
        self.0.forward(proposition)
    }

    fn back(&self, lasso: Lasso, budget: &Budget) -> Result<Lasso, LiftError> {
        self.0.back(lasso, budget)
    }
}

/// Limit on the arcs that the rules inspect, so that a short search is not delayed.
const MOST_WORK: u64 = 5_000_000;

/// A subject after reductions, and a summary of them.
pub(crate) struct Reduced<'s> {
    pub subject: Subject<'s>,
    pub removed: Vec<Removed>,
}

impl Reduced<'_> {
    /// Returns whether a step of the reduced net may stand for several steps of the original.
    pub fn merges_steps(&self) -> bool {
        self.removed
            .iter()
            .any(|removed| removed.rule.merges_steps())
    }
}

impl<'s> Query<'_, 's> {
    /// The subject with a net that was reduced for the property; `None` if no rule applied.
    pub fn reduce(&self, cache: &SpaceCache<'s>) -> Result<Option<Reduced<'s>>, Stop> {
        if let Some(quotient) = &self.options.quotient {
            let pass = PassResult {
                name: "symmetry",
                system: cache.systems().keep(quotient.system.clone()),
                lift: Box::new(SharedLift(Arc::clone(&quotient.lift))),
            };
            let subject = self.subject.after(pass, self.atoms);
            let removed = Vec::new();
            return Ok(subject.map(|subject| Reduced { subject, removed }));
        }
        reduced_for(self.subject, self.property, self, cache)
    }
}

/// `subject` with a net that was reduced for `property`, under the options and the budget of
/// `query`; `None` if no rule applied.
pub(crate) fn reduced_for<'s>(
    subject: &Subject<'s>,
    property: PropertyForm<'_>,
    query: &Query<'_, 's>,
    cache: &SpaceCache<'s>,
) -> Result<Option<Reduced<'s>>, Stop> {
    let rules = query.options.reduce.rules(&query.options.engine);
    let Some((reduction, atoms)) = reduction(subject, &[property], rules, query.budget())? else {
        return Ok(None);
    };
    let pass = PassResult {
        name: "reductions",
        system: cache.systems().keep(reduction.system),
        lift: Box::new(reduction.lift),
    };
    let removed = reduction.removed;
    let subject = subject.after(pass, &atoms);
    Ok(subject.map(|subject| Reduced { subject, removed }))
}

/// The net of a subject, reduced for these properties, and their atoms; `None` if no rule applies.
///
/// Without properties the reduced net has the same runs and deadlocks, except for places that
/// decide nothing and for which of several equivalent places holds a token.
pub fn reduction<'s>(
    subject: &Subject<'s>,
    properties: &[PropertyForm<'_>],
    rules: Rules,
    budget: &Budget,
) -> Result<Option<(Reduction<'s>, Vec<AtomId>)>, Stop> {
    let system = subject.system();
    if rules == Rules::NONE || !system.is_net() {
        return Ok(None);
    }
    let mut atoms = Vec::new();
    let mut stutters = !properties.is_empty();
    for property in properties {
        atoms.extend(atoms_of(subject, *property));
        stutters = stutters
            && match property {
                PropertyForm::Formula(formula) => is_stutter_invariant(subject, *formula, budget)?,
                PropertyForm::Never(_) => false,
            };
    }
    atoms.sort_unstable();
    atoms.dedup();
    let meaning = |atom: &AtomId| -> Proposition { subject.propositions()[atom.index()].clone() };
    let mut observed: Vec<Proposition> = atoms.iter().map(meaning).collect();
    // Meeting a constraint infinitely often is part of the property, which stays stutter-invariant
    // if it was.
    observed.extend(
        subject
            .constraints()
            .iter()
            .flat_map(Constraint::propositions),
    );
    let support = Support::of(system, &observed, stutters);
    let limited = budget.clone().with_work(MOST_WORK);
    let mut advice = advice_by_facts(budget);
    let reduction = reduce(system, &support, rules, &mut advice, &limited);
    Ok(reduction.map(|reduction| (reduction, atoms)))
}
