//! Small nets for the tests of this crate.

use lariat_model::{Action, Arc, Domain, Event, System, Value, VarId, Variable};

/// Builds a net from its tokens and its transitions: places from which each takes and to which it
/// adds a token.
pub(crate) fn net(tokens: &[Value], transitions: &[(&[u32], &[u32])]) -> System {
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
            action: Action::Net((0..tokens.len() as u32).filter_map(arc).collect()),
        }
    };
    let variable = |i: usize| Variable {
        name: format!("p{i}"),
        domain: Domain::Count { bound: None },
    };
    System {
        initial: vec![tokens.into()],
        variables: (0..tokens.len()).map(variable).collect(),
        events: transitions.iter().enumerate().map(event).collect(),
        ..System::default()
    }
}
