//! Reads a net, checks a formula, and prints the run that violates it:
//!
//!     cargo run -p lariat --example check [-- MODEL FORMULA]

use lariat::{Checker, Model, Verdict};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mutex = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.pnml");
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| mutex.to_owned());
    let formula = arguments.next();
    let formula = formula
        .as_deref()
        .unwrap_or("G (waiting_1 -> F critical_1)");

    let model = Model::open(&path)?;
    let report = Checker::new(&model)
        .timeout(Duration::from_secs(60))
        .check(formula)?;
    match report.verdict() {
        Verdict::Holds => println!("holds"),
        Verdict::Unknown(reason) => println!("unknown: {reason}"),
        Verdict::Violated(trace) => {
            println!("violated by {} steps:", trace.len());
            for step in trace.steps() {
                let mark = if step.in_loop() { "loop" } else { "" };
                println!("  {mark:4} {}", step.event().unwrap_or("(deadlock)"));
            }
        }
    }
    Ok(())
}
