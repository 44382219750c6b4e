//! Unresolved syntax trees of terms, sorts and declarations.
//!
//! Declarations usually follow the page that uses them and refer to each other in any order, so the
//! contents of a `<structure>` cannot be resolved immediately. They are stored as a tree of opening
//! tags, borrowed from the text; `<subterm>` elements are omitted as redundant.

use crate::xml::{Attribute, Element, Item, Xml, XmlResult};
use lariat_model::InputError;

/// Limit on the nesting depth of terms and sorts.
const DEPTH: usize = 200;

pub(super) struct RawElement<'a> {
    pub element: Element<'a>,
    pub children: Vec<RawElement<'a>>,
}

impl<'a> RawElement<'a> {
    pub fn name(&self) -> &'a str {
        self.element.name
    }

    /// An error at the opening tag.
    pub fn error(&self, message: impl Into<String>) -> InputError {
        self.element.error(message)
    }

    pub fn attribute(&self, name: &str) -> XmlResult<Attribute<'a>> {
        self.element.attribute(name)
    }

    /// The only child.
    pub fn only(&self) -> XmlResult<&RawElement<'a>> {
        match &self.children[..] {
            [only] => Ok(only),
            children => Err(self.arity("one element", children.len())),
        }
    }

    /// The two children.
    pub fn both(&self) -> XmlResult<(&RawElement<'a>, &RawElement<'a>)> {
        match &self.children[..] {
            [left, right] => Ok((left, right)),
            children => Err(self.arity("two elements", children.len())),
        }
    }

    /// The children, at least one.
    pub fn some(&self) -> XmlResult<&[RawElement<'a>]> {
        match &self.children[..] {
            [] => Err(self.arity("at least one element", 0)),
            children => Ok(children),
        }
    }

    fn arity(&self, expected: &str, found: usize) -> InputError {
        self.error(format!(
            "<{}> of {found}: expected {expected} inside",
            self.name()
        ))
    }
}

/// Reads the children of the element opened last, up to its end.
pub(super) fn children<'a>(xml: &mut Xml<'a>) -> XmlResult<Vec<RawElement<'a>>> {
    /// An open element; a `<subterm>` passes its child on to its parent.
    struct Open<'a> {
        element: Option<Element<'a>>,
        children: Vec<RawElement<'a>>,
    }
    let mut open: Vec<Open<'a>> = Vec::new();
    let mut top = Vec::new();
    loop {
        match xml.next()? {
            Item::Open(element) => {
                if matches!(element.name, "graphics" | "toolspecific" | "text") {
                    xml.skip()?;
                    continue;
                }
                if open.len() >= 2 * DEPTH {
                    return Err(
                        element.error(format!("terms are nested more than {DEPTH} deep here"))
                    );
                }
                let subterm = element.name == "subterm";
                open.push(Open {
                    element: (!subterm).then_some(element),
                    children: Vec::new(),
                });
            }
            Item::Text(text) => xml.pass_text(&text)?,
            Item::Close | Item::End => {
                let Some(Open { element, children }) = open.pop() else {
                    return Ok(top);
                };
                let around = open.last_mut().map_or(&mut top, |o| &mut o.children);
                match element {
                    Some(element) => around.push(RawElement { element, children }),
                    None if children.len() == 1 => around.extend(children),
                    None => {
                        return Err(xml.error_here(format!(
                            "a <subterm> of {} ends here: expected one term",
                            children.len()
                        )));
                    }
                }
            }
        }
    }
}

/// The only element inside the `<structure>` of the label opened last; `None` if there is no
/// structure. The human-readable `<text>` is skipped.
pub(super) fn structure<'a>(
    xml: &mut Xml<'a>,
    label: &Element<'a>,
) -> XmlResult<Option<RawElement<'a>>> {
    let mut found = None;
    for child in children(xml)? {
        if child.name() != "structure" {
            continue;
        }
        if found.is_some() {
            return Err(child.error(format!("a second <structure> of one <{}>", label.name)));
        }
        let mut inside = child.children;
        found = match (inside.pop(), inside.is_empty()) {
            (Some(only), true) => Some(only),
            (None, _) => None,
            (Some(second), false) => {
                return Err(second.error(format!("<{}> after the end of the term", second.name())));
            }
        };
    }
    Ok(found)
}
