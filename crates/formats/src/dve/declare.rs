//! Declarations: the state vector and its initial value.
//!
//! Globals come first, then for every process its location and its locals, then the contents of
//! buffered channels. An array is a sequence of consecutive variables.

use super::ast::*;
use super::lexer::{ByteSpan, DveDiagnostic, DveResult};
use super::scope::{ProcessScope, Symbol, SymbolTable};
use lariat_model::{Domain, Expr, Value, VarId, Variable};
use std::ops::Range;

/// Limit on the size of an array and on the capacity of a channel.
const ELEMENTS: Value = 65_536;
const VARIABLES: usize = 262_144;

/// A channel and the location of its contents.
#[derive(Debug)]
pub(super) struct Channel {
    /// The prefix of its variables' names.
    pub name: String,
    /// `None` for an untyped channel, until its first use determines the number of values.
    pub fields: Option<Vec<Type>>,
    pub capacity: u32,
    /// The use that determined the number of values.
    pub first_use: Option<ByteSpan>,
    pub buffer: Option<Buffer>,
}

/// The contents of a buffered channel: the number of messages, and `capacity` × `fields` cells, the
/// oldest message first, free cells 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub len: VarId,
    pub cells: VarId,
}

/// The state vector under construction.
#[derive(Debug, Default)]
pub(super) struct StateVector {
    pub names: SymbolTable,
    pub variables: Vec<Variable>,
    pub initial: Vec<Value>,
    pub channels: Vec<Channel>,
    pub warnings: Vec<DveDiagnostic>,
}

impl Type {
    /// The smallest and the largest value.
    pub(super) fn range(self) -> (Value, Value) {
        match self {
            Type::Byte => (0, 255),
            Type::Int => (-32_768, 32_767),
        }
    }

    fn domain(self) -> Domain {
        let (low, high) = self.range();
        Domain::Range { low, high }
    }

    fn wrap(self, value: Value) -> Value {
        match self {
            Type::Byte => Value::from(value as u8),
            Type::Int => Value::from(value as i16),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Type::Byte => "byte",
            Type::Int => "int",
        }
    }
}

impl StateVector {
    pub(super) fn variable(
        &mut self,
        name: String,
        domain: Domain,
        initial: Value,
        span: ByteSpan,
    ) -> DveResult<VarId> {
        if self.variables.len() >= VARIABLES {
            return Err(span.error(format!("the model has more than {VARIABLES} variables")));
        }
        let id = VarId(self.variables.len() as u32);
        self.variables.push(Variable { name, domain });
        self.initial.push(initial);
        Ok(id)
    }

    /// Processes all declarations of a model. The property process is not part of the system.
    pub(super) fn model(&mut self, model: &ModelAst) -> DveResult<()> {
        self.declarations(None, "", &model.decls)?;
        for process in &model.processes {
            let property = model.property.is_some_and(|p| p.text == process.name.text);
            self.process(process, property)?;
        }
        if let Some(property) = model.property {
            self.names.process(property)?;
        }
        Ok(())
    }

    fn process(&mut self, process: &ProcessAst, property: bool) -> DveResult<()> {
        let name = process.name;
        let position = self.names.processes.len();
        if self.names.is_taken(name.text) {
            return Err(name.twice());
        }
        let mut names = ProcessScope {
            name: name.text.to_owned(),
            ..ProcessScope::default()
        };
        for (i, state) in process.states.iter().enumerate() {
            let known = names.states.insert(state.text.to_owned(), i as u32);
            if known.is_some() {
                return Err(state.twice());
            }
        }
        let Some(init) = process.init else {
            let message = format!("process `{}` has no initial state", name.text);
            let help = "write `init` and the name of a state".to_owned();
            return Err(name.error(message).help(Some(help)));
        };
        let initial = self.names.state(&names, init)?;
        if !property {
            let states = process.states.iter().map(|s| s.text.to_owned()).collect();
            names.location = Some(self.variable(
                name.text.to_owned(),
                Domain::Names(states),
                Value::from(initial),
                name.span,
            )?);
        }
        self.names.processes.push(names);
        let index = &mut self.names.process_index;
        index.insert(name.text.to_owned(), position);
        if property && let Some(decl) = process.decls.first() {
            let span = match decl {
                Decl::Var(v) => v.name.span,
                Decl::Channel(c) => c.name.span,
            };
            return Err(span.error("a property process must not declare variables"));
        }
        let prefix = format!("{}.", name.text);
        self.declarations(Some(position), &prefix, &process.decls)
    }

