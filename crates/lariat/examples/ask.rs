//! Asks about the reachable states of a net: deadlocks, bounds, and their number:
//!
//!     cargo run -p lariat --example ask

use lariat::{Answer, Checker, Model, Question};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mutex = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.pnml");
    let model = Model::open(mutex)?;
    let checker = Checker::new(&model);
    match checker.ask(&Question::deadlock())? {
        Answer::Yes(Some(run)) => println!("deadlock after {} steps", run.len()),
        Answer::No(_) => println!("no deadlock"),
        other => println!("deadlock: {other:?}"),
    }
    if let Answer::Number(bound) = checker.ask(&Question::bound("critical_1"))? {
        println!("at most {bound} tokens in critical_1");
    }
    if let Some(states) = checker.count_states().states {
        println!("{states} states");
    }
    Ok(())
}
