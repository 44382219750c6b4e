//! Any model file: the format is recognised by what it contains, not by its name.

use std::fmt;

use lariat_budget::{Budget, Lease, Stop};

use crate::dve::{self, Assertion, Message, PropertyAutomaton, Scope};
use crate::etf;
use crate::pnml::{self, Pnml, Positions};
use lariat_model::coloured::{Coloured, ColouredNet, Unfolded, UnfoldedNames, unfold};
use lariat_model::{InputError, Meaning, Names, Predicate, System};

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
    /// Truths that are not known in every state, and where they are.
    partial: Vec<(Predicate, Predicate)>,
    /// The names of a program, for expressions.
    scope: Option<Scope>,
    /// What events do on the channels of a program.
    pub messages: Vec<Message>,
    /// Where places and transitions are drawn, as far as the file says.
    pub positions: Positions,
    /// The coloured net that the system was unfolded from.
    pub coloured: Option<Box<Coloured>>,
}

/// Why a file did not become a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadError {
    /// Something is wrong with the file.
    Input(InputError),
    /// Reading or unfolding it takes more than the budget gives.
    Stop(Stop),
}

impl From<InputError> for LoadError {
    fn from(error: InputError) -> LoadError {
        LoadError::Input(error)
    }
}

impl From<Stop> for LoadError {
    fn from(stop: Stop) -> LoadError {
        LoadError::Stop(stop)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Input(error) => error.fmt(f),
            LoadError::Stop(stop) => write!(f, "the model cannot be read or unfolded: {stop}"),
        }
    }
}

impl std::error::Error for LoadError {}

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
            partial: Vec::new(),
            scope: None,
            messages: Vec::new(),
            positions: Positions::default(),
            coloured: None,
        }
    }

    /// The coloured net that the system is the unfolding of, if it is one.
    pub fn coloured_net(&self) -> Option<&ColouredNet> {
        self.coloured.as_deref().map(|coloured| &coloured.net)
    }

    /// The names that formulas may use.
    pub fn names(&self) -> Names<'_> {
        let mut names = Names::of(&self.system);
        if let Some(coloured) = &self.coloured {
            names = names.with_colours(UnfoldedNames::new(&coloured.net, &coloured.unfolding));
        }
        for (name, meaning) in &self.definitions {
            names.define(name.clone(), meaning.clone());
        }
        for (truth, known) in &self.partial {
            names.define_partial(truth.clone(), known.clone());
        }
        match &self.scope {
            Some(scope) => names.with_expressions(scope),
            None => names,
        }
    }
}

/// Reads a model in any format that there is a reader for. `origin` names it in errors.
///
/// Coloured nets are unfolded within 4 GB, whatever time it takes; see [`load`].
pub fn read(origin: &str, bytes: &[u8]) -> Result<Model, InputError> {
    match load(origin, bytes, &Budget::bytes(4 << 30)) {
        Ok(model) => Ok(model),
        Err(LoadError::Input(error)) => Err(error),
        Err(stop @ LoadError::Stop(_)) => Err(InputError::new(origin, stop.to_string())),
    }
}

/// Bytes that reading takes for each byte of the text, about: ids, tokens and trees are larger than what
/// they were made from. Less would let a text that hardly fits the memory be read beyond it; much more would
/// refuse texts that are read with ease.
fn room(format: Format) -> usize {
    match format {
        Format::Pnml => 4,
        Format::Etf => 12,
        Format::Dve => 48,
    }
}

/// Leases the room to read a text of this format.
fn lease(format: Format, bytes: &[u8], budget: &Budget) -> Result<Lease, Stop> {
    budget.check()?;
    let mut lease = budget.lease();
    lease.resize(bytes.len().saturating_mul(room(format)))?;
    Ok(lease)
}

/// Reads a model in any format that there is a reader for, if there is room for it; a coloured net is
/// unfolded within the budget. `origin` names the file in errors.
pub fn load(origin: &str, bytes: &[u8], budget: &Budget) -> Result<Model, LoadError> {
    let mut start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    start = start.trim_ascii_start();
    if start.is_empty() {
        return Err(InputError::new(origin, "the file is empty: expected a model").into());
    }
    if start.starts_with(b"<") || start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        let reading = lease(Format::Pnml, bytes, budget)?;
        let pnml::Document {
            net,
            positions,
            warnings,
        } = pnml::read(origin, bytes)?;
        drop(reading);
        let mut model = match net {
            Pnml::Plain(system) => Model::new(Format::Pnml, system),
            Pnml::Coloured(net) => {
                let Unfolded { system, unfolding } = unfold(&net, budget)?;
                Model {
                    coloured: Some(Box::new(Coloured { net, unfolding })),
                    ..Model::new(Format::Pnml, system)
                }
            }
        };
        model.warnings = warnings;
        model.positions = positions;
        return Ok(model);
    }
    if etf::looks_like_etf(bytes) {
        let _reading = lease(Format::Etf, bytes, budget)?;
        let etf = etf::read(origin, bytes)?;
        return Ok(Model {
            definitions: etf.definitions(),
            partial: etf.partial(),
            ..Model::new(Format::Etf, etf.system)
        });
    }
    if dve::looks_like_dve(bytes) {
        let _reading = lease(Format::Dve, bytes, budget)?;
        let dve = dve::read(origin, bytes)?;
        return Ok(Model {
            definitions: dve.definitions(),
            assertions: dve.assertions,
            property: dve.property,
            messages: dve.messages,
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
    .help("expected PNML, which starts with `<`, DVE, which starts with a declaration or `process`, or ETF, which starts with `begin state`")
    .into())
}

/// The system of a model in any format.
pub fn read_model(origin: &str, bytes: &[u8]) -> Result<System, InputError> {
    read(origin, bytes).map(|model| model.system)
}
