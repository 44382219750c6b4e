//! Export and import of sets as bytes.
//!
//! All numbers are written in groups of seven bits, lowest first. After the magic and the number of
//! levels come the levels from the bottom up: the number of nodes, and for each node the number of
//! its edges and each edge as the difference of its value to the one before and the index of its
//! child within the level below. The last level written contains only the root. Equal sets give
//! equal bytes only within one store, because nodes are listed in traversal order.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::kernel::{DdNode, Halt, Kernel};
use crate::store::{Set, Store};
use lariat_budget::Stop;

const MAGIC: &[u8; 8] = b"LARIATDD";

/// The reason why bytes could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The bytes are not an exported set over the levels of this store; the text names the defect.
    Malformed(&'static str),
    /// The budget was exceeded.
    Stop(Stop),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Malformed(what) => write!(f, "not an exported set: {what}"),
            ImportError::Stop(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= ((byte & 0x7f) as u64) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The reason why a level could not be imported.
enum Trouble {
    Halt(Halt),
    Malformed(&'static str),
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Trouble {
        Trouble::Halt(halt)
    }
}

impl Store {
    /// Exports `set` as bytes.
    pub fn export(&self, set: &Set) -> Vec<u8> {
        let tables = self.kernel.read_tables();
        let mut bytes = MAGIC.to_vec();
        write(&mut bytes, self.levels() as u64);
        write(&mut bytes, !set.is_empty() as u64);
        let mut index = FxHashMap::default();
        index.insert(DdNode::ONE, 0u64);
        for level in self.by_level(&tables, set).iter().rev() {
            write(&mut bytes, level.len() as u64);
            for &node in level {
                write(&mut bytes, tables.pool.edges(node).count() as u64);
                let mut last = 0;
                for (value, child) in tables.pool.edges(node) {
                    write(&mut bytes, (value - last) as u64);
                    write(&mut bytes, index.get(&child).copied().unwrap_or(0));
                    last = value;
                }
            }
            index = level.iter().copied().zip(0..).collect();
        }
        bytes
    }

    /// Imports a set that was exported from a store with as many levels.
    pub fn import(&mut self, bytes: &[u8]) -> Result<Set, ImportError> {
        let malformed = ImportError::Malformed;
        let mut rest = bytes
            .strip_prefix(MAGIC)
            .ok_or(malformed("wrong magic number"))?;
        if read(&mut rest) != Some(self.levels() as u64) {
            return Err(malformed("different number of levels"));
        }
        match read(&mut rest) {
            Some(0) if rest.is_empty() => return Ok(self.empty()),
            Some(1) => {}
            _ => return Err(malformed("invalid emptiness flag")),
        }
        let outcome = self.deep(|kernel| match kernel.read_levels(&mut rest) {
            Ok(node) => Ok(Ok(node)),
            Err(Trouble::Halt(halt)) => Err(halt),
            Err(Trouble::Malformed(what)) => Ok(Err(what)),
        });
        match outcome {
            Ok(Ok(node)) if rest.is_empty() => Ok(self.wrap(node)),
            Ok(Ok(_)) => Err(malformed("trailing bytes")),
            Ok(Err(what)) => Err(malformed(what)),
            Err(stop) => Err(ImportError::Stop(stop)),
        }
    }
}

impl Kernel {
    /// Reads level by level, with the nodes of the level below on the shadow stack.
    fn read_levels(&mut self, bytes: &mut &[u8]) -> Result<DdNode, Trouble> {
        let base = self.mark();
        self.push(0, DdNode::ONE)?;
        let outcome = (0..self.levels).try_fold(1, |below, _| self.read_level(bytes, below));
        let root = self.peek(base, 0);
        self.release(base);
        match (outcome?, root) {
            (1, Some((_, root))) => Ok(root),
            _ => Err(Trouble::Malformed("several roots")),
        }
    }

    /// Replaces the `below` nodes on top of the stack by those of the next level up.
    fn read_level(&mut self, bytes: &mut &[u8], below: usize) -> Result<usize, Trouble> {
        let ended = Trouble::Malformed("unexpected end");
        let Some(count) = read(bytes) else {
            return Err(ended);
        };
        let first = self.stack.len() - below;
        let made = self.stack.len();
        for _ in 0..count {
            let Some(edges) = read(bytes).filter(|&edges| edges > 0) else {
                return Err(Trouble::Malformed("node without edges"));
            };
            let mark = self.mark();
            let mut last: Option<u32> = None;
            for _ in 0..edges {
                let (Some(step), Some(child)) = (read(bytes), read(bytes)) else {
                    return Err(Trouble::Malformed("unexpected end"));
                };
                let value = step
                    .checked_add(last.unwrap_or(0) as u64)
                    .and_then(|value| u32::try_from(value).ok())
                    .filter(|&value| last.is_none_or(|last| value > last));
                let child = usize::try_from(child).ok().filter(|&child| child < below);
                let (Some(value), Some(child)) = (value, child) else {
                    return Err(Trouble::Malformed("invalid edge"));
                };
                last = Some(value);
                self.push(value, self.stack[first + child].1)?;
            }
            let node = self.make(mark)?;
            self.push(0, node)?;
        }
        self.stack.drain(first..made);
        Ok(self.stack.len() - first)
    }
}
