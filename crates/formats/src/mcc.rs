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
//! Names are ids of the net, never names of nodes besides their ids. A formula is built bottom-up
//! with an explicit stack of open elements, so its depth is not limited by the call stack.
//! `all-paths` is implicit for linear-time properties and allowed only around the whole formula;
//! `exists-path` is allowed there too if `PathQuantifiers` permits, and rejected elsewhere.
//!
//! A file of bounds has `<place-bound> (place id)…` instead of a formula.

mod reachability;

pub use reachability::read_reachability;

use lariat_ltl::{Formula, Formulas};

use crate::xml::{self, Element, Item, Xml, XmlResult, XmlSource};
use lariat_model::{
    Comparison, EventId, Fairness, InputError, NamedProperty, Names, PropertyList, TokenSum, Value,
    VarId,
};

/// The meaning of an open element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    /// The root of a formula.
    Formula,
    /// `all-paths`
    Group,
    /// `exists-path`
    Some,
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

/// A completed operand of an open element.
enum Part {
    Path(Formula),
    Number(TokenSum),
    Events(Vec<EventId>),
}

struct Frame<'a> {
    operator: Operator,
    element: Element<'a>,
    parts: Vec<Part>,
}

/// The path quantifiers allowed around a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PathQuantifiers {
    /// `all-paths`, or none.
    All,
    /// `all-paths`, `exists-path`, or none.
    AllOrSome,
}

/// Reads a property file and adds its properties in the order of the file.
pub fn read(
    properties: &mut PropertyList,
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
) -> Result<(), InputError> {
    read_formulas(properties, names, origin, bytes, PathQuantifiers::All).map(drop)
}

/// Reads a property file; returns for each formula whether it has `exists-path`.
fn read_formulas(
    properties: &mut PropertyList,
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
    paths: PathQuantifiers,
) -> XmlResult<Vec<bool>> {
    let mut about_some = Vec::new();
    let names = &names.by_ids();
    each_property(origin, bytes, |xml, element| {
        let (property, some) = property(xml, properties, names, element, paths)?;
        about_some.push(some);
        let added = properties.push(property);
        added.map_err(|message| element.error(message).help(PropertyList::OWN_NAME))
    })?;
    Ok(about_some)
}

/// Reads a file of bounds: names with the places whose tokens are added up.
pub fn read_bounds(
    names: &Names<'_>,
    origin: &str,
    bytes: &[u8],
) -> Result<Vec<(String, Vec<VarId>)>, InputError> {
    let mut bounds = Vec::new();
    let names = &names.by_ids();
    each_property(origin, bytes, |xml, element| {
        bounds.push(bound(xml, names, element)?);
        Ok(())
    })?;
    Ok(bounds)
}

/// Reads `<property-set>`, calling `each` inside every `<property>`.
fn each_property(
    origin: &str,
    bytes: &[u8],
    mut each: impl FnMut(&mut Xml<'_>, &Element<'_>) -> XmlResult<()>,
) -> XmlResult<()> {
    let text = xml::decode(origin, bytes)?;
    let source = XmlSource {
        origin,
        text: &text,
    };
    let mut xml = Xml::new(&source);
    match xml.next()? {
        Item::Open(root) if root.name == "property-set" => {}
        Item::Open(root) => {
            let (name, expected) = (root.name, "expected <property-set>");
            return Err(root.error(format!("<{name}> is not a property file: {expected}")));
        }
        _ => {
            let message = "the file is empty: expected a property file of the contest";
            return Err(InputError::new(origin, message));
        }
    }
    loop {
        match xml.next()? {
            Item::Open(element) if element.name == "property" => {
                element.only(&[])?;
                each(&mut xml, &element)?;
            }
            Item::Open(element) => return Err(unknown(&element, "<property-set>", "<property>")),
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close => {}
            Item::End => return Ok(()),
        }
    }
}

/// Returns whether an element of a property carries no meaning.
fn is_prose(name: &str) -> bool {
    ["description", "tags", "comment"].contains(&name)
}

