//! Declarations: sorts, variables, constants, partitions.
//!
//! They refer to each other in any order. All are first recorded by id; each sort is then resolved
//! on demand, and a sort requested during its own resolution is cyclic. Equal sorts are identified:
//! a range by its bounds, a product by its components, and an enumeration, whose constants are its
//! own, by its declaration.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::raw::RawElement;
use crate::xml::{Attribute, Xml};
use lariat_model::InputError;
use lariat_model::coloured::{
    Colour, ColourVariable, ColourVariableId, ColouredNet, PartitionElement, Sort, SortId,
    SortKind, SortPartition,
};
use lariat_model::suggestion;

/// Exclusive limit on the colours of a sort.
const COLOURS: u64 = 1 << 62;
/// Limit on the colours of an enumeration or a range.
const CONSTANTS: u64 = 1 << 31;
/// Limit on the leaves of a product.
const COMPONENTS: usize = 1000;
/// Limit on the nesting depth of sort declarations.
const DEPTH: usize = 200;

/// The targets of `<useroperator>`.
#[derive(Clone)]
pub(super) enum Operator {
    Constant(SortId, Colour),
    /// A class of a partition.
    Class(SortId, Vec<Colour>),
}

/// The state of a declared sort during resolution.
#[derive(Clone, Copy)]
enum State {
    /// Unresolved; the position of its declaration.
    Waiting(usize),
    Open,
    Done(SortId),
}

#[derive(Default)]
pub(super) struct Declarations<'a> {
    /// The net with only sorts, partitions and variables.
    pub net: ColouredNet,
    sorts: FxHashMap<Cow<'a, str>, State>,
    variables: FxHashMap<Cow<'a, str>, ColourVariableId>,
    operators: FxHashMap<Cow<'a, str>, Operator>,
    interned: FxHashMap<SortKind, SortId>,
}

impl<'a> Declarations<'a> {
    pub fn new(
        xml: &Xml<'a>,
        declarations: &[RawElement<'a>],
    ) -> Result<Declarations<'a>, InputError> {
        let mut all = Declarations::default();
        for (i, raw) in declarations.iter().enumerate() {
            match raw.name() {
                "namedsort" => {
                    let id = raw.attribute(xml, "id")?;
                    declare(xml, &mut all.sorts, id, State::Waiting(i))?;
                }
                "variabledecl" | "partition" => {}
                other => {
                    return Err(raw
                        .error(xml, format!("unknown declaration <{other}>"))
                        .help("expected namedsort, variabledecl or partition"));
                }
            }
        }
        for raw in declarations {
            if raw.name() == "namedsort" {
                let id = raw.attribute(xml, "id")?;
                all.named(xml, declarations, &id, 0)?;
            }
        }
        for raw in declarations {
            if raw.name() == "partition" {
                all.partition(xml, raw)?;
            }
        }
        all.declare_variables(xml, declarations)?;
        Ok(all)
    }

