//! A simpler formula for this net.
//!
//! - Atoms with the same canonical form ([`crate::canonical`]) are one atom, or its negation.
//! - Constant atoms are replaced by their values.
//! - If every run is finite and dead markings are repeated, each run ends in one letter that is repeated for ever, with nothing enabled and
//!   nothing taken. A part that is both eventual and universal has the same value at all positions of a run, so it has the value that it has there:
//!   its temporal operators go, as `F G` of what is left, and its atoms about enabled and taken events have their values.
//!
//! The result agrees with the formula on every run of the net. Not on other words: what is known of the original formula, that it is
//! stutter-invariant, say, has to be asked again of the simpler one.

use crate::Facts;
use crate::facts::Constant;
use crate::resting::at_rest;
use lariat_budget::{Budget, Stop};
use lariat_ltl::{AtomId, Formula, Formulas, Node, classes, on_one_letter, replace, simplify};
use lariat_model::{Deadlock, Predicate, Proposition};
use rustc_hash::FxHashMap;

/// Pairs of atoms that are asked for combinations that cannot be.
const MOST_PAIRS: usize = 66;

/// A formula that is the same on all runs of a net, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simplified {
    /// The simplified formula.
    pub formula: Formula,
    /// The atoms that are constant.
    pub constants: Vec<(AtomId, Constant)>,
    /// Atoms that are others, or their negations if `false`.
    pub same: Vec<(AtomId, AtomId, bool)>,
    /// Was it used that every run is finite?
    pub finite_runs: bool,
}

impl Facts {
    /// Simplifies a formula whose atom `i` means `propositions[i]`.
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
        };
        if self.net.is_none() && self.folded.is_none() {
            return Ok(result);
        }
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

    /// An earlier atom with the same form, and whether it is the same or the opposite.
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

    /// The formula with lasting parts evaluated at the end of a finite run, if all runs are finite and that changes something.
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

    /// Pairs of truth values of the atoms that no position of any run has, for the legal letters of an automaton.
    pub fn exclusions(
        &mut self,
        atoms: &[AtomId],
        propositions: &[Proposition],
        budget: &Budget,
    ) -> Result<Vec<Vec<(AtomId, bool)>>, Stop> {
        let mut found = Vec::new();
        if self.net.is_none() {
            return Ok(found);
        }
        let pairs = atoms
            .iter()
            .enumerate()
            .flat_map(|(i, a)| atoms[i + 1..].iter().map(move |b| (*a, *b)));
        for (a, b) in pairs.take(MOST_PAIRS) {
            let (Some(p), Some(q)) = (propositions.get(a.index()), propositions.get(b.index()))
            else {
                continue;
            };
            for (x, y) in [(true, true), (true, false), (false, true), (false, false)] {
                let cube = [(p.clone(), x), (q.clone(), y)];
                if self.infeasible(&cube, budget)?.is_some() {
                    found.push(vec![(a, x), (b, y)]);
                }
            }
        }
        Ok(found)
    }
}
