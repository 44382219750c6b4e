//! Levels at which no cycle can fire, by what events do to the components.
//!
//! A cycle in a node of level `k` is made of events with their top at or below `k` and changes no
//! component in the end. So an event that only adds to a component is on no such cycle unless another
//! one of these events takes from it, and the other way round. Events that fail are left out, which
//! makes others fail, until none does:
//!
//! ```text
//! E_k = {ε | top(ε) at or below k}       drop ε while some component is only raised, or only lowered,
//!                                        by what is left of E_k, and ε is one that does
//! ```
//!
//! If no event with its top at `k` remains, saturated nodes of this level need no search. From the top
//! level down the sets only lose events, so all levels together take time linear in the arcs. It says much of
//! nets: a ring of events is open until the level that closes it. It is weaker than asking for an invariant of transitions, and needs no arithmetic.
//! Tables and programs may raise and lower whatever they write.

use super::steps::Steps;
use lariat_model::order::Level;
use lariat_model::{Action, EventId, System};
use lariat_space::symbolic::Layout;

/// What an event does to a component.
#[derive(Clone, Copy)]
struct Change {
    level: usize,
    raises: bool,
    lowers: bool,
}

/// For every level: can a cycle have its highest firing there?
pub fn cyclic_levels(system: &System, layout: &Layout, steps: &Steps) -> Vec<bool> {
    let changes = system.event_ids().map(|e| of(system, layout, e)).collect();
    let mut left = Left::new(changes, layout.levels());
    let mut cyclic = Vec::with_capacity(layout.levels());
    // Rows of a table may have tops on different levels: then there are several chains of one event.
    let mut last = vec![0; system.events.len()];
    for level in 0..layout.levels() {
        for (_, event) in steps.tops(level as u32) {
            last[event.index()] = level;
        }
    }
    for level in 0..layout.levels() {
        let own = steps.tops(level as u32).iter().map(|(_, event)| *event);
        cyclic.push(own.clone().any(|event| left.is[event.index()]));
        left.drop(own.filter(|event| last[event.index()] == level));
    }
    cyclic
}

fn of(system: &System, layout: &Layout, event: EventId) -> Vec<Change> {
    let level = |var| {
        let Level(level) = layout.level(var);
        level as usize
    };
    match &system.event(event).action {
        Action::Net(arcs) => arcs
            .iter()
            .filter(|arc| arc.delta != 0)
            .map(|arc| Change {
                level: level(arc.var),
                raises: arc.delta > 0,
                lowers: arc.delta < 0,
            })
            .collect(),
        action => action
            .writes()
            .into_iter()
            .map(|var| Change {
                level: level(var),
                raises: true,
                lowers: true,
            })
            .collect(),
    }
}

/// The events that are left.
struct Left {
    changes: Vec<Vec<Change>>,
    is: Vec<bool>,
    of_level: Vec<Vec<EventId>>,
    /// For every component how many of them raise it, and how many lower it.
    counts: Vec<(usize, usize)>,
}

impl Left {
    fn new(changes: Vec<Vec<Change>>, levels: usize) -> Left {
        let mut left = Left {
            is: vec![true; changes.len()],
            of_level: vec![Vec::new(); levels],
            counts: vec![(0, 0); levels],
            changes,
        };
        for (event, changes) in left.changes.iter().enumerate() {
            for change in changes {
                left.of_level[change.level].push(EventId(event as u32));
                left.counts[change.level].0 += usize::from(change.raises);
                left.counts[change.level].1 += usize::from(change.lowers);
            }
        }
        left.settle((0..levels).collect());
        left
    }

    /// Leaves out these events, and what fails then.
    fn drop(&mut self, events: impl Iterator<Item = EventId>) {
        let mut touched = Vec::new();
        for event in events {
            self.leave_out(event, &mut touched);
        }
        self.settle(touched);
    }

    fn leave_out(&mut self, event: EventId, touched: &mut Vec<usize>) {
        if std::mem::replace(&mut self.is[event.index()], false) {
            for change in &self.changes[event.index()] {
                self.counts[change.level].0 -= usize::from(change.raises);
                self.counts[change.level].1 -= usize::from(change.lowers);
                touched.push(change.level);
            }
        }
    }

    /// Leaves out what changes one of these components the only way that is left.
    fn settle(&mut self, mut touched: Vec<usize>) {
        while let Some(level) = touched.pop() {
            let (raise, lower) = self.counts[level];
            if (raise == 0) != (lower == 0) {
                for event in std::mem::take(&mut self.of_level[level]) {
                    self.leave_out(event, &mut touched);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(level: usize, delta: i32) -> Change {
        Change {
            level,
            raises: delta > 0,
            lowers: delta < 0,
        }
    }

    #[test]
    fn an_open_chain_comes_undone() {
        // From component to component, and an event that changes nothing.
        let mut changes: Vec<Vec<Change>> = (0..9)
            .map(|i| vec![change(i, -1), change(i + 1, 1)])
            .collect();
        changes.push(Vec::new());
        let left = Left::new(changes.clone(), 10);
        assert_eq!(left.is.iter().position(|l| *l), Some(9));
        // Closed, it stays, but a branch of it does not.
        changes.push(vec![change(9, -1), change(0, 1)]);
        changes.push(vec![change(9, -1)]);
        let left = Left::new(changes.clone(), 10);
        assert_eq!(left.is.iter().filter(|l| **l).count(), 12);
        changes.push(vec![change(4, -1), change(10, 1)]);
        let mut left = Left::new(changes, 11);
        assert!(!left.is[12] && left.is[..11].iter().all(|l| *l));
        // Opened again, it comes undone.
        left.drop([EventId(3)].into_iter());
        assert_eq!(left.is.iter().position(|l| *l), Some(9));
    }
}
