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
//! If no event with its top at `k` remains, saturated nodes of this level need no search. This is
//! linear in the arcs for every level and says much of nets: a ring of events is open until the level
//! that closes it. It is weaker than asking for an invariant of transitions, and needs no arithmetic.
//! Tables and programs may raise and lower whatever they write.

use super::steps::Steps;
use lariat_model::order::Level;
use lariat_model::{Action, EventId, System};
use lariat_space::symbolic::Layout;

/// Arcs to be looked at for all levels together; with more, every level may have a cycle.
const MOST: usize = 50_000_000;

/// What an event does to a component.
#[derive(Clone, Copy)]
struct Change {
    level: usize,
    raises: bool,
    lowers: bool,
}

/// For every level: can a cycle have its highest firing there?
pub fn cyclic_levels(system: &System, layout: &Layout, steps: &Steps) -> Vec<bool> {
    let levels = layout.levels();
    let changes: Vec<Vec<Change>> = system.event_ids().map(|e| of(system, layout, e)).collect();
    let arcs: usize = changes.iter().map(|c| c.len() + 1).sum();
    if arcs.saturating_mul(levels) > MOST {
        return vec![true; levels];
    }
    let mut events: Vec<EventId> = Vec::new();
    let mut cyclic = vec![false; levels];
    for level in (0..levels).rev() {
        let own = steps.tops(level as u32);
        if own.is_empty() {
            continue;
        }
        events.extend(own.iter().map(|(_, event)| *event));
        let left = remaining(&changes, &events, levels);
        cyclic[level] = own.iter().any(|(_, event)| left[event.index()]);
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

/// Which of `events` are left in the end.
fn remaining(changes: &[Vec<Change>], events: &[EventId], levels: usize) -> Vec<bool> {
    let mut left = vec![false; changes.len()];
    let mut of_level: Vec<Vec<EventId>> = vec![Vec::new(); levels];
    // How many raise a component, and how many lower it.
    let mut counts = vec![(0usize, 0usize); levels];
    for event in events {
        if !std::mem::replace(&mut left[event.index()], true) {
            for change in &changes[event.index()] {
                of_level[change.level].push(*event);
                counts[change.level].0 += usize::from(change.raises);
                counts[change.level].1 += usize::from(change.lowers);
            }
        }
    }
    let mut todo: Vec<usize> = (0..levels).collect();
    while let Some(level) = todo.pop() {
        if (counts[level].0 == 0) == (counts[level].1 == 0) {
            continue;
        }
        for event in std::mem::take(&mut of_level[level]) {
            if !std::mem::replace(&mut left[event.index()], false) {
                continue;
            }
            for change in &changes[event.index()] {
                counts[change.level].0 -= usize::from(change.raises);
                counts[change.level].1 -= usize::from(change.lowers);
                todo.push(change.level);
            }
        }
    }
    left
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
        let mut events: Vec<EventId> = (0..10).map(EventId).collect();
        let left = remaining(&changes, &events, 10);
        assert_eq!(left.iter().position(|l| *l), Some(9));
        // Closed, it stays, but a branch of it does not.
        changes.push(vec![change(9, -1), change(0, 1)]);
        changes.push(vec![change(9, -1)]);
        events.extend([EventId(10), EventId(11)]);
        let left = remaining(&changes, &events, 10);
        assert_eq!(left.iter().filter(|l| **l).count(), 12);
        changes.push(vec![change(4, -1), change(10, 1)]);
        events.push(EventId(12));
        let left = remaining(&changes, &events, 11);
        assert!(!left[12] && left[..11].iter().all(|l| *l));
    }
}
