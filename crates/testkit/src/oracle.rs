//! The oracle: brute force, and as declarative as it can be.
//!
//! *Reachable graph.* All states, all steps `s –e→ t`; under `Stutter` a dead state has one step without
//! event to itself. The letter of a step is that of its source and its event.
//!
//! *Tableau.* A formula is rewritten to `¬ ∧ ∨ ↔ X U`. Its elementary formulas are the `X f` (body
//! `f`) and, for every `f U g`, the formula `X(f U g)` (body `f U g`). A valuation `v` of the k
//! elementary formulas together with a letter decides every subformula, by
//! `f U g = g ∨ (f ∧ X(f U g))`. A node of the product is `(s, w)`: in state `s` the bodies have the
//! truth values `w`. Then
//!
//! ```text
//! (s,w) –m→ (t,v)  iff  s –e→ t  and, under letter(s,e) and v, the bodies have the values w
//! m = { f U g | under letter(s,e) and v:  ¬(f U g) ∨ g }
//! ```
//!
//! A run violates φ iff it has a path of nodes that starts with φ false and carries every m for ever: such
//! a path gives every subformula at every position its true value (Vardi and Wolper 1994, as
//! closures and not as an on-the-fly construction). `w` is a function of the letter and `v`, so the
//! product has at most (steps · 2^k) edges.
//!
//! *Search.* The reachable part is written down, its strongly connected components are found by two depth-first
//! searches (Kosaraju), and each is looked at as a whole. Under fairness, nodes are taken away until nothing changes: all of a component that
//! cannot be fair, and those that enable what their component does not take; what is left consists of fair components.
//!
//! Nothing here is shared with the engines, nor with the translators they use.

use crate::fairness::Ledger;
use crate::formulas::{Ltl, Op1, Op2};
use crate::interpret;
use lariat_corpora::Random;
use lariat_model::{
    Constraint, Deadlock, EventId, Lasso, Proposition, State, Step, Strength, System,
};
use std::collections::{HashMap, VecDeque};

/// The reachable states of a system with all steps between them.
#[derive(Clone, Debug)]
pub struct Reachable {
    /// The states; the initial ones first.
    pub states: Vec<State>,
    /// The positions of the initial states.
    pub initial: Vec<usize>,
    /// For every state the events that can be taken and where they lead.
    pub steps: Vec<Vec<(Option<EventId>, usize)>>,
}

impl Reachable {
    /// All reachable states, `None` if there are more than `cut`.
    pub fn explore(system: &System, cut: usize) -> Option<Reachable> {
        let mut known: HashMap<State, usize> = HashMap::new();
        let mut all = Reachable {
            states: Vec::new(),
            initial: Vec::new(),
            steps: Vec::new(),
        };
        for state in &system.initial {
            let next = all.states.len();
            let id = *known.entry(state.clone()).or_insert(next);
            if id == next {
                all.states.push(state.clone());
                all.initial.push(id);
            }
        }
        while all.steps.len() < all.states.len() {
            let mut steps = Vec::new();
            for (event, state) in interpret::steps(system, &all.states[all.steps.len()]) {
                let next = all.states.len();
                let id = *known.entry(state.clone()).or_insert(next);
                if id == next {
                    if next >= cut {
                        return None;
                    }
                    all.states.push(state);
                }
                steps.push((Some(event), id));
            }
            all.steps.push(steps);
        }
        Some(all)
    }

    /// The same graph under a policy for deadlocks.
    #[must_use]
    pub fn under(&self, deadlock: Deadlock) -> Reachable {
        let mut graph = self.clone();
        if deadlock == Deadlock::Stutter {
            for (s, steps) in graph.steps.iter_mut().enumerate() {
                if steps.is_empty() {
                    steps.push((None, s));
                }
            }
        }
        graph
    }

    /// Does some run go on for ever?
    pub fn has_infinite_run(&self) -> bool {
        // Take away states without steps until nothing changes: what is left reaches a cycle.
        let mut alive = vec![true; self.states.len()];
        loop {
            let dies: Vec<usize> = (0..alive.len())
                .filter(|&s| alive[s] && !self.steps[s].iter().any(|&(_, t)| alive[t]))
                .collect();
            if dies.is_empty() {
                return self.initial.iter().any(|&s| alive[s]);
            }
            for s in dies {
                alive[s] = false;
            }
        }
    }
}

/// A formula over `¬ ∧ ∨ ↔ X U`; operands are positions of earlier entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Core {
    Const(bool),
    Atom(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Iff(usize, usize),
    Next(usize),
    Until(usize, usize),
}

