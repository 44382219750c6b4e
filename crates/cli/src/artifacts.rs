//! Files for build servers and other tools: JUnit XML, SARIF and ITF.
//!
//! A file is replaced atomically: it is written beside its path and renamed. JUnit and SARIF files
//! are rewritten while the command runs, so that they contain all answers known so far even if the
//! command is killed. Verdicts do not depend on these files; a file that cannot be written is
//! reported once, and makes the exit code 2.

mod itf;
mod junit;
mod sarif;

use crate::Failure;
use crate::args::Check;
use lariat::internals::RunLayout;
use lariat::{Reason, Report, Verdict};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Minimum interval between updates of a file while the command runs.
const INTERVAL: Duration = Duration::from_millis(500);

/// A property with its outcome, as the files report it.
struct Case {
    name: String,
    formula: String,
    /// `None` until the property is reported.
    outcome: Option<Outcome>,
}

struct Outcome {
    result: CaseResult,
    seconds: f64,
    /// Notes and the counterexample.
    text: String,
    /// The states of the counterexample, one per line.
    steps: Vec<String>,
}

enum CaseResult {
    Holds,
    Violated,
    /// With the reason.
    Unknown(String),
    /// A defect of Lariat.
    Internal(String),
}

/// The files that a check writes beside its output.
pub(crate) struct Artifacts<'a> {
    args: &'a Check,
    model: String,
    cases: Vec<Case>,
    written: Option<Instant>,
    has_failed: bool,
}

impl<'a> Artifacts<'a> {
    /// Starts the files; `properties` are the names and formulas. Unwritable folders are refused.
    pub(crate) fn create(
        args: &'a Check,
        properties: impl Iterator<Item = (String, String)>,
    ) -> Result<Artifacts<'a>, Failure> {
        let cases = properties.map(|(name, formula)| Case {
            name,
            formula,
            outcome: None,
        });
        let mut artifacts = Artifacts {
            args,
            model: args.model.display().to_string(),
            cases: cases.collect(),
            written: None,
            has_failed: false,
        };
        if let Some(path) = &args.itf {
            // Tests that the folder can be written to.
            let probe = beside(path);
            fs::write(&probe, "")
                .and_then(|()| fs::remove_file(&probe))
                .map_err(|error| Failure::new(cannot_write(path, &error)))?;
        }
        for (path, text) in artifacts.files() {
            if is_replaceable(path) {
                replace(path, &|out| out.write_all(text.as_bytes()))
                    .map_err(|error| Failure::new(cannot_write(path, &error)))?;
            }
        }
        artifacts.written = Some(Instant::now());
        Ok(artifacts)
    }

    /// Adds the report on a property.
    pub(crate) fn add(&mut self, report: &Report) {
        let args = self.args;
        if args.junit.is_none() && args.sarif.is_none() && args.itf.is_none() {
            return;
        }
        let is_it = |case: &Case| case.name == report.name();
        let position = self.cases.iter().position(is_it).unwrap_or_else(|| {
            // A finding that the search for other properties met.
            self.cases.push(Case {
                name: report.name().to_owned(),
                formula: report.formula().to_owned(),
                outcome: None,
            });
            self.cases.len() - 1
        });
        if let (Some(path), Verdict::Violated(run)) = (&self.args.itf, report.verdict())
            && report.witness().is_none()
            && (run.loop_start().is_some() || !run.is_empty() || run.violated_at().is_some())
        {
            let names: Vec<&str> = self.cases.iter().map(|case| &*case.name).collect();
            let path = itf::path(path, &names, position);
            let model = self.model.clone();
            self.write(&path, &|out| itf::write(out, &model, report, run));
        }
        let mut text = report.notes().join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        text += &report.evidence_in(&RunLayout {
            full: args.full,
            width: None,
            option: Some("--full"),
        });
        self.cases[position].formula = report.shown_formula().into_owned();
        self.cases[position].outcome = Some(Outcome {
            result: match report.verdict() {
                Verdict::Holds => CaseResult::Holds,
                Verdict::Violated(_) => CaseResult::Violated,
                Verdict::Unknown(Reason::Internal(what)) => CaseResult::Internal(what.clone()),
                Verdict::Unknown(reason) => CaseResult::Unknown(match report.advice() {
                    Some(advice) => format!("{reason}; {}", advice.line()),
                    None => reason.to_string(),
                }),
            },
            seconds: report.seconds(),
            text,
            steps: report.evidence_steps(),
        });
        if self.written.is_none_or(|at| at.elapsed() >= INTERVAL) {
            self.update(is_replaceable);
        }
    }

    /// Writes all files; returns whether one could not be written.
    pub(crate) fn finish(&mut self) -> bool {
        self.update(|_| true);
        self.has_failed
    }

    /// Writes those files that contain all properties and are `due`.
    fn update(&mut self, due: impl Fn(&Path) -> bool) {
        for (path, text) in self.files() {
            if due(path) {
                self.write(path, &|out| out.write_all(text.as_bytes()));
            }
        }
        self.written = Some(Instant::now());
    }

    /// The paths and contents of the files that contain all properties.
    fn files(&self) -> Vec<(&'a Path, String)> {
        let (model, args) = (&self.model, self.args);
        let mut files = Vec::new();
        if let Some(path) = &args.junit {
            files.push((&**path, junit::text(model, &self.cases)));
        }
        if let Some(path) = &args.sarif {
            files.push((&**path, sarif::text(model, &self.cases)));
        }
        files
    }

    fn write(&mut self, path: &Path, text: Contents<'_>) {
        if let Err(error) = replace(path, text)
            && !std::mem::replace(&mut self.has_failed, true)
        {
            crate::complain(&cannot_write(path, &error));
        }
    }
}

/// Writes the contents of a file.
type Contents<'c> = &'c dyn Fn(&mut dyn Write) -> io::Result<()>;

/// The path beside a file at which its next content is written.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Returns whether a path can be replaced: not a pipe or a device, which are written once.
fn is_replaceable(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |known| known.is_file())
}

/// Replaces a file atomically.
fn replace(path: &Path, contents: Contents<'_>) -> io::Result<()> {
    let write = |path: &Path| {
        let mut file = BufWriter::new(fs::File::create(path)?);
        contents(&mut file)?;
        file.flush()
    };
    if !is_replaceable(path) {
        return write(path);
    }
    let next = beside(path);
    let replaced = write(&next).and_then(|()| fs::rename(&next, path));
    if replaced.is_err() {
        // The error of the first operation is reported.
        let _ = fs::remove_file(&next);
    }
    replaced
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}
