//! Records sorted into cases: one row a question, one column an engine.
//!
//! A *case* is a model with a property. Several repetitions of a job become one *run*, by the median: sorted
//! by what is measured, with undecided ones last, the upper of the two middle records speaks for
//! all, and if it is decided the value is the mean of both. So half of the repetitions failing is a failure.
//!
//! An answer counts only if nobody contradicts it. Where the right answer is known, those that differ
//! are wrong; where it is not and two answers differ, all answers to the case are disputed. Neither is
//! ever treated as a success, by any plot or table.

use super::measure::Measure;
use crate::{Outcome, Record};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is known about the answer to a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// The question was how many states there are.
    Counted,
    /// No engine has an answer that stands.
    Undecided,
}

impl Class {
    /// All of them, in the order of tables.
    pub const ALL: [Class; 4] = [
        Class::Holds,
        Class::Violated,
        Class::Counted,
        Class::Undecided,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Class::Holds => "holds",
            Class::Violated => "violated",
            Class::Counted => "counted",
            Class::Undecided => "undecided",
        }
    }
}

/// What jobs ask. The answers to different questions have prices that nothing can be learned from when they
/// are put side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Does a property hold?
    Properties,
    /// How many states are there?
    States,
}

impl Question {
    /// Both.
    pub const ALL: [Question; 2] = [Question::Properties, Question::States];
}

/// Why a run is not a success.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Failure {
    /// The time was over.
    Time,
    /// The memory was used up.
    Memory,
    /// The engine does not answer such questions.
    Refused,
    /// Undecided for another reason, or the input could not be read.
    Undecided,
    /// The process died.
    Crash,
    /// The answer is wrong or disputed.
    Wrong,
}

impl Failure {
    /// All of them, in the order of the bands around a plot.
    pub const ALL: [Failure; 6] = [
        Failure::Time,
        Failure::Memory,
        Failure::Refused,
        Failure::Undecided,
        Failure::Crash,
        Failure::Wrong,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Failure::Time => "time-out",
            Failure::Memory => "memory",
            Failure::Refused => "refused",
            Failure::Undecided => "undecided",
            Failure::Crash => "crashed",
            Failure::Wrong => "wrong",
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum End {
    /// With an answer that stands, at this price.
    Solved(f64),
    /// Without.
    Failed(Failure),
}

/// The repetitions of one job.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run<'a> {
    /// The repetition in the middle.
    pub record: &'a Record,
    /// How they ended, taken together.
    pub end: End,
    /// How many there are.
    pub repetitions: usize,
}

impl Run<'_> {
    /// The price of the answer, if there is one.
    pub fn solved(&self) -> Option<f64> {
        match self.end {
            End::Solved(value) => Some(value),
            End::Failed(_) => None,
        }
    }

    /// Did the engine say that it does not answer such questions?
    pub fn is_refused(&self) -> bool {
        self.end == End::Failed(Failure::Refused)
    }

    /// The word for how it ended.
    pub fn word(&self) -> &'static str {
        match self.end {
            End::Solved(_) => self.record.outcome.word(),
            End::Failed(failure) => failure.word(),
        }
    }
}

/// A model with a property, and what the engines made of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Case<'a> {
    /// One of its records: for the names.
    pub about: &'a Record,
    /// What is known about the answer.
    pub class: Class,
    /// The engines' runs, in the order of [`Results::engines`]; none where there is no record, or where it does not
    /// tell what is compared.
    pub runs: Vec<Option<Run<'a>>>,
}

impl Case<'_> {
    /// What was asked.
    pub fn question(&self) -> Question {
        if self.about.property.is_empty() {
            Question::States
        } else {
            Question::Properties
        }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        if self.about.property.is_empty() {
            self.about.model.clone()
        } else {
            format!("{} {}", self.about.model, self.about.property)
        }
    }

    /// The price an engine paid for an answer, if it has one.
    pub fn solved(&self, engine: usize) -> Option<f64> {
        self.runs.get(engine)?.as_ref()?.solved()
    }

    /// The answers that stand, with their engines.
    pub fn solutions(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.runs.len()).filter_map(|e| Some((e, self.solved(e)?)))
    }
}

/// An answer that cannot be trusted.
#[derive(Clone, PartialEq, Debug)]
pub struct Contradiction<'a> {
    /// Who said it.
    pub record: &'a Record,
    /// What speaks against it, in words.
    pub against: String,
}

