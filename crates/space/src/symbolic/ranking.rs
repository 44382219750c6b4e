//! Who runs, who leads and who is out: the ranking of the candidates in a [race](super::race).
//!
//! Before anything is tried there is only the static score, which ranks and does not decide. After
//! a rehearsal there is the *cost*, the work that a candidate needed for it: those that need more
//! than the best and a margin are out, the others are ranked by cost. Whoever dropped out of a
//! small rehearsal may return when one has been managed that took several times the work, of which
//! the small one said little.
//!
//! For example, with a margin of 25 % and a return after 4 times the work, leaving noise aside:
//!
//! ```text
//! rehearsal 1   force-down 400, noack-up 450, file-down 900   file-down is out of one of 400
//! rehearsal 2   noack-up 1700, force-down 1900                it returns, as 4 · 400 ≤ 1700,
//!               file-down 1500                                and leads; all are within 1875 but
//!                                                           force-down, which is out of the next
//! ```

use super::schedule::Schedule;
use lariat_model::order::{Candidate, OrderName};

/// A candidate in the race.
#[derive(Clone)]
pub(super) struct Runner {
    pub(super) candidate: Candidate,
    /// Its work in its last rehearsal; if it was stopped there, that of the best.
    cost: u64,
}

/// All candidates.
pub(super) struct Ranking {
    schedule: Schedule,
    /// Those who may still win, the favourite first.
    runners: Vec<Runner>,
    /// Those who are out.
    out: Vec<Runner>,
}

impl Ranking {
    /// Everybody takes part; the best score leads.
    pub(super) fn by_score(mut candidates: Vec<Candidate>, schedule: &Schedule) -> Ranking {
        candidates.sort_by(|a, b| a.score.total_cmp(&b.score));
        let runner = |candidate| Runner { candidate, cost: 1 };
        Ranking {
            schedule: *schedule,
            runners: candidates.into_iter().map(runner).collect(),
            out: Vec::new(),
        }
    }

    /// Those who may still win, the favourite first.
    pub(super) fn runners(&self) -> &[Runner] {
        &self.runners
    }

    /// Everybody but the favourite, those who are out last.
    pub(super) fn others(&self) -> impl Iterator<Item = &Runner> {
        self.runners.iter().skip(1).chain(&self.out)
    }

    /// The favourite; if nobody is left, the first of those who are out is called back.
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
        best.saturating_add(best / 100 * self.schedule.margin)
            .saturating_add(self.schedule.noise)
    }

    /// Ranks the runners by their costs in a rehearsal; those without one are out.
    pub(super) fn by_cost(&mut self, costs: Vec<Option<u64>>, best: u64) {
        let runners = std::mem::take(&mut self.runners);
        for (runner, cost) in runners.into_iter().zip(costs) {
            self.rank(runner, cost, best);
        }
    }

    /// Lets a runner in, by its cost in a rehearsal in which the best needed `best`.
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

    /// Those who are out and may return after a rehearsal in which the best needed `best`, if to
    /// try them all takes at most `work`.
    pub(super) fn returning(&mut self, best: u64, work: u64) -> Vec<Runner> {
        let several = self.schedule.much_larger;
        let (again, out) = std::mem::take(&mut self.out)
            .into_iter()
            .partition::<Vec<Runner>, _>(|r| r.cost.saturating_mul(several) <= best);
        self.out = out;
        if self.bearable(best).saturating_mul(again.len() as u64) > work {
            self.out.extend(again);
            return Vec::new();
        }
        again
    }

    /// Is another runner enough better than this one to begin again for it?
    pub(super) fn is_overtaken(&self, name: OrderName) -> bool {
        let favourite = self.runners.iter().find(|r| r.candidate.name == name);
        match (self.runners.first(), favourite) {
            (Some(best), Some(favourite)) => {
                best.cost + best.cost * self.schedule.restart / 100 < favourite.cost
            }
            _ => true,
        }
    }

    /// Ranks the first runners by their score times `paces`, for each of them how slow it was.
    pub(super) fn by_pace(&mut self, paces: &[f64]) {
        let rest = self.runners.split_off(paces.len().min(self.runners.len()));
        let first = std::mem::replace(&mut self.runners, rest);
        let mut ranked: Vec<(f64, Runner)> = paces
            .iter()
            .zip(first)
            .map(|(pace, runner)| (runner.candidate.score * pace, runner))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.runners
            .splice(0..0, ranked.into_iter().map(|(_, runner)| runner));
    }
}
