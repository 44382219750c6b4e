//! Coloured nets in PNML: the elements of `<net>` and its pages.
//!
//! One pass over the text collects places, transitions, arcs and declarations; afterwards
//! declarations are resolved ([`super::declare`]), then terms and guards ([`super::terms`]). Memory
//! beyond the net itself is proportional to the text.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::declare::Declarations;
use super::raw::{RawElement, children, structure};
use crate::pnml::dialect::{self, ArcKind};
use crate::pnml::label::{NodeNotes, alike, child, dangling, elements, foreign, used_twice};
use crate::xml::{Attribute, Element, Xml, XmlResult};
use lariat_model::coloured::{
    ColouredNet, ColouredPlace, ColouredTransition, Inscription, PlaceId, SortKind, Term, TermKind,
    TransitionGuard, TransitionId,
};
use lariat_model::{InputError, NodeKind};

/// The meaning of an id.
#[derive(Clone)]
enum ColouredNode<'a> {
    Place(PlaceId),
    Transition(TransitionId),
    /// An alias of another id.
    Reference(Cow<'a, str>),
}

struct RawPlace<'a> {
    name: String,
    span: Range<usize>,
    sort: Option<RawElement<'a>>,
    initial: Option<RawElement<'a>>,
}

struct RawTransition<'a> {
    name: String,
    guard: Option<RawElement<'a>>,
}

struct RawArc<'a> {
    source: Attribute<'a>,
    target: Attribute<'a>,
    span: Range<usize>,
    term: Option<RawElement<'a>>,
}

#[derive(Default)]
struct Reader<'a> {
    nodes: FxHashMap<Cow<'a, str>, ColouredNode<'a>>,
    places: Vec<RawPlace<'a>>,
    transitions: Vec<RawTransition<'a>>,
    arcs: Vec<RawArc<'a>>,
    declarations: Vec<RawElement<'a>>,
    notes: NodeNotes,
}

