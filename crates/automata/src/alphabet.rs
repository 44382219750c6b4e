//! Which letters can occur at all.
//!
//! Atoms of states are independent as far as an automaton knows. Event atoms are not: at most one
//! event is taken from a state, so of `fires(a)`, `fires(b)`, `fires(a, c)` only the combinations that some
//! event of the model (or no event, at a stutter step) makes true can hold in one letter. The
//! translation drops edges that need another combination, the reductions compare states on
//! legal letters only, and at the end guards are simplified as they please on the rest. What else is known of the
//! model, that `p >= 2` is never true without `p >= 1`, say, comes as conjunctions that no letter satisfies.

use crate::guard::{Guard, Guards};
use lariat_ltl::AtomId;

/// The letters that can occur: all of them, or those where the event atoms form one of
/// a list of combinations and no conjunction that is known to be impossible holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legal {
    events: Vec<AtomId>,
    combinations: Vec<Vec<AtomId>>,
    impossible: Vec<Vec<(AtomId, bool)>>,
}

impl Legal {
    /// Every letter.
    pub fn any() -> Legal {
        Legal::default()
    }

    /// The letters in which exactly the event atoms of one of `combinations` hold.
    ///
    /// `events` lists all event atoms. The combination of none is one like any other: name it
    /// where stutter steps, or events outside of the list, exist.
    pub fn events(events: Vec<AtomId>, combinations: Vec<Vec<AtomId>>) -> Legal {
        Legal {
            events,
            combinations,
            impossible: Vec::new(),
        }
    }

    /// The same letters but those in which all literals of one of `impossible` hold.
    #[must_use]
    pub fn without(mut self, impossible: Vec<Vec<(AtomId, bool)>>) -> Legal {
        self.impossible.extend(impossible);
        self
    }

    /// At most one of `events` holds, as when each atom names one event of its own.
    pub fn at_most_one(events: Vec<AtomId>) -> Legal {
        let mut combinations = vec![Vec::new()];
        combinations.extend(events.iter().map(|&e| vec![e]));
        Legal::events(events, combinations)
    }

    /// The event atoms, none if every letter is legal.
    pub fn event_atoms(&self) -> &[AtomId] {
        &self.events
    }

    /// The legal letters over `atoms`: at least those that can be completed to a legal one.
    pub fn guard(&self, atoms: &[AtomId], guards: &mut Guards) -> Guard {
        let mut result = self.combined(atoms, guards);
        for conjunction in &self.impossible {
            let mut cube = Guards::TRUE;
            for (atom, truth) in conjunction {
                cube = match atoms.iter().position(|a| a == atom) {
                    Some(i) => {
                        let v = guards.atom(i);
                        let literal = if *truth { v } else { guards.not(v) };
                        guards.and(cube, literal)
                    }
                    // Some letter may be completed so that this does not hold.
                    None => Guards::FALSE,
                };
            }
            result = guards.minus(result, cube);
        }
        result
    }

    /// The letters over `atoms` with a combination of events that can be.
    fn combined(&self, atoms: &[AtomId], guards: &mut Guards) -> Guard {
        let observed: Vec<(usize, AtomId)> = atoms
            .iter()
            .enumerate()
            .filter(|(_, a)| self.events.contains(a))
            .map(|(i, a)| (i, *a))
            .collect();
        if observed.is_empty() {
            return Guards::TRUE;
        }
        let mut result = Guards::FALSE;
        for combination in &self.combinations {
            let mut cube = Guards::TRUE;
            for &(i, atom) in &observed {
                let v = guards.atom(i);
                let literal = if combination.contains(&atom) {
                    v
                } else {
                    guards.not(v)
                };
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
        // `c` is `a or b or some other event`.
        let legal = Legal::events(vec![a, b, c], vec![vec![], vec![a, c], vec![b, c], vec![c]]);
        let mut guards = Guards::new();
        let g = legal.guard(&[a, p, c], &mut guards);
        let allowed: Vec<u64> = (0..8).filter(|&l| guards.accepts(g, Letter(l))).collect();
        assert_eq!(allowed, [0b000, 0b010, 0b100, 0b101, 0b110, 0b111]);
        assert_eq!(Legal::any().guard(&[a, b], &mut guards), Guards::TRUE);
        let never = Legal::any().without(vec![vec![(p, true), (a, false)]]);
        let g = never.guard(&[a, p], &mut guards);
        let allowed: Vec<u64> = (0..4).filter(|&l| guards.accepts(g, Letter(l))).collect();
        assert_eq!(allowed, [0b00, 0b01, 0b11]);
        assert_eq!(never.guard(&[p, b], &mut guards), Guards::TRUE);
        let one = Legal::at_most_one(vec![a, b]).guard(&[a, b], &mut guards);
        assert!(!guards.accepts(one, Letter(3)) && guards.accepts(one, Letter(0)));
    }
}
