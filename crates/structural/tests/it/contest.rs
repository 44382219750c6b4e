//! Facts about contest models against known answers. `LARIAT_BYTES` limits the model file.

use crate::automata::of_atoms;
use lariat_automata::{LegalLetters, translate};
use lariat_budget::Budget;
use lariat_formats::{load, mcc};
use lariat_ltl::Formulas;
use lariat_model::{Deadlock, PropertyList, Proposition};
use lariat_structural::Facts;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Results for one instance.
#[derive(Default)]
struct Tally {
    formulas: usize,
    decided: usize,
    simpler: usize,
    wrong: Vec<String>,
}

#[test]
fn nothing_contradicts_the_known_answers() {
    let most = lariat_corpora::number("LARIAT_BYTES", 20_000);
    for kind in ["mcc", "mcc-wide"] {
        let Some(folder) = lariat_corpora::models(kind) else {
            continue;
        };
        let mut instances: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .flatten()
            .map(|e| e.path())
            .collect();
        instances.sort();
        for path in instances.into_iter().filter(|p| p.is_dir()) {
            let size = fs::metadata(path.join("model.pnml")).map_or(u64::MAX, |m| m.len());
            if size <= most {
                instance(&path);
            }
        }
    }
}

fn instance(path: &Path) {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let bytes = fs::read(path.join("model.pnml")).unwrap();
    let budget = Budget::bytes(4 << 30).with_deadline(Duration::from_secs(60));
    let Ok(model) = load(&name, &bytes, &budget) else {
        println!("{name}: not read");
        return;
    };
    let verdicts = lariat_corpora::table(&path.join("verdicts.tsv"));
    let verdicts: HashMap<&str, &str> = verdicts.iter().map(|row| (&*row[0], &*row[1])).collect();
    let started = Instant::now();
    let mut facts = Facts::of(&model.system);
    if let Some(coloured) = &model.coloured {
        let folded = facts.unfolded_from(coloured, &model.system, &budget);
        assert_eq!(folded, Ok(()));
    }
    let bounded = facts.bounded(&budget).unwrap_or_default();
    let first = started.elapsed();
    let terminates = facts.terminates(&budget).is_ok_and(|t| t.is_some());
    let mut tally = Tally::default();
    for file in ["LTLCardinality.xml", "LTLFireability.xml"] {
        let Ok(text) = fs::read(path.join(file)) else {
            continue;
        };
        let mut properties = PropertyList::new();
        if mcc::read(&mut properties, &model.names(), file, &text).is_err() {
            continue;
        }
        for property in &properties.list {
            let known = verdicts.get(&*property.name).copied().unwrap_or("?");
            let mut formulas = properties.formulas.clone();
            let budget = budget.clone().with_deadline(Duration::from_secs(5));
            let found = decide(
                &mut facts,
                &mut formulas,
                property.formula,
                &properties.propositions,
                &budget,
            );
            tally.formulas += 1;
            tally.simpler += usize::from(found.1);
            if let Some(verdict) = found.0 {
                tally.decided += 1;
                if known != "?" && known != verdict {
                    tally
                        .wrong
                        .push(format!("{}: {verdict}, known {known}", property.name));
                }
            }
        }
    }
    let bounded = (bounded.iter().filter(|b| **b).count(), bounded.len());
    println!(
        "{name}: {}/{} bounded ({:.0?}){}, {} of {} decided, {} simpler, {:?} LPs, {:.2?}",
        bounded.0,
        bounded.1,
        first,
        if terminates { ", terminates" } else { "" },
        tally.decided,
        tally.formulas,
        tally.simpler,
        facts.effort(),
        started.elapsed(),
    );
    assert_eq!(tally.wrong, Vec::<String>::new());
}

/// The verdict that facts alone give, and whether the formula got simpler.
fn decide(
    facts: &mut Facts,
    formulas: &mut Formulas,
    formula: lariat_ltl::Formula,
    propositions: &[Proposition],
    budget: &Budget,
) -> (Option<&'static str>, bool) {
    let Ok(simple) = facts.simplify(formulas, formula, propositions, Deadlock::Stutter, budget)
    else {
        return (None, false);
    };
    let simpler = !simple.constants.is_empty()
        || !simple.same.is_empty()
        || simple.finite_runs
        || simple.at_start;
    match simple.formula {
        Formulas::TRUE => return (Some("T"), simpler),
        Formulas::FALSE => return (Some("F"), simpler),
        _ => {}
    }
    let negation = formulas.not(simple.formula);
    let limited = budget.clone().with_work(100_000);
    let Ok(mut automaton) = translate(formulas, negation, &LegalLetters::any(), &limited) else {
        return (None, simpler);
    };
    let own = of_atoms(&automaton, propositions);
    let pruned = facts.prune(&mut automaton, &own, Deadlock::Stutter, budget);
    let empty = pruned.is_ok() && automaton.initial.is_empty();
    (empty.then_some("T"), simpler)
}
