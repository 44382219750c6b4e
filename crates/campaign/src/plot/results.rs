//! Records grouped into cases: one row per case, one column per engine.
//!
//! A *case* is a model with a property, or a model whose states are counted. The repetitions of a
//! job become one *run* by the median: they are sorted by the measure, undecided ones last. The
//! upper median record represents the run; if it is decided, the value is the mean of both median
//! records. So a run with half of its repetitions undecided is a failure.
//!
//! An answer counts only if no other contradicts it. If the right answer is known, different
//! answers are wrong; otherwise, if two answers differ, all answers to the case are disputed. No
//! plot or table counts wrong or disputed answers as solved.

use super::measure::Measure;
use super::table::TableCell;
use crate::{JobOutcome, Record};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The answer to a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AnswerClass {
    Holds,
    Violated,
    Counted,
    /// There is no undisputed answer.
    Undecided,
}

impl AnswerClass {
    /// All classes, in the order of tables.
    pub const ALL: [AnswerClass; 4] = [
        AnswerClass::Holds,
        AnswerClass::Violated,
        AnswerClass::Counted,
        AnswerClass::Undecided,
    ];

    pub fn word(self) -> &'static str {
        match self {
            AnswerClass::Holds => "holds",
            AnswerClass::Violated => "violated",
            AnswerClass::Counted => "counted",
            AnswerClass::Undecided => "undecided",
        }
    }
}

/// Kind of a case. Costs of different kinds are not comparable and have separate plots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuestionKind {
    Properties,
    States,
}

impl QuestionKind {
    pub const ALL: [QuestionKind; 2] = [QuestionKind::Properties, QuestionKind::States];
}

/// Reason that a run gave no answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    Time,
    Memory,
    /// The engine does not support the property or the model.
    Refused,
    /// Undecided for another reason, or the input could not be read.
    Undecided,
    Crash,
    /// The answer is wrong or disputed.
    Wrong,
}

impl FailureKind {
    /// All reasons, in the order of the bands around a plot.
    pub const ALL: [FailureKind; 6] = [
        FailureKind::Time,
        FailureKind::Memory,
        FailureKind::Refused,
        FailureKind::Undecided,
        FailureKind::Crash,
        FailureKind::Wrong,
    ];

    pub fn word(self) -> &'static str {
        match self {
            FailureKind::Time => "time-out",
            FailureKind::Memory => "memory",
            FailureKind::Refused => "refused",
            FailureKind::Undecided => "undecided",
            FailureKind::Crash => "crashed",
            FailureKind::Wrong => "wrong",
        }
    }
}

/// The result of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RunEnd {
    /// An undisputed answer at this cost.
    Solved(f64),
    /// No answer.
    Failed(FailureKind),
}

/// The repetitions of one job.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RepeatedRun<'a> {
    /// The record of the median repetition.
    pub record: &'a Record,
    pub end: RunEnd,
    pub repetitions: usize,
}

impl RepeatedRun<'_> {
    /// Returns the cost of the answer, if there is one.
    pub fn solved(&self) -> Option<f64> {
        match self.end {
            RunEnd::Solved(value) => Some(value),
            RunEnd::Failed(_) => None,
        }
    }

    pub fn is_refused(&self) -> bool {
        self.end == RunEnd::Failed(FailureKind::Refused)
    }

    pub fn word(&self) -> &'static str {
        match self.end {
            RunEnd::Solved(_) => self.record.outcome.word(),
            RunEnd::Failed(failure) => failure.word(),
        }
    }
}

/// A model with a property and the runs of the engines on it.
#[derive(Clone, PartialEq, Debug)]
pub struct PlotCase<'a> {
    /// One of its records, for the names.
    pub about: &'a Record,
    pub class: AnswerClass,
    /// The runs in the order of [`PlotData::engines`], if they have a value of the measure.
    pub runs: Vec<Option<RepeatedRun<'a>>>,
}

impl PlotCase<'_> {
    pub fn question(&self) -> QuestionKind {
        if self.about.property.is_empty() {
            QuestionKind::States
        } else {
            QuestionKind::Properties
        }
    }

    pub fn name(&self) -> String {
        if self.about.property.is_empty() {
            self.about.model.clone()
        } else {
            format!("{} {}", self.about.model, self.about.property)
        }
    }

    /// Returns the cost of an engine's answer, if it has one.
    pub fn solved(&self, engine: usize) -> Option<f64> {
        self.runs.get(engine)?.as_ref()?.solved()
    }

    /// Returns the engines with an answer, and its cost.
    pub fn solutions(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.runs.len()).filter_map(|e| Some((e, self.solved(e)?)))
    }
}

