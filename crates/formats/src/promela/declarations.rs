//! The declarations of a model with their locations.

use std::sync::Arc;

use super::ast::{Ident, Initial, ModelAst, Sequence, StatementKind, Type, VarIndex, VariableAst};
use super::parser::Parser;
use super::preprocess::Preprocessor;
use crate::declarations::{Declaration, DeclarationKind};

/// The declarations of the file itself, without those of included files and of macros, in the order
/// of the text; none if the text is malformed. `origin` names the file.
pub(crate) fn declarations(origin: &str, text: &str) -> Vec<Declaration> {
    let Ok(tokens) = Preprocessor::new().run(origin, text.as_bytes()) else {
        return Vec::new();
    };
    let mut parser = Parser::new(tokens);
    if parser.parse().is_err() {
        return Vec::new();
    }
    let model = &parser.model;
    let mut found = Vec::new();
    let variable = |index: VarIndex, owner: Option<&Arc<str>>, found: &mut Vec<Declaration>| {
        let variable = &model.variables[index];
        let detail = described(model, variable);
        let kind = match variable.initial {
            Initial::Channel(..) => DeclarationKind::Channel,
            _ => DeclarationKind::Variable,
        };
        found.extend(declared(text, &variable.name, owner, kind, detail));
    };
    for index in &model.globals {
        variable(*index, None, &mut found);
    }
    for (_, symbols) in &model.mtypes {
        for (name, value) in symbols {
            let detail = format!("mtype {} = {value}", name.text);
            let kind = DeclarationKind::Constant;
            found.extend(declared(text, name, None, kind, detail));
        }
    }
    for process in &model.processes {
        let name = &process.name;
        let detail = match &*name.text {
            ":init:" => "init".to_owned(),
            name => format!("proctype {name}"),
        };
        let own = declared(text, name, None, DeclarationKind::Process, detail);
        found.extend(own.map(|own| Declaration {
            scope: name.span.to(process.end).range(),
            ..own
        }));
        for index in &process.variables {
            variable(*index, Some(&name.text), &mut found);
        }
        labels(text, &process.body, &name.text, &mut found);
    }
    found.sort_by_key(|declaration| declaration.span.start);
    found
}

/// Collects the labels of a sequence and of those in it, whose depth the parser limits.
fn labels(text: &str, sequence: &Sequence, process: &Arc<str>, found: &mut Vec<Declaration>) {
    for step in &sequence.0 {
        for label in &step.labels {
            let detail = format!("label {} of {process}", label.text);
            let kind = DeclarationKind::State;
            found.extend(declared(text, label, Some(process), kind, detail));
        }
        match &step.statement.kind {
            StatementKind::If(parts) | StatementKind::Do(parts) => {
                parts
                    .iter()
                    .for_each(|part| labels(text, part, process, found));
            }
            StatementKind::Block(_, part) => labels(text, part, process, found),
            StatementKind::Unless(first, second) => {
                labels(text, first, process, found);
                labels(text, second, process, found);
            }
            _ => {}
        }
    }
}

fn described(model: &ModelAst, variable: &VariableAst) -> String {
    let kind = match variable.kind {
        Type::Range(0, 1) => "bit".to_owned(),
        Type::Range(0, 255) => "byte".to_owned(),
        Type::Range(low, high) => format!("{low}..{high}"),
        Type::Mtype(list) => { model.mtypes.get(list) }
            .filter(|_| list > 0)
            .map_or("mtype".to_owned(), |(name, _)| format!("mtype:{name}")),
        Type::Chan => "chan".to_owned(),
        Type::Struct(index) => {
            { model.structs.get(index) }.map_or(String::new(), |known| known.name.text.to_string())
        }
    };
    let len = variable.len.map_or(String::new(), |len| format!("[{len}]"));
    let size = match &variable.initial {
        Initial::Channel(capacity, _) => format!(" = [{capacity}]"),
        _ => String::new(),
    };
    format!("{kind} {}{len}{size}", variable.name.text)
}

/// A declaration, if its name is in the text as written.
fn declared(
    text: &str,
    name: &Ident,
    owner: Option<&Arc<str>>,
    kind: DeclarationKind,
    detail: String,
) -> Option<Declaration> {
    let span = name.span.range();
    let written = text.get(span.clone()).filter(|_| name.span.file == 0)?;
    let is_init = &*name.text == ":init:" && written == "init";
    (written == &*name.text || is_init).then(|| Declaration {
        kind,
        name: written.to_owned(),
        label: None,
        owner: owner.map(|owner| owner.trim_matches(':').to_owned()),
        detail,
        scope: span.clone(),
        span,
    })
}
