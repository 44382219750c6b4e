//! Builders: other threads compute edges of a product before the check asks for them.
//!
//! The check is sequential and stays as it is: it alone interns nodes and sees edges in the order in which it asks. Expanding a node of sets costs
//! milliseconds, the check next to nothing, so what is worth doing in parallel are the groups of edges.
//!
//! The group `k` of a node is the value of the key (node, `k`) in the protocol of [`lariat_parallel::Ahead`], whose asker is the check; behind it come the group `k + 1` and the first
//! groups of the targets. A check that compares sets passes by what is part of a node that it has left; on slotted rings that is half of all nodes. Once that has
//! happened builders do so, too, and begin with groups `k + 1`, which are asked for in any case. (`sog`, four recurrences on a ring of eight, two threads:
//! 1.59 times as fast as one instead of 1.41. Without such nodes it is better to begin with targets, which lead further: `slap` on a ring of nine 1.63 instead of 1.28.)
//!
//! Where a product is a chain, each node made of the one before, there is nothing to compute ahead. Who has nothing to do then goes *along* with the check: it computes the same group, walking the
//! edges of diagrams from the last to the first, and where the two meet each finds in the common cache what the other has computed. When the check has its group, it stops. (`slap` with one recurrence on a slotted ring of
//! 15: 1.68 times as fast as one thread, and 1.2 without company.) One goes along and no more: a third would do what one of the two does at the same time.
//!
//! Groups are a function of node and `k`, and equal sets are equal nodes of one diagram store, so it does not matter who computes them: the check sees the same graph in the same order,
//! and its verdict, its evidence and the numbers of its nodes are those of one thread. What the store counts is not.
//!
//! Each builder has a clone of the product and `Sets` of its own on a worker of the same store; predicates, steps and whatever else is a key
//! of the operation cache is common, and so is what a product remembers of nodes ([`Common`](lariat_parallel::Common)): without that two threads made 1.4 times the operations of one
//! for `sog` on a ring of eight. Whoever stops — for want of memory, say — stops all, with its reason.
//! Under a cap steps may be left out. Whoever leaves one out takes note of that, and who takes a value from what is common does not: so what anybody has left out counts, whether the check has come to it or not. This is the first of the two ways of
//! H. Abid, K. Klai, C. Arias, H. Ouni (*Building symbolic observation graphs on multi-core*, ISPA 2020), where threads build aggregates; there the graph
//! is built before it is checked.

use super::operators::Sets;
use super::product::{Aggregate, Product};
use lariat_automata::StateId;
use lariat_budget::{Abort, Budget, Late, Lease, Stop};
use lariat_emptiness::Marks;
use lariat_parallel::{Behind, Company, Place};
use lariat_space::symbolic::Set;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// Stack of a builder: that of a main thread, several times.
const STACK: usize = 64 << 20;

/// Groups that may be known before the check asks for them, besides one a builder for each that it has: enough to keep some dozen builders at work, and little enough
/// that a violation which is near does not wait for the memory of what is far. A number alone would not do: a depth-first search comes back late to the
/// edges that it left on its way down, and meanwhile builders would have nothing to do.
const LEAD: usize = 256;

/// How long the last group that the check computed must have taken for somebody to go along with the next: about as long as it takes until whoever does notices that it is over.
/// (`sog` on 16 philosophers, where groups take a third of that: 1.81 times as fast as one thread, and 1.67 if somebody always goes along.)
const LONG: Duration = if cfg!(any(debug_assertions, feature = "company-always")) {
    Duration::ZERO
} else {
    Duration::from_micros(300)
};

/// Bytes of a group besides its edges.
const GROUP_BYTES: usize = 160;

/// A group of edges, `None` behind the last.
type Group = Option<Vec<(Marks, Aggregate)>>;

/// A node and the number of a group.
type Key = (Aggregate, usize);

/// What lies ahead of the check.
pub struct Ahead {
    builders: usize,
    groups: lariat_parallel::Ahead<Key, Group, Stop>,
    room: Mutex<Room>,
    /// The sets of nodes of which the check has all edges, by location and kind.
    left: Mutex<FxHashMap<(StateId, u32), Vec<Set>>>,
    /// Has the check met a set that is part of another?
    compared: AtomicBool,
    /// What the check computes, and what ends when it has done so.
    checked: Mutex<Option<(Key, Abort)>>,
    /// Did the last group that it computed take long?
    was_long: AtomicBool,
    /// Why the check must stop, and the builders.
    failed: Abort,
    dismissed: Abort,
}

/// The bytes of groups.
struct Room {
    groups: usize,
    /// There is room for so many.
    leased: usize,
    lease: Lease,
}

impl Room {
    fn one_more(&mut self) -> Result<(), Stop> {
        if self.groups == self.leased {
            let more = 2 * self.leased + 64;
            self.lease.resize(more * GROUP_BYTES)?;
            self.leased = more;
        }
        self.groups += 1;
        Ok(())
    }
}

