//! Levels at which no cycle can fire, by the effects of events.
//!
//! A cycle in a node of level `k` consists of events with their top at or below `k` and restores
//! every component. So an event that adds to a component is on no such cycle unless one of these
//! events subtracts from it, and vice versa. Such events are removed, which may exclude others:
//!
//! ```text
//! E_k = {ε | top(ε) at or below k}       remove ε while some component that it changes
//!                                        is only raised, or only lowered, by E_k
//! ```
//!
//! If no event with its top at `k` remains, saturated nodes of this level need no search. From the
//! top level down the sets only lose events, so all levels together take time linear in the arcs.
//! In nets this excludes many levels: a ring of events is open below the level that closes it. The
//! test is weaker than transition invariants, but needs no arithmetic.
//!
//! Each value of a variable in tables acts like a place: raised by rows that enter it, lowered by
//! rows that leave it. Rows are removed one by one. Programs may change their variables in any way.

use super::steps::ProductSteps;
use lariat_model::{Action, System, Value, VarId};
use lariat_space::symbolic::LevelLayout;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Effect of an event or a row on a variable or on one of its values.
#[derive(Clone, Copy)]
struct Change {
    what: usize,
    raises: bool,
    lowers: bool,
}

/// By level: true if a cycle may have its highest firing there.
pub fn cyclic_levels(system: &System, layout: &LevelLayout, steps: &ProductSteps) -> Vec<bool> {
    let (changes, of_event) = changes(system);
    let mut left = Left::new(changes);
    let mut cyclic = Vec::with_capacity(layout.levels());
    // Rows of a table may have tops on different levels: one event then has several chains.
    let mut last = vec![0; system.events.len()];
    for level in 0..layout.levels() {
        for (_, event) in steps.tops(level as u32) {
            last[event.index()] = level;
        }
    }
    for level in 0..layout.levels() {
        let own = steps.tops(level as u32).iter().map(|(_, event)| *event);
        let is_left = |row: usize| left.remaining[row];
        cyclic.push({ own.clone() }.any(|event| of_event[event.index()].clone().any(is_left)));
        let over = own.filter(|event| last[event.index()] == level);
        left.remove_rows(over.flat_map(|event| of_event[event.index()].clone()));
    }
    cyclic
}

/// Returns the effects of each row, and the range of rows per event: one unless it is a table.
fn changes(system: &System) -> (Vec<Vec<Change>>, Vec<Range<usize>>) {
    // Values are tracked only if tables alone write the variable.
    let mut is_counted = vec![false; system.variables.len()];
    for event in &system.events {
        if !matches!(event.action, Action::Table { .. }) {
            for var in event.action.writes() {
                is_counted[var.index()] = true;
            }
        }
    }
    let mut values: FxHashMap<(VarId, Value), usize> = FxHashMap::default();
    let mut changes = Vec::new();
    let mut of_event = Vec::with_capacity(system.events.len());
    for event in &system.events {
        let first = changes.len();
        let any_change = |var: VarId| Change {
            what: var.index(),
            raises: true,
            lowers: true,
        };
        match &event.action {
            Action::Net(arcs) => {
                let arcs = arcs.iter().filter(|arc| arc.delta != 0);
                let own = arcs.map(|arc| Change {
                    what: arc.var.index(),
                    raises: arc.delta > 0,
                    lowers: arc.delta < 0,
                });
                changes.push(own.collect());
            }
            Action::Table { vars, rows } => {
                for row in rows {
                    let cells = vars.iter().zip(row).filter_map(|(var, cell)| {
                        let (before, after) = (*cell)?;
                        (before != after).then_some((*var, before, after))
                    });
                    let mut own = Vec::new();
                    for (var, before, after) in cells {
                        if is_counted[var.index()] {
                            own.push(any_change(var));
                            continue;
                        }
                        for (value, raises) in [(before, false), (after, true)] {
                            let next = system.variables.len() + values.len();
                            own.push(Change {
                                what: *values.entry((var, value)).or_insert(next),
                                raises,
                                lowers: !raises,
                            });
                        }
                    }
                    changes.push(own);
                }
            }
            Action::Program { .. } | Action::Chain(_) => {
                changes.push(event.action.writes().into_iter().map(any_change).collect());
            }
        }
        of_event.push(first..changes.len());
    }
    (changes, of_event)
}

/// The remaining rows.
struct Left {
    changes: Vec<Vec<Change>>,
    remaining: Vec<bool>,
    /// By component: the rows that change it.
    changing: Vec<Vec<usize>>,
    /// By component: numbers of remaining rows that raise and that lower it.
    counts: Vec<(usize, usize)>,
}

