//! From a campaign to its jobs.
//!
//! Every combination of model, property and engine is a job, and every model with every way to count
//! states; the same campaign has the same jobs everywhere. A job's id is a hash of what its result may depend
//! on — contents of the model, property, engine and switches, limits, number of the repetition — and not of
//! where files are, so that machines can share a campaign, nor of the version: what is measured
//! anew belongs into another folder.

use crate::file::{Campaign, Limits as GivenLimits, Preset};
use crate::id::{self, Hash};
use crate::job::Task;
use crate::models::Model;
use crate::properties::Property;
use crate::record::Limits;
use std::path::{Path, PathBuf};

/// A job that is to be done.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The model's name.
    pub model: String,
    /// The model's family.
    pub family: String,
    /// The property's name; empty when states are counted.
    pub property: String,
    /// The property's group.
    pub group: String,
    /// The formula, where it is known beforehand.
    pub formula: Option<String>,
    /// The seed of the formula.
    pub seed: Option<u64>,
    /// The preset's name.
    pub engine: String,
    /// The number of the repetition, from 1.
    pub repetition: u32,
    /// The answer that is known.
    pub known: Option<String>,
    /// What is run.
    pub task: Task,
    /// The program, where it is not this one.
    pub program: Option<String>,
}

/// A part of a campaign: shard `index`, from 1, of `count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part.
    pub index: u32,
    /// Of how many.
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
    /// Does the job belong to this part?
    pub fn has(self, job: &Job) -> bool {
        id::shard(&job.id, self.count) == self.index - 1
    }
}

/// The programs of a campaign: this one, unless the campaign or the command line names another.
#[derive(Clone, Debug)]
pub struct Programs {
    /// This program.
    pub own: PathBuf,
    /// The one of the command line.
    pub given: Option<PathBuf>,
}

impl Programs {
    /// What runs jobs of `preset`, and its name where it is not this program.
    pub fn of(&self, campaign: &Campaign, preset: Option<&Preset>) -> (PathBuf, Option<String>) {
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

/// A program beside the campaign; a bare word is looked for where all programs are.
fn relative(campaign: &Campaign, program: &Path) -> PathBuf {
    match program.components().count() {
        1 => program.to_owned(),
        _ => campaign.source.folder.join(program),
    }
}

/// The arguments that check a property.
pub(crate) fn check(
    model: &Path,
    property: &[String],
    engine: &[String],
    limits: &Limits,
    clock: f64,
) -> Vec<String> {
    let mut args = vec!["check".to_owned(), model.display().to_string()];
    args.extend_from_slice(property);
    // Engines are measured, not what is done afterwards for whoever reads a run.
    args.extend(["--as-found", "--no-vacuity"].map(str::to_owned));
    // Processor time is measured, and counts are to repeat: one thread, unless threads are what a campaign is about.
    if !engine.iter().any(|arg| arg == "--threads") {
        args.extend(["--threads", "1"].map(str::to_owned));
    }
    finish(args, engine, limits, clock)
}

/// The arguments that count states.
fn states(model: &Path, engine: &[String], limits: &Limits, clock: f64) -> Vec<String> {
    let args = vec!["states".to_owned(), model.display().to_string()];
    finish(args, engine, limits, clock)
}

fn finish(mut args: Vec<String>, engine: &[String], limits: &Limits, clock: f64) -> Vec<String> {
    args.push("--engine".to_owned());
    args.extend_from_slice(engine);
    args.push("--timeout".to_owned());
    args.push(format!("{clock}s"));
    args.push("--memory".to_owned());
    args.push(limits.bytes.to_string());
    args.push("--json".to_owned());
    args
}

/// All jobs of a campaign, given the properties of each model.
pub fn jobs(
    campaign: &Campaign,
    models: &[(Model, Vec<Property>)],
    programs: &Programs,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for repetition in 1..=campaign.repetitions {
        for (model, properties) in models {
            for property in properties {
                for preset in &campaign.engines {
                    let of = (model, Some(property), preset.as_ref());
                    jobs.push(job(campaign, of, repetition, programs));
                }
            }
            for preset in &campaign.states {
                let of = (model, None, preset.as_ref());
                jobs.push(job(campaign, of, repetition, programs));
            }
        }
    }
    jobs
}

fn job(
    campaign: &Campaign,
    (model, property, preset): (&Model, Option<&Property>, &Preset),
    repetition: u32,
    programs: &Programs,
) -> Job {
    let limits = Limits::from(campaign.limits);
    let GivenLimits {
        time,
        memory,
        clock,
    } = campaign.limits;
    let clock = clock.unwrap_or(time).0.as_secs_f64();
    let (program, name) = programs.of(campaign, Some(preset));
    let args = match property {
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
        task: Task {
            program,
            args,
            limits,
            clock,
        },
        program: name,
    }
}
