//! Decides the first formulas of contest instances with one engine on sets, and compares with the known
//! verdicts: a line a formula, CPU seconds at the end of each.
//!
//!     cargo run --release -p lariat-engines --example contest_sets -- [--first N] [--timeout SECONDS] [--shared] ENGINE FOLDER…
//!
//! `--shared` explores each instance once for all its formulas.

use lariat_automata::{Legal, translate};
use lariat_budget::{Budget, Quiet, Stats};
use lariat_engines::hybrid::{Absorb, Check, Fixpoint, Hybrid, Method, explore};
use lariat_engines::{Outcome, Problem};
use lariat_model::{Deadlock, Names, Properties, read_model};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

fn hybrid(name: &str) -> Option<Hybrid> {
    let (method, check) = match name {
        "bcz" => (Method::Bcz, Check::Nsiec),
        "slap" => (Method::Slap(Absorb::All), Check::Nsiec),
        "slap-iec" => (Method::Slap(Absorb::All), Check::Iec),
        "slap-couvreur" => (Method::Slap(Absorb::All), Check::Couvreur),
        "slap-marked" => (Method::Slap(Absorb::Marked), Check::Nsiec),
        "slap-fst" => (
            Method::SlapFst(Absorb::All, Fixpoint::default()),
            Check::Nsiec,
        ),
        "slap-fst-el" => (Method::SlapFst(Absorb::All, Fixpoint::El), Check::Nsiec),
        "el" => (Method::Fixpoint(Fixpoint::El), Check::Nsiec),
        "owcty" => (Method::Fixpoint(Fixpoint::Owcty), Check::Nsiec),
        _ => return None,
    };
    Some(Hybrid {
        check,
        ..Hybrid::new(method)
    })
}

/// Seconds of CPU used by this process, where the system tells.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next();
    nanoseconds
        .and_then(|t| t.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e9
}

fn main() {
    let (mut first, mut timeout, mut shared) = (8, 60.0, false);
    let mut rest = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse::<f64>().ok());
        match argument.as_str() {
            "--first" => first = number().expect("a number of formulas") as usize,
            "--timeout" => timeout = number().expect("a number of seconds"),
            "--shared" => shared = true,
            _ => rest.push(argument),
        }
    }
    let hybrid = rest
        .first()
        .and_then(|name| hybrid(name))
        .expect("an engine");
    for folder in &rest[1..] {
        instance(&hybrid, Path::new(folder), first, timeout, shared);
    }
}

fn instance(hybrid: &Hybrid, folder: &Path, first: usize, timeout: f64, shared: bool) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let read = |file: &str| std::fs::read(folder.join(file)).expect("a readable file");
    let begin = cpu();
    let system = read_model("model.pnml", &read("model.pnml")).expect("a model");
    let verdicts = String::from_utf8(read("verdicts.tsv")).unwrap_or_default();
    let known: HashMap<&str, &str> = verdicts
        .lines()
        .filter_map(|l| l.split_once('\t'))
        .collect();
    let budget = Budget::bytes(3 << 30);
    let mut space = shared.then(|| {
        let order = &hybrid.order;
        explore(&system, order, Deadlock::Stutter, &budget, &Quiet).expect("reachable states")
    });
    println!("{name}: {:.3} s before the first formula", cpu() - begin);
    for file in ["LTLCardinality.xml", "LTLFireability.xml"] {
        let mut properties = Properties::new();
        let names = Names::of(&system);
        properties
            .add_mcc(&names, file, &read(file))
            .expect("properties");
        for property in properties.list.iter().take(first) {
            let before = cpu();
            let mut formulas = properties.formulas.clone();
            let negation = formulas.not(property.formula);
            let budget = budget
                .clone()
                .with_deadline(Duration::from_secs_f64(timeout));
            let automaton =
                translate(&mut formulas, negation, &Legal::any(), &budget).expect("an automaton");
            let translated = cpu() - before;
            let propositions: Vec<_> = automaton
                .atoms
                .iter()
                .map(|atom| properties.propositions[atom.index()].clone())
                .collect();
            let problem = Problem {
                system: &system,
                automaton: &automaton,
                propositions: &propositions,
                deadlock: Deadlock::Stutter,
            };
            let mut stats = Stats::default();
            let found = match space.take() {
                Some(explored) => {
                    let (found, explored) =
                        hybrid.run_in(&problem, explored, &budget, &Quiet, &mut stats);
                    space = Some(explored);
                    found
                }
                None => hybrid.run(&problem, &budget, &Quiet, &mut stats),
            };
            let verdict = match found {
                Ok(Outcome::Empty) => "TRUE".to_owned(),
                Ok(Outcome::Accepting(lasso)) => {
                    format!("FALSE {}+{}", lasso.prefix.len(), lasso.cycle.len())
                }
                Ok(Outcome::Undecided(_)) => "?".to_owned(),
                Err(stop) => format!("? {stop}"),
            };
            let id = property.name.as_str();
            let expected = known.get(id).copied().unwrap_or("?");
            let figure = |name| stats.get(name).map_or(String::new(), ToString::to_string);
            let wrong = !verdict.starts_with('?')
                && expected != "?"
                && !verdict.starts_with(&expected[..1]);
            println!(
                "{id:40} {verdict:14} {}{expected:6} {:7.3} (translation {translated:.3}) q {} nodes {} ops {} created {}",
                if wrong { "WRONG " } else { "" },
                cpu() - before,
                automaton.states.len(),
                figure("aggregates"),
                figure("symbolic_operations"),
                figure("diagram_created"),
            );
        }
    }
    println!("{name}: {:.3} s", cpu() - begin);
}
