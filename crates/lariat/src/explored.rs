//! What the properties of a model share: facts, reachable states as sets, and variable orders.
//!
//! Finding an order and saturating usually costs far more than deciding one property afterwards. What was found is kept
//! here, for every system by itself: passes make several of one model. Nothing here runs an engine. What could not
//! be found is remembered with the means that there were, and not sought again with the same or less.
//!
//! Threads that answer several questions about one model have one each, because a diagram store belongs to one thread. What is known without states is found
//! once for all of them ([`InCommon`]).

use crate::subject::Subject;
use lariat_budget::{Budget, Observer, Progress, Stop};
use lariat_model::{Deadlock, System, VarId};
use lariat_parallel::Common;
use lariat_reductions::Systems;
use lariat_reductions::symmetry::{Symmetry, detect};
use lariat_space::symbolic::{
    Arrangement, OrderChoice, Reach, Reached, Symbolic, Unreached, arrange, reach,
};
use lariat_structural::{Answers, Facts};
use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// What was explored of the systems of one model.
pub struct Explored<'s> {
    systems: &'s Systems,
    known: Vec<Known<'s>>,
    in_common: InCommon<'s>,
}

/// What several threads that explore one model find in common, the same to all clones: symmetries, and what linear programs say. Whoever asks for what another one is looking for waits,
/// some tenths of a second at most: both are cut short by counted work.
#[derive(Clone, Default)]
pub struct InCommon<'s> {
    symmetries: Common<Identity<'s>, Arc<Symmetry<'s>>>,
    answers: Common<Identity<'s>, Answers>,
}

/// A system, and no other that equals it.
#[derive(Clone, Copy)]
struct Identity<'s>(&'s System);

impl PartialEq for Identity<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Identity<'_> {}

impl Hash for Identity<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// What was explored of one system.
struct Known<'s> {
    system: &'s System,
    facts: Option<Facts>,
    states: Option<Sought<'s>>,
    arranged: Option<Arranged<'s>>,
}

/// The reachable states, or why they were not found.
struct Sought<'s> {
    asked: Asked,
    found: Result<States<'s>, Stop>,
    /// What there was to find them.
    given: Means,
}

/// A space under an order, for engines that need no states.
struct Arranged<'s> {
    asked: Asked,
    space: Symbolic<'s>,
    name: String,
    /// The work that finding the order was allowed.
    effort: u64,
}

/// What was asked for.
#[derive(Clone, PartialEq)]
struct Asked {
    order: OrderChoice,
    deadlock: Deadlock,
}

/// The reachable states of a system.
pub struct States<'s> {
    /// The states, and the space that they are in.
    pub reached: Reached<'s>,
    /// A variable that some step assigns a value beyond its range.
    pub overflow: Option<VarId>,
}

/// A system under an order.
pub struct Ordered<'e, 's> {
    /// The space. Programs have been learned.
    pub space: &'e Symbolic<'s>,
    /// The order by name.
    pub name: &'e str,
    /// A variable that some step assigns a value beyond its range, as far as that is known.
    pub overflow: Option<VarId>,
}

/// What engines on sets begin with.
pub(crate) enum Ground<'e, 's> {
    /// All reachable states.
    States(&'e mut States<'s>),
    /// An order.
    Order {
        /// The system under it.
        space: &'e mut Symbolic<'s>,
        /// The order by name.
        name: &'e str,
    },
}

/// Time and work, where they are limited.
#[derive(Clone, Copy)]
struct Means {
    time: Option<Duration>,
    work: Option<u64>,
}

impl Means {
    fn left(budget: &Budget) -> Means {
        Means {
            time: budget.time_left(),
            work: budget.work_left(),
        }
    }
}

impl Sought<'_> {
    /// Is this what seeking the states anew with what is `left` would bring?
    fn lasts(&self, left: Means) -> bool {
        let given = self.given;
        // A little more would hardly help.
        match self.found {
            Ok(_) | Err(Stop::Bound(_) | Stop::Memory) => true,
            Err(Stop::Time) => given
                .time
                .zip(left.time)
                .is_some_and(|(given, left)| left <= given + given / 10),
            Err(Stop::Work(_)) => given
                .work
                .zip(left.work)
                .is_some_and(|(given, left)| left <= given.saturating_add(given / 10)),
            Err(_) => false,
        }
    }
}

impl<'s> Explored<'s> {
    /// Nothing is explored yet; systems that passes make are kept in `systems`.
    pub fn new(systems: &'s Systems) -> Explored<'s> {
        Explored::with(systems, InCommon::default())
    }

    /// The same for one of several threads, with what they have in common.
    pub fn with(systems: &'s Systems, in_common: InCommon<'s>) -> Explored<'s> {
        Explored {
            systems,
            known: Vec::new(),
            in_common,
        }
    }