#[derive(Default)]
struct Tableau {
    core: Vec<Core>,
    /// The bodies of the elementary formulas.
    bodies: Vec<usize>,
    /// Which elementary formula an `X` or `U` is read from.
    elementary: Vec<usize>,
}

/// The oracle needs time and space 2^k.
const MOST_ELEMENTARY: usize = 20;

impl Tableau {
    fn add(&mut self, core: Core) -> usize {
        if let Some(known) = self.core.iter().position(|c| *c == core) {
            return known;
        }
        let id = self.core.len();
        self.core.push(core);
        self.elementary.push(self.bodies.len());
        match core {
            Core::Next(f) => self.bodies.push(f),
            Core::Until(..) => self.bodies.push(id),
            _ => {}
        }
        id
    }

    fn compile(&mut self, formula: &Ltl) -> usize {
        match formula {
            Ltl::Const(b) => self.add(Core::Const(*b)),
            Ltl::Atom(a) => self.add(Core::Atom(*a)),
            Ltl::Unary(op, f) => {
                let f = self.compile(f);
                match op {
                    Op1::Not => self.add(Core::Not(f)),
                    Op1::Next => self.add(Core::Next(f)),
                    Op1::Finally => self.eventually(f),
                    Op1::Globally => {
                        let never = self.add(Core::Not(f));
                        let f = self.eventually(never);
                        self.add(Core::Not(f))
                    }
                }
            }
            Ltl::Binary(op, f, g) => {
                let (f, g) = (self.compile(f), self.compile(g));
                match op {
                    Op2::And => self.add(Core::And(f, g)),
                    Op2::Or => self.add(Core::Or(f, g)),
                    Op2::Iff => self.add(Core::Iff(f, g)),
                    Op2::Implies => {
                        let not = self.add(Core::Not(f));
                        self.add(Core::Or(not, g))
                    }
                    Op2::Xor => {
                        let iff = self.add(Core::Iff(f, g));
                        self.add(Core::Not(iff))
                    }
                    Op2::Until => self.add(Core::Until(f, g)),
                    // f R g fails where, before any f, g fails.
                    Op2::Release => {
                        let (f, g) = (self.add(Core::Not(f)), self.add(Core::Not(g)));
                        let until = self.add(Core::Until(f, g));
                        self.add(Core::Not(until))
                    }
                    // f W g fails where, before any g, both fail.
                    Op2::WeakUntil => {
                        let (f, g) = (self.add(Core::Not(f)), self.add(Core::Not(g)));
                        let both = self.add(Core::And(f, g));
                        let until = self.add(Core::Until(g, both));
                        self.add(Core::Not(until))
                    }
                    Op2::StrongRelease => {
                        let both = self.add(Core::And(f, g));
                        self.add(Core::Until(g, both))
                    }
                }
            }
        }
    }

    fn eventually(&mut self, f: usize) -> usize {
        let always = self.add(Core::Const(true));
        self.add(Core::Until(always, f))
    }

    /// The truth of every entry under a letter and a valuation of the elementary formulas.
    fn decide(&self, letter: u64, valuation: usize, truth: &mut Vec<bool>) {
        truth.clear();
        for (i, core) in self.core.iter().enumerate() {
            let claimed = valuation >> self.elementary[i] & 1 == 1;
            truth.push(match *core {
                Core::Const(b) => b,
                Core::Atom(a) => letter >> a & 1 == 1,
                Core::Not(f) => !truth[f],
                Core::And(f, g) => truth[f] && truth[g],
                Core::Or(f, g) => truth[f] || truth[g],
                Core::Iff(f, g) => truth[f] == truth[g],
                Core::Next(_) => claimed,
                Core::Until(f, g) => truth[g] || truth[f] && claimed,
            });
        }
    }

    /// All moves under one letter, by the values of the bodies before them.
    fn moves(&self, letter: u64, root: usize) -> Moves {
        let mut moves = Moves::default();
        let mut truth = Vec::new();
        for valuation in 0..1usize << self.bodies.len() {
            self.decide(letter, valuation, &mut truth);
            let mut bodies = 0;
            for (k, body) in self.bodies.iter().enumerate() {
                bodies |= usize::from(truth[*body]) << k;
            }
            let mut marks = 0;
            for (i, core) in self.core.iter().enumerate() {
                let kept = match core {
                    Core::Until(_, g) => !truth[i] || truth[*g],
                    _ => true,
                };
                marks |= u128::from(kept) << i;
            }
            let next = ProductMove { valuation, marks };
            moves.from.entry(bodies).or_default().push(next);
            if !truth[root] {
                moves.violating.push(next);
            }
        }
        moves
    }
}

