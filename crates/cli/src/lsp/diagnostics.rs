//! Diagnostics: the errors and warnings of the readers, at their places.

use super::session::{Document, DocumentKind, KnownModel, Session};
use super::text;
use lariat::internals::formats::LoadError;
use lariat::internals::ir::property_file::{assumption, read_ltl_file};
use lariat::internals::ltl::{AtomError, Formulas, FreeVocabulary, RawAtom, Vocabulary, parse};
use lariat::{InputError, Properties};
use serde_json::{Value as Json, json};

/// Severities of the protocol.
const ERROR: u8 = 1;
const WARNING: u8 = 2;
const INFORMATION: u8 = 3;

/// The diagnostics of all documents that have changed, by their URIs.
pub(super) fn refresh(session: &mut Session) -> Vec<(String, Vec<Json>)> {
    let mut all = Vec::new();
    for (path, uri) in session.take_outdated() {
        let is_read = session.model_of(&path).is_some();
        let Some((document, known)) = session.both(&path) else {
            // Closed: its diagnostics disappear.
            all.push((uri, Vec::new()));
            continue;
        };
        let list = match (document.kind, known.filter(|_| is_read)) {
            (DocumentKind::Model, Some(known)) => of_model(known),
            (DocumentKind::Model, None) => Vec::new(),
            (DocumentKind::Formulas, known) => of_formulas(document, known),
        };
        all.push((uri, list));
    }
    all
}

fn of_model(known: &KnownModel) -> Vec<Json> {
    match &known.model {
        Ok(model) => { model.loaded().warnings.iter() }
            .map(|warning| of_error(&known.text, warning, WARNING))
            .collect(),
        Err(LoadError::Input(error)) => vec![of_error(&known.text, error, ERROR)],
        Err(stop @ LoadError::Stop(_)) => vec![at_start(&known.text, &stop.to_string())],
    }
}

fn of_formulas(document: &Document, known: Option<&KnownModel>) -> Vec<Json> {
    let text = &document.text;
    let Some(known) = known else {
        let mut list = syntax_errors(text);
        let advice = "names are not checked, because there is no model: give it the name of this \
             file, or name it in a comment `# model: FILE`";
        list.push(at_start(text, advice));
        return list;
    };
    let Ok(model) = &known.model else {
        let mut list = syntax_errors(text);
        let name = known.path.display();
        list.push(at_start(
            text,
            &format!("names are not checked, because {name} cannot be read"),
        ));
        return list;
    };
    let mut properties = Properties::new(model);
    match properties.add_file(&document.uri, text.as_bytes()) {
        Ok(()) => Vec::new(),
        Err(errors) => { errors.list().iter() }
            .map(|error| of_error(text, error, ERROR))
            .collect(),
    }
}

/// The vocabulary of a model that could not be read.
struct UnknownNames;

impl Vocabulary for UnknownNames {
    fn is_name(&self, word: &str) -> bool {
        FreeVocabulary.is_name(word)
    }

    fn is_declared(&self, word: &str) -> bool {
        FreeVocabulary.is_declared(word)
    }

    fn is_function(&self, word: &str) -> bool {
        ["fires", "fireable", "tokens"].contains(&word)
    }

    fn resolve(&mut self, atom: RawAtom<'_>) -> Result<String, AtomError> {
        FreeVocabulary.resolve(atom)
    }
}

/// The errors that formulas have whatever the names of the model are.
fn syntax_errors(text: &str) -> Vec<Json> {
    let file = match read_ltl_file("", text.as_bytes()) {
        Ok(file) => file,
        Err(error) => return vec![of_error(text, &error, ERROR)],
    };
    let mut list = Vec::new();
    for (_, at) in file.properties {
        let formula = &text[at.clone()];
        // `EF p` and `AG p` are no formulas of linear time.
        let first = formula.split(|c: char| !c.is_alphanumeric()).next();
        if assumption(formula).is_some() || matches!(first, Some("EF" | "AG")) {
            continue;
        }
        if let Err(error) = parse(formula, &mut Formulas::new(), &mut UnknownNames) {
            let span = at.start + error.span.start..at.start + error.span.end;
            let mut wrong = InputError::at("", text.as_bytes(), span, error.message);
            wrong.help = error.help;
            list.push(of_error(text, &wrong, ERROR));
        }
    }
    list
}

fn of_error(text: &str, error: &InputError, severity: u8) -> Json {
    let at = error
        .place
        .as_deref()
        .map_or(0..0, |place| text::bytes(text, place));
    let help = error
        .help
        .as_deref()
        .map_or(String::new(), |help| format!("\nhelp: {help}"));
    json!({
        "range": text::range(text, at),
        "severity": severity,
        "source": "lariat",
        "message": format!("{}{help}", error.message),
    })
}

/// A remark about the whole text, at its first line.
fn at_start(text: &str, message: &str) -> Json {
    json!({
        "range": text::range(text, text::line_at(text, 0)),
        "severity": INFORMATION,
        "source": "lariat",
        "message": message,
    })
}
