//! The model that reports and pages show: the parts of the states along a run as variables.
//!
//! The run has been found again by calling the model. Here its states become the values of their
//! parts, and every atom of the formula an auxiliary variable, so that reports need no program.

use super::Model;
use super::program::Program;
use super::run::ConcreteRun;
use lariat_formats::dve::Message;
use lariat_formats::{LoadedModel, ModelFormat};
use lariat_model::{
    Action, Comparison, Domain, Event, EventId, EvidenceKind, Lasso, Predicate, PropertyList,
    Proposition, SourceRef, State, System, Value, VarId, Variable,
};
use rustc_hash::FxHashMap;

/// The text of a part that a state does not have.
const ABSENT: &str = "–";

/// A model with the names of parts, and the run in its terms.
pub(super) struct ShownRun {
    pub model: LoadedModel,
    pub propositions: Vec<Proposition>,
    pub run: Lasso,
}

/// Parts by name, with their texts; values are positions in the list of texts.
#[derive(Default)]
struct Parts {
    columns: FxHashMap<String, usize>,
    names: Vec<String>,
    texts: Vec<Vec<String>>,
}

impl Parts {
    /// The values of the parts of a state; parts that later states add are missing.
    fn values(&mut self, parts: Vec<(String, String)>) -> Vec<(usize, Value)> {
        let value = |(name, text): (String, String)| {
            let name = if name.is_empty() {
                "state".to_owned()
            } else {
                name
            };
            let column = *self.columns.entry(name.clone()).or_insert_with(|| {
                self.names.push(name);
                self.texts.push(vec![ABSENT.to_owned()]);
                self.names.len() - 1
            });
            let texts = &mut self.texts[column];
            let known = texts.iter().position(|known| *known == text);
            let at = known.unwrap_or_else(|| {
                texts.push(text);
                texts.len() - 1
            });
            (column, at as Value)
        };
        parts.into_iter().map(value).collect()
    }
}

/// Shows a run of `system`, which `lasso` gives by numbers and `run` by states.
pub(super) fn shown<M: Model>(
    program: &Program<M>,
    system: &System,
    properties: &PropertyList,
    lasso: &Lasso,
    run: &ConcreteRun<M>,
) -> ShownRun {
    let mut parts = Parts::default();
    let states = run.steps.iter().map(|(step, _)| &step.state);
    let states = states.chain(std::iter::once(&run.end));
    let rows: Vec<_> = states
        .map(|state| parts.values(program.model.parts(state)))
        .collect();
    let atoms: Vec<(usize, &Predicate)> = { properties.propositions.iter().enumerate() }
        .filter_map(|(atom, proposition)| match proposition {
            Proposition::State(predicate) => Some((atom, predicate)),
            Proposition::Fires(_) => None,
        })
        .collect();
    let first_atom = parts.names.len();
    let numbered = lasso.states();
    let state = |(row, numbers): (Vec<(usize, Value)>, &State)| {
        let mut values = vec![0; first_atom + atoms.len()];
        for (column, value) in row {
            values[column] = value;
        }
        for (i, (_, predicate)) in atoms.iter().enumerate() {
            values[first_atom + i] = system.holds(predicate, numbers).into();
        }
        State::from(values)
    };
    let shown: Vec<State> = rows.into_iter().zip(&numbered).map(state).collect();

    let mut events = Events::default();
    let steps: Vec<Option<EventId>> = { run.steps.iter() }
        .map(|(step, event)| {
            let (action, class) = step.action.as_ref().zip(*event)?;
            Some(events.event::<M>(program, &step.state, action, class))
        })
        .collect();
    let variable = |atom: usize| VarId((first_atom + atom) as u32);
    let mut propositions: Vec<Proposition> = { properties.propositions.iter() }
        .map(|proposition| match proposition {
            Proposition::Fires(classes) => Proposition::Fires(events.of(classes)),
            Proposition::State(_) => Proposition::State(Predicate::Const(false)),
        })
        .collect();
    for (i, (atom, _)) in atoms.iter().enumerate() {
        let holds = Predicate::compare(variable(i), Comparison::Ge, 1);
        propositions[*atom] = Proposition::State(holds);
    }
    let names = atoms.iter().map(|(atom, _)| Variable {
        name: format!("{}{atom})", System::SHOWN_ATOM),
        domain: Domain::Count { bound: Some(1) },
    });
    let variables = parts.names.iter().zip(parts.texts);
    let variables = variables.map(|(name, texts)| Variable {
        name: name.clone(),
        domain: Domain::Names(texts),
    });
    let mut model = LoadedModel::new(
        ModelFormat::Etf,
        System {
            name: system.name.clone(),
            variables: variables.chain(names).collect(),
            events: events.list,
            initial: shown.first().cloned().into_iter().collect(),
            // Nothing can be simulated without the program.
            source: system
                .source
                .as_ref()
                .map(|source| SourceRef(source.0.clone())),
            ..System::default()
        },
    );
    let part = |name: &String| parts.columns.get(name).map(|var| VarId(*var as u32));
    let message = |(event, message): (EventId, super::Message)| Message {
        event,
        channel: message.text,
        sender: part(&message.from),
        receiver: part(&message.to),
        values: Vec::new(),
    };
    model.messages = events.messages.into_iter().map(message).collect();
    ShownRun {
        model,
        propositions,
        run: through(&shown, &steps, lasso),
    }
}

/// The run through these states, with the shape of `lasso`.
fn through(states: &[State], events: &[Option<EventId>], lasso: &Lasso) -> Lasso {
    let after = states.iter().skip(1).cloned();
    let mut steps = events.iter().copied().zip(after);
    let prefix: Vec<_> = steps.by_ref().take(lasso.prefix.len()).collect();
    let cycle = steps.filter(|_| lasso.kind() != EvidenceKind::Prefix);
    Lasso::through(states.first().cloned().unwrap_or_default(), prefix, cycle)
}

/// The actions along a run, as events: one per text, class and message.
#[derive(Default)]
struct Events {
    list: Vec<Event>,
    classes: Vec<EventId>,
    messages: Vec<(EventId, super::Message)>,
}

impl Events {
    fn event<M: Model>(
        &mut self,
        program: &Program<M>,
        state: &M::State,
        action: &M::Action,
        class: EventId,
    ) -> EventId {
        let name = format!("{action:?}");
        let message = program.model.message(state, action);
        let message_of = |event: EventId| {
            let mut messages = self.messages.iter();
            messages.find_map(|(of, message)| (*of == event).then_some(message))
        };
        let known = (0..self.list.len()).find(|i| {
            let event = EventId(*i as u32);
            let same = self.list[*i].name == name && self.classes[*i] == class;
            same && message_of(event) == message.as_ref()
        });
        let number = known.unwrap_or_else(|| {
            let event = EventId(self.list.len() as u32);
            self.messages
                .extend(message.map(|message| (event, message)));
            self.classes.push(class);
            self.list.push(Event {
                name,
                action: Action::Table {
                    vars: Vec::new(),
                    rows: Vec::new(),
                },
            });
            self.list.len() - 1
        });
        EventId(number as u32)
    }

    /// The events of these classes.
    fn of(&self, classes: &[EventId]) -> Vec<EventId> {
        let all = (0..).map(EventId).zip(&self.classes);
        let of = all.filter(|(_, class)| classes.contains(class));
        of.map(|(event, _)| event).collect()
    }
}
