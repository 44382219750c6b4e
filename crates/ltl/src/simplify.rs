//! Simplification: an equivalent formula that gives a smaller automaton.
//!
//! The formula is converted to negation normal form and rebuilt bottom-up; the rules of [`rules`]
//! and [`conjunction`] are applied to every node with simplified operands. The rules are published
//! ones: Somenzi and Bloem (*Efficient Büchi automata from LTL formulae*, CAV 2000) for those that
//! need an implication, decided by [`implication`]; Etessami and Holzmann (*Optimizing Büchi
//! automata*, CONCUR 2000) for eventual and universal formulas; and rules documented by tools such
//! as Spot.
//!
//! The rules respect duality: each is written once, for `&`, `F`, `X`, `U` and `W`. A node with a
//! dual operator is negated, simplified, and negated back. On hash-consed formulas a negation is a
//! table lookup after its first computation.
//!
//! One aspect is not dual: a nondeterministic automaton needs a waiting state for each disjunct,
//! but not for a conjunct. The last pass, [`gather`], therefore merges disjunctions.
//!
//! Results are memoized, so equal subformulas are simplified once. Rules may simplify other nodes
//! up to a bounded depth; a recursive request for a node that is being simplified returns the node
//! itself. Conjunctions of more than [`WIDE`] operands skip the rules that compare operands
//! pairwise, and implications have a bound on their total effort, so huge formulas remain mostly
//! unchanged.

mod conjunction;
mod context;
mod gather;
mod implication;
mod rules;

use rustc_hash::FxHashMap;

use crate::classes::{Classes, classify};
use crate::formula::{Formula, Formulas, Node};
use crate::nnf::nnf;
use crate::replace::rebuild;

/// Maximum width of conjunctions and disjunctions for rules that compare operands pairwise.
const WIDE: usize = 64;

/// Maximum recursion depth of rules.
const DEPTH: usize = 64;

/// Maximum number of passes over the formula while it changes.
const ROUNDS: usize = 6;

/// A simplified equivalent formula in negation normal form; see [`Simplifier`] for several
/// formulas.
pub fn simplify(formulas: &mut Formulas, f: Formula) -> Formula {
    Simplifier::new().simplify(formulas, f)
}

/// A simplifier for formulas of one store that memoizes its results.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    simple: FxHashMap<Formula, Formula>,
    negations: FxHashMap<Formula, Formula>,
    classes: FxHashMap<Formula, Classes>,
    implications: FxHashMap<(Formula, Formula), bool>,
    depth: usize,
    effort: usize,
}

impl Simplifier {
    /// A simplifier without results. It may be used with one store only.
    pub fn new() -> Simplifier {
        Simplifier::default()
    }

    /// A simplified equivalent formula in negation normal form.
    pub fn simplify(&mut self, s: &mut Formulas, f: Formula) -> Formula {
        self.effort = 0;
        let mut f = nnf(s, f, false);
        for _ in 0..ROUNDS {
            let before = f;
            let mut simple: FxHashMap<Formula, Formula> = FxHashMap::default();
            for g in s.subformulas(f) {
                let node = s.node(g).clone();
                let rebuilt = rebuild(s, g, &node, |h| simple[&h]);
                let result = self.simple(s, rebuilt);
                simple.insert(g, result);
            }
            f = simple[&f];
            if f == before {
                break;
            }
        }
        gather::gather(s, f)
    }

