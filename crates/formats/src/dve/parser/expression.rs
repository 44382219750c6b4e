//! Expressions.
//!
//! Precedence follows C; operators associate to the left. A chain of one associative operator is
//! stored flat, because generated models have guards with thousands of alternatives; other nesting
//! is limited to [`DEPTH`] levels, which bounds all later recursion.

use super::Parser;
use crate::dve::ast::*;
use crate::dve::lexer::{ByteSpan, DveDiagnostic, DveResult, DveToken};
use lariat_model::{BinaryOp, UnaryOp};

/// Limit on the nesting depth of expressions.
const DEPTH: u32 = 300;

pub(in crate::dve) fn expression(text: &[u8]) -> DveResult<ExprAst<'_>> {
    let mut p = Parser::new(text)?;
    let expr = p.expr()?;
    match p.peek() {
        DveToken::End => Ok(expr),
        _ => Err(p.unexpected("an operator or the end of the expression")),
    }
}

/// The spellings of the binary operators, the preferred one of each first.
pub(in crate::dve) const BINARY: [&str; 21] = [
    "imply", "||", "&&", "or", "and", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>",
    "+", "-", "*", "/", "%",
];

/// The precedence and operator of a binary operator's spelling.
pub(in crate::dve) fn operator(word: &str) -> Option<(u8, BinaryOp)> {
    Some(match word {
        "imply" => (1, BinaryOp::Implies),
        "or" | "||" => (2, BinaryOp::Or),
        "and" | "&&" => (3, BinaryOp::And),
        "|" => (4, BinaryOp::BitOr),
        "^" => (5, BinaryOp::BitXor),
        "&" => (6, BinaryOp::BitAnd),
        "==" => (7, BinaryOp::Eq),
        "!=" => (7, BinaryOp::Ne),
        "<" => (8, BinaryOp::Lt),
        "<=" => (8, BinaryOp::Le),
        ">" => (8, BinaryOp::Gt),
        ">=" => (8, BinaryOp::Ge),
        "<<" => (9, BinaryOp::Shl),
        ">>" => (9, BinaryOp::Shr),
        "+" => (10, BinaryOp::Add),
        "-" => (10, BinaryOp::Sub),
        "*" => (11, BinaryOp::Mul),
        "/" => (11, BinaryOp::Div),
        "%" => (11, BinaryOp::Rem),
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    pub(super) fn expr(&mut self) -> DveResult<ExprAst<'t>> {
        self.binary(1)
    }

    fn node(&self, start: ByteSpan, depth: u32, kind: ExprKind<'t>) -> DveResult<ExprAst<'t>> {
        if depth >= DEPTH {
            return Err(self.too_deep());
        }
        Ok(ExprAst {
            span: start.to(self.behind()),
            kind,
            depth: depth + 1,
        })
    }

    fn too_deep(&self) -> DveDiagnostic {
        let message = format!("this expression nests more than {DEPTH} levels deep");
        self.span().error(message)
    }

    /// Parses operators of at least this precedence.
    fn binary(&mut self, least: u8) -> DveResult<ExprAst<'t>> {
        let mut left = self.unary()?;
        loop {
            let DveToken::Word(word) = self.peek() else {
                return Ok(left);
            };
            let Some((level, op)) = operator(word).filter(|(level, _)| *level >= least) else {
                return Ok(left);
            };
            let start = left.span;
            let mut depth = left.depth;
            let kind = match op {
                BinaryOp::Add | BinaryOp::Sub => {
                    let mut terms = vec![(false, left)];
                    while let DveToken::Word(sign @ ("+" | "-")) = self.peek() {
                        self.at += 1;
                        let term = self.binary(level + 1)?;
                        depth = depth.max(term.depth);
                        terms.push((sign == "-", term));
                    }
                    ExprKind::Sum(terms)
                }
                BinaryOp::Or
                | BinaryOp::And
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::BitAnd => {
                    let mut operands = vec![left];
                    while let DveToken::Word(word) = self.peek()
                        && operator(word) == Some((level, op))
                    {
                        self.at += 1;
                        let operand = self.binary(level + 1)?;
                        depth = depth.max(operand.depth);
                        operands.push(operand);
                    }
                    ExprKind::Chain(op, operands)
                }
                _ => {
                    self.at += 1;
                    let right = self.binary(level + 1)?;
                    depth = depth.max(right.depth);
                    ExprKind::Binary(op, Box::new(left), Box::new(right))
                }
            };
            left = self.node(start, depth, kind)?;
        }
    }

    fn unary(&mut self) -> DveResult<ExprAst<'t>> {
        self.nesting += 1;
        if self.nesting > DEPTH {
            return Err(self.too_deep());
        }
        let start = self.span();
        let op = match self.peek() {
            DveToken::Word("not" | "!") => Some(UnaryOp::Not),
            DveToken::Word("-") => Some(UnaryOp::Neg),
            DveToken::Word("~") => Some(UnaryOp::Complement),
            _ => None,
        };
        let expr = match op {
            Some(op) => {
                self.at += 1;
                let operand = self.unary()?;
                self.node(start, operand.depth, ExprKind::Unary(op, Box::new(operand)))?
            }
            None => self.primary()?,
        };
        self.nesting -= 1;
        Ok(expr)
    }

    fn primary(&mut self) -> DveResult<ExprAst<'t>> {
        let start = self.span();
        if self.take("(") {
            let inner = self.expr()?;
            self.expect(")", "after the expression")?;
            return Ok(ExprAst {
                span: start.to(self.behind()),
                ..inner
            });
        }
        let literal = match self.peek() {
            DveToken::Number(n) => Some(n),
            DveToken::Word("true") => Some(1),
            DveToken::Word("false") => Some(0),
            _ => None,
        };
        if let Some(n) = literal {
            self.at += 1;
            return self.node(start, 0, ExprKind::Number(n));
        }
        let DveToken::Name(_) = self.peek() else {
            return Err(match self.peek() {
                DveToken::Word(w) if w.as_bytes()[0].is_ascii_alphabetic() => self
                    .name("an expression")
                    .map_or_else(|e| e, |n| n.span.error("expected an expression")),
                _ => self.unexpected("an expression"),
            });
        };
        match self.token(self.at + 1).0 {
            DveToken::Word(".") => {
                let process = self.name("a process")?;
                self.at += 1;
                let state = self.name("the name of a state after `.`")?;
                self.node(start, 0, ExprKind::State(process, state))
            }
            second => {
                let process = if second == DveToken::Word("->") {
                    let process = self.name("a process")?;
                    self.at += 1;
                    Some(process)
                } else {
                    None
                };
                let name = self.name("the name of a variable")?;
                let index = self.subscript()?.map(Box::new);
                let depth = index.as_ref().map_or(0, |i| i.depth);
                let reference = Reference {
                    process,
                    name,
                    index,
                };
                self.node(start, depth, ExprKind::Variable(reference))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Displays with all parentheses.
    fn show(e: &ExprAst) -> String {
        match &e.kind {
            ExprKind::Number(n) => n.to_string(),
            ExprKind::Variable(r) => {
                let index = r.index.as_ref().map(|i| format!("[{}]", show(i)));
                let process = r.process.map(|p| format!("{}->", p.text));
                format!(
                    "{}{}{}",
                    process.unwrap_or_default(),
                    r.name.text,
                    index.unwrap_or_default()
                )
            }
            ExprKind::State(p, s) => format!("{}.{}", p.text, s.text),
            ExprKind::Unary(op, x) => format!("{op:?}({})", show(x)),
            ExprKind::Binary(op, x, y) => format!("{op:?}({}, {})", show(x), show(y)),
            ExprKind::Chain(op, xs) => {
                let xs: Vec<String> = xs.iter().map(show).collect();
                format!("{op:?}({})", xs.join(", "))
            }
            ExprKind::Sum(xs) => {
                let sign = |minus: &bool| if *minus { "-" } else { "+" };
                let xs: Vec<String> = xs
                    .iter()
                    .map(|(m, x)| format!("{}{}", sign(m), show(x)))
                    .collect();
                format!("Sum({})", xs.join(", "))
            }
        }
    }

    #[test]
    fn precedence_is_that_of_c() {
        for (text, want) in [
            ("a-b-c", "Sum(+a, -b, -c)"),
            ("a or b and c", "Or(a, And(b, c))"),
            ("a == b & c", "BitAnd(Eq(a, b), c)"),
            ("a + b << 2 < c", "Lt(Shl(Sum(+a, +b), 2), c)"),
            ("a imply b || c", "Implies(a, Or(b, c))"),
            ("a / b * c % d", "Rem(Mul(Div(a, b), c), d)"),
            ("not a == b", "Eq(Not(a), b)"),
            ("!-~x", "Not(Neg(Complement(x)))"),
            ("P->x[i+1] - P.s", "Sum(+P->x[Sum(+i, +1)], -P.s)"),
            ("a < b == c > d", "Eq(Lt(a, b), Gt(c, d))"),
            ("a | b ^ c & d", "BitOr(a, BitXor(b, BitAnd(c, d)))"),
        ] {
            assert_eq!(show(&expression(text.as_bytes()).unwrap()), want, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded_and_long_chains_are_not_deep() {
        for (open, close) in [("(", ")"), ("-", ""), ("a[", "]"), ("not ", "")] {
            let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            assert!(expression(text.as_bytes()).is_err());
        }
        for op in ["||", "+", "-", "&", "^"] {
            let text = format!("1{}", format!("{op}1").repeat(100_000));
            assert_eq!(expression(text.as_bytes()).unwrap().depth, 2);
        }
        let text = format!("1{}", "/1".repeat(100_000));
        assert!(expression(text.as_bytes()).is_err());
    }
}
