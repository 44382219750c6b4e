//! Moves the loop of a run closer to its start.
//!
//! A search reports a loop when it closes it, often long after the same events could first have
//! been fired in a loop: the effect of a loop is zero wherever and in whatever order it is fired.
//! From each state of the prefix, starting with the first, the events of the loop are fired as they
//! become enabled, in cyclic order. If all can be fired, they form a loop; if the automaton accepts
//! the run, it is shorter. In nets without choice among these events the order does not matter (J.
//! Desel, J. Esparza, *Free choice Petri nets*, 1995, on occurrences of T-invariants); elsewhere
//! this is a heuristic.

use super::slice::{FiringDirection, arcs, fire, fired, transitions};
use super::word::AutomatonRun;
use crate::problem::Problem;
use lariat_budget::Budget;
use lariat_model::{EventId, Lasso, System, Value};

/// Limit on the visits of events and word positions spent on attempts.
const MOST_VISITS: usize = 1 << 22;

/// Returns an accepted run whose loop consists of the same events and begins earlier.
pub(super) fn earlier(problem: &Problem<'_>, lasso: &Lasso, budget: &Budget) -> Option<Lasso> {
    let system = problem.system;
    // Cost of copying and evaluating a state, in visits of events.
    let state = 1 + system.variables.len() / 16 + problem.fairness.len();
    let prefix = transitions(system, &lasso.prefix)?;
    let cycle = transitions(system, &lasso.cycle)?;
    let mut values = lasso.initial.clone();
    let mut reading = AutomatonRun::new(problem);
    let mut visits = 0;
    for (i, (event, step)) in prefix.iter().zip(&lasso.prefix).enumerate() {
        if let Some(order) = closed(system, &mut values, &cycle, &mut visits) {
            let cycle = fired(system, &values, &order)?;
            if reading.accepts_loop(&values, &cycle, budget) {
                return Some(Lasso {
                    initial: lasso.initial.clone(),
                    prefix: lasso.prefix[..i].to_vec(),
                    cycle,
                    growth: None,
                });
            }
            visits += cycle.len().saturating_mul(state);
        }
        visits += state;
        if visits > MOST_VISITS || budget.check().is_err() {
            return None;
        }
        reading.read(&values, step);
        fire(system, &mut values, *event, FiringDirection::Forth);
    }
    None
}

/// Returns an order in which all events can be fired; it leads back to `values`.
fn closed(
    system: &System,
    values: &mut [Value],
    events: &[EventId],
    visits: &mut usize,
) -> Option<Vec<EventId>> {
    let mut waiting = events.to_vec();
    let mut order = Vec::with_capacity(events.len());
    loop {
        let before = waiting.len();
        *visits += before + 1;
        waiting.retain(|event| {
            let mut arcs = arcs(system, *event).unwrap_or_default().iter();
            let enabled = arcs.all(|arc| values[arc.var.index()] >= arc.need);
            if enabled {
                fire(system, values, *event, FiringDirection::Forth);
                order.push(*event);
            }
            !enabled
        });
        if waiting.is_empty() {
            return Some(order);
        }
        if waiting.len() == before || *visits > MOST_VISITS {
            for event in order.iter().rev() {
                fire(system, values, *event, FiringDirection::Back);
            }
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::slice::testing::{asks, events, net, run};
    use super::*;
    use lariat_automata::Automaton;
    use lariat_model::Deadlock;

    /// Two tokens on a ring of four places: each round moves both once around the ring.
    #[test]
    fn a_loop_begins_in_the_initial_state() {
        let ring: &[(&[u32], &[u32])] = &[(&[0], &[1]), (&[1], &[2]), (&[2], &[3]), (&[3], &[0])];
        let system = net(&[1, 0, 1, 0], ring);
        let (automaton, asked) = (Automaton::universal(), asks(0));
        let problem = Problem::new(&system, &automaton, &asked, Deadlock::Ignore);
        let lasso = run(&system, &[0, 2, 1, 3, 2], &[0, 3, 1, 2]);
        let found = earlier(&problem, &lasso, &Budget::unlimited()).unwrap();
        assert!(found.prefix.is_empty());
        assert!(found.comes_round());
        let mut fired = events(&found.cycle);
        fired.sort_unstable();
        assert_eq!(fired, [0, 1, 2, 3]);
    }

    /// A prefix has no loop: it ends as soon as the automaton accepts every continuation.
    #[test]
    fn a_prefix_ends_when_it_decides() {
        let system = net(&[1, 0], &[(&[0], &[1]), (&[1], &[0])]);
        let (automaton, asked) = (Automaton::universal(), asks(0));
        let mut problem = Problem::new(&system, &automaton, &asked, Deadlock::Stutter);
        let mut lasso = run(&system, &[0, 1, 0], &[1, 0]);
        lasso.cycle.clear();
        let earlier = |problem: &Problem<'_>| earlier(problem, &lasso, &Budget::unlimited());
        problem.prefixes = false;
        assert_eq!(earlier(&problem), None);
        problem.prefixes = true;
        assert_eq!(earlier(&problem).map(|run| run.prefix.len()), Some(0));
    }
}
