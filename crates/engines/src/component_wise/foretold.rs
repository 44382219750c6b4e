//! Events as part of the state: what is taken next is foretold.
//!
//! The product reads the label of a state when it comes there, and an event is taken when it is left. So each state is split by what
//! comes next, a class of events that the automaton does not tell apart:
//!
//! ```text
//! (s, c) → (s', c')   iff   s –e→ s', e ∈ class c, any c'              λ(s, c) = λ(s) ∪ the atoms of class c
//! ```
//!
//! Its runs are those of the system with their letters: whoever foretells what cannot happen gets no further, and is on no cycle. The classes are places, one
//! of which is marked, below all others in the order and above the automaton; a transition has a copy for each class that may follow it.
//!
//! What is dead must be asked of the system, not of what was foretold: a dead state stutters where no event is foretold that is named (`alive` are the events
//! that tell). The beginning of a run is no evidence here, because its last event need not be possible.
//!
//! V. Molnár et al. (2016) have propositions of states alone. Cost: as many copies of each event as there are classes, one more than
//! combinations of `fires` atoms that are true together, and states that differ by a class alone share their nodes but for the last levels. Programs learn their relations from
//! single states, and a fault in one leaves what was foretold behind: they are refused.

use crate::problem::Problem;
use lariat_budget::{Budget, Stop};
use lariat_model::order::Order;
use lariat_model::{
    Action, Arc, Comparison, Constraint, Deadlock, Domain, Event, EventId, Lasso, Linear,
    Predicate, Proposition, State, Step, System, VarId, Variable,
};
use lariat_space::symbolic::Symbolic;

/// A system that foretells its events, and the same question about it.
pub struct Foretold {
    system: System,
    /// What tells that a state is not dead.
    alive: System,
    propositions: Vec<Proposition>,
    fairness: Vec<Constraint>,
    order: Order,
    variables: usize,
    classes: usize,
}

impl Foretold {
    /// The question of `problem`, about events too, as one about states.
    pub fn new(problem: &Problem<'_>, order: &Order) -> Result<Foretold, Stop> {
        let system = problem.system;
        let variables = system.variables.len();
        let classes = problem.alphabet().classes().len();
        let place = |class: usize| VarId((variables + class) as u32);
        let mut all = system.variables.clone();
        all.extend((0..classes).map(|class| Variable {
            name: format!("next {class}"),
            domain: Domain::Count { bound: Some(1) },
        }));
        let mut initial = Vec::new();
        for state in &system.initial {
            for class in 0..classes {
                let mut state = state.to_vec();
                state.extend((0..classes).map(|other| i64::from(other == class)));
                initial.push(State::from(state));
            }
        }
        let mut events = Vec::new();
        for event in system.event_ids() {
            let class = problem.alphabet().class(Some(event)).index();
            for next in 0..classes {
                let action = foretelling(&system.event(event).action, place(class), place(next))?;
                events.push(renamed(system.event(event), next, action));
            }
        }
        let mut alive = system.events.clone();
        // No named event is foretold of a state that is dead.
        alive.extend((1..classes).map(|class| {
            let marked = Arc {
                var: place(class),
                need: 1,
                delta: 0,
            };
            let name = format!("next {class} is named");
            let action = Action::Net(vec![marked]);
            Event { name, action }
        }));
        let with = |events: Vec<Event>| System {
            variables: all.clone(),
            events,
            initial: initial.clone(),
            units: Vec::new(),
            ..system.clone()
        };
        let propositions = problem.propositions.iter().enumerate();
        let propositions = propositions.map(|(i, proposition)| match proposition {
            Proposition::State(predicate) => of_states(system, predicate).map(Proposition::State),
            Proposition::Fires(_) => {
                let named = problem.alphabet().classes();
                let named = named.filter(|c| problem.alphabet().letter(*c).0 >> i & 1 == 1);
                Ok(Proposition::State(Predicate::Linear(Linear {
                    terms: named.map(|class| (place(class.index()), 1)).collect(),
                    comparison: Comparison::Ge,
                    constant: 1,
                })))
            }
        });
        let fairness = problem.fairness.iter().map(|constraint| {
            Ok(Constraint {
                enabled: of_states(system, &constraint.enabled)?,
                taken: copies(&constraint.taken, classes),
                ..constraint.clone()
            })
        });
        let mut levels = order.vars().to_vec();
        levels.extend((0..classes).map(place));
        Ok(Foretold {
            system: with(events),
            alive: with(alive),
            propositions: propositions.collect::<Result<_, Stop>>()?,
            fairness: fairness.collect::<Result<_, Stop>>()?,
            order: Order::from_top(levels).ok_or_else(|| Stop::Internal("an order".to_owned()))?,
            variables,
            classes,
        })
    }

