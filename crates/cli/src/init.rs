//! `lariat init`: writes a first model with properties, and prints the commands that check them.

use crate::args::{Init, StarterKind};
use crate::cross::quoted;
use crate::{Exit, Failure, out};
use clap::ValueEnum as _;
use std::fs::{File, create_dir_all};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// A model and its properties: names and contents of the files.
struct Starter {
    model: (&'static str, &'static str),
    properties: (&'static str, &'static str),
}

fn starter(kind: StarterKind) -> Starter {
    match kind {
        StarterKind::Net => Starter {
            model: ("request.pnml", include_str!("init/request.pnml")),
            properties: ("request.ltl", include_str!("init/request.net.ltl")),
        },
        StarterKind::Program => Starter {
            model: ("request.dve", include_str!("init/request.dve")),
            properties: ("request.ltl", include_str!("init/request.program.ltl")),
        },
        StarterKind::Promela => Starter {
            model: ("request.pml", include_str!("init/request.pml")),
            properties: ("request.ltl", include_str!("init/request.promela.ltl")),
        },
    }
}

pub(crate) fn run(args: &Init) -> Result<Exit, Failure> {
    let folder = &args.folder;
    let Starter { model, properties } = starter(args.kind);
    for (name, _) in [model, properties] {
        // Before the first file is written: the two belong together.
        if folder.join(name).exists() {
            return Err(exists(args.kind, &folder.join(name)));
        }
    }
    create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot create {}: {error}", folder.display())))?;
    for (name, text) in [model, properties] {
        let path = folder.join(name);
        write_new(&path, text).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(args.kind, &path),
            _ => Failure::new(format!("cannot write {}: {error}", path.display())),
        })?;
    }
    let (net, formulas) = (model.0, properties.0);
    let enter = if folder.as_os_str() == "." {
        String::new()
    } else {
        format!("cd {}\n", quoted(&folder.to_string_lossy()))
    };
    out::text(&format!(
        "A client, a server, and a network that may lose a request: the model is in {net}, its\n\
         properties are in {formulas}. One of them is violated. To continue:\n\n\
         {enter}lariat check {net} -F {formulas}\n\
         lariat check {net} -F {formulas} --html request.html\n\
         lariat simulate {net}\n"
    ))?;
    Ok(Exit::Fine)
}

/// Writes a file that must not exist.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}

fn exists(kind: StarterKind, path: &Path) -> Failure {
    let kind = kind.to_possible_value();
    let kind = kind.as_ref().map_or("net", |value| value.get_name());
    Failure::new(format!(
        "{} exists already\n  = help: choose another folder: `lariat init {kind} FOLDER`",
        path.display()
    ))
}
