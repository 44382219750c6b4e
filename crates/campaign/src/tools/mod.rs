//! Other tools in a campaign: conversion of model and formula, steps to run, and the verdict.
//!
//! A tool is defined by data ([`ToolDefinition`]). Its job is a process of this program, which
//! writes the model in the tool's language (`nets`), spells the formula (`spell`) and runs the
//! steps one after another; their output contains the verdict. The limits of the job hold for the
//! steps, which belong to its process group.

mod nets;
mod spell;

use lariat::internals::Budget;
use lariat::internals::formats;
use lariat::internals::ir::PropertyList;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The language of a tool's models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelLanguage {
    /// The file of the model itself.
    Pnml,
    /// A process with one guarded step per transition, with the formula as `ltl` block.
    Promela,
    /// A module with one range variable per place, with the formula as `LTLSPEC`.
    Smv,
}

/// The spelling of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormulaLanguage {
    /// `[]`, `<>`, `V`; atoms are macros.
    Spin,
    /// As SPIN, with comparisons of places in place.
    Ltsmin,
    /// `G`, `F`, `R`; atoms are comparisons of places in quotes.
    Its,
    /// `G`, `F`, `V`; atoms are comparisons of variables.
    Smv,
}

/// A tool: the programs, the conversions, the steps and the reading of the verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolDefinition {
    /// Its name, by which `engines` refer to it.
    pub name: String,
    /// Programs that must be in the search path; jobs are skipped otherwise.
    pub needs: Vec<String>,
    /// The language of its models.
    pub model: ModelLanguage,
    /// The spelling of its formulas.
    pub formula: FormulaLanguage,
    /// Commands in a folder for each job. `{model}` is the model's file, `{formula}` the formula.
    pub steps: Vec<Vec<String>>,
    /// Output that means that there is no answer. It has precedence.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// Output of a violated formula.
    pub violated: Vec<String>,
    /// Output of a formula that holds.
    pub holds: Vec<String>,
}

/// The job of a tool, as its process receives it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolJob {
    /// The tool.
    pub tool: ToolDefinition,
    /// The model.
    pub model: PathBuf,
    /// The formula, in the syntax of Lariat.
    pub formula: String,
    /// The folder in which a folder for this job is created.
    pub scratch: PathBuf,
}

/// The verdict of a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolVerdict {
    /// The formula holds.
    Holds,
    /// The formula is violated. The tool's counterexample is not read.
    Violated,
    /// No answer, for this reason.
    Unknown(String),
}

/// Limit on the output of a step that is read.
const MOST_OUTPUT: u64 = 16 << 20;

impl ToolDefinition {
    /// Returns a program that is needed and not in the search path.
    pub fn missing(&self) -> Option<&str> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let exists = |name: &&String| std::env::split_paths(&path).all(|f| !f.join(name).is_file());
        self.needs.iter().find(exists).map(String::as_str)
    }

    /// Reads the verdict in the output of the last step.
    fn read(&self, output: &str) -> Option<ToolVerdict> {
        let contains = |texts: &[String]| texts.iter().any(|text| output.contains(text));
        if let Some(text) = self.unknown.iter().find(|text| output.contains(*text)) {
            return Some(ToolVerdict::Unknown(format!(
                "its output contains `{text}`"
            )));
        }
        match (contains(&self.violated), contains(&self.holds)) {
            (true, false) => Some(ToolVerdict::Violated),
            (false, true) => Some(ToolVerdict::Holds),
            (true, true) => {
                let why = "its output contains both verdicts".to_owned();
                Some(ToolVerdict::Unknown(why))
            }
            (false, false) => None,
        }
    }
}

impl ToolJob {
    /// Converts the model and the formula, runs the steps and reads the verdict. The error is for
    /// the user: the input cannot be converted, or a program cannot be run.
    pub fn run(&self, budget: &Budget) -> Result<ToolVerdict, String> {
        let folder = self.scratch.join(std::process::id().to_string());
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let verdict = self.run_in(&folder, budget);
        // A folder that cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(&folder);
        verdict
    }

