//! What goes to stdout.
//!
//! Everything is written at once and flushed, so that a script reads each answer as soon as it is
//! known. A reader that has gone away (`lariat … | head -1`) is no error worth a message: the command
//! just ends, and not with the exit code of somebody who knows all answers.

use crate::Failure;
use std::io::{self, Write};

/// Writes text that may contain colours; they are left out where nobody wants them.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    write(&mut anstream::stdout().lock(), text)
}

/// Writes something for another program, as it is.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    write(&mut io::stdout().lock(), text)
}

fn write(out: &mut dyn Write, text: &str) -> Result<(), Failure> {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::NobodyListens,
        _ => Failure::new(format!("cannot write the answer: {error}")),
    })
}
