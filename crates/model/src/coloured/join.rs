//! Enumeration of the bindings of a transition by joining the colours available on its input arcs.
//!
//! Bottom-up evaluation as in deductive databases (semi-naive: Bancilhon, Ramakrishnan, *An
//! amateur's introduction to recursive query processing strategies*, SIGMOD 1986). A place is a
//! relation over leaves, whose tuples are the colours that may be marked; an input arc
//! `⟨x, y++, 3⟩` is an atom in the body of a rule. When a colour becomes known, every atom that it
//! matches is bound to it, and the others are joined one after the other — the most constrained
//! first, each through an index over its components that are bound by then. Equations of the guard
//! bind leaves too, leaves that nothing else binds range over all values, and the guard is
//! evaluated as soon as it can be false. The bound leaves at each step depend only on the starting
//! atom, so each start has one precomputed plan.
//!
//! Atoms are *necessary* conditions: of a set in a component only one member is required, and at
//! most [`ATOMS`] per transition are used. The unfolding checks the rest.

use lariat_budget::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::{CompiledTransition, OPEN, TermValue, TupleComponent, leaf_values};

/// Limit on the atoms joined per transition.
const ATOMS: usize = 16;

/// The colours that may be marked, by place.
#[derive(Default)]
pub(super) struct MarkableColours {
    relations: Vec<ColourRelation>,
    indexes: Vec<JoinIndex>,
}

/// The known colours of a place.
pub(super) struct ColourRelation {
    sizes: Vec<u32>,
    /// The leaves of the active colours, consecutively.
    values: Vec<u32>,
    /// All known colours, active or not yet.
    pub known: FxHashSet<u64>,
    indexes: Vec<usize>,
}

/// An index of the colours of a place by some of their components.
struct JoinIndex {
    place: usize,
    components: Vec<usize>,
    /// By value of the components: the row numbers.
    rows: FxHashMap<u64, Vec<u32>>,
}

impl MarkableColours {
    /// Adds a place whose leaves have these sizes.
    pub fn add_place(&mut self, sizes: Vec<u32>) {
        self.relations.push(ColourRelation {
            sizes,
            values: Vec::new(),
            known: FxHashSet::default(),
            indexes: Vec::new(),
        });
    }

    pub fn relation(&self, place: usize) -> &ColourRelation {
        &self.relations[place]
    }

    /// Adds a known colour; returns whether it is new.
    pub fn learn(&mut self, place: usize, colour: u64) -> bool {
        self.relations[place].known.insert(colour)
    }

    /// Bytes for each further colour of a place.
    pub fn bytes_per_colour(&self, place: usize) -> usize {
        let relation = &self.relations[place];
        32 + 4 * relation.sizes.len() + 16 * relation.indexes.len()
    }

    /// Adds a known colour to the relation and its indexes; returns its leaves.
    pub fn activate(&mut self, place: usize, colour: u64) -> Vec<u32> {
        let relation = &mut self.relations[place];
        let width = relation.sizes.len();
        let row = relation.values.len().checked_div(width).unwrap_or(0) as u32;
        leaf_values(&relation.sizes, colour, &mut relation.values);
        let leaves = relation.values[relation.values.len() - width..].to_vec();
        for index in &relation.indexes {
            let index = &mut self.indexes[*index];
            let key = key(
                &relation.sizes,
                index.components.iter().map(|c| (*c, leaves[*c])),
            );
            index.rows.entry(key).or_default().push(row);
        }
        leaves
    }

    fn index(&mut self, place: usize, components: Vec<usize>) -> usize {
        let mut of_place = self.relations[place].indexes.iter().copied();
        let known = of_place.find(|index| self.indexes[*index].components == components);
        known.unwrap_or_else(|| {
            self.indexes.push(JoinIndex {
                place,
                components,
                rows: FxHashMap::default(),
            });
            self.relations[place].indexes.push(self.indexes.len() - 1);
            self.indexes.len() - 1
        })
    }
}

fn key(sizes: &[u32], components: impl Iterator<Item = (usize, u32)>) -> u64 {
    components.fold(0, |key, (component, value)| {
        key * u64::from(sizes[component]) + u64::from(value)
    })
}

/// A colour required by a binding.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct JoinAtom {
    pub place: usize,
    slots: Vec<TermValue>,
}

enum Step {
    /// Tests that a colour whose leaves are all bound is known.
    Known { place: usize, slots: Vec<TermValue> },
    /// Ranges over the colours that agree in the components of the index.
    Join {
        place: usize,
        index: usize,
        slots: Vec<TermValue>,
    },
    /// Computes a leaf by an equation of the guard.
    Solve { slot: TermValue, from: TermValue },
    /// Ranges over all values of a leaf.
    Every { leaf: usize, size: u32 },
}

