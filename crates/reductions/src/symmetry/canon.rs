//! Representatives of markings modulo permutations of colours.
//!
//! ```text
//! canon(H, m):
//!   for each rotated marking, the smallest of all being kept:
//!   cells := blocks of H
//!   repeat  sig(e) := Σ over marked v ∋ e of hash(place(v), m(v), cells of v's elements,
//!                                 position of e in v)
//!           split cells by sig, in the order of sig
//!   until nothing changes
//!   while some cell is tied: try each member of the first one as its first; keep the smallest
//!   the members of each block, in the order of their cells, take the block's numbers in order
//! ```
//!
//! A cell is *tied* if it has several members and a marked variable relates one of them to another
//! element of a cell with several members. The members of a stable cell that is not tied are
//! *twins*: exchanging two of them does not change the marking. So without tied cells the result is
//! canonical without search. The search prunes members equivalent to the first under a symmetry of
//! the marking (the same further choices lead to the same result), and it is limited. Hash
//! collisions and limits only lose reduction: the result is always a marking of the orbit.
//!
//! Colour refinement: B. D. McKay, *Practical graph isomorphism*, 1981; for markings of nets K.
//! Schmidt, *How to calculate symmetries of Petri nets*, 2000. Cost: a few passes over the marked
//! variables.

mod twins;

use super::automorphisms::ChainScratch;
use super::colours::Colours;
use super::group::{Group, Permutation, RoleGroup, after};
use super::mix;
use super::size::factorial;
use lariat_budget::Budget;
use lariat_model::{Value, VarId};
use std::ops::Range;

/// The marked variables of a state, in increasing order, each with its value.
pub type Tokens = Vec<(u32, Value)>;

/// Limit on the refinements in one search for the smallest marking, after which the best so far is
/// taken. Ties are rare, and most are symmetries of the marking, which take one refinement per
/// member.
const MOST_REFINEMENTS: u32 = 64;

/// Limit on the combinations of rotations that are tried.
const MOST_TURNS: usize = 64;

/// Computes representatives of markings modulo a group of colour permutations.
#[derive(Clone, Debug)]
pub struct Canon<'s, 'm> {
    colours: &'s Colours<'m>,
    group: Group,
    /// The initial cell of each element; fixed elements have singleton cells.
    cells: Vec<u32>,
    /// The elements of blocks with several members, block by block.
    open: Vec<u32>,
    rotations: Vec<Rotation>,
}

#[derive(Clone, Copy, Debug)]
struct Rotation {
    first: u32,
    colours: u32,
    step: u32,
}

impl Rotation {
    /// Sets the images of the elements of the role to the rotation by `shift`.
    fn set(self, to: &mut Permutation, shift: u32) {
        for colour in 0..self.colours {
            to[(self.first + colour) as usize] = self.first + (colour + shift) % self.colours;
        }
    }
}

/// Scratch memory of canonization, one per worker thread. Only the results of the accessors outlive
/// a call.
#[derive(Clone, Debug, Default)]
pub struct CanonScratch {
    cells: Vec<u32>,
    signatures: Vec<u64>,
    ranks: Vec<(u32, u64, u32)>,
    /// For each open element its position in `ranks`.
    positions: Vec<u32>,
    to: Permutation,
    image: Tokens,
    /// The best result of a search and its permutation.
    best: Tokens,
    best_to: Permutation,
    refinements: u32,
    twins: Twins,
    /// True if some representative may not be unique in its orbit.
    pub(super) cut: bool,
    pub(super) net: ChainScratch,
    /// The limits of searches for the least marking of an orbit.
    pub(super) budget: Option<Budget>,
}

/// Classes of elements whose exchange does not change a marking.
#[derive(Clone, Debug, Default)]
struct Twins {
    /// For each element the start of its class in `ranks`; [`ALONE`] if it has no twin.
    class: Vec<u32>,
    exist: bool,
}

const ALONE: u32 = u32::MAX;

