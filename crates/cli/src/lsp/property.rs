//! The property at a position: what an editor needs to check it.

use super::session::{DocumentKind, Session};
use super::text;
use lariat::internals::ir::property_file::{assumption, read_ltl_file};
use serde_json::{Value as Json, json};

/// The model, the file of formulas and the name of the property in the line of the position.
pub(super) fn answer(session: &mut Session, params: &Json) -> Option<Json> {
    let (path, kind, content, offset) = session.asked(params)?;
    if kind != DocumentKind::Formulas {
        return None;
    }
    let model = session.model_path(&path, &content)?;
    let line = text::line_at(&content, offset);
    let file = read_ltl_file("", content.as_bytes()).ok()?;
    let properties = file.properties.iter();
    let mut properties = properties.filter(|(_, at)| assumption(&content[at.clone()]).is_none());
    // A property without a name is named by its position, from 1.
    let place = properties.position(|(_, at)| line.contains(&at.start))?;
    let mut properties = file.properties.iter();
    let (name, _) = properties.find(|(_, at)| line.contains(&at.start))?;
    let name = name.clone().unwrap_or_else(|| (place + 1).to_string());
    Some(json!({"model": model, "formulas": path, "property": name}))
}
