//! The rewriting rules for `X`, `F`, `U` and `W`; those for `&` are in [`super::conjunction`].
//!
//! Metavariables: e is a pure eventuality, u is purely universal, q is both; → is a proven
//! implication. A rule returns a better formula or `None`. Operands are already simplified.

use super::{Simplifier, conjuncts, disjuncts};
use crate::classes::Classes;
use crate::formula::{Formula, Formulas, Node};

pub(super) fn is_lasting(class: Classes) -> bool {
    class.eventual && class.universal
}

impl Simplifier {
    /// Partitions `fs` by a test on their classes.
    fn part(
        &mut self,
        s: &Formulas,
        fs: Vec<Formula>,
        test: impl Fn(Classes) -> bool,
    ) -> (Vec<Formula>, Vec<Formula>) {
        fs.into_iter().partition(|f| test(self.class(s, *f)))
    }

    /// Returns whether the formula is eventual or universal.
    fn is_steady(&mut self, s: &Formulas, f: Formula) -> bool {
        let class = self.class(s, f);
        class.eventual || class.universal
    }

    /// X q = q
    pub(super) fn rules_next(&mut self, s: &mut Formulas, f: Formula) -> Option<Formula> {
        is_lasting(self.class(s, f)).then_some(f)
    }

    pub(super) fn rules_finally(&mut self, s: &mut Formulas, f: Formula) -> Option<Formula> {
        // F e = e
        if self.class(s, f).eventual {
            return Some(f);
        }
        match s.node(f).clone() {
            // F X f = X F f
            Node::Next(g) => {
                let g = self.finally(s, g);
                Some(self.next(s, g))
            }
            Node::Until(_) | Node::StrongRelease(_) | Node::WeakUntil(_) | Node::Release(_) => {
                let (body, always) = self.under_finally(s, f);
                let mut parts = vec![self.finally(s, body)];
                if let Some(always) = always {
                    let always = self.globally(s, always);
                    parts.push(self.finally(s, always));
                }
                Some(self.or(s, parts))
            }
            // F(f & q) = F f & q
            Node::And(fs) => {
                let (lasting, rest) = self.part(s, fs.to_vec(), is_lasting);
                if lasting.is_empty() {
                    return self.finally_settled(s, rest);
                }
                let rest = self.and(s, rest);
                let rest = self.finally(s, rest);
                Some(self.and(s, lasting.into_iter().chain([rest])))
            }
            // F(f | e | u) = F f | e | F u
            Node::Or(fs) => {
                let (split, rest) = self.part(s, fs.to_vec(), |c| c.eventual || c.universal);
                let mut parts: Vec<Formula> = split.iter().map(|f| self.finally(s, *f)).collect();
                let mut bodies: Vec<Formula> = Vec::new();
                for &f in &rest {
                    let (body, always) = self.under_finally(s, f);
                    bodies.push(body);
                    if let Some(always) = always {
                        let always = self.globally(s, always);
                        parts.push(self.finally(s, always));
                    }
                }
                if parts.is_empty() && bodies == rest {
                    return self.disjuncts_never(s, &rest).map(|f| self.finally(s, f));
                }
                let body = self.or(s, bodies);
                parts.push(self.finally(s, body));
                Some(self.or(s, parts))
            }
            Node::Globally(g) => self.rules_finally_globally(s, g),
            _ => None,
        }
    }

    /// F(u & F f) = F(u & f), F(u & (f U g)) = F(u & g), F(u & (f M g)) = F(u & f & g)
    fn finally_settled(&mut self, s: &mut Formulas, fs: Vec<Formula>) -> Option<Formula> {
        let (mut settled, rest) = self.part(s, fs, |c| c.universal);
        let &[f] = &rest[..] else { return None };
        settled.push(match *s.node(f) {
            Node::Finally(g) => g,
            Node::Until(_) | Node::StrongRelease(_) => self.under_finally(s, f).0,
            _ => return None,
        });
        let body = self.and(s, settled);
        Some(self.finally(s, body))
    }

    /// g and h such that F f = F g | F G h, or F f = F g without h: F(f U g) = F g, F(f M g) = F(f
    /// & g), F(f W g) = F g | F G f, F(f R g) = F(f & g) | F G g
    fn under_finally(&mut self, s: &mut Formulas, f: Formula) -> (Formula, Option<Formula>) {
        match *s.node(f) {
            Node::Until([_, h]) => (h, None),
            Node::StrongRelease([g, h]) => (self.and(s, [g, h]), None),
            Node::WeakUntil([g, h]) => (h, Some(g)),
            Node::Release([g, h]) => (self.and(s, [g, h]), Some(h)),
            _ => (f, None),
        }
    }

