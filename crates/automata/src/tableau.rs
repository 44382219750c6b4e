//! LTL to transition-based generalized Büchi automata, by decision diagrams.
//!
//! A state is a formula that the rest of the word must satisfy. Its moves are a Boolean function
//! over atoms (the current letter), obligations `N[g]` (the word after this letter satisfies g) and
//! promises `P[g]` (g was due and is postponed):
//!
//! > ⟦p⟧ = p    ⟦X f⟧ = N\[f\]    ⟦f ∧ g⟧ = ⟦f⟧ ∧ ⟦g⟧    ⟦f ∨ g⟧ = ⟦f⟧ ∨ ⟦g⟧
//! > ⟦f U g⟧ = ⟦g⟧ ∨ (⟦f⟧ ∧ P\[g\] ∧ N\[f U g\])    ⟦f W g⟧ = ⟦g⟧ ∨ (⟦f⟧ ∧ N\[f W g\])
//! > ⟦f R g⟧ = ⟦g⟧ ∧ (⟦f⟧ ∨ N\[f R g\])    ⟦f M g⟧ = ⟦g⟧ ∧ (⟦f⟧ ∨ (P\[f\] ∧ N\[f M g\]))
//!
//! `F` and `G` are special cases. The operand of a `G` is due again at the next position anyway, so
//! inside of it (through `∧` only) `F`, `U`, `M`, `R` and `W` need no separate obligation: ⟦G F g⟧
//! = (⟦g⟧ ∨ P\[g\]) ∧ N\[G F g\], which is a single state.
//!
//! The residual of every class of letters is monotone in obligations and promises; each of its
//! prime implicants is an edge to the conjunction of its obligations. A run is accepting iff no
//! promise is postponed forever: mark g is on the edges without `P[g]`. Formulas with equal
//! functions are one state.
//!
//! Simplifying the formula of every state merges more of them, but a promise that is renamed at
//! every step is never detected as postponed forever: such an automaton accepts all words of the
//! formula and perhaps others. (A word of the formula has a run that postpones g only where g does
//! not hold, whichever equivalent formulas the states have.)
//!
//! This is Couvreur's construction (*On-the-fly verification of linear temporal logic*, FM 1999)
//! with atoms first in the variable order, so classes of letters are found by walking the top of
//! the diagram and no letter is ever enumerated.
//!
//! Cost: exponential in the formula in the worst case; all steps are counted against the budget.

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, GuardMap, Guards};
use lariat_budget::{Budget, Stop};
use lariat_emptiness::Marks;
use lariat_ltl::{AtomId, Formula, Formulas, Node, simplify};
use rustc_hash::FxHashMap;

/// First variable of obligations and promises.
const EXTRA: usize = Guards::MAX_ATOMS;
/// Maximum number of obligations and promises: diagram operations recurse once per variable.
const MOST_EXTRA: usize = 2048;
/// Maximum number of diagram nodes of one translation.
pub(crate) const MOST_NODES: usize = 1 << 21;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Extra {
    Obligation(Formula),
    Promise(Formula),
}

/// A formula whose function is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Due {
    formula: Formula,
    /// True if it is also due at every later position.
    again: bool,
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    store: Guards,
    atom_index: FxHashMap<AtomId, usize>,
    extra: Vec<Extra>,
    extra_index: FxHashMap<Extra, usize>,
    functions: FxHashMap<Due, Guard>,
    /// The mark of every promise that some edge postpones.
    marks: FxHashMap<usize, u32>,
}

/// The states created so far.
struct States {
    legal: Guard,
    state_formulas: StateFormulas,
    names: Vec<Formula>,
    /// The functions of their formulas, on legal letters.
    moves: Vec<Guard>,
    by_moves: FxHashMap<Guard, StateId>,
    by_formula: FxHashMap<Formula, StateId>,
}

/// Treatment of the formula of a new state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StateFormulas {
    /// It is unchanged: the automaton has the language of the formula.
    Exact,
    /// It is simplified: the automaton accepts all words of the formula, and perhaps others.
    Simplified,
}

