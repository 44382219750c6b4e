//! An order for the reachable states, found by trying.
//!
//! No static score may choose an order alone, so candidates are tried: first on
//! [rehearsals](super::rehearsal), which are small, and of which more and larger ones are taken as the
//! work grows. All budgets are counted in nodes and steps, never in seconds, so that runs repeat.
//!
//! 1. The file order gets a small budget before any other order has been computed.
//! 2. All candidates go through the small rehearsals; who needs much more than the best drops
//!    out. Where these say nothing, the best-scored few are tried on the system itself for a
//!    moment, and ranked by score and by how far they came. Programs have no rehearsals, but
//!    processes: their favourite is the order by units, upwards.
//! 3. The favourite runs to the end. Whenever the work done so far has grown by a part (by more
//!    where the favourite is new or clear, by less where much was done) there is an *interlude*: a
//!    runner is tried on the next rehearsal, with a part of the work done so far. If it manages,
//!    the others are tried too, which may change the favourite. Where no rehearsal is left, another
//!    candidate is tried on the system itself instead.
//!
//! A favourite is not stopped for an interlude, which happens inside its saturation (as a
//! [`Listener`]), so nothing that it did is done twice. An interlude in which the rehearsal is too
//! large costs a seventh to a third of the work before it, and so all of them together a third to
//! two thirds of the rest.

use super::reach::{Attempt, End, Question, Reached};
use super::rehearsal::{Rehearsal, rehearsals};
use super::space::Symbolic;
use lariat_budget::Stop;
use lariat_dd::kernel::{Halt, Kernel};
use lariat_dd::saturation::{Fired, Listener, Silent, Unfiltered};
use lariat_model::order::{self, Candidate, Direction, Heuristic, Order, OrderName};

/// Work that the file order may do at first: little for a few places, in proportion for many.
fn first_budget(levels: usize) -> u64 {
    10_000 + 10 * levels as u64
}

/// How many heuristics take part: on large systems trying each of them costs too much.
fn field(levels: usize) -> usize {
    if levels < 2000 { usize::MAX } else { 2 }
}

/// A score so many times the best one is beyond hope.
const HOPELESS: f64 = 3.0;

/// Rehearsals with less work than this tell noise.
const NOISE: u64 = 3_000;

/// Rehearsals with this much work are worth more than any score.
const TELLING: u64 = 8_000;

/// The most work in one of the rehearsals before the favourite begins.
const SMALL: u64 = 20_000;

/// So many runners that do not manage a small rehearsal show that it is not small.
const PATIENCE: usize = 2;

/// So many runners are tried on the system itself where rehearsals say little.
const TRIED: usize = 4;

/// The first interlude is not before this much work.
const FIRST_INTERLUDE: u64 = 100_000;

/// An interlude begins with this part of the work done so far, or with a larger one where only
/// a few runners are left, and a larger one yet in long runs.
const SHARE: u64 = 7;
const FEW: u64 = 4;
const FEW_IN_LONG: u64 = 3;

/// A wrong favourite costs more and more. From this much work on a new one is questioned sooner,
const QUESTIONED: u64 = 2_000_000;

/// and from this much on interludes come more often where only a few runners are left, and those who
/// dropped out return sooner.
const LONG: u64 = 5_000_000;

/// So many orders that ran out of memory, or that did twice the work in which the first one did,
/// show that there is too little of it.
const STARVED: usize = 3;

/// A rehearsal with this part of the work of another says little about it.
const MUCH_SMALLER: u64 = 4;

/// Below this many levels, how many are closed says nothing.
const MANY_LEVELS: usize = 64;

/// By this part one order is clearly better than another; less than that other part is too little
/// to begin again for.
const CLEAR: u64 = 2;
const LITTLE: u64 = 20;

/// The favourite of programs, which have no rehearsals.
const UNITS_UP: OrderName = OrderName {
    heuristic: Heuristic::Units,
    direction: Direction::Up,
};

/// The work with which a runner stays in the race when the best needs `best`.
fn bearable(best: u64) -> u64 {
    best + best / 4 + NOISE
}

/// A candidate in the race.
#[derive(Clone)]
struct Runner {
    candidate: Candidate,
    /// The work of its last rehearsal; of the best, if that was too much for this one.
    cost: u64,
}

