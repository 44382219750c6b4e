//! Shrinking of failing cases: greedy, one simplification at a time, while the case still fails.
//!
//! Simplifications: replace a formula by a subformula or a constant; remove an initial state, a
//! fairness constraint or a row of a table; disable an event (it keeps its id).

use crate::case::Case;
use crate::formulas::Ltl;
use lariat_model::Action;

/// Limit on the number of candidates.
const MOST_TRIES: usize = 2000;

/// Returns a case that fails and of which no simplification fails, up to `MOST_TRIES`.
pub fn shrink(case: &Case, fails: impl Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut tries = 0;
    'smaller: loop {
        for candidate in candidates(&best) {
            tries += 1;
            if tries > MOST_TRIES {
                return best;
            }
            if fails(&candidate) {
                best = candidate;
                continue 'smaller;
            }
        }
        return best;
    }
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut all: Vec<Case> = smaller(&case.formula)
        .into_iter()
        .map(|formula| Case {
            formula,
            ..case.clone()
        })
        .collect();
    if case.system.initial.len() > 1 {
        for i in 0..case.system.initial.len() {
            let mut c = case.clone();
            c.system.initial.remove(i);
            all.push(c);
        }
    }
    for i in 0..case.fairness.len() {
        let mut c = case.clone();
        c.fairness.remove(i);
        all.push(c);
    }
    for (i, event) in case.system.events.iter().enumerate() {
        let rows = match &event.action {
            Action::Table { rows, .. } => rows.len(),
            _ => 1,
        };
        if rows == 0 {
            continue;
        }
        let mut c = case.clone();
        c.system.events[i].action = Action::Table {
            vars: vec![],
            rows: vec![],
        };
        all.push(c);
        for row in 0..if rows > 1 { rows } else { 0 } {
            let mut c = case.clone();
            if let Action::Table { rows, .. } = &mut c.system.events[i].action {
                rows.remove(row);
            }
            all.push(c);
        }
    }
    all
}

/// Returns all simplifications of a formula by one step, the smallest first.
fn smaller(formula: &Ltl) -> Vec<Ltl> {
    let mut all = Vec::new();
    if !matches!(formula, Ltl::Const(_)) {
        all.extend([Ltl::Const(true), Ltl::Const(false)]);
    }
    match formula {
        Ltl::Const(_) | Ltl::Atom(_) => {}
        Ltl::Unary(op, f) => {
            all.push((**f).clone());
            let wrap = |f| Ltl::Unary(*op, Box::new(f));
            all.extend(smaller(f).into_iter().map(wrap));
        }
        Ltl::Binary(op, f, g) => {
            all.extend([(**f).clone(), (**g).clone()]);
            for small in smaller(f) {
                all.push(Ltl::Binary(*op, Box::new(small), g.clone()));
            }
            for small in smaller(g) {
                all.push(Ltl::Binary(*op, f.clone(), Box::new(small)));
            }
        }
    }
    all.sort_by_key(Ltl::size);
    all
}
