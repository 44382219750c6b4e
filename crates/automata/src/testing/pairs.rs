//! Pairs of states and letters, merged by equivalence.
//!
//! The first step to a testing automaton moves letters from edges to states:
//!
//! ```text
//! (q, k) –k⊕k',m→ (d, k')   iff   q –K,m→ d,   k ∈ K,   any k'
//! ```
//!
//! (Prop. 2 and 4 of Ben Salem, Duret-Lutz and Kordon). The stuttering subgraph, k' = k, splits
//! into one graph per letter, A|k: the automaton on the edges that read k. It determines which
//! states stutter in an accepting component, and which can reach one. Afterwards, edges without
//! change are not needed: a word of a stutter-invariant language is accepted with its repetitions
//! removed, and then no such edge is taken before the last letter repeats forever.
//!
//! Pairs are then merged by partition refinement: two are equivalent if they agree about stuttering
//! and lead, by equal changes with equal marks, to equivalent pairs. There are many pairs (states ×
//! 2^atoms), so the edges of each are stored as a function from changes to sets of classes
//! (`trie.rs`). Cost per round: about states × 2^atoms × edges of a state, in shared diagrams.

use super::trie::{Trie, Tries};
use super::{Testing, TestingState, submasks};
use crate::automaton::{Automaton, StateId, Transition};
use crate::cube::Cube;
use crate::guard::{Guard, GuardMap, Guards, Letter};
use crate::scc::accepting_components;
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;

/// Maximum number of pairs times letters; larger testing automata are impractical.
const MOST_WORK: usize = 1 << 21;

/// Facts about the states in the stuttering subgraph of one letter.
#[derive(Clone, Debug)]
struct Stuttering {
    /// States in an accepting component.
    accepting: Vec<bool>,
    /// States that can reach an accepting component, or lie in one.
    reaching: Vec<bool>,
}

/// Facts on which equivalent pairs agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PairEquivalence {
    /// Whether staying indefinitely is accepted.
    Staying,
    /// Also whether finite stuttering can collect all marks.
    Returning,
}

/// The merged automaton.
pub(super) struct Merged {
    /// With `livelock` true for all states where staying indefinitely is accepted.
    pub testing: Testing,
    /// For every state, under [`PairEquivalence::Returning`]: whether a run that stutters there can
    /// return after collecting all marks.
    pub returns: Vec<bool>,
}

/// Pairs the states of `a` with letters and merges equivalent pairs.
///
/// `a` must have a mark: without marks every run would accept, including one that stays in a state
/// that cannot stutter (E-7).
pub(super) fn merged_pairs(
    a: &Automaton,
    alike: PairEquivalence,
    budget: &Budget,
) -> Result<Merged, Stop> {
    let pairs = StateLetterPairs::try_new(a)?;
    let mut lease = budget.lease();
    let (mut class, mut classes) = pairs.first_partition(alike);
    loop {
        let (signatures, tries) = pairs.signatures(&class, budget, &mut lease)?;
        let mut ids: FxHashMap<(u32, &Signature), u32> = FxHashMap::default();
        let refined: Vec<u32> = signatures
            .iter()
            .zip(&class)
            .map(|(signature, old)| {
                let next = ids.len() as u32;
                *ids.entry((*old, signature)).or_insert(next)
            })
            .collect();
        let stable = ids.len() == classes;
        classes = ids.len();
        if stable {
            return Ok(pairs.quotient(&class, classes, &signatures, &tries));
        }
        class = refined;
    }
}

/// The pairs of an automaton, by numbers.
pub(super) struct StateLetterPairs<'a> {
    automaton: &'a Automaton,
    observed: u64,
    bits: u32,
    letters: Vec<Letter>,
    /// For every letter an index into `facts`.
    fact_of: Vec<usize>,
    facts: Vec<Stuttering>,
    /// Pairs that trivially accept nothing.
    dead: Vec<bool>,
}

/// The edges of a pair, by marks.
type Signature = Vec<(Marks, Trie)>;

