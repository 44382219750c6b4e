//! The public model.

use crate::error::Error;
use crate::limits::default_memory;
use lariat_budget::Budget;
use lariat_formats::{LoadedModel, load};
use lariat_reductions::Systems;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A model of a concurrent system: a Petri net (PNML, plain or coloured), a DVE program, or an ETF
/// table.
///
/// The format is recognised by content. A coloured net is unfolded when it is read.
///
/// ```
/// let text = b"process Light { state red, green; init red;
///              trans red -> green {}, green -> red {}; }
///              system async;";
/// let model = lariat::Model::parse("light.dve", text)?;
/// assert_eq!(model.events().collect::<Vec<_>>(), ["Light:red->green", "Light:green->red"]);
/// # Ok::<(), lariat::Error>(())
/// ```
pub struct Model {
    name: String,
    loaded: Arc<LoadedModel>,
    /// The systems that passes make of the model; caches refer to them.
    systems: Systems,
}

impl Model {
    /// Reads the model in a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Error::Io {
            path: path.to_owned(),
            error,
        })?;
        Model::parse(&path.display().to_string(), &bytes)
    }

    /// Reads a model from memory. `name` is used in messages and reports.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Model, Error> {
        let loaded = load(name, bytes, &Budget::bytes(default_memory()))?;
        Ok(Model::from_loaded(name, Arc::new(loaded)))
    }

    /// A model that was read before.
    #[doc(hidden)]
    pub fn from_loaded(name: &str, loaded: Arc<LoadedModel>) -> Model {
        Model {
            name: name.to_owned(),
            loaded,
            systems: Systems::new(),
        }
    }

    /// The model as its reader returned it.
    #[doc(hidden)]
    pub fn loaded(&self) -> &Arc<LoadedModel> {
        &self.loaded
    }

    pub(crate) fn systems(&self) -> &Systems {
        &self.systems
    }

    /// The file name, or the name given to [`parse`](Model::parse).
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the variables: places of a net, of an unfolded net with their colours.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.loaded.system.variables.iter().map(|v| &*v.name)
    }

    /// The names of the events: transitions of a net, of an unfolded net with their bindings.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.loaded.system.events.iter().map(|e| &*e.name)
    }

    /// Remarks of the reader about the file.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.loaded.warnings.iter().map(ToString::to_string)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("variables", &self.loaded.system.variables.len())
            .field("events", &self.loaded.system.events.len())
            .finish()
    }
}
