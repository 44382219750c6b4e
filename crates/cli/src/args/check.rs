//! `check`: properties of a model.

use super::values::{
    Without, automaton_kind, deadlock, emptiness, engine, order, recurring, without,
};
use super::{Limits, Team};
use clap::Args;
use lariat::internals::{AutomatonKind, Deadlock, Emptiness, EngineChoice, OrderChoice, Recurring};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const CHECK_HELP: &str = "\
Formulas:
  G F X U R W M, [] <> () V, ! ~ & && | || -> => <-> <=> xor, true false. U R W M bind tighter
  than & | ->, as in Spot. Atoms: a place (it is marked), a transition (it is the one
  taken: `fires(t)`), fireable(t), deadlock, and in quotes comparisons: \"p + q >= 2\".
  Names with other characters than letters, digits, _ and . are quoted too.

Files of formulas (-F), for models of all formats:
  One formula a line, `formula` or `name: formula`; # at the start of a line or behind a blank starts a comment.
  #define name atom  lets formulas of the file say `name` for an atom, such as \"p + q >= 2\" without its quotes.
  If there are lines `#property formula`, these are the formulas, and all other lines are comments.
  A line `fair weak WHAT` or `fair strong WHAT` assumes fairness for all formulas of the file.

Fairness:
  --weak-fair all      a request that waits while its server is free all the time is served at last
  --strong-fair take   take is possible again and again, with interruptions: even so it happens again and again
  A coloured transition `t` is fair if some binding of it is taken; 't(*)' asks it of each binding. Runs that end in a deadlock are
  fair. Counterexamples are fair runs, and say where they meet each constraint.

Examples:
  lariat check examples/mutex.pnml -f 'G !(critical_1 & critical_2)'
  lariat check net.pnml -f 'G (\"queue >= 3\" -> F fires(drain))' --full
  lariat check net.pnml --mcc LTLFireability.xml --timeout 1min --memory 4G
  lariat check net.pnml --automaton negated-property.hoa
  lariat check examples/mutex.pnml -F examples/mutex.ltl --html mutex.html
  lariat check net.pnml -f 'G !(critical_1 & critical_2)' --cross-check    two engines that share little must agree

Exit codes: 0 all hold, 1 some violated, 2 usage or input error, 3 something undecided,
130 interrupted, 101 internal error. With several properties 2 > 1 > 3 > 0.";

