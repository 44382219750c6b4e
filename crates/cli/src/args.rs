//! What can be typed. One file for each group of commands; what they have in common is here.

mod ask;
mod campaigns;
mod check;
mod models;
mod states;
mod values;

pub(crate) use ask::{Ask, Mcc, Topic};
pub(crate) use campaigns::{Bench, Plot};
pub(crate) use check::{Check, Volume};
pub(crate) use models::{Draw, Format, Generate, Info, Reduce, Simulate, Translate, View};
pub(crate) use states::{Cluster, States, Team};
pub(crate) use values::Without;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lariat_campaign::units::{Bytes, Span};
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
