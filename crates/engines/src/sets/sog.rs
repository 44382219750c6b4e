//! SOG: the symbolic observation graph, searched in product with the automaton.
//!
//! A node of the graph is an aggregate: a set of states that agree on the observed propositions,
//! closed under unobserved steps.
//!
//! ```text
//! close(S,l) = least X ⊇ S closed under successors with label l
//! succ(a)    = { close({t ∈ Succ(a) | λ(t) = m}, m)  |  m ≠ l(a) occurs in Succ(a) }
//!            ∪ { ⟨div,l(a)⟩  if a has a cycle }            ⟨div,l⟩ → ⟨div,l⟩
//! ```
//!
//! The graph is stutter-equivalent to the system, so it decides every stutter-invariant property,
//! with or without X. K. Klai, D. Poitrenaud, *MC-SOG: an LTL model checker based on symbolic
//! observation graphs*, Petri Nets 2008, as defined by A. Duret-Lutz, K. Klai, D. Poitrenaud,
//! Y. Thierry-Mieg, *Combining explicit and symbolic approaches for better on-the-fly LTL model
//! checking*, CoRR abs/1106.5700, Def. 5.
//!
//! **Events.** C. A. Abid, K. Klai, J. Arias, H. Ouni (*SOG-based multi-core LTL model checking*,
//! ISPA 2020, Def. 4) also observe events, as letters of the steps that take them. Their graph
//! omits silent letters before an event, which changes the truth of formulas such as `fires(t)`: it
//! is exact only for properties invariant under silent letters (`Invariance::silent`). The
//! *refined* graph is exact for every stutter-invariant property. It distinguishes two kinds of
//! aggregates: entry sets `E`, not closed, and interiors `I`, reached from them by at least one
//! silent step.
//!
//! ```text
//! E(S), I(S), l = label:  –(l,o)→ E(P)   for observed o, P ∈ Part(Out(S,o))
//!                         –(l,∅)→ E(P)   for P ∈ Part(label-changing silent successors)
//! E(S) only:              –(l,∅)→ I(close(same-label silent successors, l))
//! I(S) only:              –(l,∅)→ D(l)   if S has a silent cycle        D(l) –(l,∅)→ D(l)
//! ```
//!
//! A stuttering deadlock is a silent self-loop and needs no separate rule.
//!
//! The product is implemented as [SOP](super::sop) with an observed alphabet that never shrinks.

use super::operators::SymbolicProblem;
use super::search;
use super::sog_testing::SogTesting;
use super::sop::{Grain, Sop};
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use crate::problem::Invariance;
use crate::testing_automata::note_automaton;
use lariat_budget::Stop;
use lariat_model::Strength;

/// Symbolic observation graph, in product with any kind of automaton.
pub const SOG: Engine = Engine {
    id: EngineId::Sog,
    automata: &[
        AutomatonKind::Tgba,
        AutomatonKind::Ba,
        AutomatonKind::Ta,
        AutomatonKind::Tgta,
    ],
    checks: |_| Emptiness::OF_SETS,
    needs: Needs::Stuttering,
    fairness: |kind| match kind {
        AutomatonKind::Tgba | AutomatonKind::Ba => Some(Strength::Weak),
        AutomatonKind::Ta | AutomatonKind::Tgta => None,
    },
    has_published: true,
    procedure: Procedure::Sets(|task, sets| match task.automaton {
        AutomatonKind::Tgba | AutomatonKind::Ba => {
            let product = sog(sets, task.problem.invariance, task.variant.published)?;
            search(task, sets, product)
        }
        AutomatonKind::Ta | AutomatonKind::Tgta => {
            let product = SogTesting::new(task)?;
            note_automaton(&mut task.account.stats, product.testing());
            search(task, sets, product)
        }
    }),
};

/// Creates the product with the observation graph, with that of Abid et al. if `published`.
pub fn sog(
    sets: &SymbolicProblem<'_, '_>,
    known: Invariance<'_>,
    published: bool,
) -> Result<Sop, Stop> {
    if !known.letters {
        return Err(Stop::Unsupported(
            "the observation graph needs a stutter-invariant property".to_owned(),
        ));
    }
    let reads_events = sets.reads_events();
    if reads_events && published && !known.silent {
        return Err(Stop::Unsupported(
            "the published event graph needs a property invariant under silent steps".to_owned(),
        ));
    }
    let grain = if reads_events && !published {
        Grain::Refined
    } else {
        Grain::Closed
    };
    Ok(Sop::new(sets, grain, |_| false))
}
