//! Predicates as residuals: the part of a query that remains after some levels are read.
//!
//! A diagram operation descends from the top level, and a predicate with it: reading value `v` at
//! level `l` turns the residual `r` into `step(r, l, v)`, a predicate over the levels below,
//!
//! ```text
//! s ⊨ r   ⇔   s[l+1..] ⊨ step(r, l, s[l])          with TRUE and FALSE as the two ends
//! ```
//!
//! Residuals are hash-consed, so that equal remaining queries share operation-cache entries. They
//! are in negation normal form. Sums are `Σ c·x ≤ k` or `Σ c·x = k` over the unread levels: the
//! constant absorbs the values read, and the known ranges of the unread levels decide early (the
//! sum is clipped). Expressions are partially evaluated. Ids belong to one query and are dropped
//! with it. `compile.rs` builds residuals of predicates and of event guards; `query.rs` is a
//! worker's handle to them.

mod compile;
mod query;

pub use query::Residuals;

use super::layout::LevelLayout;
use super::partial::{ExprId, Exprs, NEVER};
use lariat_budget::{Budget, Lease, Stop};
use lariat_dd::Residual;
use lariat_model::order::Level;
use lariat_model::{Comparison, EventId};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct SumId(u32);

/// `c·x + rest`, levels in increasing order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Term {
    level: Level,
    c: i128,
    rest: SumId,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Option<i128>,
    max: Option<i128>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum ResidualForm {
    Const(bool),
    /// `sum ≤ k`
    Le(SumId, i128),
    /// `sum = k`, or its negation.
    Eq(SumId, i128, bool),
    /// The expression is not 0; a fault evaluates to `on_fault`; `negated` inverts both.
    Holds {
        expr: ExprId,
        on_fault: bool,
        negated: bool,
    },
    And(Box<[Residual]>),
    Or(Box<[Residual]>),
}

#[derive(Debug)]
struct ResidualInterner {
    layout: LevelLayout,
    nodes: Vec<ResidualForm>,
    tops: Vec<Level>,
    ids: FxHashMap<ResidualForm, Residual>,
    sums: Vec<(Term, Bounds)>,
    sum_ids: FxHashMap<Term, SumId>,
    exprs: Exprs,
    stepped: FxHashMap<(Residual, u32, u32), Residual>,
    enabled: FxHashMap<EventId, Residual>,
    /// Number of parts of all junctions.
    parts: usize,
    budget: Budget,
    lease: Lease,
    /// Number of entries above which the lease is extended.
    leased_entries: usize,
    /// Number of parts read since the last poll of the budget.
    unpolled: usize,
}

/// Approximate bytes of an entry with its table slot.
const ENTRY_BYTES: usize = 96;

/// Number of parts of junctions that take as many bytes as an entry: each is stored twice.
const PARTS_PER_ENTRY: usize = ENTRY_BYTES / (2 * size_of::<Residual>());

/// Number of parts of junctions that are read between two polls of the budget. The condition of a
/// deadlock has a part per event, so that the polls of the diagram operation are too rare.
const POLL_PARTS: usize = 1 << 16;

const EMPTY: SumId = SumId(0);

impl ResidualInterner {
    /// An interner without predicates. Values outside the ranges of `layout` are never read.
    fn new(layout: &LevelLayout, budget: &Budget) -> ResidualInterner {
        let empty = Term {
            level: NEVER,
            c: 0,
            rest: EMPTY,
        };
        let zero = Bounds {
            min: Some(0),
            max: Some(0),
        };
        let mut residuals = ResidualInterner {
            layout: layout.clone(),
            nodes: Vec::new(),
            tops: Vec::new(),
            ids: FxHashMap::default(),
            sums: vec![(empty, zero)],
            sum_ids: FxHashMap::default(),
            exprs: Exprs::default(),
            stepped: FxHashMap::default(),
            enabled: FxHashMap::default(),
            parts: 0,
            budget: budget.clone(),
            lease: budget.lease(),
            leased_entries: 0,
            unpolled: 0,
        };
        residuals.id(ResidualForm::Const(false));
        residuals.id(ResidualForm::Const(true));
        residuals
    }

