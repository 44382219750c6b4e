//! Small nets for the tests of this crate.

use lariat_model::{Action, Arc, Domain, Event, System, Value, VarId, Variable};

/// Builds a net from its transitions: places from which each takes and to which it adds a token.
pub(crate) fn net(places: u32, transitions: &[(&[u32], &[u32])]) -> System {
    let event = |(i, (takes, puts)): (usize, &(&[u32], &[u32]))| {
        let arc = |place: u32| {
            let count = |all: &[u32]| all.iter().filter(|p| **p == place).count() as Value;
            let (need, put) = (count(takes), count(puts));
            (need + put > 0).then_some(Arc {
                var: VarId(place),
                need,
                delta: put - need,
            })
        };
        Event {
            name: format!("t{i}"),
            action: Action::Net((0..places).filter_map(arc).collect()),
        }
    };
    System {
        initial: vec![(0..places).map(|_| 0).collect()],
        variables: (0..places)
            .map(|i| Variable {
                name: format!("p{i}"),
                domain: Domain::Count { bound: None },
            })
            .collect(),
        events: transitions.iter().enumerate().map(event).collect(),
        ..System::default()
    }
}
