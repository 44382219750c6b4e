//! The counterexample: parents are followed backwards, and worker 0 collects every node passed.
//!
//! A single message travels to the owner of the next parent. It contains the node just left, so
//! that the owner of the parent can determine the event of the edge to it. To find the loop the
//! walk goes on until it passes a node twice, then once more round the loop; to find the prefix it
//! ends at a node without a parent. Worker 0 receives values and events, in the order of the walk.

use crate::parents::{Address, Parents};
use crate::post::Outbox;
use crate::product::{DistributedProduct, OwnNode, Owned};
use crate::wave::{WaveContext, WavePart};
use crate::wire::{invalid, pack, unpack};
use lariat_budget::Stop;
use lariat_model::{EventId, State};
use lariat_space::explicit::PreparedSuccessor;
use serde::{Deserialize, Serialize};

/// Limit on the bytes of a reported run; longer ones would be unreadable.
const MOST_BYTES: u64 = 1 << 28;

/// A node on the walk, with the event of its step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Passed {
    number: u64,
    pub state: State,
    /// The event of the step to the previously passed node; `None` for stuttering and the first.
    pub event: Option<EventId>,
}

/// A position of the walk.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WalkPosition {
    node: u32,
    number: u64,
    /// True on the final round of the loop.
    round: bool,
    /// The encoded node that was left.
    child: Vec<u8>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Message {
    /// For the owner of a node.
    Pass(WalkPosition),
    /// For worker 0.
    Report(Passed),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TrailGoal {
    Loop,
    Beginning,
}

pub(crate) struct ParentTrail {
    /// At worker 0: the nodes passed, in walk order; of the final round only for a loop.
    pub passed: Vec<Passed>,
    /// At its owner: the node where the final round started.
    pub entry: Option<OwnNode>,
}

/// Follows parents from `start`, which exactly one worker has.
pub(crate) fn follow(
    context: &mut WaveContext<'_>,
    product: &DistributedProduct<'_>,
    owned: &mut Owned,
    parents: &Parents,
    goal: TrailGoal,
    start: Option<OwnNode>,
) -> Result<ParentTrail, Stop> {
    let mut part = Walk {
        product,
        seen: match goal {
            TrailGoal::Loop => vec![0; owned.len()],
            TrailGoal::Beginning => Vec::new(),
        },
        owned,
        parents,
        goal,
        next: start.map(|node| WalkPosition {
            node: node.0,
            number: 0,
            round: false,
            child: Vec::new(),
        }),
        reported: Vec::new(),
        entry: None,
    };
    let done = context.wave(&mut part);
    let (mut reported, entry) = (part.reported, part.entry);
    reported.sort_by_key(|passed| passed.number);
    let mut numbers = (0..)
        .zip(&reported)
        .map(|(i, passed): (u64, _)| passed.number == i);
    let is_complete = numbers.all(|right| right) && !(context.me() == 0 && reported.is_empty());
    let gaps = || Stop::Internal("the trail of the counterexample has gaps".to_owned());
    context.agree(done.and(is_complete.then_some(()).ok_or_else(gaps)))?;
    Ok(ParentTrail {
        passed: reported,
        entry,
    })
}

struct Walk<'a, 'q> {
    product: &'a DistributedProduct<'q>,
    owned: &'a mut Owned,
    parents: &'a Parents,
    goal: TrailGoal,
    /// For each node: 0, or 1 once passed, or 2 once passed in the final round.
    seen: Vec<u8>,
    /// The position of the walk, if this worker owns it.
    next: Option<WalkPosition>,
    reported: Vec<Passed>,
    entry: Option<OwnNode>,
}

impl Walk<'_, '_> {
    /// Passes a node, and continues the walk at its parent.
    fn pass(&mut self, position: WalkPosition, out: &mut Outbox) -> Result<(), Stop> {
        let WalkPosition {
            node,
            mut number,
            mut round,
            mut child,
        } = position;
        let here = OwnNode(node);
        if here.index() >= self.owned.len() {
            return Err(invalid("an unknown node"));
        }
        let mut reports = true;
        if self.goal == TrailGoal::Loop {
            let seen = &mut self.seen[here.index()];
            reports = match (*seen, round) {
                (0, _) => false,
                (1, was_round) => {
                    if !was_round {
                        (number, round) = (0, true);
                        child.clear();
                        self.entry = Some(here);
                    }
                    true
                }
                // The round is complete: reports the first node again, with the closing step.
                _ => return self.report(here, number, &child, out),
            };
            *seen = if reports { 2 } else { 1 };
        }
        if reports {
            self.report(here, number, &child, out)?;
            number += 1;
        }
        let (state, location) = self.owned.get(here);
        let mut left = Vec::new();
        let states = &self.owned.states;
        states.write(location, PreparedSuccessor::Here(state), &mut left);
        match (self.parents.of[here.index()].get(), self.goal) {
            (Some(Address { worker, node }), _) => {
                let position = WalkPosition {
                    node,
                    number,
                    round,
                    child: left,
                };
                if worker as usize == self.owned.nodes.me {
                    self.next = Some(position);
                } else {
                    send(worker as usize, &Message::Pass(position), out)?;
                }
            }
            (None, TrailGoal::Beginning) => {}
            (None, TrailGoal::Loop) => {
                return Err(Stop::Internal(
                    "a node of the loop has no parent".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Reports a node to worker 0, with the event of its edge to `child`.
    fn report(
        &mut self,
        node: OwnNode,
        number: u64,
        child: &[u8],
        out: &mut Outbox,
    ) -> Result<(), Stop> {
        let (state, _) = self.owned.get(node);
        let state = self.owned.states.get(state);
        if number.saturating_mul(8 * state.len() as u64) > MOST_BYTES {
            return Err(Stop::Bound(format!(
                "a violating run of more than {number} steps was found, which is too long to report"
            )));
        }
        let mut event = None;
        if !child.is_empty() {
            let (mut found, mut bytes) = (None, Vec::new());
            self.product
                .edges(self.owned, node, |states, _, event, target| {
                    bytes.clear();
                    target.arrival.write(states, &mut bytes);
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
            state,
            event,
        };
        match self.owned.nodes.me {
            0 => self.reported.push(passed),
            _ => send(0, &Message::Report(passed), out)?,
        }
        Ok(())
    }
}

/// Messages are few and may be long: each is preceded by its length.
fn send(to: usize, message: &Message, out: &mut Outbox) -> Result<(), Stop> {
    let bytes = pack(message)?;
    out.put(to, |out| {
        out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        out.extend_from_slice(&bytes);
    });
    Ok(())
}

impl WavePart for Walk<'_, '_> {
    fn receive(&mut self, _: usize, mut contents: &[u8]) -> Result<(), Stop> {
        while let Some((length, rest)) = contents.split_first_chunk() {
            let length = u64::from_le_bytes(*length) as usize;
            let cut = rest.split_at_checked(length);
            let (message, rest) = cut.ok_or_else(|| invalid("a message is cut short"))?;
            contents = rest;
            match unpack(message)? {
                Message::Pass(position) => self.next = Some(position),
                Message::Report(passed) => self.reported.push(passed),
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
