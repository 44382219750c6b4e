//! The declaration of the name at a position, in the model.

use super::session::{DocumentKind, Session};
use super::{text, words};
use serde_json::{Value as Json, json};

pub(super) fn answer(session: &mut Session, params: &Json) -> Option<Json> {
    let (path, kind, content, offset) = session.asked(params)?;
    let known = session.model_of(&path)?;
    let found = match kind {
        DocumentKind::Formulas => {
            let names = known.names()?;
            let span = words::known_name(&content, offset, |word| names.get(word).is_some())?;
            let name = names.get(&content[span])?;
            words::declaration_of(&known.declarations, name.id().unwrap_or(name.name()))?
        }
        DocumentKind::Model => words::declaration_at(&content, offset, &known.declarations)?.0,
    };
    // Declarations of a malformed text may be those of an earlier one.
    let at = text::nearest(&known.text, found.span.clone());
    Some(json!({"uri": text::uri(&known.path), "range": text::range(&known.text, at)}))
}
