//! Translation of formulas to small automata.
//!
//! The formula is simplified, its tableau built and trimmed, and direct and reverse simulation
//! alternate until neither reduces the automaton. Then two further automata are tried: that of the
//! tableau with simplified state formulas, and the minimal weak deterministic automaton, which
//! exists for obligations. Either may have the wrong language in general and is used only if a
//! product with an automaton of the negation (or the syntax of the formula) proves equivalence.
//! These attempts have separate limits; exceeding one only leaves the automaton unchanged.
//!
//! Formulas with many recurring or settling conditions are decomposed first, see `recurrence.rs`.

use crate::alphabet::LegalLetters;
use crate::automaton::{Automaton, StateId};
use crate::degeneralize::{Placement, degeneralize};
use crate::guard::{Guard, Guards};
use crate::product::disjoint;
use crate::recurrence::{Split, recurring, settling, split};
use crate::reduce::simulation::{SimulationDirection, simulate};
use crate::reduce::{acceptance, collect_garbage, merge_edges, trim, wdba};
use crate::tableau::{MOST_NODES, StateFormulas, tableau};
use lariat_budget::{Budget, Stop};
use lariat_ltl::{Formula, Formulas, classes, simplify};

/// Maximum number of subsets in the minimisation of an obligation.
const MOST_SUBSETS: usize = 5000;
/// Maximum work of all attempts at a smaller automaton together.
const MOST_WORK: u64 = 4_000;

/// A small transition-based generalized Büchi automaton for `f`, on legal letters.
///
/// More than 64 atoms or acceptance marks are [`Stop::Unsupported`].
pub fn translate(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let f = simplify(formulas, f);
    match split(formulas, f) {
        None => translate_simple(formulas, f, legal, budget),
        Some(parts) => {
            let (Split::Recurring(rest, _) | Split::Settling(rest, _)) = parts;
            let rest = translate_simple(formulas, rest, legal, budget)?;
            let mut a = joined(rest, formulas, &parts, legal)?;
            clean(&mut a);
            finish(&mut a, legal);
            Ok(a)
        }
    }
}

/// Combines the automaton of the remaining formula with the separated conditions.
fn joined(
    rest: Automaton,
    formulas: &Formulas,
    parts: &Split,
    legal: &LegalLetters,
) -> Result<Automaton, Stop> {
    match parts {
        Split::Recurring(_, conditions) => recurring(rest, formulas, conditions, legal),
        Split::Settling(_, conditions) => settling(rest, formulas, conditions),
    }
}

/// [`translate`] for a simplified formula that needs no decomposition.
fn translate_simple(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let mut a = reduced_tableau(formulas, f, legal, StateFormulas::Exact, budget)?;
    let spare = budget.clone().with_work(MOST_WORK);
    let mut negation = Negation { f, automaton: None };
    if let Some(small) = simplified(formulas, f, &a, legal, &mut negation, &spare)? {
        a = small;
    }
    if let Some(small) = weak(formulas, f, &mut a, legal, &mut negation, &spare)? {
        a = small;
    }
    finish(&mut a, legal);
    Ok(a)
}

/// The reduced automaton of the tableau.
fn reduced_tableau(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    state_formulas: StateFormulas,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let (mut a, _) = tableau(formulas, f, legal, state_formulas, budget)?;
    collect_garbage(&mut a, Guards::limited(MOST_NODES));
    let letters = legal.guard(&a.atoms, &mut a.guards);
    reduce(&mut a, letters, budget)?;
    Ok(a)
}

/// An automaton of the negation, built on first use.
struct Negation {
    f: Formula,
    automaton: Option<Automaton>,
}

impl Negation {
    /// Returns whether every word of `a` satisfies the formula.
    fn excludes(
        &mut self,
        formulas: &mut Formulas,
        a: &Automaton,
        legal: &LegalLetters,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let not_a = match &self.automaton {
            Some(not_a) => not_a,
            None => {
                let not_f = formulas.not(self.f);
                let not_f = simplify(formulas, not_f);
                let exact = StateFormulas::Exact;
                let (not_a, _) = tableau(formulas, not_f, legal, exact, budget)?;
                self.automaton.insert(not_a)
            }
        };
        disjoint(a, not_a, legal, budget)
    }
}

/// The automaton with simplified state formulas, if it is smaller than `a` and correct.
fn simplified(
    formulas: &mut Formulas,
    f: Formula,
    a: &Automaton,
    legal: &LegalLetters,
    negation: &mut Negation,
    budget: &Budget,
) -> Result<Option<Automaton>, Stop> {
    let mut attempt = || {
        let small = reduced_tableau(formulas, f, legal, StateFormulas::Simplified, budget)?;
        let smaller = (small.states.len(), small.edge_count()) < (a.states.len(), a.edge_count());
        let right = smaller && negation.excludes(formulas, &small, legal, budget)?;
        Ok(right.then_some(small))
    };
    // An automaton with one or two states is rarely reducible.
    if a.states.len() < 3 {
        return Ok(None);
    }
    Ok(within_limits(attempt())?.flatten())
}

/// An automaton whose states have known languages: that of state `q` is `formulas[q]`.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The automaton.
    pub automaton: Automaton,
    /// The formula of every state's language.
    pub formulas: Vec<Formula>,
}

