//! Operations, and the typed keys under which the cache stores their results.
//!
//! An operation is declared once, by the types of its operands and of its result:
//!
//! ```
//! use lariat_dd::Residual;
//! use lariat_dd::kernel::{ChainId, Kernel, DdNode, Operation};
//!
//! struct Mine {
//!     image: Operation<(ChainId, DdNode, Residual), DdNode>,
//!     lives: Operation<(DdNode,), bool>,
//! }
//!
//! fn declare(kernel: &mut Kernel) -> Mine {
//!     Mine { image: kernel.operation(), lives: kernel.operation() }
//! }
//! ```
//!
//! Only a declaration issues a *tag*, so two operations never share one. The types define the rest
//! at compile time: the encoding of operands as words, which of the two tables of the cache is wide
//! enough, and the words that a collection must check. This crate's tags are constants.
//!
//! Workers share tags, which are issued before they start, and keys, which are plain values.

use std::marker::PhantomData;

use super::key::{CacheKey, CacheValue, NARROW_WORDS, WIDE_WORDS, WordKind};
use super::{CacheScopeId, DdNode, Halt, Kernel, Residual};
use crate::event::ChainId;

/// Bits of the first word of an entry that hold an event chain, below the tag.
pub(crate) const CHAIN_BITS: u32 = 26;

/// Number of tags per table of the cache; tag 0 marks an empty entry.
const TAGS: usize = 1 << (32 - CHAIN_BITS);

/// A cached operation: from a [`CacheKey`] to a [`CacheValue`].
#[derive(Clone, Copy)]
pub struct Operation<K, V> {
    /// In the upper bits; the bits of a chain are 0.
    pub(crate) tag: u32,
    types: PhantomData<fn(K) -> V>,
}

impl<K: CacheKey, V: CacheValue> Operation<K, V> {
    /// True if key and result fit in an entry of the narrow table.
    pub(crate) const IS_NARROW: bool = words(K::MEANINGS) <= NARROW_WORDS && V::MEANINGS.len() <= 1;

    /// Returns the words that a collection must check; `residual` is the meaning of residuals.
    const fn audit(residual: WordKind) -> Audit {
        assert!(words(K::MEANINGS) <= WIDE_WORDS, "too many operands");
        assert!(
            K::MEANINGS.len() - words(K::MEANINGS) <= 1,
            "a key has one chain at most"
        );
        let mut audit = NOTHING;
        let (mut at, mut bit) = (0, 1);
        while at < K::MEANINGS.len() {
            let meaning = match K::MEANINGS[at] {
                WordKind::Residual => residual,
                meaning => meaning,
            };
            match meaning {
                WordKind::Node => audit.nodes |= bit,
                WordKind::Scope => audit.scopes |= bit,
                _ => {}
            }
            if !matches!(meaning, WordKind::Chain) {
                bit <<= 1;
            }
            at += 1;
        }
        audit.result_is_node = matches!(V::MEANINGS, [WordKind::Node, ..]);
        audit
    }
}

/// Returns the number of words of the operands, not counting the chain.
const fn words(meanings: &[WordKind]) -> usize {
    let (mut at, mut words) = (0, 0);
    while at < meanings.len() {
        if !matches!(meanings[at], WordKind::Chain) {
            words += 1;
        }
        at += 1;
    }
    words
}

/// The words of an operation's entries that a collection must check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Audit {
    /// Bit `i` is set if word `i` of the key is a node.
    pub nodes: u8,
    /// Bit `i` is set if word `i` of the key is a scope.
    pub scopes: u8,
    /// True if the result is a node.
    pub result_is_node: bool,
}

const NOTHING: Audit = Audit {
    nodes: 0,
    scopes: 0,
    result_is_node: false,
};

/// The operations of one table of the cache, by tag.
#[derive(Clone, Copy)]
pub(crate) struct Audits {
    by_tag: [Audit; TAGS],
    count: usize,
}

impl Audits {
    const fn new() -> Audits {
        Audits {
            by_tag: [NOTHING; TAGS],
            count: 1,
        }
    }

