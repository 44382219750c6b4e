//! Breadth-first search of all states.
//!
//! Each state records the step by which it was found, so runs are shortest. After a complete
//! search, predicates not met are unreachable and the records of sums are their maxima. `always`
//! questions are decided on the [bottom components](super::bottom) of the graph, whose edges are
//! stored if there are such questions.
//!
//! Cost: each state is expanded once, and only the questions [touched](super::QuestionSet) by the
//! step to it are evaluated. Memory: eight bytes per state for its run, four per stored edge.

use super::bottom::bottom;
use super::question_set::{QuestionSet, StateAnswer, StateView};
use super::{Finding, FindingSink, SearchEnd, StateQuestion};
use crate::sums::sum;
use lariat_budget::{Budget, Lease, Stop};
use lariat_model::{Deadlock, EventId, Lasso, Predicate, RunRecorder, Value, VarId};
use lariat_space::explicit::{Explicit, ExplicitStateId, StateTable};

/// States between two polls of the budget.
const POLL_INTERVAL: usize = 256;
/// Predecessor of initial states.
const FIRST: u32 = u32::MAX;

pub(super) struct SweepGraph {
    /// By state: predecessor and event; [`FIRST`] for initial states.
    parents: Vec<(u32, EventId)>,
    /// By state: end of its range in `edges`. Both are empty if edges are not stored.
    pub ends: Vec<u64>,
    pub edges: Vec<u32>,
    keeps_edges: bool,
    lease: Lease,
}

impl SweepGraph {
    fn bytes(&self) -> usize {
        self.parents.capacity() * 8 + self.ends.capacity() * 8 + self.edges.capacity() * 4
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    pub fn successors(&self, state: usize) -> &[u32] {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start as usize..self.ends[state] as usize]
    }

    /// Returns the run by which a state was found. There may be one per question, and each step
    /// takes time for all places: after the end of the budget there is none.
    fn run(
        &self,
        space: &Explicit<'_>,
        states: &mut StateTable,
        to: u32,
        budget: &Budget,
    ) -> Result<Lasso, Stop> {
        budget.check()?;
        let mut path = Vec::new();
        let mut at = to;
        loop {
            let (before, event) = self.parents[at as usize];
            if before == FIRST {
                break;
            }
            path.push((event, at));
            at = before;
        }
        let initial = space.values(states, ExplicitStateId(at));
        let mut run = RunRecorder::new(initial.into());
        for (event, to) in path.into_iter().rev() {
            if run.len().is_multiple_of(POLL_INTERVAL) {
                budget.check()?;
            }
            run.push(Some(event), space.values(states, ExplicitStateId(to)));
        }
        Ok(run.into_prefix())
    }
}

