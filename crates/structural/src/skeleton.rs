//! The skeleton of a coloured net: an abstraction that merges all colours.
//!
//! The places of an unfolded net form families, the colours of one coloured place. The *skeleton*
//! has one place per family with the sum of its tokens, and the events with their arcs added up:
//!
//! ```text
//! M(f) = Σ over p in f of m(p)      need(t, f) = Σ need(t, p)      C(t, f) = Σ C(t, p)
//! ```
//!
//! Events with equal arcs are merged, which leaves about as many as the coloured net has
//! transitions. Each step `m –t→ m'` of the net is a step `M –t→ M'` of its skeleton, so behaviour
//! that the skeleton excludes the net excludes too. The skeleton is computed from the *unfolded*
//! net: terms do not matter, and bindings with different token counts are different events.
//!
//! A condition on `m` is replaced by a weaker one on `M`:
//!
//! ```text
//! Σ c(p)·m(p) >= k      ⟹      Σ over f of (max over p in f of c(p)) · M(f) >= k
//! enabled(t)            ⟹      enabled(t) in the skeleton
//! ```
//!
//! The first is exact if all colours have one coefficient, as in formulas about whole places. A
//! *disabled* event gives no condition, since the tokens may have the wrong colour. So the skeleton
//! answers nothing about dead markings; it proves atoms constant, places bounded and runs finite.
//!
//! Folding is linear in the arcs. Smaller nets are analysed without it, which proves more.

use crate::Facts;
use crate::certificate::Certificate;
use crate::facts::{Constant, FactLimits};
use lariat_budget::{Budget, Stop};
use lariat_model::coloured::Coloured;
use lariat_model::{
    Action, Arc, Comparison, Domain, Event, EventId, Linear, Predicate, Proposition, System, Value,
    VarId, Variable,
};
use rustc_hash::FxHashMap;
use std::sync::Arc as Shared;

/// Limit on the places and events of a skeleton.
const MOST_NODES: usize = 2_000;

/// Events folded between two polls of the budget.
const STRIDE: usize = 4_096;

/// A net without its colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skeleton {
    /// The place of each variable of the unfolded net.
    families: Vec<VarId>,
    /// The number of variables per place.
    sizes: Vec<usize>,
    /// The event of each event of the unfolded net.
    events: Vec<EventId>,
    net: System,
}

/// A skeleton with the facts about it.
#[derive(Clone, Debug)]
pub(crate) struct SkeletonFacts {
    skeleton: Shared<Skeleton>,
    pub facts: Facts,
}

/// Arcs added up by family, sorted, without empty ones; `None` on overflow.
fn folded(action: &Action, families: &[VarId]) -> Option<Vec<Arc>> {
    let Action::Net(arcs) = action else {
        return None;
    };
    let family = |arc: &Arc| Some((*families.get(arc.var.index())?, arc.need, arc.delta));
    let mut all = arcs.iter().map(family).collect::<Option<Vec<_>>>()?;
    all.sort_unstable_by_key(|(var, ..)| *var);
    let mut sums: Vec<Arc> = Vec::new();
    for (var, need, delta) in all {
        match sums.last_mut().filter(|last| last.var == var) {
            Some(last) => {
                last.need = last.need.checked_add(need)?;
                last.delta = last.delta.checked_add(delta)?;
            }
            None => sums.push(Arc { var, need, delta }),
        }
    }
    sums.retain(|arc| arc.need != 0 || arc.delta != 0);
    Some(sums)
}

/// The tokens of each family; `None` on overflow.
fn tokens(state: &[Value], families: &[VarId], places: usize) -> Option<Vec<Value>> {
    let mut sums: Vec<Value> = vec![0; places];
    for (family, tokens) in families.iter().zip(state) {
        let sum = &mut sums[family.index()];
        *sum = sum.checked_add(*tokens)?;
    }
    Some(sums)
}

impl Skeleton {
    /// Builds the skeleton of the unfolding of a coloured net.
    fn of(coloured: &Coloured, system: &System, budget: &Budget) -> Result<Option<Skeleton>, Stop> {
        let Coloured { net, unfolding } = coloured;
        let mut families = vec![VarId(0); system.variables.len()];
        for place in net.place_ids() {
            for member in unfolding.instances(place) {
                families[member.index()] = VarId(place.0);
            }
        }
        let names = net.places.iter().map(|place| place.name.clone());
        Skeleton::folded(system, names.collect(), families, budget)
    }