/// The automaton of a formula in negation normal form, and the formula of every state.
pub(crate) fn tableau(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    state_formulas: StateFormulas,
    budget: &Budget,
) -> Result<(Automaton, Vec<Formula>), Stop> {
    let atoms = formulas.atoms_of(f);
    Guards::check_atoms(&atoms)?;
    let mut store = Guards::limited(MOST_NODES);
    let legal = legal.guard(&atoms, &mut store);
    let mut t = Tableau {
        formulas,
        store,
        atom_index: atoms.iter().enumerate().map(|(i, a)| (*a, i)).collect(),
        extra: Vec::new(),
        extra_index: FxHashMap::default(),
        functions: FxHashMap::default(),
        marks: FxHashMap::default(),
    };
    let mut states = States {
        legal,
        state_formulas,
        names: Vec::new(),
        moves: Vec::new(),
        by_moves: FxHashMap::default(),
        by_formula: FxHashMap::default(),
    };
    let mut lease = budget.lease();
    let initial = states.state_of(&mut t, f)?;
    let mut edges: Vec<Vec<Transition>> = Vec::new();
    while edges.len() < states.names.len() {
        budget.spend(1)?;
        lease.resize(t.store.bytes() + edges.len() * 256)?;
        edges.push(edges_of(&mut t, &mut states, edges.len(), budget)?);
    }
    let mark_count = t.marks.len() as u32;
    let all = Marks::all(mark_count);
    for edge in edges.iter_mut().flatten() {
        edge.marks = all.minus(edge.marks);
    }
    let automaton = Automaton {
        atoms,
        guards: t.store,
        mark_count,
        initial: vec![initial],
        states: edges,
    };
    Ok((automaton, states.names))
}

/// The edges of the `n`-th state, one for each target and set of postponed promises. The latter is
/// in the place of the marks: the set of all marks is known at the end.
fn edges_of(
    t: &mut Tableau<'_>,
    states: &mut States,
    n: usize,
    budget: &Budget,
) -> Result<Vec<Transition>, Stop> {
    let mut edges = GuardMap::new();
    let mut edge = || budget.check().and_then(|()| budget.spend(1));
    let rests = t.store.leaves(states.moves[n], EXTRA as u32, &mut edge)?;
    for (rest, guard) in rests {
        for set in t.store.minimal_sets(rest, &mut edge)? {
            let mut put_off = Marks::NONE;
            let mut due = Vec::new();
            for v in set {
                let v = v as usize - EXTRA;
                match t.extra[v] {
                    Extra::Obligation(g) => due.push(g),
                    Extra::Promise(_) => put_off = put_off.union(t.mark_of(v)?),
                }
            }
            let rest = t.formulas.and(due);
            let to = states.state_of(t, rest)?;
            edges.add((to, put_off), guard, &mut t.store);
        }
    }
    Ok(edges.edges())
}

impl States {
    /// The state of a formula; creates one if no state has its moves.
    fn state_of(&mut self, t: &mut Tableau<'_>, f: Formula) -> Result<StateId, Stop> {
        let f = match self.state_formulas {
            StateFormulas::Exact => f,
            StateFormulas::Simplified => simplify(t.formulas, f),
        };
        if let Some(&q) = self.by_formula.get(&f) {
            return Ok(q);
        }
        let function = t.function(f)?;
        let function = t.store.and(function, self.legal);
        let q = *self.by_moves.entry(function).or_insert_with(|| {
            self.names.push(f);
            self.moves.push(function);
            StateId(self.names.len() as u32 - 1)
        });
        self.by_formula.insert(f, q);
        Ok(q)
    }
}

