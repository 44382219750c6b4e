//! Components of several places, for engines on diagrams: see `reductions/src/levels.rs`.

use crate::ask::undeclared;
use crate::check::Options;
use crate::explored::Explored;
use crate::subject::{Property, Subject};
use lariat_budget::{Budget, Observer, Stop};
use lariat_reductions::{Pass, levels};
use lariat_structural::Candidates;

/// What is one level of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Levels {
    /// Each place.
    #[default]
    Places,
    /// The places of a unit, of which at most one is marked.
    Units,
    /// Places of which at most one is marked by an invariant.
    Invariants,
}

impl Levels {
    /// All of them, the usual one first.
    pub const ALL: [Levels; 3] = [Levels::Places, Levels::Units, Levels::Invariants];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Levels::Places => "places",
            Levels::Units => "units",
            Levels::Invariants => "invariants",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Levels::Places => "each place",
            Levels::Units => {
                "the places of a unit, where an invariant proves that one is marked at most"
            }
            Levels::Invariants => "places of which one is marked at most, as invariants prove",
        }
    }

    fn candidates(self) -> Option<Candidates> {
        match self {
            Levels::Places => None,
            Levels::Units => Some(Candidates::Units),
            Levels::Invariants => Some(Candidates::Invariants),
        }
    }
}

/// The subject with components of several places, for one property; `None` where there are none, where some place of the net is not known to be
/// safe, and where some atom cannot be told.
pub(crate) fn leveled<'s>(
    subject: &Subject<'s>,
    property: Property<'_>,
    options: &Options,
    explored: &mut Explored<'s>,
    (budget, observer): (&Budget, &dyn Observer),
) -> Result<Option<Subject<'s>>, Stop> {
    let system = subject.system();
    let Some(candidates) = options.levels.candidates().filter(|_| system.is_net()) else {
        return Ok(None);
    };
    // What a file says of bounds is no proof.
    let bare = undeclared(system, explored.systems());
    let facts = explored.facts(bare);
    let Some(sets) = facts.exclusive(bare, candidates, budget)? else {
        observer.remark("some place is not known to be safe; each place is a level");
        return Ok(None);
    };
    let Some((now, lift)) = levels(system, &sets) else {
        return Ok(None);
    };
    let (places, components) = (system.variables.len(), now.variables.len());
    let pass = Pass {
        name: "levels",
        system: explored.systems().keep(now),
        lift: Box::new(lift),
    };
    let atoms = match property {
        Property::Formula(formula) => subject.formulas().atoms_of(formula),
        Property::Never(automaton) => automaton.atoms.clone(),
    };
    let told = subject.after(pass, &atoms);
    if told.is_some() {
        observer.remark(&format!("{places} places in {components} levels"));
    }
    Ok(told)
}
