//! The way home: parents are followed backwards, and worker 0 hears of every node that is passed.
//!
//! A single message is on its way, to the owner of the next parent. It carries the node that was left, so that the parent can say by which event
//! its edge leads there. Towards the loop it goes on until a node is passed twice, then once more round; on the way to
//! the loop until there is no parent. What comes home are values and events, in the order of the walk.

use crate::parents::{Address, Parents};
use crate::post::Outbox;
use crate::product::{OwnNode, Owned, Product};
use crate::wave::{Hands, Part};
use crate::wire::{garbled, pack, unpack};
use lariat_budget::Stop;
use lariat_model::{EventId, State, Value};
use lariat_space::explicit::Prospect;
use serde::{Deserialize, Serialize};

/// A run is told state by state; beyond so many bytes nobody could read it.
const MOST_BYTES: u64 = 1 << 28;

/// A node that was passed, and how the run goes on from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Passed {
    number: u64,
    pub values: Vec<Value>,
    /// The event of the step to the node that was passed before; `None` also for stuttering, and for the first.
    pub event: Option<u32>,
}

impl Passed {
    pub fn state(&self) -> State {
        self.values.clone().into()
    }

    pub fn event(&self) -> Option<EventId> {
        self.event.map(EventId)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Message {
    /// For the owner of a node.
    Pass {
        node: u32,
        number: u64,
        /// Once round the loop, and not before it.
        round: bool,
        /// The node that was left, as it is written.
        child: Vec<u8>,
    },
    /// For worker 0.
    Home(Passed),
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// A loop.
    Loop,
    /// The beginning of a run.
    Beginning,
}

/// What a walk has found.
pub(crate) struct Trail {
    /// At worker 0: what was passed, where the walk or its round began first.
    pub passed: Vec<Passed>,
    /// At the worker that owns it: where the round began.
    pub entry: Option<OwnNode>,
}

/// Follows parents from `start`, which one worker has.
pub(crate) fn follow(
    hands: &mut Hands<'_>,
    product: &Product<'_>,
    owned: &mut Owned,
    parents: &Parents,
    (goal, start): (Goal, Option<OwnNode>),
) -> Result<Trail, Stop> {
    let mut part = Walk {
        product,
        seen: match goal {
            Goal::Loop => vec![0; owned.len()],
            Goal::Beginning => Vec::new(),
        },
        owned,
        parents,
        goal,
        next: start.map(|node| (node.0, 0, false, Vec::new())),
        home: Vec::new(),
        entry: None,
    };
    let done = hands.wave(&mut part);
    let (mut home, entry) = (part.home, part.entry);
    home.sort_by_key(|passed| passed.number);
    let mut numbers = (0..)
        .zip(&home)
        .map(|(i, passed): (u64, _)| passed.number == i);
    let is_complete = numbers.all(|right| right) && !(hands.me() == 0 && home.is_empty());
    let done = done.and(match is_complete {
        true => Ok(()),
        false => Err(Stop::Internal("the way home has gaps".to_owned())),
    });
    hands.agree(done)?;
    Ok(Trail {
        passed: home,
        entry,
    })
}

struct Walk<'a, 'q> {
    product: &'a Product<'q>,
    owned: &'a mut Owned,
    parents: &'a Parents,
    goal: Goal,
    /// For each node: not passed, passed, passed on the way round.
    seen: Vec<u8>,
    /// Where the walk is, if it is here: node, number, on the way round, the node that was left.
    next: Option<(u32, u64, bool, Vec<u8>)>,
    home: Vec<Passed>,
    entry: Option<OwnNode>,
}

impl Walk<'_, '_> {
    /// Passes a node: where the walk goes on.
    fn pass(
        &mut self,
        (node, number, mut round, child): (u32, u64, bool, Vec<u8>),
        out: &mut Outbox,
    ) -> Result<(), Stop> {
        let here = OwnNode(node);
        if here.index() >= self.owned.len() {
            return Err(garbled("a node that is none"));
        }
        let mut number = number;
        let mut child = child;
        let mut tells = true;
        if self.goal == Goal::Loop {
            let seen = &mut self.seen[here.index()];
            tells = match (*seen, round) {
                (0, _) => false,
                (1, was_round) => {
                    if !was_round {
                        (number, round) = (0, true);
                        child.clear();
                        self.entry = Some(here);
                    }
                    true
                }
                // Back where the round began, which is told once more, with the step that closes it.
                _ => {
                    self.tell(here, number, &child, out)?;
                    return Ok(());
                }
            };
            *seen = if tells { 2 } else { 1 };
        }
        if tells {
            self.tell(here, number, &child, out)?;
            number += 1;
        }
        let (state, location) = self.owned.get(here);
        let mut left = Vec::new();
        let states = &self.owned.states;
        states.write(location, Prospect::Here(state), &mut left);
        match (self.parents.of[here.index()].get(), self.goal) {
            (Some(Address { worker, node }), _) if worker as usize == self.owned.nodes.me => {
                self.next = Some((node, number, round, left));
            }
            (Some(Address { worker, node }), _) => {
                let child = left;
                let message = Message::Pass {
                    node,
                    number,
                    round,
                    child,
                };
                send(worker as usize, &message, out)?;
            }
            (None, Goal::Beginning) => {}
            (None, Goal::Loop) => {
                return Err(Stop::Internal(
                    "a node of the loop has no parent".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Tells worker 0 of a node, and by which event its edge leads to `child`.
    fn tell(
        &mut self,
        node: OwnNode,
        number: u64,
        child: &[u8],
        out: &mut Outbox,
    ) -> Result<(), Stop> {
        let (state, _) = self.owned.get(node);
        let values = self.owned.states.get(state).to_vec();
        if number.saturating_mul(8 * values.len() as u64) > MOST_BYTES {
            return Err(Stop::Bound(format!(
                "a violating run of more than {number} steps was found, which is too long to be told"
            )));
        }
        let mut event = None;
        if !child.is_empty() {
            let (mut found, mut bytes) = (None, Vec::new());
            self.product
                .edges(self.owned, node, |states, _, event, target| {
                    bytes.clear();
                    states.write(target.location, target.prospect, &mut bytes);
                    if found.is_none() && bytes == child {
                        found = Some(event);
                    }
                    Ok(())
                })?;
            let lost = || Stop::Internal("a parent does not lead to its child".to_owned());
            event = found.ok_or_else(lost)?;
        }
        let passed = Passed {
            number,
            values,
            event: event.map(|event| event.0),
        };
        match self.owned.nodes.me {
            0 => self.home.push(passed),
            _ => send(0, &Message::Home(passed), out)?,
        }
        Ok(())
    }
}

/// Messages are few, and may be long: each has its length in front.
fn send(to: usize, message: &Message, out: &mut Outbox) -> Result<(), Stop> {
    let bytes = pack(message)?;
    out.put(to, |out| {
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        out.extend_from_slice(&bytes);
    });
    Ok(())
}

impl Part for Walk<'_, '_> {
    fn receive(&mut self, _: usize, mut contents: &[u8]) -> Result<(), Stop> {
        while let Some((length, rest)) = contents.split_first_chunk() {
            let length = u64::from_le_bytes(*length) as usize;
            let cut = rest.split_at_checked(length);
            let (message, rest) = cut.ok_or_else(|| garbled("a message is cut short"))?;
            contents = rest;
            match unpack(message)? {
                Message::Pass {
                    node,
                    number,
                    round,
                    child,
                } => self.next = Some((node, number, round, child)),
                Message::Home(passed) => self.home.push(passed),
            }
        }
        Ok(())
    }

    fn work(&mut self, out: &mut Outbox) -> Result<bool, Stop> {
        if let Some(next) = self.next.take() {
            self.pass(next, out)?;
        }
        Ok(self.next.is_some())
    }
}
