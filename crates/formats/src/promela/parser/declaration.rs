//! Declarations: `typedef`, `mtype`, variables with initial values, and channels.

use super::super::ast::*;
use super::super::lexer::Reading;
use super::{Parser, constant};
use rustc_hash::FxHashMap;

/// Limit on the elements of an array.
const ELEMENTS: i64 = 1 << 16;

impl Parser {
    pub(super) fn typedef(&mut self) -> Reading<()> {
        self.at += 1;
        let name = self.ident("the name of the type")?;
        self.expect("{")?;
        let first = self.model.variables.len();
        let outer = std::mem::take(&mut self.model.globals);
        self.scopes.push(FxHashMap::default());
        while !self.sign("}") {
            if self.sign(";") || self.sign(",") {
                continue;
            }
            self.declarations(false)?;
        }
        self.scopes.pop();
        self.model.globals = outer;
        let fields = self.model.variables.split_off(first);
        if fields.is_empty() {
            return Err(name.span.error("a structure without fields"));
        }
        self.model.structs.push(StructAst { name, fields });
        Ok(())
    }

    pub(super) fn is_mtype_list(&self) -> bool {
        let behind = match self.second().is(":") {
            true => 3,
            false => 1,
        };
        let token = self.tokens.get(self.at + behind);
        token.is_some_and(|t| t.is("=") || t.is("{"))
    }

