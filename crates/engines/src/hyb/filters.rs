//! The automaton's relation as a filter of saturation and as a predicate on pairs.

use super::label_residuals::{LabelResiduals, MoveKind, Stability};
use lariat_budget::Stop;
use lariat_dd::kernel::{CacheScope, CacheScopeId, Kernel};
use lariat_dd::saturation::StepFilter;
use lariat_dd::{LevelPredicate, Residual};

/// Steps of the product; if `INNER`, those with an inner move of the automaton.
pub struct ProductMoves<'a, const INNER: bool> {
    pub labels: &'a mut LabelResiduals,
    /// [`Stability::Images`] for the product from its initial states, [`Stability::Inner`] for
    /// inner moves, else [`Stability::Any`].
    pub still: Stability,
}

pub type AnyMove<'a> = ProductMoves<'a, false>;
pub type InnerMove<'a> = ProductMoves<'a, true>;

impl<const INNER: bool> StepFilter for ProductMoves<'_, INNER> {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const AUTOMATON: bool = true;

    fn scope(&self) -> CacheScopeId {
        if INNER {
            self.labels.inner_scope.id()
        } else {
            self.labels.any_scope.id()
        }
    }

    #[inline]
    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        let rest = self.labels.step(residual, level, value)?;
        Ok(if INNER && self.labels.is_idle(rest) {
            Residual::FALSE
        } else {
            rest
        })
    }

    fn moves(
        &mut self,
        _: &Kernel,
        residual: Residual,
        from: u32,
        to: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        let kind = if INNER {
            MoveKind::Inner
        } else {
            MoveKind::Any
        };
        self.labels.any_move(kind, residual, from, |q| {
            to.push(q);
            false
        })?;
        Ok(())
    }

    fn is_still(&mut self, residual: Residual) -> bool {
        self.labels.is_still(residual, self.still)
    }
}

/// Pairs of a state and an automaton state that accepts the infinite repetition of its label.
pub struct StutterAccepting<'a>(pub &'a mut LabelResiduals);

impl LevelPredicate for StutterAccepting<'_> {
    fn scope(&self) -> &CacheScope {
        &self.0.resting_scope
    }

    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        if level < self.0.automaton {
            return self.0.step(residual, level, value);
        }
        Ok(if self.0.rests(residual, value) {
            Residual::TRUE
        } else {
            Residual::FALSE
        })
    }
}
