//! `lariat view`, and the page that `check --html` writes.

use crate::args::ViewArgs;
use crate::{Exit, Failure, input, out, traces};
use lariat::Property;
use lariat::internals::PropertyForm;
use lariat::internals::formats::{LoadedModel, ModelFormat};
use lariat::internals::ir::PropertyList;
use lariat::internals::ltl::{Syntax, print};
use lariat::internals::{Budget, Deadlock, ShownModel};
use lariat_draw::page::{PageEntry, PageSubject, page};
use lariat_draw::run::{NameIndex, system_of};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// A page that is written when all reports are known.
pub(crate) struct Page<'a> {
    path: &'a Path,
    reports: Vec<PageEntry>,
}

impl<'a> Page<'a> {
    /// Starts a page. Its file is created at once, so that an unwritable path fails before the
    /// check.
    pub(crate) fn create(path: &'a Path) -> Result<Page<'a>, Failure> {
        write(path, "")?;
        Ok(Page {
            path,
            reports: Vec::new(),
        })
    }

    /// Adds the report on a property.
    pub(crate) fn add(
        &mut self,
        index: &NameIndex<'_>,
        report: Json,
        property: Option<&Property>,
    ) -> Result<(), Failure> {
        let run = traces::run(&report).map(|run| index.run(run));
        let run = run
            .transpose()
            .map_err(|why| Failure::new(format!("a run cannot be shown: {why}")))?;
        let formula = property.and_then(|property| match property.form() {
            PropertyForm::Formula(formula) => Some(formula),
            PropertyForm::Never(_) => None,
        });
        self.reports.push(PageEntry {
            report,
            run,
            formula,
            atoms: property.map_or(Vec::new(), |property| property.atoms().to_vec()),
        });
        Ok(())
    }

    /// Writes the page; violated properties come first.
    pub(crate) fn finish(mut self, subject: &PageSubject<'_>) -> Result<(), Failure> {
        self.reports.sort_by_key(|report| report.run.is_none());
        write(self.path, &page(subject, &self.reports))
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
    let budget = input::command_budget(&args.limits);
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
        let found = traces::run(&report).map(|run| index.run(run));
        let run = found.transpose().map_err(|why| {
            Failure::new(format!(
                "the trace does not belong to this model: {why}\n  = help: name another model with `--model FILE`"
            ))
        })?;
        let policy = match report["deadlock"].as_str() {
            Some("ignore") => Deadlock::Ignore,
            _ => Deadlock::Stutter,
        };
        let can_move = !model.system.initial.is_empty();
        let replayed = run.as_ref().filter(|_| can_move);
        if let Some(step) = replayed.and_then(|run| run.astray(&model.system, policy)) {
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
            atoms: Vec::new(),
        });
    }
    let shown = ShownModel::of(model, &properties);
    let subject = page_subject(name, model, &properties, shown.as_ref());
    for entry in told.iter_mut().filter(|_| shown.is_some()) {
        if let Some(formula) = entry.formula {
            entry.report["formula"] = print(subject.formulas, formula, Syntax::Full).into();
        }
    }
    Ok(page(&subject, &told))
}
