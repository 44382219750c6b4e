//! Printer of formulas.
//!
//! [`parse`](crate::parse()) reads the output of [`Syntax::Spot`] and [`Syntax::Full`] as the same
//! formula; both quote an atom unless it is a word that Spot also accepts as a name. The printer
//! uses an explicit stack, so it works at any depth.

use crate::formula::{Formula, Formulas, Node};
use crate::vocabulary::is_plain;

/// Output syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Spot's syntax: `G(a -> Fb)`. Only operands with a binary operator have parentheses. Not for
    /// input together with a model, which may declare a name `Fb`.
    Spot,
    /// Fully parenthesized: `G(a -> F(b))`. Atoms such as `fires(t)` are not quoted.
    Full,
    /// For SPIN: `[](a -> <>(b))`. `W`, `M` and `xor`, which SPIN lacks, are rewritten.
    Spin,
}

enum Piece {
    Text(&'static str),
    Formula(Formula),
    /// In parentheses unless it is an atom or constant, or (in Spot's syntax) has a prefix
    /// operator.
    Operand(Formula),
}

/// Prints `f`.
pub fn print(formulas: &Formulas, f: Formula, syntax: Syntax) -> String {
    let mut out = String::new();
    let mut stack = vec![Piece::Formula(f)];
    if syntax != Syntax::Spot && is_binary(formulas.node(f)) {
        stack = vec![Piece::Operand(f)];
    }
    while let Some(piece) = stack.pop() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Operand(f) => {
                if is_binary(formulas.node(f)) {
                    stack.push(Piece::Text(")"));
                    stack.push(Piece::Formula(f));
                    out.push('(');
                } else {
                    stack.push(Piece::Formula(f));
                }
            }
            Piece::Formula(f) => {
                if let Node::Atom(atom) = formulas.node(f) {
                    print_atom(formulas.atom_name(*atom), syntax, &mut out);
                } else {
                    let at = stack.len();
                    push_node(formulas.node(f), syntax, &mut stack);
                    stack[at..].reverse();
                }
            }
        }
    }
    out
}

fn is_binary(node: &Node) -> bool {
    !matches!(
        node,
        Node::True
            | Node::False
            | Node::Atom(_)
            | Node::Not(_)
            | Node::Next(_)
            | Node::Finally(_)
            | Node::Globally(_)
    )
}

/// Appends the pieces of one node, left to right.
fn push_node(node: &Node, syntax: Syntax, pieces: &mut Vec<Piece>) {
    let spin = syntax == Syntax::Spin;
    let pick = |ours: &'static str, spins: &'static str| if spin { spins } else { ours };
    let mut unary = |op: &'static str, f: Formula| {
        pieces.push(Piece::Text(op));
        // `G(a)`, but `!a`: a negation cannot merge with a name.
        if syntax == Syntax::Spot || op == "!" {
            pieces.push(Piece::Operand(f));
        } else {
            pieces.extend([Piece::Text("("), Piece::Formula(f), Piece::Text(")")]);
        }
    };
    match *node {
        Node::True => pieces.push(Piece::Text(pick("1", "true"))),
        Node::False => pieces.push(Piece::Text(pick("0", "false"))),
        Node::Atom(_) => {}
        Node::Not(f) => unary("!", f),
        Node::Next(f) => unary("X", f),
        Node::Finally(f) => unary(pick("F", "<>"), f),
        Node::Globally(f) => unary(pick("G", "[]"), f),
        Node::And(ref fs) => join(pick(" & ", " && "), fs, pieces),
        Node::Or(ref fs) => join(pick(" | ", " || "), fs, pieces),
        Node::Implies(ref fg) => join(" -> ", fg, pieces),
        Node::Iff(ref fg) => join(" <-> ", fg, pieces),
        Node::Xor(ref fg) if spin => {
            pieces.push(Piece::Text("!("));
            join(" <-> ", fg, pieces);
            pieces.push(Piece::Text(")"));
        }
        Node::Xor(ref fg) => join(" xor ", fg, pieces),
        Node::Until(ref fg) => join(" U ", fg, pieces),
        Node::Release(ref fg) => join(pick(" R ", " V "), fg, pieces),
        // f W g = g R (f | g), f M g = g U (f & g)
        Node::WeakUntil([f, g]) if spin => {
            pieces.extend([Piece::Operand(g), Piece::Text(" V (")]);
            join(" || ", &[f, g], pieces);
            pieces.push(Piece::Text(")"));
        }
        Node::StrongRelease([f, g]) if spin => {
            pieces.extend([Piece::Operand(g), Piece::Text(" U (")]);
            join(" && ", &[f, g], pieces);
            pieces.push(Piece::Text(")"));
        }
        Node::WeakUntil(ref fg) => join(" W ", fg, pieces),
        Node::StrongRelease(ref fg) => join(" M ", fg, pieces),
    }
}

fn join(op: &'static str, operands: &[Formula], pieces: &mut Vec<Piece>) {
    for (i, f) in operands.iter().enumerate() {
        if i > 0 {
            pieces.push(Piece::Text(op));
        }
        pieces.push(Piece::Operand(*f));
    }
}

fn print_atom(name: &str, syntax: Syntax, out: &mut String) {
    if is_plain(name) || syntax == Syntax::Full && is_call(name) {
        out.push_str(name);
        return;
    }
    out.push_str(&quoted(name));
}

/// The text between quotes, with quotes and backslashes escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Returns whether it has the form `word(…)` with the last parenthesis closing the first.
fn is_call(name: &str) -> bool {
    let Some((word, rest)) = name.split_once('(') else {
        return false;
    };
    let mut depth = 1usize;
    let end = rest.bytes().position(|b| {
        match b {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    is_plain(word) && end == Some(rest.len().wrapping_sub(1)) && rest.trim() == rest
}