/// A wrong or disputed answer.
#[derive(Clone, PartialEq, Debug)]
pub struct DistrustedAnswer<'a> {
    pub record: &'a Record,
    /// The contradicting answers, as text.
    pub against: String,
}

/// The data of all tables and plots.
#[derive(Clone, Debug, Default)]
pub struct PlotData<'a> {
    /// The engines, in the order of columns.
    pub engines: Vec<String>,
    /// The cases, by campaign, family, model and property.
    pub cases: Vec<PlotCase<'a>>,
    /// Wrong and disputed answers of all engines, including engines without a column.
    pub contradictions: Vec<DistrustedAnswer<'a>>,
    /// Number of cases omitted as trivial.
    pub trivial: usize,
    pub measure: Measure,
}

/// Records with equal keys belong to the same case.
type Key<'a> = (&'a str, &'a str, &'a str, &'a str, Option<&'a str>);

fn key(record: &Record) -> Key<'_> {
    (
        &record.campaign,
        &record.family,
        &record.model,
        &record.property,
        record.formula.as_deref(),
    )
}

impl<'a> PlotData<'a> {
    /// Groups `records` into cases. Columns are `engines`, or all engines sorted by name if it is
    /// empty. Cases that every engine decides at a cost below `at_least` are omitted.
    pub fn new(
        records: &'a [Record],
        engines: &[String],
        measure: Measure,
        at_least: f64,
    ) -> PlotData<'a> {
        let labels = labels(records);
        // The last record of a job replaces earlier ones.
        let mut latest = HashMap::new();
        for (i, record) in records.iter().enumerate() {
            latest.insert((key(record), &labels[i], &record.job, record.repetition), i);
        }
        let mut kept: Vec<usize> = latest.into_values().collect();
        kept.sort_unstable();
        let mut by_case: BTreeMap<Key<'a>, Vec<(&str, &'a Record)>> = BTreeMap::new();
        for i in kept {
            let case = by_case.entry(key(&records[i])).or_default();
            case.push((&labels[i], &records[i]));
        }
        let engines = match engines {
            [] => names(&labels),
            named => named.to_vec(),
        };
        let mut results = PlotData {
            engines,
            measure,
            ..PlotData::default()
        };
        for records in by_case.into_values() {
            results.add(&records, at_least);
        }
        results
    }

    fn add(&mut self, labelled: &[(&str, &'a Record)], at_least: f64) {
        let records: Vec<&'a Record> = labelled.iter().map(|(_, record)| *record).collect();
        let known = records.iter().find_map(|r| r.known.as_deref());
        let answers: BTreeSet<&str> = records.iter().filter_map(|r| answer(r)).collect();
        let against = |record: &Record| -> Option<String> {
            let own = answer(record)?;
            match known {
                Some(known) if known != own => Some(format!("known: {known}")),
                None if answers.len() > 1 => {
                    let others: Vec<&str> = answers.iter().copied().filter(|a| *a != own).collect();
                    Some(format!("other answers: {}", others.join(", ")))
                }
                _ => None,
            }
        };
        for record in &records {
            if let Some(against) = against(record) {
                let found = DistrustedAnswer { record, against };
                self.contradictions.push(found);
            }
        }
        let class = match (known, answers.first().copied(), answers.len()) {
            (Some(answer), ..) | (None, Some(answer), 1) => match answer {
                "holds" => AnswerClass::Holds,
                "violated" => AnswerClass::Violated,
                _ => AnswerClass::Counted,
            },
            _ => AnswerClass::Undecided,
        };
        let run = |engine: &String| {
            let own = labelled.iter().filter(|(label, _)| label == engine);
            let own = own.map(|(_, record)| *record);
            median(own, self.measure, |record| against(record).is_some())
        };
        let runs: Vec<Option<RepeatedRun<'a>>> = self.engines.iter().map(run).collect();
        let Some(about) = runs.iter().flatten().map(|run| run.record).next() else {
            return;
        };
        let is_small = |run: &RepeatedRun<'_>| run.solved().is_some_and(|value| value < at_least);
        let runs_made = || runs.iter().flatten();
        if runs_made().any(is_small) && runs_made().all(|run| is_small(run) || run.is_refused()) {
            self.trivial += 1;
            return;
        }
        self.cases.push(PlotCase { about, class, runs });
    }

    /// Returns the groups of properties, which tables list separately.
    pub fn groups(&self) -> Vec<&'a str> {
        let groups: BTreeSet<&str> = self.cases.iter().map(|c| c.about.group.as_str()).collect();
        groups.into_iter().collect()
    }

    /// Returns a cell with a sum of costs.
    pub fn cost(&self, sum: f64) -> TableCell {
        TableCell::number(sum, self.measure.unit().show(sum))
    }

    /// Returns the number of cases that an engine has solved.
    pub fn solved_by(&self, engine: usize) -> usize {
        let solved = |case: &&PlotCase<'_>| case.solved(engine).is_some();
        self.cases.iter().filter(solved).count()
    }
}

