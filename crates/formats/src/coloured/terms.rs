//! Resolution and sort checking of terms and guards.
//!
//! Expected sorts are passed down — from the place to the inscription, from a product to the
//! components of a tuple — and actual sorts are returned; in comparisons, where none is expected,
//! the left-hand side determines the sort.

use super::declare::{Declarations, Operator};
use super::raw::RawElement;
use crate::xml::{XmlResult, counted};
use lariat_model::Comparison;
use lariat_model::coloured::{SortId, SortKind, Term, TermKind, TransitionGuard};

impl<'a> Declarations<'a> {
    /// Resolves a multiset of colours of the expected sort.
    pub fn term(&mut self, raw: &RawElement<'a>, expected: Option<SortId>) -> XmlResult<Term> {
        let (sort, kind) = match raw.name() {
            "variable" => {
                let id = raw.attribute("refvariable")?;
                let variable = self.variable(&id)?;
                let sort = self.net.variable(variable).sort;
                (sort, TermKind::Variable(variable))
            }
            "useroperator" => {
                let id = raw.attribute("declaration")?;
                match self.operator_of(&id)?.clone() {
                    Operator::Constant(sort, colour) => (sort, TermKind::Constant(colour)),
                    Operator::Class(sort, members) => (sort, TermKind::Members(members)),
                }
            }
            "finiteintrangeconstant" => {
                let (sort, colour) = self.range_constant(raw, expected)?;
                (sort, TermKind::Constant(colour))
            }
            "dotconstant" => (
                self.dot(),
                TermKind::Constant(lariat_model::coloured::Colour(0)),
            ),
            "all" => (self.sort(raw.only()?)?, TermKind::All),
            "empty" => {
                let sort = self.sort(raw.only()?)?;
                (sort, TermKind::Add(Vec::new()))
            }
            "tuple" => {
                let tuple = self.tuple_term(raw, expected)?;
                (tuple.sort, tuple.kind)
            }
            "numberof" => {
                let (count, of) = raw.both()?;
                let count = count_of(count)?;
                let of = self.term(of, expected)?;
                (of.sort, TermKind::Scaled(count, Box::new(of)))
            }
            "add" => {
                let (sort, terms) = self.operands(raw, expected)?;
                (sort, TermKind::Add(flat(terms)))
            }
            "subtract" => {
                let (sort, terms) = self.operands(raw, expected)?;
                (sort, TermKind::Subtract(terms))
            }
            "successor" => {
                let of = self.cyclic_colour(raw, expected)?;
                (of.sort, TermKind::Successor(Box::new(of)))
            }
            "predecessor" => {
                let of = self.cyclic_colour(raw, expected)?;
                (of.sort, TermKind::Predecessor(Box::new(of)))
            }
            other => {
                return Err(raw
                    .error(format!("unknown term <{other}>"))
                    .help("expected variable, useroperator, finiteintrangeconstant, dotconstant, all, empty, tuple, numberof, add, subtract, successor or predecessor"));
            }
        };
        match expected {
            Some(expected) if expected != sort => Err(self.wrong_sort(raw, sort, expected)),
            _ => Ok(Term { sort, kind }),
        }
    }

    /// Resolves the operand of `<successor>` or `<predecessor>`.
    fn cyclic_colour(&mut self, raw: &RawElement<'a>, expected: Option<SortId>) -> XmlResult<Term> {
        let term = self.colour(raw.only()?, expected)?;
        let sort = self.net.sort(term.sort);
        if matches!(sort.kind, SortKind::Enumeration { cyclic: true, .. }) {
            return Ok(term);
        }
        Err(raw.error(format!(
            "the sort `{}` is no cyclic enumeration, so its colours have no <{}>",
            sort.name,
            raw.name()
        )))
    }

    /// Resolves a term that is a single colour.
    fn colour(&mut self, raw: &RawElement<'a>, expected: Option<SortId>) -> XmlResult<Term> {
        let term = self.term(raw, expected)?;
        if term.is_colour() {
            return Ok(term);
        }
        Err(raw.error(format!("<{}> where one colour is expected", raw.name())))
    }