    /// Issues the next tag.
    const fn issue(&mut self, audit: Audit) -> u32 {
        assert!(
            self.count < TAGS,
            "too many operations are declared for one store"
        );
        self.by_tag[self.count] = audit;
        self.count += 1;
        (self.count as u32 - 1) << CHAIN_BITS
    }

    /// Returns the audit of an entry that begins with `word`.
    #[inline]
    pub fn by_word(&self, word: u32) -> Audit {
        self.by_tag[(word >> CHAIN_BITS) as usize]
    }
}

/// All operations of a store; the only issuer of tags.
#[derive(Clone, Copy)]
pub(crate) struct Registry {
    pub narrow: Audits,
    pub wide: Audits,
}

impl Registry {
    const fn new() -> Registry {
        Registry {
            narrow: Audits::new(),
            wide: Audits::new(),
        }
    }

    /// Declares an operation whose residual operands have the meaning `residual`.
    const fn declare_with<K: CacheKey, V: CacheValue>(
        &mut self,
        residual: WordKind,
    ) -> Operation<K, V> {
        let audit = Operation::<K, V>::audit(residual);
        let table = if Operation::<K, V>::IS_NARROW {
            &mut self.narrow
        } else {
            &mut self.wide
        };
        Operation {
            tag: table.issue(audit),
            types: PhantomData,
        }
    }

    /// Declares an operation whose residuals, if any, are numbers.
    pub const fn declare<K: CacheKey, V: CacheValue>(&mut self) -> Operation<K, V> {
        self.declare_with(WordKind::Number)
    }

    /// Declares an operation whose residuals are nodes.
    const fn declare_over_nodes<K: CacheKey, V: CacheValue>(&mut self) -> Operation<K, V> {
        self.declare_with(WordKind::Node)
    }
}

/// Two nodes of the same level.
type Pair = (DdNode, DdNode);

/// A node and the scope of a [`Subset`](crate::Subset) of events, or of one projection.
type Scoped = (DdNode, CacheScopeId);

/// An operation under a filter, one per [variant](crate::saturation::variant): the key has the
/// scopes of subset and filter, and the residuals.
type Filtered<K> = [Operation<K, DdNode>; 8];

/// The operations of this crate.
pub(crate) struct Operations {
    pub union: Operation<Pair, DdNode>,
    pub intersection: Operation<Pair, DdNode>,
    pub difference: Operation<Pair, DdNode>,
    pub is_subset: Operation<Pair, bool>,
    pub project: Operation<Scoped, DdNode>,
    pub select: Operation<(DdNode, CacheScopeId, Residual), DdNode>,
    pub image: Operation<(ChainId, DdNode), DdNode>,
    pub image_all: Operation<Scoped, DdNode>,
    pub enabled: Operation<(ChainId, DdNode), DdNode>,
    pub dead: Operation<Scoped, DdNode>,
    pub closure: Operation<Scoped, DdNode>,
    pub fire: Operation<(ChainId, DdNode, CacheScopeId), DdNode>,
    pub closure_under: Filtered<(DdNode, CacheScopeId, CacheScopeId, Residual)>,
    pub fire_under: Filtered<(
        ChainId,
        DdNode,
        CacheScopeId,
        CacheScopeId,
        Residual,
        Residual,
    )>,
}

const fn declare() -> (Operations, Registry) {
    const fn filtered<K: CacheKey>(registry: &mut Registry) -> Filtered<K> {
        [
            registry.declare(),
            registry.declare(),
            registry.declare(),
            registry.declare(),
            registry.declare_over_nodes(),
            registry.declare_over_nodes(),
            registry.declare_over_nodes(),
            registry.declare_over_nodes(),
        ]
    }
    let mut registry = Registry::new();
    let operations = Operations {
        union: registry.declare(),
        intersection: registry.declare(),
        difference: registry.declare(),
        is_subset: registry.declare(),
        project: registry.declare(),
        closure: registry.declare(),
        fire: registry.declare(),
        image: registry.declare(),
        image_all: registry.declare(),
        enabled: registry.declare(),
        dead: registry.declare(),
        select: registry.declare(),
        closure_under: filtered(&mut registry),
        fire_under: filtered(&mut registry),
    };
    (operations, registry)
}