/// Everything that tables and plots are made from.
#[derive(Clone, Debug)]
pub struct Results<'a> {
    /// The engines, in the order of columns.
    pub engines: Vec<String>,
    /// The cases, by campaign, family, model and property.
    pub cases: Vec<Case<'a>>,
    /// The answers that cannot be trusted; of all engines, also of those not chosen.
    pub contradictions: Vec<Contradiction<'a>>,
    /// How many cases were left out as trivial.
    pub trivial: usize,
    /// What is compared.
    pub measure: Measure,
}

/// What makes two records speak of the same case.
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

impl<'a> Results<'a> {
    /// Sorts `records` into cases of the named `engines`; of all of them, by name, if none is named.
    /// Cases that every engine decides at a price below `at_least` are left out.
    pub fn new(
        records: &'a [Record],
        engines: &[String],
        measure: Measure,
        at_least: f64,
    ) -> Results<'a> {
        let labels = labels(records);
        // A job that was run again replaces its former record.
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
        let mut results = Results {
            engines,
            cases: Vec::new(),
            contradictions: Vec::new(),
            trivial: 0,
            measure,
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
                    Some(format!("others say: {}", others.join(", ")))
                }
                _ => None,
            }
        };
        for record in &records {
            if let Some(against) = against(record) {
                self.contradictions.push(Contradiction { record, against });
            }
        }
        let class = match (known, answers.first().copied(), answers.len()) {
            (Some(answer), ..) | (None, Some(answer), 1) => match answer {
                "holds" => Class::Holds,
                "violated" => Class::Violated,
                _ => Class::Counted,
            },
            _ => Class::Undecided,
        };
        let run = |engine: &String| {
            let own = labelled.iter().filter(|(label, _)| label == engine);
            median(own.map(|(_, record)| *record), self.measure, |r| {
                against(r).is_some()
            })
        };
        let runs: Vec<Option<Run<'a>>> = self.engines.iter().map(run).collect();
        let Some(about) = runs.iter().flatten().map(|run| run.record).next() else {
            return;
        };
        let is_small = |run: &Run<'_>| run.solved().is_some_and(|value| value < at_least);
        let runs_made = || runs.iter().flatten();
        if runs_made().any(is_small) && runs_made().all(|run| is_small(run) || run.is_refused()) {
            self.trivial += 1;
            return;
        }
        self.cases.push(Case { about, class, runs });
    }

    /// The groups of properties that tables keep apart.
    pub fn groups(&self) -> Vec<&'a str> {
        let groups: BTreeSet<&str> = self.cases.iter().map(|c| c.about.group.as_str()).collect();
        groups.into_iter().collect()
    }

    /// How many cases an engine has solved.
    pub fn solved_by(&self, engine: usize) -> usize {
        self.cases
            .iter()
            .filter(|c| c.solved(engine).is_some())
            .count()
    }
}

/// What the engine of each record is called. That is its name; but where the same job was run by several versions of
/// it, as for a comparison of before and after, they are engines of their own, each named with its commit.
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

/// The different ones of many names, sorted.
pub fn names(labels: &[String]) -> Vec<String> {
    let names: BTreeSet<&String> = labels.iter().collect();
    names.into_iter().cloned().collect()
}

/// What a record says, if it is an answer.
fn answer(record: &Record) -> Option<&str> {
    let spelt = record.answer.as_deref();
    if record.outcome.is_decided() {
        spelt.or(Some(record.outcome.word()))
    } else {
        None
    }
}

