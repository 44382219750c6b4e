//! Description of engines: their axes, requirements and procedures.
//!
//! Automaton kind, product, emptiness check and variant are independent choices. Each engine states
//! in one constant of type [`Engine`], next to its algorithm, which choices it supports. The
//! façade's `Plan` combines one of each and is the only place that decides whether they fit.
//!
//! ```text
//! Procedure::Single          single states; needs only the system
//! Procedure::Sets            sets of states; takes the system under a variable order,
//!                            and the reachable states if they are known
//! Procedure::ComponentWise   product by saturation; takes the system under a variable order
//! Procedure::Team            single states, partitioned among existing workers
//! ```
//!
//! The façade computes variable orders and reachable states before it runs an engine.

use crate::account::Account;
use crate::engine_id::EngineId;
use crate::hyb::{AbsenceProofs, Recurring};
use crate::problem::Problem;
use crate::sets::fixpoint::Fixpoint;
use crate::sets::operators::SymbolicProblem;
use lariat_budget::{Budget, Observer, Stop};
use lariat_emptiness::Outcome;
use lariat_model::{Lasso, Strength};
use lariat_space::symbolic::Symbolic;
use std::fmt;
use std::num::NonZeroUsize;

/// Form in which an engine reads the formula's automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AutomatonKind {
    /// Several acceptance marks on edges.
    Tgba,
    /// One acceptance mark on states.
    Ba,
    /// Reads label changes; accepts by Büchi and livelock states.
    Ta,
    /// Reads label changes; several acceptance marks.
    Tgta,
}

impl AutomatonKind {
    /// All kinds.
    pub const ALL: [AutomatonKind; 4] = [
        AutomatonKind::Tgba,
        AutomatonKind::Ba,
        AutomatonKind::Ta,
        AutomatonKind::Tgta,
    ];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            AutomatonKind::Tgba => "tgba",
            AutomatonKind::Ba => "ba",
            AutomatonKind::Ta => "ta",
            AutomatonKind::Tgta => "tgta",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            AutomatonKind::Tgba => "several acceptance marks, on edges",
            AutomatonKind::Ba => "one acceptance mark, on states",
            AutomatonKind::Ta => {
                "testing automaton: reads label changes, accepts by states and livelocks; stutter-invariant formulas"
            }
            AutomatonKind::Tgta => {
                "generalized testing automaton: reads label changes, several marks on edges; stutter-invariant formulas"
            }
        }
    }

    /// Returns whether the automaton reads label changes instead of letters.
    pub fn is_testing(self) -> bool {
        matches!(self, AutomatonKind::Ta | AutomatonKind::Tgta)
    }
}

/// Emptiness check that searches a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Emptiness {
    /// Compares nodes for equality.
    Couvreur,
    /// Prunes nodes included in dead nodes.
    Nsiec,
    /// As NSIEC; decomposes nodes that include active nodes.
    Iec,
    /// As NSIEC; prunes nodes included in active nodes. NSIEC decides if the result is inexact.
    Aec,
    /// Expands nodes in layers.
    Layers,
    /// Cycles first, then livelocks; for testing automata.
    TwoPass,
}

impl Emptiness {
    /// All checks.
    pub const ALL: [Emptiness; 6] = [
        Emptiness::Couvreur,
        Emptiness::Nsiec,
        Emptiness::Iec,
        Emptiness::Aec,
        Emptiness::Layers,
        Emptiness::TwoPass,
    ];

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Emptiness::Couvreur => "couvreur",
            Emptiness::Nsiec => "nsiec",
            Emptiness::Iec => "iec",
            Emptiness::Aec => "aec",
            Emptiness::Layers => "layers",
            Emptiness::TwoPass => "two-pass",
        }
    }

    /// Returns a one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Emptiness::Couvreur => "Couvreur's algorithm: compares nodes for equality",
            Emptiness::Nsiec => "also prunes nodes included in dead nodes",
            Emptiness::Iec => "nsiec that also decomposes nodes which include active nodes",
            Emptiness::Aec => {
                "also prunes nodes included in active nodes; nsiec if the result is inexact"
            }
            Emptiness::Layers => "breadth-first: compares nodes for equality, nearest nodes first",
            Emptiness::TwoPass => {
                "for single states with a testing automaton: cycles first, then livelocks"
            }
        }
    }

    /// Checks for products whose nodes are sets; the first is the default.
    pub const OF_SETS: &[Emptiness] = &[
        Emptiness::Nsiec,
        Emptiness::Couvreur,
        Emptiness::Iec,
        Emptiness::Aec,
        Emptiness::Layers,
    ];
}