#[derive(Clone, Copy)]
struct ProductMove {
    valuation: usize,
    marks: u128,
}

#[derive(Default)]
struct Moves {
    from: HashMap<usize, Vec<ProductMove>>,
    violating: Vec<ProductMove>,
}

/// An explicit graph with marks on its edges; an accepting cycle carries all bits of `all`.
struct Product {
    /// The system's state in each node.
    state: Vec<usize>,
    roots: Vec<usize>,
    edges: Vec<Vec<ProductEdge>>,
    all: u128,
}

#[derive(Clone, Copy)]
struct ProductEdge {
    to: usize,
    event: Option<EventId>,
    marks: u128,
}

/// Which runs count.
struct Fair<'a> {
    system: &'a System,
    fairness: &'a [Constraint],
}

impl Fair<'_> {
    /// Is a state on no fair loop of a component with these steps?
    fn excludes(&self, all: Ledger, state: &State) -> bool {
        let violated = all.violated(self.fairness);
        self.fairness.iter().enumerate().any(|(i, constraint)| {
            violated >> i & 1 == 1
                && match constraint.strength {
                    Strength::Weak => true,
                    Strength::Strong => {
                        interpret::satisfies(self.system, state, &constraint.enabled)
                    }
                }
        })
    }
}

/// A generalized Büchi automaton as plain data, for cases that are about an automaton and not a formula.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// How many marks an accepting run carries for ever.
    pub marks: u32,
    /// The initial states.
    pub initial: Vec<usize>,
    /// The edges.
    pub edges: Vec<BuchiEdge>,
}

impl Buchi {
    /// A random automaton over `atoms` propositions: few states, up to three marks, often none, sometimes no or several
    /// initial states.
    pub fn random(rng: &mut Random, atoms: usize) -> Buchi {
        let states = 1 + rng.below(5);
        let marks = rng.below(4) as u32;
        let edges = (0..1 + rng.below(states * 3)).map(|_| BuchiEdge {
            from: rng.below(states),
            guard: (0..atoms)
                .map(|a| (a, rng.below(4)))
                .filter(|(_, draw)| *draw < 2)
                .map(|(a, draw)| (a, draw == 0))
                .collect(),
            marks: rng.bits() & rng.bits() & ((1 << marks) - 1),
            to: rng.below(states),
        });
        let edges = edges.collect();
        let mut initial: Vec<usize> = (0..states).filter(|q| *q == 0 || rng.percent(20)).collect();
        if rng.percent(3) {
            initial.clear();
        }
        Buchi {
            marks,
            initial,
            edges,
        }
    }
}

/// An edge of a [`Buchi`].
#[derive(Clone, Debug)]
pub struct BuchiEdge {
    /// Where it starts.
    pub from: usize,
    /// Which propositions must, or must not, hold.
    pub guard: Vec<(usize, bool)>,
    /// Its marks, as bits.
    pub marks: u64,
    /// Where it leads.
    pub to: usize,
}

/// A fair run that violates the formula, if there is one. `graph` already knows the deadlock policy.
pub fn violation(
    system: &System,
    propositions: &[Proposition],
    graph: &Reachable,
    formula: &Ltl,
    fairness: &[Constraint],
) -> Option<Lasso> {
    let mut tableau = Tableau::default();
    let root = tableau.compile(formula);
    assert!(tableau.bodies.len() <= MOST_ELEMENTARY, "too large to ask");
    assert!(tableau.core.len() <= 128, "too large to ask");
    let mut letters: HashMap<u64, Moves> = HashMap::new();
    // The start is not yet bound to any values: it is the node (s, START).
    const START: usize = usize::MAX;
    let roots = graph.initial.iter().map(|&s| (s, START)).collect();
    let product = Product::build(roots, u128::MAX, |&(s, w)| {
        let mut out = Vec::new();
        for &(event, t) in &graph.steps[s] {
            let letter = interpret::letter(system, propositions, &graph.states[s], event);
            let moves = letters
                .entry(letter)
                .or_insert_with(|| tableau.moves(letter, root));
            let list = match w {
                START => Some(&moves.violating),
                _ => moves.from.get(&w),
            };
            for m in list.into_iter().flatten() {
                out.push(((t, m.valuation), event, m.marks));
            }
        }
        out
    });
    // Entries that are no until are marked on every edge, and so are bits beyond the last entry.
    let beyond = u128::MAX
        .checked_shl(tableau.core.len() as u32)
        .unwrap_or(0);
    product.lasso(graph, beyond, &Fair { system, fairness })
}

