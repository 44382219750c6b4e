//! Keys and results of the operation cache as words.
//!
//! A key is a tuple of at most six operands. The type of each defines its encoding as a word and
//! its meaning to a garbage collection. Operands become words in this module only.

use super::{CacheScopeId, DdNode, Residual};
use crate::event::ChainId;

/// Capacities of narrow and wide entries in words of the key, not counting the tag and a chain.
pub(crate) const NARROW_WORDS: usize = 2;
pub(crate) const WIDE_WORDS: usize = 5;

/// The meaning of one word of a cache entry, which decides when a collection drops the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A node: the entry is dropped when the node dies.
    Node,
    /// A scope: the entry is dropped when the scope closes.
    Scope,
    /// A residual: a number, except in operations whose filter uses nodes as residuals.
    Residual,
    /// Any other number.
    Number,
    /// An event chain, which shares a word with the tag; at most one per key.
    Chain,
}

/// An operand of a [`CacheKey`]. Different operands have different words.
pub trait KeyPart: Copy {
    /// The meaning of the word to a collection.
    const MEANING: WordKind;

    /// Returns the operand as a word.
    fn to_word(self) -> u32;
}

impl KeyPart for DdNode {
    const MEANING: WordKind = WordKind::Node;

    #[inline]
    fn to_word(self) -> u32 {
        self.0
    }
}

impl KeyPart for CacheScopeId {
    const MEANING: WordKind = WordKind::Scope;

    #[inline]
    fn to_word(self) -> u32 {
        self.0
    }
}

impl KeyPart for Residual {
    const MEANING: WordKind = WordKind::Residual;

    #[inline]
    fn to_word(self) -> u32 {
        self.0
    }
}

impl KeyPart for ChainId {
    const MEANING: WordKind = WordKind::Chain;

    #[inline]
    fn to_word(self) -> u32 {
        self.0
    }
}

impl KeyPart for bool {
    const MEANING: WordKind = WordKind::Number;

    #[inline]
    fn to_word(self) -> u32 {
        self.into()
    }
}

/// The words of a key in the layout of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyWords {
    pub(crate) chain: u32,
    pub(crate) words: [u32; WIDE_WORDS],
    length: usize,
}

impl KeyWords {
    #[inline(always)]
    fn append<P: KeyPart>(&mut self, part: P) {
        match P::MEANING {
            WordKind::Chain => self.chain = part.to_word(),
            _ => {
                self.words[self.length] = part.to_word();
                self.length += 1;
            }
        }
    }
}

/// The operands of an operation: a tuple of at most five, and a chain.
pub trait CacheKey: Copy {
    /// The meanings of the operands.
    const MEANINGS: &'static [WordKind];

    /// Returns the operands as words.
    fn to_words(self) -> KeyWords;
}

macro_rules! key {
    ($($part:ident),+) => {
        impl<$($part: KeyPart),+> CacheKey for ($($part,)+) {
            const MEANINGS: &'static [WordKind] = &[$($part::MEANING),+];

            #[inline(always)]
            #[allow(non_snake_case, reason = "the parts are named for their types")]
            fn to_words(self) -> KeyWords {
                let ($($part,)+) = self;
                let mut words = KeyWords::default();
                $(words.append($part);)+
                words
            }
        }
    };
}

key!(A);
key!(A, B);
key!(A, B, C);
key!(A, B, C, D);
key!(A, B, C, D, E);
key!(A, B, C, D, E, F);

/// The result of an operation, as at most two words.
pub trait CacheValue: Copy {
    /// The meanings of the words.
    const MEANINGS: &'static [WordKind];

    /// Returns the result as words.
    fn to_words(self) -> [u32; 2];

    /// Returns the result with these words.
    fn from_words(words: [u32; 2]) -> Self;
}

impl CacheValue for DdNode {
    const MEANINGS: &'static [WordKind] = &[WordKind::Node];

    #[inline]
    fn to_words(self) -> [u32; 2] {
        [self.0, 0]
    }

    #[inline]
    fn from_words([node, _]: [u32; 2]) -> DdNode {
        DdNode(node)
    }
}

impl CacheValue for bool {
    const MEANINGS: &'static [WordKind] = &[WordKind::Number];

    #[inline]
    fn to_words(self) -> [u32; 2] {
        [self.into(), 0]
    }

    #[inline]
    fn from_words([word, _]: [u32; 2]) -> bool {
        word == 1
    }
}

impl CacheValue for u64 {
    const MEANINGS: &'static [WordKind] = &[WordKind::Number, WordKind::Number];

    #[inline]
    fn to_words(self) -> [u32; 2] {
        [self as u32, (self >> 32) as u32]
    }

    #[inline]
    fn from_words([low, high]: [u32; 2]) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }
}

/// For operations that return nothing and need not be repeated.
impl CacheValue for () {
    const MEANINGS: &'static [WordKind] = &[];

    #[inline]
    fn to_words(self) -> [u32; 2] {
        [0, 0]
    }

    #[inline]
    fn from_words(_: [u32; 2]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_become_words_in_order_and_the_chain_is_separate() {
        let key = (DdNode(7), ChainId(3), Residual(5), true);
        let KeyWords { chain, words, .. } = key.to_words();
        assert_eq!((chain, words), (3, [7, 5, 1, 0, 0]));
    }

    #[test]
    fn results_round_trip() {
        let number = 0x0123_4567_89ab_cdef;
        assert_eq!(u64::from_words(number.to_words()), number);
        assert_eq!(DdNode::from_words(DdNode(9).to_words()), DdNode(9));
        for known in [false, true] {
            assert_eq!(bool::from_words(known.to_words()), known);
        }
    }
}