    /// Where systems that passes make are kept.
    pub fn systems(&self) -> &'s Systems {
        self.systems
    }

    /// One for another thread, of whose states nothing is known.
    pub(crate) fn another(&self) -> Explored<'s> {
        Explored::with(self.systems, self.in_common.clone())
    }

    fn known(&mut self, system: &'s System) -> &mut Known<'s> {
        let at = self
            .known
            .iter()
            .position(|k| std::ptr::eq(k.system, system));
        let at = at.unwrap_or_else(|| {
            self.known.push(Known::nothing(system));
            self.known.len() - 1
        });
        &mut self.known[at]
    }

    /// What can be known of `system` without its states; asked lazily, and kept.
    pub fn facts(&mut self, system: &'s System) -> &mut Facts {
        let common = self.in_common.answers.clone();
        let facts = &mut self.known(system).facts;
        facts.get_or_insert_with(|| {
            let Ok(answers) =
                common.get(
                    &Identity(system),
                    || Ok::<_, Infallible>(Answers::default()),
                );
            Facts::of(system).sharing(&answers)
        })
    }

    /// The same of a subject's system, with what its colours tell.
    pub fn facts_about(
        &mut self,
        subject: &Subject<'s>,
        budget: &Budget,
    ) -> Result<&mut Facts, Stop> {
        let facts = self.facts(subject.system());
        if let Some(coloured) = subject.coloured() {
            facts.unfolded_from(coloured, subject.system(), budget)?;
        }
        Ok(facts)
    }

    /// The symmetries of a subject's system; found once, and kept.
    pub fn symmetry(
        &mut self,
        subject: &Subject<'s>,
        budget: &Budget,
    ) -> Result<Arc<Symmetry<'s>>, Stop> {
        let system = subject.system();
        let find = || detect(system, subject.coloured(), budget).map(Arc::new);
        self.in_common.symmetries.get(&Identity(system), find)
    }

    /// The reachable states of `system` under an order.
    pub fn states(
        &mut self,
        system: &'s System,
        order: &OrderChoice,
        deadlock: Deadlock,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<&mut States<'s>, Stop> {
        let asked = Asked {
            order: order.clone(),
            deadlock,
        };
        let known = self.known(system);
        let left = Means::left(budget);
        let serves = |sought: &Sought<'_>| sought.asked == asked && sought.lasts(left);
        if !known.states.as_ref().is_some_and(serves) {
            known.states = None;
            let found = reachable(system, order, deadlock, budget, observer);
            known.states = Some(Sought {
                asked,
                found,
                given: left,
            });
        } else if let Some(Sought {
            found: Err(stop), ..
        }) = &known.states
        {
            observer.remark(&format!(
                "the reachable states were not found before ({stop}) and are not sought again"
            ));
        }
        match &mut known.states {
            Some(Sought { found, .. }) => found.as_mut().map_err(|stop| stop.clone()),
            None => Err(Stop::Internal("states that were just kept".to_owned())),
        }
    }

    /// `system` under an order, without more of its states than learning programs and finding the order with at most so much
    /// work, `effort`, take. An order that was found with as much is taken again.
    pub fn ordered(
        &mut self,
        system: &'s System,
        order: &OrderChoice,
        deadlock: Deadlock,
        effort: u64,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Ordered<'_, 's>, Stop> {
        let ground = self.ground(system, order, deadlock, effort, budget, observer)?;
        if let Ground::Order { space, .. } = ground
            && space.learns()
        {
            let asked = Asked {
                order: order.clone(),
                deadlock,
            };
            self.known(system).learn(asked, budget, observer)?;
        }
        let ground = self.ground(system, order, deadlock, effort, budget, observer)?;
        Ok(match ground {
            Ground::States(states) => Ordered {
                space: &states.reached.space,
                name: &states.reached.order,
                overflow: states.overflow,
            },
            Ground::Order { space, name } => Ordered {
                space,
                name,
                overflow: None,
            },
        })
    }

    /// The same for engines that use states which were found on the way.
    pub(crate) fn ground(
        &mut self,
        system: &'s System,
        order: &OrderChoice,
        deadlock: Deadlock,
        effort: u64,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Ground<'_, 's>, Stop> {
        let asked = Asked {
            order: order.clone(),
            deadlock,
        };
        let known = self.known(system);
        let serves = |arranged: &Arranged<'_>| arranged.asked == asked && arranged.effort >= effort;
        if !known.has_states(&asked) && !known.arranged.as_ref().is_some_and(serves) {
            let phase = "ordering";
            let figures = &[];
            observer.progress(Progress { phase, figures });
            known.arrange(&asked, effort, budget)?;
        }
        if let Some(Sought {
            asked: of,
            found: Ok(states),
            ..
        }) = &mut known.states
            && *of == asked
        {
            return Ok(Ground::States(states));
        }
        match &mut known.arranged {
            Some(Arranged { space, name, .. }) => Ok(Ground::Order { space, name }),
            None => Err(Stop::Internal("an order that was just found".to_owned())),
        }
    }

    /// The work that was allowed to find the order that is known for `system`; 0 if none is.
    pub(crate) fn effort(
        &mut self,
        system: &'s System,
        order: &OrderChoice,
        deadlock: Deadlock,
    ) -> u64 {
        let arranged = self.known(system).arranged.as_ref();
        let asked = arranged.filter(|a| a.asked.order == *order && a.asked.deadlock == deadlock);
        asked.map_or(0, |arranged| arranged.effort)
    }
    /// Gives the states of `system` back.
    pub fn forget(&mut self, system: &'s System) {
        self.known(system).states = None;
    }

    /// Gives the sets back that an engine has made under an order of `system`. The order stays.
    pub(crate) fn empty(&mut self, system: &'s System) {
        self.known(system).empty();
    }

    /// Gives all states back, to make room.
    pub fn clear(&mut self) {
        for known in &mut self.known {
            known.states.take_if(|sought| sought.found.is_ok());
            known.empty();
        }
    }
}

impl<'s> Known<'s> {
    fn nothing(system: &'s System) -> Known<'s> {
        Known {
            system,
            facts: None,
            states: None,
            arranged: None,
        }
    }

    fn empty(&mut self) {
        if let Some(mut arranged) = self.arranged.take()
            && let Ok(space) = arranged.space.anew()
        {
            arranged.space = space;
            self.arranged = Some(arranged);
        }
    }

    fn has_states(&self, asked: &Asked) -> bool {
        let states = self.states.as_ref();
        states.is_some_and(|s| s.asked == *asked && s.found.is_ok())
    }

    /// Explores the system completely under the order that is known, so that all that its programs do is learned.
    fn learn(
        &mut self,
        asked: Asked,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(), Stop> {
        let Some(Arranged { space, .. }) = self.arranged.take() else {
            return Err(Stop::Internal("an order to learn under".to_owned()));
        };
        let given = Means::left(budget);
        let order = OrderChoice::Given(space.layout().order().clone());
        drop(space);
        let states = reachable(self.system, &order, asked.deadlock, budget, observer)?;
        self.states = Some(Sought {
            asked,
            found: Ok(states),
            given,
        });
        Ok(())
    }

    /// Finds an order, and states if they are found on the way.
    fn arrange(&mut self, asked: &Asked, effort: u64, budget: &Budget) -> Result<(), Stop> {
        let Asked { order, deadlock } = asked;
        let given = Means::left(budget);
        let Arrangement {
            order,
            name,
            reached,
            unreached,
            ..
        } = arrange(self.system, order, *deadlock, effort, budget)?;
        let states = match reached {
            Some(reached) => Some(with_overflow(*reached)?),
            None => {
                let before = self.arranged.take().filter(|a| a.asked == *asked);
                let space = match before {
                    // Everything that was computed there serves on.
                    Some(Arranged { space, .. }) if *space.layout().order() == order => space,
                    _ => Symbolic::new(self.system, &order, *deadlock, budget)?,
                };
                self.arranged = Some(Arranged {
                    asked: asked.clone(),
                    space,
                    name,
                    effort,
                });
                None
            }
        };
        let found = match (states, unreached) {
            (Some(states), _) => Ok(states),
            (None, Some(Unreached::Unbounded(_))) => Err(infinite()),
            (None, _) => return Ok(()),
        };
        self.states = Some(Sought {
            asked: asked.clone(),
            found,
            given,
        });
        Ok(())
    }
}

/// Explores a system completely.
fn reachable<'s>(
    system: &'s System,
    order: &OrderChoice,
    deadlock: Deadlock,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<States<'s>, Stop> {
    match reach(system, order, deadlock, budget, observer)? {
        Reach::All(reached) => with_overflow(*reached),
        Reach::Unbounded(_) => Err(infinite()),
    }
}

fn infinite() -> Stop {
    Stop::Bound("the system has infinitely many states".to_owned())
}

fn with_overflow(mut reached: Reached<'_>) -> Result<States<'_>, Stop> {
    let overflow = reached.space.overflow(&reached.states)?;
    Ok(States { reached, overflow })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_could_not_be_found_are_sought_again_only_with_more() {
        let seconds = |seconds| Means {
            time: Some(Duration::from_secs(seconds)),
            work: None,
        };
        let units = |units| Means {
            time: None,
            work: Some(units),
        };
        let endless = Means {
            time: None,
            work: None,
        };
        let lasts = |stop: Stop, given, left| {
            let sought = Sought {
                asked: Asked {
                    order: OrderChoice::default(),
                    deadlock: Deadlock::default(),
                },
                found: Err(stop),
                given,
            };
            sought.lasts(left)
        };
        assert!(lasts(Stop::Time, seconds(10), seconds(3)));
        assert!(lasts(Stop::Time, seconds(10), seconds(10)));
        assert!(!lasts(Stop::Time, seconds(10), seconds(20)));
        assert!(!lasts(Stop::Time, seconds(10), endless));
        assert!(lasts(Stop::Memory, seconds(10), endless));
        assert!(lasts(Stop::Bound("infinite".to_owned()), endless, endless));
        assert!(!lasts(Stop::Interrupted, endless, endless));
        assert!(lasts(Stop::Work(5), units(5), units(5)));
        assert!(!lasts(Stop::Work(5), units(5), units(10)));
        assert!(!lasts(Stop::Work(5), units(5), endless));
    }
}
