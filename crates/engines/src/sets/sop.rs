//! SOP: the symbolic observation product, whose observed alphabet shrinks along automaton edges.
//!
//! FV(q) are the propositions on edges reachable from `q`, the only ones that can still matter. The
//! set of a node `(q,a)` is homogeneous and closed with respect to FV(q) only.
//!
//! ```text
//! (q,a), l = λ(a)|FV(q), for q –f,ac→ d with l ⊨ f and N = Succ(a) \ a:
//!     –ac→ (d, close({t ∈ N | λ(t)|FV(d) = m}, m))      for every label m over FV(d) in N
//!     –ac→ (d, ⟨div, l|FV(d)⟩)                          if a has a cycle
//! (q,⟨div,l⟩) –ac→ (d, ⟨div, l|FV(d)⟩)
//! ```
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Combining explicit and symbolic
//! approaches for better on-the-fly LTL model checking*, CoRR abs/1106.5700, Def. 6. Deviation:
//! Theorem 2 there holds only if the language of *every automaton state* is stutter-invariant, not
//! just that of the property. Nodes carry the mask of observed atoms, which shrinks only on
//! entering states with known invariance (`Invariance::states`). If all states have it, this is the
//! published product; if none has it, the product with the [SOG](super::sog).
//!
//! With events, aggregates are those of the refined event graph; the mask contains the observed
//! events.
//!
//! Cost: one closure per part of the successors of a node, on demand, and one divergence test per
//! closed aggregate. Equal aggregates of different automaton states share both.

use super::operators::SymbolicProblem;
use super::product::{Aggregate, EdgePassage, SetProduct};
use super::search;
use super::walk::divergent_run;
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use crate::problem::Invariance;
use lariat_automata::{Automaton, Cube, Guard, Letter, StateId};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::Strength;
use lariat_parallel::{OnceMap, Outside};
use lariat_space::symbolic::Set;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Symbolic observation product.
pub const SOP: Engine = Engine {
    id: EngineId::Sop,
    automata: &[AutomatonKind::Tgba],
    checks: |_| Emptiness::OF_SETS,
    needs: Needs::StateStuttering,
    fairness: |_| Some(Strength::Weak),
    has_published: true,
    procedure: Procedure::Sets(|task, sets| {
        let product = sop(sets, task.problem.invariance)?;
        search(task, sets, product)
    }),
};

/// The kinds of aggregates that are built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grain {
    /// Closed aggregates.
    Closed,
    /// Entry sets and closed interiors: exact with events.
    Refined,
}

impl Grain {
    /// Returns the shape of nodes entered from nodes of another label.
    fn entered(self) -> Shape {
        match self {
            Grain::Closed => Shape::Closed,
            Grain::Refined => Shape::Entry,
        }
    }
}

/// The meaning of a node's set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    /// Closed under silent steps of its label.
    Closed,
    /// Not closed.
    Entry,
    /// Closed, and reached by at least one silent step.
    Inner,
    /// Empty: the node represents an infinite silent run.
    Divergent,
}

/// Observation of a node; inclusion is tested only between nodes with equal observation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Observation {
    shape: Shape,
    /// The observed atoms.
    mask: u64,
    /// The observed atoms that hold in its states.
    label: u64,
}

/// The steps out of an aggregate with a common letter.
#[derive(Clone, Debug)]
struct Exit {
    /// The event atoms of the letter.
    bits: u64,
    targets: Set,
    /// The shape of the nodes made of the targets.
    shape: Shape,
}

/// A successor of a node before its closure.
#[derive(Clone, Debug)]
struct Successor {
    bits: u64,
    part: Set,
    becomes: Observation,
}

/// Numbers of observations, shared by all builders.
#[derive(Default)]
struct Kinds {
    list: Vec<Observation>,
    ids: FxHashMap<Observation, u32>,
}

