//! Translation of transitions: one event per possible step of the system.
//!
//! A transition without `sync`, or on a buffered channel, is one event; on a rendezvous channel
//! every sender is paired with every receiver of another process. With `ℓ` the locations and `C`
//! the committed states:
//!
//! ```text
//! alone:  ℓP = a ∧ quiet ∧ g                 ▷  receive; effects; ℓP := b
//! pair:   ℓP = a ∧ ℓQ = c ∧ quiet ∧ gP ∧ gQ  ▷  xQ := vP; effects of Q, then P; ℓP, ℓQ := b, d
//! quiet:  a ∈ C, or no process is in C;      a pair with one of a, c in C does not exist
//! ```
//!
//! All guards and sent values are evaluated in the source state. The number of events can be
//! quadratic in the size of the file; their total size is limited.

use rustc_hash::FxHashMap;

use super::ast::*;
use super::atoms::{conjunction_text, predicate, sync_text};
use super::declare::{Buffer, StateVector};
use super::lexer::{ByteSpan, DveResult};
use super::scope::{balanced, binary, size};
use super::{EventSide, Message, PropertyAutomaton, PropertyEdge};
use crate::numbering::number_equal_names;
use lariat_model::{
    Action, Assignment, BinaryOp, Comparison, Domain, Event, EventId, Expr, Finding, FindingKind,
    LValue, Predicate, Value, VarId,
};

/// Limit on the size of all events together, in nodes of expressions.
const SIZE: u64 = 1 << 22;

enum Exchange {
    Send(usize, Vec<Expr>),
    Receive(usize, Vec<(LValue, Type)>),
}

struct ProcessMove {
    process: usize,
    name: String,
    span: ByteSpan,
    location: VarId,
    from: u32,
    to: u32,
    committed: bool,
    guards: Vec<Expr>,
    exchange: Option<Exchange>,
    effects: Vec<Assignment>,
    side: EventSide,
    /// True if evaluating a guard, a sent value or an effect may fail.
    can_fail: bool,
}

/// The events of a model and further declarations of its processes.
pub(super) struct Translation {
    pub layout: StateVector,
    pub events: Vec<Event>,
    pub can_fail: bool,
    /// The assertions of the processes, with their positions in the text.
    pub assertions: Vec<(ByteSpan, Finding)>,
    pub property: Option<PropertyAutomaton>,
    pub messages: Vec<Message>,
    /// By event, its transitions in the text.
    pub sides: Vec<Vec<(ByteSpan, EventSide)>>,
    /// The condition that no process is in a committed state; `None` if there are none.
    quiet: Option<Expr>,
    /// Temporary variables for sent values during an assignment; 0 in every state.
    scratch: Vec<VarId>,
    size: u64,
}

impl Translation {
    /// Translates the processes of a model whose names are declared.
    pub(super) fn of(model: &ModelAst, mut layout: StateVector) -> DveResult<Translation> {
        let mut channels = Vec::new();
        for (p, process) in model.processes.iter().enumerate() {
            for trans in &process.trans {
                channels.push(match &trans.sync {
                    Some(sync) => Some(layout.channel(p, sync)?),
                    None => None,
                });
            }
        }
        layout.buffers()?;
        let mut t = Translation {
            layout,
            events: Vec::new(),
            can_fail: false,
            assertions: Vec::new(),
            property: None,
            messages: Vec::new(),
            sides: Vec::new(),
            quiet: None,
            scratch: Vec::new(),
            size: 0,
        };
        t.quiet = t.quiet_states(model)?;
        let mut moves = Vec::new();
        let mut channels = channels.into_iter();
        for (p, process) in model.processes.iter().enumerate() {
            let is_property = t.layout.names.processes[p].location.is_none();
            if is_property {
                t.property = Some(t.property_automaton(p, process)?);
            }
            t.assertions(p, process)?;
            for (trans, channel) in process.trans.iter().zip(channels.by_ref()) {
                if !is_property {
                    moves.push(t.resolve(p, process, trans, channel)?);
                }
            }
        }
        t.pair_up(&moves)?;
        t.warn_of_channels(&moves);
        number_equal_names(&mut t.events);
        Ok(t)
    }

