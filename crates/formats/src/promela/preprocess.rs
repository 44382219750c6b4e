//! The preprocessor: macros, conditional text and local includes, as in C.
//!
//! Macros are replaced in the stream of tokens, since their bodies are often parts of statements.
//! A token from a macro has the position of the macro's use. `#x` and `##` are refused.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lexer::{Diagnostic, Reading, Span, Tok, Token, tokens};

/// Limit on the tokens after all replacements.
const TOKENS: usize = 1 << 20;
/// Limit on nested replacements, conditions and includes.
const DEPTH: usize = 64;
/// Limit on the bytes of all files.
const BYTES: usize = 1 << 24;

/// A file of a model.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub name: String,
    pub text: Arc<[u8]>,
}

#[derive(Clone, Debug)]
struct Macro {
    /// The parameters of a macro with arguments.
    parameters: Option<Vec<Arc<str>>>,
    body: Vec<Token>,
}

/// The files of a model, and its macros while they are read.
#[derive(Clone)]
pub(super) struct Preprocessor {
    pub files: Vec<Source>,
    macros: FxHashMap<Arc<str>, Macro>,
    output: Vec<Token>,
    bytes: usize,
}

/// The state of a replacement of macros.
#[derive(Default)]
struct Expansion {
    /// The macros whose bodies are being replaced, the outermost first.
    active: Vec<Arc<str>>,
    /// The tokens read so far, in all bodies and arguments.
    tokens: usize,
}

/// One `#if` … `#endif`.
struct Condition {
    /// Whether the text up to the next `#else` or `#elif` is read.
    reads: bool,
    /// Whether an earlier branch was read.
    taken: bool,
    /// Whether the surrounding text is read.
    outer: bool,
    start: Span,
}

impl Preprocessor {
    pub fn new() -> Preprocessor {
        Preprocessor {
            files: Vec::new(),
            macros: FxHashMap::default(),
            output: Vec::new(),
            bytes: 0,
        }
    }

    /// Reads the main file; returns the tokens of the model without line ends.
    pub fn run(&mut self, origin: &str, text: &[u8]) -> Reading<Vec<Token>> {
        self.file(origin.to_owned(), text.into(), Span::default(), 0)?;
        let end = Span {
            file: 0,
            start: text.len() as u32,
            end: text.len() as u32,
        };
        let mut tokens = std::mem::take(&mut self.output);
        tokens.push(Token::new(Tok::End, end));
        Ok(separated(tokens))
    }

    /// The tokens with the macros of the model replaced.
    pub fn expanded(&self, text: &[Token]) -> Reading<Vec<Token>> {
        let mut output = Vec::new();
        self.expand(text, &mut Expansion::default(), &mut output)?;
        Ok(output)
    }

