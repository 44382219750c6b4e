//! Formulas and models by themselves: translated, described, reduced, drawn, run by hand, generated.

use super::Limits;
use super::values::{automaton_kind, rule};
use clap::{Args, ValueEnum};
use lariat::internals::ir::generate::Family;
use lariat::internals::{AutomatonKind, Rule};
use std::num::NonZeroUsize;
use std::path::PathBuf;

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