    /// Resolves the operands of a sum or difference, all of one sort.
    fn operands(
        &mut self,
        raw: &RawElement<'a>,
        mut expected: Option<SortId>,
    ) -> XmlResult<(SortId, Vec<Term>)> {
        let mut terms = Vec::with_capacity(raw.children.len());
        for child in raw.some()? {
            let term = self.term(child, expected)?;
            expected = Some(term.sort);
            terms.push(term);
        }
        // There is at least one.
        let sort = expected.unwrap_or(SortId(0));
        Ok((sort, terms))
    }

    fn tuple_term(&mut self, raw: &RawElement<'a>, expected: Option<SortId>) -> XmlResult<Term> {
        let children = raw.some()?;
        if let [only] = children {
            return self.term(only, expected);
        }
        let parts = match expected.map(|sort| &self.net.sort(sort).kind) {
            Some(SortKind::Product(parts)) if parts.len() == children.len() => Some(parts.clone()),
            Some(kind) => {
                let components = match kind {
                    SortKind::Product(parts) => parts.len(),
                    _ => 1,
                };
                let name = expected.map_or("", |sort| &*self.net.sort(sort).name);
                return Err(raw.error(format!(
                    "a tuple of {}: expected a colour of `{name}`, which has {}",
                    children.len(),
                    counted(components, "component")
                )));
            }
            None => None,
        };
        let mut terms = Vec::with_capacity(children.len());
        for (i, child) in children.iter().enumerate() {
            let part = parts.as_ref().and_then(|parts| parts.get(i).copied());
            terms.push(self.term(child, part)?);
        }
        let sort = match expected {
            Some(sort) => sort,
            None => {
                let parts = terms.iter().map(|term| term.sort).collect();
                self.product(raw, parts, None)?
            }
        };
        Ok(Term {
            sort,
            kind: TermKind::Tuple(terms),
        })
    }

    /// Resolves the condition of a transition.
    pub fn guard(&mut self, raw: &RawElement<'a>) -> XmlResult<TransitionGuard> {
        let comparison = match raw.name() {
            "and" => return Ok(TransitionGuard::And(self.guards(raw.some()?)?)),
            "or" => return Ok(TransitionGuard::Or(self.guards(raw.some()?)?)),
            "not" => {
                let guard = self.guard(raw.only()?)?;
                return Ok(TransitionGuard::Not(Box::new(guard)));
            }
            "imply" => {
                let (left, right) = raw.both()?;
                let left = TransitionGuard::Not(Box::new(self.guard(left)?));
                return Ok(TransitionGuard::Or(vec![left, self.guard(right)?]));
            }
            "booleanconstant" => {
                let value = raw.attribute("value")?;
                return match &*value.value {
                    "true" => Ok(TransitionGuard::And(Vec::new())),
                    "false" => Ok(TransitionGuard::Or(Vec::new())),
                    _ => Err(value.error("expected `true` or `false`")),
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
                    .error(format!("unknown condition <{other}>"))
                    .help("expected and, or, not, imply, equality, inequality, lessthan, lessthanorequal, greaterthan or greaterthanorequal"));
            }
        };
        let (left, right) = raw.both()?;
        let left = self.colour(left, None)?;
        let right = self.colour(right, Some(left.sort))?;
        let ordered = !matches!(comparison, Comparison::Eq | Comparison::Ne);
        if ordered && matches!(self.net.sort(left.sort).kind, SortKind::Product(_)) {
            return Err(raw
                .error(format!("<{}> of tuples", raw.name()))
                .help("expected colours of an enumeration or a range; tuples are equal or not"));
        }
        Ok(TransitionGuard::Compare(comparison, left, right))
    }

    fn guards(&mut self, raws: &[RawElement<'a>]) -> XmlResult<Vec<TransitionGuard>> {
        raws.iter().map(|raw| self.guard(raw)).collect()
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

fn count_of(raw: &RawElement<'_>) -> XmlResult<u64> {
    if raw.name() != "numberconstant" {
        return Err(raw.error(format!(
            "<{}> where a number is expected: numberconstant",
            raw.name()
        )));
    }
    let value = super::declare::integer(raw, "value")?;
    u64::try_from(value).map_err(|_| raw.error("the number is negative"))
}