    fn file(&mut self, name: String, text: Arc<[u8]>, from: Span, depth: usize) -> Reading<()> {
        self.bytes += text.len();
        if self.bytes > BYTES || depth > DEPTH {
            return Err(from.error("the included files are too large or include each other"));
        }
        let file = self.files.len() as u32;
        let text_of = text.clone();
        self.files.push(Source { name, text });
        let all = tokens(&text_of, file)?;
        let mut conditions: Vec<Condition> = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let line_end = all[at..].iter().position(|t| t.tok == Tok::Newline);
            let line_end = line_end.map_or(all.len(), |n| at + n);
            let reads = conditions.last().is_none_or(|c| c.reads);
            if all[at].is("#") {
                let line = &all[at + 1..line_end];
                let start = all[at].span;
                if !self.condition(line, start, &mut conditions)? && reads {
                    self.directive(line, start, depth)?;
                }
                at = line_end + 1;
            } else if reads {
                // A macro's arguments may span lines, so text is read up to the next directive.
                let mut end = line_end;
                while end + 1 < all.len() && !all[end + 1].is("#") {
                    let next = all[end + 1..].iter().position(|t| t.tok == Tok::Newline);
                    end = next.map_or(all.len(), |n| end + 1 + n);
                }
                let end = (end + 1).min(all.len());
                self.text(&all[at..end])?;
                at = end;
            } else {
                at = line_end + 1;
            }
        }
        match conditions.last() {
            Some(open) => Err(open.start.error("this condition has no `#endif`")),
            None => Ok(()),
        }
    }

    /// Expands a part of the text into the output.
    fn text(&mut self, text: &[Token]) -> Reading<()> {
        let mut output = std::mem::take(&mut self.output);
        let expanded = self.expand(text, &mut Expansion::default(), &mut output);
        self.output = output;
        expanded
    }

    /// Reads a directive about conditions; false if it is another one.
    fn condition(
        &self,
        line: &[Token],
        start: Span,
        conditions: &mut Vec<Condition>,
    ) -> Reading<bool> {
        let outer = conditions.last().is_none_or(|c| c.reads);
        let rest = line.get(1..).unwrap_or_default();
        let word = line.first().and_then(Token::name).unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => {
                if conditions.len() >= DEPTH {
                    return Err(start.error("conditions are nested too deeply"));
                }
                let reads = outer
                    && match word {
                        "if" => self.evaluate(rest, start)?,
                        _ => (word == "ifdef") == self.is_defined(rest, start)?,
                    };
                let taken = reads;
                conditions.push(Condition {
                    reads,
                    taken,
                    outer,
                    start,
                });
            }
            "else" | "elif" => {
                let Some(open) = conditions.last_mut() else {
                    return Err(start.error(format!("`#{word}` without `#if`")));
                };
                let may = open.outer && !open.taken;
                open.reads = may && (word == "else" || self.evaluate(rest, start)?);
                open.taken |= open.reads;
            }
            "endif" => {
                if conditions.pop().is_none() {
                    return Err(start.error("`#endif` without `#if`"));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn is_defined(&self, rest: &[Token], start: Span) -> Reading<bool> {
        match rest.first().and_then(Token::name) {
            Some(name) => Ok(self.macros.contains_key(name)),
            None => Err(start.error("expected the name of a macro")),
        }
    }

    fn directive(&mut self, line: &[Token], start: Span, depth: usize) -> Reading<()> {
        let Some(first) = line.first() else {
            return Ok(());
        };
        match (&first.tok, first.name()) {
            // A line marker of a preprocessor.
            (Tok::Number(_), _) | (_, Some("line" | "pragma" | "ident")) => Ok(()),
            (_, Some("define")) => self.define(&line[1..], first.span),
            (_, Some("undef")) => {
                let name = line.get(1).and_then(Token::name);
                let name = name.ok_or_else(|| first.span.error("expected the name of a macro"))?;
                self.macros.remove(name);
                Ok(())
            }
            (_, Some("include")) => self.include(&line[1..], first.span, depth),
            (_, Some("error")) => Err(first.span.error("the model says `#error` here")),
            _ => {
                let message = "expected define, undef, include, if, ifdef, ifndef, else, elif or endif after `#`";
                Err(start.to(first.span).error(message))
            }
        }
    }

    fn define(&mut self, line: &[Token], at: Span) -> Reading<()> {
        let Some((first, name)) = line.first().and_then(|t| Some((t, t.name()?))) else {
            return Err(at.error("expected a name after `#define`"));
        };
        let mut rest = &line[1..];
        let mut parameters = None;
        // A bracket belongs to the parameters only if it touches the name.
        if let Some(open) = rest.first()
            && open.is("(")
            && open.span.start == first.span.end
        {
            let close = rest.iter().position(|t| t.is(")"));
            let close = close.ok_or_else(|| open.span.error("this bracket is not closed"))?;
            let mut names: Vec<Arc<str>> = Vec::new();
            for (i, token) in rest[1..close].iter().enumerate() {
                match &token.tok {
                    Tok::Name(name) if i % 2 == 0 => names.push(name.clone()),
                    Tok::Sign(",") if i % 2 == 1 => {}
                    _ => return Err(token.span.error("expected the name of a parameter")),
                }
            }
            parameters = Some(names);
            rest = &rest[close + 1..];
        }
        if let Some(bad) = rest.iter().find(|t| t.is("#") || t.is("##")) {
            return Err(bad.span.error("`#` and `##` in a macro are not supported"));
        }
        let body = rest.to_vec();
        self.macros.insert(name.into(), Macro { parameters, body });
        Ok(())
    }

    fn include(&mut self, line: &[Token], at: Span, depth: usize) -> Reading<()> {
        let Some(Tok::Text(name)) = line.first().map(|t| &t.tok) else {
            let message = "expected a file name in double quotes: only local files are included";
            return Err(at.error(message));
        };
        let span = line[0].span;
        let here = &self.files[at.file as usize].name;
        let path: PathBuf = Path::new(here).with_file_name(&**name);
        if Path::new(&**name).is_absolute() {
            return Err(span.error("only files relative to the model are included"));
        }
        let length = std::fs::metadata(&path).map(|meta| (meta.is_file(), meta.len()));
        match length {
            Ok((true, length)) if length > BYTES as u64 => {
                return Err(span.error("the included file is too large"));
            }
            Ok((true, _)) => {}
            Ok((false, _)) => return Err(span.error("this is no file")),
            Err(error) => {
                let message = format!("cannot include {}: {error}", path.display());
                return Err(span.error(message));
            }
        }
        let text = std::fs::read(&path)
            .map_err(|error| span.error(format!("cannot include {}: {error}", path.display())))?;
        self.file(path.display().to_string(), text.into(), span, depth + 1)
    }

    /// Appends `text` with all macros replaced, except those that are being replaced.
    fn expand(
        &self,
        text: &[Token],
        expansion: &mut Expansion,
        output: &mut Vec<Token>,
    ) -> Reading<()> {
        let mut at = 0;
        while let Some(token) = text.get(at) {
            at += 1;
            // Macros without a text, too, may use each other exponentially often.
            expansion.tokens += 1;
            if expansion.tokens > TOKENS {
                return Err(token.span.error("the macros expand to too much text"));
            }
            let known = token
                .name()
                .and_then(|name| self.macros.get_key_value(name));
            let Some((name, known)) = known.filter(|(name, _)| !expansion.active.contains(name))
            else {
                if token.tok != Tok::End {
                    output.push(token.clone());
                }
                continue;
            };
            if expansion.active.len() >= DEPTH {
                return Err(token.span.error("macros are nested too deeply"));
            }
            let mut span = token.span;
            let body = match &known.parameters {
                None => known.body.clone(),
                Some(parameters) => {
                    let gap = text[at..]
                        .iter()
                        .take_while(|t| t.tok == Tok::Newline)
                        .count();
                    if !text.get(at + gap).is_some_and(|t| t.is("(")) {
                        output.push(token.clone());
                        continue;
                    }
                    let (arguments, end) = arguments(text, at + gap)?;
                    if arguments.len() != parameters.len()
                        && !(parameters.is_empty() && arguments.iter().all(Vec::is_empty))
                    {
                        let message = format!(
                            "the macro `{name}` takes {} arguments, not {}",
                            parameters.len(),
                            arguments.len()
                        );
                        return Err(token.span.error(message));
                    }
                    span = span.to(text[end].span);
                    at = end + 1;
                    let mut expanded = Vec::new();
                    for argument in &arguments {
                        let mut own = Vec::new();
                        self.expand(argument, expansion, &mut own)?;
                        expanded.push(own);
                    }
                    let mut body = Vec::new();
                    for token in &known.body {
                        let place = token.name().and_then(|n| {
                            parameters.iter().position(|parameter| **parameter == *n)
                        });
                        match place.and_then(|i| expanded.get(i)) {
                            Some(argument) => body.extend(argument.iter().cloned()),
                            None => body.push(token.clone()),
                        }
                        if body.len() > TOKENS {
                            return Err(token.span.error("the macros expand to too much text"));
                        }
                    }
                    body
                }
            };
            let first = output.len();
            expansion.active.push(name.clone());
            self.expand(&body, expansion, output)?;
            expansion.active.pop();
            for token in &mut output[first..] {
                token.span = span;
            }
        }
        Ok(())
    }

    /// The value of the condition of `#if`.
    fn evaluate(&self, line: &[Token], start: Span) -> Reading<bool> {
        let mut known = Vec::new();
        let mut at = 0;
        while let Some(token) = line.get(at) {
            at += 1;
            if token.name() != Some("defined") {
                known.push(token.clone());
                continue;
            }
            let bracket = usize::from(line.get(at).is_some_and(|t| t.is("(")));
            let rest = line.get(at + bracket..).unwrap_or_default();
            let value = self.is_defined(rest, token.span)?;
            known.push(Token::new(Tok::Number(i32::from(value)), token.span));
            at += 1 + 2 * bracket;
        }
        let mut expanded = Vec::new();
        self.expand(&known, &mut Expansion::default(), &mut expanded)?;
        let mut condition = Evaluation {
            tokens: &expanded,
            at: 0,
            depth: 0,
        };
        let value = condition.binary(0).and_then(|value| {
            condition.at = expanded.len().min(condition.at);
            (condition.at == expanded.len()).then_some(value)
        });
        let message = "expected an expression of integers, such as `N > 2` or `defined(N)`";
        let value = value.ok_or_else(|| Diagnostic {
            span: line.first().map_or(start, |t| t.span),
            message: message.to_owned(),
            help: None,
        })?;
        Ok(value != 0)
    }
}

/// The arguments of a macro whose bracket opens at `open`, and the position of its end.
fn arguments(text: &[Token], open: usize) -> Reading<(Vec<Vec<Token>>, usize)> {
    let mut arguments = vec![Vec::new()];
    let mut depth = 0;
    for (i, token) in text.iter().enumerate().skip(open) {
        match &token.tok {
            Tok::Sign("(") => depth += 1,
            Tok::Sign(")") => depth -= 1,
            Tok::Newline | Tok::End => continue,
            _ => {}
        }
        if depth == 0 {
            return Ok((arguments, i));
        }
        if token.is(",") && depth == 1 {
            arguments.push(Vec::new());
        } else if i > open
            && let Some(last) = arguments.last_mut()
        {
            last.push(token.clone());
        }
    }
    Err(text[open].span.error("this bracket is not closed"))
}

/// An expression of a condition; `None` where it is malformed.
struct Evaluation<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

impl Evaluation<'_> {
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some(Tok::Sign(sign)) = self.tokens.get(self.at).map(|t| &t.tok) {
            let strength = match *sign {
                "||" => 1,
                "&&" => 2,
                "==" | "!=" => 3,
                "<" | ">" | "<=" | ">=" => 4,
                "+" | "-" => 5,
                "*" | "/" | "%" => 6,
                _ => break,
            };
            if strength <= least {
                break;
            }
            self.at += 1;
            let right = self.binary(strength)?;
            left = match *sign {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        let value = match &token.tok {
            Tok::Number(value) => i64::from(*value),
            // As in C, a name that is no macro counts as 0.
            Tok::Name(_) => 0,
            Tok::Sign("!") => i64::from(self.unary()? == 0),
            Tok::Sign("-") => self.unary()?.checked_neg()?,
            Tok::Sign("+") => self.unary()?,
            Tok::Sign("(") => {
                let value = self.binary(0)?;
                let close = self.tokens.get(self.at)?;
                self.at += 1;
                close.is(")").then_some(value)?
            }
            _ => return None,
        };
        self.depth -= 1;
        Some(value)
    }
}

/// Removes line ends and marks the tokens before which SPIN inserts a `;` in a body.
fn separated(tokens: Vec<Token>) -> Vec<Token> {
    let mut separated: Vec<Token> = Vec::with_capacity(tokens.len());
    let (mut depth, mut at_line_end) = (0_usize, false);
    for mut token in tokens {
        let outside = depth == 0;
        match &token.tok {
            Tok::Newline => {
                at_line_end = true;
                continue;
            }
            Tok::Sign("(") => depth += 1,
            Tok::Sign(")") => depth = depth.saturating_sub(1),
            _ => {}
        }
        let last = separated.last().map(|last| &last.tok);
        token.breaks = at_line_end
            && outside
            && match last {
                Some(Tok::Name(name)) => !CONTINUING.contains(&&**name),
                Some(Tok::Number(_)) => true,
                Some(Tok::Sign(sign)) => matches!(*sign, ")" | "]" | "}" | "++" | "--"),
                _ => false,
            };
        at_line_end = false;
        separated.push(token);
    }
    separated
}

/// Keywords after which a line end is no separator.
const CONTINUING: [&str; 14] = [
    "if", "do", "atomic", "d_step", "unless", "goto", "for", "select", "assert", "run", "eval",
    "in", "xr", "xs",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_without_text_are_limited() {
        let mut text = String::from("#define m0\n");
        for i in 1..60 {
            text += &format!("#define m{i} m{0} m{0}\n", i - 1);
        }
        text += "m59\n";
        let error = Preprocessor::new()
            .run("m.pml", text.as_bytes())
            .unwrap_err();
        assert!(error.message.contains("too much text"), "{}", error.message);
    }
}
