//! The coverability tree of a net, which is finite even if the net is unbounded.
//!
//! Labels are markings with `ω` in places that can hold any number of tokens; `ω ± n = ω`. If the
//! successor of a label covers the label of an ancestor, the places with more tokens become `ω`:
//! the steps between can be repeated. Known labels are not expanded again. (R. M. Karp, R. E.
//! Miller, *Parallel program schemata*, 1969.)
//!
//! Every reachable marking agrees with some label in all places without `ω`. So a predicate that
//! holds in no label, for any value of `ω`, is never reached, and a sum is never larger than in
//! some label. No other property of the tree is used; these hold for any choice of `ω`.
//!
//! An unbounded sum needs a run as evidence. The steps from an ancestor without `ω` form one; if
//! the ancestor has `ω`, earlier rounds are repeated more and more often before and in between,
//! until a run covers itself. Unbounded sums without a run that grows round by round stay open.
//!
//! Cost: the tree may be larger than any given bound; work is counted in nodes.

use super::question_set::QuestionSet;
use super::{Finding, FindingSink, SearchEnd, StateQuestion, marked_net};
use crate::sums::sum;
use lariat_budget::{Budget, Stop};
use lariat_model::{
    Action, Arc, EventId, Lasso, Linear, Predicate, RunRecorder, State, System, Value, VarId,
};
use rustc_hash::FxHashMap;

/// Any number of tokens.
const OMEGA: Value = Value::MAX;
/// Numbers of repetitions of earlier rounds that are tried.
const REPEATS: [usize; 5] = [0, 1, 3, 10, 40];
/// Nodes whose runs are tried per predicate.
const TRIED: usize = 8;
const MOST_STEPS: usize = 20_000;

struct Covered {
    label: Box<[Value]>,
    parent: u32,
    event: EventId,
    /// Ancestors that it covers.
    rounds: Vec<u32>,
}

struct Tree<'s> {
    system: &'s System,
    arcs: Vec<&'s [Arc]>,
    nodes: Vec<Covered>,
}

/// Builds the tree within the budget. Finds nothing if the system is no net.
pub fn karp_miller(
    open_questions: &mut QuestionSet<'_>,
    budget: &Budget,
    sink: &mut FindingSink<'_>,
) -> SearchEnd {
    let counted = budget.clone().with_work(u64::MAX);
    let Some(mut tree) = Tree::new(open_questions.system()) else {
        return SearchEnd::default();
    };
    let mut work = 0;
    let mut search = || {
        let grown = tree.grow(open_questions, &counted, sink);
        work = counted.work_spent();
        grown?;
        tree.conclude(open_questions, &counted, sink)
    };
    let stop = search().err();
    SearchEnd { stop, work }
}

