//! BCZ: the multiple-state tableau, a product without closures.
//!
//! A node is an automaton state and a set of states that agree on all observed propositions:
//!
//! ```text
//! (q,a) –ac→ (d,p)   iff   q –f,ac→ d,   a ⊨ f,   p ∈ Part(Succ(a))
//! ```
//!
//! A. Biere, E. M. Clarke, Y. Zhu, *Multiple state and single state tableaux for combining local
//! and global model checking*, CSD 1999 (LNCS 1710), as A. Duret-Lutz et al. compare it with their
//! products. With events `Succ(a)` are the successors by steps whose letters satisfy `f`. Exact for
//! full LTL.
//!
//! Cost: one image per edge, but up to one node per distance from the initial states: a baseline
//! for the products with closures.

use super::operators::SymbolicProblem;
use super::product::{Aggregate, EdgePassage, SetProduct};
use super::search;
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use lariat_automata::{Automaton, Guard};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::Strength;
use std::sync::Arc;

/// Multiple-state tableau.
pub const BCZ: Engine = Engine {
    id: EngineId::Bcz,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| Emptiness::OF_SETS,
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Weak),
    has_published: true,
    procedure: Procedure::Sets(|task, sets| {
        let product = Bcz::new(sets);
        search(task, sets, product)
    }),
};

#[derive(Clone)]
pub struct Bcz {
    automaton: Arc<Automaton>,
    /// The atoms that occur in guards.
    observed: u64,
}

impl Bcz {
    pub fn new(sets: &SymbolicProblem<'_, '_>) -> Bcz {
        let automaton = sets.automaton();
        let observed = automaton.support();
        Bcz {
            automaton,
            observed,
        }
    }
}

impl SetProduct for Bcz {
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
        let set = sets.space.initial()?;
        let parts = sets.parts(&set, self.observed)?;
        let node = |(_, part)| Aggregate::plain(location, part);
        Ok(Some(parts.into_iter().map(node).collect()))
    }

    fn edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        let Some(t) = self.automaton.transitions(from.location).get(k) else {
            return Ok(None);
        };
        let next = sets.post(&from.set, t.guard)?;
        let parts = sets.parts(&next, self.observed)?;
        let edge = |(_, part)| (t.marks, Aggregate::plain(t.to, part));
        Ok(Some(parts.into_iter().map(edge).collect()))
    }

    fn start(&mut self, _: &mut SymbolicProblem<'_, '_>, _: &Aggregate) -> Option<Guard> {
        None
    }

    fn passage(
        &mut self,
        _: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<EdgePassage, Stop> {
        Ok(EdgePassage::Step {
            guard: self.automaton.transitions(from.location)[k].guard,
            through: None,
        })
    }
}
