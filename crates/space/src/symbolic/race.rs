//! An order for the reachable states, found by trying.
//!
//! No static score may choose an order alone, so candidates are tried: on
//! [rehearsals](super::rehearsal), smaller systems of the same shape, of which larger ones are
//! taken as the work grows.
//!
//! 1. [`first_try`]: the file order gets a small budget before any other order is computed. Most
//!    small systems end here.
//! 2. [`Race::small_rehearsals`]: all candidates go through the small rehearsals, until one says
//!    enough; one that needs much more than the best is out ([ranking](super::ranking)).
//!    Programs have no rehearsals, but processes: their favourite is the order by units, upwards.
//! 3. [`Race::try_on_system`]: where rehearsals say nothing, the best-scored few are tried on the
//!    system itself for a moment, and ranked by score and by how far they came.
//! 4. [`Race::run_favourites`]: the favourite runs to the end. Whenever the work done so far has
//!    grown by a share there is an [interlude](Race::interlude): a runner is tried on the next
//!    rehearsal, with a share of the work done so far. If it manages, the others are tried too,
//!    which may change the favourite. Where no rehearsal is left, another candidate is tried on the
//!    system itself instead.
//!
//! For example, with the default [`OrderSchedule`](super::schedule), three candidates and 100 levels (the
//! costs are made up):
//!
//! ```text
//! first_try          file-down does not end within 10 000 + 10 · 100 work
//! small_rehearsals   1: force-down alone, 1 100: less than noise, so the others are not asked
//!                    2: force-down 4 000, noack-up 5 500, file-down stopped at 8 000 and out
//!                    3: force-down 9 000, noack-up 9 500: telling enough
//! run_favourites     force-down; 53 000 work is done, its first interlude is due at 79 500
//!   interlude        4: force-down may take 79 500 / 4, and needs more: too large for now
//!   interlude        at 149 000. 4: noack-up, whose turn it is, may take 37 250 and needs 30 000;
//!                    force-down is stopped at 40 500: it is out and overtaken
//! run_favourites     noack-up, from the beginning, to the end
//! ```
//!
//! A favourite is not stopped for an interlude, which happens inside its saturation (as a
//! [`Listener`]), so nothing that it did is done twice. The work of all interludes together is a
//! constant factor of that of the favourite: one comes when the work has grown by a share, and
//! takes at most another share of it.
//!
//! Where there is another thread, interludes take place [beside](super::beside) the favourite, which goes on for as much work as one try of an interlude may take before it
//! asks what has come of it. So no clock decides who runs when.

use super::beside::{Beside, Interludes};
use super::ranking::{Ranking, Runner};
use super::reach::Reached;
use super::rehearsal::{Rehearsal, rehearsals};
use super::schedule::OrderSchedule;
use super::trial::{OrderTrial, Task, TrialEnd, UNLIMITED};
use lariat_budget::{Abort, Stop};
use lariat_dd::kernel::{Halt, Kernel, NodeId, Residual};
use lariat_dd::saturation::{Listener, Silent, Unfiltered};
use lariat_model::order::{self, Candidate, Direction, Heuristic, Order, OrderName};
use std::num::NonZeroUsize;
use std::thread::scope;

/// The favourite of programs, which have no rehearsals.
const UNITS_UP: OrderName = OrderName {
    heuristic: Heuristic::Units,
    direction: Direction::Up,
};

/// How a race ended.
pub(super) struct Raced<'a> {
    /// The reachable states, or why they were not found.
    pub(super) reached: Result<Box<Reached<'a>>, Stop>,
    /// The candidate that led in the end.
    pub(super) favourite: Option<Candidate>,
}

/// The file order, with little work. `None` if that is not enough.
pub(super) fn first_try<'a>(
    task: &Task<'a, '_>,
    schedule: &OrderSchedule,
    trail: &mut Vec<OrderTrial>,
) -> Result<Option<Box<Reached<'a>>>, Stop> {
    let name = OrderName::FILE.to_string();
    let (order, work) = (file_order(task), schedule.short_try(task.levels()));
    Ok(
        match task.try_order(&name, &order, &task.with_work(work), &mut Silent, trail)? {
            TrialEnd::Reached(space, states) => {
                let trail = std::mem::take(trail);
                Some(Reached::new(space, states, name, trail))
            }
            TrialEnd::Unfinished | TrialEnd::Memory | TrialEnd::Left => None,
        },
    )
}

fn file_order(task: &Task<'_, '_>) -> Order {
    let named = order::named(task.system, OrderName::FILE);
    named.unwrap_or_else(|| Order::file(task.levels()))
}