    /// The condition that no process is in a committed state.
    fn quiet_states(&self, model: &ModelAst) -> DveResult<Option<Expr>> {
        let names = &self.layout.names;
        let mut conditions = Vec::new();
        for (process, known) in model.processes.iter().zip(&names.processes) {
            for state in &process.commit {
                let position = names.state(known, *state)?;
                if let Some(location) = known.location {
                    conditions.push(compare(BinaryOp::Ne, location, position));
                }
            }
        }
        Ok(balanced(BinaryOp::And, conditions))
    }

    fn property_automaton(&self, p: usize, process: &ProcessAst) -> DveResult<PropertyAutomaton> {
        let names = &self.layout.names;
        let known = &names.processes[p];
        let position = |state: &Identifier| names.state(known, *state).map(|s| s as usize);
        let mut edges = Vec::new();
        for trans in &process.trans {
            if let Some(sync) = &trans.sync {
                let message = "a property process must not synchronise: it takes one edge per step of the system";
                return Err(sync.span.error(message));
            }
            if let Some(effect) = trans.effects.first() {
                let message = "a property process must not assign variables";
                return Err(effect.target.name.error(message));
            }
            let guards = names.exprs(Some(p), &trans.guards)?;
            edges.push(PropertyEdge {
                text: conjunction_text(&trans.guards),
                from: position(&trans.from)?,
                to: position(&trans.to)?,
                guard: match balanced(BinaryOp::And, guards) {
                    None => Predicate::Const(true),
                    Some(guard) => predicate(guard),
                },
            });
        }
        let initial = match &process.init {
            Some(init) => position(init)?,
            None => 0,
        };
        Ok(PropertyAutomaton {
            name: process.name.text.to_owned(),
            states: process.states.iter().map(|s| s.text.to_owned()).collect(),
            initial,
            accepting: process
                .accept
                .iter()
                .map(position)
                .collect::<Result<_, _>>()?,
            edges,
        })
    }

    fn assertions(&mut self, p: usize, process: &ProcessAst) -> DveResult<()> {
        let names = &self.layout.names;
        let known = &names.processes[p];
        for state in &process.accept {
            names.state(known, *state)?;
        }
        if let (Some(state), Some(_)) = (process.accept.first(), known.location) {
            let message = format!("the accepting states of `{}` have no effect", known.name);
            let help = "only those of a property process, of `system async property`, have one";
            let warning = state.error(message).help(Some(help.to_owned()));
            self.layout.warnings.push(warning);
        }
        let names = &self.layout.names;
        let known = &names.processes[p];
        for (state, claim) in &process.asserts {
            let position = names.state(known, *state)?;
            let Some(location) = known.location else {
                return Err(state.error("a property process must not contain assertions"));
            };
            let claim = predicate(names.expr(Some(p), claim)?);
            let elsewhere = Predicate::compare(location, Comparison::Ne, Value::from(position));
            let base = format!("{}.{}", process.name.text, state.text);
            let is_same = |name: &str| name.split('#').next() == Some(&*base);
            let before = { self.assertions.iter() }
                .filter(|(_, known)| is_same(&known.name))
                .count();
            let finding = Finding {
                kind: FindingKind::Assertion,
                name: match before {
                    0 => base,
                    _ => format!("{base}#{}", before + 1),
                },
                line: None,
                bad: Predicate::Not(Box::new(Predicate::Or(vec![elsewhere, claim]))),
            };
            self.assertions.push((state.span, finding));
        }
        Ok(())
    }

