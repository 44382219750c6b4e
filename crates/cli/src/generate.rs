//! `lariat generate`.

use crate::args::Generate;
use crate::{Exit, Failure};
use lariat::model::generate::generate;
use lariat::model::pnml;

pub(crate) fn run(args: &Generate) -> Result<Exit, Failure> {
    let system = generate(args.family, args.size)?;
    let text = pnml::write(&system)
        .ok_or_else(|| Failure::new("only Petri nets can be written as PNML"))?;
    match &args.output {
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?,
        None => print!("{text}"),
    }
    Ok(Exit::Fine)
}
