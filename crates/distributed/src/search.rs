//! The program of one worker for a question, from the first wave to the last.
//!
//! All workers run this program and base every common decision on exchanged values
//! (`WaveContext::agree`), so that they execute the same waves. Only worker 0 draws the conclusion.
//! "Empty" requires that every wave completed everywhere, that no sent state is missing, and that
//! the last wave left no node.

use crate::census::StateCensus;
use crate::owcty::fixpoint;
use crate::parents::{SearchRegion, parents};
use crate::product::{DistributedProduct, OwnNode, Owned};
use crate::question::{Buchi, WorkerQuestion};
use crate::reach::ReachPart;
use crate::recent::RecentMessages;
use crate::report::{Conclusion, Figures, WorkerEnding, WorkerReport};
use crate::shared::Gauge;
use crate::trail::{Passed, TrailGoal, follow};
use crate::wave::WaveContext;
use lariat_automata::Automaton;
use lariat_budget::Stop;
use lariat_model::{Deadlock, Lasso, RunRecorder};
use serde::{Deserialize, Serialize};

pub(crate) fn answer(
    context: &mut WaveContext<'_>,
    question: &WorkerQuestion<'_>,
    gauge: &Gauge,
) -> WorkerReport {
    let start = cpu_seconds();
    let mut figures = Figures::default();
    let mut counted = None;
    let found = match question {
        WorkerQuestion::Accepts {
            system,
            propositions,
            deadlock,
            automaton,
            prefixes,
        } => {
            let product =
                DistributedProduct::new(system, propositions, *deadlock, automaton, *prefixes);
            search(context, &product, gauge, &mut figures)
        }
        WorkerQuestion::Count { system, claims } => {
            let anything = Buchi::new(&Automaton::universal());
            let product = DistributedProduct::new(system, &[], Deadlock::Stutter, &anything, false);
            let mut census = Some(StateCensus::new(system, claims));
            let mut owned = product.owned(context.me(), context.peers(), context.budget);
            let (owned, figures) = (&mut owned, &mut figures);
            let found = reach(context, &product, owned, gauge, figures, &mut census);
            counted = census.map(StateCensus::counted);
            found.map(|_| Some(Conclusion::Empty))
        }
    };
    figures.bytes_sent = context.bytes;
    figures.cpu_seconds = cpu_seconds() - start;
    let (ending, conclusion) = match found {
        Ok(conclusion) => (WorkerEnding::Finished, conclusion),
        Err(stop) => (WorkerEnding::Stopped(stop), None),
    };
    WorkerReport {
        figures,
        counted: counted.unwrap_or_default(),
        ending,
        conclusion: conclusion.filter(|_| context.me() == 0),
    }
}

/// Processor time of this thread.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn search(
    context: &mut WaveContext<'_>,
    product: &DistributedProduct<'_>,
    gauge: &Gauge,
    figures: &mut Figures,
) -> Result<Option<Conclusion>, Stop> {
    let owned = &mut product.owned(context.me(), context.peers(), context.budget);
    let reached = reach(context, product, owned, gauge, figures, &mut None)?;
    match reached {
        Reached::All { accepting: 0 } => return Ok(Some(Conclusion::Empty)),
        Reached::All { .. } => {}
        Reached::Bad(end) => {
            let to_end = parents(context, product, owned, &SearchRegion::All)?;
            let trail = follow(context, product, owned, &to_end, TrailGoal::Beginning, end)?;
            return Ok(lasso(&trail.passed, &[]).map(Conclusion::Accepting));
        }
    }
    let (set, left) = fixpoint(context, product, owned, gauge, &mut figures.edges)?;
    figures.left = set.len();
    if left == 0 {
        return Ok(Some(Conclusion::Empty));
    }
    let sizes = context.agree(Ok(set.len()))?;
    let first = sizes.iter().position(|size| *size > 0);
    let kept = || set.kept.iter().position(|kept| *kept != crate::owcty::OUT);
    let start = (first == Some(context.me())).then(kept).flatten();
    let round = parents(context, product, owned, &SearchRegion::Set(&set))?;
    let start = start.map(|node| OwnNode(node as u32));
    let cycle = follow(context, product, owned, &round, TrailGoal::Loop, start)?;
    drop((round, set));
    let to_loop = parents(context, product, owned, &SearchRegion::All)?;
    let goal = TrailGoal::Beginning;
    let prefix = follow(context, product, owned, &to_loop, goal, cycle.entry)?;
    Ok(lasso(&prefix.passed, &cycle.passed).map(Conclusion::Accepting))
}

