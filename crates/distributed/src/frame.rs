//! Control frames between processes: orders, reports and heartbeats.
//!
//! Each process has one control connection to process 0. A frame is a length and an encoded value
//! (`wire.rs`). A greeting comes first; it starts with the version, in a form that never changes.

use crate::cluster::Cluster;
use crate::report::WorkerReport;
use crate::secret::{Bytes32, random};
use crate::wire::{pack, unpack};
use lariat_budget::Stop;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// A message on a control connection.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Frame {
    /// The listener asks the caller for a proof that it knows the secret.
    Challenge(Bytes32),
    /// The proof of the caller.
    Proof(Bytes32),
    /// The greeting is accepted; with the proof of the listener if there is a secret.
    Welcome(Option<Bytes32>),
    /// The greeting is refused, with the reason.
    Refused(String),
    /// From process 0: a question.
    Order {
        question: Vec<u8>,
        digest: u64,
        /// The time left.
        milliseconds: Option<u64>,
        /// The counted work left, for each process.
        work: Option<u64>,
    },
    /// A worker has stopped: all workers stop.
    Halt,
    /// Heartbeat, with the numbers of found and waiting states of each worker of the sender.
    Pulse(Vec<(u64, u64)>),
    /// All workers of the sender have finished.
    Done(Vec<WorkerReport>),
    /// To process 0: the sender has lost its connection to this process.
    Lost(u32),
    /// From process 0: the run is over because of this loss.
    Over(String),
    /// From process 0: there are no more questions.
    Bye,
}

/// The greeting, which starts every connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub process: usize,
    pub processes: usize,
    pub threads: usize,
    pub purpose: ConnectionKind,
    pub model: Option<u64>,
    /// A random number, if the caller has a secret.
    pub nonce: Option<Bytes32>,
}

impl Hello {
    /// The greeting of a process for a connection.
    pub fn new(cluster: &Cluster, purpose: ConnectionKind) -> io::Result<Hello> {
        Ok(Hello {
            process: cluster.process,
            processes: cluster.hosts.len(),
            threads: cluster.threads,
            purpose,
            model: cluster.model,
            nonce: cluster.secret.as_ref().map(|_| random()).transpose()?,
        })
    }

    /// The greeting as it is signed.
    pub fn encoded(&self) -> io::Result<Vec<u8>> {
        pack(self).map_err(other)
    }
}

/// The purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum ConnectionKind {
    States,
    Control,
}

/// The first bytes of a greeting, which identify the protocol.
const MAGIC: &[u8; 8] = b"lariat:1";

/// The version of the program, which must be equal in all processes.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Limit on the length of a greeting and of each answer to it.
const LONGEST_GREETING: u32 = 1 << 16;

/// Limit on the length of a frame from process 0, which contains a system.
pub(crate) const LONGEST_ORDER: u32 = 1 << 30;

/// Limit on the length of a frame to process 0: counters of the sender's workers.
pub(crate) const LONGEST_REPORT: u32 = 1 << 24;

/// The reason why a greeting cannot be read.
#[derive(Debug)]
pub(crate) enum HandshakeError {
    /// No greeting of this protocol, or none in time.
    Unknown,
    /// A greeting of another version.
    Version(String),
}

pub(crate) fn write_hello(out: &mut impl Write, hello: &Hello, version: &str) -> io::Result<()> {
    out.write_all(MAGIC)?;
    write_bytes(out, version.as_bytes())?;
    write(out, hello)
}

pub(crate) fn read_hello(input: &mut impl Read) -> Result<Hello, HandshakeError> {
    let unknown = |_: io::Error| HandshakeError::Unknown;
    let mut magic = [0; 8];
    input.read_exact(&mut magic).map_err(unknown)?;
    if magic != *MAGIC {
        return Err(HandshakeError::Unknown);
    }
    let version = read_bytes(input, LONGEST_GREETING).map_err(unknown)?;
    if version != VERSION.as_bytes() {
        let version = String::from_utf8_lossy(&version);
        return Err(HandshakeError::Version(version.chars().take(40).collect()));
    }
    read(input, LONGEST_GREETING).map_err(unknown)
}

pub(crate) fn write_frame(out: &mut impl Write, frame: &Frame) -> io::Result<()> {
    write(out, frame)
}

/// Reads a frame of at most `longest` bytes.
pub(crate) fn read_frame(input: &mut impl Read, longest: u32) -> io::Result<Frame> {
    read(input, longest)
}

/// Reads a frame that belongs to a greeting.
pub(crate) fn read_answer(input: &mut impl Read) -> io::Result<Frame> {
    read(input, LONGEST_GREETING)
}

fn other(stop: Stop) -> io::Error {
    io::Error::other(stop.to_string())
}

fn write<T: Serialize>(out: &mut impl Write, value: &T) -> io::Result<()> {
    write_bytes(out, &pack(value).map_err(other)?)
}

fn read<T: DeserializeOwned>(input: &mut impl Read, most: u32) -> io::Result<T> {
    unpack(&read_bytes(input, most)?).map_err(other)
}

fn write_bytes(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).ok();
    let length = length.filter(|length| *length <= LONGEST_ORDER);
    let length = length.ok_or_else(|| io::Error::other("the message is too long"))?;
    // A single write, so that a broken connection leaves no partial length.
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
    // Memory grows as bytes arrive, since the announced length may be wrong.
    let mut bytes = Vec::new();
    input.take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_frame_is_limited() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &Frame::Over("x".repeat(100))).unwrap();
        assert!(read_frame(&mut &*bytes, 200).is_ok());
        let error = read_frame(&mut &*bytes, 100).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let endless = (LONGEST_REPORT + 1).to_le_bytes();
        let mut endless = endless.chain(io::repeat(0));
        assert!(read_frame(&mut endless, LONGEST_REPORT).is_err());
    }
}