/// Reads the rest of a `<net>` of coloured type.
pub(crate) fn read<'a>(
    xml: &mut Xml<'a>,
    mut name: String,
    notes: &mut NodeNotes,
) -> XmlResult<ColouredNet> {
    let mut reader = Reader::default();
    let expected = "declaration, page, place, transition, arc, referencePlace, referenceTransition, name, graphics or toolspecific";
    elements(xml, &mut name, expected, |xml, element| {
        match element.name {
            "place" => reader.place(xml, element)?,
            "transition" => reader.transition(xml, element)?,
            "arc" => reader.arc(xml, element)?,
            "referencePlace" | "referenceTransition" => reader.reference(xml, element)?,
            "declaration" => reader.declaration(xml)?,
            "toolspecific" => xml.skip()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    *notes = std::mem::take(&mut reader.notes);
    reader.finish(xml, name)
}

impl<'a> Reader<'a> {
    fn define(
        &mut self,
        element: &Element<'a>,
        id: Attribute<'a>,
        node: ColouredNode<'a>,
    ) -> XmlResult<()> {
        if id.value.is_empty() {
            return Err(element.error(format!("<{}> with an empty id", element.name)));
        }
        match self.nodes.entry(id.value.clone()) {
            Entry::Vacant(slot) => {
                slot.insert(node);
                Ok(())
            }
            Entry::Occupied(known) => Err(used_twice(&id, known.key())),
        }
    }

    fn place(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::COLOURED)?;
        let id = element.attribute("id")?;
        let name = id.value.clone().into_owned();
        let node = ColouredNode::Place(PlaceId(self.places.len() as u32));
        self.define(element, id, node)?;
        let (mut sort, mut initial) = (None, None);
        while let Some(child) = child(xml)? {
            match child.name {
                "type" => sort = structure(xml, &child)?,
                "hlinitialMarking" => initial = structure(xml, &child)?,
                "initialMarking" => {
                    return Err(foreign(&child, "place/transition nets", "coloured"));
                }
                "capacity" => return Err(child.error("place capacities are not supported")),
                "graphics" => self.notes.position(xml, &name)?,
                "name" => self.notes.label(xml, NodeKind::Place, &name)?,
                other if dialect::is_prose(other) => xml.skip()?,
                _ => {
                    let expected = "type, hlinitialMarking, name, graphics or toolspecific";
                    return Err(dialect::unknown(&child, "a coloured place", expected));
                }
            }
        }
        self.places.push(RawPlace {
            name,
            span: element.span.clone(),
            sort,
            initial,
        });
        Ok(())
    }

    fn transition(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::COLOURED)?;
        let id = element.attribute("id")?;
        let name = id.value.clone().into_owned();
        let node = ColouredNode::Transition(TransitionId(self.transitions.len() as u32));
        self.define(element, id, node)?;
        let mut guard = None;
        while let Some(child) = child(xml)? {
            match child.name {
                "condition" => guard = structure(xml, &child)?,
                "priority" => return Err(child.error("transition priorities are not supported")),
                "graphics" => self.notes.position(xml, &name)?,
                "name" => self.notes.label(xml, NodeKind::Transition, &name)?,
                other if dialect::is_prose(other) => xml.skip()?,
                _ => {
                    let expected = "condition, name, graphics or toolspecific";
                    return Err(dialect::unknown(&child, "a coloured transition", expected));
                }
            }
        }
        self.transitions.push(RawTransition { name, guard });
        Ok(())
    }

    fn arc(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::COLOURED)?;
        let [source, target] = element.attributes(["source", "target"])?;
        let source = element.required("source", source)?;
        let target = element.required("target", target)?;
        let mut term = None;
        while let Some(child) = child(xml)? {
            match child.name {
                "hlinscription" => term = structure(xml, &child)?,
                "inscription" => return Err(foreign(&child, "place/transition nets", "coloured")),
                "type" | "arctype" | "arcType" => {
                    if dialect::kind_in(xml, &child)? != ArcKind::Normal {
                        let message =
                            "inhibitor, read and reset arcs of coloured nets are not supported";
                        return Err(child.error(message));
                    }
                }
                other if dialect::is_arc_prose(other) => xml.skip()?,
                _ => {
                    let expected = "hlinscription, name, graphics or toolspecific";
                    return Err(dialect::unknown(&child, "an arc", expected));
                }
            }
        }
        self.arcs.push(RawArc {
            source,
            target,
            span: element.span.clone(),
            term,
        });
        Ok(())
    }

    fn reference(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        element.only(dialect::REFERENCE)?;
        let [id, to] = element.attributes(["id", "ref"])?;
        let id = element.required("id", id)?;
        let to = element.required("ref", to)?;
        self.define(element, id, ColouredNode::Reference(to.value))?;
        dialect::end_of_reference(xml)
    }

    /// Reads `<declaration><structure><declarations>`; some files omit the innermost element.
    fn declaration(&mut self, xml: &mut Xml<'a>) -> XmlResult<()> {
        for outer in children(xml)? {
            if outer.name() != "structure" {
                continue;
            }
            for inner in outer.children {
                match inner.name() {
                    "declarations" => self.declarations.extend(inner.children),
                    _ => self.declarations.push(inner),
                }
            }
        }
        Ok(())
    }

    /// The meaning of `id` after following reference nodes.
    fn resolve(&self, id: &str) -> Option<&ColouredNode<'a>> {
        let mut node = self.nodes.get(id);
        for _ in 0..=self.nodes.len() {
            match node {
                Some(ColouredNode::Reference(to)) => node = self.nodes.get(to),
                node => return node,
            }
        }
        None
    }

    fn finish(mut self, xml: &Xml<'a>, name: String) -> XmlResult<ColouredNet> {
        self.refuse_ambiguous(xml)?;
        let mut declared = Declarations::new(&std::mem::take(&mut self.declarations))?;
        let mut places = Vec::with_capacity(self.places.len());
        for place in std::mem::take(&mut self.places) {
            places.push(finish_place(xml, &mut declared, place)?);
        }
        let mut transitions = Vec::with_capacity(self.transitions.len());
        for transition in std::mem::take(&mut self.transitions) {
            let guard = match &transition.guard {
                Some(guard) => declared.guard(guard)?,
                None => TransitionGuard::And(Vec::new()),
            };
            transitions.push(ColouredTransition {
                name: transition.name,
                guard,
                inputs: Vec::new(),
                outputs: Vec::new(),
                variables: Vec::new(),
            });
        }
        for arc in std::mem::take(&mut self.arcs) {
            let ends = (
                self.resolve(&arc.source.value),
                self.resolve(&arc.target.value),
            );
            let (transition, place, out) = match ends {
                (Some(ColouredNode::Place(place)), Some(ColouredNode::Transition(t))) => {
                    (*t, *place, false)
                }
                (Some(ColouredNode::Transition(t)), Some(ColouredNode::Place(place))) => {
                    (*t, *place, true)
                }
                (source, target) => return Err(misplaced(xml, &arc, source, target)),
            };
            let sort = places[place.index()].sort;
            let term = match &arc.term {
                Some(term) => declared.term(term, Some(sort))?,
                None if declared.net.sort(sort).kind == SortKind::Dot => Term {
                    sort,
                    kind: TermKind::All,
                },
                None => {
                    return Err(xml.error(
                        arc.span,
                        format!(
                            "an arc without an inscription: expected a term of sort `{}`",
                            declared.net.sort(sort).name
                        ),
                    ));
                }
            };
            let transition = &mut transitions[transition.index()];
            let arcs = if out {
                &mut transition.outputs
            } else {
                &mut transition.inputs
            };
            arcs.push(Inscription { place, term });
        }
        for transition in &mut transitions {
            let mut variables = Vec::new();
            transition.guard.collect_variables(&mut variables);
            for arc in transition.inputs.iter().chain(&transition.outputs) {
                arc.term.collect_variables(&mut variables);
            }
            variables.sort_unstable();
            variables.dedup();
            transition.variables = variables;
        }
        Ok(ColouredNet {
            name,
            places,
            transitions,
            ..declared.net
        })
    }

    /// Rejects ids such as `p(1)` beside `p`, which would be ambiguous with a colour of `p`.
    fn refuse_ambiguous(&self, xml: &Xml<'a>) -> XmlResult<()> {
        let clash = |id: &str| {
            // Names of colours and bindings contain no parentheses.
            let outer = id.rfind('(').map(|at| &id[..at]);
            id.ends_with(')') && outer.is_some_and(|outer| self.nodes.contains_key(outer))
        };
        match self.nodes.keys().filter(|id| clash(id)).min() {
            None => Ok(()),
            Some(id) => {
                let place = self.places.iter().find(|place| place.name == **id);
                let span = place.map_or(0..1, |place| place.span.clone());
                Err(xml.error(
                    span,
                    format!("the id `{id}` looks like a colour of another place or a binding of another transition"),
                ))
            }
        }
    }
}

