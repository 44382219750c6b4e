//! Reads a net, checks a formula, and shows the run that violates it:
//!
//!     cargo run -p lariat --example check [-- MODEL FORMULA]

use lariat::formats::read;
use lariat::model::Properties;
use lariat::{Budget, Explored, Options, Property, Quiet, Subject, Systems, Verdict, check};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mutex = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.pnml");
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| mutex.to_owned());
    let formula = arguments.next();
    let formula = formula
        .as_deref()
        .unwrap_or("G (waiting_1 -> F critical_1)");

    let model = read(&path, &std::fs::read(&path)?)?;
    let mut properties = Properties::new();
    properties.add_formula(&model.names(), "the command line", None, formula)?;

    let subject = Subject::new(&model, &properties);
    let report = check(
        &subject,
        Property::Formula(properties.list[0].formula),
        &Options::default(),
        &mut Explored::new(&Systems::new()),
        &Budget::bytes(1 << 30).with_deadline(Duration::from_secs(60)),
        &Quiet,
    );
    match report.verdict {
        Verdict::Holds(_) => println!("holds"),
        Verdict::Unknown(reason) => println!("unknown: {reason}"),
        Verdict::Violated(replayed) => {
            let lasso = replayed.lasso();
            println!("violated by {} steps, then for ever:", lasso.prefix.len());
            for step in &lasso.cycle {
                let event = step.event.map(|e| &*model.system.event(e).name);
                println!("  {}", event.unwrap_or("(nothing, for it is stuck)"));
            }
        }
    }
    Ok(())
}
