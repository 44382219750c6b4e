//! What `lariat check` is asked: the properties of the command line, of files and of the model, as tasks.

use crate::args::Check;
use crate::check::{exit, options};
use crate::{Exit, Failure, input, reach, vacuity};
use lariat::automata::{Automaton, Hoa, HoaError, read_hoa};
use lariat::formats::{Model, Outline, mcc};
use lariat::ltl::{AtomError, AtomId, Formula, Formulas, Strengthening};
use lariat::model::{self, Errors, Modality, Names, Properties};
use lariat::{Budget, Choice, Fairness, InputError, Property, Strength, Verdict, property_process};
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be decided, with what is said of it.
pub(crate) struct Task {
    pub(crate) name: String,
    /// The formula, or a sentence about the automaton.
    pub(crate) text: String,
    pub(crate) question: Question,
    pub(crate) atoms: Vec<AtomId>,
    pub(crate) fairness: Fairness,
    /// Was it written as `EF p` or `AG p`?
    pub(crate) modality: Option<Modality>,
    /// What is asked if it holds: does each of its parts matter?
    pub(crate) strengthenings: Vec<Strengthening>,
}

pub(crate) enum Question {
    Formula(Formula),
    Never(Automaton),
}

impl Task {
    /// What its verdict means for the exit code.
    pub(crate) fn exit(&self, verdict: &Verdict) -> Exit {
        match reach::holds(self.modality, verdict) {
            Some(true) => Exit::Fine,
            Some(false) => Exit::Violated,
            None => exit(verdict),
        }
    }
}

impl Question {
    pub(crate) fn property(&self) -> Property<'_> {
        match self {
            Question::Formula(formula) => Property::Formula(*formula),
            Question::Never(automaton) => Property::Never(automaton),
        }
    }

    pub(crate) fn formula(&self) -> Option<Formula> {
        match self {
            Question::Formula(formula) => Some(*formula),
            Question::Never(_) => None,
        }
    }
}

/// The texts of all properties of the command line, read but not understood.
#[derive(Clone, Default)]
pub(crate) struct Sources {
    pub(crate) formulas: Vec<String>,
    pub(crate) files: Vec<Source>,
    pub(crate) mcc: Vec<Source>,
    pub(crate) automata: Vec<Source>,
}

/// A file and what it contains.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) origin: String,
    pub(crate) bytes: Arc<[u8]>,
}

impl Sources {
    pub(crate) fn read(args: &Arc<Check>, budget: &Budget) -> Result<Sources, Failure> {
        let (args, own) = (Arc::clone(args), budget.clone());
        input::supervised(budget, move || {
            let source = |path: &PathBuf| {
                Ok(Source {
                    origin: path.display().to_string(),
                    bytes: input::bytes(path, &own)?.into(),
                })
            };
            let all = |paths: &[PathBuf]| paths.iter().map(source).collect::<Result<_, Failure>>();
            Ok(Sources {
                formulas: args.formulas.clone(),
                files: all(&args.formula_files)?,
                mcc: all(&args.mcc)?,
                automata: all(&args.automaton)?,
            })
        })
    }

    /// The properties as far as they can be told apart without a model.
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
            outline.add(None, &no_run(&file.origin, ""));
        }
        outline
    }
}