    /// Builds a skeleton; `None` if the system is no net or has too many distinct events.
    fn folded(
        system: &System,
        names: Vec<String>,
        families: Vec<VarId>,
        budget: &Budget,
    ) -> Result<Option<Skeleton>, Stop> {
        let mut sizes = vec![0; names.len()];
        families.iter().for_each(|f| sizes[f.index()] += 1);
        let place = |name| Variable {
            name,
            domain: Domain::Count { bound: None },
        };
        let mut net = System {
            variables: names.into_iter().map(place).collect(),
            ..System::default()
        };
        let mut known: FxHashMap<Vec<Arc>, EventId> = FxHashMap::default();
        let mut events = Vec::with_capacity(system.events.len());
        for (i, event) in system.events.iter().enumerate() {
            if i.is_multiple_of(STRIDE) {
                budget.check()?;
            }
            let Some(arcs) = folded(&event.action, &families) else {
                return Ok(None);
            };
            let next = EventId(net.events.len() as u32);
            let id = *known.entry(arcs.clone()).or_insert(next);
            events.push(id);
            if id == next {
                net.events.push(Event {
                    name: event.name.clone(),
                    action: Action::Net(arcs),
                });
            }
            if net.variables.len() + net.events.len() > MOST_NODES {
                return Ok(None);
            }
        }
        for state in &system.initial {
            let Some(tokens) = tokens(state, &families, sizes.len()) else {
                return Ok(None);
            };
            net.initial.push(tokens.into());
        }
        Ok(system.fault.is_none().then_some(Skeleton {
            families,
            sizes,
            events,
            net,
        }))
    }

    pub(crate) fn net(&self) -> &System {
        &self.net
    }

    /// Returns whether this is the skeleton of the system: every step of it is a step here.
    pub(crate) fn is_of(&self, system: &System) -> bool {
        let same = |(event, id): (&Event, &EventId)| match &self.net.event(*id).action {
            Action::Net(arcs) => folded(&event.action, &self.families).as_ref() == Some(arcs),
            _ => false,
        };
        let starts = system.initial.iter().zip(&self.net.initial);
        let begins = |(state, start): (&lariat_model::State, &lariat_model::State)| {
            tokens(state, &self.families, self.sizes.len())
                .is_some_and(|sums| sums[..] == start[..])
        };
        self.families.len() == system.variables.len()
            && self.events.len() == system.events.len()
            && self.net.initial.len() == system.initial.len()
            && starts.into_iter().all(begins)
            && system.events.iter().zip(&self.events).all(same)
    }

    /// A predicate that is true of `M` wherever `predicate` has the value `truth` for `m`.
    fn weaker(&self, predicate: &Predicate, truth: bool) -> Predicate {
        let all = |ps: &[Predicate]| ps.iter().map(|p| self.weaker(p, truth)).collect();
        match predicate {
            Predicate::Const(value) => Predicate::Const(*value == truth),
            Predicate::Linear(linear) => self.weaker_sum(linear, truth),
            Predicate::Enabled(events) if truth => {
                let mut events: Vec<EventId> =
                    events.iter().map(|e| self.events[e.index()]).collect();
                events.sort_unstable();
                events.dedup();
                Predicate::Enabled(events)
            }
            Predicate::Deadlock if !truth => Predicate::Not(Box::new(Predicate::Deadlock)),
            // These depend on single colours.
            Predicate::Enabled(_) | Predicate::Deadlock | Predicate::Expr(_) => {
                Predicate::Const(true)
            }
            Predicate::Not(inner) => self.weaker(inner, !truth),
            Predicate::And(ps) if truth => Predicate::And(all(ps)),
            Predicate::Or(ps) if !truth => Predicate::And(all(ps)),
            Predicate::And(ps) | Predicate::Or(ps) => Predicate::Or(all(ps)),
        }
    }

    fn weaker_sum(&self, linear: &Linear, truth: bool) -> Predicate {
        let comparison = if truth {
            linear.comparison
        } else {
            linear.comparison.negated()
        };
        let coefficients = self.coefficients(&linear.terms);
        let sum = |comparison: Comparison| {
            let upper = matches!(comparison, Comparison::Ge | Comparison::Gt);
            let terms = coefficients.iter();
            let terms = terms.map(|(f, least, most)| (*f, if upper { *most } else { *least }));
            Predicate::Linear(Linear {
                terms: terms.filter(|(_, c)| *c != 0).collect(),
                comparison,
                constant: linear.constant,
            })
        };
        match comparison {
            Comparison::Eq => Predicate::And([Comparison::Ge, Comparison::Le].map(sum).into()),
            Comparison::Ne => Predicate::Or([Comparison::Gt, Comparison::Lt].map(sum).into()),
            comparison => sum(comparison),
        }
    }