    /// The question; the automaton is that of `problem`.
    pub fn problem<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        Problem::new(
            &self.system,
            problem.automaton,
            &self.propositions,
            problem.deadlock,
        )
        .assuming(&self.fairness)
    }

    /// The space of the system, and that of the events which tell that a state is not dead.
    pub fn spaces(&self, deadlock: Deadlock, budget: &Budget) -> Result<[Symbolic<'_>; 2], Stop> {
        Ok([
            Symbolic::new(&self.system, &self.order, deadlock, budget)?,
            Symbolic::new(&self.alive, &self.order, deadlock, budget)?,
        ])
    }

    /// The run of the system behind one of this.
    pub fn told(&self, lasso: Lasso) -> Lasso {
        let state = |state: State| State::from(&state[..self.variables]);
        let event = |event: EventId| EventId(event.0 / self.classes as u32);
        let step = |step: Step| Step {
            event: step.event.map(event),
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

/// The copies of events, one for each class that may follow.
fn copies(events: &[EventId], classes: usize) -> Vec<EventId> {
    let classes = classes as u32;
    let copies = |event: &EventId| (event.0 * classes..(event.0 + 1) * classes).map(EventId);
    events.iter().flat_map(copies).collect()
}

fn renamed(event: &Event, next: usize, action: Action) -> Event {
    Event {
        name: format!("{} {next}", event.name),
        action,
    }
}

/// The action where it was foretold by a token in `before`, with one in `next` afterwards.
fn foretelling(action: &Action, before: VarId, next: VarId) -> Result<Action, Stop> {
    match action {
        Action::Net(arcs) => {
            let mut arcs = arcs.clone();
            let arc = |var, need, delta| Arc { var, need, delta };
            match before == next {
                true => arcs.push(arc(before, 1, 0)),
                false => arcs.extend([arc(before, 1, -1), arc(next, 0, 1)]),
            }
            arcs.sort_by_key(|arc| arc.var);
            Ok(Action::Net(arcs))
        }
        Action::Table { vars, rows } => {
            let mut vars = vars.clone();
            let more = match before == next {
                true => vec![(before, (1, 1))],
                false => vec![(before, (1, 0)), (next, (0, 1))],
            };
            vars.extend(more.iter().map(|(var, _)| *var));
            let cells = || more.iter().map(|(_, cell)| Some(*cell));
            let row = |row: &lariat_model::Row| row.iter().copied().chain(cells()).collect();
            let rows = rows.iter().map(row).collect();
            Ok(Action::Table { vars, rows })
        }
        Action::Program { .. } => Err(Stop::Unsupported(
            "this engine sees which events are taken of nets and tables, not of programs"
                .to_owned(),
        )),
    }
}

/// The same predicate without questions of what is enabled, which are about the system's events.
fn of_states(system: &System, predicate: &Predicate) -> Result<Predicate, Stop> {
    let all = |predicates: &[Predicate]| {
        let each = predicates.iter().map(|p| of_states(system, p));
        each.collect::<Result<Vec<_>, Stop>>()
    };
    let some = |events: &mut dyn Iterator<Item = EventId>| {
        let each = events.map(|event| enabled(&system.event(event).action));
        each.collect::<Result<Vec<_>, Stop>>().map(Predicate::Or)
    };
    Ok(match predicate {
        Predicate::Enabled(events) => some(&mut events.iter().copied())?,
        Predicate::Deadlock => Predicate::Not(Box::new(some(&mut system.event_ids())?)),
        Predicate::Not(p) => Predicate::Not(Box::new(of_states(system, p)?)),
        Predicate::And(ps) => Predicate::And(all(ps)?),
        Predicate::Or(ps) => Predicate::Or(all(ps)?),
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => predicate.clone(),
    })
}

/// Where the action is possible.
fn enabled(action: &Action) -> Result<Predicate, Stop> {
    match action {
        Action::Net(arcs) => {
            let needs = |arc: &Arc| Predicate::compare(arc.var, Comparison::Ge, arc.need);
            Ok(Predicate::And(arcs.iter().map(needs).collect()))
        }
        Action::Table { vars, rows } => {
            let matches = |row: &lariat_model::Row| {
                let cells = vars.iter().zip(row.iter());
                let is = cells.filter_map(|(var, cell)| {
                    cell.map(|(from, _)| Predicate::compare(*var, Comparison::Eq, from))
                });
                Predicate::And(is.collect())
            };
            Ok(Predicate::Or(rows.iter().map(matches).collect()))
        }
        Action::Program { .. } => Err(Stop::Unsupported("whether a program is enabled".to_owned())),
    }
}
