//! Rounds with a cap, for nets that may be unbounded.
//!
//! Saturation closes node after node, and would run away at the first one that has no end. So a net is explored in
//! rounds. In a round steps to values above a cap are not taken:
//!
//! ```text
//! N_c = {(s, s') ∈ N | s'(p) ≤ c for all p}        X_c = N_c*(initial)
//! ```
//!
//! A fair cycle in `X_c`, or a dead state, is one of the net. If there is none and `N(X_c) ⊆ X_c`, there is none at all; otherwise the next
//! round has twice the cap. Whether a step was left out is asked of `X_c` in the end: while it is built, larger values are met also
//! where an event cannot happen. Most bounded nets never hold more in a place than in the fullest one at the start,
//! and need one round.

use super::steps::Steps;
use lariat_dd::kernel::{ChainId, Halt, Kernel, NodeId};
use lariat_model::{System, Value};

/// Values of the first round are not larger than this, or than an initial one.
const FEW: Value = 3;

/// The cap of the first round: none where the values are bounded.
pub fn first_cap(system: &System) -> u32 {
    if !system.is_net() || !system.makes_tokens() {
        return u32::MAX;
    }
    let initial = system.initial.iter().flatten().copied().max();
    u32::try_from(initial.unwrap_or(0).max(FEW)).unwrap_or(u32::MAX)
}

/// Does an event lead from `node`, on level 0, to a value that is larger than `cap`? These are events of a net.
pub fn escapes(kernel: &mut Kernel, steps: &Steps, cap: u32, node: NodeId) -> Result<bool, Halt> {
    // Few events ever could: those that do so from the cap.
    let mut able = vec![Vec::new(); steps.automaton as usize + 1];
    for (able, level) in able.iter_mut().zip(0..) {
        for &(chain, _) in steps.tops(level) {
            let mut rest = chain;
            while let Some(level) = kernel.first_level(rest) {
                let mut from_cap = kernel.steps(rest, level, cap);
                let Some(step) = kernel.next_step(&mut from_cap)? else {
                    break;
                };
                if step.to > cap {
                    able.push(chain);
                    break;
                }
                rest = step.rest;
            }
        }
    }
    let last = able.iter().rposition(|chains| !chains.is_empty());
    match last {
        Some(last) => escapes_below(kernel, steps, cap, &able[..=last], node, 0),
        None => Ok(false),
    }
}

/// The same on any level, for the events in `able` by their top.
fn escapes_below(
    kernel: &mut Kernel,
    steps: &Steps,
    cap: u32,
    able: &[Vec<ChainId>],
    node: NodeId,
    level: u32,
) -> Result<bool, Halt> {
    let Some(chains) = able.get(level as usize) else {
        return Ok(false);
    };
    kernel.remembered(steps.escapes, (node,), |kernel| {
        kernel.any_edge(node, |kernel, edge| {
            let mut found = escapes_below(kernel, steps, cap, able, edge.1, level + 1)?;
            for &chain in chains {
                found = found || escapes_from(kernel, steps, cap, chain, edge, level, false)?;
            }
            Ok(found)
        })
    })
}

/// The same for one edge and the event that `chain` is the rest of; `out` if another value is too large already.
fn escapes_from(
    kernel: &mut Kernel,
    steps: &Steps,
    cap: u32,
    chain: ChainId,
    (value, child): (u32, NodeId),
    level: u32,
    out: bool,
) -> Result<bool, Halt> {
    let mut able = kernel.steps(chain, level, value);
    while let Some(step) = kernel.next_step(&mut able)? {
        let out = out || step.to > cap;
        if escapes_by(kernel, steps, cap, step.rest, child, level + 1, out)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The same for a node.
fn escapes_by(
    kernel: &mut Kernel,
    steps: &Steps,
    cap: u32,
    chain: ChainId,
    node: NodeId,
    level: u32,
    out: bool,
) -> Result<bool, Halt> {
    if chain == ChainId::END {
        return Ok(out);
    }
    kernel.remembered(steps.escapes_by, (chain, node, out), |kernel| {
        kernel.any_edge(node, |kernel, edge| {
            escapes_from(kernel, steps, cap, chain, edge, level, out)
        })
    })
}