struct Race<'a, 'b> {
    question: Question<'a, 'b>,
    trail: Vec<Attempt>,
    /// Those who may still win, the favourite first.
    runners: Vec<Runner>,
    /// Those who dropped out, in case that the others need too much memory.
    out: Vec<Runner>,
    rehearsals: Vec<Rehearsal>,
    /// The rehearsal that comes next.
    next: usize,
    /// Whose turn it is when there is no rehearsal.
    turn: usize,
}

/// All reachable states; `None` if the orders that are left need more memory than there is. The
/// `favourite` is told also where the race is stopped.
pub(super) fn race<'a>(
    question: &Question<'a, '_>,
    favourite: &mut Option<Candidate>,
) -> Result<Option<Reached<'a>>, Stop> {
    // All work, to be measured by.
    let budget = question.budget.clone().with_work(u64::MAX);
    let question = Question {
        budget: &budget,
        ..*question
    };
    let system = question.system;
    let levels = system.variables.len();
    let file = OrderName::FILE;
    let order = order::named(system, file).unwrap_or_else(|| Order::file(levels));
    let mut trail = Vec::new();
    let (name, small) = (file.to_string(), Some(first_budget(levels)));
    let first = question.attempt(&name, &order, small, &mut Silent, &mut trail)?;
    if let End::Reached(space, states) = first {
        return Ok(Some(Reached::new(space, states, name, trail)));
    }
    let mut candidates = order::candidates(system);
    let score = order::score(system, &order);
    candidates.push(Candidate {
        name: file,
        order,
        score,
    });
    let mut groups = by_heuristic(candidates);
    groups.truncate(field(levels));
    let best = groups.iter().flatten().map(|c| c.score).reduce(f64::min);
    let hopeless = HOPELESS * best.unwrap_or(0.0);
    let runner = |candidate| Runner { candidate, cost: 1 };
    let (mut out, runners) = groups
        .into_iter()
        .flatten()
        .map(runner)
        .partition::<Vec<Runner>, _>(|r| r.candidate.score > hopeless);
    out.iter_mut().for_each(|runner| runner.cost = u64::MAX);
    let mut race = Race {
        question,
        trail,
        runners,
        out,
        rehearsals: rehearsals(system),
        next: 0,
        turn: 0,
    };
    let found = race.run();
    *favourite = race.runners.into_iter().next().map(|r| r.candidate);
    found
}