/// An automaton for `f` in which every state has the language of a formula.
///
/// Reductions that change the languages of states are omitted, so it may be larger than that of
/// [`translate`]. For methods that need every state's language to be stutter-invariant.
pub fn translate_labelled(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<Labelled, Stop> {
    let f = simplify(formulas, f);
    let Some(parts) = split(formulas, f) else {
        return labelled(formulas, f, legal, budget);
    };
    let (Split::Recurring(rest, _) | Split::Settling(rest, _)) = parts;
    let Labelled {
        automaton,
        formulas: mut names,
    } = labelled(formulas, rest, legal, budget)?;
    match &parts {
        // Every state requires the conditions.
        Split::Recurring(_, conditions) => {
            for name in &mut names {
                let mut all = vec![*name];
                for condition in conditions {
                    let sometime = formulas.finally(*condition);
                    all.push(formulas.globally(sometime));
                }
                *name = formulas.and(all);
            }
        }
        Split::Settling(_, conditions) => {
            let settled: Vec<Formula> = conditions.iter().map(|c| formulas.globally(*c)).collect();
            let any = formulas.or(settled.clone());
            names.push(formulas.finally(any));
            names.extend(settled);
        }
    }
    let mut automaton = joined(automaton, formulas, &parts, legal)?;
    let kept = clean(&mut automaton);
    finish(&mut automaton, legal);
    Ok(Labelled {
        automaton,
        formulas: kept.into_iter().map(|q| names[q.index()]).collect(),
    })
}

/// [`translate_labelled`] for a simplified formula that needs no decomposition.
fn labelled(
    formulas: &mut Formulas,
    f: Formula,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<Labelled, Stop> {
    let (mut a, mut names) = tableau(formulas, f, legal, StateFormulas::Exact, budget)?;
    collect_garbage(&mut a, Guards::limited(MOST_NODES));
    let letters = legal.guard(&a.atoms, &mut a.guards);
    let mut follow = |old: Vec<StateId>| {
        names = old.into_iter().map(|q| names[q.index()]).collect();
    };
    follow(clean(&mut a));
    let direct = SimulationDirection::Direct;
    loop {
        let before = size(&a);
        follow(simulate(&mut a, direct, letters, budget)?);
        follow(clean(&mut a));
        if size(&a) == before {
            break;
        }
    }
    finish(&mut a, legal);
    Ok(Labelled {
        automaton: a,
        formulas: names,
    })
}

/// A small Büchi automaton, with one mark, for the language of `a` on legal letters.
pub fn buchi(
    a: &Automaton,
    placement: Placement,
    legal: &LegalLetters,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let mut b = degeneralize(a, placement);
    let letters = legal.guard(&b.atoms, &mut b.guards);
    match placement {
        // The signature of a state determines whether it accepts, so merging keeps marks on states.
        Placement::States => {
            simulate(&mut b, SimulationDirection::Direct, letters, budget)?;
            trim::trim(&mut b);
        }
        Placement::Edges => {
            reduce(&mut b, letters, budget)?;
            b.ensure_mark();
        }
    }
    finish(&mut b, legal);
    Ok(b)
}

/// The minimal weak deterministic automaton of `a`, if `f` is an obligation and it is not larger.
fn weak(
    formulas: &mut Formulas,
    f: Formula,
    a: &mut Automaton,
    legal: &LegalLetters,
    negation: &mut Negation,
    budget: &Budget,
) -> Result<Option<Automaton>, Stop> {
    let letters = legal.guard(&a.atoms, &mut a.guards);
    let subsets = (100 + 20 * a.states.len()).min(MOST_SUBSETS);
    let Some(Some(weak)) = within_limits(wdba::minimise(a, letters, subsets, budget))? else {
        return Ok(None);
    };
    let small = weak.automaton(false);
    if small.states.len() > a.states.len() {
        return Ok(None);
    }
    if classes(formulas, f).obligation {
        return Ok(Some(small));
    }
    if small.states.len() == a.states.len() && a.is_deterministic() {
        return Ok(None);
    }
    let mut same_language = || {
        Ok(disjoint(&weak.automaton(true), a, legal, budget)?
            && negation.excludes(formulas, &small, legal, budget)?)
    };
    let same = within_limits(same_language())? == Some(true);
    Ok(same.then_some(small))
}

/// `None` if an optional attempt exceeded its limit of work or memory.
fn within_limits<T>(attempt: Result<T, Stop>) -> Result<Option<T>, Stop> {
    match attempt {
        Ok(value) => Ok(Some(value)),
        Err(Stop::Work(_) | Stop::Memory | Stop::Unsupported(_)) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Makes the automaton smaller without changing its language on the legal `letters`.
pub fn reduce(a: &mut Automaton, letters: Guard, budget: &Budget) -> Result<(), Stop> {
    clean(a);
    loop {
        let before = size(a);
        for direction in [SimulationDirection::Direct, SimulationDirection::Reverse] {
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

fn clean(a: &mut Automaton) -> Vec<StateId> {
    let kept = trim::trim(a);
    acceptance::simplify_acceptance(a);
    merge_edges(a);
    kept
}

/// Simplifies guards with the illegal letters as don't-cares and drops all unused diagrams.
fn finish(a: &mut Automaton, legal: &LegalLetters) {
    let letters = legal.guard(&a.atoms, &mut a.guards);
    if letters != Guards::TRUE && letters != Guards::FALSE {
        for edges in &mut a.states {
            for t in edges {
                t.guard = a.guards.restrict(t.guard, letters);
            }
        }
    }
    collect_garbage(a, Guards::new());
}