/// Returns the column of each record: the name of its engine. If several versions of an engine ran
/// the same job, as in a comparison of two commits, each version has a column with its commit.
pub fn labels(records: &[Record]) -> Vec<String> {
    fn build(record: &Record) -> &str {
        record.commit.as_deref().unwrap_or(&record.version)
    }
    let mut builds = HashMap::new();
    let mut several = BTreeSet::new();
    for record in records {
        let job = (key(record), &record.engine, &record.job, record.repetition);
        if *builds.entry(job).or_insert(build(record)) != build(record) {
            several.insert(&record.engine);
        }
    }
    let label = |record: &Record| {
        if several.contains(&record.engine) {
            let short: String = build(record).chars().take(10).collect();
            format!("{}@{short}", record.engine)
        } else {
            record.engine.clone()
        }
    };
    records.iter().map(label).collect()
}

/// Returns the different names, sorted.
pub fn names(labels: &[String]) -> Vec<String> {
    let names: BTreeSet<&String> = labels.iter().collect();
    names.into_iter().cloned().collect()
}

fn answer(record: &Record) -> Option<&str> {
    let answer = || record.answer.as_deref().unwrap_or(record.outcome.word());
    record.outcome.is_decided().then(answer)
}

/// Combines the repetitions of a job; `None` if it is decided without a value of the measure.
fn median<'a>(
    records: impl Iterator<Item = &'a Record>,
    measure: Measure,
    is_wrong: impl Fn(&Record) -> bool,
) -> Option<RepeatedRun<'a>> {
    let cost = |record: &Record| measure.of(record).filter(|_| record.outcome.is_decided());
    let mut sorted: Vec<(&Record, Option<f64>)> = records.map(|r| (r, cost(r))).collect();
    let key = |cost: Option<f64>| cost.unwrap_or(f64::INFINITY);
    sorted.sort_by(|a, b| key(a.1).total_cmp(&key(b.1)));
    let &(record, value) = sorted.get(sorted.len() / 2)?;
    let wrong = sorted.iter().map(|(r, _)| *r).find(|r| is_wrong(r));
    let end = match (wrong, value) {
        (Some(_), _) => RunEnd::Failed(FailureKind::Wrong),
        (None, Some(upper)) => {
            let (_, lower) = sorted[(sorted.len() - 1) / 2];
            RunEnd::Solved((upper + lower.unwrap_or(upper)) / 2.0)
        }
        // Decided, but the engine does not report the measure.
        (None, None) if record.outcome.is_decided() => return None,
        (None, None) => RunEnd::Failed(match record.outcome {
            JobOutcome::Time => FailureKind::Time,
            JobOutcome::Memory => FailureKind::Memory,
            JobOutcome::Refused => FailureKind::Refused,
            JobOutcome::Crash => FailureKind::Crash,
            _ => FailureKind::Undecided,
        }),
    };
    Some(RepeatedRun {
        record: wrong.unwrap_or(record),
        end,
        repetitions: sorted.len(),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::tests::plain;

    /// Creates a record of an engine on a property.
    pub(crate) fn record(engine: &str, property: &str, outcome: JobOutcome, cpu: f64) -> Record {
        Record {
            job: format!("{engine}/{property}"),
            engine: engine.to_owned(),
            property: property.to_owned(),
            outcome,
            answer: outcome.is_decided().then(|| outcome.word().to_owned()),
            cpu,
            ..plain()
        }
    }

    fn repeat(outcomes: &[(JobOutcome, f64)]) -> RunEnd {
        let records: Vec<Record> = (1..)
            .zip(outcomes)
            .map(|(repetition, &(outcome, cpu))| Record {
                repetition,
                ..record("slap", "p", outcome, cpu)
            })
            .collect();
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
        results.cases[0].runs[0].unwrap().end
    }

    #[test]
    fn repetitions_become_their_median() {
        use JobOutcome::{Holds, Time};
        let late = RunEnd::Failed(FailureKind::Time);
        for (runs, end) in [
            (
                &[(Holds, 3.0), (Holds, 1.0), (Holds, 2.0)][..],
                RunEnd::Solved(2.0),
            ),
            (&[(Holds, 3.0), (Holds, 1.0)], RunEnd::Solved(2.0)),
            (&[(Holds, 3.0), (Time, 10.0)], late),
            (
                &[(Time, 10.0), (Holds, 3.0), (Holds, 1.0)],
                RunEnd::Solved(3.0),
            ),
        ] {
            assert_eq!(repeat(runs), end);
        }
    }

    #[test]
    fn the_last_record_of_a_job_counts() {
        let records = [
            record("slap", "p", JobOutcome::Crash, 1.0),
            record("slap", "p", JobOutcome::Holds, 2.0),
        ];
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
        let run = results.cases[0].runs[0].unwrap();
        assert_eq!((run.end, run.repetitions), (RunEnd::Solved(2.0), 1));
    }

    #[test]
    fn two_versions_of_an_engine_are_two_columns() {
        let built = |property: &str, commit: &str, cpu: f64| Record {
            commit: Some(commit.to_owned()),
            ..record("slap", property, JobOutcome::Holds, cpu)
        };
        // Resumed with another version: one engine, each job once.
        let resumed = [built("p", "old", 2.0), built("q", "new", 1.0)];
        let results = PlotData::new(&resumed, &[], Measure::Cpu, 0.0);
        assert_eq!(results.engines, ["slap"]);
        let both = [built("p", "old", 2.0), built("p", "new", 1.0)];
        let results = PlotData::new(&both, &[], Measure::Cpu, 0.0);
        assert_eq!(results.engines, ["slap@new", "slap@old"]);
        assert_eq!(results.cases[0].solved(1), Some(2.0));
    }

    #[test]
    fn without_a_known_answer_all_disputed_answers_are_wrong() {
        let mut records = vec![
            record("el", "p", JobOutcome::Holds, 1.0),
            record("slap", "p", JobOutcome::Violated, 1.0),
            record("sog", "p", JobOutcome::Refused, 0.0),
        ];
        let results = PlotData::new(&records, &["el".to_owned()], Measure::Cpu, 0.0);
        let end =
            |results: &PlotData<'_>, engine: usize| results.cases[0].runs[engine].unwrap().end;
        let wrong = RunEnd::Failed(FailureKind::Wrong);
        assert_eq!(results.contradictions.len(), 2);
        assert_eq!(results.cases[0].class, AnswerClass::Undecided);
        assert_eq!(end(&results, 0), wrong);

        for record in &mut records {
            record.known = Some("holds".to_owned());
        }
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
        assert_eq!(results.contradictions.len(), 1);
        assert_eq!(results.cases[0].class, AnswerClass::Holds);
        assert_eq!(results.cases[0].solved(0), Some(1.0));
        assert_eq!(end(&results, 2), RunEnd::Failed(FailureKind::Refused));
        assert_eq!(end(&results, 1), wrong);
    }

    #[test]
    fn trivial_cases_are_omitted() {
        let records = [
            record("el", "p", JobOutcome::Holds, 0.01),
            record("sog", "p", JobOutcome::Refused, 0.0),
            record("el", "q", JobOutcome::Holds, 0.01),
            record("sog", "q", JobOutcome::Time, 10.0),
        ];
        let results = PlotData::new(&records, &[], Measure::Cpu, 0.1);
        assert_eq!((results.cases.len(), results.trivial), (1, 1));
    }
}
