//! The search for a variable order by trials.
//!
//! No static score chooses an order reliably, so candidates are tried on
//! [rehearsals](super::rehearsal): smaller systems of the same shape, of increasing size as the
//! work grows.
//!
//! 1. [`first_try`]: the file order gets a small budget before any other order is computed. Most
//!    small systems end here.
//! 2. [`Race::small_rehearsals`]: all candidates run the small rehearsals, until one is
//!    significant; a candidate that needs much more than the best is eliminated
//!    ([ranking](super::ranking)). Programs have no rehearsals, but processes: their favourite is
//!    the order by units, upwards.
//! 3. [`Race::try_on_system`]: if rehearsals are not significant, the candidates with the best
//!    scores are tried briefly on the system itself, and ranked by score and progress.
//! 4. [`Race::run_favourites`]: the favourite runs to completion. Whenever the total work has grown
//!    by a share there is an [interlude](Race::interlude): a runner tries the next rehearsal, with
//!    a share of the total work. If it succeeds, the others try it too, which may change the
//!    favourite. If no rehearsal is left, another candidate is tried on the system itself instead.
//!
//! For example, with the default [`OrderSchedule`](super::schedule), three candidates and 100
//! levels (the costs are invented):
//!
//! ```text
//! first_try          file-down does not end within 10 000 + 10 · 100 work
//! small_rehearsals   1: force-down alone, 1 100: less than noise, so the others do not run it
//!                    2: force-down 4 000, noack-up 5 500, file-down stopped at 8 000 and out
//!                    3: force-down 9 000, noack-up 9 500: significant
//! run_favourites     force-down; 53 000 work is done, its first interlude is due at 79 500
//!   interlude        4: force-down may take 79 500 / 4, and needs more: too large for now
//!   interlude        at 149 000. 4: noack-up, the next in turn, may take 37 250 and needs 30 000;
//!                    force-down is stopped at 40 500: it is eliminated and overtaken
//! run_favourites     noack-up, from the beginning, to the end
//! ```
//!
//! Interludes take place inside the saturation of the favourite (as a [`Listener`]), which is not
//! stopped, so no work is repeated. The work of all interludes is a constant factor of that of the
//! favourite: one comes when the work has grown by a share, and takes at most another share.
//!
//! With a second thread, interludes run [in the background](super::order_race_thread): the
//! favourite continues for as much work as one try of an interlude may take before it waits for the
//! result. Counted work, not time, determines the schedule.

use super::order_race_thread::{Interludes, OrderRaceThread};
use super::ranking::{RankedOrder, Ranking};
use super::reach::Reached;
use super::rehearsal::{Rehearsal, rehearsals};
use super::schedule::OrderSchedule;
use super::trial::{OrderTrial, TrialContext, TrialEnd, UNLIMITED};
use lariat_budget::{Abort, Stop};
use lariat_dd::kernel::{DdNode, Halt, Kernel, Residual};
use lariat_dd::saturation::{Listener, Silent, Unfiltered};
use lariat_model::order::{self, Heuristic, Order, OrderDirection, OrderName, ScoredOrder};
use std::num::NonZeroUsize;
use std::thread::scope;

/// The favourite of programs, which have no rehearsals.
const UNITS_UP: OrderName = OrderName {
    heuristic: Heuristic::Units,
    direction: OrderDirection::Up,
};

pub(super) struct Raced<'a> {
    /// The reachable states, or the reason why they were not found.
    pub(super) reached: Result<Box<Reached<'a>>, Stop>,
    /// The leading candidate at the end.
    pub(super) favourite: Option<ScoredOrder>,
}

/// Tries the file order with little work; `None` if that does not suffice.
pub(super) fn first_try<'a>(
    task: &TrialContext<'a, '_>,
    schedule: &OrderSchedule,
    trail: &mut Vec<OrderTrial>,
) -> Result<Option<Box<Reached<'a>>>, Stop> {
    let name = OrderName::FILE.to_string();
    let (order, work) = (file_order(task), schedule.short_try(task.levels()));
    let end = task.try_order(&name, &order, &task.with_work(work), &mut Silent, trail)?;
    Ok(match end {
        TrialEnd::Reached(space, states) => {
            let trail = std::mem::take(trail);
            Some(Reached::new(space, states, name, trail))
        }
        TrialEnd::Unfinished | TrialEnd::Memory | TrialEnd::Left => None,
    })
}

fn file_order(task: &TrialContext<'_, '_>) -> Order {
    let named = order::named(task.system, OrderName::FILE);
    named.unwrap_or_else(|| Order::file(task.levels()))
}

