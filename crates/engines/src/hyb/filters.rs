//! The automaton's relation as a filter of saturation and as a predicate on pairs.

use super::label_residuals::{LabelResiduals, MoveKind, ResidualQuery, Stability};
use lariat_budget::Stop;
use lariat_dd::kernel::{CacheScope, CacheScopeId, Kernel};
use lariat_dd::saturation::StepFilter;
use lariat_dd::{LevelPredicate, Residual};

/// Steps of the product.
pub struct AnyMove<'a> {
    /// The labels.
    pub labels: &'a mut LabelResiduals,
    /// [`Stability::Images`] for the product from its initial states, else [`Stability::Any`].
    pub still: Stability,
}

impl StepFilter for AnyMove<'_> {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const AUTOMATON: bool = true;

    fn scope(&self) -> CacheScopeId {
        self.labels.scope(ResidualQuery::Any).id()
    }

    #[inline]
    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        self.labels.step(residual, level, value)
    }

    fn moves(
        &mut self,
        _: &Kernel,
        residual: Residual,
        from: u32,
        to: &mut Vec<u32>,
    ) -> Result<(), Stop> {
        self.labels.any_move(MoveKind::Any, residual, from, |q| {
            to.push(q);
            false
        })?;
        Ok(())
    }

    fn is_still(&mut self, residual: Residual) -> bool {
        self.labels.is_still(residual, self.still)
    }
}

/// Steps of the product with an inner move of the automaton.
pub struct InnerMove<'a>(pub &'a mut LabelResiduals);

impl StepFilter for InnerMove<'_> {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const AUTOMATON: bool = true;

    fn scope(&self) -> CacheScopeId {
        self.0.scope(ResidualQuery::Inner).id()
    }

    #[inline]
    fn step(
        &mut self,
        _: &Kernel,
        residual: Residual,
        level: u32,
        value: u32,
    ) -> Result<Residual, Stop> {
        let rest = self.0.step(residual, level, value)?;
        Ok(if self.0.is_idle(rest) {
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
        self.0.any_move(MoveKind::Inner, residual, from, |q| {
            to.push(q);
            false
        })?;
        Ok(())
    }

    fn is_still(&mut self, residual: Residual) -> bool {
        self.0.is_still(residual, Stability::Inner)
    }
}

/// Pairs of a state and an automaton state that accepts the infinite repetition of its label.
pub struct StutterAccepting<'a>(pub &'a mut LabelResiduals);

impl LevelPredicate for StutterAccepting<'_> {
    fn scope(&self) -> &CacheScope {
        self.0.scope(ResidualQuery::Resting)
    }

    fn step(&mut self, residual: Residual, level: u32, value: u32) -> Result<Residual, Stop> {
        if level < self.0.automaton() {
            return self.0.step(residual, level, value);
        }
        Ok(if self.0.rests(residual, value) {
            Residual::TRUE
        } else {
            Residual::FALSE
        })
    }
}