#[derive(Args, Clone, Debug)]
#[command(after_help = CHECK_HELP)]
pub(crate) struct Check {
    /// The model; its format is recognised by content.
    pub model: PathBuf,
    /// A formula; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// A file with one formula a line, optionally `name: formula`; `#` starts a comment, `-` is stdin; more below.
    #[arg(short = 'F', long = "formulas", value_name = "FILE")]
    pub formula_files: Vec<PathBuf>,
    /// A property file of the Model Checking Contest.
    #[arg(long, value_name = "FILE.xml")]
    pub mcc: Vec<PathBuf>,
    /// An automaton of the *negated* property, in HOA: no run may be accepted by it. Its atomic
    /// propositions are atoms of formulas, such as `p >= 2`; may be given several times.
    #[arg(long, value_name = "FILE.hoa")]
    pub automaton: Vec<PathBuf>,
    /// Of all properties given, only this one; may be given several times.
    #[arg(long, value_name = "ID")]
    pub select: Vec<String>,
    /// How to decide.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine())]
    pub engine: EngineChoice,
    /// The kind of automaton, if not the engine's own.
    #[arg(long, value_name = "KIND", value_parser = automaton_kind())]
    pub automaton_kind: Option<AutomatonKind>,
    /// The emptiness check, if not the engine's own.
    #[arg(long, value_name = "CHECK", value_parser = emptiness())]
    pub emptiness: Option<Emptiness>,
    /// The order of the variables in decision diagrams: auto, file, force, rcm-force, noack or
    /// units, all but the first with -up or -down.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = order)]
    pub order: OrderChoice,
    /// The construction as it was published, where ours differs, with Couvreur's check and without a look near the initial states: slap
    /// and slap-fst take in the self-loops whose marks are on the edge, and terminal states are those with self-loops alone; sog of
    /// events leaves silent steps out, where that does not matter; sop shrinks its alphabet at every state; owcty and el are asked at once; bcz; ta and
    /// tgta copy edges to livelock states and merge nothing but bisimilar states; hyb reads a Büchi automaton, keeps recurring states as sets, begins its
    /// search with them, and does without proofs that are our own (--automaton-kind ba --recurring sets --without structure,automaton,still).
    /// Others say that they have no such variant.
    #[arg(long)]
    pub published: bool,
    /// What is kept of recurring states before a symbolic search (hyb).
    #[arg(long, value_name = "WHAT", default_value = "arcs", value_parser = recurring())]
    pub recurring: Recurring,
    /// Find all reachable states before an engine on sets begins (sog, sop, slap, slap-fst, bcz, owcty, el): it knows a better order
    /// then, and finds nothing before.
    #[arg(long)]
    pub reachable_first: bool,
    /// Where a check by inclusion in active nodes (--emptiness aec) is left in doubt, say so instead of asking nsiec.
    #[arg(long)]
    pub no_fallback: bool,
    /// Also count the whole product of single states, of which a violated property needs a part
    /// (explicit, ba, ta, tgta). Takes its own time and memory.
    #[arg(long)]
    pub whole_product: bool,
    /// Reduce the net also for an engine that is named; `auto` always does, but with this also looks for implicit places.
    #[arg(long)]
    pub reduce: bool,
    /// Check the net as it was read, without reductions.
    #[arg(long, conflicts_with = "reduce")]
    pub no_reduce: bool,
    /// Do without a reduction, a proof of absence before a symbolic search (hyb), or a technique of `auto`, to see what it is worth.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = without())]
    pub without: Vec<Without>,
    /// What a run does at a deadlock: repeat the state for ever, or not count.
    #[arg(long, value_name = "POLICY", default_value = "stutter", value_parser = deadlock())]
    pub deadlock: Deadlock,
    /// Look at weakly fair runs alone: none on which WHAT stays enabled for ever and is never taken; may be given several times.
    /// WHAT is `all` transitions, one by name, a pattern such as 'take_*', process:P or `processes` of a DVE model, or a predicate
    /// that holds infinitely often, such as 'p >= 1'. More below.
    #[arg(long, value_name = "WHAT")]
    pub weak_fair: Vec<String>,
    /// Look at strongly fair runs alone: none on which WHAT is enabled again and again and never taken from some point on. WHAT is as
    /// for --weak-fair, without predicates.
    #[arg(long, value_name = "WHAT")]
    pub strong_fair: Vec<String>,
    #[command(flatten)]
    pub limits: Limits,
    /// Processors to use; all that there are by default. Several properties are decided side by side. Where there are fewer, `auto` asks
    /// several engines at once; any other engine has help from the other processors if --threads is given, where it can.
    ///
    /// Engines that `auto` asks at once have a fixed amount of work each, and of those who decide the first of its list answers: the one that
    /// would with a single processor.
    ///
    /// sog, sop, slap, slap-fst and bcz on nets and tables compute edges of their product ahead of the emptiness check, whose graph and
    /// counterexample stay as they are. explicit and ba let several workers search the states of a single property together, which they
    /// and `auto` also do without --threads from four processors on; two take about as long as one. Who has nothing left to do helps
    /// to shorten counterexamples. Where all reachable states are found first, as sets, one thread saturates, and
    /// with --order auto another thread searches for a better order meanwhile.
    ///
    /// Verdicts are the same with any number. With several properties or workers, which engine answers, which run is shown and what is counted
    /// may depend on what was learned from other properties before, and on who came first: with 1 everything repeats from run to run.
    /// With --hosts: workers of each process, 1 by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub team: Team,
    /// One JSON object a property and line, as soon as it is known.
    #[arg(long)]
    pub json: bool,
    /// Also write the counterexamples to FILE, as JSON lines.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Also write a page for the browser: verdicts, runs step by step, and the net or the processes drawn.
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Insist on a shortest counterexample: spend whatever the limits allow on it, not only about
    /// as much as finding one has cost.
    #[arg(long)]
    pub shortest: bool,
    /// Leave counterexamples as the engine has found them: for those who measure engines.
    #[arg(long, conflicts_with = "shortest")]
    pub as_found: bool,
    /// Ask a second engine that has little in common with the first, within the same limits: single states if sets of states have answered, sets
    /// if not, always on the net as it was read. If they contradict each other the exit code is 101.
    #[arg(long)]
    pub cross_check: bool,
    /// Do not look for parts of a property that holds which do not matter, such as a condition that never happens. Looking takes at most a tenth of
    /// the work and time of the check, or a few hundredths of a second.
    #[arg(long)]
    pub no_vacuity: bool,
    /// Show whole states in counterexamples, not only what changes.
    #[arg(long)]
    pub full: bool,
    /// Also the facts that were used in the place of a search (auto), each with the invariants that prove it.
    #[arg(long)]
    pub explain: bool,
    /// Only one line a property.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also how the answer was found: statistics, and what `auto` tried.
    #[arg(short, long)]
    pub verbose: bool,
}

impl Check {
    /// How much is said while it runs.
    pub(crate) fn volume(&self) -> Volume {
        match (self.quiet, self.verbose) {
            (true, _) => Volume::Silent,
            (false, true) => Volume::Remarks,
            (false, false) => Volume::Progress,
        }
    }
}

/// How much is said on stderr while something runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Volume {
    /// Nothing.
    Silent,
    /// A line of progress, on a terminal.
    Progress,
    /// And what is worth knowing of how it goes.
    Remarks,
}
