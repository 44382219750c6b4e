//! Random coloured nets with a quotient, and questions about both forms.
//!
//! A question is asked twice, by the ids of places and transitions: about the unfolding and about
//! the quotient. The answers must agree, and runs of the quotient must be replayed on the net.

use crate::case::{Atom, Case};
use crate::formulas::Ltl;
use crate::oracle::Reachable;
use crate::{coloured, symmetric};
use lariat_budget::Budget;
use lariat_corpora::Random;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_model::coloured::{ColouredNet, PlaceId, TransitionId, quotient, unfold};
use lariat_model::{Comparison, EventId, Linear, Predicate, Proposition, VarId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Limit on the states of an unfolding.
const MOST_STATES: usize = 250;

/// A net with a quotient, and a question about it in terms of both.
pub struct Asked {
    /// The quotient as a model.
    pub model: Arc<LoadedModel>,
    /// The question about the unfolding.
    pub unfolded: Case,
    /// The question about the quotient.
    pub quotient: Case,
}

impl Asked {
    /// Generates a net and a question; `None` if the net has no quotient or too many states.
    pub fn random(rng: &mut Random) -> Option<Asked> {
        let net = if rng.percent(70) {
            symmetric::Spec::random(rng).model().coloured?.net
        } else {
            let text = coloured::random(rng);
            let model = lariat_formats::read("random", text.as_bytes()).ok()?;
            model.coloured?.net
        };
        let budget = Budget::unlimited();
        let (quotient, system) = quotient(&net, &budget).expect("no limits")?;
        let unfolded = unfold(&net, &budget).ok()?;
        Reachable::explore(&unfolded.system, MOST_STATES)?;
        let mut atoms = (Vec::new(), Vec::new());
        for _ in 0..1 + rng.below(3) {
            let [one, other] = propositions(rng, &net, |node| match node {
                Node::Place(place) => [
                    unfolded.unfolding.instances(place).collect(),
                    quotient.sum(place),
                ]
                .map(Nodes::Sum),
                Node::Transition(transition) => {
                    let events = unfolded.unfolding.events(transition).collect();
                    [events, quotient.events(transition)].map(Nodes::Events)
                }
            });
            atoms.0.push(Atom::unnamed(one));
            atoms.1.push(Atom::unnamed(other));
        }
        let size = 1 + rng.below(10);
        let with_next = rng.percent(40);
        let formula = Ltl::random(rng, atoms.0.len(), size, with_next);
        let mut model = LoadedModel::new(ModelFormat::Pnml, system.clone());
        model.quotient = Some(Box::new(quotient));
        Some(Asked {
            model: Arc::new(model),
            unfolded: Case::new(unfolded.system, atoms.0, formula.clone()),
            quotient: Case::new(system, atoms.1, formula),
        })
    }
}

enum Node {
    Place(PlaceId),
    Transition(TransitionId),
}

enum Nodes {
    Sum(Vec<VarId>),
    Events(Vec<EventId>),
}

/// Generates a proposition about a place or a transition, in terms of the unfolding and of the
/// quotient.
fn propositions(
    rng: &mut Random,
    net: &ColouredNet,
    meanings: impl Fn(Node) -> [Nodes; 2],
) -> [Proposition; 2] {
    if rng.percent(5) {
        return [Predicate::Deadlock, Predicate::Deadlock].map(Proposition::State);
    }
    let places: Vec<_> = net.place_ids().collect();
    let transitions: Vec<_> = net.transition_ids().collect();
    let kind = rng.below(5);
    let node = match kind {
        0..3 => Node::Place(*rng.one_of(&places)),
        _ => Node::Transition(*rng.one_of(&transitions)),
    };
    let comparison = *rng.one_of(&[Comparison::Ge, Comparison::Ge, Comparison::Eq]);
    let constant = 1 + rng.below(3) as i64;
    meanings(node).map(|nodes| match nodes {
        Nodes::Sum(vars) => {
            let mut weights = BTreeMap::new();
            vars.into_iter()
                .for_each(|var| *weights.entry(var).or_insert(0) += 1);
            Proposition::State(Predicate::Linear(Linear {
                terms: weights.into_iter().collect(),
                comparison,
                constant,
            }))
        }
        Nodes::Events(events) if kind == 3 => Proposition::State(Predicate::Enabled(events)),
        Nodes::Events(events) => Proposition::Fires(events),
    })
}
