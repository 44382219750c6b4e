//! Several workers on one store, in threads: what they compute is what one alone computes.

use std::thread;

use lariat_budget::{Budget, Cancel, Stop};
use lariat_dd::{Event, EventPart, Set, Store, Subset};

use crate::explicit::{Linear, Vectors, closure, get, image, parts, put, vectors};
use lariat_corpora::{Random, each_case, which_ends};

/// A question, and its answers by single vectors.
struct Question {
    subset: Subset,
    from: Set,
    reached: Vectors,
    image: Vectors,
    seed: u64,
}

/// A store with questions about it.
fn questions(random: &mut Random, budget: &Budget) -> Result<(Store, Vec<Question>), Stop> {
    let levels = 2 + random.below(5_usize);
    let domain = 2 + random.below(3);
    let count = 2 + random.below(6);
    let explicit: Vec<Vec<EventPart>> = (0..count)
        .map(|_| parts(random, levels, domain, true))
        .collect();
    let mut store = Store::new(levels, budget)?;
    let mut events: Vec<Event> = Vec::new();
    for parts in &explicit {
        events.extend(store.event(parts)?);
    }
    let mut questions = Vec::new();
    for _ in 0..4 {
        let size = 1 + random.below(3);
        let initial = vectors(random, levels, domain + 1, size);
        let chosen: Vec<usize> = (0..events.len()).filter(|_| random.percent(70)).collect();
        let some: Vec<Vec<EventPart>> = chosen.iter().map(|&at| explicit[at].clone()).collect();
        let Some(reached) = closure(&some, &initial, |_, _| true) else {
            continue;
        };
        questions.push(Question {
            subset: store.subset(chosen.iter().map(|&at| events[at])),
            from: store.from_vectors(&initial)?,
            image: image(&some, &reached),
            reached,
            seed: random.bits(),
        });
    }
    Ok((store, questions))
}

/// The reachable states and their image, checked; and selections, which every worker numbers for itself.
fn answer(store: &mut Store, question: &Question) -> Result<[Set; 2], Stop> {
    let reached = store.saturate(&question.subset, &question.from)?;
    assert_eq!(get(store, &reached), question.reached);
    let mut random = Random::new(question.seed);
    let mut predicate = Linear::new(&mut random, store);
    let start = predicate.start();
    let selected = store.select(&reached, &mut predicate, start)?;
    let rest = store.difference(&reached, &selected)?;
    assert_eq!(store.union(&rest, &selected)?, reached);
    assert!(store.is_subset(&question.from, &reached)?);
    let image = store.image(&question.subset, &reached)?;
    assert_eq!(get(store, &image), question.image);
    let dead = store.dead(&question.subset, &reached)?;
    assert!(store.is_subset(&dead, &reached)?);
    Ok([reached, image])
}

/// What `count` workers answer, each of which begins with another question.
fn ask(
    store: &mut Store,
    questions: &[Question],
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
                let mut answers = vec![Err(Stop::Interrupted); questions.len()];
                for i in 0..questions.len() {
                    let at = (i + turn) % questions.len();
                    answers[at] = answer(&mut worker, &questions[at]);
                }
                answers
            })
        };
        let threads: Vec<_> = workers.into_iter().map(work).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

fn agree(random: &mut Random, always: bool) {
    let (mut store, questions) = questions(random, &Budget::unlimited()).unwrap();
    store.collect_always(always);
    let count = [2, 4][random.below(2_usize)];
    let way: u32 = random.below(3);
    let prepare = |turn: usize, worker: &mut Store| {
        worker.go_backwards(way == 1 || (way == 2 && turn % 2 == 1));
    };
    let answers = ask(&mut store, &questions, count, prepare);
    for other in &answers {
        // Equal sets are one node, whoever made it.
        assert_eq!(*other, answers[0]);
    }
    // Alone again.
    for (question, answers) in questions.iter().zip(&answers[0]) {
        assert_eq!(&answer(&mut store, question), answers);
    }
    drop(answers);
    drop(questions);
    store.collect();
    assert_eq!(store.figures().nodes, 0);
}

#[test]
fn workers_agree() {
    each_case(150, |random| agree(random, false));
}

#[test]
fn workers_agree_while_garbage_is_collected_at_every_node() {
    each_case(40, |random| agree(random, true));
}

