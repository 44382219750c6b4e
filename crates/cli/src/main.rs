//! The binary `lariat`: arguments, exit codes, printing. Everything else is in the library.

#![forbid(unsafe_code)]

mod args;
mod artifacts;
mod ask;
mod bench;
mod check;
mod cluster;
mod cross;
mod doctor;
mod draw;
mod exams;
mod generate;
mod graph;
mod info;
mod info_names;
mod init;
mod input;
mod layout;
mod lsp;
mod mcc;
mod open_names;
mod out;
mod pages;
mod pending;
mod plot;
mod progress;
mod reduce;
mod resident;
mod simulate;
mod sources;
mod states;
mod traces;
mod translate;
mod view;
mod watch;
mod watchdog;

use args::{Cli, Command};
use clap::Parser;
use lariat::Stop;
use std::process::ExitCode;

/// The exit status of a command. With several properties the worst counts, in the order internal,
/// interrupted, input, violated, undecided, fine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    Fine,
    Undecided,
    Violated,
    Input,
    Interrupted,
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

impl Exit {
    /// The exit code of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Violated => 1,
            Exit::Input => 2,
            Exit::Undecided => 3,
            Exit::Interrupted => 130,
            Exit::Internal => 101,
        }
    }

    /// The exit status of a command that a limit or an interrupt stopped.
    pub(crate) fn of_stop(stop: &Stop) -> Exit {
        match stop {
            Stop::Interrupted => Exit::Interrupted,
            _ => Exit::Undecided,
        }
    }
}

/// An error that ends a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Wrong input or usage, with a message.
    Input(String),
    /// The input could not be read within the limits.
    Undecided(Stop),
    /// The reader of stdout has closed it.
    OutputClosed,
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::Input(error.to_string())
    }
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure::Input(message.into())
    }
}

/// Prints an error on stderr. If printing fails, the exit code still reports it.
pub(crate) fn complain(message: &str) {
    let red = anstyle::AnsiColor::Red.on_default().bold();
    out::message(&format!("{red}error{red:#}: {message}\n"));
}

/// Prints a warning on stderr.
pub(crate) fn warn(message: &str) {
    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    out::message(&format!("{yellow}warning{yellow:#}: {message}\n"));
}

/// Prints a note on stderr.
pub(crate) fn remark(message: &str) {
    let dim = anstyle::Style::new().dimmed();
    out::message(&format!("{dim}note: {message}{dim:#}\n"));
}

/// The text for a call without arguments.
const FIRST_STEPS: &str = "\
Lariat checks linear-time properties of Petri nets and programs. Three commands to begin with:
  lariat init                                 write a small model with properties
  lariat check request.pnml -F request.ltl    check them; --html run.html shows counterexamples
  lariat simulate request.pnml                take the steps of the model yourself
`lariat doctor` describes this machine, `lariat --help` lists all commands, and
`lariat COMMAND --help` explains one. The README and the book begin with a tutorial.
";

fn main() -> ExitCode {
    if std::env::args_os().len() <= 1 {
        out::message(FIRST_STEPS);
        return Exit::Input.into();
    }
    let cli = Cli::parse();
    cli.color.write_global();
    let done = run(cli.command);
    let exit = match done {
        Ok(exit) => exit,
        Err(Failure::Input(message)) => {
            complain(&message);
            Exit::Input
        }
        Err(Failure::Undecided(stop)) => {
            warn(&format!("unknown: {stop}, while reading"));
            Exit::of_stop(&stop)
        }
        Err(Failure::OutputClosed) => Exit::Undecided,
    };
    exit.into()
}

/// Runs a command.
fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(args) => check::run(*args),
        Command::Ask(args) => ask::run(&args),
        Command::Mcc(args) => mcc::run(&args),
        Command::States(args) => states::run(*args),
        Command::Cluster(args) => cluster::run(args, run),
        Command::Translate(args) => translate::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Reduce(args) => reduce::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::View(args) => view::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Draw(args) => draw::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Doctor => doctor::run(),
        Command::Lsp => lsp::run(),
        Command::Plot(args) => plot::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => pages::completions(&args),
        Command::Manual(args) => pages::manual(&args),
        Command::BenchWorker => bench::work(),
        Command::BenchTool { job } => bench::tool(&job),
    }
}
