//! Any model file: the format is recognised by what it contains, not by its name.

use crate::dve::{self, Assertion, PropertyAutomaton, Scope};
use crate::error::InputError;
use crate::etf;
use crate::names::{Meaning, Names};
use crate::pnml;
use crate::system::System;

/// The formats that there are readers for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Petri nets in XML.
    Pnml,
    /// Communicating processes.
    Dve,
    /// Enumerated tables.
    Etf,
}

/// A model: the system, the names by which formulas speak of it, and what its file says besides.
#[derive(Clone, Debug)]
pub struct Model {
    /// What it was read from.
    pub format: Format,
    /// The system.
    pub system: System,
    /// What the model asserts of its states.
    pub assertions: Vec<Assertion>,
    /// The automaton of a negated property that the model comes with.
    pub property: Option<PropertyAutomaton>,
    /// What was read with a decision that the user may want to know.
    pub warnings: Vec<InputError>,
    /// Names that are not those of a single variable or event.
    definitions: Vec<(String, Meaning)>,
    /// The names of a program, for expressions.
    scope: Option<Scope>,
}

impl Model {
    /// A model that is nothing but a system.
    pub fn new(format: Format, system: System) -> Model {
        Model {
            format,
            system,
            assertions: Vec::new(),
            property: None,
            warnings: Vec::new(),
            definitions: Vec::new(),
            scope: None,
        }
    }

    /// The names that formulas may use.
    pub fn names(&self) -> Names<'_> {
        let mut names = Names::of(&self.system);
        for (name, meaning) in &self.definitions {
            names.define(name.clone(), meaning.clone());
        }
        match &self.scope {
            Some(scope) => names.with_expressions(scope),
            None => names,
        }
    }
}

/// Reads a model in any format that there is a reader for. `origin` names it in errors.
pub fn read(origin: &str, bytes: &[u8]) -> Result<Model, InputError> {
    let mut start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    start = start.trim_ascii_start();
    if start.is_empty() {
        return Err(InputError::new(
            origin,
            "the file is empty: expected a model",
        ));
    }
    if start.starts_with(b"<") || start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        let system = pnml::read(origin, bytes)?;
        return Ok(Model::new(Format::Pnml, system));
    }
    if etf::looks_like_etf(bytes) {
        let etf = etf::read(origin, bytes)?;
        return Ok(Model {
            definitions: etf.definitions(),
            ..Model::new(Format::Etf, etf.system)
        });
    }
    if dve::looks_like_dve(bytes) {
        let dve = dve::read(origin, bytes)?;
        return Ok(Model {
            definitions: dve.definitions(),
            assertions: dve.assertions,
            property: dve.property,
            warnings: dve.warnings,
            scope: Some(dve.scope),
            ..Model::new(Format::Dve, dve.system)
        });
    }
    let at = bytes.len() - start.len();
    Err(InputError::at(
        origin,
        bytes,
        at..at + 1,
        "this is no model in a known format",
    )
    .help("expected PNML, which starts with `<`, DVE, which starts with a declaration or `process`, or ETF, which starts with `begin state`"))
}

/// The system of a model in any format.
pub fn read_model(origin: &str, bytes: &[u8]) -> Result<System, InputError> {
    read(origin, bytes).map(|model| model.system)
}
