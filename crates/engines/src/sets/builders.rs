//! Builders: other threads compute edges of a product before the check asks for them.
//!
//! The check is sequential and stays as it is: it alone interns nodes and sees edges in the order in which it asks. Expanding a node of sets costs
//! milliseconds, the check next to nothing, so what is worth doing in parallel are the groups of edges.
//!
//! ```text
//! group (n, k):  nobody asked | busy | known | taken
//! check asks for (n, k):   known → take it     nobody → compute it     busy → meanwhile compute another job
//! builder:       (n, k) := newest job; claim it or drop it; compute; publish
//! both:          new jobs (n, k + 1) and (t, 0) for the targets t, unless too much lies ahead of the check
//! ```
//!
//! Groups are a function of node and `k`, and equal sets are equal nodes of one diagram store, so it does not matter who computes them. What is computed
//! in vain costs work, never truth: the check sees the same graph in the same order, and its verdict, its evidence and the numbers of its nodes are
//! those of one thread. What the store counts is not.
//!
//! Each builder has a clone of the product and `Sets` of its own on a worker of the same store; predicates, steps and whatever else is a key
//! of the operation cache is common. Whoever stops — for want of memory, say — stops all, with its reason. This is the first of the two ways of
//! H. Abid, K. Klai, C. Arias, H. Ouni (*Building symbolic observation graphs on multi-core*, ISPA 2020), where threads build aggregates; there the graph
//! is built before it is checked.

use super::operators::Sets;
use super::product::{Aggregate, Product};
use lariat_budget::{Abort, Budget, Lease, Stop};
use lariat_emptiness::Marks;
use lariat_workers::Board;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{Builder, scope};

/// Stack of a builder: that of a main thread, several times.
const STACK: usize = 64 << 20;

/// Groups that may be known before the check asks for them: enough to keep some dozen builders at work, and little enough that a violation which is near
/// does not wait for the memory of what is far.
const LEAD: usize = 256;

/// Bytes of a group besides its edges.
const GROUP_BYTES: usize = 160;

/// A group of edges, `None` behind the last.
type Group = Option<Vec<(Marks, Aggregate)>>;

/// What is known of a group.
enum State {
    /// Somebody computes it.
    Busy,
    /// The check has not asked for it yet; was a step left out?
    Known(Group, bool),
    /// The check has it.
    Taken,
}

/// What lies ahead of the check.
pub struct Ahead {
    builders: usize,
    jobs: Board<(Aggregate, usize)>,
    groups: Mutex<Groups>,
    changed: Condvar,
    /// Why the check must stop, and the builders.
    failed: Abort,
    dismissed: Abort,
}

struct Groups {
    by_node: FxHashMap<(Aggregate, usize), State>,
    /// How many are known.
    known: usize,
    lease: Lease,
    /// Ask for more bytes when there are more groups than this.
    ask_at: usize,
}

impl Groups {
    fn insert(&mut self, key: (Aggregate, usize), state: State) -> Result<(), Stop> {
        if self.by_node.len() >= self.ask_at {
            let more = 2 * self.ask_at + 64;
            self.lease.resize(more * GROUP_BYTES)?;
            self.ask_at = more;
        }
        self.by_node.insert(key, state);
        Ok(())
    }
}

impl Ahead {
    fn new(builders: usize, lease: Lease) -> Ahead {
        Ahead {
            builders,
            jobs: Board::new(),
            groups: Mutex::new(Groups {
                by_node: FxHashMap::default(),
                known: 0,
                lease,
                ask_at: 0,
            }),
            changed: Condvar::new(),
            failed: Abort::default(),
            dismissed: Abort::default(),
        }
    }

    /// How many builders there are.
    pub fn builders(&self) -> usize {
        self.builders
    }

