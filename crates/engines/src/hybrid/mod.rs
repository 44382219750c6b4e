//! Engines on sets: products whose nodes hold sets of states in diagrams, and fixpoints.
//!
//! | file | what |
//! | --- | --- |
//! | `sets.rs` | the system as sets, guards as conditions on steps |
//! | `product.rs` | what a product says, and the graph that it becomes for every check |
//! | `walk.rs` | concrete lassos from abstract ones |
//! | `bcz.rs` | sets of equal label, no closure |
//! | `sog.rs` | aggregates closed under what is not observed |
//! | `sog_testing.rs` | the same, read by testing automata |
//! | `sop.rs` | the same, observing only what the automaton can still ask for |
//! | `slap.rs` | sets closed under the self-loops of the automaton |
//! | `slap_fst.rs` | and fixpoints where the automaton cannot leave |
//! | `whole.rs` | the whole product as one set per automaton state |
//! | `fixpoint.rs`, `el.rs`, `owcty.rs` | fixpoints on it, and what is asked before |
//! | `witness.rs` | a run for a fixpoint |
//!
//! Three axes are independent: the product, the emptiness check, and the order of the variables.
//! [`Hybrid`] names one choice of each. All begin with the reachable states of the system, which
//! decide the order and tell where deadlocks are; [`Hybrid::run_in`] shares them between problems.

mod bcz;
mod el;
mod fixpoint;
mod owcty;
pub mod product;
pub mod sets;
mod slap;
mod slap_fst;
mod sog;
mod sog_testing;
mod sop;
pub mod walk;
pub mod whole;
mod witness;

use crate::problem::{Problem, note_overflow};
use crate::testing::note_automaton;
use bcz::Bcz;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::{Counts, Evidence, Outcome, aec, couvreur, iec, nsiec};
use lariat_model::{Deadlock, Lasso, System};
use lariat_space::symbolic::{OrderChoice, Reach, Reached, reach};
use product::{Aggregates, Product, Worker};
use sets::Sets;
use slap::Slap;
use slap_fst::SlapFst;
use whole::Whole;

pub use fixpoint::Fixpoint;
pub use slap::Absorb;

/// Which product is searched, or which fixpoint computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Sets of equal label without closure; see `bcz.rs`.
    Bcz,
    /// The symbolic observation graph; see `sog.rs`.
    Sog,
    /// Its published form with events, for properties that do not see silent steps.
    SogPublished,
    /// The symbolic observation graph read by a testing automaton; see `sog_testing.rs`.
    SogTa,
    /// The same with a generalized testing automaton.
    SogTgta,
    /// The symbolic observation product; see `sop.rs`.
    Sop,
    /// Sets closed under self-loops of the automaton; see `slap.rs`.
    Slap(Absorb),
    /// The same with a fixpoint in terminal nodes; see `slap_fst.rs`.
    SlapFst(Absorb, Fixpoint),
    /// A fixpoint on the whole product; see `el.rs` and `owcty.rs`.
    Fixpoint(Fixpoint),
}

/// Which emptiness check searches a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Check {
    /// Equal nodes only.
    Couvreur,
    /// Inclusion in dead nodes.
    #[default]
    Nsiec,
    /// And of active nodes, taking nodes apart.
    Iec,
    /// And in active nodes; where that leaves a doubt, NSIEC decides.
    Aec,
}

/// One choice of everything.
#[derive(Clone, Debug)]
pub struct Hybrid {
    /// The product or fixpoint.
    pub method: Method,
    /// The check, where there is a product.
    pub check: Check,
    /// The order of the variables.
    pub order: OrderChoice,
}

/// The reachable states of `system`, as [`Hybrid::run_in`] wants them.
pub fn explore<'s>(
    system: &'s System,
    order: &OrderChoice,
    deadlock: Deadlock,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Reached<'s>, Stop> {
    match reach(system, order, deadlock, budget, observer)? {
        Reach::All(reached) => Ok(*reached),
        Reach::Unbounded(_) => Err(Stop::Bound(
            "the system has infinitely many states".to_owned(),
        )),
    }
}

impl Hybrid {
    /// `method` with the usual check and order.
    pub fn new(method: Method) -> Hybrid {
        Hybrid {
            method,
            check: Check::default(),
            order: OrderChoice::default(),
        }
    }

    /// Decides `problem`; see [`crate::Engine`].
    pub fn run(
        &self,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome<Lasso>, Stop> {
        let (system, deadlock) = (problem.system, problem.deadlock);
        let reached = explore(system, &self.order, deadlock, budget, observer)?;
        self.run_in(problem, reached, budget, observer, stats).0
    }

    /// Decides `problem` in the explored space of its system, and gives the space back.
    pub fn run_in<'s>(
        &self,
        problem: &Problem<'_>,
        mut reached: Reached<'s>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> (Result<Outcome<Lasso>, Stop>, Reached<'s>) {
        reached.space.set_budget(budget);
        match reached.space.overflow(&reached.states) {
            Ok(overflow) => note_overflow(stats, problem.system, overflow),
            Err(stop) => return (Err(stop), reached),
        }
        let mut sets = Sets::new(problem, reached, budget);
        stats.set("order", sets.order().to_owned());
        let found = match self.method {
            Method::Bcz => {
                let product = Bcz::new(&sets);
                self.search(product, &mut sets, budget, observer, stats)
            }
            Method::Sog | Method::SogPublished => {
                let published = self.method == Method::SogPublished;
                match sog::sog(&sets, problem.invariance, published) {
                    Ok(product) => self.search(product, &mut sets, budget, observer, stats),
                    Err(stop) => Err(stop),
                }
            }
            Method::SogTa | Method::SogTgta => {
                let make = match self.method {
                    Method::SogTa => sog_testing::sog_ta,
                    _ => sog_testing::sog_tgta,
                };
                match make(problem, budget) {
                    Ok(product) => {
                        note_automaton(stats, product.testing());
                        self.search(product, &mut sets, budget, observer, stats)
                    }
                    Err(stop) => Err(stop),
                }
            }
            Method::Sop => match sop::sop(&sets, problem.invariance) {
                Ok(product) => self.search(product, &mut sets, budget, observer, stats),
                Err(stop) => Err(stop),
            },
            Method::Slap(absorb) => {
                let product = Slap::new(&mut sets, absorb);
                self.search(product, &mut sets, budget, observer, stats)
            }
            Method::SlapFst(absorb, fixpoint) => {
                let product = SlapFst::new(&mut sets, absorb, fixpoint);
                self.search(product, &mut sets, budget, observer, stats)
            }
            Method::Fixpoint(fixpoint) => solve(&mut sets, fixpoint),
        };
        figures(&sets, budget, stats);
        (found, sets.release())
    }

