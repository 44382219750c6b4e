//! Which run, which leads and which are out: the ranking of the candidates in a [race](super::race).
//!
//! Before anything is tried there is only the static score, which ranks and does not decide. After
//! a rehearsal there is the *cost*, the work that a candidate needed for it: those that need more
//! than the best and a margin are out, the others are ranked by cost. One that dropped out of a
//! small rehearsal may return once a rehearsal has taken several times that work, of which the small one said little.
//!
//! For example, with a margin of 25 % and a return after 4 times the work, leaving noise aside:
//!
//! ```text
//! rehearsal 1   force-down 400, noack-up 450, file-down stopped at 500    file-down is out, at 400
//! rehearsal 2   force-down 1900, noack-up 1700                            noack-up leads
//!               4 · 400 ≤ 1700: file-down may try, up to 2125; 1500       file-down leads
//! ```

use super::schedule::OrderSchedule;
use lariat_model::order::{Candidate, Order, OrderName};

/// A candidate in the race.
pub(super) struct Runner {
    pub(super) candidate: Candidate,
    /// Its work in its last rehearsal; if it was stopped there, that of the best.
    cost: u64,
}

/// All candidates.
pub(super) struct Ranking {
    schedule: OrderSchedule,
    /// Those that may still win, the favourite first.
    runners: Vec<Runner>,
    /// Those that are out.
    out: Vec<Runner>,
}

impl Ranking {
    /// All run; the best score leads.
    pub(super) fn by_score(mut candidates: Vec<Candidate>, schedule: &OrderSchedule) -> Ranking {
        candidates.sort_by(|a, b| a.score.total_cmp(&b.score));
        let runner = |candidate| Runner { candidate, cost: 1 };
        Ranking {
            schedule: *schedule,
            runners: candidates.into_iter().map(runner).collect(),
            out: Vec::new(),
        }
    }

    /// The candidate with this order is the favourite. False if none has it.
    pub(super) fn prefer(&mut self, order: &Order) -> bool {
        let preferred = self.runners.iter().find(|r| r.candidate.order == *order);
        let Some(name) = preferred.map(|runner| runner.candidate.name) else {
            return false;
        };
        self.put_first(name);
        true
    }

    /// Those that may still win, the favourite first.
    pub(super) fn runners(&self) -> &[Runner] {
        &self.runners
    }

    /// All but the favourite, those that are out last.
    pub(super) fn others(&self) -> impl Iterator<Item = &Runner> {
        self.runners.iter().skip(1).chain(&self.out)
    }

    /// The favourite; if none is left, the first of those that are out is called back.
    pub(super) fn favourite(&mut self) -> Option<&Candidate> {
        if self.runners.is_empty() && !self.out.is_empty() {
            self.runners.push(self.out.remove(0));
        }
        self.runners.first().map(|runner| &runner.candidate)
    }

    /// The favourite needs too much memory.
    pub(super) fn drop_favourite(&mut self) {
        self.runners.remove(0);
    }

    /// Moves a runner to the front, and leaves the others as they are.
    pub(super) fn put_first(&mut self, name: OrderName) {
        self.runners.sort_by_key(|r| r.candidate.name != name);
    }

    /// The work with which a runner stays in the race when the best needs `best`.
    pub(super) fn bearable(&self, best: u64) -> u64 {
        more(best, self.schedule.margin).saturating_add(self.schedule.noise)
    }

    /// Ranks the runners by their costs in a rehearsal in which the best needed `best`; those without one are out.
    pub(super) fn by_cost(&mut self, costs: Vec<Option<u64>>, best: u64) {
        let runners = std::mem::take(&mut self.runners);
        for (runner, cost) in runners.into_iter().zip(costs) {
            self.rank(runner, cost, best);
        }
    }

    /// Lets one in by its cost in such a rehearsal, or out.
    pub(super) fn rank(&mut self, runner: Runner, cost: Option<u64>, best: u64) {
        match cost {
            Some(cost) => {
                let at = self.runners.partition_point(|r| r.cost <= cost);
                self.runners.insert(at, Runner { cost, ..runner });
            }
            None => self.out.push(Runner {
                cost: best,
                ..runner
            }),
        }
    }

    /// Those that are out and may return after a rehearsal in which the best needed `best`: as many as can be tried with the work that is `left`, the best
    /// scores first.
    pub(super) fn returning(&mut self, best: u64, left: u64) -> Vec<Runner> {
        let score = |r: &Runner| r.candidate.score;
        self.out.sort_by(|a, b| score(a).total_cmp(&score(b)));
        let several = self.schedule.much_larger;
        let may_return = |r: &Runner| r.cost.saturating_mul(several) <= best;
        let affordable = left / self.bearable(best).max(1);
        let (mut again, mut out) = std::mem::take(&mut self.out)
            .into_iter()
            .partition::<Vec<Runner>, _>(may_return);
        let affordable = again.len().min(affordable as usize);
        out.extend(again.drain(affordable..));
        self.out = out;
        again
    }

    /// Ranks the runners by score alone, where rehearsals say nothing.
    pub(super) fn sort_by_score(&mut self) {
        let score = |r: &Runner| r.candidate.score;
        self.runners.sort_by(|a, b| score(a).total_cmp(&score(b)));
    }

    /// Ranks the first runners by their score times `paces`, for each of them how slow it was.
    pub(super) fn by_pace(&mut self, paces: &[f64]) {
        let rest = self.runners.split_off(paces.len().min(self.runners.len()));
        let first = std::mem::replace(&mut self.runners, rest);
        let pace = |(pace, runner): (&f64, Runner)| (runner.candidate.score * pace, runner);
        let mut ranked: Vec<(f64, Runner)> = paces.iter().zip(first).map(pace).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranked = ranked.into_iter().map(|(_, runner)| runner);
        self.runners.splice(0..0, ranked);
    }

    /// Is another runner better than this one?
    pub(super) fn is_overtaken(&self, name: OrderName) -> bool {
        self.is_behind(name, 0)
    }

    /// Is another runner clearly better than this one?
    pub(super) fn is_clearly_overtaken(&self, name: OrderName) -> bool {
        self.is_behind(name, self.schedule.margin)
    }

    /// Does the best need less than this runner by more than `percent`?
    fn is_behind(&self, name: OrderName, percent: u64) -> bool {
        let runner = self.runners.iter().find(|r| r.candidate.name == name);
        match (self.runners.first(), runner) {
            (Some(best), Some(runner)) => more(best.cost, percent) < runner.cost,
            _ => true,
        }
    }

    /// Does the favourite lead clearly?
    pub(super) fn is_clear(&self) -> bool {
        match &self.runners[..] {
            [first, second, ..] => more(first.cost, self.schedule.margin) < second.cost,
            _ => true,
        }
    }
}

/// `percent` more work than this.
fn more(work: u64, percent: u64) -> u64 {
    work.saturating_add(work.saturating_mul(percent) / 100)
}
