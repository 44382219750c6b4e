//! `lariat reduce`: writes a reduced net.

use crate::args::ReduceArgs;
use crate::check::in_words;
use crate::view::write;
use crate::{Exit, Failure, input, out};
use lariat::internals::formats::pnml;
use lariat::internals::ir::{Errors, PropertyList};
use lariat::internals::{PropertyForm, Rules, Subject, reduction};
use std::fmt::Write as _;

pub(crate) fn run(args: &ReduceArgs) -> Result<Exit, Failure> {
    let (budget, dog) = input::command_budget(&args.limits);
    let model = input::watched_model(&args.model, &budget)?;
    let mut properties = PropertyList::new();
    let mut errors = Errors::default();
    for text in &args.formulas {
        errors.note(properties.add_formula(&model.names(), "formula", None, text));
    }
    errors.into_result()?;
    let subject = Subject::new(&model, &properties);
    let formulas = properties.list.iter();
    let formulas: Vec<PropertyForm<'_>> =
        formulas.map(|p| PropertyForm::Formula(p.formula)).collect();
    let rules = Rules::all().but(&args.without);
    let found = reduction(&subject, &formulas, rules, &budget).map_err(Failure::Undecided)?;
    dog.done();
    let (system, removed) = match &found {
        Some((reduction, _)) => (&reduction.system, &reduction.removed[..]),
        None => (&model.system, &[][..]),
    };
    let text = pnml::write_named(system, &model.labels)
        .ok_or_else(|| Failure::new("only nets can be reduced, and this model is not a net"))?;
    let Some(path) = &args.output else {
        out::data(&text)?;
        return Ok(Exit::Fine);
    };
    write(path, &text)?;
    let before = &model.system;
    let mut summary = format!(
        "places {} -> {}, transitions {} -> {}\n",
        before.variables.len(),
        system.variables.len(),
        before.events.len(),
        system.events.len(),
    );
    for removed in removed {
        let _ = writeln!(summary, "  {}", in_words(removed));
    }
    out::text(&summary)?;
    Ok(Exit::Fine)
}
