//! Classification of an exited process: the outcome of its job.
//!
//! A process gives its answer in one line of JSON and by its exit code; both must agree. If there
//! is no answer, the cause is inferred from the signal, the resource usage and standard error.

use crate::record::{JobLimits, JobOutcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The fields of the answer of `check --json` or `states --json` that a record stores.
/// Counterexamples are skipped while parsing, because they may exceed the memory of this process.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RecordedAnswer {
    formula: Option<String>,
    verdict: Option<String>,
    engine: Option<String>,
    states: Option<String>,
    bounded: Option<bool>,
    reason: Option<String>,
    order: Option<String>,
    seconds: Option<f64>,
    stats: Map<String, Json>,
}

/// Observations about an exited process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessExit {
    /// Its exit code, if it was not ended by a signal.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// True if it was killed for exceeding the wall-clock limit.
    pub overdue: bool,
    /// Its answer, or the reason that its output is not an answer.
    pub answer: Result<Option<RecordedAnswer>, String>,
    /// The end of its standard error.
    pub last_words: String,
    pub cpu: f64,
    pub wall: f64,
    pub peak_bytes: u64,
}

/// The result of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// The outcome.
    pub outcome: JobOutcome,
    /// The reason that it is not decided.
    pub reason: Option<String>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
    /// The end of its standard error, if it crashed or was killed.
    pub last_words: Option<String>,
    /// The answer, in the format of known answers.
    pub answer: Option<String>,
    /// The formula as the process printed it.
    pub formula: Option<String>,
    /// Seconds of processor time.
    pub cpu: f64,
    /// Seconds of wall-clock time.
    pub wall: f64,
    /// Peak resident memory.
    pub peak_bytes: u64,
    /// The engine that decided.
    pub decided_by: Option<String>,
    /// The engine's own seconds.
    pub engine_seconds: Option<f64>,
    /// The variable order.
    pub order: Option<String>,
    /// The engine's statistics.
    pub stats: Map<String, Json>,
}

const ABORT: i32 = 6;
const OUT_OF_CPU: i32 = 24;

impl ProcessExit {
    /// Classifies the process and returns the result of its job.
    pub(crate) fn conclude(self, limits: &JobLimits) -> Ended {
        let (outcome, reason) = self.judge(limits);
        let answer = match (&self.answer, outcome) {
            (_, JobOutcome::Holds | JobOutcome::Violated) => Some(outcome.word().to_owned()),
            (Ok(Some(answer)), JobOutcome::Counted) => {
                let unbounded = || (answer.bounded == Some(false)).then(|| "+inf".to_owned());
                answer.states.clone().or_else(unbounded)
            }
            _ => None,
        };
        let bad = matches!(outcome, JobOutcome::Crash | JobOutcome::Input)
            || (self.signal.is_some() && !self.last_words.is_empty());
        let answered = self.answer.ok().flatten().unwrap_or_default();
        let order = answered
            .order
            .or_else(|| Some(answered.stats.get("order")?.as_str()?.to_owned()));
        Ended {
            outcome,
            reason,
            signal: self.signal,
            last_words: bad.then_some(self.last_words),
            answer,
            formula: answered.formula,
            cpu: self.cpu,
            wall: self.wall,
            peak_bytes: self.peak_bytes,
            decided_by: answered.engine.filter(|_| outcome.is_decided()),
            engine_seconds: answered.seconds,
            order,
            stats: answered.stats,
        }
    }

    fn judge(&self, limits: &JobLimits) -> (JobOutcome, Option<String>) {
        let because = |outcome, reason: &str| (outcome, Some(reason.to_owned()));
        if let Some(signal) = self.signal {
            // Far above the limit: memory is the cause even if another limit was reached.
            if self.peak_bytes / 5 > limits.bytes / 4 {
                return because(JobOutcome::Memory, "killed: far more memory than its limit");
            }
            if self.overdue || signal == OUT_OF_CPU || self.cpu > limits.seconds {
                return because(JobOutcome::Time, "killed: it exceeded its time limit");
            }
            let allocation = self.last_words.contains("memory allocation of");
            if (signal == ABORT && allocation) || self.peak_bytes > limits.bytes {
                return because(JobOutcome::Memory, "killed: it exceeded its memory limit");
            }
            return because(JobOutcome::Crash, &format!("killed by signal {signal}"));
        }
        let code = self.code.unwrap_or(-1);
        match &self.answer {
            Err(error) => because(JobOutcome::Crash, &format!("not an answer: {error}")),
            Ok(Some(answer)) => answer.judge(code),
            Ok(None) => self.silent(code, limits),
        }
    }

    /// Classifies a process that exited without an answer and without a signal.
    fn silent(&self, code: i32, limits: &JobLimits) -> (JobOutcome, Option<String>) {
        let words = self.last_words.trim();
        let first = words.lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first).to_owned();
        match code {
            2 => (JobOutcome::Input, Some(first)),
            // A limit was reached while the model was read.
            3 if words.contains("unknown: time") => (JobOutcome::Time, Some(first)),
            3 if words.contains("unknown: memory") => (JobOutcome::Memory, Some(first)),
            3 if words.contains("unknown: ") => (JobOutcome::Unknown, Some(first)),
            _ => {
                let reason = format!("exit code {code} without an answer");
                if self.peak_bytes > limits.bytes {
                    let reason = format!("{reason}, after exceeding its memory limit");
                    return (JobOutcome::Memory, Some(reason));
                }
                (JobOutcome::Crash, Some(reason))
            }
        }
    }
}

