//! Abstraction of a node to the graph of its values at its own level.
//!
//! A cycle of events with top level `k` or below projects to a closed walk on the values of level
//! `k`: the arcs `(i, i')` are the firings at `k`; lower events do not change the value. So on
//! every cycle with a firing at `k`, all its arcs lie in one component of this graph. Only events
//! with exactly this top level are arcs; lower events would be self-loops everywhere.
//!
//! The graph has one node per value and is searched explicitly (Molnár et al. 2016, §6.2). Its arcs
//! are the firings at which the automaton can make an inner move.

use super::search::ValueArc;
use lariat_automata::components;

/// Returns the arcs inside each component that has a recurring arc.
pub fn cyclic(arcs: &[ValueArc]) -> Vec<Vec<ValueArc>> {
    let mut values: Vec<u32> = arcs.iter().flat_map(|arc| [arc.from, arc.to]).collect();
    values.sort_unstable();
    values.dedup();
    let index = |value: u32| values.partition_point(|v| *v < value);
    let mut sorted = arcs.to_vec();
    sorted.sort_unstable_by_key(|arc| arc.from);
    let start = |value: &u32| sorted.partition_point(|arc| arc.from < *value);
    let starts: Vec<usize> = values.iter().map(start).collect();
    let found = components(values.len(), |node, k| {
        let arc = sorted.get(starts[node] + k)?;
        (arc.from == values[node]).then(|| index(arc.to))
    });
    let component = |arc: &ValueArc| {
        let [from, to] = [arc.from, arc.to].map(|value| found.of[index(value)] as usize);
        (from == to).then_some(from)
    };
    let mut groups = vec![Vec::new(); found.count];
    for arc in &sorted {
        if let Some(component) = component(arc) {
            groups[component].push(*arc);
        }
    }
    groups.retain(|arcs| arcs.iter().any(|arc| arc.recurring));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_dd::kernel::ChainId;

    fn arc(from: u32, to: u32, recurring: bool) -> ValueArc {
        ValueArc {
            from,
            to,
            rest: ChainId::END,
            recurring,
        }
    }

    fn ends(arcs: &[ValueArc]) -> Vec<(u32, u32)> {
        let inside = cyclic(arcs);
        inside.iter().flatten().map(|a| (a.from, a.to)).collect()
    }

    #[test]
    fn arcs_of_recurring_components_remain() {
        let round = [arc(7, 3, false), arc(3, 7, true), arc(3, 9, true)];
        assert_eq!(ends(&round), [(3, 7), (7, 3)]);
        assert_eq!(ends(&[arc(1, 2, true), arc(2, 3, true)]), []);
        assert_eq!(ends(&[arc(2, 2, true), arc(4, 4, false)]), [(2, 2)]);
        assert_eq!(ends(&[]), []);
    }
}