fn unknown(element: &Element<'_>, of: &str, expected: &str) -> InputError {
    let error = element.error(format!("unknown element <{}> of {of}", element.name));
    error.help(format!("expected {expected}"))
}

/// Reads the only id of a property.
fn set_id(xml: &mut Xml<'_>, element: &Element<'_>, id: &mut Option<String>) -> XmlResult<()> {
    let (text, span) = xml.name()?;
    if text.is_empty() {
        return Err(xml.error(span, "a property with an empty id"));
    }
    match id.replace(text.into_owned()) {
        None => Ok(()),
        Some(_) => Err(element.error("a second <id> in one property")),
    }
}

fn property(
    xml: &mut Xml<'_>,
    properties: &mut PropertyList,
    names: &Names<'_>,
    property: &Element<'_>,
    paths: PathQuantifiers,
) -> XmlResult<(NamedProperty, bool)> {
    let (mut name, mut found) = (None, None);
    loop {
        match xml.next()? {
            Item::Open(element) => match element.name {
                "id" => set_id(xml, &element, &mut name)?,
                "formula" if found.is_some() => {
                    return Err(element.error("a second <formula> in one property"));
                }
                "formula" => found = Some(formula(xml, properties, names, element, paths)?),
                other if is_prose(other) => xml.skip()?,
                _ => {
                    return Err(unknown(
                        &element,
                        "a property",
                        "id, description or formula",
                    ));
                }
            },
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close | Item::End => break,
        }
    }
    let missing = |what| property.error(format!("a property without <{what}>"));
    let (formula, some) = found.ok_or_else(|| missing("formula"))?;
    let name = name.ok_or_else(|| missing("id"))?;
    let text = properties.print(formula);
    let property = NamedProperty {
        name,
        formula,
        written: formula,
        text,
        fairness: Fairness::default(),
        modality: None,
    };
    Ok((property, some))
}

/// Reads the rest of a property in a file of bounds.
fn bound(
    xml: &mut Xml<'_>,
    names: &Names<'_>,
    property: &Element<'_>,
) -> XmlResult<(String, Vec<VarId>)> {
    let (mut name, mut places) = (None, None);
    // Open elements inside the property.
    let mut open: Vec<&str> = Vec::new();
    loop {
        match xml.next()? {
            Item::Open(element) => match (element.name, open.last()) {
                ("id", None) => set_id(xml, &element, &mut name)?,
                ("formula", None) => open.push("formula"),
                ("place-bound", Some(&"formula")) if places.is_none() => {
                    places = Some(Vec::new());
                    open.push("place-bound");
                }
                ("place", Some(&"place-bound")) => {
                    if let Part::Number(sum) = leaf(xml, names, Operator::Place)? {
                        places.get_or_insert_default().extend(sum.vars);
                    }
                }
                (other, None) if is_prose(other) => xml.skip()?,
                (_, None) => {
                    return Err(unknown(
                        &element,
                        "a property",
                        "id, description or formula",
                    ));
                }
                (other, Some(_)) => {
                    return Err(element
                        .error(format!("<{other}> cannot stand here"))
                        .help("expected one <place-bound> of <place>"));
                }
            },
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close | Item::End => match open.pop() {
                Some(_) => {}
                None => break,
            },
        }
    }
    let missing = |what| property.error(format!("a property without <{what}>"));
    let places = places.ok_or_else(|| missing("place-bound"))?;
    Ok((name.ok_or_else(|| missing("id"))?, places))
}

