//! The listener of the saturation: searches each saturated node for fair cycles.
//!
//! Saturation closes nodes from the bottom up. A fair cycle of the product has a highest level at
//! which it fires. It lies in a node of that level, under the residual of the levels above, and in
//! no lower node. So it suffices to search every pair of saturated node and residual once, for
//! cycles with a *new* step, with its top on the level of the node. Proofs of absence avoid most
//! searches:
//!
//! 0. the effects of events exclude cycles at the level of the node (`structure.rs`);
//! 1. a firing without inner move of the automaton is on no fair cycle. Mostly the node has no
//!    state of an accepting component at all, which is cached per node;
//! 2. *recurring states*: the last firing of a cycle finds its target known. A node in which no
//!    firing led to a known state has no new cycle. This is evaluated on the direct image, before
//!    saturation, with the states known at that time;
//! 3. *abstraction*: the arcs between the node's values must have a cycle with a recurring arc;
//! 4. below the values of such a cycle there must be steps with all marks.
//!
//! The fixpoint decides the remaining nodes. Its candidate arcs are the recurring ones inside
//! cyclic components of the abstraction. Recurrence is stored per arc, not as a set of states: it
//! is then a predicate that is decided by the first witness, and no node has to survive between
//! firings. The paper's sets (`recurring.rs`) and fixpoint (`detect.rs`) are an option.
//!
//! If fairness depends on levels above a node, a cycle is only suspected, and the whole product is
//! searched in the end (`demands.rs`).
//!
//! A union of saturated and searched nodes needs no search: all are closed, so a cycle lies in one
//! of them. Cached results need no search either.
//!
//! V. Molnár, A. Vörös, D. Darvas, T. Bartha, I. Majzik, *Component-wise incremental LTL model
//! checking*, Formal Aspects of Computing 28 (2016).

use super::abstraction::cyclic;
use super::demands::{DemandId, Demands};
use super::detect::{detect, is_realizable};
use super::filters::AnyMove;
use super::fixpoint::{CycleQuery, NewSteps, fair};
use super::images::{Image, ImageContext, StepEnd};
use super::label_residuals::{LabelResiduals, MoveKind};
use super::proofs::{AbsenceProofs, HybOptions, Recurring};
use super::recurring::RecurringSets;
use super::resting::{DeadlockWatch, fair_ends};
use super::steps::{NodePosition, ProductSteps};
use lariat_budget::{Budget, Statistic, Stats};
use lariat_dd::Residual;
use lariat_dd::kernel::{ChainId, DdNode, Halt, Kernel};
use lariat_dd::saturation::{Fired, Listener};
use lariat_emptiness::Marks;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A firing at the level of a node: from one of its values to another.
#[derive(Clone, Copy, Debug)]
pub struct ValueArc {
    pub from: u32,
    pub to: u32,
    /// Effect on the levels below.
    pub rest: ChainId,
    /// True if it led to a known state, or if this is not evaluated per arc.
    pub recurring: bool,
}

pub enum HybEvidence {
    /// Fair cycles in a node.
    Cycle {
        at: NodePosition,
        new: NewSteps,
        /// The constraints that they meet, which are all.
        met: Vec<DemandId>,
        /// Targets of new steps reached from them.
        reached: DdNode,
    },
    /// States, paired with automaton states, in which an accepted run can stutter forever.
    Rest(DdNode),
}

#[derive(Clone, Copy, Default, Debug)]
pub struct HybCounts {
    /// Pairs of saturated node and residual.
    pub checks: u64,
    /// On a level without cycles.
    pub no_structure: u64,
    /// Without an inner move.
    pub no_inner: u64,
    /// Without a recurring arc.
    pub no_recurring: u64,
    /// Without a cycle in the abstraction.
    pub no_cycle: u64,
    /// Without all marks on such a cycle.
    pub no_marks: u64,
    /// Searched symbolically.
    pub runs: u64,
    pub time: Duration,
}