    fn resolve(
        &self,
        p: usize,
        process: &ProcessAst,
        trans: &Trans,
        channel: Option<usize>,
    ) -> DveResult<ProcessMove> {
        let names = &self.layout.names;
        let known = &names.processes[p];
        let guards = names.exprs(Some(p), &trans.guards)?;
        let mut failing = guards.iter().any(Expr::can_fail);
        let mut target = |r: &Reference| -> DveResult<(LValue, Type)> {
            let (target, kind) = names.target(p, r)?;
            failing |= matches!(target, LValue::Element { .. });
            Ok((target, kind))
        };
        let exchange = match (&trans.sync, channel) {
            (Some(sync), Some(channel)) => Some(match &sync.kind {
                SyncKind::Send(values) => Exchange::Send(channel, names.exprs(Some(p), values)?),
                SyncKind::Receive(targets) => Exchange::Receive(
                    channel,
                    targets.iter().map(&mut target).collect::<Result<_, _>>()?,
                ),
            }),
            _ => None,
        };
        let mut effects = Vec::new();
        for assign in &trans.effects {
            effects.push(Assignment {
                target: target(&assign.target)?.0,
                value: names.expr(Some(p), &assign.value)?,
            });
        }
        failing |= effects.iter().any(|e| e.value.can_fail());
        if let Some(Exchange::Send(_, values)) = &exchange {
            failing |= values.iter().any(Expr::can_fail);
        }
        Ok(ProcessMove {
            process: p,
            name: format!("{}:{}->{}", known.name, trans.from.text, trans.to.text),
            span: trans.from.span.to(trans.to.span),
            location: known.location.unwrap_or(VarId(0)),
            from: names.state(known, trans.from)?,
            to: names.state(known, trans.to)?,
            committed: process.commit.iter().any(|c| c.text == trans.from.text),
            guards,
            exchange,
            effects,
            side: EventSide {
                process: known.location.unwrap_or(VarId(0)),
                line: 0,
                guard: match &trans.guards[..] {
                    [] => String::new(),
                    guards => conjunction_text(guards),
                },
                sync: trans.sync.as_ref().map_or(String::new(), sync_text),
            },
            can_fail: failing,
        })
    }