impl<'a> StateLetterPairs<'a> {
    /// The pairs of `a`, unless there are too many.
    pub fn try_new(a: &'a Automaton) -> Result<StateLetterPairs<'a>, Stop> {
        debug_assert!(a.mark_count > 0);
        let edges = a.states.iter().flatten();
        let observed = edges.fold(0, |mask, t| mask | a.guards.support(t.guard));
        let bits = observed.count_ones();
        let work = 1usize
            .checked_shl(2 * bits)
            .and_then(|w| w.checked_mul(a.states.len()));
        if bits > 12 || work.is_none_or(|w| w > MOST_WORK) {
            let size = a.states.len();
            return Err(Stop::Unsupported(format!(
                "a testing automaton over {bits} atoms would be too large for this automaton of {size} states"
            )));
        }
        let letters: Vec<Letter> = submasks(observed).collect();
        let mut known: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        let mut facts = Vec::new();
        let fact_of = |&letter: &Letter| {
            let all = a.states.iter().flatten();
            let enabled = all.map(|t| a.guards.accepts(t.guard, letter)).collect();
            *known.entry(enabled).or_insert_with(|| {
                facts.push(stuttering(a, letter));
                facts.len() - 1
            })
        };
        let fact_of = letters.iter().map(fact_of).collect();
        let mut pairs = StateLetterPairs {
            automaton: a,
            observed,
            bits,
            letters,
            fact_of,
            facts,
            dead: Vec::new(),
        };
        pairs.dead = pairs.dead_pairs();
        Ok(pairs)
    }

    /// Number of pairs.
    pub fn count(&self) -> usize {
        self.letters.len() * self.automaton.states.len()
    }

    /// The observed atoms, as bits.
    pub fn observed(&self) -> u64 {
        self.observed
    }

    /// The letter, by number, and the state of a pair.
    fn parts(&self, pair: usize) -> (usize, usize) {
        let states = self.automaton.states.len();
        (pair / states, pair % states)
    }

    /// Returns whether the pair is in an accepting component of its stuttering subgraph.
    pub fn accepts(&self, pair: usize) -> bool {
        let (l, q) = self.parts(pair);
        self.facts(l).accepting[q]
    }

    /// Returns whether such a component is reachable by stuttering.
    pub fn reaches(&self, pair: usize) -> bool {
        let (l, q) = self.parts(pair);
        self.facts(l).reaching[q]
    }

    /// The pairs in such components that are reachable by stuttering.
    pub fn accepting_behind(&self, pair: usize) -> Vec<u32> {
        let (l, q) = self.parts(pair);
        let mut seen = vec![false; self.automaton.states.len()];
        let mut todo = vec![q];
        while let Some(q) = todo.pop() {
            if !std::mem::replace(&mut seen[q], true) {
                let reading = self.automaton.reading(StateId(q as u32), self.letters[l]);
                todo.extend(reading.map(|t| t.to.index()));
            }
        }
        let accepting = |q: &usize| seen[*q] && self.facts(l).accepting[*q];
        let behind = (0..seen.len()).filter(accepting);
        behind.map(|q| self.index(l, q) as u32).collect()
    }

    /// The edges of a pair with a change: the number of the change, the marks, the target.
    pub fn changes_of(&self, pair: usize) -> impl Iterator<Item = (usize, Marks, usize)> + '_ {
        let (l, q) = self.parts(pair);
        let reading = self.automaton.reading(StateId(q as u32), self.letters[l]);
        reading.flat_map(move |t| {
            let others = (0..self.letters.len()).filter(move |other| *other != l);
            others.map(move |other| (l ^ other, t.marks, self.index(other, t.to.index())))
        })
    }