/// The race after a [`first_try`], which has left this `trail`. The budget of the task counts all
/// work since then.
pub(super) fn race<'a>(
    task: &TrialContext<'a, '_>,
    schedule: &OrderSchedule,
    trail: Vec<OrderTrial>,
) -> Raced<'a> {
    let mut candidates = order::candidates(task.system);
    let order = file_order(task);
    candidates.push(ScoredOrder {
        name: OrderName::FILE,
        score: order::score(task.system, &order),
        order,
    });
    let abort = Abort::default();
    let side_budget = task.with_work(UNLIMITED).with_abort(&abort);
    let mut race = Race {
        task: *task,
        side_task: TrialContext {
            budget: &side_budget,
            ..*task
        },
        abort: &abort,
        before: task.budget.work_spent(),
        favourite: 0,
        schedule: *schedule,
        trail,
        ranking: Ranking::by_score(candidates, schedule),
        rehearsals: rehearsals(task.system),
        next: 0,
        turn: 0,
    };
    let reached = race.run();
    let favourite = race.ranking.favourite().cloned();
    Raced { reached, favourite }
}

pub(super) struct Race<'a, 'b> {
    /// Context of favourites; its budget counts all work.
    task: TrialContext<'a, 'b>,
    /// Context of all other trials, with a separate budget.
    side_task: TrialContext<'a, 'b>,
    /// Cancels the other trials when a favourite is done.
    pub(super) abort: &'b Abort,
    /// Work before the race, and of earlier favourites.
    before: u64,
    /// Work of the favourite, as its thread has recorded it last.
    pub(super) favourite: u64,
    schedule: OrderSchedule,
    trail: Vec<OrderTrial>,
    ranking: Ranking,
    rehearsals: Vec<Rehearsal>,
    /// Index of the next rehearsal.
    next: usize,
    /// Index of the runner that shows next that a rehearsal is not too large or, if there is none,
    /// is tried on the system itself.
    turn: usize,
}

