//! DVE: processes with shared variables and channels, the language of the BEEM models.
//!
//! A process is a finite automaton with variables; a transition has a guard, may synchronise on a
//! channel, and assigns variables in sequence. The resulting [`System`] has one variable per
//! location (named like the process), scalar and array element, and one event per transition or
//! rendezvous; see `translate.rs` for the equations.
//!
//! Decisions where descriptions of the language differ: assignments beyond a type wrap around; an
//! index out of range and a division by zero lead to an error state without successors
//! ([`System::fault`]); an array without an index denotes its first element; surplus initial values
//! are dropped with a warning; in a rendezvous the receiver's effects precede the sender's; a state
//! in which a committed process cannot move is a deadlock.

mod ast;
mod atoms;
mod declarations;
mod declare;
mod lexer;
mod parser;
mod scope;
mod translate;
mod units;

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use declarations::declarations;
pub use lexer::KEYWORDS;
pub use scope::SymbolTable;

pub(crate) use atoms::predicate;
use declare::StateVector;
use lariat_model::{
    Comparison, Definition, Domain, EventId, Expr, Fairness, Finding, InputError, Predicate,
    System, Value, VarId, Variable,
};
use lexer::{ByteSpan, DveDiagnostic, DveToken};
use scope::Symbol;
use translate::Translation;

/// A DVE model: the system and further declarations of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Dve {
    /// The system, without the property process.
    pub system: System,
    /// The names, for expressions over the system's states.
    pub scope: SymbolTable,
    /// The property process of `system async property P`.
    pub property: Option<PropertyAutomaton>,
    /// Channel operations of the events, in the order of the events.
    pub messages: Vec<Message>,
    /// The sides of each event in the text.
    pub sides: Vec<Vec<EventSide>>,
    /// The variables of the contents of channels.
    pub buffers: Vec<Range<u32>>,
    /// Warnings about input that was interpreted.
    pub warnings: Vec<InputError>,
}

/// The channel operation of an event: a rendezvous has sender and receiver, an operation on a FIFO
/// buffer one of them. Processes are identified by their location variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The event.
    pub event: EventId,
    /// The name of the channel.
    pub channel: String,
    /// The sending process.
    pub sender: Option<VarId>,
    /// The receiving process.
    pub receiver: Option<VarId>,
    /// The values of the message, over the source state of the event.
    pub values: Vec<Expr>,
}

/// A transition in the text that takes part in an event: one, or two of a rendezvous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventSide {
    /// Its process.
    pub process: VarId,
    /// The line of the text, from 1.
    pub line: u32,
    /// The guard; empty if there is none.
    pub guard: String,
    /// The synchronisation, such as `data!{n, 1}`; empty if there is none.
    pub sync: String,
}

/// A Büchi automaton for the *negation* of a property.
///
/// It takes one edge per step of the system, stuttering steps included; the guard of the edge is
/// evaluated in the source state of the step.
#[derive(Clone, PartialEq, Debug)]
pub struct PropertyAutomaton {
    /// The name of the process.
    pub name: String,
    /// The names of its states.
    pub states: Vec<String>,
    /// The initial state, as a position in `states`.
    pub initial: usize,
    /// States of which an accepting run visits some infinitely often.
    pub accepting: Vec<usize>,
    /// The edges.
    pub edges: Vec<PropertyEdge>,
}

/// An edge of a [`PropertyAutomaton`].
#[derive(Clone, PartialEq, Debug)]
pub struct PropertyEdge {
    /// The source, as a position in the automaton's states.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The condition for taking the edge.
    pub guard: Predicate,
    /// The guard as an expression.
    pub text: String,
}

impl Dve {
    /// Names for formulas besides those of variables and events: `P.s`, `P->x`, and events without
    /// the number that distinguishes equal names.
    pub fn definitions(&self) -> Vec<(String, Definition)> {
        let mut definitions = Vec::new();
        let scalar = |symbol: &Symbol| match symbol {
            Symbol::Variable {
                first, len: None, ..
            } => Some(*first),
            _ => None,
        };
        for process in &self.scope.processes {
            let Some(location) = process.location else {
                continue;
            };
            for (state, position) in &process.states {
                let here = Predicate::compare(location, Comparison::Eq, Value::from(*position));
                definitions.push((format!("{}.{state}", process.name), Definition::Truth(here)));
            }
            for (name, symbol) in &process.locals {
                if let Some(var) = scalar(symbol) {
                    let name = format!("{}->{name}", process.name);
                    definitions.push((name, Definition::Sum(vec![var])));
                }
            }
        }
        let mut numbered: BTreeMap<&str, Vec<EventId>> = BTreeMap::new();
        for event in self.system.event_ids() {
            if let Some((base, _)) = self.system.event(event).name.rsplit_once('#') {
                numbered.entry(base).or_default().push(event);
            }
        }
        let numbered = numbered.into_iter();
        definitions.extend(numbered.map(|(base, es)| (base.to_owned(), Definition::Events(es))));
        definitions.extend(self.steps_of_processes());
        definitions
    }