impl Left {
    fn new(changes: Vec<Vec<Change>>) -> Left {
        let changed = changes.iter().flatten().map(|change| change.what + 1);
        let changed = changed.max().unwrap_or(0);
        let mut left = Left {
            remaining: vec![true; changes.len()],
            changing: vec![Vec::new(); changed],
            counts: vec![(0, 0); changed],
            changes,
        };
        for (row, changes) in left.changes.iter().enumerate() {
            for change in changes {
                left.changing[change.what].push(row);
                left.counts[change.what].0 += usize::from(change.raises);
                left.counts[change.what].1 += usize::from(change.lowers);
            }
        }
        left.propagate((0..changed).collect());
        left
    }

    /// Removes these rows, and all rows that are then excluded.
    fn remove_rows(&mut self, rows: impl Iterator<Item = usize>) {
        let mut touched = Vec::new();
        for row in rows {
            self.remove_row(row, &mut touched);
        }
        self.propagate(touched);
    }

    fn remove_row(&mut self, row: usize, touched: &mut Vec<usize>) {
        if std::mem::replace(&mut self.remaining[row], false) {
            for change in &self.changes[row] {
                self.counts[change.what].0 -= usize::from(change.raises);
                self.counts[change.what].1 -= usize::from(change.lowers);
                touched.push(change.what);
            }
        }
    }

    /// Removes rows that change a component which is only raised or only lowered.
    fn propagate(&mut self, mut touched: Vec<usize>) {
        while let Some(what) = touched.pop() {
            let (raise, lower) = self.counts[what];
            if (raise == 0) != (lower == 0) {
                for row in std::mem::take(&mut self.changing[what]) {
                    self.remove_row(row, &mut touched);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::{Arc, Domain, Event, Row, Variable};

    fn change(what: usize, delta: i32) -> Change {
        Change {
            what,
            raises: delta > 0,
            lowers: delta < 0,
        }
    }

    #[test]
    fn open_chains_are_removed() {
        // A chain of components, and an event that changes nothing.
        let mut changes: Vec<Vec<Change>> = (0..9)
            .map(|i| vec![change(i, -1), change(i + 1, 1)])
            .collect();
        changes.push(Vec::new());
        let left = Left::new(changes.clone());
        assert_eq!(left.remaining.iter().position(|l| *l), Some(9));
        // A closed ring remains, but a branch of it does not.
        changes.push(vec![change(9, -1), change(0, 1)]);
        changes.push(vec![change(9, -1)]);
        let left = Left::new(changes.clone());
        assert_eq!(left.remaining.iter().filter(|l| **l).count(), 12);
        changes.push(vec![change(4, -1), change(10, 1)]);
        let mut left = Left::new(changes);
        assert!(!left.remaining[12] && left.remaining[..11].iter().all(|l| *l));
        // Opened again, the ring is removed.
        left.remove_rows([3].into_iter());
        assert_eq!(left.remaining.iter().position(|l| *l), Some(9));
    }

    fn table(rows: &[&[Option<(Value, Value)>]]) -> Action {
        Action::Table {
            vars: vec![VarId(0), VarId(1)],
            rows: rows.iter().map(|row| Row::from(*row)).collect(),
        }
    }

    fn rows_left(actions: Vec<Action>) -> Vec<bool> {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            domain: Domain::Range { low: 0, high: 4 },
        };
        let system = System {
            variables: vec![variable("x"), variable("y")],
            events: { actions.into_iter().enumerate() }
                .map(|(i, action)| Event {
                    name: format!("e{i}"),
                    action,
                })
                .collect(),
            initial: vec![vec![0, 0].into()],
            ..System::default()
        };
        Left::new(changes(&system).0).remaining
    }

    #[test]
    fn values_of_tables_act_like_places() {
        // 0 and 1 form a ring, 1 → 2 → 3 leaves it; a row that only tests, and an empty one.
        let ring: &[&[_]] = &[&[Some((0, 1)), None], &[Some((1, 0)), Some((4, 4))]];
        let out: &[&[_]] = &[&[Some((1, 2)), None], &[Some((2, 3)), None]];
        let asks: &[&[_]] = &[&[Some((3, 3)), None], &[None, None]];
        let all = || vec![table(ring), table(out), table(asks)];
        assert_eq!(rows_left(all()), [true, true, false, false, true, true]);
        // The rows of one event are removed one by one.
        let there_and_out: &[&[_]] = &[&[Some((0, 1)), None], &[Some((1, 2)), None]];
        let back: &[&[_]] = &[&[Some((1, 0)), None]];
        let both = vec![table(there_and_out), table(back)];
        assert_eq!(rows_left(both), [true, false, true]);
        // A variable that other events count may take any value again.
        let mut counted = all();
        counted.push(Action::Net(vec![Arc {
            var: VarId(0),
            need: 1,
            delta: -1,
        }]));
        assert_eq!(rows_left(counted), [true; 7]);
    }
}
