//! Questions without a formula: `ask`, and the examinations of `mcc`.

use super::{LimitArgs, NameArgs};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const ASK_HELP: &str = "\
Examples:
  Is a deadlock reachable?
      lariat ask examples/mutex.pnml deadlock
  Bounds of places, with their proofs:
      lariat ask net.pnml bounds queue buffer --explain
  Transitions that never fire, and that can always fire again:
      lariat ask net.pnml dead-transitions
      lariat ask net.pnml live send receive
  Is the net one-safe? Which places never change?
      lariat ask net.pnml one-safe
      lariat ask net.pnml stable
  Can an assertion of the program fail, or an index be out of range?
      lariat ask program.dve faults

Runs are replayed on the original model. `no`, bounds and `always` follow from
a complete search, or from invariants that were checked in exact integers
(--explain). In a coloured net, a place counts its tokens of all colours, and a
transition stands for all its bindings. An unbounded place is shown by steps
that can be repeated and add tokens to it.

Exit codes:
  0 all answered, 2 usage or input error, 3 something undecided,
  130 interrupted, 101 internal error.";

/// The question.
#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum Topic {
    /// Is a deadlock reachable?
    Deadlock,
    /// The largest number of tokens per place: of all places, or those named.
    Bounds,
    /// Whether transitions can always fire again: all, or those named.
    Live,
    /// Transitions that never fire.
    DeadTransitions,
    /// Whether no place ever holds two tokens.
    OneSafe,
    /// Places that never change.
    Stable,
    /// Whether a program can fail: assertions, indices, divisors, shifts, overflow.
    Faults,
}

#[derive(Args, Debug)]
#[command(after_help = ASK_HELP)]
pub(crate) struct Ask {
    /// The model: PNML, DVE or ETF, recognised by content.
    pub model: PathBuf,
    /// The question.
    pub topic: Topic,
    /// Places (bounds) or transitions (live); all by default.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub shown: NameArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print one JSON object per question and line, as soon as it is known.
    #[arg(long)]
    pub json: bool,
    /// Show whole states in runs, and all steps.
    #[arg(long)]
    pub full: bool,
    /// Also print the invariants that prove an answer, and the runs that reach bounds.
    #[arg(long)]
    pub explain: bool,
    /// Print one line per answer.
    #[arg(short, long, conflicts_with_all = ["explain", "full"])]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Mcc {
    /// The folder with model.pnml and the property files.
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// The examination, such as LTLFireability or UpperBounds; BK_EXAMINATION by default.
    #[arg(long, value_name = "NAME")]
    pub examination: Option<String>,
    /// Processors for LTL formulas, which are checked in parallel; all by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}
