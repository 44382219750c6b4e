//! Several processes on this machine.

use crate::fleet::{Fleet, decide, hopeless, kanban, recurring};
use lariat_budget::{Budget, RunContext};
use lariat_engines::Outcome;
use std::time::Duration;

#[test]
fn processes_answer_several_questions() {
    for processes in [2, 4] {
        let mut fleet = Fleet::new(processes, 1000);
        let budget = Budget::unlimited();
        let count = fleet
            .machines
            .count(&kanban(3), &[], RunContext::quiet(&budget));
        assert_eq!(count.stop, None);
        let states: Vec<u64> = count.workers.iter().map(|w| w.states).collect();
        assert_eq!(states.len(), processes);
        assert_eq!(states.iter().sum::<u64>(), 58_400);
        let (found, account) = decide(&fleet.machines, &kanban(2), &recurring(), &budget);
        assert!(matches!(found, Ok(Outcome::Accepting(lasso)) if lasso.comes_round()));
        assert_eq!(account.workers.len(), processes);
        let (found, _) = decide(&fleet.machines, &kanban(2), &hopeless(), &budget);
        assert_eq!(found, Ok(Outcome::Empty));
        fleet.machines.dismiss();
        assert!(fleet.ends_within(Duration::from_secs(10)));
    }
}
