//! Benchmark: TGBA, BA, TA and TGTA on the same stutter-invariant formulas, with the columns of Ben
//! Salem, Duret-Lutz and Kordon (ToPNoC VI, 2012).
//!
//! ```text
//! cargo run --release -p lariat-engines --example testing -- [formulas=3] [seconds=60] [seed=1] [model…]
//! ```
//!
//! For each model and each kind of formula (random, and `(GF p1 & …) -> φ`) formulas are drawn until there
//! are enough verified and enough violated ones for which every kind of automaton explores at least 2000 product
//! states, or the draws are used up. Automata: states and edges. Products: states and edges that
//! the check has explored (both passes for TA). A formula that some kind does not finish is left out of all
//! sums. Contest models are looked for in `LARIAT_MODELS`, or beside the project.

use lariat_automata::{Legal, translate};
use lariat_budget::{Budget, Figure, Quiet, Stats};
use lariat_engines::{Engine, Invariance, Outcome, Problem, ba, explicit, ta, tgta};
use lariat_ltl::{AtomId, Formula, Formulas, Random, Syntax, Weights, print, random_formula};
use lariat_model::generate::{Family, generate};
use lariat_model::{Comparison, Deadlock, Predicate, Proposition, System, VarId, read_model};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const KINDS: [(&str, Engine); 4] = [("TGBA", explicit), ("BA", ba), ("TA", ta), ("TGTA", tgta)];
const LEAST_EXPLORED: u64 = 2000;
const DRAWS: usize = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().map_or(Ok(default), |a| a.parse::<u64>());
    let (formulas, seconds, seed) = (number(3)?, number(60)?, number(1)?);
    let only: Vec<String> = arguments.collect();
    let mut sums = [[Row::default(); 4]; 2];
    for (name, system) in models()? {
        if !only.is_empty() && !only.contains(&name) {
            continue;
        }
        for fair in [false, true] {
            let class = if fair { "WFair" } else { "RND" };
            let rows = campaign(&system, fair, formulas, seconds, seed);
            for (verified, rows) in rows.iter().enumerate() {
                table(&name, class, verified == 1, rows);
                for (sum, row) in sums[verified].iter_mut().zip(rows) {
                    sum.add(row);
                }
            }
        }
    }
    for (verified, rows) in sums.iter().enumerate() {
        table("all", "", verified == 1, rows);
    }
    Ok(())
}

/// The figures of one kind, summed over formulas.
#[derive(Clone, Copy, Default)]
struct Row {
    formulas: u64,
    automaton: [u64; 2],
    explored: [u64; 2],
    seconds: f64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.formulas += other.formulas;
        for i in 0..2 {
            self.automaton[i] += other.automaton[i];
            self.explored[i] += other.explored[i];
        }
        self.seconds += other.seconds;
    }
}

fn table(model: &str, class: &str, verified: bool, rows: &[Row; 4]) {
    let verdict = if verified { "verified" } else { "violated" };
    println!(
        "{model} {class} {verdict}, sums over {} formulas",
        rows[0].formulas
    );
    println!("        aut.st.   aut.ed.    explored st.    explored ed.  seconds");
    for ((kind, _), row) in KINDS.iter().zip(rows) {
        println!(
            "  {kind:4} {:8} {:9} {:15} {:15} {:8.2}",
            row.automaton[0], row.automaton[1], row.explored[0], row.explored[1], row.seconds
        );
    }
}

/// Sums of each kind, over violated and over verified formulas.
fn campaign(system: &System, fair: bool, wanted: u64, seconds: u64, seed: u64) -> [[Row; 4]; 2] {
    let mut random = Random::new(seed ^ u64::from(fair) << 32);
    let mut sums = [[Row::default(); 4]; 2];
    for _ in 0..DRAWS {
        if sums.iter().all(|rows| rows[0].formulas >= wanted) {
            break;
        }
        let draw = Draw::new(system, fair, &mut random);
        let Some((verified, rows)) = draw.measure(system, seconds, &sums, wanted) else {
            continue;
        };
        for (sum, row) in sums[usize::from(verified)].iter_mut().zip(&rows) {
            sum.add(row);
        }
    }
    sums
}

struct Draw {
    formulas: Formulas,
    negation: Formula,
    propositions: Vec<Proposition>,
}