    /// First level on which the residual depends; below all levels if it is decided.
    fn top(&self, residual: Residual) -> Level {
        self.tops[residual.0 as usize]
    }

    fn id(&mut self, node: ResidualForm) -> Residual {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = Residual(self.nodes.len() as u32);
        self.tops.push(match &node {
            ResidualForm::Const(_) => NEVER,
            ResidualForm::Le(sum, _) | ResidualForm::Eq(sum, ..) => {
                self.sums[sum.0 as usize].0.level
            }
            ResidualForm::Holds { expr, .. } => self.exprs.top(*expr),
            ResidualForm::And(parts) | ResidualForm::Or(parts) => {
                parts.iter().map(|p| self.top(*p)).min().unwrap_or(NEVER)
            }
        });
        if let ResidualForm::And(parts) | ResidualForm::Or(parts) = &node {
            self.parts += parts.len();
        }
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    // --- making residuals ---------------------------------------------------------------------

    fn not(&mut self, residual: Residual) -> Residual {
        match self.nodes[residual.0 as usize].clone() {
            ResidualForm::Const(value) => constant(!value),
            ResidualForm::Le(sum, k) => {
                let negative = self.negative(sum);
                self.le(negative, (-k) - 1)
            }
            ResidualForm::Eq(sum, k, negated) => self.eq(sum, k, !negated),
            ResidualForm::Holds {
                expr,
                on_fault,
                negated,
            } => self.holds(expr, on_fault, !negated),
            ResidualForm::And(parts) | ResidualForm::Or(parts) => {
                let is_and = matches!(self.nodes[residual.0 as usize], ResidualForm::And(_));
                let parts = parts.iter().map(|p| self.not(*p)).collect();
                self.junction(!is_and, parts)
            }
        }
    }

    fn junction(&mut self, is_and: bool, parts: Vec<Residual>) -> Residual {
        let (unit, zero) = (constant(is_and), constant(!is_and));
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match &self.nodes[part.0 as usize] {
                ResidualForm::And(inner) if is_and => flat.extend_from_slice(inner),
                ResidualForm::Or(inner) if !is_and => flat.extend_from_slice(inner),
                _ if part == zero => return zero,
                _ if part == unit => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => unit,
            [one] => one,
            _ if is_and => self.id(ResidualForm::And(flat.into())),
            _ => self.id(ResidualForm::Or(flat.into())),
        }
    }

    /// `Σ c·x ⋈ k` over stored values.
    fn comparison(
        &mut self,
        mut terms: Vec<(Level, i128)>,
        comparison: Comparison,
        k: i128,
        negated: bool,
    ) -> Residual {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        let comparison = if negated {
            comparison.negated()
        } else {
            comparison
        };
        if matches!(comparison, Ge | Gt) {
            terms.iter_mut().for_each(|t| t.1 = -t.1);
        }
        terms.sort_unstable_by_key(|t| t.0);
        let mut sum = EMPTY;
        for (level, c) in terms.into_iter().rev() {
            sum = self.sum(level, c, sum);
        }
        match comparison {
            Le => self.le(sum, k),
            Lt => self.le(sum, k - 1),
            Ge => self.le(sum, -k),
            Gt => self.le(sum, -k - 1),
            Eq => self.eq(sum, k, false),
            Ne => self.eq(sum, k, true),
        }
    }

    fn sum(&mut self, level: Level, c: i128, rest: SumId) -> SumId {
        let term = Term { level, c, rest };
        if let Some(id) = self.sum_ids.get(&term) {
            return *id;
        }
        let below = self.sums[rest.0 as usize].1;
        let extreme = self.layout.high(level).map(|h| c * i128::from(h));
        let (low, high) = if c < 0 {
            (extreme, Some(0))
        } else {
            (Some(0), extreme)
        };
        let add = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        let bounds = Bounds {
            min: add(below.min, low),
            max: add(below.max, high),
        };
        let id = SumId(self.sums.len() as u32);
        self.sums.push((term, bounds));
        self.sum_ids.insert(term, id);
        id
    }

    fn negative(&mut self, sum: SumId) -> SumId {
        let mut terms = Vec::new();
        let mut at = sum;
        while at != EMPTY {
            let term = self.sums[at.0 as usize].0;
            terms.push((term.level, -term.c));
            at = term.rest;
        }
        let terms = terms.into_iter().rev();
        terms.fold(EMPTY, |rest, (level, c)| self.sum(level, c, rest))
    }

    fn le(&mut self, sum: SumId, k: i128) -> Residual {
        let bounds = self.sums[sum.0 as usize].1;
        if bounds.max.is_some_and(|max| max <= k) {
            Residual::TRUE
        } else if bounds.min.is_some_and(|min| min > k) {
            Residual::FALSE
        } else {
            self.id(ResidualForm::Le(sum, k))
        }
    }

    fn eq(&mut self, sum: SumId, k: i128, negated: bool) -> Residual {
        let bounds = self.sums[sum.0 as usize].1;
        if bounds.max.is_some_and(|max| max < k) || bounds.min.is_some_and(|min| min > k) {
            constant(negated)
        } else if bounds.min == Some(k) && bounds.max == Some(k) {
            constant(!negated)
        } else {
            self.id(ResidualForm::Eq(sum, k, negated))
        }
    }

    fn holds(&mut self, expr: ExprId, on_fault: bool, negated: bool) -> Residual {
        if self.exprs.is_fault(expr) {
            return constant(on_fault != negated);
        }
        match self.exprs.known(expr) {
            Some(value) => constant(value != negated),
            None => self.id(ResidualForm::Holds {
                expr,
                on_fault,
                negated,
            }),
        }
    }

    // --- stepping -----------------------------------------------------------------------------

    /// Reads a level; extends the lease and polls the budget from time to time.
    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        let tables = self.nodes.len() + self.sums.len() + self.stepped.len();
        let entries = tables + self.exprs.entries() + self.parts / PARTS_PER_ENTRY;
        if entries > self.leased_entries {
            self.leased_entries = entries + entries / 4 + 256;
            self.lease.resize(self.leased_entries * ENTRY_BYTES)?;
        }
        if self.unpolled > POLL_PARTS {
            self.unpolled = 0;
            self.budget.check()?;
        }
        Ok(self.read_level(residual, Level(level), value))
    }

