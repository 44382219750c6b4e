//! A smaller net for one property, before anybody searches it.
//!
//! The rules are in `lariat_reductions`; what a rule may do depends on the atoms of the property and on whether it is known to be
//! stutter-invariant. Nets that come out equal are kept once, so that properties with equal reductions share their
//! reachable states.

use crate::advice::by_facts;
use crate::check::{Choice, Options, atoms_of};
use crate::explored::Explored;
use crate::prepare::is_stutter_invariant;
use crate::subject::{Property, Subject};
use lariat_budget::{Budget, Stop};
use lariat_ltl::AtomId;
use lariat_model::{Constraint, Proposition};
use lariat_reductions::{Pass, Reduction, Removed, Rules, Support, reduce};

/// Which reductions are made before a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduce {
    /// Those that are [usual](Rules::usual) where `auto` decides. An engine that was asked for by name gets the net as it was read, so that engines can be compared.
    #[default]
    Usual,
    /// These, whoever decides.
    Only(Rules),
}

impl Reduce {
    fn rules(self, choice: &Choice) -> Rules {
        match (self, choice) {
            (Reduce::Only(rules), _) => rules,
            (Reduce::Usual, Choice::Auto(_)) => Rules::usual(),
            (Reduce::Usual, Choice::Plan(_)) => Rules::NONE,
        }
    }
}

/// Arcs that may be looked at: a limit for very large nets, on which the rules would take longer than a short search.
const MOST_WORK: u64 = 5_000_000;

/// A subject after reductions, and what they did.
pub(crate) struct Reduced<'s> {
    pub subject: Subject<'s>,
    pub removed: Vec<Removed>,
}

impl Reduced<'_> {
    /// Were several steps made one?
    pub fn merges_steps(&self) -> bool {
        self.removed
            .iter()
            .any(|removed| removed.rule.merges_steps())
    }
}

/// The subject with a net that was made smaller for `property`; `None` if it was not.
pub(crate) fn reduced<'s>(
    subject: &Subject<'s>,
    property: Property<'_>,
    options: &Options,
    explored: &Explored<'s>,
    budget: &Budget,
) -> Result<Option<Reduced<'s>>, Stop> {
    let rules = options.reduce.rules(&options.choice);
    let Some((reduction, atoms)) = reduction(subject, &[property], rules, budget)? else {
        return Ok(None);
    };
    let pass = Pass {
        name: "reductions",
        system: explored.systems().keep(reduction.system),
        lift: Box::new(reduction.lift),
    };
    let removed = reduction.removed;
    let subject = subject.after(pass, &atoms);
    Ok(subject.map(|subject| Reduced { subject, removed }))
}

/// The net of a subject, made smaller for these properties, and their atoms; `None` if there is nothing to make smaller.
///
/// Without any property what is left still has the same runs, deadlocks included, but for places that decide nothing and for which of several equal ones a token is in.
pub fn reduction<'s>(
    subject: &Subject<'s>,
    properties: &[Property<'_>],
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
                Property::Formula(formula) => is_stutter_invariant(subject, *formula, budget)?,
                Property::Never(_) => false,
            };
    }
    atoms.sort_unstable();
    atoms.dedup();
    let meaning = |atom: &AtomId| -> Proposition { subject.propositions()[atom.index()].clone() };
    let mut observed: Vec<Proposition> = atoms.iter().map(meaning).collect();
    // That a constraint is met infinitely often is a part of the property, which stays stutter-invariant if it was.
    observed.extend(
        subject
            .constraints()
            .iter()
            .flat_map(Constraint::propositions),
    );
    let support = Support::of(system, &observed, stutters);
    let limited = budget.clone().with_work(MOST_WORK);
    let mut advice = by_facts(budget);
    let reduction = reduce(system, &support, rules, &mut advice, &limited);
    Ok(reduction.map(|reduction| (reduction, atoms)))
}
