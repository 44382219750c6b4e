//! The elements and attributes of nets that carry no behaviour, and those of other tools that do.
//!
//! Every element and attribute of a net is understood, in a closed list of those that carry no
//! behaviour, or an error with its name and line. The lists contain what PNML, PIPE and TAPAAL
//! write. Constructs of timed and stochastic nets are accepted where they have no effect: an
//! interval `[0, ∞)`, an age invariant `< ∞`, a rate if no immediate transition takes precedence.

use std::ops::Range;

use super::label::{child, label, number};
use crate::xml::{Attribute, Element, Xml, XmlResult};
use lariat_model::{InputError, Value};

/// Attributes of a net that are read elsewhere or carry no behaviour.
pub(crate) const NET: &[&str] = &["id", "type", "name", "active"];
/// Attributes of `<page>`.
pub(crate) const PAGE: &[&str] = &["id", "name"];
/// Attributes of reference nodes.
pub(crate) const REFERENCE: &[&str] = &["id", "ref", "name"];
/// Attributes of places.
pub(super) const PLACE: &[&str] = &[
    "id",
    "name",
    "initialMarking",
    "invariant",
    "displayName",
    "nameOffsetX",
    "nameOffsetY",
    "positionX",
    "positionY",
];
/// Attributes of transitions.
pub(super) const TRANSITION: &[&str] = &[
    "id",
    "name",
    "priority",
    "urgent",
    "player",
    "distribution",
    "value",
    "weight",
    "firingMode",
    "infiniteServer",
    "angle",
    "displayName",
    "nameOffsetX",
    "nameOffsetY",
    "positionX",
    "positionY",
];
/// Attributes of arcs.
pub(super) const ARC: &[&str] = &[
    "id",
    "source",
    "target",
    "type",
    "weight",
    "inscription",
    "name",
    "nameOffsetX",
    "nameOffsetY",
    "positionX",
    "positionY",
];
/// Attributes of nodes and arcs of coloured nets.
pub(crate) const COLOURED: &[&str] = &["id", "name", "source", "target"];

/// Returns whether an element of a place, transition or arc carries no behaviour, besides `name`
/// and `graphics`.
pub(crate) fn is_prose(name: &str) -> bool {
    let prose = [
        "toolspecific",
        "comment",
        "comments",
        "description",
        "documentation",
    ];
    prose.contains(&name)
}

/// Returns whether an element of an arc carries no behaviour.
pub(crate) fn is_arc_prose(name: &str) -> bool {
    // PIPE: the path, and the arc of a tagged token in analyses of response times.
    ["name", "graphics", "arcpath", "tagged"].contains(&name) || is_prose(name)
}

/// The error about an element that may change the behaviour.
pub(crate) fn unknown(element: &Element<'_>, of: &str, expected: &str) -> InputError {
    let name = element.name;
    if is_timed(name) {
        return timed(element.error(format!("<{name}> belongs to timed nets")));
    }
    element
        .error(format!("unknown element <{name}> of {of}"))
        .help(format!("expected {expected}"))
}

fn is_timed(name: &str) -> bool {
    let names = [
        "delay",
        "interval",
        "time",
        "timing",
        "deadline",
        "clock",
        "invariant",
        "duration",
        "guard",
        "age",
        "urgent",
        "firingtime",
    ];
    names.contains(&name.to_ascii_lowercase().as_str())
}

fn timed(error: InputError) -> InputError {
    error.help("time is not supported: without it, the net has other runs")
}

/// Checks the elements of `<pnml>` besides the net.
pub(super) fn outside_of_net<'a>(xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
    match element.name {
        // Queries, bounds and constants of TAPAAL; constants in weights are refused there.
        "name" | "graphics" | "text" | "toolspecific" | "query" | "queries" | "k-bound"
        | "bound" | "constant" => {}
        "feature" => {
            let [game] = element.attributes(["isGame"])?;
            if let Some(game) = game.filter(|game| game.value == "true") {
                return Err(game.error("games are not supported"));
            }
        }
        "shared-place" | "shared-transition" => {
            let name = element.name;
            return Err(element.error(format!(
                "<{name}> joins several nets, which is not supported: save the composed net"
            )));
        }
        _ => return Err(unknown(element, "<pnml>", "one <net>")),
    }
    xml.skip()
}

