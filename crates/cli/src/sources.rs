//! The properties of a `lariat check` command line: formulas, files, automata, and those of the
//! model.

use crate::args::Check;
use crate::{Failure, input};
use lariat::internals::Strength;
use lariat::internals::automata::hoa_stream;
use lariat::internals::automaton_claim;
use lariat::internals::formats::{Outline, promela};
use lariat::internals::ir::Errors;
use lariat::{Budget, Model, Properties};
use std::path::PathBuf;
use std::sync::Arc;

/// The texts of all properties of the command line, read but not parsed.
#[derive(Clone, Default)]
pub(crate) struct Sources {
    formulas: Vec<String>,
    files: Vec<NamedSource>,
    mcc: Vec<NamedSource>,
    automata: Vec<NamedSource>,
}

/// A file and its contents.
#[derive(Clone)]
struct NamedSource {
    origin: String,
    bytes: Arc<[u8]>,
}

impl Sources {
    /// Reads all files within the budget.
    pub(crate) fn read(args: &Arc<Check>, budget: &Budget) -> Result<Sources, Failure> {
        let time = args.limits.timeout.map(|time| time.0);
        let args = Arc::clone(args);
        input::supervised_texts(budget, time, move |own| {
            let source = |path: &PathBuf| {
                Ok(NamedSource {
                    origin: path.display().to_string(),
                    bytes: input::bytes(path, own)?.into(),
                })
            };
            let all = |paths: &[PathBuf]| paths.iter().map(source).collect::<Result<_, Failure>>();
            let files: Vec<NamedSource> = all(&args.formula_files)?;
            // No formula begins like this.
            let is_xml = |file: &NamedSource| file.bytes.trim_ascii_start().starts_with(b"<?xml");
            let (xml, files) = files.into_iter().partition(is_xml);
            let given: Vec<NamedSource> = all(&args.mcc)?;
            Ok(Sources {
                formulas: args.formulas.clone(),
                files,
                mcc: [xml, given].concat(),
                automata: all(&args.automaton)?,
            })
        })
    }

    /// The names and texts of the properties, as far as they are known without a model.
    pub(crate) fn outline(&self) -> Outline {
        let mut outline = Outline::default();
        for text in &self.formulas {
            outline.add(None, text);
        }
        for file in &self.files {
            outline.add_file(&file.bytes);
        }
        for file in &self.mcc {
            outline.add_mcc(&file.bytes);
        }
        for file in &self.automata {
            let text = String::from_utf8_lossy(&file.bytes);
            for _ in hoa_stream(&text) {
                outline.add(None, &automaton_claim(&file.origin, ""));
            }
        }
        outline
    }

    /// Binds all properties to the model, and keeps those that were selected. A property process of
    /// the model follows those of the command line; the findings of the model are last.
    pub(crate) fn bind<'m>(
        &self,
        args: &Check,
        model: &'m Model,
    ) -> Result<Properties<'m>, Failure> {
        let mut properties = Properties::new(model);
        let mut errors = Errors::default();
        for text in &self.formulas {
            errors.note(properties.add(text));
        }
        errors.note(properties.add_model_formulas());
        for (is_wanted, (name, formula)) in [
            (args.acceptance_cycles, promela::ACCEPTANCE_CYCLE),
            (args.non_progress, promela::NON_PROGRESS_CYCLE),
        ] {
            if is_wanted {
                errors.note(properties.add_named(name, formula));
            }
        }
        for NamedSource { origin, bytes } in &self.files {
            errors.note(properties.add_file(origin, bytes));
        }
        for NamedSource { origin, bytes } in &self.mcc {
            errors.note(properties.add_contest_file(origin, bytes));
        }
        for NamedSource { origin, bytes } in &self.automata {
            errors.note(properties.add_automaton(origin, bytes));
        }
        for what in &args.weak_fair {
            errors.note(properties.assume(Strength::Weak, what));
        }
        for what in &args.strong_fair {
            errors.note(properties.assume(Strength::Strong, what));
        }
        errors.into_result()?;
        properties.add_property_process()?;
        if !args.no_faults {
            properties.add_findings()?;
        }
        if properties.is_empty() {
            return Err(Failure::new(
                "nothing to check\n  = help: give a formula with -f, or a file with -F, --mcc or --automaton; see `lariat check --help`",
            ));
        }
        let selected = properties.select(&args.select);
        selected.map_err(|name| Failure::new(format!("no property is called `{name}`")))?;
        Ok(properties)
    }
}