    pub(super) fn mtype_list(&mut self) -> Reading<()> {
        self.at += 1;
        let list = self.mtype_name()?;
        self.sign("=");
        self.expect("{")?;
        let mut names = Vec::new();
        while !self.sign("}") {
            names.push(self.ident("the name of a symbol")?);
            if !self.peek().is("}") && !self.sign(",") && self.peek().name().is_none() {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        // Symbols are numbered from the end of the list; a further list continues above.
        let below = self.model.mtypes[list].1.len() as i64;
        for (i, name) in names.into_iter().rev().enumerate() {
            let value = below + i as i64 + 1;
            if value > 255 {
                return Err(name.span.error("an mtype has at most 255 symbols"));
            }
            self.constants.insert(name.text.clone(), value);
            self.model.mtypes[list].1.push((name, value));
        }
        Ok(())
    }

    /// The list that `mtype` or `mtype:name` denotes, behind the keyword.
    pub(super) fn mtype_name(&mut self) -> Reading<usize> {
        if !self.sign(":") {
            return Ok(0);
        }
        let name = self.ident("the name of an mtype")?.text;
        let lists = &mut self.model.mtypes;
        let known = lists.iter().position(|(list, _)| *list == name);
        Ok(known.unwrap_or_else(|| {
            lists.push((name, Vec::new()));
            lists.len() - 1
        }))
    }

    /// Returns whether a declaration of variables begins here.
    pub(super) fn at_declaration(&self) -> bool {
        let Some(word) = self.peek().name() else {
            return false;
        };
        let is_type = |word: &str| {
            basic(word).is_some()
                || matches!(word, "unsigned" | "mtype" | "chan")
                || self.structure(word).is_some()
        };
        matches!(word, "hidden" | "show" | "local")
            || is_type(word) && !self.second().is(":") | (word == "mtype")
    }

    pub(super) fn structure(&self, word: &str) -> Option<usize> {
        let mut structs = self.model.structs.iter();
        structs.position(|known| *known.name.text == *word)
    }

    /// A type; `None` if there is none here.
    pub(super) fn kind(&mut self) -> Reading<Option<Type>> {
        let Some(word) = self.peek().name().map(str::to_owned) else {
            return Ok(None);
        };
        let kind = match &*word {
            "unsigned" => Type::Range(0, 0),
            "chan" => Type::Chan,
            "mtype" => {
                self.at += 1;
                return Ok(Some(Type::Mtype(self.mtype_name()?)));
            }
            word => match (basic(word), self.structure(word)) {
                (Some(kind), _) => kind,
                (_, Some(known)) => Type::Struct(known),
                _ => return Ok(None),
            },
        };
        self.at += 1;
        Ok(Some(kind))
    }

    /// `byte a, b[3] = 1` up to the separator; returns the declared variables.
    pub(super) fn declare(&mut self, is_assigned: bool) -> Reading<Vec<VarIndex>> {
        while matches!(self.peek().name(), Some("hidden" | "show" | "local")) {
            self.at += 1;
        }
        let is_unsigned = self.peek().name() == Some("unsigned");
        let Some(kind) = self.kind()? else {
            let expected = match self.process {
                None => "a declaration, `proctype`, `init`, `ltl` or another unit",
                Some(_) => "a type",
            };
            return Err(self.unexpected(expected));
        };
        let mut declared = Vec::new();
        loop {
            let name = self.ident("the name of a variable")?;
            let mut kind = kind;
            if is_unsigned {
                kind = self.width(&name)?;
            }
            let mut len = None;
            if self.sign("[") {
                let size = self.expression()?;
                let value = constant(&size).filter(|n| (1..=ELEMENTS).contains(n));
                let Some(n) = value else {
                    let message = "expected a constant number of elements, at least 1";
                    return Err(size.span.error(message));
                };
                len = Some(n as u32);
                self.expect("]")?;
            }
            let initial = self.initial(kind)?;
            let index = self.model.variables.len();
            let scope = self.scopes.last_mut();
            let known = scope.and_then(|scope| scope.insert(name.text.clone(), index));
            if known.is_some() {
                let message = format!("`{}` is already declared", name.text);
                return Err(name.span.error(message));
            }
            match self.process {
                None => self.model.globals.push(index),
                Some(_) => self.locals.push(index),
            }
            self.model.variables.push(VariableAst {
                name,
                kind,
                len,
                initial,
                is_assigned,
            });
            declared.push(index);
            // In a list of parameters or fields a type may follow the comma.
            if !self.peek().is(",") {
                return Ok(declared);
            }
            self.at += 1;
        }
    }

    pub(super) fn declarations(&mut self, is_assigned: bool) -> Reading<()> {
        self.declare(is_assigned).map(|_| ())
    }

    /// The number of bits of an unsigned variable.
    pub(super) fn width(&mut self, name: &Ident) -> Reading<Type> {
        if !self.sign(":") {
            let message = format!("expected the width of `{}` in bits", name.text);
            let help = format!("write `unsigned {} : 3`", name.text);
            return Err(name.span.error(message).help(help));
        }
        let width = self.primary()?;
        match constant(&width).filter(|n| (1..=31).contains(n)) {
            Some(bits) => Ok(Type::Range(0, (1 << bits) - 1)),
            None => Err(width.span.error("expected a width of 1 to 31 bits")),
        }
    }

    pub(super) fn initial(&mut self, kind: Type) -> Reading<Initial> {
        if !self.sign("=") {
            return Ok(Initial::None);
        }
        if kind == Type::Chan && self.peek().is("[") {
            return self.channel();
        }
        if matches!(kind, Type::Struct(_)) {
            let message = "a structure has no initial value: assign its fields";
            return Err(self.peek().span.error(message));
        }
        if !self.sign("{") {
            return Ok(Initial::Value(self.expression()?));
        }
        let mut values = Vec::new();
        while !self.sign("}") {
            values.push(self.expression()?);
            if !self.peek().is("}") {
                self.expect(",")?;
            }
        }
        Ok(Initial::Values(values))
    }

    /// `[n] of { types }`
    pub(super) fn channel(&mut self) -> Reading<Initial> {
        self.expect("[")?;
        let size = self.expression()?;
        let Some(capacity) = constant(&size).filter(|n| (0..=255).contains(n)) else {
            return Err(size.span.error("expected a constant capacity, at most 255"));
        };
        self.expect("]")?;
        if !self.word("of") {
            return Err(self.unexpected("`of`"));
        }
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.sign("}") {
            let span = self.peek().span;
            match self.kind()? {
                Some(Type::Range(0, 0)) => {
                    let width = match self.sign(":") {
                        true => constant(&self.primary()?),
                        false => None,
                    };
                    match width.filter(|n| (1..=31).contains(n)) {
                        Some(bits) => fields.push(Type::Range(0, (1 << bits) - 1)),
                        None => return Err(span.error("expected a width of 1 to 31 bits")),
                    }
                }
                Some(kind) => fields.push(kind),
                None => return Err(self.unexpected("the type of a field")),
            }
            if !self.peek().is("}") {
                self.expect(",")?;
            }
        }
        Ok(Initial::Channel(capacity as u32, fields))
    }
}

/// A basic type by its name.
fn basic(word: &str) -> Option<Type> {
    Some(match word {
        "bit" | "bool" => Type::Range(0, 1),
        "byte" | "pid" => Type::Range(0, 255),
        "short" => Type::Range(-32_768, 32_767),
        "int" => Type::Range(i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return None,
    })
}
