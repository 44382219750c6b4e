//! How values become bytes where few of them travel: orders, reports, what workers agree on. States have a form of their own (`States::write`), and
//! `timely` writes the parcels that they go in. This file alone knows the format.

use lariat_budget::Stop;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The bytes of a value.
pub(crate) fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, Stop> {
    bincode::serialize(value).map_err(|error| garbled(&error.to_string()))
}

/// The value again.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Stop> {
    bincode::deserialize(bytes).map_err(|error| garbled(&error.to_string()))
}

/// What is said where a message makes no sense.
pub(crate) fn garbled(what: &str) -> Stop {
    Stop::Internal(format!("a message between workers makes no sense: {what}"))
}
