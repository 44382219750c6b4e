//! The figures of a whole explicit state space, by one worker or by several.
//!
//! States are numbered in the order of discovery, so that with one worker the store is its own breadth-first queue. Several workers keep lists of their
//! own, and explore what they have found last; whoever has much to do puts half of it on a board while somebody has nothing. What is counted
//! is a sum or a maximum over all states, and does not depend on who comes first.

use super::{Explicit, StateId, States};
use lariat_budget::{Budget, Observer, Progress, Stop};
use lariat_model::{Domain, EventId, Predicate, VarId};
use lariat_workers::Board;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// States between two words about progress.
const STATES_PER_WORD: u64 = 65_536;
/// A list of fewer states is not worth dividing.
const LEAST_SHARED: usize = 64;

/// What was counted. Lower bounds if the exploration stopped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Different states.
    pub states: u64,
    /// Pairs of a state and a step from it; stuttering is none.
    pub edges: u64,
    /// States without a step.
    pub deadlocks: u64,
    /// The largest number of tokens seen in one place.
    pub max_tokens_in_place: u64,
    /// The largest number of tokens seen in all places together.
    pub max_tokens: u128,
    /// Bits of one packed state at the end.
    pub packed_bits: u64,
    /// Bytes held for states and the table that finds them. Several workers hold a little more, depending on who found what.
    pub bytes: u64,
    /// A variable that was assigned a value beyond its range, which wrapped around.
    pub overflow: Option<VarId>,
    /// For each claim, the number of states in which it does not hold.
    pub failed: Vec<u64>,
    /// Why the exploration stopped, if it did not end.
    pub stop: Option<Stop>,
}

/// Explores everything reachable, breadth first, and asks in every state whether the `claims` hold.
pub fn count(
    space: &Explicit<'_>,
    claims: &[Predicate],
    budget: &Budget,
    observer: &dyn Observer,
) -> Count {
    let mut states = space.states(budget);
    let mut count = Count::of(claims);
    count.stop = explore(space, claims, &mut states, &mut count, budget, observer).err();
    count.found(&states);
    count
}

/// The same by so many workers, in no order.
pub fn count_together(
    space: &Explicit<'_>,
    claims: &[Predicate],
    workers: NonZeroUsize,
    budget: &Budget,
    observer: &dyn Observer,
) -> Count {
    if workers == NonZeroUsize::MIN {
        return count(space, claims, budget, observer);
    }
    let together = Together {
        space,
        claims,
        budget,
        observer,
        board: Board::new(),
        open: AtomicUsize::new(1),
        is_over: AtomicBool::new(false),
        workers,
    };
    let mut all = space.workers(workers.get(), budget).into_iter();
    all.as_mut_slice().iter_mut().for_each(States::keep_new);
    let first = all.next().expect("there is a worker");
    let ends = scope(|scope| {
        let together = &together;
        // Where there is no thread to be had, the others do the work.
        let start = |states: States| {
            let thread = Builder::new().name("states".to_owned());
            thread
                .spawn_scoped(scope, move || together.worker(states))
                .ok()
        };
        let others: Vec<ScopedJoinHandle<'_, End>> = all.filter_map(start).collect();
        let mut ends = vec![together.first_worker(first)];
        for other in others {
            ends.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        ends
    });
    let mut sum = Count::of(claims);
    let mut left = None;
    for (states, counted) in ends {
        sum.add(counted);
        // The last that is left knows how many there are.
        left = Some(states);
    }
    if let Some(mut states) = left {
        states.resume();
        sum.found(&states);
    }
    sum
}

impl Count {
    fn of(claims: &[Predicate]) -> Count {
        Count {
            failed: vec![0; claims.len()],
            ..Count::default()
        }
    }

    /// What is known of the states when all is over.
    fn found(&mut self, states: &States) {
        self.states = states.len() as u64;
        self.packed_bits = states.packed_bits() as u64;
        self.bytes = states.bytes();
        self.overflow = self.overflow.or(states.overflow());
    }

    fn add(&mut self, other: Count) {
        self.edges += other.edges;
        self.deadlocks += other.deadlocks;
        self.max_tokens_in_place = self.max_tokens_in_place.max(other.max_tokens_in_place);
        self.max_tokens = self.max_tokens.max(other.max_tokens);
        for (failed, more) in self.failed.iter_mut().zip(other.failed) {
            *failed += more;
        }
        let both = self.overflow.into_iter().chain(other.overflow);
        self.overflow = both.min();
        self.stop = self.stop.take().or(other.stop);
    }
}

/// Looks at one state after the other.
struct Census<'a> {
    space: &'a Explicit<'a>,
    claims: &'a [Predicate],
    is_count: Vec<bool>,
    /// The tokens of the state in focus, and the most that any place has had.
    tokens: i128,
    most: i64,
    steps: Vec<(EventId, StateId)>,
    looked_at: u64,
}

