//! Engines on sets: products whose nodes hold sets of states in diagrams.
//!
//! | file | what |
//! | --- | --- |
//! | `sets.rs` | the system as sets, guards as conditions on steps |
//! | `product.rs` | what a product says, and the graph that it becomes for every check |
//! | `walk.rs` | concrete lassos from abstract ones |
//! | `bcz.rs` | sets of equal label, no closure |
//! | `sog.rs` | aggregates closed under what is not observed |
//! | `sop.rs` | the same, observing only what the automaton can still ask for |
//!
//! Three axes are independent: the product, the emptiness check, and the order of the variables.
//! [`Hybrid`] names one choice of each.

mod bcz;
pub mod product;
pub mod sets;
mod sog;
mod sop;
pub mod walk;

use crate::problem::Problem;
use bcz::Bcz;
use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_emptiness::{Counts, Evidence, Outcome, aec, couvreur, iec, nsiec};
use lariat_model::Lasso;
use lariat_model::order::{self, Order};
use product::{Aggregates, Product, Worker};
use sets::Sets;

/// Which product is searched, or which fixpoint computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Sets of equal label without closure; see `bcz.rs`.
    Bcz,
    /// The symbolic observation graph; see `sog.rs`.
    Sog,
    /// Its published form with events, for properties that do not see silent steps.
    SogPublished,
    /// The symbolic observation product; see `sop.rs`.
    Sop,
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

/// Which order the variables have in the diagrams.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum OrderChoice {
    /// The candidate with the best static score.
    #[default]
    Auto,
    /// This one.
    Given(Order),
}

/// One choice of everything.
#[derive(Clone, PartialEq, Debug)]
pub struct Hybrid {
    /// The product or fixpoint.
    pub method: Method,
    /// The check, where there is a product.
    pub check: Check,
    /// The order of the variables.
    pub order: OrderChoice,
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
        let order = self.order(problem, stats);
        let sets = Sets::new(problem, &order, budget)?;
        match self.method {
            Method::Bcz => {
                let product = Bcz::new(&sets);
                search(product, sets, self.check, budget, observer, stats)
            }
            Method::Sog | Method::SogPublished => {
                let product = sog::sog(&sets, self.method == Method::SogPublished)?;
                search(product, sets, self.check, budget, observer, stats)
            }
            Method::Sop => {
                let product = sop::sop(&sets)?;
                search(product, sets, self.check, budget, observer, stats)
            }
        }
    }

    fn order(&self, problem: &Problem<'_>, stats: &mut Stats) -> Order {
        match &self.order {
            OrderChoice::Given(order) => order.clone(),
            OrderChoice::Auto => match order::candidates(problem.system).into_iter().next() {
                Some(best) => {
                    stats.set("order", best.name.to_string());
                    best.order
                }
                None => Order::file(problem.system.variables.len()),
            },
        }
    }
}

/// Searches a product and makes a lasso of what is found.
fn search<'p, P: Product>(
    product: P,
    sets: Sets<'p>,
    check: Check,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    let (graph, mut worker) = Aggregates::new(product, sets, budget, observer);
    let mut counts = Counts::default();
    let found = decide(&graph, &mut worker, check, &mut counts, observer);
    stats.set("aggregates", worker.node_count());
    stats.set("product_states", counts.nodes);
    stats.set("product_edges", worker.edge_count());
    stats.set(
        "inclusions",
        counts.dead_inclusions + counts.active_inclusions,
    );
    figures(&worker.sets, budget, stats);
    found
}

fn decide<'p, P: Product>(
    graph: &Aggregates<'_, 'p, P>,
    worker: &mut Worker<'p, P>,
    check: Check,
    counts: &mut Counts,
    observer: &dyn Observer,
) -> Result<Outcome<Lasso>, Stop> {
    let found = match check {
        Check::Couvreur => couvreur(graph, worker, counts)?,
        Check::Nsiec => nsiec(graph, worker, counts)?,
        Check::Iec => iec(graph, worker, counts)?,
        Check::Aec => aec(graph, worker, counts)?,
    };
    let mut lasso = |evidence: &Evidence| {
        observer.remark("walking back to a concrete run");
        walk::concrete(graph, worker, evidence)
    };
    match found {
        Outcome::Empty => Ok(Outcome::Empty),
        Outcome::Accepting(evidence) => match lasso(&evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None => Err(walk::lost()),
        },
        Outcome::Undecided(evidence) => match lasso(&evidence)? {
            Some(lasso) => Ok(Outcome::Accepting(lasso)),
            None => decide(graph, worker, Check::Nsiec, counts, observer),
        },
    }
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

/// [`Method::Bcz`] as an [`Engine`](crate::Engine).
pub fn bcz(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    Hybrid::new(Method::Bcz).run(problem, budget, observer, stats)
}

/// [`Method::Sog`] as an [`Engine`](crate::Engine).
pub fn sog(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    Hybrid::new(Method::Sog).run(problem, budget, observer, stats)
}

/// [`Method::Sop`] as an [`Engine`](crate::Engine).
pub fn sop(
    problem: &Problem<'_>,
    budget: &Budget,
    observer: &dyn Observer,
    stats: &mut Stats,
) -> Result<Outcome<Lasso>, Stop> {
    Hybrid::new(Method::Sop).run(problem, budget, observer, stats)
}
