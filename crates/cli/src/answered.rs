//! One property of `lariat check`, in two halves: what is decided, with what is asked about the answer, and what is said of a violating run when nothing is left to decide.

use crate::args::Check;
use crate::cross::Opinion;
use crate::progress::Line;
use crate::tasks::Task;
use crate::{input, vacuity};
use lariat::ltl::{Formulas, Strengthening};
use lariat::model::{Modality, Properties};
use lariat::report;
use lariat::{
    Budget, Deadlock, Explored, Observer, Options, Property, Report, Shortening, Subject, System,
    Verdict, check, decide, reconciled, unrelated,
};
use std::time::{Duration, Instant};

/// What is known of one property.
pub(crate) struct Answered {
    pub report: Report,
    /// How long that took, without what follows.
    pub took: Duration,
    /// What another engine says of it, if one was asked.
    pub opinion: Option<Opinion>,
    /// Parts of a property that holds which do not matter.
    pub vacuous: Vec<Strengthening>,
}

/// Values in the states of a run beyond which it is not kept as it was found while other properties are decided: some megabytes.
const MOST_VALUES: usize = 1 << 20;

impl Answered {
    /// The steps of a violating run that is shortened when nothing is left to decide; of others there is little left to say, or it must not wait.
    pub fn may_wait(&self, options: &Options, system: &System) -> Option<usize> {
        let Verdict::Violated(run) = &self.report.verdict else {
            return None;
        };
        let (steps, shortening) = (run.lasso().steps().count(), options.shortening);
        let is_much = steps.saturating_mul(system.variables.len()) > MOST_VALUES;
        let waits = shortening != Shortening::Never && !shortening.takes_longest(steps) && !is_much;
        waits.then_some(steps)
    }

    /// What a person is told besides the verdict.
    pub fn notes(&self, formulas: &Formulas) -> Vec<String> {
        let vacuous = self.vacuous.iter().map(|part| {
            let why = vacuity::in_words(formulas, part);
            format!("note: holds vacuously: {why}")
        });
        let opinion = self.opinion.iter().map(Opinion::in_words);
        vacuous.chain(opinion).collect()
    }
}

/// The options for a task: which states are reachable does not depend on what runs do at a deadlock.
fn options_for(task: &Task, options: &Options) -> Options {
    let deadlock = match task.modality {
        Some(_) => Deadlock::Stutter,
        None => options.deadlock,
    };
    Options {
        deadlock,
        ..options.clone()
    }
}

/// The same with a run that is as short as it is asked for, in what is left of the time.
pub(crate) fn finished(
    task: &Task,
    (args, options): (&Check, &Options),
    subject: &Subject<'_>,
    decided: Answered,
    (budget, line): (&Budget, &Line),
) -> Answered {
    let start = Instant::now();
    let mut own = input::for_property(budget, &args.limits);
    if let Some(time) = args.limits.timeout {
        own = own.with_deadline(time.0.saturating_sub(decided.took));
    }
    line.engine(decided.report.engine);
    let (property, options) = (task.question.property(), options_for(task, options));
    let mut report = lariat::finished(subject, property, &options, decided.report, &own, line);
    if task.modality == Some(Modality::Some) {
        // Nothing is bad about a state that was asked for.
        report.bad = None;
    }
    Answered {
        report,
        took: decided.took + start.elapsed(),
        ..decided
    }
}

/// Decides one property, with what is asked about the answer.
pub(crate) fn answered<'s>(
    task: &Task,
    (args, options, properties): (&Check, &Options, &Properties),
    subject: &Subject<'s>,
    explored: &mut Explored<'s>,
    (budget, line): (&Budget, &Line),
) -> Answered {
    let start = Instant::now();
    let limited = || input::for_property(budget, &args.limits);
    let own = limited().with_work(u64::MAX);
    let options = &options_for(task, options);
    let property = task.question.property();
    let mut report = decide(subject, property, options, explored, &own, line);
    let took = start.elapsed();
    let mut check = |property, options: &Options, own: &Budget| {
        check(subject, property, options, explored, own, line)
    };
    let mut opinion = None;
    if args.cross_check && !matches!(report.verdict, Verdict::Unknown(_)) {
        let first = (report.engine, report::word(&report.verdict));
        let start = Instant::now();
        let second = check(property, &unrelated(&report, options), &limited());
        let (reconciled, agreement) = reconciled(report, &second);
        report = reconciled;
        opinion = Some(Opinion {
            second,
            agreement,
            seconds: start.elapsed().as_secs_f64(),
            first,
        });
    }
    let mut vacuous = Vec::new();
    if matches!(report.verdict, Verdict::Holds(_)) && report.vacuous.is_none() {
        let options = Options {
            shortening: Shortening::Never,
            whole_product: false,
            claims: Vec::new(),
            ..options.clone()
        };
        let questions = &task.strengthenings;
        vacuous = vacuity::vacuous(
            questions,
            &properties.formulas,
            (&own, took),
            |formula, own| check(Property::Formula(formula), &options, own).verdict,
        );
    }
    Answered {
        report,
        took,
        opinion,
        vacuous,
    }
}
