//! From what a process left behind to how its job ended.
//!
//! A process says its answer in one line of JSON and again by its exit code; both must agree. One that
//! says nothing has died, and what it died of is told by its signal, by what it used, and by its last
//! words on standard error.

use crate::record::{Limits, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The answer of `check --json` or `states --json`, as far as a record has it. Counterexamples can be
/// larger than the memory of whoever reads them, and are skipped.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
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

/// What is known of a process that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Remains {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it otherwise.
    pub signal: Option<i32>,
    /// Was it killed because its time was over?
    pub overdue: bool,
    /// What it said, or why that is no answer.
    pub answer: Result<Option<Answer>, String>,
    /// The end of its standard error.
    pub last_words: String,
    pub cpu: f64,
    pub wall: f64,
    pub peak_bytes: u64,
}

/// How a job ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Ended {
    /// In a word.
    pub outcome: Outcome,
    /// Why it is not decided.
    pub reason: Option<String>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
    /// The end of its standard error, where it did not end well.
    pub last_words: Option<String>,
    /// The answer, as known ones are spelt.
    pub answer: Option<String>,
    /// The formula as the process understood it.
    pub formula: Option<String>,
    /// Seconds of the processor.
    pub cpu: f64,
    /// Seconds of the clock.
    pub wall: f64,
    /// The largest resident memory.
    pub peak_bytes: u64,
    /// Who decided.
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

impl Remains {
    /// What became of the job.
    pub(crate) fn conclude(self, limits: &Limits) -> Ended {
        let (outcome, reason) = self.judge(limits);
        let answer = match (&self.answer, outcome) {
            (_, Outcome::Holds | Outcome::Violated) => Some(outcome.word().to_owned()),
            (Ok(Some(answer)), Outcome::Counted) => {
                let unbounded = answer.bounded == Some(false);
                answer
                    .states
                    .clone()
                    .or_else(|| unbounded.then(|| "+inf".to_owned()))
            }
            _ => None,
        };
        let bad = matches!(outcome, Outcome::Crash | Outcome::Input)
            || (self.signal.is_some() && !self.last_words.is_empty());
        let said = self.answer.ok().flatten().unwrap_or_default();
        let order = said
            .order
            .or_else(|| Some(said.stats.get("order")?.as_str()?.to_owned()));
        Ended {
            outcome,
            reason,
            signal: self.signal,
            last_words: bad.then_some(self.last_words),
            answer,
            formula: said.formula,
            cpu: self.cpu,
            wall: self.wall,
            peak_bytes: self.peak_bytes,
            decided_by: said.engine.filter(|_| outcome.is_decided()),
            engine_seconds: said.seconds,
            order,
            stats: said.stats,
        }
    }

    fn judge(&self, limits: &Limits) -> (Outcome, Option<String>) {
        let told = |outcome, reason: &str| (outcome, Some(reason.to_owned()));
        if let Some(signal) = self.signal {
            // Well above its limit is not a question of what is counted.
            if self.peak_bytes / 5 > limits.bytes / 4 {
                return told(Outcome::Memory, "killed: far more memory than its limit");
            }
            if self.overdue || signal == OUT_OF_CPU || self.cpu > limits.seconds {
                return told(Outcome::Time, "killed: its time was over");
            }
            let allocation = self.last_words.contains("memory allocation of");
            if (signal == ABORT && allocation) || self.peak_bytes > limits.bytes {
                return told(Outcome::Memory, "killed: its memory was used up");
            }
            return (Outcome::Crash, Some(format!("killed by signal {signal}")));
        }
        let code = self.code.unwrap_or(-1);
        match &self.answer {
            Err(error) => told(Outcome::Crash, &format!("not an answer: {error}")),
            Ok(Some(answer)) => answer.judge(code),
            Ok(None) => self.silent(code, limits),
        }
    }

    /// Of a process that ended by itself without an answer.
    fn silent(&self, code: i32, limits: &Limits) -> (Outcome, Option<String>) {
        let words = self.last_words.trim();
        let first = words.lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first).to_owned();
        match code {
            2 => (Outcome::Input, Some(first)),
            // The limits ended it while the model was read.
            3 if words.contains("unknown: time") => (Outcome::Time, Some(first)),
            3 if words.contains("unknown: memory") => (Outcome::Memory, Some(first)),
            3 if words.contains("unknown: ") => (Outcome::Unknown, Some(first)),
            _ if self.peak_bytes > limits.bytes => {
                let reason = format!("exit code {code} without an answer, its memory used up");
                (Outcome::Memory, Some(reason))
            }
            _ => {
                let reason = format!("exit code {code} without an answer");
                (Outcome::Crash, Some(reason))
            }
        }
    }
}

