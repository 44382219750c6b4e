//! A readers–writer gate: shared access is lock-free; a writer waits for all readers to leave.
//!
//! Each worker thread has a [`SharedHandle`]. Inside the shared section the handle holds an `Arc`
//! of the data, so a read costs one pointer and takes no lock. A thread that needs exclusive access
//! (to grow a table, to collect garbage) announces it, drops the references parked by the handles
//! outside, waits until the others have left, and gets `&mut` by `Arc::get_mut`:
//!
//! ```text
//! leave:   park the Arc in the handle's slot; if a writer waits, drop it and notify
//! enter:   take the parked Arc; if a writer dropped it, wait until no writer waits, then clone
//! writer:  writers + 1; drop the own Arc and all parked ones; wait until only the gate's is left;
//!          work on &mut; writers − 1; enter
//! others:  poll `is_wanted` where they can discard their reads, and yield: leave and enter
//! ```
//!
//! A worker enters and leaves with every operation. Its parking slot is a mutex that only writers
//! contend for, so without writers the workers write no common memory; a counter of the threads
//! inside would be a bottleneck. No parked reference is missed: a handle checks for waiting writers
//! after it has parked, and a writer announces itself before it clears the slots.
//!
//! *No deadlock.* A thread inside never waits for another one, except at the gate, because a writer
//! would wait for both. Operations that wait require an [`Outside`], which borrows the handle; the locks that a thread may take inside are [`Leaf`](crate::Leaf) locks, whose
//! holders wait for nothing. So readers leave, or yield, after a bounded time, and a writer gets
//! access; it polls its budget meanwhile. A reader waits only for writers, which give up at their
//! deadlines. The protocol is also a model for this model checker: `examples/protocols/gate.dve`.
//!
//! A handle outside reads nothing: it dereferences to the placeholder that the gate was made with.
//!
//! Exclusive sections are counted: a thread that yielded learns whether one took place meanwhile,
//! and then discards its reservations.

use crate::outside::{Outside, wait_polling};
use crate::sync::witness::{HandleWitness, at_gate};
use crate::sync::{Arc, AtomicU32, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, pause};
use lariat_budget::{Budget, Stop};
use std::ops::Deref;

struct ExclusiveGate<T> {
    state: Mutex<GateState<T>>,
    changed: Condvar,
    /// Number of threads that wait for exclusive access or have it.
    writers: AtomicU32,
    passes: AtomicUsize,
    /// The placeholder that handles outside dereference to.
    nothing: Arc<T>,
}

struct GateState<T> {
    shared: Arc<T>,
    /// The parking slots of all handles that have ever left.
    parked: Vec<Arc<ParkingSlot<T>>>,
    turns: u64,
}

/// The reference of a handle outside, until a writer drops it.
type ParkingSlot<T> = Mutex<Option<Arc<T>>>;

/// A worker's handle to a shared `T`; see the [crate documentation](crate).
///
/// It dereferences to the `T` while it is inside.
pub struct SharedHandle<T> {
    gate: Arc<ExclusiveGate<T>>,
    /// The shared data while inside, the placeholder while outside.
    shared: Arc<T>,
    /// The placeholder while inside, `None` while outside.
    nothing: Option<Arc<T>>,
    parked: Option<Arc<ParkingSlot<T>>>,
    /// The value of `GateState::turns` when the handle was last inside.
    seen: u64,
    witness: HandleWitness,
}

impl<T> SharedHandle<T> {
    /// Returns the first handle to `shared`, inside; handles outside dereference to `nothing`.
    pub fn new(shared: T, nothing: T) -> SharedHandle<T> {
        let (shared, nothing) = (Arc::new(shared), Arc::new(nothing));
        let state = GateState {
            shared: shared.clone(),
            parked: Vec::new(),
            turns: 0,
        };
        let gate = ExclusiveGate {
            state: Mutex::new(state),
            changed: Condvar::new(),
            writers: AtomicU32::new(0),
            passes: AtomicUsize::new(1),
            nothing: nothing.clone(),
        };
        let witness = HandleWitness::of_new_gate();
        witness.enter();
        SharedHandle {
            gate: Arc::new(gate),
            shared,
            nothing: Some(nothing),
            parked: None,
            seen: 0,
            witness,
        }
    }

    /// Returns a handle for another thread, outside.
    pub fn another(&self) -> SharedHandle<T> {
        self.gate.passes.fetch_add(1, Ordering::Relaxed);
        if self.is_inside() {
            // A single handle may have been moved from the thread that entered.
            self.witness.enter();
        }
        SharedHandle {
            gate: self.gate.clone(),
            shared: self.gate.nothing.clone(),
            nothing: None,
            parked: None,
            seen: self.seen,
            witness: self.witness.another(),
        }
    }

    /// Returns whether this is the only handle: then no other thread can see what its owner does.
    pub fn is_sole(&self) -> bool {
        self.passes() == 1
    }

    /// Returns the number of handles.
    pub fn passes(&self) -> usize {
        self.gate.passes.load(Ordering::Acquire)
    }

    /// Returns whether the handle is inside the shared section.
    #[inline]
    pub fn is_inside(&self) -> bool {
        self.nothing.is_some()
    }

