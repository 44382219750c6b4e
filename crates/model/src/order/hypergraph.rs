//! The hypergraph of a system, on which the ordering heuristics work.

use crate::system::System;

/// A hypergraph with the variables as vertices and, per event that reads or writes at least two of
/// them, an edge.
///
/// Both incidence directions are flat arrays with offsets, for sequential memory access. The fault
/// variable is omitted: every event reads it, so it carries no information.
#[derive(Debug)]
pub(super) struct Hypergraph {
    edges: Rows,
    incident: Rows,
}

/// Lists of numbers in compressed form.
#[derive(Debug)]
struct Rows {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    fn row(&self, i: u32) -> &[u32] {
        let i = i as usize;
        &self.items[self.start[i] as usize..self.start[i + 1] as usize]
    }

    fn len(&self) -> usize {
        self.start.len() - 1
    }
}

impl Hypergraph {
    pub(super) fn of(system: &System) -> Hypergraph {
        let mut edges = Rows {
            start: vec![0],
            items: Vec::new(),
        };
        let mut degree = vec![0u32; system.variables.len()];
        for event in &system.events {
            let mut vars = event.action.reads();
            vars.extend(event.action.writes());
            vars.retain(|v| Some(*v) != system.fault);
            vars.sort_unstable();
            vars.dedup();
            if vars.len() < 2 {
                continue;
            }
            for var in vars {
                degree[var.index()] += 1;
                edges.items.push(var.0);
            }
            edges.start.push(edges.items.len() as u32);
        }
        let mut start = Vec::with_capacity(degree.len() + 1);
        let mut sum = 0;
        start.push(0);
        for d in &degree {
            sum += d;
            start.push(sum);
        }
        let mut incident = Rows {
            items: vec![0; edges.items.len()],
            start,
        };
        let mut next = incident.start.clone();
        for edge in 0..edges.len() as u32 {
            for &var in edges.row(edge) {
                let slot = &mut next[var as usize];
                incident.items[*slot as usize] = edge;
                *slot += 1;
            }
        }
        Hypergraph { edges, incident }
    }

    pub(super) fn variables(&self) -> usize {
        self.incident.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge(&self, edge: u32) -> &[u32] {
        self.edges.row(edge)
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.edge_count() as u32).map(|e| self.edge(e))
    }

    /// The edges incident to a variable.
    pub(super) fn incident(&self, var: u32) -> &[u32] {
        self.incident.row(var)
    }
}