/// Result of a refinement round: whether another one may split further cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Stable,
    Split,
}

impl CanonScratch {
    /// Memory for searches that `budget` cuts short.
    pub fn under(budget: &Budget) -> CanonScratch {
        CanonScratch {
            budget: Some(budget.clone()),
            ..CanonScratch::default()
        }
    }

    /// The permutation applied by the last call of [`Canon::canon`].
    pub fn permutation(&self) -> &[u32] {
        &self.to
    }

    /// Returns whether some representative so far may not be unique in its orbit.
    pub fn was_cut(&self) -> bool {
        self.cut
    }
}

impl<'s, 'm> Canon<'s, 'm> {
    /// Representatives modulo `group`, a subgroup of the known symmetries.
    pub fn new(colours: &'s Colours<'m>, group: Group) -> Canon<'s, 'm> {
        let elements = colours.elements() as u32;
        let mut cells: Vec<u32> = (0..elements).collect();
        let (mut open, mut rotations) = (Vec::new(), Vec::new());
        for (part, first) in group.parts().iter().zip(&colours.firsts) {
            for block in part.blocks() {
                let cell = elements + open.len() as u32;
                for colour in block {
                    cells[(first + colour) as usize] = cell;
                    open.push(first + colour);
                }
            }
            if let RoleGroup::Rotations { colours, step } = *part
                && step < colours
            {
                rotations.push(Rotation {
                    first: *first,
                    colours,
                    step,
                });
            }
        }
        Canon {
            colours,
            group,
            cells,
            open,
            rotations,
        }
    }

    /// The group.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Returns whether every marking is its own representative.
    pub fn is_trivial(&self) -> bool {
        self.open.is_empty() && self.rotations.is_empty()
    }

    /// Replaces a marking by its representative; returns whether it changed.
    /// [`CanonScratch::permutation`] returns the permutation applied.
    pub fn canon(&self, room: &mut CanonScratch, tokens: &mut Tokens) -> bool {
        self.clear(room);
        match (&self.rotations[..], self.open.is_empty()) {
            ([], true) => false,
            ([], false) => self.exchange(room, tokens),
            ([rotation], true) => self.rotate(*rotation, room, tokens),
            _ => self.turn_and_exchange(room, tokens),
        }
    }

    /// For several rotating roles, or rotations beside exchanges: the smallest marking over the
    /// first [`MOST_TURNS`] combinations of rotations.
    fn turn_and_exchange(&self, room: &mut CanonScratch, tokens: &mut Tokens) -> bool {
        let mut turn = self.colours.identity();
        let mut best: Option<(Tokens, Permutation)> = None;
        let mut done = false;
        for _ in 0..MOST_TURNS {
            let mut marking = tokens.clone();
            self.image(room, &mut marking, &turn);
            self.clear(room);
            if !self.open.is_empty() {
                self.exchange(room, &mut marking);
            }
            if best.as_ref().is_none_or(|(best, _)| marking < *best) {
                best = Some((marking, after(&room.to, &turn)));
            }
            if !self.next_turn(&mut turn) {
                done = true;
                break;
            }
        }
        room.cut |= !done;
        let Some((marking, to)) = best else {
            return false;
        };
        let changed = marking != *tokens;
        *tokens = marking;
        room.to = to;
        changed
    }

    /// Advances to the next combination of rotations, in counter order; false after the last.
    fn next_turn(&self, turn: &mut Permutation) -> bool {
        for rotation in &self.rotations {
            let shift = turn[rotation.first as usize] - rotation.first + rotation.step;
            rotation.set(turn, shift % rotation.colours);
            if shift < rotation.colours {
                return true;
            }
        }
        false
    }

