//! The moves of a process from a node of its control graph.
//!
//! ```text
//! step:       ℓ = a ∧ provided ∧ ¬escapes ∧ g         ▷  effects; ℓ := b
//! rendezvous: ℓP = a ∧ ℓQ = c ∧ … ∧ match             ▷  xQ := vP; ℓP, ℓQ := b, d
//! else:       no other alternative of the node is executable
//! run P:      the lowest empty slot k                 ▷  xk := arguments; ℓk := start
//! end:        the next slot is empty                  ▷  all of the process := 0
//! ```

use std::borrow::Cow;
use std::cell::Cell;

use super::ast::*;
use super::channels::Pattern;
use super::graph::{ElementId, ElementKind, Graph};
use super::layout::{Layout, initial_of};
use super::lexer::{Reading, Span};
use super::points::Points;
use super::population::run_of;
use super::terms::{TIMEOUT, all, any, assign, binary, compare, failure, number, stored};
use lariat_model::{Assignment, BinaryOp, Domain, Expr as Ir, LValue, UnaryOp, Value, VarId};

/// Limit on the moves that are computed for a model.
const WORK: u64 = 1 << 20;

/// A process in a slot, or none for global expressions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Place {
    pub slot: Option<usize>,
    /// The position among the occupants of the slot.
    pub occupant: usize,
}

/// A process in a slot at a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub slot: usize,
    pub occupant: usize,
    pub element: ElementId,
}

impl Node {
    pub fn place(self) -> Place {
        Place {
            slot: Some(self.slot),
            occupant: self.occupant,
        }
    }
}

/// A channel operation.
pub(super) enum Exchange {
    /// On a buffer, by the number of the channel.
    Buffer(usize),
    /// The sender's part of a rendezvous: the values.
    Offer(usize, Vec<Ir>),
    /// The receiver's part.
    Accept(usize, Vec<Pattern>),
}

/// One way to execute a statement.
#[derive(Default)]
pub(super) struct Move {
    pub guard: Vec<Ir>,
    pub effects: Vec<Assignment>,
    pub exchange: Option<Exchange>,
}

/// A step of the system that begins with a process at a node.
pub(super) struct FullMove {
    /// All conditions besides the location of the process.
    pub guard: Vec<Ir>,
    pub effects: Vec<Assignment>,
    /// The process that moved last, with its new node.
    pub to: Node,
    pub span: Span,
    /// The receiver of a rendezvous, with the span of its statement.
    pub partner: Option<(Node, Span)>,
    pub channel: Option<usize>,
    /// Whether the statement receives.
    pub receives: bool,
    /// The claim of an `assert`.
    pub claim: Option<Ir>,
    /// Whether no process is left at `to`: the process has ended.
    pub ends: bool,
}

/// A receive on a rendezvous channel.
pub(super) struct Receiver {
    pub node: Node,
    pub leaf: ElementId,
}

pub(super) struct Compiler<'m> {
    pub model: &'m ModelAst,
    pub graphs: &'m [Graph],
    pub layout: Cow<'m, Layout>,
    pub points: Cow<'m, Points>,
    /// Whether every created process has a slot.
    pub is_bounded: bool,
    /// Receives on rendezvous channels.
    pub receivers: Vec<Receiver>,
    /// Variables that hold the sent values of a rendezvous during its assignments.
    pub scratch: Vec<VarId>,
    /// The number of such variables that are needed.
    pub needed: Cell<usize>,
    /// The number of moves that were computed.
    pub work: Cell<u64>,
}

