//! Simplification of a formula for one net.
//!
//! - Atoms with the same canonical form ([`crate::canonical`]) become one atom, or its negation.
//! - Constant atoms are replaced by their values.
//! - What the initial marking decides is replaced by its value ([`crate::start`]).
//! - If every run is finite and dead markings are repeated, each run ends in one letter that
//!   repeats infinitely often, with no event enabled or fired. A subformula that is both eventual
//!   and universal always has its value on that last letter. It becomes `F G` of its body without
//!   temporal operators, and its atoms about events become constants.
//!
//! The result agrees with the formula on every run of the net, but not on other words. Properties
//! of the original formula, such as stutter invariance, must be determined again.

use crate::Facts;
use crate::facts::Constant;
use crate::resting::at_rest;
use crate::start::at_start;
use lariat_budget::{Budget, Stop};
use lariat_ltl::{AtomId, Formula, Formulas, Node, classes, on_one_letter, replace, simplify};
use lariat_model::{Deadlock, Predicate, Proposition};
use rustc_hash::FxHashMap;

/// A formula equivalent to another on all runs of a net, with the facts used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simplified {
    /// The simplified formula.
    pub formula: Formula,
    /// The constant atoms.
    pub constants: Vec<(AtomId, Constant)>,
    /// Atoms replaced by an earlier atom, or by its negation if `false`.
    pub same: Vec<(AtomId, AtomId, bool)>,
    /// True if the rule for finite runs was used.
    pub finite_runs: bool,
    /// True if the initial marking decides a part of the formula.
    pub at_start: bool,
}

impl Facts {
    /// Simplifies a formula in which atom `i` means `propositions[i]`.
    pub fn simplify(
        &mut self,
        formulas: &mut Formulas,
        formula: Formula,
        propositions: &[Proposition],
        deadlock: Deadlock,
        budget: &Budget,
    ) -> Result<Simplified, Stop> {
        let mut result = Simplified {
            formula: simplify(formulas, formula),
            constants: Vec::new(),
            same: Vec::new(),
            finite_runs: false,
            at_start: false,
        };
        if self.net.is_none() && self.folded.is_none() {
            return Ok(result);
        }
        self.begin_at_start(formulas, &mut result, propositions);
        let mut values: FxHashMap<AtomId, Formula> = FxHashMap::default();
        let mut first: FxHashMap<Predicate, (AtomId, bool)> = FxHashMap::default();
        for atom in formulas.atoms_of(result.formula) {
            let Some(proposition) = propositions.get(atom.index()) else {
                continue;
            };
            if let Some((other, sign)) = self.equal_atom(proposition, atom, &mut first) {
                let whole = formulas.atom(other);
                let value = values.get(&other).copied().unwrap_or(whole);
                values.insert(atom, if sign { value } else { formulas.not(value) });
                result.same.push((atom, other, sign));
            } else if let Some(constant) = self.constant(proposition, budget)? {
                values.insert(atom, formulas.constant(constant.value));
                result.constants.push((atom, constant));
            }
        }
        if !values.is_empty() {
            let folded = replace(formulas, result.formula, |s, g| match s.node(g) {
                Node::Atom(atom) => values.get(atom).copied(),
                _ => None,
            });
            result.formula = simplify(formulas, folded);
            self.begin_at_start(formulas, &mut result, propositions);
        }
        if deadlock == Deadlock::Stutter {
            let limit = self.at_the_end(formulas, result.formula, propositions, budget)?;
            if let Some(limit) = limit {
                result.formula = limit;
                result.finite_runs = true;
            }
        }
        Ok(result)
    }

    /// Replaces what the initial marking decides.
    fn begin_at_start(
        &self,
        formulas: &mut Formulas,
        result: &mut Simplified,
        propositions: &[Proposition],
    ) {
        let Some(net) = &self.net else {
            return;
        };
        let begun = at_start(net, formulas, result.formula, propositions);
        if begun != result.formula {
            result.formula = simplify(formulas, begun);
            result.at_start = true;
        }
    }

    /// An earlier atom with the same canonical form; `false` if it is the negation.
    fn equal_atom(
        &self,
        proposition: &Proposition,
        atom: AtomId,
        first: &mut FxHashMap<Predicate, (AtomId, bool)>,
    ) -> Option<(AtomId, bool)> {
        let (Some(net), Proposition::State(predicate)) = (&self.net, proposition) else {
            return None;
        };
        let (form, sign) = net.canonical(predicate);
        match first.get(&form) {
            Some((other, other_sign)) => Some((*other, sign == *other_sign)),
            None => {
                first.insert(form, (atom, sign));
                None
            }
        }
    }

    /// Evaluates eventual and universal subformulas at the end of finite runs.
    fn at_the_end(
        &mut self,
        formulas: &mut Formulas,
        formula: Formula,
        propositions: &[Proposition],
        budget: &Budget,
    ) -> Result<Option<Formula>, Stop> {
        let lasting = |s: &Formulas, g: Formula| {
            let class = classes(s, g);
            class.eventual && class.universal && g != Formulas::TRUE && g != Formulas::FALSE
        };
        let parts = formulas.subformulas(formula);
        if !parts.iter().any(|g| lasting(formulas, *g)) || self.terminates(budget)?.is_none() {
            return Ok(None);
        }
        let resting = |s: &mut Formulas, g: Formula| {
            let Node::Atom(atom) = *s.node(g) else {
                return None;
            };
            let value = match propositions.get(atom.index())? {
                Proposition::Fires(_) => Some(false),
                Proposition::State(predicate) => at_rest(predicate),
            };
            value.map(|value| s.constant(value))
        };
        let ended = replace(formulas, formula, |s, g| {
            lasting(s, g).then(|| {
                let body = on_one_letter(s, g);
                let body = replace(s, body, resting);
                let always = s.globally(body);
                s.finally(always)
            })
        });
        let ended = simplify(formulas, ended);
        Ok((ended != formula).then_some(ended))
    }
}
