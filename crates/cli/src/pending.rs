//! The answers of `check` that were not printed, and the lock under which answers are printed.
//!
//! The main thread prints an answer and removes it from the list under one lock. If the
//! [watchdog](crate::watchdog) ends the process, it prints the rest of the list under the same lock:
//! every property gets one answer.

use crate::args::Check;
use crate::check::{details, exit, verdict_line};
use crate::watchdog::Watchdog;
use crate::{Exit, Failure, out};
use lariat::internals::{CheckOptions, Stop};
use lariat::{Properties, Report};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The properties without a final report, in order.
pub(crate) struct Pending {
    args: Arc<Check>,
    options: CheckOptions,
    open: VecDeque<OpenProperty>,
    begun: Instant,
    /// The exit status of the answers printed so far.
    worst: Exit,
}

struct OpenProperty {
    name: String,
    text: String,
    /// A verdict that is known while evidence is still improved.
    known: Option<Box<Report>>,
}

/// Prints answers on stdout; clones share the list.
#[derive(Clone)]
pub(crate) struct Answers {
    pending: Arc<Mutex<Pending>>,
    dog: Watchdog,
}

impl Answers {
    /// No answer was printed. The watchdog prints all that are missing if it ends the process.
    pub(crate) fn new(
        args: &Arc<Check>,
        options: &CheckOptions,
        properties: &Properties<'_>,
        dog: &Watchdog,
    ) -> Answers {
        let open = properties.iter().map(|property| OpenProperty {
            name: property.name().to_owned(),
            text: property.text().to_owned(),
            known: None,
        });
        let pending = Arc::new(Mutex::new(Pending {
            args: Arc::clone(args),
            options: options.clone(),
            open: open.collect(),
            begun: Instant::now(),
            worst: Exit::Fine,
        }));
        let answers = Answers {
            pending: Arc::clone(&pending),
            dog: dog.clone(),
        };
        dog.last_words(move |stop| lock(&pending).conclude(stop));
        answers
    }

    /// Prints a verdict whose report follows; empty if only reports are printed.
    pub(crate) fn print_verdict(&self, report: &Report, text: &str) -> Result<(), Failure> {
        self.dog.pause(|| {
            let mut pending = lock(&self.pending);
            let name = report.name();
            if let Some(open) = pending.open.iter_mut().find(|open| open.name == name) {
                open.known = Some(Box::new(report.clone()));
            }
            if text.is_empty() {
                return Ok(());
            }
            out::text(text)
        })
    }

    /// Prints the final answer on a property.
    pub(crate) fn print_report(
        &self,
        report: &Report,
        print: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.dog.pause(|| {
            let mut pending = lock(&self.pending);
            pending.worst = pending.worst.max(exit(report));
            pending.open.retain(|open| open.name != report.name());
            print()
        })
    }

    /// The exit status of the answers printed.
    pub(crate) fn worst(&self) -> Exit {
        lock(&self.pending).worst
    }
}

fn lock(pending: &Mutex<Pending>) -> MutexGuard<'_, Pending> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pending {
    /// Prints an answer on every open property, and returns the exit status.
    fn conclude(&mut self, stop: &Stop) -> Exit {
        let file = self.args.model.display().to_string();
        while let Some(open) = self.open.pop_front() {
            let is_printed = open.known.is_some() && !self.args.json;
            let report = open.known.map_or_else(
                || {
                    let (name, text) = (&open.name, &open.text);
                    let report = Report::unread(&file, name, text, &self.options, stop.clone());
                    report.after(self.begun.elapsed())
                },
                |known| *known,
            );
            self.worst = self.worst.max(exit(&report));
            let printed = if self.args.json {
                out::data_line(|out| report.write_json_line(out))
            } else if is_printed {
                Ok(())
            } else {
                out::text(&(verdict_line(&self.args, &report) + &details(&self.args, &report)))
            };
            if printed.is_err() {
                return self.worst.max(Exit::Undecided);
            }
        }
        self.worst
    }
}
