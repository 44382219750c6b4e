//! The values of a formula's parts along a run, and its text divided into parts.

use crate::run::DrawnRun;
use crate::share::Poll;
use crate::why::{Explanation, Why};
use lariat_budget::{Budget, Stop};
use lariat_ltl::{AtomId, Formula, Formulas, Node, Syntax, print, truth};
use lariat_model::{Predicate, Proposition, System};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

/// The store of formulas with the meanings of atoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtomMeanings<'a> {
    pub system: &'a System,
    pub formulas: &'a Formulas,
    pub propositions: &'a [Proposition],
    pub budget: &'a Budget,
}

/// The parts of a formula with their values, operands first, and an explanation of the whole.
type Rows = (Vec<(Formula, String)>, Vec<Explanation>);

/// Limit on the subformulas that are shown.
const MOST_PARTS: usize = 80;

impl AtomMeanings<'_> {
    /// The value of an atom at a position; `None` for a fired event at the end of a finite run.
    fn holds(&self, run: &DrawnRun, position: usize, atom: AtomId) -> Option<bool> {
        match self.propositions.get(atom.index())? {
            Proposition::State(predicate) => {
                Some(self.system.holds(predicate, &run.states[position]))
            }
            Proposition::Fires(events) => {
                let event = run.events.get(position)?;
                Some(event.is_some_and(|event| events.contains(&event)))
            }
        }
    }

    /// The values of an atom at all positions.
    fn values(&self, run: &DrawnRun, atom: AtomId) -> Result<Vec<Option<bool>>, Stop> {
        let mut poll = Poll::new(self.budget);
        let work = match self.propositions.get(atom.index()) {
            Some(Proposition::State(predicate)) => size(predicate),
            _ => 1,
        };
        let value = |i| {
            poll.spend(work)?;
            Ok(self.holds(run, i, atom))
        };
        (0..run.positions()).map(value).collect()
    }

    /// The values of an atom, one character per position: 1, 0, or ? if unknown.
    pub fn atom_row(&self, run: &DrawnRun, atom: AtomId) -> Result<String, Stop> {
        Ok(text(&self.values(run, atom)?))
    }

    /// The values of all parts of a formula, and an explanation.
    pub fn rows(&self, run: &DrawnRun, f: Formula) -> Result<Rows, Stop> {
        let parts = self.formulas.subformulas(f);
        let mut atoms = FxHashMap::default();
        for atom in self.formulas.atoms_of(f) {
            atoms.insert(atom, self.values(run, atom)?);
        }
        let explain = |value: &dyn Fn(Formula, usize) -> Option<bool>| {
            let why = Why {
                formulas: self.formulas,
                value,
                cycle: run.is_infinite().then_some(run.prefix),
                positions: run.positions(),
            };
            why.explain(f)
        };
        if !run.is_infinite() {
            let rows = self.finite(run, &parts, &atoms)?;
            let why = explain(&|part, i| rows.get(&part)?.get(i).copied().flatten());
            let rows = parts.iter().map(|part| (*part, text(&rows[part])));
            return Ok((rows.collect(), why));
        }
        let (prefix, positions) = (run.prefix, run.positions());
        let truth = truth(self.formulas, f, prefix, positions - prefix, |i, atom| {
            atoms[&atom][i] == Some(true)
        });
        let mut poll = Poll::new(self.budget);
        let mut rows = Vec::with_capacity(parts.len());
        for part in parts {
            poll.spend(positions)?;
            let row = (0..positions).map(|i| digit(truth.at(part, i))).collect();
            rows.push((part, row));
        }
        Ok((rows, explain(&|part, i| truth.at(part, i))))
    }

    /// The values that hold for every continuation of a finite run (Kleene's three-valued logic).
    fn finite(
        &self,
        run: &DrawnRun,
        parts: &[Formula],
        atoms: &FxHashMap<AtomId, Vec<Option<bool>>>,
    ) -> Result<FxHashMap<Formula, Vec<Option<bool>>>, Stop> {
        let count = run.positions();
        let mut poll = Poll::new(self.budget);
        let mut rows: FxHashMap<Formula, Vec<Option<bool>>> = FxHashMap::default();
        for part in parts {
            let node = self.formulas.node(*part);
            poll.spend(count * (1 + node.children().len()))?;
            let mut row = vec![None; count];
            for i in (0..count).rev() {
                let at = |f: &Formula, i: usize| rows.get(f)?.get(i).copied().flatten();
                let next = row.get(i + 1).copied().flatten();
                row[i] = match node {
                    Node::True => Some(true),
                    Node::False => Some(false),
                    Node::Atom(atom) => atoms[atom][i],
                    Node::Not(h) => at(h, i).map(|x| !x),
                    Node::And(hs) => hs.iter().map(|h| at(h, i)).reduce(and).flatten(),
                    Node::Or(hs) => hs.iter().map(|h| at(h, i)).reduce(or).flatten(),
                    Node::Implies([h, k]) => or(at(h, i).map(|x| !x), at(k, i)),
                    Node::Iff([h, k]) => at(h, i).zip(at(k, i)).map(|(x, y)| x == y),
                    Node::Xor([h, k]) => at(h, i).zip(at(k, i)).map(|(x, y)| x != y),
                    Node::Next(h) => at(h, i + 1),
                    Node::Finally(h) => or(at(h, i), next),
                    Node::Globally(h) => and(at(h, i), next),
                    Node::Until([h, k]) | Node::WeakUntil([h, k]) => {
                        or(at(k, i), and(at(h, i), next))
                    }
                    Node::Release([h, k]) | Node::StrongRelease([h, k]) => {
                        and(at(k, i), or(at(h, i), next))
                    }
                };
            }
            rows.insert(*part, row);
        }
        Ok(rows)
    }

    /// The parts of a formula for the page, atoms first; and its text as tokens, in which a list
    /// with one number opens a part and 0 closes it.
    pub fn parts(
        &self,
        f: Formula,
        rows: &[(Formula, String)],
        live: bool,
    ) -> (Vec<Json>, Vec<Json>) {
        let is_atom = |f: &Formula| matches!(self.formulas.node(*f), Node::Atom(_));
        let constant = |f: &Formula| matches!(self.formulas.node(*f), Node::True | Node::False);
        let mut kept: Vec<&(Formula, String)> = rows.iter().filter(|(f, _)| is_atom(f)).collect();
        let text = print(self.formulas, f, Syntax::Full);
        kept.sort_by_key(|(atom, _)| text.find(&print(self.formulas, *atom, Syntax::Full)));
        let others = rows
            .iter()
            .rev()
            .filter(|(f, _)| !is_atom(f) && !constant(f));
        kept.extend(others.take(MOST_PARTS));
        let parts = kept.iter().map(|(part, row)| {
            let rule = match self.formulas.node(*part) {
                Node::Atom(atom) if live => self
                    .propositions
                    .get(atom.index())
                    .map(super::rules::proposition),
                _ => None,
            };
            let text = print(self.formulas, *part, Syntax::Full);
            json!({"text": text, "row": row, "atom": is_atom(part), "rule": rule})
        });
        let number = |f: Formula| kept.iter().position(|(part, _)| *part == f);
        (parts.collect(), self.tokens(f, &number))
    }

    fn tokens(&self, f: Formula, number: &dyn Fn(Formula) -> Option<usize>) -> Vec<Json> {
        enum Piece {
            Text(String),
            Open(Formula),
            Close,
        }
        let mut tokens = Vec::new();
        let mut stack = vec![Piece::Open(f)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => tokens.push(Json::from(text)),
                Piece::Close => tokens.push(Json::from(0)),
                Piece::Open(f) => {
                    if let Some(number) = number(f) {
                        tokens.push(json!([number]));
                        stack.push(Piece::Close);
                    }
                    let at = stack.len();
                    let node = self.formulas.node(f);
                    let (open, between, close) = shape(node);
                    let children = node.children();
                    if children.is_empty() {
                        stack.push(Piece::Text(print(self.formulas, f, Syntax::Full)));
                        continue;
                    }
                    stack.push(Piece::Text(open.to_owned()));
                    for (i, child) in children.iter().enumerate() {
                        if i > 0 {
                            stack.push(Piece::Text(between.to_owned()));
                        }
                        stack.push(Piece::Open(*child));
                    }
                    stack.push(Piece::Text(close.to_owned()));
                    stack[at..].reverse();
                }
            }
        }
        tokens
    }
}

