//! SOG: the symbolic observation graph, searched in product with the automaton.
//!
//! E are the observed propositions. A node of the graph is an aggregate: a set of states that agree
//! on E, closed under the steps that are not observed.
//!
//! ```text
//! close(S,l) = least X ⊇ S closed under successors with label l
//! succ(a)    = { close({t ∈ Succ(a) | λ(t) = m}, m)  |  m ≠ l(a) occurs in Succ(a) }
//!            ∪ { ⟨div,l(a)⟩  if a has a cycle }            ⟨div,l⟩ → ⟨div,l⟩
//! ```
//!
//! The graph is stutter-equivalent to the system, so it decides every stutter-invariant property,
//! whether written with X or not. K. Klai, D. Poitrenaud (2008), as defined by A. Duret-Lutz et al.
//! (2011), Def. 5.
//!
//! **Events.** H. Abid, K. Klai, C. Arias, H. Ouni observe events too: a step that takes
//! an observed event carries it as its letter. Their graph leaves out the silent letters before an
//! event, which changes the truth of formulas such as `fires(t)`; it is exact only for
//! properties that do not mind (`Invariance::silent`). The *refined* graph is exact for every
//! stutter-invariant property. It keeps two kinds of aggregates apart: entry sets, not closed,
//! and what is reached from them by at least one silent step.
//!
//! ```text
//! E(S), I(S), l = label:  –(l,o)→ E(P)   for observed o, P ∈ Part(Out(S,o))
//!                         –(l,∅)→ E(P)   for P ∈ Part(label-changing silent successors)
//! E(S) only:              –(l,∅)→ I(close(same-label silent successors, l))
//! I(S) only:              –(l,∅)→ D(l)   if S has a silent cycle        D(l) –(l,∅)→ D(l)
//! ```
//!
//! A stuttering deadlock is a silent step to itself, so it needs no rule of its own.
//!
//! As a product this is [SOP](super::sop) with an observed alphabet that never shrinks, and that is how
//! it is built.

use super::operators::Sets;
use super::search;
use super::sog_testing::SogTesting;
use super::sop::{Grain, Sop};
use crate::engine::{AutomatonKind, Emptiness, Engine, Needs, Procedure};
use crate::engine_id::EngineId;
use crate::problem::Invariance;
use crate::testing_automata::note_automaton;
use lariat_budget::Stop;
use lariat_model::Strength;

/// The symbolic observation graph, in product with any kind of automaton.
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

/// The product of the problem of `sets` with its observation graph; `published` is that of
/// Abid et al.
pub fn sog(sets: &Sets<'_, '_>, known: Invariance<'_>, published: bool) -> Result<Sop, Stop> {
    if !known.letters {
        return Err(Stop::Unsupported(
            "the observation graph needs a stutter-invariant property".to_owned(),
        ));
    }
    let grain = match (sets.reads_events(), published) {
        (false, _) => Grain::Closed,
        (true, false) => Grain::Refined,
        (true, true) if known.silent => Grain::Closed,
        (true, true) => {
            return Err(Stop::Unsupported(
                "the published event graph needs a property that does not see silent steps"
                    .to_owned(),
            ));
        }
    };
    Ok(Sop::new(sets, grain, |_| false))
}