/// Reads the rest of a reference node.
pub(crate) fn end_of_reference(xml: &mut Xml<'_>) -> XmlResult<()> {
    while let Some(child) = child(xml)? {
        if !["name", "graphics"].contains(&child.name) && !is_prose(child.name) {
            return Err(unknown(
                &child,
                "a reference node",
                "name, graphics or toolspecific",
            ));
        }
        xml.skip()?;
    }
    Ok(())
}

/// Checks an element of a net that only PIPE writes: classes of tokens, and definitions of rates.
/// Returns whether it is one.
pub(super) fn token_class<'a>(xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<bool> {
    match element.name {
        "token" => {
            let [id] = element.attributes(["id"])?;
            if let Some(id) = id.filter(|id| id.value != DEFAULT_CLASS) {
                let message = format!("the class of tokens `{}` is not supported", id.value);
                return Err(id.error(message).help("expected the class `Default` only"));
            }
        }
        "definition" => {}
        _ => return Ok(false),
    }
    xml.skip()?;
    Ok(true)
}

const DEFAULT_CLASS: &str = "Default";

/// A number of tokens, after the name of PIPE's only class of tokens: `3` or `Default,3`.
pub(super) fn tokens(
    xml: &Xml<'_>,
    text: &str,
    span: Range<usize>,
    what: &str,
) -> XmlResult<Value> {
    match text.split_once(',') {
        None => number(xml, text, span, what),
        Some((DEFAULT_CLASS, count)) if !count.contains(',') => {
            number(xml, count.trim(), span, what)
        }
        Some(_) => Err(xml
            .error(span, "several classes of tokens are not supported")
            .help("expected a number, or `Default,` and a number")),
    }
}

/// The number in an attribute.
pub(super) fn number_in(xml: &Xml<'_>, attribute: &Attribute<'_>, what: &str) -> XmlResult<Value> {
    number(xml, attribute.value.trim(), attribute.span(), what)
}

/// The capacity in the rest of `<capacity>`; `None` if it is unlimited, which PIPE writes as 0.
pub(super) fn capacity(xml: &mut Xml<'_>) -> XmlResult<Option<Value>> {
    let Some(found) = label(xml)? else {
        return Ok(None);
    };
    let limit = tokens(xml, &found.text, found.span, "a capacity")?;
    Ok((limit != 0 || !found.is_value).then_some(limit))
}

/// Checks that an age invariant is `< inf`.
pub(super) fn check_invariant(attribute: Option<&Attribute<'_>>) -> XmlResult<()> {
    let Some(attribute) = attribute else {
        return Ok(());
    };
    let text: String = attribute.value.split_whitespace().collect();
    if text.is_empty() || ["<inf", "<∞", "<oo"].contains(&&*text) {
        return Ok(());
    }
    let message = format!(
        "the age invariant `{}` belongs to timed nets",
        attribute.value
    );
    Err(timed(attribute.error(message)))
}

/// Returns whether an inscription is the interval of all ages; other intervals are errors.
pub(super) fn is_any_age(attribute: &Attribute<'_>) -> XmlResult<bool> {
    let text: String = attribute.value.split_whitespace().collect();
    if !text.starts_with(['[', '(', ']']) {
        return Ok(false);
    }
    if ["[0,inf)", "[0,inf[", "[0,∞)"].contains(&&*text) {
        return Ok(true);
    }
    let message = format!("the interval `{}` belongs to timed nets", attribute.value);
    Err(timed(attribute.error(message)))
}

