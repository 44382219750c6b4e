//! A slow and simple reference: sets of vectors, and events applied one by one.

use std::collections::BTreeSet;

use lariat_budget::{Budget, Stop};
use lariat_corpora::Random;
use lariat_dd::{CacheScope, EventPart, LevelPredicate, Residual, Set, Store};

pub type Vectors = BTreeSet<Vec<u32>>;

/// Up to `count` vectors of values in `0..domain`.
pub fn vectors(random: &mut Random, levels: usize, domain: u32, count: u32) -> Vectors {
    let mut vector = || (0..levels).map(|_| random.below(domain)).collect();
    (0..count).map(|_| vector()).collect()
}

pub fn store(levels: usize) -> Store {
    Store::new(levels, &Budget::unlimited()).unwrap()
}

pub fn put(store: &mut Store, vectors: &Vectors) -> Set {
    store.from_vectors(vectors).unwrap()
}

pub fn get(store: &Store, set: &Set) -> Vectors {
    store.iter(set).collect()
}

/// Some parts of an event, on different levels.
pub fn parts(random: &mut Random, levels: usize, domain: u32, tables: bool) -> Vec<EventPart> {
    let mut free: Vec<u32> = (0..levels as u32).collect();
    let mut take = |random: &mut Random| {
        let at = random.below(free.len());
        free.swap_remove(at)
    };
    let mut parts = Vec::new();
    let wanted = 1 + random.below(levels.min(3));
    let mut used = 0;
    let mut gained = 0i64;
    while used < wanted {
        if tables && random.percent(50) {
            let width = (1 + random.below(2_usize)).min(levels - used);
            let of_table: Vec<u32> = (0..width).map(|_| take(random)).collect();
            let pair = |random: &mut Random| (random.below(domain), random.below(domain));
            let row = |random: &mut Random| (0..width).map(|_| pair(random)).collect();
            let rows = (0..1 + random.below(4)).map(|_| row(random)).collect();
            parts.push(EventPart::Table {
                levels: of_table,
                rows,
            });
            used += width;
        } else {
            // Never adds more than it takes elsewhere.
            let delta = if gained < 0 && random.percent(70) {
                -gained
            } else {
                -random.below(3_i64)
            };
            gained += delta;
            parts.push(EventPart::Delta {
                level: take(random),
                need: random.below(2),
                delta,
            });
            used += 1;
        }
    }
    parts
}

pub fn apply(parts: &[EventPart], vector: &[u32]) -> Vectors {
    let mut results = Vectors::from([vector.to_vec()]);
    for part in parts {
        let mut next = Vectors::new();
        for result in &results {
            match part {
                EventPart::Delta { level, need, delta } => {
                    let value = vector[*level as usize];
                    let to = value as i64 + delta;
                    if value >= *need && to >= 0 {
                        let mut result = result.clone();
                        result[*level as usize] = to as u32;
                        next.insert(result);
                    }
                }
                EventPart::Table { levels, rows } => {
                    for row in rows {
                        let fits =
                            |(level, pair): (&u32, &(u32, u32))| vector[*level as usize] == pair.0;
                        if levels.iter().zip(row).all(fits) {
                            let mut result = result.clone();
                            for (level, pair) in levels.iter().zip(row) {
                                result[*level as usize] = pair.1;
                            }
                            next.insert(result);
                        }
                    }
                }
            }
        }
        results = next;
    }
    results
}

pub fn image(events: &[Vec<EventPart>], vectors: &Vectors) -> Vectors {
    let pairs = vectors
        .iter()
        .flat_map(|v| events.iter().map(move |e| (e, v)));
    pairs
        .flat_map(|(event, vector)| apply(event, vector))
        .collect()
}

/// Returns the least fixpoint over the steps that are `allowed`; `None` if it grows large.
pub fn closure(
    events: &[Vec<EventPart>],
    from: &Vectors,
    allowed: impl Fn(&[u32], &[u32]) -> bool,
) -> Option<Vectors> {
    let mut reached = from.clone();
    let mut todo: Vec<Vec<u32>> = from.iter().cloned().collect();
    while let Some(source) = todo.pop() {
        for event in events {
            for target in apply(event, &source) {
                if allowed(&source, &target) && reached.insert(target.clone()) {
                    todo.push(target);
                }
            }
        }
        if reached.len() > 1500 {
            return None;
        }
    }
    Some(reached)
}

/// `Σ cᵢ·xᵢ` compared with a constant, as a predicate.
#[derive(Clone)]
pub struct Linear {
    pub coefficients: Vec<u32>,
    pub test: Test,
    pub bound: u32,
    scope: CacheScope,
    sums: Vec<u32>,
}

#[derive(Clone, Copy)]
pub enum Test {
    AtLeast,
    AtMost,
    Divides,
}

impl Linear {
    pub fn new(random: &mut Random, store: &mut Store) -> Linear {
        let levels = store.levels();
        Linear {
            coefficients: (0..levels).map(|_| random.below(3)).collect(),
            test: [Test::AtLeast, Test::AtMost, Test::Divides][random.below(3_usize)],
            bound: 1 + random.below(4),
            scope: store.scope(),
            sums: Vec::new(),
        }
    }

    /// The residual before the first level.
    pub fn start(&mut self) -> Residual {
        self.residual(0)
    }

    fn residual(&mut self, sum: u32) -> Residual {
        match self.test {
            Test::AtLeast if sum >= self.bound => return Residual::TRUE,
            Test::AtMost if sum > self.bound => return Residual::FALSE,
            _ => {}
        }
        let at = self.sums.iter().position(|&known| known == sum);
        let at = at.unwrap_or_else(|| {
            self.sums.push(sum);
            self.sums.len() - 1
        });
        Residual(at as u32 + 2)
    }

    fn decide(&self, sum: u32) -> bool {
        match self.test {
            Test::AtLeast => sum >= self.bound,
            Test::AtMost => sum <= self.bound,
            Test::Divides => sum.is_multiple_of(self.bound),
        }
    }

    pub fn holds(&self, vector: &[u32]) -> bool {
        let products = vector.iter().zip(&self.coefficients).map(|(v, c)| v * c);
        self.decide(products.sum())
    }
}

impl LevelPredicate for Linear {
    fn scope(&self) -> &CacheScope {
        &self.scope
    }

    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        let sum = self.sums[residual.0 as usize - 2] + self.coefficients[level as usize] * value;
        Ok(if level as usize + 1 < self.coefficients.len() {
            self.residual(sum)
        } else if self.decide(sum) {
            Residual::TRUE
        } else {
            Residual::FALSE
        })
    }
}
