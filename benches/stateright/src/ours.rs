//! The register as actors of Lariat. A [`Recorded`] model adds the history of the clients, for which
//! both checkers use the tester of Stateright.

use crate::register::{Message, Protocol, Sent, State, System};
use crate::theirs::History;
use lariat::modelling::Model;
use lariat::modelling::actors::{Actor, Actors, Event, Id, Out, World};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

fn send<P: Protocol>(sent: Sent<P::Internal>, out: &mut Out<System<P>>) {
    for (to, message) in sent {
        out.send(Id(to), message);
    }
}

impl<P: Protocol> Actor for System<P> {
    type State = State<P::State>;
    type Message = Message<P::Internal>;
    type Timer = ();

    fn start(&self, id: Id, out: &mut Out<Self>) -> Self::State {
        let mut sent = Vec::new();
        let state = System::start(self, id.0, &mut sent);
        send(sent, out);
        state
    }

    fn receive(
        &self,
        id: Id,
        state: &mut Self::State,
        from: Id,
        message: &Self::Message,
        out: &mut Out<Self>,
    ) {
        let (mut next, mut sent) = (Cow::Borrowed(&*state), Vec::new());
        System::receive(self, id.0, &mut next, (from.0, message), &mut sent);
        if let Cow::Owned(next) = next {
            *state = next;
        }
        send(sent, out);
    }
}

/// Histories by number.
#[derive(Default)]
struct Histories {
    numbers: HashMap<Arc<History>, u32>,
    list: Vec<Arc<History>>,
}

/// Actors with the history of their clients.
pub struct Recorded<P: Protocol> {
    actors: Actors<System<P>>,
    histories: RwLock<Histories>,
}

impl<P: Protocol> Recorded<P> {
    pub fn new(system: System<P>) -> Recorded<P> {
        let nodes = system.servers + system.clients;
        Recorded {
            actors: Actors::new(system, nodes),
            histories: RwLock::default(),
        }
    }

    fn number(&self, history: &Arc<History>) -> u32 {
        let known = self
            .histories
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known.numbers.get(history) {
            return *number;
        }
        drop(known);
        let mut all = self
            .histories
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = all.numbers.get(history) {
            return *number;
        }
        let number = all.list.len() as u32;
        all.list.push(history.clone());
        all.numbers.insert(history.clone(), number);
        number
    }
}

impl<P: Protocol> Model for Recorded<P> {
    type State = (World<System<P>>, Arc<History>);
    type Action = Event<Message<P::Internal>, ()>;

    fn initial(&self) -> Vec<Self::State> {
        let mut history = History::new();
        let system = self.actors.actor();
        for client in system.servers..system.servers + system.clients {
            let message = Message::<P::Internal>::Write(0, system.value(client));
            history.invoke(client, &message);
        }
        let worlds = self.actors.initial().into_iter();
        worlds
            .map(|world| (world, Arc::new(history.clone())))
            .collect()
    }

    fn actions(&self, (world, _): &Self::State, events: &mut Vec<Self::Action>) {
        self.actors.actions(world, events);
    }

    fn next(&self, (world, history): &Self::State, event: &Self::Action) -> Option<Self::State> {
        let next = self.actors.next(world, event)?;
        let Event::Deliver(envelope) = event else {
            return None;
        };
        // As in Stateright, a message that has no effect is not delivered.
        let to = envelope.to;
        if next.messages().len() < world.messages().len() && next[to] == world[to] {
            return None;
        }
        let mut history = Arc::clone(history);
        if let Message::Written(_) | Message::Value(..) = &envelope.message {
            Arc::make_mut(&mut history).complete(to.0, &envelope.message);
        }
        if let Message::Written(_) = &envelope.message {
            let history = Arc::make_mut(&mut history);
            history.invoke(to.0, &Message::<P::Internal>::Read(0));
        }
        Some((next, history))
    }

    fn pack(&self, (world, history): &Self::State, bytes: &mut Vec<u8>) -> bool {
        bytes.extend(self.number(history).to_le_bytes());
        self.actors.pack(world, bytes)
    }

    fn unpack(&self, bytes: &[u8]) -> Option<Self::State> {
        let (number, world) = bytes.split_first_chunk()?;
        let all = self
            .histories
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let history = all.list.get(u32::from_le_bytes(*number) as usize)?;
        Some((self.actors.unpack(world)?, history.clone()))
    }
}
