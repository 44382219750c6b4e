//! The result of one job: a line of JSON with everything needed to repeat the job.
//!
//! Records are the interface between running and plotting. A line is written once, when its job has
//! ended. If a file is cut off within a line, only this line is lost.

use lariat::internals::Statistic;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::fmt;
use std::io::{self, BufRead};

/// Version of the format, in every line.
pub const SCHEMA: u32 = 1;

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobOutcome {
    /// The property holds.
    Holds,
    /// The property is violated, and the counterexample was replayed.
    Violated,
    /// The states were counted.
    Counted,
    /// The engine does not support the property or the model.
    Refused,
    /// Stopped by the time limit.
    Time,
    /// Stopped by the memory limit.
    Memory,
    /// Undecided for another reason, given in [`Record::reason`].
    Unknown,
    /// The model or the property could not be read.
    Input,
    /// The process crashed: a signal, an internal error, or output that is not an answer.
    Crash,
}

impl JobOutcome {
    /// Returns whether the job gave an answer.
    pub fn is_decided(self) -> bool {
        use JobOutcome::{Counted, Holds, Violated};
        matches!(self, Holds | Violated | Counted)
    }

    /// Returns its name in results and tables.
    pub fn word(self) -> &'static str {
        match self {
            JobOutcome::Holds => "holds",
            JobOutcome::Violated => "violated",
            JobOutcome::Counted => "counted",
            JobOutcome::Refused => "refused",
            JobOutcome::Time => "time",
            JobOutcome::Memory => "memory",
            JobOutcome::Unknown => "unknown",
            JobOutcome::Input => "input",
            JobOutcome::Crash => "crash",
        }
    }
}

impl fmt::Display for JobOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Limits on the resources of one job.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct JobLimits {
    /// Seconds of processor time. Wall-clock time is limited similarly.
    pub seconds: f64,
    /// Bytes of memory.
    pub bytes: u64,
}

/// A job and its result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The name of the campaign.
    pub campaign: String,
    /// The job's id in its campaign: a hash of everything its result depends on, in hexadecimal.
    pub job: String,
    /// The model's short name, such as `kanban-5` or `Raft-PT-03`.
    pub model: String,
    /// The family of models in which it is summed up, such as `kanban` or `Raft`.
    pub family: String,
    /// The property's name, unique within its model; empty if states are counted.
    pub property: String,
    /// The formula as text, if there is one.
    pub formula: Option<String>,
    /// The group of properties that tables list separately, such as `random`; may be empty.
    pub group: String,
    /// The preset's name: the name of the engine in tables and plots.
    pub engine: String,
    /// The number of the repetition, from 1.
    pub repetition: u32,
    /// The seed, if the formula is random.
    pub seed: Option<u64>,
    /// Arguments of `lariat` that repeat the job, without the program's name.
    pub command: Vec<String>,
    /// The program, if it is not the one that ran the campaign.
    #[serde(default)]
    pub program: Option<String>,
    /// The limits of the job.
    pub limits: JobLimits,
    /// The outcome.
    pub outcome: JobOutcome,
    /// The reason that the job gave for not deciding.
    pub reason: Option<String>,
    /// The signal that ended the process, if one did.
    pub signal: Option<i32>,
    /// The last lines of its standard error, if it crashed or was killed.
    pub last_words: Option<String>,
    /// The known answer: `holds`, `violated`, or a number of states.
    pub known: Option<String>,
    /// The answer in the format of `known`, if there is one.
    pub answer: Option<String>,
    /// Seconds of processor time, measured by the operating system.
    pub cpu: f64,
    /// Seconds of wall-clock time.
    pub wall: f64,
    /// Peak resident memory in bytes, measured by the operating system.
    pub peak_bytes: u64,
    /// The engine that decided, if the preset may run several (`auto`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// Seconds of the engine, without reading the model and the property.
    pub engine_seconds: Option<f64>,
    /// The variable order, if the engine used one.
    pub order: Option<String>,
    /// The statistics of the engine, in the format of `--json`.
    pub stats: Map<String, Json>,
    /// The version of Lariat.
    pub version: String,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
    /// The name of the machine.
    pub host: String,
}

impl Record {
    /// Returns whether the job reached its time limit with less than half of it as processor time.
    /// Then the machine was busy otherwise, and the result says nothing about the engine.
    pub fn is_starved(&self) -> bool {
        self.outcome == JobOutcome::Time && self.cpu < self.limits.seconds / 2.0
    }

    /// Returns whether the answer contradicts the known one.
    pub fn is_wrong(&self) -> bool {
        matches!((&self.known, &self.answer), (Some(known), Some(answer)) if known != answer)
    }

    /// Returns a value of the engine's statistics.
    pub fn stat(&self, statistic: Statistic) -> Option<f64> {
        self.stats.get(statistic.name()).and_then(Json::as_f64)
    }
}

/// Reads all records of a file of results. A line that is not a record is an error with its number,
/// except for a last line without line feed, where a campaign was killed.
pub fn read(mut input: impl BufRead) -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(&line) {
            Ok(record) => records.push(record),
            Err(_) if !line.ends_with('\n') => break,
            Err(error) => {
                // The line number of serde is relative to this line.
                let why = error.to_string();
                let why = why.split(" at line ").next().unwrap_or_default();
                let column = error.column();
                let message = format!(
                    "line {number}, column {column}: not a record as `lariat bench` writes to results.jsonl: {why}"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
    }
    Ok(records)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with ordinary values.
    pub(crate) fn plain() -> Record {
        Record {
            schema: SCHEMA,
            campaign: "small".to_owned(),
            job: "00".to_owned(),
            model: "kanban-5".to_owned(),
            family: "kanban".to_owned(),
            property: "r1".to_owned(),
            formula: Some("G a".to_owned()),
            group: "random".to_owned(),
            engine: "slap".to_owned(),
            repetition: 1,
            seed: Some(1),
            command: vec!["check".to_owned()],
            program: None,
            limits: JobLimits {
                seconds: 10.0,
                bytes: 1 << 30,
            },
            outcome: JobOutcome::Holds,
            reason: None,
            signal: None,
            last_words: None,
            known: None,
            answer: Some("holds".to_owned()),
            cpu: 0.5,
            wall: 0.5,
            peak_bytes: 1 << 20,
            decided_by: None,
            engine_seconds: Some(0.4),
            order: None,
            stats: Map::new(),
            version: "0.1.0".to_owned(),
            commit: None,
            host: "here".to_owned(),
        }
    }

    #[test]
    fn only_an_incomplete_last_line_is_ignored() {
        let line = serde_json::to_string(&plain()).unwrap();
        let cut = format!("{line}\n\n{line}\n{}", &line[..line.len() / 2]);
        assert_eq!(read(cut.as_bytes()).unwrap(), [plain(), plain()]);
        let broken = format!("{line}\n{}\n{line}\n", &line[..line.len() / 2]);
        let error = read(broken.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("line 2, "), "{error}");
    }

    #[test]
    fn a_known_answer_is_compared() {
        let mut record = plain();
        assert!(!record.is_wrong());
        record.known = Some("violated".to_owned());
        assert!(record.is_wrong());
        record.answer = None;
        assert!(!record.is_wrong());
    }
}
