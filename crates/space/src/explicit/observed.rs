//! Predicates whose truth the engines ask for in every state: each is evaluated again only when a variable that
//! it reads has changed.

use lariat_model::{Predicate, System};

/// Some predicates, each with its bit.
#[derive(Debug, Default)]
pub(super) struct Observed<'s> {
    pub predicates: Vec<(u64, &'s Predicate)>,
    /// For each variable, the predicates that read it. Empty if nothing is observed.
    readers: Vec<u64>,
    /// Those that speak of events: any step may change them.
    pub volatile: u64,
}

impl<'s> Observed<'s> {
    pub fn new(system: &System, predicates: Vec<(u64, &'s Predicate)>) -> Observed<'s> {
        let mut readers = vec![0; system.variables.len()];
        let mut volatile = 0;
        let mut vars = Vec::new();
        for (bit, predicate) in &predicates {
            vars.clear();
            predicate.collect_vars(&mut vars);
            vars.iter().for_each(|var| readers[var.index()] |= bit);
            if speaks_of_events(predicate) {
                volatile |= bit;
            }
        }
        Observed {
            predicates,
            readers,
            volatile,
        }
    }

    #[inline]
    pub fn readers(&self, var: u32) -> u64 {
        self.readers.get(var as usize).copied().unwrap_or(0)
    }
}

fn speaks_of_events(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Enabled(_) | Predicate::Deadlock => true,
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => false,
        Predicate::Not(p) => speaks_of_events(p),
        Predicate::And(ps) | Predicate::Or(ps) => ps.iter().any(speaks_of_events),
    }
}
