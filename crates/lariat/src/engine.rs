//! The engines by name: what each is, what it needs of a property, how it is run.
//!
//! Automaton kind, product and emptiness check are separate choices; a name stands for one
//! combination. This is the one place that knows which of them exist, and what refuses a
//! property with a sentence.

use crate::explored::Explored;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::hybrid::{Absorb, Check, Fixpoint, Hybrid, Method};
use lariat_engines::{Hyb, Lasso, Outcome, Problem, Proofs, ba, explicit, ta, tgta};
use lariat_space::symbolic::OrderChoice;
use std::str::FromStr;

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
    /// The self-loop aggregation product.
    Slap,
    /// The same with fixpoints where the automaton cannot leave.
    SlapFst,
    /// Sets of equal label without closure.
    Bcz,
    /// One way catch them young, on the whole product.
    Owcty,
    /// Emerson and Lei's fixpoint, on the whole product.
    El,
    /// The product by saturation, searched component by component while it is built.
    Hyb,
    /// The explicit product with a Büchi automaton.
    Ba,
    /// The explicit product with a testing automaton.
    Ta,
    /// The explicit product with a generalized testing automaton.
    Tgta,
}

/// What an engine must know of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing: full LTL with events.
    Nothing,
    /// That it speaks of states alone, not of which event is taken.
    States,
    /// That repeating letters does not matter.
    Stuttering,
    /// The same of every state of the automaton, as far as it can be told.
    StateStuttering,
}

impl Needs {
    /// Is it to be known whether repeating letters matters?
    pub(crate) fn stuttering(self) -> bool {
        matches!(self, Needs::Stuttering | Needs::StateStuttering)
    }
}

/// How an engine is to be run where there is a choice.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    /// The emptiness check, if not the engine's own.
    pub check: Option<Check>,
    /// The order of the variables in diagrams.
    pub order: OrderChoice,
    /// The construction as it was published, where ours differs.
    pub published: bool,
    /// Which proofs of absence `hyb` tries before it searches.
    pub proofs: Proofs,
}

impl Choice {
    /// Every engine that can be asked for, `auto` first.
    pub const ALL: [Choice; 13] = [
        Choice::Auto,
        Choice::Explicit,
        Choice::Sog,
        Choice::Sop,
        Choice::Slap,
        Choice::SlapFst,
        Choice::Bcz,
        Choice::Owcty,
        Choice::El,
        Choice::Hyb,
        Choice::Ba,
        Choice::Ta,
        Choice::Tgta,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Auto => "auto",
            Choice::Explicit => "explicit",
            Choice::Sog => "sog",
            Choice::Sop => "sop",
            Choice::Slap => "slap",
            Choice::SlapFst => "slap-fst",
            Choice::Bcz => "bcz",
            Choice::Owcty => "owcty",
            Choice::El => "el",
            Choice::Hyb => "hyb",
            Choice::Ba => "ba",
            Choice::Ta => "ta",
            Choice::Tgta => "tgta",
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
            Choice::Slap => "sets closed under self-loops of the automaton; full LTL with events",
            Choice::SlapFst => "the same, with fixpoints where the automaton cannot leave",
            Choice::Bcz => "sets of equal label, no closure; full LTL with events",
            Choice::Owcty => {
                "a forward fixpoint on the whole product as sets; full LTL with events"
            }
            Choice::Ba => "single states with a Büchi automaton; full LTL with events",
            Choice::Ta => {
                "single states with a testing automaton; stutter-invariant properties of states"
            }
            Choice::Tgta => "the same with a generalized testing automaton",
            Choice::Hyb => {
                "the product by saturation, searched as it grows; full LTL on states, and on the fly"
            }
            Choice::El => "a backward fixpoint on the whole product as sets; full LTL with events",
        }
    }

    /// What it needs of a property.
    pub fn needs(self) -> Needs {
        match self {
            Choice::Sog | Choice::Ta | Choice::Tgta => Needs::Stuttering,
            Choice::Sop => Needs::StateStuttering,
            Choice::Hyb => Needs::States,
            _ => Needs::Nothing,
        }
    }

    fn method(self, published: bool) -> Option<Method> {
        let absorb = if published {
            Absorb::Marked
        } else {
            Absorb::All
        };
        match self {
            Choice::Auto | Choice::Explicit | Choice::Hyb => None,
            Choice::Ba | Choice::Ta | Choice::Tgta => None,
            Choice::Sog if published => Some(Method::SogPublished),
            Choice::Sog => Some(Method::Sog),
            Choice::Sop => Some(Method::Sop),
            Choice::Slap => Some(Method::Slap(absorb)),
            Choice::SlapFst => Some(Method::SlapFst(absorb, Fixpoint::default())),
            Choice::Bcz => Some(Method::Bcz),
            Choice::Owcty => Some(Method::Fixpoint(Fixpoint::Owcty)),
            Choice::El => Some(Method::Fixpoint(Fixpoint::El)),
        }
    }

    /// Why this tuning makes no sense for the engine, if it does not.
    pub fn refuses(self, tuning: &Tuning) -> Option<String> {
        let name = self.name();
        let published = matches!(self, Choice::Sog | Choice::Slap | Choice::SlapFst);
        if tuning.published && !published {
            return Some(format!("`{name}` has no published variant of its own"));
        }
        if tuning.proofs != Proofs::default() && self != Choice::Hyb {
            return Some(format!("`{name}` has no proofs of absence to do without"));
        }
        match (tuning.check, self.method(false)) {
            (Some(_), None) if self == Choice::Hyb => Some(format!(
                "`{name}` searches no graph; it has no emptiness check to choose"
            )),
            (None, _) | (Some(Check::Couvreur), None) => None,
            (Some(_), None) => Some(format!(
                "checks by inclusion compare sets of states; `{name}` has single ones"
            )),
            (Some(_), Some(Method::Fixpoint(_))) => Some(format!(
                "`{name}` is a fixpoint and searches no graph; it has no emptiness check to choose"
            )),
            (Some(_), Some(_)) => None,
        }
    }

    /// Runs it. [`Choice::Auto`] is not one engine; it runs as the explicit one here.
    pub(crate) fn run(
        self,
        tuning: &Tuning,
        problem: &Problem<'_>,
        explored: &mut Explored<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome<Lasso>, Stop> {
        if self == Choice::Hyb {
            let (order, name) = explored.order(&tuning.order, problem, budget, observer)?;
            let hyb = Hyb {
                proofs: tuning.proofs,
                order: OrderChoice::Given(order),
            };
            let found = hyb.run(problem, budget, observer, stats);
            stats.set("order", name);
            return found;
        }
        let Some(method) = self.method(tuning.published) else {
            if self.needs().stuttering() && !problem.invariance.letters {
                return Err(Stop::Unsupported(
                    "testing automata need a stutter-invariant property".to_owned(),
                ));
            }
            let run = match self {
                Choice::Ba => ba,
                Choice::Ta => ta,
                Choice::Tgta => tgta,
                _ => explicit,
            };
            return run(problem, budget, observer, stats);
        };
        let mut hybrid = Hybrid::new(method);
        hybrid.check = tuning.check.unwrap_or_default();
        hybrid.order = tuning.order.clone();
        explored.run(&hybrid, problem, budget, observer, stats)
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(name: &str) -> Result<Choice, String> {
        let found = Choice::ALL.into_iter().find(|choice| choice.name() == name);
        found.ok_or_else(|| format!("no engine is called `{name}`"))
    }
}
