//! The open documents, and the models that they are about or contain.

use super::{READING, text};
use crate::info_names::{AtomName, atom_names};
use crate::{Failure, input};
use lariat::Model;
use lariat::internals::formats::{self, Declaration, LoadError};
use lariat::internals::{Budget, Stop, default_memory};
use lariat_structural::Facts;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Extensions of models.
const MODELS: [&str; 7] = ["pnml", "dve", "pml", "prom", "promela", "net", "etf"];
/// Limit on the bytes of a file that is not open in the editor.
const LARGEST: u64 = 64 << 20;
/// Limit on the time for bounds of places, which hovers show.
const BOUNDS: Duration = Duration::from_millis(300);
/// Limit on the places whose bounds are computed.
const MOST_BOUNDS: usize = 100;

/// The content of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DocumentKind {
    Formulas,
    Model,
}

/// A document that is open in the editor.
pub(super) struct Document {
    pub uri: String,
    pub text: Arc<str>,
    pub kind: DocumentKind,
    /// Number of changes of documents up to its last one.
    change: u64,
}

/// The state of the text that a model was read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stamp {
    /// A document, by its last change.
    Open(u64),
    /// A file, by its length and the time of its last change.
    Closed(u64, Option<SystemTime>),
}

/// A model with its text.
pub(super) struct KnownModel {
    stamp: Stamp,
    pub path: PathBuf,
    pub text: Arc<str>,
    pub model: Result<Model, LoadError>,
    /// The declarations; of a malformed text those before the error, or those of the text before.
    pub declarations: Vec<Declaration>,
    names: Option<Arc<Names>>,
}

/// The names that formulas about a model may use.
pub(super) struct Names {
    pub list: Vec<AtomName>,
    /// Positions in the list by names and ids.
    index: BTreeMap<String, usize>,
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<&AtomName> {
        self.index.get(name).map(|at| &self.list[*at])
    }
}

impl KnownModel {
    /// The names for formulas; none if the model could not be read.
    pub(super) fn names(&mut self) -> Option<Arc<Names>> {
        if self.names.is_none() {
            let loaded = self.model.as_ref().ok()?.loaded();
            let budget = Budget::bytes(default_memory()).with_deadline(BOUNDS);
            // If the budget ends, fewer bounds are known.
            let bounds = Facts::of(&loaded.system).bounds(MOST_BOUNDS, &budget);
            let list = atom_names(loaded, &bounds.unwrap_or_default());
            let mut index = BTreeMap::new();
            for (at, name) in list.iter().enumerate() {
                for word in [Some(name.name()), name.id()].into_iter().flatten() {
                    index.entry(word.to_owned()).or_insert(at);
                }
            }
            self.names = Some(Arc::new(Names { list, index }));
        }
        self.names.clone()
    }
}

#[derive(Default)]
pub(super) struct Session {
    documents: BTreeMap<PathBuf, Document>,
    models: BTreeMap<PathBuf, KnownModel>,
    changes: u64,
    /// The URIs of documents whose diagnostics are older than they, by path.
    outdated: BTreeMap<PathBuf, String>,
}

impl Session {
    /// Returns whether diagnostics have to be computed.
    pub(super) fn is_outdated(&self) -> bool {
        !self.outdated.is_empty()
    }

    /// The documents whose diagnostics have to be computed, which are then up to date. Some may have
    /// been closed.
    pub(super) fn take_outdated(&mut self) -> BTreeMap<PathBuf, String> {
        std::mem::take(&mut self.outdated)
    }

