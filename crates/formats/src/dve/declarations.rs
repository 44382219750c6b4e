//! The declarations of a program with their locations.

use super::ast::{Decl, Identifier, Init, ModelAst, ProcessAst};
use super::lexer::ByteSpan;
use super::parser;
use crate::declarations::{Declaration, DeclarationKind};

/// The declarations in the order of the text; none if the text is malformed.
pub(crate) fn declarations(text: &str) -> Vec<Declaration> {
    let Ok(model) = parser::model(text.as_bytes()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let ModelAst {
        decls, processes, ..
    } = &model;
    variables(text, None, decls, &mut found);
    for process in processes {
        declare(process, text, &mut found);
    }
    found.sort_by_key(|declaration| declaration.span.start);
    found
}

fn declare(process: &ProcessAst<'_>, text: &str, found: &mut Vec<Declaration>) {
    let name = process.name;
    found.push(Declaration {
        scope: process.span.range(),
        ..declared(
            name,
            None,
            DeclarationKind::Process,
            format!("process {}", name.text),
        )
    });
    variables(text, Some(name.text), &process.decls, found);
    for state in &process.states {
        let mut detail = format!("state {} of {}", state.text, name.text);
        let is_among = |list: &[Identifier<'_>]| list.iter().any(|s| s.text == state.text);
        for (is_so, word) in [
            (is_among(process.init.as_slice()), "initial"),
            (is_among(&process.commit), "committed"),
            (is_among(&process.accept), "accepting"),
        ] {
            if is_so {
                detail = format!("{detail}, {word}");
            }
        }
        found.push(declared(
            *state,
            Some(name.text),
            DeclarationKind::State,
            detail,
        ));
    }
}

fn variables(text: &str, owner: Option<&str>, decls: &[Decl<'_>], found: &mut Vec<Declaration>) {
    // A name with the brackets after it, as written.
    let sized = |name: Identifier<'_>, size: Option<ByteSpan>| match size {
        Some(size) => {
            let size = text.get(size.range()).unwrap_or_default();
            format!("{}[{size}]", name.text)
        }
        None => name.text.to_owned(),
    };
    for decl in decls {
        found.push(match decl {
            Decl::Var(var) => {
                let name = sized(var.name, var.size.as_ref().map(|size| size.span));
                let kind = var.kind.name();
                let (what, detail) = match &var.init {
                    Some(Init::Single(value)) if var.constant => {
                        let value = text.get(value.span.range()).unwrap_or_default();
                        let detail = format!("const {kind} {name} = {value}");
                        (DeclarationKind::Constant, detail)
                    }
                    _ if var.constant => {
                        (DeclarationKind::Constant, format!("const {kind} {name}"))
                    }
                    _ => (DeclarationKind::Variable, format!("{kind} {name}")),
                };
                declared(var.name, owner, what, detail)
            }
            Decl::Channel(channel) => {
                let name = sized(channel.name, channel.capacity.as_ref().map(|c| c.span));
                let fields = channel.fields.as_ref().map(|fields| {
                    let fields: Vec<&str> = fields.iter().map(|kind| kind.name()).collect();
                    format!(" {{{}}}", fields.join(", "))
                });
                let detail = format!("channel{} {name}", fields.unwrap_or_default());
                declared(channel.name, owner, DeclarationKind::Channel, detail)
            }
        });
    }
}

/// A declaration that is visible at its name only.
fn declared(
    name: Identifier<'_>,
    owner: Option<&str>,
    kind: DeclarationKind,
    detail: String,
) -> Declaration {
    Declaration {
        kind,
        name: name.text.to_owned(),
        label: None,
        owner: owner.map(str::to_owned),
        detail,
        span: name.span.range(),
        scope: name.span.range(),
    }
}
