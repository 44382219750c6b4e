//! Distinct names for events that share one.

use lariat_model::{Event, EventId};
use rustc_hash::FxHashMap;

/// Appends `#1`, `#2`, … to names shared by several events; returns these names with the events.
pub(crate) fn number_equal_names(events: &mut [Event]) -> Vec<(String, Vec<EventId>)> {
    let mut shared: FxHashMap<String, Vec<EventId>> = FxHashMap::default();
    for (event, id) in events.iter().zip((0..).map(EventId)) {
        shared.entry(event.name.clone()).or_default().push(id);
    }
    shared.retain(|_, ids| ids.len() > 1);
    for (name, ids) in &shared {
        for (number, id) in (1..).zip(ids) {
            events[id.index()].name = format!("{name}#{number}");
        }
    }
    let mut shared: Vec<_> = shared.into_iter().collect();
    shared.sort_unstable();
    shared
}
