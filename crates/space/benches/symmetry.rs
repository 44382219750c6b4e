//! Cost of symmetries: finding those of a net, and computing the representative of a marking.
//!
//! `cargo bench -p lariat-space --bench symmetry -- [--markings N] [--rounds N] [MODEL.pnml…]`:
//! without models, coloured nets of the contest. Times are processor time; the fastest round
//! counts.

use lariat_budget::Budget;
use lariat_corpora::bench::{arguments, cpu, file};
use lariat_corpora::models;
use lariat_formats::{LoadedModel, read};
use lariat_model::Deadlock;
use lariat_reductions::symmetry::{CanonScratch, Representatives, Symmetry, Tokens, detect};
use lariat_space::explicit::{Explicit, ExplicitStateId, StepCursor};
use std::hint::black_box;
use std::path::PathBuf;

/// Nets with known symmetries.
const USUAL: [&str; 17] = [
    "AirplaneLD-COL-0010",
    "BART-COL-002",
    "CSRepetitions-COL-02",
    "DatabaseWithMutex-COL-02",
    "DrinkVendingMachine-COL-02",
    "LamportFastMutEx-COL-3",
    "Philosophers-COL-000005",
    "Philosophers-COL-000010",
    "PhilosophersDyn-COL-03",
    "PolyORBLF-COL-S02J04T06",
    "PolyORBNT-COL-S05J20",
    "QuasiCertifProtocol-COL-02",
    "SafeBus-COL-03",
    "SharedMemory-COL-000005",
    "Sudoku-COL-AN03",
    "TokenRing-COL-005",
    "UtilityControlRoom-COL-Z2T4N02",
];

fn usual() -> Vec<PathBuf> {
    let Some(folder) = models("mcc") else {
        return Vec::new();
    };
    let nets = USUAL.iter().map(|net| folder.join(net).join("model.pnml"));
    nets.filter(|path| path.exists()).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut markings, mut rounds) = (20_000, 5);
    let mut paths = Vec::new();
    let mut arguments = arguments();
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--markings" => markings = arguments.next().unwrap_or_default().parse()?,
            "--rounds" => rounds = arguments.next().unwrap_or_default().parse()?,
            name => paths.push(file(name)),
        }
    }
    if paths.is_empty() {
        paths = usual();
    }
    println!("places\ttransitions\tlog10 group\tfinding s\tmarkings\tµs each\tmodel");
    for path in paths {
        let name = path.display().to_string();
        let model = read(&name, &std::fs::read(&path)?)?;
        let (symmetry, finding) = found(&model, rounds)?;
        let all = reached(&model, markings);
        let each = representing(&symmetry, &all, rounds);
        println!(
            "{}\t{}\t{:.2}\t{:.4}\t{}\t{:.2}\t{name}",
            model.system.variables.len(),
            model.system.events.len(),
            symmetry.magnitude(),
            finding,
            all.len(),
            each * 1e6
        );
    }
    Ok(())
}

fn found(
    model: &LoadedModel,
    rounds: u32,
) -> Result<(Symmetry<'_>, f64), Box<dyn std::error::Error>> {
    let mut best: Option<(Symmetry<'_>, f64)> = None;
    for _ in 0..rounds.max(1) {
        let start = cpu();
        let coloured = model.coloured.as_deref();
        let found = detect(&model.system, coloured, &Budget::unlimited())?;
        let time = cpu() - start;
        if best.as_ref().is_none_or(|(_, least)| time < *least) {
            best = Some((found, time));
        }
    }
    best.ok_or_else(|| "no round".into())
}

/// The first markings reached, breadth first.
fn reached(model: &LoadedModel, most: usize) -> Vec<Tokens> {
    let space = Explicit::new(&model.system, Deadlock::Stutter);
    let mut states = space.states(&Budget::unlimited());
    let mut all = Vec::new();
    if !matches!(space.initial(&mut states, 0), Ok(Some(_))) {
        return all;
    }
    while all.len() < states.len() && all.len() < most {
        let state = ExplicitStateId(all.len() as u32);
        let mut cursor = StepCursor::default();
        while let Ok(Some(event)) = space.next_event(&mut states, state, &mut cursor) {
            if states.len() >= most {
                break;
            }
            let target = space.quotient(&mut states, state, event, |_| false);
            if target.is_err() {
                break;
            }
        }
        all.push(space.tokens(&mut states, state).clone());
    }
    all
}

/// Time per marking.
fn representing(symmetry: &Symmetry<'_>, all: &[Tokens], rounds: u32) -> f64 {
    let canon = Representatives::of_all(symmetry);
    let mut room = CanonScratch::default();
    let mut best = f64::MAX;
    let mut tokens = Tokens::new();
    for _ in 0..rounds.max(1) {
        let start = cpu();
        for marking in all {
            tokens.clone_from(marking);
            black_box(canon.canon(&mut room, &mut tokens));
        }
        best = best.min(cpu() - start);
    }
    best / all.len().max(1) as f64
}
