//! The engines by name: what each is, what it needs of a property, how it is run.
//!
//! Automaton kind, product and emptiness check are separate choices; a name stands for one
//! combination. This is the one place that knows which of them exist, and what refuses a
//! property with a sentence.

use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::hybrid::{Check, Hybrid, Method, OrderChoice};
use lariat_engines::{Lasso, Outcome, Problem, explicit};

/// Which engine decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Choice {
    /// Lariat chooses, and says why.
    #[default]
    Auto,
    /// The synchronous product of single states.
    Explicit,
    /// The symbolic observation graph.
    Sog,
    /// The symbolic observation product.
    Sop,
    /// Sets of equal label without closure.
    Bcz,
}

/// What an engine must know of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing: full LTL with events.
    Nothing,
    /// That repeating letters does not matter.
    Stuttering,
    /// The same of every state of the automaton, as far as it can be told.
    StateStuttering,
}

/// How an engine is to be run where there is a choice.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tuning {
    /// The emptiness check, if not the engine's own.
    pub check: Option<Check>,
    /// The order of the variables in diagrams.
    pub order: OrderChoice,
    /// The construction as it was published, where ours differs.
    pub published: bool,
}

impl Choice {
    /// Every engine that can be asked for, `auto` first.
    pub const ALL: [Choice; 5] = [
        Choice::Auto,
        Choice::Explicit,
        Choice::Sog,
        Choice::Sop,
        Choice::Bcz,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Auto => "auto",
            Choice::Explicit => "explicit",
            Choice::Sog => "sog",
            Choice::Sop => "sop",
            Choice::Bcz => "bcz",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Choice::Auto => "Lariat chooses, and says why",
            Choice::Explicit => "single states, packed; full LTL with events",
            Choice::Sog => {
                "aggregates closed under what is not observed; stutter-invariant properties"
            }
            Choice::Sop => "the same, observing only what can still matter",
            Choice::Bcz => "sets of equal label, no closure; full LTL with events",
        }
    }

    /// What it needs of a property.
    pub fn needs(self) -> Needs {
        match self {
            Choice::Auto | Choice::Explicit | Choice::Bcz => Needs::Nothing,
            Choice::Sog => Needs::Stuttering,
            Choice::Sop => Needs::StateStuttering,
        }
    }

    /// Does it hold sets of states in decision diagrams?
    pub fn is_symbolic(self) -> bool {
        self.method(false).is_some()
    }

    fn method(self, published: bool) -> Option<Method> {
        match self {
            Choice::Auto | Choice::Explicit => None,
            Choice::Sog if published => Some(Method::SogPublished),
            Choice::Sog => Some(Method::Sog),
            Choice::Sop => Some(Method::Sop),
            Choice::Bcz => Some(Method::Bcz),
        }
    }

    /// Why this tuning makes no sense for the engine, if it does not.
    pub fn refuses(self, tuning: &Tuning) -> Option<String> {
        let explicit = self.method(false).is_none();
        if tuning.published && self != Choice::Sog {
            return Some(format!(
                "`{}` has no published variant of its own",
                self.name()
            ));
        }
        match tuning.check {
            None | Some(Check::Couvreur) => None,
            Some(_) if explicit => Some(format!(
                "checks by inclusion compare sets, and `{}` has single states",
                self.name()
            )),
            Some(_) => None,
        }
    }

    /// Runs it. [`Choice::Auto`] is not one engine; it runs as the explicit one here.
    pub(crate) fn run(
        self,
        tuning: &Tuning,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome<Lasso>, Stop> {
        let Some(method) = self.method(tuning.published) else {
            return explicit(problem, budget, observer, stats);
        };
        let mut hybrid = Hybrid::new(method);
        hybrid.check = tuning.check.unwrap_or_default();
        hybrid.order = tuning.order.clone();
        hybrid.run(problem, budget, observer, stats)
    }
}