fn median<'a>(
    records: impl Iterator<Item = &'a Record>,
    measure: Measure,
    is_wrong: impl Fn(&Record) -> bool,
) -> Option<Run<'a>> {
    let mut sorted: Vec<(&Record, Option<f64>)> = records
        .map(|record| {
            (
                record,
                measure.of(record).filter(|_| record.outcome.is_decided()),
            )
        })
        .collect();
    let price = |value: Option<f64>| value.unwrap_or(f64::INFINITY);
    sorted.sort_by(|a, b| price(a.1).total_cmp(&price(b.1)));
    let &(record, value) = sorted.get(sorted.len() / 2)?;
    let end = match (sorted.iter().find(|(r, _)| is_wrong(r)), value) {
        (Some(_), _) => End::Failed(Failure::Wrong),
        (None, Some(upper)) => {
            let (_, lower) = sorted[(sorted.len() - 1) / 2];
            End::Solved((upper + lower.unwrap_or(upper)) / 2.0)
        }
        // Decided, but the engine does not tell what is to be compared.
        (None, None) if record.outcome.is_decided() => return None,
        (None, None) => End::Failed(match record.outcome {
            Outcome::Time => Failure::Time,
            Outcome::Memory => Failure::Memory,
            Outcome::Refused => Failure::Refused,
            Outcome::Crash => Failure::Crash,
            _ => Failure::Undecided,
        }),
    };
    Some(Run {
        record: sorted
            .iter()
            .find(|(r, _)| is_wrong(r))
            .map_or(record, |(r, _)| r),
        end,
        repetitions: sorted.len(),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::tests::plain;

    /// A record of an engine on a property.
    pub(crate) fn record(engine: &str, property: &str, outcome: Outcome, cpu: f64) -> Record {
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

    fn repeat(outcomes: &[(Outcome, f64)]) -> End {
        let records: Vec<Record> = (1..)
            .zip(outcomes)
            .map(|(repetition, &(outcome, cpu))| Record {
                repetition,
                ..record("slap", "p", outcome, cpu)
            })
            .collect();
        let results = Results::new(&records, &[], Measure::Cpu, 0.0);
        results.cases[0].runs[0].unwrap().end
    }

    #[test]
    fn repetitions_become_their_median() {
        use Outcome::{Holds, Time};
        assert_eq!(
            repeat(&[(Holds, 3.0), (Holds, 1.0), (Holds, 2.0)]),
            End::Solved(2.0)
        );
        assert_eq!(repeat(&[(Holds, 3.0), (Holds, 1.0)]), End::Solved(2.0));
        assert_eq!(
            repeat(&[(Holds, 3.0), (Time, 10.0)]),
            End::Failed(Failure::Time)
        );
        assert_eq!(
            repeat(&[(Time, 10.0), (Holds, 3.0), (Holds, 1.0)]),
            End::Solved(3.0)
        );
    }

    #[test]
    fn a_job_that_was_run_again_counts_once() {
        let records = [
            record("slap", "p", Outcome::Crash, 1.0),
            record("slap", "p", Outcome::Holds, 2.0),
        ];
        let results = Results::new(&records, &[], Measure::Cpu, 0.0);
        let run = results.cases[0].runs[0].unwrap();
        assert_eq!((run.end, run.repetitions), (End::Solved(2.0), 1));
    }

    #[test]
    fn before_and_after_are_two_engines() {
        let built = |property: &str, commit: &str, cpu: f64| Record {
            commit: Some(commit.to_owned()),
            ..record("slap", property, Outcome::Holds, cpu)
        };
        // Resumed with another version: one engine, every job once.
        let resumed = [built("p", "old", 2.0), built("q", "new", 1.0)];
        let results = Results::new(&resumed, &[], Measure::Cpu, 0.0);
        assert_eq!(results.engines, ["slap"]);
        let both = [built("p", "old", 2.0), built("p", "new", 1.0)];
        let results = Results::new(&both, &[], Measure::Cpu, 0.0);
        assert_eq!(results.engines, ["slap@new", "slap@old"]);
        assert_eq!(results.cases[0].solved(1), Some(2.0));
    }

    #[test]
    fn where_nothing_is_known_a_dispute_spoils_all_answers() {
        let mut records = vec![
            record("el", "p", Outcome::Holds, 1.0),
            record("slap", "p", Outcome::Violated, 1.0),
            record("sog", "p", Outcome::Refused, 0.0),
        ];
        let results = Results::new(&records, &["el".to_owned()], Measure::Cpu, 0.0);
        assert_eq!(results.contradictions.len(), 2);
        assert_eq!(results.cases[0].class, Class::Undecided);
        assert_eq!(
            results.cases[0].runs[0].unwrap().end,
            End::Failed(Failure::Wrong)
        );

        for record in &mut records {
            record.known = Some("holds".to_owned());
        }
        let results = Results::new(&records, &[], Measure::Cpu, 0.0);
        assert_eq!(results.contradictions.len(), 1);
        assert_eq!(results.cases[0].class, Class::Holds);
        assert_eq!(results.cases[0].solved(0), Some(1.0));
        assert_eq!(
            results.cases[0].runs[2].unwrap().end,
            End::Failed(Failure::Refused)
        );
        assert_eq!(
            results.cases[0].runs[1].unwrap().end,
            End::Failed(Failure::Wrong)
        );
    }

    #[test]
    fn what_all_decide_at_once_can_be_left_out() {
        let records = [
            record("el", "p", Outcome::Holds, 0.01),
            record("sog", "p", Outcome::Refused, 0.0),
            record("el", "q", Outcome::Holds, 0.01),
            record("sog", "q", Outcome::Time, 10.0),
        ];
        let results = Results::new(&records, &[], Measure::Cpu, 0.1);
        assert_eq!((results.cases.len(), results.trivial), (1, 1));
    }
}
