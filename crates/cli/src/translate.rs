//! `lariat translate`: automata of formulas.

use crate::args::{OutputFormat, Translate};
use crate::{Exit, Failure, input, out};
use lariat::internals::automata::testing::{Ta, Tgta, write_testing_dot, write_testing_json};
use lariat::internals::automata::{
    Automaton, LegalLetters, Placement, buchi, stutter_invariant, translate, write_dot, write_hoa,
    write_json, write_never,
};
use lariat::internals::ltl::{Formula, Formulas, FreeVocabulary, ParseError, Syntax, parse, print};
use lariat::internals::{AutomatonKind, Budget, InputError, Stop};

pub(crate) fn run(args: &Translate) -> Result<Exit, Failure> {
    let mut formulas = Formulas::new();
    let formula = parse(&args.formula, &mut formulas, &mut FreeVocabulary)
        .map_err(|error| located(&args.formula, error))?;
    if args.published && !args.to.is_testing() {
        return Err(Failure::new(
            "`--published` selects the construction of testing automata; use it with `--to ta` or `--to tgta`",
        ));
    }
    let (budget, dog) = input::command_budget(&args.limits);
    let made = match make(args, &mut formulas, formula, &budget) {
        Ok(made) => made,
        Err(stop) => {
            crate::complain(&format!("no automaton: {stop}"));
            return Ok(Exit::of_stop(&stop));
        }
    };
    let title = print(&formulas, formula, Syntax::Full);
    let name = |atom| formulas.atom_name(atom).to_owned();
    let mut text = String::new();
    let written = match (&made, args.format) {
        (made, OutputFormat::Svg) => {
            let graph = match made {
                Made::Automaton(automaton) => lariat_draw::automaton(automaton, &name),
                Made::Ta(Ta(t)) | Made::Tgta(Tgta(t)) => lariat_draw::testing(t, &name),
            };
            let budget = input::for_page(&budget, budget.time_left());
            text = graph.svg(&title, &budget).text;
            Ok(())
        }
        (Made::Ta(Ta(t)) | Made::Tgta(Tgta(t)), OutputFormat::Dot) => {
            write_testing_dot(t, &title, name, &mut text)
        }
        (Made::Ta(Ta(t)), OutputFormat::Json) => {
            write_testing_json(t, &title, "ta", name, &mut text)
        }
        (Made::Tgta(Tgta(t)), OutputFormat::Json) => {
            write_testing_json(t, &title, "tgta", name, &mut text)
        }
        // HOA labels edges with letters, not with changes.
        (Made::Ta(t), OutputFormat::Hoa) => {
            let title = format!("{title}, a ta with its letters spelt out");
            write_hoa(&t.to_automaton(), &title, name, &mut text)
        }
        (Made::Tgta(t), OutputFormat::Hoa) => {
            let title = format!("{title}, a tgta with its letters spelt out");
            write_hoa(&t.to_automaton(), &title, name, &mut text)
        }
        (Made::Ta(_) | Made::Tgta(_), OutputFormat::Never) => {
            return Err(Failure::new(
                "a never claim reads letters, not changes; `--to ba --format never` accepts the same words",
            ));
        }
        (Made::Automaton(a), OutputFormat::Hoa) => write_hoa(a, &title, name, &mut text),
        (Made::Automaton(a), OutputFormat::Dot) => write_dot(a, &title, name, &mut text),
        (Made::Automaton(a), OutputFormat::Json) => write_json(a, &title, name, &mut text),
        (Made::Automaton(a), OutputFormat::Never) => {
            let title = print(&formulas, formula, Syntax::Spin);
            write_never(a, &title, name, &mut text)
        }
    };
    written.map_err(|_| Failure::new("the automaton could not be written"))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    dog.done();
    out::data(&text)?;
    Ok(Exit::Fine)
}

/// The automaton in the requested form.
enum Made {
    Automaton(Automaton),
    Ta(Ta),
    Tgta(Tgta),
}

fn make(
    args: &Translate,
    formulas: &mut Formulas,
    formula: Formula,
    budget: &Budget,
) -> Result<Made, Stop> {
    let kind = args.to;
    let any = LegalLetters::any();
    let automaton = translate(formulas, formula, &any, budget)?;
    if kind.is_testing() && !stutter_invariant(formulas, formula, &any, budget)? {
        return Err(Stop::Unsupported(
            "testing automata read only changes of letters, and this formula is not stutter-invariant"
                .to_owned(),
        ));
    }
    Ok(match kind {
        AutomatonKind::Tgba => Made::Automaton(automaton),
        AutomatonKind::Ba => Made::Automaton(buchi(&automaton, Placement::States, &any, budget)?),
        AutomatonKind::Ta if args.published => Made::Ta(Ta::published(&automaton, budget)?),
        AutomatonKind::Ta => Made::Ta(Ta::new(&automaton, budget)?),
        AutomatonKind::Tgta if args.published => Made::Tgta(Tgta::published(&automaton, budget)?),
        AutomatonKind::Tgta => Made::Tgta(Tgta::new(&automaton, budget)?),
    })
}

fn located(text: &str, error: ParseError) -> InputError {
    let at = InputError::at("formula", text.as_bytes(), error.span, error.message);
    match error.help {
        Some(help) => at.help(help),
        None => at,
    }
}
