//! Hovers: the kind, the type and the values of a name.

use super::session::{DocumentKind, Session};
use super::{text, words};
use serde_json::{Value as Json, json};

pub(super) fn answer(session: &mut Session, params: &Json) -> Option<Json> {
    let (path, kind, content, offset) = session.asked(params)?;
    let known = session.model_of(&path)?;
    let names = known.names();
    let (span, lines) = match kind {
        DocumentKind::Formulas => {
            let names = names?;
            let span = words::known_name(&content, offset, |word| names.get(word).is_some())?;
            let name = names.get(&content[span.clone()])?;
            let declared =
                words::declaration_of(&known.declarations, name.id().unwrap_or(name.name()));
            let detail = declared.map(|declaration| declaration.detail.clone());
            (span, [detail, Some(name.describe())])
        }
        DocumentKind::Model => {
            let (found, span) = words::declaration_at(&content, offset, &known.declarations)?;
            let full = match &found.owner {
                Some(owner) => format!("{owner}.{}", found.name),
                None => found.name.clone(),
            };
            let description = names.and_then(|names| Some(names.get(&full)?.describe()));
            (span, [Some(found.detail.clone()), description])
        }
    };
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    Some(json!({
        "contents": {"kind": "plaintext", "value": lines.join("\n")},
        "range": text::range(&content, span),
    }))
}
