//! The figures of a whole state space modulo symmetries.
//!
//! One state of each orbit is explored, and of events that differ by twins one is taken. Where the symmetries keep the initial marking, all states of an orbit
//! can be reached as soon as one can, and the states are the sum of the sizes of the orbits. That is claimed only if no orbit can have been counted twice: so here the
//! representative is the same for all of an orbit, and where the search for such a one was cut short, the orbits are an upper limit and the states are not known.

use super::{Cursor, Explicit, StateId, States};
use lariat_budget::{Budget, Observer, Progress, Stop};
use lariat_model::{EventId, State};
use lariat_reductions::symmetry::{Representatives, Room, Symmetry, Tokens};

/// What was counted. Lower bounds if the exploration stopped.
#[derive(Clone, Debug, Default)]
pub struct Orbits {
    /// Different orbits; where `states` is not known, some may be counted twice.
    pub orbits: u64,
    /// Steps that were taken from them.
    pub edges: u64,
    /// Orbits of states without a step.
    pub dead: u64,
    /// All states, and those without a step: the sums of the sizes of these orbits. `None` where they are not that, or not known.
    pub states: Option<(u128, u128)>,
    /// Do the symmetries keep the initial marking?
    pub symmetric: bool,
    /// The largest number of tokens seen in one place.
    pub max_tokens_in_place: u64,
    /// The largest number of tokens seen in all places together.
    pub max_tokens: u128,
    /// Bytes held for states and the table that finds them.
    pub bytes: u64,
    /// Why the exploration stopped, if it did not end.
    pub stop: Option<Stop>,
}

fn tokens_of(state: &State) -> Tokens {
    let marked = (0..).zip(state.iter().copied());
    marked.filter(|(_, value)| *value != 0).collect()
}

/// Explores everything reachable modulo the symmetries of a net, breadth first.
pub fn orbits(
    space: &Explicit<'_>,
    symmetry: &Symmetry<'_>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Orbits {
    let canon = Representatives::of_all(symmetry);
    let mut room = Room::default();
    // The orbit of a marking that all symmetries keep has no other member.
    let initial = space.system.initial.iter().map(tokens_of);
    let symmetric = initial.map(|tokens| canon.orbit_size(&mut room, &tokens));
    let symmetric = symmetric.into_iter().all(|size| size == Some(1));
    let mut found = Orbits {
        symmetric,
        states: symmetric.then_some((0, 0)),
        ..Orbits::default()
    };
    let mut states = space.states(budget);
    found.stop = explore(space, &canon, &mut states, &mut found, budget, observer).err();
    found.orbits = states.len() as u64;
    found.bytes = states.bytes();
    found
}

fn explore(
    space: &Explicit<'_>,
    canon: &Representatives<'_, '_>,
    states: &mut States,
    found: &mut Orbits,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(), Stop> {
    let (mut room, mut twins) = (Room::default(), Room::default());
    for initial in &space.system.initial {
        let mut tokens = tokens_of(initial);
        canon.least(&mut room, &mut tokens);
        space.with_tokens(states, &tokens)?;
    }
    let mut next = 0;
    while next < states.len() {
        let state = StateId(next as u32);
        let size = space.with_values(states, state, |tokens, values| {
            canon.find_twins(&mut twins, tokens, |var| values[var.index()]);
            let all: i128 = tokens.iter().map(|(_, value)| i128::from(*value)).sum();
            let most = tokens.iter().map(|(_, value)| *value).max();
            found.max_tokens = found.max_tokens.max(all as u128);
            found.max_tokens_in_place = found.max_tokens_in_place.max(most.unwrap_or(0) as u64);
            found
                .states
                .and_then(|_| canon.orbit_size(&mut room, tokens))
        });
        let mut steps = 0;
        let mut cursor = Cursor::default();
        let events = |states: &mut States, cursor: &mut Cursor| -> Result<Option<EventId>, Stop> {
            Ok(space.next_event(states, state, cursor)?.flatten())
        };
        while let Some(event) = events(states, &mut cursor)? {
            if canon.is_first(&twins, event) {
                space.modulo(states, state, Some(event), |tokens| {
                    canon.least(&mut room, tokens)
                })?;
                steps += 1;
            }
        }
        found.edges += steps;
        found.dead += u64::from(steps == 0);
        found.states = match (found.states, size) {
            (Some((all, dead)), Some(size)) if !room.was_cut() => {
                let dead = dead + if steps == 0 { size } else { 0 };
                all.checked_add(size).map(|all| (all, dead))
            }
            _ => None,
        };
        budget.spend(1)?;
        next += 1;
        if next % 65_536 == 0 {
            observer.progress(Progress {
                phase: "exploring",
                figures: &[(states.len() as u64, "orbits"), (found.edges, "edges")],
            });
        }
    }
    Ok(())
}