    fn clear(&self, room: &mut CanonScratch) {
        let elements = self.cells.len();
        if room.to.len() != elements {
            *room = CanonScratch {
                cells: vec![0; elements],
                signatures: vec![0; elements],
                positions: vec![ALONE; elements],
                to: vec![0; elements],
                twins: Twins {
                    class: vec![ALONE; elements],
                    exist: false,
                },
                cut: room.cut,
                budget: room.budget.take(),
                ..CanonScratch::default()
            };
        }
        room.to.iter_mut().zip(0..).for_each(|(to, e)| *to = e);
    }

    /// Replaces the marking by the smallest of its rotations.
    fn rotate(&self, rotation: Rotation, room: &mut CanonScratch, tokens: &mut Tokens) -> bool {
        let mut best = 0;
        room.best.clear();
        room.best.extend_from_slice(tokens);
        for shift in (rotation.step..rotation.colours).step_by(rotation.step as usize) {
            rotation.set(&mut room.to, shift);
            self.apply(room, tokens);
            if room.image < room.best {
                best = shift;
                std::mem::swap(&mut room.image, &mut room.best);
            }
        }
        rotation.set(&mut room.to, best);
        if best > 0 {
            std::mem::swap(&mut room.best, tokens);
        }
        best > 0
    }

    /// Replaces the marking by its representative modulo exchanges inside blocks.
    fn exchange(&self, room: &mut CanonScratch, tokens: &mut Tokens) -> bool {
        room.cells.copy_from_slice(&self.cells);
        room.refinements = 0;
        self.refine(room, tokens);
        if let Some(tied) = self.tied(room, tokens) {
            room.best.clear();
            room.best_to.clear();
            self.search(room, tokens, tied);
            room.to.clone_from(&room.best_to);
            return if room.best == *tokens {
                // The permutation fixes the marking; report the identity.
                room.to.iter_mut().zip(0..).for_each(|(to, e)| *to = e);
                false
            } else {
                std::mem::swap(&mut room.best, tokens);
                true
            };
        }
        if !self.assign(room) {
            return false;
        }
        self.apply(room, tokens);
        let changed = room.image != *tokens;
        std::mem::swap(&mut room.image, tokens);
        changed
    }

    /// Assigns the numbers of each block to its members in the order of their cells. Returns
    /// whether an element moves.
    fn assign(&self, room: &mut CanonScratch) -> bool {
        let mut moves = false;
        for ((_, _, element), to) in room.ranks.iter().zip(&self.open) {
            moves |= element != to;
            room.to[*element as usize] = *to;
        }
        moves
    }

    /// Computes the image of the marking under `room.to`.
    fn apply(&self, room: &mut CanonScratch, tokens: &Tokens) {
        room.image.clear();
        let mut sorted = true;
        let mut last = 0;
        for (var, value) in tokens {
            // Symmetries map variables to variables.
            let image = self.colours.image_of_var(VarId(*var), &room.to);
            let image = image.map_or(*var, |image| image.0);
            sorted &= last <= image;
            last = image;
            room.image.push((image, *value));
        }
        if !sorted {
            room.image.sort_unstable();
        }
    }

    fn refine(&self, room: &mut CanonScratch, tokens: &Tokens) {
        room.refinements += 1;
        let mut cells = 0;
        loop {
            let round = self.sign(room, tokens);
            let now = self.split(room);
            if round == Round::Stable || now == cells || now == self.open.len() {
                return;
            }
            cells = now;
        }
    }

    /// Returns whether the cell of the element has several members. Cells are numbered by their
    /// first position.
    #[inline]
    fn is_shared(room: &CanonScratch, element: u32, elements: u32) -> bool {
        let cell = room.cells[element as usize];
        if cell < elements {
            return false;
        }
        let at = (cell - elements) as usize;
        // The members of a cell are adjacent in `ranks`.
        room.ranks
            .get(at + 1)
            .is_some_and(|(_, _, next)| room.cells[*next as usize] == cell)
    }

