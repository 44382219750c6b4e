//! Fairness constraints of a product of single states, as conditional marks or as Streett pairs.
//!
//! A constraint depends only on the state and the event of a step, so the automaton does not encode
//! it. If all are weak and fit beside the automaton's marks, each is a mark:
//!
//! ```text
//! step (s, e) carries mark i   iff   e meets constraint i, or constraint i is not enabled in s
//! ```
//!
//! and every check for marks is exact. Otherwise the constraints are pairs, in any number, for
//! [`streett`](lariat_emptiness::streett): a strong constraint is enabled by its predicate, a weak
//! one in every state. A strongly fair run is weakly fair, so as many constraints as fit are also
//! marks in their weak form: only components that carry all marks are examined.
//!
//! Engines that read only letters get an equivalent problem without fairness
//! ([`FairnessAutomaton`]): its automaton reads enabledness and events and has one mark per weak
//! constraint.
//!
//! The constraints enabled in a state are computed once: eight bytes per state for 64 constraints.

use crate::problem::Problem;
use lariat_automata::{Automaton, Guard, Guards, demanding};
use lariat_budget::{Budget, Lease, Stop};
use lariat_emptiness::{Marks, NodeId, PairSet};
use lariat_model::{Constraint, EventId, Predicate, Proposition, Strength, System};
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable, StepOffset};

#[derive(Debug)]
pub(crate) struct Constraints<'p> {
    list: &'p [Constraint],
    /// The first mark of the constraints, or of the weak forms of as many as fit.
    first_mark: u32,
    /// True if every constraint is a mark. Else they are Streett pairs.
    pub in_marks: bool,
    /// Weak constraints, as bits.
    weak: Vec<u64>,
    /// By event: the constraints that it meets.
    met: Vec<Vec<u32>>,
    /// By event: the constraints that are enabled whenever the event is.
    enabling: Vec<Vec<u32>>,
    /// Constraints whose enabledness is not that of events.
    others: Vec<u32>,
}