impl<'s> Tree<'s> {
    fn new(system: &'s System) -> Option<Tree<'s>> {
        let (initial, arcs) = marked_net(system)?;
        let root = Covered {
            label: initial.clone(),
            parent: 0,
            event: EventId(0),
            rounds: Vec::new(),
        };
        Some(Tree {
            system,
            arcs,
            nodes: vec![root],
        })
    }

    fn grow(
        &mut self,
        open_questions: &mut QuestionSet<'_>,
        budget: &Budget,
        sink: &mut FindingSink<'_>,
    ) -> Result<(), Stop> {
        let mut known: FxHashMap<Box<[Value]>, u32> = FxHashMap::default();
        known.insert(self.nodes[0].label.clone(), 0);
        let mut lease = budget.lease();
        let bytes = 2 * self.nodes[0].label.len() * size_of::<Value>() + 2 * size_of::<Covered>();
        let mut at = 0;
        while at < self.nodes.len() {
            if open_questions.is_over() {
                return Err(Stop::Work(0));
            }
            budget.check()?;
            for event in 0..self.arcs.len() {
                let Some(mut label) = self.fire(at, event)? else {
                    continue;
                };
                let rounds = self.accelerate(at, &mut label);
                let next = self.nodes.len() as u32;
                if *known.entry(label.clone()).or_insert(next) != next {
                    continue;
                }
                budget.spend(1)?;
                lease.resize(bytes * self.nodes.len())?;
                self.nodes.push(Covered {
                    label,
                    parent: at as u32,
                    event: EventId(event as u32),
                    rounds,
                });
                self.endless(next as usize, open_questions, sink);
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns the label after a transition, if it is enabled.
    fn fire(&self, at: usize, event: usize) -> Result<Option<Box<[Value]>>, Stop> {
        let label = &self.nodes[at].label;
        let arcs = self.arcs[event];
        if arcs.iter().any(|arc| label[arc.var.index()] < arc.need) {
            return Ok(None);
        }
        let mut next = label.clone();
        for arc in arcs {
            let tokens = &mut next[arc.var.index()];
            if *tokens != OMEGA {
                let sum = tokens.checked_add(arc.delta).filter(|sum| *sum != OMEGA);
                *tokens = sum.ok_or_else(|| Stop::Bound("a place has 2^63 tokens".to_owned()))?;
            }
        }
        Ok(Some(next))
    }

    /// Sets places with more tokens than in a covered ancestor to `ω`; returns these ancestors.
    fn accelerate(&self, parent: usize, label: &mut [Value]) -> Vec<u32> {
        let mut rounds = Vec::new();
        let mut at = parent;
        loop {
            let earlier = &self.nodes[at].label;
            let covers = earlier.iter().zip(&*label).all(|(a, b)| a <= b);
            if covers && **earlier != *label {
                rounds.push(at as u32);
                for (earlier, tokens) in earlier.iter().zip(&mut *label) {
                    if earlier < tokens {
                        *tokens = OMEGA;
                    }
                }
            }
            if at == 0 {
                return rounds;
            }
            at = self.nodes[at].parent as usize;
        }
    }

    /// Returns the nodes from the root to this one.
    fn way(&self, to: usize) -> Vec<usize> {
        let mut way = vec![to];
        let mut at = to;
        while at != 0 {
            at = self.nodes[at].parent as usize;
            way.push(at);
        }
        way.reverse();
        way
    }

    /// Answers sums that a new node shows to be unbounded.
    fn endless(
        &self,
        node: usize,
        open_questions: &mut QuestionSet<'_>,
        sink: &mut FindingSink<'_>,
    ) {
        let rounds = &self.nodes[node].rounds;
        if rounds.is_empty() {
            return;
        }
        let endless = |q: &usize| match open_questions.question(*q) {
            StateQuestion::Most(terms) => {
                let has = |(var, c): &(VarId, Value)| {
                    *c > 0 && self.nodes[node].label[var.index()] == OMEGA
                };
                terms.iter().any(has)
            }
            _ => false,
        };
        let mut open: Vec<usize> = open_questions.open().filter(endless).collect();
        if open.is_empty() {
            return;
        }
        let way = self.way(node);
        for ancestor in rounds {
            for often in REPEATS {
                let Some(lasso) = self.pumping(&way, *ancestor as usize, often) else {
                    continue;
                };
                let growth = lasso.growth.clone().unwrap_or_default();
                open.retain(|q| {
                    let grows = match open_questions.question(*q) {
                        StateQuestion::Most(terms) => sum(terms, &growth) > 0,
                        _ => false,
                    };
                    if grows {
                        open_questions.answered(*q);
                        sink(*q, Finding::Endless(lasso.clone()));
                    }
                    !grows
                });
                if open.is_empty() {
                    return;
                }
            }
        }
    }

    /// Returns the run along a path of the tree; rounds are repeated up to `often` times.
    fn run(&self, way: &[usize], often: usize) -> Option<Run<'s>> {
        let mut run = Run::new(self.system);
        for (i, node) in way.iter().enumerate().skip(1) {
            run.take(self.nodes[*node].event)?;
            for ancestor in &self.nodes[*node].rounds {
                let from = way.iter().position(|n| n == &(*ancestor as usize))?;
                run.repeat(&self.events(&way[from..=i]), often);
            }
        }
        Some(run)
    }

    fn events(&self, way: &[usize]) -> Vec<EventId> {
        let nodes = way[1..].iter();
        nodes.map(|node| self.nodes[*node].event).collect()
    }

    /// Returns a run that covers itself: to the ancestor, then the steps below it, and all earlier
    /// rounds that can be repeated after them.
    fn pumping(&self, way: &[usize], ancestor: usize, often: usize) -> Option<Lasso> {
        let from = way.iter().position(|node| *node == ancestor)?;
        let mut cycle = self.run(&way[..=from], often)?;
        let (entry, before) = (cycle.run.len(), cycle.run.state().clone());
        for event in self.events(&way[from..]) {
            cycle.take(event)?;
        }
        let earlier = way[..=from].iter().enumerate().flat_map(|(i, node)| {
            let rounds = self.nodes[*node].rounds.iter();
            rounds.filter_map(move |ancestor| {
                let start = way.iter().position(|n| n == &(*ancestor as usize))?;
                Some(self.events(&way[start..=i]))
            })
        });
        for round in earlier {
            cycle.repeat(&round, often);
        }
        let pairs = cycle.run.state().iter().zip(&before);
        let growth: State = pairs.map(|(after, before)| after - before).collect();
        let covers = growth.iter().all(|more| *more >= 0);
        covers.then_some(Lasso {
            growth: Some(growth),
            ..cycle.run.into_lasso(entry)
        })
    }

    /// Answers questions by the complete tree.
    fn conclude(
        &self,
        open_questions: &mut QuestionSet<'_>,
        budget: &Budget,
        sink: &mut FindingSink<'_>,
    ) -> Result<(), Stop> {
        let open: Vec<usize> = open_questions.open().collect();
        for q in open {
            budget.check()?;
            match open_questions.question(q).clone() {
                StateQuestion::Reach(predicate) => {
                    let may =
                        |node: &usize| may(self.system, &predicate, &self.nodes[*node].label).0;
                    let mut candidates = (0..self.nodes.len()).filter(may).peekable();
                    if candidates.peek().is_none() {
                        open_questions.close(q);
                        sink(q, Finding::Never);
                        continue;
                    }
                    let tried = candidates.take(TRIED);
                    let runs = tried.flat_map(|node| {
                        let way = self.way(node);
                        REPEATS.map(|often| self.run(&way, often))
                    });
                    let found = runs
                        .flatten()
                        .find(|r| self.system.holds(&predicate, r.run.state()));
                    if let Some(run) = found {
                        open_questions.answered(q);
                        let run = run.run.into_prefix();
                        sink(q, Finding::Reached(run));
                    }
                }
                StateQuestion::Most(terms) => {
                    let tops = self.nodes.iter().map(|node| range(&terms, &node.label).1);
                    // The maximum, or `None` if one is unbounded.
                    let top = tops.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b)));
                    if let Some(Some(most)) = top {
                        open_questions.close(q);
                        sink(q, Finding::AtMost(most));
                    }
                }
                StateQuestion::Always(_) => {}
            }
        }
        Ok(())
    }
}