    /// Returns whether `f` implies `g` by the syntactic rules; `false` means unknown.
    pub fn implies(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> bool {
        self.effort = 0;
        let (f, g) = (nnf(s, f, false), nnf(s, g, false));
        self.implied(s, f, g, 0)
    }

    /// The classes of `f`.
    fn class(&mut self, s: &Formulas, f: Formula) -> Classes {
        let mut stack = vec![f];
        while let Some(&g) = stack.last() {
            let node = s.node(g);
            let ready = stack.len();
            let known = &mut self.classes;
            if !known.contains_key(&g) {
                stack.extend(node.children().iter().filter(|h| !known.contains_key(h)));
            }
            if stack.len() == ready {
                if !known.contains_key(&g) {
                    let class = classify(node, |h| known[&h]);
                    known.insert(g, class);
                }
                stack.pop();
            }
        }
        self.classes[&f]
    }

    /// The negation of `f`, again in negation normal form.
    fn not(&mut self, s: &mut Formulas, f: Formula) -> Formula {
        let mut stack = vec![f];
        while let Some(&g) = stack.last() {
            if self.negations.contains_key(&g) {
                stack.pop();
                continue;
            }
            let node = s.node(g).clone();
            let ready = stack.len();
            if !matches!(node, Node::Not(_)) {
                let known = &self.negations;
                stack.extend(node.children().iter().filter(|h| !known.contains_key(h)));
            }
            if stack.len() > ready {
                continue;
            }
            let no = |h: &Formula| self.negations[h];
            let negation = match &node {
                Node::True => Formulas::FALSE,
                Node::False => Formulas::TRUE,
                Node::Atom(_) => s.not(g),
                Node::Not(h) => *h,
                Node::And(hs) => s.or(hs.iter().map(no)),
                Node::Or(hs) => s.and(hs.iter().map(no)),
                Node::Next(h) => s.next(no(h)),
                Node::Finally(h) => s.globally(no(h)),
                Node::Globally(h) => s.finally(no(h)),
                Node::Until([h, k]) => s.release(no(h), no(k)),
                Node::Release([h, k]) => s.until(no(h), no(k)),
                Node::WeakUntil([h, k]) => s.strong_release(no(h), no(k)),
                Node::StrongRelease([h, k]) => s.weak_until(no(h), no(k)),
                Node::Implies(_) | Node::Iff(_) | Node::Xor(_) => {
                    unreachable!("not in negation normal form")
                }
            };
            self.negations.insert(g, negation);
            self.negations.insert(negation, g);
        }
        self.negations[&f]
    }

    /// The simplified form of a node with simplified operands.
    fn simple(&mut self, s: &mut Formulas, f: Formula) -> Formula {
        if let Some(&known) = self.simple.get(&f) {
            return known;
        }
        if self.depth > DEPTH {
            return f;
        }
        self.depth += 1;
        self.simple.insert(f, f);
        let result = match s.node(f).clone() {
            Node::And(fs) => self.rules_and(s, &fs),
            Node::Next(g) => self.rules_next(s, g),
            Node::Finally(g) => self.rules_finally(s, g),
            Node::Until([g, h]) => self.rules_until(s, g, h),
            Node::WeakUntil([g, h]) => self.rules_weak_until(s, g, h),
            Node::Or(_) | Node::Globally(_) | Node::Release(_) | Node::StrongRelease(_) => {
                let dual = self.not(s, f);
                let result = self.simple(s, dual);
                Some(self.not(s, result))
            }
            _ => None,
        };
        self.depth -= 1;
        let result = result.unwrap_or(f);
        self.simple.insert(f, result);
        result
    }

    // Constructors of simplified nodes from simplified operands.

    fn and(&mut self, s: &mut Formulas, fs: impl IntoIterator<Item = Formula>) -> Formula {
        let f = s.and(fs);
        self.simple(s, f)
    }

    fn or(&mut self, s: &mut Formulas, fs: impl IntoIterator<Item = Formula>) -> Formula {
        let f = s.or(fs);
        self.simple(s, f)
    }

    fn next(&mut self, s: &mut Formulas, f: Formula) -> Formula {
        let f = s.next(f);
        self.simple(s, f)
    }

    fn finally(&mut self, s: &mut Formulas, f: Formula) -> Formula {
        let f = s.finally(f);
        self.simple(s, f)
    }

    fn globally(&mut self, s: &mut Formulas, f: Formula) -> Formula {
        let f = s.globally(f);
        self.simple(s, f)
    }

    fn until(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Formula {
        let f = s.until(f, g);
        self.simple(s, f)
    }

    fn release(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Formula {
        let f = s.release(f, g);
        self.simple(s, f)
    }

    fn weak_until(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Formula {
        let f = s.weak_until(f, g);
        self.simple(s, f)
    }

    fn strong_release(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Formula {
        let f = s.strong_release(f, g);
        self.simple(s, f)
    }
}

/// The conjuncts of `f`, or `f` itself if it is not a conjunction.
fn conjuncts(s: &Formulas, f: Formula) -> Vec<Formula> {
    match s.node(f) {
        Node::And(fs) => fs.to_vec(),
        _ => vec![f],
    }
}

/// The disjuncts of `f`, or `f` itself if it is not a disjunction.
fn disjuncts(s: &Formulas, f: Formula) -> Vec<Formula> {
    match s.node(f) {
        Node::Or(fs) => fs.to_vec(),
        _ => vec![f],
    }
}