/// `n` tokens in a row of `levels`, each of which goes its way.
fn row(store: &mut Store, n: u32) -> Result<(Subset, Set), Stop> {
    let levels = store.levels() as u32;
    let part = |level, delta| EventPart::Delta {
        level,
        need: 0,
        delta,
    };
    let step = |level: u32| [part(level, -1), part(level + 1, 1)];
    let mut events: Vec<Event> = Vec::new();
    for level in 0..levels - 1 {
        events.extend(store.event(&step(level))?);
    }
    let subset = store.subset(events);
    let mut start = vec![0; levels as usize];
    start[0] = n;
    let start = store.singleton(&start)?;
    Ok((subset, start))
}

/// The tables grow and the cache is shared: together the workers look up hardly more than one.
#[test]
fn what_one_has_computed_the_others_need_not() {
    let budget = Budget::unlimited();
    let mut alone = Store::new(20, &budget).unwrap();
    let (subset, start) = row(&mut alone, 20).unwrap();
    let reached = alone.saturate(&subset, &start).unwrap();
    let expected = alone.count(&reached);
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
    let (one, several) = (alone.figures(), store.figures());
    assert_eq!(several.created, one.created);
    // The last question is answered by the cache at once.
    let before = store.figures().lookups;
    store.saturate(&subset, &start).unwrap();
    assert_eq!(store.figures().lookups, before + 1);
}

/// What a worker has set aside for its next nodes is void once another has collected garbage: used all the same, it has them written over those that the other has made there meanwhile.
#[test]
fn nodes_of_others_are_not_written_over() {
    let mut store = Store::new(2, &Budget::unlimited()).unwrap();
    let mut other = store.worker().unwrap();
    let vectors = |from: u32| (from..from + 20).map(|i| [i, i * i % 7]);
    store.from_vectors(vectors(0)).unwrap();
    other.collect();
    let kept = other.from_vectors(vectors(100)).unwrap();
    store.from_vectors(vectors(200)).unwrap();
    assert!(other.iter(&kept).eq(vectors(100)));
}

/// One worker runs out of something at some point; it says so and nobody else minds.
#[test]
fn one_that_stops_stops_nobody() {
    each_case(60, |random| {
        let budget = Budget::unlimited();
        let (mut store, questions) = questions(random, &budget).unwrap();
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
        let answers = ask(&mut store, &questions, 3, stop);
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

/// All run out of memory together, at any point: everybody hears of it, and the bytes come back.
#[test]
fn memory_is_one_account() {
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
fn a_worker_may_be_alone_in_the_end() {
    let mut store = Store::new(2, &Budget::unlimited()).unwrap();
    let mut worker = store.worker().unwrap();
    let set = put(&mut worker, &Vectors::from([vec![1, 2], vec![3, 4]]));
    drop(store);
    worker.collect();
    assert_eq!(worker.count(&set), 2u32.into());
    assert_eq!(worker.figures().nodes, 3);
}

#[test]
fn the_cap_of_a_store_is_that_of_its_workers() {
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

/// Whoever only looks at a set keeps nobody waiting who wants to have the tables alone, and is kept by nobody.
#[test]
fn looking_and_being_alone_end() {
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

/// Nobody makes way for a worker that takes another part of the same budget.
#[test]
fn another_part_of_a_budget_keeps_nobody_waiting() {
    which_ends(|| {
        let budget = Budget::bytes(64 << 20);
        let mut store = Store::new(1, &budget).unwrap();
        let set = store.from_vectors([vec![1], vec![2]]).unwrap();
        let mut other = store.worker().unwrap();
        let mut vectors = store.iter(&set);
        assert_eq!(vectors.next(), Some(vec![1]));
        // Who looks at vectors is inside, and would not make way.
        other.set_budget(&budget.clone().with_work(0));
        assert_eq!(vectors.next(), Some(vec![2]));
        drop(vectors);
        assert!(matches!(
            other.from_vectors([vec![3], vec![4]]),
            Err(Stop::Work(_))
        ));
    });
}

/// Who makes a worker is not inside while that one waits to be let in: somebody who wants the tables alone would wait for both.
#[test]
fn workers_are_made_while_others_want_to_be_alone() {
    which_ends(|| {
        let budget = Budget::unlimited();
        let mut store = Store::new(12, &budget).unwrap();
        let mut busy = store.worker().unwrap();
        // At every node it wants to be alone.
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
