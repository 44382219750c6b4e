//! Diagrams against explicit sets of vectors.

mod algebra;
mod automaton;
mod budgets;
mod events;
mod explicit;
mod fixpoints;
mod hierarchical;
mod limits;
mod workers;
