//! A query: the residuals that the workers on one store share.
//!
//! Cache entries contain the numbers of residuals, so a number must denote the same residual for
//! all workers, or filtered closures would share nothing. A single worker owns the interner.
//! Several workers share it behind a lock, and each memoizes its steps: there are few distinct
//! ones, and each is requested very often.

use super::super::layout::LevelLayout;
use super::ResidualInterner;
use lariat_budget::{Budget, Lease, Stop};
use lariat_dd::Residual;
use lariat_dd::kernel::CacheScope;
use lariat_model::order::Level;
use lariat_model::{Predicate, System};
use lariat_parallel::Leaf;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A worker's handle to the residuals of one query.
#[derive(Debug)]
pub struct Residuals {
    scope: CacheScope,
    access: Access,
}

#[derive(Debug)]
enum Access {
    /// Of the only worker.
    Own(Box<ResidualInterner>),
    /// Of one of several workers.
    Shared {
        interner: Arc<Leaf<ResidualInterner>>,
        memo: Memo,
    },
}

#[derive(Debug)]
struct Memo {
    steps: FxHashMap<(Residual, u32, u32), Residual>,
    lease: Lease,
    /// Number of steps above which the lease is extended.
    leased_entries: usize,
}

const STEP_BYTES: usize = 40;

impl Memo {
    fn new(lease: Lease) -> Memo {
        Memo {
            steps: FxHashMap::default(),
            lease,
            leased_entries: 0,
        }
    }

    fn insert(&mut self, key: (Residual, u32, u32), to: Residual) -> Result<(), Stop> {
        if self.steps.len() >= self.leased_entries {
            let more = 2 * self.leased_entries + 256;
            self.lease.resize(more * STEP_BYTES)?;
            self.leased_entries = more;
        }
        self.steps.insert(key, to);
        Ok(())
    }
}

impl Residuals {
    /// A query without predicates, within the budget. Values outside the ranges of `layout` are
    /// never read.
    pub fn new(layout: &LevelLayout, scope: CacheScope, budget: &Budget) -> Residuals {
        Residuals {
            scope,
            access: Access::Own(Box::new(ResidualInterner::new(layout, budget))),
        }
    }

    /// Splits off a handle for another worker, in which every residual has the same number. Each
    /// worker leases the bytes of its memo separately.
    pub fn worker(self, mine: Lease, theirs: Lease) -> (Residuals, Residuals) {
        let Residuals { scope, access } = self;
        let (interner, memo) = match access {
            Access::Own(interner) => (Arc::new(Leaf::new(*interner)), Memo::new(mine)),
            Access::Shared { interner, memo } => (interner, memo),
        };
        let other = Residuals {
            scope: scope.clone(),
            access: Access::Shared {
                interner: interner.clone(),
                memo: Memo::new(theirs),
            },
        };
        let access = Access::Shared { interner, memo };
        (Residuals { scope, access }, other)
    }

    fn with<R>(&mut self, run: impl FnOnce(&mut ResidualInterner) -> R) -> R {
        match &mut self.access {
            Access::Own(interner) => run(interner),
            Access::Shared { interner, .. } => interner.with(run),
        }
    }

    /// The residual of a predicate before any level is read.
    pub fn compile(&mut self, system: &System, predicate: &Predicate) -> Result<Residual, Stop> {
        self.with(|interner| interner.compile(system, predicate))
    }

    /// First level on which the residual depends; below all levels if it is decided.
    pub fn top(&self, residual: Residual) -> Level {
        match &self.access {
            Access::Own(interner) => interner.top(residual),
            Access::Shared { interner, .. } => interner.with(|interner| interner.top(residual)),
        }
    }

    /// Negation.
    pub fn not(&mut self, residual: Residual) -> Residual {
        self.with(|interner| interner.not(residual))
    }

    /// Conjunction.
    pub fn and(&mut self, a: Residual, b: Residual) -> Residual {
        self.with(|interner| interner.junction(true, vec![a, b]))
    }

    /// Disjunction.
    pub fn or(&mut self, a: Residual, b: Residual) -> Residual {
        self.with(|interner| interner.junction(false, vec![a, b]))
    }
}

impl lariat_dd::LevelPredicate for Residuals {
    fn scope(&self) -> &CacheScope {
        &self.scope
    }

    #[inline]
    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        match &mut self.access {
            Access::Own(interner) => interner.step(residual, level, value),
            Access::Shared { interner, memo } => {
                let key = (residual, level, value);
                if let Some(&known) = memo.steps.get(&key) {
                    return Ok(known);
                }
                let to = interner.with(|interner| interner.step(residual, level, value))?;
                memo.insert(key, to)?;
                Ok(to)
            }
        }
    }
}