/// The product. Clones, one per builder, share their memo tables: the builders and the check
/// compute different groups of the same nodes.
#[derive(Clone)]
pub struct Sop {
    automaton: Arc<Automaton>,
    grain: Grain,
    /// By automaton state: FV if its language is known to be stutter-invariant, else all atoms.
    free: Vec<u64>,
    kinds: Arc<Mutex<Kinds>>,
    plans: OnceMap<Aggregate, Arc<[Successor]>>,
    exits: OnceMap<(Set, Observation), Arc<[Exit]>>,
    closed: OnceMap<(Set, u64), Set>,
    divergent: OnceMap<(Set, u64), bool>,
}

impl Sop {
    /// Creates the product; the mask shrinks on entering states for which `known` holds.
    pub fn new(
        sets: &SymbolicProblem<'_, '_>,
        grain: Grain,
        known: impl Fn(StateId) -> bool,
    ) -> Sop {
        let automaton = sets.automaton();
        let free = automaton.state_ids().map(|q| {
            if known(q) {
                automaton.free_atoms(q)
            } else {
                u64::MAX
            }
        });
        let free = free.collect();
        Sop {
            automaton,
            grain,
            free,
            kinds: Arc::default(),
            plans: OnceMap::default(),
            exits: OnceMap::default(),
            closed: OnceMap::default(),
            divergent: OnceMap::default(),
        }
    }