    /// Rules for F G f.
    fn rules_finally_globally(&mut self, s: &mut Formulas, f: Formula) -> Option<Formula> {
        match s.node(f).clone() {
            // F G(f & X g) = F G(f & g)
            Node::And(fs) => {
                let stripped = fs.iter().map(|f| match s.node(*f) {
                    Node::Next(g) => *g,
                    _ => *f,
                });
                let stripped: Vec<Formula> = stripped.collect();
                if stripped[..] == fs[..] {
                    return self.split_almost_always(s, stripped);
                }
                let body = self.and(s, stripped);
                let body = self.globally(s, body);
                Some(self.finally(s, body))
            }
            // F G(f | e | u) = F G f | G e | F u
            Node::Or(fs) => {
                let (eventual, rest) = self.part(s, fs.to_vec(), |c| c.eventual);
                let (universal, rest) = self.part(s, rest, |c| c.universal);
                if eventual.is_empty() && universal.is_empty() {
                    return None;
                }
                let mut parts: Vec<Formula> =
                    eventual.iter().map(|e| self.globally(s, *e)).collect();
                parts.extend(universal.iter().map(|u| self.finally(s, *u)));
                let rest = self.or(s, rest);
                let rest = self.globally(s, rest);
                parts.push(self.finally(s, rest));
                Some(self.or(s, parts))
            }
            _ => None,
        }
    }

    /// F G(f & (g | e | u)) = F G f & F G(g | e | u), to which another rule then applies
    fn split_almost_always(&mut self, s: &mut Formulas, fs: Vec<Formula>) -> Option<Formula> {
        let (split, rest): (Vec<Formula>, Vec<Formula>) = fs.into_iter().partition(|f| {
            matches!(s.node(*f), Node::Or(_))
                && disjuncts(s, *f).into_iter().any(|g| self.is_steady(s, g))
        });
        if split.is_empty() {
            return None;
        }
        let rest = self.and(s, rest);
        let mut parts = Vec::new();
        for f in split.into_iter().chain([rest]) {
            let f = self.globally(s, f);
            parts.push(self.finally(s, f));
        }
        Some(self.and(s, parts))
    }

    /// Rules that `f U g` and `f W g` share.
    fn rules_any_until(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        g: Formula,
        make: fn(&mut Simplifier, &mut Formulas, Formula, Formula) -> Formula,
    ) -> Option<Formula> {
        // false U g = g; f U g = g if f → g
        if self.implied(s, f, g, 0) {
            return Some(g);
        }
        // X f U X g = X(f U g)
        if let (&Node::Next(f), &Node::Next(g)) = (s.node(f), s.node(g)) {
            let inner = make(self, s, f, g);
            return Some(self.next(s, inner));
        }
        // f U (g | e) = (f U g) | e
        let (eventual, rest) = self.part(s, disjuncts(s, g), |c| c.eventual);
        if !eventual.is_empty() && !rest.is_empty() {
            let rest = self.or(s, rest);
            let inner = make(self, s, f, rest);
            return Some(self.or(s, eventual.into_iter().chain([inner])));
        }
        // The left side matters only where the right one does not hold.
        let not_g = self.not(s, g);
        let narrowed = self.given(s, f, &[not_g]);
        if narrowed != f {
            return Some(make(self, s, narrowed, g));
        }
        None
    }

