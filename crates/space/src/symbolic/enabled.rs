//! The enabledness of programs, by their learned paths.
//!
//! Residuals do not express whether a program that may fail is enabled. But once all reachable
//! states have been seen, the conditions of its learned paths characterize those in which it is
//! enabled.

use super::space::Symbolic;
use lariat_model::order::Level;
use lariat_model::{Comparison, EventId, Predicate};

impl Symbolic<'_> {
    /// A predicate that does not test whether programs are enabled, and agrees with `predicate` on
    /// all states from which programs have learned.
    pub fn by_what_is_known(&self, predicate: &Predicate) -> Predicate {
        let each = |ps: &[Predicate]| ps.iter().map(|p| self.by_what_is_known(p)).collect();
        match predicate {
            Predicate::Enabled(events) => {
                Predicate::Or(events.iter().map(|e| self.known_enabled(*e)).collect())
            }
            Predicate::Deadlock => {
                let events = self.system().event_ids();
                let some = events.map(|e| self.known_enabled(e)).collect();
                Predicate::Not(Box::new(Predicate::Or(some)))
            }
            Predicate::Not(p) => Predicate::Not(Box::new(self.by_what_is_known(p))),
            Predicate::And(ps) => Predicate::And(each(ps)),
            Predicate::Or(ps) => Predicate::Or(each(ps)),
            Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => predicate.clone(),
        }
    }

    fn known_enabled(&self, event: EventId) -> Predicate {
        let Some(program) = self.program(event) else {
            return Predicate::Enabled(vec![event]);
        };
        let mut conditions: Vec<_> = program.conditions().collect();
        conditions.sort_unstable();
        conditions.dedup();
        let layout = self.layout();
        let path = |cells: &Vec<(Level, u32)>| {
            let cells = cells.iter().map(|(level, stored)| {
                let value = layout.decode(*level, *stored);
                Predicate::compare(layout.order().var(*level), Comparison::Eq, value)
            });
            Predicate::And(cells.collect())
        };
        Predicate::Or(conditions.iter().map(path).collect())
    }
}