    /// The residual after `level`, the next one, was read as the stored value `stored`.
    fn read_level(&mut self, residual: Residual, level: Level, stored: u32) -> Residual {
        if self.top(residual) > level {
            return residual;
        }
        match &self.nodes[residual.0 as usize] {
            ResidualForm::Const(_) => residual,
            ResidualForm::Le(sum, k) => {
                let (sum, k) = self.read(*sum, *k, stored);
                self.le(sum, k)
            }
            ResidualForm::Eq(sum, k, negated) => {
                let negated = *negated;
                let (sum, k) = self.read(*sum, *k, stored);
                self.eq(sum, k, negated)
            }
            ResidualForm::Holds {
                expr,
                on_fault,
                negated,
            } => {
                let (expr, on_fault, negated) = (*expr, *on_fault, *negated);
                let value = self.layout.decode(level, stored);
                let expr = self.exprs.step(expr, level, stored, value);
                self.holds(expr, on_fault, negated)
            }
            ResidualForm::And(parts) | ResidualForm::Or(parts) => {
                let key = (residual, level.0, stored);
                if let Some(known) = self.stepped.get(&key) {
                    return *known;
                }
                let is_and = matches!(self.nodes[residual.0 as usize], ResidualForm::And(_));
                let zero = constant(!is_and);
                let mut left = Vec::with_capacity(parts.len());
                for part in parts.clone() {
                    let part = self.read_level(part, level, stored);
                    left.push(part);
                    if part == zero {
                        break;
                    }
                }
                self.unpolled += left.len();
                let result = self.junction(is_and, left);
                self.stepped.insert(key, result);
                result
            }
        }
    }