struct Stage {
    step: Step,
    binds: Vec<usize>,
    /// True if the guard depends on these leaves.
    guarded: bool,
}

/// The steps that complete a binding, from one atom or from nothing.
pub(super) struct JoinPlan {
    /// The atom that is initially bound to a colour.
    pub start: Option<JoinAtom>,
    stages: Vec<Stage>,
}

/// The distinct atoms of a transition with variables, or else one ground atom.
fn atoms(rule: &CompiledTransition) -> Vec<JoinAtom> {
    let mut with_leaves = Vec::new();
    let mut ground = None;
    let mut seen = FxHashSet::default();
    for sum in &rule.inputs {
        // Subtraction may cancel a colour, so that it is not necessary.
        if sum.summands.iter().any(|summand| summand.factor < 0) {
            continue;
        }
        for summand in &sum.summands {
            let slot = |part: &TupleComponent| match part {
                TupleComponent::One(slot) => *slot,
                TupleComponent::Every(_) => TermValue::Constant(0),
                TupleComponent::Members(members) => {
                    TermValue::Constant(members.first().copied().unwrap_or(0))
                }
            };
            let atom = JoinAtom {
                place: sum.place,
                slots: summand.parts.iter().map(slot).collect(),
            };
            if atom.slots.iter().all(|slot| slot.leaf().is_none()) {
                ground.get_or_insert(atom);
            } else if with_leaves.len() < ATOMS && seen.insert(atom.clone()) {
                with_leaves.push(atom);
            }
        }
    }
    if with_leaves.is_empty() {
        with_leaves.extend(ground);
    }
    with_leaves
}

/// One plan per starting atom; a plan without start if there are no atoms.
pub(super) fn plans(rule: &CompiledTransition, facts: &mut MarkableColours) -> Vec<JoinPlan> {
    let atoms = atoms(rule);
    if atoms.is_empty() {
        return vec![plan(rule, facts, &atoms, None)];
    }
    (0..atoms.len())
        .map(|start| plan(rule, facts, &atoms, Some(start)))
        .collect()
}

fn plan(
    rule: &CompiledTransition,
    facts: &mut MarkableColours,
    atoms: &[JoinAtom],
    start: Option<usize>,
) -> JoinPlan {
    let mut bound = vec![false; rule.leaves.len()];
    let mut of_guard = Vec::new();
    rule.guard.leaves(&mut of_guard);
    let mut in_guard = vec![false; rule.leaves.len()];
    of_guard.iter().for_each(|leaf| in_guard[*leaf] = true);
    let mut equations = Vec::new();
    rule.guard.equations(&mut equations);
    let mut waiting: Vec<&JoinAtom> = Vec::new();
    for (i, atom) in atoms.iter().enumerate() {
        if Some(i) == start {
            atom.slots
                .iter()
                .filter_map(|s| s.leaf())
                .for_each(|leaf| bound[leaf] = true);
        } else {
            waiting.push(atom);
        }
    }
    let mut stages = Vec::new();
    let mut next_open = 0;
    loop {
        let is_bound = |slot: &TermValue| slot.leaf().is_none_or(|leaf| bound[leaf]);
        let solvable =
            equations
                .iter()
                .find_map(|(left, right)| match (is_bound(left), is_bound(right)) {
                    (false, true) => Some((*left, *right)),
                    (true, false) => Some((*right, *left)),
                    _ => None,
                });
        let step = if let Some((slot, from)) = solvable {
            Step::Solve { slot, from }
        } else if let Some(best) = (0..waiting.len()).min_by_key(|i| {
            // Fewest open components; among these, most components.
            let open = waiting[*i]
                .slots
                .iter()
                .filter(|slot| !is_bound(slot))
                .count();
            (open, usize::MAX - waiting[*i].slots.len())
        }) {
            let atom = waiting.remove(best);
            let (place, slots) = (atom.place, atom.slots.clone());
            let components: Vec<usize> =
                (0..slots.len()).filter(|i| is_bound(&slots[*i])).collect();
            if components.len() == slots.len() {
                Step::Known { place, slots }
            } else {
                let index = facts.index(place, components);
                Step::Join {
                    place,
                    index,
                    slots,
                }
            }
        } else {
            while next_open < bound.len() && bound[next_open] {
                next_open += 1;
            }
            let Some(size) = rule.leaves.get(next_open) else {
                break;
            };
            Step::Every {
                leaf: next_open,
                size: *size,
            }
        };
        let mut binds: Vec<usize> = match &step {
            Step::Known { .. } => Vec::new(),
            Step::Join { slots, .. } => slots.iter().filter_map(|slot| slot.leaf()).collect(),
            Step::Solve { slot, .. } => slot.leaf().into_iter().collect(),
            Step::Every { leaf, .. } => vec![*leaf],
        };
        binds.retain(|leaf| !bound[*leaf]);
        binds.sort_unstable();
        binds.dedup();
        binds.iter().for_each(|leaf| bound[*leaf] = true);
        let guarded = binds.iter().any(|leaf| in_guard[*leaf]);
        stages.push(Stage {
            step,
            binds,
            guarded,
        });
    }
    JoinPlan {
        start: start.map(|start| atoms[start].clone()),
        stages,
    }
}

