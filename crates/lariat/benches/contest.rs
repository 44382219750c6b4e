//! Decides all formulas of the nets of the contest's collection, the coloured ones last, and
//! compares the verdicts with the known ones: one line per instance, then the sums. Exits with 1 if
//! a verdict is wrong.
//!
//!     cargo bench -p lariat --bench contest -- [--engine NAME] [--automaton-kind KIND]
//!         [--timeout SECONDS] [--memory GB] [PART OF A NAME]…

#[path = "../tests/it/kit.rs"]
mod kit;

use kit::{Tally, examine, instances};
use lariat::internals::{AutomatonKind, Budget, CheckOptions, EngineChoice, EngineId, Preset};
use lariat_corpora::bench::{self, cpu};
use lariat_corpora::models;
use std::process::ExitCode;
use std::time::Duration;

struct Arguments {
    options: CheckOptions,
    time: Duration,
    memory: u64,
    wanted: Vec<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut result = Arguments {
        options: CheckOptions::default(),
        time: Duration::from_secs(10),
        memory: 4 << 30,
        wanted: Vec::new(),
    };
    let mut kind = None;
    let mut arguments = bench::arguments();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next();
            value.ok_or_else(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--engine" => result.options.engine = choice(&value()?)?,
            "--automaton-kind" => kind = Some(value()?),
            "--timeout" => {
                let seconds = value()?.parse().map_err(|_| "no number of seconds")?;
                result.time = Duration::from_secs_f64(seconds);
            }
            "--memory" => {
                let gigabytes: u64 = value()?.parse().map_err(|_| "no number of gigabytes")?;
                result.memory = gigabytes << 30;
            }
            name if !name.starts_with('-') => result.wanted.push(name.to_owned()),
            other => return Err(format!("unknown option {other}")),
        }
    }
    if let (Some(name), EngineChoice::Plan(plan)) = (kind, &mut result.options.engine) {
        let found = AutomatonKind::ALL.into_iter().find(|k| k.name() == name);
        *plan = plan.reading(found.ok_or_else(|| format!("no kind is called {name}"))?);
    }
    result.options.validate()?;
    Ok(result)
}

fn choice(name: &str) -> Result<EngineChoice, String> {
    if name == EngineId::Auto.name() {
        return Ok(EngineChoice::default());
    }
    let preset = Preset::named(name);
    let preset = preset.ok_or_else(|| format!("no engine is called {name}"))?;
    Ok(preset.plan().into())
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let Some(folder) = models("mcc") else {
        return ExitCode::SUCCESS;
    };
    let line = |name: &str, states: &str, counts: [usize; 4], seconds: f64| {
        let [holds, violated, undecided, wrong] = counts;
        println!(
            "{name:32} {states:>15} {holds:6} {violated:9} {undecided:10} {wrong:6} {seconds:9.2}"
        );
    };
    println!(
        "instance                                  states  holds  violated  undecided  wrong   CPU [s]"
    );
    let mut sums = [0; 4];
    let kinds = ["PT", "COL"].into_iter();
    for instance in kinds.flat_map(|kind| instances(&folder, kind)) {
        let is_wanted = |part: &String| instance.name.contains(part.as_str());
        if !arguments.wanted.is_empty() && !arguments.wanted.iter().any(is_wanted) {
            continue;
        }
        let before = cpu();
        let mut all = Tally::default();
        for examination in ["LTLCardinality", "LTLFireability"] {
            let budget = Budget::bytes(arguments.memory);
            let (name, options) = (&instance.name, &arguments.options);
            let time = arguments.time;
            all.add(examine(&folder, name, examination, options, &budget, time));
        }
        let counts = all.counts();
        let states = instance.states.map_or("?".to_owned(), |n| n.to_string());
        line(&instance.name, &states, counts, cpu() - before);
        for undecided in &all.undecided {
            println!("    undecided {undecided}");
        }
        for wrong in &all.wrong {
            println!("    WRONG {wrong}");
        }
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    line("all", "", sums, cpu());
    ExitCode::from(u8::from(sums[3] > 0))
}
