//! `lariat translate`.

use crate::args::{Format, Kind, Translate};
use crate::{Exit, Failure, input, out};
use lariat::automata::{
    Legal, Placement, degeneralize, translate, write_dot, write_hoa, write_json, write_never,
};
use lariat::ltl::{Formulas, ParseError};
use lariat::ltl::{FreeVocabulary, Syntax, parse, print};
use lariat::{InputError, Stop};

pub(crate) fn run(args: &Translate) -> Result<Exit, Failure> {
    let mut formulas = Formulas::new();
    let formula = parse(&args.formula, &mut formulas, &mut FreeVocabulary)
        .map_err(|error| located(&args.formula, error))?;
    let (budget, _) = input::budget(&args.limits);
    let budget = input::for_property(&budget, &args.limits);
    let mut automaton = match translate(&mut formulas, formula, &Legal::any(), &budget) {
        Ok(automaton) => automaton,
        Err(stop) => return Ok(undecided(&stop)),
    };
    if args.to == Kind::Ba {
        automaton = degeneralize(&automaton, Placement::States);
    }
    let title = print(&formulas, formula, Syntax::Full);
    let name = |atom| formulas.atom_name(atom).to_owned();
    let mut text = String::new();
    let written = match args.format {
        Format::Hoa => write_hoa(&automaton, &title, name, &mut text),
        Format::Dot => write_dot(&automaton, &title, name, &mut text),
        Format::Json => write_json(&automaton, &title, name, &mut text),
        Format::Never => {
            let title = print(&formulas, formula, Syntax::Spin);
            write_never(&automaton, &title, name, &mut text)
        }
    };
    written.map_err(|_| Failure::new("the automaton could not be written"))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    out::data(&text)?;
    Ok(Exit::Fine)
}

fn located(text: &str, error: ParseError) -> InputError {
    let at = InputError::at("formula", text.as_bytes(), error.span, error.message);
    match error.help {
        Some(help) => at.help(help),
        None => at,
    }
}

fn undecided(stop: &Stop) -> Exit {
    crate::complain(&format!("no automaton: {stop}"));
    match stop {
        Stop::Interrupted => Exit::Interrupted,
        _ => Exit::Undecided,
    }
}