    fn lock(&self) -> MutexGuard<'_, Groups> {
        match self.groups.lock() {
            Ok(groups) => groups,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// The `k`-th group of edges of `from`, for the check.
    pub fn ask<P: Product>(
        &self,
        product: &mut P,
        sets: &mut Sets<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Group, Stop> {
        let key = (from.clone(), k);
        let mut groups = self.lock();
        loop {
            if let Some(stop) = self.failed.reason() {
                return Err(stop.clone());
            }
            match groups.by_node.get_mut(&key) {
                Some(State::Busy) => {}
                Some(state @ State::Known(..)) => {
                    let known = std::mem::replace(state, State::Taken);
                    groups.known -= 1;
                    drop(groups);
                    if let State::Known(group, left_out) = known {
                        sets.left_out |= left_out;
                        self.offer(&key, &group);
                        return Ok(group);
                    }
                    groups = self.lock();
                    continue;
                }
                None | Some(State::Taken) => {
                    groups.insert(key.clone(), State::Taken)?;
                    drop(groups);
                    let group = product.edges(sets, from, k)?;
                    self.offer(&key, &group);
                    return Ok(group);
                }
            }
            // The diagram store has been left: no builder waits for this thread.
            drop(groups);
            let helped = match self.jobs.take() {
                Some(job) => self.build(product, sets, job)?,
                None => false,
            };
            groups = self.lock();
            // Whoever fails says so before it takes the lock.
            let busy = matches!(groups.by_node.get(&key), Some(State::Busy));
            if !helped && busy && self.failed.reason().is_none() {
                groups = match self.changed.wait(groups) {
                    Ok(groups) => groups,
                    Err(poisoned) => poisoned.into_inner(),
                };
            }
        }
    }

    /// Offers what the check is likely to ask for after a group, unless enough is known.
    fn offer(&self, (node, k): &(Aggregate, usize), group: &Group) {
        let Some(edges) = group else {
            return;
        };
        let groups = self.lock();
        if groups.known >= LEAD {
            return;
        }
        let targets = edges.iter().rev().map(|(_, to)| (to.clone(), 0));
        let next = [(node.clone(), k + 1)];
        let jobs = next.into_iter().chain(targets);
        let new: Vec<_> = jobs
            .filter(|job| !groups.by_node.contains_key(job))
            .collect();
        drop(groups);
        for job in new {
            self.jobs.offer(job);
        }
    }

    /// Computes a group, unless somebody else has begun it. True if it did.
    fn build<P: Product>(
        &self,
        product: &mut P,
        sets: &mut Sets<'_, '_>,
        job: (Aggregate, usize),
    ) -> Result<bool, Stop> {
        let mut groups = self.lock();
        if groups.by_node.contains_key(&job) {
            return Ok(false);
        }
        groups.insert(job.clone(), State::Busy)?;
        drop(groups);
        // Whether a step was left out matters where the check takes the group.
        let before = std::mem::take(&mut sets.left_out);
        let group = product.edges(sets, &job.0, job.1);
        let left_out = std::mem::replace(&mut sets.left_out, before);
        let group = group?;
        self.offer(&job, &group);
        let mut groups = self.lock();
        groups.by_node.insert(job, State::Known(group, left_out));
        groups.known += 1;
        drop(groups);
        self.changed.notify_all();
        Ok(true)
    }

    /// What a builder does.
    fn work<P: Product>(&self, mut product: P, sets: &mut Sets<'_, '_>) {
        // Whatever happens to it, nobody waits for a builder that is gone.
        let mut end = End(self, Some(Stop::Internal("a builder failed".to_owned())));
        while let Some(job) = self.jobs.next() {
            if let Err(stop) = self.build(&mut product, sets, job) {
                end.1 = Some(stop);
                return;
            }
        }
        end.1 = None;
    }

    /// Sends the builders home.
    pub fn dismiss(&self) {
        self.dismissed.because(Stop::Interrupted);
        self.jobs.close();
    }

    /// Stops everybody, unless the builders have been sent home anyway.
    fn fail(&self, stop: Stop) {
        if self.dismissed.reason().is_none() {
            self.failed.because(stop.clone());
            self.dismissed.because(stop);
        }
        self.jobs.close();
        // Who is about to wait has seen the reason, or waits by the time that this gets the lock.
        drop(self.lock());
        self.changed.notify_all();
    }
}

/// The end of a builder, and why all must stop then.
struct End<'a>(&'a Ahead, Option<Stop>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if let Some(stop) = self.1.take() {
            self.0.fail(stop);
        }
    }
}

/// Dismisses the builders when the check is over, however it ends.
struct Shift<'a>(&'a Ahead);

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.0.dismiss();
    }
}

/// Runs `check` with as many builders beside it as the budget has threads for.
pub fn with_builders<'r, 's, P, R>(
    product: &P,
    sets: &mut Sets<'r, 's>,
    budget: &Budget,
    check: impl FnOnce(&mut Sets<'r, 's>, Option<Arc<Ahead>>) -> Result<R, Stop>,
) -> Result<R, Stop>
where
    P: Product + Clone + Send,
{
    let mut crew = Vec::new();
    for _ in 1..budget.threads().get() {
        // There are no builders for programs, and none that there is no memory for.
        let Ok(Some(space)) = sets.space.worker() else {
            break;
        };
        crew.push((space, sets.beside(budget)));
    }
    if crew.is_empty() {
        return check(sets, None);
    }
    let ahead = Arc::new(Ahead::new(crew.len(), budget.lease()));
    let alone = budget.clone().with_threads(NonZeroUsize::MIN);
    let theirs = alone.clone().with_abort(&ahead.dismissed);
    sets.space
        .set_budget(&alone.clone().with_abort(&ahead.failed));
    let (found, counts) = scope(|scope| {
        let mut builders = Vec::new();
        for (mut space, beside) in crew {
            let (ahead, product, budget) = (ahead.clone(), product.clone(), &theirs);
            let work = move || {
                space.set_budget(budget);
                let mut sets = beside.sets(&mut space);
                ahead.work(product, &mut sets);
                (sets.operations, sets.divergence_tests)
            };
            // Where there is no thread to be had, the others do the work.
            let thread = Builder::new().name("builder".to_owned()).stack_size(STACK);
            builders.extend(thread.spawn_scoped(scope, work));
        }
        let shift = Shift(&ahead);
        let found = check(sets, Some(ahead.clone()));
        drop(shift);
        let counts: Vec<_> = builders.into_iter().map(|b| b.join()).collect();
        (found, counts)
    });
    sets.space.set_budget(budget);
    for (operations, tests) in counts.into_iter().flatten() {
        sets.operations += operations;
        sets.divergence_tests += tests;
    }
    found
}
