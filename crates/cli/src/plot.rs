//! `lariat plot`: tables and plots of results.

use crate::args::Plot;
use crate::{Exit, Failure, out, warn};
use lariat_campaign::plot::{PlotOptions, plot};
use lariat_campaign::{Record, record};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Plot) -> Result<Exit, Failure> {
    let mut records: Vec<Record> = Vec::new();
    for path in files(&args.results)? {
        let wrong = |error| about(&path, error);
        let file = File::open(&path).map_err(wrong)?;
        records.extend(record::read(BufReader::new(file)).map_err(wrong)?);
    }
    let newer = records.iter().filter(|r| r.schema > record::SCHEMA).count();
    if newer > 0 {
        warn(&format!("{newer} results were written by a newer version"));
    }
    let options = PlotOptions {
        kinds: args.kind.clone(),
        engines: args.engines.clone(),
        measure: args.measure,
        at_least: args.at_least,
        latex: args.latex,
    };
    let made = plot(&records, &options)?;

    let folder = args.out.clone().unwrap_or_else(|| beside(&args.results));
    fs::create_dir_all(&folder).map_err(|error| about(&folder, error))?;
    for (name, content) in &made.files {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| about(&path, error))?;
    }

    let mut text = String::new();
    if let Some(table) = &made.contradictions {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let lines = plain(&table.lines());
        let title = &table.title;
        text += &format!("{red}{title}{red:#}\n{red}{lines}{red:#}\n");
    }
    text += &plain(&made.summary.lines());
    let (count, index) = (made.files.len(), folder.join("index.html"));
    text += &format!("\n{count} files, {}\n", index.display());
    out::text(&text)?;
    Ok(match made.contradictions {
        Some(_) => Exit::Violated,
        None => Exit::Fine,
    })
}

/// The failure to read or write a file.
fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}

/// Replaces control characters: names come from files, and must not control the terminal.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c == '\n' || !c.is_control();
    text.chars()
        .map(|c| if is_plain(c) { c } else { '\u{fffd}' })
        .collect()
}

/// The result files: the named ones, and those in the named folders.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let wrong = |error| about(path, error);
        let mut inside = Vec::new();
        for entry in fs::read_dir(path).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("results") && name.ends_with(".jsonl") {
                inside.push(entry.path());
            }
        }
        if inside.is_empty() {
            let folder = path.display();
            return Err(Failure::new(format!(
                "{folder}: there are no results (results*.jsonl) in this folder"
            )));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// The folder `plots` beside the first results.
fn beside(named: &[PathBuf]) -> PathBuf {
    match named.first() {
        Some(path) if path.is_dir() => path.join("plots"),
        Some(path) => path.parent().unwrap_or(Path::new("")).join("plots"),
        None => PathBuf::from("plots"),
    }
}