impl Ahead {
    fn new(builders: usize, lease: Lease) -> Ahead {
        let room = Room {
            groups: 0,
            leased: 0,
            lease,
        };
        Ahead {
            builders,
            groups: lariat_parallel::Ahead::new(LEAD, builders),
            room: Mutex::new(room),
            left: Mutex::default(),
            compared: AtomicBool::new(false),
            checked: Mutex::default(),
            was_long: AtomicBool::new(false),
            failed: Abort::default(),
            dismissed: Abort::default(),
        }
    }

    /// How many builders there are.
    pub fn builders(&self) -> usize {
        self.builders
    }

    /// The `k`-th group of edges of `from`, for the check. It has left the diagram store wherever it waits: no builder waits for it.
    pub fn ask<P: Product>(
        &self,
        product: &mut P,
        sets: &mut Sets<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Group, Stop> {
        let compute = |key: &Key| {
            let began = Instant::now();
            let company = self.company(key);
            let group = self.compute(product, sets, key);
            drop(company);
            let was_long = began.elapsed() >= LONG;
            self.was_long.store(was_long, Ordering::Relaxed);
            group
        };
        let behind = |key: &Key, group: &Group| self.behind(key, group);
        let group = self.groups.ask(&(from.clone(), k), compute, behind)?;
        if group.is_none() {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            let class = (from.location, from.kind);
            left.entry(class).or_default().push(from.set.clone());
        }
        Ok(group)
    }

    /// The check has met a set that is part of another: there may be more.
    pub fn doubt(&self) {
        self.compared.store(true, Ordering::Relaxed);
    }

    fn is_doubtful(&self) -> bool {
        self.compared.load(Ordering::Relaxed)
    }

    /// What the check asks for after a group: the targets, unless it passes them by, and the next group.
    fn behind(&self, (node, k): &Key, group: &Group) -> Behind<Key> {
        let targets = group.iter().flatten().rev();
        Behind {
            likely: targets.map(|(_, to)| (to.clone(), 0)).collect(),
            sure: group.is_some().then(|| (node.clone(), k + 1)),
            doubtful: self.is_doubtful(),
        }
    }

    /// Is a node part of one that the check has left? It will mostly not ask for its edges.
    fn is_covered(&self, sets: &mut Sets<'_, '_>, node: &Aggregate) -> Result<bool, Stop> {
        if !self.is_doubtful() {
            return Ok(false);
        }
        let class = (node.location, node.kind);
        for at in 0.. {
            let others = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(other) = others.get(&class).and_then(|sets| sets.get(at)).cloned() else {
                break;
            };
            drop(others);
            if sets.space.store().is_subset(&node.set, &other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn compute<P: Product>(
        &self,
        product: &mut P,
        sets: &mut Sets<'_, '_>,
        (node, k): &Key,
    ) -> Result<Group, Stop> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.one_more()?;
        drop(room);
        product.edges(sets, node, *k)
    }

    fn checked(&self) -> MutexGuard<'_, Option<(Key, Abort)>> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The check begins to compute a group, which takes long as far as one can tell: whoever goes along stops when this is dropped.
    fn company(&self, key: &Key) -> Option<(Over, Company<'_, Key>)> {
        if !self.was_long.load(Ordering::Relaxed) {
            return None;
        }
        let over = Abort::default();
        *self.checked() = Some((key.clone(), over.clone()));
        Some((Over(over), self.groups.along(key)))
    }

    /// Computes a group from the other end, for as long as the check computes it. Only what the diagram store remembers comes of it.
    fn along<P: Product>(
        &self,
        product: &mut P,
        sets: &mut Sets<'_, '_>,
        key: &Key,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let checked = self.checked().clone();
        let Some((_, over)) = checked.filter(|(checked, _)| checked == key) else {
            return Ok(());
        };
        let counts = (sets.operations, sets.divergence_tests);
        sets.space.set_budget(&budget.clone().with_abort(&over));
        sets.space.store().go_backwards(true);
        let group = product.edges(sets, &key.0, key.1);
        sets.space.store().go_backwards(false);
        sets.space.set_budget(budget);
        (sets.operations, sets.divergence_tests) = counts;
        match group {
            Err(Stop::Interrupted) if over.reason().is_some() => Ok(()),
            group => group.map(drop),
        }
    }

    /// What a builder does.
    fn work<P: Product>(&self, mut product: P, sets: &mut Sets<'_, '_>, budget: &Budget) {
        // Whatever happens to it, nobody waits for a builder that is gone.
        let mut end = End(self, Some(Stop::Internal("a builder failed".to_owned())));
        let compute = |key: &Key, place: Place| match place {
            Place::Along => {
                self.along(&mut product, sets, key, budget)?;
                Ok(None)
            }
            Place::Ahead if key.1 == 0 && self.is_covered(sets, &key.0)? => Ok(None),
            Place::Ahead => self.compute(&mut product, sets, key).map(Some),
        };
        let behind = |key: &Key, group: &Group| self.behind(key, group);
        end.1 = self.groups.work(compute, behind).err();
    }

    /// Sends the builders home.
    pub fn dismiss(&self) {
        self.dismissed.because(Stop::Interrupted);
        self.groups.dismiss();
    }

    /// Stops everybody, unless the builders have been sent home anyway.
    fn fail(&self, stop: Stop) {
        if self.dismissed.reason().is_none() {
            self.failed.because(stop.clone());
            self.dismissed.because(stop.clone());
            self.groups.fail(stop);
        }
    }
}

/// Stops who goes along with the check.
struct Over(Abort);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.because(Stop::Interrupted);
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

/// Dismisses the builders when the check is over, however it ends; nobody need come any more then.
struct Shift<'a>(&'a Ahead, Option<&'a Late>);

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.0.dismiss();
        if let Some(late) = self.1 {
            late.come();
        }
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
        let mut late = budget.late();
        for (mut space, beside) in crew {
            let (ahead, product, budget) = (ahead.clone(), product.clone(), &theirs);
            let late = late.take();
            let work = move || {
                if let Some(late) = late {
                    late.wait();
                }
                space.set_budget(budget);
                let mut sets = beside.sets(&mut space);
                ahead.work(product, &mut sets, budget);
                (sets.operations, sets.divergence_tests, sets.left_out)
            };
            // Where there is no thread to be had, the others do the work.
            let thread = Builder::new().name("builder".to_owned()).stack_size(STACK);
            builders.extend(thread.spawn_scoped(scope, work));
        }
        let shift = Shift(&ahead, budget.late());
        let found = check(sets, Some(ahead.clone()));
        drop(shift);
        let counts: Vec<_> = builders.into_iter().map(|b| b.join()).collect();
        (found, counts)
    });
    sets.space.set_budget(budget);
    for counts in counts {
        // Nobody knows what somebody has left out who did not come to say it.
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
    use crate::sets::operators::Territory;
    use crate::sets::product::Passage;
    use crate::sets::walk::lost;
    use crate::testing::net;
    use lariat_automata::{Automaton, Guard};
    use lariat_model::Deadlock;
    use lariat_model::order::Order;
    use lariat_space::symbolic::Symbolic;

    /// A tree whose nodes have a number, and of which builders leave something out.
    #[derive(Clone)]
    struct Forgetful {
        has_built: Arc<AtomicBool>,
    }

    impl Product for Forgetful {
        fn marks(&self) -> Marks {
            Marks::NONE
        }

        fn initial(
            &mut self,
            _: &mut Sets<'_, '_>,
            _: usize,
        ) -> Result<Option<Vec<Aggregate>>, Stop> {
            Ok(None)
        }

        fn edges(
            &mut self,
            sets: &mut Sets<'_, '_>,
            from: &Aggregate,
            k: usize,
        ) -> Result<Group, Stop> {
            if std::thread::current().name() == Some("builder") {
                sets.left_out = true;
                self.has_built.store(true, Ordering::Release);
            }
            let child = |i: u32| {
                let kind = 2 * from.kind + i;
                (
                    Marks::NONE,
                    Aggregate {
                        kind,
                        ..from.clone()
                    },
                )
            };
            Ok((k == 0 && from.kind < 8).then(|| vec![child(1), child(2)]))
        }

        fn start(&mut self, _: &mut Sets<'_, '_>, _: &Aggregate) -> Option<Guard> {
            None
        }

        fn passage(
            &mut self,
            _: &mut Sets<'_, '_>,
            _: &Aggregate,
            _: usize,
            _: &Aggregate,
        ) -> Result<Passage, Stop> {
            Err(lost())
        }
    }

    /// The check may take what a builder has computed without a look at how.
    #[test]
    fn what_a_builder_leaves_out_is_left_out() {
        let (system, automaton) = (net(1, &[(&[], &[0])]), Automaton::universal());
        let problem = Problem::new(&system, &automaton, &[], Deadlock::Stutter);
        let budget = Budget::unlimited().with_threads(NonZeroUsize::new(2).unwrap());
        let mut space =
            Symbolic::new(&system, &Order::file(1), Deadlock::Stutter, &budget).unwrap();
        let mut sets = Sets::new(&problem, &mut space, Territory::Open, &budget);
        let mut product = Forgetful {
            has_built: Arc::default(),
        };
        let root = Aggregate {
            location: StateId(0),
            kind: 0,
            set: sets.space.initial().unwrap(),
        };
        with_builders(&product.clone(), &mut sets, &budget, |sets, ahead| {
            let ahead = ahead.unwrap();
            ahead.ask(&mut product, sets, &root, 0)?;
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