/// A run that the automaton accepts, if there is one.
pub fn accepted(
    system: &System,
    propositions: &[Proposition],
    graph: &Reachable,
    automaton: &Buchi,
) -> Option<Lasso> {
    let product = synchronise(automaton, &graph.initial, |s| {
        let letter = |event| interpret::letter(system, propositions, &graph.states[s], event);
        let steps = graph.steps[s].iter();
        steps.map(|&(event, t)| (event, t, letter(event))).collect()
    });
    let anything = Fair {
        system,
        fairness: &[],
    };
    product.lasso(graph, 0, &anything)
}

/// Does the automaton accept the word, which goes on from its last letter with letter `back`?
pub fn accepts(automaton: &Buchi, letters: &[u64], back: usize) -> bool {
    let chain = Reachable {
        states: vec![State::default(); letters.len()],
        initial: vec![0],
        steps: Vec::new(),
    };
    let product = synchronise(automaton, &chain.initial, |i| {
        let next = if i + 1 < letters.len() { i + 1 } else { back };
        vec![(None, next, letters[i])]
    });
    let anything = Fair {
        system: &System::default(),
        fairness: &[],
    };
    product.lasso(&chain, 0, &anything).is_some()
}

fn synchronise(
    automaton: &Buchi,
    initial: &[usize],
    steps: impl Fn(usize) -> Vec<(Option<EventId>, usize, u64)>,
) -> Product {
    let roots = initial
        .iter()
        .flat_map(|&s| automaton.initial.iter().map(move |&q| (s, q)))
        .collect();
    let all = (1u128 << automaton.marks) - 1;
    Product::build(roots, all, |&(s, q)| {
        let mut out = Vec::new();
        for (event, t, letter) in steps(s) {
            for edge in automaton.edges.iter().filter(|e| e.from == q) {
                if edge.guard.iter().all(|(a, v)| (letter >> a & 1 == 1) == *v) {
                    out.push(((t, edge.to), event, u128::from(edge.marks)));
                }
            }
        }
        out
    })
}