struct At<'a, 's>(&'a Explicit<'s>, &'a mut StateTable, ExplicitStateId);

impl StateView for At<'_, '_> {
    fn holds(&mut self, predicate: &Predicate) -> bool {
        self.0.holds(self.1, self.2, predicate)
    }

    fn sum(&mut self, terms: &[(VarId, Value)]) -> i128 {
        sum(terms, self.0.values(self.1, self.2))
    }
}

/// Evaluates all states, or as many as the budget allows.
pub fn sweep(
    open_questions: &mut QuestionSet<'_>,
    budget: &Budget,
    sink: &mut FindingSink<'_>,
) -> SearchEnd {
    let counted = budget.clone().with_work(u64::MAX);
    let space = Explicit::new(open_questions.system(), Deadlock::Ignore);
    let mut states = space.states(&counted);
    let mut graph = SweepGraph {
        parents: Vec::new(),
        ends: Vec::new(),
        edges: Vec::new(),
        keeps_edges: open_questions.asks(is_always),
        lease: budget.lease(),
    };
    // By question: its best answer and the state.
    let mut best: Vec<Option<(StateAnswer, u32)>> = vec![None; open_questions.len()];
    let mut lost = Vec::new();
    let explored = explore(
        &space,
        &mut states,
        open_questions,
        &mut graph,
        &mut best,
        &counted,
    );
    let complete = explored == Ok(true);
    let mut stop = explored.err();
    if complete && open_questions.asks(is_always) {
        match bottom(&space, &mut states, open_questions, &graph, &counted) {
            Ok(found) => {
                let asked = |q: &usize| is_always(open_questions.question(*q));
                for q in open_questions.open().filter(asked) {
                    match found.iter().find(|(lost, _)| *lost == q) {
                        Some((_, state)) => lost.push((q, *state)),
                        None => sink(q, Finding::Always),
                    }
                }
            }
            Err(early) => stop = Some(early),
        }
    }
    let mut found =
        |q: usize, at: u32, finding: &dyn Fn(Lasso) -> Finding, sink: &mut FindingSink<'_>| {
            match graph.run(&space, &mut states, at, budget) {
                Ok(run) => sink(q, finding(run)),
                Err(early) => stop = Some(early),
            }
        };
    for (q, best) in best.into_iter().enumerate() {
        match best {
            Some((StateAnswer::Reached, at)) => found(q, at, &Finding::Reached, sink),
            Some((StateAnswer::Record(value), at)) => {
                found(q, at, &|run| Finding::AtLeast(value, run), sink);
            }
            Some((StateAnswer::Lost, at)) => lost.push((q, at)),
            None => {}
        }
        if complete && open_questions.is_open(q) {
            match open_questions.question(q) {
                StateQuestion::Reach(_) => sink(q, Finding::Never),
                StateQuestion::Most(_) => {
                    let most = open_questions.record(q).unwrap_or(0);
                    sink(q, Finding::AtMost(most));
                }
                StateQuestion::Always(_) => {}
            }
        }
    }
    for (q, at) in lost {
        found(q, at, &Finding::Lost, sink);
    }
    SearchEnd {
        stop,
        work: counted.work_spent(),
    }
}

fn is_always(question: &StateQuestion) -> bool {
    matches!(question, StateQuestion::Always(_))
}

/// Returns false if everything was answered before the end.
fn explore(
    space: &Explicit<'_>,
    states: &mut StateTable,
    open_questions: &mut QuestionSet<'_>,
    graph: &mut SweepGraph,
    best: &mut [Option<(StateAnswer, u32)>],
    budget: &Budget,
) -> Result<bool, Stop> {
    let mut met = Vec::new();
    let mut note = |met: &mut Vec<(usize, StateAnswer)>, at: u32| {
        for (q, what) in met.drain(..) {
            best[q] = Some((what, at));
        }
    };
    for k in 0.. {
        let Some(id) = space.initial(states, k)? else {
            break;
        };
        if id.0 as usize == graph.parents.len() {
            graph.parents.push((FIRST, EventId(0)));
            open_questions.visit_initial(&mut At(space, states, id), &mut met);
            note(&mut met, id.0);
        }
    }
    let mut steps = Vec::new();
    let mut at = 0;
    while at < graph.parents.len() {
        if open_questions.is_over() {
            return Ok(false);
        }
        if at % POLL_INTERVAL == 0 {
            budget.check()?;
            graph.lease.resize(graph.bytes())?;
        }
        budget.spend(1)?;
        let from = ExplicitStateId(at as u32);
        steps.clear();
        space.expand(states, from, &mut steps)?;
        if steps.is_empty() && open_questions.needs_dead() {
            open_questions.visit_dead(&mut At(space, states, from), &mut met);
            note(&mut met, from.0);
        }
        for (event, to) in &steps {
            if to.0 as usize == graph.parents.len() {
                graph.parents.push((from.0, *event));
                if open_questions.is_touched(*event) {
                    open_questions.visit(*event, &mut At(space, states, *to), &mut met);
                    note(&mut met, to.0);
                }
            }
            if graph.keeps_edges {
                graph.edges.push(to.0);
            }
        }
        if graph.keeps_edges {
            graph.ends.push(graph.edges.len() as u64);
        }
        at += 1;
    }
    graph.lease.resize(graph.bytes())?;
    Ok(true)
}
