//! One invariant of one model, checked by Lariat and by Stateright: times, states and memory.
//!
//! ```text
//! cargo run --release --manifest-path benches/stateright/Cargo.toml [SIZE] [ROUNDS]
//! ```
//!
//! Both checkers call the same functions of the same model, which implements the trait of
//! Stateright and is adapted to that of Lariat. Every measurement is a process of its own; the two
//! alternate, so that other load on the machine affects both. The last lines have the medians.

mod commit;

use commit::Commit;
use lariat::modelling::{Checker, Model};
use stateright::{Checker as _, Model as _};
use std::fmt::Debug;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::process::Command;
use std::time::Instant;
use wait4::Wait4;

/// A model of Stateright as one of Lariat.
struct Adapted<M>(M);

impl<M> Model for Adapted<M>
where
    M: stateright::Model + Send + Sync + 'static,
    M::State: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    M::Action: Clone + Debug + Send + Sync + 'static,
{
    type State = M::State;
    type Action = M::Action;

    fn initial(&self) -> Vec<M::State> {
        self.0.init_states()
    }

    fn actions(&self, state: &M::State, actions: &mut Vec<M::Action>) {
        self.0.actions(state, actions);
    }

    fn next(&self, state: &M::State, action: &M::Action) -> Option<M::State> {
        self.0.next_state(state, action.clone())
    }
}

/// Runs one check in this process and prints its states and seconds.
fn check(tool: &str, size: usize, threads: usize) {
    let begun = Instant::now();
    let states = if tool == "stateright" {
        let checker = Commit(size).checker().threads(threads).spawn_bfs().join();
        checker.assert_properties();
        checker.unique_state_count() as u64
    } else {
        let checker = Checker::new(Adapted(Commit(size)))
            .threads(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))
            .atom("consistent", commit::is_consistent);
        let report = checker.check("G consistent").expect("a formula");
        assert_eq!(report.holds(), Some(true), "{report}");
        report.to_json()["stats"]["states"].as_u64().unwrap_or(0)
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

fn measure(tool: &str, size: usize, threads: usize) -> Measured {
    let program = std::env::current_exe().expect("this program");
    let arguments = [tool.to_owned(), size.to_string(), threads.to_string()];
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

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).and_then(|text| text.parse().ok());
    if let Some(tool @ ("lariat" | "stateright")) = arguments.first().map(String::as_str) {
        return check(tool, number(1).unwrap_or(7), number(2).unwrap_or(1));
    }
    let (size, rounds) = (number(0).unwrap_or(7), number(1).unwrap_or(5));
    for threads in [1, 2] {
        let tools = ["stateright", "lariat"];
        let mut all = [Vec::new(), Vec::new()];
        for _ in 0..rounds.max(1) {
            for (tool, measured) in tools.iter().zip(&mut all) {
                measured.push(measure(tool, size, threads));
            }
        }
        assert_eq!(all[0][0].states, all[1][0].states, "different models");
        let of = |i: usize, figure: fn(&Measured) -> f64| median(all[i].iter().map(figure).collect());
        for (i, tool) in tools.iter().enumerate() {
            println!(
                "{tool:10} {threads} threads: {} states, {:.2} s, {:.2} s of processor, {:.0} MB",
                all[i][0].states,
                of(i, |m| m.seconds),
                of(i, |m| m.cpu),
                of(i, |m| m.megabytes)
            );
        }
        println!(
            "{threads} threads: {:.2} times the speed by the clock, {:.2} times by processor time, {:.2} times the memory",
            of(0, |m| m.seconds) / of(1, |m| m.seconds),
            of(0, |m| m.cpu) / of(1, |m| m.cpu),
            of(1, |m| m.megabytes) / of(0, |m| m.megabytes)
        );
    }
}
