//! Rehearsals: smaller problems that reveal the cost of a variable order.
//!
//! No static score predicts which order a system needs, and neither does the beginning of a
//! saturation, whose last level may be as much work as all others. A *smaller system of the same
//! shape* does: the better of two orders mostly is better there already. A net is made smaller in
//! one of three ways, none of which changes places or arcs:
//!
//! - **fewer tokens**, where places hold many: `M'(p) = ⌈M(p)·t/max M⌉` for `t = 2, 4, 8 …`;
//! - **fewer components**, where some are alike: a process without its token never starts, a
//!   resource without its token is never available. In the relaxed net that never consumes tokens,
//!   the *kind* of a marked place is the number of transitions that are dead without it: kinds are
//!   thinned out evenly, and only those whose loss is a small part of the net;
//! - **fewer transitions**, where neither is possible: those that can fire early. With the *depth*
//!   of a transition in the relaxed net,
//!
//! ```text
//! depth(p) = 0                                     if M(p) > 0
//!          = min { depth(t) | t puts tokens on p }  otherwise
//! depth(t) = 1 + max { depth(p) | t needs tokens on p }
//! ```
//!
//! the transitions up to a depth have a part of the behaviour that is closed under predecessors. A
//! transition without depth never fires.
//!
//! Rehearsals come in increasing size; the growth from one to the next is known only when it is
//! tried. Making them takes time linear in the arcs per layer of depth.

use lariat_model::{Action, Arc, EventId, State, System};

/// A smaller problem over the same variables.
pub(super) struct Rehearsal {
    pub(super) initial: Vec<State>,
    pub(super) events: Vec<EventId>,
}

/// Average number of tokens in marked places from which rehearsals have fewer tokens.
const MANY_TOKENS: i128 = 4;

/// Number of removable components from which rehearsals have fewer components.
const ALIKE: usize = 4;

/// A component has at most one in this many transitions.
const SMALL_PART: usize = 4;

/// Limit on the arcs visited in the search for components.
const FINDING: usize = 1 << 25;

/// Rehearsals with fewer transitions start with one in this many, and grow by at least one in this
/// many.
const PART: usize = 8;

/// Maximal number of layers of depth.
const LAYERS: u32 = 256;

/// Rehearsals of `system`, in increasing size; none for systems that are not nets.
pub(super) fn rehearsals(system: &System) -> Vec<Rehearsal> {
    let Some(nets) = transitions(system) else {
        return Vec::new();
    };
    let marked = || system.initial.iter().flatten().filter(|m| **m > 0);
    let all: i128 = marked().map(|m| i128::from(*m)).sum();
    match marked().max() {
        Some(most) if all >= MANY_TOKENS * marked().count() as i128 => fewer_tokens(system, *most),
        _ => fewer_components(system, &nets).unwrap_or_else(|| fewer_events(system, &nets)),
    }
}

/// The arcs of every event; `None` if one is not a net transition.
pub(super) fn transitions(system: &System) -> Option<Vec<&[Arc]>> {
    let arcs = system.events.iter().map(|event| match &event.action {
        Action::Net(arcs) => Some(&arcs[..]),
        _ => None,
    });
    arcs.collect()
}

fn fewer_tokens(system: &System, most: i64) -> Vec<Rehearsal> {
    let events: Vec<EventId> = system.event_ids().collect();
    let scaled = |tokens: i64| {
        let scale = |value: &i64| {
            let all = i128::from((*value).max(0)) * i128::from(tokens);
            let share = (all + i128::from(most) - 1) / i128::from(most);
            i64::try_from(share).unwrap_or(*value)
        };
        let initial = system.initial.iter();
        Rehearsal {
            initial: initial.map(|s| s.iter().map(scale).collect()).collect(),
            events: events.clone(),
        }
    };
    let sizes = std::iter::successors(Some(2i64), |t| t.checked_mul(2));
    sizes.take_while(|t| *t < most).map(scaled).collect()
}

