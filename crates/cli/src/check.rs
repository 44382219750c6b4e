//! `lariat check`.

use crate::args::Check;
use crate::progress::Line;
use crate::{Exit, Failure, input};
use anstyle::{AnsiColor, Style};
use lariat::model::{Names, Properties};
use lariat::report::{self, Context};
use lariat::{Options, Property, Reason, Report, Stop, Subject, Verdict, check};
use std::fs::File;
use std::io::Write as _;
use std::time::Instant;

pub(crate) fn run(args: &Check) -> Result<Exit, Failure> {
    let system = input::system(&args.model)?;
    let model = args.model.display().to_string();
    let properties = properties(args, &Names::of(&system))?;
    let mut trace =
        match &args.trace {
            Some(path) => Some(File::create(path).map_err(|error| {
                Failure::new(format!("cannot write {}: {error}", path.display()))
            })?),
            None => None,
        };
    let subject = Subject {
        system: &system,
        formulas: &properties.formulas,
        propositions: &properties.propositions,
    };
    let options = Options {
        engine: args.engine.into(),
        deadlock: args.deadlock.into(),
    };
    let (budget, _) = input::budget(&args.limits);
    let line = Line::new(args.quiet);
    let mut worst = Exit::Fine;
    for property in &properties.list {
        let start = Instant::now();
        let own = input::for_property(&budget, &args.limits);
        let report = check(
            &subject,
            Property::Formula(property.formula),
            &options,
            &own,
            &line,
        );
        let context = Context {
            model: &model,
            property: &property.name,
            formula: &property.text,
            system: &system,
            formulas: &properties.formulas,
            propositions: &properties.propositions,
            atoms: &properties.formulas.atoms_of(property.formula),
            seconds: start.elapsed().as_secs_f64(),
        };
        line.clear();
        worst = worst.max(exit(&report.verdict));
        let json = || report::json(&report, &context).to_string();
        if args.json {
            println!("{}", json());
        } else {
            print(args, &report, &context);
        }
        if let (Some(file), Verdict::Violated(_)) = (&mut trace, &report.verdict) {
            writeln!(file, "{}", json())?;
        }
    }
    Ok(worst)
}

/// All properties of the command line, or those selected.
fn properties(args: &Check, names: &Names<'_>) -> Result<Properties, Failure> {
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
    if properties.list.is_empty() {
        return Err(Failure::new(
            "nothing to check\n  = help: give a formula with -f, a file with -F or --mcc; see `lariat check --help`",
        ));
    }
    for id in &args.select {
        if !properties.list.iter().any(|property| property.name == *id) {
            return Err(Failure::new(format!("no property is called `{id}`")));
        }
    }
    if !args.select.is_empty() {
        properties
            .list
            .retain(|property| args.select.contains(&property.name));
    }
    Ok(properties)
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
fn print(args: &Check, report: &Report, context: &Context<'_>) {
    let (colour, word) = match report.verdict {
        Verdict::Holds(_) => (AnsiColor::Green, "HOLDS   "),
        Verdict::Violated(_) => (AnsiColor::Red, "VIOLATED"),
        Verdict::Unknown(_) => (AnsiColor::Yellow, "UNKNOWN "),
    };
    let (bold, dim) = (colour.on_default().bold(), Style::new().dimmed());
    let Context {
        property, formula, ..
    } = *context;
    anstream::println!("{bold}{word}{bold:#}  {property}: {formula}");
    if args.quiet {
        return;
    }
    anstream::print!("{}", report::text(report, context, args.full));
    if args.verbose {
        for attempt in &report.trail {
            let lariat::Attempt {
                engine,
                outcome,
                why,
            } = attempt;
            anstream::println!("  {dim}auto: {engine} — {why}; {outcome}{dim:#}");
        }
        for (name, figure) in report.stats.iter() {
            anstream::println!("  {dim}{name:>18} {figure}{dim:#}");
        }
    }
}
