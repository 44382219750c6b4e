//! `lariat check`.

use crate::args::Check;
use crate::progress::Line;
use crate::{Exit, Failure, input, out};
use anstyle::{AnsiColor, Style};
use lariat::automata::{Automaton, Hoa, HoaError, read_hoa};
use lariat::ltl::{AtomError, AtomId, Formula, Formulas};
use lariat::model::{self, Model, Names, Properties};
use lariat::report::{self, Context};
use lariat::{
    Attempt, Choice, Explored, InputError, Options, Proofs, Property, Reason, Report, Stop,
    Subject, Systems, Variant, Verdict, check, property_process,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// What is to be decided, with what is said of it.
struct Task {
    name: String,
    /// The formula, or a sentence about the automaton.
    text: String,
    question: Question,
    atoms: Vec<AtomId>,
}

enum Question {
    Formula(Formula),
    Never(Automaton),
}

pub(crate) fn run(args: &Check) -> Result<Exit, Failure> {
    let (budget, cancel) = input::budget(&args.limits);
    let read = input::model(&args.model, &input::for_property(&budget, &args.limits))?;
    let system = &read.system;
    let model = args.model.display().to_string();
    let (properties, tasks) = tasks(args, &read)?;
    let mut trace = args.trace.as_deref().map(Trace::create).transpose()?;
    let subject = Subject::new(&read, &properties);
    let options = options(args)?;
    let mut worst = Exit::Fine;
    let systems = Systems::new();
    let mut explored = Explored::new(&systems);
    let mut warned = BTreeSet::new();
    for task in &tasks {
        let start = Instant::now();
        let own = input::for_property(&budget, &args.limits);
        let question = match &task.question {
            Question::Formula(formula) => Property::Formula(*formula),
            Question::Never(automaton) => Property::Never(automaton),
        };
        let line = Line::new(args.volume());
        let report = check(&subject, question, &options, &mut explored, &own, &line);
        drop(line);
        let context = Context {
            model: &model,
            property: &task.name,
            formula: &task.text,
            system,
            formulas: &properties.formulas,
            propositions: &properties.propositions,
            atoms: &task.atoms,
            seconds: start.elapsed().as_secs_f64(),
        };
        if let Some(variable) = &report.overflow
            && warned.insert(variable.clone())
        {
            crate::warn_of_overflow(variable);
        }
        worst = worst.max(exit(&report.verdict));
        if let (Some(trace), Verdict::Violated(_)) = (&mut trace, &report.verdict) {
            trace.add(&report, &context)?;
        }
        if args.json {
            out::data(&format!("{}\n", report::json(&report, &context)))?;
        } else {
            out::text(&text(args, &report, &context))?;
        }
    }
    if cancel.is_pressed() {
        worst = worst.max(Exit::Interrupted);
    }
    Ok(worst)
}

/// What the arguments ask for, if it goes together.
pub(crate) fn options(args: &Check) -> Result<Options, Failure> {
    let variant = Variant {
        published: args.published,
        proofs: Proofs::without(&args.without),
        ..Variant::default()
    };
    let choice = match &args.engine {
        Choice::Auto(_) => {
            let axis = [
                (args.automaton_kind.is_some(), "the kind of automaton"),
                (args.emptiness.is_some(), "the emptiness check"),
                (variant != Variant::default(), "the variant"),
            ];
            if let Some((_, what)) = axis.iter().find(|(given, _)| *given) {
                return Err(Failure::new(format!(
                    "`auto` chooses {what} too; name an engine"
                )));
            }
            args.engine.clone()
        }
        Choice::Plan(preset) => {
            let mut plan = preset.as_variant(variant);
            if let Some(kind) = args.automaton_kind {
                plan = plan.reading(kind);
            }
            if let Some(emptiness) = args.emptiness {
                plan = plan.checked_by(emptiness);
            }
            Choice::Plan(plan)
        }
    };
    let options = Options {
        choice,
        order: args.order.clone(),
        deadlock: args.deadlock,
        whole_product: args.whole_product,
    };
    options.validate().map_err(Failure::new)?;
    Ok(options)
}

/// A file of counterexamples.
struct Trace<'a>(&'a Path, File);

