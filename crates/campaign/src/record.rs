//! One job's result: a line of JSON, with everything needed to repeat it.
//!
//! This is the seam between running and plotting. A line is written once, whole, when its job
//! has ended; a file that was cut off in the middle of a line loses that line and no other.

use lariat::internals::Statistic;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::fmt;
use std::io::{self, BufRead};

/// The version of the format, in every line.
pub const SCHEMA: u32 = 1;

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The property holds.
    Holds,
    /// The property is violated, and the counterexample was replayed.
    Violated,
    /// The states were counted.
    Counted,
    /// The engine cannot answer such a question, and said so.
    Refused,
    /// The time was over.
    Time,
    /// The memory was used up.
    Memory,
    /// Undecided for another reason, which is told.
    Unknown,
    /// The model or the property could not be read.
    Input,
    /// The process died: a signal, an internal error, or words that are not an answer.
    Crash,
}

impl Outcome {
    /// Is it an answer?
    pub fn is_decided(self) -> bool {
        matches!(self, Outcome::Holds | Outcome::Violated | Outcome::Counted)
    }

    /// The word for it in results and tables.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Violated => "violated",
            Outcome::Counted => "counted",
            Outcome::Refused => "refused",
            Outcome::Time => "time",
            Outcome::Memory => "memory",
            Outcome::Unknown => "unknown",
            Outcome::Input => "input",
            Outcome::Crash => "crash",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What one job may use.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of processor time, and about as many of the clock.
    pub seconds: f64,
    /// Bytes of memory.
    pub bytes: u64,
}

/// A job and how it ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// The name of the campaign.
    pub campaign: String,
    /// What identifies the job in its campaign: a hash of all that it depends on, in hexadecimal.
    pub job: String,
    /// The model's short name, such as `kanban-5` or `Raft-PT-03`.
    pub model: String,
    /// The models it is summed up with, such as `kanban` or `Raft`.
    pub family: String,
    /// The property's name, unique within its model; empty when states are counted.
    pub property: String,
    /// The formula as text, where there is one.
    pub formula: Option<String>,
    /// A group of properties that tables keep apart, such as `random` or `fairness`; may be empty.
    pub group: String,
    /// The preset's name: what tables and plots call the engine.
    pub engine: String,
    /// The number of the repetition, from 1.
    pub repetition: u32,
    /// The seed of what was drawn at random, if anything was.
    pub seed: Option<u64>,
    /// Arguments of `lariat` that repeat the job, without the program's name.
    pub command: Vec<String>,
    /// The program, where it was another than the one that ran the campaign.
    #[serde(default)]
    pub program: Option<String>,
    /// The limits of the job.
    pub limits: Limits,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it is not decided, in the words of the job.
    pub reason: Option<String>,
    /// The signal that ended the process, if one did.
    pub signal: Option<i32>,
    /// The last lines of its standard error, where it did not end well.
    pub last_words: Option<String>,
    /// The answer that is known beforehand: `holds`, `violated`, or a number of states.
    pub known: Option<String>,
    /// The answer as `known` would spell it, if there is one.
    pub answer: Option<String>,
    /// Seconds of processor time, as the system counted them.
    pub cpu: f64,
    /// Seconds by the clock.
    pub wall: f64,
    /// The largest resident memory in bytes, as the system saw it.
    pub peak_bytes: u64,
    /// Which engine decided, where one of several may have (`auto`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The engine's own seconds, without reading the model and the property.
    pub engine_seconds: Option<f64>,
    /// The variable order used, where there was one.
    pub order: Option<String>,
    /// The statistics of the engine, as in its JSON.
    pub stats: Map<String, Json>,
    /// The version of Lariat.
    pub version: String,
    /// The commit it was built from, where that is known.
    pub commit: Option<String>,
    /// The name of the machine.
    pub host: String,
}

impl Record {
    /// Did it run out of time with less than half of it on a processor? Then the machine was busy with something
    /// else, and the job tells nothing of the engine.
    pub fn is_starved(&self) -> bool {
        self.outcome == Outcome::Time && self.cpu < self.limits.seconds / 2.0
    }

    /// Does the answer contradict the known one?
    pub fn is_wrong(&self) -> bool {
        matches!((&self.known, &self.answer), (Some(known), Some(answer)) if known != answer)
    }

    /// A figure of the engine's statistics.
    pub fn stat(&self, statistic: Statistic) -> Option<f64> {
        self.stats.get(statistic.name()).and_then(Json::as_f64)
    }
}

/// All records of a file of results. A line that is not one is an error with its number, unless
/// it is the last and has no end: that is where a run was cut off.
pub fn read(input: impl BufRead) -> io::Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut input = input;
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
                // serde counts lines within this one.
                let why = error.to_string();
                let why = why.split(" at line ").next().unwrap_or_default();
                let column = error.column();
                let message = format!(
                    "line {number}, column {column}: no result of a job, such as `lariat bench` writes to results.jsonl: {why}"
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

    /// A record with nothing remarkable about it.
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
            limits: Limits {
                seconds: 10.0,
                bytes: 1 << 30,
            },
            outcome: Outcome::Holds,
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
    fn a_cut_last_line_is_lost_and_no_other() {
        let line = serde_json::to_string(&plain()).unwrap();
        let cut = format!("{line}\n\n{line}\n{}", &line[..line.len() / 2]);
        assert_eq!(read(cut.as_bytes()).unwrap(), [plain(), plain()]);
        let broken = format!("{line}\n{}\n{line}\n", &line[..line.len() / 2]);
        assert!(
            read(broken.as_bytes())
                .unwrap_err()
                .to_string()
                .starts_with("line 2, ")
        );
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
