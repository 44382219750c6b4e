//! Shorter counterexamples: a shortest lasso of the synchronous product, within a counted effort.
//!
//! The lasso of any engine is shortened on the product of single states, in five steps:
//!
//! - *slice*: removes events of the run that are irrelevant to the property (`slice.rs`), if the
//!   automaton still accepts;
//! - *begin early*: tries the loop from every state before it (`early.rs`);
//! - *follow*: follows the run in the product. Positions with equal state and automaton state are
//!   one node, so detours disappear even if the product is too large to be explored;
//! - *explore*: breadth-first from the initial nodes, to the depth of a shorter lasso, within the
//!   effort;
//! - *search*: the lasso with the smallest sum of prefix and loop in the explored fragment.
//!
//! Where a prefix is evidence, a shortest one that is no longer than the lasso is preferred: it
//! ends in the nearest node from which the automaton accepts every continuation.
//!
//! There are two attempts, the second with more effort if the lasso is still long. The explored
//! fragment is kept (`fragment.rs`).
//!
//! If the product was explored to that depth and the search ended, the result is a shortest lasso
//! of the product. Otherwise it is as short as the effort allowed, and never longer than the input.
//! Related: Hansen and Geldenhuys, *Cheap and small counterexamples* (SEFM 2008), who reuse the
//! memory of a search; here the product is explored again.

mod early;
mod fragment;
mod search;
mod slice;
mod word;

use crate::explicit::product::ExplicitProduct;
use crate::problem::Problem;
use early::earlier;
use fragment::Fragment;
use lariat_automata::accepting_forever;
use lariat_budget::{Budget, RunContext};
use lariat_model::{EvidenceKind, Lasso};
use slice::{LoopSlicing, sliced};
use word::is_evidence;

/// The effort is divided by `marks / MANY_MARKS`, rounded up: search positions include the marks
/// seen, so a search with many marks seldom ends, and the exploration for it is wasted.
const MANY_MARKS: usize = 4;

/// Limits on the search for a shorter lasso.
pub struct ShortenEffort<'a> {
    /// Product states for the first attempt, fewer if there are many marks.
    pub at_first: u64,
    /// Product states for both attempts, by the number of steps after the first.
    pub at_last: &'a dyn Fn(usize) -> u64,
}

/// Returns a lasso of `problem` that is at most as long as `lasso`.
///
/// If the effort or the budget is used up, returns the shortest lasso found.
pub fn shorten(
    problem: &Problem<'_>,
    lasso: Lasso,
    effort: &ShortenEffort<'_>,
    ctx: RunContext<'_>,
) -> Lasso {
    let lasso = folded(lasso);
    if lasso.steps().count() <= 1 {
        return lasso;
    }
    let mut whole = problem.clone();
    whole.most_tokens = None;
    whole.prefixes = false;
    let product = ExplicitProduct::new(&whole, ctx.observer);
    let forever = if problem.takes_prefixes() {
        accepting_forever(problem.automaton)
    } else {
        Vec::new()
    };
    let mut attempts = Attempts {
        problem,
        fragment: Fragment::new(&product, forever, ctx.budget),
        budget: ctx.budget,
    };
    let lasso = attempts.attempt(lasso, effort.at_first);
    match (effort.at_last)(lasso.steps().count()) {
        more if more > effort.at_first => attempts.attempt(lasso, more),
        _ => lasso,
    }
}

struct Attempts<'a, 'p> {
    problem: &'a Problem<'p>,
    fragment: Fragment<'a, 'p>,
    budget: &'a Budget,
}

impl Attempts<'_, '_> {
    fn attempt(&mut self, lasso: Lasso, effort: u64) -> Lasso {
        let (problem, budget) = (self.problem, self.budget);
        let longest = lasso.steps().count();
        if longest <= 1 {
            return lasso;
        }
        if let Some(beginning) = self.fragment.beginning(longest, effort) {
            return beginning;
        }
        if lasso.kind() == EvidenceKind::Covering {
            // Its rounds repeat no state, and a part of a round may not be a round.
            return if problem.fairness.is_empty() {
                sliced_run(problem, lasso, budget)
            } else {
                lasso
            };
        }
        let marks = problem.automaton.all_marks().len() as usize + problem.fairness.len();
        let effort = effort / marks.div_ceil(MANY_MARKS).max(1) as u64;
        let lasso = simplified(problem, lasso, budget);
        // If fairness is not in the marks, a shorter lasso with all marks may be unfair.
        if lasso.kind() == EvidenceKind::Prefix || !self.fragment.has_fairness_in_marks() {
            return lasso;
        }
        match self.fragment.shorter(&lasso, effort) {
            // The automaton may return later than the states, so the run may still be too long.
            Ok(Some(shorter)) => simplified(problem, folded(shorter), budget),
            Ok(None) | Err(_) => lasso,
        }
    }
}