fn finish_place<'a>(
    xml: &Xml<'a>,
    declared: &mut Declarations<'a>,
    place: RawPlace<'a>,
) -> XmlResult<ColouredPlace> {
    let Some(sort) = &place.sort else {
        return Err(xml
            .error(
                place.span,
                format!("the place `{}` has no sort", place.name),
            )
            .help("expected <type><structure> and a sort"));
    };
    let sort = declared.sort(sort)?;
    let mut initial = None;
    if let Some(raw) = &place.initial {
        let term = declared.term(raw, Some(sort))?;
        let mut variables = Vec::new();
        term.collect_variables(&mut variables);
        if let Some(variable) = variables.first() {
            let name = &declared.net.variable(*variable).name;
            let message = "in an initial marking: expected constants";
            return Err(raw.error(format!("the variable `{name}` {message}")));
        }
        initial = Some(term);
    }
    Ok(ColouredPlace {
        name: place.name,
        sort,
        initial,
    })
}

fn misplaced(
    xml: &Xml<'_>,
    arc: &RawArc<'_>,
    source: Option<&ColouredNode<'_>>,
    target: Option<&ColouredNode<'_>>,
) -> InputError {
    let (from, to) = (&arc.source.value, &arc.target.value);
    match (source, target) {
        (None, _) => arc.source.error(dangling("starts at", from)),
        (_, None) => arc.target.error(dangling("leads to", to)),
        (Some(ColouredNode::Place(_)), _) => xml.error(arc.span.clone(), alike("places", from, to)),
        _ => xml.error(arc.span.clone(), alike("transitions", from, to)),
    }
}
