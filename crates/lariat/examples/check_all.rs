//! Checks several properties on two threads, and prints each report as it arrives:
//!
//!     cargo run -p lariat --example check_all

use lariat::{Checker, Model, Properties};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mutex = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/mutex.pnml");
    let model = Model::open(mutex)?;
    let mut properties = Properties::new(&model);
    properties.add_named("exclusion", "G !(critical_1 & critical_2)")?;
    properties.add_named("progress", "G (waiting_1 -> F critical_1)")?;
    properties.add_named("reachable", "EF critical_2")?;
    let threads = NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN);
    Checker::new(&model)
        .threads(threads)
        .check_all(&properties, |report| {
            println!("{report}");
            ControlFlow::Continue(())
        })?;
    Ok(())
}
