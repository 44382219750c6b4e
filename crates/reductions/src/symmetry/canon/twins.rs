//! Twins of a marking: elements whose exchange does not change it.
//!
//! Events that differ by exchanging twins lead to markings of one orbit, so one of them suffices:
//! the one that uses the members of each class of twins in increasing order. The quotient search
//! computes the twins once per marking and queries them for each event.

use super::{ALONE, Canon, CanonScratch, Tokens};
use lariat_model::{EventId, Value, VarId};

impl Canon<'_, '_> {
    /// Returns whether twins may make this event redundant.
    #[inline]
    pub fn may_have_twins(&self, event: EventId) -> bool {
        !self.is_trivial() && !self.colours.of_event(event).is_empty()
    }

    /// Finds the twins of a marking for [`Canon::is_first`].
    pub fn find_twins(
        &self,
        room: &mut CanonScratch,
        tokens: &Tokens,
        value: impl Fn(VarId) -> Value,
    ) {
        room.twins.exist = false;
        if self.open.is_empty() {
            return;
        }
        self.clear(room);
        // The scratch memory may have served another group.
        room.twins.class.fill(ALONE);
        room.cells.copy_from_slice(&self.cells);
        self.refine(room, tokens);
        let elements = self.cells.len() as u32;
        for element in &self.open {
            let cell = room.cells[*element as usize];
            let shared = Canon::is_shared(room, *element, elements);
            room.twins.exist |= shared;
            room.twins.class[*element as usize] = if shared { cell - elements } else { ALONE };
        }
        if !room.twins.exist {
            return;
        }
        // Members of tied cells are no twins.
        for (var, _) in tokens {
            let own = self.colours.vars.of(*var);
            let shared = |e: &&u32| Canon::is_shared(room, **e, elements);
            let Some(first) = own.iter().find(shared) else {
                continue;
            };
            if own.iter().filter(shared).any(|e| e != first) {
                let tied: Vec<u32> = own.iter().filter(shared).copied().collect();
                for element in tied {
                    self.exclude_cell(room, element);
                }
            }
        }
        // Guard against hash collisions: a cyclic shift of each class must fix the marking.
        for (at, (_, _, element)) in (0..).zip(&room.ranks) {
            let class = room.twins.class[*element as usize];
            room.positions[*element as usize] = at;
            if class == ALONE {
                continue;
            }
            let next = room.ranks.get(at as usize + 1).map(|rank| rank.2);
            let next = next.filter(|next| room.twins.class[*next as usize] == class);
            room.to[*element as usize] = next.unwrap_or(room.ranks[class as usize].2);
        }
        let keeps = |(var, tokens): &(u32, Value)| {
            let image = self.colours.image_of_var(VarId(*var), &room.to);
            image.is_some_and(|image| value(image) == *tokens)
        };
        room.twins.exist = tokens.iter().all(keeps);
    }

    /// Removes the members of the cell of `element` from the twins.
    fn exclude_cell(&self, room: &mut CanonScratch, element: u32) {
        let cell = room.cells[element as usize];
        let at = (cell - self.cells.len() as u32) as usize;
        let members = room.ranks[at..].iter().map(|rank| rank.2);
        let members = members.take_while(|member| room.cells[*member as usize] == cell);
        for member in members {
            room.twins.class[member as usize] = ALONE;
        }
    }

    /// Returns whether this event represents those that differ from it by exchanging twins: it uses
    /// the members of each class in increasing order.
    #[inline]
    pub fn is_first(&self, room: &CanonScratch, event: EventId) -> bool {
        if !room.twins.exist {
            return true;
        }
        let own = self.colours.of_event(event);
        for (at, element) in own.iter().enumerate() {
            let class = room.twins.class[*element as usize];
            if class == ALONE || own[..at].contains(element) {
                continue;
            }
            let is_twin = |i: &usize| {
                let other = own[*i];
                room.twins.class[other as usize] == class && !own[..*i].contains(&other)
            };
            let used = (0..at).filter(is_twin).count() as u32;
            if room.positions[*element as usize] != class + used {
                return false;
            }
        }
        true
    }
}
