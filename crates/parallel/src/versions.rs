//! Sequence locks: entries of several words that are read whole or not at all.
//!
//! The words of an entry are atomics in a table of the caller; one *version* here guards one or
//! several entries. It is odd while a thread writes.
//!
//! ```text
//! write: v := version; odd, or v → v + 1 fails: give up      another thread writes
//!        fence(release); words (relaxed); version := v + 2 (release)
//! read:  v := version (acquire); odd: nothing
//!        words (relaxed); fence(acquire); version ≠ v: nothing
//! ```
//!
//! This suits a cache, where an entry may be lost but never mixed of two. Without the release fence
//! the first words of a write could be seen before its odd version, which the loom models detect. A
//! version has 32 bits: a reader errs only if it sleeps for exactly 2³¹ writes to one entry. (H.
//! Boehm: *Can seqlocks get along with programming language memory models?*, MSPC 2012; as in
//! Sylvan, whose versions have 16 bits.)

use crate::sync::{AtomicU32, Ordering, fence, zeroed};

/// Versions of entries; see the [crate documentation](crate).
#[derive(Default)]
pub struct Versions {
    words: Vec<AtomicU32>,
}

impl Versions {
    /// Returns versions for `count` entries, or groups of entries, that no thread writes.
    pub fn new(count: usize) -> Versions {
        Versions {
            words: zeroed(count),
        }
    }

    /// Returns the number of versions.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Returns the result of `read` on the entry under version `at`, unless a thread writes it.
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

    /// Runs `write` on the entry under version `at`, unless another thread does; returns whether it
    /// ran.
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