/// The race that follows a [`first_try`] whose `trail` this is. The budget of the task counts all
/// work since then.
pub(super) fn race<'a>(
    task: &Task<'a, '_>,
    schedule: &OrderSchedule,
    trail: Vec<OrderTrial>,
) -> Raced<'a> {
    let mut candidates = order::candidates(task.system);
    let order = file_order(task);
    candidates.push(Candidate {
        name: OrderName::FILE,
        score: order::score(task.system, &order),
        order,
    });
    let over = Abort::default();
    let aside = task.with_work(UNLIMITED).with_abort(&over);
    let mut race = Race {
        task: *task,
        aside: Task {
            budget: &aside,
            ..*task
        },
        over: &over,
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
    /// Favourites; its budget counts all work.
    task: Task<'a, 'b>,
    /// All that is tried besides, with an account of its own.
    aside: Task<'a, 'b>,
    /// Ends what is tried besides when a favourite is done.
    pub(super) over: &'b Abort,
    /// The work before the race and that of earlier favourites.
    before: u64,
    /// That of the favourite, as far as was [heard](Race::hear) of it.
    favourite: u64,
    schedule: OrderSchedule,
    trail: Vec<OrderTrial>,
    ranking: Ranking,
    rehearsals: Vec<Rehearsal>,
    /// The rehearsal that comes next.
    next: usize,
    /// Whose turn it is to show that the next rehearsal is not too large or, where there is none,
    /// to be tried on the system itself.
    turn: usize,
}

