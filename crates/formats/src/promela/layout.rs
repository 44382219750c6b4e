//! The state vector: global variables, channels, and per process slot a location and the variables
//! of each process that may occupy it.
//!
//! A slot is a process number. The location variable of a slot is 0 if the slot is empty; the
//! locations of each occupant follow. The variables of processes that do not occupy a slot are 0,
//! so equal situations are equal states.

use rustc_hash::FxHashMap;

use super::ast::*;
use super::graph::{ElementId, ElementKind, Graph};
use super::lexer::{Reading, Span};
use lariat_model::{Domain, Value, VarId, Variable};

/// Limit on the variables of a system.
const VARIABLES: usize = 1 << 18;

/// A scalar part of a variable: the variable itself, or a field of a structure.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub first: VarId,
    /// The sizes of the arrays on the way, the outermost first.
    pub sizes: Vec<u32>,
    /// For each step of the way, whether it has an index.
    pub fields: Vec<usize>,
    pub kind: Type,
}

impl Leaf {
    pub fn len(&self) -> u32 {
        self.sizes.iter().product()
    }
}

/// A channel of the system; channels are numbered from 1.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub name: String,
    pub capacity: u32,
    /// The scalar fields of a message.
    pub fields: Vec<Type>,
    /// The number of messages; `None` for a rendezvous channel.
    pub len: Option<VarId>,
    /// The fields of the messages, message by message.
    pub cells: VarId,
}

/// A process that may occupy a slot.
#[derive(Clone, Debug)]
pub(super) struct Occupant {
    pub process: usize,
    /// The values of the location for the nodes of the graph.
    pub locations: FxHashMap<ElementId, Value>,
    pub variables: FxHashMap<VarIndex, Vec<Leaf>>,
    /// All its variables and channel contents, to be cleared when it ends.
    pub own: Vec<VarId>,
    /// Channel numbers of channel variables with an initial channel, with their variables.
    pub channels: Vec<(VarId, usize)>,
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub location: VarId,
    pub occupants: Vec<Occupant>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub variables: Vec<Variable>,
    pub initial: Vec<Value>,
    pub globals: FxHashMap<VarIndex, Vec<Leaf>>,
    pub channels: Vec<Channel>,
    pub slots: Vec<Slot>,
}

impl Layout {
    pub fn variable(&mut self, name: String, domain: Domain, span: Span) -> Reading<VarId> {
        if self.variables.len() >= VARIABLES {
            return Err(span.error("the model has too many variables"));
        }
        let id = VarId(self.variables.len() as u32);
        self.variables.push(Variable { name, domain });
        self.initial.push(0);
        Ok(id)
    }

    /// The global variables and their channels.
    pub fn globals(&mut self, model: &ModelAst) -> Reading<()> {
        for index in &model.globals {
            let variable = &model.variables[*index];
            let name = variable.name.text.to_string();
            let leaves = self.leaves(model, variable, &name)?;
            let mut made = Vec::new();
            self.channels_of(model, variable, &leaves, &name, &mut made)?;
            for (var, number) in made {
                self.initial[var.index()] = number as Value;
            }
            self.globals.insert(*index, leaves);
        }
        Ok(())
    }

    /// The scalar parts of a variable.
    fn leaves(&mut self, model: &ModelAst, v: &VariableAst, name: &str) -> Reading<Vec<Leaf>> {
        let mut found = Vec::new();
        scalars(model, v, &mut Vec::new(), &mut Vec::new(), 0, &mut found)?;
        let mut leaves = Vec::new();
        for (fields, sizes, kind) in found {
            let count: u64 = sizes.iter().map(|n| u64::from(*n)).product();
            if count > VARIABLES as u64 {
                return Err(v.name.span.error("the array is too large"));
            }
            let first = VarId(self.variables.len() as u32);
            for element in 0..count {
                let name = element_name(model, v, name, &fields, &sizes, element);
                self.variable(name, domain(kind), v.name.span)?;
            }
            leaves.push(Leaf {
                first,
                sizes,
                fields,
                kind,
            });
        }
        Ok(leaves)
    }

