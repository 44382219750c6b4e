//! Conjunctions of many recurrence conditions and disjunctions of many persistence conditions,
//! without their tableau.
//!
//! The tableau of `GF b₁ ∧ … ∧ GF bₙ` is one state with an edge for every set of promises fulfilled
//! together: 2ⁿ edges. A nondeterministic automaton need not record all of them. For `f ∧ GF b₁ ∧ …
//! ∧ GF bₙ` with Boolean `bᵢ`, take an automaton of `f` and add to every edge, for each `i`, the
//! same edge with one more mark:
//!
//! ```text
//! q –g,m→ r    becomes    q –g,m→ r   and   q –g∧bᵢ, m∪{i}→ r    for i = 1 … n
//! ```
//!
//! A run over a word in which every `bᵢ` recurs can choose the marks in turn, and an accepting run
//! proves that each `bᵢ` recurs: n + 1 edges instead of 2ⁿ, and no new state. Edges outside of
//! accepting components need no marks. If `g` implies `bᵢ`, the edge itself carries the mark.
//!
//! The dual, `FG b₁ ∨ … ∨ FG bₙ`, has as many classes of letters as there are sets of the `bᵢ`. Its
//! automaton is constructed directly: one waiting state, and one final state for each `bᵢ`.
//!
//! A few conjuncts or disjuncts are left to the tableau ([`MOST_SPELT`]), whose automaton for them
//! is deterministic.

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId, Transition};
use crate::guard::{Guard, Guards};
use crate::scc::automaton_components;
use lariat_budget::Stop;
use lariat_emptiness::Marks;
use lariat_ltl::{AtomId, Formula, Formulas, Node, classes, simplify};
use rustc_hash::FxHashMap;

/// Maximum number of conditions for the tableau: 16 edges instead of one.
const MOST_SPELT: usize = 4;

/// A decomposed formula; the remaining formula comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    /// `f ∧ GF b₁ ∧ … ∧ GF bₙ`
    Recurring(Formula, Vec<Formula>),
    /// `f ∨ FG b₁ ∨ … ∨ FG bₙ`
    Settling(Formula, Vec<Formula>),
}

/// Decomposes a simplified formula if it has too many recurring or settling conditions for the
/// tableau.
pub(crate) fn split(formulas: &mut Formulas, f: Formula) -> Option<Split> {
    let (rest, recurring) = take_apart(formulas, f, Dual::Recurring);
    if recurring.len() > MOST_SPELT {
        return Some(Split::Recurring(rest, recurring));
    }
    let (rest, settling) = take_apart(formulas, f, Dual::Settling);
    (settling.len() > MOST_SPELT).then_some(Split::Settling(rest, settling))
}

/// `f` as `rest ∧ GF b₁ ∧ … ∧ GF bₙ`, if it has more recurring Boolean conditions than the tableau
/// handles: for callers that check the conditions without an automaton.
pub fn recurring_conditions(
    formulas: &mut Formulas,
    f: Formula,
) -> Option<(Formula, Vec<Formula>)> {
    let f = simplify(formulas, f);
    match split(formulas, f)? {
        Split::Recurring(rest, conditions) => Some((rest, conditions)),
        Split::Settling(..) => None,
    }
}

/// The two dual forms: `∧ G F` and `∨ F G`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dual {
    Recurring,
    Settling,
}

impl Dual {
    /// The operands of a conjunction or disjunction; otherwise the formula itself.
    fn parts(self, formulas: &Formulas, f: Formula) -> Vec<Formula> {
        match (self, formulas.node(f)) {
            (Dual::Recurring, Node::And(parts)) | (Dual::Settling, Node::Or(parts)) => {
                parts.to_vec()
            }
            _ => vec![f],
        }
    }

    /// The operand of `G` or `F`.
    fn outer(self, formulas: &Formulas, f: Formula) -> Option<Formula> {
        match (self, formulas.node(f)) {
            (Dual::Recurring, Node::Globally(g)) | (Dual::Settling, Node::Finally(g)) => Some(*g),
            _ => None,
        }
    }

    /// The operand of `F` or `G`, if it is Boolean.
    fn inner(self, formulas: &Formulas, f: Formula) -> Option<Formula> {
        match (self, formulas.node(f)) {
            (Dual::Recurring, Node::Finally(b)) | (Dual::Settling, Node::Globally(b)) => {
                classes(formulas, *b).boolean.then_some(*b)
            }
            _ => None,
        }
    }

