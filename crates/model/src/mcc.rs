//! Property files of the Model Checking Contest: LTL in XML.
//!
//! ```text
//! <property-set> <property> <id/> <description/> <formula> <all-paths> PATH
//! PATH := globally PATH | finally PATH | next PATH | until (before PATH) (reach PATH)
//!       | negation PATH | conjunction PATH… | disjunction PATH… | exclusive-disjunction PATH PATH
//!       | implication PATH PATH | equivalence PATH PATH | true | false | deadlock
//!       | integer-le INT INT (also lt, ge, gt, eq, ne) | is-fireable (transition id)…
//! INT  := integer-constant n | tokens-count (place id)…
//! ```
//!
//! Names are ids of the net. A formula is built bottom-up on an explicit stack of the elements that
//! are open, so its depth is nobody's problem. `all-paths` is what a linear-time property means
//! anyway and may stand only around the whole; `exists-path` is refused.

use std::ops::Range;

use lariat_ltl::{Formula, Formulas};

use crate::error::InputError;
use crate::names::Names;
use crate::predicate::Comparison;
use crate::properties::{OWN_NAME, Properties, Property};
use crate::system::{EventId, Value, VarId};
use crate::xml::{self, Element, Item, Xml};

/// What an open element will become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    /// The whole.
    Formula,
    /// `all-paths`
    Group,
    Before,
    Reach,
    True,
    False,
    Deadlock,
    Not,
    Next,
    Finally,
    Globally,
    Until,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Compare(Comparison),
    Constant,
    Tokens,
    Fireable,
    Place,
    Transition,
}

/// What has been read inside of an open element.
enum Part {
    Path(Formula),
    /// A sum of places and a constant.
    Number(Vec<VarId>, Value),
    Events(Vec<EventId>),
}

struct Frame {
    operator: Operator,
    span: Range<usize>,
    parts: Vec<Part>,
}

/// Reads a property file and adds its properties in the order of the file.
pub(crate) fn read(
    properties: &mut Properties,
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
) -> Result<(), InputError> {
    let text = xml::decode(origin, bytes)?;
    let mut xml = Xml::new(origin, &text);
    match xml.next()? {
        Item::Open(root) if root.name == "property-set" => {}
        Item::Open(root) => {
            return Err(xml.error(
                root.span,
                format!(
                    "<{}> is not a property file: expected <property-set>",
                    root.name
                ),
            ));
        }
        _ => {
            return Err(InputError::new(
                origin,
                "the file is empty: expected a property file of the contest",
            ));
        }
    }
    loop {
        match xml.next()? {
            Item::Open(element) if element.name == "property" => {
                let property = property(&mut xml, properties, names, &element)?;
                properties
                    .push(property)
                    .map_err(|message| xml.error(element.span, message).help(OWN_NAME))?;
            }
            Item::Open(_) => xml.skip()?,
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close => {}
            Item::End => return Ok(()),
        }
    }
}

fn property<'a>(
    xml: &mut Xml<'a>,
    properties: &mut Properties,
    names: &Names<'_>,
    property: &Element<'a>,
) -> Result<Property, InputError> {
    let (mut name, mut found) = (None, None);
    loop {
        match xml.next()? {
            Item::Open(element) => match element.name {
                "id" => name = Some(xml.characters()?.0.into_owned()),
                "formula" if found.is_some() => {
                    return Err(xml.error(element.span, "a second <formula> in one property"));
                }
                "formula" => found = Some(formula(xml, properties, names, element.span)?),
                _ => xml.skip()?,
            },
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close | Item::End => break,
        }
    }
    let missing = |what| {
        xml.error(
            property.span.clone(),
            format!("a property without <{what}>"),
        )
    };
    let formula = found.ok_or_else(|| missing("formula"))?;
    let name = name.ok_or_else(|| missing("id"))?;
    let text = properties.print(formula);
    Ok(Property {
        name,
        formula,
        text,
    })
}