    /// Returns whether a thread waits for exclusive access: one relaxed load.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.gate.writers.load(Ordering::Relaxed) > 0
    }

    /// Enters the shared section, unless inside, as soon as no writer waits. Returns whether there
    /// was an exclusive section since the handle was last inside.
    pub fn enter(&mut self) -> bool {
        if self.is_inside() {
            return false;
        }
        at_gate();
        pause();
        if let Some(shared) = self.unpark() {
            self.enter_with(shared);
            return false;
        }
        let gate = self.gate.clone();
        let mut state = lock(&gate.state);
        while self.is_wanted() {
            state = gate.wait(state);
        }
        self.enter_with(state.shared.clone());
        let before = std::mem::replace(&mut self.seen, state.turns);
        before != state.turns
    }

    /// Leaves the shared section, unless outside.
    pub fn leave(&mut self) {
        at_gate();
        let Some(shared) = self.leave_with() else {
            return;
        };
        match &self.parked {
            Some(slot) => *lock(slot) = Some(shared),
            None => {
                let slot = Arc::new(Mutex::new(Some(shared)));
                lock(&self.gate.state).parked.push(slot.clone());
                self.parked = Some(slot);
            }
        }
        // A writer that announces itself after this check finds the parked reference itself.
        if self.is_wanted() {
            drop(self.unpark());
            let _state = lock(&self.gate.state);
            self.gate.changed.notify_all();
        }
    }

    /// Leaves the shared section, and returns the permission to wait. The handle cannot enter again
    /// while the permission lives.
    pub fn outside<'a>(&'a mut self, budget: &'a Budget) -> Outside<'a> {
        self.leave();
        Outside::of_thread(budget)
    }

    /// Yields to waiting writers. Returns whether there was an exclusive section.
    pub fn yield_to_writer(&mut self) -> bool {
        self.leave();
        self.enter()
    }

    /// Runs `work` with exclusive access to the shared `T`; the handle is inside afterwards. Fails
    /// if `budget` is exhausted before all other threads have left.
    ///
    /// Other exclusive sections may come first, so `work` checks whether it is still needed. It
    /// must not use the gate. If it panics, the other threads continue with `T` as it is.
    pub fn with_exclusive<R>(
        &mut self,
        budget: &Budget,
        work: impl FnOnce(&mut T) -> R,
    ) -> Result<R, Stop> {
        at_gate();
        pause();
        let gate = self.gate.clone();
        // The owner of the only handle need not notify other threads.
        let announced = (!self.is_sole()).then(|| PendingWriter::new(&gate));
        drop((self.leave_with(), self.unpark()));
        let mut state = lock(&gate.state);
        let mut work = Some(work);
        let result = loop {
            state.clear();
            if let Some(shared) = Arc::get_mut(&mut state.shared)
                && let Some(work) = work.take()
            {
                break Ok(work(shared));
            }
            let woken = wait_polling(budget, &gate.changed, state);
            state = match woken {
                Ok(woken) => woken,
                Err(stop) => {
                    state = lock(&gate.state);
                    break Err(stop);
                }
            };
        };
        // A section that was given up counts as well: others may have come first.
        state.turns += 1;
        self.seen = state.turns;
        self.enter_with(state.shared.clone());
        // Dropped before the unlock: threads that wait for the lock check `writers`.
        drop(announced);
        drop(state);
        result
    }

    /// Enters with a reference.
    fn enter_with(&mut self, shared: Arc<T>) {
        self.witness.enter();
        self.nothing = Some(std::mem::replace(&mut self.shared, shared));
    }

    /// Leaves and returns the reference; `None` if outside.
    fn leave_with(&mut self) -> Option<Arc<T>> {
        let nothing = self.nothing.take()?;
        self.witness.leave();
        Some(std::mem::replace(&mut self.shared, nothing))
    }

    /// Takes the parked reference.
    fn unpark(&self) -> Option<Arc<T>> {
        self.parked.as_ref().and_then(|slot| lock(slot).take())
    }
}

impl<T> Deref for SharedHandle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        debug_assert!(
            self.is_inside(),
            "a handle outside the shared section reads nothing"
        );
        &self.shared
    }
}

impl<T> Drop for SharedHandle<T> {
    fn drop(&mut self) {
        drop((self.leave_with(), self.unpark()));
        let mut state = lock(&self.gate.state);
        if let Some(slot) = &self.parked {
            state.parked.retain(|other| !Arc::ptr_eq(other, slot));
        }
        // A waiting writer announced itself before it took the lock.
        if self.is_wanted() {
            self.gate.changed.notify_all();
        }
        drop(state);
        self.gate.passes.fetch_sub(1, Ordering::Release);
    }
}

impl<T> GateState<T> {
    /// Drops the references of all handles outside.
    fn clear(&mut self) {
        for slot in &self.parked {
            drop(lock(slot).take());
        }
    }
}

/// Locks `mutex`, also after a panic of another holder.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

impl<T> ExclusiveGate<T> {
    /// Waits until a writer has finished or given up.
    fn wait<'a>(&'a self, state: MutexGuard<'a, GateState<T>>) -> MutexGuard<'a, GateState<T>> {
        match self.changed.wait(state) {
            Ok(state) => state,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

/// A thread that waits for exclusive access; dropped when it has finished or panicked.
struct PendingWriter<'a, T>(&'a ExclusiveGate<T>);

impl<T> PendingWriter<'_, T> {
    fn new(gate: &ExclusiveGate<T>) -> PendingWriter<'_, T> {
        gate.writers.fetch_add(1, Ordering::Relaxed);
        PendingWriter(gate)
    }
}

impl<T> Drop for PendingWriter<'_, T> {
    fn drop(&mut self) {
        self.0.writers.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}