impl<'a> Census<'a> {
    fn new(space: &'a Explicit<'a>, claims: &'a [Predicate], states: &States) -> Census<'a> {
        let variables = &space.system().variables;
        let is_count = |domain: &Domain| matches!(domain, Domain::Count { .. });
        let is_count: Vec<bool> = variables.iter().map(|v| is_count(&v.domain)).collect();
        let counts = states.focus.values.iter().zip(&is_count);
        let counts = counts.filter(|(_, is)| **is).map(|(value, _)| *value);
        Census {
            space,
            claims,
            tokens: counts.clone().map(i128::from).sum(),
            most: counts.max().unwrap_or(0),
            is_count,
            steps: Vec::new(),
            looked_at: 0,
        }
    }

    /// Counts a state and its steps, which are in `steps` then.
    fn look(&mut self, states: &mut States, state: StateId, count: &mut Count) -> Result<(), Stop> {
        states.load(self.space, state);
        for (var, old) in &states.focus.changed {
            if self.is_count[*var as usize] {
                let new = states.focus.values[*var as usize];
                self.most = self.most.max(new);
                self.tokens += i128::from(new) - i128::from(*old);
            }
        }
        count.max_tokens_in_place = self.most as u64;
        count.max_tokens = count.max_tokens.max(self.tokens as u128);
        for (claim, failed) in self.claims.iter().zip(&mut count.failed) {
            *failed += u64::from(!self.space.holds(states, state, claim));
        }
        self.steps.clear();
        self.space.expand(states, state, &mut self.steps)?;
        count.edges += self.steps.len() as u64;
        count.deadlocks += u64::from(self.steps.is_empty());
        Ok(())
    }
}

fn explore(
    space: &Explicit<'_>,
    claims: &[Predicate],
    states: &mut States,
    count: &mut Count,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Stop> {
    let mut k = 0;
    while space.initial(states, k)?.is_some() {
        k += 1;
    }
    let mut census = Census::new(space, claims, states);
    let mut next = 0;
    while next < states.len() {
        census.look(states, StateId(next as u32), count)?;
        budget.spend(1)?;
        next += 1;
        if next.is_multiple_of(STATES_PER_WORD as usize) {
            observer.progress(Progress {
                phase: "exploring",
                figures: &[(states.len() as u64, "states"), (count.edges, "edges")],
            });
        }
    }
    Ok(())
}

/// What workers that explore together share.
struct Together<'a> {
    space: &'a Explicit<'a>,
    claims: &'a [Predicate],
    budget: &'a Budget,
    observer: &'a dyn Observer,
    board: Board<Vec<StateId>>,
    /// Lists that somebody works on or that are on the board.
    open: AtomicUsize,
    is_over: AtomicBool,
    workers: NonZeroUsize,
}

/// What a worker has left and counted.
type End = (States, Count);

/// Sends everybody home if a worker panics.
struct Alarm<'a, 'b>(&'a Together<'b>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

impl Together<'_> {
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.board.close();
    }

