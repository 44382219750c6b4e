//! Syntactic implication between formulas.
//!
//! Somenzi and Bloem's rules, extended by eventual and universal formulas. Three kinds:
//!
//! - at the current position: G f → f, f U g → h if f → h and g → h, f → g U h if f → h, …
//! - eventually or always: F f → e if f → e and e is eventual; u → G f if u → f and u is universal;
//!   …
//! - monotonicity. All fixpoint operators are (weak or strong) untils: F g = true U g, G f = f W
//!   false, f R g = g W (f ∧ g), f M g = g U (f ∧ g). An until implies another if left implies
//!   left, right implies right, and the first is strong or the second weak.
//!
//! The test is sound but incomplete. Answers are memoized; depth and total effort are bounded.

use super::Simplifier;
use crate::formula::{Formula, Formulas, Node};

/// Maximum number of levels of both formulas together.
const DEPTH: usize = 60;

/// Maximum number of implication tests while one formula is simplified.
const EFFORT: usize = 2_000_000;

/// A formula in the form of an until.
struct UntilView {
    strong: bool,
    left: Formula,
    /// The conjuncts of the right side, at most two.
    right: [Formula; 2],
}

fn as_until(node: &Node) -> Option<UntilView> {
    let (strong, left, right) = match *node {
        Node::Finally(g) => (true, Formulas::TRUE, [g, g]),
        Node::Globally(f) => (false, f, [Formulas::FALSE; 2]),
        Node::Until([f, g]) => (true, f, [g, g]),
        Node::WeakUntil([f, g]) => (false, f, [g, g]),
        Node::Release([f, g]) => (false, g, [f, g]),
        Node::StrongRelease([f, g]) => (true, g, [f, g]),
        _ => return None,
    };
    Some(UntilView {
        strong,
        left,
        right,
    })
}

impl Simplifier {
    /// Returns whether `f` implies `g`. Both are in negation normal form; `depth` counts levels.
    pub(super) fn implied(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        g: Formula,
        depth: usize,
    ) -> bool {
        if f == g || f == Formulas::FALSE || g == Formulas::TRUE {
            return true;
        }
        if f == Formulas::TRUE || g == Formulas::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        self.effort += 1;
        if depth > DEPTH || self.effort > EFFORT {
            return false;
        }
        let answer = self.decide(s, f, g, depth + 1);
        self.implications.insert((f, g), answer);
        answer
    }

    /// Returns whether `f` implies the negation of `g`.
    pub(super) fn excludes(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> bool {
        let not_g = self.not(s, g);
        self.implied(s, f, not_g, 0)
    }

    fn decide(&mut self, s: &mut Formulas, f: Formula, g: Formula, depth: usize) -> bool {
        let (left, right) = (s.node(f).clone(), s.node(g).clone());
        if let Node::Or(fs) = &left {
            return fs.iter().all(|f| self.implied(s, *f, g, depth));
        }
        if let Node::And(gs) = &right {
            return gs.iter().all(|g| self.implied(s, f, *g, depth));
        }
        if let Node::And(fs) = &left
            && fs.iter().any(|f| self.implied(s, *f, g, depth))
        {
            return true;
        }
        if let Node::Or(gs) = &right
            && gs.iter().any(|g| self.implied(s, f, *g, depth))
        {
            return true;
        }
        self.premise(s, &left, g, depth)
            || self.conclusion(s, f, &right, depth)
            || self.monotone(s, &left, &right, depth)
    }

    /// Rules for the top operator of the premise.
    fn premise(&mut self, s: &mut Formulas, left: &Node, g: Formula, depth: usize) -> bool {
        let eventual = self.class(s, g).eventual;
        let mut implied = |f| self.implied(s, f, g, depth);
        match *left {
            Node::Next(f) | Node::Finally(f) => eventual && implied(f),
            Node::Globally(f) => implied(f),
            Node::Until([f, h]) => implied(h) && (eventual || implied(f)),
            Node::WeakUntil([f, h]) => implied(f) && implied(h),
            Node::Release([_, h]) => implied(h),
            Node::StrongRelease([f, h]) => implied(h) || eventual && implied(f),
            _ => false,
        }
    }

    /// Rules for the top operator of the conclusion.
    fn conclusion(&mut self, s: &mut Formulas, f: Formula, right: &Node, depth: usize) -> bool {
        let universal = self.class(s, f).universal;
        match *right {
            Node::Next(g) | Node::Globally(g) => universal && self.implied(s, f, g, depth),
            Node::Finally(g) => self.implied(s, f, g, depth),
            Node::Until([g, h]) => {
                self.implied(s, f, h, depth)
                    || universal && self.implied(s, f, g, depth) && {
                        let sometime = s.finally(h);
                        self.implied(s, f, sometime, depth)
                    }
            }
            Node::WeakUntil([g, h]) => {
                self.implied(s, f, h, depth) || universal && self.implied(s, f, g, depth)
            }
            Node::Release([g, h]) => {
                self.implied(s, f, h, depth) && (universal || self.implied(s, f, g, depth))
            }
            Node::StrongRelease([g, h]) => {
                self.implied(s, f, h, depth)
                    && (self.implied(s, f, g, depth)
                        || universal && {
                            let sometime = s.finally(g);
                            self.implied(s, f, sometime, depth)
                        })
            }
            _ => false,
        }
    }

    fn monotone(&mut self, s: &mut Formulas, left: &Node, right: &Node, depth: usize) -> bool {
        if let (Node::Next(f), Node::Next(g)) = (left, right) {
            return self.implied(s, *f, *g, depth);
        }
        let (Some(f), Some(g)) = (as_until(left), as_until(right)) else {
            return false;
        };
        (f.strong || !g.strong)
            && self.implied(s, f.left, g.left, depth)
            && g.right
                .iter()
                .all(|r| f.right.iter().any(|l| self.implied(s, *l, *r, depth)))
    }
}
