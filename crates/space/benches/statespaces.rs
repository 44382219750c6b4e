//! State spaces of generated families, contest nets and DVE models, with their costs.
//!
//! `cargo bench -p lariat-space --bench statespaces -- [--order auto|all|NAME,…|auto:ROW=VALUE,…]
//! [--edges] [--limit WORK] [--memory MB] [FILTER…]`: rows whose name contains one of the filters;
//! by default all generated and plain nets. Contest nets come from the folder `mcc` in
//! `LARIAT_MODELS` (or `../shared/models`), programs from `dve` beside it.
//!
//! A row: CPU seconds; nodes created, of the result, and at the peak; bytes per node in pool and
//! unique table; megabytes leased and resident at most; collections; CPU seconds of the counting;
//! states; and the nodes created in every attempt.
//!
//! With `--order all` the automatic order comes first, then the one that it found, then the others,
//! none of which gets much more work than the best so far. A line reports whether the automatic
//! order took at most twice the time of the best single one, plus 0.1 s, plus 10 µs per place; the
//! last line reports the number of such rows. In close cases both are measured three times, and the
//! medians are compared.

use lariat_budget::{Budget, RunContext, Stop};
use lariat_corpora::bench::{arguments, cpu, resident};
use lariat_corpora::{models, table};
use lariat_formats::read_model;
use lariat_model::generate::{Family, generate};
use lariat_model::order::OrderName;
use lariat_model::{Deadlock, System};
use lariat_space::symbolic::{OrderChoice, ReachResult, Reached, reach};
use std::collections::VecDeque;

/// Work granted to every order, whatever the best one needs.
const MARGIN: u64 = 200_000;

/// Limits of one row.
#[derive(Clone, Copy)]
struct RowLimits {
    work: u64,
    memory: u64,
}

fn main() {
    let mut filters = Vec::new();
    let (mut orders, mut edges, mut limit) = ("file".to_owned(), false, 100_000_000);
    let mut memory = 3 << 10;
    let mut args = arguments();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--order" => orders = args.next().unwrap_or_default(),
            "--edges" => edges = true,
            "--limit" => limit = args.next().and_then(|l| l.parse().ok()).unwrap_or(limit),
            "--memory" => memory = args.next().and_then(|m| m.parse().ok()).unwrap_or(memory),
            _ => filters.push(arg),
        }
    }
    let limits = RowLimits {
        work: limit,
        memory: memory << 20,
    };
    let mut passed: Vec<bool> = Vec::new();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|f| name.contains(f));
    for (family, sizes) in [
        (Family::Philosophers, &[1000, 5000][..]),
        (Family::SlottedRing, &[50, 100]),
        (Family::Kanban, &[50, 100, 200]),
        (Family::Fms, &[20, 50, 100]),
    ] {
        for size in sizes {
            let name = format!("{}-{size}", family.name());
            if wanted(&name) {
                match generate(family, *size) {
                    Ok(system) => passed.extend(rows(&name, &system, None, &orders, edges, limits)),
                    Err(error) => println!("{name}: {error}"),
                }
            }
        }
    }
    for (kind, file, states) in [("mcc", "/model.pnml", 5), ("dve", ".dve", 4)] {
        let Some(folder) = models(kind) else {
            continue;
        };
        for fields in table(&folder.join("index.tsv")) {
            let (Some(name), Some(states)) = (fields.first(), fields.get(states)) else {
                continue;
            };
            // Programs and coloured nets run only by name.
            let is_plain = kind == "mcc" && fields.get(1).is_some_and(|kind| kind == "PT");
            if filters.is_empty() && !is_plain {
                continue;
            }
            if !wanted(name) || states.parse::<u128>().is_err() {
                continue;
            }
            let path = folder.join(format!("{name}{file}"));
            let system = std::fs::read(&path)
                .map_err(|e| e.to_string())
                .and_then(|bytes| read_model(name, &bytes).map_err(|e| e.to_string()));
            match system {
                Ok(system) => {
                    passed.extend(rows(name, &system, Some(states), &orders, edges, limits));
                }
                Err(error) => println!("{name}: {error}"),
            }
        }
    }
    if !passed.is_empty() {
        let good = passed.iter().filter(|p| **p).count();
        println!("order bar: {good} of {} rows pass", passed.len());
    }
}