/// All properties of the command line, or those selected.
///
/// A property process that the model comes with is one of them, the last.
pub(crate) fn tasks(
    args: &Check,
    sources: &Sources,
    model: &Model,
) -> Result<(Properties, Vec<Task>), Failure> {
    let names = &model.names();
    let mut properties = Properties::new();
    properties.read_modalities();
    let mut errors = Errors::default();
    for text in &sources.formulas {
        errors.note(properties.add_formula(names, "formula", None, text));
    }
    for Source { origin, bytes } in &sources.files {
        errors.note(properties.add_file(names, origin, bytes));
    }
    for Source { origin, bytes } in &sources.mcc {
        errors.note(mcc::read(&mut properties, names, origin, bytes));
    }
    let mut automata = Vec::new();
    for Source { origin, bytes } in &sources.automata {
        automata.extend(errors.note(automaton(&mut properties, names, origin, bytes)));
    }
    let mut fairness = Fairness::default();
    for (strength, what) in assumptions(args) {
        let added = fairness.add(names, strength, what);
        errors.note(added.map_err(|AtomError { message, help, .. }| {
            let error = InputError::new(format!("--{}-fair", strength.name()), message);
            match help {
                Some(help) => error.help(help),
                None => error,
            }
        }));
    }
    errors.into_result()?;
    if let Some(process) = &model.property {
        let automaton = property_process::automaton(process, &mut properties)?;
        let text = format!(
            "no run is accepted by the property process {}",
            process.name
        );
        automata.push((text, automaton));
    }
    let formulas = properties.list.iter().map(|property| Task {
        name: property.name.clone(),
        text: property.text.clone(),
        question: Question::Formula(property.formula),
        atoms: atoms(&properties.formulas, property),
        fairness: property.fairness.clone().and(&fairness),
        modality: property.modality,
        strengthenings: Vec::new(),
    });
    let mut tasks: Vec<Task> = formulas.collect();
    for (text, automaton) in automata {
        tasks.push(Task {
            name: (tasks.len() + 1).to_string(),
            text,
            atoms: automaton.atoms.clone(),
            question: Question::Never(automaton),
            fairness: fairness.clone(),
            modality: None,
            strengthenings: Vec::new(),
        });
    }
    if tasks.is_empty() {
        return Err(Failure::new(
            "nothing to check\n  = help: give a formula with -f, or a file with -F, --mcc or --automaton; see `lariat check --help`",
        ));
    }
    let unfair = |task: &&Task| task.modality.is_some() && task.fairness.strength().is_some();
    if let Some(task) = tasks.iter().find(unfair) {
        return Err(Failure::new(format!(
            "{}: EF and AG are about reachable states, fair runs or not\n  = help: ask for F or G under --weak-fair and --strong-fair",
            task.text
        )));
    }
    for id in &args.select {
        if !tasks.iter().any(|task| task.name == *id) {
            return Err(Failure::new(format!("no property is called `{id}`")));
        }
    }
    if !args.select.is_empty() {
        tasks.retain(|task| args.select.contains(&task.name));
    }
    if let Choice::Plan(plan) = &options(args)?.choice {
        for strength in tasks.iter().filter_map(|task| task.fairness.strength()) {
            plan.accepts(strength).map_err(Failure::new)?;
        }
    }
    for task in &mut tasks {
        // A state that is reached needs no condition to matter.
        let skip = args.no_vacuity || task.modality == Some(Modality::Some);
        if let (Question::Formula(formula), false) = (&task.question, skip) {
            task.strengthenings = vacuity::questions(&mut properties.formulas, *formula);
        }
    }
    Ok((properties, tasks))
}

/// The fairness that the command line asks for.
pub(crate) fn assumptions(args: &Check) -> impl Iterator<Item = (Strength, &str)> {
    let weak = args.weak_fair.iter().map(|what| (Strength::Weak, &**what));
    let strong = args
        .strong_fair
        .iter()
        .map(|what| (Strength::Strong, &**what));
    weak.chain(strong)
}

/// The atoms of a formula in the order in which its text names them.
pub(crate) fn atoms(formulas: &Formulas, property: &model::Property) -> Vec<AtomId> {
    let mut atoms = formulas.atoms_of(property.formula);
    atoms.sort_by_key(|atom| property.text.find(formulas.atom_name(*atom)));
    atoms
}

/// The automaton in a HOA file, its propositions bound to the model, and a sentence about it.
pub(crate) fn automaton(
    properties: &mut Properties,
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
) -> Result<(String, Automaton), InputError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        InputError::at(origin, bytes, at..at + 1, "this is not UTF-8")
            .help("expected an automaton in the HOA format")
    })?;
    let mut advice = None;
    let mut bind = |proposition: &str| {
        properties
            .add_atom(names, proposition)
            .map_err(|AtomError { message, help, .. }| {
                advice = help;
                message
            })
    };
    match read_hoa(text, &mut bind) {
        Ok(Hoa { name, automaton }) => Ok((no_run(origin, &name), automaton)),
        Err(HoaError { span, message }) => {
            let error = InputError::at(origin, bytes, span, message);
            Err(match advice {
                Some(advice) => error.help(advice),
                None => error,
            })
        }
    }
}

/// What the automaton of a file claims; `name` is its own, if it has one.
pub(crate) fn no_run(origin: &str, name: &str) -> String {
    match name {
        "" => format!("no run is accepted by {origin}"),
        name => format!("no run is accepted by {origin} ({name})"),
    }
}
