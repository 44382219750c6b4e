//! The file of results: one JSON line per job, appended when the job has ended.
//!
//! A line is written by one call and flushed, so that a killed campaign leaves at most one
//! incomplete line. The next [`ResultsFile::open`] removes it. A file lock excludes other writers.

use crate::record::{self, Record};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The file of results, locked for one writer.
#[derive(Debug)]
pub struct ResultsFile(File);

impl ResultsFile {
    /// Opens or creates the file, locks it and removes an incomplete last line.
    pub fn open(path: &Path) -> io::Result<ResultsFile> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = open_lines(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = "another campaign is writing to it";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
            }
            // Some file systems do not support locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        repair(&mut file)?;
        Ok(ResultsFile(file))
    }

    /// Appends a record as one line.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        write_line(&mut self.0, record)
    }
}

/// Opens or creates a file of lines.
pub(crate) fn open_lines(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).open(path)
}

/// Writes one JSON line by a single write.
pub(crate) fn write_line(out: &mut impl io::Write, line: &impl serde::Serialize) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Truncates the file after its last line feed.
pub(crate) fn repair(file: &mut File) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut whole = length;
    let mut block = [0; 4096];
    while whole > 0 {
        let start = whole.saturating_sub(block.len() as u64);
        let piece = &mut block[..(whole - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(piece)?;
        if let Some(at) = piece.iter().rposition(|b| *b == b'\n') {
            whole = start + at as u64 + 1;
            break;
        }
        whole = start;
    }
    if whole < length {
        file.set_len(whole)?;
    }
    Ok(())
}

/// Reads all records of a folder, of all shards.
pub fn read_all(folder: &Path) -> io::Result<Vec<Record>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("results") && name.ends_with(".jsonl") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut records = Vec::new();
    for path in paths {
        let file = BufReader::new(File::open(&path)?);
        let read = record::read(file).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        records.extend(read);
    }
    Ok(records)
}
