//! `check`: properties of a model.

use super::values::{
    Without, automaton_kind, deadlock, emptiness, engine, fixpoint, order, recurring, without,
};
use super::{LIMITS, LimitArgs, NameArgs, TeamArgs};
use clap::Args;
use lariat::internals::{
    AutomatonKind, Deadlock, Emptiness, EngineChoice, Fixpoint, OrderChoice, Recurring,
};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const CHECK_EXAMPLES: &str = "\
Examples:
  lariat check examples/mutex.pnml -f 'G !(critical_1 & critical_2)'
  lariat check net.pnml -F formulas.ltl --timeout 10s --json
See `lariat check --help` for all options, and the syntax of formulas.";

const CHECK_HELP: &str = "\
Formulas:
  G F X U R W M, [] <> () V, ! ~ && & || | -> => <-> <=> xor, true false.
  The words always, eventually, next and until are G, F, X and U.
  U R W M bind tighter than & | ->, as in Spot. `EF p` and `AG p` are accepted
  for a state predicate p.
  Atoms: a place (it is marked), a transition (it is the one taken:
  `fires(t)`), fireable(t), deadlock, and quoted comparisons: \"p + q >= 2\".
  In programs also \"assert(P.a)\" (the assertion of state a of P holds), fault
  (an index, a divisor or a shift was out of range), and overflow (a step that
  is enabled assigns a value beyond its range).
  Names with characters other than letters, digits, _ and . are quoted too.
  Places and transitions of PNML have ids and often names; both can be used. A
  name that several nodes have is refused; \"id:P1\" is always the id P1.

Files of formulas (-F), for models of all formats:
  One formula per line, `formula` or `name: formula`; # at the start of a line
  or after a blank starts a comment.
  #define name atom    abbreviates an atom in the formulas of the file.
  #property formula    if there are such lines, these are the formulas, and
                       other lines are comments.
  fair weak WHAT, fair strong WHAT    assume fairness for the whole file.

Fairness:
  --weak-fair all      no transition stays enabled forever without being taken
  --strong-fair take   `take` is taken infinitely often if it is enabled
                       infinitely often
  A coloured transition `t` is fair if some binding of it is taken; 't(*)'
  requires it of each binding. Runs that end in a deadlock are fair.
  Counterexamples are fair runs, and show where they meet each constraint.

Threads:
  Several properties are checked in parallel. If there are fewer properties
  than threads, `auto` runs several engines at once; other engines use the
  remaining threads if --threads is given and they can. Verdicts do not depend
  on the number of threads; the answering engine, the run that is shown and
  statistics may. --threads 1 is deterministic.

Examples:
  lariat check examples/mutex.pnml -f 'G !(critical_1 & critical_2)'
  lariat check net.pnml -f 'G (\"queue >= 3\" -> F fires(drain))' --full
  lariat check net.pnml --mcc LTLFireability.xml --timeout 1min --memory 4G
  lariat check net.pnml --automaton negated-property.hoa
  lariat check examples/mutex.pnml -F examples/mutex.ltl --html mutex.html
  lariat check net.pnml -f 'G !(critical_1 & critical_2)' --cross-check

Exit codes:
  0 all hold, 1 some violated, 2 usage or input error, 3 something undecided,
  130 interrupted, 101 internal error. With several properties 2 > 1 > 3 > 0.";

const PROPERTIES: &str = "Properties";
const ENGINE: &str = "Engine";
const VARIANTS: &str = "Variants for measurements";
const RUNS: &str = "Runs that count";
const OUTPUT: &str = "Output";