    /// Searches a product and makes a lasso of what is found.
    fn search<P: Product>(
        &self,
        product: P,
        sets: &mut Sets<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome<Lasso>, Stop> {
        let (graph, mut worker) = Aggregates::new(product, sets, budget, observer);
        let mut counts = Counts::default();
        let found = decide(&graph, &mut worker, self.check, &mut counts);
        stats.set("aggregates", worker.node_count());
        stats.set("product_states", counts.nodes);
        stats.set("product_edges", worker.edge_count());
        let hits = counts.dead_inclusions + counts.active_inclusions;
        stats.set("inclusions", hits);
        found
    }
}

fn decide<'w, 's, P: Product>(
    graph: &Aggregates<'_, 'w, 's, P>,
    worker: &mut Worker<'w, 's, P>,
    check: Check,
    counts: &mut Counts,
) -> Result<Outcome<Lasso>, Stop> {
    let found = match check {
        Check::Couvreur => couvreur(graph, worker, counts)?,
        Check::Nsiec => nsiec(graph, worker, counts)?,
        Check::Iec => iec(graph, worker, counts)?,
        Check::Aec => aec(graph, worker, counts)?,
    };
    let mut lasso = |evidence: &Evidence| walk::concrete(graph, worker, evidence);
    match found {
        Outcome::Empty => Ok(Outcome::Empty),
        Outcome::Accepting(evidence) => match lasso(&evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None => Err(walk::lost()),
        },
        Outcome::Undecided(evidence) => match lasso(&evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None => decide(graph, worker, Check::Nsiec, counts),
        },
    }
}

/// A fixpoint on the whole product.
fn solve(sets: &mut Sets<'_>, fixpoint: Fixpoint) -> Result<Outcome<Lasso>, Stop> {
    let whole = Whole::new(sets);
    let initial = whole.initial(sets)?;
    let reached = whole.reach(sets, initial.clone())?;
    let fair = fixpoint.fair(sets, &whole, reached)?;
    if whole::is_empty(&fair) {
        return Ok(Outcome::Empty);
    }
    for q in sets.automaton().state_ids() {
        let (initial, fair_here) = (&initial[q.index()], &fair[q.index()]);
        let starts = sets.space.store().intersection(initial, fair_here)?;
        if let Some(start) = sets.space.pick(&starts) {
            let run = witness::run(sets, &whole, (q, start), &fair)?;
            return Ok(Outcome::Accepting(Lasso {
                initial: run.start,
                prefix: run.path,
                cycle: run.cycle,
            }));
        }
    }
    Err(walk::lost())
}

/// What the sets have counted.
fn figures(sets: &Sets<'_>, budget: &Budget, stats: &mut Stats) {
    let store = sets.space.store_figures();
    stats.set("symbolic_operations", sets.operations);
    stats.set("divergence_tests", sets.divergence_tests);
    stats.set("diagram_peak", store.peak);
    stats.set("diagram_created", store.created);
    stats.set("bytes_peak", budget.bytes_peak());
}

/// [`Method`]s with the usual check and order as [`Engine`](crate::Engine)s.
macro_rules! engines {
    ($($(#[$doc:meta])* $name:ident = $method:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(
            problem: &Problem<'_>,
            budget: &Budget,
            observer: &dyn Observer,
            stats: &mut Stats,
        ) -> Result<Outcome<Lasso>, Stop> {
            Hybrid::new($method).run(problem, budget, observer, stats)
        }
    )*};
}

engines! {
    /// [`Method::Bcz`] as an [`Engine`](crate::Engine).
    bcz = Method::Bcz;
    /// [`Method::Slap`] as an [`Engine`](crate::Engine).
    slap = Method::Slap(Absorb::All);
    /// [`Method::SlapFst`] as an [`Engine`](crate::Engine).
    slap_fst = Method::SlapFst(Absorb::All, Fixpoint::Owcty);
    /// [`Method::Sog`] as an [`Engine`](crate::Engine).
    sog = Method::Sog;
    /// [`Method::SogTa`] as an [`Engine`](crate::Engine).
    sog_ta = Method::SogTa;
    /// [`Method::SogTgta`] as an [`Engine`](crate::Engine).
    sog_tgta = Method::SogTgta;
    /// [`Method::Sop`] as an [`Engine`](crate::Engine).
    sop = Method::Sop;
    /// EL on the whole product as an [`Engine`](crate::Engine).
    el = Method::Fixpoint(Fixpoint::El);
    /// OWCTY on the whole product as an [`Engine`](crate::Engine).
    owcty = Method::Fixpoint(Fixpoint::Owcty);
}