impl Product {
    /// Everything that can be reached from the roots; nodes are pairs with a system's state in front.
    fn build(
        roots: Vec<(usize, usize)>,
        all: u128,
        mut successors: impl FnMut(&(usize, usize)) -> Vec<((usize, usize), Option<EventId>, u128)>,
    ) -> Product {
        let mut ids = HashMap::new();
        let mut nodes = Vec::new();
        let mut id = |node, nodes: &mut Vec<(usize, usize)>| {
            *ids.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        let roots = roots.into_iter().map(|r| id(r, &mut nodes)).collect();
        let mut edges: Vec<Vec<ProductEdge>> = Vec::new();
        while edges.len() < nodes.len() {
            let out = successors(&nodes[edges.len()]);
            edges.push(
                out.into_iter()
                    .map(|(node, event, marks)| ProductEdge {
                        to: id(node, &mut nodes),
                        event,
                        marks,
                    })
                    .collect(),
            );
        }
        Product {
            state: nodes.into_iter().map(|(s, _)| s).collect(),
            roots,
            edges,
            all,
        }
    }

    /// The strongly connected component of every node among those that are `alive`, all others being alone: nodes in the order in
    /// which a search leaves them, then, last left first, everything that reaches them.
    fn components(&self, alive: &[bool]) -> Vec<usize> {
        let n = self.edges.len();
        let mut order = Vec::with_capacity(n);
        let mut seen: Vec<bool> = alive.iter().map(|alive| !alive).collect();
        for root in 0..n {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let mut path = vec![(root, 0)];
            while let Some((node, next)) = path.last_mut() {
                match self.edges[*node].get(*next) {
                    Some(edge) => {
                        *next += 1;
                        if !seen[edge.to] {
                            seen[edge.to] = true;
                            path.push((edge.to, 0));
                        }
                    }
                    None => {
                        order.push(*node);
                        path.pop();
                    }
                }
            }
        }
        let mut backwards = vec![Vec::new(); n];
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges.iter().filter(|e| alive[from] && alive[e.to]) {
                backwards[edge.to].push(from);
            }
        }
        let mut component: Vec<usize> = vec![usize::MAX; n];
        for (node, slot) in component.iter_mut().enumerate() {
            if !alive[node] {
                *slot = node;
            }
        }
        for &root in order.iter().rev() {
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                if component[node] == usize::MAX {
                    component[node] = root;
                    todo.extend(&backwards[node]);
                }
            }
        }
        component
    }

    /// The component of every node that lies in one that is accepting and fair as a whole; `None` for the others.
    fn fair_components(
        &self,
        graph: &Reachable,
        free: u128,
        fair: &Fair<'_>,
    ) -> Vec<Option<usize>> {
        let mut alive = vec![true; self.edges.len()];
        loop {
            let component = self.components(&alive);
            let inner = |node: usize, edge: &ProductEdge| {
                alive[node] && alive[edge.to] && component[edge.to] == component[node]
            };
            let mut marks: HashMap<usize, (u128, Ledger)> = HashMap::new();
            for (node, edges) in self.edges.iter().enumerate() {
                for edge in edges.iter().filter(|e| inner(node, e)) {
                    let (seen, ledger) = marks
                        .entry(component[node])
                        .or_insert((free, Ledger::default()));
                    *seen |= edge.marks;
                    let state = &graph.states[self.state[node]];
                    *ledger = ledger.and(Ledger::of(fair.system, fair.fairness, state, edge.event));
                }
            }
            let mut changed = false;
            for node in (0..alive.len())
                .filter(|node| alive[*node])
                .collect::<Vec<_>>()
            {
                let dies = match marks.get(&component[node]) {
                    Some((seen, ledger)) if seen & self.all == self.all => {
                        fair.excludes(*ledger, &graph.states[self.state[node]])
                    }
                    _ => true,
                };
                alive[node] = !dies;
                changed |= dies;
            }
            if !changed {
                let fair = component.into_iter().zip(alive);
                return fair.map(|(c, alive)| alive.then_some(c)).collect();
            }
        }
    }

    /// A path from a root into an accepting component and around in it.
    fn lasso(&self, graph: &Reachable, free: u128, fair: &Fair<'_>) -> Option<Lasso> {
        let component = self.fair_components(graph, free, fair);
        let good = |node: usize| component[node].is_some();
        let (root, prefix) = self.roots.iter().find_map(|&root| {
            let path = match good(root) {
                true => Vec::new(),
                false => self.path(root, |_| true, |e| good(e.to))?,
            };
            Some((root, path))
        })?;
        let start = prefix.last().map_or(root, |e| e.to);
        let home = component[start];
        let inside = |node: usize| component[node] == home;
        let (mut cycle, mut at, mut missing) = (Vec::new(), start, self.all & !free);
        while missing != 0 {
            let path = self.path(at, inside, |e| inside(e.to) && e.marks & missing != 0)?;
            for edge in &path {
                missing &= !edge.marks;
                at = edge.to;
            }
            cycle.extend(path);
        }
        // Every edge of the component is taken once if fairness asks for more than marks.
        if !fair.fairness.is_empty() {
            for node in (0..self.edges.len()).filter(|node| inside(*node)) {
                for edge in self.edges[node].iter().filter(|e| inside(e.to)) {
                    if at != node {
                        cycle.extend(self.path(at, inside, |e| e.to == node)?);
                    }
                    cycle.push(*edge);
                    at = edge.to;
                }
            }
        }
        if cycle.is_empty() || at != start {
            cycle.extend(self.path(at, inside, |e| e.to == start)?);
        }
        let step = |edge: &ProductEdge| Step {
            event: edge.event,
            state: graph.states[self.state[edge.to]].clone(),
        };
        Some(Lasso {
            initial: graph.states[self.state[root]].clone(),
            prefix: prefix.iter().map(step).collect(),
            cycle: cycle.iter().map(step).collect(),
            growth: None,
        })
    }

    /// A shortest path of at least one edge whose last edge is a goal.
    fn path(
        &self,
        from: usize,
        through: impl Fn(usize) -> bool,
        goal: impl Fn(&ProductEdge) -> bool,
    ) -> Option<Vec<ProductEdge>> {
        let mut came: HashMap<usize, (usize, ProductEdge)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for edge in &self.edges[node] {
                if goal(edge) {
                    let mut path = vec![*edge];
                    let mut at = node;
                    while at != from {
                        let (before, edge) = came[&at];
                        path.push(edge);
                        at = before;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.to != from && through(edge.to) && !came.contains_key(&edge.to) {
                    came.insert(edge.to, (node, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}
