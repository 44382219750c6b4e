//! W1: all nodes that can be reached, each with its owner.
//!
//! Nodes are numbered in the order of discovery, so that the list of nodes is its own queue and a worker keeps nothing else of what
//! it has still to do. Own successors are entered at once; those of others are sent, unless the same was sent a short while
//! ago: [`Recent`] remembers whole states, not hashes of them, so that nothing is ever left out by mistake.
//!
//! Under `stutter`, a node from which the automaton accepts whatever follows ends the wave for everybody (Černá and Pelánek's *terminal* automata):
//! it is the end of a run that violates a safety property.

use crate::census::Census;
use crate::post::Outbox;
use crate::product::{Nodes, OwnNode, Owned, Product, Target, Waiting, owner};
use crate::shared::Gauge;
use crate::wave::Part;
use lariat_budget::{Budget, Stop};
use lariat_space::explicit::{Prospect, States, TOGETHER};
use std::hint::black_box;

/// Nodes that are expanded between two looks at the mail: well below a hundredth of a second.
const STRETCH: usize = 4096;

/// One worker's part of the search for all nodes.
pub(crate) struct Reach<'a, 'q> {
    pub product: &'a Product<'q>,
    pub owned: &'a mut Owned,
    pub budget: &'a Budget,
    pub gauge: &'a Gauge,
    pub recent: Recent,
    /// Nodes before this one have been expanded.
    pub next: usize,
    pub edges: u64,
    pub sent: u64,
    pub received: u64,
    /// Nodes that are accepting, of those expanded.
    pub accepting: u64,
    /// What is counted besides, if the question is about states.
    pub census: Option<Census<'q>>,
    /// A node that is evidence, whatever follows.
    pub bad: Option<OwnNode>,
    /// Has somebody such a node?
    pub is_over: bool,
}

impl Reach<'_, '_> {
    /// Nobody need look any further: a message to everybody, whose location is none.
    fn end(&mut self, node: OwnNode, out: &mut Outbox) {
        let Owned { states, nodes, .. } = &*self.owned;
        let (state, _) = self.owned.get(node);
        for to in (0..nodes.workers).filter(|to| *to != nodes.me) {
            let head = self.product.locations();
            out.put(to, |bytes| states.write(head, Prospect::Here(state), bytes));
        }
        self.bad = Some(node);
        self.is_over = true;
    }
}

impl Part for Reach<'_, '_> {
    fn receive(&mut self, _: usize, contents: &[u8]) -> Result<(), Stop> {
        let Reach {
            received, is_over, ..
        } = self;
        let locations = self.product.locations();
        let take = |states: &mut States, nodes: &mut Nodes, (prospect, location), _: &[u8]| {
            *is_over |= location >= locations;
            if *is_over {
                return Ok(());
            }
            *received += 1;
            nodes.enter(states, prospect, location).map(drop)
        };
        self.owned.read(contents, 0, take)
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        let end = self.owned.len().min(self.next + STRETCH);
        let before = self.next;
        let (mut waiting, mut abroad) = (Waiting::default(), Vec::new());
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
                census.look(&self.product.space, &mut self.owned.states, state);
            }
            let Reach {
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
                        let place = (target.prospect, target.location);
                        if !waiting.add(place) {
                            nodes.enter(states, target.prospect, target.location)?;
                        }
                    } else if let Prospect::Word(word) = target.prospect {
                        let Target {
                            print, location, ..
                        } = target;
                        abroad.push(Abroad {
                            print,
                            word,
                            location,
                        });
                    } else {
                        out.put(to, |bytes| {
                            let start = bytes.len();
                            states.write(target.location, target.prospect, bytes);
                            match recent.has(target.print, &bytes[start..]) {
                                true => bytes.truncate(start),
                                false => *sent += 1,
                            }
                        });
                    }
                    Ok(())
                })?;
            if waiting.is_full() {
                self.owned.enter_all(&mut waiting)?;
            }
            if abroad.len() >= TOGETHER {
                let Owned { states, nodes, .. } = &*self.owned;
                self.sent += self.recent.send(&mut abroad, (states, nodes), out);
            }
        }
        self.owned.enter_all(&mut waiting)?;
        let Owned { states, nodes, .. } = &*self.owned;
        self.sent += self.recent.send(&mut abroad, (states, nodes), out);
        self.budget.spend((self.next - before) as u64)?;
        let waiting = self.owned.len() - self.next;
        self.gauge
            .set(self.owned.states.len() as u64, waiting as u64);
        Ok(waiting > 0 && !self.is_over)
    }
}

/// Bytes that are remembered of what was sent: few enough to stay near a processor. With four times as many a sixteenth less was sent of Kanban 5 by four, and it took longer.
const RECENT_BYTES: usize = 1 << 16;
/// Longer messages are not remembered.
const LONGEST: usize = 56;

/// A state of another worker that is a word.
struct Abroad {
    print: u64,
    word: u64,
    location: u32,
}

/// What was sent a short while ago, one state for each place that a hash leads to.
#[derive(Default)]
pub(crate) struct Recent {
    /// States that are words, with their locations.
    words: Vec<(u64, u32)>,
    /// Of other states a length and a message for each slot.
    bytes: Vec<u8>,
}

/// A location that is none.
const NOWHERE: u32 = u32::MAX;

impl Recent {
    /// Sends states that wait, but for those that were sent a short while ago: how many were.
    fn send(
        &mut self,
        waiting: &mut Vec<Abroad>,
        (states, nodes): (&States, &Nodes),
        out: &mut Outbox,
    ) -> u64 {
        let Recent { words, .. } = self;
        if words.is_empty() {
            let slots = RECENT_BYTES / size_of::<(u64, u32)>();
            words.resize(slots.next_power_of_two(), (0, NOWHERE));
        }
        let mask = words.len() - 1;
        // The upper bits of the print say whose the state is. What is read for one is on its way while another is.
        let place = |print: u64| print as usize & mask;
        let read = |sum: u64, state: &Abroad| sum ^ words[place(state.print)].0;
        black_box(waiting.iter().fold(0, read));
        let mut sent = 0;
        for state in waiting.drain(..) {
            let (known, new) = (&mut words[place(state.print)], (state.word, state.location));
            if *known == new {
                continue;
            }
            *known = new;
            sent += 1;
            out.put(owner(state.print, nodes.workers), |bytes| {
                states.write(state.location, Prospect::Word(state.word), bytes);
            });
        }
        sent
    }

    /// Was this message sent a short while ago? If not, it is remembered to have been.
    fn has(&mut self, print: u64, message: &[u8]) -> bool {
        const WIDTH: usize = LONGEST + 1;
        if message.len() > LONGEST {
            return false;
        }
        let slots = RECENT_BYTES / WIDTH;
        if self.bytes.is_empty() {
            self.bytes.resize(slots * WIDTH, 0);
        }
        let start = owner(print << 32, slots) * WIDTH;
        let (length, body) = self.bytes[start..start + WIDTH].split_at_mut(1);
        let known = &mut body[..message.len()];
        if usize::from(length[0]) == message.len() && known == message {
            return true;
        }
        length[0] = message.len() as u8;
        known.copy_from_slice(message);
        false
    }
}
