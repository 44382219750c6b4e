//! The gate: many work on what they share, and now and then one of them has it alone.
//!
//! A [`Pass`] is a worker's way to what is shared. While it is *inside* it holds a reference count, so that reading
//! is as cheap as through any pointer and takes no lock. Whoever must have everything alone — to let a table
//! grow, to collect garbage — says so, goes out, waits until the others have gone out too, and then has `&mut`:
//!
//! ```text
//! alone:    wanted + 1; drop the reference; wait until nobody is inside; work on &mut; wanted − 1; in again
//! others:   look at `is_wanted` where they can do without what they have read, and make way: drop the reference,
//!           wait until nobody wants to be alone, in again
//! ```
//!
//! A reference is dropped before the room is told, so that with nobody inside the last one is the room's own: this is
//! what makes `&mut` possible without unsafe code. Arrays may thus grow in place, and what is shared may move.
//!
//! Two rules. A worker that is inside never waits for another one, except at the gate: who would be alone waits for
//! both. And who is outside reads nothing: it finds the empty `T` that the gate was made with.
//!
//! *Turns* are counted: a worker that made way hears whether somebody was alone meanwhile, and forgets what it had set
//! aside for itself.

use crate::sync::{Arc, AtomicU32, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering};
use std::ops::Deref;

struct Gate<T> {
    room: Mutex<Room<T>>,
    changed: Condvar,
    /// How many want to be alone.
    wanted: AtomicU32,
    passes: AtomicUsize,
    /// What is seen from outside.
    nothing: Arc<T>,
}

struct Room<T> {
    shared: Arc<T>,
    inside: usize,
    turns: u64,
}

/// A worker's way to a shared `T`; see the [crate documentation](crate).
///
/// It dereferences to the `T` while it is inside.
pub struct Pass<T> {
    gate: Arc<Gate<T>>,
    /// What is shared, or nothing while outside.
    shared: Arc<T>,
    inside: bool,
    /// The turns that were over when it last was inside.
    seen: u64,
}

impl<T> Pass<T> {
    /// The first pass to `shared`, inside; from outside `nothing` is seen.
    pub fn new(shared: T, nothing: T) -> Pass<T> {
        let shared = Arc::new(shared);
        let room = Room {
            shared: shared.clone(),
            inside: 1,
            turns: 0,
        };
        let gate = Gate {
            room: Mutex::new(room),
            changed: Condvar::new(),
            wanted: AtomicU32::new(0),
            passes: AtomicUsize::new(1),
            nothing: Arc::new(nothing),
        };
        Pass {
            gate: Arc::new(gate),
            shared,
            inside: true,
            seen: 0,
        }
    }

    /// A pass for another worker, outside.
    pub fn another(&self) -> Pass<T> {
        self.gate.passes.fetch_add(1, Ordering::Relaxed);
        Pass {
            gate: self.gate.clone(),
            shared: self.gate.nothing.clone(),
            inside: false,
            seen: self.seen,
        }
    }

    /// Is this the only pass? Then nobody else ever sees what its holder does, until it makes another.
    pub fn is_sole(&self) -> bool {
        self.passes() == 1
    }

    /// How many passes there are.
    pub fn passes(&self) -> usize {
        self.gate.passes.load(Ordering::Acquire)
    }

    /// Is it inside?
    #[inline]
    pub fn is_inside(&self) -> bool {
        self.inside
    }

    /// Does somebody want to be alone? One relaxed look, for places that are passed often.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.gate.wanted.load(Ordering::Relaxed) > 0
    }

    /// Goes inside, unless it is there, as soon as nobody wants to be alone. True if somebody was since it last was
    /// inside.
    pub fn enter(&mut self) -> bool {
        if self.inside {
            return false;
        }
        let mut room = self.gate.lock();
        while self.gate.wanted.load(Ordering::Relaxed) > 0 {
            room = self.gate.wait(room);
        }
        self.inside = true;
        room.inside += 1;
        self.shared = room.shared.clone();
        let before = std::mem::replace(&mut self.seen, room.turns);
        before != room.turns
    }

    /// Goes outside, unless it is there.
    pub fn leave(&mut self) {
        if !self.inside {
            return;
        }
        // The reference first: who finds nobody inside finds no other reference.
        self.shared = self.gate.nothing.clone();
        self.inside = false;
        self.gate.one_less(&mut self.gate.lock());
    }

    /// Lets those have their turn who want to be alone. True if somebody had.
    pub fn make_way(&mut self) -> bool {
        self.leave();
        self.enter()
    }

    /// What `work` makes of the shared `T`, with everybody else outside. Others may have had their turns before:
    /// `work` looks whether it is still needed. Inside afterwards; `work` makes no use of the gate.
    pub fn alone<R>(&mut self, work: impl FnOnce(&mut T) -> R) -> R {
        let gate = self.gate.clone();
        // Where there is nobody else, nobody has to hear of it.
        let wish = (!self.is_sole()).then(|| Wish::new(&gate));
        if self.inside {
            self.shared = gate.nothing.clone();
        }
        let mut room = gate.lock();
        if std::mem::replace(&mut self.inside, false) {
            gate.one_less(&mut room);
        }
        let mut work = Some(work);
        let result = loop {
            if room.inside == 0
                && let Some(shared) = Arc::get_mut(&mut room.shared)
                && let Some(work) = work.take()
            {
                break work(shared);
            }
            room = gate.wait(room);
        };
        room.turns += 1;
        room.inside += 1;
        self.inside = true;
        self.seen = room.turns;
        self.shared = room.shared.clone();
        // Before the room is unlocked: who waits for it looks at the wishes.
        drop(wish);
        drop(room);
        result
    }
}

impl<T> Deref for Pass<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        debug_assert!(self.inside, "who is outside reads nothing");
        &self.shared
    }
}

impl<T> Drop for Pass<T> {
    fn drop(&mut self) {
        self.leave();
        self.gate.passes.fetch_sub(1, Ordering::Release);
    }
}

impl<T> Gate<T> {
    /// The room; whether somebody panicked in it does not matter to the others.
    fn lock(&self) -> MutexGuard<'_, Room<T>> {
        match self.room.lock() {
            Ok(room) => room,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// Somebody has gone outside; those are told who wait for it.
    fn one_less(&self, room: &mut Room<T>) {
        room.inside -= 1;
        // Whoever waits has said so before it looked into the room.
        if room.inside == 0 && self.wanted.load(Ordering::Relaxed) > 0 {
            self.changed.notify_all();
        }
    }

    fn wait<'a>(&'a self, room: MutexGuard<'a, Room<T>>) -> MutexGuard<'a, Room<T>> {
        match self.changed.wait(room) {
            Ok(room) => room,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

/// Somebody wants to be alone; gone when it has been, or has panicked.
struct Wish<'a, T>(&'a Gate<T>);

impl<T> Wish<'_, T> {
    fn new(gate: &Gate<T>) -> Wish<'_, T> {
        gate.wanted.fetch_add(1, Ordering::Relaxed);
        Wish(gate)
    }
}

impl<T> Drop for Wish<'_, T> {
    fn drop(&mut self) {
        self.0.wanted.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}