impl<'a> Race<'a, '_> {
    fn run(&mut self) -> Result<Box<Reached<'a>>, Stop> {
        let system = self.task.system;
        // No score tells how well a program is cut into processes.
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

    /// Small rehearsals, until one tells enough; false if all told but noise. The favourite alone goes through those that are too small to tell anything.
    fn small_rehearsals(&mut self) -> Result<bool, Stop> {
        let OrderSchedule {
            noise,
            telling,
            small,
            ..
        } = self.schedule;
        let mut told = 0;
        while told < telling
            && self.ranking.runners().len() > 1
            && self.next < self.rehearsals.len()
        {
            let alone = self.rehearse_alone(0, small)?;
            if alone.is_some_and(|cost| cost < noise) {
                self.next += 1;
                continue;
            }
            match self.rehearse_all(0, alone, small)? {
                Some(best) => told = best,
                None => break,
            }
        }
        Ok(told >= noise + self.schedule.level_work * self.task.levels() as u64)
    }

    /// The work of one runner on the next rehearsal, if it is at most `limit`.
    fn rehearse_alone(&self, runner: usize, limit: u64) -> Result<Option<u64>, Stop> {
        let runner = self.ranking.runners().get(runner);
        match (runner, self.rehearsals.get(self.next)) {
            (Some(runner), Some(rehearsal)) => {
                self.aside.rehearse(&runner.candidate, rehearsal, limit)
            }
            _ => Ok(None),
        }
    }

    /// The next rehearsal for all runners, with at most `limit` each; `known` is what the runner
    /// `first` needs. They are ranked by what they need; the result is the work of the best. `None`
    /// if it is too large for two of them.
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
                self.aside.rehearse(&runner.candidate, rehearsal, allowed)?
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

    /// The best-scored runners on the system itself, for a moment.
    fn try_on_system(&mut self) -> Result<Option<Box<Reached<'a>>>, Stop> {
        let levels = self.task.levels();
        let work = self.schedule.short_try(levels);
        self.ranking.sort_by_score();
        let tried = usize::try_from(self.schedule.tried).unwrap_or(usize::MAX);
        let mut paces = Vec::new();
        for runner in self.ranking.runners().iter().take(tried) {
            let Candidate { name, order, .. } = &runner.candidate;
            let name = name.to_string();
            let mut reach = Topmost(levels as u32);
            let budget = self.aside.with_work(work);
            let end = self
                .aside
                .try_order(&name, order, &budget, &mut reach, &mut self.trail)?;
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

    /// Runs the favourite to the end, or what overtakes it or is next when memory runs out.
    fn run_favourites(&mut self) -> Result<Box<Reached<'a>>, Stop> {
        let mut starved = 0;
        // Once an order ran out of memory, the work that others may do.
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

    /// The favourite, with interludes.
    fn run_favourite(
        &mut self,
        favourite: &Candidate,
        most: u64,
    ) -> Result<FavouriteEnd<'a>, Stop> {
        let task = self.task;
        let own = task.with_work(most);
        let mut trail = std::mem::take(&mut self.trail);
        let name = favourite.name.to_string();
        let due = self.first_interlude();
        let race = &mut *self;
        let (end, interrupted) = scope(|scope| {
            let beside = if own.threads() > NonZeroUsize::MIN {
                Beside::new(scope)
            } else {
                None
            };
            let mut interludes = Interludes::new(race, favourite.name, &own, due, beside);
            let end = task.try_order(&name, &favourite.order, &own, &mut interludes, &mut trail);
            let is_done = matches!(end, Ok(TrialEnd::Reached(..)));
            (end, interludes.close(is_done))
        });
        self.before += own.work_spent();
        self.favourite = 0;
        // What was tried in the interludes came to its end before.
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

    /// The favourite has done so much.
    pub(super) fn hear(&mut self, work: u64) {
        self.favourite = work;
    }

    /// All work, that of the favourite as far as was heard of it.
    fn spent(&self) -> u64 {
        self.before + self.favourite + self.aside.budget.work_spent()
    }

    /// The work of a favourite until its first interlude: half of what was done, as for those after it, or twice as much as was done if it leads clearly.
    fn first_interlude(&self) -> u64 {
        if self.ranking.is_clear() {
            2 * self.spent()
        } else {
            self.until_interlude()
        }
    }

    /// The work of a favourite until its next interlude.
    pub(super) fn until_interlude(&self) -> u64 {
        self.spent() / 2
    }

    /// The work of a favourite until it asks what has come of an interlude beside it.
    pub(super) fn until_asked(&self) -> u64 {
        self.spent() / self.schedule.share
    }

    /// Something else while `favourite` runs; `None` if that may go on.
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

    /// Rehearsals, as long as they are small beside the work done so far, or until one shows that
    /// `favourite` is none.
    fn rehearse_more(&mut self, favourite: OrderName) -> Result<(), Stop> {
        let spent = self.spent();
        let most = spent.saturating_add(spent / 100 * self.schedule.interlude);
        let mut limit = spent / self.schedule.share;
        while self.next < self.rehearsals.len() {
            // Another one whenever it was too large: the favourite may be none.
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
            // The next is larger.
            let next = best.saturating_mul(self.ranking.runners().len() as u64);
            if self.ranking.is_overtaken(favourite) || self.spent().saturating_add(next) > most {
                break;
            }
            limit = limit.max(2 * best);
        }
        Ok(())
    }

    /// The last rehearsal, in which the best needed `best`, for one that dropped out of an earlier one.
    fn rehearse_again(&mut self, runner: Runner, best: u64) -> Result<(), Stop> {
        let last = self.next.checked_sub(1);
        let cost = match last.and_then(|last| self.rehearsals.get(last)) {
            Some(rehearsal) => {
                let allowed = self.ranking.bearable(best);
                self.aside.rehearse(&runner.candidate, rehearsal, allowed)?
            }
            None => None,
        };
        self.ranking.rank(runner, cost, best);
        Ok(())
    }

    /// Another candidate on the system itself, with a share of the work done so far.
    fn try_another(&mut self) -> Result<Option<FavouriteEnd<'a>>, Stop> {
        self.turn = (self.turn + 1) % self.ranking.others().count().max(1);
        let Some(runner) = self.ranking.others().nth(self.turn) else {
            return Ok(None);
        };
        let (name, order) = (runner.candidate.name.to_string(), &runner.candidate.order);
        let budget = self.aside.with_work(self.spent() / self.schedule.share);
        let mut trail = Vec::new();
        let end = self
            .aside
            .try_order(&name, order, &budget, &mut Silent, &mut trail)?;
        if let TrialEnd::Reached(space, states) = end {
            let reached = Reached::new(space, states, name, trail);
            return Ok(Some(FavouriteEnd::Reached(reached)));
        }
        self.trail.append(&mut trail);
        Ok(None)
    }
}

/// How the run of a favourite ended.
pub(super) enum FavouriteEnd<'a> {
    /// It is done, or another candidate in an interlude.
    Reached(Box<Reached<'a>>),
    /// Another candidate is the favourite now.
    Overtaken,
    /// It needs too much memory, or much more work than another that did.
    Starved,
}

/// The topmost level of which a node was saturated: how far a saturation came.
struct Topmost(u32);

impl Listener<Unfiltered> for Topmost {
    #[inline]
    fn saturated(
        &mut self,
        _: &mut Kernel,
        _: &mut Unfiltered,
        level: u32,
        _: Residual,
        _: NodeId,
    ) -> Result<(), Halt> {
        self.0 = self.0.min(level);
        Ok(())
    }
}
