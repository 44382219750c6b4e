//! R_q of nets whose symmetries permute places and transitions.
//!
//! Places and transitions are coloured by the propositions of the guards that mention them, and
//! each permutation found is tested on all guards. Any subgroup is sound. Groups from truncated
//! searches need not contain each other: it suffices that some symmetry that respects all guards
//! reachable from `q` maps a state to its representative at `q`; it also respects the guards of
//! later states.

use super::guarded::Guarded;
use crate::problem::Problem;
use lariat_automata::Guard;
use lariat_budget::{Budget, Stop};
use lariat_model::{Predicate, Proposition};
use lariat_reductions::symmetry::{Automorphisms, Chain, Colouring, Representatives, Symmetry};
use rustc_hash::FxHasher;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Sets of guards for which symmetries are searched, the largest first; other sets use the result
/// of a superset. A search costs about as much as finding the symmetries of the net.
const MOST_SEARCHES: usize = 8;

/// Guards reachable from a state.
type Ahead = BTreeSet<Guard>;

/// Returns the different groups, and the index of each automaton state's group.
pub(super) fn futures<'p>(
    problem: &'p Problem<'p>,
    symmetry: &'p Symmetry<'p>,
    net: &'p Automorphisms,
    budget: &Budget,
) -> Result<(Vec<Representatives<'p, 'p>>, Vec<u32>), Stop> {
    let mut guarded = Guarded::new(problem, symmetry);
    let ahead = ahead(problem);
    let mut sets: Vec<&Ahead> = ahead.iter().collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    sets.dedup();
    let mut searched: Vec<(&Ahead, Cow<'p, Chain>)> = Vec::new();
    for set in sets {
        if searched.len() < MOST_SEARCHES && searched.iter().all(|(known, _)| *known != set) {
            let found = keeping(&mut guarded, net, set, budget)?;
            searched.push((set, found));
        }
    }
    let group_of = |set: &Ahead| -> u32 {
        // Sets are sorted by decreasing size: the last superset is the closest.
        let holds = |(known, _): &(&Ahead, _)| set.is_subset(known);
        let known = searched.iter().rposition(holds);
        known.unwrap_or(searched.len()) as u32
    };
    let of = ahead.iter().map(group_of).collect();
    let mut groups: Vec<Cow<'p, Chain>> = searched.iter().map(|(_, found)| found.clone()).collect();
    groups.push(Cow::Owned(net.nothing()));
    let groups = groups.into_iter();
    let groups = groups.map(|chain| Representatives::Net(chain, net.vertices()));
    Ok((groups.collect(), of))
}

/// Returns the guards reachable from each automaton state, except constant ones.
fn ahead(problem: &Problem<'_>) -> Vec<Ahead> {
    let automaton = problem.automaton;
    let asks = |guard: &Guard| automaton.guards.support(*guard) != 0;
    let own = |state| -> Ahead {
        let guards = automaton.transitions(state).iter().map(|t| t.guard);
        guards.filter(asks).collect()
    };
    let mut ahead: Vec<Ahead> = automaton.state_ids().map(own).collect();
    loop {
        let mut changed = false;
        for state in automaton.state_ids() {
            for transition in automaton.transitions(state) {
                if transition.to != state {
                    let later = ahead[transition.to.index()].clone();
                    let before = ahead[state.index()].len();
                    ahead[state.index()].extend(later);
                    changed |= ahead[state.index()].len() > before;
                }
            }
        }
        if !changed {
            return ahead;
        }
    }
}

/// Returns the symmetries that respect some guards.
fn keeping<'p>(
    guarded: &mut Guarded<'_>,
    net: &'p Automorphisms,
    ahead: &Ahead,
    budget: &Budget,
) -> Result<Cow<'p, Chain>, Stop> {
    if ahead.is_empty() || net.chain().is_trivial() {
        return Ok(Cow::Borrowed(net.chain()));
    }
    let mut colouring = net.colouring();
    for (atom, proposition) in guarded.problem.propositions.iter().enumerate() {
        // A symmetry preserves the set of guards that depend on a proposition.
        let mut hasher = FxHasher::default();
        let mut asked = false;
        for guard in ahead {
            let asks = guarded.guards.support(*guard) >> atom & 1 == 1;
            asks.hash(&mut hasher);
            asked |= asks;
        }
        if asked {
            colour(&mut colouring, proposition, hasher.finish());
        }
    }
    let passes = |to: &[u32]| ahead.iter().all(|guard| guarded.keeps(*guard, to));
    net.keeping(&colouring, passes, budget).map(Cow::Owned)
}

/// Colours the places or transitions that a proposition mentions.
fn colour(colouring: &mut Colouring, proposition: &Proposition, seed: u64) {
    match proposition {
        Proposition::State(predicate) => colour_predicate(colouring, predicate, seed),
        Proposition::Fires(events) => {
            for event in events {
                colouring.event(*event, hashed((seed, "fires", events.len())));
            }
        }
    }
}

fn colour_predicate(colouring: &mut Colouring, predicate: &Predicate, seed: u64) {
    match predicate {
        Predicate::Const(_) | Predicate::Deadlock => {}
        Predicate::Linear(linear) => {
            let shape = (linear.comparison, linear.constant, linear.terms.len());
            for (var, coefficient) in &linear.terms {
                colouring.var(*var, hashed((seed, shape, coefficient)));
            }
        }
        // Variables of expressions stay fixed.
        Predicate::Expr(expr) => {
            let mut vars = Vec::new();
            expr.collect_vars(&mut vars);
            for var in vars {
                colouring.var(var, hashed((seed, var)));
            }
        }
        Predicate::Enabled(events) => {
            for event in events {
                colouring.event(*event, hashed((seed, "enabled", events.len())));
            }
        }
        Predicate::Not(inner) => colour_predicate(colouring, inner, hashed((seed, "not"))),
        Predicate::And(parts) | Predicate::Or(parts) => {
            for part in parts {
                colour_predicate(colouring, part, hashed((seed, parts.len())));
            }
        }
    }
}

fn hashed(what: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}