/// Reads the rest of `<formula>`; returns also whether it has `exists-path`.
fn formula<'a>(
    xml: &mut Xml<'a>,
    properties: &mut PropertyList,
    names: &Names<'_>,
    element: Element<'a>,
    paths: PathQuantifiers,
) -> XmlResult<(Formula, bool)> {
    let mut about_some = false;
    let mut open = vec![Frame {
        operator: Operator::Formula,
        element,
        parts: Vec::new(),
    }];
    while let Some(frame) = open.last_mut() {
        match xml.next()? {
            Item::Open(element) => {
                let operator = operator(&element, frame.operator, frame.parts.len(), paths)?;
                about_some |= operator == Operator::Some;
                if let Operator::Constant | Operator::Place | Operator::Transition = operator {
                    frame.parts.push(leaf(xml, names, operator)?);
                    continue;
                }
                open.push(Frame {
                    operator,
                    element,
                    parts: Vec::new(),
                });
            }
            Item::Text(text) => xml.only_blanks(&text)?,
            Item::Close | Item::End => {
                let Some(frame) = open.pop() else { break };
                let part = close(properties, names, frame)?;
                match (open.last_mut(), part) {
                    (Some(outer), part) => outer.parts.push(part),
                    (None, Part::Path(formula)) => return Ok((formula, about_some)),
                    (None, _) => return Err(xml.error_here("expected a formula")),
                }
            }
        }
    }
    Err(xml.error_here("expected a formula"))
}

/// The operator of an element that is the `nth` part of `outer`.
fn operator(
    element: &Element<'_>,
    outer: Operator,
    nth: usize,
    paths: PathQuantifiers,
) -> XmlResult<Operator> {
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
        return Err(element
            .error(format!("<{}> cannot stand here", element.name))
            .help("expected <until> of <before> and <reach>, <tokens-count> of <place>, <is-fireable> of <transition>"));
    }
    // Successors of deadlocks, of several steps and of other kinds have other meanings.
    element.only(if element.name == "next" {
        &["steps"]
    } else {
        &[]
    })?;
    let [steps] = element.attributes(["steps"])?;
    if let Some(steps) = steps.filter(|steps| steps.value != "1") {
        return Err(steps.error("expected a single step"));
    }
    Ok(match element.name {
        "all-paths" if outer == Operator::Formula => Operator::Group,
        "exists-path" if outer == Operator::Formula && paths == PathQuantifiers::AllOrSome => {
            Operator::Some
        }
        "all-paths" | "exists-path" => {
            return Err(element
                .error(format!(
                    "<{}> inside of a linear-time formula",
                    element.name
                ))
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
            return Err(element.error(format!("unknown operator <{other}>")).help(
                "expected an operator of linear-time logic, a comparison of tokens, or is-fireable",
            ));
        }
    })
}

fn number(vars: Vec<VarId>, constant: Value) -> Part {
    Part::Number(TokenSum { vars, constant })
}

/// Reads an element that contains only text.
fn leaf(xml: &mut Xml<'_>, names: &Names<'_>, operator: Operator) -> XmlResult<Part> {
    let (text, span) = xml.name()?;
    match operator {
        Operator::Constant => match text.parse::<Value>() {
            Ok(constant) => Ok(number(Vec::new(), constant)),
            Err(_) => Err(xml.error(span, format!("`{text}` is not a number below 2^63"))),
        },
        Operator::Place => names
            .number(&text)
            .map(|vars| number(vars, 0))
            .ok_or_else(|| xml.error(span, format!("no place is called `{text}`"))),
        _ => names
            .events(&text)
            .map(Part::Events)
            .ok_or_else(|| xml.error(span, format!("no transition is called `{text}`"))),
    }
}

/// Combines the operands of a closed element.
fn close(properties: &mut PropertyList, names: &Names<'_>, frame: Frame<'_>) -> XmlResult<Part> {
    let element = frame.element;
    let operands = Operands::sorted(frame.parts);
    let wrong = |expected: &str| {
        let tag = element.text();
        element.error(format!("wrong operands of {tag}: expected {expected}"))
    };
    let atom = match frame.operator {
        Operator::Deadlock => operands.none().map(|()| names.deadlock()).map_err(wrong)?,
        Operator::Compare(comparison) => {
            let [left, right] = operands.two_numbers().map_err(wrong)?;
            names
                .compare_sums(left, comparison, right)
                .ok_or_else(|| element.error("the numbers are too large"))?
        }
        Operator::Fireable => names.fireable(operands.events().map_err(wrong)?),
        Operator::Tokens => {
            let vars = operands.places().map_err(wrong)?;
            return Ok(number(vars, 0));
        }
        operator => {
            let formula = connect(&mut properties.formulas, operator, operands);
            return formula.map(Part::Path).map_err(wrong);
        }
    };
    let atom = properties.atom(atom).map(Part::Path);
    atom.map_err(|message| element.error(message))
}