impl HybCounts {
    pub fn enter(&self, stats: &mut Stats) {
        stats.set(Statistic::SCC_CHECKS, self.checks);
        stats.set(Statistic::SCC_PREVENTED_BY_STRUCTURE, self.no_structure);
        stats.set(Statistic::SCC_PREVENTED_BY_AUTOMATON, self.no_inner);
        stats.set(Statistic::SCC_PREVENTED_BY_RECURRING, self.no_recurring);
        stats.set(Statistic::SCC_PREVENTED_BY_ABSTRACTION, self.no_cycle);
        stats.set(Statistic::SCC_PREVENTED_BY_MARKS, self.no_marks);
        stats.set(Statistic::SCC_SYMBOLIC_RUNS, self.runs);
    }
}

/// One firing in this many is timed, because reading the clock takes longer than most firings.
const SAMPLE: u32 = 64;

pub struct CycleListener<'a> {
    clock: Budget,
    /// Firings until the next is timed.
    sample: u32,
    steps: &'a ProductSteps,
    demands: &'a mut Demands,
    /// The lowest level whose nodes decide all fairness constraints.
    deciding: u32,
    /// True if a node that does not decide has a cycle that may be fair.
    pub suspects: bool,
    proofs: AbsenceProofs,
    /// Recurring states, if stored as sets.
    sets: Option<RecurringSets>,
    /// By level: true if a cycle may have its highest firing there.
    cyclic: Vec<bool>,
    /// By level: the arcs of the node being saturated, and whether they recur.
    frames: Vec<FxHashMap<(u32, u32, ChainId), bool>>,
    /// The topmost level at which events may have been fired.
    pub top: u32,
    watch: DeadlockWatch,
    pub counts: HybCounts,
    pub found: Option<HybEvidence>,
}

