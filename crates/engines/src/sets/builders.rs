//! Builders: background threads that prefetch edges of a product for the emptiness check.
//!
//! The check runs in one thread, which alone interns nodes and determines the order of edges. It
//! costs little; groups of edges cost images and saturations and are computed in parallel.
//!
//! *Protocol.* Group `k` of a node is the value of the key (node, `k`) in
//! [`lariat_parallel::Prefetcher`], whose consumer is the check thread. Then follow group `k + 1`
//! and the first groups of the targets. Builders prefer targets, which yield more work. A check by
//! inclusion skips nodes that are subsets of completed ones. After the first inclusion, builders
//! skip such nodes, too, and prefer groups `k + 1`, which the check needs in any case.
//!
//! *Duplicate computation.* On a chain of nodes nothing can be prefetched. An idle builder then
//! computes the group that the check thread computes, but walks the edges of diagrams in reverse:
//! each thread finds results of the other one in the shared operation cache. The builder is aborted
//! when the check thread has its group. At most one builder does so; more would repeat its work.
//!
//! *Determinism.* A group is a function of node and `k`, and equal sets are equal nodes of one
//! diagram store. So verdict, evidence and node numbers do not depend on the number of threads.
//!
//! *Sharing.* Each builder has a clone of the product, and `SymbolicProblem` on a worker of the
//! same store. Residuals, steps and memo tables of products ([`Common`](lariat_parallel::OnceMap))
//! are shared, each under a mutex, so that equal computations have equal keys in the operation
//! cache.
//!
//! *Ends.* A builder that stops or panics stops all threads with its reason (`End`); the end of the
//! check, even by a panic, ends the builders (`Shift`). Each thread records the steps it omitted
//! under a cap. The records are merged when builders are joined: a step omitted anywhere counts.
//!
//! C. A. Abid, K. Klai, J. Arias, H. Ouni, *SOG-based multi-core LTL model checking*, ISPA 2020,
//! describe two methods, both of which build while one thread checks. In the first (§IV.A) each
//! builder thread builds whole aggregates; it is the one above, with these deviations: the check
//! thread also builds what it needs and no builder has started, and builders share one queue
//! instead of a stack per builder. In the second (§IV.B) all threads work on the diagrams of one
//! aggregate, which is no concern of this file.

use super::operators::SymbolicProblem;
use super::product::{Aggregate, SetProduct};
use lariat_automata::StateId;
use lariat_budget::{Abort, Budget, Lease, PendingPermit, Stop};
use lariat_emptiness::Marks;
use lariat_parallel::{BuildMode, DuplicateRun, NextKeys};
use lariat_space::symbolic::Set;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// Stack size of a builder: several times that of a main thread.
const STACK: usize = 64 << 20;

/// Base size of the prefetch window, which grows by one group per builder and group consumed.
/// Larger windows delay a nearby violation by memory of distant nodes. A fixed size would let
/// builders idle: a depth-first search returns late to the edges that it left on its way down.
const LEAD: usize = 256;

/// Minimum duration of a computation of the check thread for the next one to be duplicated, about
/// the time that the builder takes to notice its end.
const LONG: Duration = if cfg!(any(debug_assertions, feature = "duplicate-always")) {
    Duration::ZERO
} else {
    Duration::from_micros(300)
};

/// Estimated bytes of a group without its edges.
const GROUP_BYTES: usize = 160;

/// A group of edges; `None` after the last group of a node.
type Group = Option<Vec<(Marks, Aggregate)>>;

/// A group of edges of a node: the key of a prefetched value.
#[derive(Clone, PartialEq, Eq, Hash)]
struct GroupKey {
    node: Aggregate,
    group: usize,
}

/// The groups prefetched for the check, shared by the check thread and the builders.
pub struct GroupPrefetcher {
    builders: usize,
    groups: lariat_parallel::Prefetcher<GroupKey, Group, Stop>,
    room: Mutex<Room>,
    /// The sets of nodes whose edges the check has queried completely, by location and kind.
    completed: Mutex<FxHashMap<(StateId, u32), Vec<Set>>>,
    /// True after the first inclusion found by the check. A hint, hence relaxed.
    has_inclusions: AtomicBool,
    /// The group that the check thread computes, and the abort flag of its duplicate.
    current: Mutex<Option<(GroupKey, Abort)>>,
    /// True if its last computation took at least `LONG`. A hint, hence relaxed.
    was_long: AtomicBool,
    /// Stops the check; `dismissed` stops the builders.
    failed: Abort,
    dismissed: Abort,
}

