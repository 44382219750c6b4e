//! Running a campaign: plan the jobs, select random formulas, run the open jobs, compare answers.
//!
//! One folder holds `results.jsonl` (or `results-2-of-4.jsonl` for a shard), the decisions about
//! random formulas and the generated nets. A job with a record in this folder is not run again, so
//! a campaign is resumed by starting it again.

use crate::answer::Ended;
use crate::choose::{Decisions, FormulaChoice};
use crate::file::Campaign;
use crate::job::JobCommand;
use crate::judge::{AnswerConflict, Judge};
use crate::models::{self, CampaignModel};
use crate::plan::{self, Job, Programs, Shard};
use crate::pool::Pool;
use crate::properties::{self, CampaignProperty, OfModel};
use crate::record::{Record, SCHEMA};
use crate::results::{self, ResultsFile};
use crate::worker::WorkerCommand;
use lariat::internals::{Cancel, InputError};
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A campaign and the options of its run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The campaign.
    pub campaign: Campaign,
    /// The folder of its results.
    pub out: PathBuf,
    /// The folder of contest models, if there is one.
    pub contest: Option<PathBuf>,
    /// The programs that run jobs.
    pub programs: Programs,
    /// The command that starts a worker.
    pub runner: WorkerCommand,
    /// Number of jobs that run at a time.
    pub jobs: usize,
    /// The shard to run, if not the whole campaign.
    pub shard: Option<Shard>,
    /// The version of this program, for records.
    pub version: String,
    /// The commit it was built from.
    pub commit: Option<String>,
}

