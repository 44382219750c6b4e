//! Hyb-MC: builds the product by saturation and searches it for fair cycles meanwhile.
//!
//! | file | contents |
//! | --- | --- |
//! | `label_residuals.rs` | the automaton's transition relation as a residual of the state |
//! | `relations.rs` | relations on automaton states, by guards |
//! | `filters.rs` | this relation as filter and as predicate |
//! | `stability.rs` | labels that need not be read again |
//! | `steps.rs` | single steps of the product on nodes of any level |
//! | `images.rs` | images and sources as recursive calls |
//! | `asks.rs` | predicates on nodes |
//! | `search.rs` | the listener: every saturated node is searched once |
//! | `structure.rs` | levels without cycles, by the effects of events |
//! | `abstraction.rs` | cycles between the values of a node |
//! | `demands.rs` | weak fairness constraints |
//! | `fixpoint.rs` | fair cycles with a new step, by sets |
//! | `proofs.rs` | options, for measurements and the published variant |
//! | `recurring.rs` | recurring states as sets, as published |
//! | `detect.rs` | fair cycles with a new step, as published |
//! | `event_level.rs` | events as part of the state |
//! | `cap.rs` | rounds for nets that may be unbounded |
//! | `resting.rs` | runs that end in a deadlock |
//! | `composed.rs` | OWCTY and EL on the complete product, as published |
//! | `beginning.rs` | prefixes all of whose continuations are accepted |
//! | `path.rs` | paths of the product, by saturation |
//! | `lasso.rs` | concrete lassos |
//!
//! The product is a set of vectors: the components of the system in their order, and below them the
//! state of the automaton after reading the label of the state above,
//!
//! ```text
//! initial = {(s, q') | s initial, q₀ –λ(s)→ q'}     (s, q) → (s', q')   iff   s → s', q –λ(s')→ q'
//! ```
//!
//! It is the closure of the initial pairs by saturation, with the automaton as the filter's last
//! level and `search.rs` as listener. The first fair cycle ends it, so the unexplored part may even
//! be infinite. Nets that may be unbounded are explored in rounds. Weak fairness constraints are
//! stages of the fixpoint, in any number (`demands.rs`).
//!
//! V. Molnár, A. Vörös, D. Darvas, T. Bartha, I. Majzik, *Component-wise incremental LTL model
//! checking*, Formal Aspects of Computing 28 (2016). Deviations: the first label is read
//! explicitly, predicates range over any components, and there are several marks, on edges.
//!
//! *As published*, the automaton is a Büchi automaton with marks on states, recurring states are
//! collected as sets, and the paper's fixpoint begins with them. Three proofs of our own are
//! disabled: by structure, by the automaton, and that labels need not be read again. Errors of the
//! paper are corrected (`detect.rs`). Events as part of the state, rounds, deadlocks and prefixes
//! have no counterpart in the paper and stay enabled.

mod abstraction;
mod asks;
mod beginning;
mod cap;
mod composed;
mod demands;
mod detect;
mod event_level;
mod filters;
mod fixpoint;
mod images;
mod label_residuals;
mod lasso;
mod path;
mod proofs;
mod recurring;
mod relations;
mod resting;
mod search;
mod stability;
mod steps;
mod structure;

use crate::engine::{AutomatonKind, Engine, Found, Needs, Procedure, Task, Variant};
use crate::engine_id::EngineId;
use crate::problem::Problem;
use crate::runs::{Passage, plain_run};
use crate::sets::fixpoint::Fixpoint;
use crate::sets::walk::lost;
use beginning::Forever;
use cap::overflows;
use demands::{DemandId, Demands};
use event_level::EventLevelProblem;
use filters::AnyMove;
use fixpoint::{CycleQuery, NewSteps, fair};
use images::ImageContext;
use label_residuals::{LabelResiduals, MoveKind, MoveOptions, Stability};
use lariat_automata::accepting_forever;
use lariat_budget::{Budget, Observer, Progress, RunContext, Statistic, Stats, Stop};
use lariat_dd::kernel::DdNode;
use lariat_dd::{Set, Store};
use lariat_emptiness::Outcome;
use lariat_model::{Lasso, Strength};
use lariat_space::symbolic::{LevelLayout, Symbolic};
use lasso::HybWalk;
use path::{PathGoal, Walk};
use resting::{DeadlockWatch, resting};
use search::{CycleListener, HybCounts, HybEvidence};
use std::time::Duration;
use steps::{NodePosition, ProductSteps};
use structure::cyclic_levels;

