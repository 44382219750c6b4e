//! Interface to the linear-programming library; no other file depends on it.
//!
//! A [`LinearProgram`] is
//!
//! ```text
//! minimise c·v   where   A·v <= b,  0 <= v <= upper
//! ```
//!
//! and [`LinearProgram::minimise`] returns a point near an optimum, or `None` for "not known". No
//! fact depends on the numbers: callers round them to integers and check those exactly. A solver
//! that errs or gives up therefore loses a fact and never makes a verdict wrong.
//!
//! The solver is a simplex method that can be interrupted only by the clock, so it runs in time
//! slices. Between slices the budget is polled and pivots are counted. An answer that took too many
//! pivots is discarded even if the last slice found it: results depend on counted work alone.

use lariat_budget::{Budget, Lease, Stop};
use microlp::{ComparisonOp, OptimizationDirection, Problem, ResumeOptions, SolveOptions};
use std::time::Duration;

/// Length of the first slice; slices double, because resuming has a fixed cost.
const SLICE: Duration = Duration::from_millis(20);

/// Pivots times matrix entries per unit of work.
const STEPS_PER_UNIT: u64 = 1024;

/// Units charged for a program before its first pivot.
const UNITS_PER_PROGRAM: u64 = 16;

/// Bytes per matrix entry, column or row, including the factorisation.
const BYTES_PER_ENTRY: usize = 128;

/// A program under construction, whose memory is leased, with that of the solver.
#[derive(Debug)]
pub(crate) struct LinearProgram<'b> {
    budget: &'b Budget,
    lease: Lease,
    costs: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<(Vec<(usize, f64)>, f64)>,
    entries: usize,
}

impl<'b> LinearProgram<'b> {
    /// A program without variables.
    pub fn new(budget: &'b Budget) -> LinearProgram<'b> {
        LinearProgram {
            budget,
            lease: budget.lease(),
            costs: Vec::new(),
            upper: Vec::new(),
            rows: Vec::new(),
            entries: 0,
        }
    }

    /// Adds a variable `0 <= v <= upper` with the given cost; returns its index.
    pub fn column(&mut self, cost: f64, upper: f64) -> usize {
        self.costs.push(cost);
        self.upper.push(upper);
        self.costs.len() - 1
    }

    /// Adds the constraint `Σ a·v <= most`; no variable occurs twice.
    pub fn row(&mut self, terms: Vec<(usize, f64)>, most: f64) -> Result<(), Stop> {
        self.entries += terms.len();
        self.rows.push((terms, most));
        let bytes = self.bytes();
        if bytes as u64 > self.lease.bytes() {
            self.budget.check()?;
            self.lease.resize(bytes.saturating_add(bytes / 4))?;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.size().saturating_mul(BYTES_PER_ENTRY)
    }

    /// Elementary steps per pivot.
    fn size(&self) -> usize {
        self.entries + self.rows.len() + self.costs.len()
    }

    /// Values near an optimum; `None` without one, or if it takes more than `most` units of work.
    pub fn minimise(&mut self, most: u64) -> Result<Option<Vec<f64>>, Stop> {
        let budget = self.budget;
        budget.check()?;
        self.lease.resize(self.bytes())?;
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let columns: Vec<_> = (self.costs.iter().zip(&self.upper))
            .map(|(cost, upper)| problem.add_var(*cost, (0.0, *upper)))
            .collect();
        for (terms, most) in &self.rows {
            let terms: Vec<_> = terms.iter().map(|(v, a)| (columns[*v], *a)).collect();
            problem.add_constraint(&terms[..], ComparisonOp::Le, *most);
        }
        let mut slice = within(SLICE, budget);
        let mut options = SolveOptions::default();
        options.time_limit = Some(slice);
        let mut outcome = problem.solve_with(options);
        loop {
            // Infeasible, unbounded or numerically unstable: nothing is known.
            let Ok(reached) = outcome else {
                budget.spend(self.units(1))?;
                return Ok(None);
            };
            let units = self.units(reached.stats().lp_iterations);
            if units > most || reached.is_optimal() {
                budget.spend(units)?;
                let values =
                    |s: &microlp::Solution| columns.iter().map(|v| s.var_value(*v)).collect();
                return Ok(reached.solution().filter(|_| units <= most).map(values));
            }
            budget.check()?;
            slice = within(slice.saturating_mul(2), budget);
            let mut options = ResumeOptions::default();
            options.time_limit = Some(slice);
            outcome = reached.resume_with(options);
        }
    }

    fn units(&self, pivots: u64) -> u64 {
        UNITS_PER_PROGRAM + pivots.saturating_mul(self.size() as u64) / STEPS_PER_UNIT
    }
}

fn within(slice: Duration, budget: &Budget) -> Duration {
    budget.time_left().map_or(slice, |left| left.min(slice))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min −x − 2y with x + y <= 4, y <= 3, x >= 0
    fn small(budget: &Budget) -> LinearProgram<'_> {
        let mut program = LinearProgram::new(budget);
        let x = program.column(-1.0, f64::INFINITY);
        let y = program.column(-2.0, 3.0);
        program.row(vec![(x, 1.0), (y, 1.0)], 4.0).unwrap();
        program
    }

    #[test]
    fn an_optimum_is_found() {
        let budget = Budget::unlimited();
        let found = small(&budget).minimise(100).unwrap();
        let found = found.unwrap();
        assert!((found[0] - 1.0).abs() < 1e-6 && (found[1] - 3.0).abs() < 1e-6);
    }

    #[test]
    fn without_an_optimum_nothing_is_known() {
        let budget = Budget::unlimited();
        let mut program = small(&budget);
        program.column(-1.0, f64::INFINITY);
        assert_eq!(program.minimise(100), Ok(None));
        let mut program = small(&budget);
        program.row(vec![(0, 1.0)], -1.0).unwrap();
        assert_eq!(program.minimise(100), Ok(None));
    }

    #[test]
    fn limits_are_kept() {
        let budget = Budget::unlimited();
        assert_eq!(small(&budget).minimise(0), Ok(None));
        let none = Budget::unlimited().with_work(0);
        assert_eq!(small(&none).minimise(100), Err(Stop::Work(0)));
        let row = |budget: &Budget| LinearProgram::new(budget).row(vec![(0, 1.0)], 1.0);
        let past = Budget::unlimited().with_deadline(Duration::ZERO);
        assert_eq!(row(&past), Err(Stop::Time));
        assert_eq!(row(&Budget::bytes(10)), Err(Stop::Memory));
    }
}
