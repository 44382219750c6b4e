//! SLAP-FST: SLAP with a fixpoint in the terminal part of the automaton.
//!
//! In an automaton component without exits, EL or OWCTY decides whether an accepting run of
//! component × system starts in `{q} × a`. The node has the only edge
//!
//! ```text
//! (q,a) –F→ (q,a)   iff   the fixpoint from {q} × a is not empty            (no edge otherwise)
//! ```
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Combining explicit and symbolic
//! approaches for better on-the-fly LTL model checking*, CoRR abs/1106.5700, §4.3. The published
//! variant applies it to states with self-loops only. Deviation: we apply it to every automaton
//! component without exits. If such a component is one state that reads every letter with all
//! marks, and deadlocks stutter, every state starts an infinite run, which is accepted: no fixpoint
//! is computed.
//!
//! # Fairness
//!
//! Fairness is a condition on cycles, and cycles of a product of sets do not determine the steps of
//! their runs. Fixpoints support any number of weak and strong constraints (`fair.rs`), and an
//! accepted run finally stays in one component of the automaton. With fairness, every node of a
//! component that has all marks is therefore decided by
//!
//! ```text
//! (q,a) –F→ (q,a)   iff   the fixpoint with all constraints, from {q} × a in the component of q
//!                         × system, is not empty
//! ```
//!
//! and all other edges of SLAP, inside of the component and out of it, lose their marks. States
//! reached from nodes without such a run are memoized and not searched again.

use super::fair::union;
use super::fixpoint::{FairStates, Fixpoint};
use super::operators::SymbolicProblem;
use super::product::{Aggregate, EdgePassage, SetProduct};
use super::search;
use super::slap::{Absorb, Slap};
use super::whole::{AutomatonEdge, SetFamily, Whole};
use super::witness::{ProductState, RunBuilder};
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use lariat_automata::{Guard, Guards, StateId, automaton_components};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::{Lasso, State, Strength};

/// SLAP with fixpoints in terminal nodes.
pub const SLAP_FST: Engine = Engine {
    id: EngineId::SlapFst,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| Emptiness::OF_SETS,
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Strong),
    has_published: true,
    procedure: Procedure::Sets(|task, sets| {
        let variant = task.variant;
        let product = SlapFst::new(sets, Absorb::of(variant), variant.fixpoint);
        search(task, sets, product)
    }),
};

#[derive(Clone)]
pub struct SlapFst {
    slap: Slap,
    whole: Whole,
    fixpoint: Fixpoint,
    role: Vec<Role>,
    /// States with accepting runs inside of the component of the node last passed to `passage`.
    fair: FairStates,
    /// With fairness: states known to have no accepting run inside of their component.
    barren: Option<SetFamily>,
}

/// The treatment of an automaton state in the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Edges of SLAP.
    Inner,
    /// Component without exits: decided by a fixpoint.
    Terminal,
    /// Component without exits that accepts every continuation.
    Universal,
    /// Component without exits whose edges lack a mark.
    Hopeless,
    /// Component with exits that may contain fair accepting runs.
    Staying,
}

impl SlapFst {
    pub fn new(sets: &mut SymbolicProblem<'_, '_>, absorb: Absorb, fixpoint: Fixpoint) -> SlapFst {
        let slap = Slap::new(sets, absorb);
        let automaton = sets.automaton();
        let components = automaton_components(&automaton);
        let is_fair = !sets.fairness().is_empty();
        let whole = if is_fair {
            Whole::with_fairness(sets).staying(&components)
        } else {
            Whole::new(sets)
        };
        let endless = sets.space.has_stutter_loops() && !sets.is_partial();
        let role = |q: StateId| {
            if sets.published {
                let mut edges = whole.edges.iter().filter(|edge| edge.from == q);
                return if edges.all(|edge| edge.to == q) {
                    Role::Terminal
                } else {
                    Role::Inner
                };
            }
            let component = components.of[q.index()];
            if !components.is_terminal(q) {
                return if is_fair && components.accepting(component) {
                    Role::Staying
                } else {
                    Role::Inner
                };
            }
            let inside = |edge: &&AutomatonEdge| components.of[edge.from.index()] == component;
            let edges = whole.edges.iter().filter(inside);
            let seen = edges.fold(Marks::NONE, |all, edge| all.union(edge.marks));
            let always = |edge: &AutomatonEdge| {
                edge.guard == Guards::TRUE
                    && edge.marks == whole.marks
                    && (edge.from, edge.to) == (q, q)
            };
            if !seen.contains(whole.marks) {
                Role::Hopeless
            } else if endless && !is_fair && whole.edges.iter().any(always) {
                Role::Universal
            } else {
                Role::Terminal
            }
        };
        let role = automaton.state_ids().map(role).collect();
        SlapFst {
            slap,
            barren: is_fair.then(|| whole.empty(sets)),
            whole,
            fixpoint,
            role,
            fair: FairStates::default(),
        }
    }