/// Lease for the memory of groups.
struct Room {
    groups: usize,
    /// The number of groups covered by the lease.
    leased: usize,
    lease: Lease,
}

impl Room {
    fn add_group(&mut self) -> Result<(), Stop> {
        if self.groups == self.leased {
            let more = 2 * self.leased + 64;
            self.lease.resize(more * GROUP_BYTES)?;
            self.leased = more;
        }
        self.groups += 1;
        Ok(())
    }
}

impl GroupPrefetcher {
    fn new(builders: usize, lease: Lease) -> GroupPrefetcher {
        let room = Room {
            groups: 0,
            leased: 0,
            lease,
        };
        GroupPrefetcher {
            builders,
            groups: lariat_parallel::Prefetcher::new(LEAD, builders),
            room: Mutex::new(room),
            completed: Mutex::default(),
            has_inclusions: AtomicBool::new(false),
            current: Mutex::default(),
            was_long: AtomicBool::new(false),
            failed: Abort::default(),
            dismissed: Abort::default(),
        }
    }

    pub fn builders(&self) -> usize {
        self.builders
    }

    /// Returns the `k`-th group of edges of `from` to the check thread, which is outside of the
    /// gate of the diagram store while it waits.
    pub fn group<P: SetProduct>(
        &self,
        product: &mut P,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Group, Stop> {
        let budget = sets.space.budget();
        let compute = |key: &GroupKey| {
            let began = Instant::now();
            let duplicate = self.allow_duplicate(key);
            let group = self.compute(product, sets, key);
            drop(duplicate);
            let was_long = began.elapsed() >= LONG;
            self.was_long.store(was_long, Ordering::Relaxed);
            group
        };
        let next_keys = |key: &GroupKey, group: &Group| self.next_keys(key, group);
        let key = GroupKey {
            node: from.clone(),
            group: k,
        };
        let group = self.groups.ask(&budget, &key, compute, next_keys)?;
        if group.is_none() {
            let class = (from.location, from.kind);
            let mut completed = self.completed();
            completed.entry(class).or_default().push(from.set.clone());
        }
        Ok(group)
    }

    fn completed(&self) -> MutexGuard<'_, FxHashMap<(StateId, u32), Vec<Set>>> {
        let completed = self.completed.lock();
        completed.unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the check has found an inclusion.
    pub fn note_inclusion(&self) {
        self.has_inclusions.store(true, Ordering::Relaxed);
    }

    fn has_inclusions(&self) -> bool {
        self.has_inclusions.load(Ordering::Relaxed)
    }

    /// Returns the keys that the check will probably query after a group.
    fn next_keys(&self, key: &GroupKey, group: &Group) -> NextKeys<GroupKey> {
        let targets = group.iter().flatten().rev();
        let first_group = |to: &Aggregate| GroupKey {
            node: to.clone(),
            group: 0,
        };
        NextKeys {
            likely: targets.map(|(_, to)| first_group(to)).collect(),
            sure: group.is_some().then(|| GroupKey {
                node: key.node.clone(),
                group: key.group + 1,
            }),
            doubtful: self.has_inclusions(),
        }
    }

    /// Returns whether a node is a subset of a completed one, so that the check probably skips it.
    fn is_covered(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        node: &Aggregate,
    ) -> Result<bool, Stop> {
        if !self.has_inclusions() {
            return Ok(false);
        }
        let class = (node.location, node.kind);
        for at in 0.. {
            let completed = self.completed();
            let Some(other) = completed.get(&class).and_then(|sets| sets.get(at)).cloned() else {
                break;
            };
            drop(completed);
            if sets.space.store().is_subset(&node.set, &other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn compute<P: SetProduct>(
        &self,
        product: &mut P,
        sets: &mut SymbolicProblem<'_, '_>,
        key: &GroupKey,
    ) -> Result<Group, Stop> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.add_group()?;
        drop(room);
        product.edges(sets, &key.node, key.group)
    }

    fn current(&self) -> MutexGuard<'_, Option<(GroupKey, Abort)>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a builder duplicate a computation of the check thread until the result is dropped, if
    /// the last computation took long.
    fn allow_duplicate(&self, key: &GroupKey) -> Option<(Over, DuplicateRun<'_, GroupKey>)> {
        if !self.was_long.load(Ordering::Relaxed) {
            return None;
        }
        let finished = Abort::default();
        *self.current() = Some((key.clone(), finished.clone()));
        Some((Over(finished), self.groups.duplicate(key)))
    }

    /// Computes a group in reverse until the check thread has computed it; only fills the operation
    /// cache.
    fn duplicate<P: SetProduct>(
        &self,
        product: &mut P,
        sets: &mut SymbolicProblem<'_, '_>,
        key: &GroupKey,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let current = self.current().clone();
        let Some((_, finished)) = current.filter(|(current, _)| current == key) else {
            return Ok(());
        };
        let counts = (sets.operations, sets.divergence_tests);
        sets.space.set_budget(&budget.clone().with_abort(&finished));
        sets.space.store().go_backwards(true);
        let group = product.edges(sets, &key.node, key.group);
        sets.space.store().go_backwards(false);
        sets.space.set_budget(budget);
        (sets.operations, sets.divergence_tests) = counts;
        match group {
            Err(Stop::Interrupted) if finished.reason().is_some() => Ok(()),
            group => group.map(drop),
        }
    }

    /// Runs a builder until it is dismissed or stops.
    fn work<P: SetProduct>(
        &self,
        mut product: P,
        sets: &mut SymbolicProblem<'_, '_>,
        budget: &Budget,
    ) {
        // If the builder panics, dropping `end` stops all threads.
        let mut end = End(
            self,
            Some(Stop::Internal("a builder thread panicked".to_owned())),
        );
        let compute = |key: &GroupKey, place: BuildMode| match place {
            BuildMode::Duplicate => {
                self.duplicate(&mut product, sets, key, budget)?;
                Ok(None)
            }
            BuildMode::Prefetch if key.group == 0 && self.is_covered(sets, &key.node)? => Ok(None),
            BuildMode::Prefetch => self.compute(&mut product, sets, key).map(Some),
        };
        let next_keys = |key: &GroupKey, group: &Group| self.next_keys(key, group);
        end.1 = self.groups.work(budget, compute, next_keys).err();
    }

    pub fn dismiss(&self) {
        self.dismissed.because(Stop::Interrupted);
        self.groups.dismiss();
    }

    /// Stops all threads, unless the builders have been dismissed.
    fn fail(&self, stop: Stop) {
        if self.dismissed.reason().is_none() {
            self.failed.because(stop.clone());
            self.dismissed.because(stop.clone());
            self.groups.fail(stop);
        }
    }
}

/// Aborts the duplicate computation on drop.
struct Over(Abort);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.because(Stop::Interrupted);
    }
}

/// Reports the reason for the end of a builder on drop, if there is one.
struct End<'a>(&'a GroupPrefetcher, Option<Stop>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if let Some(stop) = self.1.take() {
            self.0.fail(stop);
        }
    }
}