/// The texts before, between and after the operands.
fn shape(node: &Node) -> (&'static str, &'static str, &'static str) {
    match node {
        Node::True | Node::False | Node::Atom(_) => ("", "", ""),
        Node::Not(_) => ("!", "", ""),
        Node::Next(_) => ("X ", "", ""),
        Node::Finally(_) => ("F ", "", ""),
        Node::Globally(_) => ("G ", "", ""),
        Node::And(_) => ("(", " & ", ")"),
        Node::Or(_) => ("(", " | ", ")"),
        Node::Implies(_) => ("(", " -> ", ")"),
        Node::Iff(_) => ("(", " <-> ", ")"),
        Node::Xor(_) => ("(", " xor ", ")"),
        Node::Until(_) => ("(", " U ", ")"),
        Node::Release(_) => ("(", " R ", ")"),
        Node::WeakUntil(_) => ("(", " W ", ")"),
        Node::StrongRelease(_) => ("(", " M ", ")"),
    }
}

/// The work to evaluate a predicate, roughly.
fn size(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::Linear(linear) => 1 + linear.terms.len(),
        Predicate::Enabled(events) => 1 + 4 * events.len(),
        Predicate::Deadlock => 64,
        Predicate::Not(p) => 1 + size(p),
        Predicate::And(ps) | Predicate::Or(ps) => 1 + ps.iter().map(size).sum::<usize>(),
        Predicate::Const(_) | Predicate::Expr(_) => 4,
    }
}

fn text(row: &[Option<bool>]) -> String {
    row.iter().copied().map(digit).collect()
}

fn digit(truth: Option<bool>) -> char {
    match truth {
        Some(true) => '1',
        Some(false) => '0',
        None => '?',
    }
}

fn and(x: Option<bool>, y: Option<bool>) -> Option<bool> {
    match (x, y) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(x: Option<bool>, y: Option<bool>) -> Option<bool> {
    and(x.map(|x| !x), y.map(|y| !y)).map(|x| !x)
}
