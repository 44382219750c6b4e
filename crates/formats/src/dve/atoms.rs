//! Atoms of formulas about a DVE model: integer expressions over its names, true if not 0.
//!
//! `P.s`, `P->x`, globals, array elements and all operators may be combined: `P.cs + Q.cs == 1`
//! means that exactly one of two processes is in its critical section.

use lariat_ltl::AtomError;

use super::ast::{ExprAst, ExprKind, Reference, SyncKind, SyncLabel};
use super::lexer::{DveDiagnostic, DveResult, DveToken, tokens};
use super::parser::{self, BINARY, operator};
use super::scope::{Symbol, SymbolTable};
use lariat_model::{BinaryOp, Comparison, Expr, Expressions, Predicate, UnaryOp, Value};

impl Expressions for SymbolTable {
    /// Returns whether `word` names a global array, which has no value without an index.
    fn is_array(&self, word: &str) -> bool {
        let symbol = self.lookup(None, word);
        matches!(symbol, Some(Symbol::Variable { len: Some(_), .. }))
    }

    /// Parses an expression; the canonical text has one blank around binary operators, `&&`, `||`
    /// and `!` instead of words, and no redundant parentheses.
    fn atom(&self, text: &str) -> Result<(String, Predicate), AtomError> {
        let report = |c: DveDiagnostic| AtomError {
            message: c.message,
            help: c.help,
            span: Some(c.span.range()),
        };
        let ast = parser::expression(text.as_bytes()).map_err(report)?;
        self.refuse_certain_faults(&ast).map_err(report)?;
        let expr = self.expr(None, &ast).map_err(report)?;
        let mut canonical = String::new();
        show(&ast, 0, &mut canonical);
        Ok((canonical, predicate(expr)))
    }
}

impl SymbolTable {
    /// Rejects expressions that are certain to fail: an array without an index, a constant index
    /// out of range, a division by the constant 0.
    ///
    /// In a model the same leads to the error state, and an array without an index denotes its
    /// first element, because published models rely on it; formulas do not.
    fn refuse_certain_faults(&self, ast: &ExprAst) -> DveResult<()> {
        match &ast.kind {
            ExprKind::Number(_) | ExprKind::State(..) => Ok(()),
            ExprKind::Variable(reference) => self.refuse_certain_fault_of(reference, ast),
            ExprKind::Unary(_, x) => self.refuse_certain_faults(x),
            ExprKind::Binary(op, x, y) => {
                self.refuse_certain_faults(x)?;
                self.refuse_certain_faults(y)?;
                let wrong = match (op, self.expr(None, y)?) {
                    (BinaryOp::Div | BinaryOp::Rem, Expr::Const(0)) => "a division by 0",
                    (BinaryOp::Shl | BinaryOp::Shr, Expr::Const(bits))
                        if !(0..32).contains(&bits) =>
                    {
                        "a shift by less than 0 or more than 31 bits"
                    }
                    _ => return Ok(()),
                };
                Err(y.span.error(wrong))
            }
            ExprKind::Chain(_, xs) => xs.iter().try_for_each(|x| self.refuse_certain_faults(x)),
            ExprKind::Sum(terms) => {
                let mut terms = terms.iter();
                terms.try_for_each(|(_, x)| self.refuse_certain_faults(x))
            }
        }
    }