    fn read(&self, sum: SumId, k: i128, stored: u32) -> (SumId, i128) {
        let term = self.sums[sum.0 as usize].0;
        (term.rest, k - term.c * i128::from(stored))
    }
}

fn constant(value: bool) -> Residual {
    if value {
        Residual::TRUE
    } else {
        Residual::FALSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_budget::Budget;
    use lariat_corpora::each_case;
    use lariat_dd::{LevelPredicate as _, Store};
    use lariat_model::order::Order;
    use lariat_model::{Predicate, Value};
    use lariat_testkit::{predicates, programs};
    use std::time::Duration;

    /// The parts of junctions count as memory, and reading them polls the budget.
    #[test]
    fn large_conditions_are_limited() {
        let places = 600;
        let stop = |budget: &Budget| {
            let transitions: Vec<_> = (0..places).map(|p| vec![(p, 1, 0)]).collect();
            let transitions: Vec<&[_]> = transitions.iter().map(|arcs| &arcs[..]).collect();
            let net = lariat_testkit::nets::net(&vec![0; places], &transitions);
            let layout = LevelLayout::new(&net, &Order::file(places));
            let mut store = Store::new(layout.levels(), &Budget::unlimited()).unwrap();
            let mut residuals = Residuals::new(&layout, store.scope(), budget);
            let mut at = residuals.compile(&net, &Predicate::Deadlock).unwrap();
            for level in 0..places as u32 {
                at = residuals.step(at, level, 0)?;
            }
            Ok(at)
        };
        assert_eq!(stop(&Budget::unlimited()), Ok(Residual::TRUE));
        assert_eq!(stop(&Budget::bytes(1 << 20)), Err(Stop::Memory));
        let late = Budget::unlimited().with_deadline(Duration::ZERO);
        assert_eq!(stop(&late), Err(Stop::Time));
    }

    /// Reading a state level by level agrees with the interpreter.
    #[test]
    fn stepping_agrees_with_the_interpreter() {
        let mut decided = [0; 2];
        each_case(3000, |random| {
            let system = programs::any(random);
            let mut order = Order::file(system.variables.len());
            if random.coin() {
                order = order.reversed();
            }
            let layout = LevelLayout::new(&system, &order);
            let mut store = Store::new(layout.levels(), &Budget::unlimited()).unwrap();
            let mut residuals = Residuals::new(&layout, store.scope(), &Budget::unlimited());
            for _ in 0..4 {
                let predicate = predicates::any(random, &system, 3);
                let Ok(start) = residuals.compile(&system, &predicate) else {
                    continue;
                };
                let opposite = residuals.not(start);
                for _ in 0..8 {
                    let stored: Vec<u32> = (0..layout.levels() as u32)
                        .map(|l| random.below(1 + layout.high(Level(l)).unwrap_or(4)) as u32)
                        .collect();
                    let state: Vec<Value> = layout.decode_state(&stored).to_vec();
                    let mut at = [start, opposite];
                    for (l, value) in stored.iter().enumerate() {
                        at = at.map(|r| residuals.step(r, l as u32, *value).unwrap());
                    }
                    let want = system.holds(&predicate, &state);
                    decided[usize::from(want)] += 1;
                    assert_eq!(
                        at,
                        [constant(want), constant(!want)],
                        "{predicate:?} at {state:?} of {system:?}"
                    );
                }
            }
        });
        assert!(decided.iter().all(|d| *d > 1000), "{decided:?}");
    }
}
