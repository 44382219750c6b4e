//! PNML: reader for place/transition nets; coloured nets are delegated to `coloured`.
//!
//! One pass over the text. Elements occur in any order — arcs before their nodes, nested pages,
//! declarations after use — so ids are interned at first occurrence and resolved at the end, when
//! each transition's arcs are summed to (need, delta). A place is named by its id, as in the
//! contest's formulas. A `<name>`, which is often missing, not unique, or prose, is stored
//! separately ([`Labels`](lariat_model::Labels)) if it differs from the id.
//!
//! Node coordinates are stored separately. Other graphics, prose and tool-specific sections are
//! skipped; unsupported elements that change the semantics (such as inhibitor arcs) are rejected.
//! Text between elements is skipped with one warning. The `nupn` section (nested units, Garavel,
//! PETRI NETS 2019) becomes [`System::units`]; its claim that the net is 1-safe becomes the bound
//! of every place.
//!
//! Memory beyond the system itself: one table entry per node and 24 bytes per arc; ids are borrowed
//! from the text until the system owns them.

pub(crate) mod label;
mod nupn;
mod safe;
mod write;

pub use label::{Coordinates, Positions};
pub use write::{write, write_named};

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use self::label::{
    NodeNotes, alike, child, dangling, elements, foreign, label, number, used_twice,
};
use self::nupn::Nupn;

use crate::coloured;
use crate::xml::{self, Attribute, Element, Item, Xml, XmlResult, XmlSource};
use lariat_model::coloured::ColouredNet;
use lariat_model::{
    Action, Arc, Domain, Event, InputError, Label, NodeKind, System, Value, VarId, Variable,
};

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
            Item::Open(_) => xml.skip()?,
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

struct RawArc {
    source: PnmlId,
    target: PnmlId,
    weight: Value,
    /// Start of its tag.
    at: usize,
}