/// Checks the attributes of a transition that change the behaviour of timed nets and games.
pub(super) fn check_transition(element: &Element<'_>) -> XmlResult<()> {
    let names = ["urgent", "player", "distribution"];
    let [urgent, player, distribution] = element.attributes(names)?;
    if let Some(urgent) = urgent.filter(|urgent| urgent.value != "false") {
        return Err(timed(
            urgent.error("urgent transitions belong to timed nets"),
        ));
    }
    if let Some(player) = player.filter(|player| player.value != "0") {
        return Err(player.error("games are not supported"));
    }
    // TAPAAL writes the constant distribution for nets without delays, too.
    let is_harmless = |text: &str| ["constant", "exponential"].contains(&text);
    if let Some(other) = distribution.filter(|given| !is_harmless(&given.value)) {
        let message = format!("the distribution `{}` belongs to timed nets", other.value);
        return Err(timed(other.error(message)));
    }
    Ok(())
}

/// Values that matter only if transitions differ in them: priorities, and whether a transition is
/// timed, since immediate ones take precedence.
#[derive(Default)]
pub(super) struct Precedence {
    given: [Vec<Option<LocatedValue>>; 2],
}

/// The precedence of one transition: its priority, and whether it is timed.
pub(super) type TransitionPrecedence = [Option<LocatedValue>; 2];

/// The text of a value, and its bytes in the file.
type LocatedValue = (String, Range<usize>);

/// Reads a child of a transition that sets its precedence; returns whether it is one.
pub(super) fn precedence(
    xml: &mut Xml<'_>,
    name: &str,
    given: &mut TransitionPrecedence,
) -> XmlResult<bool> {
    let at = match name {
        "priority" => 0,
        "timed" => 1,
        _ => return Ok(false),
    };
    if let Some(found) = label(xml)? {
        given[at] = Some((found.text.into_owned(), found.span));
    }
    Ok(true)
}

impl Precedence {
    /// Adds a transition.
    pub fn add(&mut self, given: TransitionPrecedence) {
        for (all, given) in self.given.iter_mut().zip(given) {
            all.push(given);
        }
    }

    /// Checks that all transitions have equal precedence.
    pub fn check(&self, xml: &Xml<'_>) -> XmlResult<()> {
        let what = ["priorities", "timed and immediate transitions"];
        for (all, what) in self.given.iter().zip(what) {
            let text = |given: &Option<(String, Range<usize>)>| {
                given.as_ref().map(|(text, _)| text.trim().to_owned())
            };
            let first = all.first().map(text);
            let other = all.iter().find(|given| Some(text(given)) != first);
            let given = all.iter().flatten().next();
            if let (Some(_), Some((_, span))) = (other, other.and_then(|o| o.as_ref()).or(given)) {
                let message = format!("{what} are not supported: some transitions take precedence");
                return Err(xml.error(span.clone(), message));
            }
        }
        Ok(())
    }
}

/// The kinds of arcs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArcKind {
    Normal,
    /// The place must hold less than the weight.
    Inhibitor,
    /// The place must hold the weight, which is not consumed.
    Read,
    /// The place is emptied.
    Reset,
}

/// The kind that a type names, in the spellings of the tools.
pub(super) fn arc_kind(text: &str) -> Option<ArcKind> {
    match text.trim().to_ascii_lowercase().as_str() {
        "" | "normal" | "timed" => Some(ArcKind::Normal),
        "inhibitor" | "tapninhibitor" => Some(ArcKind::Inhibitor),
        "read" | "test" => Some(ArcKind::Read),
        "reset" => Some(ArcKind::Reset),
        _ => None,
    }
}

/// The error about an unknown type of arcs.
pub(super) fn unknown_kind(error: InputError) -> InputError {
    error.help("expected normal, inhibitor, read, test or reset")
}

/// Reads `<type value="…"/>` or `<type><text>…` of an arc.
pub(crate) fn kind_in<'a>(xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<ArcKind> {
    element.only(&["value", "id"])?;
    let [value] = element.attributes(["value"])?;
    let text = match value {
        Some(value) => {
            if let Some(inner) = child(xml)? {
                return Err(unknown(&inner, "the type of an arc", "a value"));
            }
            value.value
        }
        None => label(xml)?.map_or("normal".into(), |found| found.text),
    };
    arc_kind(&text).ok_or_else(|| {
        unknown_kind(element.error(format!("arcs of type `{text}` are not supported")))
    })
}