/// Reads the rest of `<formula>`.
fn formula<'a>(
    xml: &mut Xml<'a>,
    properties: &mut Properties,
    names: &Names<'_>,
    span: Range<usize>,
) -> Result<Formula, InputError> {
    let mut open = vec![Frame {
        operator: Operator::Formula,
        span,
        parts: Vec::new(),
    }];
    while let Some(frame) = open.last_mut() {
        match xml.next()? {
            Item::Open(element) => {
                let place = (frame.operator, frame.parts.len());
                let operator = operator(xml, &element, place)?;
                if let Operator::Constant | Operator::Place | Operator::Transition = operator {
                    frame.parts.push(leaf(xml, names, operator)?);
                    continue;
                }
                open.push(Frame {
                    operator,
                    span: element.span,
                    parts: Vec::new(),
                });
            }
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close | Item::End => {
                let Some(frame) = open.pop() else { break };
                let part = close(xml, properties, names, frame)?;
                match (open.last_mut(), part) {
                    (Some(outer), part) => outer.parts.push(part),
                    (None, Part::Path(formula)) => return Ok(formula),
                    (None, _) => return Err(xml.error_here("expected a formula")),
                }
            }
        }
    }
    Err(xml.error_here("expected a formula"))
}

/// What an element means where it stands: as the n-th part of another.
fn operator(
    xml: &Xml<'_>,
    element: &Element<'_>,
    (outer, nth): (Operator, usize),
) -> Result<Operator, InputError> {
    let fits = match element.name {
        "before" => outer == Operator::Until && nth == 0,
        "reach" => outer == Operator::Until && nth == 1,
        "place" => outer == Operator::Tokens,
        "transition" => outer == Operator::Fireable,
        _ => !matches!(
            outer,
            Operator::Until | Operator::Tokens | Operator::Fireable
        ),
    };
    if !fits {
        return Err(xml
            .error(
                element.span.clone(),
                format!("<{}> cannot stand here", element.name),
            )
            .help("expected <until> of <before> and <reach>, <tokens-count> of <place>, <is-fireable> of <transition>"));
    }
    let [steps] = xml.attributes(element, ["steps"])?;
    if let Some(steps) = steps.filter(|steps| steps.value != "1") {
        return Err(xml.error(steps.span, "expected a single step"));
    }
    Ok(match element.name {
        "all-paths" if outer == Operator::Formula => Operator::Group,
        "all-paths" | "exists-path" => {
            return Err(xml
                .error(
                    element.span.clone(),
                    format!("<{}> inside of a linear-time formula", element.name),
                )
                .help("expected <all-paths> around the whole formula and nowhere else"));
        }
        "before" => Operator::Before,
        "reach" => Operator::Reach,
        "true" => Operator::True,
        "false" => Operator::False,
        "deadlock" => Operator::Deadlock,
        "negation" => Operator::Not,
        "next" => Operator::Next,
        "finally" => Operator::Finally,
        "globally" => Operator::Globally,
        "until" => Operator::Until,
        "conjunction" => Operator::And,
        "disjunction" => Operator::Or,
        "exclusive-disjunction" => Operator::Xor,
        "implication" => Operator::Implies,
        "equivalence" => Operator::Iff,
        "integer-le" => Operator::Compare(Comparison::Le),
        "integer-lt" => Operator::Compare(Comparison::Lt),
        "integer-ge" => Operator::Compare(Comparison::Ge),
        "integer-gt" => Operator::Compare(Comparison::Gt),
        "integer-eq" => Operator::Compare(Comparison::Eq),
        "integer-ne" => Operator::Compare(Comparison::Ne),
        "integer-constant" => Operator::Constant,
        "tokens-count" => Operator::Tokens,
        "is-fireable" => Operator::Fireable,
        "place" => Operator::Place,
        "transition" => Operator::Transition,
        other => {
            return Err(xml
                .error(element.span.clone(), format!("unknown operator <{other}>"))
                .help("expected an operator of linear-time logic, a comparison of tokens, or is-fireable"));
        }
    })
}

/// An element that holds only text.
fn leaf(xml: &mut Xml<'_>, names: &Names<'_>, operator: Operator) -> Result<Part, InputError> {
    let (text, span) = xml.characters()?;
    match operator {
        Operator::Constant => match text.parse::<Value>() {
            Ok(value) => Ok(Part::Number(Vec::new(), value)),
            Err(_) => Err(xml.error(span, format!("`{text}` is not a number below 2^63"))),
        },
        Operator::Place => names
            .number(&text)
            .map(|vars| Part::Number(vars, 0))
            .ok_or_else(|| xml.error(span, format!("no place is called `{text}`"))),
        _ => names
            .events(&text)
            .map(Part::Events)
            .ok_or_else(|| xml.error(span, format!("no transition is called `{text}`"))),
    }
}

