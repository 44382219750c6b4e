//! Channel operations as moves: one per channel that the statement may denote, and per position of
//! the buffer where the operation is not at its end.

use super::ast::*;
use super::compile::{Compiler, Exchange, Move, Place};
use super::expr::Scalar;
use super::layout::Channel;
use super::lexer::{Reading, Span};
use super::terms::{all, any, assign, binary, compare, failure, not, number};
use lariat_model::{Assignment, BinaryOp, Expr as Ir, LValue, Value, VarId};

/// A channel by its number, and the condition that it is meant.
type Candidate = (usize, Option<Ir>);

/// One argument of a receive: the target of the field, or its required value.
pub(super) enum Pattern {
    Ignore,
    Target(Scalar),
    Value(Ir),
}

impl Channel {
    /// The variable of a field of the message at a position.
    pub fn cell(&self, position: u32, field: usize) -> VarId {
        VarId(self.cells.0 + field as u32 * self.capacity + position)
    }
}

impl Compiler<'_> {
    /// The channels that a reference may denote, and the condition that it denotes none of them.
    pub(super) fn candidates(&self, place: Place, r: &Reference) -> Reading<(Vec<Candidate>, Ir)> {
        if r.kind != Type::Chan {
            return Err(Compiler::no_channel(r.span));
        }
        let scalar = self.scalar(place, r)?;
        let (sites, is_fixed) = self.points.sites(r);
        let mut numbers = Vec::new();
        for (variable, fields) in sites {
            let leaves = self.layout.globals.get(&variable).into_iter();
            for leaf in leaves.flatten().filter(|leaf| leaf.fields == fields) {
                for element in 0..leaf.len() {
                    let var = VarId(leaf.first.0 + element);
                    numbers.push((var, self.layout.initial[var.index()] as usize));
                }
            }
            for (s, slot) in self.layout.slots.iter().enumerate() {
                for (o, occupant) in slot.occupants.iter().enumerate() {
                    let elsewhere = is_fixed && (place.slot != Some(s) || place.occupant != o);
                    let leaves = occupant.variables.get(&variable).into_iter();
                    for leaf in leaves.flatten().filter(|leaf| leaf.fields == fields) {
                        let range = leaf.first.0..leaf.first.0 + leaf.len();
                        let made = occupant.channels.iter();
                        let made = made.filter(|(v, _)| range.contains(&v.0) && !elsewhere);
                        numbers.extend(made);
                    }
                }
            }
        }
        if is_fixed {
            return Ok(fixed(&scalar, &numbers));
        }
        let value = scalar.value();
        numbers.sort_unstable_by_key(|(_, number)| *number);
        numbers.dedup();
        let is = |channel: usize| binary(BinaryOp::Eq, value.clone(), number(channel as Value));
        let candidates: Vec<Candidate> = numbers
            .iter()
            .map(|(_, number)| (*number, Some(is(*number))))
            .collect();
        let none = not(any(numbers.iter().map(|(_, number)| is(*number)).collect()));
        Ok((candidates, none))
    }

    fn channel(&self, number: usize) -> &Channel {
        &self.layout.channels[number - 1]
    }

    /// `len(c)` and the tests for empty and full channels.
    pub(super) fn channel_test(
        &self,
        place: Place,
        test: ChannelTest,
        r: &Reference,
    ) -> Reading<Ir> {
        let (candidates, none) = self.candidates(place, r)?;
        let one = |number_of: usize| {
            let channel = self.channel(number_of);
            let capacity = channel.capacity;
            match (test, channel.len) {
                (ChannelTest::Len, Some(len)) => Ir::Var(len),
                (ChannelTest::Len, None) => number(0),
                (ChannelTest::Empty, Some(len)) => compare(BinaryOp::Eq, len, 0),
                (ChannelTest::NonEmpty, Some(len)) => compare(BinaryOp::Gt, len, 0),
                (ChannelTest::Full, Some(len)) => compare(BinaryOp::Ge, len, capacity),
                (ChannelTest::NonFull, Some(len)) => compare(BinaryOp::Lt, len, capacity),
                (ChannelTest::Empty | ChannelTest::NonFull, None) => number(1),
                (ChannelTest::NonEmpty | ChannelTest::Full, None) => number(0),
            }
        };
        if let [(number_of, None)] = candidates[..] {
            return Ok(one(number_of));
        }
        let parts = candidates.iter().map(|(channel, condition)| {
            let condition = condition.clone().unwrap_or(number(1));
            match test {
                ChannelTest::Len => binary(BinaryOp::Mul, condition, one(*channel)),
                _ => all(vec![condition, one(*channel)]),
            }
        });
        let sum = parts.reduce(|x, y| match test {
            ChannelTest::Len => binary(BinaryOp::Add, x, y),
            _ => any(vec![x, y]),
        });
        let bad = all(vec![none, failure()]);
        Ok(binary(BinaryOp::Add, sum.unwrap_or(number(0)), bad))
    }

    /// `c?[…]` and `c??[…]`
    pub(super) fn poll(&self, place: Place, receive: &Receive) -> Reading<Ir> {
        let (candidates, none) = self.candidates(place, &receive.channel)?;
        let mut parts = Vec::new();
        for (channel, condition) in candidates {
            if self.channel(channel).capacity == 0 {
                parts.push(all(vec![condition.unwrap_or(number(1)), failure()]));
                continue;
            }
            let patterns =
                self.patterns(place, channel, &receive.arguments, receive.channel.span)?;
            let last = if receive.random {
                self.channel(channel).capacity
            } else {
                1
            };
            for position in 0..last {
                let mut conditions: Vec<Ir> = condition.clone().into_iter().collect();
                conditions.extend(self.matches(channel, position, &patterns));
                parts.push(all(conditions));
            }
        }
        parts.push(all(vec![none, failure()]));
        Ok(any(parts))
    }

    /// The arguments of a receive, structures flattened.
    pub(super) fn patterns(
        &self,
        place: Place,
        channel: usize,
        arguments: &[Argument],
        span: Span,
    ) -> Reading<Vec<Pattern>> {
        let fields = self.channel(channel).fields.len();
        let mut patterns = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Target(None) => patterns.push(Pattern::Ignore),
                Argument::Target(Some(target)) => {
                    let scalars = self.scalars_of(place, target)?;
                    patterns.extend(scalars.into_iter().map(Pattern::Target));
                }
                Argument::Value(value) => patterns.push(Pattern::Value(self.expr(place, value)?)),
            }
        }
        if patterns.len() > fields {
            return Err(too_many(patterns.len(), fields, span));
        }
        Ok(patterns)
    }

    /// There is a message at a position of the buffer, and it matches.
    fn matches(&self, channel: usize, position: u32, patterns: &[Pattern]) -> Vec<Ir> {
        let channel = self.channel(channel);
        let len = channel.len.into_iter();
        let mut conditions: Vec<Ir> = len
            .map(|len| compare(BinaryOp::Gt, len, position))
            .collect();
        for (field, pattern) in patterns.iter().enumerate() {
            if let Pattern::Value(value) = pattern {
                let cell = Ir::Var(channel.cell(position, field));
                conditions.push(binary(BinaryOp::Eq, cell, value.clone()));
            }
        }
        conditions
    }

    /// The values of a send, structures flattened and missing ones 0.
    pub(super) fn values(
        &self,
        place: Place,
        channel: usize,
        values: &[Expr],
        span: Span,
    ) -> Reading<Vec<Ir>> {
        let fields = &self.channel(channel).fields;
        let mut sent = Vec::new();
        for value in values {
            match &value.kind {
                ExprKind::Reference(r) if matches!(r.kind, Type::Struct(_)) => {
                    let scalars = self.scalars_of(place, r)?;
                    sent.extend(scalars.iter().map(Scalar::value));
                }
                _ => sent.push(self.expr(place, value)?),
            }
        }
        if sent.len() > fields.len() {
            return Err(too_many(sent.len(), fields.len(), span));
        }
        sent.resize(fields.len(), number(0));
        let truncated = fields
            .iter()
            .zip(sent)
            .map(|(kind, value)| self.fitted(*kind, value));
        Ok(truncated.collect())
    }

    /// The moves of a send; on a rendezvous channel without their partners.
    pub(super) fn send(&self, place: Place, send: &Send, span: Span) -> Reading<Vec<Move>> {
        let (candidates, none) = self.candidates(place, &send.channel)?;
        let mut moves = Vec::new();
        for (number_of, condition) in candidates {
            let channel = self.channel(number_of);
            let values = self.values(place, number_of, &send.values, span)?;
            let guard: Vec<Ir> = condition.into_iter().collect();
            let Some(len) = channel.len else {
                moves.push(Move {
                    guard,
                    exchange: Some(Exchange::Offer(number_of, values)),
                    ..Move::default()
                });
                continue;
            };
            let space = compare(BinaryOp::Lt, len, channel.capacity);
            let more = assign(len, binary(BinaryOp::Add, Ir::Var(len), number(1)));
            if !send.sorted {
                let mut guard = guard;
                guard.push(space);
                let mut effects: Vec<Assignment> = values
                    .into_iter()
                    .enumerate()
                    .map(|(field, value)| at_end(channel, len, field, value))
                    .collect();
                effects.push(more);
                moves.push(Move {
                    guard,
                    effects,
                    exchange: Some(Exchange::Buffer(number_of)),
                });
                continue;
            }
            for position in 0..channel.capacity {
                let mut guard = guard.clone();
                guard.push(space.clone());
                guard.push(compare(BinaryOp::Ge, len, position));
                let is_greater = |p: u32| greater(channel, p, &values);
                guard.extend((0..position).map(|p| not(is_greater(p))));
                let last = compare(BinaryOp::Eq, len, position);
                guard.push(any(vec![last, is_greater(position)]));
                let mut effects = Vec::new();
                for to in (position + 1..channel.capacity).rev() {
                    for field in 0..channel.fields.len() {
                        let from = Ir::Var(channel.cell(to - 1, field));
                        effects.push(assign(channel.cell(to, field), from));
                    }
                }
                let new = values.iter().enumerate();
                effects.extend(
                    new.map(|(field, value)| assign(channel.cell(position, field), value.clone())),
                );
                effects.push(more.clone());
                moves.push(Move {
                    guard,
                    effects,
                    exchange: Some(Exchange::Buffer(number_of)),
                });
            }
        }
        moves.extend(failing(none));
        Ok(moves)
    }

    /// The moves of a receive from a buffer; on a rendezvous channel its acceptance.
    pub(super) fn receive(&self, place: Place, r: &Receive, span: Span) -> Reading<Vec<Move>> {
        let (candidates, none) = self.candidates(place, &r.channel)?;
        let mut moves = Vec::new();
        for (number_of, condition) in candidates {
            let channel = self.channel(number_of);
            let patterns = self.patterns(place, number_of, &r.arguments, span)?;
            let guard: Vec<Ir> = condition.into_iter().collect();
            let Some(len) = channel.len else {
                moves.push(Move {
                    guard,
                    exchange: Some(Exchange::Accept(number_of, patterns)),
                    ..Move::default()
                });
                continue;
            };
            let last = if r.random { channel.capacity } else { 1 };
            for position in 0..last {
                let mut guard = guard.clone();
                guard.extend(self.matches(number_of, position, &patterns));
                for earlier in 0..position {
                    let found = all(self.matches(number_of, earlier, &patterns));
                    guard.push(not(found));
                }
                let mut effects = Vec::new();
                for (field, pattern) in patterns.iter().enumerate() {
                    if let Pattern::Target(target) = pattern {
                        let value = Ir::Var(channel.cell(position, field));
                        effects.push(Assignment {
                            target: target.target(),
                            value: self.fitted(target.leaf.kind, value),
                        });
                    }
                }
                if !r.copy {
                    for to in position..channel.capacity {
                        for field in 0..channel.fields.len() {
                            let next = match to + 1 < channel.capacity {
                                true => Ir::Var(channel.cell(to + 1, field)),
                                false => number(0),
                            };
                            effects.push(assign(channel.cell(to, field), next));
                        }
                    }
                    let less = binary(BinaryOp::Sub, Ir::Var(len), number(1));
                    effects.push(assign(len, less));
                }
                moves.push(Move {
                    guard,
                    effects,
                    exchange: Some(Exchange::Buffer(number_of)),
                });
            }
        }
        moves.extend(failing(none));
        Ok(moves)
    }
}