/// A progress event of a running campaign.
#[derive(Debug)]
pub enum CampaignEvent<'a> {
    /// A missing model or property.
    Missing(&'a str),
    /// Progress of the selection of random formulas.
    Choosing {
        /// The model.
        model: &'a str,
        /// The group.
        group: &'a str,
        /// Number of formulas selected so far.
        chosen: usize,
        /// Requested number.
        wanted: usize,
    },
    /// The draws contain too few formulas that fit.
    Few {
        /// The model.
        model: &'a str,
        /// The group.
        group: &'a str,
        /// Number of selected formulas that hold and that are violated.
        counts: [usize; 2],
        /// Requested number.
        wanted: usize,
    },
    /// The jobs start.
    Begin {
        /// Number of jobs of this campaign or shard.
        all: usize,
        /// Number of jobs that earlier runs completed.
        before: usize,
    },
    /// A job has ended.
    Ended(&'a Record),
    /// Contradicting answers, also among earlier records.
    Contradiction(&'a AnswerConflict),
}

/// The result of a run.
#[derive(Debug)]
pub struct CampaignReport {
    /// The file of results.
    pub results: PathBuf,
    /// Number of jobs.
    pub all: usize,
    /// Their records, in the order of the lines.
    pub records: Vec<Record>,
    /// Contradicting answers.
    pub contradictions: Vec<AnswerConflict>,
    /// True if the run was cancelled.
    pub interrupted: bool,
}

/// An error that prevents a campaign from running.
#[derive(Debug)]
pub enum CampaignError {
    /// An error in the campaign, a model or a formula.
    Input(InputError),
    /// An input or output error at this path.
    Io(PathBuf, io::Error),
}

impl fmt::Display for CampaignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CampaignError::Input(error) => error.fmt(f),
            CampaignError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CampaignError {}

impl From<InputError> for CampaignError {
    fn from(error: InputError) -> CampaignError {
        CampaignError::Input(error)
    }
}

/// Adds the path to an input or output error.
fn at(path: &Path) -> impl FnOnce(io::Error) -> CampaignError + '_ {
    move |error| CampaignError::Io(path.to_owned(), error)
}

impl Setup {
    fn decisions(&self) -> PathBuf {
        self.out.join("decisions.jsonl")
    }

    fn results(&self) -> PathBuf {
        self.out.join(match self.shard {
            None => "results.jsonl".to_owned(),
            Some(Shard { index, count }) => format!("results-{index}-of-{count}.jsonl"),
        })
    }

    /// Returns the models with the properties of each.
    fn models(
        &self,
        missing: &mut Vec<String>,
    ) -> Result<Vec<(CampaignModel, OfModel<'_>)>, CampaignError> {
        let cache = self.out.join("models");
        let found = models::find(&self.campaign, &cache, self.contest.as_deref())?;
        missing.extend(found.missing);
        for preset in &self.campaign.engines {
            let tool = plan::tool_of(&self.campaign, preset.as_ref());
            if let Some((tool, program)) = tool.and_then(|tool| Some((tool, tool.missing()?))) {
                let name = &tool.name;
                missing.push(format!("{name}: the program `{program}` is not installed"));
            }
        }
        let mut all = Vec::new();
        for model in found.models {
            let mut of = if self.campaign.engines.is_empty() {
                OfModel::default()
            } else {
                properties::of_model(&self.campaign, &model)?
            };
            missing.append(&mut of.missing);
            all.push((model, of));
        }
        Ok(all)
    }

    fn jobs(&self, models: &[(CampaignModel, Vec<CampaignProperty>)]) -> Vec<Job> {
        let mut jobs = plan::jobs(&self.campaign, models, &self.programs);
        if let Some(shard) = self.shard {
            jobs.retain(|job| shard.has(job));
        }
        jobs
    }

    fn nothing_to_run(&self) -> CampaignError {
        let error = InputError::new(&self.campaign.source.origin, "there is nothing to run");
        CampaignError::Input(error.help("every model or property of the campaign is missing"))
    }
}

/// The jobs of a campaign, without running anything.
#[derive(Debug)]
pub struct Preview {
    /// Jobs of all properties selected so far.
    pub jobs: Vec<Job>,
    /// Random formulas still to be selected: model, group and number.
    pub open: Vec<(String, String, usize)>,
    /// Messages about missing models and properties.
    pub missing: Vec<String>,
}

/// Lists the jobs of a campaign. Of random formulas, it lists those selected by earlier runs.
pub fn preview(setup: &Setup) -> Result<Preview, CampaignError> {
    let mut missing = Vec::new();
    let path = setup.decisions();
    let decisions = Decisions::read(&path).map_err(at(&path))?;
    let (program, _) = setup.programs.of(&setup.campaign, None);
    let mut open = Vec::new();
    let mut models = Vec::new();
    for (model, of) in setup.models(&mut missing)? {
        let mut properties = of.certain;
        for lottery in &of.lotteries {
            let chosen =
                FormulaChoice::new(lottery, &model, &program).map(|c| c.chosen(&decisions));
            let chosen = chosen.unwrap_or_default();
            if !chosen.complete {
                let rest = lottery.random.number - chosen.properties.len();
                open.push((model.name.clone(), lottery.group.to_owned(), rest));
            }
            properties.extend(chosen.properties);
        }
        models.push((model, properties));
    }
    let jobs = setup.jobs(&models);
    if jobs.is_empty() && open.is_empty() && setup.shard.is_none() {
        return Err(setup.nothing_to_run());
    }
    Ok(Preview {
        jobs,
        open,
        missing,
    })
}

/// Runs the open jobs of a campaign. Calls `on_event` on the calling thread.
pub fn run(
    setup: &Setup,
    cancel: &Cancel,
    on_event: &mut dyn FnMut(&CampaignEvent<'_>),
) -> Result<CampaignReport, CampaignError> {
    let path = setup.results();
    let mut file = ResultsFile::open(&path).map_err(at(&path))?;
    let mut missing = Vec::new();
    let models = setup.models(&mut missing)?;
    for missing in &missing {
        on_event(&CampaignEvent::Missing(missing));
    }
    if models.is_empty() {
        return Err(setup.nothing_to_run());
    }
    for (model, _) in &models {
        models::write_generated(model).map_err(at(&model.path))?;
    }
    let mut pool =
        Pool::start(&setup.runner, setup.jobs, cancel).map_err(at(&setup.runner.program))?;
    let mut report = CampaignReport {
        results: path.clone(),
        all: 0,
        records: Vec::new(),
        contradictions: Vec::new(),
        interrupted: false,
    };
    let chosen = choose(setup, models, &mut pool, on_event);
    let models = match chosen {
        Err(CampaignError::Io(_, error)) if error.kind() == io::ErrorKind::Interrupted => {
            report.interrupted = true;
            return Ok(report);
        }
        chosen => chosen?,
    };
    let jobs = setup.jobs(&models);
    if jobs.is_empty() && setup.shard.is_none() {
        return Err(setup.nothing_to_run());
    }
    report.all = jobs.len();
    let before = results::read_all(&setup.out).map_err(at(&setup.out))?;
    let ids: HashSet<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
    let mut done = HashSet::new();
    let mut judge = Judge::default();
    // Two shards of different division may both have run a job; the first record counts.
    for record in before {
        if !ids.contains(record.job.as_str()) || !done.insert(record.job.clone()) {
            continue;
        }
        add_contradiction(judge.add(&record), &mut report, on_event);
        report.records.push(record);
    }
    on_event(&CampaignEvent::Begin {
        all: jobs.len(),
        before: done.len(),
    });
    let todo: Vec<&Job> = jobs.iter().filter(|job| !done.contains(&job.id)).collect();
    let tasks: Vec<JobCommand> = todo.iter().map(|job| job.task.clone()).collect();
    let host = host();
    let ran = pool.run(tasks, |number, ended| {
        let record = record(setup, todo[number], ended, &host);
        file.append(&record)?;
        on_event(&CampaignEvent::Ended(&record));
        add_contradiction(judge.add(&record), &mut report, on_event);
        report.records.push(record);
        Ok(())
    });
    match ran {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => report.interrupted = true,
        ran => ran.map_err(at(&path))?,
    }
    Ok(report)
}

fn add_contradiction(
    found: Option<AnswerConflict>,
    report: &mut CampaignReport,
    on_event: &mut dyn FnMut(&CampaignEvent<'_>),
) {
    if let Some(contradiction) = found {
        on_event(&CampaignEvent::Contradiction(&contradiction));
        report.contradictions.push(contradiction);
    }
}

/// Returns the models with all their properties, including the selected random formulas.
fn choose(
    setup: &Setup,
    models: Vec<(CampaignModel, OfModel<'_>)>,
    pool: &mut Pool,
    on_event: &mut dyn FnMut(&CampaignEvent<'_>),
) -> Result<Vec<(CampaignModel, Vec<CampaignProperty>)>, CampaignError> {
    let path = setup.decisions();
    let mut decisions: Option<Decisions> = None;
    let (program, _) = setup.programs.of(&setup.campaign, None);
    let mut all = Vec::new();
    for (model, of) in models {
        let mut properties = of.certain;
        for lottery in &of.lotteries {
            let Some(choice) = FormulaChoice::new(lottery, &model, &program) else {
                continue;
            };
            let decisions = match &mut decisions {
                Some(decisions) => decisions,
                none => none.insert(Decisions::open(&path).map_err(at(&path))?),
            };
            let wanted = lottery.random.number;
            let (name, group) = (&*model.name, lottery.group);
            let chosen = choice.run(pool, decisions, |chosen| {
                on_event(&CampaignEvent::Choosing {
                    model: name,
                    group,
                    chosen: chosen.properties.len(),
                    wanted,
                });
            });
            let chosen = chosen.map_err(at(&path))?;
            if !chosen.complete {
                on_event(&CampaignEvent::Few {
                    model: name,
                    group,
                    counts: chosen.counts,
                    wanted,
                });
            }
            properties.extend(chosen.properties);
        }
        all.push((model, properties));
    }
    Ok(all)
}

fn record(setup: &Setup, job: &Job, ended: Ended, host: &str) -> Record {
    let own = job.program.is_none();
    Record {
        schema: SCHEMA,
        campaign: setup.campaign.name.clone(),
        job: job.id.clone(),
        model: job.model.clone(),
        family: job.family.clone(),
        property: job.property.clone(),
        formula: job.formula.clone().or(ended.formula),
        group: job.group.clone(),
        engine: job.engine.clone(),
        repetition: job.repetition,
        seed: job.seed,
        command: job.task.args.clone(),
        program: job.program.clone(),
        limits: job.task.limits,
        outcome: ended.outcome,
        reason: ended.reason,
        signal: ended.signal,
        last_words: ended.last_words,
        known: job.known.clone(),
        answer: ended.answer,
        cpu: ended.cpu,
        wall: ended.wall,
        peak_bytes: ended.peak_bytes,
        decided_by: ended.decided_by,
        engine_seconds: ended.engine_seconds,
        order: ended.order,
        stats: ended.stats,
        // The version of another program is unknown.
        version: if own {
            setup.version.clone()
        } else {
            "?".to_owned()
        },
        commit: if own { setup.commit.clone() } else { None },
        host: host.to_owned(),
    }
}

fn host() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}
