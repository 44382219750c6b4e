//! Random programs and tables: the explicit space compared with the reference semantics of the
//! system.

use lariat_budget::Budget;
use lariat_corpora::each_case;
use lariat_model::{Deadlock, Predicate, State};
use lariat_space::explicit::{Explicit, StepCursor};
use lariat_testkit::programs;

#[test]
fn the_explicit_space_is_the_reference_graph() {
    each_case(4000, |random| {
        // Half of the systems are known to have steps; the others are arbitrary.
        let system = if random.coin() {
            programs::random(random, 400)
        } else {
            programs::any(random)
        };
        let space = Explicit::new(&system, Deadlock::Ignore);
        let mut states = space.states(&Budget::unlimited());
        let mut ids = vec![space.initial(&mut states, 0).unwrap().unwrap()];
        let mut next = 0;
        while next < ids.len() && next < 500 {
            let from = ids[next];
            next += 1;
            let values = states.get(from);
            let mut cursor = StepCursor::default();
            let mut found: Vec<(u32, State)> = Vec::new();
            while let Some((event, to)) = space.next(&mut states, from, &mut cursor).unwrap() {
                found.push((event.expect("no stuttering").0, states.get(to)));
                if to.index() == ids.len() {
                    ids.push(to);
                }
            }
            let mut wanted: Vec<(u32, State)> = system
                .event_ids()
                .flat_map(|e| {
                    let successors = system.successors(&values, e);
                    successors.into_iter().map(move |to| (e.0, to))
                })
                .collect();
            assert_eq!(
                space.holds(&mut states, from, &Predicate::Deadlock),
                system.is_deadlock(&values),
                "from {values:?}: {system:#?}"
            );
            for event in system.event_ids() {
                let enabled = Predicate::Enabled(vec![event]);
                assert_eq!(
                    space.holds(&mut states, from, &enabled),
                    system.is_enabled(&values, event),
                    "from {values:?}: {system:#?}"
                );
            }
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "from {values:?}: {system:#?}");
        }
    });
}
