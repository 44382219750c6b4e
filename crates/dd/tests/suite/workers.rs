//! Several workers on one store, in threads: the results are those of a single worker.

use std::thread;

use lariat_budget::{Budget, Cancel, Stop};
use lariat_dd::{EventPart, EventRelation, Set, Store, Subset};

use crate::explicit::{Linear, Vectors, closure, get, image, parts, put, vectors};
use lariat_corpora::{Random, each_case, which_ends};

/// A fixpoint problem, and its explicit solution.
struct FixpointCase {
    subset: Subset,
    from: Set,
    reached: Vectors,
    image: Vectors,
    seed: u64,
}

/// Returns a store with several problems.
fn problems(random: &mut Random, budget: &Budget) -> Result<(Store, Vec<FixpointCase>), Stop> {
    let levels = 2 + random.below(5_usize);
    let domain = 2 + random.below(3);
    let count = 2 + random.below(6);
    let explicit: Vec<Vec<EventPart>> = (0..count)
        .map(|_| parts(random, levels, domain, true))
        .collect();
    let mut store = Store::new(levels, budget)?;
    let mut events: Vec<EventRelation> = Vec::new();
    for parts in &explicit {
        events.extend(store.event(parts)?);
    }
    let mut problems = Vec::new();
    for _ in 0..4 {
        let size = 1 + random.below(3);
        let initial = vectors(random, levels, domain + 1, size);
        let chosen: Vec<usize> = (0..events.len()).filter(|_| random.percent(70)).collect();
        let some: Vec<Vec<EventPart>> = chosen.iter().map(|&at| explicit[at].clone()).collect();
        let Some(reached) = closure(&some, &initial, |_, _| true) else {
            continue;
        };
        problems.push(FixpointCase {
            subset: store.subset(chosen.iter().map(|&at| events[at])),
            from: store.from_vectors(&initial)?,
            image: image(&some, &reached),
            reached,
            seed: random.bits(),
        });
    }
    Ok((store, problems))
}

/// Computes and checks the reachable states, a selection and the image.
fn answer(store: &mut Store, problem: &FixpointCase) -> Result<[Set; 2], Stop> {
    let reached = store.saturate(&problem.subset, &problem.from)?;
    assert_eq!(get(store, &reached), problem.reached);
    let mut random = Random::new(problem.seed);
    let mut predicate = Linear::new(&mut random, store);
    let start = predicate.start();
    let selected = store.select(&reached, &mut predicate, start)?;
    let rest = store.difference(&reached, &selected)?;
    assert_eq!(store.union(&rest, &selected)?, reached);
    assert!(store.is_subset(&problem.from, &reached)?);
    let image = store.image(&problem.subset, &reached)?;
    assert_eq!(get(store, &image), problem.image);
    let dead = store.dead(&problem.subset, &reached)?;
    assert!(store.is_subset(&dead, &reached)?);
    Ok([reached, image])
}

