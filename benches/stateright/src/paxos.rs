//! Servers that agree on one value by Paxos. The server of a writing client proposes its value.

use crate::register::{Message, Node, Protocol, Sent, peers};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

type Ballot = (u32, Node);
/// Request, client and value.
type Proposal = (u64, Node, char);
type Vote = Option<(Ballot, Proposal)>;

#[derive(Clone)]
pub struct Paxos;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Server {
    ballot: Ballot,
    proposal: Option<Proposal>,
    promises: BTreeMap<Node, Vote>,
    accepts: BTreeSet<Node>,
    vote: Vote,
    is_decided: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Internal {
    Prepare(Ballot),
    Promise(Ballot, Vote),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

fn to_peers(servers: usize, id: Node, message: &Internal, out: &mut Sent<Internal>) {
    let message = Message::Internal(message.clone());
    out.extend(peers(servers, id).map(|peer| (peer, message.clone())));
}

impl Protocol for Paxos {
    type State = Server;
    type Internal = Internal;

    fn start(&self, _: Node) -> Server {
        Server {
            ballot: (0, 0),
            proposal: None,
            promises: BTreeMap::new(),
            accepts: BTreeSet::new(),
            vote: None,
            is_decided: false,
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
        if state.is_decided {
            if let (Message::Read(request), Some((_, (_, _, value)))) = (message, state.vote) {
                out.push((from, Message::Value(*request, value)));
            }
            return;
        }
        match message {
            Message::Write(request, value) if state.proposal.is_none() => {
                let state = state.to_mut();
                state.proposal = Some((*request, from, *value));
                state.ballot = (state.ballot.0 + 1, id);
                state.promises = BTreeMap::from([(id, state.vote)]);
                state.accepts.clear();
                to_peers(servers, id, &Internal::Prepare(state.ballot), out);
            }
            Message::Internal(Internal::Prepare(ballot)) if state.ballot < *ballot => {
                let state = state.to_mut();
                state.ballot = *ballot;
                let promise = Internal::Promise(*ballot, state.vote);
                out.push((from, Message::Internal(promise)));
            }
            Message::Internal(Internal::Promise(ballot, vote)) if *ballot == state.ballot => {
                let state = state.to_mut();
                state.promises.insert(from, *vote);
                if state.promises.len() == majority {
                    // The vote with the largest ballot must be repeated.
                    let latest = state.promises.values().max().copied().flatten();
                    let proposal = latest.map(|(_, proposal)| proposal).or(state.proposal);
                    state.proposal = proposal;
                    if let Some(proposal) = proposal {
                        state.vote = Some((*ballot, proposal));
                        state.accepts.insert(id);
                        to_peers(servers, id, &Internal::Accept(*ballot, proposal), out);
                    }
                }
            }
            Message::Internal(Internal::Accept(ballot, proposal)) if state.ballot <= *ballot => {
                let state = state.to_mut();
                state.ballot = *ballot;
                state.vote = Some((*ballot, *proposal));
                out.push((from, Message::Internal(Internal::Accepted(*ballot))));
            }
            Message::Internal(Internal::Accepted(ballot)) if *ballot == state.ballot => {
                let state = state.to_mut();
                state.accepts.insert(from);
                if state.accepts.len() == majority
                    && let Some(proposal) = state.proposal
                {
                    state.is_decided = true;
                    to_peers(servers, id, &Internal::Decided(*ballot, proposal), out);
                    out.push((proposal.1, Message::Written(proposal.0)));
                }
            }
            Message::Internal(Internal::Decided(ballot, proposal)) => {
                let state = state.to_mut();
                state.ballot = *ballot;
                state.vote = Some((*ballot, *proposal));
                state.is_decided = true;
            }
            _ => {}
        }
    }
}
