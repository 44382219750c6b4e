//! Events as part of the state: what is taken next is foretold.
//!
//! The product reads the label of a state when it comes there, and an event is taken when it is left. So each state is split by what
//! comes next, a class of events that the automaton does not tell apart:
//!
//! ```text
//! (s, c) → (s', c')   iff   s –e→ s', e ∈ class c, any c'              λ(s, c) = λ(s) ∪ the atoms of class c
//! ```
//!
//! Its runs are those of the system with their letters: whoever foretells what cannot happen gets no further, and is on no cycle. The class is one more
//! variable, below all others in the order and above the automaton. The events are those of the space, whatever they are made of, each with a table on this level that leads
//! from its own class to any. Nothing else of an event is looked at. So what a program does is what the space has learned of it, and a step that ends
//! in its error state is a step like all others: it has been foretold, and whatever is foretold behind it does not happen.
//!
//! What is dead must be asked of the system, not of what was foretold: a dead state stutters where no event is foretold that is named. Predicates about what
//! is enabled are about the system's own events, which are kept as they are. The beginning of a run is no evidence here, because its last event need not be possible.
//!
//! V. Molnár et al. (2016) have propositions of states alone. Cost: states that differ by a class alone share their nodes but for the last level, and there are as many classes
//! as combinations of `fires` atoms that are true together, and one more.

use crate::alphabet::{Alphabet, ClassId};
use crate::problem::Problem;
use lariat_budget::Stop;
use lariat_dd::{Event, EventPart, Store};
use lariat_model::order::Order;
use lariat_model::{
    Comparison, Domain, EventId, Lasso, Predicate, Proposition, State, Step, System, Value, VarId,
    Variable,
};
use lariat_space::symbolic::{Layout, Symbolic};
use std::sync::Arc;

/// The question about a system whose states foretell events.
pub struct EventLevelProblem {
    /// The variables and initial states are those that foretell, the events those of the original.
    system: System,
    propositions: Vec<Proposition>,
    layout: Layout,
    alphabet: Arc<Alphabet>,
}

impl EventLevelProblem {
    /// The question of `problem`, about events too, as one about states.
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
            name: "what is taken next".to_owned(),
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
        let order = Order::from_top(levels).ok_or_else(|| Stop::Internal("an order".to_owned()))?;
        Ok(EventLevelProblem {
            layout: Layout::new(&system, &order),
            system,
            propositions,
            alphabet,
        })
    }

    /// The question; automaton and fairness are those of `problem`.
    pub fn problem<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        Problem::new(
            &self.system,
            problem.automaton,
            &self.propositions,
            problem.deadlock,
        )
        .assuming(problem.fairness)
    }

    /// Where the variables are: the levels of the space, and one below them.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The events of `space` with what they foretell.
    pub fn events(
        &self,
        space: &Symbolic<'_>,
        store: &mut Store,
    ) -> Result<Vec<(EventId, Event)>, Stop> {
        space.events_in(store, |event| {
            let own = self.alphabet.class(Some(event));
            let any = self.alphabet.classes();
            Some(self.table(any.map(|next| (own, next))))
        })
    }

    /// What tells that a state is not dead: an event of `space` that is possible, whether it was foretold or not, or one that is foretold by its name.
    pub fn alive(&self, space: &Symbolic<'_>, store: &mut Store) -> Result<Vec<Event>, Stop> {
        let events = space.events_in(store, |_| None)?;
        let named = self.alphabet.classes().filter(|c| *c != ClassId::UNNAMED);
        let is_named = store.event(&[self.table(named.map(|class| (class, class)))])?;
        Ok(events.into_iter().map(|e| e.1).chain(is_named).collect())
    }

    /// From class to class.
    fn table(&self, rows: impl Iterator<Item = (ClassId, ClassId)>) -> EventPart {
        EventPart::Table {
            levels: vec![self.layout.levels() as u32 - 1],
            rows: rows.map(|(from, to)| vec![(from.0, to.0)]).collect(),
        }
    }

    /// The run of the system behind one of this.
    pub fn told(&self, lasso: Lasso) -> Lasso {
        let variables = self.layout.levels() - 1;
        let state = |state: State| State::from(&state[..variables]);
        let step = |step: Step| Step {
            event: step.event,
            state: state(step.state),
        };
        Lasso {
            initial: state(lasso.initial),
            prefix: lasso.prefix.into_iter().map(step).collect(),
            cycle: lasso.cycle.into_iter().map(step).collect(),
            growth: None,
        }
    }
}