impl Answer {
    fn judge(&self, code: i32) -> (Outcome, Option<String>) {
        let reason = self.reason.clone().unwrap_or_default();
        let counted = self.states.is_some() || self.bounded == Some(false);
        let (outcome, fits) = match self.verdict.as_deref() {
            Some("holds") => (Outcome::Holds, code == 0),
            Some("violated") => (Outcome::Violated, code == 1),
            Some("unknown") => (undecided(&reason), matches!(code, 3 | 101 | 130)),
            None if counted && reason.is_empty() => (Outcome::Counted, code == 0),
            None if !reason.is_empty() => (undecided(&reason), matches!(code, 3 | 130)),
            _ => {
                let reason = "not an answer: neither a verdict nor a number of states";
                return (Outcome::Crash, Some(reason.to_owned()));
            }
        };
        if !fits {
            let reason = format!("its answer is `{outcome}`, its exit code {code}");
            return (Outcome::Crash, Some(reason));
        }
        (outcome, (!reason.is_empty()).then_some(reason))
    }
}

fn undecided(reason: &str) -> Outcome {
    let kind = reason.split(':').next().unwrap_or_default().trim();
    match kind {
        "time" => Outcome::Time,
        "memory" => Outcome::Memory,
        "unsupported" => Outcome::Refused,
        "internal" => Outcome::Crash,
        _ => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        seconds: 10.0,
        bytes: 1 << 20,
    };

    fn said(json: &str, code: i32) -> Ended {
        let remains = Remains {
            code: Some(code),
            answer: Ok(Some(serde_json::from_str(json).unwrap())),
            ..silent()
        };
        remains.conclude(&LIMITS)
    }

    fn silent() -> Remains {
        Remains {
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
    fn answers() {
        let holds = said(r#"{"verdict":"holds","stats":{"order":"file-up"}}"#, 0);
        assert_eq!(holds.outcome, Outcome::Holds);
        assert_eq!(holds.answer.as_deref(), Some("holds"));
        assert_eq!(holds.order.as_deref(), Some("file-up"));
        assert_eq!(holds.last_words, None);
        let outcome = |json: &str, code| said(json, code).outcome;
        assert_eq!(outcome(r#"{"verdict":"violated"}"#, 1), Outcome::Violated);
        assert_eq!(outcome(r#"{"verdict":"holds"}"#, 1), Outcome::Crash);
        assert_eq!(outcome(r#"{"verdict":"perhaps"}"#, 0), Outcome::Crash);
        assert_eq!(outcome("{}", 0), Outcome::Crash);
        for (reason, want) in [
            ("time", Outcome::Time),
            ("memory", Outcome::Memory),
            ("unsupported: no", Outcome::Refused),
            ("bound: 7", Outcome::Unknown),
        ] {
            let json = format!(r#"{{"verdict":"unknown","reason":"{reason}"}}"#);
            assert_eq!(outcome(&json, 3), want);
        }
        let internal = r#"{"verdict":"unknown","reason":"internal: a lasso"}"#;
        assert_eq!(outcome(internal, 101), Outcome::Crash);
        let counted = said(r#"{"states":"42","bounded":true,"reason":null}"#, 0);
        assert_eq!(counted.answer.as_deref(), Some("42"));
        let endless = said(r#"{"states":null,"bounded":false,"reason":null}"#, 0);
        assert_eq!(endless.answer.as_deref(), Some("+inf"));
        let stopped = r#"{"states":null,"bounded":null,"reason":"memory"}"#;
        assert_eq!(outcome(stopped, 3), Outcome::Memory);
    }

    #[test]
    fn deaths() {
        let died = |signal, change: fn(&mut Remains)| {
            let mut remains = Remains {
                signal: Some(signal),
                ..silent()
            };
            change(&mut remains);
            remains.conclude(&LIMITS)
        };
        let crash = died(11, |_| {});
        assert_eq!((crash.outcome, crash.signal), (Outcome::Crash, Some(11)));
        assert_eq!(crash.last_words.as_deref(), Some("last words"));
        assert_eq!(died(9, |r| r.overdue = true).outcome, Outcome::Time);
        assert_eq!(died(24, |_| {}).outcome, Outcome::Time);
        assert_eq!(died(9, |r| r.peak_bytes = 2 << 20).outcome, Outcome::Memory);
        let words = |r: &mut Remains| r.last_words = "memory allocation of 8 bytes failed".into();
        assert_eq!(died(6, words).outcome, Outcome::Memory);
        let left = |code, words: &str| {
            let remains = Remains {
                code: Some(code),
                last_words: words.to_owned(),
                ..silent()
            };
            remains.conclude(&LIMITS).outcome
        };
        assert_eq!(left(2, "error: no"), Outcome::Input);
        assert_eq!(left(101, "panicked"), Outcome::Crash);
        assert_eq!(left(0, ""), Outcome::Crash);
        assert_eq!(left(3, "warning: unknown: time, before"), Outcome::Time);
    }
}
