//! `lariat view`, and the page that `check --html` writes.

use crate::args::ViewArgs;
use crate::{Exit, Failure, input, out, traces};
use lariat::internals::budget::Lease;
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::{PropertyList, Value};
use lariat::internals::ltl::{Syntax, print};
use lariat::internals::{Budget, Deadlock, ShownModel};
use lariat::{Property, Report, Trace};
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::{DrawnRun, NameIndex, RunError, system_of};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Approximate bytes of a step in JSON, and of a value in one.
const STEP_BYTES: usize = 1 << 10;
const VALUE_BYTES: usize = 384;
/// Limit on the values in the markings of a run in JSON.
const MOST_VALUES: usize = 1 << 20;

/// A page that is written when all reports are known.
pub(crate) struct Page<'a> {
    path: &'a Path,
    reports: Vec<PageEntry>,
    budget: Budget,
    /// The time limit per property.
    timeout: Option<Duration>,
    /// The bytes of the runs.
    lease: Lease,
}

impl<'a> Page<'a> {
    /// Starts a page. Its file is created at once, so that an unwritable path fails before the
    /// check.
    pub(crate) fn create(
        path: &'a Path,
        budget: &Budget,
        timeout: Option<Duration>,
    ) -> Result<Page<'a>, Failure> {
        write(path, "")?;
        Ok(Page {
            path,
            reports: Vec::new(),
            budget: budget.clone(),
            timeout,
            lease: budget.lease(),
        })
    }

    /// The budget for what these reports leave of the time limit.
    fn budget<'r>(&self, reports: impl Iterator<Item = &'r Json>) -> Budget {
        let seconds = reports.filter_map(|report| report["seconds"].as_f64());
        let seconds = seconds.fold(0.0, f64::max).clamp(0.0, 1e9);
        let left = |time: Duration| time.saturating_sub(Duration::from_secs_f64(seconds));
        input::for_page(&self.budget, self.timeout.map(left))
    }

    /// Reads a run. Leases the bytes of the run in the page, and meanwhile those of its JSON object.
    fn run(
        &mut self,
        index: &NameIndex<'_>,
        trace: &Trace,
        budget: &Budget,
    ) -> Result<DrawnRun, RunError> {
        let (steps, places) = (1 + trace.len(), index.state_bytes() / size_of::<Value>());
        let bytes = steps.saturating_mul(STEP_BYTES + index.state_bytes());
        let bytes = bytes.saturating_add(self.lease.bytes() as usize);
        self.lease.resize(bytes).map_err(RunError::Stop)?;
        let values = steps.saturating_mul(places).min(MOST_VALUES);
        let object = steps.saturating_mul(STEP_BYTES) + values * VALUE_BYTES;
        let mut transient = budget.lease();
        transient.resize(object).map_err(RunError::Stop)?;
        index.run(&trace.to_json(), budget)
    }

    /// Adds the report on a property.
    pub(crate) fn add(
        &mut self,
        index: &NameIndex<'_>,
        report: &Report,
        property: Option<&Property>,
    ) {
        let mut object = report.to_json_without_steps();
        object["formula"] = report.shown_formula().into();
        let budget = self.budget(std::iter::once(&object));
        let trace = report.counterexample();
        let (run, unread) = match trace.map(|trace| self.run(index, trace, &budget)) {
            None => (None, None),
            Some(Ok(run)) => (Some(run), None),
            Some(Err(RunError::Stop(stop))) => (None, Some(stop)),
            Some(Err(RunError::Wrong(why))) => {
                crate::warn(&format!("the page does not show a run: {why}"));
                (None, None)
            }
        };
        let formula = property.and_then(Property::formula_along_runs);
        self.reports.push(PageEntry {
            report: object,
            run,
            unread,
            formula,
            atoms: property.map_or(Vec::new(), |property| property.atoms().to_vec()),
        });
    }

    /// Writes the page; violated properties come first.
    pub(crate) fn finish(mut self, subject: &PageSubject<'_>) -> Result<(), Failure> {
        self.reports
            .sort_by_key(|report| report.run.is_none() && report.unread.is_none());
        let budget = self.budget(self.reports.iter().map(|entry| &entry.report));
        write(self.path, &page(subject, &self.reports, &budget))
    }
}

