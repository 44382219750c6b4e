//! The declarations of a model file with their locations, for editors.
//!
//! A text that is being edited is often malformed: a PNML text then yields the nodes before the
//! error, other texts yield nothing.

use std::ops::Range;

use crate::load::has_promela_suffix;
use crate::pnml::label::{NodeNotes, child};
use crate::xml::{self, Element, Item, Xml, XmlResult, XmlSource};
use crate::{dve, promela};
use lariat_model::NodeKind;

/// The kind of a declared name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclarationKind {
    /// A place of a net.
    Place,
    /// A transition of a net.
    Transition,
    /// A process of a program.
    Process,
    /// A state of a process.
    State,
    /// A variable or an array.
    Variable,
    /// A constant.
    Constant,
    /// A channel.
    Channel,
}

/// A declaration in a model file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The kind.
    pub kind: DeclarationKind,
    /// The declared name; of a place or transition its id.
    pub name: String,
    /// The name of a place or transition besides its id.
    pub label: Option<String>,
    /// The process that the name belongs to.
    pub owner: Option<String>,
    /// The declaration in words, such as `byte flag[2]`.
    pub detail: String,
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The bytes in which names of this process are visible; of other declarations the name.
    pub scope: Range<usize>,
}

/// The declarations of a model, in the order of the text. `origin` names its file.
pub fn declarations(origin: &str, text: &str) -> Vec<Declaration> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        let mut found = Vec::new();
        // The declarations before an error are known.
        let _ = nodes(text, &mut found);
        found
    } else if dve::looks_like_dve(text.as_bytes()) {
        dve::declarations(text)
    } else if promela::looks_like_promela(text.as_bytes()) || has_promela_suffix(origin) {
        promela::declarations(origin, text)
    } else {
        Vec::new()
    }
}

/// Collects the places and transitions of a net.
fn nodes(text: &str, found: &mut Vec<Declaration>) -> XmlResult<()> {
    let text = xml::decode("", text.as_bytes())?;
    let source = XmlSource {
        origin: "",
        text: &text,
    };
    let mut xml = Xml::new(&source);
    loop {
        match xml.next()? {
            Item::Open(element) => match element.name {
                "place" => node(&mut xml, &element, NodeKind::Place, found)?,
                "transition" => node(&mut xml, &element, NodeKind::Transition, found)?,
                "pnml" | "net" | "page" => {}
                _ => xml.skip()?,
            },
            Item::Close | Item::Text(_) => {}
            Item::End => return Ok(()),
        }
    }
}

fn node<'a>(
    xml: &mut Xml<'a>,
    element: &Element<'a>,
    kind: NodeKind,
    found: &mut Vec<Declaration>,
) -> XmlResult<()> {
    let id = element.attribute("id")?;
    let mut notes = NodeNotes::default();
    while let Some(part) = child(xml)? {
        if part.name == "name" {
            notes.label(xml, kind, &id.value)?;
        } else {
            xml.skip()?;
        }
    }
    let (kind, word) = match kind {
        NodeKind::Place => (DeclarationKind::Place, "place"),
        NodeKind::Transition => (DeclarationKind::Transition, "transition"),
    };
    let label = notes.labels.pop().map(|label| label.name);
    let detail = match &label {
        Some(label) => format!("{word} {label} ({})", id.value),
        None => format!("{word} {}", id.value),
    };
    found.push(Declaration {
        kind,
        label,
        owner: None,
        detail,
        span: id.span(),
        scope: id.span(),
        name: id.value.into_owned(),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Owner, name and detail of each declaration; the name must be at its location.
    fn shown(text: &str) -> Vec<String> {
        let list = declarations("model", text);
        let one = |d: &Declaration| {
            assert_eq!(text[d.span.clone()], d.name, "{d:?}");
            let owner = d.owner.as_deref().unwrap_or("-");
            format!("{owner} {}: {}", d.name, d.detail)
        };
        list.iter().map(one).collect()
    }

    #[test]
    fn nodes_of_nets_are_found_up_to_an_error() {
        let text = "<?xml version='1.0'?><pnml><net id='n' type='ptnet'><page id='g'>\n\
             <place id='p'><name><text>Idle</text></name></place>\n\
             <toolspecific><place id='no'/></toolspecific><page id='h'><transition id='t-1'/></page>\n\
             <arc id='a' source='p' target='t-1'/><place id='q'/><place";
        assert_eq!(
            shown(text),
            [
                "- p: place Idle (p)",
                "- t-1: transition t-1",
                "- q: place q"
            ]
        );
    }

    #[test]
    fn declarations_of_programs_are_found() {
        let text = "const int N = 2; byte a[N], b = 1; channel {byte, int} c[3], d;\n\
             process P { int x; state s, t; init t; trans s -> t {}; }\n\
             process Q { state s; init s; }\nsystem async;";
        assert_eq!(
            shown(text),
            [
                "- N: const int N = 2",
                "- a: byte a[N]",
                "- b: byte b",
                "- c: channel {byte, int} c[3]",
                "- d: channel {byte, int} d",
                "- P: process P",
                "P x: int x",
                "P s: state s of P",
                "P t: state t of P, initial",
                "- Q: process Q",
                "Q s: state s of Q, initial",
            ]
        );
        let process = &declarations("model", text)[5];
        assert!(text[process.scope.clone()].ends_with("trans s -> t {}; }"));
        assert!(declarations("model", "process P { state").is_empty());
        assert!(declarations("model", "").is_empty());
    }

    #[test]
    fn declarations_of_promela_are_found() {
        let text = "#define N 3\nmtype = { ack };\nchan c = [2] of { byte };\nbyte a[N];\n\
             active [2] proctype P(byte n) { bool b; start: do :: n > 0 -> inner: b = 1 od }\n\
             init { int x; x = 1 }\n";
        assert_eq!(
            shown(text),
            [
                "- ack: mtype ack = 1",
                "- c: chan c = [2]",
                "- a: byte a[3]",
                "- P: proctype P",
                "P n: byte n",
                "P b: bit b",
                "P start: label start of P",
                "P inner: label inner of P",
                "- init: init",
                "init x: -2147483648..2147483647 x",
            ]
        );
        assert!(declarations("m.pml", "byte").is_empty());
    }
}
