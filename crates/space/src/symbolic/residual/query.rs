//! A query: the residuals that workers on one store ask together.
//!
//! Cache entries are found by the numbers of residuals, so a number must mean the same to all workers, or filtered closures
//! would share nothing. One worker has the interner to itself. Where there are several it is behind a lock, and each remembers the
//! steps that it has asked for: there are few different ones, and each is asked for very often.

use super::super::layout::Layout;
use super::Interner;
use lariat_budget::{Lease, Stop};
use lariat_dd::Residual;
use lariat_dd::kernel::Scope;
use lariat_model::order::Level;
use lariat_model::{Predicate, System};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The residuals of one query.
#[derive(Debug)]
pub struct Residuals {
    scope: Scope,
    access: Access,
}

#[derive(Debug)]
enum Access {
    /// By the only worker.
    Own(Box<Interner>),
    /// By one of several.
    Common {
        interner: Arc<Mutex<Interner>>,
        memo: Memo,
    },
}

/// Steps that a worker has asked for.
#[derive(Debug)]
struct Memo {
    steps: FxHashMap<(Residual, u32, u32), Residual>,
    lease: Lease,
    /// Ask for more bytes when there are more steps than this.
    ask_at: usize,
}

/// Bytes of a remembered step.
const STEP_BYTES: usize = 40;

impl Memo {
    fn new(lease: Lease) -> Memo {
        Memo {
            steps: FxHashMap::default(),
            lease,
            ask_at: 0,
        }
    }

    fn insert(&mut self, key: (Residual, u32, u32), to: Residual) -> Result<(), Stop> {
        if self.steps.len() >= self.ask_at {
            let more = 2 * self.ask_at + 256;
            self.lease.resize(more * STEP_BYTES)?;
            self.ask_at = more;
        }
        self.steps.insert(key, to);
        Ok(())
    }
}

fn lock(interner: &Mutex<Interner>) -> MutexGuard<'_, Interner> {
    match interner.lock() {
        Ok(interner) => interner,
        Err(poisoned) => poisoned.into_inner(),
    }
}

impl Residuals {
    /// No predicate yet. Values beyond what `layout` says is possible are never asked for.
    pub fn new(layout: &Layout, scope: Scope, lease: Lease) -> Residuals {
        Residuals {
            scope,
            access: Access::Own(Box::new(Interner::new(layout, lease))),
        }
    }

    /// The same query for another worker: what is asked by one has the same number for the other. Both remember their
    /// steps under leases of their own.
    pub fn worker(self, mine: Lease, theirs: Lease) -> (Residuals, Residuals) {
        let Residuals { scope, access } = self;
        let (interner, memo) = match access {
            Access::Own(interner) => (Arc::new(Mutex::new(*interner)), Memo::new(mine)),
            Access::Common { interner, memo } => (interner, memo),
        };
        let other = Residuals {
            scope: scope.clone(),
            access: Access::Common {
                interner: interner.clone(),
                memo: Memo::new(theirs),
            },
        };
        let access = Access::Common { interner, memo };
        (Residuals { scope, access }, other)
    }

    fn with<R>(&mut self, ask: impl FnOnce(&mut Interner) -> R) -> R {
        match &mut self.access {
            Access::Own(interner) => ask(interner),
            Access::Common { interner, .. } => ask(&mut lock(interner)),
        }
    }

    /// The residual of a predicate before anything is read.
    pub fn compile(&mut self, system: &System, predicate: &Predicate) -> Result<Residual, Stop> {
        self.with(|interner| interner.compile(system, predicate))
    }

    /// The first level that the residual still depends on; beyond all levels if it is decided.
    pub fn top(&self, residual: Residual) -> Level {
        match &self.access {
            Access::Own(interner) => interner.top(residual),
            Access::Common { interner, .. } => lock(interner).top(residual),
        }
    }

    /// The opposite.
    pub fn not(&mut self, residual: Residual) -> Residual {
        self.with(|interner| interner.not(residual))
    }

    /// Where both hold.
    pub fn and(&mut self, a: Residual, b: Residual) -> Residual {
        self.with(|interner| interner.and(a, b))
    }

    /// Where one of them holds.
    pub fn or(&mut self, a: Residual, b: Residual) -> Residual {
        self.with(|interner| interner.or(a, b))
    }
}

impl lariat_dd::Predicate for Residuals {
    fn scope(&self) -> &Scope {
        &self.scope
    }

    #[inline]
    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        match &mut self.access {
            Access::Own(interner) => interner.step(residual, level, value),
            Access::Common { interner, memo } => {
                let key = (residual, level, value);
                if let Some(&known) = memo.steps.get(&key) {
                    return Ok(known);
                }
                let to = lock(interner).step(residual, level, value)?;
                memo.insert(key, to)?;
                Ok(to)
            }
        }
    }
}