    /// For each place that occurs the least and the largest coefficient of its members.
    fn coefficients(&self, terms: &[(VarId, Value)]) -> Vec<(VarId, Value, Value)> {
        let mut families: FxHashMap<VarId, (usize, Value, Value)> = FxHashMap::default();
        for (var, c) in terms {
            let (family, c) = (families.entry(self.families[var.index()]), *c);
            let (members, least, most) = family.or_insert((0, c, c));
            (*members, *least, *most) = (*members + 1, c.min(*least), c.max(*most));
        }
        // Other members have the coefficient 0.
        let range = |(family, (members, least, most)): (VarId, (usize, Value, Value))| {
            if members == self.sizes[family.index()] {
                (family, least, most)
            } else {
                (family, least.min(0), most.max(0))
            }
        };
        let mut ranges: Vec<_> = families.into_iter().map(range).collect();
        ranges.sort_unstable();
        ranges
    }
}

impl Facts {
    /// Declares the system to be the unfolding of a coloured net; builds its skeleton if too large.
    pub fn unfolded_from(
        &mut self,
        coloured: &Coloured,
        system: &System,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if self.net.is_some() || self.skeleton_tried {
            return Ok(());
        }
        let skeleton = Skeleton::of(coloured, system, budget)?;
        self.skeleton_tried = true;
        self.folded = skeleton.map(|skeleton| {
            let limits = FactLimits {
                nodes: MOST_NODES,
                ..self.limits
            };
            let facts = Facts::limited(&skeleton.net, limits);
            Box::new(SkeletonFacts {
                skeleton: Shared::new(skeleton),
                facts,
            })
        });
        Ok(())
    }

    /// Proves an atom constant by the skeleton.
    pub(crate) fn constant_by_skeleton(
        &mut self,
        proposition: &Proposition,
        budget: &Budget,
    ) -> Result<Option<Constant>, Stop> {
        let Some(folded) = &mut self.folded else {
            return Ok(None);
        };
        let values: &[bool] = match proposition {
            Proposition::State(_) => &[true, false],
            Proposition::Fires(_) => &[false],
        };
        for value in values.iter().copied() {
            budget.check()?;
            let otherwise = match proposition {
                Proposition::State(predicate) => folded.skeleton.weaker(predicate, !value),
                // A fired event is enabled.
                Proposition::Fires(events) => {
                    let enabled = Predicate::Enabled(events.clone());
                    folded.skeleton.weaker(&enabled, true)
                }
            };
            let never = [(Proposition::State(otherwise), true)];
            if let Some(found) = folded.facts.infeasible(&never, budget)? {
                let certificate = folded.marked(found);
                return Ok(Some(Constant { value, certificate }));
            }
        }
        Ok(None)
    }