/// What a closed element amounts to.
fn close(
    xml: &Xml<'_>,
    properties: &mut Properties,
    names: &Names<'_>,
    frame: Frame,
) -> Result<Part, InputError> {
    let Frame {
        operator,
        span,
        parts,
    } = frame;
    let expected = |what: &str| {
        let tag = xml.slice(span.clone());
        Err(xml.error(
            span.clone(),
            format!("wrong operands of {tag}: expected {what}"),
        ))
    };
    let mut paths = Vec::new();
    let mut numbers = Vec::new();
    let mut events = Vec::new();
    let count = parts.len();
    for part in parts {
        match part {
            Part::Path(formula) => paths.push(formula),
            Part::Number(vars, constant) => numbers.push((vars, constant)),
            Part::Events(some) => events.extend(some),
        }
    }
    let all_paths = paths.len() == count;
    let store = &mut properties.formulas;
    let unary = |store: &mut Formulas, make: fn(&mut Formulas, Formula) -> Formula| match paths[..]
    {
        [f] if all_paths => Some(make(store, f)),
        _ => None,
    };
    let binary = |store: &mut Formulas, make: fn(&mut Formulas, Formula, Formula) -> Formula| {
        match paths[..] {
            [f, g] if all_paths => Some(make(store, f, g)),
            _ => None,
        }
    };
    let formula = match operator {
        Operator::True if count == 0 => Some(Formulas::TRUE),
        Operator::False if count == 0 => Some(Formulas::FALSE),
        Operator::Deadlock if count == 0 => {
            let atom = names.deadlock();
            Some(
                properties
                    .atom(atom)
                    .map_err(|message| xml.error(span.clone(), message))?,
            )
        }
        Operator::True | Operator::False | Operator::Deadlock => return expected("none"),
        Operator::Formula | Operator::Group | Operator::Before | Operator::Reach => {
            unary(store, |_, f| f)
        }
        Operator::Not => unary(store, Formulas::not),
        Operator::Next => unary(store, Formulas::next),
        Operator::Finally => unary(store, Formulas::finally),
        Operator::Globally => unary(store, Formulas::globally),
        Operator::Until => binary(store, Formulas::until),
        Operator::Xor => binary(store, Formulas::xor),
        Operator::Implies => binary(store, Formulas::implies),
        Operator::Iff => binary(store, Formulas::iff),
        Operator::And if all_paths && count > 0 => Some(store.and(paths)),
        Operator::Or if all_paths && count > 0 => Some(store.or(paths)),
        Operator::And | Operator::Or => return expected("formulas"),
        Operator::Compare(comparison) => {
            let [left, right] = &mut numbers[..] else {
                return expected("two numbers");
            };
            if count != 2 {
                return expected("two numbers");
            }
            let atom = names
                .compare_sums(std::mem::take(left), comparison, std::mem::take(right))
                .ok_or_else(|| xml.error(span.clone(), "the numbers are too large"))?;
            Some(
                properties
                    .atom(atom)
                    .map_err(|message| xml.error(span.clone(), message))?,
            )
        }
        Operator::Tokens => {
            if numbers.is_empty() || numbers.len() != count {
                return expected("places");
            }
            let vars = numbers.into_iter().flat_map(|(vars, _)| vars).collect();
            return Ok(Part::Number(vars, 0));
        }
        Operator::Fireable => {
            // A transition that can never fire stands for no event.
            if count == 0 || !paths.is_empty() || !numbers.is_empty() {
                return expected("transitions");
            }
            let atom = names.fireable(events);
            Some(
                properties
                    .atom(atom)
                    .map_err(|message| xml.error(span.clone(), message))?,
            )
        }
        // Leaves are never open.
        Operator::Constant | Operator::Place | Operator::Transition => None,
    };
    match formula {
        Some(formula) => Ok(Part::Path(formula)),
        None => match operator {
            Operator::Until | Operator::Xor | Operator::Implies | Operator::Iff => {
                expected("two formulas")
            }
            _ => expected("one formula"),
        },
    }
}