#[derive(Default)]
struct PnmlNet<'a> {
    ids: FxHashMap<Cow<'a, str>, PnmlId>,
    nodes: Vec<PnmlNode>,
    places: Vec<Variable>,
    marking: Vec<Value>,
    transitions: Vec<String>,
    arcs: Vec<RawArc>,
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
                _ => return Ok(false),
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
        let id = element.attribute("id")?;
        let name = id.value.clone().into_owned();
        let node = PnmlNode::Place(VarId(self.places.len() as u32));
        self.define(element, id, node)?;
        let mut tokens = 0;
        while let Some(child) = child(xml)? {
            match child.name {
                "initialMarking" => {
                    if let Some((text, span)) = label(xml)? {
                        tokens = number(xml, &text, span, "a number of tokens")?;
                    }
                }
                "hlinitialMarking" | "type" => return Err(coloured_label(&child)),
                "capacity" => return Err(child.error("place capacities are not supported")),
                "graphics" => self.notes.position(xml, &name)?,
                "name" => self.notes.label(xml, NodeKind::Place, &name)?,
                _ => xml.skip()?,
            }
        }
        self.places.push(Variable {
            name,
            domain: Domain::Count { bound: None },
        });
        self.marking.push(tokens);
        Ok(())
    }

    fn transition(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        let id = element.attribute("id")?;
        let name = id.value.clone().into_owned();
        let node = PnmlNode::Transition(self.transitions.len() as u32);
        self.define(element, id, node)?;
        while let Some(child) = child(xml)? {
            match child.name {
                "condition" => return Err(coloured_label(&child)),
                "priority" => return Err(child.error("transition priorities are not supported")),
                "graphics" => self.notes.position(xml, &name)?,
                "name" => self.notes.label(xml, NodeKind::Transition, &name)?,
                _ => xml.skip()?,
            }
        }
        self.transitions.push(name);
        Ok(())
    }

    fn arc(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        let [source, target] = element.attributes(["source", "target"])?;
        let source = element.required("source", source)?;
        let target = element.required("target", target)?;
        let mut weight = 1;
        while let Some(child) = child(xml)? {
            match child.name {
                "inscription" => {
                    if let Some((text, span)) = label(xml)? {
                        weight = number(xml, &text, span, "a weight")?;
                    }
                }
                "hlinscription" => return Err(coloured_label(&child)),
                // Written by some editors; any value but `normal` changes the semantics.
                "type" | "arctype" => {
                    let [value] = child.attributes(["value"])?;
                    let kind = match value {
                        Some(value) => {
                            xml.skip()?;
                            value.value
                        }
                        None => label(xml)?.map_or(Cow::Borrowed("normal"), |(text, _)| text),
                    };
                    if kind != "normal" {
                        let expected = "expected ordinary arcs";
                        let message =
                            format!("arcs of type `{kind}` are not supported: {expected}");
                        return Err(child.error(message));
                    }
                }
                "name" | "graphics" | "toolspecific" | "arcpath" | "tagged" => xml.skip()?,
                other => {
                    return Err(child
                        .error(format!("unknown element <{other}> of an arc"))
                        .help("expected inscription, name, graphics or toolspecific"));
                }
            }
        }
        let (source, target) = (self.intern(source.value), self.intern(target.value));
        let at = element.span.start;
        self.arcs.push(RawArc {
            source,
            target,
            weight,
            at,
        });
        Ok(())
    }

    fn reference(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        let [id, to] = element.attributes(["id", "ref"])?;
        let id = element.required("id", id)?;
        let to = element.required("ref", to)?;
        let to = self.intern(to.value);
        self.define(element, id, PnmlNode::Reference(to))?;
        xml.skip()
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
        let arcs = self.sum_arcs(xml)?;
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
        let events = self.transitions.into_iter().zip(arcs);
        let mut system = System {
            name,
            variables: self.places,
            events: events
                .map(|(name, arcs)| Event {
                    name,
                    action: Action::Net(arcs),
                })
                .collect(),
            initial: vec![self.marking.into()],
            units,
            ..System::default()
        };
        // The claim of the file is used for the places where it is proved.
        if is_said_safe {
            let proved = safe::proved_safe(&system);
            for (place, is_safe) in system.variables.iter_mut().zip(proved) {
                if is_safe {
                    place.domain = Domain::Count { bound: Some(1) };
                }
            }
        }
        Ok(system)
    }

    /// The arcs of every transition, with parallel arcs added up.
    fn sum_arcs(&mut self, xml: &Xml<'a>) -> XmlResult<Vec<Vec<Arc>>> {
        /// An arc between a transition and a place; `out` if the transition is the source.
        struct Joined {
            transition: u32,
            place: VarId,
            out: bool,
            weight: Value,
            at: usize,
        }
        let mut joined = Vec::with_capacity(self.arcs.len());
        for arc in std::mem::take(&mut self.arcs) {
            let (transition, place, out) =
                match (self.resolve(arc.source), self.resolve(arc.target)) {
                    (PnmlNode::Place(place), PnmlNode::Transition(t)) => (t, place, false),
                    (PnmlNode::Transition(t), PnmlNode::Place(place)) => (t, place, true),
                    (source, target) => return Err(self.misplaced(xml, &arc, source, target)),
                };
            joined.push(Joined {
                transition,
                place,
                out,
                weight: arc.weight,
                at: arc.at,
            });
        }
        joined.sort_by_key(|arc| (arc.transition, arc.place));
        let mut all: Vec<Vec<Arc>> = Vec::with_capacity(self.transitions.len());
        all.resize_with(self.transitions.len(), Vec::new);
        for of_transition in joined.chunk_by(|a, b| a.transition == b.transition) {
            let groups = of_transition.chunk_by(|a, b| a.place == b.place);
            let mut arcs = Vec::with_capacity(groups.clone().count());
            for group in groups {
                let (mut need, mut made): (Value, Value) = (0, 0);
                for arc in group {
                    let sum = if arc.out { &mut made } else { &mut need };
                    *sum = sum.checked_add(arc.weight).ok_or_else(|| {
                        xml.error(
                            tag(arc.at),
                            "the weights of the arcs between these two nodes add up to more than 2^63",
                        )
                    })?;
                }
                if need != 0 || made != 0 {
                    arcs.push(Arc {
                        var: group[0].place,
                        need,
                        delta: made - need,
                    });
                }
            }
            all[of_transition[0].transition as usize] = arcs;
        }
        Ok(all)
    }

    fn misplaced(
        &self,
        xml: &Xml<'a>,
        arc: &RawArc,
        source: PnmlNode,
        target: PnmlNode,
    ) -> InputError {
        let (from, to) = (self.name(arc.source), self.name(arc.target));
        let message = match (source, target) {
            (PnmlNode::Unknown, _) => dangling("starts at", from),
            (_, PnmlNode::Unknown) => dangling("leads to", to),
            (PnmlNode::Place(_), _) => alike("places", from, to),
            _ => alike("transitions", from, to),
        };
        xml.error(tag(arc.at), message)
    }
}

/// A span for an error at a tag of which only the start is known.
fn tag(at: usize) -> Range<usize> {
    at..at + 4
}

fn coloured_label(element: &Element<'_>) -> InputError {
    foreign(element, "coloured nets", "a place/transition net")
}
