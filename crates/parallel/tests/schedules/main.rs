//! Builders ahead of an asker, on shuttle's locks, under random schedules: whole runs, which have too many orders for loom to try them all.

#[path = "../../src/ahead.rs"]
mod ahead;
#[allow(dead_code, reason = "boards are for others, too")]
#[path = "../../src/board.rs"]
mod board;
mod sync;

use ahead::{Ahead, Behind, Place};
use lariat_corpora::{Random, each_case};
use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::thread;
use std::collections::HashSet;

/// Schedules of each case.
const SCHEDULES: usize = 10;

/// For each node its groups of targets.
type Groups = Vec<Vec<Vec<usize>>>;
type Key = (usize, usize);
/// A group, `None` behind the last.
type Value = Option<Vec<usize>>;

/// Why somebody stops.
#[derive(Clone, Debug, PartialEq)]
enum Stop {
    Refused,
    Lost,
}

fn random_groups(random: &mut Random) -> Groups {
    let nodes = random.between(1, 5);
    let mut group = |random: &mut Random| -> Vec<usize> {
        (0..random.below(3_usize))
            .map(|_| random.below(nodes))
            .collect()
    };
    let groups = |random: &mut Random, group: &mut dyn FnMut(&mut Random) -> Vec<usize>| {
        (0..random.below(4_usize)).map(|_| group(random)).collect()
    };
    (0..nodes).map(|_| groups(random, &mut group)).collect()
}

/// What is common to all who take part.
struct Model {
    groups: Groups,
    ahead: Ahead<Key, Value, Stop>,
    /// Values that were computed, and how often somebody went along with the asker.
    computed: AtomicUsize,
    along: AtomicUsize,
    /// The value that is refused, or at which whoever computes it is lost.
    fault: Option<(usize, Stop)>,
}

impl Model {
    fn compute(&self, (node, k): &Key) -> Result<Value, Stop> {
        let number = self.computed.fetch_add(1, Ordering::SeqCst);
        thread::yield_now();
        match &self.fault {
            Some((at, stop)) if *at == number => Err(stop.clone()),
            _ => Ok(self.groups[*node].get(*k).cloned()),
        }
    }

    fn compute_in_company(&self, key: &Key) -> Result<Value, Stop> {
        let _company = self.ahead.along(key);
        self.compute(key)
    }

    fn behind((node, k): &Key, value: &Value) -> Behind<Key> {
        let targets = value.iter().flatten().map(|to| (*to, 0));
        Behind {
            likely: targets.collect(),
            sure: value.is_some().then_some((*node, k + 1)),
            doubtful: k % 2 == 1,
        }
    }

    fn builder(&self) {
        // Some are left to the asker.
        let compute = |key: &Key, place| match place {
            Place::Along => {
                self.along.fetch_add(1, Ordering::SeqCst);
                thread::yield_now();
                Ok(None)
            }
            Place::Ahead if key.0 % 3 == 2 => Ok(None),
            Place::Ahead => self.compute(key).map(Some),
        };
        match self.ahead.work(compute, Model::behind) {
            Ok(()) => {}
            // What a panic leaves behind, by its guard.
            Err(stop) => self.ahead.fail(stop),
        }
    }

    /// Asks for all groups, depth first, and compares them.
    fn check(&self) -> Result<usize, Stop> {
        let mut seen = HashSet::from([0]);
        let mut path = vec![(0, 0)];
        let mut asked = 0;
        while let Some((node, k)) = path.pop() {
            let value = self.ahead.ask(
                &(node, k),
                |key| self.compute_in_company(key),
                Model::behind,
            )?;
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

/// Runs the check with `builders` and returns what it says; all are home by then.
fn run(
    groups: &Groups,
    builders: usize,
    (lead, more): (usize, usize),
    fault: Option<(usize, Stop)>,
) -> (Result<usize, Stop>, usize) {
    let model = Arc::new(Model {
        groups: groups.clone(),
        ahead: Ahead::new(lead, more),
        computed: AtomicUsize::new(0),
        along: AtomicUsize::new(0),
        fault,
    });
    let crew: Vec<_> = (0..builders)
        .map(|_| {
            let model = model.clone();
            thread::spawn(move || model.builder())
        })
        .collect();
    let found = model.check();
    model.ahead.dismiss();
    for builder in crew {
        builder.join().unwrap();
    }
    let (computed, along) = (&model.computed, &model.along);
    let asked = computed.load(Ordering::SeqCst);
    // One at most goes along with each value that the asker computes.
    assert!(along.load(Ordering::SeqCst) <= asked);
    (found, asked)
}

/// The asker hears what it would hear alone, nothing is computed twice, and everybody goes home.
#[test]
fn the_asker_hears_what_it_would_hear_alone() {
    each_case(60, |random| {
        let groups = random_groups(random);
        let builders = random.between(1, 3);
        let lead = (random.between(1, 6), random.between(0, 2));
        let all: usize = groups.iter().map(|groups| groups.len() + 1).sum();
        let model = move || {
            let (found, computed) = run(&groups, builders, lead, None);
            assert!(found.unwrap() <= computed && computed <= all);
        };
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}

/// Somebody stops at any point: nobody waits for it.
#[test]
fn whoever_stops_stops_all() {
    each_case(60, |random| {
        let groups = random_groups(random);
        let builders = random.between(1, 3);
        let lead = (random.between(1, 6), random.between(0, 2));
        let stop = random.one_of(&[Stop::Refused, Stop::Lost]).clone();
        let fault = (random.below(6_usize), stop);
        let model = move || match run(&groups, builders, lead, Some(fault.clone())) {
            // It came after the end, or for a value that nobody asked for.
            (Ok(_), _) => {}
            (Err(stop), computed) => {
                assert_eq!(stop, fault.1);
                assert!(computed > fault.0);
            }
        };
        shuttle::check_random_with_seed(model, random.bits(), SCHEDULES);
    });
}