impl<'a> Race<'a, '_> {
    fn run(&mut self) -> Result<Box<Reached<'a>>, Stop> {
        let system = self.task.system;
        // No score measures the division of a program into processes.
        if !system.is_net()
            && let Some(units) = order::named(system, UNITS_UP)
            && self.ranking.prefer(&units)
        {
            return self.run_favourites();
        }
        if !self.small_rehearsals()?
            && self.ranking.runners().len() > 1
            && let Some(reached) = self.try_on_system()?
        {
            return Ok(reached);
        }
        self.run_favourites()
    }

    /// Runs small rehearsals until one is significant; false if all were noise. Only the favourite
    /// runs those that are too small to be significant.
    fn small_rehearsals(&mut self) -> Result<bool, Stop> {
        let schedule = self.schedule;
        let mut cost = 0;
        while cost < schedule.telling
            && self.ranking.runners().len() > 1
            && self.next < self.rehearsals.len()
        {
            let alone = self.rehearse_alone(0, schedule.small)?;
            if alone.is_some_and(|cost| cost < schedule.noise) {
                self.next += 1;
                continue;
            }
            match self.rehearse_all(0, alone, schedule.small)? {
                Some(best) => cost = best,
                None => break,
            }
        }
        Ok(cost >= schedule.noise + schedule.level_work * self.task.levels() as u64)
    }

    /// Work of one runner on the next rehearsal, if it is at most `limit`.
    fn rehearse_alone(&self, runner: usize, limit: u64) -> Result<Option<u64>, Stop> {
        let runner = self.ranking.runners().get(runner);
        match (runner, self.rehearsals.get(self.next)) {
            (Some(runner), Some(rehearsal)) => {
                self.side_task.rehearse(&runner.candidate, rehearsal, limit)
            }
            _ => Ok(None),
        }
    }

    /// Runs the next rehearsal with all runners, with at most `limit` work each; `known` is the
    /// work of the runner `first`. Ranks them by their work and returns that of the best; `None` if
    /// it is too large for two of them.
    fn rehearse_all(
        &mut self,
        first: usize,
        known: Option<u64>,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        let Some(rehearsal) = self.rehearsals.get(self.next) else {
            return Ok(None);
        };
        let mut best = known;
        let mut costs = Vec::with_capacity(self.ranking.runners().len());
        for (at, runner) in self.ranking.runners().iter().enumerate() {
            if best.is_none() && at >= 2 {
                return Ok(None);
            }
            let cost = if at == first {
                known
            } else {
                let allowed = best.map_or(limit, |best| self.ranking.bearable(best));
                self.side_task
                    .rehearse(&runner.candidate, rehearsal, allowed)?
            };
            best = best.into_iter().chain(cost).min();
            costs.push(cost);
        }
        if let Some(best) = best {
            self.next += 1;
            self.ranking.by_cost(costs, best);
        }
        Ok(best)
    }

    /// Tries the runners with the best scores briefly on the system itself.
    fn try_on_system(&mut self) -> Result<Option<Box<Reached<'a>>>, Stop> {
        let levels = self.task.levels();
        let work = self.schedule.short_try(levels);
        self.ranking.sort_by_score();
        let tried = usize::try_from(self.schedule.tried).unwrap_or(usize::MAX);
        let mut paces = Vec::new();
        for runner in self.ranking.runners().iter().take(tried) {
            let ScoredOrder { name, order, .. } = &runner.candidate;
            let (name, mut reach) = (name.to_string(), Topmost(levels as u32));
            let (task, trail) = (self.side_task, &mut self.trail);
            let end = task.try_order(&name, order, &task.with_work(work), &mut reach, trail)?;
            let closed = levels as u32 - reach.0;
            paces.push(match end {
                TrialEnd::Reached(space, states) => {
                    let trail = std::mem::take(&mut self.trail);
                    return Ok(Some(Reached::new(space, states, name, trail)));
                }
                TrialEnd::Unfinished => levels as f64 / f64::from(closed.max(1)),
                TrialEnd::Memory | TrialEnd::Left => f64::INFINITY,
            });
        }
        self.ranking.by_pace(&paces);
        Ok(None)
    }

    /// Runs the favourite to completion, or the one that overtakes it or comes next if memory runs
    /// out.
    fn run_favourites(&mut self) -> Result<Box<Reached<'a>>, Stop> {
        let mut starved = 0;
        // Work limit of the others once an order has run out of memory.
        let mut most = UNLIMITED;
        while starved < self.schedule.starved
            && let Some(favourite) = self.ranking.favourite().cloned()
        {
            let before = self.task.budget.work_spent();
            match self.run_favourite(&favourite, most)? {
                FavouriteEnd::Reached(reached) => return Ok(reached),
                FavouriteEnd::Overtaken => {}
                FavouriteEnd::Starved => {
                    starved += 1;
                    most = most.min(2 * (self.task.budget.work_spent() - before));
                    self.ranking.drop_favourite();
                }
            }
        }
        Err(Stop::Memory)
    }

    fn run_favourite(
        &mut self,
        favourite: &ScoredOrder,
        most: u64,
    ) -> Result<FavouriteEnd<'a>, Stop> {
        let task = self.task;
        let own = task.with_work(most);
        let mut trail = std::mem::take(&mut self.trail);
        let name = favourite.name.to_string();
        let due = self.first_interlude();
        let race = &mut *self;
        let (end, interrupted) = scope(|scope| {
            let background = if own.threads() > NonZeroUsize::MIN {
                OrderRaceThread::new(scope)
            } else {
                None
            };
            let mut interludes = Interludes::new(race, favourite.name, &own, due, background);
            let end = task.try_order(&name, &favourite.order, &own, &mut interludes, &mut trail);
            let is_done = matches!(end, Ok(TrialEnd::Reached(..)));
            (end, interludes.close(is_done))
        });
        self.before += own.work_spent();
        self.favourite = 0;
        // The trials of the interludes ended before the favourite.
        let last = trail.pop();
        trail.append(&mut self.trail);
        trail.extend(last);
        self.trail = trail;
        match (end?, interrupted) {
            (TrialEnd::Reached(space, states), _) => {
                let trail = std::mem::take(&mut self.trail);
                let reached = Reached::new(space, states, name, trail);
                Ok(FavouriteEnd::Reached(reached))
            }
            (_, Some(interrupted)) => interrupted.map(|end| match end {
                FavouriteEnd::Reached(mut reached) => {
                    self.trail.append(&mut reached.trail);
                    reached.trail = std::mem::take(&mut self.trail);
                    FavouriteEnd::Reached(reached)
                }
                other => other,
            }),
            (TrialEnd::Memory | TrialEnd::Unfinished, None) => Ok(FavouriteEnd::Starved),
            (TrialEnd::Left, None) => Err(Stop::Interrupted),
        }
    }

    /// Total work, including that of the favourite as recorded last.
    fn spent(&self) -> u64 {
        self.before + self.favourite + self.side_task.budget.work_spent()
    }

    /// Work of a favourite before its first interlude: half of the total work, as before later
    /// ones, or twice the total work if it leads clearly.
    fn first_interlude(&self) -> u64 {
        if self.ranking.is_clear() {
            2 * self.spent()
        } else {
            self.until_interlude()
        }
    }

    /// Work of a favourite before its next interlude.
    pub(super) fn until_interlude(&self) -> u64 {
        self.spent() / 2
    }

    /// Work of a favourite before it waits for the result of a background interlude.
    pub(super) fn until_asked(&self) -> u64 {
        self.spent() / self.schedule.share
    }

    /// An interlude of `favourite`; `None` if that may continue.
    pub(super) fn interlude(
        &mut self,
        favourite: OrderName,
    ) -> Result<Option<FavouriteEnd<'a>>, Stop> {
        if self.ranking.others().next().is_none() {
            return Ok(None);
        }
        if self.next == self.rehearsals.len() {
            return self.try_another();
        }
        self.rehearse_more(favourite)?;
        if self.ranking.is_overtaken(favourite) {
            return Ok(Some(FavouriteEnd::Overtaken));
        }
        self.ranking.put_first(favourite);
        Ok(None)
    }

    /// Runs rehearsals as long as they are small compared with the total work, or until one shows
    /// that `favourite` is overtaken.
    fn rehearse_more(&mut self, favourite: OrderName) -> Result<(), Stop> {
        let spent = self.spent();
        let most = spent.saturating_add(spent / 100 * self.schedule.interlude);
        let mut limit = spent / self.schedule.share;
        while self.next < self.rehearsals.len() {
            // Another runner after each one for which the rehearsal was too large: the favourite
            // may be the wrong choice.
            let first = self.turn % self.ranking.runners().len().max(1);
            let alone = self.rehearse_alone(first, limit)?;
            if alone.is_none() {
                self.turn += 1;
                break;
            }
            let Some(best) = self.rehearse_all(first, alone, limit)? else {
                break;
            };
            self.turn = 0;
            if self.ranking.is_clearly_overtaken(favourite) {
                break;
            }
            let left = most.saturating_sub(self.spent());
            for runner in self.ranking.returning(best, left) {
                self.rehearse_again(runner, best)?;
            }
            // The next rehearsal is larger.
            let next = best.saturating_mul(self.ranking.runners().len() as u64);
            if self.ranking.is_overtaken(favourite) || self.spent().saturating_add(next) > most {
                break;
            }
            limit = limit.max(2 * best);
        }
        Ok(())
    }

    /// Runs the last rehearsal, in which the best needed `best`, with a runner that an earlier one
    /// eliminated.
    fn rehearse_again(&mut self, runner: RankedOrder, best: u64) -> Result<(), Stop> {
        let (task, last) = (self.side_task, &self.rehearsals[self.next - 1]);
        let cost = task.rehearse(&runner.candidate, last, self.ranking.bearable(best))?;
        self.ranking.rank(runner, cost, best);
        Ok(())
    }

    /// Tries another candidate on the system itself, with a share of the total work.
    fn try_another(&mut self) -> Result<Option<FavouriteEnd<'a>>, Stop> {
        self.turn = (self.turn + 1) % self.ranking.others().count().max(1);
        let Some(runner) = self.ranking.others().nth(self.turn) else {
            return Ok(None);
        };
        let (name, order) = (runner.candidate.name.to_string(), &runner.candidate.order);
        let (task, mut trail) = (self.side_task, Vec::new());
        let budget = task.with_work(self.spent() / self.schedule.share);
        let end = task.try_order(&name, order, &budget, &mut Silent, &mut trail)?;
        if let TrialEnd::Reached(space, states) = end {
            let reached = Reached::new(space, states, name, trail);
            return Ok(Some(FavouriteEnd::Reached(reached)));
        }
        self.trail.append(&mut trail);
        Ok(None)
    }
}

pub(super) enum FavouriteEnd<'a> {
    /// The favourite has finished, or another candidate in an interlude.
    Reached(Box<Reached<'a>>),
    /// Another candidate has become the favourite.
    Overtaken,
    /// It needs too much memory, or much more work than an order that ran out of memory.
    Starved,
}

/// The topmost level of which a node was saturated: the progress of a saturation.
struct Topmost(u32);

impl Listener<Unfiltered> for Topmost {
    #[inline]
    fn saturated(
        &mut self,
        _: &mut Kernel,
        _: &mut Unfiltered,
        level: u32,
        _: Residual,
        _: DdNode,
    ) -> Result<(), Halt> {
        self.0 = self.0.min(level);
        Ok(())
    }
}
