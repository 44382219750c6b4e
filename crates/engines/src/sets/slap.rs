//! SLAP: the self-loop aggregating product.
//!
//! An automaton often stays in a self-loop while the system takes many steps. SLAP aggregates these
//! steps:
//!
//! ```text
//! SF(d,ac)     = ⋁ {f | d –f,ac'→ d, ac' ⊆ ac}
//! FReach(a,f)  = least X ⊇ a closed under steps whose letters satisfy f
//! initial:       (q0, FReach(S0, SF(q0,∅)))
//! (q,a) –ac→ (d,b)  iff  q –f,ac→ d, not (d = q and ac = ∅),  b = FReach(post(a,f), SF(d,ac)) ≠ ∅
//! ```
//!
//! A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Self-loop aggregation product — a new
//! hybrid approach to on-the-fly LTL model checking*, ATVA 2011; Def. 8 of the long version
//! (CoRR abs/1106.5700). Exact for full LTL and for events, with steps filtered by (state, event).
//! Deviations:
//!
//! - [`Absorb::All`] absorbs every self-loop of `d`, regardless of its marks. This is sound: the
//!   steps taken see *more* acceptance than the edge claims, and each self-loop with marks is still
//!   a separate edge. Graphs are never larger. [`Absorb::Marked`] is the published condition.
//! - Without acceptance marks the published product loses runs that stay in a self-loop
//!   indefinitely, because self-loops without marks are no edges. We put one mark on every edge
//!   first.
//! - Edges with equal source, marks and target are merged, with the disjunction of their guards.
//! - The target of an edge that is the only self-loop of its state, `f = SF(q,·)`, needs no
//!   closure: `a` is closed under `f`, so `post(a,f)` is a subset of `a` closed under `f`. Runs
//!   that stay in one automaton state then cost a chain of images without saturation.
//!
//! Cost: one filtered image and, except for these edges, one filtered saturation per edge.

use super::operators::SymbolicProblem;
use super::product::{Aggregate, EdgePassage, SetProduct};
use super::search;
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure, Variant};
use crate::engine_id::EngineId;
use lariat_automata::{Guard, Guards, StateId, Transition};
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_model::Strength;

/// Self-loop aggregating product.
pub const SLAP: Engine = Engine {
    id: EngineId::Slap,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| Emptiness::OF_SETS,
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Weak),
    has_published: true,
    procedure: Procedure::Sets(|task, sets| {
        let product = Slap::new(sets, Absorb::of(task.variant));
        search(task, sets, product)
    }),
};

/// The self-loops that the closure of a node absorbs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Absorb {
    /// All self-loops of the target.
    #[default]
    All,
    /// Self-loops whose marks are on the edge, as published.
    Marked,
}

impl Absorb {
    pub(super) fn of(variant: Variant) -> Absorb {
        if variant.published {
            Absorb::Marked
        } else {
            Absorb::All
        }
    }
}

/// An edge of the automaton, with the guard `through` of the closure of its target.
#[derive(Clone)]
pub(super) struct Out {
    pub guard: Guard,
    pub marks: Marks,
    pub to: StateId,
    pub through: Guard,
    /// True if the image is already closed.
    pub is_closed: bool,
}

#[derive(Clone)]
pub struct Slap {
    marks: Marks,
    /// The initial automaton states with the guards of their closures.
    pub(super) initial: Vec<(StateId, Guard)>,
    /// The edges per automaton state, without self-loops that have no marks.
    pub(super) out: Vec<Vec<Out>>,
}

impl Slap {
    pub fn new(sets: &mut SymbolicProblem<'_, '_>, absorb: Absorb) -> Slap {
        let (marks, edges) = sets.automaton().normal_edges(&mut sets.guards);
        let loops = |sets: &mut SymbolicProblem<'_, '_>, q: StateId, on_edge: Marks| {
            let mut all = Guards::FALSE;
            for t in &edges[q.index()] {
                if t.to == q && (absorb == Absorb::All || on_edge.contains(t.marks)) {
                    all = sets.guards.or(all, t.guard);
                }
            }
            all
        };
        let mut out = Vec::with_capacity(edges.len());
        for (q, of_state) in edges.iter().enumerate() {
            let mut kept = Vec::new();
            for &Transition { guard, marks, to } in of_state {
                if to.index() == q && marks.is_empty() {
                    continue;
                }
                let through = loops(sets, to, marks);
                kept.push(Out {
                    guard,
                    marks,
                    to,
                    through,
                    // Every edge to the source of this one closes its target under the same guard.
                    is_closed: absorb == Absorb::All && to.index() == q && guard == through,
                });
            }
            out.push(kept);
        }
        let automaton = sets.automaton();
        let initial = automaton.initial.iter();
        let initial = initial.map(|&q| (q, loops(sets, q, Marks::NONE))).collect();
        Slap {
            marks,
            initial,
            out,
        }
    }
}

impl SetProduct for Slap {
    fn marks(&self) -> Marks {
        self.marks
    }

    fn initial(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        k: usize,
    ) -> Result<Option<Vec<Aggregate>>, Stop> {
        let Some(&(location, through)) = self.initial.get(k) else {
            return Ok(None);
        };
        let start = sets.space.initial()?;
        let set = sets.close(&start, through)?;
        let some = !set.is_empty();
        let node = some.then(|| Aggregate::plain(location, set));
        Ok(Some(node.into_iter().collect()))
    }

    fn edges(
        &mut self,
        sets: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<Option<Vec<(Marks, Aggregate)>>, Stop> {
        let Some(out) = self.out[from.location.index()].get(k) else {
            return Ok(None);
        };
        let next = sets.post(&from.set, out.guard)?;
        if next.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let set = if out.is_closed {
            next
        } else {
            sets.close(&next, out.through)?
        };
        Ok(Some(vec![(out.marks, Aggregate::plain(out.to, set))]))
    }

    fn start(&mut self, _: &mut SymbolicProblem<'_, '_>, node: &Aggregate) -> Option<Guard> {
        let found = self.initial.iter().find(|(q, _)| *q == node.location);
        found.map(|(_, through)| *through)
    }

    fn passage(
        &mut self,
        _: &mut SymbolicProblem<'_, '_>,
        from: &Aggregate,
        k: usize,
    ) -> Result<EdgePassage, Stop> {
        let out = &self.out[from.location.index()][k];
        Ok(EdgePassage::Step {
            guard: out.guard,
            through: Some(out.through),
        })
    }
}
