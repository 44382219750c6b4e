//! Three models, checked by Lariat and by Stateright: times, states and memory.
//!
//! ```text
//! cargo run --release --manifest-path benches/stateright/Cargo.toml [ROUNDS [MODEL SIZE]]
//! ```
//!
//! Both checkers call the same functions: of the model of two-phase commit, or of the nodes of a
//! register, which are actors of both libraries. Every measurement is a process of its own; the two
//! checkers alternate, so that other load on the machine affects both. The last lines per model have
//! the medians.

mod commit;
mod ours;
mod paxos;
mod register;
mod shared_memory;
mod theirs;

use commit::Commit;
use lariat::modelling::Checker;
use paxos::Paxos;
use register::{Protocol, System};
use shared_memory::SharedMemory;
use stateright::Checker as _;
use std::fmt::Debug;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::process::Command;
use std::time::Instant;
use wait4::Wait4;

/// The models, with the numbers of managers or clients that are measured.
const MODELS: [(&str, usize); 3] = [("commit", 9), ("paxos", 3), ("register", 3)];

/// Checks a model with Stateright and returns its number of states.
fn theirs<M>(model: M, threads: usize) -> u64
where
    M: stateright::Model + Send + Sync + 'static,
    M::State: Clone + PartialEq + Hash + Debug + Send + Sync,
    M::Action: Clone + PartialEq + Debug,
{
    let checker = model.checker().threads(threads).spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count() as u64
}

/// Checks an invariant with Lariat and returns the number of states.
fn ours<M: lariat::modelling::Model>(
    model: M,
    threads: usize,
    invariant: impl Fn(&M::State) -> bool + Send + Sync + 'static,
) -> u64 {
    let checker = Checker::new(model)
        .threads(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))
        .atom("invariant", invariant);
    let report = checker.check("G invariant").expect("a formula");
    assert_eq!(report.holds(), Some(true), "{report}");
    report.to_json()["stats"]["states"].as_u64().unwrap_or(0)
}

fn register<P: Protocol>(is_lariat: bool, system: System<P>, threads: usize) -> u64 {
    if !is_lariat {
        return theirs(theirs::model(&system), threads);
    }
    ours(ours::Recorded::new(system), threads, |(_, history)| {
        history.is_consistent()
    })
}

/// Runs one check in this process and prints its states and seconds.
fn check(tool: &str, model: &str, size: usize, threads: usize) {
    let begun = Instant::now();
    let is_lariat = tool == "lariat";
    let states = match model {
        "paxos" => register(is_lariat, System::new(Paxos, 3, size), threads),
        "register" => register(is_lariat, System::new(SharedMemory, 2, size), threads),
        _ if is_lariat => ours(Commit(size), threads, commit::is_consistent),
        _ => theirs(Commit(size), threads),
    };
    println!("{states} {}", begun.elapsed().as_secs_f64());
}

/// A measured process.
#[derive(Clone, Copy)]
struct Measured {
    states: u64,
    seconds: f64,
    cpu: f64,
    megabytes: f64,
}

fn measure(tool: &str, model: &str, size: usize, threads: usize) -> Measured {
    let program = std::env::current_exe().expect("this program");
    let arguments = [tool, model, &size.to_string(), &threads.to_string()];
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a process");
    let ended = child.wait4().expect("an end");
    let mut text = String::new();
    let mut out = child.stdout.take().expect("a pipe");
    std::io::Read::read_to_string(&mut out, &mut text).expect("text");
    let (states, seconds) = text.trim().split_once(' ').expect("two figures");
    let cpu = ended.rusage.utime + ended.rusage.stime;
    Measured {
        states: states.parse().expect("a number"),
        seconds: seconds.parse().expect("a time"),
        cpu: cpu.as_secs_f64(),
        megabytes: ended.rusage.maxrss as f64 / 1e6,
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Measures one model and prints medians.
fn compare(model: &str, size: usize, threads: usize, rounds: usize) {
    let tools = ["stateright", "lariat"];
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..rounds.max(1) {
        for (tool, measured) in tools.iter().zip(&mut all) {
            measured.push(measure(tool, model, size, threads));
        }
    }
    let states = all[0][0].states;
    let counts = all.iter().flatten().map(|measured| measured.states);
    assert!(
        counts.into_iter().all(|count| count == states),
        "different models"
    );
    let figures: [fn(&Measured) -> f64; 3] = [|m| m.seconds, |m| m.cpu, |m| m.megabytes];
    let medians = all.map(|all| figures.map(|figure| median(all.iter().map(figure).collect())));
    for (tool, [seconds, cpu, megabytes]) in tools.iter().zip(medians) {
        println!(
            "{model} {size}, {tool}, {threads} threads: {states} states, {seconds:.2} s, {cpu:.2} s of processor, {megabytes:.0} MB"
        );
    }
    let [theirs, ours] = medians;
    println!(
        "{model} {size}, {threads} threads: {:.2} times the speed by the clock, {:.2} times by processor time, {:.2} times the memory",
        theirs[0] / ours[0],
        theirs[1] / ours[1],
        ours[2] / theirs[2]
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|text| text.parse().ok());
    if let Some(tool @ ("lariat" | "stateright")) = arguments.first().map(String::as_str) {
        let model = arguments.get(1).map_or("commit", String::as_str);
        return check(tool, model, number(2).unwrap_or(7), number(3).unwrap_or(1));
    }
    for (model, size) in MODELS {
        if arguments.get(1).is_some_and(|only| only != model) {
            continue;
        }
        for threads in [1, 2] {
            compare(
                model,
                number(2).unwrap_or(size),
                threads,
                number(0).unwrap_or(5),
            );
        }
    }
}