    /// Computes the signatures of all open elements. They are final if no marked variable relates
    /// two open elements.
    fn sign(&self, room: &mut CanonScratch, tokens: &Tokens) -> Round {
        for element in &self.open {
            room.signatures[*element as usize] = 0;
        }
        let elements = self.cells.len() as u32;
        let mut joined = false;
        for (var, value) in tokens {
            let own = self.colours.vars.of(*var);
            let open = own.iter().find(|e| room.cells[**e as usize] >= elements);
            let Some(open) = open else {
                continue;
            };
            let mut hash = mix(self.colours.vars.frames[*var as usize], *value as u64);
            if let [element] = own {
                let signature = &mut room.signatures[*element as usize];
                *signature = signature.wrapping_add(hash);
                continue;
            }
            for element in own {
                let cell = room.cells[*element as usize];
                hash = mix(hash, u64::from(cell));
                joined |= cell >= elements && element != open;
            }
            for (position, element) in (1..).zip(own) {
                let signature = &mut room.signatures[*element as usize];
                *signature = signature.wrapping_add(mix(hash, position));
            }
        }
        if joined { Round::Split } else { Round::Stable }
    }

    /// Splits cells by signatures; returns the number of cells.
    fn split(&self, room: &mut CanonScratch) -> usize {
        let elements = self.cells.len() as u32;
        let CanonScratch {
            cells,
            signatures,
            ranks,
            ..
        } = room;
        ranks.clear();
        let rank = |e: &u32| (cells[*e as usize], signatures[*e as usize], *e);
        ranks.extend(self.open.iter().map(rank));
        ranks.sort_unstable();
        let (mut count, mut first) = (0, 0);
        let mut before = None;
        for (at, (cell, signature, element)) in (0..).zip(ranks.iter()) {
            if before != Some((*cell, *signature)) {
                before = Some((*cell, *signature));
                first = at;
                count += 1;
            }
            cells[*element as usize] = elements + first;
        }
        count
    }

    fn tied(&self, room: &CanonScratch, tokens: &Tokens) -> Option<u32> {
        let elements = self.cells.len() as u32;
        let mut tied = None;
        for (var, _) in tokens {
            let own = self.colours.vars.of(*var);
            if own.len() < 2 {
                continue;
            }
            let mut shared = own
                .iter()
                .filter(|element| Canon::is_shared(room, **element, elements));
            let Some(first) = shared.next() else {
                continue;
            };
            let others = shared.filter(|element| *element != first);
            let least = others.map(|e| room.cells[*e as usize]).min();
            if let Some(least) = least {
                let cell = least.min(room.cells[*first as usize]);
                tied = Some(tied.map_or(cell, |tied: u32| tied.min(cell)));
            }
        }
        tied
    }

    /// Tries each member of a tied cell as its first; keeps the smallest marking in `best`.
    fn search(&self, room: &mut CanonScratch, tokens: &Tokens, tied: u32) {
        let members = self.members(room, tied);
        let before = room.cells.clone();
        let mut first: Option<Tokens> = None;
        for member in &members {
            if room.refinements >= MOST_REFINEMENTS && !room.best.is_empty() {
                room.cut = true;
                return;
            }
            room.cells.clone_from(&before);
            self.individualise(room, tokens, &members, *member);
            let deeper = room.cells.clone();
            // Follow the first choices below: an equal result proves a symmetry and prunes this
            // member.
            while let Some(tied) = self.tied(room, tokens) {
                let members = self.members(room, tied);
                self.individualise(room, tokens, &members, members[0]);
            }
            self.assign(room);
            self.apply(room, tokens);
            if first.as_ref().is_some_and(|first| *first == room.image) {
                continue;
            }
            if room.best.is_empty() || room.image < room.best {
                room.best.clone_from(&room.image);
                room.best_to.clone_from(&room.to);
            }
            first.get_or_insert_with(|| room.image.clone());
            room.cells.clone_from(&deeper);
            self.rank_again(room);
            if let Some(tied) = self.tied(room, tokens) {
                self.search(room, tokens, tied);
            }
        }
    }

