//! `bench` and `plot`: engines over models and properties, and the tables and plots that come of it.

use clap::{Args, ValueEnum};
use lariat_campaign::plan::Shard;
use lariat_campaign::plot::{Measure, PlotKind};
use std::num::NonZeroUsize;
use std::path::PathBuf;

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
    /// What threads gain: engines with --threads 2 and more against the same with 1.
    SpeedUp,
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
            PlotName::SpeedUp => PlotKind::SpeedUp,
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
