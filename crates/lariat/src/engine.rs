//! The engines by name: what each is, what it needs of a property, how it is run.
//!
//! Automaton kind, product and emptiness check are separate choices; a name stands for one
//! combination. This is the one place that knows which of them exist, and what refuses a
//! property with a sentence.

use crate::explored::Explored;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::hybrid::{Absorb, Check, Fixpoint, Hybrid, Method};
use lariat_engines::{
    Hyb, Lasso, Outcome, Problem, Proofs, Size, as_buchi, ba, explicit, ta, tgta,
};
use lariat_engines::{explicit_size, ta_size, tgta_size};
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

/// In which form an engine reads the formula's automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Several acceptance marks, on edges.
    Tgba,
    /// One acceptance mark, on states.
    Ba,
    /// By changes, with Büchi and livelock states.
    Ta,
    /// By changes, with several acceptance marks.
    Tgta,
}

impl Kind {
    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tgba => "tgba",
            Kind::Ba => "ba",
            Kind::Ta => "ta",
            Kind::Tgta => "tgta",
        }
    }

    /// Does it read changes, not letters?
    fn is_testing(self) -> bool {
        matches!(self, Kind::Ta | Kind::Tgta)
    }
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
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The kind of automaton, if not the engine's own.
    pub kind: Option<Kind>,
    /// The emptiness check, if not the engine's own.
    pub check: Option<Check>,
    /// The order of the variables in diagrams.
    pub order: OrderChoice,
    /// The construction as it was published, where ours differs.
    pub published: bool,
    /// Also count the whole product, of which a check that finds something sees a part.
    pub whole_product: bool,
    /// Which proofs of absence `hyb` tries before it searches.
    pub proofs: Proofs,
    /// Product states of the explicit search with which `auto` begins; what follows is in proportion.
    pub first_look: u64,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            kind: None,
            check: None,
            order: OrderChoice::default(),
            published: false,
            whole_product: false,
            proofs: Proofs::default(),
            first_look: 200_000,
        }
    }
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

    /// The kind of automaton that it reads.
    pub fn kind(self, tuning: &Tuning) -> Kind {
        tuning.kind.unwrap_or(match self {
            Choice::Ba => Kind::Ba,
            Choice::Ta => Kind::Ta,
            Choice::Tgta => Kind::Tgta,
            _ => Kind::Tgba,
        })
    }

    /// What it needs of a property.
    pub fn needs(self, tuning: &Tuning) -> Needs {
        match self {
            Choice::Sop => Needs::StateStuttering,
            Choice::Hyb => Needs::States,
            Choice::Sog => Needs::Stuttering,
            _ if self.kind(tuning).is_testing() => Needs::Stuttering,
            _ => Needs::Nothing,
        }
    }

    fn method(self, tuning: &Tuning) -> Option<Method> {
        let published = tuning.published;
        let absorb = if published {
            Absorb::Marked
        } else {
            Absorb::All
        };
        match self {
            Choice::Auto | Choice::Explicit | Choice::Hyb => None,
            Choice::Ba | Choice::Ta | Choice::Tgta => None,
            Choice::Sog => Some(match self.kind(tuning) {
                Kind::Ta => Method::SogTa,
                Kind::Tgta => Method::SogTgta,
                Kind::Tgba | Kind::Ba if published => Method::SogPublished,
                Kind::Tgba | Kind::Ba => Method::Sog,
            }),
            Choice::Sop => Some(Method::Sop),
            Choice::Slap => Some(Method::Slap(absorb)),
            Choice::SlapFst => Some(Method::SlapFst(absorb, Fixpoint::default())),
            Choice::Bcz => Some(Method::Bcz),
            Choice::Owcty => Some(Method::Fixpoint(Fixpoint::Owcty)),
            Choice::El => Some(Method::Fixpoint(Fixpoint::El)),
        }
    }

    /// Is it a product of single states, which every kind of automaton goes with?
    fn has_single_states(self) -> bool {
        matches!(
            self,
            Choice::Explicit | Choice::Ba | Choice::Ta | Choice::Tgta
        )
    }

    /// Are single states searched with a testing automaton, which takes two passes?
    pub fn is_two_pass(self, tuning: &Tuning) -> bool {
        self.has_single_states() && self.kind(tuning) == Kind::Ta
    }

    /// Why this tuning makes no sense for the engine, if it does not.
    pub fn refuses(self, tuning: &Tuning) -> Option<String> {
        let name = self.name();
        let kind = self.kind(tuning);
        let published = matches!(self, Choice::Sog | Choice::Slap | Choice::SlapFst);
        if tuning.published && (!published || kind.is_testing()) {
            return Some(format!("`{name}` has no published variant of its own"));
        }
        if tuning.proofs != Proofs::default() && self != Choice::Hyb {
            return Some(format!("`{name}` has no proofs of absence to do without"));
        }
        if let (Choice::Auto, Some(_)) = (self, tuning.kind) {
            return Some("`auto` chooses the kind of automaton too; name an engine".to_owned());
        }
        if kind.is_testing() && !self.has_single_states() && self != Choice::Sog {
            return Some(format!(
                "testing automata read changes of single states (`explicit`) or of aggregates (`sog`); `{name}` reads letters"
            ));
        }
        if kind == Kind::Ba && self == Choice::Sop {
            return Some(
                "`sop` must know what each state of the automaton accepts, and a Büchi automaton has other states"
                    .to_owned(),
            );
        }
        if tuning.whole_product && !self.has_single_states() {
            return Some(format!(
                "whole products are counted of single states (`explicit`, `ba`, `ta`, `tgta`), not by `{name}`"
            ));
        }
        match (tuning.check, self.method(tuning)) {
            (Some(_), None) if self == Choice::Hyb => Some(format!(
                "`{name}` searches no graph; it has no emptiness check to choose"
            )),
            (Some(_), None) if self.is_two_pass(tuning) => Some(
                "single states with a testing automaton are searched in two passes; there is no other check".to_owned(),
            ),
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
        let kind = self.kind(tuning);
        if kind.is_testing() && !problem.invariance.letters {
            return Err(Stop::Unsupported(
                "testing automata need a stutter-invariant property".to_owned(),
            ));
        }
        if self.has_single_states() || self == Choice::Auto {
            let run = match kind {
                Kind::Tgba => explicit,
                Kind::Ba => ba,
                Kind::Ta => ta,
                Kind::Tgta => tgta,
            };
            return run(problem, budget, observer, stats);
        }
        let mut run = |problem: &Problem<'_>, stats: &mut Stats| match self.method(tuning) {
            Some(method) => {
                let mut hybrid = Hybrid::new(method);
                hybrid.check = tuning.check.unwrap_or_default();
                hybrid.order = tuning.order.clone();
                explored.run(&hybrid, problem, budget, observer, stats)
            }
            None => {
                let (order, name) = explored.order(&tuning.order, problem.deadlock, budget)?;
                let hyb = Hyb {
                    proofs: tuning.proofs,
                    order: OrderChoice::Given(order),
                };
                let found = hyb.run(problem, budget, observer, stats);
                stats.set("order", name);
                found
            }
        };
        match kind {
            Kind::Ba => as_buchi(problem, budget, stats, run),
            _ => run(problem, stats),
        }
    }
}

impl Kind {
    /// The size of the whole product of single states with this kind of automaton.
    pub(crate) fn product_size(
        self,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Size, Stop> {
        match self {
            Kind::Tgba => explicit_size(problem, budget, observer),
            Kind::Ba => as_buchi(problem, budget, &mut Stats::default(), |problem, _| {
                explicit_size(problem, budget, observer)
            }),
            Kind::Ta => ta_size(problem, budget, observer),
            Kind::Tgta => tgta_size(problem, budget, observer),
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Kind, String> {
        let mut all = [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta].into_iter();
        let found = all.find(|kind| kind.name() == name);
        found.ok_or_else(|| format!("no kind of automaton is called `{name}`"))
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(name: &str) -> Result<Choice, String> {
        let found = Choice::ALL.into_iter().find(|choice| choice.name() == name);
        found.ok_or_else(|| format!("no engine is called `{name}`"))
    }
}