/// Rehearsals with fewer components, if enough components are alike.
fn fewer_components(system: &System, nets: &[&[Arc]]) -> Option<Vec<Rehearsal>> {
    let [initial] = &system.initial[..] else {
        return None;
    };
    let marked: Vec<usize> = (0..initial.len()).filter(|p| initial[*p] > 0).collect();
    let arcs: usize = nets.iter().map(|arcs| arcs.len()).sum();
    let pairs = marked.len().saturating_mul(marked.len());
    if pairs.saturating_mul(arcs) > FINDING {
        return None;
    }
    let without = |gone: &[usize]| {
        let mut state = initial.clone();
        gone.iter().for_each(|place| state[*place] = 0);
        state
    };
    let possible = |state: &State| {
        let depths = depths(std::slice::from_ref(state), nets);
        depths.iter().flatten().count()
    };
    let all = possible(initial);
    // The marked places of one kind, by their loss.
    let mut kinds: Vec<(usize, Vec<usize>)> = Vec::new();
    for place in marked {
        let loss = all - possible(&without(&[place]));
        match kinds.iter_mut().find(|kind| kind.0 == loss) {
            _ if loss == 0 || loss > all / SMALL_PART => {}
            Some(kind) => kind.1.push(place),
            None => kinds.push((loss, vec![place])),
        }
    }
    let mut gone: Vec<usize> = Vec::new();
    // Number of places removed up to each component.
    let mut ends = Vec::new();
    while let Some((_, places)) = kinds.iter_mut().max_by_key(|kind| kind.1.len())
        && let [_, _, ..] = places[..]
        && let Some(place) = places.pop()
    {
        gone.push(place);
        let left = possible(&without(&gone));
        let end = gone.len();
        for (_, places) in &mut kinds {
            let loss = |place: &usize| {
                let more = [&gone[..end], &[*place]].concat();
                left - possible(&without(&more))
            };
            let losses: Vec<usize> = places.iter().map(loss).collect();
            let most = losses.iter().copied().max().unwrap_or(0);
            // Places of the same component are no longer like the others of their kind.
            let (alike, others): (Vec<_>, Vec<_>) = std::mem::take(places)
                .into_iter()
                .zip(losses)
                .partition(|(_, loss)| *loss == most && most > 0);
            *places = alike.into_iter().map(|(place, _)| place).collect();
            gone.extend(others.into_iter().map(|(place, _)| place));
        }
        ends.push(gone.len());
    }
    let events: Vec<EventId> = system.event_ids().collect();
    let rehearsal = |end: &usize| Rehearsal {
        initial: vec![without(&gone[..*end])],
        events: events.clone(),
    };
    (ends.len() >= ALIKE).then(|| ends.iter().rev().map(rehearsal).collect())
}

fn fewer_events(system: &System, nets: &[&[Arc]]) -> Vec<Rehearsal> {
    let depths = depths(&system.initial, nets);
    let possible = depths.iter().filter(|d| d.is_some()).count();
    let deepest = depths.iter().flatten().copied().max().unwrap_or(0);
    let mut all: Vec<Rehearsal> = Vec::new();
    let mut wanted = possible / PART;
    for depth in 1..deepest {
        let soon = |d: &Option<u32>| d.is_some_and(|d| d <= depth);
        if depths.iter().filter(|d| soon(d)).count() < wanted.max(2) {
            continue;
        }
        let early = system.event_ids().zip(&depths).filter(|(_, d)| soon(d));
        let events: Vec<EventId> = early.map(|(event, _)| event).collect();
        wanted = events.len() + events.len() / PART + 1;
        all.push(Rehearsal {
            initial: system.initial.clone(),
            events,
        });
    }
    all
}

/// The depth of every event that can fire.
fn depths(initial: &[State], nets: &[&[Arc]]) -> Vec<Option<u32>> {
    let mut places: Vec<Option<u32>> = vec![None; initial.first().map_or(0, |state| state.len())];
    for state in initial {
        for (place, tokens) in places.iter_mut().zip(state) {
            if *tokens > 0 {
                *place = Some(0);
            }
        }
    }
    let mut depths = vec![None; nets.len()];
    for depth in 1..=LAYERS {
        let ready = |arcs: &[Arc]| {
            let mut needed = arcs.iter().filter(|arc| arc.need > 0);
            needed.all(|arc| places[arc.var.index()].is_some())
        };
        let layer: Vec<usize> = (0..nets.len())
            .filter(|e| depths[*e].is_none() && ready(nets[*e]))
            .collect();
        if layer.is_empty() {
            break;
        }
        for event in layer {
            depths[event] = Some(depth);
            for arc in nets[event].iter().filter(|arc| arc.delta > 0) {
                places[arc.var.index()].get_or_insert(depth);
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_model::generate::{Family, generate};

    #[test]
    fn markings_are_scaled_and_never_emptied() {
        let system = generate(Family::Kanban, 100).unwrap();
        let all = rehearsals(&system);
        let most = |r: &Rehearsal| r.initial.iter().flatten().copied().max();
        let sizes: Vec<_> = all.iter().filter_map(most).collect();
        assert_eq!(sizes, [2, 4, 8, 16, 32, 64]);
        for rehearsal in &all {
            let (small, full) = (&rehearsal.initial[0], &system.initial[0]);
            assert!(small.iter().zip(full).all(|(s, f)| (*s == 0) == (*f == 0)));
            assert_eq!(rehearsal.events.len(), system.events.len());
        }
    }

    #[test]
    fn components_that_look_alike_are_thinned_out() {
        let system = generate(Family::Philosophers, 8).unwrap();
        let all = rehearsals(&system);
        assert!(all.len() >= ALIKE);
        let marked = |r: &Rehearsal| r.initial[0].iter().filter(|m| **m > 0).count();
        for (less, more) in all.iter().zip(&all[1..]) {
            assert!(marked(less) < marked(more));
        }
        assert!(all.iter().all(|r| r.events.len() == system.events.len()));
        let full = system.initial[0].iter().filter(|m| **m > 0).count();
        assert!(all.last().is_some_and(|r| marked(r) < full));
    }

    #[test]
    fn shallow_transitions_come_first() {
        let system = generate(Family::SlottedRing, 10).unwrap();
        let all = fewer_events(&system, &transitions(&system).unwrap());
        assert!(!all.is_empty());
        for (less, more) in all.iter().zip(&all[1..]) {
            assert!(less.events.iter().all(|e| more.events.contains(e)));
            assert!(less.events.len() < more.events.len());
        }
        let most = all.last().map_or(0, |r| r.events.len());
        assert!(most < system.events.len());
    }
}