    fn join(self, formulas: &mut Formulas, parts: Vec<Formula>) -> Formula {
        match self {
            Dual::Recurring => formulas.and(parts),
            Dual::Settling => formulas.or(parts),
        }
    }

    fn under(self, formulas: &mut Formulas, f: Formula) -> Formula {
        match self {
            Dual::Recurring => formulas.globally(f),
            Dual::Settling => formulas.finally(f),
        }
    }
}

/// The Boolean conditions, and the formula without them.
fn take_apart(formulas: &mut Formulas, f: Formula, dual: Dual) -> (Formula, Vec<Formula>) {
    let (mut rest, mut conditions) = (Vec::new(), Vec::new());
    for part in dual.parts(formulas, f) {
        let Some(body) = dual.outer(formulas, part) else {
            rest.push(part);
            continue;
        };
        // `G(F a ∧ F b ∧ g)` has two conditions; `G g` remains.
        let mut left = Vec::new();
        for inside in dual.parts(formulas, body) {
            match dual.inner(formulas, inside) {
                Some(condition) => conditions.push(condition),
                None => left.push(inside),
            }
        }
        if !left.is_empty() {
            let left = dual.join(formulas, left);
            rest.push(dual.under(formulas, left));
        }
    }
    (dual.join(formulas, rest), conditions)
}

/// `a`, with the additional requirement that every one of `conditions` recurs.
pub(crate) fn recurring(
    mut a: Automaton,
    formulas: &Formulas,
    conditions: &[Formula],
    legal: &LegalLetters,
) -> Result<Automaton, Stop> {
    let conditions = over_all_atoms(&mut a, formulas, conditions)?;
    let letters = legal.guard(&a.atoms, &mut a.guards);
    demanding_on(a, &conditions, letters)
}

/// `a`, with the additional requirement that letters of every one of `conditions`, guards of its
/// store, are read infinitely often.
///
/// The result has the states of `a` and one more mark per condition. Exceeding [`Marks::MAX`] is
/// [`Stop::Unsupported`].
pub fn demanding(a: Automaton, conditions: &[Guard]) -> Result<Automaton, Stop> {
    demanding_on(a, conditions, Guards::TRUE)
}

/// [`demanding`] on legal letters.
fn demanding_on(mut a: Automaton, conditions: &[Guard], letters: Guard) -> Result<Automaton, Stop> {
    let own = a.mark_count;
    let components = automaton_components(&a);
    a.mark_count = marks_for(own as usize + conditions.len())?;
    for n in 0..a.states.len() {
        let mut edges = std::mem::take(&mut a.states[n]);
        let component = components.of[n];
        for i in 0..edges.len() {
            if !components.accepting(component) || components.of[edges[i].to.index()] != component {
                continue;
            }
            let mut offered = Vec::new();
            for (mark, condition) in (own..).zip(conditions) {
                let read = a.guards.and(edges[i].guard, *condition);
                let missed = a.guards.minus(edges[i].guard, *condition);
                if a.guards.and(missed, letters) == Guards::FALSE {
                    edges[i].marks = edges[i].marks.union(Marks::one(mark));
                } else if a.guards.and(read, letters) != Guards::FALSE {
                    offered.push((read, Marks::one(mark)));
                }
            }
            let edge = edges[i];
            edges.extend(offered.into_iter().map(|(guard, mark)| Transition {
                guard,
                marks: edge.marks.union(mark),
                to: edge.to,
            }));
        }
        a.states[n] = edges;
    }
    Ok(a)
}

/// The union of `a` and the words on which one of `conditions` settles. The new states come last:
/// the waiting state, and one for each condition.
pub(crate) fn settling(
    mut a: Automaton,
    formulas: &Formulas,
    conditions: &[Formula],
) -> Result<Automaton, Stop> {
    let conditions = over_all_atoms(&mut a, formulas, conditions)?;
    a.ensure_mark();
    let waiting = StateId(a.states.len() as u32);
    let edge = |guard: Guard, marks: Marks, to: StateId| Transition { guard, marks, to };
    let mut wait = vec![edge(Guards::TRUE, Marks::NONE, waiting)];
    let mut settled = Vec::new();
    for (n, condition) in (waiting.0 + 1..).zip(conditions) {
        wait.push(edge(condition, Marks::NONE, StateId(n)));
        settled.push(vec![edge(condition, a.all_marks(), StateId(n))]);
    }
    a.states.push(wait);
    a.states.extend(settled);
    a.initial.push(waiting);
    Ok(a)
}

