//! The rewriting rules, each for one operator of a pair of duals.
//!
//! Letters: e is a pure eventuality, u is purely universal, q is both; → is a proven implication.
//! A rule gives `Some` better formula, or `None`. Operands are simplified already.

use super::{Simplifier, WIDE, conjuncts, disjuncts};
use crate::classes::Classes;
use crate::formula::{Formula, Formulas, Node};

/// Substitution under `G` is for formulas of at most this many subformulas.
const LARGE: usize = 300;

fn is_lasting(class: Classes) -> bool {
    class.eventual && class.universal
}

/// All but those at the given positions.
fn without(fs: &[Formula], positions: &[usize]) -> Vec<Formula> {
    let keep = |(i, f): (usize, &Formula)| (!positions.contains(&i)).then_some(*f);
    fs.iter().enumerate().filter_map(keep).collect()
}

impl Simplifier {
    /// Those of `fs` whose classes satisfy the test, and the others.
    fn part(
        &mut self,
        s: &Formulas,
        fs: Vec<Formula>,
        test: impl Fn(Classes) -> bool,
    ) -> (Vec<Formula>, Vec<Formula>) {
        fs.into_iter().partition(|f| test(self.class(s, *f)))
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
                    return None;
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

    /// g and h such that F f = F g | F G h; without h, F f = F g:
    /// F(f U g) = F g, F(f M g) = F(f & g), F(f W g) = F g | F G f, F(f R g) = F(f & g) | F G g
    fn under_finally(&mut self, s: &mut Formulas, f: Formula) -> (Formula, Option<Formula>) {
        match *s.node(f) {
            Node::Until([_, h]) => (h, None),
            Node::StrongRelease([g, h]) => (self.and(s, [g, h]), None),
            Node::WeakUntil([g, h]) => (h, Some(g)),
            Node::Release([g, h]) => (self.and(s, [g, h]), Some(h)),
            _ => (f, None),
        }
    }

    /// F G f
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
                    return None;
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

    /// What `f U g` and `f W g` have in common.
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
            // f U (g W h) = g W h if f → g, f U (g R h) = g R h if f → h: each is kept by a step of f
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

    /// If `g` is a conjunction of `f` and more, the more.
    fn cut(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Option<Formula> {
        let (part, whole) = (conjuncts(s, f), conjuncts(s, g));
        let contained = part.len() < whole.len() && part.iter().all(|c| whole.contains(c));
        contained.then(|| {
            let rest = whole.into_iter().filter(|c| !part.contains(c));
            self.and(s, rest)
        })
    }

    pub(super) fn rules_and(&mut self, s: &mut Formulas, fs: &[Formula]) -> Option<Formula> {
        if let Some(better) = self.merge_bodies(s, fs) {
            return Some(better);
        }
        if fs.len() > WIDE {
            return None;
        }
        // f & g = f if f → g; false if f → !g
        for (i, &f) in fs.iter().enumerate() {
            for (j, &g) in fs.iter().enumerate() {
                if i != j && self.implied(s, f, g, 0) {
                    return Some(self.and(s, without(fs, &[j])));
                }
                if i < j && self.excludes(s, f, g) {
                    return Some(Formulas::FALSE);
                }
            }
        }
        for i in 0..fs.len() {
            for j in 0..fs.len() {
                if i != j
                    && let Some(merged) = self.merge_pair(s, fs[i], fs[j])
                {
                    let rest = without(fs, &[i, j]);
                    return Some(self.and(s, rest.into_iter().chain([merged])));
                }
            }
        }
        if let Some(better) = self.fold_steps(s, fs) {
            return Some(better);
        }
        // Each conjunct need only be right where the others hold …
        for (i, &f) in fs.iter().enumerate() {
            let others = without(fs, &[i]);
            let narrowed = self.given(s, f, &others);
            if narrowed != f {
                return Some(self.and(s, others.into_iter().chain([narrowed])));
            }
        }
        // … and what is under `G` holds at all positions the others speak of.
        for (i, &f) in fs.iter().enumerate() {
            let &Node::Globally(body) = s.node(f) else {
                continue;
            };
            let facts = conjuncts(s, body);
            for j in (0..fs.len()).filter(|j| *j != i) {
                let narrowed = self.given_always(s, fs[j], &facts);
                if narrowed != fs[j] {
                    let rest = without(fs, &[j]);
                    return Some(self.and(s, rest.into_iter().chain([narrowed])));
                }
            }
        }
        None
    }

    /// G f & G g = G(f & g), unless it is about G e; X f & X g & q = X(f & g & q);
    /// F G f & F G g = F G(f & g)
    fn merge_bodies(&mut self, s: &mut Formulas, fs: &[Formula]) -> Option<Formula> {
        let mut next = Vec::new();
        let mut lasting = Vec::new();
        let mut always = Vec::new();
        let mut almost_always = Vec::new();
        let mut rest = Vec::new();
        for &f in fs {
            match *s.node(f) {
                Node::Next(g) => next.push(g),
                Node::Globally(g) if !self.class(s, g).eventual => always.push(g),
                Node::Finally(g) if matches!(s.node(g), Node::Globally(_)) => {
                    almost_always.push((f, g));
                }
                _ if is_lasting(self.class(s, f)) => lasting.push(f),
                _ => rest.push(f),
            }
        }
        if next.len() <= 1
            && always.len() <= 1
            && almost_always.len() <= 1
            && (next.is_empty() || lasting.is_empty() && almost_always.is_empty())
        {
            return None;
        }
        match almost_always[..] {
            [] => {}
            [(f, _)] => lasting.push(f),
            _ => {
                let body = self.and(s, almost_always.iter().map(|p| p.1));
                lasting.push(self.finally(s, body));
            }
        }
        if !always.is_empty() {
            let body = self.and(s, always);
            rest.push(self.globally(s, body));
        }
        if next.is_empty() {
            rest.extend(lasting);
        } else {
            let body = self.and(s, next.into_iter().chain(lasting));
            rest.push(self.next(s, body));
        }
        Some(self.and(s, rest))
    }

    /// One formula for `f & g`, if they fit together:
    /// (f U h) & (g U h) = (f & g) U h, (f R g) & (f R h) = f R (g & h), also with W and M; the
    /// result is strong if one of them is. F h is true U h and h M true.
    fn merge_pair(&mut self, s: &mut Formulas, f: Formula, g: Formula) -> Option<Formula> {
        match (s.node(f).clone(), s.node(g).clone()) {
            (Node::Until([a, h]), Node::Until([b, k]) | Node::WeakUntil([b, k])) if h == k => {
                let left = self.and(s, [a, b]);
                Some(self.until(s, left, h))
            }
            (Node::WeakUntil([a, h]), Node::WeakUntil([b, k])) if h == k => {
                let left = self.and(s, [a, b]);
                Some(self.weak_until(s, left, h))
            }
            (Node::Finally(h), Node::WeakUntil([a, k])) if h == k => Some(self.until(s, a, h)),
            (Node::StrongRelease([a, h]), Node::StrongRelease([b, k]) | Node::Release([b, k]))
                if a == b =>
            {
                let right = self.and(s, [h, k]);
                Some(self.strong_release(s, a, right))
            }
            (Node::Release([a, h]), Node::Release([b, k])) if a == b => {
                let right = self.and(s, [h, k]);
                Some(self.release(s, a, right))
            }
            (Node::Finally(a), Node::Release([b, h])) if a == b => {
                Some(self.strong_release(s, a, h))
            }
            _ => None,
        }
    }

    /// An operator that was written out as "now and next" is put together again:
    /// f & X(G f & g) = G f & X g, g & (f | X(f R g)) = f R g, likewise with M.
    fn fold_steps(&mut self, s: &mut Formulas, fs: &[Formula]) -> Option<Formula> {
        for (i, &f) in fs.iter().enumerate() {
            let others = without(fs, &[i]);
            if let &Node::Next(later) = s.node(f) {
                let parts = conjuncts(s, later);
                for (k, &part) in parts.iter().enumerate() {
                    if let &Node::Globally(body) = s.node(part)
                        && conjuncts(s, body).iter().all(|c| others.contains(c))
                    {
                        let now = conjuncts(s, body);
                        let later = self.and(s, without(&parts, &[k]));
                        let later = self.next(s, later);
                        let others = others.into_iter().filter(|g| !now.contains(g));
                        return Some(self.and(s, others.chain([part, later])));
                    }
                }
            }
            let parts = disjuncts(s, f);
            for (k, &part) in parts.iter().enumerate() {
                if let &Node::Next(later) = s.node(part)
                    && let &Node::Release([g, h]) | &Node::StrongRelease([g, h]) = s.node(later)
                    && s.or(without(&parts, &[k])) == g
                    && conjuncts(s, h).iter().all(|c| others.contains(c))
                {
                    let now = conjuncts(s, h);
                    let others = others.into_iter().filter(|g| !now.contains(g));
                    return Some(self.and(s, others.chain([later])));
                }
            }
        }
        None
    }

    /// A formula that agrees with `f` wherever all `facts` hold.
    fn given(&mut self, s: &mut Formulas, f: Formula, facts: &[Formula]) -> Formula {
        self.given_at(s, f, facts, 0)
    }

    fn given_at(
        &mut self,
        s: &mut Formulas,
        f: Formula,
        facts: &[Formula],
        depth: usize,
    ) -> Formula {
        if depth > 8 {
            return f;
        }
        if facts.iter().any(|fact| self.implied(s, *fact, f, 0)) {
            return Formulas::TRUE;
        }
        if facts.iter().any(|fact| self.excludes(s, *fact, f)) {
            return Formulas::FALSE;
        }
        match s.node(f).clone() {
            Node::And(gs) if gs.len() <= WIDE => {
                let gs: Vec<Formula> = gs
                    .iter()
                    .map(|g| self.given_at(s, *g, facts, depth + 1))
                    .collect();
                self.and(s, gs)
            }
            Node::Or(gs) if gs.len() <= WIDE => {
                let gs: Vec<Formula> = gs
                    .iter()
                    .map(|g| self.given_at(s, *g, facts, depth + 1))
                    .collect();
                self.or(s, gs)
            }
            // g U h is h now if g is not true now.
            Node::Until([g, h]) | Node::WeakUntil([g, h])
                if facts.iter().any(|fact| self.excludes(s, *fact, g)) =>
            {
                self.given_at(s, h, facts, depth + 1)
            }
            // g R h is h now if g is true now.
            Node::Release([g, h]) | Node::StrongRelease([g, h])
                if facts.iter().any(|fact| self.implied(s, *fact, g, 0)) =>
            {
                self.given_at(s, h, facts, depth + 1)
            }
            _ => f,
        }
    }

    /// A formula that agrees with `f` wherever all `facts` hold from then on.
    fn given_always(&mut self, s: &mut Formulas, f: Formula, facts: &[Formula]) -> Formula {
        let all = s.subformulas(f);
        if all.len() > LARGE || facts.len() > WIDE {
            return f;
        }
        let mut narrowed = rustc_hash::FxHashMap::default();
        for g in all {
            let known = if facts.iter().any(|fact| self.implied(s, *fact, g, 0)) {
                Formulas::TRUE
            } else if facts.iter().any(|fact| self.excludes(s, *fact, g)) {
                Formulas::FALSE
            } else {
                let node = s.node(g).clone();
                let rebuilt = super::rebuild(s, g, &node, |h| narrowed[&h]);
                if rebuilt == g {
                    g
                } else {
                    self.simple(s, rebuilt)
                }
            };
            narrowed.insert(g, known);
        }
        narrowed[&f]
    }

    /// Under `F`, each disjunct need only be right where the others never hold.
    fn disjuncts_never(&mut self, s: &mut Formulas, fs: &[Formula]) -> Option<Formula> {
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
