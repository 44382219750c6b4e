//! Formulas as users of SPIN write them: `[] ((i > 2) -> <> (a[0] == 0))`.
//!
//! Temporal operators, words such as `always`, and comparisons without quotes are translated to the
//! formulas of the checker, in which every expression of Promela is a quoted atom. Macros of the
//! model are expanded. In SPIN, `<> g == 3` means `(<> g) == 3`; such a formula is refused.
//!
//! Operators bind as in SPIN: prefix operators, then `U`, `W` and `V`, `&&`, `||`, and `->` and `<->`
//! together; all of them associate to the left, so that `p U q U r` is `(p U q) U r`. The translation
//! has all brackets. A single `|` or `&` that does not belong to an expression is `||` or `&&`.

use lariat_ltl::AtomError;

use super::lexer::{Diagnostic, Reading, Span, Tok, Token};

/// Limit on nested brackets.
const DEPTH: usize = 200;

/// How strongly binary operators bind.
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNTIL: u8 = 4;

/// Translates the tokens of a formula. `is_name` tells which words are names of the model.
pub(super) fn translated(tokens: &[Token], is_name: &dyn Fn(&str) -> bool) -> Reading<String> {
    let end = tokens.last().map_or(Span::default(), |t| t.span);
    let mut parser = Translator {
        tokens,
        at: 0,
        depth: 0,
        end,
        is_name,
    };
    let formula = parser.formula(0)?;
    match parser.peek() {
        None => Ok(formula),
        Some(token) => Err(token
            .span
            .error("expected an operator or the end of the formula")),
    }
}

/// An error as that of an atom.
pub(super) fn atom_error(error: Diagnostic) -> AtomError {
    AtomError {
        message: error.message,
        help: error.help,
        span: Some(error.span.range()),
    }
}

/// The text of tokens, with single blanks where needed.
pub(super) fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (i, token) in tokens.iter().enumerate() {
        let part = match &token.tok {
            Tok::Name(name) => name.to_string(),
            Tok::Number(n) => n.to_string(),
            Tok::Text(inside) => format!("\"{inside}\""),
            Tok::Sign(sign) => (*sign).to_owned(),
            Tok::Newline | Tok::End => continue,
        };
        let tight = |t: &Token| matches!(t.tok, Tok::Sign("(" | "[" | "." | "@" | "!"));
        let close = |t: &Token| matches!(t.tok, Tok::Sign(")" | "]" | "[" | "." | "@" | "," | "("));
        let before = i.checked_sub(1).and_then(|i| tokens.get(i));
        let glued = before.is_none_or(tight)
            || close(token) && !before.is_some_and(|b| is_operator(b) && token.is("("));
        if !glued {
            text.push(' ');
        }
        text.push_str(&part);
    }
    text
}

fn is_operator(token: &Token) -> bool {
    matches!(&token.tok, Tok::Sign(sign) if !matches!(*sign, ")" | "]" | "(" | "[" | "." | "@" | ","))
}

struct Translator<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    end: Span,
    is_name: &'t dyn Fn(&str) -> bool,
}

