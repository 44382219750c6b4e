//! The `nupn` section of a net: nested units (Garavel, PETRI NETS 2015 and 2019).
//!
//! Units form a tree; each place belongs to one unit. If the section says `safe`, at most one place
//! of a unit and its subunits is marked at a time; so every place holds at most one token.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::label::child;
use super::{PnmlId, PnmlNet, PnmlNode};
use crate::xml::{Element, Xml, XmlResult};
use lariat_model::{Unit, visible};

/// A unit of the `nupn` section, by ids.
struct RawUnit<'a> {
    id: Cow<'a, str>,
    places: Vec<PnmlId>,
    subunits: Vec<Cow<'a, str>>,
    span: Range<usize>,
}

pub(super) struct Nupn<'a> {
    root: Option<Cow<'a, str>>,
    pub safe: bool,
    units: Vec<RawUnit<'a>>,
    pub span: Range<usize>,
}

impl<'a> PnmlNet<'a> {
    /// Reads the rest of `<structure>`.
    pub(super) fn structure(&mut self, xml: &mut Xml<'a>, element: &Element<'a>) -> XmlResult<()> {
        let [root, safe] = element.attributes(["root", "safe"])?;
        let mut nupn = Nupn {
            root: root.map(|root| root.value),
            safe: safe.is_some_and(|safe| safe.value == "true"),
            units: Vec::new(),
            span: element.span.clone(),
        };
        while let Some(unit) = child(xml)? {
            if unit.name != "unit" {
                xml.skip()?;
                continue;
            }
            let mut raw = RawUnit {
                id: unit.attribute("id")?.value,
                places: Vec::new(),
                subunits: Vec::new(),
                span: unit.span,
            };
            while let Some(list) = child(xml)? {
                match list.name {
                    "places" => {
                        for id in words(xml.characters()?.0) {
                            raw.places.push(self.intern(id));
                        }
                    }
                    "subunits" => raw.subunits.extend(words(xml.characters()?.0)),
                    _ => xml.skip()?,
                }
            }
            nupn.units.push(raw);
        }
        self.nupn = Some(nupn);
        Ok(())
    }

    /// The tree of units, the root first. Every place belongs to at most one unit.
    pub(super) fn units(&self, xml: &Xml<'a>, nupn: &Nupn<'a>) -> XmlResult<Vec<Unit>> {
        let bad = |span: &Range<usize>, what: String| {
            xml.error(span.clone(), format!("nupn section: {what}"))
        };
        let mut positions: FxHashMap<&str, usize> = FxHashMap::default();
        let root = nupn
            .root
            .as_deref()
            .or(nupn.units.first().map(|unit| &*unit.id));
        // The root comes first, the others in file order.
        let mut order: Vec<&RawUnit<'a>> = nupn.units.iter().collect();
        order.sort_by_key(|unit| Some(&*unit.id) != root);
        for (i, unit) in order.iter().enumerate() {
            if positions.insert(&unit.id, i).is_some() {
                return Err(bad(
                    &unit.span,
                    format!("the unit `{}` occurs twice", unit.id),
                ));
            }
        }
        if root.is_some_and(|root| !positions.contains_key(root)) {
            return Err(bad(&nupn.span, "the root unit is missing".to_owned()));
        }
        let mut owned = vec![false; self.places.len()];
        let mut parents = vec![0usize; order.len()];
        let mut units = Vec::with_capacity(order.len());
        for unit in &order {
            let mut places = Vec::with_capacity(unit.places.len());
            for &id in &unit.places {
                let PnmlNode::Place(place) = self.resolve(id) else {
                    return Err(bad(&unit.span, format!("`{}` is no place", self.name(id))));
                };
                if std::mem::replace(&mut owned[place.index()], true) {
                    return Err(bad(
                        &unit.span,
                        format!("the place `{}` is in two units", self.name(id)),
                    ));
                }
                places.push(place);
            }
            let mut subunits = Vec::with_capacity(unit.subunits.len());
            for id in &unit.subunits {
                let Some(&sub) = positions.get(&**id) else {
                    return Err(bad(&unit.span, format!("there is no unit `{id}`")));
                };
                parents[sub] += 1;
                subunits.push(sub);
            }
            units.push(Unit {
                name: unit.id.clone().into_owned(),
                places,
                subunits,
            });
        }
        // A tree: the root has no parent, every other unit one, and all are reachable from the
        // root.
        let mut reached = usize::from(!units.is_empty());
        let mut open = vec![0; reached];
        let is_forest = parents
            .iter()
            .enumerate()
            .all(|(i, n)| *n == usize::from(i != 0));
        while let (true, Some(unit)) = (is_forest, open.pop()) {
            reached += units[unit].subunits.len();
            open.extend(&units[unit].subunits);
        }
        if !is_forest || reached != units.len() {
            return Err(bad(&nupn.span, "the units are not a tree".to_owned()));
        }
        Ok(units)
    }
}

/// Splits a list of ids at blanks.
fn words(list: Cow<'_, str>) -> Vec<Cow<'_, str>> {
    match list {
        Cow::Borrowed(list) => list.split_whitespace().map(visible).collect(),
        Cow::Owned(list) => list
            .split_whitespace()
            .map(|word| Cow::Owned(visible(word).into_owned()))
            .collect(),
    }
}
