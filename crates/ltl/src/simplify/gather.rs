//! Merging of disjunctions below one `F`.
//!
//! An automaton for F f | F g | q has a waiting state for each disjunct; these can be merged:
//!
//! - GF f | FG g = GF(f | G g)
//! - F f | F g = F(f | g), F f | q = F(f | q), where q is eventual and universal
//!
//! The simplification rules split such formulas, because other rules apply to the parts; so this
//! pass runs once, at the end, bottom-up.

use rustc_hash::FxHashMap;

use crate::classes::{Classes, classify};
use crate::formula::{Formula, Formulas, Node};
use crate::replace::rebuild;

/// `f`, which is in negation normal form, with merged disjunctions.
pub(super) fn gather(s: &mut Formulas, f: Formula) -> Formula {
    let mut done: FxHashMap<Formula, Formula> = FxHashMap::default();
    let mut classes: FxHashMap<Formula, Classes> = FxHashMap::default();
    for g in s.subformulas(f) {
        let class = classify(s.node(g), |h| classes[&h]);
        classes.insert(g, class);
        let node = s.node(g).clone();
        let result = match &node {
            Node::Or(parts) => gather_or(s, parts, &done, &classes),
            _ => rebuild(s, g, &node, |h| done[&h]),
        };
        done.insert(g, result);
    }
    done[&f]
}

fn gather_or(
    s: &mut Formulas,
    parts: &[Formula],
    done: &FxHashMap<Formula, Formula>,
    classes: &FxHashMap<Formula, Classes>,
) -> Formula {
    let mut recurring = Vec::new();
    let mut settling = Vec::new();
    let mut sometime = Vec::new();
    let mut lasting = Vec::new();
    let mut rest = Vec::new();
    for part in parts {
        let class = classes[part];
        let part = done[part];
        let inner = match s.node(part) {
            Node::Globally(g) | Node::Finally(g) => s.node(*g),
            node => node,
        };
        match (s.node(part), inner) {
            (Node::Globally(_), Node::Finally(g)) => recurring.push(*g),
            (Node::Finally(g), Node::Globally(_)) => settling.push(*g),
            (Node::Finally(g), _) => sometime.push(*g),
            _ if class.eventual && class.universal => lasting.push(part),
            _ => rest.push(part),
        }
    }
    if recurring.is_empty() {
        sometime.extend(settling);
    } else {
        let body = s.or(recurring.into_iter().chain(settling));
        let body = s.finally(body);
        lasting.push(s.globally(body));
    }
    if sometime.is_empty() {
        rest.extend(lasting);
    } else {
        let body = s.or(sometime.into_iter().chain(lasting));
        rest.push(s.finally(body));
    }
    s.or(rest)
}