    fn refuse_certain_fault_of(&self, r: &Reference, ast: &ExprAst) -> DveResult<()> {
        let Symbol::Variable { len: Some(len), .. } = self.symbol(None, r)? else {
            return Ok(());
        };
        let mut name = String::new();
        show(ast, 0, &mut name);
        let Some(index) = &r.index else {
            let help = format!("write which element is meant, such as `{name}[0]`");
            let message = format!("`{name}` is an array of {len}, not a number");
            return Err(ast.span.error(message).help(Some(help)));
        };
        self.refuse_certain_faults(index)?;
        match self.expr(None, index)? {
            Expr::Const(i) if !(0..Value::from(len)).contains(&i) => {
                let message = format!("the index {i} is out of range");
                let help = format!("`{}` has the elements 0 to {}", r.name.text, len - 1);
                Err(index.span.error(message).help(Some(help)))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether `word` — letters, digits, `_` and `.` — is the name of a variable, or `P.s`.
    pub fn is_name(&self, word: &str) -> bool {
        let Ok(words) = tokens(word.as_bytes()) else {
            return false;
        };
        let words: Vec<DveToken> = words.into_iter().map(|(token, _)| token).collect();
        let known = matches!(
            words[..],
            [DveToken::Name(_), DveToken::End]
                | [
                    DveToken::Name(_),
                    DveToken::Word("."),
                    DveToken::Name(_),
                    DveToken::End
                ]
        );
        known && (self.is_array(word) || self.atom(word).is_ok())
    }
}

/// The predicate that an expression is not 0. Boolean structure is translated to predicates, unless
/// evaluation may fail.
pub(crate) fn predicate(expr: Expr) -> Predicate {
    if expr.can_fail() {
        return Predicate::Expr(expr);
    }
    match expr {
        Expr::Const(x) => Predicate::Const(x != 0),
        Expr::Var(var) => Predicate::compare(var, Comparison::Ne, 0),
        Expr::Unary(UnaryOp::Not, x) => Predicate::Not(Box::new(predicate(*x))),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), x, y) => {
            let mut parts = Vec::new();
            for side in [predicate(*x), predicate(*y)] {
                match (op, side) {
                    (BinaryOp::And, Predicate::And(ps)) | (BinaryOp::Or, Predicate::Or(ps)) => {
                        parts.extend(ps);
                    }
                    (_, side) => parts.push(side),
                }
            }
            match op {
                BinaryOp::And => Predicate::And(parts),
                _ => Predicate::Or(parts),
            }
        }
        Expr::Binary(BinaryOp::Implies, x, y) => {
            Predicate::Or(vec![Predicate::Not(Box::new(predicate(*x))), predicate(*y)])
        }
        Expr::Binary(op, x, y) => match (comparison(op), *x, *y) {
            (Some(c), Expr::Var(var), Expr::Const(k)) => Predicate::compare(var, c, k),
            (Some(c), Expr::Const(k), Expr::Var(var)) => Predicate::compare(var, c.mirrored(), k),
            (_, x, y) => Predicate::Expr(Expr::Binary(op, Box::new(x), Box::new(y))),
        },
        expr => Predicate::Expr(expr),
    }
}

fn comparison(op: BinaryOp) -> Option<Comparison> {
    Some(match op {
        BinaryOp::Eq => Comparison::Eq,
        BinaryOp::Ne => Comparison::Ne,
        BinaryOp::Lt => Comparison::Lt,
        BinaryOp::Le => Comparison::Le,
        BinaryOp::Gt => Comparison::Gt,
        BinaryOp::Ge => Comparison::Ge,
        _ => return None,
    })
}

/// The text of a conjunction of expressions.
pub(super) fn conjunction_text(asts: &[ExprAst]) -> String {
    let level = match asts {
        [] => return "true".to_owned(),
        [_] => 0,
        _ => spelling(BinaryOp::And).1,
    };
    let text = |ast| {
        let mut text = String::new();
        show(ast, level, &mut text);
        text
    };
    let texts: Vec<String> = asts.iter().map(text).collect();
    texts.join(" && ")
}

/// The text of a synchronisation.
pub(super) fn sync_text(sync: &SyncLabel) -> String {
    let mut out = String::new();
    if let Some(process) = sync.process {
        out = format!("{}->", process.text);
    }
    out.push_str(sync.channel.text);
    let mut values = Vec::new();
    match &sync.kind {
        SyncKind::Send(sent) => {
            out.push('!');
            values.extend(sent.iter().map(|value| {
                let mut text = String::new();
                show(value, 0, &mut text);
                text
            }));
        }
        SyncKind::Receive(targets) => {
            out.push('?');
            values.extend(targets.iter().map(|target| {
                let mut text = target.name.text.to_owned();
                if let Some(index) = &target.index {
                    text.push('[');
                    show(index, 0, &mut text);
                    text.push(']');
                }
                text
            }));
        }
    }
    match &values[..] {
        [] => {}
        [only] => out.push_str(only),
        all => out.push_str(&format!("{{{}}}", all.join(", "))),
    }
    out
}

/// Writes an expression as operand of an operator of precedence `level`.
fn show(ast: &ExprAst, level: u8, out: &mut String) {
    let own = match &ast.kind {
        ExprKind::Binary(op, ..) | ExprKind::Chain(op, _) => spelling(*op).1,
        ExprKind::Sum(_) => spelling(BinaryOp::Add).1,
        _ => u8::MAX,
    };
    if own < level {
        out.push('(');
    }
    match &ast.kind {
        ExprKind::Number(n) => out.push_str(&n.to_string()),
        ExprKind::Variable(Reference {
            process,
            name,
            index,
        }) => {
            if let Some(process) = process {
                out.push_str(process.text);
                out.push_str("->");
            }
            out.push_str(name.text);
            if let Some(index) = index {
                out.push('[');
                show(index, 0, out);
                out.push(']');
            }
        }
        ExprKind::State(process, state) => {
            out.push_str(process.text);
            out.push('.');
            out.push_str(state.text);
        }
        ExprKind::Unary(op, x) => {
            out.push(match op {
                UnaryOp::Neg => '-',
                UnaryOp::Not => '!',
                UnaryOp::Complement => '~',
            });
            show(x, u8::MAX, out);
        }
        ExprKind::Binary(op, x, y) => {
            // Left-associative: an equal precedence on the right needs parentheses.
            show(x, own, out);
            out.push_str(&format!(" {} ", spelling(*op).0));
            show(y, own + 1, out);
        }
        ExprKind::Chain(op, xs) => {
            for (i, x) in xs.iter().enumerate() {
                if i > 0 {
                    out.push_str(&format!(" {} ", spelling(*op).0));
                }
                show(x, own + 1, out);
            }
        }
        ExprKind::Sum(terms) => {
            for (i, (minus, x)) in terms.iter().enumerate() {
                if i > 0 {
                    out.push_str(if *minus { " - " } else { " + " });
                }
                show(x, own + 1, out);
            }
        }
    }
    if own < level {
        out.push(')');
    }
}

/// The preferred spelling and the precedence of an operator.
fn spelling(op: BinaryOp) -> (&'static str, u8) {
    BINARY
        .iter()
        .filter_map(|word| Some((*word, operator(word)?)))
        .find(|(_, (_, o))| *o == op)
        .map_or(("?", 0), |(word, (level, _))| (word, level))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::System;

    const MODEL: &str = "byte g, a[3] = {1,2}; const int N = 2;
        process P { byte x = 7; state idle, cs; init cs; trans idle -> cs {}, cs -> idle {}; }
        process Q { state idle, cs; init idle; trans idle -> cs {}; }
        system async;";

    fn model() -> (System, SymbolTable) {
        let dve = crate::dve::read("model", MODEL.as_bytes()).unwrap();
        (dve.system, dve.scope)
    }

    #[test]
    fn expressions_are_atoms() {
        let (system, scope) = model();
        for (text, canonical, want) in [
            ("P.cs", "P.cs", true),
            ("  (P.cs)+ Q.cs==1", "P.cs + Q.cs == 1", true),
            ("P->x", "P->x", true),
            ("not (P->x>7 or g)", "!(P->x > 7 || g)", true),
            ("a[N-1]==N", "a[N - 1] == N", true),
            (
                "a[g+1] - (a[0]-a[1]) != 3",
                "a[g + 1] - (a[0] - a[1]) != 3",
                false,
            ),
            ("7 < P->x", "7 < P->x", false),
            ("1 << 2 * 3 == 64", "1 << 2 * 3 == 64", true),
            ("P.idle imply g", "P.idle imply g", true),
            ("(1 imply 0) imply 0", "1 imply 0 imply 0", true),
            ("1 imply (0 imply 0)", "1 imply (0 imply 0)", true),
        ] {
            let (shown, predicate) = scope.atom(text).unwrap();
            assert_eq!(shown, canonical);
            assert_eq!(system.holds(&predicate, &system.initial[0]), want, "{text}");
            let (again, same) = scope.atom(&shown).unwrap();
            assert_eq!((again, same), (shown, predicate));
        }
    }

    #[test]
    fn wrong_names_are_explained() {
        let (_, scope) = model();
        for (text, message, help) in [
            (
                "P.ccs",
                "process `P` has no state `ccs`",
                Some("did you mean `cs`? its states are idle, cs"),
            ),
            (
                "R.cs",
                "no process is called `R`",
                Some("did you mean `P`?"),
            ),
            (
                "G == 1",
                "no variable or constant is called `G`",
                Some("did you mean `g`?"),
            ),
            (
                "P->y",
                "process `P` has no variable `y`",
                Some("did you mean `x`?"),
            ),
            ("g[0]", "`g` is not an array", None),
            (
                "a == 1",
                "`a` is an array of 3, not a number",
                Some("write which element is meant, such as `a[0]`"),
            ),
            (
                "g && a[N + 1]",
                "the index 3 is out of range",
                Some("`a` has the elements 0 to 2"),
            ),
            ("g / (N - 2) == 0", "a division by 0", None),
            ("g % 0", "a division by 0", None),
            (
                "g << 32",
                "a shift by less than 0 or more than 31 bits",
                None,
            ),
            (
                "P",
                "no variable or constant is called `P`",
                Some("`P` is a process: `P.s` tests its state, `P->x` reads its variable"),
            ),
            (
                "g ==",
                "expected an expression, found the end of the text",
                None,
            ),
            (
                "g g",
                "expected an operator or the end of the expression, found `g`",
                None,
            ),
        ] {
            let error = scope.atom(text).unwrap_err();
            assert_eq!((&*error.message, error.help.as_deref()), (message, help));
        }
        assert!(scope.is_name("P.cs") && scope.is_name("g") && scope.is_name("a"));
        assert!(!scope.is_name("P.xx") && !scope.is_name("P") && !scope.is_name("GFg"));
    }
}
