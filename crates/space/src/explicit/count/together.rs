//! Parallel exploration of one state space.
//!
//! Each worker keeps a list of the states that it found and has not visited, and takes the newest
//! first. A worker with a long list offers its older half on the task board while another worker
//! waits for one. `open` counts the lists in progress or on the board: the worker that decrements
//! it to 0 (`AcqRel`) closes the board. A worker that stops or panics sets `is_over` (`Relaxed`,
//! read once per state) and closes the board, so that every waiter is woken.

use super::ExplicitCounts;
use lariat_budget::{Budget, Lease, Progress, RunContext, Stop};
use lariat_parallel::{Outside, TaskQueue};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// A shorter list is not divided.
const LEAST_SHARED: usize = 64;

/// Reason for a worker to end early.
#[derive(Debug)]
pub(super) enum WorkerHalt {
    Stop(Stop),
    /// A state has no representation in this kind of search.
    Outgrown,
}

impl From<Stop> for WorkerHalt {
    fn from(stop: Stop) -> WorkerHalt {
        WorkerHalt::Stop(stop)
    }
}

/// The part of the exploration that depends on the representation of states.
pub(super) trait CountSearch: Send {
    type State: Send;

    /// Enters the shared section; to be called first, and after a rest.
    fn open(&mut self) -> Result<(), Stop>;

    /// Leaves the shared section, so that a thread that waits for exclusive access does not wait
    /// for this worker; returns the permission to wait.
    fn rest(&mut self) -> Outside<'_>;

    fn start(&mut self) -> Result<(), WorkerHalt>;

    fn look(&mut self, state: Self::State, count: &mut ExplicitCounts) -> Result<(), WorkerHalt>;

    /// The states that this worker was the first to find; the caller empties the list.
    fn found(&mut self) -> &mut Vec<Self::State>;

    /// Approximate number of states found by all workers.
    fn states(&self) -> u64;
}

/// States to be visited, with their bytes on a lease.
struct List<T> {
    states: Vec<T>,
    lease: Lease,
}

impl<T> List<T> {
    fn new(budget: &Budget) -> List<T> {
        List {
            states: Vec::new(),
            lease: budget.lease(),
        }
    }

    fn append(&mut self, more: &mut Vec<T>) -> Result<(), Stop> {
        let len = self.states.len() + more.len();
        if len > self.states.capacity() {
            // Grows by the factor of a `Vec`.
            let room = len.max(2 * self.states.capacity());
            self.lease.resize(room * size_of::<T>())?;
            self.states.reserve_exact(room - self.states.len());
        }
        self.states.append(more);
        Ok(())
    }

    /// Splits off the older half: the newest states are similar to the state visited last.
    fn older(&mut self, budget: &Budget) -> Result<List<T>, Stop> {
        let mut older = List::new(budget);
        let half = self.states.len() / 2;
        older.lease.resize(half * size_of::<T>())?;
        older.states.extend(self.states.drain(..half));
        Ok(older)
    }
}

struct Together<'a, T> {
    ctx: RunContext<'a>,
    board: TaskQueue<List<T>>,
    /// Number of lists in progress or on the board.
    open: AtomicUsize,
    is_over: AtomicBool,
    workers: u64,
}

/// Ends all workers if a worker panics.
struct Alarm<'a, 'b, T>(&'a Together<'b, T>);

impl<T> Drop for Alarm<'_, '_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

type End<S> = (S, ExplicitCounts, Option<WorkerHalt>);

/// Explores with one thread per search, of which there is at least one; `blank` is a count of
/// nothing. Returns the searches, at rest, the sum of their counts, and whether one of them was
/// outgrown and none was stopped.
pub(super) fn explore<S: CountSearch>(
    searches: Vec<S>,
    blank: &ExplicitCounts,
    ctx: RunContext<'_>,
) -> (Vec<S>, ExplicitCounts, bool) {
    let together = Together {
        ctx,
        board: TaskQueue::new(),
        open: AtomicUsize::new(1),
        is_over: AtomicBool::new(false),
        workers: searches.len() as u64,
    };
    let mut all = searches.into_iter();
    let first = all.next().expect("there is a worker");
    let ends = scope(|scope| {
        let together = &together;
        // If a thread cannot be spawned, the other threads do its work.
        let start = |search: S| {
            let thread = Builder::new().name("states".to_owned());
            let work = move || together.worker(search, blank, false);
            thread.spawn_scoped(scope, work).ok()
        };
        let others: Vec<ScopedJoinHandle<'_, End<S>>> = all.filter_map(start).collect();
        let mut ends = vec![together.worker(first, blank, true)];
        for other in others {
            ends.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        ends
    });
    let (mut searches, mut sum, mut is_outgrown) = (Vec::new(), blank.clone(), false);
    for (search, counted, halt) in ends {
        searches.push(search);
        sum.add(counted);
        match halt {
            None => {}
            Some(WorkerHalt::Stop(stop)) => sum.stop = sum.stop.or(Some(stop)),
            Some(WorkerHalt::Outgrown) => is_outgrown = true,
        }
    }
    is_outgrown &= sum.stop.is_none();
    (searches, sum, is_outgrown)
}

impl<T> Together<'_, T> {
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.board.close();
    }

    /// Offers the initial states.
    fn start<S: CountSearch<State = T>>(&self, search: &mut S) -> Result<(), WorkerHalt> {
        search.open()?;
        search.start()?;
        let mut initial = List::new(self.ctx.budget);
        initial.append(search.found())?;
        self.board.offer(initial);
        Ok(())
    }

    /// Explores with one thread; the first worker finds the initial states.
    fn worker<S: CountSearch<State = T>>(
        &self,
        mut search: S,
        blank: &ExplicitCounts,
        is_first: bool,
    ) -> End<S> {
        let _alarm = Alarm(self);
        let mut count = blank.clone();
        let started = if is_first {
            self.start(&mut search)
        } else {
            Ok(())
        };
        let explored = started.and_then(|()| self.explore(&mut search, &mut count));
        let halt = explored.err();
        if halt.is_some() {
            self.end();
        }
        let _ = search.rest();
        (search, count, halt)
    }

    fn explore<S: CountSearch<State = T>>(
        &self,
        search: &mut S,
        count: &mut ExplicitCounts,
    ) -> Result<(), WorkerHalt> {
        while let Some(mut list) = self.board.next(&search.rest())? {
            search.open()?;
            self.work_off(search, &mut list, count)?;
            if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.board.close();
            }
        }
        Ok(())
    }

    /// Visits the states of a list, and those found from there.
    fn work_off<S: CountSearch<State = T>>(
        &self,
        search: &mut S,
        list: &mut List<T>,
        count: &mut ExplicitCounts,
    ) -> Result<(), WorkerHalt> {
        let mut looked_at: u64 = 0;
        while let Some(state) = list.states.pop() {
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            search.look(state, count)?;
            self.ctx.budget.spend(1)?;
            list.append(search.found())?;
            if list.states.len() >= LEAST_SHARED && self.board.is_hungry() {
                let older = list.older(self.ctx.budget)?;
                self.open.fetch_add(1, Ordering::AcqRel);
                self.board.offer(older);
            }
            looked_at += 1;
            if looked_at.is_multiple_of(super::STATES_PER_REPORT) {
                self.report(search.states(), count.edges);
            }
        }
        Ok(())
    }

    /// Reports progress; `edges` are those of one worker, so their total is an estimate.
    fn report(&self, states: u64, edges: u64) {
        self.ctx.observer.progress(Progress::new(
            "exploring",
            &[(states, "states"), (edges * self.workers, "edges, about")],
        ));
    }
}