impl<'p> Constraints<'p> {
    /// Creates the constraints of a product whose automaton has this number of marks.
    pub fn new(system: &System, list: &'p [Constraint], marks: u32) -> Constraints<'p> {
        let words = list.len().div_ceil(64);
        let mut weak = vec![0; words];
        let events = if list.is_empty() {
            0
        } else {
            system.events.len()
        };
        let mut met = vec![Vec::new(); events];
        let (mut enabling, mut others) = (met.clone(), Vec::new());
        for (i, constraint) in list.iter().enumerate() {
            if constraint.strength == Strength::Weak {
                weak[i / 64] |= 1 << (i % 64);
            }
            for event in &constraint.taken {
                met[event.index()].push(i as u32);
            }
            match &constraint.enabled {
                Predicate::Enabled(events) => {
                    for event in events {
                        enabling[event.index()].push(i as u32);
                    }
                }
                _ => others.push(i as u32),
            }
        }
        let all_weak = list.iter().all(|c| c.strength == Strength::Weak);
        let fits = marks as usize + list.len() <= Marks::MAX as usize;
        Constraints {
            list,
            first_mark: marks,
            in_marks: all_weak && fits,
            weak,
            met,
            enabling,
            others,
        }
    }

    /// Sets the bits of the constraints that are enabled in `state`; `enabled` is 0 before.
    fn enabled_in(
        &self,
        space: &Explicit<'_>,
        states: &mut StateTable,
        state: ExplicitStateId,
        enabled: &mut [u64],
    ) {
        let mut set = |i: u32| enabled[i as usize / 64] |= 1 << (i % 64);
        space.enabled_events(states, state, |event| {
            let enabled = self.enabling[event.index()].iter().copied();
            enabled.for_each(&mut set);
        });
        for i in &self.others {
            if space.holds(states, state, &self.list[*i as usize].enabled) {
                set(*i);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    fn met(&self, event: Option<EventId>) -> &[u32] {
        event.map_or(&[], |event| &self.met[event.index()])
    }

    /// Returns the marks of a step by `event` from a state that enables `enabled`.
    pub fn marks(&self, enabled: &[u64], event: Option<EventId>) -> Marks {
        let Some(enabled) = enabled.first() else {
            return Marks::NONE;
        };
        let marked = self.met(event).iter().filter(|i| **i < Marks::MAX);
        let met = marked.fold(0, |bits, i| bits | 1 << i);
        // The shift drops constraints without a mark.
        let marks = (!enabled | met).checked_shl(self.first_mark).unwrap_or(0);
        Marks(marks).intersection(self.all_marks())
    }

    pub fn all_marks(&self) -> Marks {
        let first = self.first_mark;
        let all = (first as usize + self.list.len()).min(Marks::MAX as usize);
        Marks::all(all as u32).minus(Marks::all(first))
    }

    pub fn enable(&self, enabled: &[u64], pairs: &mut PairSet) {
        let words = pairs.words_mut().iter_mut();
        for ((pairs, enabled), weak) in words.zip(enabled).zip(&self.weak) {
            *pairs |= enabled | weak;
        }
    }

    /// Adds the pairs that a step by `event` meets, from a state that enables `enabled`.
    pub fn meet(&self, enabled: &[u64], event: Option<EventId>, pairs: &mut PairSet) {
        let words = pairs.words_mut().iter_mut();
        for ((pairs, enabled), weak) in words.zip(enabled).zip(&self.weak) {
            *pairs |= !enabled & weak;
        }
        for i in self.met(event) {
            pairs.insert(*i as usize);
        }
    }
}

/// Cache of the constraints enabled in each state, for one worker.
#[derive(Debug, Default)]
pub(crate) struct EnabledCache {
    /// Bits of each state, in as many words as constraints need; valid if the state is in `known`.
    bits: Vec<u64>,
    /// States whose bits are valid.
    known: Vec<u64>,
}

impl EnabledCache {
    /// Returns the constraints enabled in `state`, as bits. Calls `grown` with the bytes before an
    /// array grows.
    pub fn bits(
        &mut self,
        constraints: &Constraints<'_>,
        space: &Explicit<'_>,
        states: &mut StateTable,
        state: ExplicitStateId,
        grown: impl FnOnce(usize) -> Result<(), Stop>,
    ) -> Result<&[u64], Stop> {
        let words = constraints.weak.len();
        let (start, end) = (state.index() * words, (state.index() + 1) * words);
        let (word, bit) = (state.index() / 64, 1 << (state.index() % 64));
        if self.bits.len() < end {
            if self.bits.capacity() < end {
                let larger = end.max(self.bits.capacity() + self.bits.capacity() / 2);
                grown(larger * 9)?;
                self.bits.reserve_exact(larger - self.bits.len());
            }
            self.bits.resize(end, 0);
        }
        if self.known.len() <= word {
            self.known.resize(word + 1, 0);
        }
        if self.known[word] & bit == 0 {
            self.known[word] |= bit;
            constraints.enabled_in(space, states, state, &mut self.bits[start..end]);
        }
        Ok(&self.bits[start..end])
    }
}

/// Round-robin order of steps: a product node begins with the events behind the one by which it was
/// first found. Paths of a depth-first search then resemble runs of a fair scheduler, and most
/// cyclic components soon carry all marks.
#[derive(Debug)]
pub(crate) struct RoundRobin {
    first: Vec<StepOffset>,
    bytes: Lease,
}

impl RoundRobin {
    /// Creates the order in which every node begins with the first event.
    pub fn new(budget: &Budget) -> RoundRobin {
        RoundRobin {
            first: Vec::new(),
            bytes: budget.lease(),
        }
    }

    pub fn first(&self, node: NodeId) -> StepOffset {
        self.first.get(node.index()).copied().unwrap_or_default()
    }

    /// Records the first event of `node` when it is first reached; later calls have no effect, so
    /// that the edges of a node keep their order.
    pub fn reach(&mut self, node: NodeId, turn: impl FnOnce() -> StepOffset) -> Result<(), Stop> {
        let unknown = node.index() + 1;
        if self.first.len() >= unknown {
            return Ok(());
        }
        if self.first.capacity() < unknown {
            let larger = unknown.max(self.first.capacity() + self.first.capacity() / 2);
            self.bytes.resize(larger * size_of::<StepOffset>())?;
            self.first.reserve_exact(larger - self.first.len());
        }
        // Initial nodes begin with the first event.
        self.first.resize(node.index(), StepOffset::default());
        self.first.push(turn());
        Ok(())
    }
}

/// A problem with weak fairness as one without: a larger automaton over more propositions.
#[derive(Debug)]
pub struct FairnessAutomaton<'a> {
    problem: &'a Problem<'a>,
    automaton: Automaton,
    propositions: Vec<Proposition>,
}

impl<'a> FairnessAutomaton<'a> {
    /// Adds the constraints of the problem, all of them weak, to its automaton. Fails with
    /// [`Stop::Unsupported`] if that takes too many atoms or marks.
    pub fn new(problem: &'a Problem<'a>) -> Result<FairnessAutomaton<'a>, Stop> {
        let mut automaton = problem.automaton.clone();
        let mut propositions = problem.propositions.to_vec();
        let mut conditions = Vec::with_capacity(problem.fairness.len());
        for constraint in problem.fairness {
            if constraint.strength != Strength::Weak {
                return Err(Stop::Unsupported(
                    "this engine supports only weak fairness".to_owned(),
                ));
            }
            let [enabled, taken] = constraint.propositions();
            let enabled = atom(&mut automaton, &mut propositions, enabled)?;
            let idle = automaton.guards.not(enabled);
            let taken = atom(&mut automaton, &mut propositions, taken)?;
            conditions.push(automaton.guards.or(idle, taken));
        }
        Ok(FairnessAutomaton {
            problem,
            automaton: demanding(automaton, &conditions)?,
            propositions,
        })
    }

    /// Returns the problem without fairness. Its stutter invariance is unchanged.
    pub fn problem(&self) -> Problem<'_> {
        let mut folded = Problem::new(
            self.problem.system,
            &self.automaton,
            &self.propositions,
            self.problem.deadlock,
        );
        folded.invariance = self.problem.invariance;
        folded.most_tokens = self.problem.most_tokens;
        folded.unread.clone_from(&self.problem.unread);
        folded
    }
}

/// Returns the guard of a proposition, which becomes an atom of the automaton if necessary.
fn atom(
    automaton: &mut Automaton,
    propositions: &mut Vec<Proposition>,
    proposition: Proposition,
) -> Result<Guard, Stop> {
    match &proposition {
        Proposition::Fires(events) if events.is_empty() => return Ok(Guards::FALSE),
        Proposition::State(Predicate::Const(truth)) => {
            return Ok(if *truth { Guards::TRUE } else { Guards::FALSE });
        }
        _ => {}
    }
    if let Some(known) = propositions.iter().position(|p| *p == proposition) {
        return Ok(automaton.guards.atom(known));
    }
    if propositions.len() >= Guards::MAX_ATOMS {
        return Err(Stop::Unsupported(format!(
            "property and fairness together have more than {} atoms; engines on single states support more",
            Guards::MAX_ATOMS
        )));
    }
    propositions.push(proposition);
    Ok(automaton.fresh_atom())
}
