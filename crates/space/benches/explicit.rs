//! Speed and memory of explicit exploration, on contest nets if they are available.
//!
//! ```text
//! cargo bench -p lariat-space --bench explicit -- [--seconds S] [--rounds N]
//!     [--against COMMIT|PROGRAM] [NAME…]
//! ```
//!
//! For every place/transition instance whose name contains one of the names: places, transitions,
//! states and edges per second in the order of discovery (`states`) and depth first (as in a
//! check), and bytes per state. Times and limits are processor time, where the system reports it.
//! `--against` names another commit, of which this bench is built, or a program built before: both
//! run in turn on every net, and the ratios of edges per second are printed with their geometric
//! means. With `--rounds`, each net is explored several times and the median speed is printed.

use lariat_budget::{Budget, Cancel, RunContext};
use lariat_corpora::models;
use lariat_formats::read_model;
use lariat_model::{Deadlock, System};
use lariat_space::explicit::{Explicit, StepCursor, count};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seconds per exploration.
const SECONDS: f64 = 3.0;
/// A shorter exploration is repeated for this many seconds, since processor time is coarse.
const LEAST_SECONDS: f64 = 0.2;
/// Bytes per exploration.
const BYTES: u64 = 6 << 30;
/// A net with more places is wide: the first mean is over these.
const WIDE: usize = 200;

/// One exploration: its results and costs.
#[derive(Clone, Copy, Default)]
struct Run {
    states: f64,
    edges: f64,
    seconds: f64,
    bytes: f64,
    /// Wall-clock seconds after the limit.
    late: f64,
}

impl Run {
    fn rate(self) -> f64 {
        self.edges / self.seconds
    }
}

/// Processor time of this thread in seconds, or wall-clock time.
fn processor(since: Instant) -> f64 {
    let schedule = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = schedule.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or(since.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// Runs `explore` with a budget that is cancelled after `seconds` of this thread; returns the
/// results of one run, in the time of one run.
fn measure(seconds: f64, mut explore: impl FnMut(&Budget) -> (f64, f64, f64)) -> Run {
    let (start, cancel) = (Instant::now(), Cancel::default());
    let before = processor(start);
    let budget = Budget::bytes(BYTES).with_cancel(cancel.clone());
    let (end, ended) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        loop {
            let over = processor(start) - before >= seconds;
            if over {
                cancel.press();
                return Some(Instant::now());
            }
            if ended.recv_timeout(Duration::from_millis(5)).is_ok() {
                return None;
            }
        }
    });
    let (mut rounds, least) = (0.0, LEAST_SECONDS.min(seconds));
    let (seconds, (states, edges, bytes)) = loop {
        let found = explore(&budget);
        rounds += 1.0;
        let seconds = processor(start) - before;
        if seconds >= least {
            break (seconds / rounds, found);
        }
    };
    let stopped = Instant::now();
    let _ = end.send(());
    let pressed = watch.join().ok().flatten();
    let late = pressed.map_or(0.0, |at| (stopped - at).as_secs_f64());
    Run {
        states,
        edges,
        seconds,
        bytes,
        late,
    }
}

/// Explores all states in the order of discovery.
fn broad(space: &Explicit<'_>, budget: &Budget) -> (f64, f64, f64) {
    let found = count(space, &[], RunContext::quiet(budget));
    (found.states as f64, found.edges as f64, found.bytes as f64)
}

/// Explores all states depth first.
fn deep(space: &Explicit<'_>, budget: &Budget) -> (f64, f64, f64) {
    let mut states = space.states(budget);
    let mut edges = 0u64;
    let mut stack = Vec::new();
    let mut search = || {
        let mut seen = 0;
        let mut k = 0;
        while let Some(initial) = space.initial(&mut states, k)? {
            k += 1;
            if initial.index() >= seen {
                seen = initial.index() + 1;
                stack.push((initial, StepCursor::default()));
            }
            while let Some((from, cursor)) = stack.last_mut() {
                match space.next(&mut states, *from, cursor)? {
                    None => drop(stack.pop()),
                    Some((_, to)) => {
                        edges += 1;
                        if to.index() >= seen {
                            seen = to.index() + 1;
                            stack.push((to, StepCursor::default()));
                        }
                    }
                }
            }
        }
        Ok::<(), lariat_budget::Stop>(())
    };
    // A search that is stopped is measured up to that point.
    let _ = search();
    (states.len() as f64, edges as f64, states.bytes() as f64)
}

fn runs(system: &System, seconds: f64) -> [Run; 2] {
    let space = Explicit::new(system, Deadlock::Stutter);
    [
        measure(seconds, |budget| broad(&space, budget)),
        measure(seconds, |budget| deep(&space, budget)),
    ]
}

fn read(path: &Path) -> Result<System, Box<dyn Error>> {
    let name = path.display().to_string();
    Ok(read_model(&name, &std::fs::read(path)?)?)
}

/// The run of median speed, for each of the two orders.
fn median(mut rounds: Vec<[Run; 2]>) -> [Run; 2] {
    [0, 1].map(|order| {
        rounds.sort_by(|a, b| a[order].rate().total_cmp(&b[order].rate()));
        rounds[rounds.len() / 2][order]
    })
}

