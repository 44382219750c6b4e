//! Output on stdout.
//!
//! Every text is written at once and flushed, so that a script reads each answer as soon as it is
//! known. If the reader closes the pipe (`lariat … | head -1`), the command ends without a message
//! and with the exit code of an undecided command.

use crate::Failure;
use std::io::{self, Write};
use std::ops::ControlFlow;

/// Writes text that may contain colours; they are stripped unless colours are enabled.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    write(&mut anstream::stdout().lock(), text)
}

/// Writes data for another program, unchanged.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    write(&mut io::stdout().lock(), text)
}

/// Whether a callback that prints continues: not after a failure.
pub(crate) fn flow(printed: &Result<(), Failure>) -> ControlFlow<()> {
    match printed {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

fn write(out: &mut dyn Write, text: &str) -> Result<(), Failure> {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::new(format!("cannot write the answer: {error}")),
    })
}