impl Trace<'_> {
    fn create(path: &Path) -> Result<Trace<'_>, Failure> {
        match File::create(path) {
            Ok(file) => Ok(Trace(path, file)),
            Err(error) => Err(cannot_write(path, &error)),
        }
    }

    fn add(&mut self, report: &Report, context: &Context<'_>) -> Result<(), Failure> {
        let Trace(path, file) = self;
        writeln!(file, "{}", report::json(report, context))
            .map_err(|error| cannot_write(path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot write {}: {error}", path.display()))
}

/// All properties of the command line, or those selected.
///
/// A property process that the model comes with is one of them, the last.
fn tasks(args: &Check, model: &Model) -> Result<(Properties, Vec<Task>), Failure> {
    let names = &model.names();
    let mut properties = Properties::new();
    for text in &args.formulas {
        properties.add_formula(names, "formula", None, text)?;
    }
    for path in &args.formula_files {
        properties.add_file(names, &path.display().to_string(), &input::bytes(path)?)?;
    }
    for path in &args.mcc {
        properties.add_mcc(names, &path.display().to_string(), &input::bytes(path)?)?;
    }
    let mut automata = Vec::new();
    for path in &args.automaton {
        let origin = path.display().to_string();
        let bytes = input::bytes(path)?;
        automata.push(automaton(&mut properties, names, &origin, &bytes)?);
    }
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
    });
    let mut tasks: Vec<Task> = formulas.collect();
    for (text, automaton) in automata {
        tasks.push(Task {
            name: (tasks.len() + 1).to_string(),
            text,
            atoms: automaton.atoms.clone(),
            question: Question::Never(automaton),
        });
    }
    if tasks.is_empty() {
        return Err(Failure::new(
            "nothing to check\n  = help: give a formula with -f, or a file with -F, --mcc or --automaton; see `lariat check --help`",
        ));
    }
    for id in &args.select {
        if !tasks.iter().any(|task| task.name == *id) {
            return Err(Failure::new(format!("no property is called `{id}`")));
        }
    }
    if !args.select.is_empty() {
        tasks.retain(|task| args.select.contains(&task.name));
    }
    Ok((properties, tasks))
}

/// The atoms of a formula in the order in which its text names them.
fn atoms(formulas: &Formulas, property: &model::Property) -> Vec<AtomId> {
    let mut atoms = formulas.atoms_of(property.formula);
    atoms.sort_by_key(|atom| property.text.find(formulas.atom_name(*atom)));
    atoms
}

/// The automaton in a HOA file, its propositions bound to the model, and a sentence about it.
fn automaton(
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
        Ok(Hoa { name, automaton }) => {
            let title = match name.as_str() {
                "" => String::new(),
                name => format!(" ({name})"),
            };
            Ok((format!("no run is accepted by {origin}{title}"), automaton))
        }
        Err(HoaError { span, message }) => {
            let error = InputError::at(origin, bytes, span, message);
            Err(match advice {
                Some(advice) => error.help(advice),
                None => error,
            })
        }
    }
}

pub(crate) fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Holds(_) => Exit::Fine,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Unknown(Reason::Internal(_)) => Exit::Internal,
        Verdict::Unknown(Reason::Stopped(Stop::Interrupted)) => Exit::Interrupted,
        Verdict::Unknown(_) => Exit::Undecided,
    }
}

/// The report for a person: verdict first, then how and why.
fn text(args: &Check, report: &Report, context: &Context<'_>) -> String {
    let (colour, word) = match report.verdict {
        Verdict::Holds(_) => (AnsiColor::Green, "HOLDS   "),
        Verdict::Violated(_) => (AnsiColor::Red, "VIOLATED"),
        Verdict::Unknown(_) => (AnsiColor::Yellow, "UNKNOWN "),
    };
    let (bold, dim) = (colour.on_default().bold(), Style::new().dimmed());
    let Context {
        property, formula, ..
    } = *context;
    let mut text = format!("{bold}{word}{bold:#}  {property}: {formula}");
    if args.quiet {
        if let Verdict::Unknown(reason) = &report.verdict {
            let _ = write!(text, "  {dim}[{reason}]{dim:#}");
        }
        return text + "\n";
    }
    let summary = report::summary(report, context);
    let _ = writeln!(text, "  {dim}[{summary}]{dim:#}");
    text += &report::text(report, context, args.full);
    if args.verbose {
        for attempt in &report.trail {
            let Attempt {
                engine,
                outcome,
                why,
                time,
                ..
            } = attempt;
            let seconds = time.as_secs_f64();
            let _ = writeln!(
                text,
                "  {dim}auto: {engine} — {why}; {outcome} ({seconds:.3} s){dim:#}"
            );
        }
        if let Some(order) = &report.account.order {
            let _ = writeln!(text, "  {dim}{:>18} {order}{dim:#}", "order");
        }
        for (name, figure) in report.account.stats.iter() {
            let _ = writeln!(text, "  {dim}{name:>18} {figure}{dim:#}");
        }
    }
    text
}
