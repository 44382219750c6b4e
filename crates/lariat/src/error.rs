//! The error of the public API.

use lariat_budget::Stop;
use lariat_formats::LoadError;
use lariat_model::{Errors, InputError};
use std::fmt;
use std::path::PathBuf;

/// Why a model or a property could not be read, or a check could not begin.
///
/// Limits that end a check are not errors: the verdict is `unknown` then.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Mistakes in the text of a model or of properties, with their places.
    Input(Errors),
    /// A file could not be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// Reading or unfolding the model exceeded a limit.
    Limit(Stop),
    /// Options that exclude each other, or that the property does not allow.
    Options(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(errors) => errors.fmt(f),
            Error::Io { path, error } => write!(f, "cannot read {}: {error}", path.display()),
            Error::Limit(stop) => write!(f, "the model was not read: {stop}"),
            Error::Options(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<Errors> for Error {
    fn from(errors: Errors) -> Error {
        Error::Input(errors)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Error {
        Error::Input(error.into())
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Error {
        match error {
            LoadError::Input(error) => error.into(),
            LoadError::Stop(stop) => Error::Limit(stop),
        }
    }
}
