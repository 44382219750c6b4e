//! Operations and what the operation cache remembers of them.

use super::{Kernel, NodeId};
use crate::cache::{Cache, Op, Shape, WideKey};
use crate::event::ChainId;

/// An operation with five key words and two results, for use by other crates.
#[derive(Clone, Copy, Debug)]
pub struct WideOp(u32);

impl WideOp {
    fn declare(cache: &mut Cache, key: [Word; 5], results: [Word; 2]) -> WideOp {
        let bits = |words: &[Word], kind: Word| {
            words
                .iter()
                .enumerate()
                .fold(0u8, |bits, (i, &word)| bits | ((word == kind) as u8) << i)
        };
        WideOp(cache.operation(Shape {
            nodes: bits(&key, Word::Node),
            scopes: bits(&key, Word::Scope),
            results: bits(&results, Word::Node),
        }))
    }
}

/// The wide operations of this crate.
#[derive(Clone, Copy)]
pub(crate) struct Ops {
    pub select: WideOp,
    /// One for every kind of filter.
    pub saturate: [WideOp; 8],
    pub fire: [WideOp; 8],
}

impl Ops {
    pub(super) fn declare(cache: &mut Cache) -> Ops {
        use Word::{Node, Plain, Scope};
        let mut declare = |scope: Word, residual: Word| {
            let key = [Node, scope, Scope, residual, residual];
            WideOp::declare(cache, key, [Node, Plain])
        };
        let residuals = [Plain, Plain, Plain, Plain, Node, Node, Node, Node];
        Ops {
            select: declare(Plain, Plain),
            saturate: residuals.map(|residual| declare(Scope, residual)),
            fire: residuals.map(|residual| declare(Scope, residual)),
        }
    }
}

/// What one word of the key or result of a [`WideOp`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A node: the entry is dropped when the node dies.
    Node,
    /// A scope: the entry is dropped when the scope closes.
    Scope,
    /// Any number.
    Plain,
}

impl Kernel {
    /// Declares an operation by what its key words and results are: once per store, there is
    /// room for some forty.
    ///
    /// # Panics
    /// If there is no room left.
    pub fn operation(&mut self, key: [Word; 5], results: [Word; 2]) -> WideOp {
        WideOp::declare(&mut self.cache, key, results)
    }

    /// What `op` returned for `key` under `chain`, if the cache remembers.
    #[inline]
    pub fn cached(&mut self, op: WideOp, chain: ChainId, key: [u32; 5]) -> Option<[u32; 2]> {
        self.cache.get_wide(&WideKey {
            op: op.0 | chain.0,
            words: key,
        })
    }

    /// Remembers what `op` returned for `key` under `chain`.
    #[inline]
    pub fn remember(&mut self, op: WideOp, chain: ChainId, key: [u32; 5], results: [u32; 2]) {
        self.cache.put_wide(
            &WideKey {
                op: op.0 | chain.0,
                words: key,
            },
            results,
        );
    }

    #[inline]
    pub(crate) fn lookup(&mut self, op: Op, a: NodeId, b: u32) -> Option<NodeId> {
        self.cache.get(op.word(0), a.0, b)
    }

    #[inline]
    pub(crate) fn store(&mut self, op: Op, a: NodeId, b: u32, result: NodeId) {
        self.cache.put(op.word(0), a.0, b, result);
    }
}
