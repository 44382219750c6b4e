//! SLAP-FST: SLAP whose terminal part is decided by a fixpoint.
//!
//! Once the automaton is in a component that it cannot leave, the rest of the question is about
//! sets alone: does an accepting run of component × system start in `{q} × a`? That is one EL or OWCTY,
//! and the node gets the single edge
//!
//! ```text
//! (q,a) –F→ (q,a)   iff   the fixpoint from {q} × a is not empty            (no edge otherwise)
//! ```
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Self-loop aggregation product*, ATVA
//! 2011 ("fully symbolic search in terminal states"). They do it for states all of whose edges
//! are self-loops, and so do we if it is asked for as published; otherwise we do it for every automaton component without exits, of which that is a
//! case. Where the component is one state that reads every letter with all marks and deadlocks
//! stutter, every infinite run accepts and every state starts one: no fixpoint is computed.
//!
//! # Fairness
//!
//! Fairness is about cycles, and those of a product of sets do not show which steps they are made of. Fixpoints know any number of constraints, weak and strong
//! (`fair.rs`). A run that is accepted stays in one component of the automaton from some point on. So where fairness is assumed every node of
//! a component that has all marks is asked whether a fair run starts there that stays,
//!
//! ```text
//! (q,a) –F→ (q,a)   iff   the fixpoint from {q} × a in the component of q × system, with all constraints, is not empty
//! ```
//!
//! and all other edges, by which SLAP leads on inside of the component and out of it, lose their marks. What nodes have reached in vain need not be asked again.

use super::fair::union;
use super::fixpoint::{Fair, Fixpoint};
use super::operators::Sets;
use super::product::{Aggregate, Passage, Product};
use super::search;
use super::slap::{Absorb, Slap};
use super::walk::Ending;
use super::whole::{AutomatonEdge, Family, Whole};
use super::witness;
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use lariat_automata::{Guard, Guards, StateId, automaton_components};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::{State, Strength};

/// SLAP with a fixpoint in terminal nodes.
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

/// The product.
#[derive(Clone)]
pub struct SlapFst {
    slap: Slap,
    whole: Whole,
    fixpoint: Fixpoint,
    role: Vec<Role>,
    /// Where accepting runs start that stay in the component of the node asked for last.
    fair: Fair,
    /// Where no accepting run starts that stays in its component, if fairness is assumed, as far as that was asked.
    barren: Option<Family>,
}

/// What an automaton state is to the product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// SLAP goes on.
    Inner,
    /// In a component without exits.
    Terminal,
    /// In a component without exits that accepts whatever follows.
    Universal,
    /// In a component without exits whose edges lack a mark.
    Hopeless,
    /// In a component with exits in which fair runs may stay.
    Staying,
}

impl SlapFst {
    /// The product of the problem of `sets`.
    pub fn new(sets: &mut Sets<'_, '_>, absorb: Absorb, fixpoint: Fixpoint) -> SlapFst {
        let slap = Slap::new(sets, absorb);
        let automaton = sets.automaton();
        let components = automaton_components(&automaton);
        let is_fair = !sets.fairness().is_empty();
        let whole = if is_fair {
            Whole::fair(sets).staying(&components)
        } else {
            Whole::new(sets)
        };
        let endless = sets.space.has_stutter_loops() && !sets.is_partial();
        let role = |q: StateId| {
            if sets.published {
                let mut edges = whole.edges.iter().filter(|by| by.from == q);
                return if edges.all(|by| by.to == q) {
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
            let inside = |by: &&AutomatonEdge| components.of[by.from.index()] == component;
            let edges = whole.edges.iter().filter(inside);
            let seen = edges.fold(Marks::NONE, |all, by| all.union(by.marks));
            let always = |by: &AutomatonEdge| {
                by.guard == Guards::TRUE && by.marks == whole.marks && (by.from, by.to) == (q, q)
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
            fair: Fair::default(),
        }
    }

    fn start_of(&self, sets: &mut Sets<'_, '_>, node: &Aggregate) -> Family {
        let mut family = self.whole.empty(sets);
        family[node.location.index()] = node.set.clone();
        family
    }

    /// Does an accepting run start in the node that stays in its component?
    fn accepts(&mut self, sets: &mut Sets<'_, '_>, node: &Aggregate) -> Result<bool, Stop> {
        if let Some(barren) = &self.barren {
            let known = &barren[node.location.index()];
            let unknown = sets.space.store().difference(&node.set, known)?;
            if unknown.is_empty() {
                return Ok(false);
            }
        }
        let start = self.start_of(sets, node);
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

    /// The edges where fairness is assumed: first whether fair runs stay, then those of SLAP.
    fn fair_edges(
        &mut self,
        sets: &mut Sets<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        let role = self.role[from.location.index()];
        let Some(of_slap) = k.checked_sub(1) else {
            let accepts =
                !matches!(role, Role::Inner | Role::Hopeless) && self.accepts(sets, from)?;
            let edge = accepts.then(|| (self.marks(), from.clone()));
            return Ok(Some(edge.into_iter().collect()));
        };
        if !matches!(role, Role::Inner | Role::Staying) {
            return Ok(None);
        }
        let edges = self.slap.edges(sets, from, of_slap)?;
        let unmarked = |(_, to)| (Marks::NONE, to);
        Ok(edges.map(|edges| edges.into_iter().map(unmarked).collect()))
    }
}

impl Product for SlapFst {
    fn marks(&self) -> Marks {
        self.slap.marks()
    }

    fn initial(
        &mut self,
        sets: &mut Sets<'_, '_>,
        k: usize,
    ) -> Result<Option<Vec<Aggregate>>, Stop> {
        self.slap.initial(sets, k)
    }

    fn edges(
        &mut self,
        sets: &mut Sets<'_, '_>,
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

    fn start(&mut self, sets: &mut Sets<'_, '_>, node: &Aggregate) -> Option<Guard> {
        self.slap.start(sets, node)
    }

    fn passage(
        &mut self,
        sets: &mut Sets<'_, '_>,
        from: &Aggregate,
        k: usize,
        to: &Aggregate,
    ) -> Result<Passage, Stop> {
        let role = self.role[from.location.index()];
        match (self.barren.is_some(), k.checked_sub(1)) {
            (true, Some(of_slap)) => return self.slap.passage(sets, from, of_slap, to),
            (false, _) if role == Role::Inner => return self.slap.passage(sets, from, k, to),
            _ => {}
        }
        let start = self.start_of(sets, from);
        let mut reached = self.whole.reach(sets, start)?;
        let q = from.location.index();
        self.fair = if role == Role::Universal {
            let here = std::mem::replace(&mut reached[q], sets.space.empty());
            let mut all = self.whole.empty(sets);
            all[q] = here;
            Fair {
                core: all.clone(),
                all,
            }
        } else {
            self.fixpoint.fair(sets, &self.whole, reached)?
        };
        let starts = sets
            .space
            .store()
            .intersection(&from.set, &self.fair.all[q])?;
        Ok(Passage::EndIn(starts))
    }

    fn ending(
        &mut self,
        sets: &mut Sets<'_, '_>,
        from: &Aggregate,
        _: usize,
        start: &State,
    ) -> Result<Ending, Stop> {
        witness::run(
            sets,
            &self.whole,
            (from.location, start.clone()),
            &self.fair,
        )
    }
}
