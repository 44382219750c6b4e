//! The gate: many work on what they share, and now and then one of them has it alone.
//!
//! A [`Pass`] is a worker's way to what is shared. While it is *inside* it holds a reference, so that reading
//! is as cheap as through any pointer and takes no lock. Whoever must have everything alone — to let a table
//! grow, to collect garbage — says so, collects the references of all who are outside, waits until the others have gone out too, and
//! then has `&mut`:
//!
//! ```text
//! leave:    hang the reference on the own hook; if somebody wants to be alone, drop it and tell the room
//! enter:    take it from the hook; if it was taken away, wait until nobody wants to be alone, and get another in the room
//! alone:    wanted + 1; drop the own reference, and those on all hooks; wait until there is no other; work on &mut; wanted − 1; in again
//! others:   look at `is_wanted` where they can do without what they have read, and make way: leave and enter
//! ```
//!
//! A worker goes in and out with every operation, and its hook is a lock that next to nobody else ever takes: as long as nobody wants to be alone, workers
//! touch no memory that another one writes. (A count of those inside, under one lock, took a twentieth of all time of two workers.) A reference is never
//! left behind: either who wants to be alone comes to the hook later and finds it, or it came before, and then who hangs it there sees that it is wanted. With all references gone
//! the last one is the room's own: this is what makes `&mut` possible without unsafe code. Arrays may thus grow in place, and what is shared may move.
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
    /// Those of all passes that have ever left.
    hooks: Vec<Arc<Hook<T>>>,
    turns: u64,
}

/// Where a pass has its reference while it is outside, unless that was taken away.
type Hook<T> = Mutex<Option<Arc<T>>>;

/// A worker's way to a shared `T`; see the [crate documentation](crate).
///
/// It dereferences to the `T` while it is inside.
pub struct Pass<T> {
    gate: Arc<Gate<T>>,
    /// What is shared, or nothing while outside.
    shared: Arc<T>,
    /// Nothing, while inside.
    nothing: Option<Arc<T>>,
    hook: Option<Arc<Hook<T>>>,
    /// The turns that were over when it last was inside.
    seen: u64,
}

impl<T> Pass<T> {
    /// The first pass to `shared`, inside; from outside `nothing` is seen.
    pub fn new(shared: T, nothing: T) -> Pass<T> {
        let (shared, nothing) = (Arc::new(shared), Arc::new(nothing));
        let room = Room {
            shared: shared.clone(),
            hooks: Vec::new(),
            turns: 0,
        };
        let gate = Gate {
            room: Mutex::new(room),
            changed: Condvar::new(),
            wanted: AtomicU32::new(0),
            passes: AtomicUsize::new(1),
            nothing: nothing.clone(),
        };
        Pass {
            gate: Arc::new(gate),
            shared,
            nothing: Some(nothing),
            hook: None,
            seen: 0,
        }
    }

    /// A pass for another worker, outside.
    pub fn another(&self) -> Pass<T> {
        self.gate.passes.fetch_add(1, Ordering::Relaxed);
        Pass {
            gate: self.gate.clone(),
            shared: self.gate.nothing.clone(),
            nothing: None,
            hook: None,
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
        self.nothing.is_some()
    }

    /// Does somebody want to be alone? One relaxed look, for places that are passed often.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.gate.wanted.load(Ordering::Relaxed) > 0
    }

    /// Goes inside, unless it is there, as soon as nobody wants to be alone. True if somebody was since it last was
    /// inside.
    pub fn enter(&mut self) -> bool {
        if self.is_inside() {
            return false;
        }
        if let Some(shared) = self.unhook() {
            self.take(shared);
            return false;
        }
        let gate = self.gate.clone();
        let mut room = lock(&gate.room);
        while self.is_wanted() {
            room = gate.wait(room);
        }
        self.take(room.shared.clone());
        let before = std::mem::replace(&mut self.seen, room.turns);
        before != room.turns
    }

    /// Goes outside, unless it is there.
    pub fn leave(&mut self) {
        let Some(shared) = self.give() else {
            return;
        };
        match &self.hook {
            Some(hook) => *lock(hook) = Some(shared),
            None => {
                let hook = Arc::new(Mutex::new(Some(shared)));
                lock(&self.gate.room).hooks.push(hook.clone());
                self.hook = Some(hook);
            }
        }
        // Who says so later than this finds what is on the hook.
        if self.is_wanted() {
            drop(self.unhook());
            let _room = lock(&self.gate.room);
            self.gate.changed.notify_all();
        }
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
        drop((self.give(), self.unhook()));
        let mut room = lock(&gate.room);
        let mut work = Some(work);
        let result = loop {
            room.clear();
            if let Some(shared) = Arc::get_mut(&mut room.shared)
                && let Some(work) = work.take()
            {
                break work(shared);
            }
            room = gate.wait(room);
        };
        room.turns += 1;
        self.seen = room.turns;
        self.take(room.shared.clone());
        // Before the room is unlocked: who waits for it looks at the wishes.
        drop(wish);
        drop(room);
        result
    }

    /// Goes inside with a reference.
    fn take(&mut self, shared: Arc<T>) {
        self.nothing = Some(std::mem::replace(&mut self.shared, shared));
    }

    /// Goes outside, and gives its reference away; `None` if it was outside.
    fn give(&mut self) -> Option<Arc<T>> {
        let nothing = self.nothing.take()?;
        Some(std::mem::replace(&mut self.shared, nothing))
    }

    /// What is on the hook.
    fn unhook(&self) -> Option<Arc<T>> {
        self.hook.as_ref().and_then(|hook| lock(hook).take())
    }
}

impl<T> Deref for Pass<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        debug_assert!(self.is_inside(), "who is outside reads nothing");
        &self.shared
    }
}

impl<T> Drop for Pass<T> {
    fn drop(&mut self) {
        drop((self.give(), self.unhook()));
        let mut room = lock(&self.gate.room);
        if let Some(hook) = &self.hook {
            room.hooks.retain(|other| !Arc::ptr_eq(other, hook));
        }
        // Whoever waits has said so before it looked into the room.
        if self.is_wanted() {
            self.gate.changed.notify_all();
        }
        drop(room);
        self.gate.passes.fetch_sub(1, Ordering::Release);
    }
}

impl<T> Room<T> {
    /// Takes the references of all who are outside.
    fn clear(&mut self) {
        for hook in &self.hooks {
            drop(lock(hook).take());
        }
    }
}

/// What is behind a lock; whether somebody panicked there does not matter to the others.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

impl<T> Gate<T> {
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
