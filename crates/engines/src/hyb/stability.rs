//! Labels that need not be read again.
//!
//! A step that does not change the lower levels of a state still moves the automaton, which is
//! below all of them. So the whole node below would have to be traversed, mostly without effect.
//! Let `R_λ` be the moves under a label `λ`, and `n` a node saturated under the residual of the
//! step's target.
//!
//! *Identity*: automaton states entered by reading `λ` stay when `λ` is read again,
//!
//! ```text
//! R_λ(q') = {q'}  for every q' ∈ R_λ(Q)
//! ```
//!
//! Every pair of the product was entered by its own label, so any part is its own image.
//!
//! *Idempotence*: `R_λ ∘ R_λ = R_λ`. While the product is built, the automaton states paired with
//! one state of the system are unions of images `R_λ(X)`, and `R_λ(R_λ(X)) = R_λ(X)`: the image is
//! the node. This does not hold for arbitrary parts: `R_λ({q'})` may be larger than `{q'}`.
//!
//! For example, with a label `λ` that makes `p` true, and moves written as pairs `q q'`:
//!
//! ```text
//! F p     0 –¬p→ 0   0 –p→ 1   1 ––→ 1    R_λ = {01, 11}      R_λ(1) = {1}: identity
//! F G p   0 ––→ 0    0 –p→ 1   1 –p→ 1    R_λ = {00, 01, 11}  R_λ(0) = {0, 1}: idempotence only
//! X p     0 ––→ 1    1 –p→ 2   2 ––→ 2    R_λ = {01, 12, 22}  R_λ ∘ R_λ = {02, 12, 22}: neither
//! ```
//!
//! With F G p, a state entered from 0 is paired with `R_λ({0}) = {0, 1}`, and reading `λ` again
//! yields `{0, 1}`. The part `{0}` alone would yield the additional state 1.
//!
//! Both conditions are tested for all labels that a residual leaves open, on the guards, once per
//! relation. They hold for most automata of formulas without `X`, and make steps of the product as
//! local as those of the system.

use lariat_automata::{Guard, Guards};
use rustc_hash::FxHashMap;

/// Limit on pairs of edges per test.
const MOST: usize = 1 << 14;

/// A move under a guard.
pub type GuardedMove = (u32, u32, Guard);

/// Returns whether every target of a move has itself as its only successor.
pub fn is_identity(guards: &mut Guards, moves: &[GuardedMove]) -> bool {
    let (mut stay, mut leave) = (FxHashMap::default(), FxHashMap::default());
    for &(from, to, guard) in moves {
        let map = if from == to { &mut stay } else { &mut leave };
        let all = map.entry(from).or_insert(Guards::FALSE);
        *all = guards.or(*all, guard);
    }
    moves.iter().all(|(_, to, guard)| {
        let [stay, leave] = [&stay, &leave].map(|m| m.get(to).copied().unwrap_or(Guards::FALSE));
        guards.implies(*guard, stay) && guards.and(*guard, leave) == Guards::FALSE
    })
}

/// Returns whether two moves under one letter are the same as one; false if the test is too large.
pub fn is_idempotent(guards: &mut Guards, moves: &[GuardedMove]) -> bool {
    let mut from: FxHashMap<u32, Vec<(u32, Guard)>> = FxHashMap::default();
    for &(q, to, guard) in moves {
        from.entry(q).or_default().push((to, guard));
    }
    let out = |q: &u32| from.get(q).map_or(&[][..], Vec::as_slice);
    if moves.iter().map(|m| out(&m.1).len()).sum::<usize>() > MOST {
        return false;
    }
    type Pairs = FxHashMap<(u32, u32), Guard>;
    let add = |guards: &mut Guards, map: &mut Pairs, pair, guard| {
        if guard != Guards::FALSE {
            let all = map.entry(pair).or_insert(Guards::FALSE);
            *all = guards.or(*all, guard);
        }
    };
    let (mut once, mut twice) = (Pairs::default(), Pairs::default());
    for &(q, to, guard) in moves {
        add(guards, &mut once, (q, to), guard);
        for &(then, second) in out(&to) {
            let both = guards.and(guard, second);
            add(guards, &mut twice, (q, then), both);
        }
    }
    once == twice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_need_not_be_read_again() {
        let mut guards = Guards::new();
        let p = guards.atom(0);
        let (not_p, any) = (guards.not(p), Guards::TRUE);
        // F p; state 1 has seen p.
        let finally = [(0, 0, not_p), (0, 1, p), (1, 1, any)];
        assert!(is_identity(&mut guards, &finally) && is_idempotent(&mut guards, &finally));
        // F G p guesses the start of G p.
        let settles = [(0, 0, any), (0, 1, p), (1, 1, p)];
        assert!(!is_identity(&mut guards, &settles) && is_idempotent(&mut guards, &settles));
        // X p counts steps.
        let next = [(0, 1, any), (1, 2, p), (2, 2, any)];
        assert!(!is_identity(&mut guards, &next) && !is_idempotent(&mut guards, &next));
        // Reading a letter again stays in the state entered by it.
        let turn = [(0, 0, not_p), (0, 1, p), (1, 0, not_p), (1, 1, p)];
        assert!(is_identity(&mut guards, &turn));
        // After p there is no move.
        let once = [(0, 1, p)];
        assert!(!is_identity(&mut guards, &once) && !is_idempotent(&mut guards, &once));
    }
}
