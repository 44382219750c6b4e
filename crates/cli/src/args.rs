//! What can be typed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lariat::model::generate::Family;
use lariat::{
    AutomatonKind, Choice, Counting, Deadlock, Emptiness, OrderChoice, OrderSchedule, Preset,
    Proof, Rule, Technique,
};
use lariat_campaign::plan::Shard;
use lariat_campaign::plot::{Measure, PlotKind};
use lariat_campaign::units::{Bytes, Span};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Is mutual exclusion kept, and does everybody get in?
      lariat check examples/mutex.pnml -f 'G !(critical_1 & critical_2)' -f 'G (waiting_1 -> F critical_1)'
  The formulas of a file, ten seconds each, answers for a script:
      lariat check net.pnml -F formulas.ltl --timeout 10s --json
  What does a formula say, as an automaton?
      lariat translate 'G (request -> F grant)' --format dot | dot -Tsvg > automaton.svg
  How many states?
      lariat generate philosophers 5 > phil.pnml && lariat states phil.pnml

Exit codes: 0 all hold, 1 some violated, 2 usage or input error, 3 something undecided,
130 interrupted, 101 internal error. With several properties 2 > 1 > 3 > 0.";

/// Checks linear-time properties of concurrent systems; every counterexample is replayed.
#[derive(Parser, Debug)]
#[command(name = "lariat", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Colours: when the output is a terminal and NO_COLOR is not set, always, or never.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn write_global(self) {
        let choice = match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Decide properties of a model.
    Check(Box<Check>),
    /// Ask about a model without a formula: deadlocks, bounds of places, transitions that are dead or live.
    Ask(Ask),
    /// Answer as the Model Checking Contest asks, for a folder with model.pnml and property files.
    Mcc(Mcc),
    /// Build the state space and count it.
    States(Box<States>),
    /// Start several processes on this machine that divide the states of one `check` or `states` among them.
    Cluster(Cluster),
    /// Turn a formula into an automaton.
    Translate(Translate),
    /// Say what a model is.
    Info(Info),
    /// Write a net that is smaller and answers the same formulas, as PNML.
    Reduce(Reduce),
    /// Show counterexamples and other runs in a page for the browser.
    View(View),
    /// Run a model by hand, one step at a time.
    Simulate(Simulate),
    /// Draw a net, the processes of a program, or a small state space.
    Draw(Draw),
    /// Write a classic scalable net as PNML.
    Generate(Generate),
    /// Make the tables and plots of a campaign.
    Plot(Plot),
    /// Run a campaign: engines over models and properties, each job a process of its own.
    Bench(Bench),
    /// Write what a shell needs to complete commands, options and their values.
    Completions(Completions),
    /// Write manual pages, one a command.
    Manual(Manual),
    /// What runs the jobs of a campaign: tasks on stdin, results on stdout.
    #[command(hide = true)]
    BenchWorker,
}

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
    pub engine: Choice,
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
    /// tgta copy edges to livelock states and merge nothing but bisimilar states. Others say that they have no such variant.
    #[arg(long)]
    pub published: bool,
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
    /// Reduce the net also for an engine that is named; `auto` always does.
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
    /// Processors to use; all that there are by default. Several properties are decided side by side. If --threads is given and there
    /// are fewer properties, the other processors help with each of them, where the engine can.
    ///
    /// sog, sop, slap, slap-fst and bcz on nets and tables compute edges of their product ahead of the emptiness check, whose graph and
    /// counterexample stay as they are. explicit and ba let several workers search the states of a single property together, which they
    /// and `auto` also do without --threads from four processors on.
    ///
    /// Verdicts are the same with any number. Which engine answers, which run is shown and what is counted may depend on what was
    /// learned from other properties before, and on who came first: with 1 everything repeats from run to run.
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

