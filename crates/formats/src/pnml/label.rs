//! Common parts of all PNML documents: pages, children, labels, numbers.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::dialect;
use crate::xml::{Attribute, Element, Item, Xml, XmlResult};
use lariat_model::{InputError, Label, NodeKind, Value, visible};

/// Coordinates of a node: to the right and downwards.
pub type Coordinates = (f64, f64);

/// Coordinates of nodes, by their ids.
pub type Positions = FxHashMap<String, Coordinates>;

/// Limit on coordinates, such that sums and products remain sufficiently exact.
const FARTHEST: f64 = 1e9;

/// The next child of the open element, `None` at its end.
pub(crate) fn child<'a>(xml: &mut Xml<'a>) -> XmlResult<Option<Element<'a>>> {
    loop {
        match xml.next()? {
            Item::Open(element) => return Ok(Some(element)),
            Item::Text(text) => xml.pass_text(&text)?,
            Item::Close | Item::End => return Ok(None),
        }
    }
}

/// Reads the rest of a `<net>`. Elements of the net and of its (nested) pages are treated alike:
/// each except names is passed to `read`, which returns whether it knows the element.
pub(crate) fn elements<'a>(
    xml: &mut Xml<'a>,
    name: &mut String,
    expected: &str,
    mut read: impl FnMut(&mut Xml<'a>, &Element<'a>) -> XmlResult<bool>,
) -> XmlResult<()> {
    let mut pages = 0usize;
    loop {
        let element = match xml.next()? {
            Item::Open(element) => element,
            Item::Text(text) => {
                xml.pass_text(&text)?;
                continue;
            }
            Item::Close | Item::End if pages == 0 => return Ok(()),
            Item::Close | Item::End => {
                pages -= 1;
                continue;
            }
        };
        match element.name {
            "page" => {
                element.only(dialect::PAGE)?;
                pages += 1;
            }
            "name" if pages == 0 => {
                if let Some(found) = label(xml)?
                    && !found.text.is_empty()
                {
                    *name = visible(&*found.text).into_owned();
                }
            }
            "name" | "graphics" | "labels" => xml.skip()?,
            other => {
                if !read(xml, &element)? {
                    return Err(element
                        .error(format!("unknown element <{other}>"))
                        .help(format!("expected {expected}")));
                }
            }
        }
    }
}

/// The `<text>` (or, in older files, `<value>`) of a label and its location. Some files contain the
/// text without either.
pub(crate) fn label<'a>(xml: &mut Xml<'a>) -> XmlResult<Option<LabelText<'a>>> {
    let mut found: Option<LabelText<'a>> = None;
    let mut bare = None;
    loop {
        match xml.next()? {
            Item::Open(element) if element.name == "text" || element.name == "value" => {
                let is_value = element.name == "value";
                let (text, span) = xml.characters()?;
                let next = LabelText {
                    text,
                    span,
                    is_value,
                };
                if found.replace(next).is_some() {
                    return Err(element.error("a second text of a label"));
                }
            }
            Item::Open(element) => match element.name {
                // Some files repeat the text as a structure.
                "graphics" | "toolspecific" | "structure" => xml.skip()?,
                _ => {
                    return Err(dialect::unknown(
                        &element,
                        "a label",
                        "text, graphics or toolspecific",
                    ));
                }
            },
            Item::Text(text) => {
                if !text.trim().is_empty() && bare.is_none() {
                    bare = Some(LabelText {
                        text: Cow::Owned(text.trim().to_owned()),
                        span: xml.here(),
                        is_value: false,
                    });
                }
            }
            Item::Close | Item::End => return Ok(found.or(bare)),
        }
    }
}

/// The text of a label.
pub(crate) struct LabelText<'a> {
    pub text: Cow<'a, str>,
    /// Its bytes.
    pub span: Range<usize>,
    /// Whether it is a `<value>`.
    pub is_value: bool,
}

/// A coordinate within the limits.
fn coordinate(text: Option<Attribute<'_>>) -> Option<f64> {
    let number: f64 = text?.value.trim().parse().ok()?;
    (number.abs() < FARTHEST).then_some(number)
}

