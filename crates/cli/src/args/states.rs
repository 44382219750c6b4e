//! `states`, and the distribution of states over several processes.

use super::values::{counting, order, schedule_help};
use super::{LIMITS, LimitArgs, NameArgs};
use clap::Args;
use lariat::internals::{CountingMethod, OrderChoice, OrderSchedule};
use lariat_campaign::units::TimeSpan;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Several processes that share the states, on one machine or several.
#[derive(Args, Clone, Debug)]
pub(crate) struct TeamArgs {
    /// Distribute single states over processes: a file with one host:port per process.
    ///
    /// Start this command once per line, with its --process; process 0 answers. Connections are
    /// not encrypted: for trusted networks only. --secret-file keeps strangers out.
    #[arg(long, value_name = "FILE", requires = "process", help_heading = LIMITS, hide_short_help = true)]
    pub hosts: Option<PathBuf>,
    /// The line of --hosts that is this process; the first is 0.
    #[arg(long, value_name = "I", requires = "hosts", help_heading = LIMITS, hide_short_help = true)]
    pub process: Option<usize>,
    /// How long processes wait for each other at the start; 60s by default.
    #[arg(long, value_name = "TIME", requires = "hosts", help_heading = LIMITS, hide_short_help = true)]
    pub connect_timeout: Option<TimeSpan>,
    /// A file with a secret of at least 16 bytes, the same for all processes; others are refused.
    #[arg(long, value_name = "FILE", requires = "hosts", help_heading = LIMITS, hide_short_help = true)]
    pub secret_file: Option<PathBuf>,
}

const CLUSTER_HELP: &str = "\
Every process stores a part of the states; --memory is per process. For several
machines, see --hosts of `check` and docs/cluster.md.

Examples:
  lariat cluster -n 4 check net.pnml -f 'G F ready' --memory 2G
  lariat cluster -n 2 states net.pnml --threads 2   # two workers each
  lariat cluster -n 1 states net.pnml --threads 4   # in one process";

#[derive(Args, Debug)]
#[command(after_help = CLUSTER_HELP)]
pub(crate) struct ClusterArgs {
    /// The number of processes.
    #[arg(short = 'n', long, value_name = "N", default_value = "2")]
    pub processes: NonZeroUsize,
    /// `check` or `states`, with its arguments.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<OsString>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct StatesArgs {
    /// The model.
    pub model: PathBuf,
    #[command(flatten)]
    pub shown: NameArgs,
    /// The method.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = counting())]
    pub engine: CountingMethod,
    /// Count states modulo the symmetries of a net.
    ///
    /// Counts orbits, and the states in them if the initial marking is symmetric. `lariat info`
    /// lists the symmetries.
    #[arg(long, conflicts_with = "engine")]
    pub symmetry: bool,
    /// The order of the variables in decision diagrams.
    ///
    /// auto, file, force, rcm-force, noack or units, all but the first with -up or -down.
    #[arg(long, value_name = "ORDER", default_value = "auto", value_parser = order)]
    pub order: OrderChoice,
    /// For experts: the budgets of `--order auto`, as name=value,… (--help lists the names).
    #[arg(long, value_name = "SCHEDULE", long_help = schedule_help(), hide_short_help = true)]
    pub order_schedule: Option<OrderSchedule>,
    /// Threads.
    ///
    /// With single states, workers that explore together. --engine symbolic saturates on one
    /// thread; with --order auto a second thread searches for a better order. The figures of the
    /// state space do not depend on the number; memory and statistics do.
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        conflicts_with = "symmetry"
    )]
    pub threads: NonZeroUsize,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub team: TeamArgs,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}
