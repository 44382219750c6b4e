//! Several workers explore one state space.
//!
//! Each has a list of states that it has found and not looked at, and takes the newest first. Whoever has much to do puts the older half of its list on a
//! board while somebody has nothing. It is over when no list is left; a worker that stops or panics sends everybody home.

use super::Count;
use lariat_budget::{Budget, Lease, Observer, Progress, Stop};
use lariat_parallel::Board;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// A list of fewer states is not worth dividing.
const LEAST_SHARED: usize = 64;

/// Why a worker ends before there is nothing left.
#[derive(Debug)]
pub(super) enum Halt {
    Stop(Stop),
    /// There is a state that this kind of search has no form for.
    Outgrown,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// How one of several workers looks at states.
pub(super) trait Search: Send {
    /// A state.
    type State: Send;

    /// To be called before anything is asked for, and after a rest.
    fn open(&mut self) -> Result<(), Stop>;

    /// Nothing is asked for from now on: whoever waits must not be waited for.
    fn rest(&mut self);

    /// Finds the initial states.
    fn start(&mut self) -> Result<(), Halt>;

    /// Counts a state and its steps.
    fn look(&mut self, state: Self::State, count: &mut Count) -> Result<(), Halt>;

    /// The states that this worker was the first to find; to be emptied by the caller.
    fn found(&mut self) -> &mut Vec<Self::State>;

    /// About how many states all workers have found.
    fn states(&self) -> u64;
}

/// States that somebody will look at, and the bytes that they take.
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
            // As much as a vector grows by.
            let room = len.max(2 * self.states.capacity());
            self.lease.resize(room * size_of::<T>())?;
            self.states.reserve_exact(room - self.states.len());
        }
        self.states.append(more);
        Ok(())
    }

    /// Takes the older half off: what was found last is near to the state that was looked at last.
    fn older(&mut self, budget: &Budget) -> Result<List<T>, Stop> {
        let mut older = List::new(budget);
        let half = self.states.len() / 2;
        older.lease.resize(half * size_of::<T>())?;
        older.states.extend(self.states.drain(..half));
        Ok(older)
    }
}

/// What workers that explore together share.
struct Together<'a, T> {
    budget: &'a Budget,
    observer: &'a dyn Observer,
    board: Board<List<T>>,
    /// Lists that somebody works on or that are on the board.
    open: AtomicUsize,
    is_over: AtomicBool,
    workers: u64,
}

/// Sends everybody home if a worker panics.
struct Alarm<'a, 'b, T>(&'a Together<'b, T>);

impl<T> Drop for Alarm<'_, '_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

/// What has become of a worker.
type End<S> = (S, Count, Option<Halt>);

/// Explores by all of these, of which there is at least one; `blank` is a count of nothing. The searches rest in the end. True if one of them was outgrown, and nothing
/// has stopped any.
pub(super) fn explore<S: Search>(
    searches: Vec<S>,
    blank: &Count,
    budget: &Budget,
    observer: &dyn Observer,
) -> (Vec<S>, Count, bool) {
    let together = Together {
        budget,
        observer,
        board: Board::new(),
        open: AtomicUsize::new(1),
        is_over: AtomicBool::new(false),
        workers: searches.len() as u64,
    };
    let mut all = searches.into_iter();
    let first = all.next().expect("there is a worker");
    let ends = scope(|scope| {
        let together = &together;
        // Where there is no thread to be had, the others do the work.
        let start = |search: S| {
            let thread = Builder::new().name("states".to_owned());
            thread
                .spawn_scoped(scope, move || together.worker(search, blank))
                .ok()
        };
        let others: Vec<ScopedJoinHandle<'_, End<S>>> = all.filter_map(start).collect();
        let mut ends = vec![together.first_worker(first, blank)];
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
            Some(Halt::Stop(stop)) => sum.stop = sum.stop.or(Some(stop)),
            Some(Halt::Outgrown) => is_outgrown = true,
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

    /// Begins with the initial states.
    fn first_worker<S: Search<State = T>>(&self, mut search: S, blank: &Count) -> End<S> {
        let _alarm = Alarm(self);
        match self.start(&mut search) {
            Ok(initial) => {
                self.board.offer(initial);
                self.worker(search, blank)
            }
            Err(halt) => {
                self.end();
                search.rest();
                (search, blank.clone(), Some(halt))
            }
        }
    }

    fn start<S: Search<State = T>>(&self, search: &mut S) -> Result<List<T>, Halt> {
        search.open()?;
        search.start()?;
        let mut initial = List::new(self.budget);
        initial.append(search.found())?;
        Ok(initial)
    }

    /// Explores until nobody has anything left.
    fn worker<S: Search<State = T>>(&self, mut search: S, blank: &Count) -> End<S> {
        let _alarm = Alarm(self);
        let mut count = blank.clone();
        let halt = self.explore(&mut search, &mut count).err();
        if halt.is_some() {
            self.end();
        }
        search.rest();
        (search, count, halt)
    }

    fn explore<S: Search<State = T>>(&self, search: &mut S, count: &mut Count) -> Result<(), Halt> {
        search.rest();
        let mut next = self.board.next();
        while let Some(mut list) = next {
            search.open()?;
            self.work_off(search, &mut list, count)?;
            search.rest();
            if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.board.close();
            }
            next = self.board.next();
        }
        Ok(())
    }

    /// Looks at the states of a list, and at what is found from there.
    fn work_off<S: Search<State = T>>(
        &self,
        search: &mut S,
        list: &mut List<T>,
        count: &mut Count,
    ) -> Result<(), Halt> {
        let mut looked_at: u64 = 0;
        while let Some(state) = list.states.pop() {
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            search.look(state, count)?;
            self.budget.spend(1)?;
            list.append(search.found())?;
            if list.states.len() >= LEAST_SHARED && self.board.is_hungry() {
                let older = list.older(self.budget)?;
                self.open.fetch_add(1, Ordering::AcqRel);
                self.board.offer(older);
            }
            looked_at += 1;
            if looked_at.is_multiple_of(super::STATES_PER_WORD) {
                self.tell(search.states(), count.edges);
            }
        }
        Ok(())
    }

    /// Says how far all have come; `edges` are those of one worker.
    fn tell(&self, states: u64, edges: u64) {
        self.observer.progress(Progress {
            phase: "exploring",
            figures: &[(states, "states"), (edges * self.workers, "edges, about")],
        });
    }
}
