//! PNML: reader for place/transition nets; coloured nets are delegated to `coloured`.
//!
//! One pass over the text. Elements occur in any order — arcs before their nodes, nested pages,
//! declarations after use — so ids are interned at first occurrence and resolved at the end, when
//! each transition's arcs are summed to (need, delta). A place is named by its id, as in the
//! contest's formulas. A `<name>`, which is often missing, not unique, or prose, is stored
//! separately ([`Labels`](lariat_model::Labels)) if it differs from the id.
//!
//! Node coordinates are stored separately. Other graphics, prose and tool-specific sections are
//! skipped; every other element and attribute is understood or rejected (`dialect.rs`). Inhibitor,
//! read and reset arcs, in the forms of PIPE and TAPAAL too, become conditions and assignments
//! ([`lariat_model::Transition`]). Text between elements is skipped with one warning. The `nupn`
//! section (nested units, Garavel, PETRI NETS 2019) becomes [`System::units`]; its claim that the
//! net is 1-safe becomes the bound of every place.
//!
//! Memory beyond the system itself: one table entry per node and 24 bytes per arc; ids are borrowed
//! from the text until the system owns them.

mod arcs;
pub(crate) mod dialect;
pub(crate) mod label;
mod nupn;
mod safe;
mod write;

pub use label::{Coordinates, Positions};
pub use write::{write, write_named};

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use self::arcs::RawArc;
use self::dialect::{ArcKind, Precedence};
use self::label::{NodeNotes, child, elements, foreign, label, used_twice};
use self::nupn::Nupn;

use crate::coloured;
use crate::xml::{self, Attribute, Element, Item, Xml, XmlResult, XmlSource};
use lariat_model::coloured::ColouredNet;
use lariat_model::{Domain, Event, InputError, Label, NodeKind, System, Value, VarId, Variable};

/// The content of a PNML file.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// The net.
    pub net: Pnml,
    /// Coordinates of places and transitions by their ids, if given.
    pub positions: Positions,
    /// Names of places and transitions that differ from the ids.
    pub labels: Vec<Label>,
    /// Warnings about skipped input.
    pub warnings: Vec<InputError>,
}

/// A net, by its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pnml {
    /// A place/transition net.
    Plain(System),
    /// A coloured net.
    Coloured(ColouredNet),
}

/// Reads a PNML file. `origin` names it in errors.
pub fn read(origin: &str, bytes: &[u8]) -> Result<Document, InputError> {
    let text = xml::decode(origin, bytes)?;
    let source = XmlSource {
        origin,
        text: &text,
    };
    let mut xml = Xml::new(&source);
    match xml.next()? {
        Item::Open(root) if root.name == "pnml" => {}
        Item::Open(root) => {
            let name = root.name;
            return Err(root.error(format!("<{name}> is not a PNML document: expected <pnml>")));
        }
        _ => {
            let message = "the file is empty: expected a PNML document";
            return Err(InputError::new(origin, message));
        }
    }
    let mut found = None;
    let mut notes = NodeNotes::default();
    loop {
        match xml.next()? {
            Item::Open(element) if element.name == "net" => {
                if found.is_some() {
                    return Err(element.error("a second <net>: expected one net a file"));
                }
                found = Some(net(&mut xml, &element, &mut notes)?);
            }
            Item::Open(element) => dialect::outside_of_net(&mut xml, &element)?,
            Item::Text(text) => xml.pass_text(&text)?,
            Item::Close => {}
            Item::End => break,
        }
    }
    let missing = || InputError::new(origin, "there is no <net> in this PNML document");
    Ok(Document {
        net: found.ok_or_else(missing)?,
        positions: notes.positions,
        labels: notes.labels,
        warnings: xml.warning().into_iter().collect(),
    })
}

