//! `states`, and several processes that divide them.

use super::Limits;
use super::values::{counting, order, schedule_help};
use clap::Args;
use lariat::internals::{CountingMethod, OrderChoice, OrderSchedule};
use lariat_campaign::units::Span;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

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

#[derive(Args, Debug)]
pub(crate) struct States {
    /// The model.
    pub model: PathBuf,
    /// How to count.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = counting())]
    pub engine: CountingMethod,
    /// Count single states modulo the symmetries of a net: orbits, and the states in them where the initial marking is
    /// symmetric. `lariat info` says which symmetries there are.
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
    /// Workers that explore single states together, each on a processor of its own. --engine symbolic saturates on one
    /// thread; with --order auto a second thread searches for a better order meanwhile. The figures of the state space are
    /// the same with any number; how many bytes it takes is not, nor what is counted of the work.
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