impl<'a> CycleListener<'a> {
    /// At levels that are not `cyclic` no cycle can have its highest firing.
    pub fn new(
        steps: &'a ProductSteps,
        demands: &'a mut Demands,
        options: HybOptions,
        cyclic: Vec<bool>,
        watch: DeadlockWatch,
        clock: &Budget,
    ) -> CycleListener<'a> {
        let levels = steps.automaton as usize + 1;
        CycleListener {
            sets: match options.recurring {
                Recurring::Arcs => None,
                Recurring::Sets => Some(RecurringSets::new(levels)),
            },
            clock: clock.clone(),
            sample: SAMPLE,
            steps,
            deciding: demands.deciding(),
            demands,
            suspects: false,
            proofs: options.proofs,
            cyclic,
            frames: vec![FxHashMap::default(); levels],
            top: steps.automaton,
            watch,
            counts: HybCounts::default(),
            found: None,
        }
    }

    /// Returns the arcs on which a new fair cycle can have a step, or counts the proof of absence.
    /// `known` are the recurring states, if stored as sets.
    fn candidates(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        node: DdNode,
        known: Option<DdNode>,
        at: NodePosition,
    ) -> Result<Vec<ValueArc>, Halt> {
        let frame = &mut self.frames[at.level as usize];
        let arc = |((from, to, rest), recurring)| ValueArc {
            from,
            to,
            rest,
            recurring,
        };
        let mut arcs: Vec<ValueArc> = frame.drain().map(arc).collect();
        if arcs.is_empty() {
            // A node without arcs is counted for the first enabled proof.
            let AbsenceProofs {
                recurring,
                abstraction,
                automaton,
                ..
            } = self.proofs;
            if automaton {
                self.counts.no_inner += 1;
            } else if recurring {
                self.counts.no_recurring += 1;
            } else if abstraction {
                self.counts.no_cycle += 1;
            } else {
                self.counts.no_marks += 1;
            }
            return Ok(arcs);
        }
        let recurs = match known {
            Some(states) => !states.is_empty(),
            None => arcs.iter().any(|arc| arc.recurring),
        };
        if !recurs {
            self.counts.no_recurring += 1;
            return Ok(Vec::new());
        }
        if known.is_some() {
            let marks = self.steps.accepting(kernel, labels, node, at.level)?;
            if !marks.contains(labels.marks()) {
                self.counts.no_marks += 1;
                return Ok(Vec::new());
            }
        }
        // Hash maps are unordered.
        arcs.sort_unstable_by_key(|arc| (arc.from, arc.to, arc.rest));
        let groups = if self.proofs.abstraction {
            cyclic(&arcs)
        } else {
            vec![arcs]
        };
        if groups.is_empty() {
            self.counts.no_cycle += 1;
            return Ok(Vec::new());
        }
        let mut candidates = Vec::new();
        for group in groups {
            let is_candidate = match known {
                Some(known) => {
                    let by = ImageContext::new(self.steps, labels, MoveKind::Inner);
                    is_realizable(kernel, &by, &group, node, known, at.level)?
                }
                None => self.has_marks(kernel, labels, &group, node, at)?,
            };
            if is_candidate {
                candidates.extend(group);
            }
        }
        self.counts.no_marks += u64::from(candidates.is_empty());
        Ok(candidates)
    }

    /// Returns whether the steps into the values of these arcs have all marks.
    fn has_marks(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        arcs: &[ValueArc],
        node: DdNode,
        at: NodePosition,
    ) -> Result<bool, Halt> {
        let wanted = labels.marks();
        let mut marks = Marks::NONE;
        let mut last = None;
        for value in arcs.iter().flat_map(|arc| [arc.from, arc.to]) {
            if marks.contains(wanted) {
                return Ok(true);
            }
            if last == Some(value) {
                continue;
            }
            last = Some(value);
            let child = kernel.child(node, value);
            if let Some(below) = ProductSteps::read(kernel, labels, MoveKind::Inner, at, value)? {
                let more = self.steps.marks(kernel, labels, child, below)?;
                marks = marks.union(more);
            }
        }
        Ok(marks.contains(wanted))
    }

    fn arc(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        fired: Fired,
    ) -> Result<(), Halt> {
        let key = (fired.from, fired.to, fired.rest);
        let known = self.frames[fired.level as usize].get(&key).copied();
        let at = NodePosition {
            level: fired.level + 1,
            residual: fired.residuals.1,
        };
        if known == Some(true) && self.sets.is_none() {
            return Ok(());
        }
        // Without this proof all moves are inner ones, and the firing has one.
        if self.proofs.automaton
            && (labels.is_idle(at.residual)
                || !self.steps.lives(kernel, labels, fired.source, at.level)?)
        {
            return Ok(());
        }
        let recurring = self.recurs(kernel, labels, &fired, at)?;
        let steps = self.steps;
        let mut moves = || {
            let mut by = ImageContext::new(steps, labels, MoveKind::Inner);
            by.returns(kernel, fired.rest, fired.source, None, at)
        };
        if recurring || known.is_some() || !self.proofs.automaton || moves()? {
            // With sets, recurrence is not evaluated per arc.
            let recurring = recurring || !self.proofs.recurring || self.sets.is_some();
            self.frames[fired.level as usize].insert(key, recurring);
        }
        Ok(())
    }

    /// Returns whether a firing led to a known state; adds such states if they are stored as sets.
    fn recurs(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        fired: &Fired,
        at: NodePosition,
    ) -> Result<bool, Halt> {
        if !self.proofs.recurring || fired.before.is_empty() {
            return Ok(false);
        }
        let (chain, node, target) = (fired.rest, fired.source, fired.before);
        let mut by = ImageContext::new(self.steps, labels, MoveKind::Inner);
        let Some(sets) = &mut self.sets else {
            return by.returns(kernel, chain, node, Some(target), at);
        };
        let returning = Image {
            chain: Some(chain),
            node,
            target: Some(target),
            end: StepEnd::Target,
            at,
        };
        let states = kernel.call(returning, &mut by)?;
        sets.add(kernel, fired.level, fired.to, states)?;
        Ok(!states.is_empty())
    }

    /// Returns the recurring states of the node being saturated on `level` if stored as sets: the
    /// whole node if this proof is disabled.
    fn recurring_states(
        &mut self,
        kernel: &mut Kernel,
        node: DdNode,
        level: u32,
    ) -> Result<Option<DdNode>, Halt> {
        match &mut self.sets {
            Some(sets) if self.proofs.recurring => sets.take(kernel, level).map(Some),
            Some(_) => Ok(Some(node)),
            None => Ok(None),
        }
    }

    /// Discards the arcs and sets of the node being saturated on `level`.
    fn clear(&mut self, level: u32) {
        self.frames[level as usize].clear();
        if let Some(sets) = &mut self.sets {
            sets.clear(level);
        }
    }

    /// Returns whether nodes of a level need no search: a cycle is suspected, and they do not
    /// decide.
    fn is_idle(&self, level: u32) -> bool {
        self.suspects && level > self.deciding
    }

    /// Searches a saturated node, unless it was searched before.
    fn node(
        &mut self,
        kernel: &mut Kernel,
        labels: &mut LabelResiduals,
        node: DdNode,
        at: NodePosition,
    ) -> Result<(), Halt> {
        let key = (node, at.residual);
        let searched = self.steps.nodes.searched;
        if self.is_idle(at.level) || kernel.cached(searched, key).is_some() {
            self.clear(at.level);
            return Ok(());
        }
        kernel.remember(searched, key, ());
        self.counts.checks += 1;
        if !self.cyclic[at.level as usize] {
            self.counts.no_structure += 1;
            return Ok(());
        }
        let base = kernel.mark();
        let known = self.recurring_states(kernel, node, at.level)?;
        if let Some(states) = known {
            kernel.push(0, states)?;
        }
        let arcs = self.candidates(kernel, labels, node, known, at)?;
        if arcs.is_empty() {
            kernel.release(base);
            return Ok(());
        }
        self.counts.runs += 1;
        let start = self.clock.elapsed();
        let (new, met) = (NewSteps::On(arcs), self.demands.below(at.level));
        let mut wanted = CycleQuery {
            new: &new,
            demands: self.demands,
            which: &met,
        };
        let mut by = ImageContext::new(self.steps, labels, MoveKind::Inner);
        let reached = match known {
            Some(known) => detect(kernel, &mut by, &mut wanted, node, known, at)?,
            None => fair(kernel, &mut by, &mut wanted, node, at)?,
        };
        kernel.release(base);
        self.counts.time += self.clock.elapsed() - start;
        if reached.is_empty() {
            return Ok(());
        }
        if at.level > self.deciding {
            self.suspects = true;
            return Ok(());
        }
        self.found = Some(HybEvidence::Cycle {
            at,
            new,
            met,
            reached,
        });
        Err(kernel.leave())
    }
}