    fn declarations(
        &mut self,
        process: Option<usize>,
        prefix: &str,
        decls: &[Decl],
    ) -> DveResult<()> {
        for decl in decls {
            match decl {
                Decl::Var(var) => self.declare_variable(process, prefix, var)?,
                Decl::Channel(channel) => {
                    let capacity = match &channel.capacity {
                        None => 0,
                        Some(capacity) => {
                            self.count(process, capacity, 0, "a channel's capacity")?
                        }
                    };
                    let symbol = Symbol::Channel(self.channels.len());
                    self.channels.push(Channel {
                        name: format!("{prefix}{}", channel.name.text),
                        fields: channel.fields.clone(),
                        capacity,
                        first_use: channel.fields.as_ref().map(|_| channel.name.span),
                        buffer: None,
                    });
                    self.names.declare(process, channel.name, symbol)?;
                }
            }
        }
        Ok(())
    }

    fn declare_variable(
        &mut self,
        process: Option<usize>,
        prefix: &str,
        var: &VarDecl,
    ) -> DveResult<()> {
        let name = var.name;
        let len = match &var.size {
            None => None,
            Some(size) => Some(self.count(process, size, 1, "an array's size")?),
        };
        let mut values = match (&var.init, len) {
            (None, _) => Vec::new(),
            (Some(Init::Single(value)), _) => vec![self.initial_value(process, value, var.kind)?],
            (Some(Init::List(_, span)), None) => {
                let message = format!("`{}` is not an array and has one initial value", name.text);
                return Err(span.error(message));
            }
            (Some(Init::List(values, span)), Some(len)) => {
                if values.len() > len as usize {
                    self.warnings.push(span.error(format!(
                        "`{}` has {len} elements but {} initial values: the surplus is dropped",
                        name.text,
                        values.len()
                    )));
                }
                values
                    .iter()
                    .map(|value| self.initial_value(process, value, var.kind))
                    .collect::<Result<_, _>>()?
            }
        };
        if var.constant && var.init.is_none() {
            return Err(name.error(format!("the constant `{}` has no value", name.text)));
        }
        if var.constant && len.is_none() {
            let value = values.pop().unwrap_or(0);
            self.names.declare(process, name, Symbol::Constant(value))?;
            self.warn_of_hiding(process, name);
            return Ok(());
        }
        let symbol = Symbol::Variable {
            first: VarId(self.variables.len() as u32),
            len,
            kind: var.kind,
            constant: var.constant,
        };
        self.names.declare(process, name, symbol)?;
        self.warn_of_hiding(process, name);
        values.resize(len.unwrap_or(1) as usize, 0);
        for (i, value) in values.into_iter().enumerate() {
            let index = len.map(|_| format!("[{i}]")).unwrap_or_default();
            let element = format!("{prefix}{}{index}", name.text);
            self.variable(element, var.kind.domain(), value, name.span)?;
        }
        Ok(())
    }

    /// Warns of a local name that hides a global one, or is also a state.
    fn warn_of_hiding(&mut self, process: Option<usize>, name: Identifier) {
        let Some(scope) = process.and_then(|p| self.names.processes.get(p)) else {
            return;
        };
        let (owner, own) = (&scope.name, name.text);
        if scope.states.contains_key(own) {
            let message = format!("`{own}` is a state and a variable of `{owner}`");
            let help =
                format!("in formulas, `{owner}.{own}` is the state, `{owner}->{own}` the variable");
            self.warnings.push(name.error(message).help(Some(help)));
        }
        if self.names.globals.contains_key(own) {
            let message = format!("`{own}` of `{owner}` hides a global name");
            let help =
                format!("in formulas, `{own}` is the global one, `{owner}->{own}` the local one");
            self.warnings.push(name.error(message).help(Some(help)));
        }
    }

