//! Resolution and sort checking of terms and guards.
//!
//! Expected sorts are passed down — from the place to the inscription, from a product to the
//! components of a tuple — and actual sorts are returned; in comparisons, where none is expected,
//! the left-hand side determines the sort.

use super::declare::{Declarations, Operator};
use super::raw::RawElement;
use crate::xml::Xml;
use lariat_model::coloured::{SortId, SortKind, Term, TermKind, TransitionGuard};
use lariat_model::{Comparison, InputError};

impl<'a> Declarations<'a> {
    /// Resolves a multiset of colours of the expected sort.
    pub fn term(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        expected: Option<SortId>,
    ) -> Result<Term, InputError> {
        let (sort, kind) = match raw.name() {
            "variable" => {
                let id = raw.attribute(xml, "refvariable")?;
                let variable = self.variable(xml, &id)?;
                let sort = self.net.variable(variable).sort;
                (sort, TermKind::Variable(variable))
            }
            "useroperator" => {
                let id = raw.attribute(xml, "declaration")?;
                match self.operator_of(xml, &id)?.clone() {
                    Operator::Constant(sort, colour) => (sort, TermKind::Constant(colour)),
                    Operator::Class(sort, members) => (sort, TermKind::Members(members)),
                }
            }
            "finiteintrangeconstant" => {
                let (sort, colour) = self.range_constant(xml, raw, expected)?;
                (sort, TermKind::Constant(colour))
            }
            "dotconstant" => (
                self.dot(),
                TermKind::Constant(lariat_model::coloured::Colour(0)),
            ),
            "all" => (self.sort(xml, raw.only(xml)?)?, TermKind::All),
            "empty" => {
                let sort = self.sort(xml, raw.only(xml)?)?;
                (sort, TermKind::Add(Vec::new()))
            }
            "tuple" => {
                let tuple = self.tuple_term(xml, raw, expected)?;
                (tuple.sort, tuple.kind)
            }
            "numberof" => {
                let (count, of) = raw.both(xml)?;
                let count = count_of(xml, count)?;
                let of = self.term(xml, of, expected)?;
                (of.sort, TermKind::Scaled(count, Box::new(of)))
            }
            "add" => {
                let (sort, terms) = self.operands(xml, raw, expected)?;
                (sort, TermKind::Add(flat(terms)))
            }
            "subtract" => {
                let (sort, terms) = self.operands(xml, raw, expected)?;
                (sort, TermKind::Subtract(terms))
            }
            "successor" => {
                let of = self.cyclic_colour(xml, raw, expected)?;
                (of.sort, TermKind::Successor(Box::new(of)))
            }
            "predecessor" => {
                let of = self.cyclic_colour(xml, raw, expected)?;
                (of.sort, TermKind::Predecessor(Box::new(of)))
            }
            other => {
                return Err(raw
                    .error(xml, format!("unknown term <{other}>"))
                    .help("expected variable, useroperator, finiteintrangeconstant, dotconstant, all, empty, tuple, numberof, add, subtract, successor or predecessor"));
            }
        };
        match expected {
            Some(expected) if expected != sort => Err(self.wrong_sort(xml, raw, sort, expected)),
            _ => Ok(Term { sort, kind }),
        }
    }

    /// Resolves the operand of `<successor>` or `<predecessor>`.
    fn cyclic_colour(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        expected: Option<SortId>,
    ) -> Result<Term, InputError> {
        let term = self.colour(xml, raw.only(xml)?, expected)?;
        let sort = self.net.sort(term.sort);
        if matches!(sort.kind, SortKind::Enumeration { cyclic: true, .. }) {
            return Ok(term);
        }
        Err(raw.error(
            xml,
            format!(
                "the sort `{}` is no cyclic enumeration, so its colours have no <{}>",
                sort.name,
                raw.name()
            ),
        ))
    }

    /// Resolves a term that is a single colour.
    fn colour(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        expected: Option<SortId>,
    ) -> Result<Term, InputError> {
        let term = self.term(xml, raw, expected)?;
        if term.is_colour() {
            return Ok(term);
        }
        Err(raw.error(
            xml,
            format!("<{}> where one colour is expected", raw.name()),
        ))
    }

    /// Resolves the operands of a sum or difference, all of one sort.
    fn operands(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        mut expected: Option<SortId>,
    ) -> Result<(SortId, Vec<Term>), InputError> {
        let mut terms = Vec::with_capacity(raw.children.len());
        for child in raw.some(xml)? {
            let term = self.term(xml, child, expected)?;
            expected = Some(term.sort);
            terms.push(term);
        }
        // There is at least one.
        let sort = expected.unwrap_or(SortId(0));
        Ok((sort, terms))
    }

