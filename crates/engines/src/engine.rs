//! What an engine is: its axes, what it needs, and how it is run.
//!
//! Automaton kind, product, emptiness check and variant are separate choices. An engine says in one constant,
//! [`Engine`], beside its algorithm, which of them it goes with; the façade's `Plan` puts one of each together and is
//! the one place that says whether they fit.
//!
//! ```text
//! Procedure::Single          single states; needs nothing but the system
//! Procedure::Sets            sets of states; takes the system under an order, and the reachable states where they are known
//! Procedure::ComponentWise   the product by saturation; takes the system under an order
//! Procedure::Team            single states, divided among workers that are there already
//! ```
//!
//! An engine is handed what it needs: the façade finds orders and states before it runs one.

use crate::account::Account;
use crate::hyb::{Proofs, Recurring};
use crate::problem::Problem;
use crate::sets::fixpoint::Fixpoint;
use crate::sets::operators::Sets;
use lariat_budget::{Budget, Observer, Stop};
use lariat_emptiness::Outcome;
use lariat_model::{Lasso, Strength};
use lariat_space::symbolic::Symbolic;
use std::fmt;
use std::num::NonZeroUsize;

/// In which form an engine reads the formula's automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AutomatonKind {
    /// Several acceptance marks, on edges.
    Tgba,
    /// One acceptance mark, on states.
    Ba,
    /// By changes, with Büchi and livelock states.
    Ta,
    /// By changes, with several acceptance marks.
    Tgta,
}

impl AutomatonKind {
    /// All of them.
    pub const ALL: [AutomatonKind; 4] = [
        AutomatonKind::Tgba,
        AutomatonKind::Ba,
        AutomatonKind::Ta,
        AutomatonKind::Tgta,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            AutomatonKind::Tgba => "tgba",
            AutomatonKind::Ba => "ba",
            AutomatonKind::Ta => "ta",
            AutomatonKind::Tgta => "tgta",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            AutomatonKind::Tgba => "several acceptance marks, on edges",
            AutomatonKind::Ba => "one acceptance mark, on states",
            AutomatonKind::Ta => {
                "testing automaton: reads changes, accepts by states and by livelock; stutter-invariant formulas"
            }
            AutomatonKind::Tgta => {
                "generalized testing automaton: reads changes, several marks on edges; stutter-invariant formulas"
            }
        }
    }

    /// Does it read changes, not letters?
    pub fn is_testing(self) -> bool {
        matches!(self, AutomatonKind::Ta | AutomatonKind::Tgta)
    }
}

/// Which emptiness check searches a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Emptiness {
    /// Equal nodes only.
    Couvreur,
    /// Inclusion in dead nodes.
    Nsiec,
    /// And of active nodes, taking nodes apart.
    Iec,
    /// And in active nodes; where that leaves a doubt, NSIEC decides.
    Aec,
    /// Cycles first, then livelocks: for testing automata.
    TwoPass,
}

impl Emptiness {
    /// All of them.
    pub const ALL: [Emptiness; 5] = [
        Emptiness::Couvreur,
        Emptiness::Nsiec,
        Emptiness::Iec,
        Emptiness::Aec,
        Emptiness::TwoPass,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Emptiness::Couvreur => "couvreur",
            Emptiness::Nsiec => "nsiec",
            Emptiness::Iec => "iec",
            Emptiness::Aec => "aec",
            Emptiness::TwoPass => "two-pass",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Emptiness::Couvreur => "Couvreur's: equal nodes only",
            Emptiness::Nsiec => "also nodes included in dead ones",
            Emptiness::Iec => "also nodes that include active ones, taken apart",
            Emptiness::Aec => "also nodes included in active ones; nsiec where that leaves a doubt",
            Emptiness::TwoPass => {
                "that of single states with a testing automaton: cycles first, then livelocks"
            }
        }
    }

    /// The checks for products whose nodes are sets, the usual one first.
    pub const OF_SETS: &[Emptiness] = &[
        Emptiness::Nsiec,
        Emptiness::Couvreur,
        Emptiness::Iec,
        Emptiness::Aec,
    ];
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