    fn family(&self, sets: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> SetFamily {
        let mut family = self.whole.empty(sets);
        family[node.location.index()] = node.set.clone();
        family
    }

    /// Returns whether the node has an accepting run inside of its component.
    fn accepts(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        node: &Aggregate,
    ) -> Result<bool, Stop> {
        if let Some(barren) = &self.barren {
            let known = &barren[node.location.index()];
            let unknown = sets.space.store().difference(&node.set, known)?;
            if unknown.is_empty() {
                return Ok(false);
            }
        }
        let start = self.family(sets, node);
        let reached = self.whole.reach(sets, start)?;
        let Some(barren) = &mut self.barren else {
            return self.fixpoint.accepts(sets, &self.whole, reached);
        };
        let accepts = self.fixpoint.accepts(sets, &self.whole, reached.clone())?;
        if !accepts {
            *barren = union(sets, barren, &reached)?;
        }
        Ok(accepts)
    }

    /// Returns the edges with fairness: the fixpoint's self-loop, then the groups of SLAP.
    fn fair_edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        let role = self.role[from.location.index()];
        let Some(slap_group) = k.checked_sub(1) else {
            let accepts =
                !matches!(role, Role::Inner | Role::Hopeless) && self.accepts(sets, from)?;
            let edge = accepts.then(|| (self.marks(), from.clone()));
            return Ok(Some(edge.into_iter().collect()));
        };
        if !matches!(role, Role::Inner | Role::Staying) {
            return Ok(None);
        }
        let edges = self.slap.edges(sets, from, slap_group)?;
        let unmarked = |(_, to)| (Marks::NONE, to);
        Ok(edges.map(|edges| edges.into_iter().map(unmarked).collect()))
    }
}

impl SetProduct for SlapFst {
    fn marks(&self) -> Marks {
        self.slap.marks()
    }

    fn initial(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        k: usize,
    ) -> Result<Option<Vec<Aggregate>>, Stop> {
        self.slap.initial(sets, k)
    }

    fn edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        if self.barren.is_some() {
            return self.fair_edges(sets, from, k);
        }
        let accepts = match self.role[from.location.index()] {
            Role::Inner => return self.slap.edges(sets, from, k),
            _ if k > 0 => return Ok(None),
            Role::Hopeless => false,
            Role::Universal => true,
            Role::Terminal | Role::Staying => self.accepts(sets, from)?,
        };
        let edge = accepts.then(|| (self.marks(), from.clone()));
        Ok(Some(edge.into_iter().collect()))
    }

    fn start(&mut self, sets: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> Option<Guard> {
        self.slap.start(sets, node)
    }

    fn passage(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<EdgePassage, Stop> {
        let role = self.role[from.location.index()];
        if self.barren.is_some() {
            if let Some(slap_group) = k.checked_sub(1) {
                return self.slap.passage(sets, from, slap_group);
            }
        } else if role == Role::Inner {
            return self.slap.passage(sets, from, k);
        }
        let start = self.family(sets, from);
        let mut reached = self.whole.reach(sets, start)?;
        let q = from.location.index();
        self.fair = if role == Role::Universal {
            let here = std::mem::replace(&mut reached[q], sets.space.empty());
            let mut all = self.whole.empty(sets);
            all[q] = here;
            FairStates {
                core: all.clone(),
                all,
            }
        } else {
            self.fixpoint.fair(sets, &self.whole, reached)?
        };
        let fair = &self.fair.all[q];
        let starts = sets.space.store().intersection(&from.set, fair)?;
        Ok(EdgePassage::EndIn(starts))
    }

    fn ending(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        start: &State,
    ) -> Result<Lasso, Stop> {
        let first = ProductState {
            location: from.location,
            state: start.clone(),
        };
        let lease = sets.space.budget().lease();
        let whole = &self.whole;
        let mut witness = RunBuilder { sets, whole, lease };
        witness.run(first, &self.fair)
    }
}