pub(crate) use cap::first_cap;
pub use composed::{EL_COMPOSED, OWCTY_COMPOSED};
use proofs::HybOptions;
pub use proofs::{AbsenceProof, AbsenceProofs, Recurring};

/// Hyb-MC, the component-wise engine.
pub const HYB: Engine = Engine {
    id: EngineId::Hyb,
    automata: &[AutomatonKind::Tgba, AutomatonKind::Ba],
    checks: |_| &[],
    needs: Needs::Nothing,
    fairness: |_| Some(Strength::Weak),
    has_published: true,
    procedure: Procedure::Hyb(|task, space| {
        let search = CycleSearch::Incremental(options(task.variant));
        search_product(task, space, search)
    }),
};

/// The search for fair cycles.
#[derive(Clone, Copy)]
enum CycleSearch {
    /// Node by node, while the product is built.
    Incremental(HybOptions),
    /// By a fixpoint on the complete product.
    Whole(Fixpoint),
}

impl CycleSearch {
    fn proofs(self) -> AbsenceProofs {
        match self {
            CycleSearch::Incremental(options) => options.proofs,
            CycleSearch::Whole(_) => AbsenceProofs::without(&AbsenceProof::ALL),
        }
    }
}

/// Returns the enabled proofs and the form of recurring states.
fn options(variant: Variant) -> HybOptions {
    if variant.published {
        HybOptions {
            proofs: variant.proofs.published(),
            recurring: Recurring::Sets,
        }
    } else {
        HybOptions {
            proofs: variant.proofs,
            recurring: variant.recurring,
        }
    }
}

/// Reports the beginning of a phase.
fn enter(observer: &dyn Observer, phase: &'static str) {
    observer.progress(Progress::new(phase, &[]));
}

/// The product of a problem, before exploration.
struct Product<'p> {
    problem: &'p Problem<'p>,
    layout: LevelLayout,
    store: Store,
    labels: LabelResiduals,
    steps: ProductSteps,
    demands: Demands,
    initial: Set,
    /// True if dead states stutter.
    stutters: bool,
}

/// Decides a task on the system under a variable order.
fn search_product(task: &mut Task<'_>, space: &Symbolic<'_>, search: CycleSearch) -> Found {
    if !task.problem.reads_events() {
        return in_rounds(task, space, None, search);
    }
    let event_level = EventLevelProblem::new(task.problem, space.layout().order())?;
    let problem = event_level.problem(task.problem);
    let found = in_rounds(&mut task.about(&problem), space, Some(&event_level), search)?;
    Ok(found.map(|lasso| event_level.lift(lasso)))
}

/// Decides a task in as many rounds as needed, with the steps of `space`.
fn in_rounds(
    task: &mut Task<'_>,
    space: &Symbolic<'_>,
    event_level: Option<&EventLevelProblem>,
    search: CycleSearch,
) -> Found {
    enter(task.observer, "product");
    let mut cap = first_cap(task.problem.system);
    let mut figures = Figures::default();
    let found = loop {
        let moves = MoveOptions {
            cap,
            proofs: search.proofs(),
        };
        let found = round(task, space, event_level, (moves, search), &mut figures);
        match found {
            Ok(None) => cap = cap.saturating_mul(2),
            Ok(Some(outcome)) => break Ok(outcome),
            Err(stop) => break Err(stop),
        }
    };
    figures.enter(&mut task.account.stats);
    let bytes = task.budget.bytes_peak();
    task.account.stats.set(Statistic::BYTES_PEAK, bytes);
    found
}

