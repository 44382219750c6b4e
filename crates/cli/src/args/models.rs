//! Commands on formulas and models: translate, info, reduce, view, simulate, draw, generate, init.

use super::values::{automaton_kind, deadlock, order, rule};
use super::{LimitArgs, NameArgs};
use clap::{Args, ValueEnum};
use lariat::internals::ir::generate::Family;
use lariat::internals::{AutomatonKind, Deadlock, OrderChoice, Rule};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const TRANSLATE_HELP: &str = "\
Without a model every word is an atom, parsed as Spot does: `GFa` is G F a.
Names with characters other than letters, digits, _ and . are quoted.

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
    /// Build ta and tgta as published, with bisimilar states merged and no further reduction.
    #[arg(long)]
    pub published: bool,
    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "hoa")]
    pub format: OutputFormat,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum OutputFormat {
    /// The Hanoi omega-automata format; ta and tgta with one state per letter.
    Hoa,
    /// A never claim for SPIN (always a Büchi automaton).
    Never,
    /// A picture for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// Print one JSON object.
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct Info {
    /// The model.
    pub model: PathBuf,
    /// List everything that can be an atom of a formula, with types and ranges.
    #[arg(long)]
    pub names: bool,
    #[command(flatten)]
    pub shown: NameArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

const REDUCE_HELP: &str = "\
The reduced net is equivalent to the original for the given formulas, under both
deadlock policies. A joined transition stands for several transitions. Without
a formula, all runs are preserved.

Example:
  lariat reduce net.pnml -f 'G F critical_1' -o small.pnml";

#[derive(Args, Debug)]
#[command(after_help = REDUCE_HELP)]
pub(crate) struct ReduceArgs {
    /// The model; coloured nets are unfolded.
    pub model: PathBuf,
    /// A formula whose verdict is preserved; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// Switch off a rule.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule())]
    pub without: Vec<Rule>,
    /// The file to write, with a summary on stdout; by default the net is printed.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
}

const GRAPH_HELP: &str = "\
Examples:
  lariat graph net.pnml --sog -f 'G (waiting_1 -> F critical_1)' -o graph.dot";

#[derive(Args, Debug)]
#[command(after_help = GRAPH_HELP)]
pub(crate) struct GraphArgs {
    /// The model; coloured nets are unfolded.
    pub model: PathBuf,
    /// The symbolic observation graph: sets of states that agree on the atoms of the formulas, closed
    /// under steps that do not change them.
    #[arg(long, required = true)]
    pub sog: bool,
    /// A formula whose atoms are observed; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// The file to write; by default the graph is printed.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The format; by default that of the file's extension, or dot.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<GraphFormat>,
    /// The order of variables in decision diagrams.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = order)]
    pub order: OrderChoice,
    /// The meaning of runs that end.
    #[arg(long, value_name = "POLICY", default_value = "stutter", value_parser = deadlock())]
    pub deadlock: Deadlock,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum GraphFormat {
    /// A picture for Graphviz.
    Dot,
    /// One JSON object.
    Json,
    /// The text format of CADP.
    Aut,
}

const VIEW_HELP: &str = "\
The page is one self-contained file: the run as a time line, the net or the
processes as a drawing, and the state at every position. Arrow keys step; the
page lists all keys.

Examples:
  lariat check net.pnml -F formulas.ltl --trace trace.json
  lariat view trace.json -o trace.html";

#[derive(Args, Debug)]
#[command(after_help = VIEW_HELP)]
pub(crate) struct ViewArgs {
    /// A file of runs, from `check --trace` or `w` of `simulate`.
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// The model; by default the file named in the trace, relative to this folder or the trace's.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The page; by default the name of the trace with .html.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub shown: NameArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

const SIMULATE_HELP: &str = "\
In a terminal, the enabled events are listed with numbers and their effects.
Type a number or a name to take one, u to undo, r for a random step, `until
WHAT` for random steps until WHAT holds, w FILE to save the run, q to quit; ?
lists all commands.

Examples:
  lariat simulate examples/mutex.pnml
  lariat simulate examples/mutex.pnml --html mutex.html
  echo 'until critical_1 & waiting_2' | lariat simulate examples/mutex.pnml --seed 7";

#[derive(Args, Debug)]
#[command(after_help = SIMULATE_HELP)]
pub(crate) struct Simulate {
    /// The model.
    pub model: PathBuf,
    /// Write a page that simulates the model in a browser (small models only).
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// With --html: a formula whose atoms are shown along the run; may be given several times.
    #[arg(short = 'f', long = "formula", value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// Start with the run in this file, from `check --trace` or `w`.
    #[arg(long, value_name = "TRACE.json")]
    pub from: Option<PathBuf>,
    /// The seed of random steps.
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    #[command(flatten)]
    pub shown: NameArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

const DRAW_HELP: &str = "\
The extension of the file selects the format: .svg, or .dot for Graphviz. For
PNG or PDF, convert the .svg, for example with resvg or rsvg-convert. Nets use
the positions in their file if every node has one, else a computed layout. Of a
large net the neighbourhood of some nodes is drawn (--around, --nodes). A state
space is drawn up to 60 states; edge labels that do not fit are counted. If the
time limit ends the layout, nodes are placed on a grid.

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
    /// With --reach: mark the run in this file (from `check --trace`), and draw its neighbourhood.
    #[arg(long, value_name = "FILE", requires = "reach")]
    pub trace: Option<PathBuf>,
    /// Draw the neighbourhood of this place or transition; may be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "reach")]
    pub around: Vec<String>,
    /// The largest number of nodes to draw.
    #[arg(long, value_name = "N")]
    pub nodes: Option<NonZeroUsize>,
    #[command(flatten)]
    pub shown: NameArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct Generate {
    /// The family: philosophers, diners, slotted-ring, kanban, fms or peterson.
    pub family: Family,
    /// Its size.
    pub size: u32,
    /// The file to write; stdout by default.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

const INIT_HELP: &str = "\
Examples:
  lariat init && lariat check request.pnml -F request.ltl
  lariat init program first-program";

#[derive(Args, Debug)]
#[command(after_help = INIT_HELP)]
pub(crate) struct Init {
    /// The kind of model.
    #[arg(default_value = "net")]
    pub kind: StarterKind,
    /// The folder, created if necessary.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
}

/// The kind of a first model.
#[derive(Clone, Copy, ValueEnum, Debug)]
pub(crate) enum StarterKind {
    /// A Petri net in PNML.
    Net,
    /// Communicating processes in DVE.
    Program,
    /// Communicating processes in Promela.
    Promela,
}