impl<'a> Race<'a, '_> {
    fn run(&mut self) -> Result<Option<Reached<'a>>, Stop> {
        if !self.question.system.is_net()
            && let Some(units) = order::named(self.question.system, UNITS_UP)
            && let all = [&self.runners[..], &self.out].concat()
            && let Some(at) = all.iter().position(|r| r.candidate.order == units)
        {
            // Programs have no rehearsals, and no score tells how well they are cut into processes.
            self.out.clear();
            self.runners = all;
            self.runners[..=at].rotate_right(1);
        } else if !self.climb()?
            && self.runners.len() > 1
            && let Some(reached) = self.try_out()?
        {
            return Ok(Some(reached));
        }
        self.perform()
    }

    /// Small rehearsals, until one tells enough; false if all told but noise. The favourite alone
    /// goes through those that are too small to tell anything.
    fn climb(&mut self) -> Result<bool, Stop> {
        let mut told = 0;
        while told < TELLING && self.runners.len() > 1 && self.next < self.rehearsals.len() {
            let alone = self.alone(0, SMALL)?;
            if alone.is_some_and(|cost| cost < NOISE) {
                self.next += 1;
                continue;
            }
            match self.rehearse(0, alone, SMALL, PATIENCE)? {
                Some(best) => told = best,
                None => break,
            }
        }
        // Every level is some work under any order.
        let levels = self.question.system.variables.len() as u64;
        Ok(told >= NOISE + 5 * levels)
    }

    /// The work of one runner on the next rehearsal, if it is at most `limit`.
    fn alone(&self, runner: usize, limit: u64) -> Result<Option<u64>, Stop> {
        match (self.runners.get(runner), self.rehearsals.get(self.next)) {
            (Some(runner), Some(rehearsal)) => {
                self.question.rehearse(&runner.candidate, rehearsal, limit)
            }
            _ => Ok(None),
        }
    }

    /// The next rehearsal for all runners, with at most `limit` each; `known` is what the runner
    /// `first` needs. Those who manage are ranked, the others are out; the result is the work
    /// of the best. `None` if the first `patience` runners did not manage.
    fn rehearse(
        &mut self,
        first: usize,
        known: Option<u64>,
        limit: u64,
        patience: usize,
    ) -> Result<Option<u64>, Stop> {
        let Some(rehearsal) = self.rehearsals.get(self.next) else {
            return Ok(None);
        };
        let mut best = known;
        let mut costs = Vec::with_capacity(self.runners.len());
        for (at, runner) in self.runners.iter().enumerate() {
            if best.is_none() && at >= patience {
                return Ok(None);
            }
            if at == first {
                costs.push(known);
                continue;
            }
            let allowed = best.map_or(limit, bearable);
            let cost = self
                .question
                .rehearse(&runner.candidate, rehearsal, allowed)?;
            best = best.into_iter().chain(cost).min();
            costs.push(cost);
        }
        if best.is_none() {
            return Ok(None);
        }
        self.next += 1;
        let runners = std::mem::take(&mut self.runners);
        for (runner, cost) in runners.into_iter().zip(costs) {
            match cost {
                Some(cost) => self.runners.push(Runner { cost, ..runner }),
                None => self.out.push(Runner {
                    cost: best.unwrap_or(limit),
                    ..runner
                }),
            }
        }
        self.runners.sort_by_key(|runner| runner.cost);
        Ok(best)
    }

    /// Every runner on the system itself, for a moment.
    fn try_out(&mut self) -> Result<Option<Reached<'a>>, Stop> {
        let levels = self.question.system.variables.len();
        let small = first_budget(levels);
        let score = |r: &Runner| r.candidate.score;
        self.runners.sort_by(|a, b| score(a).total_cmp(&score(b)));
        let mut ranks = Vec::with_capacity(self.runners.len());
        for runner in self.runners.iter().take(TRIED) {
            let Candidate { name, order, score } = &runner.candidate;
            let name = name.to_string();
            let end =
                self.question
                    .attempt(&name, order, Some(small), &mut Silent, &mut self.trail)?;
            let created = self.trail.last().map_or(0, |attempt| attempt.created);
            let pace = match end {
                End::Reached(space, states) => {
                    let trail = std::mem::take(&mut self.trail);
                    return Ok(Some(Reached::new(space, states, name, trail)));
                }
                // At equal work, an order under which fewer nodes are made finds them again.
                End::Unfinished { .. } if levels < MANY_LEVELS => created as f64,
                End::Unfinished { closed } => levels as f64 / closed.max(1) as f64,
                End::Memory | End::Left => f64::INFINITY,
            };
            ranks.push(score * pace);
        }
        let rest = self.runners.split_off(ranks.len());
        let runners = std::mem::replace(&mut self.runners, rest);
        let mut ranked: Vec<(f64, Runner)> = ranks.into_iter().zip(runners).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranked = ranked.into_iter().map(|(_, runner)| runner);
        self.runners.splice(0..0, ranked);
        Ok(None)
    }

    /// The favourite to the end, whoever it is.
    fn perform(&mut self) -> Result<Option<Reached<'a>>, Stop> {
        let mut starved = 0;
        // Once an order ran out of memory, the work that others may do.
        let mut most = None;
        while starved < STARVED {
            let Some(favourite) = self.runners.first() else {
                if self.out.is_empty() {
                    break;
                }
                self.runners.push(self.out.remove(0));
                continue;
            };
            let question = self.question;
            let Candidate { name, order, .. } = favourite.candidate.clone();
            let mut trail = std::mem::take(&mut self.trail);
            let spent = question.budget.work_spent();
            let second = self.runners.get(1).map_or(u64::MAX, |r| r.cost);
            let clear = favourite.cost.saturating_add(favourite.cost / CLEAR) < second;
            let alone = match clear {
                true => 2 * spent,
                false if spent > QUESTIONED => spent / 2,
                false => spent,
            };
            let due = (spent + alone).max(FIRST_INTERLUDE);
            let mut interludes = Interludes {
                race: &mut *self,
                favourite: name,
                due,
                end: None,
            };
            let text = name.to_string();
            let end = question.attempt(&text, &order, most, &mut interludes, &mut trail)?;
            let interrupted = interludes.end.take();
            // What was tried in the interludes came to its end before.
            let last = trail.pop();
            trail.append(&mut self.trail);
            trail.extend(last);
            self.trail = trail;
            match (end, interrupted) {
                (End::Reached(space, states), _) => {
                    let trail = std::mem::take(&mut self.trail);
                    return Ok(Some(Reached::new(space, states, text, trail)));
                }
                (_, Some(Interrupted::Stopped(stop))) => return Err(stop),
                (_, Some(Interrupted::Found(mut reached))) => {
                    self.trail.append(&mut reached.trail);
                    reached.trail = std::mem::take(&mut self.trail);
                    return Ok(Some(*reached));
                }
                (_, Some(Interrupted::Overtaken)) => {}
                (End::Memory | End::Unfinished { .. }, None) => {
                    starved += 1;
                    most.get_or_insert(2 * (question.budget.work_spent() - spent));
                    self.runners.remove(0);
                }
                (End::Left, None) => return Err(Stop::Interrupted),
            }
        }
        Ok(None)
    }

    /// Rehearsals, as long as they are small beside the work done so far, or until one shows that
    /// `favourite` is none.
    fn rehearse_more(&mut self, favourite: OrderName) -> Result<(), Stop> {
        let spent = self.question.budget.work_spent();
        let most = spent + spent / 5 * 3;
        // Where few are left, more may be spent on each.
        let few = if spent > LONG { FEW_IN_LONG } else { FEW };
        let share = (self.runners.len() as u64 + 1).clamp(few, SHARE);
        let mut limit = spent / share;
        while self.next < self.rehearsals.len() {
            // Another one whenever it was too large: the favourite may be none.
            let first = self.turn % self.runners.len();
            let alone = self.alone(first, limit)?;
            if alone.is_none() {
                self.turn += 1;
                break;
            }
            let Some(best) = self.rehearse(first, alone, limit, 1)? else {
                break;
            };
            self.turn = 0;
            if self.is_overtaken(favourite, CLEAR) {
                break;
            }
            self.readmit(best, most)?;
            if self.is_overtaken(favourite, LITTLE) {
                break;
            }
            // The next is larger.
            let next = best.saturating_mul(self.runners.len() as u64);
            if self.question.budget.work_spent().saturating_add(next) > most {
                break;
            }
            limit = limit.max(2 * best);
        }
        Ok(())
    }

    /// Another chance for those who dropped out of a rehearsal that was much smaller than the last
    /// one: all of them if the work stays within `most`, else in long runs the one with the best
    /// score.
    fn readmit(&mut self, best: u64, most: u64) -> Result<(), Stop> {
        let Some(rehearsal) = self
            .next
            .checked_sub(1)
            .and_then(|r| self.rehearsals.get(r))
        else {
            return Ok(());
        };
        let score = |r: &Runner| r.candidate.score;
        self.out.sort_by(|a, b| score(a).total_cmp(&score(b)));
        let (mut again, mut out) = std::mem::take(&mut self.out)
            .into_iter()
            .partition::<Vec<Runner>, _>(|r| r.cost.saturating_mul(MUCH_SMALLER) <= best);
        let price = bearable(best).saturating_mul(again.len() as u64);
        let spent = self.question.budget.work_spent();
        if spent.saturating_add(price) > most {
            let one = usize::from(spent > LONG).min(again.len());
            out.extend(again.drain(one..));
        }
        self.out = out;
        for runner in again {
            let candidate = &runner.candidate;
            let cost = self
                .question
                .rehearse(candidate, rehearsal, bearable(best))?;
            match cost {
                Some(cost) => self.runners.push(Runner { cost, ..runner }),
                None => self.out.push(Runner {
                    cost: best,
                    ..runner
                }),
            }
        }
        self.runners.sort_by_key(|runner| runner.cost);
        Ok(())
    }

    /// Is another runner better than `favourite` by more than this part?
    fn is_overtaken(&self, favourite: OrderName, part: u64) -> bool {
        let mut runners = self.runners.iter();
        match (
            self.runners.first(),
            runners.find(|r| r.candidate.name == favourite),
        ) {
            (Some(best), Some(favourite)) => best.cost + best.cost / part < favourite.cost,
            _ => true,
        }
    }

    /// Something else while `favourite` runs.
    fn interlude(&mut self, favourite: OrderName) -> Result<Option<Interrupted<'a>>, Stop> {
        let others = (self.runners.len() + self.out.len()).saturating_sub(1);
        if others == 0 {
            return Ok(None);
        }
        if self.next < self.rehearsals.len() {
            self.rehearse_more(favourite)?;
            if self.is_overtaken(favourite, LITTLE) {
                return Ok(Some(Interrupted::Overtaken));
            }
            let ahead = |r: &Runner| r.candidate.name != favourite;
            self.runners.sort_by_key(ahead);
            return Ok(None);
        }
        self.turn = (self.turn + 1) % others;
        let mut others = self.runners[1..].iter().chain(&self.out);
        let Some(runner) = others.nth(self.turn) else {
            return Ok(None);
        };
        let (name, order) = (runner.candidate.name.to_string(), &runner.candidate.order);
        let work = self.question.budget.work_spent() / SHARE;
        let mut trail = Vec::new();
        let end = self
            .question
            .attempt(&name, order, Some(work), &mut Silent, &mut trail)?;
        match end {
            End::Reached(space, states) => {
                let reached = Reached::new(space, states, name, trail);
                Ok(Some(Interrupted::Found(Box::new(reached))))
            }
            _ => {
                self.trail.append(&mut trail);
                Ok(None)
            }
        }
    }
}

