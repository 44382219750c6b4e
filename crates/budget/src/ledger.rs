//! The budget: a deadline, a limit on bytes, counted work, and a cancel switch.

use crate::fault::InjectedFault;
use crate::pending_permit::PendingPermit;
use crate::thread_pool::ThreadPool;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Why a computation stopped before its end. Never a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed.
    Time,
    /// The bytes are used up.
    Memory,
    /// The [`Cancel`] switch was pressed.
    Interrupted,
    /// The counted work (product nodes, diagram nodes) reached this limit.
    Work(u64),
    /// A value exceeds the range of this engine; the text names it.
    Bound(String),
    /// The engine does not support the question; the text names the requirement.
    Unsupported(String),
    /// A participating process or thread was lost; the text names it.
    Lost(String),
    /// A defect of Lariat: an internal check failed; the text names it.
    Internal(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Time => f.write_str("time"),
            Stop::Memory => f.write_str("memory"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Work(limit) => write!(f, "gave up after {limit} steps of work"),
            Stop::Bound(what) => write!(f, "bound: {what}"),
            Stop::Unsupported(what) => write!(f, "unsupported: {what}"),
            Stop::Lost(name) => write!(f, "a worker was lost ({name})"),
            Stop::Internal(what) => write!(f, "internal: {what}"),
        }
    }
}

impl std::error::Error for Stop {}

