//! Checks of the lock order in debug builds.
//!
//! The order has three ranks: waits for other threads and joins; then gates; then leaf locks. A
//! thread may block on a lock of a higher rank than all it holds:
//!
//! - a thread that waits is outside of every gate that other threads use, and holds no leaf lock;
//! - a thread that enters, leaves or waits at a gate holds no leaf lock;
//! - a thread that takes a leaf lock holds no other one.
//!
//! A violation panics in every schedule, not only in those that block. The functions do nothing in
//! release builds.

use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

thread_local! {
    /// Whether the thread holds a leaf lock.
    static HOLDS_LEAF: Cell<bool> = const { Cell::new(false) };
}

/// The handles that are inside a gate.
static INSIDE: Mutex<Option<Handles>> = Mutex::new(None);

#[derive(Default)]
struct Handles {
    /// Number of handles per gate.
    of_gate: HashMap<u64, usize>,
    /// For each handle inside its gate the gate, and the thread that entered.
    inside: HashMap<u64, (u64, ThreadId)>,
}

fn handles() -> MutexGuard<'static, Option<Handles>> {
    INSIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives, the thread holds a leaf lock.
pub(crate) struct HeldLeaf(PhantomData<*const ()>);

impl Drop for HeldLeaf {
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            HOLDS_LEAF.set(false);
        }
    }
}

/// Called before a leaf lock is taken.
#[inline]
pub(crate) fn hold_leaf() -> HeldLeaf {
    if cfg!(debug_assertions) {
        assert!(
            !HOLDS_LEAF.replace(true) || std::thread::panicking(),
            "lock order: a leaf lock is taken while another one is held"
        );
    }
    HeldLeaf(PhantomData)
}

/// Called before a gate is entered, left or waited for.
#[inline]
pub(crate) fn at_gate() {
    debug_assert!(
        !HOLDS_LEAF.get() || std::thread::panicking(),
        "lock order: a gate is used while a leaf lock is held"
    );
}

/// Called before the thread waits for other threads.
pub(crate) fn before_wait() {
    if !cfg!(debug_assertions) || std::thread::panicking() {
        return;
    }
    assert!(
        !HOLDS_LEAF.get(),
        "lock order: a thread waits while it holds a leaf lock"
    );
    let here = std::thread::current().id();
    let is_inside = handles().as_ref().is_some_and(|handles| {
        let mut inside = handles.inside.values();
        inside.any(|(gate, thread)| *thread == here && handles.of_gate.get(gate) > Some(&1))
    });
    assert!(
        !is_inside,
        "lock order: a thread waits for others inside a gate"
    );
}

/// The identity of a handle of a gate.
#[derive(Debug)]
pub(crate) struct HandleWitness {
    gate: u64,
    handle: u64,
}

/// Returns a process-wide unique number.
fn number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl HandleWitness {
    /// Returns the identity of the first handle of a gate.
    pub(crate) fn of_new_gate() -> HandleWitness {
        HandleWitness::of(number())
    }

    /// Returns the identity of another handle of this gate.
    pub(crate) fn another(&self) -> HandleWitness {
        HandleWitness::of(self.gate)
    }

    fn of(gate: u64) -> HandleWitness {
        if cfg!(debug_assertions) {
            let mut handles = handles();
            let handles = handles.get_or_insert_default();
            *handles.of_gate.entry(gate).or_default() += 1;
        }
        HandleWitness {
            gate,
            handle: number(),
        }
    }

    /// The present thread is inside by this handle.
    #[inline]
    pub(crate) fn enter(&self) {
        if cfg!(debug_assertions) {
            let place = (self.gate, std::thread::current().id());
            let mut handles = handles();
            handles
                .get_or_insert_default()
                .inside
                .insert(self.handle, place);
        }
    }

    /// No thread is inside by this handle.
    #[inline]
    pub(crate) fn leave(&self) {
        if cfg!(debug_assertions) {
            handles()
                .get_or_insert_default()
                .inside
                .remove(&self.handle);
        }
    }
}

impl Drop for HandleWitness {
    fn drop(&mut self) {
        if !cfg!(debug_assertions) {
            return;
        }
        let mut handles = handles();
        let handles = handles.get_or_insert_default();
        handles.inside.remove(&self.handle);
        if let Some(count) = handles.of_gate.get_mut(&self.gate) {
            *count -= 1;
            if *count == 0 {
                handles.of_gate.remove(&self.gate);
            }
        }
    }
}
