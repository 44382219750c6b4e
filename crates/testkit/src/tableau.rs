//! A plain tableau from formulas to generalized Büchi automata, without any reduction.
//!
//! A state is a set of formulas in negation normal form, read as their conjunction. Its expansion
//! consists of literals for the current position and a set for the next position:
//!
//! ```text
//! f U g = g ∨ (f ∧ X(f U g))      f R g = (f ∧ g) ∨ (g ∧ X(f R g))
//! ```
//!
//! Each `U` has a mark; an edge lacks it if it takes the second branch (Couvreur, *On-the-fly
//! verification of linear temporal logic*, 1999). Engines can be tested with this tableau,
//! independently of the project's translation. It is also compared with the oracle, whose closure
//! construction works in the opposite direction.

use crate::formulas::{Ltl, Op1, Op2};
use crate::oracle::{Buchi, BuchiEdge};
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<Ltl>;

/// Returns an automaton of the formula; `None` if it has more than `most` edges.
pub fn buchi(formula: &Ltl, most: usize) -> Option<Buchi> {
    let formula = normal(formula, false);
    let mut untils = Vec::new();
    collect_untils(&formula, &mut untils);
    let mut automaton = Buchi {
        marks: untils.len() as u32,
        initial: vec![0],
        edges: Vec::new(),
    };
    let start = Set::from([formula]);
    let mut states = vec![start.clone()];
    let mut ids = BTreeMap::from([(start, 0)]);
    let mut from = 0;
    while from < states.len() {
        let mut expansion = Expansion {
            untils: &untils,
            most,
            found: BTreeSet::new(),
        };
        let todo = states[from].iter().cloned().collect();
        expansion.split(todo, &mut Set::new(), &Branch::default())?;
        for (guard, marks, next) in expansion.found {
            let fresh = states.len();
            let to = *ids.entry(next.clone()).or_insert(fresh);
            if to == fresh {
                states.push(next);
            }
            automaton.edges.push(BuchiEdge {
                from,
                guard,
                marks,
                to,
            });
        }
        if automaton.edges.len() > most {
            return None;
        }
        from += 1;
    }
    Some(automaton)
}

/// Returns the negation normal form over literals, `∧ ∨ X U R`.
fn normal(formula: &Ltl, negate: bool) -> Ltl {
    let two = |op, f, g| Ltl::Binary(op, Box::new(f), Box::new(g));
    let swap = |positive, negative| if negate { negative } else { positive };
    match formula {
        Ltl::Const(b) => Ltl::Const(*b != negate),
        Ltl::Atom(_) if negate => formula.negated(),
        Ltl::Atom(_) => formula.clone(),
        Ltl::Unary(op, f) => match op {
            Op1::Not => normal(f, !negate),
            Op1::Next => Ltl::Unary(Op1::Next, Box::new(normal(f, negate))),
            Op1::Finally => two(
                swap(Op2::Until, Op2::Release),
                Ltl::Const(!negate),
                normal(f, negate),
            ),
            Op1::Globally => two(
                swap(Op2::Release, Op2::Until),
                Ltl::Const(negate),
                normal(f, negate),
            ),
        },
        Ltl::Binary(op, f, g) => {
            let (yes, no) = (
                |x: &Ltl, flip: bool| normal(x, negate != flip),
                |x: &Ltl| normal(x, true),
            );
            match op {
                Op2::And => two(swap(Op2::And, Op2::Or), yes(f, false), yes(g, false)),
                Op2::Or => two(swap(Op2::Or, Op2::And), yes(f, false), yes(g, false)),
                Op2::Implies => two(swap(Op2::Or, Op2::And), yes(f, true), yes(g, false)),
                Op2::Iff | Op2::Xor => {
                    let same = (*op == Op2::Iff) != negate;
                    let positive = |x: &Ltl| normal(x, false);
                    let (left, right) = if same {
                        (
                            two(Op2::And, positive(f), positive(g)),
                            two(Op2::And, no(f), no(g)),
                        )
                    } else {
                        (
                            two(Op2::And, positive(f), no(g)),
                            two(Op2::And, no(f), positive(g)),
                        )
                    };
                    two(Op2::Or, left, right)
                }
                Op2::Until => two(swap(Op2::Until, Op2::Release), yes(f, false), yes(g, false)),
                Op2::Release => two(swap(Op2::Release, Op2::Until), yes(f, false), yes(g, false)),
                // f W g = g R (f ∨ g)
                Op2::WeakUntil => two(
                    swap(Op2::Release, Op2::Until),
                    yes(g, false),
                    two(swap(Op2::Or, Op2::And), yes(f, false), yes(g, false)),
                ),
                // f M g = g U (f ∧ g)
                Op2::StrongRelease => two(
                    swap(Op2::Until, Op2::Release),
                    yes(g, false),
                    two(swap(Op2::And, Op2::Or), yes(f, false), yes(g, false)),
                ),
            }
        }
    }
}