    /// Proves by the skeleton that all runs are finite.
    pub(crate) fn terminates_by_skeleton(
        &mut self,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Stop> {
        let Some(folded) = &mut self.folded else {
            return Ok(None);
        };
        let found = folded.facts.terminates(budget)?;
        Ok(found.map(|certificate| folded.marked(certificate)))
    }
}

impl SkeletonFacts {
    /// Marks a certificate as one about the skeleton.
    fn marked(&self, mut certificate: Certificate) -> Certificate {
        certificate.skeleton = Some(self.skeleton.clone());
        certificate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::nets::net;

    /// Arcs of an event: place, taken, given. Places 0 and 1, p1 and p2, are a family; 2 is q, 3 r.
    type Arcs = [(usize, Value, Value)];

    fn facts_by_skeleton(system: &System) -> Facts {
        let names = ["p", "q", "r"].map(str::to_owned).into();
        let families = [0, 0, 1, 2].map(VarId).into();
        let skeleton = Skeleton::folded(system, names, families, &Budget::unlimited()).unwrap();
        let mut facts = Facts::of(system);
        facts.net = None;
        facts.folded = skeleton.map(|skeleton| {
            Box::new(SkeletonFacts {
                facts: Facts::of(skeleton.net()),
                skeleton: Shared::new(skeleton),
            })
        });
        facts
    }

    /// The constant that the skeleton alone proves.
    fn constant(system: &System, predicate: Predicate) -> Option<(bool, Vec<String>)> {
        let atom = Proposition::State(predicate);
        let found = facts_by_skeleton(system).constant(&atom, &Budget::unlimited());
        found.unwrap().map(|constant| {
            assert!(constant.certificate.check(system));
            let mut other = system.clone();
            other.initial[0][2] += 1;
            assert!(!constant.certificate.check(&other));
            let why = constant.certificate.sentences(system);
            (constant.value, why)
        })
    }

    fn compare(terms: &[(u32, i64)], comparison: Comparison, constant: i64) -> Predicate {
        Predicate::Linear(Linear {
            terms: terms.iter().map(|(p, c)| (VarId(*p), *c)).collect(),
            comparison,
            constant,
        })
    }

    /// p1 and r → q
    const T: &Arcs = &[(0, 1, 0), (2, 0, 1), (3, 1, 0)];
    /// p1 → p2
    const U: &Arcs = &[(0, 1, 0), (1, 0, 1)];

    #[test]
    fn facts_about_families_are_found() {
        let system = net(&[1, 0, 0, 1], &[T, U]);
        let both = [(0, 1), (1, 1)];
        let found = constant(&system, compare(&both, Comparison::Ge, 2));
        assert_eq!(found, Some((false, vec!["p <= 1".to_owned()])));
        for comparison in [Comparison::Eq, Comparison::Gt, Comparison::Ne] {
            let found = constant(&system, compare(&both, comparison, 2));
            assert_eq!(found.unwrap().0, comparison == Comparison::Ne);
        }
        let not = Predicate::Not(Box::new(compare(&both, Comparison::Ge, 2)));
        assert_eq!(constant(&system, not).map(|(value, _)| value), Some(true));
        assert_eq!(constant(&system, compare(&both, Comparison::Ge, 1)), None);
        let bounded = facts_by_skeleton(&system).is_bounded(&Budget::unlimited());
        assert_eq!(bounded, Ok(true));
    }

    #[test]
    fn members_of_a_family_may_differ() {
        // One of the two tokens goes, and it is that of p1: the family keeps one.
        let goes = net(&[1, 1, 0, 1], &[T]);
        let kept = compare(&[(0, 1), (1, 1)], Comparison::Ge, 1);
        assert!(constant(&goes, kept).is_some());
        assert_eq!(constant(&goes, compare(&[(0, 1)], Comparison::Ge, 1)), None);
        assert_eq!(constant(&goes, compare(&[(1, 1)], Comparison::Le, 0)), None);
        // The largest coefficient counts, or the least.
        let moves = net(&[1, 0, 0, 0], &[U]);
        let heavy = compare(&[(0, 1), (1, 2)], Comparison::Ge, 2);
        assert_eq!(constant(&moves, heavy), None);
        let light = compare(&[(0, 2), (1, 1)], Comparison::Le, 1);
        assert_eq!(constant(&moves, light), None);
        // The family has a token, but not of the colour that is needed: no event is enabled.
        let enabled = Predicate::Enabled(vec![EventId(0)]);
        assert_eq!(constant(&moves, enabled), None);
        assert_eq!(constant(&moves, Predicate::Deadlock), None);
        // Without a token in the family no event is enabled.
        let empty = net(&[0, 0, 1, 0], &[U]);
        let never = constant(&empty, Predicate::Enabled(vec![EventId(0)]));
        assert_eq!(never.map(|(value, _)| value), Some(false));
    }

    #[test]
    fn runs_that_are_finite_without_colours_are_finite() {
        let budget = Budget::unlimited();
        let ends = net(&[3, 0, 0, 3], &[T]);
        let why = facts_by_skeleton(&ends).terminates(&budget).unwrap();
        assert!(why.unwrap().check(&ends));
        // p1 → p2 ends too, but the skeleton does not show it.
        let moves = net(&[3, 0, 0, 3], &[T, U]);
        assert_eq!(facts_by_skeleton(&moves).terminates(&budget).unwrap(), None);
        // A net whose steps may fail has no skeleton.
        let fails = System {
            fault: Some(VarId(2)),
            ..ends
        };
        assert_eq!(facts_by_skeleton(&fails).terminates(&budget).unwrap(), None);
    }

    /// A certificate is refused for another net, with more events or with different ones.
    #[test]
    fn certificates_are_refused_for_other_nets() {
        let ends = net(&[3, 0, 0, 3], &[T]);
        let why = facts_by_skeleton(&ends).terminates(&Budget::unlimited());
        let why = why.unwrap().unwrap();
        // The other colour has the same skeleton.
        let other: &Arcs = &[(1, 1, 0), (2, 0, 1), (3, 1, 0)];
        assert!(why.check(&ends) && why.check(&net(&[0, 3, 0, 3], &[other])));
        let mut more = ends.clone();
        more.initial.push(ends.initial[0].clone());
        let mut larger = ends.clone();
        larger.variables.push(ends.variables[0].clone());
        larger.initial = vec![[3, 0, 0, 3, 0].into()];
        let gives: &Arcs = &[(0, 1, 1), (2, 0, 1), (3, 1, 0)];
        for not in [
            more,
            larger,
            net(&[3, 0, 0, 3], &[T, U]),
            net(&[3, 0, 0, 3], &[gives]),
            net(&[3, 1, 0, 3], &[T]),
        ] {
            assert!(!why.check(&not), "{not:?}");
        }
    }
}
