//! What processes tell each other beside the states: orders, reports, that they are alive.
//!
//! Each process has one connection for this to process 0. A frame is a length and the bytes of a value (`wire.rs`). The greeting comes first and
//! begins with the version in a form that all versions read.

use crate::report::Report;
use crate::wire::{pack, unpack};
use lariat_budget::Stop;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// What goes over a control connection.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// The greeting was well received.
    Welcome,
    /// It was not, and why.
    Refused(String),
    /// From process 0: a question.
    Order {
        question: Vec<u8>,
        digest: u64,
        /// The time that is left.
        milliseconds: Option<u64>,
        /// The counted work that is left, for each process.
        work: Option<u64>,
    },
    /// Somebody has stopped: everybody stops.
    Halt,
    /// I am alive; states and queue of each of my workers.
    Pulse(Vec<(u64, u64)>),
    /// All my workers are done.
    Done(Vec<Report>),
    /// To process 0: I cannot reach this process.
    Lost(u32),
    /// From process 0: this is lost, and the run over.
    Over(String),
    /// From process 0: there are no more questions.
    Bye,
}

/// The first thing that is said on every connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub process: usize,
    pub processes: usize,
    pub threads: usize,
    pub purpose: Purpose,
    pub model: Option<u64>,
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Purpose {
    States,
    Control,
}

/// What a greeting begins with: nobody else says this.
const MAGIC: &[u8; 8] = b"lariat:1";

/// The version of the program, which must be the same everywhere.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// No greeting is longer.
const LONGEST_GREETING: u32 = 1 << 16;

/// What is wrong with a greeting.
pub(crate) enum Stranger {
    /// It is none, or nothing came.
    Unknown,
    /// It comes from another version.
    Version(String),
}

pub(crate) fn write_hello(out: &mut impl Write, hello: &Hello, version: &str) -> io::Result<()> {
    out.write_all(MAGIC)?;
    write_bytes(out, version.as_bytes())?;
    write(out, hello)
}

pub(crate) fn read_hello(input: &mut impl Read) -> Result<Hello, Stranger> {
    let unknown = |_: io::Error| Stranger::Unknown;
    let mut magic = [0; 8];
    input.read_exact(&mut magic).map_err(unknown)?;
    if magic != *MAGIC {
        return Err(Stranger::Unknown);
    }
    let version = read_bytes(input, LONGEST_GREETING).map_err(unknown)?;
    if version != VERSION.as_bytes() {
        let version = String::from_utf8_lossy(&version);
        return Err(Stranger::Version(version.chars().take(40).collect()));
    }
    read(input, LONGEST_GREETING).map_err(unknown)
}

pub(crate) fn write_frame(out: &mut impl Write, frame: &Frame) -> io::Result<()> {
    write(out, frame)
}

pub(crate) fn read_frame(input: &mut impl Read) -> io::Result<Frame> {
    read(input, u32::MAX)
}

fn other(stop: Stop) -> io::Error {
    io::Error::other(stop.to_string())
}

fn write<T: Serialize>(out: &mut impl Write, told: &T) -> io::Result<()> {
    write_bytes(out, &pack(told).map_err(other)?)
}

fn read<T: DeserializeOwned>(input: &mut impl Read, most: u32) -> io::Result<T> {
    unpack(&read_bytes(input, most)?).map_err(other)
}

fn write_bytes(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let too_long = |_| io::Error::other("a message of more than 4 GiB");
    let length = u32::try_from(bytes.len()).map_err(too_long)?;
    // One piece: a connection that breaks in between leaves no half of a length.
    let mut framed = Vec::with_capacity(bytes.len() + 4);
    framed.extend_from_slice(&length.to_le_bytes());
    framed.extend_from_slice(bytes);
    out.write_all(&framed)?;
    out.flush()
}

fn read_bytes(input: &mut impl Read, most: u32) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // What is announced need not come: room is made as it does.
    let mut bytes = Vec::new();
    input.take(length.into()).read_to_end(&mut bytes)?;
    match bytes.len() == length as usize {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