impl<'l> Listener<AnyMove<'l>> for CycleListener<'_> {
    fn begun(&mut self, level: u32) {
        self.top = self.top.min(level);
    }

    fn fired(
        &mut self,
        kernel: &mut Kernel,
        filter: &mut AnyMove<'l>,
        fired: Fired,
    ) -> Result<(), Halt> {
        if !self.cyclic[fired.level as usize] || self.is_idle(fired.level) {
            return Ok(());
        }
        self.sample -= 1;
        if self.sample > 0 {
            return self.arc(kernel, filter.labels, fired);
        }
        self.sample = SAMPLE;
        let start = self.clock.elapsed();
        self.arc(kernel, filter.labels, fired)?;
        self.counts.time += (self.clock.elapsed() - start) * SAMPLE;
        Ok(())
    }

    fn saturated(
        &mut self,
        kernel: &mut Kernel,
        filter: &mut AnyMove<'l>,
        level: u32,
        residual: Residual,
        node: DdNode,
    ) -> Result<(), Halt> {
        let labels: &mut LabelResiduals = filter.labels;
        if level == self.top {
            let quiet = self.watch.quiet(kernel, labels, level, node)?;
            let ends = fair_ends(kernel, self.steps, self.demands, quiet)?;
            if !ends.is_empty() {
                self.found = Some(HybEvidence::Rest(ends));
                return Err(kernel.leave());
            }
        }
        self.node(kernel, labels, node, NodePosition { level, residual })
    }
}
