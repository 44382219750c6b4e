//! `bench` and `plot`: campaigns, and their tables and plots.

use super::values::{measure, plot_kind};
use clap::Args;
use lariat_campaign::plan::Shard;
use lariat_campaign::plot::{Measure, PlotKind};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const PLOT_HELP: &str = "\
Examples:
  All plots and tables, in the folder `plots` beside the results:
      lariat plot results.jsonl
  One scatter plot, by memory:
      lariat plot results.jsonl --kind scatter --engines slap,sop --measure memory --out paper/figures

Open index.html of that folder in a browser; every point shows its job.

Exit codes:
  0 done, 1 some answers contradict known ones or each other,
  2 usage or input error.";

#[derive(Args, Debug)]
#[command(after_help = PLOT_HELP)]
pub(crate) struct Plot {
    /// Files of results, or folders of campaigns (their files results*.jsonl).
    #[arg(required = true, value_name = "RESULTS")]
    pub results: Vec<PathBuf>,
    /// The output folder; `plots` beside the first results by default.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only these kinds of plots and tables.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = plot_kind())]
    pub kind: Vec<PlotKind>,
    /// Only these engines, in this order. Of more than four, scatter plots compare the first with
    /// each other one.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// The measure.
    #[arg(long, value_name = "MEASURE", default_value = "cpu", value_parser = measure())]
    pub measure: Measure,
    /// Omit cases that every engine decides at a lower price (in the unit of the measure).
    #[arg(long, value_name = "PRICE", default_value_t = 0.0)]
    pub at_least: f64,
    /// Write every table as LaTeX, too.
    #[arg(long)]
    pub latex: bool,
}

const BENCH_HELP: &str = "\
A campaign that was stopped continues when it is started again: jobs that have
a line in the results are not repeated.

Examples:
  lariat bench campaigns/tiny.toml
  lariat bench campaigns/slap.toml --jobs 2 --dry-run
  lariat bench campaigns/testing.toml --models ~/contest --shard 2/4

Exit codes:
  0 all jobs are recorded, 1 an answer contradicts a known one,
  2 usage or input error, 101 two engines contradict each other,
  130 interrupted.";

#[derive(Args, Debug)]
#[command(after_help = BENCH_HELP)]
pub(crate) struct Bench {
    /// The campaign file; campaigns/README.md describes the format.
    #[arg(value_name = "CAMPAIGN.toml")]
    pub campaign: PathBuf,
    /// The number of jobs that run at the same time.
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
    /// Run this program instead of lariat, such as another build.
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// List the jobs, and run nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print no progress.
    #[arg(short, long)]
    pub quiet: bool,
}