impl Draw {
    /// A formula over a few places, marked or not.
    fn new(system: &System, fair: bool, random: &mut Random) -> Draw {
        let mut formulas = Formulas::new();
        let mut propositions = Vec::new();
        let atoms: Vec<AtomId> = (0..4)
            .map(|i| {
                let place = VarId(random.below(system.variables.len()) as u32);
                let least = if random.chance(1, 4) { 2 } else { 1 };
                let marked = Predicate::compare(place, Comparison::Ge, least);
                propositions.push(Proposition::State(marked));
                formulas.atom_id(&format!("p{i}"))
            })
            .collect();
        let size = random.between(5, 12);
        let mut f = random_formula(&mut formulas, &atoms, size, &Weights::X_FREE, random);
        if fair {
            let count = random.between(2, 4);
            let fairness = atoms[..count].iter().map(|&p| {
                let p = formulas.atom(p);
                let p = formulas.finally(p);
                formulas.globally(p)
            });
            let fairness: Vec<Formula> = fairness.collect();
            let fairness = formulas.and(fairness);
            f = formulas.implies(fairness, f);
        }
        Draw {
            negation: formulas.not(f),
            formulas,
            propositions,
        }
    }

    /// Is the formula verified, and what did each kind do? `None` if some kind did not finish, explored too little, or
    /// there are enough such formulas.
    fn measure(
        mut self,
        system: &System,
        seconds: u64,
        sums: &[[Row; 4]; 2],
        wanted: u64,
    ) -> Option<(bool, [Row; 4])> {
        let budget = || Budget::bytes(2 << 30).with_deadline(Duration::from_secs(seconds));
        let legal = Legal::any();
        let automaton = translate(&mut self.formulas, self.negation, &legal, &budget()).ok()?;
        let meaning = |atom: &AtomId| self.propositions[atom.index()].clone();
        let propositions: Vec<Proposition> = automaton.atoms.iter().map(meaning).collect();
        let problem = Problem {
            invariance: Invariance::default(),
            most_tokens: None,
            system,
            automaton: &automaton,
            propositions: &propositions,
            deadlock: Deadlock::Stutter,
        };
        let mut rows = [Row::default(); 4];
        let mut verdict = None;
        for ((kind, engine), row) in KINDS.iter().zip(&mut rows) {
            let mut stats = Stats::default();
            let start = Instant::now();
            let verified = engine(&problem, &budget(), &Quiet, &mut stats).ok()? == Outcome::Empty;
            let count = |name: &str| match stats.get(name) {
                Some(Figure::Count(count)) => *count,
                _ => 0,
            };
            *row = Row {
                formulas: 1,
                automaton: match *kind {
                    "TGBA" => [automaton.states.len(), automaton.edge_count()].map(|n| n as u64),
                    _ => ["automaton_states", "automaton_edges"].map(count),
                },
                explored: ["product_states", "product_edges"].map(count),
                seconds: start.elapsed().as_secs_f64(),
            };
            assert!(
                verdict.is_none_or(|v| v == verified),
                "{kind} disagrees about {}",
                print(&self.formulas, self.negation, Syntax::Spot)
            );
            verdict = Some(verified);
            let enough = sums[usize::from(verified)][0].formulas >= wanted;
            if enough || row.explored[0] < LEAST_EXPLORED {
                return None;
            }
        }
        verdict.map(|verified| (verified, rows))
    }
}

fn models() -> Result<Vec<(String, System)>, Box<dyn std::error::Error>> {
    let mut models = Vec::new();
    for (family, size) in [
        (Family::Kanban, 5),
        (Family::Fms, 5),
        (Family::SlottedRing, 6),
    ] {
        models.push((format!("{}-{size}", family.name()), generate(family, size)?));
    }
    let folder = match std::env::var_os("LARIAT_MODELS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"),
    };
    for name in ["Peterson-PT-3", "MAPK-PT-00008", "Raft-PT-03"] {
        let path = folder.join("mcc").join(name).join("model.pnml");
        match std::fs::read(&path) {
            Ok(bytes) => models.push((name.to_owned(), read_model(name, &bytes)?)),
            Err(_) => println!("skipped: no {}", path.display()),
        }
    }
    Ok(models)
}