fn marks_for(count: usize) -> Result<u32, Stop> {
    match u32::try_from(count) {
        Ok(count) if count <= Marks::MAX => Ok(count),
        _ => Err(Stop::Unsupported(format!(
            "the formula needs {count} acceptance marks, automata have at most {}",
            Marks::MAX
        ))),
    }
}

/// The conditions as guards of `a`, whose atoms are extended by theirs.
fn over_all_atoms(
    a: &mut Automaton,
    formulas: &Formulas,
    conditions: &[Formula],
) -> Result<Vec<Guard>, Stop> {
    let mut atoms = a.atoms.clone();
    for condition in conditions {
        atoms.extend(formulas.atoms_of(*condition));
    }
    atoms.sort_unstable();
    atoms.dedup();
    Guards::check_atoms(&atoms)?;
    let position = |atom: &AtomId| atoms.partition_point(|other| other < atom);
    let moved: Vec<usize> = a.atoms.iter().map(position).collect();
    let mut guards = Guards::new();
    for t in a.states.iter_mut().flatten() {
        t.guard = guards.import(&a.guards, t.guard, &moved);
    }
    let mut known = FxHashMap::default();
    let guard_of = |f: &Formula| boolean(formulas, *f, &position, &mut guards, &mut known);
    let conditions = conditions.iter().map(guard_of).collect();
    a.guards = guards;
    a.atoms = atoms;
    Ok(conditions)
}

/// A Boolean formula as a guard, bottom-up; the stack is explicit because formulas may be deep.
fn boolean(
    formulas: &Formulas,
    f: Formula,
    position: &impl Fn(&AtomId) -> usize,
    guards: &mut Guards,
    known: &mut FxHashMap<Formula, Guard>,
) -> Guard {
    let mut todo = vec![(f, false)];
    while let Some((g, ready)) = todo.pop() {
        if known.contains_key(&g) {
            continue;
        }
        let node = formulas.node(g);
        if !ready {
            todo.push((g, true));
            todo.extend(node.children().iter().map(|child| (*child, false)));
            continue;
        }
        let guard = match node {
            Node::True => Guards::TRUE,
            Node::Atom(atom) => guards.atom(position(atom)),
            Node::Not(h) => guards.not(known[h]),
            Node::And(parts) => {
                (parts.iter()).fold(Guards::TRUE, |all, h| guards.and(all, known[h]))
            }
            Node::Or(parts) => {
                (parts.iter()).fold(Guards::FALSE, |any, h| guards.or(any, known[h]))
            }
            Node::False => Guards::FALSE,
            _ => unreachable!("conditions are Boolean and in negation normal form"),
        };
        known.insert(g, guard);
    }
    known[&f]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::{FreeVocabulary, parse, simplify};

    fn split_text(text: &str) -> Option<Split> {
        let mut formulas = Formulas::new();
        let f = parse(text, &mut formulas, &mut FreeVocabulary).unwrap();
        let f = simplify(&mut formulas, f);
        split(&mut formulas, f)
    }

    #[test]
    fn many_conditions_are_separated() {
        let many = |shape: &str, n: usize, join: &str| -> String {
            let parts: Vec<String> = (0..n).map(|i| format!("{shape}(p{i} | q)")).collect();
            parts.join(join)
        };
        let conjunction = format!("{} & G(a -> F b)", many("G F", 7, " & "));
        match split_text(&conjunction) {
            Some(Split::Recurring(_, conditions)) => assert_eq!(conditions.len(), 7),
            other => panic!("{other:?}"),
        }
        let disjunction = format!("{} | G a", many("F G", 6, " | "));
        match split_text(&disjunction) {
            Some(Split::Settling(_, conditions)) => assert_eq!(conditions.len(), 6),
            other => panic!("{other:?}"),
        }
        for few in [
            many("G F", 4, " & "),
            many("F G", 4, " | "),
            many("G F X", 6, " | "),
        ] {
            assert_eq!(split_text(&few), None, "{few}");
        }
    }
}