    /// Evaluates an initial value, which may refer to constants and to earlier variables.
    fn initial_value(
        &mut self,
        process: Option<usize>,
        ast: &ExprAst,
        kind: Type,
    ) -> DveResult<Value> {
        let expr = self.names.expr(process, ast)?;
        let value = expr
            .eval(&self.initial)
            .map_err(|_| ast.span.error("this initial value cannot be computed"))?;
        let wrapped = kind.wrap(value);
        if wrapped != value {
            let (low, high) = kind.range();
            let message = format!(
                "{value} does not fit into the {} range {low}..{high} and becomes {wrapped}",
                kind.name()
            );
            self.warnings.push(ast.span.error(message));
        }
        Ok(wrapped)
    }

    /// Evaluates a constant from `least` to [`ELEMENTS`].
    fn count(
        &self,
        process: Option<usize>,
        ast: &ExprAst,
        least: Value,
        what: &str,
    ) -> DveResult<u32> {
        match self.names.expr(process, ast)? {
            Expr::Const(n) if (least..=ELEMENTS).contains(&n) => Ok(n as u32),
            Expr::Const(n) => Err(ast.span.error(format!(
                "{what} must be from {least} to {ELEMENTS}, not {n}"
            ))),
            _ => Err(ast.span.error(format!("{what} must be a constant"))),
        }
    }

    /// Resolves the channel of a synchronisation in `process` and checks its number of values.
    pub(super) fn channel(&mut self, process: usize, sync: &SyncLabel) -> DveResult<usize> {
        let name = sync.channel;
        let symbol = match sync.process {
            None => self.names.lookup(Some(process), name.text),
            Some(owner) => self.names.process(owner)?.locals.get(name.text).copied(),
        };
        let Some(Symbol::Channel(id)) = symbol else {
            let (message, help) = match symbol {
                Some(_) => (format!("`{}` is not a channel", name.text), None),
                None => {
                    let known = self.channels.iter().map(|c| c.name.as_str());
                    (
                        format!("no channel is called `{}`", name.text),
                        lariat_model::suggestion(name.text, known),
                    )
                }
            };
            return Err(name.error(message).help(help));
        };
        let arity = match &sync.kind {
            SyncKind::Send(values) => values.len(),
            SyncKind::Receive(targets) => targets.len(),
        };
        let channel = &mut self.channels[id];
        match &channel.fields {
            None => {
                channel.fields = Some(vec![Type::Int; arity]);
                channel.first_use = Some(sync.span);
            }
            Some(fields) if fields.len() != arity => {
                let values = |n: usize| match n {
                    0 => "no value".to_owned(),
                    1 => "one value".to_owned(),
                    n => format!("{n} values"),
                };
                let message = format!(
                    "channel `{}` carries {}, but here it is used with {}",
                    name.text,
                    values(fields.len()),
                    values(arity)
                );
                return Err(sync.span.error(message));
            }
            Some(_) => {}
        }
        Ok(id)
    }

    /// The variables of the contents of each buffered channel.
    pub(super) fn buffer_ranges(&self) -> Vec<Range<u32>> {
        let ranges = self.channels.iter().filter_map(|channel| {
            let buffer = channel.buffer?;
            let fields = channel.fields.as_ref().map_or(0, Vec::len) as u32;
            Some(buffer.len.0..buffer.cells.0 + channel.capacity * fields)
        });
        ranges.collect()
    }

    /// Adds the variables of every buffered channel after all uses are known.
    pub(super) fn buffers(&mut self) -> DveResult<()> {
        for id in 0..self.channels.len() {
            let channel = &self.channels[id];
            if channel.capacity == 0 {
                continue;
            }
            let (name, capacity) = (channel.name.clone(), channel.capacity);
            let fields = channel.fields.clone().unwrap_or_default();
            let span = channel.first_use.unwrap_or_default();
            let domain = Domain::Range {
                low: 0,
                high: Value::from(capacity),
            };
            let len = self.variable(format!("{name}.len"), domain, 0, span)?;
            for cell in 0..capacity {
                for (f, field) in fields.iter().enumerate() {
                    let part = match fields.len() {
                        1 => String::new(),
                        _ => format!(".{f}"),
                    };
                    self.variable(format!("{name}[{cell}]{part}"), field.domain(), 0, span)?;
                }
            }
            self.channels[id].buffer = Some(Buffer {
                len,
                cells: VarId(len.0 + 1),
            });
        }
        Ok(())
    }
}