/// The operations of this crate, with constant tags.
pub(crate) const OPERATIONS: Operations = declare().0;

/// The registry of a new store, with the operations of this crate.
pub(crate) const REGISTRY: Registry = declare().1;

impl Kernel {
    /// Declares an operation, once per store; there are about forty free tags.
    ///
    /// # Panics
    /// If no tag is free.
    pub fn operation<K: CacheKey, V: CacheValue>(&mut self) -> Operation<K, V> {
        self.with_exclusive_always(|tables| tables.cache.registry.declare())
    }

    /// Returns the cached result of `operation` for `key`.
    #[inline]
    pub fn cached<K: CacheKey, V: CacheValue>(
        &mut self,
        operation: Operation<K, V>,
        key: K,
    ) -> Option<V> {
        self.counters.pending.lookups += 1;
        let found = self.tables.cache.get(operation, key, self.peers.several);
        if found.is_none() {
            self.counters.pending.misses += 1;
        }
        found
    }

    /// Caches the result of `operation` for `key`.
    #[inline]
    pub fn remember<K: CacheKey, V: CacheValue>(
        &mut self,
        operation: Operation<K, V>,
        key: K,
        value: V,
    ) {
        let is_narrow = Operation::<K, V>::IS_NARROW;
        let pressure = if is_narrow {
            &self.pressures.narrow
        } else {
            &self.pressures.wide
        };
        if pressure.is_high() {
            self.request_larger_cache();
        }
        let cache = &self.tables.cache;
        let value = value.to_words();
        if is_narrow {
            let entry = crate::cache::narrow(operation, key, value);
            let evicted = cache.narrow.put(entry, self.peers.several);
            self.pressures.narrow.count(evicted, self.peers.count);
        } else {
            let entry = crate::cache::wide(operation, key, value);
            let evicted = cache.wide.put(entry, self.peers.several);
            self.pressures.wide.count(evicted, self.peers.count);
        }
    }

    /// Returns the cached result of `operation` for `key`, or caches that of `compute`.
    #[inline(always)]
    pub fn remembered<K: CacheKey, V: CacheValue>(
        &mut self,
        operation: Operation<K, V>,
        key: K,
        compute: impl FnOnce(&mut Kernel) -> Result<V, Halt>,
    ) -> Result<V, Halt> {
        if let Some(value) = self.cached(operation, key) {
            return Ok(value);
        }
        let value = compute(self)?;
        self.tick()?;
        self.remember(operation, key, value);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_checks_the_nodes_and_scopes_of_a_key() {
        type Wide = Operation<(DdNode, ChainId, Residual, CacheScopeId), DdNode>;
        let expected = |nodes| Audit {
            nodes,
            scopes: 0b100,
            result_is_node: true,
        };
        assert_eq!(Wide::audit(WordKind::Number), expected(0b001));
        assert_eq!(Wide::audit(WordKind::Node), expected(0b011));
    }

    #[test]
    fn keys_of_two_words_with_results_of_one_are_narrow() {
        const {
            assert!(Operation::<(ChainId, DdNode, DdNode), DdNode>::IS_NARROW);
            assert!(Operation::<(DdNode,), ()>::IS_NARROW);
            assert!(!Operation::<(DdNode, DdNode, Residual), DdNode>::IS_NARROW);
            assert!(!Operation::<(DdNode,), u64>::IS_NARROW);
        }
    }

    #[test]
    fn tags_of_a_table_are_unique() {
        let mut registry = REGISTRY;
        let mut tags = vec![OPERATIONS.union.tag, OPERATIONS.fire.tag];
        while registry.narrow.count < TAGS {
            tags.push(registry.declare::<(DdNode,), bool>().tag);
        }
        let wide: Operation<(DdNode,), u64> = registry.declare();
        tags.sort_unstable();
        assert!(tags.windows(2).all(|pair| pair[0] < pair[1]), "{tags:?}");
        assert!(tags.iter().all(|tag| tag.trailing_zeros() >= CHAIN_BITS));
        let under = OPERATIONS.fire_under;
        assert!(under.iter().all(|operation| operation.tag != wide.tag));
    }
}
