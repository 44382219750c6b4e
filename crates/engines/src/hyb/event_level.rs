//! Events as part of the state: an additional level predicts the class of the next event.
//!
//! The product reads the label of a state on entry, but an event is taken on exit. So each state is
//! split by the class of the next event; events of a class are the same to the automaton:
//!
//! ```text
//! (s, c) → (s', c')   iff   s –e→ s', e ∈ class c, any c'     λ(s, c) = λ(s) ∪ the atoms of c
//! ```
//!
//! Its runs are those of the system with their letters; a state with a wrong prediction has no
//! successor and is on no cycle. The class is one more variable, below the others in the order and
//! above the automaton. The events are those of the space, of any kind, each with a table on this
//! level from its own class to all classes. So the learned transitions of programs can be used, and
//! a step into an error state is a step like others: whatever is predicted there does not happen.
//!
//! Deadness is a property of the system, not of predictions: a dead state stutters if its
//! prediction is the unnamed class. Predicates about enabledness refer to the unchanged events of
//! the system. Prefixes are no evidence here, because the last prediction need not be possible.
//!
//! V. Molnár et al. (2016) have propositions on states only. Cost: states that differ only in the
//! class share all nodes but the last level. There is one class per combination of `fires` atoms
//! that are true together, and one more.

use crate::alphabet::{Alphabet, ClassId};
use crate::problem::Problem;
use lariat_budget::Stop;
use lariat_dd::{EventPart, EventRelation, Store};
use lariat_model::order::Order;
use lariat_model::{
    Comparison, Domain, EventId, Lasso, Predicate, Proposition, State, Step, System, Value, VarId,
    Variable,
};
use lariat_space::symbolic::{LevelLayout, Symbolic};
use std::sync::Arc;

/// The problem on states with predicted events.
pub struct EventLevelProblem {
    /// Variables and initial states have the additional level; events are those of the original.
    system: System,
    propositions: Vec<Proposition>,
    layout: LevelLayout,
    alphabet: Arc<Alphabet>,
}

impl EventLevelProblem {
    /// Translates `problem`, which may read events, to one about states.
    pub fn new(problem: &Problem<'_>, order: &Order) -> Result<EventLevelProblem, Stop> {
        let original = problem.system;
        let alphabet = problem.alphabet().clone();
        let class = VarId(original.variables.len() as u32);
        let values = || alphabet.classes().map(|class| Value::from(class.0));
        let mut system = System {
            initial: Vec::new(),
            units: Vec::new(),
            ..original.clone()
        };
        system.variables.push(Variable {
            name: "class of the next event".to_owned(),
            domain: Domain::Range {
                low: 0,
                high: values().max().unwrap_or(0),
            },
        });
        for state in &original.initial {
            let split = values().map(|value| state.iter().copied().chain([value]).collect());
            system.initial.extend::<Vec<State>>(split.collect());
        }
        let propositions = problem.propositions.iter().enumerate();
        let propositions = propositions.map(|(i, proposition)| match proposition {
            Proposition::State(_) => proposition.clone(),
            Proposition::Fires(_) => {
                let named = |class: &ClassId| alphabet.letter(*class).0 >> i & 1 == 1;
                let is = |c: ClassId| Predicate::compare(class, Comparison::Eq, Value::from(c.0));
                let some = alphabet.classes().filter(named).map(is);
                Proposition::State(Predicate::Or(some.collect()))
            }
        });
        let propositions = propositions.collect();
        let levels = order.vars().iter().copied().chain([class]).collect();
        let order = Order::from_top(levels)
            .ok_or_else(|| Stop::Internal("the order with an event level".to_owned()))?;
        Ok(EventLevelProblem {
            layout: LevelLayout::new(&system, &order),
            system,
            propositions,
            alphabet,
        })
    }

    /// Returns the translated problem with the automaton and fairness of `problem`.
    pub fn problem<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        Problem::new(
            &self.system,
            problem.automaton,
            &self.propositions,
            problem.deadlock,
        )
        .assuming(problem.fairness)
    }

    /// Returns the levels of the space with the additional one below.
    pub fn layout(&self) -> &LevelLayout {
        &self.layout
    }

    /// Returns the events of `space` with their tables on the additional level.
    pub fn events(
        &self,
        space: &Symbolic<'_>,
        store: &mut Store,
    ) -> Result<Vec<(EventId, EventRelation)>, Stop> {
        space.events_in(store, |event| {
            let own = self.alphabet.class(Some(event));
            let any = self.alphabet.classes();
            Some(self.table(any.map(|next| (own, next))))
        })
    }

    /// Returns events that are enabled where a state does not stutter: those of `space`, for any
    /// prediction, and an identity for each named class.
    pub fn alive(
        &self,
        space: &Symbolic<'_>,
        store: &mut Store,
    ) -> Result<Vec<EventRelation>, Stop> {
        let events = space.events_in(store, |_| None)?;
        let named = self.alphabet.classes().filter(|c| *c != ClassId::UNNAMED);
        let is_named = store.event(&[self.table(named.map(|class| (class, class)))])?;
        Ok(events.into_iter().map(|e| e.1).chain(is_named).collect())
    }

    /// Returns a table on the additional level.
    fn table(&self, rows: impl Iterator<Item = (ClassId, ClassId)>) -> EventPart {
        EventPart::Table {
            levels: vec![self.layout.levels() as u32 - 1],
            rows: rows.map(|(from, to)| vec![(from.0, to.0)]).collect(),
        }
    }

    /// Removes the additional level from a run.
    pub fn lift(&self, lasso: Lasso) -> Lasso {
        let variables = self.layout.levels() - 1;
        let steps = |steps: Vec<Step>| steps.into_iter().map(|step| step.on_first(variables));
        Lasso {
            initial: State::from(&lasso.initial[..variables]),
            prefix: steps(lasso.prefix).collect(),
            cycle: steps(lasso.cycle).collect(),
            growth: None,
        }
    }
}
