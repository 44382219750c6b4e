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
            // A variable of a process is called `P.x` in DVE, and `P[0]:x` in Promela.
            let spellings = match &found.owner {
                Some(owner) => ["", "[0]"].map(|i| {
                    let sign = if i.is_empty() { "." } else { ":" };
                    format!("{owner}{i}{sign}{}", found.name)
                }),
                None => ["", "[0]"].map(|i| format!("{}{i}", found.name)),
            };
            let description = names.and_then(|names| {
                let name = { spellings.iter() }.find_map(|name| names.get(name))?;
                Some(name.describe())
            });
            (span, [Some(found.detail.clone()), description])
        }
    };
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    Some(json!({
        "contents": {"kind": "plaintext", "value": lines.join("\n")},
        "range": text::range(&content, span),
    }))
}