/// Several processes that divide single states among them, on one machine or many.
#[derive(Args, Clone, Debug)]
pub(crate) struct Team {
    /// Divide single states among processes: a file with one host:port for each. The same command is started once for each line, with its
    /// --process; process 0 answers. Connections are plain TCP without any authentication: for trusted networks only.
    #[arg(long, value_name = "FILE", requires = "process")]
    pub hosts: Option<PathBuf>,
    /// Which line of --hosts this process is; the first is 0.
    #[arg(long, value_name = "I", requires = "hosts")]
    pub process: Option<usize>,
    /// How long processes wait for each other at the start; 60s by default.
    #[arg(long, value_name = "TIME", requires = "hosts")]
    pub connect_timeout: Option<Span>,
}

const CLUSTER_HELP: &str = "\
Every process holds a part of the states, so that there is room for as many as all of them can hold; --memory is for each process.
Several machines are started one by one: see --hosts of `check`, and docs/cluster.md.

Examples:
  lariat cluster -n 4 check net.pnml -f 'G F ready' --memory 2G
  lariat cluster -n 2 states net.pnml --threads 2      two processes, two workers each
  lariat cluster -n 1 states net.pnml --threads 4      the same in one process";

#[derive(Args, Debug)]
#[command(after_help = CLUSTER_HELP)]
pub(crate) struct Cluster {
    /// How many processes.
    #[arg(short = 'n', long, value_name = "N", default_value = "2")]
    pub processes: NonZeroUsize,
    /// `check` or `states`, with everything that belongs to it.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<OsString>,
}

/// Limits that end in an answer, never in a kill.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Time for each property (or the command), such as 90s, 5min, 1h; none by default.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Span>,
    /// Memory for the process, such as 512M or 8G; three quarters of the machine's by default.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

/// One of the library's values, by name; help lists what each is.
fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let value = move |value: &T| PossibleValue::new(name(*value)).help(about(*value));
    PossibleValuesParser::new(all.iter().map(value)).try_map(move |text| {
        let found = all.iter().find(|value| name(**value) == text).copied();
        found.ok_or_else(|| format!("`{text}` is none of them"))
    })
}

/// Who decides: `auto`, or the name of a preset.
fn engine() -> impl TypedValueParser<Value = Choice> {
    let auto = PossibleValue::new(Choice::AUTO).help("Lariat chooses, and says why");
    let preset = |preset: &Preset| PossibleValue::new(preset.name).help(preset.about);
    let values = std::iter::once(auto).chain(Preset::ALL.iter().map(preset));
    PossibleValuesParser::new(values).map(|name| match Preset::named(&name) {
        Some(preset) => Choice::Plan(preset.plan()),
        None => Choice::default(),
    })
}

fn automaton_kind() -> impl TypedValueParser<Value = AutomatonKind> {
    one_of(
        &AutomatonKind::ALL,
        AutomatonKind::name,
        AutomatonKind::about,
    )
}

fn emptiness() -> impl TypedValueParser<Value = Emptiness> {
    one_of(&Emptiness::ALL, Emptiness::name, Emptiness::about)
}

/// What can be done without.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Without {
    Rule(Rule),
    Proof(Proof),
    Technique(Technique),
}

fn without() -> impl TypedValueParser<Value = Without> {
    let rules = Rule::ALL.map(|rule| (rule.name(), rule.about(), Without::Rule(rule)));
    let proofs = Proof::ALL.map(|proof| (proof.name(), proof.about(), Without::Proof(proof)));
    let techniques = Technique::ALL.map(|t| (t.name(), t.about(), Without::Technique(t)));
    let all: Vec<_> = { rules.into_iter() }
        .chain(proofs)
        .chain(techniques)
        .collect();
    let values = { all.iter() }.map(|(name, about, _)| PossibleValue::new(*name).help(*about));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(move |text| {
        let found = all.iter().find(|(name, ..)| *name == text);
        found
            .map(|(_, _, without)| *without)
            .ok_or_else(|| format!("`{text}` is none of them"))
    })
}

fn rule() -> impl TypedValueParser<Value = Rule> {
    one_of(&Rule::ALL, Rule::name, Rule::about)
}

fn deadlock() -> impl TypedValueParser<Value = Deadlock> {
    one_of(&Deadlock::ALL, Deadlock::name, Deadlock::about)
}