fn collect_untils(formula: &Ltl, untils: &mut Vec<Ltl>) {
    if matches!(formula, Ltl::Binary(Op2::Until, ..)) && !untils.contains(formula) {
        untils.push(formula.clone());
    }
    for child in formula.children() {
        collect_untils(child, untils);
    }
}

#[derive(Clone, Default)]
struct Branch {
    literals: BTreeMap<usize, bool>,
    next: Set,
    postponed: u64,
}

impl Branch {
    fn later(&self, formula: &Ltl) -> Branch {
        let mut branch = self.clone();
        if *formula != Ltl::Const(true) {
            branch.next.insert(formula.clone());
        }
        branch
    }
}

/// A guard, marks, and the set for the next position.
type TableauEdge = (Vec<(usize, bool)>, u64, Set);

struct Expansion<'a> {
    untils: &'a [Ltl],
    most: usize,
    found: BTreeSet<TableauEdge>,
}

impl Expansion<'_> {
    /// Expands the formulas in `todo`; `None` if there are too many branches.
    fn split(&mut self, mut todo: Vec<Ltl>, done: &mut Set, branch: &Branch) -> Option<()> {
        let Some(formula) = todo.pop() else {
            let all = (1u64 << self.untils.len()) - 1;
            let guard = branch.literals.iter().map(|(a, v)| (*a, *v)).collect();
            self.found
                .insert((guard, all & !branch.postponed, branch.next.clone()));
            return (self.found.len() <= self.most).then_some(());
        };
        if !done.insert(formula.clone()) {
            return self.split(todo, done, branch);
        }
        let with = |more: &[&Ltl]| {
            let more = more.iter().map(|f| (*f).clone());
            todo.iter().cloned().chain(more).collect::<Vec<Ltl>>()
        };
        let mut literal = |expansion: &mut Self, atom, value| {
            let mut branch = branch.clone();
            match branch.literals.insert(atom, value) {
                Some(before) if before != value => Some(()),
                _ => expansion.split(todo.clone(), done, &branch),
            }
        };
        match &formula {
            Ltl::Const(false) => Some(()),
            Ltl::Const(true) => self.split(todo, done, branch),
            Ltl::Atom(a) => literal(self, *a, true),
            Ltl::Unary(Op1::Not, f) => match **f {
                Ltl::Atom(a) => literal(self, a, false),
                _ => unreachable!("negations stand before atoms"),
            },
            Ltl::Unary(_, f) => self.split(todo, done, &branch.later(f)),
            Ltl::Binary(op, f, g) => match op {
                Op2::And => self.split(with(&[f, g]), done, branch),
                Op2::Or => {
                    self.split(with(&[f]), &mut done.clone(), branch)?;
                    self.split(with(&[g]), done, branch)
                }
                Op2::Until => {
                    self.split(with(&[g]), &mut done.clone(), branch)?;
                    let mut later = branch.later(&formula);
                    let mark = self.untils.iter().position(|u| *u == formula);
                    later.postponed |= mark.map_or(0, |m| 1 << m);
                    self.split(with(&[f]), done, &later)
                }
                _ => {
                    self.split(with(&[f, g]), &mut done.clone(), branch)?;
                    self.split(with(&[g]), done, &branch.later(&formula))
                }
            },
        }
    }
}
