//! Statistics of a state space modulo symmetries.
//!
//! One state of each orbit is explored, and of events that differ by twins one is taken. If the
//! symmetries preserve the initial marking, all states of an orbit are reachable if one is, and the
//! number of states is the sum of the orbit sizes. It is reported only if no orbit can have been
//! counted twice: the representative must be canonical; where the search for one was cut short, the
//! orbits are an upper bound, and the number of states is unknown.

use super::{Explicit, ExplicitStateId, StateTable, StepCursor};
use lariat_budget::{Progress, RunContext, Stop};
use lariat_model::State;
use lariat_reductions::symmetry::{CanonScratch, Representatives, Symmetry, Tokens};

/// Statistics of the quotient; lower bounds if `stop` is set.
#[derive(Clone, Debug, Default)]
pub struct Orbits {
    /// Distinct orbits; where `states` is `None`, some may be counted twice.
    pub orbits: u64,
    /// Steps taken from them.
    pub edges: u64,
    /// Orbits of states without an outgoing step.
    pub dead: u64,
    /// All states, and those without an outgoing step: the sums of the sizes of these orbits.
    /// `None` where the sums differ from that, or are unknown.
    pub states: Option<(u128, u128)>,
    /// True if the symmetries preserve the initial marking.
    pub symmetric: bool,
    /// Maximal number of tokens in one place.
    pub max_tokens_in_place: u64,
    /// Maximal number of tokens in all places together.
    pub max_tokens: u128,
    /// Bytes held for states and their hash table.
    pub bytes: u64,
    /// The limit that stopped the exploration; `None` if it is complete.
    pub stop: Option<Stop>,
}

fn tokens_of(state: &State) -> Tokens {
    let marked = (0..).zip(state.iter().copied());
    marked.filter(|(_, value)| *value != 0).collect()
}

/// Explores all reachable states modulo the symmetries of a net, breadth first.
pub fn orbits(space: &Explicit<'_>, symmetry: &Symmetry<'_>, ctx: RunContext<'_>) -> Orbits {
    let canon = Representatives::of_all(symmetry);
    let mut room = CanonScratch::under(ctx.budget);
    // The orbit of a marking that all symmetries preserve has no other member.
    let initial = space.system.initial.iter().map(tokens_of);
    let symmetric = initial.map(|tokens| canon.orbit_size(&mut room, &tokens));
    let symmetric = symmetric.into_iter().all(|size| size == Some(1));
    let mut found = Orbits {
        symmetric,
        states: symmetric.then_some((0, 0)),
        ..Orbits::default()
    };
    let mut states = space.states(ctx.budget);
    found.stop = explore(space, &canon, &mut states, &mut found, ctx).err();
    found.orbits = states.len() as u64;
    found.bytes = states.bytes();
    found
}

fn explore(
    space: &Explicit<'_>,
    canon: &Representatives<'_, '_>,
    states: &mut StateTable,
    found: &mut Orbits,
    ctx: RunContext<'_>,
) -> Result<(), Stop> {
    let (mut room, mut twins) = (CanonScratch::under(ctx.budget), CanonScratch::default());
    for initial in &space.system.initial {
        let mut tokens = tokens_of(initial);
        canon.least(&mut room, &mut tokens);
        space.with_tokens(states, &tokens)?;
    }
    let mut next = 0;
    while next < states.len() {
        let state = ExplicitStateId(next as u32);
        let size = space.with_values(states, state, |tokens, values| {
            canon.find_twins(&mut twins, tokens, |var| values[var.index()]);
            let all: i128 = tokens.iter().map(|(_, value)| i128::from(*value)).sum();
            let most = tokens.iter().map(|(_, value)| *value).max();
            found.max_tokens = found.max_tokens.max(all as u128);
            found.max_tokens_in_place = found.max_tokens_in_place.max(most.unwrap_or(0) as u64);
            let orbit_size = |_| canon.orbit_size(&mut room, tokens);
            found.states.and_then(orbit_size)
        });
        let mut steps = 0;
        let mut cursor = StepCursor::default();
        while let Some(event) = space.next_event(states, state, &mut cursor)?.flatten() {
            if canon.is_first(&twins, event) {
                space.quotient(states, state, Some(event), |tokens| {
                    canon.least(&mut room, tokens)
                })?;
                ctx.budget.check()?;
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
        ctx.budget.spend(1)?;
        next += 1;
        if next % 65_536 == 0 {
            ctx.observer.progress(Progress::new(
                "exploring",
                &[(states.len() as u64, "orbits"), (found.edges, "edges")],
            ));
        }
    }
    Ok(())
}