    fn kinds(&self) -> MutexGuard<'_, Kinds> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kind(&self, observed: Observation) -> u32 {
        let Kinds { list, ids } = &mut *self.kinds();
        *ids.entry(observed).or_insert_with(|| {
            list.push(observed);
            list.len() as u32 - 1
        })
    }

    fn observation(&self, node: &Aggregate) -> Observation {
        self.kinds().list[node.kind as usize]
    }

    /// Returns the shape of a node and the observed atoms that hold in its states.
    pub(super) fn observed(&self, node: &Aggregate) -> (Shape, u64) {
        let Observation { shape, label, .. } = self.observation(node);
        (shape, label)
    }

    /// Returns the letters of silent steps: no event of the mask.
    fn silent(&self, sets: &mut SymbolicProblem<'_, '_>, mask: u64) -> Guard {
        self.event(sets, mask, 0)
    }

    /// Returns the letters whose event atoms in the mask are `bits`.
    fn event(&self, sets: &mut SymbolicProblem<'_, '_>, mask: u64, bits: u64) -> Guard {
        let events = sets.alphabet().event_atoms() & mask;
        sets.guards.cube(Cube {
            positive: bits,
            negative: events & !bits,
        })
    }

    /// Returns the letters whose state atoms in the mask are `label`.
    fn labelled(&self, sets: &mut SymbolicProblem<'_, '_>, mask: u64, label: u64) -> Guard {
        let atoms = sets.alphabet().state_atoms() & mask;
        sets.guards.cube(Cube {
            positive: label & atoms,
            negative: atoms & !label,
        })
    }

    fn close(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        part: &Set,
        becomes: Observation,
    ) -> Result<Set, Stop> {
        let Observation { shape, mask, label } = becomes;
        if shape == Shape::Entry {
            return Ok(part.clone());
        }
        let budget = sets.space.budget();
        self.closed
            .get(Outside::of_thread(&budget), &(part.clone(), mask), || {
                let (silent, label) = (self.silent(sets, mask), self.labelled(sets, mask, label));
                sets.close_into(part, silent, label)
            })
    }

    fn diverges(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        set: &Set,
        mask: u64,
    ) -> Result<bool, Stop> {
        let budget = sets.space.budget();
        let key = (set.clone(), mask);
        self.divergent.get(Outside::of_thread(&budget), &key, || {
            let silent = self.silent(sets, mask);
            Ok(!sets.divergent(set, silent)?.is_empty())
        })
    }

    /// Returns the steps out of an aggregate by letter; no set of targets is empty.
    fn exits(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        set: &Set,
        observed: Observation,
    ) -> Result<Arc<[Exit]>, Stop> {
        let Observation { shape, mask, label } = observed;
        let mut exits = Vec::new();
        let mut add = |bits, targets: Set, shape| {
            if !targets.is_empty() {
                exits.push(Exit {
                    bits,
                    targets,
                    shape,
                });
            }
        };
        let silent = self.silent(sets, mask);
        let next = sets.post(set, silent)?;
        let entered = self.grain.entered();
        if shape == Shape::Closed {
            add(0, sets.space.store().difference(&next, set)?, entered);
        } else {
            let same = self.labelled(sets, mask, label);
            let same = sets.condition(same)?;
            let same = sets.filter(&next, &same)?;
            add(0, sets.space.store().difference(&next, &same)?, entered);
            if shape == Shape::Entry {
                add(0, same, Shape::Inner);
            }
        }
        let alphabet = sets.alphabet();
        let seen = |class| alphabet.letter(class).0 & mask;
        let mut events: Vec<u64> = alphabet.classes().map(seen).collect();
        events.sort_unstable();
        events.dedup();
        for bits in events.into_iter().filter(|bits| *bits != 0) {
            let letters = self.event(sets, mask, bits);
            add(bits, sets.post(set, letters)?, entered);
        }
        Ok(exits.into())
    }

    /// Returns all successors of a node before their closure.
    fn plan(
        &self,
        sets: &mut SymbolicProblem<'_, '_>,
        node: &Aggregate,
    ) -> Result<Arc<[Successor]>, Stop> {
        let budget = sets.space.budget();
        self.plans.get(Outside::of_thread(&budget), node, || {
            let observed = self.observation(node);
            let mut plan = Vec::new();
            let key = (node.set.clone(), observed);
            let find = || self.exits(sets, &node.set, observed);
            let outside = Outside::of_thread(&budget);
            for exit in self.exits.get(outside, &key, find)?.iter() {
                let letter = observed.label | exit.bits;
                for mask in self.masks(sets, node.location, observed.mask, letter) {
                    for (label, part) in sets.parts(&exit.targets, mask)? {
                        plan.push(Successor {
                            bits: exit.bits,
                            part,
                            becomes: Observation {
                                shape: exit.shape,
                                mask,
                                label: label.0,
                            },
                        });
                    }
                }
            }
            Ok(plan.into())
        })
    }

    /// Returns the distinct masks after the automaton reads a letter in `location`.
    fn masks(
        &self,
        sets: &SymbolicProblem<'_, '_>,
        location: StateId,
        mask: u64,
        letter: u64,
    ) -> Vec<u64> {
        let reading = self.reading(sets, location, letter);
        let mut masks: Vec<u64> = reading
            .map(|(_, to)| self.free[to.index()] & mask)
            .collect();
        masks.sort_unstable();
        masks.dedup();
        masks
    }

    fn reading<'s>(
        &'s self,
        sets: &'s SymbolicProblem<'_, '_>,
        location: StateId,
        letter: u64,
    ) -> impl Iterator<Item = (Marks, StateId)> + 's {
        let transitions = self.automaton.transitions(location).iter();
        transitions
            .filter(move |t| sets.guards.accepts(t.guard, Letter(letter)))
            .map(|t| (t.marks, t.to))
    }

    fn divergent_edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        location: StateId,
        mask: u64,
        label: u64,
    ) -> Vec<(Marks, Aggregate)> {
        let moves: Vec<_> = self.reading(sets, location, label).collect();
        let set = sets.space.empty();
        let edge = |(marks, to): (Marks, StateId)| {
            let mask = self.free[to.index()] & mask;
            let kind = self.kind(Observation {
                shape: Shape::Divergent,
                mask,
                label: label & mask,
            });
            let node = Aggregate {
                location: to,
                kind,
                set: set.clone(),
            };
            (marks, node)
        };
        moves.into_iter().map(edge).collect()
    }
}

