//! The jobs of a campaign.
//!
//! Every combination of model, property and engine is a job, and so is every combination of model
//! and state-counting preset. A job's id is a hash of everything its result depends on: contents of
//! the model, property, engine and switches, limits, repetition. File locations are not hashed, so
//! machines can share a campaign; nor is the version, so a new version needs a new results folder.

use crate::file::{Campaign, EnginePreset, LimitsSection};
use crate::id::{self, Hash};
use crate::job::JobCommand;
use crate::models::CampaignModel;
use crate::properties::CampaignProperty;
use crate::record::JobLimits;
use crate::tools::{ToolDefinition, ToolJob};
use std::path::{Path, PathBuf};

/// A job: a task with the data for its record.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Its id, a hash (see the module).
    pub id: String,
    /// The model's name.
    pub model: String,
    /// The model's family.
    pub family: String,
    /// The property's name; empty if states are counted.
    pub property: String,
    /// The property's group.
    pub group: String,
    /// The formula, unless it is read from a contest file by the job.
    pub formula: Option<String>,
    /// The seed of a random formula.
    pub seed: Option<u64>,
    /// The preset's name.
    pub engine: String,
    /// The number of the repetition, from 1.
    pub repetition: u32,
    /// The known answer.
    pub known: Option<String>,
    /// The process to run and its limits.
    pub task: JobCommand,
    /// The program, if it is not this one.
    pub program: Option<String>,
}

/// A part of a campaign: shard `index`, from 1, of `count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Index of the shard, from 1.
    pub index: u32,
    /// Number of shards.
    pub count: u32,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err("expected I/N with 1 ≤ I ≤ N, such as 2/4".to_owned()),
        }
    }
}

impl Shard {
    /// Returns whether the job belongs to this shard.
    pub fn has(self, job: &Job) -> bool {
        id::shard(&job.id, self.count) == self.index - 1
    }
}

/// The programs of a campaign: this one, unless the campaign or the command line names another.
#[derive(Clone, Debug)]
pub struct Programs {
    /// This program.
    pub own: PathBuf,
    /// The program named on the command line.
    pub given: Option<PathBuf>,
}

impl Programs {
    /// Returns the program that runs jobs of `preset`, and its name if it is not this program.
    pub fn of(
        &self,
        campaign: &Campaign,
        preset: Option<&EnginePreset>,
    ) -> (PathBuf, Option<String>) {
        let named = preset
            .and_then(|preset| preset.program.as_ref())
            .map(|program| relative(campaign, program))
            .or_else(|| self.given.clone())
            .or_else(|| Some(relative(campaign, campaign.program.as_ref()?)));
        match named {
            Some(program) => {
                let name = program.display().to_string();
                (program, Some(name))
            }
            None => (self.own.clone(), None),
        }
    }
}

/// Resolves a program relative to the campaign; a bare file name is searched in `PATH`.
fn relative(campaign: &Campaign, program: &Path) -> PathBuf {
    match program.components().count() {
        1 => program.to_owned(),
        _ => campaign.source.folder.join(program),
    }
}

/// Returns the arguments that check a property.
pub(crate) fn check(
    model: &Path,
    property: &[String],
    engine: &[String],
    limits: &JobLimits,
    clock: f64,
) -> Vec<String> {
    let mut args = vec!["check".to_owned(), model.display().to_string()];
    args.extend_from_slice(property);
    // Campaigns measure engines, without shortening of counterexamples or the vacuity check.
    args.extend(["--as-found", "--no-vacuity"].map(str::to_owned));
    // One thread, so that counts repeat, unless the preset says otherwise.
    if !engine.iter().any(|arg| arg == "--threads") {
        args.extend(["--threads", "1"].map(str::to_owned));
    }
    finish(args, engine, limits, clock)
}

/// Returns the arguments that count states.
fn states(model: &Path, engine: &[String], limits: &JobLimits, clock: f64) -> Vec<String> {
    let args = vec!["states".to_owned(), model.display().to_string()];
    finish(args, engine, limits, clock)
}

fn finish(mut args: Vec<String>, engine: &[String], limits: &JobLimits, clock: f64) -> Vec<String> {
    args.push("--engine".to_owned());
    args.extend_from_slice(engine);
    args.push("--timeout".to_owned());
    args.push(format!("{clock}s"));
    args.push("--memory".to_owned());
    args.push(limits.bytes.to_string());
    args.push("--json".to_owned());
    args
}

