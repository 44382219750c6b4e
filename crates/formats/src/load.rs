//! Loading of model files; the format is recognised by the content, not by the file name.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use lariat_budget::{Budget, Lease, Stop};
use rustc_hash::FxHashSet;

use crate::dve::{self, EventSide, Message, PropertyAutomaton};
use crate::etf;
use crate::pnml::{self, Pnml, Positions};
use crate::promela;
use crate::tina;
use lariat_model::coloured::{
    ColourQuotient, Coloured, ColouredNet, Unfolded, UnfoldedNames, quotient, unfold,
};
use lariat_model::{Definition, Expressions, InputError, Label, Labels, Names, Predicate, System};

/// The supported formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModelFormat {
    /// Petri nets: PNML, and TINA's text.
    Pnml,
    /// Communicating processes.
    Dve,
    /// Enumerated tables.
    Etf,
    /// Communicating processes in the language of SPIN.
    Promela,
}

/// A model: the system, the names for formulas, and further declarations of its file.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    /// The format of the file.
    pub format: ModelFormat,
    /// The system.
    pub system: System,
    /// A property process: an automaton for the negation of a property.
    pub property: Option<PropertyAutomaton>,
    /// Formulas of the model, with their names.
    pub formulas: Vec<(String, String)>,
    /// Warnings about input that was interpreted or skipped.
    pub warnings: Vec<InputError>,
    /// Names other than those of single variables and events.
    definitions: Vec<(String, Definition)>,
    /// Partial predicates and their definedness predicates.
    partial: Vec<(Predicate, Predicate)>,
    /// The names of a program, for expressions.
    scope: Option<Arc<dyn Expressions>>,
    /// Channel operations of the events of a program, in the order of the events.
    pub messages: Vec<Message>,
    /// By event, the transitions of a program in the text; empty for other models.
    pub sides: Vec<Vec<EventSide>>,
    /// The variables of the contents of the channels of a program.
    pub buffers: Vec<Range<u32>>,
    /// Coordinates of places and transitions, if given.
    pub positions: Positions,
    /// Names of places and transitions besides their ids.
    pub labels: Labels,
    /// The coloured net that the system was unfolded from.
    pub coloured: Option<Box<Coloured>>,
    /// The coloured net of which the system is the quotient.
    pub quotient: Option<Box<ColourQuotient>>,
}

/// Reason why a file could not be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadError {
    /// The file contains an error.
    Input(InputError),
    /// Reading or unfolding exceeds the budget.
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

impl LoadedModel {
    /// A model that consists of a system only.
    pub fn new(format: ModelFormat, system: System) -> LoadedModel {
        LoadedModel {
            format,
            system,
            property: None,
            formulas: Vec::new(),
            warnings: Vec::new(),
            definitions: Vec::new(),
            partial: Vec::new(),
            scope: None,
            messages: Vec::new(),
            sides: Vec::new(),
            buffers: Vec::new(),
            positions: Positions::default(),
            labels: Labels::default(),
            coloured: None,
            quotient: None,
        }
    }

    /// The coloured net that the system was unfolded from, if any.
    pub fn coloured_net(&self) -> Option<&ColouredNet> {
        self.coloured.as_deref().map(|coloured| &coloured.net)
    }

    /// Names for formulas other than those of single variables and events, with their meanings.
    pub fn definitions(&self) -> &[(String, Definition)] {
        &self.definitions
    }

    /// Adds a name for formulas.
    pub fn define(&mut self, name: String, meaning: Definition) {
        self.definitions.push((name, meaning));
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
            Some(scope) => names.with_expressions(&**scope),
            None => names.with_labels(&self.labels),
        }
    }

    /// The model with the names that output for people uses: names of places and transitions in
    /// place of ids. Variables and events keep their positions.
    pub fn shown(&self) -> Cow<'_, LoadedModel> {
        if !self.labels.are_shown() {
            return Cow::Borrowed(self);
        }
        let mut shown = self.clone();
        let rename = |name: &mut String| {
            if let Some(label) = self.labels.shown(name) {
                *name = label.into_owned();
            }
        };
        for variable in &mut shown.system.variables {
            rename(&mut variable.name);
        }
        for event in &mut shown.system.events {
            rename(&mut event.name);
        }
        if let Some(coloured) = &mut shown.coloured {
            for place in &mut coloured.net.places {
                rename(&mut place.name);
            }
            for transition in &mut coloured.net.transitions {
                rename(&mut transition.name);
            }
        }
        let positions = std::mem::take(&mut shown.positions).into_iter();
        shown.positions = positions
            .map(|(mut id, at)| {
                rename(&mut id);
                (id, at)
            })
            .collect();
        shown.labels = Labels::default();
        Cow::Owned(shown)
    }
}

