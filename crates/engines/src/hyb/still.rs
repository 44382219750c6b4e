//! When it changes nothing to read the label of a state once more.
//!
//! A step that leaves the lower levels of a state alone still moves the automaton, and the automaton is
//! below all of them: the whole node below would have to be walked. Mostly in vain. Let `R_λ` be the
//! moves under a label `λ`, and let a node `n` be saturated under the residual that the step leads to.
//!
//! *Identity*: automaton states that are read into by `λ` stay where they are when `λ` is read again,
//!
//! ```text
//! R_λ(q') = {q'}  for every q' ∈ R_λ(Q)
//! ```
//!
//! Every pair of the product was read into by its own label, so the image of any part of the product is itself.
//!
//! *Idempotence*: `R_λ ∘ R_λ = R_λ`. While the product is built, the automaton states beside one state of the system are
//! unions of images `R_λ(X)`, and `R_λ(R_λ(X)) = R_λ(X)`: again the image is the node. For parts of the product that were cut out of it
//! this would be wrong, as `R_λ({q'})` may be more than `q'`.
//!
//! For example, with a label `λ` that makes `p` true, and moves `q q'` written side by side:
//!
//! ```text
//! F p     0 –¬p→ 0   0 –p→ 1   1 ––→ 1    R_λ = {01, 11}      R_λ(1) = {1}: identity
//! F G p   0 ––→ 0    0 –p→ 1   1 –p→ 1    R_λ = {00, 01, 11}  R_λ(0) = {0, 1}: idempotence only
//! X p     0 ––→ 1    1 –p→ 2   2 ––→ 2    R_λ = {01, 12, 22}  R_λ ∘ R_λ = {02, 12, 22}: neither
//! ```
//!
//! With F G p, a state that is entered from 0 has `R_λ({0}) = {0, 1}` beside it, and reading `λ` again leaves `{0, 1}`. Were
//! only `{0}` cut out, it would add 1.
//!
//! Both are asked of all labels that a residual leaves open, on the guards, once for each relation. Automata of formulas
//! that cannot count steps mostly are so. It makes steps of the product as local as those of the system.

use lariat_automata::{Guard, Guards};
use rustc_hash::FxHashMap;

/// Pairs of edges that an answer may cost.
const MOST: usize = 1 << 14;

/// A move under a guard.
pub type GuardedMove = (u32, u32, Guard);

/// Is every state that is moved into moved to itself alone?
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

/// Are two moves under one letter the same as one? Not if that is too much to ask.
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
    fn letters_that_change_nothing_a_second_time() {
        let mut guards = Guards::new();
        let p = guards.atom(0);
        let (not_p, any) = (guards.not(p), Guards::TRUE);
        // F p, with the second state for what has been seen.
        let finally = [(0, 0, not_p), (0, 1, p), (1, 1, any)];
        assert!(is_identity(&mut guards, &finally) && is_idempotent(&mut guards, &finally));
        // F G p guesses when it begins.
        let settles = [(0, 0, any), (0, 1, p), (1, 1, p)];
        assert!(!is_identity(&mut guards, &settles) && is_idempotent(&mut guards, &settles));
        // X p counts.
        let next = [(0, 1, any), (1, 2, p), (2, 2, any)];
        assert!(!is_identity(&mut guards, &next) && !is_idempotent(&mut guards, &next));
        // A state that waits for p may be left, but one that has just seen it is not.
        let turn = [(0, 0, not_p), (0, 1, p), (1, 0, not_p), (1, 1, p)];
        assert!(is_identity(&mut guards, &turn));
        // After p there is no way on.
        let once = [(0, 1, p)];
        assert!(!is_identity(&mut guards, &once) && !is_idempotent(&mut guards, &once));
    }
}