/// Makes one round with values up to a cap; `None` if no run was found but steps were omitted.
fn round(
    task: &Task<'_>,
    space: &Symbolic<'_>,
    event_level: Option<&EventLevelProblem>,
    (moves, search): (MoveOptions, CycleSearch),
    figures: &mut Figures,
) -> Result<Option<Outcome<Lasso>>, Stop> {
    let ctx = RunContext::new(task.budget, task.observer);
    let mut product = Product::new(task.problem, space, event_level, moves, task.budget)?;
    let found = match search {
        CycleSearch::Incremental(options) => product.decide(options, ctx, figures),
        CycleSearch::Whole(fixpoint) => product.decide_whole(fixpoint, ctx, figures),
    };
    figures.rounds += 1;
    let store = product.store.figures();
    figures.peak = figures.peak.max(store.peak);
    figures.created += store.created;
    figures.lookups += store.lookups;
    figures.hits += store.hits;
    found
}

/// Statistics of all rounds.
#[derive(Default)]
struct Figures {
    rounds: u64,
    counts: HybCounts,
    time: Duration,
    peak: usize,
    created: u64,
    lookups: u64,
    hits: u64,
}

impl Figures {
    fn enter(&self, stats: &mut Stats) {
        self.counts.enter(stats);
        stats.set(Statistic::ROUNDS, self.rounds);
        stats.set(Statistic::PRODUCT_SECONDS, self.time.as_secs_f64());
        let share = self.counts.time.as_secs_f64() / self.time.as_secs_f64().max(1e-9);
        stats.set(Statistic::SCC_SHARE, share.min(1.0));
        stats.set(Statistic::DIAGRAM_PEAK, self.peak);
        stats.set(Statistic::DIAGRAM_CREATED, self.created);
        stats.set(Statistic::CACHE_LOOKUPS, self.lookups);
        stats.set(Statistic::CACHE_HITS, self.hits);
    }
}