fn counting() -> impl TypedValueParser<Value = Counting> {
    one_of(&Counting::ALL, Counting::name, Counting::about)
}

/// An order of the variables: `auto`, or the name of a heuristic.
fn order(text: &str) -> Result<OrderChoice, String> {
    match text {
        "auto" => Ok(OrderChoice::Auto),
        name => name.parse().map(OrderChoice::Named),
    }
}

/// The help of `--order-schedule`, with the whole table.
fn schedule_help() -> String {
    let mut text = "For experts: how much `--order auto` spends on finding an order, as \
                    name=value,… Work is counted in nodes and steps. The names, with their defaults:\n"
        .to_owned();
    for row in OrderSchedule::TABLE {
        text += &format!("\n  {} = {}\n      {}", row.name, row.default, row.meaning);
    }
    text
}

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
}

#[derive(Args, Debug)]
pub(crate) struct States {
    /// The model.
    pub model: PathBuf,
    /// How to count.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = counting())]
    pub engine: Counting,
    /// Count single states modulo the symmetries of a coloured net: orbits, and the states in them where the initial
    /// marking is symmetric. `lariat info` says which symmetries there are.
    #[arg(long, conflicts_with = "engine")]
    pub symmetry: bool,
    /// The order of the variables in decision diagrams: auto, file, force, rcm-force, noack or
    /// units, all but the first with -up or -down.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = order)]
    pub order: OrderChoice,
    /// For experts: how much `--order auto` spends on finding an order, as name=value,… (--help
    /// lists the names).
    #[arg(long, value_name = "SCHEDULE", long_help = schedule_help())]
    pub order_schedule: Option<OrderSchedule>,
    /// Workers that explore single states together, each on a processor of its own. The figures of the state space are the same with any
    /// number; how many bytes it takes is not.
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        conflicts_with = "symmetry"
    )]
    pub threads: NonZeroUsize,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub team: Team,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

const TRANSLATE_HELP: &str = "\
Without a model every word is an atom, read as Spot reads it: `GFa` is G F a; names with other
characters than letters, digits, _ and . are quoted.

Examples:
  lariat translate 'G (request -> F grant)'
  lariat translate '!(G (request -> F grant))' --format never
  lariat translate 'GFa & GFb' --to ba --format dot
  lariat translate 'G (request -> F grant)' --format svg > automaton.svg";