    pub(super) fn rules_until(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        g: Formula,
    ) -> Option<Formula> {
        // f U e = e (this includes the constants); true U g = F g, f U g = F g if !g → f
        if self.class(s, g).eventual {
            return Some(g);
        }
        let not_f = self.not(s, f);
        if self.implied(s, not_f, g, 0) {
            return Some(self.finally(s, g));
        }
        if let Some(better) = self.rules_any_until(s, f, g, Simplifier::until) {
            return Some(better);
        }
        // X f U g = g | X(g M f)
        if let &Node::Next(h) = s.node(f)
            && !self.is_steady(s, h)
        {
            let later = self.strong_release(s, g, h);
            let later = self.next(s, later);
            return Some(self.or(s, [g, later]));
        }
        // f U (g | G f) = f W g
        let always = s.globally(f);
        let (same, rest): (Vec<Formula>, Vec<Formula>) =
            disjuncts(s, g).into_iter().partition(|d| *d == always);
        if !same.is_empty() {
            let rest = self.or(s, rest);
            return Some(self.weak_until(s, f, rest));
        }
        // f U (g & q) = (f U g) & q
        let (lasting, rest) = self.part(s, conjuncts(s, g), is_lasting);
        if !lasting.is_empty() {
            let rest = self.and(s, rest);
            let inner = self.until(s, f, rest);
            return Some(self.and(s, lasting.into_iter().chain([inner])));
        }
        // f U (f & g) = g M f
        if let Some(rest) = self.cut(s, f, g) {
            return Some(self.strong_release(s, rest, f));
        }
        match (s.node(f).clone(), s.node(g).clone()) {
            // f U (g U h) = g U h if f → g; f U h if g → f
            (_, Node::Until([h, k])) => {
                if self.implied(s, f, h, 0) {
                    return Some(g);
                }
                if self.implied(s, h, f, 0) {
                    return Some(self.until(s, f, k));
                }
            }
            // f U (g W h) = g W h if f → g, f U (g R h) = g R h if f → h: a step of f preserves
            // each
            (
                _,
                Node::WeakUntil([h, _])
                | Node::Globally(h)
                | Node::Release([_, h])
                | Node::StrongRelease([_, h]),
            ) if self.implied(s, f, h, 0) => return Some(g),
            // (f U g) U g = f U g, (f W g) U g = f U g
            (Node::Until([h, k]) | Node::WeakUntil([h, k]), _) if k == g => {
                return Some(self.until(s, h, g));
            }
            _ => {}
        }
        None
    }

    pub(super) fn rules_weak_until(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        g: Formula,
    ) -> Option<Formula> {
        // f W false = G f; f W g = true if !f → g; u W g = u | g; e W e' = G e | e'
        if g == Formulas::FALSE {
            return Some(self.globally(s, f));
        }
        let not_f = self.not(s, f);
        if self.implied(s, not_f, g, 0) {
            return Some(Formulas::TRUE);
        }
        let (left, right) = (self.class(s, f), self.class(s, g));
        if left.universal || left.eventual && right.eventual {
            let always = self.globally(s, f);
            return Some(self.or(s, [always, g]));
        }
        if let Some(better) = self.rules_any_until(s, f, g, Simplifier::weak_until) {
            return Some(better);
        }
        // X f W g = g | X(g R f)
        if let &Node::Next(h) = s.node(f)
            && !self.is_steady(s, h)
        {
            let later = self.release(s, g, h);
            let later = self.next(s, later);
            return Some(self.or(s, [g, later]));
        }
        // f W (g | h) = f W g if h → G f
        let always = s.globally(f);
        let parts = disjuncts(s, g);
        let rest: Vec<Formula> = parts
            .iter()
            .filter(|d| !self.implied(s, **d, always, 0))
            .copied()
            .collect();
        if rest.len() < parts.len() {
            let rest = self.or(s, rest);
            return Some(self.weak_until(s, f, rest));
        }
        // (f | q) W g = (f W g) | q
        let (lasting, rest) = self.part(s, disjuncts(s, f), is_lasting);
        if !lasting.is_empty() {
            let rest = self.or(s, rest);
            let inner = self.weak_until(s, rest, g);
            return Some(self.or(s, lasting.into_iter().chain([inner])));
        }
        // f W (f & g) = g R f
        if let Some(rest) = self.cut(s, f, g) {
            return Some(self.release(s, rest, f));
        }
        match (s.node(f).clone(), s.node(g).clone()) {
            // f W (g W h) = g W h if f → g; f W (g W h) = f W (g U h) = f W h if g → f
            (_, Node::WeakUntil([h, k]) | Node::Until([h, k])) => {
                if matches!(s.node(g), Node::WeakUntil(_)) && self.implied(s, f, h, 0) {
                    return Some(g);
                }
                if self.implied(s, h, f, 0) {
                    return Some(self.weak_until(s, f, k));
                }
            }
            // f W (g R h) = g R h if f → h
            (_, Node::Release([_, h]) | Node::Globally(h)) if self.implied(s, f, h, 0) => {
                return Some(g);
            }
            // (f U g) W g = f U g, (f W g) W g = f W g
            (Node::Until([_, k]) | Node::WeakUntil([_, k]), _) if k == g => return Some(f),
            _ => {}
        }
        None
    }

    /// If `g` is a conjunction of `f` and further formulas, the further formulas.
    fn cut(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Option<Formula> {
        let (part, whole) = (conjuncts(s, f), conjuncts(s, g));
        let contained = part.len() < whole.len() && part.iter().all(|c| whole.contains(c));
        contained.then(|| {
            let rest = whole.into_iter().filter(|c| !part.contains(c));
            self.and(s, rest)
        })
    }
}
