//! `lariat generate`: writes a net of a scalable family.

use crate::args::Generate;
use crate::view::write;
use crate::{Exit, Failure, out};
use lariat::internals::formats::pnml;
use lariat::internals::ir::generate::generate;

pub(crate) fn run(args: &Generate) -> Result<Exit, Failure> {
    let system = generate(args.family, args.size)?;
    let text = pnml::write(&system)
        .ok_or_else(|| Failure::new("this family is not a place/transition net"))?;
    match &args.output {
        Some(path) => write(path, &text)?,
        None => out::data(&text)?,
    }
    Ok(Exit::Fine)
}
