//! Automorphisms of place/transition nets: permutations of places and transitions that preserve all
//! arcs.
//!
//! The net is a graph whose vertices are places and transitions. Vertex colours encode what a
//! symmetry must preserve: stated bounds and the values of constant places, but not the marking;
//! edge labels encode arc weights. Where colour refinement (`partition.rs`) leaves several places
//! in one cell, symmetries are searched for (`search.rs`) and stored as a stabiliser chain with
//! transversals (`chain.rs`), which represents markings in one pass.
//!
//! A property restricts the group: the objects it names are coloured, and each permutation found
//! must pass its test.
//!
//! K. Schmidt, *How to calculate symmetries of Petri nets*, Acta Informatica 36, 2000. Nets without
//! symmetry cost one refinement.

mod chain;
mod partition;
mod search;
mod words;

pub use chain::Chain;
pub(super) use chain::ChainScratch;

use super::mix;
use lariat_budget::{Budget, Stop};
use lariat_model::{Action, Domain, EventId, System, VarId};
use rustc_hash::FxHashMap;

/// The image of every vertex, places before transitions.
type VertexImage<'a> = &'a [u32];

/// The symmetries of a net.
#[derive(Clone, Debug)]
pub struct Automorphisms {
    graph: VertexColouredGraph,
    chain: Chain,
}

/// A net as a graph: places, then transitions.
#[derive(Clone, Debug)]
pub(super) struct VertexColouredGraph {
    vars: u32,
    starts: Vec<u32>,
    /// Neighbours with a label for the arc weights, in increasing order per vertex.
    arcs: Vec<(u32, u32)>,
    /// Vertex colours independent of any property.
    colours: Vec<u64>,
}

impl VertexColouredGraph {
    fn new(system: &System) -> VertexColouredGraph {
        let vars = system.variables.len() as u32;
        let count = vars as usize + system.events.len();
        let mut degrees = vec![0u32; count + 1];
        let mut written = vec![false; vars as usize];
        for_each_arc(system, |event, var, _, delta| {
            degrees[(vars + event) as usize + 1] += 1;
            degrees[var as usize + 1] += 1;
            written[var as usize] |= delta != 0;
        });
        let mut starts = degrees;
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut arcs = vec![(0, 0); starts[count] as usize];
        let mut labels: FxHashMap<(i64, i64), u32> = FxHashMap::default();
        for_each_arc(system, |event, var, need, delta| {
            let known = labels.len() as u32;
            let label = *labels.entry((need, delta)).or_insert(known);
            for (from, to) in [(vars + event, var), (var, vars + event)] {
                arcs[next[from as usize] as usize] = (to, label);
                next[from as usize] += 1;
            }
        });
        for at in 0..count {
            arcs[starts[at] as usize..starts[at + 1] as usize].sort_unstable();
        }
        let colour_of_var = |var: usize| -> u64 {
            let domain = match &system.variables[var].domain {
                Domain::Count { bound: None } => 0,
                Domain::Count { bound: Some(bound) } => mix(1, *bound),
                // Does not occur in nets.
                Domain::Range { .. } | Domain::Names(_) => mix(2, var as u64),
            };
            // Isolated places could be exchanged arbitrarily, which would be useless.
            let alone = if starts[var] == starts[var + 1] {
                var as u64 + 1
            } else {
                0
            };
            let constant = if written[var] {
                0
            } else {
                (system.initial.iter()).fold(1, |hash, state| mix(hash, state[var] as u64))
            };
            mix(mix(domain, alone), constant)
        };
        let mut colours: Vec<u64> = (0..vars as usize).map(colour_of_var).collect();
        colours.resize(count, 0);
        VertexColouredGraph {
            vars,
            starts,
            arcs,
            colours,
        }
    }

    fn arcs(&self, vertex: u32) -> &[(u32, u32)] {
        let (start, end) = (
            self.starts[vertex as usize],
            self.starts[vertex as usize + 1],
        );
        &self.arcs[start as usize..end as usize]
    }

    fn vertices(&self) -> u32 {
        self.starts.len() as u32 - 1
    }
}

