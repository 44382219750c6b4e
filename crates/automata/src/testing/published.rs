//! Testing automata as published, for comparison.
//!
//! ```text
//! (q, k) –k⊕k',m→ (d, k')   iff   q –K,m→ d,   k ∈ K,   any k'                       (Prop. 2, 4)
//! TA:    (q, k) is a livelock state iff an accepting component of A|k is reachable
//!        from q in A|k                                                               (Prop. 3)
//! TGTA:  (q, k) is a livelock state iff q lies in an accepting component of A|k, and
//!        every edge into a pair that reaches such states has a copy to each of them  (Prop. 5)
//! ```
//!
//! Edges without change are removed and bisimilar states merged; there is no further reduction.
//! Initial states are copied like targets of edges: otherwise the word that never changes would be
//! lost. An automaton without marks gets one first (E-7), and the two steps to a TA are combined
//! (E-8); both as in [`Ta`](super::Ta) and [`Tgta`](super::Tgta), because the automata would be
//! wrong otherwise.
//!
//! A.-E. Ben Salem, A. Duret-Lutz, F. Kordon, *Model checking using generalized testing automata*,
//! ToPNoC VI, 2012.

use super::pairs::StateLetterPairs;
use super::{Testing, TestingState, reduce};
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{GuardMap, Guards};
use lariat_budget::{Budget, Stop};

/// Construction of livelock states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LivelockConstruction {
    /// All pairs that reach an accepting component are livelock states.
    Reaching,
    /// Pairs in an accepting component are livelock states; edges into other pairs are copied.
    Copied,
}

/// The testing automaton of `a`, which has marks.
pub(super) fn published(
    a: &Automaton,
    livelocks: LivelockConstruction,
    budget: &Budget,
) -> Result<Testing, Stop> {
    let pairs = StateLetterPairs::try_new(a)?;
    let mut guards = Guards::new();
    let mut states = Vec::with_capacity(pairs.count());
    let mut lease = budget.lease();
    let mut edges = 0;
    // Targets of an edge into a pair: the pair and the copies.
    let targets: Vec<Vec<u32>> = (0..pairs.count())
        .map(|pair| {
            let mut targets = vec![pair as u32];
            if livelocks == LivelockConstruction::Copied {
                targets.extend(pairs.accepting_behind(pair));
                targets.sort_unstable();
                targets.dedup();
            }
            targets
        })
        .collect();
    for pair in 0..pairs.count() {
        budget.check()?;
        lease.resize(edges * size_of::<Transition>())?;
        let mut to = GuardMap::new();
        for (change, marks, target) in pairs.changes_of(pair) {
            let cube = pairs.exactly(change, &mut guards);
            for target in &targets[target] {
                to.add((StateId(*target), marks), cube, &mut guards);
            }
        }
        let changes = to.edges();
        edges += changes.len();
        states.push(TestingState {
            livelock: match livelocks {
                LivelockConstruction::Reaching => pairs.reaches(pair),
                LivelockConstruction::Copied => pairs.accepts(pair),
            },
            changes,
        });
    }
    let mut initial = GuardMap::new();
    for (letter, pair) in pairs.initial() {
        let cube = pairs.exactly(letter, &mut guards);
        for target in &targets[pair] {
            initial.add(StateId(*target), cube, &mut guards);
        }
    }
    let mut testing = Testing {
        atoms: a.atoms.clone(),
        observed: pairs.observed(),
        guards,
        mark_count: a.mark_count,
        initial: initial.sorted(),
        states,
    };
    reduce::bisimilar(&mut testing, budget)?;
    Ok(testing)
}