    /// Makes the channels of a variable with an initial channel; appends variables and numbers.
    fn channels_of(
        &mut self,
        model: &ModelAst,
        variable: &VariableAst,
        leaves: &[Leaf],
        name: &str,
        made: &mut Vec<(VarId, usize)>,
    ) -> Reading<()> {
        // Channels that are fields of a structure get their initial values from its declaration.
        for leaf in leaves {
            let Some(Initial::Channel(capacity, fields)) = declared(model, variable, &leaf.fields)
            else {
                continue;
            };
            for element in 0..leaf.len() {
                let var = VarId(leaf.first.0 + element);
                let span = variable.name.span;
                let name = match leaf.fields.is_empty() && leaf.sizes.is_empty() {
                    true => name.to_owned(),
                    false => self.variables[var.index()].name.clone(),
                };
                let number = self.channel(model, name, *capacity, fields, span)?;
                made.push((var, number));
            }
        }
        Ok(())
    }

    fn channel(
        &mut self,
        model: &ModelAst,
        name: String,
        capacity: u32,
        fields: &[Type],
        span: Span,
    ) -> Reading<usize> {
        let mut scalars = Vec::new();
        for kind in fields {
            message_fields(model, *kind, span, &mut scalars)?;
        }
        let mut len = None;
        if capacity > 0 {
            let high = Value::from(capacity);
            let domain = Domain::Range { low: 0, high };
            len = Some(self.variable(format!("len({name})"), domain, span)?);
        }
        let cells = VarId(self.variables.len() as u32);
        // The values of a field in all messages are adjacent: an array of one type.
        for (field, kind) in scalars.iter().enumerate() {
            for message in 0..capacity {
                let name = format!("{name}<{message}>.{field}");
                self.variable(name, domain(*kind), span)?;
            }
        }
        self.channels.push(Channel {
            name,
            capacity,
            fields: scalars,
            len,
            cells,
        });
        Ok(self.channels.len())
    }

    /// The slots with the processes that may occupy them.
    pub fn slots(
        &mut self,
        model: &ModelAst,
        graphs: &[Graph],
        occupants: &[Vec<usize>],
        lines: &dyn Fn(Span) -> usize,
    ) -> Reading<()> {
        for (slot, processes) in occupants.iter().enumerate() {
            let only = processes.len() == 1;
            let first = processes.first().map(|p| &model.processes[*p]);
            let Some(first) = first else { continue };
            let name = match only {
                true => format!("{}[{slot}]", first.name.text),
                false => format!("process[{slot}]"),
            };
            let mut places = vec!["-".to_owned()];
            let location = self.variable(name, Domain::Names(Vec::new()), first.name.span)?;
            let mut list = Vec::new();
            for process in processes {
                let ast = &model.processes[*process];
                let prefix = if only { "" } else { &*ast.name.text };
                let locations = named(&graphs[*process], prefix, lines, &mut places);
                let mut occupant = Occupant {
                    process: *process,
                    locations,
                    variables: FxHashMap::default(),
                    own: Vec::new(),
                    channels: Vec::new(),
                };
                let before = self.variables.len() as u32;
                for index in &ast.variables {
                    let variable = &model.variables[*index];
                    let name = format!("{}[{slot}]:{}", ast.name.text, variable.name.text);
                    let name = self.unused(name);
                    let leaves = self.leaves(model, variable, &name)?;
                    let made = &mut occupant.channels;
                    self.channels_of(model, variable, &leaves, &name, made)?;
                    occupant.variables.insert(*index, leaves);
                }
                occupant.own = (before..self.variables.len() as u32).map(VarId).collect();
                list.push(occupant);
            }
            self.variables[location.index()].domain = Domain::Names(places);
            self.slots.push(Slot {
                location,
                occupants: list,
            });
        }
        Ok(())
    }

    /// A name that no variable has yet: variables of sibling blocks may share one.
    fn unused(&self, name: String) -> String {
        let taken = |name: &str| {
            let begins = |v: &Variable| {
                v.name.strip_prefix(name).is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with('[') || rest.starts_with('.')
                })
            };
            self.variables.iter().any(begins)
        };
        if !taken(&name) {
            return name;
        }
        let numbered = |i: usize| format!("{name}'{i}");
        (2..)
            .map(numbered)
            .find(|name| !taken(name))
            .unwrap_or(name)
    }
}

