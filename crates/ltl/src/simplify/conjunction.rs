//! The rewriting rules for conjunctions.
//!
//! They are applied in this order: merge operands with equal top operators; remove operands implied
//! by others; merge pairs of untils or releases; fold expanded operators ("now and next"); narrow
//! each operand to the context of the others ([`super::context`]). Metavariables are those of
//! [`super::rules`].

use super::rules::is_lasting;
use super::{Simplifier, WIDE, conjuncts, disjuncts};
use crate::formula::{Formula, Formulas, Node};

/// All formulas except those at the given positions.
pub(super) fn without(fs: &[Formula], positions: &[usize]) -> Vec<Formula> {
    let keep = |(i, f): (usize, &Formula)| (!positions.contains(&i)).then_some(*f);
    fs.iter().enumerate().filter_map(keep).collect()
}

impl Simplifier {
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
        // Each conjunct only matters where the others hold …
        for (i, &f) in fs.iter().enumerate() {
            let others = without(fs, &[i]);
            let narrowed = self.given(s, f, &others);
            if narrowed != f {
                return Some(self.and(s, others.into_iter().chain([narrowed])));
            }
        }
        // … and the operand of `G` holds at all positions that the others refer to.
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

    /// G f & G g = G(f & g), except for G e; X f & X g & q = X(f & g & q); F G f & F G g = F G(f &
    /// g)
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

    /// One formula for `f & g`, if a rule applies: (f U h) & (g U h) = (f & g) U h, (f R g) & (f R
    /// h) = f R (g & h), also with W and M; the result is strong if either operand is. F h is true
    /// U h and h M true.
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
            // F f & G(!f | u) = !f U (f & u)
            (Node::Finally(a), Node::Globally(b)) => {
                let not_a = self.not(s, a);
                let parts = disjuncts(s, b);
                let missing = disjuncts(s, not_a);
                let rest: Vec<Formula> = parts
                    .iter()
                    .filter(|p| !missing.contains(p))
                    .copied()
                    .collect();
                if rest.len() + missing.len() != parts.len()
                    || rest.is_empty()
                    || !rest.iter().all(|f| self.class(s, *f).universal)
                {
                    return None;
                }
                let settled = self.or(s, rest);
                let first = self.and(s, [a, settled]);
                Some(self.until(s, not_a, first))
            }
            _ => None,
        }
    }

    /// Folds an expanded operator ("now and next"): f & X(G f & g) = G f & X g, g & (f | X(f R g))
    /// = f R g, likewise with M.
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
}