impl Tableau<'_> {
    fn extra(&mut self, extra: Extra) -> Result<Guard, Stop> {
        let next = self.extra.len();
        let i = *self.extra_index.entry(extra).or_insert(next);
        if i == next {
            if next == MOST_EXTRA {
                let message = format!("the formula needs more than {MOST_EXTRA} obligations");
                return Err(Stop::Unsupported(message));
            }
            self.extra.push(extra);
        }
        Ok(self.store.variable(EXTRA + i))
    }

    /// `N[f]`, split into the conjuncts of f, since edges are conjunctions.
    fn obligation(&mut self, f: Formula) -> Result<Guard, Stop> {
        let parts = match self.formulas.node(f) {
            Node::True => return Ok(Guards::TRUE),
            Node::False => return Ok(Guards::FALSE),
            Node::And(fs) => fs.to_vec(),
            _ => vec![f],
        };
        let mut result = Guards::TRUE;
        for part in parts {
            let v = self.extra(Extra::Obligation(part))?;
            result = self.store.and(result, v);
        }
        Ok(result)
    }

    /// `P[f]`. Postponing `g U h` is postponing `h`.
    fn promise(&mut self, mut f: Formula) -> Result<Guard, Stop> {
        while let Node::Until([_, g]) | Node::Finally(g) = *self.formulas.node(f) {
            f = g;
        }
        self.extra(Extra::Promise(f))
    }

    /// The mark of a promise, given by its variable.
    fn mark_of(&mut self, v: usize) -> Result<Marks, Stop> {
        let next = self.marks.len() as u32;
        let i = *self.marks.entry(v).or_insert(next);
        if i >= Marks::MAX {
            let most = Marks::MAX;
            let message = format!("the formula needs more than {most} acceptance marks");
            return Err(Stop::Unsupported(message));
        }
        Ok(Marks::one(i))
    }

    /// The operands from which the function of `due` is computed.
    fn parts(&self, due: Due) -> Vec<Due> {
        let part = |again| move |&formula: &Formula| Due { formula, again };
        match self.formulas.node(due.formula) {
            Node::And(fs) => fs.iter().map(part(due.again)).collect(),
            Node::Globally(g) => vec![part(true)(g)],
            Node::Next(_) | Node::Not(_) => Vec::new(),
            node => node.children().iter().map(part(false)).collect(),
        }
    }

    /// ⟦f⟧, bottom-up; the stack is explicit because formulas may be deep.
    fn function(&mut self, formula: Formula) -> Result<Guard, Stop> {
        let root = Due {
            formula,
            again: false,
        };
        let mut todo = vec![(root, false)];
        while let Some((due, ready)) = todo.pop() {
            if self.functions.contains_key(&due) {
                continue;
            }
            if ready {
                let function = self.combine(due)?;
                self.store.check()?;
                self.functions.insert(due, function);
            } else {
                todo.push((due, true));
                todo.extend(self.parts(due).into_iter().map(|part| (part, false)));
            }
        }
        Ok(self.functions[&root])
    }

    fn combine(&mut self, due: Due) -> Result<Guard, Stop> {
        let Due { formula: f, again } = due;
        let parts = self.parts(due).into_iter();
        let parts: Vec<Guard> = parts.map(|part| self.functions[&part]).collect();
        let node = self.formulas.node(f).clone();
        let stay = |t: &mut Self| {
            if again {
                Ok(Guards::TRUE)
            } else {
                t.obligation(f)
            }
        };
        Ok(match node {
            Node::True => Guards::TRUE,
            Node::False => Guards::FALSE,
            Node::Atom(a) => self.store.atom(self.atom_index[&a]),
            Node::Not(g) => match *self.formulas.node(g) {
                Node::Atom(a) => {
                    let v = self.store.atom(self.atom_index[&a]);
                    self.store.not(v)
                }
                _ => unreachable!("the tableau is given formulas in negation normal form"),
            },
            Node::And(_) => {
                (parts.into_iter()).fold(Guards::TRUE, |all, part| self.store.and(all, part))
            }
            Node::Or(_) => {
                (parts.into_iter()).fold(Guards::FALSE, |any, part| self.store.or(any, part))
            }
            Node::Next(g) => self.obligation(g)?,
            Node::Globally(_) => {
                let stay = stay(self)?;
                self.store.and(parts[0], stay)
            }
            Node::Finally(g) => {
                let (stay, promise) = (stay(self)?, self.promise(g)?);
                let later = self.store.and(stay, promise);
                self.store.or(parts[0], later)
            }
            Node::Until([_, g]) => {
                let (stay, promise) = (stay(self)?, self.promise(g)?);
                let later = self.store.and(stay, promise);
                let later = self.store.and(parts[0], later);
                self.store.or(parts[1], later)
            }
            Node::WeakUntil(_) => {
                let stay = stay(self)?;
                let later = self.store.and(parts[0], stay);
                self.store.or(parts[1], later)
            }
            Node::Release(_) => {
                let stay = stay(self)?;
                let later = self.store.or(parts[0], stay);
                self.store.and(parts[1], later)
            }
            Node::StrongRelease([g, _]) => {
                let (stay, promise) = (stay(self)?, self.promise(g)?);
                let later = self.store.and(stay, promise);
                let later = self.store.or(parts[0], later);
                self.store.and(parts[1], later)
            }
            Node::Implies(_) | Node::Iff(_) | Node::Xor(_) => {
                unreachable!("the tableau is given formulas in negation normal form")
            }
        })
    }
}