#[derive(Args, Clone, Debug)]
#[command(after_help = CHECK_EXAMPLES, after_long_help = CHECK_HELP)]
pub(crate) struct Check {
    /// The model: PNML, DVE, Promela or ETF, recognised by content.
    pub model: PathBuf,
    /// A formula; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA", help_heading = PROPERTIES)]
    pub formulas: Vec<String>,
    /// A file with one formula per line, or a property file of the contest; `-` is stdin.
    #[arg(short = 'F', long = "formulas", value_name = "FILE", help_heading = PROPERTIES)]
    pub formula_files: Vec<PathBuf>,
    /// A property file of the Model Checking Contest.
    #[arg(long, value_name = "FILE.xml", help_heading = PROPERTIES)]
    pub mcc: Vec<PathBuf>,
    /// Automata of *negated* properties, in HOA; `-` is stdin.
    ///
    /// No run may be accepted by one. Atomic propositions are atoms of formulas, such as `p >= 2`.
    /// Each automaton of a stream is a property, with the name of the automaton.
    #[arg(long, value_name = "FILE.hoa", help_heading = PROPERTIES, hide_short_help = true)]
    pub automaton: Vec<PathBuf>,
    /// Check only this property; may be given several times.
    #[arg(long, value_name = "ID", help_heading = PROPERTIES, hide_short_help = true)]
    pub select: Vec<String>,
    /// Do not check the assertions of the model, and do not report errors and overflow as violated.
    ///
    /// Otherwise every assertion is a property of its own. An index, a divisor or a shift out of
    /// range, and a value beyond the range of its variable, are violated properties `fault` and
    /// `overflow` if the search meets them; without other properties the search is complete. Only
    /// selected properties are checked with --select.
    #[arg(long, help_heading = PROPERTIES, hide_short_help = true)]
    pub no_faults: bool,
    /// Also check that no run visits `accept` labels of a Promela model infinitely often.
    #[arg(long, help_heading = PROPERTIES, hide_short_help = true)]
    pub acceptance_cycles: bool,
    /// Also check that every endless run visits `progress` labels of a Promela model infinitely often.
    #[arg(long, help_heading = PROPERTIES, hide_short_help = true)]
    pub non_progress: bool,
    /// The engine.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine(), help_heading = ENGINE)]
    pub engine: EngineChoice,
    /// The kind of automaton, if not the engine's default.
    #[arg(long, value_name = "KIND", value_parser = automaton_kind(), help_heading = ENGINE, hide_short_help = true)]
    pub automaton_kind: Option<AutomatonKind>,
    /// The emptiness check, if not the engine's default.
    #[arg(long, value_name = "CHECK", value_parser = emptiness(), help_heading = ENGINE, hide_short_help = true)]
    pub emptiness: Option<Emptiness>,
    /// The order of the variables in decision diagrams.
    ///
    /// auto, file, force, rcm-force, noack or units, all but the first with -up or -down.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = order, help_heading = ENGINE, hide_short_help = true)]
    pub order: OrderChoice,
    /// Reduce the net also for a selected engine.
    ///
    /// `auto` always does; with this option it also searches for implicit places.
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub reduce: bool,
    /// Check the original net, without reductions.
    #[arg(long, conflicts_with = "reduce", help_heading = ENGINE, hide_short_help = true)]
    pub no_reduce: bool,
    /// Search all orders of independent steps of a program, without partial-order reduction.
    ///
    /// explicit, ba and auto otherwise take only the steps of one process where those of others
    /// cannot matter, if the property is stutter-invariant, about states, and without fairness.
    #[arg(long, help_heading = ENGINE, hide_short_help = true)]
    pub no_por: bool,
    /// Use the construction as published, where ours differs.
    ///
    /// With Couvreur's check, without a search near the initial states, and without an early end
    /// where every continuation is accepted. slap and slap-fst aggregate over self-loops whose
    /// marks are on the edge, and terminal states are those with self-loops only; sog of events
    /// omits silent steps where this is sound; sop shrinks its alphabet at every state; owcty and
    /// el search one set of states with the automaton composed into it; ta and tgta copy edges to
    /// livelock states and merge only bisimilar states; ssp does not close sets under the
    /// symmetries of later guards; hyb reads a Büchi automaton, stores recurring states as sets,
    /// starts its search with them, and omits our own proofs of absence (--automaton-kind ba
    /// --recurring sets --without structure,automaton,still). Engines without such a variant report
    /// it.
    #[arg(long, help_heading = VARIANTS, hide_short_help = true)]
    pub published: bool,
    /// The recurring states stored before a symbolic search (hyb).
    #[arg(long, value_name = "WHAT", default_value = "arcs", value_parser = recurring(), help_heading = VARIANTS, hide_short_help = true)]
    pub recurring: Recurring,
    /// The fixpoint that decides components without exits (slap-fst).
    #[arg(long, value_name = "WHICH", default_value = "owcty", value_parser = fixpoint(), help_heading = VARIANTS, hide_short_help = true)]
    pub fixpoint: Fixpoint,
    /// Compute all reachable states first (sog, sop, slap, slap-fst, bcz, owcty, el).
    ///
    /// The order of variables is better then, but nothing is found before all states are known.
    #[arg(long, help_heading = VARIANTS, hide_short_help = true)]
    pub reachable_first: bool,
    /// Report a check by inclusion in active nodes (--emptiness aec) that is inconclusive, instead
    /// of running nsiec.
    #[arg(long, help_heading = VARIANTS, hide_short_help = true)]
    pub no_fallback: bool,
    /// Also count the whole product of single states (explicit, ba, ta, tgta).
    ///
    /// A violated property needs only a part of it. Takes additional time and memory.
    #[arg(long, help_heading = VARIANTS, hide_short_help = true)]
    pub whole_product: bool,
    /// Switch off a reduction, a proof of absence (hyb), or a technique of `auto`.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = without(), help_heading = VARIANTS, hide_short_help = true)]
    pub without: Vec<Without>,
    /// Runs that reach a deadlock: repeat the state, or do not count.
    #[arg(long, value_name = "POLICY", default_value = "stutter", value_parser = deadlock(), help_heading = RUNS)]
    pub deadlock: Deadlock,
    /// Consider only runs that are weakly fair to WHAT.
    ///
    /// No run on which WHAT stays enabled forever and is never taken; may be given several times.
    /// WHAT is `all` transitions, one by name, a pattern such as 'take_*', process:P or `processes`
    /// of a DVE model, or a predicate that holds infinitely often, such as 'p >= 1'.
    #[arg(long, value_name = "WHAT", help_heading = RUNS)]
    pub weak_fair: Vec<String>,
    /// Consider only runs that are strongly fair to WHAT.
    ///
    /// No run on which WHAT is enabled infinitely often and taken finitely often. WHAT is as for
    /// --weak-fair, without predicates.
    #[arg(long, value_name = "WHAT", help_heading = RUNS)]
    pub strong_fair: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Processors to use; all by default.
    ///
    /// With --hosts: workers per process, 1 by default.
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub team: TeamArgs,
    /// Print one JSON object per property and line, as soon as it is known.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Also write the counterexamples to FILE, as JSON lines.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub trace: Option<PathBuf>,
    /// Also write a page for the browser.
    ///
    /// It shows verdicts, runs step by step, and the net or the processes as a drawing.
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub html: Option<PathBuf>,
    /// Also write a JUnit file, with a test case per property.
    ///
    /// A violated property is a failure, an undecided one an error. This file, and those of --sarif
    /// and --itf, are replaced atomically, and contain all known answers if the check is interrupted.
    #[arg(long, value_name = "FILE.xml", help_heading = OUTPUT, hide_short_help = true)]
    pub junit: Option<PathBuf>,
    /// Also write a SARIF file, with a result per property that does not hold.
    ///
    /// A violated property is an error, an undecided one a warning.
    #[arg(long, value_name = "FILE.sarif", help_heading = OUTPUT, hide_short_help = true)]
    pub sarif: Option<PathBuf>,
    /// Also write counterexamples in the Informal Trace Format (Apalache).
    ///
    /// One file per violated property. With several properties, the name of the property is
    /// inserted before the extensions: run.itf.json becomes run.starved.itf.json.
    #[arg(long, value_name = "FILE.itf.json", help_heading = OUTPUT, hide_short_help = true)]
    pub itf: Option<PathBuf>,
    /// Check again when the model or a file of properties changes, until Ctrl-C.
    #[arg(long, conflicts_with = "hosts", help_heading = OUTPUT, hide_short_help = true)]
    pub watch: bool,
    /// Insist on a shortest counterexample, within the limits.
    ///
    /// By default about as much effort as finding the counterexample took is spent on a shorter
    /// one.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub shortest: bool,
    /// Do not shorten counterexamples.
    #[arg(long, conflicts_with = "shortest", help_heading = OUTPUT, hide_short_help = true)]
    pub as_found: bool,
    /// Confirm each verdict with a second, unrelated engine.
    ///
    /// Within the same limits: single states if sets of states have decided, sets otherwise, always
    /// on the original net. If the engines contradict each other, the exit code is 101.
    #[arg(long, help_heading = OUTPUT)]
    pub cross_check: bool,
    /// Skip the vacuity check.
    ///
    /// It finds parts of a property that holds which do not matter, such as a condition that never
    /// happens, and takes at most a tenth of the work and time of the check, or a few hundredths of
    /// a second.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_vacuity: bool,
    /// Show whole states in counterexamples, not only changes, and all steps.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub full: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub shown: NameArgs,
    /// Also print the structural facts that replaced a part of the search, with their proofs.
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub explain: bool,
    /// Print one line per property.
    #[arg(short, long, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub quiet: bool,
    /// Also print statistics, and the engines that `auto` ran.
    #[arg(short, long, help_heading = OUTPUT)]
    pub verbose: bool,
}

impl Check {
    /// The amount of output on stderr.
    pub(crate) fn volume(&self) -> Volume {
        match (self.quiet, self.verbose) {
            (true, _) => Volume::Silent,
            (false, true) => Volume::Remarks,
            (false, false) => Volume::Progress,
        }
    }
}

/// The amount of output on stderr while a command runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Volume {
    /// None.
    Silent,
    /// A progress line, on a terminal.
    Progress,
    /// Progress and remarks.
    Remarks,
}