    fn pair_up(&mut self, moves: &[ProcessMove]) -> DveResult<()> {
        let mut receivers: FxHashMap<usize, Vec<&ProcessMove>> = FxHashMap::default();
        for m in moves {
            if let Some(Exchange::Receive(channel, _)) = m.exchange {
                receivers.entry(channel).or_default().push(m);
            }
        }
        for m in moves {
            match &m.exchange {
                None => self.alone(m, Vec::new(), Vec::new())?,
                Some(Exchange::Send(channel, values)) => {
                    match self.layout.channels[*channel].buffer {
                        Some(buffer) => self.send(m, *channel, buffer, values)?,
                        None => {
                            for receiver in receivers.get(channel).into_iter().flatten() {
                                self.rendezvous(m, receiver, *channel, values)?;
                            }
                        }
                    }
                }
                Some(Exchange::Receive(channel, targets)) => {
                    if let Some(buffer) = self.layout.channels[*channel].buffer {
                        self.receive(m, *channel, buffer, targets)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Warns of channels on which no message can pass.
    fn warn_of_channels(&mut self, moves: &[ProcessMove]) {
        let mut uses: Vec<[Option<ByteSpan>; 2]> = vec![[None; 2]; self.layout.channels.len()];
        for m in moves {
            let (channel, side) = match m.exchange {
                Some(Exchange::Send(channel, _)) => (channel, 0),
                Some(Exchange::Receive(channel, _)) => (channel, 1),
                None => continue,
            };
            uses[channel][side].get_or_insert(m.span);
        }
        for (channel, uses) in self.layout.channels.iter().zip(uses) {
            let name = &channel.name;
            let (span, message) = match uses {
                [Some(span), None] if channel.capacity == 0 => {
                    (span, format!("nothing receives on the channel `{name}`"))
                }
                [None, Some(span)] => (span, format!("nothing sends on the channel `{name}`")),
                _ => continue,
            };
            let help = "this transition is never enabled".to_owned();
            self.layout
                .warnings
                .push(span.error(message).help(Some(help)));
        }
    }

    fn alone(
        &mut self,
        m: &ProcessMove,
        conditions: Vec<Expr>,
        mut effects: Vec<Assignment>,
    ) -> DveResult<()> {
        let mut guard = vec![compare(BinaryOp::Eq, m.location, m.from)];
        if !m.committed {
            guard.extend(self.quiet.clone());
        }
        guard.extend(conditions);
        guard.extend(m.guards.iter().cloned());
        effects.extend(m.effects.iter().cloned());
        effects.extend(m.arrive());
        self.event(m.name.clone(), guard, effects, m.can_fail, &[m])
    }

    fn send(
        &mut self,
        m: &ProcessMove,
        channel: usize,
        buffer: Buffer,
        values: &[Expr],
    ) -> DveResult<()> {
        let capacity = self.layout.channels[channel].capacity;
        let fields = values.len() as u32;
        let length = || Expr::Var(buffer.len);
        let has_space = compare(BinaryOp::Lt, buffer.len, capacity);
        let constant = |n: u32| Expr::Const(Value::from(n));
        let mut effects = Vec::new();
        for (field, value) in (0..fields).zip(values) {
            let base = binary(BinaryOp::Mul, length(), constant(fields));
            effects.push(Assignment {
                target: LValue::Element {
                    first: buffer.cells,
                    len: capacity * fields,
                    index: binary(BinaryOp::Add, base, constant(field)),
                },
                value: value.clone(),
            });
        }
        effects.push(assign(
            buffer.len,
            binary(BinaryOp::Add, length(), Expr::Const(1)),
        ));
        self.alone(m, vec![has_space], effects)?;
        self.record(channel, Some(m), None, values.to_vec());
        Ok(())
    }

    fn receive(
        &mut self,
        m: &ProcessMove,
        channel: usize,
        buffer: Buffer,
        targets: &[(LValue, Type)],
    ) -> DveResult<()> {
        let capacity = self.layout.channels[channel].capacity;
        let fields = targets.len() as u32;
        // Account for the shift of the buffer before building it.
        self.spend(u64::from(capacity) * u64::from(fields), m.span)?;
        let cell = |i: u32| VarId(buffer.cells.0 + i);
        let mut effects: Vec<Assignment> = (0..fields)
            .zip(targets)
            .map(|(field, (target, _))| Assignment {
                target: target.clone(),
                value: Expr::Var(cell(field)),
            })
            .collect();
        let cells = capacity * fields;
        effects.extend((0..cells).map(|i| {
            let next = if i + fields < cells {
                Expr::Var(cell(i + fields))
            } else {
                Expr::Const(0)
            };
            assign(cell(i), next)
        }));
        let less = binary(BinaryOp::Sub, Expr::Var(buffer.len), Expr::Const(1));
        effects.push(assign(buffer.len, less));
        let some = compare(BinaryOp::Gt, buffer.len, 0);
        self.alone(m, vec![some], effects)?;
        let values = (0..fields).map(|field| Expr::Var(cell(field))).collect();
        self.record(channel, None, Some(m), values);
        Ok(())
    }

    /// Records the channel operation of the last event.
    fn record(
        &mut self,
        channel: usize,
        sender: Option<&ProcessMove>,
        receiver: Option<&ProcessMove>,
        values: Vec<Expr>,
    ) {
        self.messages.push(Message {
            event: EventId(self.events.len() as u32 - 1),
            channel: self.layout.channels[channel].name.clone(),
            sender: sender.map(|m| m.location),
            receiver: receiver.map(|m| m.location),
            values,
        });
    }

    fn rendezvous(
        &mut self,
        sender: &ProcessMove,
        receiver: &ProcessMove,
        channel: usize,
        values: &[Expr],
    ) -> DveResult<()> {
        let Some(Exchange::Receive(_, targets)) = &receiver.exchange else {
            return Ok(());
        };
        if sender.process == receiver.process || sender.committed != receiver.committed {
            return Ok(());
        }
        let mut guard = vec![
            compare(BinaryOp::Eq, sender.location, sender.from),
            compare(BinaryOp::Eq, receiver.location, receiver.from),
        ];
        if !sender.committed {
            guard.extend(self.quiet.clone());
        }
        guard.extend(sender.guards.iter().chain(&receiver.guards).cloned());
        let fields = self.layout.channels[channel].fields.clone();
        let values: Vec<Expr> = values
            .iter()
            .zip(fields.unwrap_or_default())
            .zip(targets)
            .map(|((value, field), (_, kind))| match (field, kind) {
                // The channel transmits a byte.
                (Type::Byte, Type::Int) => {
                    binary(BinaryOp::BitAnd, value.clone(), Expr::Const(255))
                }
                _ => value.clone(),
            })
            .collect();
        let mut effects = self.transfer(targets, values.clone(), receiver.span)?;
        effects.extend(receiver.effects.iter().chain(&sender.effects).cloned());
        effects.extend(sender.arrive().into_iter().chain(receiver.arrive()));
        let name = format!("{}!{}", sender.name, receiver.name);
        let can_fail = sender.can_fail || receiver.can_fail;
        self.event(name, guard, effects, can_fail, &[sender, receiver])?;
        self.record(channel, Some(sender), Some(receiver), values);
        Ok(())
    }

    /// Assigns values of the source state. If one depends on an earlier target, all are copied to
    /// temporary variables first.
    fn transfer(
        &mut self,
        targets: &[(LValue, Type)],
        values: Vec<Expr>,
        span: ByteSpan,
    ) -> DveResult<Vec<Assignment>> {
        let mut written = Vec::new();
        let mut clash = false;
        for ((target, _), value) in targets.iter().zip(&values) {
            let mut read = Vec::new();
            value.collect_vars(&mut read);
            clash |= read.iter().any(|var| written.contains(var));
            target.collect_writes(&mut written);
        }
        let targets = targets.iter().map(|(target, _)| target.clone());
        if !clash {
            return Ok(targets
                .zip(values)
                .map(|(target, value)| Assignment { target, value })
                .collect());
        }
        while self.scratch.len() < values.len() {
            let domain = Domain::Range {
                low: Value::from(i32::MIN),
                high: Value::from(i32::MAX),
            };
            let name = format!("(sent {})", self.scratch.len());
            let var = self.layout.variable(name, domain, 0, span)?;
            self.scratch.push(var);
        }
        let count = values.len();
        let aside = || self.scratch[..count].iter().copied();
        let set = aside().zip(values).map(|(var, value)| assign(var, value));
        let pass = targets.zip(aside()).map(|(target, var)| Assignment {
            target,
            value: Expr::Var(var),
        });
        let reset = aside().map(|var| assign(var, Expr::Const(0)));
        Ok(set.chain(pass).chain(reset).collect())
    }

    fn event(
        &mut self,
        name: String,
        guard: Vec<Expr>,
        effects: Vec<Assignment>,
        can_fail: bool,
        sides: &[&ProcessMove],
    ) -> DveResult<()> {
        let span = sides.first().map_or(ByteSpan::default(), |m| m.span);
        let guard: Vec<Expr> = guard
            .into_iter()
            .filter(|g| !matches!(g, Expr::Const(x) if *x != 0))
            .collect();
        let target_size = |target: &LValue| match target {
            LValue::Var(_) => 1,
            LValue::Element { len, index, .. } => u64::from(*len / 16) + size(index),
        };
        let taken: u64 = 8
            + guard.iter().map(size).sum::<u64>()
            + effects
                .iter()
                .map(|e| target_size(&e.target) + size(&e.value))
                .sum::<u64>();
        self.spend(taken, span)?;
        self.can_fail |= can_fail;
        let guard = balanced(BinaryOp::And, guard).unwrap_or(Expr::Const(1));
        let sides = sides.iter().map(|m| (m.span, m.side.clone()));
        self.sides.push(sides.collect());
        self.events.push(Event {
            name,
            action: Action::Program {
                guard: Predicate::Expr(guard),
                effects,
            },
        });
        Ok(())
    }

    fn spend(&mut self, size: u64, span: ByteSpan) -> DveResult<()> {
        self.size += size;
        if self.size > SIZE {
            let message = "the transitions up to here combine to too many or too large events";
            return Err(span.error(message));
        }
        Ok(())
    }
}

impl ProcessMove {
    /// The change of location.
    fn arrive(&self) -> Option<Assignment> {
        let to = Expr::Const(Value::from(self.to));
        (self.from != self.to).then(|| assign(self.location, to))
    }
}

fn assign(var: VarId, value: Expr) -> Assignment {
    Assignment {
        target: LValue::Var(var),
        value,
    }
}

fn compare(op: BinaryOp, var: VarId, constant: u32) -> Expr {
    binary(op, Expr::Var(var), Expr::Const(Value::from(constant)))
}