    fn members(&self, room: &CanonScratch, cell: u32) -> Vec<u32> {
        let members = self.open.iter().copied();
        let mut members: Vec<u32> = members
            .filter(|e| room.cells[*e as usize] == cell)
            .collect();
        members.sort_unstable();
        members
    }

    fn individualise(&self, room: &mut CanonScratch, tokens: &Tokens, members: &[u32], first: u32) {
        for other in members.iter().filter(|member| **member != first) {
            room.cells[*other as usize] += 1;
        }
        self.refine(room, tokens);
    }

    fn rank_again(&self, room: &mut CanonScratch) {
        let CanonScratch { cells, ranks, .. } = room;
        ranks.clear();
        ranks.extend(self.open.iter().map(|e| (cells[*e as usize], 0, *e)));
        ranks.sort_unstable();
    }

    /// Replaces a marking by its image under `to`.
    pub fn image(&self, room: &mut CanonScratch, tokens: &mut Tokens, to: &[u32]) {
        self.clear(room);
        room.to.copy_from_slice(to);
        self.apply(room, tokens);
        std::mem::swap(&mut room.image, tokens);
    }

    /// The marking after rotating a range of elements.
    pub(super) fn turned(
        &self,
        room: &mut CanonScratch,
        tokens: &Tokens,
        elements: Range<u32>,
        shift: u32,
    ) -> Tokens {
        self.clear(room);
        let colours = elements.end - elements.start;
        for colour in 0..colours {
            let to = elements.start + (colour + shift) % colours;
            room.to[(elements.start + colour) as usize] = to;
        }
        self.apply(room, tokens);
        room.image.clone()
    }

    /// Replaces the marking by its representative modulo exchanges alone; `None` if the search was
    /// cut short.
    pub(super) fn only_exchange(&self, room: &mut CanonScratch, tokens: &mut Tokens) -> Option<()> {
        self.clear(room);
        if !self.open.is_empty() {
            self.exchange(room, tokens);
        }
        (room.refinements < MOST_REFINEMENTS).then_some(())
    }

    /// The number of exchanges that fix a marking; `None` if the search was cut short.
    pub(super) fn exchanges_fixing(
        &self,
        room: &mut CanonScratch,
        tokens: &Tokens,
    ) -> Option<u128> {
        if self.open.is_empty() {
            return Some(1);
        }
        self.clear(room);
        room.cells.copy_from_slice(&self.cells);
        self.refine(room, tokens);
        let mut fixing: u128 = 1;
        while let Some(tied) = self.tied(room, tokens) {
            let members = self.members(room, tied);
            let before = room.cells.clone();
            let mut first = None;
            let mut alike: u128 = 0;
            for member in &members {
                room.cells.clone_from(&before);
                room.refinements = 0;
                self.individualise(room, tokens, &members, *member);
                let found = self.smallest(room, tokens)?;
                alike += u128::from(found == *first.get_or_insert_with(|| found.clone()));
            }
            fixing = fixing.checked_mul(alike)?;
            room.cells.clone_from(&before);
            self.individualise(room, tokens, &members, members[0]);
        }
        let mut at = 0;
        while at < room.ranks.len() {
            let cell = room.cells[room.ranks[at].2 as usize];
            let same = |rank: &&(u32, u64, u32)| room.cells[rank.2 as usize] == cell;
            let size = room.ranks[at..].iter().take_while(same).count();
            fixing = fixing.checked_mul(factorial(size)?)?;
            at += size;
        }
        Some(fixing)
    }

    /// The smallest marking compatible with the choices made so far.
    fn smallest(&self, room: &mut CanonScratch, tokens: &Tokens) -> Option<Tokens> {
        room.best.clear();
        match self.tied(room, tokens) {
            Some(tied) => {
                self.search(room, tokens, tied);
                let found = room.best.clone();
                (room.refinements < MOST_REFINEMENTS).then_some(found)
            }
            None => {
                self.assign(room);
                self.apply(room, tokens);
                Some(room.image.clone())
            }
        }
    }
}