/// Parts of nodes that carry no behaviour.
#[derive(Default)]
pub(crate) struct NodeNotes {
    /// Coordinates by ids.
    pub positions: Positions,
    /// Names that differ from the ids.
    pub labels: Vec<Label>,
}

impl NodeNotes {
    /// Consumes the `<graphics>` of a node and records its `<position>` within the limits.
    pub fn position(&mut self, xml: &mut Xml<'_>, id: &str) -> XmlResult<()> {
        let mut found = None;
        while let Some(part) = child(xml)? {
            if part.name == "position" {
                let [x, y] = part.attributes(["x", "y"])?;
                found = coordinate(x).zip(coordinate(y));
            }
            xml.skip()?;
        }
        self.positions.extend(found.map(|at| (id.to_owned(), at)));
        Ok(())
    }

    /// Records the name and the position in the attributes of a node.
    pub fn attributes(&mut self, kind: NodeKind, element: &Element<'_>, id: &str) -> XmlResult<()> {
        let [name, x, y] = element.attributes(["name", "positionX", "positionY"])?;
        if let Some(name) = name {
            self.labels.extend(Label::new(kind, id, &name.value));
        }
        let at = coordinate(x).zip(coordinate(y));
        self.positions.extend(at.map(|at| (id.to_owned(), at)));
        Ok(())
    }

    /// Consumes the `<name>` of a node and records it. Names carry no behaviour, so elements inside
    /// of the text, such as markup, are accepted.
    pub fn label(&mut self, xml: &mut Xml<'_>, kind: NodeKind, id: &str) -> XmlResult<()> {
        let (mut depth, mut is_text) = (0usize, false);
        let (mut name, mut bare) = (String::new(), String::new());
        loop {
            match xml.next()? {
                Item::Open(element) => {
                    is_text |= depth == 0 && matches!(element.name, "text" | "value");
                    depth += 1;
                }
                Item::Text(text) if is_text => name.push_str(&text),
                Item::Text(text) if depth == 0 => bare.push_str(&text),
                Item::Text(_) => {}
                Item::Close | Item::End if depth == 0 => break,
                Item::Close | Item::End => {
                    depth -= 1;
                    is_text &= depth > 0;
                }
            }
        }
        let name = if name.trim().is_empty() { bare } else { name };
        let words: Vec<&str> = name.split_whitespace().collect();
        self.labels
            .extend(Label::new(kind, id, &visible(words.join(" "))));
        Ok(())
    }
}

/// Parses a non-negative number, at most 2^63 - 1.
pub(crate) fn number(
    xml: &Xml<'_>,
    text: &str,
    span: Range<usize>,
    what: &str,
) -> XmlResult<Value> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let digits = text.strip_prefix('+').unwrap_or(text);
    let spelt = shortened(text);
    let message = match digits.strip_prefix('-') {
        _ if is_number(digits) => match digits.parse() {
            Ok(number) => return Ok(number),
            Err(_) => format!("`{spelt}` is too large: expected {what} below 2^63"),
        },
        Some(rest) if is_number(rest) => {
            format!("`{spelt}` is negative: expected {what}, 0 or more")
        }
        _ => format!("`{spelt}` is not a number: expected {what}"),
    };
    Err(xml.error(span, message))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The error about an element of the other type of nets.
pub(crate) fn foreign(element: &Element<'_>, theirs: &str, ours: &str) -> InputError {
    let name = element.name;
    element.error(format!(
        "<{name}> belongs to {theirs}, and this one says it is {ours}"
    ))
}

/// The error about an id with two meanings.
pub(crate) fn used_twice(id: &Attribute<'_>, spelling: &str) -> InputError {
    id.error(format!("the id `{spelling}` is used twice"))
        .help("ids of places and transitions must be unique")
}

/// The message about an arc with an unknown end.
pub(crate) fn dangling(verb: &str, id: &str) -> String {
    format!("the arc {verb} `{id}`, which is no place or transition")
}

/// The message about an arc between nodes of one kind.
pub(crate) fn alike(kind: &str, from: &str, to: &str) -> String {
    format!("the arc joins two {kind}, `{from}` and `{to}`: expected a place and a transition")
}
