//! The binary `lariat`: arguments, exit codes, printing. Everything else is in the library.

#![forbid(unsafe_code)]

mod args;
mod check;
mod generate;
mod info;
mod input;
mod mcc;
mod progress;
mod states;
mod units;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// How a command ended, as an exit code. With several properties the worst counts, in the order
/// internal, interrupted, input, violated, undecided, fine.
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
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::Violated => 1,
            Exit::Input => 2,
            Exit::Undecided => 3,
            Exit::Interrupted => 130,
            Exit::Internal => 101,
        })
    }
}

/// Something that ends a command with exit code 2.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure(error.to_string())
    }
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure(message.into())
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli.color.write_global();
    let done = match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Mcc(args) => mcc::run(&args),
        Command::States(args) => states::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Generate(args) => generate::run(&args),
    };
    done.unwrap_or_else(|Failure(message)| {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        anstream::eprintln!("{red}error{red:#}: {message}");
        Exit::Input
    })
    .into()
}
