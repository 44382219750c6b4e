//! Restriction of the letters that can occur.
//!
//! Atoms on states are independent as far as an automaton can tell. Event atoms are not: at most
//! one event is taken from a state, so of `fires(a)`, `fires(b)`, `fires(a, c)` only those
//! combinations can hold in one letter that some event of the model (or no event, at a stutter
//! step) makes true. The translation drops edges that need another combination, the reductions
//! compare states on legal letters only, and finally guards are simplified with the illegal letters
//! as don't-cares. Further knowledge about the model, such as `p >= 2` implying `p >= 1`, is given
//! as unsatisfiable conjunctions.

use crate::guard::{Guard, Guards};
use lariat_ltl::AtomId;

/// The letters that can occur: all of them, or those in which the event atoms form one of the
/// listed combinations and no conjunction known to be impossible holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegalLetters {
    events: Vec<AtomId>,
    combinations: Vec<Vec<AtomId>>,
    impossible: Vec<Vec<(AtomId, bool)>>,
}

impl LegalLetters {
    /// Every letter.
    pub fn any() -> LegalLetters {
        LegalLetters::default()
    }

    /// The letters in which exactly the event atoms of one of `combinations` hold.
    ///
    /// `events` lists all event atoms. The empty combination must be listed explicitly if stutter
    /// steps, or events outside of the list, exist.
    pub fn events(events: Vec<AtomId>, combinations: Vec<Vec<AtomId>>) -> LegalLetters {
        LegalLetters {
            events,
            combinations,
            impossible: Vec::new(),
        }
    }

    /// Removes the letters in which all literals of one of `impossible` hold.
    #[must_use]
    pub fn without(mut self, impossible: Vec<Vec<(AtomId, bool)>>) -> LegalLetters {
        self.impossible.extend(impossible);
        self
    }

    /// The letters in which at most one of `events` holds, for atoms that each name one event.
    pub fn at_most_one(events: Vec<AtomId>) -> LegalLetters {
        let mut combinations = vec![Vec::new()];
        combinations.extend(events.iter().map(|&e| vec![e]));
        LegalLetters::events(events, combinations)
    }

    /// The event atoms; empty if every letter is legal.
    pub fn event_atoms(&self) -> &[AtomId] {
        &self.events
    }

    /// The legal letters over `atoms`: a superset of those that can be completed to a legal letter.
    pub fn guard(&self, atoms: &[AtomId], guards: &mut Guards) -> Guard {
        let mut result = self.combined(atoms, guards);
        for conjunction in &self.impossible {
            let mut cube = Guards::TRUE;
            for (atom, truth) in conjunction {
                cube = match atoms.iter().position(|a| a == atom) {
                    Some(i) => {
                        let literal = guards.literal(i, *truth);
                        guards.and(cube, literal)
                    }
                    // Some completion of the letter may falsify the conjunction.
                    None => Guards::FALSE,
                };
            }
            result = guards.minus(result, cube);
        }
        result
    }

    /// The letters over `atoms` with an allowed combination of events.
    fn combined(&self, atoms: &[AtomId], guards: &mut Guards) -> Guard {
        let observed = atoms.iter().copied().enumerate();
        let observed = observed.filter(|(_, atom)| self.events.contains(atom));
        let observed: Vec<(usize, AtomId)> = observed.collect();
        if observed.is_empty() {
            return Guards::TRUE;
        }
        let mut result = Guards::FALSE;
        for combination in &self.combinations {
            let mut cube = Guards::TRUE;
            for &(i, atom) in &observed {
                let literal = guards.literal(i, combination.contains(&atom));
                cube = guards.and(cube, literal);
            }
            result = guards.or(result, cube);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Letter;

    #[test]
    fn combinations_are_projected() {
        let [p, a, b, c] = [0, 1, 2, 3].map(AtomId);
        // `c` is `a or b or another event`.
        let legal =
            LegalLetters::events(vec![a, b, c], vec![vec![], vec![a, c], vec![b, c], vec![c]]);
        let mut guards = Guards::new();
        let g = legal.guard(&[a, p, c], &mut guards);
        let allowed: Vec<u64> = (0..8).filter(|&l| guards.accepts(g, Letter(l))).collect();
        assert_eq!(allowed, [0b000, 0b010, 0b100, 0b101, 0b110, 0b111]);
        assert_eq!(
            LegalLetters::any().guard(&[a, b], &mut guards),
            Guards::TRUE
        );
        let never = LegalLetters::any().without(vec![vec![(p, true), (a, false)]]);
        let g = never.guard(&[a, p], &mut guards);
        let allowed: Vec<u64> = (0..4).filter(|&l| guards.accepts(g, Letter(l))).collect();
        assert_eq!(allowed, [0b00, 0b01, 0b11]);
        assert_eq!(never.guard(&[p, b], &mut guards), Guards::TRUE);
        let one = LegalLetters::at_most_one(vec![a, b]).guard(&[a, b], &mut guards);
        assert!(!guards.accepts(one, Letter(3)) && guards.accepts(one, Letter(0)));
    }
}