/// A switch that any thread, such as a signal handler, may press once.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests all computations under a budget with this switch to stop.
    pub fn press(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was pressed.
    pub fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A reason to stop, set by one of several workers for all of them.
#[derive(Clone, Debug, Default)]
pub struct Abort(Arc<OnceLock<Stop>>);

impl Abort {
    /// Stops all computations under a budget with this `Abort`. The first reason counts.
    pub fn because(&self, reason: Stop) {
        let _ = self.0.set(reason);
    }

    /// Returns the reason, if there is one.
    pub fn reason(&self) -> Option<&Stop> {
        self.0.get()
    }
}

#[derive(Debug)]
struct Ledger {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
    /// The [size](ProcessSize) of the process.
    size: AtomicU8,
    /// How often the process has outgrown its limit.
    growths: AtomicU32,
    opened: Instant,
    fault: Option<InjectedFault>,
}

impl Ledger {
    #[inline]
    fn check_fault(&self) -> Result<(), Stop> {
        self.fault.as_ref().map_or(Ok(()), InjectedFault::check)
    }

    fn take(&self, more: u64) -> Result<(), Stop> {
        if let Some(fault) = &self.fault {
            fault.request_bytes()?;
        }
        if self.size.load(Ordering::Relaxed) == ProcessSize::Full as u8 {
            return Err(Stop::Memory);
        }
        let before = self.used.fetch_add(more, Ordering::Relaxed);
        let after = before.saturating_add(more);
        if after > self.limit {
            self.give(more);
            return Err(Stop::Memory);
        }
        self.peak.fetch_max(after, Ordering::Relaxed);
        Ok(())
    }

    fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The memory of the process, compared with its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ProcessSize {
    /// Within the limit.
    Fine,
    /// It has grown too much. Computations that began before end; later ones may use what these
    /// free.
    Outgrown,
    /// It may not grow at all: all computations end.
    Full,
}

#[derive(Debug)]
struct Work {
    limit: u64,
    spent: AtomicU64,
    /// The limit within which this one was set.
    outer: Option<Arc<Work>>,
}

/// The limits of a computation. Clones share the accounts.
///
/// The deadline belongs to one property and is replaced by
/// [`with_deadline`](Budget::with_deadline). Limits on counted work nest:
/// [`with_work`](Budget::with_work) sets one within the present ones. The ledger of bytes is shared
/// by all budgets derived from one. All counters are relaxed atomics.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Cancel,
    ledger: Arc<Ledger>,
    work: Option<Arc<Work>>,
    helpers: Arc<Helpers>,
    aborts: Vec<Abort>,
    /// The [growths](Ledger::growths) before this computation began.
    growths: u32,
}

/// The threads that may run beside the calling one.
#[derive(Clone, Debug)]
struct Helpers {
    threads: NonZeroUsize,
    pending_permit: Option<PendingPermit>,
    thread_pool: ThreadPool,
}

impl Budget {
    /// Returns a budget without deadline and limits, for tests and small questions.
    pub fn unlimited() -> Budget {
        Budget::bytes(u64::MAX)
    }

    /// Returns a budget of at most `limit` bytes in all stores together.
    pub fn bytes(limit: u64) -> Budget {
        Budget::with_ledger(limit, None)
    }

    /// Returns an unlimited budget with an injected fault, for tests.
    pub fn faulty(fault: InjectedFault) -> Budget {
        Budget::with_ledger(u64::MAX, Some(fault))
    }

    fn with_ledger(limit: u64, fault: Option<InjectedFault>) -> Budget {
        Budget {
            deadline: None,
            cancel: Cancel::default(),
            ledger: Arc::new(Ledger {
                limit,
                used: AtomicU64::new(0),
                peak: AtomicU64::new(0),
                size: AtomicU8::new(ProcessSize::Fine as u8),
                growths: AtomicU32::new(0),
                opened: Instant::now(),
                fault,
            }),
            work: None,
            helpers: Arc::new(Helpers {
                threads: NonZeroUsize::MIN,
                pending_permit: None,
                thread_pool: ThreadPool::default(),
            }),
            aborts: Vec::new(),
            growths: 0,
        }
    }

    /// Allows the computation this many threads; the default is one.
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Budget {
        Arc::make_mut(&mut self.helpers).threads = threads;
        self
    }

    /// Marks one of the threads as still busy elsewhere.
    pub fn with_pending_permit(mut self, pending_permit: &PendingPermit) -> Budget {
        Arc::make_mut(&mut self.helpers).pending_permit = Some(pending_permit.clone());
        self
    }

    /// Returns the pending permit of one of the [threads](Budget::threads), if there is one.
    pub fn pending_permit(&self) -> Option<&PendingPermit> {
        self.helpers.pending_permit.as_ref()
    }

    /// Attaches a pool of permits. It is for computations that divide independent tasks among
    /// threads: counted work stays deterministic, so a limit on work does not matter.
    pub fn with_thread_pool(mut self, thread_pool: &ThreadPool) -> Budget {
        Arc::make_mut(&mut self.helpers).thread_pool = thread_pool.clone();
        self
    }

    /// Returns the pool of permits; the default is empty.
    pub fn thread_pool(&self) -> &ThreadPool {
        &self.helpers.thread_pool
    }

    /// Returns the number of threads that a computation may use, including its own.
    ///
    /// It is one under a [limit on work](Budget::with_work), which must be deterministic.
    pub fn threads(&self) -> NonZeroUsize {
        if self.accounts().any(|work| work.limit < u64::MAX) {
            return NonZeroUsize::MIN;
        }
        self.helpers.threads
    }

    /// The accounts of counted work, innermost first.
    fn accounts(&self) -> impl Iterator<Item = &Work> {
        std::iter::successors(self.work.as_deref(), |work| work.outer.as_deref())
    }

    /// Adds an `Abort` shared with other workers, beside those added before.
    pub fn with_abort(mut self, abort: &Abort) -> Budget {
        self.aborts.push(abort.clone());
        self
    }

    /// Sets the cancel switch.
    pub fn with_cancel(mut self, cancel: Cancel) -> Budget {
        self.cancel = cancel;
        self
    }

    /// Sets the deadline to `after` from now, when a computation begins.
    pub fn with_deadline(mut self, after: Duration) -> Budget {
        self.deadline = Instant::now().checked_add(after);
        self.growths = self.ledger.growths.load(Ordering::Relaxed);
        self
    }

    /// Adds a limit of `limit` units of work, which also count towards every outer limit, to a
    /// computation that begins.
    ///
    /// A unit is an object that the engine creates: a product node, a diagram node. Counted limits
    /// are deterministic and clocks are not; `auto` switches engines on them.
    pub fn with_work(mut self, limit: u64) -> Budget {
        self.work = Some(Arc::new(Work {
            limit,
            spent: AtomicU64::new(0),
            outer: self.work.take(),
        }));
        self.growths = self.ledger.growths.load(Ordering::Relaxed);
        self
    }

    /// Returns the time until the deadline, if there is one.
    pub fn time_left(&self) -> Option<Duration> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map(left)
    }

    /// Checks time, cancellation, aborts and the [size](Budget::set_size) of the process. It reads
    /// the clock: call it every few hundred steps.
    pub fn check(&self) -> Result<(), Stop> {
        self.ledger.check_fault()?;
        if self.cancel.is_pressed() {
            return Err(Stop::Interrupted);
        }
        if let Some(reason) = self.aborts.iter().find_map(Abort::reason) {
            return Err(reason.clone());
        }
        let size = self.ledger.size.load(Ordering::Relaxed);
        if size != ProcessSize::Fine as u8 {
            let growths = self.ledger.growths.load(Ordering::Relaxed);
            if size == ProcessSize::Full as u8 || growths != self.growths {
                return Err(Stop::Memory);
            }
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::Time),
            _ => Ok(()),
        }
    }

    /// Records `units` of counted work. Where several limits are exceeded, the error names the
    /// outermost: `spend(0)` on an outer budget tells whether its own limit is exceeded.
    pub fn spend(&self, units: u64) -> Result<(), Stop> {
        let mut exceeded = self.ledger.check_fault();
        for work in self.accounts() {
            let before = work.spent.fetch_add(units, Ordering::Relaxed);
            if before.saturating_add(units) > work.limit {
                exceeded = Err(Stop::Work(work.limit));
            }
        }
        exceeded
    }

    /// Returns the units of work recorded since the innermost limit was set, 0 if there is none.
    pub fn work_spent(&self) -> u64 {
        let spent = |work: &Arc<Work>| work.spent.load(Ordering::Relaxed);
        self.work.as_ref().map_or(0, spent)
    }

    /// Returns the units of work left within all limits, `None` if there is no limit.
    pub fn work_left(&self) -> Option<u64> {
        let spent = |work: &Work| work.spent.load(Ordering::Relaxed);
        let left = |work: &Work| work.limit.saturating_sub(spent(work));
        self.accounts().map(left).min()
    }

    /// Returns the time since the ledger was opened: the clock for statistics.
    pub fn elapsed(&self) -> Duration {
        self.ledger.opened.elapsed()
    }

    /// Opens an account of bytes that is closed when dropped.
    pub fn lease(&self) -> Lease {
        Lease {
            ledger: self.ledger.clone(),
            bytes: 0,
        }
    }

    /// Opens a lease of nothing for a store that several threads grow.
    pub fn shared_lease(&self) -> SharedLease {
        SharedLease(Arc::new(CommonLease {
            ledger: self.ledger.clone(),
            bytes: AtomicU64::new(0),
        }))
    }

    /// Tells the computations under this ledger how much memory the process has, because stacks and
    /// small objects have no lease. [`check`](Budget::check) returns [`Stop::Memory`] accordingly.
    pub fn set_size(&self, size: ProcessSize) {
        if size == ProcessSize::Outgrown {
            self.ledger.growths.fetch_add(1, Ordering::Relaxed);
        }
        self.ledger.size.store(size as u8, Ordering::Relaxed);
    }

    /// Returns the limit on bytes, `u64::MAX` if there is none.
    pub fn byte_limit(&self) -> u64 {
        self.ledger.limit
    }

    /// Returns the number of bytes leased now.
    pub fn bytes_used(&self) -> u64 {
        self.ledger.used.load(Ordering::Relaxed)
    }

    /// Returns the maximal number of bytes leased at one moment.
    pub fn bytes_peak(&self) -> u64 {
        self.ledger.peak.load(Ordering::Relaxed)
    }
}