    /// The initial pairs, with the number of the first letter.
    pub fn initial(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.letters.len()).flat_map(move |l| {
            let initial = self.automaton.initial.iter();
            initial.map(move |q| (l, self.index(l, q.index())))
        })
    }

    /// The guard of exactly this letter or change, given by its number.
    pub fn exactly(&self, number: usize, guards: &mut Guards) -> Guard {
        self.cube(self.letters.len() - 1, number, guards)
    }

    fn index(&self, letter: usize, q: usize) -> usize {
        letter * self.automaton.states.len() + q
    }

    fn facts(&self, letter: usize) -> &Stuttering {
        &self.facts[self.fact_of[letter]]
    }

    /// Pairs without an infinite run: no edge reads the letter, or all edges lead to such pairs.
    fn dead_pairs(&self) -> Vec<bool> {
        let states = self.automaton.states.len();
        let mut dead = vec![false; states * self.letters.len()];
        // For every state the number of letters with which it is not dead.
        let mut alive = vec![self.letters.len(); states];
        loop {
            let mut changed = false;
            for (l, &letter) in self.letters.iter().enumerate() {
                for q in 0..states {
                    let pair = self.index(l, q);
                    let enters = |d: usize| alive[d] > 1 || alive[d] == 1 && dead[self.index(l, d)];
                    let mut reading = self.automaton.reading(StateId(q as u32), letter);
                    if !dead[pair]
                        && !self.facts(l).reaching[q]
                        && !reading.any(|t| enters(t.to.index()))
                    {
                        dead[pair] = true;
                        alive[q] -= 1;
                        changed = true;
                    }
                }
            }
            if !changed {
                return dead;
            }
        }
    }

    /// The partition of the pairs by their stuttering facts.
    fn first_partition(&self, alike: PairEquivalence) -> (Vec<u32>, usize) {
        let mut class = Vec::with_capacity(self.dead.len());
        let mut ids: FxHashMap<(bool, bool), u32> = FxHashMap::default();
        for l in 0..self.letters.len() {
            let facts = self.facts(l);
            for q in 0..self.automaton.states.len() {
                let next = ids.len() as u32;
                let returns = alike == PairEquivalence::Returning && facts.accepting[q];
                let key = (returns, facts.reaching[q]);
                class.push(*ids.entry(key).or_insert(next));
            }
        }
        (class, ids.len())
    }

    /// The edges of every pair to the classes of a partition.
    fn signatures(
        &self,
        class: &[u32],
        budget: &Budget,
        lease: &mut lariat_budget::Lease,
    ) -> Result<(Vec<Signature>, Tries), Stop> {
        let states = self.automaton.states.len();
        let mut tries = Tries::new(self.bits);
        let entering: Vec<Trie> = (0..states)
            .map(|d| {
                let sets = (0..self.letters.len()).map(|l| {
                    let pair = self.index(l, d);
                    let live = !self.dead[pair];
                    live.then(|| class[pair]).into_iter().collect()
                });
                tries.function(sets.collect())
            })
            .collect();
        let mut signatures = Vec::with_capacity(class.len());
        for (l, &letter) in self.letters.iter().enumerate() {
            budget.check()?;
            lease.resize(tries.bytes() + signatures.len() * 48)?;
            for q in 0..states {
                let mut signature: Signature = Vec::new();
                for t in self.automaton.reading(StateId(q as u32), letter) {
                    let there = tries.flip(entering[t.to.index()], l);
                    match signature.iter_mut().find(|(marks, _)| *marks == t.marks) {
                        Some((_, f)) => *f = tries.union(*f, there),
                        None => signature.push((t.marks, there)),
                    }
                }
                for (_, f) in &mut signature {
                    *f = tries.without_zero(*f);
                }
                signature.sort_unstable();
                signatures.push(signature);
            }
        }
        Ok((signatures, tries))
    }

    /// The automaton of the classes.
    fn quotient(
        &self,
        class: &[u32],
        classes: usize,
        signatures: &[Signature],
        tries: &Tries,
    ) -> Merged {
        let mut guards = Guards::new();
        let mut states = vec![None; classes];
        let mut returns = vec![false; classes];
        for (pair, signature) in signatures.iter().enumerate() {
            let slot = &mut states[class[pair] as usize];
            if slot.is_some() {
                continue;
            }
            let (l, q) = self.parts(pair);
            returns[class[pair] as usize] = self.facts(l).accepting[q];
            *slot = Some(TestingState {
                livelock: self.facts(l).reaching[q],
                changes: self.changes(signature, tries, &mut guards),
            });
        }
        let mut initial = GuardMap::new();
        for (l, pair) in self.initial().filter(|(_, pair)| !self.dead[*pair]) {
            let cube = self.exactly(l, &mut guards);
            initial.add(StateId(class[pair]), cube, &mut guards);
        }
        let testing = Testing {
            atoms: self.automaton.atoms.clone(),
            observed: self.observed,
            guards,
            mark_count: self.automaton.mark_count,
            initial: initial.sorted(),
            states: states.into_iter().flatten().collect(),
        };
        Merged { testing, returns }
    }

    fn changes(
        &self,
        signature: &Signature,
        tries: &Tries,
        guards: &mut Guards,
    ) -> Vec<Transition> {
        let mut changes = GuardMap::new();
        for &(marks, f) in signature {
            tries.paths(f, &mut |asked, values, set| {
                if set.is_empty() {
                    return;
                }
                let cube = self.cube(asked, values, guards);
                for &c in set {
                    changes.add((StateId(c), marks), cube, guards);
                }
            });
        }
        changes.edges()
    }

    /// The letters that agree with `values` on the atoms numbered in `asked`.
    fn cube(&self, asked: usize, values: usize, guards: &mut Guards) -> Guard {
        // Letter numbers are sets of observed atoms, so they also denote letters.
        let positive = self.letters[values].0;
        let negative = self.letters[asked & !values].0;
        guards.cube(Cube { positive, negative })
    }
}

/// The facts about A|letter.
fn stuttering(a: &Automaton, letter: Letter) -> Stuttering {
    let out = |q| {
        let reading = a.reading(q, letter);
        reading.map(|t| (t.to.index(), t.marks)).collect()
    };
    let edges: Vec<Vec<(usize, Marks)>> = a.state_ids().map(out).collect();
    let (scc, good) = accepting_components(&edges, a.all_marks());
    let accepting: Vec<bool> = scc.of.iter().map(|c| good[*c as usize]).collect();
    // Components are in reverse topological order.
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|n| scc.of[*n]);
    let mut reach = good;
    for n in order {
        if edges[n].iter().any(|e| reach[scc.of[e.0] as usize]) {
            reach[scc.of[n] as usize] = true;
        }
    }
    let reaching = scc.of.iter().map(|c| reach[*c as usize]).collect();
    Stuttering {
        accepting,
        reaching,
    }
}
