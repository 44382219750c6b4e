//! Builders and a consumer on shuttle's locks under random schedules: too many for loom.

#[allow(dead_code, reason = "threads of models are not scoped")]
#[path = "../../src/outside.rs"]
mod outside;
#[path = "../../src/prefetcher.rs"]
mod prefetcher;
mod sync;
#[allow(dead_code, reason = "other modules use the rest of the queue")]
#[path = "../../src/task_queue.rs"]
mod task_queue;

use lariat_budget::{Budget, Stop};
use lariat_corpora::{Random, each_case};
use prefetcher::{BuildMode, NextKeys, Prefetcher};
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::thread;
use std::collections::HashSet;

/// Schedules per case.
const SCHEDULES: usize = 10;

/// The groups of targets of each node.
type Groups = Vec<Vec<Vec<usize>>>;
type Key = (usize, usize);
/// A group; `None` after the last.
type Value = Option<Vec<usize>>;

/// The reason of a stop.
#[derive(Clone, Debug, PartialEq)]
enum Failure {
    Refused,
    Lost,
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        unreachable!("{stop}")
    }
}

fn random_groups(random: &mut Random) -> Groups {
    let nodes = random.between(1, 5);
    let group = |random: &mut Random| -> Vec<usize> {
        let size = random.below(3_usize);
        (0..size).map(|_| random.below(nodes)).collect()
    };
    let groups = |random: &mut Random| (0..random.below(4_usize)).map(|_| group(random)).collect();
    (0..nodes).map(|_| groups(random)).collect()
}

/// The state shared by all threads.
struct Model {
    groups: Groups,
    ahead: Prefetcher<Key, Value, Failure>,
    /// Number of computed values, and of duplicated computations.
    computed: AtomicUsize,
    along: AtomicUsize,
    /// The computation that stops, and how: it is refused, or its thread is lost.
    fault: Option<(usize, Failure)>,
}

impl Model {
    fn compute(&self, (node, k): &Key) -> Result<Value, Failure> {
        let number = self.computed.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        match &self.fault {
            Some((at, stop)) if *at == number => Err(stop.clone()),
            _ => Ok(self.groups[*node].get(*k).cloned()),
        }
    }

    fn compute_with_duplicates(&self, key: &Key) -> Result<Value, Failure> {
        let _duplicate = self.ahead.duplicate(key);
        self.compute(key)
    }

    fn behind((node, k): &Key, value: &Value) -> NextKeys<Key> {
        let targets = value.iter().flatten().map(|to| (*to, 0));
        NextKeys {
            likely: targets.collect(),
            sure: value.is_some().then_some((*node, k + 1)),
            doubtful: k % 2 == 1,
        }
    }

    fn builder(&self) {
        // Every third node is left to the consumer.
        let compute = |key: &Key, place| match place {
            BuildMode::Duplicate => {
                self.along.fetch_add(1, Ordering::SeqCst);
                thread::yield_now();
                Ok(None)
            }
            BuildMode::Prefetch if key.0 % 3 == 2 => Ok(None),
            BuildMode::Prefetch => self.compute(key).map(Some),
        };
        // A panic reports the same by a guard.
        if let Err(stop) = self
            .ahead
            .work(&Budget::unlimited(), compute, Model::behind)
        {
            self.ahead.fail(stop);
        }
    }

    /// Queries all groups depth-first and compares them.
    fn check(&self) -> Result<usize, Failure> {
        let mut seen = HashSet::from([0]);
        let mut path = vec![(0, 0)];
        let mut asked = 0;
        while let Some((node, k)) = path.pop() {
            let compute = |key: &Key| self.compute_with_duplicates(key);
            let value = self
                .ahead
                .ask(&Budget::unlimited(), &(node, k), compute, Model::behind)?;
            asked += 1;
            assert_eq!(value.as_ref(), self.groups[node].get(k));
            let Some(targets) = value else { continue };
            path.push((node, k + 1));
            for to in targets {
                if seen.insert(to) {
                    path.push((to, 0));
                }
            }
        }
        Ok(asked)
    }
}

/// Runs the check with `builders` threads, joins them, and returns its result and the computations.
fn run(
    groups: &Groups,
    builders: usize,
    lead: usize,
    more: usize,
    fault: Option<(usize, Failure)>,
) -> (Result<usize, Failure>, usize) {
    let model = Arc::new(Model {
        groups: groups.clone(),
        ahead: Prefetcher::new(lead, more),
        computed: AtomicUsize::new(0),
        along: AtomicUsize::new(0),
        fault,
    });
    let threads: Vec<_> = (0..builders)
        .map(|_| {
            let model = model.clone();
            thread::spawn(move || model.builder())
        })
        .collect();
    let found = model.check();
    model.ahead.dismiss();
    for builder in threads {
        builder.join().unwrap();
    }
    let (computed, along) = (&model.computed, &model.along);
    let asked = computed.load(Ordering::SeqCst);
    // At most one builder duplicates each computation of the consumer.
    assert!(along.load(Ordering::SeqCst) <= asked);
    (found, asked)
}

/// The consumer gets the values that it would compute alone, and no value is computed twice.
#[test]
fn prefetching_does_not_change_the_values() {
    each_case(60, |random| {
        let groups = random_groups(random);
        let builders = random.between(1, 3);
        let (lead, more) = (random.between(1, 6), random.between(0, 2));
        let all: usize = groups.iter().map(|groups| groups.len() + 1).sum();
        let model = move || {
            let (found, computed) = run(&groups, builders, lead, more, None);
            assert!(found.unwrap() <= computed && computed <= all);
        };
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}

/// A thread stops at any point: no other thread waits for it.
#[test]
fn a_stop_ends_all_threads() {
    each_case(60, |random| {
        let groups = random_groups(random);
        let builders = random.between(1, 3);
        let (lead, more) = (random.between(1, 6), random.between(0, 2));
        let stop = random.one_of(&[Failure::Refused, Failure::Lost]).clone();
        let fault = (random.below(6_usize), stop);
        let model = move || match run(&groups, builders, lead, more, Some(fault.clone())) {
            // The fault was not reached, or hit a value that was not needed.
            (Ok(_), _) => {}
            (Err(stop), computed) => {
                assert_eq!(stop, fault.1);
                assert!(computed > fault.0);
            }
        };
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}