/// Returns whether a net of this type is coloured; other nets are place/transition nets.
fn is_coloured(type_: Option<&Attribute<'_>>) -> XmlResult<bool> {
    let Some(type_) = type_ else {
        return Ok(false);
    };
    let name = type_.value.to_ascii_lowercase();
    let name = name.replace("p/t net", "ptnet");
    let name = name.rsplit('/').next().unwrap_or(&name);
    if name.starts_with("ptnet") {
        Ok(false)
    } else if ["symmetricnet", "hlpn", "highlevel", "pt-hlpng"]
        .iter()
        .any(|coloured| name.starts_with(coloured))
    {
        Ok(true)
    } else {
        Err(type_
            .error(format!("unknown type of net `{}`", type_.value))
            .help("expected a place/transition net, …/grammar/ptnet, or a coloured one, …/grammar/symmetricnet"))
    }
}

/// Reads the rest of `<net>` according to its type.
fn net<'a>(xml: &mut Xml<'a>, element: &Element<'a>, notes: &mut NodeNotes) -> XmlResult<Pnml> {
    element.only(dialect::NET)?;
    let [id, type_] = element.attributes(["id", "type"])?;
    let name = id.map_or(String::new(), |id| id.value.into_owned());
    if is_coloured(type_.as_ref())? {
        coloured::read(xml, name, notes).map(Pnml::Coloured)
    } else {
        let net = PnmlNet::default();
        net.read(xml, name, notes).map(Pnml::Plain)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PnmlId(u32);

/// The meaning of an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PnmlNode {
    /// Only referenced so far.
    Unknown,
    Place(VarId),
    Transition(u32),
    /// A reference node, an alias of another id.
    Reference(PnmlId),
}

#[derive(Default)]
struct PnmlNet<'a> {
    ids: FxHashMap<Cow<'a, str>, PnmlId>,
    nodes: Vec<PnmlNode>,
    places: Vec<Variable>,
    marking: Vec<Value>,
    transitions: Vec<String>,
    arcs: Vec<RawArc>,
    /// Places with a capacity.
    capacities: Vec<(VarId, Value)>,
    precedence: Precedence,
    nupn: Option<Nupn<'a>>,
    notes: NodeNotes,
}

impl<'a> PnmlNet<'a> {
    fn read(
        mut self,
        xml: &mut Xml<'a>,
        mut name: String,
        notes: &mut NodeNotes,
    ) -> XmlResult<System> {
        let expected = "page, place, transition, arc, referencePlace, referenceTransition, name, graphics or toolspecific";
        elements(xml, &mut name, expected, |xml, element| {
            match element.name {
                "place" => self.place(xml, element)?,
                "transition" => self.transition(xml, element)?,
                "arc" => self.arc(xml, element)?,
                "referencePlace" | "referenceTransition" => self.reference(xml, element)?,
                "toolspecific" => self.toolspecific(xml, element)?,
                "declaration" => return Err(coloured_label(element)),
                _ => return dialect::token_class(xml, element),
            }
            Ok(true)
        })?;
        *notes = std::mem::take(&mut self.notes);
        self.finish(xml, name)
    }

    fn intern(&mut self, id: Cow<'a, str>) -> PnmlId {
        let next = PnmlId(self.nodes.len() as u32);
        let id = *self.ids.entry(id).or_insert(next);
        if id == next {
            self.nodes.push(PnmlNode::Unknown);
        }
        id
    }

    /// Assigns a meaning to an id.
    fn define(
        &mut self,
        element: &Element<'a>,
        id: Attribute<'a>,
        node: PnmlNode,
    ) -> XmlResult<()> {
        if id.value.is_empty() {
            return Err(element.error(format!("<{}> with an empty id", element.name)));
        }
        let known = self.intern(id.value.clone());
        match &mut self.nodes[known.0 as usize] {
            slot @ PnmlNode::Unknown => {
                *slot = node;
                Ok(())
            }
            _ => Err(used_twice(&id, id.spelling())),
        }
    }

