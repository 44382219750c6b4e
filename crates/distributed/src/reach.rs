//! W1: all reachable nodes, each at its owner.
//!
//! Nodes are numbered in the order of discovery, so the list of nodes is also the queue. Successors
//! with the same owner are added at once; others are sent unless recently sent (`recent.rs`).
//!
//! Under `stutter`, a node from which every continuation is accepted ends the wave at all workers
//! (Černá and Pelánek's *terminal* automata): it ends a run that violates a safety property.

use crate::census::StateCensus;
use crate::post::Outbox;
use crate::product::{
    Arrival, DistributedProduct, OwnNode, Owned, PendingLookups, WorkerNodes, owner,
};
use crate::recent::{RecentMessages, ShortMessage};
use crate::shared::Gauge;
use crate::wave::{STRETCH, WavePart};
use lariat_budget::{Budget, Stop};
use lariat_space::explicit::{PreparedSuccessor, StateTable, TOGETHER};

/// One worker's part of W1.
pub(crate) struct ReachPart<'a, 'q> {
    pub product: &'a DistributedProduct<'q>,
    pub owned: &'a mut Owned,
    pub budget: &'a Budget,
    pub gauge: &'a Gauge,
    pub recent: RecentMessages,
    /// The first node that has not been expanded.
    pub next: usize,
    pub edges: u64,
    pub sent: u64,
    pub received: u64,
    /// Accepting nodes among those expanded.
    pub accepting: u64,
    /// Counters over states, for questions about states.
    pub census: Option<StateCensus<'q>>,
    /// A node from which every continuation is accepted.
    pub bad: Option<OwnNode>,
    /// True if some worker has such a node.
    pub is_over: bool,
}

impl ReachPart<'_, '_> {
    /// Ends the wave: sends every worker a message with an invalid location.
    fn end(&mut self, node: OwnNode, out: &mut Outbox) {
        let Owned { states, nodes, .. } = &*self.owned;
        let (state, _) = self.owned.get(node);
        for to in (0..nodes.workers).filter(|to| *to != nodes.me) {
            let head = self.product.locations();
            out.put(to, |bytes| {
                states.write(head, PreparedSuccessor::Here(state), bytes)
            });
        }
        self.bad = Some(node);
        self.is_over = true;
    }
}

impl WavePart for ReachPart<'_, '_> {
    fn receive(&mut self, _: usize, contents: &[u8]) -> Result<(), Stop> {
        let ReachPart {
            received, is_over, ..
        } = self;
        let locations = self.product.locations();
        let take =
            |states: &mut StateTable, nodes: &mut WorkerNodes, arrival: Arrival, _: &[u8]| {
                *is_over |= arrival.location >= locations;
                if *is_over {
                    return Ok(());
                }
                *received += 1;
                nodes.enter(states, arrival).map(drop)
            };
        self.owned.read(contents, 0, take)
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        let end = self.owned.len().min(self.next + STRETCH);
        let before = self.next;
        let (mut waiting, mut remote) = (PendingLookups::default(), Vec::new());
        let length = self.owned.states.short_len();
        self.recent.fit(self.owned.states.bytes(), self.budget);
        while self.next < end && !self.is_over && !out.is_full() {
            let node = OwnNode(self.next as u32);
            let (state, location) = self.owned.get(node);
            if self.product.is_forever(location) {
                self.end(node, out);
            }
            self.next += 1;
            if self.is_over {
                break;
            }
            self.accepting += u64::from(self.product.accepting[location as usize]);
            if let Some(census) = &mut self.census {
                census.count(&self.product.space, &mut self.owned.states, state);
            }
            let ReachPart {
                recent,
                edges,
                sent,
                census,
                ..
            } = self;
            self.product
                .edges(self.owned, node, |states, nodes, event, target| {
                    *edges += 1;
                    if let Some(census) = census {
                        census.dead += u64::from(event.is_none());
                    }
                    let to = owner(target.print, nodes.workers);
                    if to == nodes.me {
                        if !waiting.add(target.arrival) {
                            nodes.enter(states, target.arrival)?;
                        }
                    } else if let PreparedSuccessor::Word(word) = target.arrival.prospect
                        && let Some(message) = states.short(target.arrival.location, word)
                    {
                        let print = target.print;
                        remote.push(ShortMessage { print, message });
                    } else {
                        out.put(to, |bytes| {
                            let start = bytes.len();
                            target.arrival.write(states, bytes);
                            if recent.has(target.print, &bytes[start..]) {
                                bytes.truncate(start);
                            } else {
                                *sent += 1;
                            }
                        });
                    }
                    Ok(())
                })?;
            if waiting.is_full() {
                self.owned.enter_all(&mut waiting)?;
            }
            if remote.len() >= TOGETHER {
                self.sent += self.recent.send(&mut remote, length, out);
            }
        }
        self.owned.enter_all(&mut waiting)?;
        self.sent += self.recent.send(&mut remote, length, out);
        self.budget.spend((self.next - before) as u64)?;
        let waiting = self.owned.len() - self.next;
        self.gauge
            .set(self.owned.states.len() as u64, waiting as u64);
        Ok(waiting > 0 && !self.is_over)
    }
}
