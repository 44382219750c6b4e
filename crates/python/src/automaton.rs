//! Automata of formulas.

use crate::raised;
use crate::wait::wait;
use lariat::Cancel;
use lariat::internals::automata::{
    self, HoaError, LegalLetters, Placement, buchi, translate, write_dot, write_hoa, write_json,
};
use lariat::internals::ltl::{AtomId, Formulas, FreeVocabulary, Syntax, parse, print};
use lariat::internals::{Budget, Stop};
use pyo3::prelude::*;
use std::time::Duration;

/// A (generalized) Büchi automaton whose atoms are words.
#[pyclass(frozen)]
pub struct Automaton {
    automaton: automata::Automaton,
    formulas: Formulas,
    title: String,
}

impl Automaton {
    fn write<E>(
        &self,
        write: impl FnOnce(
            &automata::Automaton,
            &str,
            &dyn Fn(AtomId) -> String,
            &mut String,
        ) -> Result<(), E>,
    ) -> PyResult<String> {
        let mut text = String::new();
        let name = |atom: AtomId| self.formulas.atom_name(atom).to_owned();
        let written = write(&self.automaton, &self.title, &name, &mut text);
        written.map_err(|_| raised("the automaton could not be written"))?;
        Ok(text)
    }
}

#[pymethods]
impl Automaton {
    /// Translates a formula; with `states`, to marks on states (`ba`).
    #[staticmethod]
    fn translate(
        py: Python<'_>,
        formula: &str,
        kind: &str,
        timeout: Option<f64>,
    ) -> PyResult<Automaton> {
        let mut formulas = Formulas::new();
        let parsed = parse(formula, &mut formulas, &mut FreeVocabulary);
        let parsed = parsed.map_err(|error| raised(format!("{}: {formula}", error.message)))?;
        let is_ba = match kind {
            "tgba" => false,
            "ba" => true,
            _ => return Err(raised("the kind of an automaton is `tgba` or `ba`")),
        };
        let cancel = Cancel::default();
        let mut budget = Budget::unlimited().with_cancel(cancel.clone());
        if let Some(time) = timeout.and_then(|time| Duration::try_from_secs_f64(time).ok()) {
            budget = budget.with_deadline(time);
        }
        let any = LegalLetters::any();
        let store = &mut formulas;
        let made = wait(py, &cancel, move || {
            let automaton = translate(store, parsed, &any, &budget)?;
            if is_ba {
                return buchi(&automaton, Placement::States, &any, &budget);
            }
            Ok::<_, Stop>(automaton)
        })?;
        Ok(Automaton {
            automaton: made.map_err(raised)?,
            title: print(&formulas, parsed, Syntax::Full),
            formulas,
        })
    }

    /// Reads an automaton in the HOA format.
    #[staticmethod]
    fn from_hoa(text: &str) -> PyResult<Automaton> {
        let mut formulas = Formulas::new();
        let read = automata::read_hoa(text, &mut |proposition: &str| {
            Ok(formulas.atom_id(proposition))
        });
        let hoa = read.map_err(|HoaError { message, .. }| raised(message))?;
        Ok(Automaton {
            automaton: hoa.automaton,
            title: hoa.name,
            formulas,
        })
    }

    fn to_hoa(&self) -> PyResult<String> {
        self.write(|a, title, name, out| write_hoa(a, title, name, out))
    }

    fn to_dot(&self) -> PyResult<String> {
        self.write(|a, title, name, out| write_dot(a, title, name, out))
    }

    fn to_json(&self) -> PyResult<String> {
        self.write(|a, title, name, out| write_json(a, title, name, out))
    }

    fn to_svg(&self) -> String {
        let name = |atom: AtomId| self.formulas.atom_name(atom).to_owned();
        let budget = Budget::unlimited().with_deadline(Duration::from_secs(5));
        lariat_draw::automaton(&self.automaton, &name)
            .svg(&self.title, &budget)
            .text
    }

    fn title(&self) -> &str {
        &self.title
    }
}
