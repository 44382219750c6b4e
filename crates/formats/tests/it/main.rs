//! Tests of the readers, and of formulas over their models.

mod coloured;
mod conditions;
mod contest_models;
mod dialects;
mod fairness;
mod formulas;
mod fuzz;
mod labels;
mod language;
mod pnml;
mod programs;
mod promela;

use lariat_ltl::Formula;
use lariat_model::{Names, PropertyList};

/// Adds a formula, which must be valid, and returns it.
fn added(properties: &mut PropertyList, names: &Names<'_>, text: &str) -> Formula {
    let result = properties.add_formula(names, "formula", None, text);
    result.unwrap_or_else(|error| panic!("{error}"));
    properties.list[properties.list.len() - 1].formula
}