/// Reads a model in any supported format. `origin` names it in errors.
///
/// Coloured nets are unfolded within 4 GB, without a time limit; see [`load`].
pub fn read(origin: &str, bytes: &[u8]) -> Result<LoadedModel, InputError> {
    match load(origin, bytes, &Budget::bytes(4 << 30)) {
        Ok(model) => Ok(model),
        Err(LoadError::Input(error)) => Err(error),
        Err(stop @ LoadError::Stop(_)) => Err(InputError::new(origin, stop.to_string())),
    }
}

/// Approximate bytes of memory per byte of text while reading. A smaller factor could exceed the
/// memory limit for large texts; a larger one would reject texts that can be read.
fn bytes_per_byte(format: ModelFormat) -> usize {
    match format {
        ModelFormat::Pnml => 4,
        ModelFormat::Etf => 12,
        ModelFormat::Dve => 48,
        ModelFormat::Promela => 512,
    }
}

/// Leases the memory for reading a text of this format.
fn lease(format: ModelFormat, bytes: &[u8], budget: &Budget) -> Result<Lease, Stop> {
    budget.check()?;
    let mut lease = budget.lease();
    lease.resize(bytes.len().saturating_mul(bytes_per_byte(format)))?;
    Ok(lease)
}

/// Number of instances of places and transitions from which a quotient is preferred to the
/// unfolding. A smaller unfolding is searched at once.
const MANY_INSTANCES: u64 = 20_000;

/// Reads a model in any supported format if memory suffices; a coloured net is unfolded within the
/// budget. `origin` names the file in errors.
pub fn load(origin: &str, bytes: &[u8], budget: &Budget) -> Result<LoadedModel, LoadError> {
    load_by(origin, bytes, budget, &unfolded)
}

/// As [`load`], but a coloured net with many instances is replaced by its quotient if it has one.
/// Then formulas cannot name single colours and bindings.
pub fn load_quotient(
    origin: &str,
    bytes: &[u8],
    budget: &Budget,
) -> Result<LoadedModel, LoadError> {
    load_by(origin, bytes, budget, &|net, budget| {
        if net.instance_count() >= MANY_INSTANCES
            && let Some((quotient, system)) = quotient(&net, budget)?
        {
            return Ok(LoadedModel {
                definitions: quotient.definitions(),
                quotient: Some(Box::new(quotient)),
                ..LoadedModel::new(ModelFormat::Pnml, system)
            });
        }
        unfolded(net, budget)
    })
}

fn unfolded(net: ColouredNet, budget: &Budget) -> Result<LoadedModel, Stop> {
    let Unfolded { system, unfolding } = unfold(&net, budget)?;
    Ok(LoadedModel {
        coloured: Some(Box::new(Coloured { net, unfolding })),
        ..LoadedModel::new(ModelFormat::Pnml, system)
    })
}