#[derive(Args, Debug)]
#[command(after_help = TRANSLATE_HELP)]
pub(crate) struct Translate {
    /// The formula; the automaton accepts the words that satisfy it.
    pub formula: String,
    /// The kind of automaton.
    #[arg(long, value_name = "KIND", default_value = "tgba", value_parser = automaton_kind())]
    pub to: AutomatonKind,
    /// How it is written.
    #[arg(long, value_name = "FORMAT", default_value = "hoa")]
    pub format: Format,
    #[command(flatten)]
    pub limits: Limits,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum Format {
    /// The Hanoi omega-automata format; of ta and tgta with a state for every letter they meet.
    Hoa,
    /// A never claim for SPIN (always a Büchi automaton).
    Never,
    /// A picture for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// One JSON object.
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct Info {
    /// The model.
    pub model: PathBuf,
    #[command(flatten)]
    pub limits: Limits,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

const REDUCE_HELP: &str = "\
The net that is written gives the same answers to the formulas as the one that was read, whatever happens at deadlocks. Transitions that
were joined stand for several. Without a formula only what decides nothing goes: the runs stay the same.

Example:
  lariat reduce net.pnml -f 'G F critical_1' -o small.pnml";

#[derive(Args, Debug)]
#[command(after_help = REDUCE_HELP)]
pub(crate) struct Reduce {
    /// The model; coloured nets are unfolded.
    pub model: PathBuf,
    /// A formula whose answer stays the same; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// Do without a rule.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule())]
    pub without: Vec<Rule>,
    /// The file to write, with a word on stdout about what was done; by default the net goes to stdout.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

const VIEW_HELP: &str = "\
The page is one file that needs nothing else and fetches nothing: the run as a time line, the net or the processes drawn, the state of
every position. Arrow keys step, and whatever else there is to press stands below.

Examples:
  lariat check net.pnml -F formulas.ltl --trace trace.json
  lariat view trace.json -o trace.html";

#[derive(Args, Debug)]
#[command(after_help = VIEW_HELP)]
pub(crate) struct View {
    /// A file of runs, as `check --trace` writes it, or `w` of `simulate`.
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// The model; by default the file that the trace names, from here or from beside the trace.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The page; by default it has the name of the trace, with .html.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
}

const SIMULATE_HELP: &str = "\
In a terminal, what can happen is listed with numbers and with what it would change. Say a number or a name to take it, u to undo, r for
a random step, `until WHAT` for random steps until WHAT holds, w FILE to save the run, q to leave; ? lists all of it.

Examples:
  lariat simulate examples/mutex.pnml
  lariat simulate examples/mutex.pnml --html mutex.html
  echo 'until critical_1 & waiting_2' | lariat simulate examples/mutex.pnml --seed 7";

#[derive(Args, Debug)]
#[command(after_help = SIMULATE_HELP)]
pub(crate) struct Simulate {
    /// The model.
    pub model: PathBuf,
    /// Write a page in which the model is run by hand, and end. Small models only: their rules go along.
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// With --html: a formula whose atoms are shown along the run; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// Begin with the run in this file, as `check --trace` writes it, or `w` here.
    #[arg(long, value_name = "TRACE.json")]
    pub from: Option<PathBuf>,
    /// Where random steps come from: the same seed takes the same ones.
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    #[command(flatten)]
    pub limits: Limits,
}

const DRAW_HELP: &str = "\
The name of the file says what is written: .svg, or .dot for Graphviz. Nets are laid out as their file says, if it gives every node
a place of its own, otherwise so that neighbours are near. Of a large net the neighbourhood of some nodes is drawn (--around);
--nodes sets its size. A state space is drawn up to 60 states.

Examples:
  lariat draw examples/mutex.pnml -o mutex.svg
  lariat draw examples/mutex.pnml --reach -o states.svg
  lariat draw net.pnml --around buffer --nodes 40 -o buffer.svg
  lariat draw examples/mutex.pnml --reach --trace trace.json -o run.svg";

#[derive(Args, Debug)]
#[command(after_help = DRAW_HELP)]
pub(crate) struct Draw {
    /// The model.
    pub model: PathBuf,
    /// The file to write, .svg or .dot; an SVG on stdout by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the reachable states instead of the net.
    #[arg(long)]
    pub reach: bool,
    /// With --reach: mark the run in this file (of `check --trace`), and show what is beside it.
    #[arg(long, value_name = "FILE", requires = "reach")]
    pub trace: Option<PathBuf>,
    /// Draw what is near to this place or transition; may be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "reach")]
    pub around: Vec<String>,
    /// How many nodes to draw, at most.
    #[arg(long, value_name = "N")]
    pub nodes: Option<NonZeroUsize>,
    #[command(flatten)]
    pub limits: Limits,
}

#[derive(Args, Debug)]
pub(crate) struct Generate {
    /// The family: philosophers, slotted-ring, kanban, fms or peterson.
    pub family: Family,
    /// Its size.
    pub size: u32,
    /// The file to write; stdout by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

const PLOT_HELP: &str = "\
Examples:
  Everything that the results allow, into the folder plots beside them:
      lariat plot results.jsonl
  One scatter plot, by memory:
      lariat plot results.jsonl --kind scatter --engines slap,sop --measure memory --out paper/figures

Open index.html of that folder in a browser: it shows all of it, and every point tells its job.
Exit codes: 0 done, 1 some answers contradict what is known or each other, 2 usage or input error.";

#[derive(Args, Debug)]
#[command(after_help = PLOT_HELP)]
pub(crate) struct Plot {
    /// Files of results, or folders of campaigns (their files results*.jsonl).
    #[arg(required = true, value_name = "RESULTS")]
    pub results: Vec<PathBuf>,
    /// The folder for what is made; `plots` beside the first results by default.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only these kinds of plots and tables.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub kind: Vec<PlotName>,
    /// Only these engines, in this order. Of more than four, scatter plots compare the first with each other one.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// What is compared.
    #[arg(long, value_name = "MEASURE", default_value = "cpu")]
    pub measure: MeasureName,
    /// Leave out the cases that every engine decides at a lower price (seconds, bytes or a count,
    /// as the measure is): they tell nothing.
    #[arg(long, value_name = "PRICE", default_value_t = 0.0)]
    pub at_least: f64,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum PlotName {
    /// One engine against another, case by case.
    Scatter,
    /// How many cases are solved at which price.
    Cactus,
    /// Price relative to the slowest engine.
    Cumulative,
    /// Who is best, worst, or fails.
    WinLoseFail,
    /// Every engine on every family of models.
    Families,
    /// Virtual best and unique solves.
    Portfolio,
    /// Statistics of the component-wise engine.
    Components,
    /// Automata, products and what was explored of them.
    Testing,
}

impl From<PlotName> for PlotKind {
    fn from(name: PlotName) -> PlotKind {
        match name {
            PlotName::Scatter => PlotKind::Scatter,
            PlotName::Cactus => PlotKind::Cactus,
            PlotName::Cumulative => PlotKind::Cumulative,
            PlotName::WinLoseFail => PlotKind::WinLoseFail,
            PlotName::Families => PlotKind::Families,
            PlotName::Portfolio => PlotKind::Portfolio,
            PlotName::Components => PlotKind::Components,
            PlotName::Testing => PlotKind::Testing,
        }
    }
}

#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum MeasureName {
    /// Processor time of the process.
    Cpu,
    /// Time by the clock.
    Wall,
    /// Largest resident memory of the process.
    Memory,
    /// The engine's own time, without reading the model and the property.
    Engine,
    /// States of the product that were explored.
    States,
    /// Transitions of the product that were explored.
    Transitions,
}

impl From<MeasureName> for Measure {
    fn from(name: MeasureName) -> Measure {
        match name {
            MeasureName::Cpu => Measure::Cpu,
            MeasureName::Wall => Measure::Wall,
            MeasureName::Memory => Measure::Memory,
            MeasureName::Engine => Measure::Engine,
            MeasureName::States => Measure::States,
            MeasureName::Transitions => Measure::Transitions,
        }
    }
}

const BENCH_HELP: &str = "\
A campaign that was stopped, by whatever, goes on where it was when it is started again: jobs
that have a line in the results are not run again.

Examples:
  lariat bench campaigns/tiny.toml
  lariat bench campaigns/slap.toml --jobs 2 --dry-run
  lariat bench campaigns/testing.toml --models ~/contest --shard 2/4

Exit codes: 0 all jobs are recorded, 1 an answer contradicts a known one, 2 usage or input error,
101 two engines contradict each other, 130 interrupted.";

#[derive(Args, Debug)]
#[command(after_help = BENCH_HELP)]
pub(crate) struct Bench {
    /// The campaign; campaigns/README.md tells what it may say.
    #[arg(value_name = "CAMPAIGN.toml")]
    pub campaign: PathBuf,
    /// How many jobs run at a time.
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,
    /// Only this part of the jobs, so that several machines can share a campaign.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// The folder of the results; results/NAME by default.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The folder of contest models, with `mcc` inside; LARIAT_MODELS by default.
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// Run this program in the place of lariat, such as another build of it.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// List the jobs, and run nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// No progress.
    #[arg(short, long)]
    pub quiet: bool,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  lariat completions bash > ~/.local/share/bash-completion/completions/lariat
  lariat completions zsh > ~/.zfunc/_lariat
  lariat completions fish > ~/.config/fish/completions/lariat.fish";

#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct Completions {
    /// The shell.
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct Manual {
    /// The folder, which is made if it does not exist; `man -l DIR/lariat-check.1` shows a page.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