    /// Handles a notification. Unknown ones are ignored, as the protocol permits.
    pub(super) fn note(&mut self, method: &str, params: &Json) {
        let document = &params["textDocument"];
        let Some(path) = document["uri"].as_str().and_then(text::path) else {
            return;
        };
        match method {
            "textDocument/didOpen" => {
                let kind = kind(&path, document["languageId"].as_str());
                if let (Some(kind), Some(text)) = (kind, document["text"].as_str()) {
                    let uri = document["uri"].as_str().unwrap_or_default();
                    let document = Document {
                        uri: uri.to_owned(),
                        text: text.into(),
                        kind,
                        change: 0,
                    };
                    self.documents.insert(path.clone(), document);
                    self.changed(&path);
                }
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|changes| changes.last()?["text"].as_str());
                if let (Some(text), Some(document)) = (text, self.documents.get_mut(&path)) {
                    document.text = text.into();
                    self.changed(&path);
                }
            }
            "textDocument/didSave" => self.changed(&path),
            "textDocument/didClose" => {
                self.models.remove(&path);
                if let Some(closed) = self.documents.remove(&path) {
                    self.changed(&path);
                    self.outdated.insert(path, closed.uri);
                }
            }
            _ => {}
        }
    }

    /// Notes that a document was opened, changed or saved. A change of a model concerns all
    /// documents of formulas.
    fn changed(&mut self, path: &Path) {
        self.changes += 1;
        if let Some(document) = self.documents.get_mut(path) {
            document.change = self.changes;
        }
        let concerned = { self.documents.iter() }
            .filter(|(at, document)| *at == path || document.kind == DocumentKind::Formulas)
            .map(|(at, document)| (at.clone(), document.uri.clone()));
        self.outdated.extend(concerned);
    }

    /// The path, kind and text of the document of a request, and the offset of its position.
    pub(super) fn asked(&self, params: &Json) -> Option<(PathBuf, DocumentKind, Arc<str>, usize)> {
        let path = text::path(params["textDocument"]["uri"].as_str()?)?;
        let document = self.documents.get(&path)?;
        let offset = text::offset(&document.text, &params["position"])?;
        Some((path, document.kind, Arc::clone(&document.text), offset))
    }

    /// The model that formulas are about: the file in a comment `# model: FILE`, or the model of
    /// the same name in the same folder.
    pub(super) fn model_path(&self, formulas: &Path, text: &str) -> Option<PathBuf> {
        let named = text.lines().find_map(|line| {
            let comment = line.trim_start().strip_prefix('#')?;
            Some(comment.trim_start().strip_prefix("model:")?.trim())
        });
        if let Some(named) = named {
            return Some(formulas.parent()?.join(named));
        }
        let candidates = MODELS
            .iter()
            .map(|extension| formulas.with_extension(extension));
        { candidates }.find(|path| self.documents.contains_key(path) || path.is_file())
    }

    /// The model of a document of formulas, or in a document.
    pub(super) fn model_of(&mut self, path: &Path) -> Option<&mut KnownModel> {
        let document = self.documents.get(path)?;
        let path = match document.kind {
            DocumentKind::Model => path.to_owned(),
            DocumentKind::Formulas => self.model_path(path, &document.text)?,
        };
        self.model(&path)
    }

    /// An open document, and its model as [`model_of`](Session::model_of) read it last.
    pub(super) fn both(&self, path: &Path) -> Option<(&Document, Option<&KnownModel>)> {
        let document = self.documents.get(path)?;
        let model = match document.kind {
            DocumentKind::Model => Some(path.to_owned()),
            DocumentKind::Formulas => self.model_path(path, &document.text),
        };
        Some((document, model.and_then(|path| self.models.get(&path))))
    }

    /// The model in a file, as the editor shows it if it is open; read again if it has changed.
    /// `None` if the file cannot be read.
    fn model(&mut self, path: &Path) -> Option<&mut KnownModel> {
        let stamp = match self.documents.get(path) {
            Some(document) => Stamp::Open(document.change),
            None => {
                let found = std::fs::metadata(path).ok()?;
                if !found.is_file() || found.len() > LARGEST {
                    return None;
                }
                Stamp::Closed(found.len(), found.modified().ok())
            }
        };
        if { self.models.get(path) }.is_none_or(|known| known.stamp != stamp) {
            let (text, bytes): (Arc<str>, Arc<[u8]>) = match self.documents.get(path) {
                Some(document) => (Arc::clone(&document.text), document.text.as_bytes().into()),
                None => {
                    let bytes = std::fs::read(path).ok()?;
                    (String::from_utf8_lossy(&bytes).into(), bytes.into())
                }
            };
            let old = self.models.remove(path);
            let (model, found) = read(path, &text, bytes);
            let declarations = match (found.is_empty(), old) {
                (true, Some(old)) if model.is_err() => old.declarations,
                _ => found,
            };
            let known = KnownModel {
                stamp,
                path: path.to_owned(),
                text,
                model,
                declarations,
                names: None,
            };
            self.models.insert(path.to_owned(), known);
        }
        self.models.get_mut(path)
    }
}

/// The kind of a document; `None` if it concerns another server.
fn kind(path: &Path, language: Option<&str>) -> Option<DocumentKind> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.or(language)? {
        "ltl" => Some(DocumentKind::Formulas),
        extension if MODELS.contains(&extension) => Some(DocumentKind::Model),
        _ => None,
    }
}

/// Reads a model and its declarations within the limits.
fn read(
    path: &Path,
    text: &Arc<str>,
    bytes: Arc<[u8]>,
) -> (Result<Model, LoadError>, Vec<Declaration>) {
    let budget = Budget::bytes(default_memory()).with_deadline(READING);
    let origin = path.display().to_string();
    let (own, name, text) = (budget.clone(), origin.clone(), Arc::clone(text));
    let done = input::supervised(&budget, move || {
        Ok((
            formats::load(&name, &bytes, &own),
            formats::declarations(&name, &text),
        ))
    });
    match done {
        Ok((loaded, declarations)) => {
            let model = loaded.map(|loaded| Model::from_loaded(&origin, Arc::new(loaded)));
            (model, declarations)
        }
        Err(Failure::Undecided(stop)) => (Err(LoadError::Stop(stop)), Vec::new()),
        Err(Failure::Input(_) | Failure::OutputClosed) => {
            (Err(LoadError::Stop(Stop::Interrupted)), Vec::new())
        }
    }
}