impl<'p> Product<'p> {
    fn new(
        problem: &'p Problem<'p>,
        space: &Symbolic<'_>,
        event_level: Option<&EventLevelProblem>,
        moves: MoveOptions,
        budget: &Budget,
    ) -> Result<Product<'p>, Stop> {
        let layout = event_level
            .map_or(space.layout(), EventLevelProblem::layout)
            .clone();
        if layout.levels() == 0 {
            // The automaton would be the only level, and the top of every event.
            return Err(Stop::Unsupported(
                "hyb needs variables, and the model has none".to_owned(),
            ));
        }
        let mut store = Store::new(layout.levels() + 1, budget)?;
        let events = match event_level {
            Some(event_level) => event_level.events(space, &mut store)?,
            None => space.events_in(&mut store, |_| None)?,
        };
        let alive = match event_level {
            Some(event_level) => event_level.alive(space, &mut store)?,
            None => events.iter().map(|(_, event)| *event).collect(),
        };
        let labels = LabelResiduals::new(problem, space, &layout, moves, &mut store, budget)?;
        let steps = ProductSteps::new(&mut store, &events, &alive)?;
        let scope = store.scope();
        let demands = Demands::new(problem, space, &layout, &steps, scope, budget)?;
        let mut vectors = Vec::new();
        for state in &problem.system.initial {
            let values = layout.encode_state(problem.system, state)?;
            for q in labels.first(problem, state) {
                let mut vector = values.clone();
                vector.push(q);
                vectors.push(vector);
            }
        }
        let initial = store.from_vectors(&vectors)?;
        Ok(Product {
            problem,
            layout,
            store,
            labels,
            steps,
            demands,
            initial,
            stutters: space.has_stutter_loops(),
        })
    }

    /// Makes one round; `None` if no run was found but steps were omitted.
    fn decide(
        &mut self,
        options: HybOptions,
        ctx: RunContext<'_>,
        figures: &mut Figures,
    ) -> Result<Option<Outcome<Lasso>>, Stop> {
        let RunContext { budget, observer } = ctx;
        let watch = DeadlockWatch {
            initial: match &self.problem.system.initial[..] {
                [one] if self.stutters => Some(self.layout.encode_state(self.problem.system, one)?),
                _ => None,
            },
        };
        let cyclic = if options.proofs.structure {
            cyclic_levels(self.problem.system, &self.layout, &self.steps)
        } else {
            vec![true; self.layout.levels()]
        };
        let demands = &mut self.demands;
        let mut search = CycleListener::new(&self.steps, demands, options, cyclic, watch, budget);
        search.counts = figures.counts;
        let start = budget.elapsed();
        let root = self.labels.root;
        let saturated = self.store.saturate_with(
            &self.steps.all,
            &self.initial,
            &mut AnyMove {
                labels: &mut self.labels,
                still: Stability::Images,
            },
            root,
            &mut search,
        );
        figures.time += budget.elapsed() - start;
        figures.counts = search.counts;
        let (top, suspects) = (search.top, search.suspects);
        // No node was created since the listener stopped, so the nodes that it found still exist.
        let found = match (saturated?, search.found) {
            (
                None,
                Some(HybEvidence::Cycle {
                    at,
                    new,
                    met,
                    reached,
                }),
            ) => {
                let reached = self.store.wrap(reached);
                enter(observer, "lasso");
                return self.cycle(at, &new, &met, &reached, top).map(Some);
            }
            (None, Some(HybEvidence::Rest(ends))) => self.store.wrap(ends),
            (None, None) => {
                return Err(Stop::Internal(
                    "the listener stopped without evidence".to_owned(),
                ));
            }
            (Some(all), _) => match self.deadlock_ends(&all)? {
                Some(ends) => ends,
                None => {
                    if let Some(reached) = self.fair_cycles(&all, suspects)? {
                        enter(observer, "lasso");
                        let (at, which) = (self.root(), self.demands.all());
                        let found = self.cycle(at, &NewSteps::Any, &which, &reached, top);
                        return found.map(Some);
                    }
                    let Some(ends) = self.prefixes(&all)? else {
                        return self.conclude_empty(&all);
                    };
                    enter(observer, "prefix");
                    let walk = self.prefix(top, PathGoal::In(ends.node()))?;
                    return Ok(Some(self.lasso(&walk, Vec::new())));
                }
            },
        };
        enter(observer, "lasso");
        self.resting_in(top, &found).map(Some)
    }

    /// Returns a run that ends in one of these deadlocks and stutters there.
    fn resting_in(&mut self, top: u32, ends: &Set) -> Result<Outcome<Lasso>, Stop> {
        let walk = self.prefix(top, PathGoal::In(ends.node()))?;
        let rest = Passage {
            event: None,
            state: self.state(&walk.end()),
        };
        Ok(self.lasso(&walk, vec![rest]))
    }

    /// Returns the ends of accepted runs with a deadlock in the complete product.
    fn deadlock_ends(&mut self, all: &Set) -> Result<Option<Set>, Stop> {
        if !self.stutters {
            return Ok(None);
        }
        let (labels, node) = (&mut self.labels, all.node());
        let (steps, demands) = (&self.steps, &mut self.demands);
        let ends = self
            .store
            .run(|kernel| resting(kernel, labels, steps, demands, node))?;
        Ok(ends.filter(|ends| !ends.is_empty()))
    }

    /// Returns the position before any level is read.
    fn root(&self) -> NodePosition {
        NodePosition {
            level: 0,
            residual: self.labels.root,
        }
    }

    /// Searches the complete product for fair cycles if the listener has suspected one.
    fn fair_cycles(&mut self, all: &Set, suspects: bool) -> Result<Option<Set>, Stop> {
        if !suspects {
            return Ok(None);
        }
        let (at, which) = (self.root(), self.demands.all());
        let mut by = ImageContext::new(&self.steps, &mut self.labels, MoveKind::Inner);
        let mut wanted = CycleQuery {
            new: &NewSteps::Any,
            demands: &mut self.demands,
            which: &which,
        };
        let node = all.node();
        let reached = self
            .store
            .run(|kernel| fair(kernel, &mut by, &mut wanted, node, at))?;
        Ok(reached.filter(|reached| !reached.is_empty()))
    }

    /// Returns the ends of prefixes that are evidence.
    fn prefixes(&mut self, all: &Set) -> Result<Option<Set>, Stop> {
        if !self.problem.takes_prefixes() {
            return Ok(None);
        }
        let mut forever = Forever {
            scope: self.store.scope(),
            automaton: self.labels.automaton,
            states: accepting_forever(self.problem.automaton),
        };
        let ends = self.store.select(all, &mut forever, Forever::ROOT)?;
        Ok((!ends.is_empty()).then_some(ends))
    }

    /// Returns the result of a search that has found no run in the explored part.
    fn conclude_empty(&mut self, all: &Set) -> Result<Option<Outcome<Lasso>>, Stop> {
        let Some(cap) = self.labels.cut() else {
            return Ok(Some(Outcome::Empty));
        };
        let (steps, node) = (&self.steps, all.node());
        let mut complete = false;
        self.store.run(|kernel| {
            complete = !overflows(kernel, steps, cap, node)?;
            Ok(DdNode::EMPTY)
        })?;
        Ok(complete.then_some(Outcome::Empty))
    }

    /// Returns the lasso of a fair cycle in a node.
    fn cycle(
        &mut self,
        at: NodePosition,
        new: &NewSteps,
        which: &[DemandId],
        reached: &Set,
        top: u32,
    ) -> Result<Outcome<Lasso>, Stop> {
        let mut cycle = None;
        let mut walker = HybWalk {
            labels: &mut self.labels,
            steps: &self.steps,
            top,
        };
        let mut wanted = CycleQuery {
            new,
            demands: &mut self.demands,
            which,
        };
        let end = self.store.run(|kernel| {
            let walk = walker.cycle(kernel, &mut wanted, reached.node(), at)?;
            let end = kernel.chain_of(&walk.start)?;
            cycle = Some(walk);
            Ok(end)
        })?;
        let (Some(cycle), Some(end)) = (cycle, end) else {
            return Err(lost());
        };
        let prefix = self.prefix(top, PathGoal::Ending(end.node(), at))?;
        // The levels above the node do not change on the cycle.
        let above = prefix.end()[..at.level as usize].to_vec();
        Ok(self.lasso(&prefix, self.steps(&above, &cycle)))
    }

    fn prefix(&mut self, top: u32, goal: PathGoal<'_>) -> Result<Walk, Stop> {
        let mut found = None;
        let initial = self.initial.node();
        let mut walker = HybWalk {
            labels: &mut self.labels,
            steps: &self.steps,
            top,
        };
        self.store.run(|kernel| {
            found = Some(walker.prefix(kernel, initial, goal)?);
            Ok(DdNode::EMPTY)
        })?;
        found.ok_or_else(lost)
    }

    /// Decodes the system's state of a product vector.
    fn state(&self, vector: &[u32]) -> lariat_model::State {
        self.layout.decode_state(&vector[..self.layout.levels()])
    }

    /// Returns the steps of a walk on the levels below some values that do not change.
    fn steps(&self, above: &[u32], walk: &Walk) -> Vec<Passage> {
        let mut steps = Vec::with_capacity(walk.hops.len());
        walk.follow(|event, suffix| {
            steps.push(Passage {
                event: Some(event),
                state: self.state(&[above, suffix].concat()),
            });
        });
        steps
    }

    fn lasso(&self, prefix: &Walk, cycle: Vec<Passage>) -> Outcome<Lasso> {
        let initial = self.state(&prefix.start);
        Outcome::Accepting(plain_run(initial, self.steps(&[], prefix), cycle))
    }
}