/// Bytes that one store holds, leased *before* allocation; a refusal changes nothing.
#[derive(Debug)]
pub struct Lease {
    ledger: Arc<Ledger>,
    bytes: u64,
}

impl Lease {
    /// Sets the number of bytes held to `bytes`.
    ///
    /// A store that grows by copying leases old and new together, then shrinks.
    #[inline]
    pub fn resize(&mut self, bytes: usize) -> Result<(), Stop> {
        let bytes = bytes as u64;
        if bytes <= self.bytes {
            self.ledger.give(self.bytes - bytes);
        } else {
            self.ledger.take(bytes - self.bytes)?;
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Bytes that a store shared by several threads holds: a [`Lease`] that any of them grows, without
/// a lock, so it may be called anywhere.
#[derive(Clone, Debug)]
pub struct SharedLease(Arc<CommonLease>);

#[derive(Debug)]
struct CommonLease {
    ledger: Arc<Ledger>,
    bytes: AtomicU64,
}

impl SharedLease {
    /// Leases `bytes` more; a refusal changes nothing.
    pub fn take(&self, bytes: usize) -> Result<(), Stop> {
        self.0.ledger.take(bytes as u64)?;
        self.0.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Returns `bytes` of those taken.
    pub fn give(&self, bytes: usize) {
        self.0.bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
        self.0.ledger.give(bytes as u64);
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for CommonLease {
    fn drop(&mut self) {
        self.ledger.give(*self.bytes.get_mut());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.ledger.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_too_large_stops_its_computations() {
        let base = Budget::bytes(1000);
        let one = base.clone().with_deadline(Duration::from_secs(1000));
        let next = || one.clone().with_work(1000);
        base.set_size(ProcessSize::Outgrown);
        assert_eq!(one.check(), Err(Stop::Memory));
        assert_eq!(next().check(), Ok(()));
        base.set_size(ProcessSize::Full);
        assert_eq!(next().check(), Err(Stop::Memory));
        base.set_size(ProcessSize::Fine);
        assert_eq!(one.check(), Ok(()));
    }

    #[test]
    fn a_refused_lease_changes_nothing() {
        let budget = Budget::bytes(100);
        let mut a = budget.lease();
        a.resize(60).unwrap();
        let mut b = budget.lease();
        assert_eq!(b.resize(41), Err(Stop::Memory));
        assert_eq!(budget.bytes_used(), 60);
        b.resize(40).unwrap();
        drop(a);
        assert_eq!((budget.bytes_used(), budget.bytes_peak()), (40, 100));
    }

    #[test]
    fn limited_work_runs_on_one_thread() {
        let two = NonZeroUsize::MIN.saturating_add(1);
        let budget = Budget::unlimited().with_threads(two);
        assert_eq!(budget.threads(), two);
        let counted = budget.clone().with_work(u64::MAX);
        assert_eq!(counted.threads(), two);
        assert_eq!(counted.with_work(7).threads(), NonZeroUsize::MIN);
        assert_eq!(Budget::unlimited().threads(), NonZeroUsize::MIN);
    }

    #[test]
    fn the_first_reason_to_abort_stops_all_workers() {
        let abort = Abort::default();
        let budget = Budget::unlimited().with_abort(&abort);
        budget.check().unwrap();
        abort.because(Stop::Memory);
        abort.because(Stop::Time);
        assert_eq!(budget.check(), Err(Stop::Memory));
    }

    #[test]
    fn nested_workers_stop_for_both_reasons() {
        let (outer, inner) = (Abort::default(), Abort::default());
        let budget = Budget::unlimited().with_abort(&outer).with_abort(&inner);
        outer.because(Stop::Time);
        assert_eq!(budget.check(), Err(Stop::Time));
    }

    #[test]
    fn work_is_counted_over_clones() {
        let budget = Budget::unlimited().with_work(3);
        budget.clone().spend(2).unwrap();
        budget.spend(1).unwrap();
        assert_eq!(budget.spend(1), Err(Stop::Work(3)));
    }

    #[test]
    fn work_counts_towards_the_outer_limits_too() {
        let outer = Budget::unlimited().with_work(5);
        let inner = outer.clone().with_work(3);
        inner.spend(3).unwrap();
        assert_eq!(inner.spend(1), Err(Stop::Work(3)));
        outer.spend(0).unwrap();
        let next = outer.clone().with_work(3);
        next.spend(1).unwrap();
        assert_eq!(next.spend(1), Err(Stop::Work(5)));
        assert_eq!(outer.spend(0), Err(Stop::Work(5)));
        assert_eq!((inner.work_spent(), outer.work_spent()), (4, 6));
    }

    #[test]
    fn the_switch_and_the_clock_stop() {
        let cancel = Cancel::default();
        let budget = Budget::unlimited().with_cancel(cancel.clone());
        budget.check().unwrap();
        let late = budget.clone().with_deadline(Duration::ZERO);
        assert_eq!(late.check(), Err(Stop::Time));
        cancel.press();
        assert_eq!(budget.check(), Err(Stop::Interrupted));
    }
}
