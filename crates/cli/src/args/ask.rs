//! Questions without a formula: `ask`, and the contest's with `mcc`.

use super::Limits;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const ASK_HELP: &str = "\
Examples:
  Can it get stuck, and how?
      lariat ask examples/mutex.pnml deadlock
  How many tokens can these places hold, and why no more?
      lariat ask net.pnml bounds queue buffer --explain
  Which transitions can never fire? Which can always fire again?
      lariat ask net.pnml dead-transitions
      lariat ask net.pnml live send receive
  Does every place hold one token at most? Does some place never change?
      lariat ask net.pnml one-safe
      lariat ask net.pnml stable

A run that shows an answer is replayed on the model as it was read; `no`, a bound and `always` are said after a complete search, or
with invariants that were checked in exact integers (--explain). Of a coloured net, a place is the number of its tokens of all
colours, and a transition any of its bindings. An unbounded place is shown by steps that can be repeated and add to it.

Exit codes: 0 everything is answered, 2 usage or input error, 3 something undecided, 130 interrupted, 101 internal error.";

/// What is asked.
#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum Topic {
    /// Can nothing happen any more, somewhere?
    Deadlock,
    /// How many tokens can each place hold? All places, or those named.
    Bounds,
    /// Can each transition fire again, whatever has happened? All transitions, or those named.
    Live,
    /// Which transitions can never fire?
    DeadTransitions,
    /// Does no place ever hold two tokens?
    OneSafe,
    /// Which places never change?
    Stable,
}

#[derive(Args, Debug)]
#[command(after_help = ASK_HELP)]
pub(crate) struct Ask {
    /// The model; its format is recognised by content.
    pub model: PathBuf,
    /// What to ask.
    pub topic: Topic,
    /// Places (bounds) or transitions (live); all by default.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// One JSON object a question and line, as soon as it is known.
    #[arg(long)]
    pub json: bool,
    /// Show whole states in runs, and all steps.
    #[arg(long)]
    pub full: bool,
    /// Also the invariants that prove an answer, and the runs that show bounds.
    #[arg(long)]
    pub explain: bool,
    /// Only one line an answer.
    #[arg(short, long, conflicts_with_all = ["explain", "full"])]
    pub quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Mcc {
    /// The folder.
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// ReachabilityDeadlock, LTLFireability, UpperBounds or another of the contest's; BK_EXAMINATION by default.
    #[arg(long, value_name = "NAME")]
    pub examination: Option<String>,
    /// Processors for formulas of LTL, which are decided side by side; all that there are by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}