/// The subject of a page: the model and its formulas with the names that output uses.
pub(crate) fn page_subject<'a>(
    name: &'a str,
    model: &'a LoadedModel,
    properties: &'a PropertyList,
    shown: Option<&'a ShownModel>,
) -> PageSubject<'a> {
    PageSubject {
        name,
        model: shown.map_or(model, |shown| &shown.model),
        formulas: shown.map_or(&properties.formulas, |shown| &shown.formulas),
        propositions: &properties.propositions,
    }
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}

pub(crate) fn run(args: &ViewArgs) -> Result<Exit, Failure> {
    let (budget, dog) = input::command_budget(&args.limits);
    let objects = traces::read(&args.trace, &budget)?;
    let named = objects.iter().find_map(|object| object["model"].as_str());
    let model = match model_file(args, named) {
        Some(path) => {
            let mut model = input::watched_model(&path, &budget)?;
            args.shown.apply(&mut model);
            model
        }
        None => {
            crate::warn(
                "the model file of this trace was not found, so its net is not drawn; see --model",
            );
            let runs: Vec<&Json> = objects.iter().filter_map(traces::run).collect();
            LoadedModel::new(ModelFormat::Etf, system_of(&runs))
        }
    };
    let name = named.unwrap_or("a run").to_owned();
    let output = args.output.clone();
    let output = output.unwrap_or_else(|| args.trace.with_extension("html"));
    if output == args.trace {
        return Err(Failure::new(
            "the page would replace the trace; give another name with -o",
        ));
    }
    let text = shown(&name, &model, objects, &budget)?;
    dog.done();
    write(&output, &text)?;
    out::text(&format!("{}\n", output.display()))?;
    Ok(Exit::Fine)
}

/// The model file: `--model`, or the file named in the trace, relative to this folder or the
/// trace's.
fn model_file(args: &ViewArgs, named: Option<&str>) -> Option<PathBuf> {
    if let Some(path) = &args.model {
        return Some(path.clone());
    }
    let named = Path::new(named?);
    let beside = args.trace.parent().map(|folder| folder.join(named));
    [Some(named.to_owned()), beside]
        .into_iter()
        .flatten()
        .find(|path| path.is_file())
}

/// The page of traces. Their runs are replayed.
fn shown(
    name: &str,
    model: &LoadedModel,
    objects: Vec<Json>,
    budget: &Budget,
) -> Result<String, Failure> {
    let mut properties = PropertyList::new();
    // A trace identifies places and transitions by their ids.
    let names = model.names().by_ids();
    let index = NameIndex::new(&model.system);
    let mut told = Vec::new();
    for mut report in objects {
        budget.check().map_err(Failure::Undecided)?;
        let found = traces::run(&report).map(|run| index.run(run, budget));
        let run = found.transpose().map_err(|error| match error {
            RunError::Stop(stop) => Failure::Undecided(stop),
            RunError::Wrong(why) => Failure::new(format!(
                "the trace does not belong to this model: {why}\n  = help: name another model with `--model FILE`"
            )),
        })?;
        let policy = match report["deadlock"].as_str() {
            Some("ignore") => Deadlock::Ignore,
            _ => Deadlock::Stutter,
        };
        let can_move = !model.system.initial.is_empty();
        let replayed = run.as_ref().filter(|_| can_move);
        let astray = replayed.map(|run| run.astray(&model.system, policy, budget));
        let astray = astray.transpose().map_err(Failure::Undecided)?.flatten();
        if let Some(step) = astray {
            crate::warn(&format!(
                "step {step} of the run is not possible in the model, which may have changed since"
            ));
            if let Some(replayed) = report.pointer_mut("/counterexample/replayed") {
                *replayed = Json::Bool(false);
            }
        }
        let text = report["formula"].as_str();
        // A text that does not parse, such as the description of an automaton, is shown verbatim.
        let known =
            text.is_some_and(|text| properties.add_formula(&names, "trace", None, text).is_ok());
        let last = properties.list.last().filter(|_| known);
        let formula = last.map(|property| property.formula);
        told.push(PageEntry {
            report,
            run,
            formula,
            ..PageEntry::default()
        });
    }
    let shown = ShownModel::of(model, &properties);
    let subject = page_subject(name, model, &properties, shown.as_ref());
    for entry in told.iter_mut().filter(|_| shown.is_some()) {
        if let Some(formula) = entry.formula {
            entry.report["formula"] = print(subject.formulas, formula, Syntax::Full).into();
        }
    }
    let budget = input::for_page(budget, budget.time_left());
    Ok(page(&subject, &told, &budget))
}