/// Creates the product, whose mask shrinks where the known invariance allows it. The published
/// variant supports no events and requires known invariance of all automaton states.
pub fn sop(sets: &SymbolicProblem<'_, '_>, invariance: Invariance<'_>) -> Result<Sop, Stop> {
    let states = sets.automaton().state_ids().count();
    let all = invariance.states.len() == states && invariance.states.iter().all(|known| *known);
    if sets.published && (sets.reads_events() || !all) {
        return Err(Stop::Unsupported(
            "the published observation product needs a property of states, and every state of its automaton to be stutter-invariant"
                .to_owned(),
        ));
    }
    if !invariance.letters {
        return Err(Stop::Unsupported(
            "the observation product needs a stutter-invariant property".to_owned(),
        ));
    }
    let grain = if sets.reads_events() {
        Grain::Refined
    } else {
        Grain::Closed
    };
    let known = |q: StateId| invariance.states.get(q.index()).is_some_and(|known| *known);
    Ok(Sop::new(sets, grain, known))
}

impl SetProduct for Sop {
    fn marks(&self) -> Marks {
        self.automaton.all_marks()
    }

    fn initial(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        k: usize,
    ) -> Result<Option<Vec<Aggregate>>, Stop> {
        let Some(&location) = self.automaton.initial.get(k) else {
            return Ok(None);
        };
        // Atoms that occur on no edge are not observed.
        let mask = self.free[location.index()] & self.automaton.support();
        let shape = self.grain.entered();
        let all = sets.space.initial()?;
        let mut nodes = Vec::new();
        for (label, part) in sets.parts(&all, mask)? {
            let label = label.0;
            let becomes = Observation { shape, mask, label };
            let set = self.close(sets, &part, becomes)?;
            let kind = self.kind(becomes);
            nodes.push(Aggregate {
                location,
                kind,
                set,
            });
        }
        Ok(Some(nodes))
    }

    fn edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        let Observation { shape, mask, label } = self.observation(from);
        if shape == Shape::Divergent {
            return Ok((k == 0).then(|| self.divergent_edges(sets, from.location, mask, label)));
        }
        let Some(k) = k.checked_sub(1) else {
            let divergent = self.divergent_edges(sets, from.location, mask, label);
            let can_diverge = shape != Shape::Entry && !divergent.is_empty();
            let diverges = can_diverge && self.diverges(sets, &from.set, mask)?;
            return Ok(Some(if diverges { divergent } else { Vec::new() }));
        };
        let plan = self.plan(sets, from)?;
        let Some(next) = plan.get(k) else {
            return Ok(None);
        };
        let set = self.close(sets, &next.part, next.becomes)?;
        let kind = self.kind(next.becomes);
        let moves = self.reading(sets, from.location, label | next.bits);
        let fitting = moves.filter(|(_, to)| self.free[to.index()] & mask == next.becomes.mask);
        let edge = |(marks, location)| {
            let set = set.clone();
            let node = Aggregate {
                location,
                kind,
                set,
            };
            (marks, node)
        };
        Ok(Some(fitting.map(edge).collect()))
    }

    fn start(&mut self, sets: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> Option<Guard> {
        let Observation { shape, mask, .. } = self.observation(node);
        (shape == Shape::Closed).then(|| self.silent(sets, mask))
    }

    fn passage(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<EdgePassage, Stop> {
        let mask = self.observation(from).mask;
        let Some(k) = k.checked_sub(1) else {
            let silent = self.silent(sets, mask);
            let divergent = sets.divergent(&from.set, silent)?;
            return divergent_run(sets, &divergent, silent).map(EdgePassage::End);
        };
        let next = self.plan(sets, from)?[k].clone();
        let inside = next.becomes.shape != Shape::Entry;
        Ok(EdgePassage::Step {
            guard: self.event(sets, mask, next.bits),
            through: inside.then(|| self.silent(sets, next.becomes.mask)),
        })
    }
}
