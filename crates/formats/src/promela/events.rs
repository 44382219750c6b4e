//! The events of the system: every step of every process in every slot.

use super::ast::StatementKind;
use super::compile::{Compiler, FullMove, Node, waits_for_timeout};
use super::graph::ElementKind;
use super::lexer::{Reading, Span};
use super::terms::{TIMEOUT, all, any, compare, not, number, size, substitute};
use lariat_model::{
    Action, Assignment, BinaryOp, Chain, Event, EventId, Expr as Ir, Predicate, VarId,
};

/// Limit on the size of all events together, in nodes of expressions.
const SIZE: u64 = 1 << 23;

/// A step of the system in terms of the source.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The moving process: its slot and process type.
    pub slot: usize,
    pub process: usize,
    pub span: Span,
    /// The receiver of a rendezvous.
    pub partner: Option<(usize, usize, Span)>,
    pub channel: Option<usize>,
    /// Whether the process receives from a buffer.
    pub receives: bool,
    /// Whether the step removes the process.
    pub ends: bool,
}

/// An assertion: the location of its process, and the claim.
pub(super) struct Claim {
    pub slot: usize,
    pub process: usize,
    pub span: Span,
    /// The condition under which the assertion is executed and fails.
    pub fails: Ir,
}

#[derive(Default)]
pub(super) struct Events {
    pub events: Vec<Event>,
    pub origins: Vec<Origin>,
    pub claims: Vec<Claim>,
    pub can_fail: bool,
    size: u64,
}

/// The text of a step for the name of its event.
pub(super) type Describe<'d> = &'d dyn Fn(&Origin) -> String;

impl Events {
    pub fn of(compiler: &Compiler<'_>, describe: Describe<'_>) -> Reading<Events> {
        let mut events = Events::default();
        for (slot, known) in compiler.layout.slots.iter().enumerate() {
            for (occupant, of) in known.occupants.iter().enumerate() {
                for element in compiler.graphs[of.process].nodes() {
                    let node = Node {
                        slot,
                        occupant,
                        element,
                    };
                    events.node(compiler, node, describe)?;
                }
            }
        }
        events.timeouts()?;
        Ok(events)
    }

    fn node(&mut self, compiler: &Compiler<'_>, node: Node, describe: Describe<'_>) -> Reading<()> {
        let graph = compiler.graph(node);
        let element = &graph.elements[node.element];
        let asserts = |leaf: &usize| match &graph.elements[*leaf].kind {
            ElementKind::Basic(s) => matches!(s.kind, StatementKind::Assert(_)),
            _ => false,
        };
        // A process rests inside a d_step only before an assertion that fails.
        if element.d_step.is_some() && !graph.leaves(node.element).iter().any(asserts) {
            return Ok(());
        }
        let process = compiler.layout.slots[node.slot].occupants[node.occupant].process;
        for step in compiler.full_moves(node)? {
            let (location, here) = compiler.location(node);
            let mut guard = vec![compare(BinaryOp::Eq, location, here)];
            guard.extend(step.guard.iter().cloned());
            if let Some(claim) = &step.claim {
                let mut fails = guard.clone();
                fails.push(not(claim.clone()));
                self.claims.push(Claim {
                    slot: node.slot,
                    process,
                    span: step.span,
                    fails: all(fails),
                });
            }
            let origin = Origin {
                slot: node.slot,
                process,
                span: step.span,
                partner: step.partner.map(|(to, span)| {
                    let slot = &compiler.layout.slots[to.slot];
                    (to.slot, slot.occupants[to.occupant].process, span)
                }),
                channel: step.channel,
                receives: step.receives,
                ends: step.ends,
            };
            let name = describe(&origin);
            self.add(compiler, &step, guard, name)?;
            self.origins.push(origin);
        }
        Ok(())
    }

    fn add(
        &mut self,
        compiler: &Compiler<'_>,
        step: &FullMove,
        guard: Vec<Ir>,
        name: String,
    ) -> Reading<()> {
        let continued = compiler.continued(step)?;
        self.can_fail |= compiler.may_fail(&guard, &continued.effects);
        let mut spent = 8 + guard.iter().map(size).sum::<u64>();
        let weight = |e: &Assignment| 1 + size(&e.value);
        spent += continued.effects.iter().map(weight).sum::<u64>();
        for step in continued.points.iter().flat_map(|point| &point.steps) {
            let guard = std::slice::from_ref(&step.guard);
            self.can_fail |= compiler.may_fail(guard, &step.effects);
            spent += 4 + size(&step.guard) + step.effects.iter().map(weight).sum::<u64>();
        }
        self.size += spent;
        if self.size > SIZE {
            let message = "the statements up to here combine to too many or too large steps";
            return Err(step.span.error(message));
        }
        let guard = Predicate::Expr(all(guard));
        let effects = continued.effects;
        let action = if continued.points.is_empty() {
            Action::Program { guard, effects }
        } else {
            // It may not end.
            self.can_fail = true;
            Action::Chain(Box::new(Chain {
                guard,
                effects,
                points: continued.points,
            }))
        };
        self.events.push(Event { name, action });
        Ok(())
    }

    /// Replaces `timeout` by the condition that no other event is enabled.
    fn timeouts(&mut self) -> Reading<()> {
        let waiting: Vec<EventId> = self
            .events
            .iter()
            .zip((0..).map(EventId))
            .filter(|(event, _)| mentions_timeout(&event.action))
            .map(|(_, id)| id)
            .collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let guards = self.events.iter().map(|event| {
            let mut guard = guard_of(&event.action).cloned().unwrap_or(number(1));
            substitute(&mut guard, TIMEOUT, &number(0));
            guard
        });
        let timeout = not(any(guards.collect()));
        let added = size(&timeout).saturating_mul(waiting.len() as u64);
        if self.size.saturating_add(added) > SIZE {
            let span = self.origins[waiting[0].index()].span;
            return Err(span.error("`timeout` combines with too many other steps"));
        }
        for id in waiting {
            let event = &mut self.events[id.index()];
            let (guard, effects) = match &mut event.action {
                Action::Program { guard, effects } => (guard, effects),
                Action::Chain(chain) => (&mut chain.guard, &mut chain.effects),
                _ => continue,
            };
            if let Predicate::Expr(guard) = guard {
                substitute(guard, TIMEOUT, &timeout);
            }
            for effect in effects {
                substitute(&mut effect.value, TIMEOUT, &timeout);
            }
        }
        for claim in &mut self.claims {
            substitute(&mut claim.fails, TIMEOUT, &timeout);
        }
        Ok(())
    }
}

/// The guard of an event as an expression.
pub(super) fn guard_of(action: &Action) -> Option<&Ir> {
    match action {
        Action::Program {
            guard: Predicate::Expr(guard),
            ..
        } => Some(guard),
        Action::Chain(chain) => match &chain.guard {
            Predicate::Expr(guard) => Some(guard),
            _ => None,
        },
        _ => None,
    }
}

fn mentions_timeout(action: &Action) -> bool {
    let effects = match action {
        Action::Program { effects, .. } => effects,
        Action::Chain(chain) => &chain.effects,
        _ => return false,
    };
    let in_guard = guard_of(action).is_some_and(|g| waits_for_timeout(std::slice::from_ref(g)));
    let var: VarId = TIMEOUT;
    in_guard
        || effects
            .iter()
            .any(|e| super::terms::mentions(&e.value, var))
}
