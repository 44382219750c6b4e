//! What the properties of one model share: its reachable states as sets.
//!
//! Finding an order and saturating usually costs far more than deciding one property afterwards. The
//! first engine that needs the reachable states leaves them here for the next property; residuals and
//! products of a property go with it. After an engine ran out of memory nothing is kept.

use lariat_budget::{Budget, Observer, Stats, Stop};
use lariat_engines::hyb::arrange;
use lariat_engines::hybrid::{Hybrid, explore};
use lariat_engines::{Lasso, Outcome, Problem};
use lariat_model::order::Order;
use lariat_model::{Deadlock, System};
use lariat_space::symbolic::{OrderChoice, Reached};

/// The reachable states of a model, once an engine has needed them.
pub struct Explored<'s> {
    system: &'s System,
    kept: Option<Kept<'s>>,
    arranged: Option<Arranged>,
}

/// An order, by what was chosen, and its name.
struct Arranged {
    choice: OrderChoice,
    order: Order,
    name: String,
}

struct Kept<'s> {
    order: OrderChoice,
    deadlock: Deadlock,
    /// The states, or why sets cannot hold them, ever.
    states: Result<Reached<'s>, Stop>,
}

impl<'s> Explored<'s> {
    /// Nothing is explored of `system` yet.
    pub fn new(system: &'s System) -> Explored<'s> {
        Explored {
            system,
            kept: None,
            arranged: None,
        }
    }

    /// Decides `problem`, which is about this system, with an engine on sets: in the states that are
    /// kept if they serve, otherwise in its own, which are kept instead.
    pub(crate) fn run(
        &mut self,
        hybrid: &Hybrid,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
        stats: &mut Stats,
    ) -> Result<Outcome<Lasso>, Stop> {
        let (order, deadlock) = (&hybrid.order, problem.deadlock);
        let serves = |kept: &Kept<'_>| kept.order == *order && kept.deadlock == deadlock;
        let states = match self.kept.take().filter(serves) {
            Some(kept) => kept.states,
            None => explore(self.system, order, deadlock, budget, observer),
        };
        let (found, states) = match states {
            Ok(reached) => {
                let (found, reached) = hybrid.run_in(problem, reached, budget, observer, stats);
                (found, Ok(reached))
            }
            Err(stop) => (Err(stop.clone()), Err(stop)),
        };
        let is_lasting = match (&found, &states) {
            (Err(Stop::Memory), _) => false,
            (_, Ok(_) | Err(Stop::Bound(_))) => true,
            // With another budget it may be otherwise.
            (_, Err(_)) => false,
        };
        self.kept = is_lasting.then(|| Kept {
            order: order.clone(),
            deadlock,
            states,
        });
        found
    }

    /// The order for engines that do without the reachable states: that of the states that are kept, or
    /// one that is found once.
    pub(crate) fn order(
        &mut self,
        choice: &OrderChoice,
        problem: &Problem<'_>,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(Order, String), Stop> {
        let serves = |arranged: &&Arranged| arranged.choice == *choice;
        if let Some(arranged) = self.arranged.as_ref().filter(serves) {
            return Ok((arranged.order.clone(), arranged.name.clone()));
        }
        let (order, name) = match &self.kept {
            Some(Kept {
                order,
                states: Ok(reached),
                ..
            }) if order == choice => {
                let order = reached.space.layout().order().clone();
                (order, reached.order.clone())
            }
            _ => arrange(self.system, choice, problem.deadlock, budget, observer)?,
        };
        self.arranged = Some(Arranged {
            choice: choice.clone(),
            order: order.clone(),
            name: name.clone(),
        });
        Ok((order, name))
    }

    /// Forgets everything, to make room.
    pub(crate) fn clear(&mut self) {
        self.kept = None;
    }
}
