//! Servers that replicate a register: H. Attiya, A. Bar-Noy, D. Dolev, *Sharing memory robustly in
//! message-passing systems*, 1995. A server queries a majority, then records the newest value.

use crate::register::{Message, Node, Protocol, Sent, peers};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Orders values: a clock and the server that wrote the value.
type Stamp = (u64, Node);

#[derive(Clone)]
pub struct SharedMemory;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Server {
    stamp: Stamp,
    value: char,
    /// The request that is being served, its client, and the phase.
    serves: Option<(u64, Node, Phase)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Phase {
    Query {
        write: Option<char>,
        answers: BTreeMap<Node, (Stamp, char)>,
    },
    Record {
        read: Option<char>,
        acks: BTreeSet<Node>,
    },
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Internal {
    Query(u64),
    Answer(u64, Stamp, char),
    Record(u64, Stamp, char),
    Recorded(u64),
}

fn to_peers(servers: usize, id: Node, message: &Internal, out: &mut Sent<Internal>) {
    let message = Message::Internal(message.clone());
    out.extend(peers(servers, id).map(|peer| (peer, message.clone())));
}

impl Protocol for SharedMemory {
    type State = Server;
    type Internal = Internal;

    fn start(&self, id: Node) -> Server {
        Server {
            stamp: (0, id),
            value: char::default(),
            serves: None,
        }
    }

    fn receive(
        &self,
        servers: usize,
        id: Node,
        state: &mut Cow<'_, Server>,
        (from, message): (Node, &Message<Internal>),
        out: &mut Sent<Internal>,
    ) {
        let majority = servers / 2 + 1;
        match message {
            Message::Write(request, _) | Message::Read(request) if state.serves.is_none() => {
                let write = match message {
                    Message::Write(_, value) => Some(*value),
                    _ => None,
                };
                let answers = BTreeMap::from([(id, (state.stamp, state.value))]);
                let phase = Phase::Query { write, answers };
                state.to_mut().serves = Some((*request, from, phase));
                to_peers(servers, id, &Internal::Query(*request), out);
            }
            Message::Internal(Internal::Query(request)) => {
                let answer = Internal::Answer(*request, state.stamp, state.value);
                out.push((from, Message::Internal(answer)));
            }
            Message::Internal(Internal::Answer(of, stamp, value)) if matches!(&state.serves, Some((request, _, Phase::Query { .. })) if request == of) =>
            {
                let state = state.to_mut();
                let Some((_, _, phase)) = &mut state.serves else {
                    return;
                };
                let Phase::Query { write, answers } = phase else {
                    return;
                };
                answers.insert(from, (*stamp, *value));
                if answers.len() < majority {
                    return;
                }
                let Some((newest, value)) = answers.values().max_by_key(|(stamp, _)| *stamp) else {
                    return;
                };
                let (stamp, value, read) = match write {
                    Some(value) => ((newest.0 + 1, id), *value, None),
                    None => (*newest, *value, Some(*value)),
                };
                let acks = BTreeSet::from([id]);
                *phase = Phase::Record { read, acks };
                if stamp > state.stamp {
                    (state.stamp, state.value) = (stamp, value);
                }
                to_peers(servers, id, &Internal::Record(*of, stamp, value), out);
            }
            Message::Internal(Internal::Record(request, stamp, value)) => {
                out.push((from, Message::Internal(Internal::Recorded(*request))));
                if *stamp > state.stamp {
                    let state = state.to_mut();
                    (state.stamp, state.value) = (*stamp, *value);
                }
            }
            Message::Internal(Internal::Recorded(of))
                if matches!(&state.serves, Some((request, _, Phase::Record { acks, .. }))
                    if request == of && !acks.contains(&from)) =>
            {
                let state = state.to_mut();
                let Some((request, client, Phase::Record { read, acks })) = &mut state.serves
                else {
                    return;
                };
                acks.insert(from);
                if acks.len() == majority {
                    let answer = match read {
                        Some(value) => Message::Value(*request, *value),
                        None => Message::Written(*request),
                    };
                    out.push((*client, answer));
                    state.serves = None;
                }
            }
            _ => {}
        }
    }
}
