//! The symbolic synchronized product: nodes are sets of markings that are closed under a group of their own.
//!
//! A node is `(q, H, {m₁ … m_k})` and stands for the automaton in `q` with a marking of `O = H·m₁ ∪ … ∪ H·m_k`; `k = 1` but for rests of a decomposition.
//!
//! ```text
//! initial(q):     S = the symmetries that keep s0;  settle(q, S, {s0})
//! (q, H, M) –marks→ settle(d, K, {t})   for   q –L,marks→ d,   K = H ∧ G_L,
//!                                             one s of each K-orbit of O,   s –e→ t,   (λ(s), e) ⊨ L
//! settle(d, K, M):  H' = R_d if K ≤ R_d, else K;   the largest group that keeps H'·M, with representatives modulo it
//! ```
//!
//! Where the quotient (`sym.rs`) must give up a symmetry as soon as some guard ahead breaks it, a node here keeps what holds of its *set*: a guard splits the
//! set when it is read, and only then. It pays where formulas name single colours. Nodes are sets, so that all checks by inclusion apply.
//!
//! S. Baarir, A. Duret-Lutz, *Emptiness check of powerset Büchi automata using inclusion tests*, ACSD 2009, §6. We depart from the text where it is wrong or
//! wants more than is needed: the letter is tested on every K-orbit of the set, not on its representative; the first node is the orbit of s0 under the symmetries that
//! keep it, not under all; "the group keeps the set" is asked of the set, not of its representative; and the set is closed under R_d only where K is part of it,
//! because it need not be closed under what both generate. Two markings that R_d identifies are bisimilar from d on, so that all checks stay exact.
//!
//! Cost: a node tries one transposition for each pair of blocks and twins; a step as much as a few of the quotient's.

mod lasso;
mod node;
mod product;
mod sets;

use crate::engine::{AutomatonKind, Emptiness, Engine, Found, Needs, Procedure, Task};
use crate::explicit::{finish, synchronous};
use crate::symmetry::Locals;
use lariat_budget::{Statistic, Stop};
use lariat_emptiness::{Counts, Outcome, aec, couvreur, iec, nsiec};
use lariat_reductions::symmetry::Symmetry;
use node::{Ssp, Worker};

/// The engine of the symbolic synchronized product.
pub const SSP: Engine = Engine {
    name: "ssp",
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| Emptiness::OF_SETS,
    needs: Needs::Nothing,
    fairness: |_| None,
    has_published: false,
    procedure: Procedure::Single(decide),
};

fn decide(task: &mut Task<'_>) -> Found {
    let problem = task.problem;
    // Sets are closed under groups of colours, which can be met and compared.
    let (symmetry, colours) = match problem.symmetry {
        Some(symmetry @ Symmetry::Colours(colours)) if !symmetry.is_trivial() => {
            (symmetry, colours)
        }
        _ => return synchronous(task),
    };
    let mut locals = Locals::new(problem, symmetry, colours);
    let futures = locals.futures();
    let product = Ssp::new(
        problem,
        (symmetry, colours),
        &mut locals,
        &futures,
        task.observer,
    );
    let mut worker = product.worker(task.budget);
    let mut counts = Counts::default();
    let check = task.emptiness.unwrap_or(Emptiness::Nsiec);
    let found = conclude(task, &product, &mut worker, check, &mut counts);
    let stats = &mut task.account.stats;
    stats.set(Statistic::SYMMETRIES, symmetry.magnitude());
    stats.set(Statistic::AGGREGATES, worker.node_count());
    stats.set(Statistic::PRODUCT_STATES, counts.nodes);
    stats.set(Statistic::PRODUCT_EDGES, counts.edges);
    stats.set(Statistic::STATES, worker.states().len());
    let hits = counts.dead_inclusions + counts.active_inclusions;
    stats.set(Statistic::INCLUSIONS, hits);
    finish(task);
    found
}

fn conclude<'p>(
    task: &Task<'p>,
    product: &Ssp<'p>,
    worker: &mut Worker<'p>,
    check: Emptiness,
    counts: &mut Counts,
) -> Found {
    let found = match check {
        Emptiness::Couvreur => couvreur(product, worker, counts)?,
        Emptiness::Nsiec => nsiec(product, worker, counts)?,
        Emptiness::Iec => iec(product, worker, counts)?,
        Emptiness::Aec => aec(product, worker, counts)?,
        Emptiness::TwoPass => {
            return Err(Stop::Unsupported(
                "two passes are for single states with a testing automaton".to_owned(),
            ));
        }
    };
    match found {
        Outcome::Empty if worker.states().was_cut() => Err(Stop::Bound(
            "states with more tokens were not looked at".to_owned(),
        )),
        Outcome::Empty => Ok(Outcome::Empty),
        Outcome::Accepting(evidence) => {
            match lasso::concrete(task, product, worker, &evidence)? {
                Some(lasso) => Ok(Outcome::Accepting(lasso)),
                // Representatives are not always the same for all of an orbit: somewhere in the quotient there is a lasso.
                None => lasso::anywhere(task, product).map(Outcome::Accepting),
            }
        }
        Outcome::Undecided(evidence) => match lasso::concrete(task, product, worker, &evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None => conclude(task, product, worker, Emptiness::Nsiec, counts),
        },
    }
}
