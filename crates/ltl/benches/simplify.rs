//! Prints the simplified forms of formulas and their negations, and the reduction in size.
//!
//! `cargo bench -p lariat-ltl --bench simplify [-- -]` reads the table of formulas (`LARIAT_LTL`),
//! or with `-` standard input, one formula per line. Each output line has the formula, its
//! simplified form and the simplified negation. The last line is the sum: formulas, subformulas
//! before and after.

use lariat_corpora::bench::arguments;
use lariat_ltl::{Formulas, FreeVocabulary, Syntax, nnf, parse, print, simplify};

fn main() {
    let texts: Vec<String> = match arguments().next().as_deref() {
        Some("-") => std::io::stdin().lines().map_while(Result::ok).collect(),
        _ => {
            let Some(table) = lariat_corpora::formulas() else {
                return;
            };
            let first = |cells: Vec<String>| cells.into_iter().next();
            table.into_iter().filter_map(first).collect()
        }
    };
    let (mut count, mut before, mut after) = (0, 0, 0);
    for text in texts {
        let mut s = Formulas::new();
        let Ok(f) = parse(&text, &mut s, &mut FreeVocabulary) else {
            continue;
        };
        count += 1;
        let not_f = s.not(f);
        let forms = [f, not_f].map(|f| {
            let plain = nnf(&mut s, f, false);
            before += s.subformulas(plain).len();
            let simple = simplify(&mut s, f);
            after += s.subformulas(simple).len();
            print(&s, simple, Syntax::Spot)
        });
        println!("{}\t{}\t{}", print(&s, f, Syntax::Spot), forms[0], forms[1]);
    }
    println!("{count} formulas and their negations: {before} subformulas before, {after} after");
}
