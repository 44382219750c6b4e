//! The ranking of the candidates in a [race](super::race).
//!
//! Before any trial there is only the static score, which ranks and does not decide. After a
//! rehearsal there is the *cost*, the work that a candidate needed for it: candidates that need
//! more than the best plus a margin are eliminated, the others are ranked by cost. A candidate that
//! a small rehearsal eliminated may return once a rehearsal has taken several times its work.
//!
//! For example, with a margin of 25 % and a return after 4 times the work, ignoring noise:
//!
//! ```text
//! rehearsal 1   force-down 400, noack-up 450, file-down stopped at 500   file-down is out, at 400
//! rehearsal 2   force-down 1900, noack-up 1700                           noack-up leads
//!               4 · 400 ≤ 1700: file-down may try, up to 2125; 1500      file-down leads
//! ```

use super::schedule::OrderSchedule;
use lariat_model::order::{Order, OrderName, ScoredOrder};

pub(super) struct RankedOrder {
    pub(super) candidate: ScoredOrder,
    /// Its work in its last rehearsal; that of the best if it was stopped there.
    cost: u64,
}

pub(super) struct Ranking {
    schedule: OrderSchedule,
    /// Candidates that may still win, the favourite first.
    runners: Vec<RankedOrder>,
    out: Vec<RankedOrder>,
}

impl Ranking {
    pub(super) fn by_score(mut candidates: Vec<ScoredOrder>, schedule: &OrderSchedule) -> Ranking {
        candidates.sort_by(|a, b| a.score.total_cmp(&b.score));
        let runner = |candidate| RankedOrder { candidate, cost: 1 };
        Ranking {
            schedule: *schedule,
            runners: candidates.into_iter().map(runner).collect(),
            out: Vec::new(),
        }
    }

    /// Makes the candidate with this order the favourite; false if there is none.
    pub(super) fn prefer(&mut self, order: &Order) -> bool {
        let preferred = self.runners.iter().find(|r| r.candidate.order == *order);
        let Some(name) = preferred.map(|runner| runner.candidate.name) else {
            return false;
        };
        self.put_first(name);
        true
    }

    /// Candidates that may still win, the favourite first.
    pub(super) fn runners(&self) -> &[RankedOrder] {
        &self.runners
    }

    /// All but the favourite, the eliminated ones last.
    pub(super) fn others(&self) -> impl Iterator<Item = &RankedOrder> {
        self.runners.iter().skip(1).chain(&self.out)
    }

    /// The favourite; if no runner is left, the first eliminated candidate returns.
    pub(super) fn favourite(&mut self) -> Option<&ScoredOrder> {
        if self.runners.is_empty() && !self.out.is_empty() {
            self.runners.push(self.out.remove(0));
        }
        self.runners.first().map(|runner| &runner.candidate)
    }

    /// Removes the favourite, which needs too much memory.
    pub(super) fn drop_favourite(&mut self) {
        self.runners.remove(0);
    }

    /// Moves a runner to the front; the others keep their order.
    pub(super) fn put_first(&mut self, name: OrderName) {
        self.runners.sort_by_key(|r| r.candidate.name != name);
    }

    /// Work up to which a runner stays in the race when the best needs `best`.
    pub(super) fn bearable(&self, best: u64) -> u64 {
        more(best, self.schedule.margin).saturating_add(self.schedule.noise)
    }

    /// Ranks the runners by their costs in a rehearsal in which the best needed `best`; those
    /// without a cost are eliminated.
    pub(super) fn by_cost(&mut self, costs: Vec<Option<u64>>, best: u64) {
        let runners = std::mem::take(&mut self.runners);
        for (runner, cost) in runners.into_iter().zip(costs) {
            self.rank(runner, cost, best);
        }
    }

    /// Inserts a runner by its cost in such a rehearsal, or eliminates it.
    pub(super) fn rank(&mut self, runner: RankedOrder, cost: Option<u64>, best: u64) {
        match cost {
            Some(cost) => {
                let at = self.runners.partition_point(|r| r.cost <= cost);
                self.runners.insert(at, RankedOrder { cost, ..runner });
            }
            None => self.out.push(RankedOrder {
                cost: best,
                ..runner
            }),
        }
    }

    /// Removes the candidates that may return after a rehearsal in which the best needed `best`
    /// from the eliminated ones: as many as can be tried with `left` work, the best scores first.
    pub(super) fn returning(&mut self, best: u64, left: u64) -> Vec<RankedOrder> {
        let score = |r: &RankedOrder| r.candidate.score;
        self.out.sort_by(|a, b| score(a).total_cmp(&score(b)));
        let several = self.schedule.much_larger;
        let may_return = |r: &RankedOrder| r.cost.saturating_mul(several) <= best;
        let affordable = left / self.bearable(best).max(1);
        let (mut again, mut out) = std::mem::take(&mut self.out)
            .into_iter()
            .partition::<Vec<RankedOrder>, _>(may_return);
        let affordable = again.len().min(affordable as usize);
        out.extend(again.drain(affordable..));
        self.out = out;
        again
    }

    /// Ranks the runners by score alone, if rehearsals are not significant.
    pub(super) fn sort_by_score(&mut self) {
        let score = |r: &RankedOrder| r.candidate.score;
        self.runners.sort_by(|a, b| score(a).total_cmp(&score(b)));
    }

    /// Ranks the first runners by score times slowness, which `paces` contains.
    pub(super) fn by_pace(&mut self, paces: &[f64]) {
        let rest = self.runners.split_off(paces.len().min(self.runners.len()));
        let first = std::mem::replace(&mut self.runners, rest);
        let pace = |(pace, runner): (&f64, RankedOrder)| (runner.candidate.score * pace, runner);
        let mut ranked: Vec<(f64, RankedOrder)> = paces.iter().zip(first).map(pace).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranked = ranked.into_iter().map(|(_, runner)| runner);
        self.runners.splice(0..0, ranked);
    }

    pub(super) fn is_overtaken(&self, name: OrderName) -> bool {
        self.is_behind(name, 0)
    }

    pub(super) fn is_clearly_overtaken(&self, name: OrderName) -> bool {
        self.is_behind(name, self.schedule.margin)
    }

    /// Returns whether the best needs less than this runner by more than `percent`.
    fn is_behind(&self, name: OrderName, percent: u64) -> bool {
        let runner = self.runners.iter().find(|r| r.candidate.name == name);
        match (self.runners.first(), runner) {
            (Some(best), Some(runner)) => more(best.cost, percent) < runner.cost,
            _ => true,
        }
    }

    pub(super) fn is_clear(&self) -> bool {
        match &self.runners[..] {
            [first, second, ..] => more(first.cost, self.schedule.margin) < second.cost,
            _ => true,
        }
    }
}

/// This work and `percent` of it.
fn more(work: u64, percent: u64) -> u64 {
    work.saturating_add(work.saturating_mul(percent) / 100)
}
