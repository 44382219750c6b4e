//! Proofs that a net is unbounded: transition sequences that can be repeated indefinitely.
//!
//! If a run of a net leads from a marking `M` to `M' ≥ M`, `M' ≠ M`, the steps between them can be
//! repeated indefinitely, and the places where `M'` has more grow without limit (Karp and Miller,
//! 1969). A net is unbounded iff such a run exists. This is not a decision procedure: random walks,
//! limited by counted work, compare each marking with the earlier ones of the walk. A result is a
//! proof; no result proves nothing. It runs before a symbolic construction is given a large budget,
//! because on an unbounded net no budget suffices.

use super::rehearsal::transitions;
use lariat_budget::{Budget, Stop};
use lariat_model::{Arc, EventId, System, Value, VarId};
use lariat_random::Random;

/// A proof that a net is unbounded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pumping {
    /// From the initial marking, these transitions lead to a marking …
    pub prefix: Vec<EventId>,
    /// … from which these lead to a larger one.
    pub pump: Vec<EventId>,
    /// The places that grow in each repetition.
    pub grows: Vec<VarId>,
}

/// Steps of one walk; longer walks seldom find more.
const STEPS: usize = 400;

/// A fixed seed makes runs reproducible.
const SEED: u64 = 1969;

/// Searches for a pumping sequence with about `work` comparisons of places.
///
/// `None` for systems that are not nets.
pub fn pumping(system: &System, work: u64, budget: &Budget) -> Result<Option<Pumping>, Stop> {
    let (Some(events), Some(initial)) = (transitions(system), system.initial.first()) else {
        return Ok(None);
    };
    if system.fault.is_some() || !system.makes_tokens() {
        return Ok(None);
    }
    let mut random = Random::new(SEED);
    let mut spent = 0u64;
    while spent < work {
        budget.check()?;
        let mut walk = RandomWalk::from(initial);
        while walk.taken.len() < STEPS && spent < work {
            spent += 64 + events.len() as u64;
            let enabled: Vec<u32> = (0..events.len() as u32)
                .filter(|e| is_enabled(events[*e as usize], walk.marking()))
                .collect();
            if enabled.is_empty() {
                break;
            }
            let event = *random.one_of(&enabled);
            if !walk.take(EventId(event), events[event as usize]) {
                break;
            }
            if let Some(since) = walk.smaller(&mut spent) {
                return Ok(Some(walk.pumping(since)));
            }
        }
        if walk.taken.is_empty() {
            break;
        }
    }
    Ok(None)
}

fn is_enabled(arcs: &[Arc], marking: &[Value]) -> bool {
    arcs.iter().all(|a| marking[a.var.index()] >= a.need)
}

struct RandomWalk {
    /// The markings of the walk, each with its number of tokens.
    markings: Vec<(Vec<Value>, i128)>,
    taken: Vec<EventId>,
}

impl RandomWalk {
    fn from(initial: &[Value]) -> RandomWalk {
        let tokens = initial.iter().map(|v| i128::from(*v)).sum();
        RandomWalk {
            markings: vec![(initial.to_vec(), tokens)],
            taken: Vec::new(),
        }
    }

    fn last(&self) -> &(Vec<Value>, i128) {
        &self.markings[self.markings.len() - 1]
    }

    fn marking(&self) -> &[Value] {
        &self.last().0
    }

    /// Takes a step; false if a value would exceed 63 bits.
    fn take(&mut self, event: EventId, arcs: &[Arc]) -> bool {
        let (mut marking, mut tokens) = self.last().clone();
        for arc in arcs {
            let slot = &mut marking[arc.var.index()];
            match slot.checked_add(arc.delta) {
                Some(value) => *slot = value,
                None => return false,
            }
            tokens += i128::from(arc.delta);
        }
        self.markings.push((marking, tokens));
        self.taken.push(event);
        true
    }

    /// The position of an earlier marking that is smaller than the last.
    fn smaller(&self, spent: &mut u64) -> Option<usize> {
        let (last, tokens) = self.last();
        (0..self.taken.len()).rev().find(|i| {
            let (earlier, fewer) = &self.markings[*i];
            *spent += 1;
            fewer < tokens && {
                let same = earlier.iter().zip(last).take_while(|(a, b)| a <= b).count();
                *spent += same as u64;
                same == last.len()
            }
        })
    }

    fn pumping(&self, since: usize) -> Pumping {
        let (before, after) = (&self.markings[since].0, self.marking());
        Pumping {
            prefix: self.taken[..since].to_vec(),
            pump: self.taken[since..].to_vec(),
            grows: (0..after.len() as u32)
                .map(VarId)
                .filter(|var| before[var.index()] < after[var.index()])
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_corpora::each_case;
    use lariat_model::State;
    use lariat_testkit::nets;

    /// A proof can be replayed, and its pump twice.
    #[test]
    fn a_pumping_sequence_pumps() {
        let mut found = 0;
        each_case(2000, |random| {
            let system = nets::any(random);
            let proof = pumping(&system, 20_000, &Budget::unlimited()).unwrap();
            let Some(proof) = proof else { return };
            found += 1;
            let run = |state: State, events: &[EventId]| {
                events.iter().fold(state, |state, event| {
                    system.successors(&state, *event).remove(0)
                })
            };
            let before = run(system.initial[0].clone(), &proof.prefix);
            let once = run(before.clone(), &proof.pump);
            let twice = run(once.clone(), &proof.pump);
            for var in system.var_ids() {
                let grows = proof.grows.contains(&var);
                for (a, b) in [(&before, &once), (&once, &twice)] {
                    let (a, b) = (a[var.index()], b[var.index()]);
                    assert!(if grows { a < b } else { a == b });
                }
            }
        });
        assert!(found > 20, "{found}");
    }
}
