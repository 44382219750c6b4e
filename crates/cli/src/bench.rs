//! `lariat bench`: runs a campaign, and prints its progress and its summary.

use crate::args::{Bench, Cli, Command, LimitArgs};
use crate::input::Limits;
use crate::{Exit, Failure, check, input, out, warn};
use anstyle::{AnsiColor, Style};
use clap::Parser as _;
use indicatif::{ProgressBar, ProgressStyle};
use lariat::Budget;
use lariat_campaign::file::{self, Campaign, EnginePreset};
use lariat_campaign::judge::AnswerConflict;
use lariat_campaign::plan::{Job, Programs};
use lariat_campaign::run::{self, CampaignEvent, CampaignReport, Setup};
use lariat_campaign::tally::{Tally, tallies};
use lariat_campaign::tools::{ToolJob, ToolVerdict};
use lariat_campaign::worker::{self, WorkerCommand};
use lariat_campaign::{JobOutcome, Record};
use std::fmt::Write as _;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time between progress lines if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Memory limit for reading a model for another tool.
const TOOL_BYTES: u64 = 2 << 30;

pub(crate) fn run(args: &Bench) -> Result<Exit, Failure> {
    let Limits { budget, cancel, .. } = input::limits(&LimitArgs {
        timeout: None,
        memory: None,
    });
    let (path, own) = (args.campaign.clone(), budget.clone());
    let bytes = input::supervised(&budget, move || input::bytes(&path, &own))?;
    let campaign = file::read(&args.campaign, &String::from_utf8_lossy(&bytes))?;
    let own = std::env::current_exe()?;
    let programs = Programs {
        own: own.clone(),
        given: args.program.clone(),
    };
    check_presets(&campaign, &programs)?;
    let (out, contest) = (args.out.clone(), args.models.clone());
    let setup = Setup {
        out: out.unwrap_or_else(|| PathBuf::from("results").join(&campaign.name)),
        contest: contest.or_else(|| std::env::var_os("LARIAT_MODELS").map(PathBuf::from)),
        programs,
        runner: WorkerCommand {
            program: own,
            args: vec!["bench-worker".to_owned()],
        },
        jobs: args.jobs.get(),
        shard: args.shard,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("LARIAT_COMMIT").map(str::to_owned),
        campaign,
    };
    if args.dry_run {
        return preview(&setup);
    }
    let mut progress = Progress::new(args.quiet);
    let report = run::run(&setup, &cancel, &mut |event| progress.show(event))?;
    progress.finish();
    out::text(&summary(&report))?;
    Ok(exit(&report))
}

/// Serves jobs from stdin until it is closed. Signals of the terminal do not reach this process.
pub(crate) fn work() -> Result<Exit, Failure> {
    worker::serve(BufReader::new(io::stdin()), io::stdout())?;
    Ok(Exit::Fine)
}

/// Runs a job of another tool, given as JSON, and prints its answer.
pub(crate) fn tool(job: &str) -> Result<Exit, Failure> {
    let job: ToolJob = serde_json::from_str(job)
        .map_err(|error| Failure::new(format!("not a job of a tool: {error}")))?;
    let verdict = job.run(&Budget::bytes(TOOL_BYTES)).map_err(Failure::new)?;
    let (word, reason, exit) = match verdict {
        ToolVerdict::Holds => ("holds", None, Exit::Fine),
        ToolVerdict::Violated => ("violated", None, Exit::Violated),
        ToolVerdict::Unknown(why) => ("unknown", Some(why), Exit::Undecided),
    };
    let answer = serde_json::json!({ "verdict": word, "reason": reason, "engine": job.tool.name });
    out::text(&format!("{answer}\n"))?;
    Ok(exit)
}

/// Checks that every preset that this program runs is a valid command line.
fn check_presets(campaign: &Campaign, programs: &Programs) -> Result<(), Failure> {
    let check = &["check", "-f", "true"][..];
    let filters = campaign.properties.iter().flat_map(|properties| {
        let random = properties.as_ref().random.as_ref();
        let filter = random.and_then(|random| random.filter.as_ref());
        let engines = filter.into_iter();
        let engines = engines.flat_map(|f| [Some(&f.engine), f.measure.as_ref()]);
        let span = properties.span();
        engines
            .flatten()
            .map(move |engine| (check, span.clone(), engine))
    });
    let engines = campaign.engines.iter();
    let engines = engines.map(|e| (check, e.span(), e.as_ref()));
    let states = campaign.states.iter();
    let states = states.map(|s| (&["states"][..], s.span(), s.as_ref()));
    for (command, span, preset) in filters.chain(engines).chain(states) {
        if preset.tool.is_none()
            && programs.of(campaign, Some(preset)).1.is_none()
            && let Err(message) = check_preset(command, preset)
        {
            return Err(campaign.source.error(span, message).into());
        }
    }
    Ok(())
}

