//! The command line: one file per group of commands, and the parts that they share.

mod ask;
mod campaigns;
mod check;
mod models;
mod states;
mod values;

pub(crate) use ask::{Ask, Mcc, Topic};
pub(crate) use campaigns::{Bench, Plot};
pub(crate) use check::{Check, Volume};
pub(crate) use models::{
    Draw, Generate, GraphArgs, GraphFormat, Info, Init, OutputFormat, ReduceArgs, Simulate,
    StarterKind, Translate, ViewArgs,
};
pub(crate) use states::{ClusterArgs, StatesArgs, TeamArgs};
pub(crate) use values::Without;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lariat::internals::formats::LoadedModel;
use lariat_campaign::units::{Bytes, TimeSpan};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Check mutual exclusion, and that process 1 gets its turn:
      lariat check examples/mutex.pnml -f 'G !(critical_1 & critical_2)' \\
                                       -f 'G (waiting_1 -> F critical_1)'
  Check the formulas of a file, ten seconds each, with output for a script:
      lariat check net.pnml -F formulas.ltl --timeout 10s --json
  Translate a formula into an automaton:
      lariat translate 'G (request -> F grant)' --format svg > automaton.svg
  Count the states of a generated net:
      lariat generate philosophers 5 > phil.pnml && lariat states phil.pnml

Exit codes:
  0 all hold, 1 some violated, 2 usage or input error, 3 something undecided,
  130 interrupted, 101 internal error. With several properties 2 > 1 > 3 > 0.";

/// Checks linear-time properties of concurrent systems; every counterexample is replayed.
#[derive(Parser, Debug)]
#[command(name = "lariat", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Coloured output; `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
}

/// The use of colours.
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
    /// Write a first model with properties, and print the commands that check them.
    Init(Init),
    /// Decide properties of a model.
    Check(Box<Check>),
    /// Answer questions without a formula: deadlocks, bounds, dead or live transitions.
    Ask(Ask),
    /// Run an examination of the Model Checking Contest in a folder.
    Mcc(Mcc),
    /// Count the state space.
    States(Box<StatesArgs>),
    /// Run `check` or `states` on several processes of this machine.
    Cluster(ClusterArgs),
    /// Translate a formula into an automaton.
    Translate(Translate),
    /// Describe a model: size, bounds, orders, symmetries.
    Info(Info),
    /// Write a reduced net that is equivalent for given formulas, as PNML.
    Reduce(ReduceArgs),
    /// Write the symbolic observation graph of a model.
    Graph(GraphArgs),
    /// Show runs in a page for the browser.
    View(ViewArgs),
    /// Simulate a model step by step.
    Simulate(Simulate),
    /// Draw a net, the processes of a program, or a small state space.
    Draw(Draw),
    /// Write a classic scalable net as PNML.
    Generate(Generate),
    /// Make tables and plots of a campaign's results.
    Plot(Plot),
    /// Run a campaign: engines over models and properties.
    Bench(Bench),
    /// Describe this program and this machine: threads, memory, other programs.
    Doctor,
    /// Run a language server on stdin and stdout, for editors.
    Lsp,
    /// Write completions for a shell.
    Completions(Completions),
    /// Write manual pages, one per command.
    Manual(Manual),
    /// Worker of `bench`: jobs on stdin, results on stdout.
    #[command(hide = true)]
    BenchWorker,
    /// Job of another tool in a campaign, as JSON.
    #[command(hide = true)]
    BenchTool {
        /// The job.
        job: String,
    },
}

/// The heading of limits in help.
pub(crate) const LIMITS: &str = "Limits";

/// Limits; reaching one yields the answer `unknown`.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LimitArgs {
    /// Time per property (or for the command), such as 90s, 5min, 1h; unlimited by default.
    #[arg(long, value_name = "TIME", help_heading = LIMITS)]
    pub timeout: Option<TimeSpan>,
    /// Memory of the process, such as 512M or 8G; three quarters of the machine's by default.
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    pub memory: Option<Bytes>,
}

/// Names in output.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct NameArgs {
    /// Show the ids of places and transitions instead of their names.
    #[arg(long)]
    pub ids: bool,
}

impl NameArgs {
    /// Makes output use ids if requested.
    pub(crate) fn apply(self, model: &mut LoadedModel) {
        if self.ids {
            model.labels.show_ids();
        }
    }
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
    /// The folder, created if necessary; `man -l DIR/lariat-check.1` shows a page.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