/// Removes irrelevant events and moves the loop closer to the start.
fn simplified(problem: &Problem<'_>, lasso: Lasso, budget: &Budget) -> Lasso {
    let lasso = sliced_run(problem, lasso, budget);
    match earlier(problem, &lasso, budget) {
        Some(earlier) => sliced_run(problem, folded(earlier), budget),
        None => lasso,
    }
}

/// Removes irrelevant events; keeps the whole loop if the run is otherwise unfair.
fn sliced_run(problem: &Problem<'_>, lasso: Lasso, budget: &Budget) -> Lasso {
    for of_the_loop in [LoopSlicing::Parts, LoopSlicing::Whole] {
        if let Some(sliced) = sliced(problem, &lasso, of_the_loop, budget)
            && is_evidence(problem, &sliced, budget)
        {
            return folded(sliced);
        }
    }
    lasso
}

/// Returns the same run with a single round of the loop, begun as early as possible.
///
/// A covering run is unchanged because no two rounds pass the same states; a prefix has no loop.
pub fn folded(mut lasso: Lasso) -> Lasso {
    if lasso.kind() != EvidenceKind::Lasso {
        return lasso;
    }
    let all = lasso.cycle.len();
    let repeats = |n: &usize| {
        all.is_multiple_of(*n) && (*n..all).all(|i| lasso.cycle[i] == lasso.cycle[i - n])
    };
    if let Some(once) = (1..=all / 2).find(repeats) {
        let whole = std::mem::take(&mut lasso.cycle);
        lasso.cycle = whole[..once].to_vec();
        if !lasso.comes_round() {
            lasso.cycle = whole;
        }
    }
    // The loop ends where it begins: equal last steps have equal sources.
    let before = lasso.prefix.iter().rev();
    let closing = lasso.cycle.iter().rev().cycle();
    let common = before.zip(closing).take_while(|(a, b)| a == b).count();
    lasso.prefix.truncate(lasso.prefix.len() - common);
    let length = lasso.cycle.len().max(1);
    lasso.cycle.rotate_right(common % length);
    lasso
}

#[cfg(test)]
mod tests {
    use super::slice::testing::{asks, events, net, run};
    use super::*;
    use crate::runs::{Passage, plain_run};
    use lariat_automata::Automaton;
    use lariat_model::{Constraint, Deadlock, EventId, Strength};

    /// Other components keep only the events of the loop that fairness requires.
    #[test]
    fn sliced_runs_stay_fair() {
        // Three components: 0 → 1 → 2 ⟲, which the property observes, 3 → 4 ⇄ 5, and 6 → 7.
        let system = net(
            &[1, 0, 0, 1, 0, 0, 1, 0],
            &[
                (&[0], &[1]),
                (&[1], &[2]),
                (&[2], &[2]),
                (&[3], &[4]),
                (&[4], &[5]),
                (&[5], &[4]),
                (&[6], &[7]),
            ],
        );
        let (automaton, asked) = (Automaton::universal(), asks(1));
        let fair_to = |event, strength| {
            let fair = [Constraint::of_events("t", strength, vec![EventId(event)])];
            let problem =
                Problem::new(&system, &automaton, &asked, Deadlock::Ignore).assuming(&fair);
            let found = run(&system, &[3, 0, 6, 4, 1], &[5, 4, 2]);
            let short = sliced_run(&problem, found, &Budget::unlimited());
            (events(&short.prefix), events(&short.cycle))
        };
        for strength in [Strength::Weak, Strength::Strong] {
            assert_eq!(fair_to(5, strength), (vec![0, 1], vec![2]));
            assert_eq!(fair_to(3, strength), (vec![3, 0, 4, 1], vec![5, 4, 2]));
        }
    }

    #[test]
    fn loops_have_one_round_and_begin_early() {
        let step = |event: u32, value| Passage {
            event: Some(EventId(event)),
            state: vec![value].into(),
        };
        let round = [step(0, 1), step(1, 0)];
        let lasso = plain_run(
            vec![0].into(),
            [&round[..], &round].concat(),
            [&round[..], &round, &round].concat(),
        );
        let brief = folded(lasso);
        assert!(brief.prefix.is_empty());
        assert_eq!(brief, plain_run(vec![0].into(), Vec::new(), round.to_vec()));
    }
}
