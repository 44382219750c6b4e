//! Completion: names of the model, operators of formulas, keywords of programs.

use super::session::{DocumentKind, Names, Session};
use super::{text, words};
use lariat::internals::formats::{Declaration, DeclarationKind, dve, promela};
use lariat::internals::ltl::quoted;
use serde_json::{Value as Json, json};
use std::path::Path;

/// Limit on the names that are offered; typing more of a name offers others.
const MOST: usize = 500;

/// Words of formulas besides names.
const OPERATORS: [(&str, &str); 12] = [
    ("G", "always"),
    ("F", "now or later"),
    ("X", "at the next position"),
    ("U", "until"),
    ("R", "release"),
    ("W", "weak until"),
    ("M", "strong release"),
    ("true", ""),
    ("false", ""),
    ("deadlock", "no transition is enabled"),
    ("fires(", "the transition taken from here"),
    ("fireable(", "some of these transitions is enabled"),
];

/// Kinds of the protocol.
const CONSTANT: u8 = 21;
const KEYWORD: u8 = 14;
const STATE: u8 = 20;
const EVENT: u8 = 23;
const VARIABLE: u8 = 6;
const MODULE: u8 = 9;

/// A proposal: the shown text, the inserted text, the kind of the protocol, a description.
struct Item {
    label: String,
    insert: String,
    kind: u8,
    detail: String,
}

pub(super) fn answer(session: &mut Session, params: &Json) -> Option<Json> {
    let (path, kind, content, offset) = session.asked(params)?;
    let known = session.model_of(&path);
    let line = text::line_at(&content, offset);
    let start = match kind {
        DocumentKind::Formulas => {
            let is_name = |c: &char| c.is_alphanumeric() || "_.".contains(*c);
            let before = content[line.start..offset]
                .chars()
                .rev()
                .take_while(is_name);
            offset - before.map(char::len_utf8).sum::<usize>()
        }
        DocumentKind::Model => words::identifier(&content, offset).start,
    };
    let typed = content[start..offset].to_lowercase();
    let items = match (kind, known) {
        (DocumentKind::Formulas, known) => {
            let quotes = content[line.start..start].matches('"').count();
            let names = known.and_then(|known| known.names());
            of_formulas(names.as_deref(), quotes % 2 == 1)
        }
        (DocumentKind::Model, _) if has_no_names(&path) => Vec::new(),
        (DocumentKind::Model, Some(known)) if words::is_program(&content) => {
            of_program(&known.declarations, &content, start)
        }
        (DocumentKind::Model, Some(known)) => of_net(&known.declarations),
        (DocumentKind::Model, None) => Vec::new(),
    };
    let fitting = items
        .iter()
        .filter(|item| item.label.to_lowercase().contains(&typed));
    let range = text::range(&content, start..offset);
    let mut list: Vec<Json> = Vec::new();
    let mut left_out = false;
    for item in fitting {
        left_out = list.len() == MOST;
        if left_out {
            break;
        }
        list.push(json!({
            "label": item.label,
            "kind": item.kind,
            "detail": item.detail,
            "filterText": item.label,
            "textEdit": {"range": range, "newText": item.insert},
        }));
    }
    Some(json!({"isIncomplete": left_out, "items": list}))
}

/// Returns whether a model has neither declarations nor keywords: tables, and nets of TINA.
fn has_no_names(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "etf" || extension == "net")
}

fn of_formulas(names: Option<&Names>, is_quoted: bool) -> Vec<Item> {
    let mut items = Vec::new();
    for name in names.into_iter().flat_map(|names| &names.list) {
        let label = name.name().to_owned();
        items.push(Item {
            insert: if is_quoted {
                label.clone()
            } else {
                quoted(&label)
            },
            label,
            kind: match name.kind() {
                "transition" | "event" | "events" | "steps of a process" => EVENT,
                "state" => STATE,
                "process" => MODULE,
                _ => VARIABLE,
            },
            detail: name.describe(),
        });
    }
    let operators = OPERATORS.iter().map(|(word, detail)| Item {
        label: (*word).to_owned(),
        insert: (*word).to_owned(),
        kind: KEYWORD,
        detail: (*detail).to_owned(),
    });
    items.extend(operators);
    items
}

fn of_declaration(declaration: &Declaration) -> Item {
    Item {
        label: declaration.name.clone(),
        insert: declaration.name.clone(),
        kind: match declaration.kind {
            DeclarationKind::Process => MODULE,
            DeclarationKind::State => STATE,
            DeclarationKind::Constant => CONSTANT,
            DeclarationKind::Transition => EVENT,
            DeclarationKind::Place | DeclarationKind::Variable | DeclarationKind::Channel => {
                VARIABLE
            }
        },
        detail: declaration.detail.clone(),
    }
}

/// Ids of places and transitions, for arcs.
fn of_net(list: &[Declaration]) -> Vec<Item> {
    list.iter().map(of_declaration).collect()
}

/// After `P.` and `P->` the names of process P, elsewhere all visible names.
fn of_program(list: &[Declaration], content: &str, start: usize) -> Vec<Item> {
    let of = |owner: Option<&str>| -> Vec<Item> {
        let own = list.iter().filter(|d| d.owner.as_deref() == owner);
        own.map(of_declaration).collect()
    };
    let owner = words::qualifier(content, start).filter(|word| {
        { list.iter() }.any(|d| d.kind == DeclarationKind::Process && d.name == *word)
    });
    if owner.is_some() {
        return of(owner);
    }
    let mut items = match words::process_at(list, start) {
        Some(process) => of(Some(process)),
        None => Vec::new(),
    };
    items.extend(of(None));
    let is_dve = dve::looks_like_dve(content.as_bytes());
    let keywords = if is_dve {
        dve::KEYWORDS.as_slice()
    } else {
        promela::KEYWORDS.as_slice()
    };
    items.extend(keywords.iter().map(|word| Item {
        label: (*word).to_owned(),
        insert: (*word).to_owned(),
        kind: KEYWORD,
        detail: String::new(),
    }));
    items
}
