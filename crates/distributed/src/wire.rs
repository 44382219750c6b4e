//! Encoding of small messages: orders, reports, exchanged values. States have their own encoding
//! (`States::write`), and `timely` encodes parcels. No other file depends on the format.

use lariat_budget::Stop;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, Stop> {
    bincode::serialize(value).map_err(|error| invalid(&error.to_string()))
}

pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Stop> {
    bincode::deserialize(bytes).map_err(|error| invalid(&error.to_string()))
}

/// The error for a message that cannot be decoded.
pub(crate) fn invalid(what: &str) -> Stop {
    Stop::Internal(format!("invalid message between workers: {what}"))
}