/// Matches slots with values, binding open leaves; returns whether all agree.
fn unify(slots: &[TermValue], values: &[u32], binding: &mut [u32]) -> bool {
    slots
        .iter()
        .zip(values)
        .all(|(slot, value)| match slot.leaf() {
            None => slot.value(binding) == *value,
            Some(leaf) if binding[leaf] == OPEN => {
                binding[leaf] = slot.solve(*value);
                true
            }
            Some(_) => slot.value(binding) == *value,
        })
}

/// The position among the alternatives of a step.
struct Cursor<'f> {
    rows: &'f [u32],
    at: usize,
}

/// Calls `each` with every complete binding of the rule that matches this colour with the plan's
/// starting atom and whose other atoms are known.
pub(super) fn search(
    rule: &CompiledTransition,
    plan: &JoinPlan,
    facts: &MarkableColours,
    colour: &[u32],
    budget: &Budget,
    each: &mut dyn FnMut(&[u32]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut binding = vec![OPEN; rule.leaves.len()];
    if let Some(start) = &plan.start
        && !unify(&start.slots, colour, &mut binding)
    {
        return Ok(());
    }
    if rule.guard.evaluate(&binding) == Some(false) {
        return Ok(());
    }
    let mut cursors: Vec<Cursor<'_>> = Vec::with_capacity(plan.stages.len());
    let mut ticks = 0u32;
    loop {
        // All stages with cursors are bound; the next one is opened, or the binding is complete.
        match plan.stages.get(cursors.len()) {
            Some(stage) => cursors.push(open(stage, facts, &binding)),
            None => each(&binding)?,
        }
        // Advance the last stage that has another alternative.
        loop {
            let depth = cursors.len();
            let Some(cursor) = cursors.last_mut() else {
                return Ok(());
            };
            ticks = ticks.wrapping_add(1);
            if ticks.is_multiple_of(4096) {
                budget.check()?;
            }
            let stage = &plan.stages[depth - 1];
            stage.binds.iter().for_each(|leaf| binding[*leaf] = OPEN);
            match advance(stage, facts, cursor, &mut binding) {
                Advance::End => {
                    cursors.pop();
                }
                Advance::Unfit => {}
                Advance::Fit => {
                    if !stage.guarded || rule.guard.evaluate(&binding) != Some(false) {
                        break;
                    }
                }
            }
        }
    }
}

fn open<'f>(stage: &Stage, facts: &'f MarkableColours, binding: &[u32]) -> Cursor<'f> {
    let rows = match &stage.step {
        Step::Join { index, slots, .. } => {
            let index = &facts.indexes[*index];
            let sizes = &facts.relations[index.place].sizes;
            let bound = index
                .components
                .iter()
                .map(|c| (*c, slots[*c].value(binding)));
            index
                .rows
                .get(&key(sizes, bound))
                .map_or(&[][..], |rows| rows)
        }
        _ => &[],
    };
    Cursor { rows, at: 0 }
}

enum Advance {
    End,
    Unfit,
    Fit,
}

fn advance(
    stage: &Stage,
    facts: &MarkableColours,
    cursor: &mut Cursor<'_>,
    binding: &mut [u32],
) -> Advance {
    let at = cursor.at;
    cursor.at += 1;
    let fit = |fits: bool| if fits { Advance::Fit } else { Advance::Unfit };
    match &stage.step {
        Step::Join { place, slots, .. } => {
            let Some(row) = cursor.rows.get(at) else {
                return Advance::End;
            };
            let from = *row as usize * slots.len();
            let values = &facts.relations[*place].values[from..from + slots.len()];
            let fits = unify(slots, values, binding);
            fit(fits)
        }
        Step::Every { leaf, size } => {
            if at >= *size as usize {
                return Advance::End;
            }
            binding[*leaf] = at as u32;
            Advance::Fit
        }
        Step::Known { .. } | Step::Solve { .. } if at > 0 => Advance::End,
        Step::Known { place, slots } => {
            let relation = &facts.relations[*place];
            let values = slots.iter().map(|slot| slot.value(binding)).enumerate();
            fit(relation.known.contains(&key(&relation.sizes, values)))
        }
        Step::Solve { slot, from } => {
            let value = from.value(binding);
            if let Some(leaf) = slot.leaf() {
                binding[leaf] = slot.solve(value);
            }
            Advance::Fit
        }
    }
}