/// The scalar parts of a variable: fields, sizes and type.
fn scalars(
    model: &ModelAst,
    variable: &VariableAst,
    fields: &mut Vec<usize>,
    sizes: &mut Vec<u32>,
    depth: usize,
    found: &mut Vec<(Vec<usize>, Vec<u32>, Type)>,
) -> Reading<()> {
    if depth > 32 || found.len() > 1 << 12 {
        return Err(variable.name.span.error("the structure is too large"));
    }
    sizes.extend(variable.len);
    match variable.kind {
        Type::Struct(known) => {
            for (i, field) in model.structs[known].fields.iter().enumerate() {
                fields.push(i);
                scalars(model, field, fields, sizes, depth + 1, found)?;
                fields.pop();
            }
        }
        kind => found.push((fields.clone(), sizes.clone(), kind)),
    }
    if variable.len.is_some() {
        sizes.pop();
    }
    Ok(())
}

/// The fields of a message, structures flattened.
fn message_fields(model: &ModelAst, kind: Type, span: Span, into: &mut Vec<Type>) -> Reading<()> {
    let Type::Struct(known) = kind else {
        into.push(kind);
        return Ok(());
    };
    for field in &model.structs[known].fields {
        if field.len.is_some() && matches!(field.kind, Type::Struct(_)) {
            let message = "a structure with an array of structures cannot be sent";
            return Err(span.error(message));
        }
        for _ in 0..field.len.unwrap_or(1) {
            message_fields(model, field.kind, span, into)?;
            if into.len() > 1 << 10 {
                return Err(span.error("the message has too many fields"));
            }
        }
    }
    Ok(())
}

/// The initial value that a part of a variable is declared with.
fn declared<'m>(
    model: &'m ModelAst,
    variable: &'m VariableAst,
    fields: &[usize],
) -> Option<&'m Initial> {
    let mut at = variable;
    for field in fields {
        let Type::Struct(known) = at.kind else {
            return None;
        };
        at = &model.structs[known].fields[*field];
    }
    Some(&at.initial)
}

/// The initial value of a part of a variable; none for channels.
pub(super) fn initial_of<'m>(
    model: &'m ModelAst,
    variable: &'m VariableAst,
    leaf: &Leaf,
) -> Option<&'m Initial> {
    declared(model, variable, &leaf.fields).filter(|i| !matches!(i, Initial::Channel(..)))
}

fn element_name(
    model: &ModelAst,
    variable: &VariableAst,
    name: &str,
    fields: &[usize],
    sizes: &[u32],
    element: u64,
) -> String {
    let mut indices = Vec::new();
    let mut rest = element;
    for size in sizes.iter().rev() {
        indices.push(rest % u64::from(*size));
        rest /= u64::from(*size);
    }
    let mut full = name.to_owned();
    let mut at = variable;
    let mut fields = fields.iter();
    loop {
        if at.len.is_some() {
            full.push_str(&format!("[{}]", indices.pop().unwrap_or_default()));
        }
        match (fields.next(), at.kind) {
            (Some(field), Type::Struct(known)) => {
                at = &model.structs[known].fields[*field];
                full.push('.');
                full.push_str(&at.name.text);
            }
            _ => return full,
        }
    }
}

/// The values that a scalar can hold.
pub(super) fn domain(kind: Type) -> Domain {
    match kind {
        Type::Range(low, high) => Domain::Range { low, high },
        Type::Chan => Domain::Range {
            low: 0,
            high: 65_535,
        },
        _ => Domain::Range { low: 0, high: 255 },
    }
}

/// Numbers the nodes of a process as locations; appends their names to `places`.
fn named(
    graph: &Graph,
    prefix: &str,
    lines: &dyn Fn(Span) -> usize,
    places: &mut Vec<String>,
) -> FxHashMap<ElementId, Value> {
    let mut locations = FxHashMap::default();
    for node in graph.nodes() {
        let element = &graph.elements[node];
        let place = match (&element.kind, element.labels.last()) {
            (ElementKind::End, _) => "end".to_owned(),
            (_, Some(label)) => label.to_string(),
            _ => format!("line {}", lines(element.span)),
        };
        let place = match prefix {
            "" => place,
            prefix => format!("{prefix}@{place}"),
        };
        let mut unique = place.clone();
        let mut number = 2;
        while places.contains(&unique) {
            unique = format!("{place}#{number}");
            number += 1;
        }
        locations.insert(node, places.len() as Value);
        places.push(unique);
    }
    locations
}