    /// Begins with the initial states.
    fn first_worker(&self, mut states: States) -> End {
        let _alarm = Alarm(self);
        match self.initial(&mut states) {
            Ok(initial) => {
                self.board.offer(initial);
                self.worker(states)
            }
            Err(stop) => {
                self.end();
                states.rest();
                let stop = Some(stop);
                (
                    states,
                    Count {
                        stop,
                        ..Count::of(self.claims)
                    },
                )
            }
        }
    }

    fn initial(&self, states: &mut States) -> Result<Vec<StateId>, Stop> {
        let mut k = 0;
        while self.space.initial(states, k)?.is_some() {
            k += 1;
        }
        let mut initial = Vec::new();
        states.take_new(&mut initial);
        Ok(initial)
    }

    /// Explores until nobody has anything left.
    fn worker(&self, mut states: States) -> End {
        let _alarm = Alarm(self);
        let mut count = Count::of(self.claims);
        count.stop = self.explore(&mut states, &mut count).err();
        if count.stop.is_some() {
            self.end();
        }
        count.overflow = states.overflow();
        states.rest();
        (states, count)
    }

    fn explore(&self, states: &mut States, count: &mut Count) -> Result<(), Stop> {
        // Who waits for something to do must not be waited for.
        states.rest();
        let mut next = self.board.next();
        let mut census = Census::new(self.space, self.claims, states);
        while let Some(mut list) = next {
            states.open()?;
            self.work_off(&mut census, &mut list, states, count)?;
            states.rest();
            if self.open.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.board.close();
            }
            next = self.board.next();
        }
        Ok(())
    }

    /// Explores the states of a list, and what is found from there.
    fn work_off(
        &self,
        census: &mut Census<'_>,
        list: &mut Vec<StateId>,
        states: &mut States,
        count: &mut Count,
    ) -> Result<(), Stop> {
        while let Some(state) = list.pop() {
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            census.look(states, state, count)?;
            self.budget.spend(1)?;
            states.take_new(list);
            if list.len() >= LEAST_SHARED && self.board.is_hungry() {
                // The older half: what was found last is near to the state in focus.
                let rest = list.split_off(list.len() / 2);
                let older = std::mem::replace(list, rest);
                self.open.fetch_add(1, Ordering::AcqRel);
                self.board.offer(older);
            }
            census.looked_at += 1;
            if census.looked_at.is_multiple_of(STATES_PER_WORD) {
                self.tell(states, count.edges);
            }
        }
        Ok(())
    }

    /// Says how far all have come; `edges` are those of one worker.
    fn tell(&self, states: &States, edges: u64) {
        let edges = edges * self.workers.get() as u64;
        self.observer.progress(Progress {
            phase: "exploring",
            figures: &[(states.len() as u64, "states"), (edges, "edges, about")],
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, pour};
    use super::*;
    use lariat_budget::{Cancel, Quiet};
    use lariat_corpora::{cases, seed};
    use lariat_model::{Comparison, Deadlock, State, System};
    use std::collections::HashSet;
    use std::time::Duration;

    /// Words, vectors and trees; with values that fit their fields, and with some that do not.
    fn random_net(random: &mut Random) -> System {
        let shapes = [(3, 40), (6, 9), (9, 5), (40, 3), (120, 2), (400, 2)];
        let (places, bundles) = shapes[random.below(shapes.len() as u32) as usize];
        let weight = [1, 1, 300, 1 << 40][random.below(4) as usize];
        random.closed_net(places, bundles, weight)
    }

    fn workers(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).unwrap()
    }

    #[test]
    fn any_number_of_workers_counts_the_same() {
        let mut random = Random::new(seed(31_337));
        let mut most = 0;
        for case in 0..cases(25) {
            let system = random_net(&mut random);
            let space = Explicit::new(&system, Deadlock::Stutter);
            let claims = [Predicate::compare(VarId(0), Comparison::Ge, 1)];
            let budget = Budget::unlimited();
            let alone = count(&space, &claims, &budget, &Quiet);
            most = most.max(alone.states);
            for n in [2, 3, 8] {
                let bytes = alone.bytes;
                let found = count_together(&space, &claims, workers(n), &budget, &Quiet);
                assert_eq!(Count { bytes, ..found }, alone, "case {case}, {n} workers");
            }
        }
        assert!(most > 10_000, "tables have to grow: {most}");
    }

    #[test]
    fn upper_bits_are_common_too() {
        let system = pour(20_000);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let found = count_together(&space, &[], workers(3), &Budget::unlimited(), &Quiet);
        assert_eq!(
            (found.states, found.edges, found.deadlocks),
            (20_001, 20_000, 1)
        );
        assert_eq!(
            (found.max_tokens_in_place, found.max_tokens),
            (20_000, 20_000)
        );
    }

    /// Whatever runs out, and wherever: everybody comes home, and what was counted is a part of all.
    #[test]
    fn limits_stop_all_workers() {
        let mut random = Random::new(seed(4_711));
        let mut stops = 0;
        for case in 0..cases(60) {
            let system = random_net(&mut random);
            let space = Explicit::new(&system, Deadlock::Stutter);
            let all = count(&space, &[], &Budget::unlimited(), &Quiet);
            let cancel = Cancel::default();
            let after = Duration::from_micros(u64::from(random.below(3000)));
            let budget = match case % 4 {
                0 => Budget::bytes(u64::from(random.below(2_000_000))),
                1 => Budget::unlimited().with_work(u64::from(random.below(all.states as u32))),
                2 => Budget::unlimited().with_deadline(after),
                _ => Budget::unlimited().with_cancel(cancel.clone()),
            };
            let switch = std::thread::spawn(move || {
                std::thread::sleep(after);
                cancel.press();
            });
            let workers = workers(2 + random.below(3) as usize);
            let found = count_together(&space, &[], workers, &budget, &Quiet);
            switch.join().unwrap();
            match &found.stop {
                None => assert_eq!((found.states, found.edges), (all.states, all.edges)),
                Some(stop) => {
                    stops += 1;
                    let expected = match case % 4 {
                        0 => Stop::Memory,
                        1 => stop.clone(),
                        2 => Stop::Time,
                        _ => Stop::Interrupted,
                    };
                    assert_eq!(*stop, expected, "case {case}");
                    assert!(found.states <= all.states && found.edges <= all.edges);
                }
            }
            assert_eq!(budget.bytes_used(), 0, "case {case}");
        }
        assert!(stops > 0);
    }

    /// Ids are dense but for gaps, which are known, and every state has one.
    #[test]
    fn a_state_has_one_id() {
        let mut random = Random::new(seed(99));
        for _ in 0..cases(8) {
            let system = random_net(&mut random);
            let space = Explicit::new(&system, Deadlock::Stutter);
            let budget = Budget::unlimited();
            let mut all = space.workers(3, &budget);
            scope(|scope| {
                for states in &mut all {
                    scope.spawn(|| {
                        let first = space.initial(states, 0).unwrap().unwrap();
                        let mut seen = HashSet::from([first]);
                        let mut list = vec![first];
                        while let Some(state) = list.pop() {
                            let mut steps = Vec::new();
                            space.expand(states, state, &mut steps).unwrap();
                            let new = steps.iter().map(|(_, to)| *to);
                            list.extend(new.filter(|to| seen.insert(*to)));
                        }
                        states.rest();
                    });
                }
            });
            let mut last = all.swap_remove(0);
            drop(all);
            last.resume();
            let known = (0..last.end() as u32).map(StateId);
            let known: Vec<StateId> = known.filter(|id| last.is_known(*id)).collect();
            let different: HashSet<State> = known.iter().map(|id| last.get(*id)).collect();
            let counted = count(&space, &[], &budget, &Quiet).states as usize;
            assert_eq!((known.len(), different.len()), (counted, counted));
            assert_eq!(last.len(), counted);
        }
    }
}