    /// All steps of each process under the name `process:P`; a rendezvous, `P:a->b!Q:c->d`, belongs
    /// to both processes.
    fn steps_of_processes(&self) -> impl Iterator<Item = (String, Definition)> {
        let mut steps: BTreeMap<&str, Vec<EventId>> = BTreeMap::new();
        for process in &self.scope.processes {
            if process.location.is_some() {
                steps.entry(&process.name).or_default();
            }
        }
        for event in self.system.event_ids() {
            for part in self.system.event(event).name.split('!') {
                let process = part.split(':').next().unwrap_or_default();
                if let Some(events) = steps.get_mut(process) {
                    events.push(event);
                }
            }
        }
        let named = |(process, events)| {
            (
                format!("{}{process}", Fairness::PROCESS),
                Definition::Events(events),
            )
        };
        steps.into_iter().map(named)
    }
}

/// Reads a DVE model. `origin` names the text in errors.
pub fn read(origin: &str, text: &[u8]) -> Result<Dve, InputError> {
    let report = |c: DveDiagnostic| {
        let mut error = InputError::at(origin, text, c.span.range(), c.message);
        error.help = c.help;
        error
    };
    let model = parser::model(text).map_err(report)?;
    let mut layout = StateVector::default();
    layout.model(&model).map_err(report)?;
    let translation = Translation::of(&model, layout).map_err(report)?;
    let buffers = translation.layout.buffer_ranges();
    let StateVector {
        mut names,
        mut variables,
        mut initial,
        warnings,
        ..
    } = translation.layout;
    let fault = translation.can_fail.then(|| {
        let mut name = "fault".to_owned();
        while variables.iter().any(|v| v.name == name) || names.is_taken(&name) {
            name.push('_');
        }
        let var = VarId(variables.len() as u32);
        names.add_fault(&name, var);
        let domain = Domain::Names(vec!["no".to_owned(), "yes".to_owned()]);
        variables.push(Variable { name, domain });
        initial.push(0);
        var
    });
    let units = units::units(&names, variables.len());
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let breaks: Vec<usize> = breaks.map(|(at, _)| at).collect();
    let line = |at: usize| u32::try_from(breaks.partition_point(|b| *b < at) + 1).ok();
    let assertions = translation.assertions.into_iter();
    let assertions = assertions.map(|(span, finding)| Finding {
        line: line(span.range().start),
        ..finding
    });
    Ok(Dve {
        system: System {
            name: String::new(),
            variables,
            events: translation.events,
            initial: vec![initial.into()],
            fault,
            units,
            findings: assertions.collect(),
            source: None,
        },
        scope: names,
        property: translation.property,
        messages: translation.messages,
        sides: { translation.sides.into_iter() }
            .map(|sides| {
                let with_line = |(span, side): (ByteSpan, EventSide)| EventSide {
                    line: line(span.range().start).unwrap_or(0),
                    ..side
                };
                sides.into_iter().map(with_line).collect()
            })
            .collect(),
        buffers,
        warnings: warnings.into_iter().map(report).collect(),
    })
}

/// Returns whether the text begins like a DVE model.
pub fn looks_like_dve(text: &[u8]) -> bool {
    // Comments can be long; the text after the first words is irrelevant and may be malformed.
    let head = &text[..text.len().min(1 << 16)];
    let words = match lexer::tokens(head) {
        Ok(words) => words,
        Err(complaint) => {
            match lexer::tokens(&head[..complaint.span.range().start.min(head.len())]) {
                Ok(words) => words,
                Err(_) => return false,
            }
        }
    };
    let word = |i: usize| words.get(i).map_or(DveToken::End, |(t, _)| *t);
    match word(0) {
        DveToken::Word("const" | "channel") => true,
        DveToken::Word("byte" | "int" | "process") => matches!(word(1), DveToken::Name(_)),
        DveToken::Word("system") => word(1) == DveToken::Word("async"),
        _ => false,
    }
}