/// Returns the results of `count` workers, each of which starts with a different problem.
fn ask(
    store: &mut Store,
    problems: &[FixpointCase],
    count: usize,
    prepare: impl Fn(usize, &mut Store),
) -> Vec<Vec<Result<[Set; 2], Stop>>> {
    let mut workers = Vec::new();
    for turn in 0..count {
        let mut worker = store.worker().unwrap();
        prepare(turn, &mut worker);
        workers.push((turn, worker));
    }
    thread::scope(|scope| {
        let work = |(turn, mut worker): (usize, Store)| {
            scope.spawn(move || {
                let mut answers = vec![Err(Stop::Interrupted); problems.len()];
                for i in 0..problems.len() {
                    let at = (i + turn) % problems.len();
                    answers[at] = answer(&mut worker, &problems[at]);
                }
                answers
            })
        };
        let threads: Vec<_> = workers.into_iter().map(work).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

fn agree(random: &mut Random, always: bool) {
    let (mut store, problems) = problems(random, &Budget::unlimited()).unwrap();
    store.collect_always(always);
    let count = [2, 4][random.below(2_usize)];
    let way: u32 = random.below(3);
    let prepare = |turn: usize, worker: &mut Store| {
        worker.go_backwards(way == 1 || (way == 2 && turn % 2 == 1));
    };
    let answers = ask(&mut store, &problems, count, prepare);
    for other in &answers {
        // Equal sets are one node for all workers.
        assert_eq!(*other, answers[0]);
    }
    // Once more with a single worker.
    for (problem, answers) in problems.iter().zip(&answers[0]) {
        assert_eq!(&answer(&mut store, problem), answers);
    }
    drop(answers);
    drop(problems);
    store.collect();
    assert_eq!(store.figures().nodes, 0);
}

#[test]
fn workers_agree() {
    each_case(150, |random| agree(random, false));
}

#[test]
fn workers_agree_with_a_collection_before_every_node() {
    each_case(40, |random| agree(random, true));
}

/// `n` tokens in a row of `levels`, each of which moves independently.
fn row(store: &mut Store, n: u32) -> Result<(Subset, Set), Stop> {
    let levels = store.levels() as u32;
    let part = |level, delta| EventPart::Delta {
        level,
        need: 0,
        delta,
    };
    let step = |level: u32| [part(level, -1), part(level + 1, 1)];
    let mut events: Vec<EventRelation> = Vec::new();
    for level in 0..levels - 1 {
        events.extend(store.event(&step(level))?);
    }
    let subset = store.subset(events);
    let mut start = vec![0; levels as usize];
    start[0] = n;
    let start = store.singleton(&start)?;
    Ok((subset, start))
}

/// The tables grow and the cache is shared: all workers together create no more nodes than one.
#[test]
fn workers_share_results() {
    let budget = Budget::unlimited();
    let mut single = Store::new(20, &budget).unwrap();
    let (subset, start) = row(&mut single, 20).unwrap();
    let reached = single.saturate(&subset, &start).unwrap();
    let expected = single.count(&reached);
    let mut store = Store::new(20, &budget).unwrap();
    let (subset, start) = row(&mut store, 20).unwrap();
    let counts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let (mut worker, subset, start) =
                    (store.worker().unwrap(), subset.clone(), start.clone());
                scope.spawn(move || {
                    let reached = worker.saturate(&subset, &start).unwrap();
                    worker.count(&reached)
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(counts.iter().all(|count| *count == expected));
    let (one, several) = (single.figures(), store.figures());
    assert_eq!(several.created, one.created);
    // The last problem is solved by a single lookup.
    let before = store.figures().lookups;
    store.saturate(&subset, &start).unwrap();
    assert_eq!(store.figures().lookups, before + 1);
}

/// The reserve of a worker is void after a collection by another one: using it would overwrite
/// nodes that the other has created there meanwhile.
#[test]
fn a_void_reserve_overwrites_no_nodes() {
    let mut store = Store::new(2, &Budget::unlimited()).unwrap();
    let mut other = store.worker().unwrap();
    let vectors = |from: u32| (from..from + 20).map(|i| [i, i * i % 7]);
    store.from_vectors(vectors(0)).unwrap();
    other.collect();
    let kept = other.from_vectors(vectors(100)).unwrap();
    store.from_vectors(vectors(200)).unwrap();
    assert!(other.iter(&kept).eq(vectors(100)));
}

/// One worker stops at some point, with its own reason; the others continue.
#[test]
fn a_stop_affects_one_worker_only() {
    each_case(60, |random| {
        let budget = Budget::unlimited();
        let (mut store, problems) = problems(random, &budget).unwrap();
        store.collect_always(random.coin());
        let work = random.below(200_u64);
        let cancel = Cancel::default();
        cancel.press();
        let stopped = if random.coin() {
            budget.clone().with_work(work)
        } else {
            budget.clone().with_cancel(cancel)
        };
        let stop = |turn: usize, worker: &mut Store| {
            if turn == 0 {
                worker.set_budget(&stopped);
            }
        };
        let answers = ask(&mut store, &problems, 3, stop);
        assert!(answers[1..].iter().flatten().all(Result::is_ok));
        assert_eq!(answers[1], answers[2]);
        for (first, other) in answers[0].iter().zip(&answers[1]) {
            match first {
                Ok(_) => assert_eq!(first, other),
                Err(stop) => assert!(matches!(stop, Stop::Work(_) | Stop::Interrupted)),
            }
        }
    });
}

/// All workers run out of memory, at any point: each reports it, and all bytes are returned.
#[test]
fn workers_share_the_account_of_bytes() {
    let mut ran_out = 0;
    each_case(40, |random| {
        let bytes = 80_000 + random.below(400_000_u64);
        let budget = Budget::bytes(bytes);
        let Ok(mut store) = Store::new(14, &budget) else {
            return;
        };
        let (subset, start) = row(&mut store, 14).unwrap();
        let outcomes: Vec<Result<Set, Stop>> = thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 0..3 {
                let Ok(mut worker) = store.worker() else {
                    continue;
                };
                let (subset, start) = (subset.clone(), start.clone());
                threads.push(scope.spawn(move || worker.saturate(&subset, &start)));
            }
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        for outcome in outcomes {
            match outcome {
                Ok(set) => assert_eq!(store.count(&set), 20_058_300u32.into()),
                Err(stop) => {
                    assert_eq!(stop, Stop::Memory);
                    ran_out += 1;
                }
            }
        }
        assert!(budget.bytes_peak() <= bytes);
        drop((store, subset));
        assert_eq!(budget.bytes_used(), 0);
    });
    assert!(ran_out > 0);
}

#[test]
fn a_worker_outlives_the_first_handle() {
    let mut store = Store::new(2, &Budget::unlimited()).unwrap();
    let mut worker = store.worker().unwrap();
    let set = put(&mut worker, &Vectors::from([vec![1, 2], vec![3, 4]]));
    drop(store);
    worker.collect();
    assert_eq!(worker.count(&set), 2u32.into());
    assert_eq!(worker.figures().nodes, 3);
}

#[test]
fn workers_inherit_the_cap() {
    let mut store = Store::new(1, &Budget::unlimited()).unwrap().capped(2);
    let more = EventPart::Delta {
        level: 0,
        need: 0,
        delta: 1,
    };
    let more = store.event(&[more]).unwrap();
    let subset = store.subset(more);
    let mut worker = store.worker().unwrap();
    let from = put(&mut worker, &Vectors::from([vec![1], vec![2]]));
    let image = worker.image(&subset, &from).unwrap();
    assert_eq!(get(&worker, &image), Vectors::from([vec![2]]));
}

/// Reading a set neither blocks exclusive access nor is blocked.
#[test]
fn reading_and_exclusive_access_alternate() {
    let budget = Budget::bytes(64 << 20);
    let mut store = Store::new(3, &budget).unwrap();
    let some: Vec<Vec<u32>> = (0..40).map(|i| vec![i % 5, i % 7, i % 3]).collect();
    let set = store.from_vectors(&some).unwrap();
    let mut other = store.worker().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..2000 {
                other.collect();
            }
        });
        for _ in 0..2000 {
            assert_eq!(store.ranges(&set), Some(vec![(0, 4), (0, 6), (0, 2)]));
            assert_eq!(store.values(&set)[2], [0, 1, 2]);
            assert_eq!(store.count(&set).to_string(), "40");
            assert!(store.node_count(&set) > 3 && store.contains(&set, &some[0]));
            assert!(!store.export(&set).is_empty());
        }
    });
}

/// A change of counted limits needs no exclusive access.
#[test]
fn a_new_work_limit_needs_no_exclusive_access() {
    which_ends(|| {
        let budget = Budget::bytes(64 << 20);
        let mut store = Store::new(1, &budget).unwrap();
        let set = store.from_vectors([vec![1], vec![2]]).unwrap();
        let mut other = store.worker().unwrap();
        let mut vectors = store.iter(&set);
        assert_eq!(vectors.next(), Some(vec![1]));
        // An iterator keeps its worker inside the shared section, without yielding.
        other.set_budget(&budget.clone().with_work(0));
        assert_eq!(vectors.next(), Some(vec![2]));
        drop(vectors);
        assert!(matches!(
            other.from_vectors([vec![3], vec![4]]),
            Err(Stop::Work(_))
        ));
    });
}

/// The creating worker is outside while the new one enters; otherwise a writer would wait for both.
#[test]
fn workers_are_created_during_exclusive_access() {
    which_ends(|| {
        let budget = Budget::unlimited();
        let mut store = Store::new(12, &budget).unwrap();
        let mut busy = store.worker().unwrap();
        // It requests exclusive access at every node.
        busy.collect_always(true);
        thread::scope(|scope| {
            let working = scope.spawn(move || {
                for n in 0..30 {
                    let (subset, start) = row(&mut busy, n).unwrap();
                    busy.saturate(&subset, &start).unwrap();
                }
            });
            while !working.is_finished() {
                drop(store.worker().unwrap());
            }
            working.join().unwrap();
        });
    });
}
