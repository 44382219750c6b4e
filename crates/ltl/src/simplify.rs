//! Simplification: an equivalent formula that gives a smaller automaton.
//!
//! The formula is brought to negation normal form and rebuilt from the leaves up; every node is
//! offered the rules of [`rules`] and [`conjunction`] once its operands are simple. The rules are the published ones:
//! Somenzi and Bloem (*Efficient Büchi automata from LTL formulae*, CAV 2000) for those that
//! need an implication, decided by [`implication`]; Etessami and Holzmann (*Optimizing Büchi automata*, CONCUR
//! 2000) for eventual and universal formulas; and what tools such as Spot document.
//!
//! The language has a duality, and so have the rules: each is written once, for `&`, `F`, `X`, `U`
//! and `W`. A node with one of the dual operators is negated, offered the rules, and negated back.
//! On hash-consed formulas a negation costs a look-up once it has been made.
//!
//! One thing is not dual: a nondeterministic automaton pays for each disjunct with a state to wait in,
//! and for a conjunct it does not. The last pass, [`gather`], therefore draws disjunctions together.
//!
//! Every result is kept, so that equal subformulas are simplified once. Rules may ask for other nodes
//! to be simplified, to a bounded depth; a node that is asked for while it is being simplified stands for
//! itself. Conjunctions of more than [`WIDE`] operands are spared the rules that compare operands in
//! pairs, and implications have a bound on their total effort: huge formulas stay as they are, roughly.

mod conjunction;
mod context;
mod gather;
mod implication;
mod rules;

use rustc_hash::FxHashMap;

use crate::classes::{Classes, classify};
use crate::formula::{Formula, Formulas, Node};
use crate::nnf::nnf;

/// Rules that compare operands in pairs are for conjunctions and disjunctions of at most this width.
const WIDE: usize = 64;

/// Rules ask for further simplification at most this deep.
const DEPTH: usize = 64;

/// The whole formula is gone through again while it changes, but not more often.
const ROUNDS: usize = 6;

/// An equivalent formula in negation normal form, simplified; see [`Simplifier`] for many.
pub fn simplify(formulas: &mut Formulas, f: Formula) -> Formula {
    Simplifier::new().simplify(formulas, f)
}

/// Simplifies formulas of one store and remembers what it found out about them.
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
    /// A simplifier that knows nothing yet. It may be used with one store only.
    pub fn new() -> Simplifier {
        Simplifier::default()
    }

    /// An equivalent formula in negation normal form, simplified.
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

    /// Does `f` imply `g`, as far as a look at the syntax tells?
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

    /// The simplified form of a node whose operands are simplified.
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

    // Simplified nodes, from simplified operands.

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

/// `f`, which is `node`, with other operands.
fn rebuild(
    s: &mut Formulas,
    f: Formula,
    node: &Node,
    with: impl Fn(Formula) -> Formula,
) -> Formula {
    match *node {
        Node::True | Node::False | Node::Atom(_) | Node::Not(_) => f,
        Node::And(ref gs) => s.and(gs.iter().map(|g| with(*g))),
        Node::Or(ref gs) => s.or(gs.iter().map(|g| with(*g))),
        Node::Next(g) => s.next(with(g)),
        Node::Finally(g) => s.finally(with(g)),
        Node::Globally(g) => s.globally(with(g)),
        Node::Until([g, h]) => s.until(with(g), with(h)),
        Node::Release([g, h]) => s.release(with(g), with(h)),
        Node::WeakUntil([g, h]) => s.weak_until(with(g), with(h)),
        Node::StrongRelease([g, h]) => s.strong_release(with(g), with(h)),
        Node::Implies(_) | Node::Iff(_) | Node::Xor(_) => {
            unreachable!("not in negation normal form")
        }
    }
}

/// The conjuncts of `f`: one, unless it is a conjunction.
fn conjuncts(s: &Formulas, f: Formula) -> Vec<Formula> {
    match s.node(f) {
        Node::And(fs) => fs.to_vec(),
        _ => vec![f],
    }
}

/// The disjuncts of `f`: one, unless it is a disjunction.
fn disjuncts(s: &Formulas, f: Formula) -> Vec<Formula> {
    match s.node(f) {
        Node::Or(fs) => fs.to_vec(),
        _ => vec![f],
    }
}