/// Returns all jobs of a campaign, given the properties of each model.
pub fn jobs(
    campaign: &Campaign,
    models: &[(CampaignModel, Vec<CampaignProperty>)],
    programs: &Programs,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for repetition in 1..=campaign.repetitions {
        for (model, properties) in models {
            for property in properties {
                for preset in &campaign.engines {
                    let preset = preset.as_ref();
                    if !applies(campaign, preset, property) {
                        continue;
                    }
                    let property = Some(property);
                    jobs.push(job(campaign, programs, model, property, preset, repetition));
                }
            }
            for preset in &campaign.states {
                let preset = preset.as_ref();
                jobs.push(job(campaign, programs, model, None, preset, repetition));
            }
        }
    }
    jobs
}

/// Returns the tool of a preset, if it has one.
pub(crate) fn tool_of<'c>(
    campaign: &'c Campaign,
    preset: &EnginePreset,
) -> Option<&'c ToolDefinition> {
    let name = preset.tool.as_ref()?;
    campaign.tools.iter().find(|tool| tool.name == *name)
}

/// Returns whether a preset decides a property: tools that are not installed decide none, and the
/// others those without fairness whose formula is not in a contest file.
fn applies(campaign: &Campaign, preset: &EnginePreset, property: &CampaignProperty) -> bool {
    tool_of(campaign, preset).is_none_or(|tool| {
        tool.missing().is_none() && property.formula.is_some() && !property.is_fair()
    })
}

/// Returns the arguments that run a tool. Its files are in a folder of the system for temporary
/// files.
fn tool_args(tool: &ToolDefinition, model: &Path, formula: &str) -> Vec<String> {
    let job = ToolJob {
        tool: tool.clone(),
        model: model.to_owned(),
        formula: formula.to_owned(),
        scratch: std::env::temp_dir().join("lariat-tools"),
    };
    // A definition is plain data.
    let json = serde_json::to_string(&job).unwrap_or_default();
    vec!["bench-tool".to_owned(), json]
}

fn job(
    campaign: &Campaign,
    programs: &Programs,
    model: &CampaignModel,
    property: Option<&CampaignProperty>,
    preset: &EnginePreset,
    repetition: u32,
) -> Job {
    let limits = JobLimits::from(campaign.limits);
    let LimitsSection {
        time,
        memory,
        clock,
    } = campaign.limits;
    let clock = clock.unwrap_or(time).0.as_secs_f64();
    let (program, name) = programs.of(campaign, Some(preset));
    let tool = tool_of(campaign, preset);
    let args = match property {
        Some(CampaignProperty {
            formula: Some(formula),
            ..
        }) if tool.is_some() => {
            tool.map_or_else(Vec::new, |tool| tool_args(tool, &model.path, formula))
        }
        Some(property) => check(&model.path, &property.args, &preset.args, &limits, clock),
        None => states(&model.path, &preset.args, &limits, clock),
    };
    let mut hash = Hash::new()
        .with(&campaign.name)
        .with(&model.name)
        .with(&model.hash)
        .with(property.map_or("", |property| &property.name))
        .with(property.map_or("", |property| &property.hash))
        .with(&preset.name)
        .with(name.as_deref().unwrap_or_default())
        .with(time.0.as_nanos().to_string())
        .with(memory.0.to_string())
        .with(clock.to_string())
        .with(repetition.to_string());
    for arg in &preset.args {
        hash = hash.with(arg);
    }
    if let Some(tool) = tool {
        hash = hash.with(format!("{tool:?}"));
    }
    Job {
        id: hash.hex(),
        model: model.name.clone(),
        family: model.family.clone(),
        property: property.map_or(String::new(), |property| property.name.clone()),
        group: property.map_or(String::new(), |property| property.group.clone()),
        formula: property.and_then(|property| property.formula.clone()),
        seed: property.and_then(|property| property.seed),
        engine: preset.name.clone(),
        repetition,
        known: match property {
            Some(property) => property.known.map(|known| known.word().to_owned()),
            None => model.states.clone(),
        },
        task: JobCommand {
            program,
            args,
            limits,
            clock,
        },
        program: name,
    }
}
