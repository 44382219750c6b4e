//! The continuation of a step inside an atomic block or a `d_step`: a chain of further steps.
//!
//! The chain's points are the nodes inside such blocks that are reachable without interruption. At
//! a point of an atomic block every executable step is a branch, and the chain ends if there is
//! none: the process waits there. At a point of a `d_step` the first executable step is taken. A
//! rendezvous passes the turn to the receiver if it arrives inside an atomic block, and ends the
//! chain otherwise. A failing assertion ends it before the assertion, so that the state is seen.
//!
//! A point with one unconditional step is merged with the steps that lead to it, so that most
//! blocks become plain guarded assignments.

use rustc_hash::FxHashMap;

use super::compile::{Compiler, FullMove, Node};
use super::lexer::Reading;
use super::terms::{TIMEOUT, all, assign, not, number, size, substitute};
use lariat_model::{Assignment, ChainChoice, ChainPoint, ChainStep, Expr as Ir, LValue, VarId};

/// Limit on the points of a chain.
const POINTS: usize = 1 << 12;

/// The effects of a step with what follows.
pub(super) struct Continued {
    pub effects: Vec<Assignment>,
    /// The points of the chain behind the effects, the first one first; none if it ends there.
    pub points: Vec<ChainPoint>,
}

impl Compiler<'_> {
    /// Continues a step for as long as its process keeps the turn.
    pub(super) fn continued(&self, step: &FullMove) -> Reading<Continued> {
        let mut chain = Chain {
            compiler: self,
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
        };
        let mut effects = step.effects.clone();
        let Some(first) = chain.next(step) else {
            return Ok(Continued {
                effects,
                points: Vec::new(),
            });
        };
        let mut points = Vec::new();
        let mut spent = 0;
        while let Some(node) = chain.nodes.get(points.len()).copied() {
            let point = chain.point(node)?;
            spent += point.steps.iter().map(weight).sum::<u64>();
            if points.len() >= POINTS || spent > 1 << 20 {
                let message = "the atomic sequence that begins here is too large";
                return Err(step.span.error(message));
            }
            points.push(point);
        }
        let locations: Vec<VarId> = self.layout.slots.iter().map(|s| s.location).collect();
        let mut entry = Some(first);
        merge(&points, &mut effects, &mut entry, &locations);
        let merged: Vec<ChainPoint> = points
            .iter()
            .map(|point| {
                let mut point = point.clone();
                for step in &mut point.steps {
                    merge(&points, &mut step.effects, &mut step.next, &locations);
                }
                point
            })
            .collect();
        let points = reachable(merged, entry);
        Ok(Continued { effects, points })
    }
}

/// The size of a step.
fn weight(step: &ChainStep) -> u64 {
    let effects = step.effects.iter().map(|e| 1 + size(&e.value));
    size(&step.guard) + effects.sum::<u64>()
}

struct Chain<'c, 'm> {
    compiler: &'c Compiler<'m>,
    numbers: FxHashMap<Node, u32>,
    nodes: Vec<Node>,
}

impl Chain<'_, '_> {
    /// The point behind a step; `None` if the turn ends.
    fn next(&mut self, step: &FullMove) -> Option<u32> {
        if step.ends || !self.compiler.is_inside(step.to) {
            return None;
        }
        let nodes = &mut self.nodes;
        let number = self.numbers.entry(step.to).or_insert_with(|| {
            nodes.push(step.to);
            nodes.len() as u32 - 1
        });
        Some(*number)
    }

    fn point(&mut self, node: Node) -> Reading<ChainPoint> {
        let graph = self.compiler.graph(node);
        let choice = match graph.elements[node.element].d_step {
            Some(_) => ChainChoice::First,
            None => ChainChoice::Any,
        };
        let mut steps = Vec::new();
        for step in self.compiler.full_moves(node)? {
            let next = self.next(&step);
            let mut guard = step.guard;
            if let Some(claim) = &step.claim {
                guard.push(claim.clone());
            }
            // Within a chain nothing waits for a timeout.
            let mut guard = all(guard);
            substitute(&mut guard, TIMEOUT, &number(0));
            let mut effects = step.effects;
            for effect in &mut effects {
                substitute(&mut effect.value, TIMEOUT, &number(0));
            }
            if let (Some(claim), ChainChoice::First) = (step.claim, choice) {
                let (location, here) = self.compiler.location(node);
                steps.push(ChainStep {
                    guard: not(claim),
                    effects: vec![assign(location, number(here))],
                    next: None,
                });
            }
            steps.push(ChainStep {
                guard,
                effects,
                next,
            });
        }
        Ok(ChainPoint { choice, steps })
    }
}

/// Appends the unconditional steps that follow.
fn merge(
    points: &[ChainPoint],
    effects: &mut Vec<Assignment>,
    next: &mut Option<u32>,
    locations: &[VarId],
) {
    for _ in 0..points.len() {
        let Some(point) = next.and_then(|n| points.get(n as usize)) else {
            break;
        };
        let [step] = &point.steps[..] else {
            break;
        };
        if step.guard != Ir::Const(1) {
            break;
        }
        effects.extend(step.effects.iter().cloned());
        *next = step.next;
    }
    // Only the last location counts.
    let mut later: Vec<VarId> = Vec::new();
    let mut kept: Vec<Assignment> = Vec::new();
    for effect in std::mem::take(effects).into_iter().rev() {
        if let (LValue::Var(var), Ir::Const(_)) = (&effect.target, &effect.value)
            && locations.contains(var)
        {
            if later.contains(var) {
                continue;
            }
            later.push(*var);
        }
        kept.push(effect);
    }
    kept.reverse();
    *effects = kept;
}

/// The points that are reachable from the entry, which becomes the first.
fn reachable(points: Vec<ChainPoint>, entry: Option<u32>) -> Vec<ChainPoint> {
    let mut order: Vec<u32> = entry.into_iter().collect();
    let mut numbers: FxHashMap<u32, u32> = order.iter().map(|p| (*p, 0)).collect();
    let mut found = Vec::new();
    while let Some(old) = order.get(found.len()).copied() {
        let mut point = points[old as usize].clone();
        for step in &mut point.steps {
            step.next = step.next.map(|to| {
                *numbers.entry(to).or_insert_with(|| {
                    order.push(to);
                    order.len() as u32 - 1
                })
            });
        }
        found.push(point);
    }
    found
}