    fn tuple_term(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
        expected: Option<SortId>,
    ) -> Result<Term, InputError> {
        let children = raw.some(xml)?;
        if let [only] = children {
            return self.term(xml, only, expected);
        }
        let parts = match expected.map(|sort| &self.net.sort(sort).kind) {
            Some(SortKind::Product(parts)) if parts.len() == children.len() => Some(parts.clone()),
            Some(kind) => {
                let components = match kind {
                    SortKind::Product(parts) => parts.len(),
                    _ => 1,
                };
                let name = expected.map_or("", |sort| &*self.net.sort(sort).name);
                return Err(raw.error(
                    xml,
                    format!(
                        "a tuple of {}: expected a colour of `{name}`, which has {}",
                        children.len(),
                        crate::xml::counted(components, "component")
                    ),
                ));
            }
            None => None,
        };
        let mut terms = Vec::with_capacity(children.len());
        for (i, child) in children.iter().enumerate() {
            let part = parts.as_ref().and_then(|parts| parts.get(i).copied());
            terms.push(self.term(xml, child, part)?);
        }
        let sort = match expected {
            Some(sort) => sort,
            None => {
                let parts = terms.iter().map(|term| term.sort).collect();
                self.product(xml, raw, parts, None)?
            }
        };
        Ok(Term {
            sort,
            kind: TermKind::Tuple(terms),
        })
    }

    /// Resolves the condition of a transition.
    pub fn guard(
        &mut self,
        xml: &Xml<'a>,
        raw: &RawElement<'a>,
    ) -> Result<TransitionGuard, InputError> {
        let comparison = match raw.name() {
            "and" => return Ok(TransitionGuard::And(self.guards(xml, raw.some(xml)?)?)),
            "or" => return Ok(TransitionGuard::Or(self.guards(xml, raw.some(xml)?)?)),
            "not" => {
                let guard = self.guard(xml, raw.only(xml)?)?;
                return Ok(TransitionGuard::Not(Box::new(guard)));
            }
            "imply" => {
                let (left, right) = raw.both(xml)?;
                let left = TransitionGuard::Not(Box::new(self.guard(xml, left)?));
                return Ok(TransitionGuard::Or(vec![left, self.guard(xml, right)?]));
            }
            "booleanconstant" => {
                let value = raw.attribute(xml, "value")?;
                return match &*value.value {
                    "true" => Ok(TransitionGuard::And(Vec::new())),
                    "false" => Ok(TransitionGuard::Or(Vec::new())),
                    _ => Err(xml.error(value.span, "expected `true` or `false`")),
                };
            }
            "equality" => Comparison::Eq,
            "inequality" => Comparison::Ne,
            "lessthan" => Comparison::Lt,
            "lessthanorequal" => Comparison::Le,
            "greaterthan" => Comparison::Gt,
            "greaterthanorequal" => Comparison::Ge,
            other => {
                return Err(raw
                    .error(xml, format!("unknown condition <{other}>"))
                    .help("expected and, or, not, imply, equality, inequality, lessthan, lessthanorequal, greaterthan or greaterthanorequal"));
            }
        };
        let (left, right) = raw.both(xml)?;
        let left = self.colour(xml, left, None)?;
        let right = self.colour(xml, right, Some(left.sort))?;
        let ordered = !matches!(comparison, Comparison::Eq | Comparison::Ne);
        if ordered && matches!(self.net.sort(left.sort).kind, SortKind::Product(_)) {
            return Err(raw
                .error(xml, format!("<{}> of tuples", raw.name()))
                .help("expected colours of an enumeration or a range; tuples are equal or not"));
        }
        Ok(TransitionGuard::Compare(comparison, left, right))
    }

    fn guards(
        &mut self,
        xml: &Xml<'a>,
        raws: &[RawElement<'a>],
    ) -> Result<Vec<TransitionGuard>, InputError> {
        raws.iter().map(|raw| self.guard(xml, raw)).collect()
    }
}

fn flat(terms: Vec<Term>) -> Vec<Term> {
    let mut flat = Vec::with_capacity(terms.len());
    for term in terms {
        match term.kind {
            TermKind::Add(inner) => flat.extend(inner),
            _ => flat.push(term),
        }
    }
    flat
}

fn count_of<'a>(xml: &Xml<'a>, raw: &RawElement<'a>) -> Result<u64, InputError> {
    if raw.name() != "numberconstant" {
        return Err(raw.error(
            xml,
            format!(
                "<{}> where a number is expected: numberconstant",
                raw.name()
            ),
        ));
    }
    let value = super::declare::integer(xml, raw, "value")?;
    u64::try_from(value).map_err(|_| raw.error(xml, "the number is negative"))
}