/// Executes W1; fails if any worker fails.
fn reach<'q>(
    context: &mut WaveContext<'_>,
    product: &DistributedProduct<'q>,
    owned: &mut Owned,
    gauge: &Gauge,
    figures: &mut Figures,
    census: &mut Option<StateCensus<'q>>,
) -> Result<Reached, Stop> {
    let budget = context.budget;
    let begun = product.initial(owned, drop);
    let mut part = ReachPart {
        product,
        recent: RecentMessages::new(budget),
        owned,
        budget,
        gauge,
        next: 0,
        edges: 0,
        sent: 0,
        received: 0,
        accepting: 0,
        census: census.take(),
        bad: None,
        is_over: false,
    };
    let done = context.wave(&mut part);
    *census = part.census.take();
    *figures = Figures {
        states: part.owned.states.len() as u64,
        nodes: part.owned.len() as u64,
        edges: part.edges,
        sent: part.sent,
        received: part.received,
        packed_bits: part.owned.states.packed_bits() as u64,
        bytes: context.budget.bytes_used(),
        overflow: part.owned.states.overflow().map(|var| var.0),
        ..Figures::default()
    };
    let mine = Brought {
        bad: part.bad.map(|node| node.0),
        is_over: part.is_over,
        is_done: part.next == part.owned.len(),
        sent: part.sent,
        received: part.received,
        accepting: part.accepting,
    };
    let all = context.agree(begun.and(done).map(|()| mine))?;
    if all.iter().any(|one| one.is_over) {
        // Workers with the end message discard further states. The first one with a node shows it.
        let first = all.iter().position(|one| one.bad.is_some());
        let bad = all.get(context.me()).and_then(|one| one.bad).map(OwnNode);
        return Ok(Reached::Bad(bad.filter(|_| first == Some(context.me()))));
    }
    let sum = |figure: fn(&Brought) -> u64| all.iter().map(figure).sum::<u64>();
    let (sent, received) = (sum(|one| one.sent), sum(|one| one.received));
    // All workers see the same sums, and come to the same result.
    if sent == received && all.iter().all(|one| one.is_done) {
        Ok(Reached::All {
            accepting: sum(|one| one.accepting),
        })
    } else {
        Err(Stop::Internal(format!(
            "{sent} states were sent and {received} received"
        )))
    }
}

/// The result of W1 at one worker.
#[derive(Serialize, Deserialize)]
struct Brought {
    /// A node from which every continuation is accepted.
    bad: Option<u32>,
    /// True if this worker found such a node or was notified of one.
    is_over: bool,
    /// True if it has expanded all of its nodes.
    is_done: bool,
    sent: u64,
    received: u64,
    accepting: u64,
}

/// The result of W1.
enum Reached {
    /// All nodes were found, of which this number is accepting.
    All { accepting: u64 },
    /// A node from which every continuation is accepted, at the worker that shows it.
    Bad(Option<OwnNode>),
}

/// The run of the system from two backward walks; only worker 0 has them.
fn lasso(prefix: &[Passed], cycle: &[Passed]) -> Option<Lasso> {
    let mut run = RunRecorder::new(prefix.last()?.state.clone());
    for passed in [prefix, cycle] {
        for pair in passed.windows(2).rev() {
            run.push(pair[1].event, &pair[0].state);
        }
    }
    Some(run.into_lasso(prefix.len() - 1))
}
