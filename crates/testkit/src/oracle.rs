//! The oracle: a declarative brute-force model checker.
//!
//! *Reachability graph.* All states, all steps `s –e→ t`; under `Stutter` a dead state has a
//! self-loop without event. The letter of a step depends on its source and event.
//!
//! *Tableau.* A formula is rewritten to `¬ ∧ ∨ ↔ X U`. Its elementary formulas are the `X f` (body
//! `f`) and, for every `f U g`, the formula `X(f U g)` (body `f U g`). A valuation `v` of the k
//! elementary formulas together with a letter decides every subformula, by `f U g = g ∨ (f ∧ X(f U
//! g))`. A node of the product is `(s, w)`: in state `s` the bodies have the truth values `w`. Then
//!
//! ```text
//! (s,w) –m→ (t,v)  iff  s –e→ t  and, under letter(s,e) and v, the bodies have the values w
//! m = { f U g | under letter(s,e) and v:  ¬(f U g) ∨ g }
//! ```
//!
//! A run violates φ iff it has a path of nodes that starts with φ false and carries every mark
//! infinitely often: such a path gives every subformula at every position its truth value (Vardi
//! and Wolper 1994, by closures instead of an on-the-fly construction). `w` is a function of the
//! letter and `v`, so the product has at most (steps · 2^k) edges.
//!
//! *Search.* The reachable part is built, and its strongly connected components are computed by two
//! depth-first searches (Kosaraju). Under fairness, nodes are removed until nothing changes: all of
//! a component that cannot be fair, and those that enable a strong constraint that their component
//! does not take. The remaining components are fair.
//!
//! The oracle shares no code with the engines and the translations.

mod product;
mod reachable;

pub use reachable::Reachable;

use crate::formulas::{Ltl, Op1, Op2};
use crate::interpret;
use lariat_corpora::Random;
use lariat_model::{Constraint, EventId, Lasso, Proposition, State, System};
use product::{Fair, Product};
use std::collections::HashMap;

/// A formula over `¬ ∧ ∨ ↔ X U`; operands are indices of earlier entries.
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
    /// Per entry, the index of its elementary formula, if it is an `X` or `U`.
    elementary: Vec<usize>,
}

/// Limit on k, because the oracle needs time and space 2^k.
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
                    // f R g = ¬(¬f U ¬g)
                    Op2::Release => {
                        let (f, g) = (self.add(Core::Not(f)), self.add(Core::Not(g)));
                        let until = self.add(Core::Until(f, g));
                        self.add(Core::Not(until))
                    }
                    // f W g = ¬(¬g U (¬f ∧ ¬g))
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

    /// Evaluates every entry under a letter and a valuation of the elementary formulas.
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

    /// Returns all moves under a letter, indexed by the values of the bodies before the move.
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

/// A generalized Büchi automaton as plain data, for cases about automata instead of formulas.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// Number of marks that an accepting run carries infinitely often.
    pub marks: u32,
    /// The initial states.
    pub initial: Vec<usize>,
    /// The edges.
    pub edges: Vec<BuchiEdge>,
}

impl Buchi {
    /// Generates an automaton with few states, up to three marks and any number of initial states.
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
    /// The source.
    pub from: usize,
    /// Required values of propositions.
    pub guard: Vec<(usize, bool)>,
    /// The marks, as bits.
    pub marks: u64,
    /// The target.
    pub to: usize,
}

impl BuchiEdge {
    /// Creates an edge.
    pub fn new(from: usize, to: usize, guard: &[(usize, bool)], marks: u64) -> BuchiEdge {
        BuchiEdge {
            from,
            to,
            guard: guard.to_vec(),
            marks,
        }
    }
}

/// Returns a fair run that violates the formula; `graph` already has the deadlock policy.
pub fn violation(
    system: &System,
    propositions: &[Proposition],
    graph: &Reachable,
    formula: &Ltl,
    fairness: &[Constraint],
) -> Option<Lasso> {
    let mut tableau = Tableau::default();
    let root = tableau.compile(formula);
    let fits = tableau.bodies.len() <= MOST_ELEMENTARY && tableau.core.len() <= 128;
    assert!(fits, "the formula is too large for the oracle");
    let mut letters: HashMap<u64, Moves> = HashMap::new();
    // An initial node (s, START) has no values of the bodies yet.
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
    // Entries other than untils are marked on every edge, and so are bits beyond the last entry.
    let beyond = u128::MAX
        .checked_shl(tableau.core.len() as u32)
        .unwrap_or(0);
    product.lasso(graph, beyond, &Fair { system, fairness })
}

/// Returns a run that the automaton accepts, if there is one.
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
    let fairness = &[];
    product.lasso(graph, 0, &Fair { system, fairness })
}

/// Returns whether the automaton accepts the word whose last letter is followed by letter `back`.
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
    let (system, fairness) = (&System::default(), &[]);
    let lasso = product.lasso(&chain, 0, &Fair { system, fairness });
    lasso.is_some()
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