/// This program built from another commit, in a folder that is kept for later runs.
fn built(commit: &str) -> Result<PathBuf, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/against").join(commit);
    let run = |command: &mut Command| -> Result<Vec<u8>, Box<dyn Error>> {
        let output = command.stderr(Stdio::inherit()).output()?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(format!("{command:?}: {}", output.status).into())
        }
    };
    if !folder.exists() {
        let mut git = Command::new("git");
        git.args(["worktree", "add", "--detach"]);
        run(git.arg(&folder).arg(commit).current_dir(&root))?;
    }
    let old = folder.join("crates/space");
    std::fs::create_dir_all(old.join("benches"))?;
    let bench = "benches/explicit.rs";
    std::fs::copy(root.join("crates/space").join(bench), old.join(bench))?;
    // Older commits do not declare this bench.
    let (manifest, named) = (old.join("Cargo.toml"), "name = \"explicit\"");
    let text = std::fs::read_to_string(&manifest)?;
    if !text.contains(named) {
        let more = format!("{text}\n[[bench]]\n{named}\nharness = false\n");
        std::fs::write(&manifest, more)?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["bench", "-p", "lariat-space", "--bench", "explicit"]);
    build.args(["--no-run", "--message-format", "json"]);
    let messages = String::from_utf8(run(build.current_dir(&folder))?)?;
    let mut programs = messages.lines().rev().filter_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        Some(PathBuf::from(rest.split_once('"')?.0))
    });
    programs.next().ok_or_else(|| "no bench was built".into())
}

/// The runs of another program, which prints them with `--one`.
fn others(program: &Path, path: &Path, seconds: f64) -> Result<[Run; 2], Box<dyn Error>> {
    let output = Command::new(program)
        .args(["--seconds", &seconds.to_string(), "--one"])
        .arg(path)
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let run = |line: Option<&str>| -> Option<Run> {
        let numbers: Result<Vec<f64>, _> = line?.split_whitespace().map(str::parse).collect();
        let &[states, edges, seconds, bytes, late] = &numbers.ok()?[..] else {
            return None;
        };
        Some(Run {
            states,
            edges,
            seconds,
            bytes,
            late,
        })
    };
    let mut lines = text.lines();
    let both = run(lines.next()).zip(run(lines.next()));
    let (broad, deep) = both.ok_or_else(|| format!("{} printed `{text}`", program.display()))?;
    Ok([broad, deep])
}

/// States and edges per second, edges per second depth first, and bytes per state.
fn rates(broad: Run, deep: Run) -> String {
    format!(
        "{:.0}\t{:.2}\t{:.2}\t{:.1}",
        broad.states / broad.seconds / 1e3,
        broad.rate() / 1e6,
        deep.rate() / 1e6,
        broad.bytes / broad.states,
    )
}

/// The place/transition nets of both collections, with their names.
fn instances() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in ["mcc-wide", "mcc"].iter().filter_map(|kind| models(kind)) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path().join("model.pnml");
            if name.contains("-PT-") && path.exists() {
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut seconds, mut rounds, mut against, mut names) = (SECONDS, 1, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo passes this to every benchmark.
            "--bench" => {}
            "--seconds" => seconds = arguments.next().ok_or("how many seconds?")?.parse()?,
            "--rounds" => {
                rounds = arguments.next().ok_or("how many rounds?")?.parse()?;
            }
            "--against" => {
                let other = arguments.next().ok_or("against which commit?")?;
                against = Some(if Path::new(&other).is_file() {
                    PathBuf::from(other)
                } else {
                    built(&other)?
                });
            }
            "--one" => {
                let path = arguments.next().ok_or("which net?")?;
                for r in runs(&read(Path::new(&path))?, seconds) {
                    let Run { states, edges, .. } = r;
                    println!("{states} {edges} {} {} {}", r.seconds, r.bytes, r.late);
                }
                return Ok(());
            }
            _ => names.push(argument),
        }
    }
    println!(
        "places\ttrans\tstates\tkstates/s\tMedges/s\tdfs Medges/s\tB/state\tlate s\tbefore: kstates/s\tMedges/s\tdfs Medges/s\tB/state\tratio\tdfs ratio\tnet"
    );
    let mut ratios: Vec<(usize, [f64; 2])> = Vec::new();
    for (name, path) in instances() {
        if !names.is_empty() && !names.iter().any(|part| name.contains(part)) {
            continue;
        }
        let system = read(&path)?;
        let (mut now, mut then) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            now.push(runs(&system, seconds));
            if let Some(program) = &against {
                then.push(others(program, &path, seconds)?);
            }
        }
        let [broad, deep] = median(now);
        let places = system.variables.len();
        print!(
            "{places}\t{}\t{}\t{}\t{:.2}",
            system.events.len(),
            broad.states,
            rates(broad, deep),
            broad.late.max(deep.late),
        );
        match against {
            Some(_) => {
                let before = median(then);
                let ratio = [(broad, 0), (deep, 1)].map(|(r, at)| r.rate() / before[at].rate());
                ratios.push((places, ratio));
                let rates = rates(before[0], before[1]);
                print!("\t{rates}\t{:.2}\t{:.2}", ratio[0], ratio[1]);
            }
            None => print!("\t\t\t\t\t\t"),
        }
        println!("\t{name}");
    }
    for (text, least) in [("wide nets", WIDE), ("all nets", 0)] {
        let chosen = ratios.iter().filter(|(places, _)| *places > least);
        let logs: Vec<[f64; 2]> = chosen.map(|(_, ratio)| ratio.map(f64::ln)).collect();
        if !logs.is_empty() {
            let sum = |order: usize| logs.iter().map(|l| l[order]).sum::<f64>();
            let [broad, deep] = [0, 1].map(|order| (sum(order) / logs.len() as f64).exp());
            println!("{text}: {broad:.2} and {deep:.2} times as fast (geometric mean)");
        }
    }
    Ok(())
}