/// Dismisses the builders on drop; wakes those that still wait for a thread permit.
struct Shift<'a>(&'a GroupPrefetcher, Option<&'a PendingPermit>);

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.0.dismiss();
        if let Some(late) = self.1 {
            late.release();
        }
    }
}

/// Runs `check` in this thread, with builders in the remaining threads of the budget.
pub fn with_builders<'r, 's, P, R>(
    product: &P,
    sets: &mut SymbolicProblem<'r, 's>,
    budget: &Budget,
    check: impl FnOnce(&mut SymbolicProblem<'r, 's>, Option<Arc<GroupPrefetcher>>) -> Result<R, Stop>,
) -> Result<R, Stop>
where
    P: SetProduct + Clone + Send,
{
    let mut workers = Vec::new();
    for _ in 1..budget.threads().get() {
        // Programs support no workers; without memory for one, fewer builders run.
        let Ok(Some(space)) = sets.space.worker() else {
            break;
        };
        workers.push((space, sets.seed(budget)));
    }
    if workers.is_empty() {
        return check(sets, None);
    }
    let ahead = Arc::new(GroupPrefetcher::new(workers.len(), budget.lease()));
    let single_thread = budget.clone().with_threads(NonZeroUsize::MIN);
    let builder_budget = single_thread.clone().with_abort(&ahead.dismissed);
    sets.space
        .set_budget(&single_thread.clone().with_abort(&ahead.failed));
    let (found, counts) = scope(|scope| {
        let mut builders = Vec::new();
        let mut late = budget.pending_permit();
        for (mut space, seed) in workers {
            let (ahead, product, budget) = (ahead.clone(), product.clone(), &builder_budget);
            let late = late.take();
            let work = move || {
                if late.is_some_and(|late| late.wait(budget).is_err()) {
                    // The check polls the same limits, or has ended.
                    return (0, 0, false);
                }
                space.set_budget(budget);
                let mut sets = seed.sets(&mut space);
                ahead.work(product, &mut sets, budget);
                (sets.operations, sets.divergence_tests, sets.left_out)
            };
            // If the system refuses a thread, fewer builders run.
            let thread = Builder::new().name("builder".to_owned()).stack_size(STACK);
            builders.extend(thread.spawn_scoped(scope, work));
        }
        let shift = Shift(&ahead, budget.pending_permit());
        let found = check(sets, Some(ahead.clone()));
        drop(shift);
        let counts: Vec<_> = builders.into_iter().map(|b| b.join()).collect();
        (found, counts)
    });
    sets.space.set_budget(budget);
    for counts in counts {
        // A builder that panicked may have omitted steps.
        let (operations, tests, left_out) = counts.unwrap_or((0, 0, true));
        sets.operations += operations;
        sets.divergence_tests += tests;
        sets.left_out |= left_out;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use crate::sets::operators::Restriction;
    use crate::sets::product::EdgePassage;
    use crate::sets::walk::lost;
    use crate::testing::net;
    use lariat_automata::{Automaton, Guard};
    use lariat_model::Deadlock;
    use lariat_model::order::Order;
    use lariat_space::symbolic::Symbolic;

    #[derive(Clone)]
    struct Forgetful {
        has_built: Arc<AtomicBool>,
    }

    impl SetProduct for Forgetful {
        fn marks(&self) -> Marks {
            Marks::NONE
        }

        fn initial(
            &mut self,
            _: &mut SymbolicProblem<'_, '_>,
            _: usize,
        ) -> Result<Option<Vec<Aggregate>>, Stop> {
            Ok(None)
        }

        fn edges(
            &mut self,
            sets: &mut SymbolicProblem<'_, '_>,
            from: &Aggregate,
            k: usize,
        ) -> Result<Group, Stop> {
            if std::thread::current().name() == Some("builder") {
                sets.left_out = true;
                self.has_built.store(true, Ordering::Release);
            }
            let child = |i: u32| {
                let mut node = from.clone();
                node.kind = 2 * from.kind + i;
                (Marks::NONE, node)
            };
            Ok((k == 0 && from.kind < 8).then(|| vec![child(1), child(2)]))
        }

        fn start(&mut self, _: &mut SymbolicProblem<'_, '_>, _: &Aggregate) -> Option<Guard> {
            None
        }

        fn passage(
            &mut self,
            _: &mut SymbolicProblem<'_, '_>,
            _: &Aggregate,
            _: usize,
        ) -> Result<EdgePassage, Stop> {
            Err(lost())
        }
    }

    /// The check thread takes groups from a builder without computing them.
    #[test]
    fn steps_omitted_by_a_builder_are_recorded() {
        let (system, automaton) = (net(&[0], &[(&[], &[0])]), Automaton::universal());
        let problem = Problem::new(&system, &automaton, &[], Deadlock::Stutter);
        let budget = Budget::unlimited().with_threads(NonZeroUsize::new(2).unwrap());
        let mut space =
            Symbolic::new(&system, &Order::file(1), Deadlock::Stutter, &budget).unwrap();
        let mut sets = SymbolicProblem::new(&problem, &mut space, Restriction::Open, &budget);
        let mut product = Forgetful {
            has_built: Arc::default(),
        };
        let root = Aggregate::plain(StateId(0), sets.space.initial().unwrap());
        with_builders(&product.clone(), &mut sets, &budget, |sets, ahead| {
            let ahead = ahead.unwrap();
            ahead.group(&mut product, sets, &root, 0)?;
            while !product.has_built.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            assert!(!sets.left_out);
            Ok(())
        })
        .unwrap();
        assert!(sets.left_out);
    }
}