impl RecordedAnswer {
    fn judge(&self, code: i32) -> (JobOutcome, Option<String>) {
        let reason = self.reason.clone().unwrap_or_default();
        let counted = self.states.is_some() || self.bounded == Some(false);
        let (outcome, fits) = match self.verdict.as_deref() {
            Some("holds") => (JobOutcome::Holds, code == 0),
            Some("violated") => (JobOutcome::Violated, code == 1),
            Some("unknown") => (undecided(&reason), matches!(code, 3 | 101 | 130)),
            None if counted && reason.is_empty() => (JobOutcome::Counted, code == 0),
            None if !reason.is_empty() => (undecided(&reason), matches!(code, 3 | 130)),
            _ => {
                let reason = "not an answer: neither a verdict nor a number of states";
                return (JobOutcome::Crash, Some(reason.to_owned()));
            }
        };
        if !fits {
            let reason = format!("its answer is `{outcome}`, its exit code {code}");
            return (JobOutcome::Crash, Some(reason));
        }
        (outcome, (!reason.is_empty()).then_some(reason))
    }
}

fn undecided(reason: &str) -> JobOutcome {
    let kind = reason.split(':').next().unwrap_or_default().trim();
    match kind {
        "time" => JobOutcome::Time,
        "memory" => JobOutcome::Memory,
        "unsupported" => JobOutcome::Refused,
        "internal" => JobOutcome::Crash,
        _ => JobOutcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: JobLimits = JobLimits {
        seconds: 10.0,
        bytes: 1 << 20,
    };

    fn ended(json: &str, code: i32) -> Ended {
        let remains = ProcessExit {
            code: Some(code),
            answer: Ok(Some(serde_json::from_str(json).unwrap())),
            ..silent()
        };
        remains.conclude(&LIMITS)
    }

    fn silent() -> ProcessExit {
        ProcessExit {
            code: None,
            signal: None,
            overdue: false,
            answer: Ok(None),
            last_words: "last words".to_owned(),
            cpu: 1.0,
            wall: 1.0,
            peak_bytes: 0,
        }
    }

    #[test]
    fn answers_and_exit_codes_must_agree() {
        let holds = ended(r#"{"verdict":"holds","stats":{"order":"file-up"}}"#, 0);
        assert_eq!(holds.outcome, JobOutcome::Holds);
        assert_eq!(holds.answer.as_deref(), Some("holds"));
        assert_eq!(holds.order.as_deref(), Some("file-up"));
        assert_eq!(holds.last_words, None);
        for (json, code, outcome) in [
            (r#"{"verdict":"violated"}"#, 1, JobOutcome::Violated),
            (r#"{"verdict":"holds"}"#, 1, JobOutcome::Crash),
            (r#"{"verdict":"perhaps"}"#, 0, JobOutcome::Crash),
            ("{}", 0, JobOutcome::Crash),
            (
                r#"{"states":null,"bounded":null,"reason":"memory"}"#,
                3,
                JobOutcome::Memory,
            ),
        ] {
            assert_eq!(ended(json, code).outcome, outcome, "{json}");
        }
        for (reason, code, outcome) in [
            ("time", 3, JobOutcome::Time),
            ("memory", 3, JobOutcome::Memory),
            ("unsupported: no", 3, JobOutcome::Refused),
            ("bound: 7", 3, JobOutcome::Unknown),
            ("internal: a lasso", 101, JobOutcome::Crash),
        ] {
            let json = format!(r#"{{"verdict":"unknown","reason":"{reason}"}}"#);
            assert_eq!(ended(&json, code).outcome, outcome, "{reason}");
        }
        let counted = ended(r#"{"states":"42","bounded":true,"reason":null}"#, 0);
        assert_eq!(counted.answer.as_deref(), Some("42"));
        let endless = ended(r#"{"states":null,"bounded":false,"reason":null}"#, 0);
        assert_eq!(endless.answer.as_deref(), Some("+inf"));
    }

    #[test]
    fn outcomes_without_an_answer_are_inferred() {
        let died = |signal, change: fn(&mut ProcessExit)| {
            let mut remains = ProcessExit {
                signal: Some(signal),
                ..silent()
            };
            change(&mut remains);
            remains.conclude(&LIMITS)
        };
        let crash = died(11, |_| {});
        assert_eq!((crash.outcome, crash.signal), (JobOutcome::Crash, Some(11)));
        assert_eq!(crash.last_words.as_deref(), Some("last words"));
        assert_eq!(died(9, |r| r.overdue = true).outcome, JobOutcome::Time);
        assert_eq!(died(24, |_| {}).outcome, JobOutcome::Time);
        let large = died(9, |r| r.peak_bytes = 2 << 20);
        assert_eq!(large.outcome, JobOutcome::Memory);
        let aborted = died(6, |r| {
            r.last_words = "memory allocation of 8 bytes failed".into()
        });
        assert_eq!(aborted.outcome, JobOutcome::Memory);
        for (code, words, outcome) in [
            (2, "error: no", JobOutcome::Input),
            (101, "panicked", JobOutcome::Crash),
            (0, "", JobOutcome::Crash),
            (3, "warning: unknown: time, before", JobOutcome::Time),
        ] {
            let remains = ProcessExit {
                code: Some(code),
                last_words: words.to_owned(),
                ..silent()
            };
            assert_eq!(remains.conclude(&LIMITS).outcome, outcome, "{words}");
        }
    }
}