    /// The sort declared under an id.
    fn named(
        &mut self,
        xml: &Xml<'a>,
        declarations: &[RawElement<'a>],
        id: &Attribute<'a>,
        depth: usize,
    ) -> Result<SortId, InputError> {
        let i = match self.sorts.get(&id.value) {
            Some(State::Done(sort)) => return Ok(*sort),
            Some(State::Open) => {
                return Err(xml.error(
                    id.span.clone(),
                    format!("the sort `{}` is declared in terms of itself", id.value),
                ));
            }
            None => return Err(self.no_sort(xml, id)),
            Some(State::Waiting(i)) => *i,
        };
        let raw = &declarations[i];
        if depth > DEPTH {
            return Err(raw.error(
                xml,
                format!("declarations of sorts are nested more than {DEPTH} deep"),
            ));
        }
        self.sorts.insert(id.value.clone(), State::Open);
        let [name] = xml.attributes(&raw.element, ["name"])?;
        let name = name.map_or(id.value.clone(), |name| name.value);
        let inside = raw.only(xml)?;
        let sort = match inside.name() {
            "cyclicenumeration" => self.enumeration(xml, inside, &name, true)?,
            "finiteenumeration" => self.enumeration(xml, inside, &name, false)?,
            _ => self.resolve(xml, Some(declarations), inside, Some(&name), depth + 1)?,
        };
        self.sorts.insert(id.value.clone(), State::Done(sort));
        Ok(sort)
    }

    /// The sort denoted by an element of a place, variable or term.
    pub fn sort(&mut self, xml: &Xml<'a>, raw: &RawElement<'a>) -> Result<SortId, InputError> {
        self.resolve(xml, None, raw, None, 0)
    }

    fn resolve(
        &mut self,
        xml: &Xml<'a>,
        declarations: Option<&[RawElement<'a>]>,
        raw: &RawElement<'a>,
        name: Option<&str>,
        depth: usize,
    ) -> Result<SortId, InputError> {
        match raw.name() {
            "usersort" => {
                let id = raw.attribute(xml, "declaration")?;
                match (declarations, self.sorts.get(&id.value)) {
                    (Some(declarations), _) => self.named(xml, declarations, &id, depth),
                    (None, Some(State::Done(sort))) => Ok(*sort),
                    (None, _) => Err(self.no_sort(xml, &id)),
                }
            }
            "dot" => Ok(self.dot()),
            "finiteintrange" => {
                let (first, last) = (integer(xml, raw, "start")?, integer(xml, raw, "end")?);
                let size = i128::from(last) - i128::from(first) + 1;
                if size < 1 {
                    return Err(raw.error(xml, format!("there is no number from {first} to {last}")));
                }
                if size > i128::from(CONSTANTS) {
                    return Err(raw.error(
                        xml,
                        format!("the range has {size} colours: expected at most 2^31"),
                    ));
                }
                let name = name.map_or_else(|| format!("{first}..{last}"), str::to_owned);
                Ok(self.intern(SortKind::Range { first, last }, name, size as u64))
            }
            "productsort" => {
                let mut parts = Vec::with_capacity(raw.children.len());
                for child in raw.some(xml)? {
                    parts.push(self.resolve(xml, declarations, child, None, depth + 1)?);
                }
                self.product(xml, raw, parts, name)
            }
            "cyclicenumeration" | "finiteenumeration" => Err(raw
                .error(xml, "an enumeration that is not declared")
                .help("expected a <namedsort> around it, and <usersort> where it is used")),
            other => Err(raw
                .error(xml, format!("unknown sort <{other}>"))
                .help("expected usersort, dot, cyclicenumeration, finiteenumeration, finiteintrange or productsort")),
        }
    }

    pub fn product(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        parts: Vec<SortId>,
        name: Option<&str>,
    ) -> Result<SortId, InputError> {
        if let [only] = parts[..] {
            return Ok(only);
        }
        let mut size = 1u64;
        let mut leaves = 0;
        for part in &parts {
            let part = self.net.sort(*part);
            leaves += part.parts.len();
            size = size
                .checked_mul(part.size)
                .filter(|size| *size < COLOURS)
                .ok_or_else(|| raw.error(xml, "the product has 2^62 colours or more"))?;
        }
        if leaves > COMPONENTS {
            return Err(raw.error(
                xml,
                format!("the product has {leaves} components: expected at most {COMPONENTS}"),
            ));
        }
        let name = name.map_or_else(
            || {
                let names = parts.iter().map(|part| &*self.net.sort(*part).name);
                names.take(8).collect::<Vec<_>>().join(" × ")
            },
            str::to_owned,
        );
        Ok(self.intern(SortKind::Product(parts), name, size))
    }

    pub fn dot(&mut self) -> SortId {
        self.intern(SortKind::Dot, "dot".to_owned(), 1)
    }

    fn intern(&mut self, kind: SortKind, name: String, size: u64) -> SortId {
        if let Some(known) = self.interned.get(&kind) {
            return *known;
        }
        let sort = self.add(kind.clone(), name, size);
        self.interned.insert(kind, sort);
        sort
    }

    fn add(&mut self, kind: SortKind, name: String, size: u64) -> SortId {
        let id = SortId(self.net.sorts.len() as u32);
        let parts = match &kind {
            SortKind::Product(sorts) => {
                let parts = sorts.iter().map(|sort| &self.net.sort(*sort).parts);
                parts.flatten().copied().collect()
            }
            _ => vec![id],
        };
        self.net.sorts.push(Sort {
            name,
            kind,
            size,
            parts,
        });
        id
    }

    fn enumeration(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        name: &str,
        cyclic: bool,
    ) -> Result<SortId, InputError> {
        let constants = raw.some(xml)?;
        let id = SortId(self.net.sorts.len() as u32);
        let mut spelt = Vec::with_capacity(constants.len());
        for (i, constant) in constants.iter().enumerate() {
            if constant.name() != "feconstant" {
                return Err(constant.error(
                    xml,
                    format!(
                        "<{}> in an enumeration: expected feconstant",
                        constant.name()
                    ),
                ));
            }
            let [key, name] = xml.attributes(&constant.element, ["id", "name"])?;
            let key = xml.required(&constant.element, "id", key)?;
            spelt.push((key.value.clone(), name.map(|name| name.value)));
            self.operator(xml, key, Operator::Constant(id, Colour(i as u64)))?;
        }
        let size = constants.len() as u64;
        let constants = shown_names(spelt);
        Ok(self.add(
            SortKind::Enumeration { constants, cyclic },
            name.to_owned(),
            size,
        ))
    }

    fn operator(
        &mut self,
        xml: &Xml<'a>,
        id: Attribute<'a>,
        operator: Operator,
    ) -> Result<(), InputError> {
        declare(xml, &mut self.operators, id, operator)
    }

    fn partition(&mut self, xml: &Xml<'a>, raw: &RawElement<'a>) -> Result<(), InputError> {
        let [id, name] = xml.attributes(&raw.element, ["id", "name"])?;
        let name = name.or(id).map_or(Cow::Borrowed(""), |name| name.value);
        let [of, elements @ ..] = raw.some(xml)? else {
            return Ok(());
        };
        let sort = self.sort(xml, of)?;
        let mut classes: Vec<PartitionElement> = Vec::with_capacity(elements.len());
        let mut seen = FxHashSet::default();
        for element in elements {
            if element.name() != "partitionelement" {
                return Err(element.error(
                    xml,
                    format!(
                        "<{}> in a partition: expected partitionelement",
                        element.name()
                    ),
                ));
            }
            let [id, name] = xml.attributes(&element.element, ["id", "name"])?;
            let id = xml.required(&element.element, "id", id)?;
            let name = name.map_or(id.value.clone(), |name| name.value);
            let mut members = Vec::with_capacity(element.children.len());
            for child in &element.children {
                let member = self.constant(xml, child, sort)?;
                if !seen.insert(member) {
                    return Err(child.error(xml, "this constant is already in the partition"));
                }
                members.push(member);
            }
            members.sort_unstable();
            self.operator(xml, id, Operator::Class(sort, members.clone()))?;
            classes.push(PartitionElement {
                name: name.into_owned(),
                members,
            });
        }
        self.net.partitions.push(SortPartition {
            name: name.into_owned(),
            sort,
            classes,
        });
        Ok(())
    }

    /// Resolves a constant of an enumeration or a range.
    fn constant(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        sort: SortId,
    ) -> Result<Colour, InputError> {
        let (found, colour) = match raw.name() {
            "useroperator" => {
                let id = raw.attribute(xml, "declaration")?;
                match self.operator_of(xml, &id)? {
                    Operator::Constant(sort, colour) => (*sort, *colour),
                    Operator::Class(..) => {
                        return Err(raw.error(xml, "a class of a partition inside of a class"));
                    }
                }
            }
            "finiteintrangeconstant" => self.range_constant(xml, raw, Some(sort))?,
            other => {
                return Err(raw.error(
                    xml,
                    format!("<{other}> in a class of a partition: expected a constant"),
                ));
            }
        };
        if found != sort {
            return Err(self.wrong_sort(xml, raw, found, sort));
        }
        Ok(colour)
    }

    /// Resolves a number of a range; the range may be omitted if a sort is expected.
    pub fn range_constant(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        expected: Option<SortId>,
    ) -> Result<(SortId, Colour), InputError> {
        let value = integer(xml, raw, "value")?;
        let sort = match (&raw.children[..], expected) {
            ([], Some(expected)) => expected,
            _ => self.sort(xml, raw.only(xml)?)?,
        };
        match self.net.sort(sort).kind {
            SortKind::Range { first, last } if (first..=last).contains(&value) => {
                Ok((sort, Colour(value.abs_diff(first))))
            }
            SortKind::Range { first, last } => {
                Err(raw.error(xml, format!("{value} is not in the range {first}..{last}")))
            }
            _ => Err(raw.error(
                xml,
                format!(
                    "a number where a colour of `{}` is expected",
                    self.net.sort(sort).name
                ),
            )),
        }
    }

    fn declare_variables(
        &mut self,
        xml: &Xml<'a>,
        declarations: &[RawElement<'a>],
    ) -> Result<(), InputError> {
        let mut spelt = Vec::new();
        let mut sorts = Vec::new();
        for raw in declarations {
            if raw.name() != "variabledecl" {
                continue;
            }
            let [id, name] = xml.attributes(&raw.element, ["id", "name"])?;
            let id = xml.required(&raw.element, "id", id)?;
            spelt.push((id.value.clone(), name.map(|name| name.value)));
            sorts.push(self.sort(xml, raw.only(xml)?)?);
            let next = ColourVariableId(self.variables.len() as u32);
            declare(xml, &mut self.variables, id, next)?;
        }
        let names = shown_names(spelt).into_iter().zip(sorts);
        self.net.variables = names
            .map(|(name, sort)| ColourVariable { name, sort })
            .collect();
        Ok(())
    }

    pub fn variable(
        &self,
        xml: &Xml<'a>,
        id: &Attribute<'a>,
    ) -> Result<ColourVariableId, InputError> {
        self.variables.get(&id.value).copied().ok_or_else(|| {
            let error = xml.error(
                id.span.clone(),
                format!("no variable is called `{}`", id.value),
            );
            advised(error, &id.value, self.variables.keys())
        })
    }

    pub fn operator_of(&self, xml: &Xml<'a>, id: &Attribute<'a>) -> Result<&Operator, InputError> {
        self.operators.get(&id.value).ok_or_else(|| {
            let error = xml.error(
                id.span.clone(),
                format!("no constant is called `{}`", id.value),
            );
            advised(error, &id.value, self.operators.keys())
        })
    }

    fn no_sort(&self, xml: &Xml<'a>, id: &Attribute<'a>) -> InputError {
        let error = xml.error(id.span.clone(), format!("no sort is called `{}`", id.value));
        advised(error, &id.value, self.sorts.keys())
    }

    pub fn wrong_sort(
        &self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        found: SortId,
        expected: SortId,
    ) -> InputError {
        let name = |sort: SortId| &*self.net.sort(sort).name;
        raw.error(
            xml,
            format!(
                "this is of sort `{}`: expected `{}`",
                name(found),
                name(expected)
            ),
        )
    }
}

/// Adds a suggestion for a misspelt name to an error.
fn advised<'n, 'a: 'n>(
    error: InputError,
    wrong: &str,
    known: impl Iterator<Item = &'n Cow<'a, str>>,
) -> InputError {
    match suggestion(wrong, known.map(|name| &**name)) {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Assigns a meaning to an id.
fn declare<'a, T>(
    xml: &Xml<'a>,
    map: &mut FxHashMap<Cow<'a, str>, T>,
    id: Attribute<'a>,
    meaning: T,
) -> Result<(), InputError> {
    match map.entry(id.value) {
        Entry::Vacant(slot) => {
            slot.insert(meaning);
            Ok(())
        }
        Entry::Occupied(known) => {
            Err(xml.error(id.span, format!("`{}` is declared twice", known.key())))
        }
    }
}

pub(super) fn integer<'a>(
    xml: &Xml<'a>,
    raw: &RawElement<'a>,
    name: &str,
) -> Result<i64, InputError> {
    let value = raw.attribute(xml, name)?;
    value.value.trim().parse().map_err(|_| {
        xml.error(
            value.span,
            format!("`{name}` is not a number of 64 bits: expected one"),
        )
    })
}

/// Displayed names of objects: their names if all are present, distinct and unambiguous in `p(1,2)`
/// and `t(x=1)`, otherwise their ids, otherwise their positions.
fn shown_names(spelt: Vec<(Cow<'_, str>, Option<Cow<'_, str>>)>) -> Vec<String> {
    let mut names = FxHashSet::default();
    if spelt.iter().all(|(_, name)| {
        name.as_ref()
            .is_some_and(|name| is_plain(name) && names.insert(&**name))
    }) {
        return spelt
            .into_iter()
            .filter_map(|(_, n)| n.map(Cow::into_owned))
            .collect();
    }
    if spelt.iter().all(|(id, _)| is_plain(id)) {
        return spelt.into_iter().map(|(id, _)| id.into_owned()).collect();
    }
    (1..=spelt.len()).map(|i| i.to_string()).collect()
}

fn is_plain(name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || ",;()=\"".contains(c);
    !name.is_empty() && !name.contains(odd)
}