#[derive(Clone)]
struct Run<'s> {
    system: &'s System,
    run: RunRecorder,
}

impl<'s> Run<'s> {
    fn new(system: &'s System) -> Run<'s> {
        Run {
            system,
            run: RunRecorder::new(system.initial[0].clone()),
        }
    }

    fn take(&mut self, event: EventId) -> Option<()> {
        if self.run.len() >= MOST_STEPS {
            return None;
        }
        let step = self.system.steps(self.run.state(), event).pop()?;
        self.run.take(step);
        Some(())
    }

    /// Fires the events up to `often` times, as long as all of them can be fired.
    fn repeat(&mut self, events: &[EventId], often: usize) {
        for _ in 0..often {
            let steps = self.run.len();
            if !events.iter().all(|event| self.take(*event).is_some()) {
                self.run.truncate(steps);
                return;
            }
        }
    }
}

/// Returns the bounds of a sum for all values of `ω`; `None` if unbounded.
fn range(terms: &[(VarId, Value)], label: &[Value]) -> (Option<i128>, Option<i128>) {
    let (mut low, mut high) = (Some(0i128), Some(0i128));
    for (var, weight) in terms {
        let weight = i128::from(*weight);
        match label[var.index()] {
            OMEGA if weight > 0 => high = None,
            OMEGA => low = None,
            tokens => {
                let value = weight * i128::from(tokens);
                low = low.map(|low| low + value);
                high = high.map(|high| high + value);
            }
        }
    }
    (low, high)
}

/// Returns whether a predicate may be true and whether it may be false; both over-approximate.
fn may(system: &System, predicate: &Predicate, label: &[Value]) -> (bool, bool) {
    let each = |list: &[Predicate]| -> Vec<(bool, bool)> {
        list.iter().map(|inner| may(system, inner, label)).collect()
    };
    let some = |each: &[(bool, bool)]| (each.iter().any(|e| e.0), each.iter().all(|e| e.1));
    let all = |each: &[(bool, bool)]| (each.iter().all(|e| e.0), each.iter().any(|e| e.1));
    let enabled = |event: &EventId| match &system.event(*event).action {
        Action::Net(arcs) => {
            let lacks = |arc: &Arc| label[arc.var.index()] < arc.need;
            let may_lack = |arc: &Arc| arc.need > 0 && label[arc.var.index()] == OMEGA;
            let never = arcs.iter().any(lacks);
            (!never, never || arcs.iter().any(may_lack))
        }
        _ => (true, true),
    };
    match predicate {
        Predicate::Const(value) => (*value, !value),
        Predicate::Linear(linear) => compare(linear, label),
        Predicate::Expr(expr) => {
            let mut vars = Vec::new();
            expr.collect_vars(&mut vars);
            if vars.iter().any(|var| label[var.index()] == OMEGA) {
                return (true, true);
            }
            let value = expr.eval(label).is_ok_and(|x| x != 0);
            (value, !value)
        }
        Predicate::Enabled(events) => {
            let each: Vec<_> = events.iter().map(enabled).collect();
            some(&each)
        }
        Predicate::Deadlock => {
            let each: Vec<_> = system.event_ids().map(|e| enabled(&e)).collect();
            let (t, f) = some(&each);
            (f, t)
        }
        Predicate::Not(inner) => {
            let (t, f) = may(system, inner, label);
            (f, t)
        }
        Predicate::And(list) => all(&each(list)),
        Predicate::Or(list) => some(&each(list)),
    }
}

fn compare(linear: &Linear, label: &[Value]) -> (bool, bool) {
    let (low, high) = range(&linear.terms, label);
    let constant = i128::from(linear.constant);
    // The sum may take any value between its bounds.
    let below = low.is_none_or(|low| low < constant);
    let above = high.is_none_or(|high| high > constant);
    let at = low.is_none_or(|low| low <= constant) && high.is_none_or(|high| high >= constant);
    let holds = |truth: bool| {
        [(below, -1), (at, 0), (above, 1)]
            .into_iter()
            .any(|(may, sign)| may && linear.comparison.holds(sign, 0) == truth)
    };
    (holds(true), holds(false))
}