/// The switches that papers and measurements ask for; everything on and our own by default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Variant {
    /// The construction as it was published, where ours differs.
    pub published: bool,
    /// Which proofs of absence the component-wise engine tries before it searches.
    pub proofs: Proofs,
    /// What the component-wise engine keeps of recurring states.
    pub recurring: Recurring,
    /// What decides terminal nodes of SLAP-FST.
    pub fixpoint: Fixpoint,
    /// Engines on sets find all reachable states before they begin.
    pub reachable_first: bool,
    /// Where AEC leaves a doubt, it is told instead of asking NSIEC.
    pub doubts: bool,
    /// How many search a product of single states together.
    pub workers: Workers,
}

/// A number of workers, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Workers(NonZeroUsize);

impl Workers {
    /// One, whose search repeats from run to run.
    pub const ONE: Workers = Workers(NonZeroUsize::MIN);

    /// So many.
    pub const fn new(count: NonZeroUsize) -> Workers {
        Workers(count)
    }

    /// How many.
    pub fn count(self) -> NonZeroUsize {
        self.0
    }
}

impl Default for Workers {
    fn default() -> Workers {
        Workers::ONE
    }
}

/// An engine, described beside its algorithm.
#[derive(Debug)]
pub struct Engine {
    /// Its name in the literature.
    pub name: &'static str,
    /// The kinds of automata that it reads, its own first.
    pub automata: &'static [AutomatonKind],
    /// The emptiness checks to choose from with a kind of automaton, its own first; none if it searches no
    /// graph.
    pub checks: fn(AutomatonKind) -> &'static [Emptiness],
    /// What it needs of a property, whatever automaton it reads.
    pub needs: Needs,
    /// The most that it knows of fairness with a kind of automaton; `None` if it knows none, and must not be asked.
    pub fairness: fn(AutomatonKind) -> Option<Strength>,
    /// Is there a published variant that differs from ours?
    pub has_published: bool,
    /// How it is run.
    pub procedure: Procedure,
}

impl Engine {
    /// Is it given constraints of fairness as such, in any number? Others that know weak ones are given a larger automaton, see [`Folded`](crate::Folded).
    pub fn takes_constraints(&self, kind: AutomatonKind) -> bool {
        let known = (self.fairness)(kind);
        known == Some(Strength::Strong)
            || known.is_some() && matches!(self.procedure, Procedure::ComponentWise(_))
    }
}

/// How an engine is run, and on what.
#[derive(Clone, Copy, Debug)]
pub enum Procedure {
    /// On single states, which it finds itself.
    Single(fn(&mut Task<'_>) -> Found),
    /// On sets of states.
    Sets(fn(&mut Task<'_>, &mut Sets<'_, '_>) -> Found),
    /// On the system under an order; of programs it takes the steps that have been learned.
    ComponentWise(fn(&mut Task<'_>, &Symbolic<'_>) -> Found),
    /// On single states, by workers that are there already and divide them.
    Team(&'static dyn Team),
}

/// Workers that answer together, of this process or of several. They are there as long as the process is: see crate `distributed`.
pub trait Team: Send + Sync + fmt::Debug {
    /// Decides a problem whose automaton has been degeneralized.
    fn decide(&self, task: &mut Task<'_>) -> Found;
}

/// What an engine returns. `Outcome::Empty` is only ever the end of a complete search.
pub type Found = Result<Outcome<Lasso>, Stop>;

/// What an engine is given besides the system in the form that it takes.
pub struct Task<'a> {
    /// The question. If the automaton is to be a Büchi automaton, it is one already.
    pub problem: &'a Problem<'a>,
    /// In which form the automaton is to be read.
    pub automaton: AutomatonKind,
    /// The check of the engines that search a graph.
    pub emptiness: Option<Emptiness>,
    /// The switches.
    pub variant: Variant,
    /// What may be spent.
    pub budget: &'a Budget,
    /// Where progress is reported.
    pub observer: &'a dyn Observer,
    /// What is told of the run, also if it ends early.
    pub account: &'a mut Account,
}

impl Task<'_> {
    /// The same with another question.
    pub(crate) fn about<'b>(&'b mut self, problem: &'b Problem<'b>) -> Task<'b> {
        Task {
            problem,
            ..self.under(self.budget)
        }
    }

    /// The same under another budget.
    pub fn under<'b>(&'b mut self, budget: &'b Budget) -> Task<'b> {
        Task {
            problem: self.problem,
            automaton: self.automaton,
            emptiness: self.emptiness,
            variant: self.variant,
            budget,
            observer: self.observer,
            account: self.account,
        }
    }
}