impl Question<'_, '_> {
    /// The work of a candidate on a rehearsal, if it is at most `allowed`.
    fn rehearse(
        &self,
        candidate: &Candidate,
        rehearsal: &Rehearsal,
        allowed: u64,
    ) -> Result<Option<u64>, Stop> {
        let budget = self.budget.clone().with_work(allowed);
        let outcome = (|| {
            let mut space = Symbolic::new(self.system, &candidate.order, self.deadlock, &budget)?;
            let mut from = space.empty();
            for state in &rehearsal.initial {
                let one = space.singleton(state)?;
                from = space.store().union(&from, &one)?;
            }
            let steps = space.steps(&rehearsal.events);
            space.reach(&from, &steps)
        })();
        match outcome {
            Ok(_) => Ok(Some(budget.work_spent())),
            Err(Stop::Work(_)) => self.budget.spend(0).map(|()| None),
            Err(Stop::Memory | Stop::Bound(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}

/// Why a favourite was interrupted.
enum Interrupted<'a> {
    /// Another candidate is done.
    Found(Box<Reached<'a>>),
    /// Another candidate is the favourite now.
    Overtaken,
    /// There is nothing left to spend.
    Stopped(Stop),
}

/// Hears the favourite and calls the interludes.
struct Interludes<'r, 'a, 'b> {
    race: &'r mut Race<'a, 'b>,
    favourite: OrderName,
    /// The work at which the next interlude begins.
    due: u64,
    end: Option<Interrupted<'a>>,
}

impl Interludes<'_, '_, '_> {
    #[cold]
    fn play(&mut self, kernel: &mut Kernel) -> Result<(), Halt> {
        match self.race.interlude(self.favourite) {
            Ok(None) => {
                let spent = self.race.question.budget.work_spent();
                let often = spent > LONG && self.race.runners.len() < FEW as usize;
                self.due = spent + if often { spent / 4 } else { spent / 2 };
                return Ok(());
            }
            Ok(interrupted) => self.end = interrupted,
            Err(stop) => self.end = Some(Interrupted::Stopped(stop)),
        }
        Err(kernel.leave())
    }
}

impl Listener<Unfiltered> for Interludes<'_, '_, '_> {
    #[inline]
    fn fired(&mut self, kernel: &mut Kernel, _: &mut Unfiltered, _: Fired) -> Result<(), Halt> {
        if self.race.question.budget.work_spent() < self.due {
            return Ok(());
        }
        self.play(kernel)
    }
}

/// The candidates of each heuristic, the heuristic with the best score first.
fn by_heuristic(mut candidates: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    candidates.sort_by(|a, b| a.score.total_cmp(&b.score));
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates {
        let heuristic = candidate.name.heuristic;
        match groups.iter_mut().find(|g| g[0].name.heuristic == heuristic) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    groups
}
