//! The automaton's relation as a filter of saturation and as a predicate on pairs.

use super::label_residuals::{LabelResiduals, MoveKind, Question, Still};
use lariat_budget::Stop;
use lariat_dd::kernel::{Kernel, Scope, ScopeId};
use lariat_dd::saturation::Filter;
use lariat_dd::{Predicate, Residual};

/// Steps of the product.
pub struct AnyMove<'a> {
    /// The labels.
    pub labels: &'a mut LabelResiduals,
    /// [`Still::Images`] for the product from its initial states, else [`Still::Any`].
    pub still: Still,
}

impl Filter for AnyMove<'_> {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const AUTOMATON: bool = true;

    fn scope(&self) -> ScopeId {
        self.labels.scope(Question::Any).id()
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

impl Filter for InnerMove<'_> {
    const SOURCE: bool = false;
    const TARGET: bool = true;
    const AUTOMATON: bool = true;

    fn scope(&self) -> ScopeId {
        self.0.scope(Question::Inner).id()
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
        self.0.is_still(residual, Still::Inner)
    }
}

/// Pairs of a state and an automaton state that accepts the infinite repetition of its label.
pub struct Resting<'a>(pub &'a mut LabelResiduals);

impl Predicate for Resting<'_> {
    fn scope(&self) -> &Scope {
        self.0.scope(Question::Resting)
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
