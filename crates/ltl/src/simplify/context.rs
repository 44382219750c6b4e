//! Simplification in a context of facts.
//!
//! A conjunct only matters where the other conjuncts hold, the left side of an until only where the
//! right side does not: under given facts, a formula may be replaced by any formula that agrees
//! with it wherever the facts hold. Facts about the current position apply below operators that
//! refer to it; facts that always hold apply everywhere.

use rustc_hash::FxHashMap;

use super::conjunction::without;
use super::{Simplifier, WIDE};
use crate::formula::{Formula, Formulas, Node};
use crate::replace::rebuild;

/// Maximum number of subformulas for narrowing by facts that always hold.
const LARGE: usize = 300;

/// Maximum depth of narrowing by facts about the current position.
const DEPTH: usize = 8;

impl Simplifier {
    /// A formula that agrees with `f` wherever all `facts` hold.
    pub(super) fn given(&mut self, s: &mut Formulas, f: Formula, facts: &[Formula]) -> Formula {
        self.given_at(s, f, facts, 0)
    }

    fn given_at(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        facts: &[Formula],
        depth: usize,
    ) -> Formula {
        if depth > DEPTH {
            return f;
        }
        if facts.iter().any(|fact| self.implied(s, *fact, f, 0)) {
            return Formulas::TRUE;
        }
        if facts.iter().any(|fact| self.excludes(s, *fact, f)) {
            return Formulas::FALSE;
        }
        match s.node(f).clone() {
            node @ (Node::And(_) | Node::Or(_)) if node.children().len() <= WIDE => {
                let narrowed = node.children().iter();
                let narrowed = narrowed.map(|g| self.given_at(s, *g, facts, depth + 1));
                let narrowed: Vec<Formula> = narrowed.collect();
                match node {
                    Node::And(_) => self.and(s, narrowed),
                    _ => self.or(s, narrowed),
                }
            }
            // g U h equals h now if g is false now.
            Node::Until([g, h]) | Node::WeakUntil([g, h])
                if facts.iter().any(|fact| self.excludes(s, *fact, g)) =>
            {
                self.given_at(s, h, facts, depth + 1)
            }
            // g R h equals h now if g is true now.
            Node::Release([g, h]) | Node::StrongRelease([g, h])
                if facts.iter().any(|fact| self.implied(s, *fact, g, 0)) =>
            {
                self.given_at(s, h, facts, depth + 1)
            }
            _ => f,
        }
    }

    /// A formula that agrees with `f` wherever all `facts` hold from that position on.
    pub(super) fn given_always(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        facts: &[Formula],
    ) -> Formula {
        let all = s.subformulas(f);
        if all.len() > LARGE || facts.len() > WIDE {
            return f;
        }
        let mut narrowed = FxHashMap::default();
        for g in all {
            let known = if facts.iter().any(|fact| self.implied(s, *fact, g, 0)) {
                Formulas::TRUE
            } else if facts.iter().any(|fact| self.excludes(s, *fact, g)) {
                Formulas::FALSE
            } else {
                let node = s.node(g).clone();
                match rebuild(s, g, &node, |h| narrowed[&h]) {
                    rebuilt if rebuilt == g => g,
                    rebuilt => self.simple(s, rebuilt),
                }
            };
            narrowed.insert(g, known);
        }
        narrowed[&f]
    }

    /// Narrows the operands of a disjunction below `F`: each only matters where the others never
    /// hold.
    pub(super) fn disjuncts_never(&mut self, s: &mut Formulas, fs: &[Formula]) -> Option<Formula> {
        if fs.len() > WIDE {
            return None;
        }
        for (i, &f) in fs.iter().enumerate() {
            let others = without(fs, &[i]);
            let facts: Vec<Formula> = others.iter().map(|g| self.not(s, *g)).collect();
            let narrowed = self.given_always(s, f, &facts);
            if narrowed != f {
                return Some(self.or(s, others.into_iter().chain([narrowed])));
            }
        }
        None
    }
}