fn for_each_arc(system: &System, mut visit: impl FnMut(u32, u32, i64, i64)) {
    for (event, e) in (0..).zip(&system.events) {
        if let Action::Net(arcs) = &e.action {
            for arc in arcs {
                visit(event, arc.var.0, arc.need, arc.delta);
            }
        }
    }
}

/// A work limit separate from the budget, whose limits count states rather than arcs.
pub(super) struct AutomorphismLimit<'a> {
    budget: &'a Budget,
    spent: u64,
    limit: u64,
    /// Work after which the clock is read next.
    next: u64,
}

/// Arcs inspected between two polls of the budget.
const POLL_INTERVAL: u64 = 1 << 16;

impl<'a> AutomorphismLimit<'a> {
    fn new(budget: &'a Budget, limit: u64) -> AutomorphismLimit<'a> {
        AutomorphismLimit {
            budget,
            spent: 0,
            limit,
            next: POLL_INTERVAL,
        }
    }

    fn spend(&mut self, units: u64) -> Result<(), Stop> {
        self.spent += units;
        if self.spent > self.next {
            self.next = self.spent + POLL_INTERVAL;
            self.budget.check()?;
        }
        if self.spent > self.limit {
            Err(Stop::Work(self.limit))
        } else {
            Ok(())
        }
    }
}

/// Additional vertex colours of a property. Colours of one vertex are added; symmetries preserve
/// the sums.
#[derive(Clone, Debug)]
pub struct Colouring {
    vars: u32,
    colours: Vec<u64>,
}

impl Colouring {
    /// Colours a place.
    pub fn var(&mut self, var: VarId, colour: u64) {
        let colours = &mut self.colours[var.index()];
        *colours = colours.wrapping_add(colour);
    }

    /// Colours a transition.
    pub fn event(&mut self, event: EventId, colour: u64) {
        let colours = &mut self.colours[self.vars as usize + event.index()];
        *colours = colours.wrapping_add(colour);
    }
}

impl Automorphisms {
    /// Finds symmetries of a net within a work limit, perhaps not all.
    pub(super) fn find(system: &System, budget: &Budget) -> Result<Automorphisms, Stop> {
        let graph = VertexColouredGraph::new(system);
        let chain = search::search(&graph, &graph.colours, &mut |_| true, budget)?;
        Ok(Automorphisms { graph, chain })
    }

    /// The trivial symmetries of a system that is no net.
    pub(super) fn none(system: &System) -> Automorphisms {
        let vars = system.variables.len() as u32;
        Automorphisms {
            graph: VertexColouredGraph {
                vars,
                starts: vec![0; vars as usize + system.events.len() + 1],
                arcs: Vec::new(),
                colours: Vec::new(),
            },
            chain: Chain::trivial(vars),
        }
    }

    /// All known symmetries.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The colouring in which no vertex is coloured.
    pub fn colouring(&self) -> Colouring {
        Colouring {
            vars: self.graph.vars,
            colours: vec![0; self.vertices() as usize],
        }
    }

    /// Recomputes, within a work limit, the symmetries that preserve a colouring and pass a test.
    /// The permutations that pass must form a group.
    pub fn keeping(
        &self,
        colouring: &Colouring,
        mut passes: impl FnMut(&[u32]) -> bool,
        budget: &Budget,
    ) -> Result<Chain, Stop> {
        if self.chain.is_trivial() {
            return Ok(self.chain.clone());
        }
        let both = self.graph.colours.iter().zip(&colouring.colours);
        let colours: Vec<u64> = both.map(|(own, more)| mix(*own, *more)).collect();
        search::search(&self.graph, &colours, &mut passes, budget)
    }

    /// The trivial group.
    pub fn nothing(&self) -> Chain {
        Chain::trivial(self.graph.vars)
    }

    /// Number of places and transitions.
    pub fn vertices(&self) -> u32 {
        self.graph.vertices()
    }

    pub(super) fn image_of_event(&self, event: EventId, to: VertexImage<'_>) -> EventId {
        let vars = self.graph.vars;
        EventId(to[(vars + event.0) as usize] - vars)
    }
}