impl Translator<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// A formula whose binary operators are stronger than `least`.
    fn formula(&mut self, least: u8) -> Reading<String> {
        let mut left = self.operand()?;
        let mut last = "";
        for brackets in 0.. {
            let found = self.peek().and_then(|t| self.infix(t).or(single(t)));
            let Some((infix, strength)) = found.filter(|(_, strength)| *strength > least) else {
                break;
            };
            self.at += 1;
            let right = self.formula(strength)?;
            if infix == last && matches!(infix, "&&" | "||") {
                // One pair of brackets around all operands.
                left.pop();
            } else if brackets > DEPTH {
                return Err(self.end.error("the formula is nested too deeply"));
            } else {
                left.insert(0, '(');
            }
            left.push_str(&format!(" {infix} {right})"));
            last = infix;
        }
        Ok(left)
    }

    /// A binary operator of formulas, and how strongly it binds; a word that is a name of the model
    /// is none.
    fn infix(&self, token: &Token) -> Option<(&'static str, u8)> {
        Some(match &token.tok {
            Tok::Sign("&&") => ("&&", AND),
            Tok::Sign("||") => ("||", OR),
            Tok::Sign("->") => ("->", IMPLIES),
            Tok::Sign("<->") => ("<->", IMPLIES),
            Tok::Name(word) => match &**word {
                "implies" => ("->", IMPLIES),
                "equivalent" => ("<->", IMPLIES),
                "U" | "until" | "stronguntil" => ("U", UNTIL),
                "W" | "weakuntil" => ("W", UNTIL),
                "V" | "R" | "release" => ("R", UNTIL),
                "M" => ("M", UNTIL),
                "and" => ("&&", AND),
                "or" => ("||", OR),
                "xor" => ("xor", OR),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// A prefix operator and the number of its tokens.
    fn prefix(&self) -> Option<(String, usize)> {
        let token = self.peek()?;
        let next = self.tokens.get(self.at + 1);
        Some(match &token.tok {
            Tok::Sign("[") if next.is_some_and(|t| t.is("]")) => ("G".to_owned(), 2),
            Tok::Sign("<>") => ("F".to_owned(), 1),
            Tok::Sign("!") => ("!".to_owned(), 1),
            Tok::Sign("!!") => ("! !".to_owned(), 1),
            Tok::Name(word) => match &**word {
                word if (self.is_name)(word) => return None,
                "always" => ("G".to_owned(), 1),
                "eventually" => ("F".to_owned(), 1),
                "next" => ("X".to_owned(), 1),
                word if word.chars().all(|c| "GFX".contains(c)) => {
                    let spaced: Vec<String> = word.chars().map(String::from).collect();
                    (spaced.join(" "), 1)
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn operand(&mut self) -> Reading<String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.end.error("the formula is nested too deeply"));
        }
        let mut output = String::new();
        while let Some((prefix, count)) = self.prefix() {
            self.at += count;
            output.push_str(&prefix);
            output.push(' ');
        }
        let Some(token) = self.peek() else {
            return Err(self.end.error("expected a formula before the end"));
        };
        if let Tok::Text(atom) = &token.tok {
            output.push_str(&format!("\"{atom}\""));
            self.at += 1;
        } else if token.is("(") && self.is_formula_group() {
            let open = token.span;
            self.at += 1;
            output.push_str(&format!("({})", self.formula(0)?));
            match self.peek() {
                Some(token) if token.is(")") => self.at += 1,
                Some(token) if self.close(self.at).is_none() => {
                    let message = "expected an operator of formulas or `)`";
                    return Err(token.span.error(message));
                }
                _ => return Err(open.error("this bracket is not closed")),
            }
        } else {
            let is_prefixed = !output.is_empty();
            output.push_str(&self.atom(is_prefixed)?);
        }
        self.depth -= 1;
        Ok(output)
    }

    /// The position of the bracket that closes the one at `open`.
    fn close(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.tok {
                Tok::Sign("(" | "[") => depth += 1,
                Tok::Sign(")" | "]") => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns whether the group that opens here is a formula of its own: it is followed by the end
    /// of an operand, or contains an operator that expressions do not have, or a quoted atom.
    fn is_formula_group(&self) -> bool {
        let Some(close) = self.close(self.at) else {
            return true;
        };
        let behind = self.tokens.get(close + 1);
        let is_only_formula = |t: &Token| {
            matches!(t.tok, Tok::Text(_) | Tok::Sign("<>" | "<->"))
                || self.infix(t).is_some_and(|(_, strength)| strength == UNTIL)
        };
        !self.is_conditional(self.at, close)
            && (behind.is_none_or(|t| t.is(")") || self.infix(t).is_some())
                || self.tokens[self.at..close].iter().any(is_only_formula))
    }

    /// Returns whether a group is `(c -> x : y)`.
    fn is_conditional(&self, open: usize, close: usize) -> bool {
        let mut depth = 0_usize;
        self.tokens[open..close]
            .iter()
            .enumerate()
            .any(|(i, token)| {
                match token.tok {
                    Tok::Sign("(" | "[") => depth += 1,
                    Tok::Sign(")" | "]") => depth = depth.saturating_sub(1),
                    _ => {}
                }
                // `P[0]:x` has a name behind its colon and a name or bracket before.
                let before = &self.tokens[(open + i).saturating_sub(1)];
                token.is(":") && depth == 1 && matches!(before.tok, Tok::Number(_))
            })
    }

    /// An expression up to the next operator of formulas.
    fn atom(&mut self, is_prefixed: bool) -> Reading<String> {
        let first = self.at;
        let mut compares = false;
        while let Some(token) = self.peek() {
            let next = self.tokens.get(self.at + 1);
            let ends = single(token).is_some()
                && next.is_some_and(|t| matches!(t.tok, Tok::Text(_) | Tok::Sign("<>")));
            if token.is(")") || self.at > first && (ends || self.infix(token).is_some()) {
                break;
            }
            match token.tok {
                Tok::Sign("(" | "[") => match self.close(self.at) {
                    Some(close) => self.at = close,
                    None => return Err(token.span.error("this bracket is not closed")),
                },
                Tok::Sign("==" | "!=" | "<" | ">" | "<=" | ">=") => compares = true,
                Tok::Sign("<>") => {
                    return Err(token.span.error("expected an operator before `<>`"));
                }
                _ => {}
            }
            self.at += 1;
        }
        let atom = &self.tokens[first..self.at];
        let Some(start) = atom.first() else {
            let span = self.peek().map_or(self.end, |t| t.span);
            return Err(span.error("expected a formula"));
        };
        if compares && is_prefixed {
            let message = "the operator before this comparison binds tighter than the comparison";
            let help = format!("write brackets: `({})`", text_of(atom));
            return Err(start.span.error(message).help(help));
        }
        let word = start.name().unwrap_or_default();
        // Functions and words of the checker itself.
        let is_own = atom.len() == 1 && !(self.is_name)(word) && start.name().is_some()
            || matches!(word, "fires" | "fireable");
        let text = text_of(atom);
        Ok(match is_own {
            true => text,
            false => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        })
    }
}

/// The operators `|` and `&` where no expression continues.
fn single(token: &Token) -> Option<(&'static str, u8)> {
    match token.tok {
        Tok::Sign("|") => Some(("||", OR)),
        Tok::Sign("&") => Some(("&&", AND)),
        _ => None,
    }
}