/// Reads a model; `uncoloured` translates a coloured net.
fn load_by(
    origin: &str,
    bytes: &[u8],
    budget: &Budget,
    uncoloured: &dyn Fn(ColouredNet, &Budget) -> Result<LoadedModel, Stop>,
) -> Result<LoadedModel, LoadError> {
    let mut start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    start = start.trim_ascii_start();
    if start.is_empty() {
        return Err(InputError::new(origin, "the file is empty: expected a model").into());
    }
    if start.starts_with(b"<") || start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        let reading = lease(ModelFormat::Pnml, bytes, budget)?;
        let pnml::Document {
            net,
            positions,
            labels,
            warnings,
        } = pnml::read(origin, bytes)?;
        drop(reading);
        let mut model = match net {
            Pnml::Plain(system) => LoadedModel::new(ModelFormat::Pnml, system),
            Pnml::Coloured(net) => uncoloured(net, budget)?,
        };
        model.warnings = warnings;
        model.positions = positions;
        model.labels = labelled(labels, &model);
        return Ok(model);
    }
    if etf::looks_like_etf(bytes) {
        let _reading = lease(ModelFormat::Etf, bytes, budget)?;
        let etf = etf::read(origin, bytes)?;
        return Ok(LoadedModel {
            definitions: etf.definitions(),
            partial: etf.partial(),
            ..LoadedModel::new(ModelFormat::Etf, etf.system)
        });
    }
    if promela::looks_like_promela(bytes) || has_promela_suffix(origin) {
        let _reading = lease(ModelFormat::Promela, bytes, budget)?;
        let promela = promela::read(origin, bytes)?;
        return Ok(LoadedModel {
            messages: promela.messages,
            formulas: promela.formulas,
            property: promela.claim,
            definitions: promela.definitions,
            scope: Some(Arc::new(promela.scope)),
            warnings: promela.warnings,
            ..LoadedModel::new(ModelFormat::Promela, promela.system)
        });
    }
    if dve::looks_like_dve(bytes) {
        let _reading = lease(ModelFormat::Dve, bytes, budget)?;
        let dve = dve::read(origin, bytes)?;
        return Ok(LoadedModel {
            definitions: dve.definitions(),
            property: dve.property,
            messages: dve.messages,
            sides: dve.sides,
            buffers: dve.buffers,
            warnings: dve.warnings,
            scope: Some(Arc::new(dve.scope)),
            ..LoadedModel::new(ModelFormat::Dve, dve.system)
        });
    }
    if tina::looks_like_tina(bytes) {
        let _reading = lease(ModelFormat::Pnml, bytes, budget)?;
        let net = tina::read(origin, bytes)?;
        let mut model = LoadedModel::new(ModelFormat::Pnml, net.system);
        model.labels = labelled(net.labels, &model);
        return Ok(model);
    }
    let at = bytes.len() - start.len();
    if let Some(other) = foreign_format(start) {
        let error = InputError::at(origin, bytes, at..at + 1, other);
        return Err(error
            .help("save the net as PNML, or as text of TINA")
            .into());
    }
    Err(InputError::at(
        origin,
        bytes,
        at..at + 1,
        "this is no model in a known format",
    )
    .help("expected PNML, which starts with `<`, DVE, which starts with a declaration or `process`, Promela, with `init` or a `proctype`, ETF, which starts with `begin state`, or a net of TINA, which starts with `net`, `tr` or `pl`")
    .into())
}

/// Returns whether the name of a file is that of a Promela model.
pub(crate) fn has_promela_suffix(origin: &str) -> bool {
    let suffix = Path::new(origin)
        .extension()
        .and_then(|suffix| suffix.to_str());
    suffix.is_some_and(|suffix| ["pml", "prom", "promela"].contains(&suffix))
}

/// The text behind leading comments in braces, as LoLA has them.
fn after_lola_comments(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some(inside) = rest.strip_prefix(b"{")
        && let Some(end) = inside.iter().position(|byte| *byte == b'}')
    {
        rest = inside[end + 1..].trim_ascii_start();
    }
    rest
}

/// The message about a text in a known format that is not read.
fn foreign_format(text: &[u8]) -> Option<&'static str> {
    let net = after_lola_comments(text);
    let is_lola = net.starts_with(b"PLACE") || net.starts_with(b"SORT");
    let known = [
        (is_lola, "nets of LoLA are not read"),
        (
            text.starts_with(b"MODULE"),
            "models of SMV and TLA+ are not read",
        ),
        (
            text.starts_with(b"aag ") || text.starts_with(b"aig "),
            "AIGER circuits are not read",
        ),
    ];
    known
        .into_iter()
        .find_map(|(is_it, message)| is_it.then_some(message))
}

/// The names of a net's nodes besides their ids.
fn labelled(list: Vec<Label>, model: &LoadedModel) -> Labels {
    if list.is_empty() {
        return Labels::default();
    }
    let quotient = model.quotient.as_deref().map(|quotient| &quotient.net);
    let coloured = model.coloured_net().or(quotient);
    let ids: FxHashSet<&str> = match coloured {
        Some(net) => {
            let places = net.places.iter().map(|place| &*place.name);
            places
                .chain(net.transitions.iter().map(|t| &*t.name))
                .collect()
        }
        None => {
            let variables = model.system.variables.iter().map(|v| &*v.name);
            variables
                .chain(model.system.events.iter().map(|e| &*e.name))
                .collect()
        }
    };
    Labels::new(list, coloured.is_some(), |name| ids.contains(name))
}

/// Reads the system of a model in any supported format.
pub fn read_model(origin: &str, bytes: &[u8]) -> Result<System, InputError> {
    read(origin, bytes).map(|model| model.system)
}