fn too_many(given: usize, fields: usize, span: Span) -> super::lexer::Diagnostic {
    let message = format!("{given} values for a channel whose messages have {fields} fields");
    span.error(message)
}

/// The move to the fault if a variable denotes no channel.
fn failing(none: Ir) -> Option<Move> {
    (none != number(0)).then(|| Move {
        guard: vec![none, failure()],
        ..Move::default()
    })
}

/// The channels of a variable that always denotes its own.
fn fixed(scalar: &Scalar, numbers: &[(VarId, usize)]) -> (Vec<Candidate>, Ir) {
    let element = |i: u32| {
        let var = VarId(scalar.leaf.first.0 + i);
        numbers
            .iter()
            .find(|(v, _)| *v == var)
            .map(|(_, number)| *number)
    };
    let count = scalar.leaf.len();
    match &scalar.index {
        None => (
            element(0).map(|n| (n, None)).into_iter().collect(),
            number(0),
        ),
        Some(Ir::Const(i)) => {
            let inside = u32::try_from(*i)
                .ok()
                .filter(|i| *i < count)
                .and_then(element);
            let none = number(Value::from(inside.is_none()));
            (inside.map(|n| (n, None)).into_iter().collect(), none)
        }
        Some(index) => {
            let is = |i: u32| binary(BinaryOp::Eq, index.clone(), number(i));
            let known = (0..count).filter_map(|i| Some((element(i)?, Some(is(i)))));
            let low = binary(BinaryOp::Lt, index.clone(), number(0));
            let high = binary(BinaryOp::Ge, index.clone(), number(count));
            (known.collect(), any(vec![low, high]))
        }
    }
}

/// The assignment of a field of a new message behind the last one.
fn at_end(channel: &Channel, len: VarId, field: usize, value: Ir) -> Assignment {
    if channel.capacity == 1 {
        return assign(channel.cell(0, field), value);
    }
    Assignment {
        target: LValue::Element {
            first: channel.cell(0, field),
            len: channel.capacity,
            index: Ir::Var(len),
        },
        value,
    }
}

/// The message at a position is greater than the values, compared from the first field on.
fn greater(channel: &Channel, position: u32, values: &[Ir]) -> Ir {
    let mut found = number(0);
    for (field, value) in values.iter().enumerate().rev() {
        let cell = Ir::Var(channel.cell(position, field));
        let more = binary(BinaryOp::Gt, cell.clone(), value.clone());
        let same = binary(BinaryOp::Eq, cell, value.clone());
        found = any(vec![more, all(vec![same, found])]);
    }
    found
}
