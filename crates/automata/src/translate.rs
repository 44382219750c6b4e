//! From a formula to a small automaton: the order in which everything is done.
//!
//! Rewrite the formula, build the tableau, remove what is useless, and let direct and reverse
//! simulation alternate until neither finds anything. Obligations get their minimal
//! weak deterministic automaton where that is no larger.

use crate::alphabet::Legal;
use crate::automaton::Automaton;
use crate::guard::{Guard, Guards};
use crate::reduce::simulation::{Direction, simulate};
use crate::reduce::{acceptance, collect_garbage, merge_edges, trim, wdba};
use crate::tableau::{MOST_NODES, tableau};
use lariat_budget::{Budget, Stop};
use lariat_ltl::{Formula, Formulas, classes, simplify};

/// Subsets of states that minimisation of an obligation may meet.
const MOST_SUBSETS: usize = 5000;

/// A small transition-based generalized Büchi automaton for `f`, on legal letters.
///
/// More than 64 atoms or acceptance marks are [`Stop::Unsupported`].
pub fn translate(
    formulas: &mut Formulas,
    f: Formula,
    legal: &Legal,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let f = simplify(formulas, f);
    let (mut a, _) = tableau(formulas, f, legal, &mut |_, g| g, budget)?;
    collect_garbage(&mut a, Guards::limited(MOST_NODES));
    let letters = legal.guard(&a.atoms, &mut a.guards);
    reduce(&mut a, letters, budget)?;
    if classes(formulas, f).obligation
        && let Some(weak) = wdba::minimise(&a, letters, MOST_SUBSETS, budget)?
    {
        let weak = weak.automaton(false);
        if weak.states.len() <= a.states.len() {
            a = weak;
        }
    }
    finish(&mut a, letters);
    Ok(a)
}

/// Makes the automaton smaller without changing its language on legal letters.
pub fn reduce(a: &mut Automaton, letters: Guard, budget: &Budget) -> Result<(), Stop> {
    clean(a);
    loop {
        let before = size(a);
        for direction in [Direction::Direct, Direction::Reverse] {
            simulate(a, direction, letters, budget)?;
            clean(a);
        }
        if size(a) == before {
            return Ok(());
        }
    }
}

fn size(a: &Automaton) -> (usize, usize, u32) {
    (a.states.len(), a.edge_count(), a.mark_count)
}

fn clean(a: &mut Automaton) {
    trim::trim(a);
    acceptance::simplify_acceptance(a);
    merge_edges(a);
}

/// Simplifies guards on illegal letters and forgets all diagrams that are not in use.
fn finish(a: &mut Automaton, letters: Guard) {
    if letters != Guards::TRUE && letters != Guards::FALSE {
        for edges in &mut a.states {
            for t in edges {
                t.guard = a.guards.restrict(t.guard, letters);
            }
        }
    }
    collect_garbage(a, Guards::new());
}
