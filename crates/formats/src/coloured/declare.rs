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
use crate::xml::{Attribute, XmlResult};
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
    pub fn new(declarations: &[RawElement<'a>]) -> XmlResult<Declarations<'a>> {
        let mut all = Declarations::default();
        for (i, raw) in declarations.iter().enumerate() {
            match raw.name() {
                "namedsort" => {
                    let id = raw.attribute("id")?;
                    declare(&mut all.sorts, id, State::Waiting(i))?;
                }
                "variabledecl" | "partition" => {}
                other => {
                    return Err(raw
                        .error(format!("unknown declaration <{other}>"))
                        .help("expected namedsort, variabledecl or partition"));
                }
            }
        }
        let of_kind = |kind| declarations.iter().filter(move |raw| raw.name() == kind);
        for raw in of_kind("namedsort") {
            let id = raw.attribute("id")?;
            all.named(declarations, &id, 0)?;
        }
        for raw in of_kind("partition") {
            all.partition(raw)?;
        }
        all.declare_variables(declarations)?;
        Ok(all)
    }

    /// The sort declared under an id.
    fn named(
        &mut self,
        declarations: &[RawElement<'a>],
        id: &Attribute<'a>,
        depth: usize,
    ) -> XmlResult<SortId> {
        let i = match self.sorts.get(&id.value) {
            Some(State::Done(sort)) => return Ok(*sort),
            Some(State::Open) => {
                return Err(id.error(format!(
                    "the sort `{}` is declared in terms of itself",
                    id.value
                )));
            }
            None => return Err(self.no_sort(id)),
            Some(State::Waiting(i)) => *i,
        };
        let raw = &declarations[i];
        if depth > DEPTH {
            return Err(raw.error(format!(
                "declarations of sorts are nested more than {DEPTH} deep"
            )));
        }
        self.sorts.insert(id.value.clone(), State::Open);
        let [name] = raw.element.attributes(["name"])?;
        let name = name.map_or(id.value.clone(), |name| name.value);
        let inside = raw.only()?;
        let sort = match inside.name() {
            "cyclicenumeration" => self.enumeration(inside, &name, true)?,
            "finiteenumeration" => self.enumeration(inside, &name, false)?,
            _ => self.resolve(Some(declarations), inside, Some(&name), depth + 1)?,
        };
        self.sorts.insert(id.value.clone(), State::Done(sort));
        Ok(sort)
    }

    /// The sort denoted by an element of a place, variable or term.
    pub fn sort(&mut self, raw: &RawElement<'a>) -> XmlResult<SortId> {
        self.resolve(None, raw, None, 0)
    }

    fn resolve(
        &mut self,
        declarations: Option<&[RawElement<'a>]>,
        raw: &RawElement<'a>,
        name: Option<&str>,
        depth: usize,
    ) -> XmlResult<SortId> {
        match raw.name() {
            "usersort" => {
                let id = raw.attribute("declaration")?;
                match (declarations, self.sorts.get(&id.value)) {
                    (Some(declarations), _) => self.named(declarations, &id, depth),
                    (None, Some(State::Done(sort))) => Ok(*sort),
                    (None, _) => Err(self.no_sort(&id)),
                }
            }
            "dot" => Ok(self.dot()),
            "finiteintrange" => {
                let (first, last) = (integer(raw, "start")?, integer(raw, "end")?);
                let size = i128::from(last) - i128::from(first) + 1;
                if size < 1 {
                    return Err(raw.error(format!("there is no number from {first} to {last}")));
                }
                if size > i128::from(CONSTANTS) {
                    let message = format!("the range has {size} colours: expected at most 2^31");
                    return Err(raw.error(message));
                }
                let name = name.map_or_else(|| format!("{first}..{last}"), str::to_owned);
                Ok(self.intern(SortKind::Range { first, last }, name, size as u64))
            }
            "productsort" => {
                let mut parts = Vec::with_capacity(raw.children.len());
                for child in raw.some()? {
                    parts.push(self.resolve(declarations, child, None, depth + 1)?);
                }
                self.product(raw, parts, name)
            }
            "cyclicenumeration" | "finiteenumeration" => Err(raw
                .error("an enumeration that is not declared")
                .help("expected a <namedsort> around it, and <usersort> where it is used")),
            other => Err(raw
                .error(format!("unknown sort <{other}>"))
                .help("expected usersort, dot, cyclicenumeration, finiteenumeration, finiteintrange or productsort")),
        }
    }

    pub fn product(
        &mut self,
        raw: &RawElement<'a>,
        parts: Vec<SortId>,
        name: Option<&str>,
    ) -> XmlResult<SortId> {
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
                .ok_or_else(|| raw.error("the product has 2^62 colours or more"))?;
        }
        if leaves > COMPONENTS {
            return Err(raw.error(format!(
                "the product has {leaves} components: expected at most {COMPONENTS}"
            )));
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

    fn enumeration(&mut self, raw: &RawElement<'a>, name: &str, cyclic: bool) -> XmlResult<SortId> {
        let constants = raw.some()?;
        let id = SortId(self.net.sorts.len() as u32);
        let mut spelt = Vec::with_capacity(constants.len());
        for (i, constant) in constants.iter().enumerate() {
            if constant.name() != "feconstant" {
                return Err(constant.error(format!(
                    "<{}> in an enumeration: expected feconstant",
                    constant.name()
                )));
            }
            let [key, name] = constant.element.attributes(["id", "name"])?;
            let key = constant.element.required("id", key)?;
            spelt.push((key.value.clone(), name.map(|name| name.value)));
            let constant = Operator::Constant(id, Colour(i as u64));
            declare(&mut self.operators, key, constant)?;
        }
        let size = constants.len() as u64;
        let constants = shown_names(spelt);
        Ok(self.add(
            SortKind::Enumeration { constants, cyclic },
            name.to_owned(),
            size,
        ))
    }

    fn partition(&mut self, raw: &RawElement<'a>) -> XmlResult<()> {
        let [id, name] = raw.element.attributes(["id", "name"])?;
        let name = name.or(id).map_or(Cow::Borrowed(""), |name| name.value);
        let [of, elements @ ..] = raw.some()? else {
            return Ok(());
        };
        let sort = self.sort(of)?;
        let mut classes: Vec<PartitionElement> = Vec::with_capacity(elements.len());
        let mut seen = FxHashSet::default();
        for element in elements {
            if element.name() != "partitionelement" {
                return Err(element.error(format!(
                    "<{}> in a partition: expected partitionelement",
                    element.name()
                )));
            }
            let [id, name] = element.element.attributes(["id", "name"])?;
            let id = element.element.required("id", id)?;
            let name = name.map_or(id.value.clone(), |name| name.value);
            let mut members = Vec::with_capacity(element.children.len());
            for child in &element.children {
                let member = self.constant(child, sort)?;
                if !seen.insert(member) {
                    return Err(child.error("this constant is already in the partition"));
                }
                members.push(member);
            }
            members.sort_unstable();
            let class = Operator::Class(sort, members.clone());
            declare(&mut self.operators, id, class)?;
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
    fn constant(&mut self, raw: &RawElement<'a>, sort: SortId) -> XmlResult<Colour> {
        let (found, colour) = match raw.name() {
            "useroperator" => {
                let id = raw.attribute("declaration")?;
                match self.operator_of(&id)? {
                    Operator::Constant(sort, colour) => (*sort, *colour),
                    Operator::Class(..) => {
                        return Err(raw.error("a class of a partition inside of a class"));
                    }
                }
            }
            "finiteintrangeconstant" => self.range_constant(raw, Some(sort))?,
            other => {
                return Err(raw.error(format!(
                    "<{other}> in a class of a partition: expected a constant"
                )));
            }
        };
        if found != sort {
            return Err(self.wrong_sort(raw, found, sort));
        }
        Ok(colour)
    }

    /// Resolves a number of a range; the range may be omitted if a sort is expected.
    pub fn range_constant(
        &mut self,
        raw: &RawElement<'a>,
        expected: Option<SortId>,
    ) -> XmlResult<(SortId, Colour)> {
        let value = integer(raw, "value")?;
        let sort = match (&raw.children[..], expected) {
            ([], Some(expected)) => expected,
            _ => self.sort(raw.only()?)?,
        };
        match self.net.sort(sort).kind {
            SortKind::Range { first, last } if (first..=last).contains(&value) => {
                Ok((sort, Colour(value.abs_diff(first))))
            }
            SortKind::Range { first, last } => {
                Err(raw.error(format!("{value} is not in the range {first}..{last}")))
            }
            _ => Err(raw.error(format!(
                "a number where a colour of `{}` is expected",
                self.net.sort(sort).name
            ))),
        }
    }

    fn declare_variables(&mut self, declarations: &[RawElement<'a>]) -> XmlResult<()> {
        let mut spelt = Vec::new();
        let mut sorts = Vec::new();
        for raw in declarations
            .iter()
            .filter(|raw| raw.name() == "variabledecl")
        {
            let [id, name] = raw.element.attributes(["id", "name"])?;
            let id = raw.element.required("id", id)?;
            spelt.push((id.value.clone(), name.map(|name| name.value)));
            sorts.push(self.sort(raw.only()?)?);
            let next = ColourVariableId(self.variables.len() as u32);
            declare(&mut self.variables, id, next)?;
        }
        let names = shown_names(spelt).into_iter().zip(sorts);
        self.net.variables = names
            .map(|(name, sort)| ColourVariable { name, sort })
            .collect();
        Ok(())
    }

    pub fn variable(&self, id: &Attribute<'a>) -> XmlResult<ColourVariableId> {
        let found = self.variables.get(&id.value).copied();
        found.ok_or_else(|| unknown("variable", id, self.variables.keys()))
    }

    pub fn operator_of(&self, id: &Attribute<'a>) -> XmlResult<&Operator> {
        let found = self.operators.get(&id.value);
        found.ok_or_else(|| unknown("constant", id, self.operators.keys()))
    }

    fn no_sort(&self, id: &Attribute<'a>) -> InputError {
        unknown("sort", id, self.sorts.keys())
    }

    pub fn wrong_sort(&self, raw: &RawElement<'a>, found: SortId, expected: SortId) -> InputError {
        let name = |sort: SortId| &*self.net.sort(sort).name;
        raw.error(format!(
            "this is of sort `{}`: expected `{}`",
            name(found),
            name(expected)
        ))
    }
}

/// The error about a misspelt name, with a suggestion.
fn unknown<'n, 'a: 'n>(
    what: &str,
    id: &Attribute<'a>,
    known: impl Iterator<Item = &'n Cow<'a, str>>,
) -> InputError {
    let mut error = id.error(format!("no {what} is called `{}`", id.value));
    error.help = suggestion(&id.value, known.map(|name| &**name));
    error
}

/// Assigns a meaning to an id.
fn declare<'a, T>(
    map: &mut FxHashMap<Cow<'a, str>, T>,
    id: Attribute<'a>,
    meaning: T,
) -> XmlResult<()> {
    match map.entry(id.value.clone()) {
        Entry::Vacant(slot) => {
            slot.insert(meaning);
            Ok(())
        }
        Entry::Occupied(known) => Err(id.error(format!("`{}` is declared twice", known.key()))),
    }
}

pub(super) fn integer(raw: &RawElement<'_>, name: &str) -> XmlResult<i64> {
    let value = raw.attribute(name)?;
    let parsed = value.value.trim().parse();
    parsed.map_err(|_| value.error(format!("`{name}` is not a number of 64 bits: expected one")))
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
