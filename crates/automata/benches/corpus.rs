//! Sizes of this crate's automata compared with those of a reference, per formula.
//!
//! `cargo bench -p lariat-automata --bench corpus [-- better|worse|all]` reads `corpus.tsv` from
//! the folder named by `LARIAT_LTL`, or `../shared/ltl`. Each line shows states and edges of the
//! automaton for a formula or for its negation, followed by the reference's, and `<` if the
//! automaton is smaller or `>` if it is larger; then come the sums and the time of all
//! translations.

use lariat_automata::{LegalLetters, translate};
use lariat_budget::Budget;
use lariat_corpora::bench::{arguments, cpu};
use lariat_ltl::{Formulas, FreeVocabulary, parse};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mode = arguments().next().unwrap_or_default();
    let Some(table) = lariat_corpora::formulas() else {
        return Ok(());
    };
    let mut sums = [[0usize; 2]; 2];
    let mut seconds = 0.0;
    let mut verdicts = [0usize; 3];
    println!("    states       edges     det  formula");
    for column in table {
        let mut formulas = Formulas::new();
        let f = parse(&column[0], &mut formulas, &mut FreeVocabulary)?;
        let not_f = formulas.not(f);
        for (g, states, edges, sign) in [(f, 2, 3, ""), (not_f, 10, 11, "!")] {
            let start = Instant::now();
            let a = translate(&mut formulas, g, &LegalLetters::any(), &Budget::unlimited())?;
            let took = start.elapsed().as_secs_f64();
            seconds += took;
            // The reference counts the empty automaton as one state.
            let ours = [a.states.len().max(1), a.edge_count()];
            let theirs: [usize; 2] = [column[states].parse()?, column[edges].parse()?];
            for i in 0..2 {
                sums[i][0] += ours[i];
                sums[i][1] += theirs[i];
            }
            let order = ours.cmp(&theirs);
            verdicts[(order as i8 + 1) as usize] += 1;
            let wanted = match mode.as_str() {
                "better" => order.is_lt(),
                "worse" => order.is_gt(),
                _ => true,
            };
            if wanted {
                println!(
                    "{} {:4} {:<5} {:5} {:<5}  {}  {sign}({})  {:.1} ms",
                    ["<", " ", ">"][(order as i8 + 1) as usize],
                    ours[0],
                    theirs[0],
                    ours[1],
                    theirs[1],
                    if a.is_deterministic() { "d" } else { "-" },
                    column[0],
                    took * 1e3,
                );
            }
        }
    }
    for (what, [ours, theirs]) in ["states", "edges"].iter().zip(sums) {
        println!(
            "{what}: {ours} against {theirs}, {:.3}",
            ours as f64 / theirs as f64
        );
    }
    let [less, equal, more] = verdicts;
    println!("smaller {less}, equal {equal}, larger {more}");
    println!("{seconds:.2} s for all translations by the clock");
    println!("{:.2} s of processor time in all", cpu());
    Ok(())
}
