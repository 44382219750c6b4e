//! Candidate variable orders for decision diagrams.
//!
//! The variable order determines the size of a diagram by orders of magnitude. No heuristic
//! dominates, and the direction matters too: orders of equal span may differ widely from their
//! reverses. So this module computes *candidates*, ranked by a static score, and leaves the choice
//! to `lariat-space`, which tries them under small budgets.
//!
//! Heuristics see a system as a hypergraph: variables, and per event the set of variables it reads
//! or writes. So nets, programs and tables are ordered alike.

mod force;
mod hypergraph;
mod name;
mod noack;
mod rcm;
mod score;
mod units;

pub use name::{Heuristic, OrderDirection, OrderName};

use crate::system::{System, VarId};
use hypergraph::Hypergraph;
use std::cell::OnceCell;

/// A level of a diagram: 0 is the top, where the root is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Level(pub u32);

impl Level {
    /// The position of this level in an array over all levels.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A bijection between the variables of a system and the levels of a diagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    var_at: Box<[VarId]>,
    level_of: Box<[Level]>,
}

impl Order {
    /// The order that lists the variables from the top level down; `None` unless `vars` is a
    /// permutation.
    pub fn from_top(vars: Vec<VarId>) -> Option<Order> {
        let unset = Level(u32::MAX);
        let mut level_of = vec![unset; vars.len()];
        for (level, var) in vars.iter().enumerate() {
            let slot = level_of.get_mut(var.index())?;
            if *slot != unset {
                return None;
            }
            *slot = Level(level as u32);
        }
        Some(Order {
            var_at: vars.into(),
            level_of: level_of.into(),
        })
    }

    /// The order in which the system lists its variables, the first at the top.
    pub fn file(variables: usize) -> Order {
        let n = variables as u32;
        Order {
            var_at: (0..n).map(VarId).collect(),
            level_of: (0..n).map(Level).collect(),
        }
    }

    /// The reverse order.
    #[must_use]
    pub fn reversed(&self) -> Order {
        let n = self.var_at.len() as u32;
        Order {
            var_at: self.var_at.iter().rev().copied().collect(),
            level_of: self.level_of.iter().map(|l| Level(n - 1 - l.0)).collect(),
        }
    }

    /// The number of levels.
    pub fn len(&self) -> usize {
        self.var_at.len()
    }

    /// Returns whether there is no level.
    pub fn is_empty(&self) -> bool {
        self.var_at.is_empty()
    }

    /// The variable at a level.
    pub fn var(&self, level: Level) -> VarId {
        self.var_at[level.index()]
    }

    /// The level of a variable.
    pub fn level(&self, var: VarId) -> Level {
        self.level_of[var.index()]
    }

    /// The variables from the top level down.
    pub fn vars(&self) -> &[VarId] {
        &self.var_at
    }
}

/// A named order with its static score.
#[derive(Clone, PartialEq, Debug)]
pub struct ScoredOrder {
    /// The heuristic and direction.
    pub name: OrderName,
    /// The order.
    pub order: Order,
    /// The weighted event span, smaller is better; a ranking only.
    pub score: f64,
}

/// The order with this name; `None` if the system lacks the units that the heuristic needs.
pub fn named(system: &System, name: OrderName) -> Option<Order> {
    let sequences = Sequences::of(system);
    let sequence = sequences.sequence(name.heuristic)?;
    sequences.directed(&sequence, name.direction)
}

/// All distinct candidates other than the file order, best score first.
pub fn candidates(system: &System) -> Vec<ScoredOrder> {
    let sequences = Sequences::of(system);
    let mut all: Vec<ScoredOrder> = Vec::new();
    for heuristic in Heuristic::ALL {
        let Some(sequence) = sequences.sequence(heuristic) else {
            continue;
        };
        for name in OrderName::both(heuristic) {
            let Some(order) = sequences.directed(&sequence, name.direction) else {
                continue;
            };
            if all.iter().all(|c| c.order != order) {
                let score = score::weighted_event_span(&sequences.graph, &order);
                all.push(ScoredOrder { name, order, score });
            }
        }
    }
    // The file order takes part in the comparison, which removes candidates equal to it.
    all.retain(|c| c.name != OrderName::FILE);
    all.sort_by(|a, b| a.score.total_cmp(&b.score));
    all
}

/// The weighted event span of an order, as in [`ScoredOrder::score`].
pub fn score(system: &System, order: &Order) -> f64 {
    score::weighted_event_span(&Hypergraph::of(system), order)
}

/// The sequences of one system, with intermediate results shared between heuristics.
struct Sequences<'a> {
    system: &'a System,
    graph: Hypergraph,
    /// FORCE from the file order, used by two heuristics.
    force: OnceCell<Vec<VarId>>,
}

impl Sequences<'_> {
    fn of(system: &System) -> Sequences<'_> {
        Sequences {
            system,
            graph: Hypergraph::of(system),
            force: OnceCell::new(),
        }
    }

    fn force(&self) -> &Vec<VarId> {
        let start = || force::force(&self.graph, self.file());
        self.force.get_or_init(start)
    }

    fn file(&self) -> Vec<VarId> {
        self.system.var_ids().collect()
    }

    fn sequence(&self, heuristic: Heuristic) -> Option<Vec<VarId>> {
        let graph = &self.graph;
        Some(match heuristic {
            Heuristic::File => self.file(),
            Heuristic::Force => self.force().clone(),
            Heuristic::RcmForce => force::force(graph, rcm::reverse_cuthill_mckee(graph)),
            Heuristic::Noack => noack::noack(graph),
            Heuristic::Units if self.system.units.len() < 2 => return None,
            Heuristic::Units => units::units(self.system, self.force()),
        })
    }

    /// The order of a sequence. The fault variable, which every event reads, is placed at the
    /// bottom, where it does not raise the tops of events.
    fn directed(&self, sequence: &[VarId], direction: OrderDirection) -> Option<Order> {
        let mut vars = sequence.to_vec();
        if direction == OrderDirection::Up {
            vars.reverse();
        }
        if let Some(fault) = self.system.fault {
            vars.retain(|v| *v != fault);
            vars.push(fault);
        }
        Order::from_top(vars)
    }
}

#[cfg(test)]
mod tests;
