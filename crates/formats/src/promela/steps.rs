//! The steps from a node: alternatives, escapes, `else`, rendezvous, and the end of a process.

use super::ast::*;
use super::channels::Pattern;
use super::compile::{Compiler, Exchange, FullMove, Move, Node, Receiver, is_else};
use super::graph::{ElementId, ElementKind};
use super::lexer::Reading;
use super::terms::{assign, compare, not, number};
use lariat_model::{Assignment, BinaryOp, Expr as Ir};

impl Compiler<'_> {
    /// All steps from a node. Escapes take precedence, the outermost first.
    pub fn full_moves(&self, node: Node) -> Reading<Vec<FullMove>> {
        let graph = self.graph(node);
        let leaves = graph.leaves(node.element);
        let escapes = |leaf: &ElementId| &graph.elements[*leaf].escapes;
        let mut guards: Vec<ElementId> = Vec::new();
        for leaf in &leaves {
            let different = escapes(leaf) != escapes(&leaves[0]);
            if different {
                let message = "an `unless` at the start of an option is not supported: write `:: true -> { … } unless { … }`";
                return Err(graph.elements[*leaf].span.error(message));
            }
            guards.clone_from(escapes(leaf));
        }
        let mut moves = Vec::new();
        let mut before: Vec<Ir> = Vec::new();
        if graph.elements[node.element].d_step.is_none() {
            before.extend(self.provided(node.place())?);
        }
        for escape in guards.iter().rev() {
            let leaves = graph.leaves(*escape);
            self.group(node, &leaves, &before, &mut moves)?;
            before.push(not(self.executable(node, &leaves)?));
        }
        self.group(node, &leaves, &before, &mut moves)?;
        Ok(moves)
    }

    /// The steps of some alternatives under a condition.
    fn group(
        &self,
        node: Node,
        leaves: &[ElementId],
        before: &[Ir],
        into: &mut Vec<FullMove>,
    ) -> Reading<()> {
        let graph = self.graph(node);
        for leaf in leaves {
            let mut guard = before.to_vec();
            match &graph.elements[*leaf].kind {
                ElementKind::Deterministic(first) => {
                    let firsts = graph.leaves(*first);
                    for (i, first) in firsts.iter().enumerate() {
                        let mut guard = guard.clone();
                        guard.push(not(self.executable(node, &firsts[..i])?));
                        self.alternative(node, *first, &guard, into)?;
                    }
                    continue;
                }
                kind if is_else(kind) => {
                    let others: Vec<ElementId> = leaves
                        .iter()
                        .copied()
                        .filter(|other| other != leaf)
                        .collect();
                    guard.push(not(self.executable(node, &others)?));
                }
                _ => {}
            }
            self.alternative(node, *leaf, &guard, into)?;
        }
        Ok(())
    }

    /// The steps of one statement.
    fn alternative(
        &self,
        node: Node,
        leaf: ElementId,
        before: &[Ir],
        into: &mut Vec<FullMove>,
    ) -> Reading<()> {
        let graph = self.graph(node);
        let element = &graph.elements[leaf];
        let (location, _) = self.location(node);
        if matches!(element.kind, ElementKind::End) {
            into.push(self.end(node, before));
            return Ok(());
        }
        let to = Node {
            element: graph.target(leaf),
            ..node
        };
        let arrive = assign(location, number(self.location(to).1));
        let claim = match &element.kind {
            ElementKind::Basic(Statement {
                kind: StatementKind::Assert(claim),
                ..
            }) => Some(self.expr(node.place(), claim)?),
            _ => None,
        };
        for mut step in self.moves(node.place(), leaf, graph)? {
            let mut full = FullMove {
                guard: before.to_vec(),
                effects: Vec::new(),
                to,
                span: element.span,
                partner: None,
                channel: None,
                receives: matches!(&element.kind, ElementKind::Basic(s)
                    if matches!(s.kind, StatementKind::Receive(_))),
                claim: claim.clone(),
                ends: false,
            };
            match &step.exchange {
                Some(Exchange::Accept(..)) => {}
                Some(Exchange::Offer(channel, _)) => {
                    if element.d_step.is_some() {
                        let message = "a rendezvous inside a d_step is not supported";
                        return Err(element.span.error(message));
                    }
                    for (receiver, accept) in self.partners(node, &step)? {
                        let met = self.rendezvous(&step, &arrive, receiver, &accept)?;
                        let mut guard = full.guard.clone();
                        guard.extend(step.guard.iter().cloned());
                        guard.extend(self.meeting(&step, receiver, &accept)?);
                        let there = self.graph(receiver.node);
                        let to = Node {
                            element: there.target(receiver.leaf),
                            ..receiver.node
                        };
                        into.push(FullMove {
                            guard,
                            effects: met,
                            to,
                            span: element.span,
                            partner: Some((to, there.elements[receiver.leaf].span)),
                            channel: Some(*channel),
                            receives: false,
                            claim: None,
                            ends: false,
                        });
                    }
                }
                exchange => {
                    full.channel = match exchange {
                        Some(Exchange::Buffer(channel)) => Some(*channel),
                        _ => None,
                    };
                    full.guard.append(&mut step.guard);
                    full.effects.append(&mut step.effects);
                    full.effects.push(arrive.clone());
                    into.push(full);
                }
            }
        }
        Ok(())
    }

    /// The removal of a process that has ended, if it is the youngest.
    fn end(&self, node: Node, before: &[Ir]) -> FullMove {
        let slot = &self.layout.slots[node.slot];
        let mut guard = before.to_vec();
        if let Some(above) = self.layout.slots.get(node.slot + 1) {
            guard.push(compare(BinaryOp::Eq, above.location, 0));
        }
        let own = slot.occupants[node.occupant].own.iter();
        let mut effects: Vec<Assignment> = own.map(|var| assign(*var, number(0))).collect();
        effects.push(assign(slot.location, number(0)));
        FullMove {
            guard,
            effects,
            to: node,
            span: self.graph(node).elements[node.element].span,
            partner: None,
            channel: None,
            receives: false,
            claim: None,
            ends: true,
        }
    }

    /// The assignments of a rendezvous: all values are those before the step.
    fn rendezvous(
        &self,
        offer: &Move,
        arrive: &Assignment,
        receiver: &Receiver,
        accept: &Move,
    ) -> Reading<Vec<Assignment>> {
        let (Some(Exchange::Offer(_, values)), Some(Exchange::Accept(_, patterns))) =
            (&offer.exchange, &accept.exchange)
        else {
            return Ok(Vec::new());
        };
        let mut passed = Vec::new();
        for (value, pattern) in values.iter().zip(patterns) {
            if let Pattern::Target(target) = pattern {
                let value = self.fitted(target.leaf.kind, value.clone());
                passed.push((target.target(), value));
            }
        }
        let mut written = Vec::new();
        let mut clash = false;
        for (target, value) in &passed {
            clash |= written
                .iter()
                .any(|var| super::terms::mentions(value, *var));
            target.collect_writes(&mut written);
        }
        let mut effects = Vec::new();
        if clash {
            self.needed.set(self.needed.get().max(passed.len()));
            let aside = self.scratch.iter().copied();
            let sent = passed.iter().map(|(_, value)| value.clone());
            effects.extend(
                aside
                    .clone()
                    .zip(sent)
                    .map(|(var, value)| assign(var, value)),
            );
            for ((target, _), var) in passed.into_iter().zip(aside.clone()) {
                let value = Ir::Var(var);
                effects.push(Assignment { target, value });
            }
            effects.extend(aside.map(|var| assign(var, number(0))));
        } else {
            let assigned = passed
                .into_iter()
                .map(|(target, value)| Assignment { target, value });
            effects.extend(assigned);
        }
        effects.push(arrive.clone());
        let graph = self.graph(receiver.node);
        let to = Node {
            element: graph.target(receiver.leaf),
            ..receiver.node
        };
        let (location, there) = self.location(to);
        effects.push(assign(location, number(there)));
        Ok(effects)
    }
}