fn check_preset(command: &[&str], preset: &EnginePreset) -> Result<(), String> {
    let start = ["lariat"]
        .iter()
        .chain(command)
        .chain(&["model", "--engine"]);
    let args = start.copied().chain(preset.args.iter().map(String::as_str));
    let parsed = Cli::try_parse_from(args).map_err(|error| {
        let text = error.render().to_string();
        // The usage is of `check` or `states`, not of the user's command.
        let text = text.split("\n\nUsage:").next().unwrap_or_default();
        let text = text.split("\n\nFor more").next().unwrap_or_default();
        text.trim_start_matches("error: ").trim_end().to_owned()
    })?;
    match parsed.command {
        Command::Check(args) => match check::options(&args) {
            Err(Failure::Input(message)) => Err(message),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn preview(setup: &Setup) -> Result<Exit, Failure> {
    let preview = run::preview(setup)?;
    for missing in &preview.missing {
        warn(&format!("missing: {missing}"));
    }
    let mut text = String::new();
    for job in &preview.jobs {
        let _ = writeln!(text, "{}", line(job));
    }
    for (model, group, number) in &preview.open {
        let what = format!("{number} formulas of group `{group}`");
        let _ = writeln!(text, "{model}: {what} are still to be chosen");
    }
    let _ = writeln!(text, "{} jobs", preview.jobs.len());
    out::text(&text)?;
    Ok(Exit::Fine)
}

fn line(job: &Job) -> String {
    let program = job.program.as_deref().unwrap_or("lariat");
    let command = shell(program, &job.task.args);
    format!("{}  {command}", &job.id[..12.min(job.id.len())])
}

/// A command line, quoted for a shell.
fn shell(program: &str, args: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+@%".contains(c);
    let mut text = String::new();
    for word in std::iter::once(program).chain(args.iter().map(String::as_str)) {
        if !text.is_empty() {
            text.push(' ');
        }
        if !word.is_empty() && word.chars().all(plain) {
            text += word;
        } else {
            let _ = write!(text, "'{}'", word.replace('\'', "'\\''"));
        }
    }
    text
}

/// Progress on stderr: a bar on a terminal, lines elsewhere.
struct Progress {
    bar: ProgressBar,
    quiet: bool,
    began: Instant,
    last_line: Instant,
    all: usize,
    before: usize,
    done: usize,
    undecided: usize,
    failed: usize,
    wrong: usize,
}

impl Progress {
    fn new(quiet: bool) -> Progress {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let now = Instant::now();
        Progress {
            bar,
            quiet,
            began: now,
            last_line: now,
            all: 0,
            before: 0,
            done: 0,
            undecided: 0,
            failed: 0,
            wrong: 0,
        }
    }

    fn show(&mut self, event: &CampaignEvent<'_>) {
        match event {
            CampaignEvent::Missing(what) => self.warn(&format!("missing: {what}")),
            CampaignEvent::Choosing {
                model,
                group,
                chosen,
                wanted,
            } => {
                let group = if group.is_empty() { "random" } else { group };
                let text = format!("choosing formulas: {model}, {group}: {chosen} of {wanted}");
                self.say(&text, false);
            }
            CampaignEvent::Few {
                model,
                group,
                counts: [holds, violated],
                wanted,
            } => self.warn(&format!(
                "{model}, group `{group}`: found {holds} formulas that hold and {violated} that are violated, {wanted} wanted"
            )),
            CampaignEvent::Begin { all, before } => {
                (self.all, self.before) = (*all, *before);
                self.began = Instant::now();
                if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}") {
                    self.bar.set_style(style);
                }
                self.bar.set_length(*all as u64);
                self.bar.set_position(*before as u64);
                let before = match before {
                    0 => String::new(),
                    n => format!(", {n} already done"),
                };
                self.say(&format!("{all} jobs{before}"), true);
            }
            CampaignEvent::Ended(record) => self.ended(record),
            CampaignEvent::Contradiction(contradiction) => {
                let text = contradicts(contradiction);
                self.bar.suspend(|| out::message(&text));
            }
        }
    }

    fn ended(&mut self, record: &Record) {
        self.done += 1;
        match record.outcome {
            JobOutcome::Holds
            | JobOutcome::Violated
            | JobOutcome::Counted
            | JobOutcome::Refused => {}
            JobOutcome::Time | JobOutcome::Memory | JobOutcome::Unknown => self.undecided += 1,
            JobOutcome::Input | JobOutcome::Crash => self.failed += 1,
        }
        self.wrong += usize::from(record.is_wrong());
        let left = self.all - (self.before + self.done).min(self.all);
        let each = self.began.elapsed().as_secs_f64() / self.done as f64;
        let (undecided, failed, wrong) = (self.undecided, self.failed, self.wrong);
        let time = span(each * left as f64);
        let text = format!("{undecided} undecided, {failed} failed, {wrong} wrong, {time} left");
        self.bar.set_position((self.before + self.done) as u64);
        if self.bar.is_hidden() {
            let text = format!("{}/{} {text}", self.before + self.done, self.all);
            self.say(&text, left == 0);
        } else {
            self.bar.set_message(text);
        }
    }

    fn warn(&self, message: &str) {
        self.bar.suspend(|| warn(message));
    }

    /// Shows a text on the bar; without a terminal, as a line: one per [`LINE_INTERVAL`], or
    /// `always`.
    fn say(&mut self, text: &str, always: bool) {
        self.bar.set_message(text.to_owned());
        if self.quiet || !self.bar.is_hidden() {
            return;
        }
        if always || self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            let _ = io::Write::write_all(&mut io::stderr(), format!("{text}\n").as_bytes());
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A time span in a readable unit.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A contradiction in words, with the commands that reproduce it.
fn contradicts(contradiction: &AnswerConflict) -> String {
    let red = AnsiColor::Red.on_default().bold();
    let command = |record: &Record| {
        let program = record.program.as_deref().unwrap_or("lariat");
        shell(program, &record.command)
    };
    let answer = |record: &Record| record.answer.clone().unwrap_or_default();
    let of = |record: &Record| match record.property.as_str() {
        "" => record.model.clone(),
        property => format!("{}, {property}", record.model),
    };
    match contradiction {
        AnswerConflict::Wrong(record) => format!(
            "{red}WRONG{red:#}     {}: {} is known, {} says {}\n    {}\n",
            of(record),
            record.known.clone().unwrap_or_default(),
            record.engine,
            answer(record),
            command(record)
        ),
        AnswerConflict::Disagreement(pair) => {
            let [first, second] = &**pair;
            format!(
                "{red}DISAGREE{red:#}  {}: {} says {}, {} says {}\n    {}\n    {}\n",
                of(first),
                first.engine,
                answer(first),
                second.engine,
                answer(second),
                command(first),
                command(second)
            )
        }
    }
}

/// The summary of a campaign: contradictions first, then one line per engine.
fn summary(report: &CampaignReport) -> String {
    let mut text: String = report.contradictions.iter().map(contradicts).collect();
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let tallies = tallies(&report.records);
    let name = |tally: &Tally| {
        if tally.counts_states {
            format!("{} (states)", tally.engine)
        } else {
            tally.engine.clone()
        }
    };
    let widths = tallies.iter().map(|tally| name(tally).chars().count());
    let width = widths.max().unwrap_or(0).max(6);
    let head = format!("{:width$}", "engine");
    let _ = writeln!(
        text,
        "{bold}{head}   jobs  decided  time  memory  refused  unknown  input  crash  wrong        CPU{bold:#}"
    );
    for tally in &tallies {
        let count = |outcome| tally.count(outcome);
        let decided =
            count(JobOutcome::Holds) + count(JobOutcome::Violated) + count(JobOutcome::Counted);
        let jobs: usize = tally.outcomes.values().sum();
        let _ = writeln!(
            text,
            "{:width$} {jobs:6} {decided:8} {:5} {:7} {:8} {:8} {:6} {:6} {:6} {:8.1} s",
            name(tally),
            count(JobOutcome::Time),
            count(JobOutcome::Memory),
            count(JobOutcome::Refused),
            count(JobOutcome::Unknown),
            count(JobOutcome::Input),
            count(JobOutcome::Crash),
            tally.wrong,
            tally.cpu
        );
    }
    let starved = report.records.iter().filter(|record| record.is_starved());
    let starved = starved.count();
    if starved > 0 {
        let yellow = AnsiColor::Yellow.on_default().bold();
        let _ = writeln!(
            text,
            "{yellow}busy{yellow:#}: {starved} jobs timed out after less than half of their time on a processor; run fewer at a time, or set a `clock` limit"
        );
    }
    let (done, all) = (report.records.len(), report.all);
    let results = report.results.display();
    if report.interrupted {
        let done = format!("{done} of {all} jobs are done");
        let _ = writeln!(text, "interrupted: {done}; the same command continues");
    }
    if done > 0 {
        let more = format!("tables and plots: lariat plot {results}");
        let _ = writeln!(text, "{dim}{results}; {more}{dim:#}");
    }
    text
}

/// The exit status. Engines that contradict each other are an internal error; a known answer may
/// itself be wrong.
fn exit(report: &CampaignReport) -> Exit {
    let found = report.contradictions.iter().map(|found| match found {
        AnswerConflict::Disagreement(_) => Exit::Internal,
        AnswerConflict::Wrong(_) => Exit::Violated,
    });
    let interrupted = report.interrupted.then_some(Exit::Interrupted);
    found.chain(interrupted).max().unwrap_or(Exit::Fine)
}
