//! Options of a check.

use crate::auto::Schedule;
use crate::plan::Plan;
use crate::reduce::{Quotient, ReductionChoice};
use crate::shorten::Shortening;
use lariat_engines::{EngineId, Workers};
use lariat_model::{Deadlock, Predicate};
use lariat_reductions::Rules;
use lariat_space::symbolic::OrderChoice;

/// The engine that decides, or the schedule of several.
#[derive(Clone, Debug)]
pub enum EngineChoice {
    /// Several plans, chosen by the property and the net, until one decides.
    Auto(Schedule),
    /// One plan.
    Plan(Plan),
}

impl Default for EngineChoice {
    fn default() -> EngineChoice {
        EngineChoice::Auto(Schedule::default())
    }
}

impl From<Plan> for EngineChoice {
    fn from(plan: Plan) -> EngineChoice {
        EngineChoice::Plan(plan)
    }
}

impl EngineChoice {
    /// Returns whether single states of programs are searched, by the variant that is not published.
    pub(crate) fn searches_states(&self) -> bool {
        match self {
            EngineChoice::Auto(_) => true,
            EngineChoice::Plan(plan) => plan.works_together(),
        }
    }

    /// The engine's identity.
    pub fn id(&self) -> EngineId {
        match self {
            EngineChoice::Auto(_) => EngineId::Auto,
            EngineChoice::Plan(plan) => plan.id,
        }
    }

    /// The name used on the command line.
    pub fn name(&self) -> &'static str {
        self.id().name()
    }
}

/// How properties are checked.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The engine.
    pub engine: EngineChoice,
    /// The order of the variables in decision diagrams.
    pub order: OrderChoice,
    /// The deadlock policy.
    pub deadlock: Deadlock,
    /// Reductions before the search.
    pub reduce: ReductionChoice,
    /// Whether all orders of independent steps of a program are searched: no partial-order
    /// reduction.
    pub all_orders: bool,
    /// Whether the whole product is counted after the check, which stops at the first violation.
    pub whole_product: bool,
    /// Effort spent on a shorter counterexample.
    pub shortening: Shortening,
    /// Workers with which `auto` searches the single states of one large question together. With
    /// several, the answering engine may depend on timing.
    pub workers: Workers,
    /// Claims of a program (assertions, absence of errors) that engines check in the states they
    /// visit; see [`Account::claims`](lariat_engines::Account::claims). Nets have none.
    pub claims: Vec<Predicate>,
    /// The system of representatives that is searched in place of a program.
    pub quotient: Option<Quotient>,
}

impl CheckOptions {
    /// Checks that the options are compatible; the error is a sentence for the user.
    pub fn validate(&self) -> Result<(), String> {
        let counts = match &self.engine {
            EngineChoice::Auto(_) => false,
            EngineChoice::Plan(plan) => {
                plan.validate()?;
                if plan.divides()
                    && matches!(self.reduce, ReductionChoice::Only(rules) if rules != Rules::NONE)
                {
                    return Err(format!(
                        "`{plan}` uses symmetries of the original net, which reductions do not preserve"
                    ));
                }
                plan.has_single_states()
            }
        };
        if self.whole_product && !counts {
            let name = self.engine.name();
            return Err(format!(
                "the whole product is counted by engines on single states (`explicit`, `ba`, `ta`, `tgta`), not by `{name}`"
            ));
        }
        Ok(())
    }
}
