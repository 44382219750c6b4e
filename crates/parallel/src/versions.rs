//! Entries of several words that are read whole or not at all.
//!
//! The words of an entry are atomics that lie in a table of the caller's; one *version* here guards one or several
//! entries. It is odd while somebody writes.
//!
//! ```text
//! write: v := version; odd, or v → v + 1 fails: give up      somebody else writes
//!        fence(release); words (relaxed); version := v + 2 (release)
//! read:  v := version (acquire); odd: nothing
//!        words (relaxed); fence(acquire); version ≠ v: nothing
//! ```
//!
//! This suits a cache, where an entry may be forgotten and must never be mixed of two. Without the release fence the first
//! words of a write may be seen before its odd version; the models find that. A version has 32 bits: to be fooled, a reader
//! would have to sleep for exactly 2³¹ writes to one entry. (H. Boehm: *Can seqlocks get along with programming language memory
//! models?*, MSPC 2012; as in Sylvan, whose versions have 16 bits.)

use crate::sync::{AtomicU32, Ordering, fence, zeroed};

/// Versions of entries; see the [crate documentation](crate).
#[derive(Default)]
pub struct Versions {
    words: Vec<AtomicU32>,
}

impl Versions {
    /// Versions for `count` entries, or groups of them, that nobody writes now.
    pub fn new(count: usize) -> Versions {
        Versions {
            words: zeroed(count),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// What `read` makes of the words of the entry under version `at`, unless somebody writes it meanwhile.
    #[inline]
    pub fn read<R>(&self, at: usize, read: impl FnOnce() -> R) -> Option<R> {
        let version = &self.words[at];
        let before = version.load(Ordering::Acquire);
        if before & 1 == 1 {
            return None;
        }
        let found = read();
        fence(Ordering::Acquire);
        (version.load(Ordering::Relaxed) == before).then_some(found)
    }

    /// Lets `write` store the words of the entry under version `at`, unless somebody else writes it. True if it did.
    #[inline]
    pub fn write(&self, at: usize, write: impl FnOnce()) -> bool {
        let version = &self.words[at];
        let before = version.load(Ordering::Relaxed);
        if before & 1 == 1 {
            return false;
        }
        let odd = before.wrapping_add(1);
        if version
            .compare_exchange(before, odd, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            return false;
        }
        fence(Ordering::Release);
        write();
        version.store(before.wrapping_add(2), Ordering::Release);
        true
    }
}