impl Compiler<'_> {
    pub fn graph(&self, node: Node) -> &Graph {
        &self.graphs[self.layout.slots[node.slot].occupants[node.occupant].process]
    }

    pub fn process(&self, place: Place) -> Option<&ProcessAst> {
        let slot = &self.layout.slots[place.slot?];
        Some(&self.model.processes[slot.occupants[place.occupant].process])
    }

    /// The location variable of a slot and the value for a node.
    pub fn location(&self, node: Node) -> (VarId, Value) {
        let slot = &self.layout.slots[node.slot];
        let value = slot.occupants[node.occupant].locations.get(&node.element);
        (slot.location, value.copied().unwrap_or_default())
    }

    pub fn is_inside(&self, node: Node) -> bool {
        self.graph(node).elements[node.element].is_inside
    }

    /// Finds all receives on rendezvous channels.
    pub fn find_receivers(&mut self) {
        let mut receivers = Vec::new();
        for (slot, known) in self.layout.slots.iter().enumerate() {
            for (occupant, of) in known.occupants.iter().enumerate() {
                let graph = &self.graphs[of.process];
                for element in graph.nodes() {
                    let node = Node {
                        slot,
                        occupant,
                        element,
                    };
                    let mut leaves = graph.leaves(element);
                    let escapes = leaves.iter().flat_map(|l| &graph.elements[*l].escapes);
                    let more: Vec<ElementId> = escapes.flat_map(|e| graph.leaves(*e)).collect();
                    leaves.extend(more);
                    let first = |leaf: ElementId| match graph.elements[leaf].kind {
                        ElementKind::Deterministic(first) => graph.leaves(first),
                        _ => vec![leaf],
                    };
                    for leaf in leaves.into_iter().flat_map(first) {
                        if let ElementKind::Basic(s) = &graph.elements[leaf].kind
                            && matches!(s.kind, StatementKind::Receive(_))
                        {
                            receivers.push(Receiver { node, leaf });
                        }
                    }
                }
            }
        }
        self.receivers = receivers;
    }

    /// The ways to execute the statement of an element, without conditions of the surroundings.
    pub(super) fn moves(&self, place: Place, leaf: ElementId, graph: &Graph) -> Reading<Vec<Move>> {
        let moves = self.ways(place, leaf, graph)?;
        self.work.set(self.work.get() + 1 + moves.len() as u64);
        if self.work.get() > WORK {
            let message = "processes and channels combine to too many steps";
            let help = "a process that is created without a bound that follows from constants may occupy each of 255 slots";
            return Err(graph.elements[leaf].span.error(message).help(help));
        }
        Ok(moves)
    }

    pub(super) fn ways(&self, place: Place, leaf: ElementId, graph: &Graph) -> Reading<Vec<Move>> {
        let element = &graph.elements[leaf];
        let plain = || vec![Move::default()];
        let set = |target: &Reference, value: Ir| -> Reading<Vec<Move>> {
            let scalar = self.scalar(place, target)?;
            let value = self.fitted(scalar.leaf.kind, value);
            let target = scalar.target();
            let effects = vec![Assignment { target, value }];
            Ok(vec![Move {
                effects,
                ..Move::default()
            }])
        };
        let statement = match &element.kind {
            ElementKind::Basic(statement) => statement,
            ElementKind::Value(target, value) => return set(target, number(*value)),
            _ => return Ok(plain()),
        };
        if let Some((name, arguments)) = run_of(statement) {
            return self.run(place, statement, name, arguments);
        }
        match &statement.kind {
            StatementKind::Condition(condition) => {
                let guard = vec![self.expr(place, condition)?];
                Ok(vec![Move {
                    guard,
                    ..Move::default()
                }])
            }
            StatementKind::Assign(target, value) => set(target, self.expr(place, value)?),
            StatementKind::Send(send) => self.send(place, send, statement.span),
            StatementKind::Receive(receive) => self.receive(place, receive, statement.span),
            _ => Ok(plain()),
        }
    }

    /// The creation of a process in each slot that may be the lowest empty one.
    pub(super) fn run(
        &self,
        place: Place,
        statement: &Statement,
        name: &Ident,
        arguments: &[Expr],
    ) -> Reading<Vec<Move>> {
        let mut processes = self.model.processes.iter();
        let Some(process) = processes.position(|p| p.name.text == name.text) else {
            let message = format!("no process is called `{}`", name.text);
            let names = self.model.processes.iter().map(|p| &*p.name.text);
            let error = name.span.error(message);
            return Err(match lariat_model::suggestion(&name.text, names) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let parameters = &self.model.processes[process].parameters;
        if parameters.len() != arguments.len() {
            let message = format!(
                "`{}` takes {} arguments, not {}",
                name.text,
                parameters.len(),
                arguments.len()
            );
            return Err(name.span.error(message));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expr(place, argument)?);
        }
        let own = place.slot.unwrap_or_default();
        let mut moves = Vec::new();
        for (k, slot) in self.layout.slots.iter().enumerate().skip(own + 1) {
            let found = slot.occupants.iter().position(|o| o.process == process);
            let Some(occupant) = found else { continue };
            let there = Place {
                slot: Some(k),
                occupant,
            };
            let mut guard = vec![compare(BinaryOp::Eq, slot.location, 0)];
            if k > own + 1 {
                let below = self.layout.slots[k - 1].location;
                guard.push(compare(BinaryOp::Ne, below, 0));
            }
            let mut effects = self.birth(there, &values)?;
            if let StatementKind::Assign(target, _) = &statement.kind {
                let scalar = self.scalar(place, target)?;
                let value = self.fitted(scalar.leaf.kind, number(k as Value));
                let target = scalar.target();
                effects.push(Assignment { target, value });
            }
            moves.push(Move {
                guard,
                effects,
                exchange: None,
            });
        }
        if !self.is_bounded
            && let Some(last) = self.layout.slots.last()
        {
            let full = compare(BinaryOp::Ne, last.location, 0);
            moves.push(Move {
                guard: vec![full, failure()],
                ..Move::default()
            });
        }
        Ok(moves)
    }

    /// The assignments that create a process with these arguments.
    pub fn birth(&self, there: Place, values: &[Ir]) -> Reading<Vec<Assignment>> {
        let Some(slot) = there.slot.map(|slot| &self.layout.slots[slot]) else {
            return Ok(Vec::new());
        };
        let occupant = &slot.occupants[there.occupant];
        let ast = &self.model.processes[occupant.process];
        let mut effects = Vec::new();
        for (var, channel) in &occupant.channels {
            effects.push(assign(*var, number(*channel as Value)));
        }
        for (i, index) in ast.variables.iter().enumerate() {
            let leaves = &occupant.variables[index];
            if let Some(parameter) = ast.parameters.get(i)
                && let (Some(value), [leaf]) = (values.get(i), &occupant.variables[parameter][..])
            {
                effects.push(assign(leaf.first, self.fitted(leaf.kind, value.clone())));
                continue;
            }
            let variable = &self.model.variables[*index];
            if variable.is_assigned {
                continue;
            }
            for leaf in leaves {
                let Some(initial) = initial_of(self.model, variable, leaf) else {
                    continue;
                };
                for mut effect in self.initial_values(there, leaf.first, leaf.len(), initial)? {
                    effect.value = self.fitted(leaf.kind, effect.value);
                    effects.push(effect);
                }
            }
        }
        let graph = &self.graphs[occupant.process];
        let start = occupant
            .locations
            .get(&graph.start)
            .copied()
            .unwrap_or_default();
        effects.push(assign(slot.location, number(start)));
        Ok(effects)
    }

    /// The assignments of a declaration.
    pub fn initial_values(
        &self,
        place: Place,
        first: VarId,
        len: u32,
        initial: &Initial,
    ) -> Reading<Vec<Assignment>> {
        let element = |i: u32| VarId(first.0 + i);
        let mut effects = Vec::new();
        match initial {
            Initial::None | Initial::Channel(..) => {}
            Initial::Value(value) => {
                let value = self.expr(place, value)?;
                effects.extend((0..len).map(|i| assign(element(i), value.clone())));
            }
            Initial::Values(values) => {
                for (i, value) in (0..len).zip(values) {
                    effects.push(assign(element(i), self.expr(place, value)?));
                }
            }
        }
        Ok(effects)
    }

    /// The condition under which one of these alternatives is executable.
    pub(super) fn executable(&self, node: Node, leaves: &[ElementId]) -> Reading<Ir> {
        let graph = self.graph(node);
        let mut parts = Vec::new();
        for leaf in leaves {
            match &graph.elements[*leaf].kind {
                ElementKind::Deterministic(first) => {
                    parts.push(self.executable(node, &graph.leaves(*first))?);
                }
                kind if is_else(kind) => return Ok(number(1)),
                _ => {
                    for step in self.moves(node.place(), *leaf, graph)? {
                        parts.extend(self.possible(node, step)?);
                    }
                }
            }
        }
        Ok(any(parts))
    }

    /// The conditions under which a move is possible.
    pub(super) fn possible(&self, node: Node, step: Move) -> Reading<Vec<Ir>> {
        match &step.exchange {
            // A process does not receive on a rendezvous channel on its own.
            Some(Exchange::Accept(..)) => Ok(Vec::new()),
            Some(Exchange::Offer(..)) => {
                let mut parts = Vec::new();
                for (partner, accept) in self.partners(node, &step)? {
                    let mut guard = step.guard.clone();
                    guard.extend(self.meeting(&step, partner, &accept)?);
                    parts.push(all(guard));
                }
                Ok(parts)
            }
            _ => Ok(vec![all(step.guard)]),
        }
    }

    /// The receives of other processes that may complete a rendezvous.
    pub(super) fn partners(&self, node: Node, offer: &Move) -> Reading<Vec<(&Receiver, Move)>> {
        let Some(Exchange::Offer(channel, _)) = offer.exchange else {
            return Ok(Vec::new());
        };
        let mut partners = Vec::new();
        for receiver in self.receivers.iter().filter(|r| r.node.slot != node.slot) {
            let graph = self.graph(receiver.node);
            for accept in self.moves(receiver.node.place(), receiver.leaf, graph)? {
                if matches!(accept.exchange, Some(Exchange::Accept(number, _)) if number == channel)
                {
                    partners.push((receiver, accept));
                }
            }
        }
        Ok(partners)
    }

    /// The receiver's conditions of a rendezvous.
    pub(super) fn meeting(
        &self,
        offer: &Move,
        receiver: &Receiver,
        accept: &Move,
    ) -> Reading<Vec<Ir>> {
        let (location, here) = self.location(receiver.node);
        let mut guard = vec![compare(BinaryOp::Eq, location, here)];
        guard.extend(self.provided(receiver.node.place())?);
        guard.extend(accept.guard.iter().cloned());
        if let (Some(Exchange::Offer(_, values)), Some(Exchange::Accept(_, patterns))) =
            (&offer.exchange, &accept.exchange)
        {
            for (value, pattern) in values.iter().zip(patterns) {
                if let Pattern::Value(wanted) = pattern {
                    guard.push(binary(BinaryOp::Eq, value.clone(), wanted.clone()));
                }
            }
        }
        Ok(guard)
    }

    pub fn provided(&self, place: Place) -> Reading<Option<Ir>> {
        let provided = self.process(place).and_then(|p| p.provided.as_ref());
        provided
            .map(|condition| self.expr(place, condition))
            .transpose()
    }

    /// Whether executing the guards or the effects of a step may fail.
    pub fn may_fail(&self, guard: &[Ir], effects: &[Assignment]) -> bool {
        let buffers = |first: VarId| {
            let mut channels = self.layout.channels.iter();
            channels.any(|c| {
                let cells = c.capacity * c.fields.len() as u32;
                (c.cells.0..c.cells.0 + cells).contains(&first.0)
            })
        };
        let target = |target: &LValue| match target {
            LValue::Var(_) => false,
            // The length of a buffer that is not full is a valid index.
            LValue::Element { first, index, .. } => !buffers(*first) || index.can_fail(),
        };
        guard.iter().any(Ir::can_fail)
            || effects
                .iter()
                .any(|e| e.value.can_fail() || target(&e.target))
    }

    /// The value that a variable of this type has after an assignment: integers are truncated.
    pub fn fitted(&self, kind: Type, value: Ir) -> Ir {
        let Domain::Range { low, high } = super::layout::domain(kind) else {
            return value;
        };
        let fits = |var: VarId| match self.layout.variables[var.index()].domain {
            Domain::Range { low: l, high: h } => low <= l && h <= high,
            _ => false,
        };
        let is_fitting = match &value {
            Ir::Var(var) => *var != TIMEOUT && fits(*var),
            Ir::Element { first, .. } => fits(*first),
            Ir::Unary(UnaryOp::Not, _) => true,
            Ir::Binary(op, ..) => matches!(
                op,
                BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::And
                    | BinaryOp::Or
            ),
            _ => false,
        };
        match is_fitting {
            true => value,
            false => stored(low, high, value),
        }
    }

    /// The range of the assigned values of a variable.
    pub fn stored(&self, var: VarId, value: Value) -> Value {
        match self.layout.variables[var.index()].domain {
            Domain::Range { low, high } => low + (value - low).rem_euclid(high - low + 1),
            _ => value,
        }
    }
}

pub(super) fn is_else(kind: &ElementKind) -> bool {
    matches!(kind, ElementKind::Basic(s) if matches!(s.kind, StatementKind::Else))
}

pub(super) fn waits_for_timeout(guard: &[Ir]) -> bool {
    guard.iter().any(|g| super::terms::mentions(g, TIMEOUT))
}