/// Stutter invariance that an engine requires of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nothing: full LTL with events.
    Nothing,
    /// The language is stutter-invariant.
    Stuttering,
    /// The language of every automaton state is stutter-invariant, as far as known.
    StateStuttering,
}

/// Options of engines, for papers and measurements. The default enables everything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Variant {
    /// Use the published construction where ours differs.
    pub published: bool,
    /// Proofs of absence that `hyb` tries before it searches.
    pub proofs: AbsenceProofs,
    /// Pruning by recurring states in `hyb`.
    pub recurring: Recurring,
    /// Fixpoint that decides terminal nodes of SLAP-FST.
    pub fixpoint: Fixpoint,
    /// Set engines compute all reachable states first.
    pub reachable_first: bool,
    /// Report an inexact result of AEC instead of running NSIEC.
    pub doubts: bool,
    /// Number of workers that search a product of single states.
    pub workers: Workers,
}

/// Number of workers, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Workers(NonZeroUsize);

impl Workers {
    /// One worker; the search is deterministic.
    pub const ONE: Workers = Workers(NonZeroUsize::MIN);

    /// Creates a number of workers.
    pub const fn new(count: NonZeroUsize) -> Workers {
        Workers(count)
    }

    /// Returns the number.
    pub fn count(self) -> NonZeroUsize {
        self.0
    }
}

impl Default for Workers {
    fn default() -> Workers {
        Workers::ONE
    }
}

/// Description of an engine.
#[derive(Debug)]
pub struct Engine {
    /// Identifies the engine.
    pub id: EngineId,
    /// Supported automaton kinds; the first is the default.
    pub automata: &'static [AutomatonKind],
    /// Emptiness checks per automaton kind, the default first; none if the engine searches no
    /// graph.
    pub checks: fn(AutomatonKind) -> &'static [Emptiness],
    /// Required stutter invariance, for every automaton kind.
    pub needs: Needs,
    /// Strongest supported fairness per automaton kind; `None` if it supports no constraints.
    pub fairness: fn(AutomatonKind) -> Option<Strength>,
    /// True if there is a published variant that differs from ours.
    pub has_published: bool,
    /// Entry point.
    pub procedure: Procedure,
}

impl Engine {
    /// Returns whether the engine takes fairness constraints directly, in any number. Other engines
    /// that support weak fairness get a larger automaton, see
    /// [`FairnessAutomaton`](crate::FairnessAutomaton).
    pub fn takes_constraints(&self, kind: AutomatonKind) -> bool {
        let known = (self.fairness)(kind);
        known == Some(Strength::Strong)
            || known.is_some() && matches!(self.procedure, Procedure::Hyb(_))
    }
}

/// Entry point of an engine, by the form of its input.
#[derive(Clone, Copy, Debug)]
pub enum Procedure {
    /// Single states, explored by the engine.
    Single(fn(&mut Task<'_>) -> Found),
    /// Sets of states.
    Sets(fn(&mut Task<'_>, &mut SymbolicProblem<'_, '_>) -> Found),
    /// The system under a variable order; for programs with the transitions learned so far.
    Hyb(fn(&mut Task<'_>, &Symbolic<'_>) -> Found),
    /// Single states, partitioned among existing workers.
    Team(&'static dyn Team),
}

/// Workers that decide together, in one or several processes, see crate `distributed`.
pub trait Team: Send + Sync + fmt::Debug {
    /// Decides a problem whose automaton has been degeneralized.
    fn decide(&self, task: &mut Task<'_>) -> Found;
}

/// Result of an engine. `Outcome::Empty` requires a complete search.
pub type Found = Result<Outcome<Lasso>, Stop>;

/// Input of an engine besides the system.
pub struct Task<'a> {
    /// The problem. Its automaton is already degeneralized if a Büchi automaton is required.
    pub problem: &'a Problem<'a>,
    /// Form in which the automaton is read.
    pub automaton: AutomatonKind,
    /// Emptiness check, for engines that search a graph.
    pub emptiness: Option<Emptiness>,
    /// Options.
    pub variant: Variant,
    /// Limits on time, memory and work.
    pub budget: &'a Budget,
    /// Receiver of progress reports.
    pub observer: &'a dyn Observer,
    /// Statistics, also filled in if the run ends early.
    pub account: &'a mut Account,
}

impl Task<'_> {
    /// Returns the task with another problem.
    pub(crate) fn about<'b>(&'b mut self, problem: &'b Problem<'b>) -> Task<'b> {
        Task {
            problem,
            ..self.under(self.budget)
        }
    }

    /// Returns the task with another budget.
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