    fn place(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::PLACE)?;
        let id = element.attribute("id")?;
        let name = id.value.clone().into_owned();
        let var = VarId(self.places.len() as u32);
        self.define(element, id, PnmlNode::Place(var))?;
        self.notes.attributes(NodeKind::Place, element, &name)?;
        let [marking, invariant] = element.attributes(["initialMarking", "invariant"])?;
        dialect::check_invariant(invariant.as_ref())?;
        const TOKENS: &str = "a number of tokens";
        let number = |marking| dialect::number_in(xml, &marking, TOKENS);
        let mut tokens = marking.map(number).transpose()?;
        let mut bound = None;
        while let Some(child) = child(xml)? {
            match child.name {
                "initialMarking" => {
                    if tokens.is_some() {
                        return Err(child.error("a second initial marking"));
                    }
                    if let Some(found) = label(xml)? {
                        let number = dialect::tokens(xml, &found.text, found.span, TOKENS)?;
                        tokens = Some(number);
                    }
                }
                "hlinitialMarking" | "type" => return Err(coloured_label(&child)),
                "capacity" => {
                    if let Some(capacity) = dialect::capacity(xml)? {
                        if tokens.is_some_and(|tokens| tokens > capacity) {
                            let message = format!("`{name}` starts with more than its capacity");
                            return Err(child.error(message));
                        }
                        self.capacities.push((var, capacity));
                        bound = u64::try_from(capacity).ok();
                    }
                }
                "graphics" => self.notes.position(xml, &name)?,
                "name" => self.notes.label(xml, NodeKind::Place, &name)?,
                other if dialect::is_prose(other) => xml.skip()?,
                _ => {
                    let expected = "initialMarking, capacity, name, graphics or toolspecific";
                    return Err(dialect::unknown(&child, "a place", expected));
                }
            }
        }
        let tokens = tokens.unwrap_or(0);
        if bound.is_some_and(|bound| u64::try_from(tokens).is_ok_and(|n| n > bound)) {
            return Err(element.error(format!("`{name}` starts with more than its capacity")));
        }
        self.places.push(Variable {
            name,
            domain: Domain::Count { bound },
        });
        self.marking.push(tokens);
        Ok(())
    }

    fn transition(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::TRANSITION)?;
        dialect::check_transition(element)?;
        let id = element.attribute("id")?;
        let name = id.value.clone().into_owned();
        let node = PnmlNode::Transition(self.transitions.len() as u32);
        self.define(element, id, node)?;
        self.notes
            .attributes(NodeKind::Transition, element, &name)?;
        let [priority] = element.attributes(["priority"])?;
        let priority = priority.map(|given| (given.value.clone().into_owned(), given.span()));
        let mut precedence = [priority, None];
        while let Some(child) = child(xml)? {
            match child.name {
                "condition" => return Err(coloured_label(&child)),
                "graphics" => self.notes.position(xml, &name)?,
                "name" => self.notes.label(xml, NodeKind::Transition, &name)?,
                // PIPE: rates and servers matter for time only.
                "orientation" | "rate" | "infiniteServer" => xml.skip()?,
                other if dialect::is_prose(other) => xml.skip()?,
                other if dialect::precedence(xml, other, &mut precedence)? => {}
                _ => {
                    let expected = "name, graphics or toolspecific";
                    return Err(dialect::unknown(&child, "a transition", expected));
                }
            }
        }
        self.precedence.add(precedence);
        self.transitions.push(name);
        Ok(())
    }

    fn arc(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::ARC)?;
        let names = ["source", "target", "type", "weight", "inscription"];
        let [source, target, type_, weight, inscription] = element.attributes(names)?;
        let source = element.required("source", source)?;
        let target = element.required("target", target)?;
        const WEIGHT: &str = "a weight";
        let number = |text| dialect::number_in(xml, &text, WEIGHT);
        let mut weight = weight.map(number).transpose()?;
        if let Some(text) = inscription
            && !dialect::is_any_age(&text)?
        {
            // TAPAAL writes 1 beside the weight.
            let number = dialect::number_in(xml, &text, WEIGHT)?;
            if weight.is_some_and(|weight| number != 1 && number != weight) {
                return Err(text.error("the inscription contradicts the weight"));
            }
            weight = weight.or(Some(number));
        }
        let kind = |text: Attribute<'_>| {
            dialect::arc_kind(&text.value).ok_or_else(|| {
                let message = format!("arcs of type `{}` are not supported", text.value);
                dialect::unknown_kind(text.error(message))
            })
        };
        let mut kind = type_.map(kind).transpose()?;
        while let Some(child) = child(xml)? {
            match child.name {
                "inscription" => {
                    if let Some(found) = label(xml)? {
                        if weight.is_some() {
                            return Err(child.error("a second weight"));
                        }
                        weight = Some(dialect::tokens(xml, &found.text, found.span, WEIGHT)?);
                    }
                }
                "hlinscription" => return Err(coloured_label(&child)),
                "type" | "arctype" | "arcType" => {
                    let given = dialect::kind_in(xml, &child)?;
                    if kind.replace(given).is_some_and(|known| known != given) {
                        return Err(child.error("a second type of the arc"));
                    }
                }
                other if dialect::is_arc_prose(other) => xml.skip()?,
                _ => {
                    let expected = "inscription, type, name, graphics or toolspecific";
                    return Err(dialect::unknown(&child, "an arc", expected));
                }
            }
        }
        let (source, target) = (self.intern(source.value), self.intern(target.value));
        self.arcs.push(RawArc {
            source,
            target,
            weight: weight.unwrap_or(1),
            kind: kind.unwrap_or(ArcKind::Normal),
            at: element.span.start,
        });
        Ok(())
    }

    fn reference(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::REFERENCE)?;
        let [id, to] = element.attributes(["id", "ref"])?;
        let id = element.required("id", id)?;
        let to = element.required("ref", to)?;
        let to = self.intern(to.value);
        self.define(element, id, PnmlNode::Reference(to))?;
        dialect::end_of_reference(xml)
    }

    fn toolspecific(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        let [tool] = element.attributes(["tool"])?;
        if tool.is_none_or(|tool| tool.value != "nupn") {
            return xml.skip();
        }
        if self.nupn.is_some() {
            return Err(element.error("a second nupn section"));
        }
        while let Some(child) = child(xml)? {
            match child.name {
                "structure" => self.structure(xml, &child)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// The meaning of `id` after following reference nodes.
    fn resolve(&self, mut id: PnmlId) -> PnmlNode {
        for _ in 0..=self.nodes.len() {
            match self.nodes[id.0 as usize] {
                PnmlNode::Reference(to) => id = to,
                node => return node,
            }
        }
        PnmlNode::Unknown
    }

    /// The text of an id, by linear search; used for errors only.
    fn name(&self, id: PnmlId) -> &str {
        self.ids
            .iter()
            .find(|(_, known)| **known == id)
            .map_or("", |(name, _)| name)
    }

    fn finish(mut self, xml: &Xml<'a>, name: String) -> XmlResult<System> {
        self.precedence.check(xml)?;
        let actions = self.actions(xml)?;
        let (mut units, mut is_said_safe) = (Vec::new(), false);
        if let Some(nupn) = self.nupn.take() {
            units = self.units(xml, &nupn)?;
            if nupn.safe {
                if let Some(place) = self.marking.iter().position(|tokens| *tokens > 1) {
                    return Err(xml.error(
                        nupn.span,
                        format!(
                            "the nupn section says that the net is safe, and `{}` starts with {} tokens",
                            self.places[place].name, self.marking[place]
                        ),
                    ));
                }
                is_said_safe = true;
            }
        }
        let events = self.transitions.into_iter().zip(actions);
        let mut system = System {
            name,
            variables: self.places,
            events: events
                .map(|(name, action)| Event { name, action })
                .collect(),
            initial: vec![self.marking.into()],
            units,
            ..System::default()
        };
        // The claim of the file is used for the places where it is proved.
        if is_said_safe && system.is_net() {
            let proved = safe::proved_safe(&system);
            for (place, is_safe) in system.variables.iter_mut().zip(proved) {
                if is_safe {
                    place.domain = Domain::Count { bound: Some(1) };
                }
            }
        }
        Ok(system)
    }
}

/// A span for an error at a tag of which only the start is known.
fn tag(at: usize) -> Range<usize> {
    at..at + 4
}

fn coloured_label(element: &Element<'_>) -> InputError {
    foreign(element, "coloured nets", "a place/transition net")
}
