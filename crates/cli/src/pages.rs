//! `lariat completions` and `lariat manual`: generated from the definitions of `--help`.

use crate::args::{Cli, Completions, Manual};
use crate::{Exit, Failure, out};
use clap::CommandFactory as _;

pub(crate) fn completions(args: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lariat", &mut script);
    out::data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}

pub(crate) fn manual(args: &Manual) -> Result<Exit, Failure> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| Failure::new(format!("cannot write to {}: {error}", folder.display())))?;
    Ok(Exit::Fine)
}