/// Builds the formula of a Boolean or temporal operator; otherwise returns the expected operands.
fn connect(
    store: &mut Formulas,
    operator: Operator,
    operands: Operands,
) -> Result<Formula, &'static str> {
    let one = operands.one_path();
    let two = operands.two_paths();
    Ok(match operator {
        Operator::True => operands.none().map(|()| Formulas::TRUE)?,
        Operator::False => operands.none().map(|()| Formulas::FALSE)?,
        Operator::Formula
        | Operator::Group
        | Operator::Some
        | Operator::Before
        | Operator::Reach => one?,
        Operator::Not => store.not(one?),
        Operator::Next => store.next(one?),
        Operator::Finally => store.finally(one?),
        Operator::Globally => store.globally(one?),
        Operator::Until => two.map(|(f, g)| store.until(f, g))?,
        Operator::Xor => two.map(|(f, g)| store.xor(f, g))?,
        Operator::Implies => two.map(|(f, g)| store.implies(f, g))?,
        Operator::Iff => two.map(|(f, g)| store.iff(f, g))?,
        Operator::And => store.and(operands.paths()?),
        Operator::Or => store.or(operands.paths()?),
        // `close` handles atoms and sums; leaves are never open.
        Operator::Deadlock
        | Operator::Compare(_)
        | Operator::Tokens
        | Operator::Fireable
        | Operator::Constant
        | Operator::Place
        | Operator::Transition => return Err("one formula"),
    })
}

/// The operands of a closed element by kind. Each accessor returns exactly the expected operands,
/// or their description as error.
struct Operands {
    count: usize,
    paths: Vec<Formula>,
    numbers: Vec<TokenSum>,
    events: Vec<EventId>,
}

impl Operands {
    fn sorted(parts: Vec<Part>) -> Operands {
        let mut operands = Operands {
            count: parts.len(),
            paths: Vec::new(),
            numbers: Vec::new(),
            events: Vec::new(),
        };
        for part in parts {
            match part {
                Part::Path(formula) => operands.paths.push(formula),
                Part::Number(sum) => operands.numbers.push(sum),
                Part::Events(some) => operands.events.extend(some),
            }
        }
        operands
    }

    fn none(&self) -> Result<(), &'static str> {
        if self.count == 0 { Ok(()) } else { Err("none") }
    }

    fn one_path(&self) -> Result<Formula, &'static str> {
        match self.paths[..] {
            [f] if self.count == 1 => Ok(f),
            _ => Err("one formula"),
        }
    }

    fn two_paths(&self) -> Result<(Formula, Formula), &'static str> {
        match self.paths[..] {
            [f, g] if self.count == 2 => Ok((f, g)),
            _ => Err("two formulas"),
        }
    }

    fn paths(self) -> Result<Vec<Formula>, &'static str> {
        if self.count == 0 || self.paths.len() != self.count {
            return Err("formulas");
        }
        Ok(self.paths)
    }

    fn two_numbers(self) -> Result<[TokenSum; 2], &'static str> {
        if self.count != 2 {
            return Err("two numbers");
        }
        self.numbers.try_into().map_err(|_| "two numbers")
    }

    fn places(self) -> Result<Vec<VarId>, &'static str> {
        if self.count == 0 || self.numbers.len() != self.count {
            return Err("places");
        }
        Ok(self.numbers.into_iter().flat_map(|sum| sum.vars).collect())
    }

    /// The list may be empty: a transition that can never fire denotes no event.
    fn events(self) -> Result<Vec<EventId>, &'static str> {
        if self.count == 0 || !self.paths.is_empty() || !self.numbers.is_empty() {
            return Err("transitions");
        }
        Ok(self.events)
    }
}
