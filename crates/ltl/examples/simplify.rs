//! Simplifies formulas, one a line of standard input, and prints what becomes of each and of its
//! negation. The last line sums up: formulas, subformulas before and after.
//!
//! `cut -f1 corpus.tsv | cargo run --release -p lariat-ltl --example simplify`

use std::io::BufRead;

use lariat_ltl::{Formulas, FreeVocabulary, Syntax, nnf, parse, print, simplify};

fn main() {
    let (mut count, mut before, mut after) = (0, 0, 0);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let mut s = Formulas::new();
        let Ok(f) = parse(&line, &mut s, &mut FreeVocabulary) else {
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
