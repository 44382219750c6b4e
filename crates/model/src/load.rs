//! Any model file: the format is recognised by what it contains, not by its name.

use crate::error::InputError;
use crate::pnml;
use crate::system::System;

/// Reads a model in any format that there is a reader for. `origin` names it in errors.
pub fn read_model(origin: &str, bytes: &[u8]) -> Result<System, InputError> {
    let mut start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    start = start.trim_ascii_start();
    if start.is_empty() {
        return Err(InputError::new(
            origin,
            "the file is empty: expected a model",
        ));
    }
    if start.starts_with(b"<") || start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        return pnml::read(origin, bytes);
    }
    let at = bytes.len() - start.len();
    Err(InputError::at(
        origin,
        bytes,
        at..at + 1,
        "this is no model in a known format",
    )
    .help("expected PNML, which starts with `<`"))
}