/// Prints one row per order; returns whether the automatic one passes the bar, if all are
/// requested.
fn rows(
    name: &str,
    system: &System,
    expected: Option<&str>,
    orders: &str,
    edges: bool,
    limits: RowLimits,
) -> Option<bool> {
    let all = orders == "all";
    let mut choices: VecDeque<(String, OrderChoice)> = match orders {
        "auto" | "all" => VecDeque::from([("auto".to_owned(), OrderChoice::Auto)]),
        names => names
            .split(',')
            .map(|one| match one.parse() {
                Ok(name) => (one.to_owned(), OrderChoice::Named(name)),
                Err(_) => match one.strip_prefix("auto:").map(str::parse) {
                    Some(Ok(schedule)) => (one.to_owned(), OrderChoice::Scheduled(schedule)),
                    _ => ("auto".to_owned(), OrderChoice::Auto),
                },
            })
            .collect(),
    };
    let RowLimits {
        work: mut limit,
        memory,
    } = limits;
    let mut automatic = None;
    let mut best: Option<(f64, String)> = None;
    while let Some((order, choice)) = choices.pop_front() {
        let budget = Budget::bytes(memory).with_work(limit);
        let start = cpu();
        let ctx = RunContext::quiet(&budget);
        let outcome = reach(system, &choice, Deadlock::Stutter, ctx);
        let seconds = cpu() - start;
        let found = match &outcome {
            Ok(ReachResult::All(reached)) => Some(reached.order.clone()),
            _ => None,
        };
        if found.is_some() && all {
            limit = limit.min(budget.work_spent() / 4 * 5 + MARGIN);
            if choice == OrderChoice::Auto {
                automatic = Some(seconds);
            } else if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                best = Some((seconds, order.clone()));
            }
        }
        if all && choice == OrderChoice::Auto {
            let mut names: Vec<OrderName> = OrderName::all().collect();
            names.sort_by_key(|name| Some(name.to_string()) != found);
            let names = names.iter();
            choices.extend(names.map(|o| (o.to_string(), OrderChoice::Named(*o))));
        }
        let text = match outcome {
            Err(Stop::Unsupported(_)) => continue,
            Err(stop) => format!("{stop}, {:.0} MB resident", resident()),
            Ok(ReachResult::Unbounded(proof)) => format!("unbounded: {proof:?}"),
            Ok(ReachResult::All(reached)) => told(*reached, expected, edges, &budget),
        };
        println!("{name:28} {order:14} {seconds:7.2} s {text}");
    }
    if !all {
        return None;
    }
    let (Some(automatic), Some((least, order))) = (automatic, best) else {
        println!("{name:28} order bar: FAIL, no order came to an end");
        return Some(false);
    };
    Some(passes(name, system, automatic, least, &order, memory))
}

/// Describes reachable states that were found within `budget`.
fn told(mut reached: Reached<'_>, expected: Option<&str>, edges: bool, budget: &Budget) -> String {
    let figures = reached.space.store_figures();
    let start = cpu();
    let census = match reached.space.census(&reached.states, edges) {
        Err(stop) => return stop.to_string(),
        Ok(census) => census,
    };
    let counted = cpu() - start;
    let states = census.states.to_string();
    let verdict = match expected {
        Some(expected) if expected != states => "WRONG",
        Some(_) => "right",
        None => "",
    };
    let trail = reached.trail.iter();
    let trail: Vec<String> = trail
        .map(|a| format!("{} {}", a.order, a.created))
        .collect();
    let tried = if trail.len() > 1 {
        trail.join(", ")
    } else {
        String::new()
    };
    let edges = census
        .edges
        .map(|e| format!("edges {}", short(&e.to_string())));
    let bytes = figures.peak_bytes + figures.unique_bytes;
    format!(
        "created {:>8} final {:>7} peak {:>7} {:5.1} B/node {:>4} MB ({:>4.0}) gc {} count {counted:.2} s {} {verdict} {} [{}]",
        figures.created,
        census.nodes,
        figures.peak,
        bytes as f64 / figures.peak.max(1) as f64,
        budget.bytes_peak() >> 20,
        resident(),
        figures.collections,
        short(&states),
        edges.unwrap_or_default(),
        tried,
    )
}

/// Returns whether the automatic order takes at most twice the time of the best single one, plus a
/// constant.
fn passes(
    name: &str,
    system: &System,
    mut automatic: f64,
    mut least: f64,
    order: &str,
    memory: u64,
) -> bool {
    let bar_of = |least: f64| 2.0 * least + 0.1 + 10e-6 * system.variables.len() as f64;
    if (0.8..1.25).contains(&(automatic / bar_of(least))) {
        // Near the bar noise decides, so both are measured more often, alternately.
        let seconds = |choice: &OrderChoice| {
            let start = cpu();
            let budget = Budget::bytes(memory);
            let ctx = RunContext::quiet(&budget);
            let found = reach(system, choice, Deadlock::Stutter, ctx);
            found.map_or(f64::INFINITY, |_| cpu() - start)
        };
        let single = order.parse().map_or(OrderChoice::Auto, OrderChoice::Named);
        let (mut ours, mut theirs) = (vec![automatic], vec![least]);
        for _ in 0..2 {
            ours.push(seconds(&OrderChoice::Auto));
            theirs.push(seconds(&single));
        }
        (automatic, least) = (median(ours), median(theirs));
    }
    let bar = bar_of(least);
    let pass = automatic <= bar;
    println!(
        "{name:28} order bar: {} auto {automatic:.2} s, {order} {least:.2} s, {:.2} of what it may take",
        if pass { "pass" } else { "FAIL" },
        automatic / bar
    );
    pass
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// A large number as `1.234e56`.
fn short(number: &str) -> String {
    if number.len() <= 20 {
        return number.to_owned();
    }
    format!("{}.{}e{}", &number[..1], &number[1..5], number.len() - 1)
}