    fn run_in(&self, folder: &Path, budget: &Budget) -> Result<ToolVerdict, String> {
        let origin = self.model.display().to_string();
        let bytes = std::fs::read(&self.model).map_err(|e| format!("{origin}: {e}"))?;
        let model = formats::load(&origin, &bytes, budget).map_err(|e| e.to_string())?;
        let mut properties = PropertyList::new();
        let added = properties.add_formula(&model.names(), "formula", None, &self.formula);
        added.map_err(|e| e.to_string())?;
        let converted = match spell::spell(&model.system, &properties, self.tool.formula) {
            Ok(formula) => nets::write(&model.system, &formula, self.tool.model)
                .map(|text| (formula.text.clone(), text)),
            Err(why) => Err(why),
        };
        let (formula, text) = match converted {
            Ok(converted) => converted,
            Err(why) => return Ok(ToolVerdict::Unknown(format!("unsupported: {why}"))),
        };
        let path = match text {
            None => std::fs::canonicalize(&self.model).map_err(|e| format!("{origin}: {e}"))?,
            Some(text) => {
                let path = folder.join("model");
                std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
                path
            }
        };
        let mut last = ToolVerdict::Unknown("it has no steps".to_owned());
        for step in &self.tool.steps {
            let fill = |word: &String| {
                let word = word.replace("{model}", &path.display().to_string());
                word.replace("{formula}", &formula)
            };
            let words: Vec<String> = step.iter().map(fill).collect();
            let (verdict, succeeded) = self.step(&words, folder)?;
            last = verdict;
            if !succeeded {
                break;
            }
        }
        Ok(last)
    }

    /// Runs a step, reads its output, and returns whether it succeeded.
    fn step(&self, words: &[String], folder: &Path) -> Result<(ToolVerdict, bool), String> {
        let [program, args @ ..] = words else {
            return Err("a step without a program".to_owned());
        };
        let cannot = |error| format!("cannot run {program}: {error}");
        let (mut reader, writer) = std::io::pipe().map_err(cannot)?;
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(writer.try_clone().map_err(cannot)?)
            .stderr(writer);
        let mut child = command.spawn().map_err(cannot)?;
        // Closes this process's ends of the pipe, so that reading ends with the child.
        drop(command);
        let mut output = Vec::new();
        let read = (&mut reader).take(MOST_OUTPUT).read_to_end(&mut output);
        let drained = std::io::copy(&mut reader, &mut std::io::sink());
        let status = child.wait().map_err(cannot)?;
        read.and(drained.map(|_| 0)).map_err(cannot)?;
        let output = String::from_utf8_lossy(&output);
        if let Some(verdict) = self.tool.read(&output) {
            return Ok((verdict, status.success()));
        }
        let why = match (status.signal(), status.code()) {
            // The limit of the operating system on processor time.
            (Some(24), _) => "time: a step was stopped".to_owned(),
            (Some(signal), _) => format!("{program} was killed by signal {signal}"),
            (_, code) => {
                let end = output.lines().last().unwrap_or_default();
                let code = code.unwrap_or_default();
                format!("no verdict of {program}, exit code {code}: {end}")
            }
        };
        Ok((ToolVerdict::Unknown(why), status.success()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin() -> ToolDefinition {
        let text = include_str!("../../../../campaigns/tools.toml");
        #[derive(Deserialize)]
        struct File {
            tools: Vec<ToolDefinition>,
        }
        let file: File = toml::from_str(text).expect("the definitions");
        let mut tools = file.tools.into_iter();
        tools.find(|tool| tool.name == "spin").expect("spin")
    }

    #[test]
    fn the_verdict_is_read_from_the_output() {
        let tool = spin();
        let read = |output| tool.read(output);
        assert_eq!(read("errors: 0"), Some(ToolVerdict::Holds));
        assert_eq!(read("errors: 1"), Some(ToolVerdict::Violated));
        let cut = "error: max search depth too small\nerrors: 0";
        assert!(matches!(read(cut), Some(ToolVerdict::Unknown(_))));
        assert_eq!(read("nothing"), None);
    }

    /// SPIN decides formulas of the example net as Lariat does, where it is installed.
    #[test]
    fn spin_agrees_on_the_examples() {
        let tool = spin();
        if let Some(program) = tool.missing() {
            println!("skipped: {program} is not installed");
            return;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let scratch = std::env::temp_dir().join(format!("lariat-tools-{}", std::process::id()));
        for (formula, expected) in [
            ("G !(critical_1 & critical_2)", ToolVerdict::Holds),
            ("G (waiting_1 -> F critical_1)", ToolVerdict::Violated),
            (r#"G "waiting_1 + critical_1 <= 1""#, ToolVerdict::Holds),
            ("waiting_1 W critical_1", ToolVerdict::Violated),
            ("G !deadlock", ToolVerdict::Holds),
            (
                "X waiting_1",
                ToolVerdict::Unknown("unsupported: X, which SPIN usually cannot read".to_owned()),
            ),
        ] {
            let job = ToolJob {
                tool: tool.clone(),
                model: root.join("examples/mutex.pnml"),
                formula: formula.to_owned(),
                scratch: scratch.clone(),
            };
            let found = job.run(&Budget::unlimited()).expect("a run");
            assert_eq!(found, expected, "{formula}");
        }
        let _ = std::fs::remove_dir_all(&scratch);
    }
}
