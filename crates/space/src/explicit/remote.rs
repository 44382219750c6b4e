//! Successors owned by other workers: identified, sent and received without a local lookup.
//!
//! Where states are partitioned among workers, most successors of a state belong to another worker.
//! Such a successor is never interned: it is a [`PreparedSuccessor`], whose
//! [print](StateTable::print) determines its owner, and which has a [wire form](StateTable::write).
//! The layout is a function of the system, so that all workers with the same system understand it;
//! ids of overflow vectors are local to a worker, so the upper bits themselves are sent.
//!
//! The wire form is a *head* of the caller (for example a state of an automaton) and a flag for
//! upper bits, as one number of seven bits per byte; the packed state; and upper bits, if any, as
//! pairs of variable and bits. It is canonical: equal bytes are equal pairs of head and state.

use super::layout::PackedLayout;
use super::plain::hash_of_word;
use super::states::SuccessorScratch;
use super::store::{StateStore, cells};
use super::{Explicit, ExplicitStateId, StateTable, StepCursor};
use lariat_budget::Stop;
use lariat_model::{Deadlock, EventId, Value};

/// A successor that has been prepared and not looked up: valid until the next one is prepared.
#[derive(Clone, Copy, Debug)]
pub enum PreparedSuccessor {
    /// A state that is a word.
    Word(u64),
    /// The prepared state, relative to the state in focus.
    Prepared,
    /// A state that is stored here: the source of a stuttering step, or found by
    /// [`StateTable::seek`].
    Here(ExplicitStateId),
}

/// Maximal number of words in one [`seek`](StateTable::seek).
pub const TOGETHER: usize = 32;

/// Smaller numbers are encoded in one byte.
const ONE_BYTE: u32 = 0x80;

/// A bijection that spreads a number over all 64 bits.
#[inline]
fn spread(mut x: u64) -> u64 {
    // The finalizer of MurmurHash3: independent of the hashes that the state tables use.
    x = (x ^ x >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x = (x ^ x >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ x >> 33
}

impl Explicit<'_> {
    /// Calls `visit` with all steps from `from`, without looking up their targets; stuttering is
    /// included where deadlocks stutter.
    pub fn prospects(
        &self,
        states: &mut StateTable,
        from: ExplicitStateId,
        mut visit: impl FnMut(&mut StateTable, Option<EventId>, PreparedSuccessor) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        states.tick()?;
        let mut moved = false;
        if let Some(words) = &self.moves.words
            && let Some(word) = states.word(from)
        {
            let mut at = 0;
            while let Some(t) = words.find(word, at) {
                (at, moved) = (t + 1, true);
                let event = Some(self.moves.net.transitions[t as usize].event);
                if let Some(to) = words.fire(word, t) {
                    visit(states, event, PreparedSuccessor::Word(to))?;
                    continue;
                }
                states.load(self, from);
                if states.fire(self, t)? {
                    visit(states, event, PreparedSuccessor::Prepared)?;
                }
            }
        } else {
            let mut cursor = StepCursor::default();
            states.load(self, from);
            while let Some(event) = self.moves.next(self, states, &mut cursor)? {
                moved = true;
                visit(states, Some(event), PreparedSuccessor::Prepared)?;
                states.load(self, from);
            }
        }
        if !moved && self.deadlock == Deadlock::Stutter {
            visit(states, None, PreparedSuccessor::Here(from))?;
        }
        Ok(())
    }

    /// The values of all variables in `state`, and the variables that changed since the previous
    /// state in focus, with their old values.
    pub fn values_and_changes<'a>(
        &self,
        states: &'a mut StateTable,
        state: ExplicitStateId,
    ) -> (&'a [Value], &'a [(u32, Value)]) {
        states.load(self, state);
        (&states.focus.values, &states.focus.changed)
    }

    /// Calls `visit` with the values of all variables in a state of a small net, without moving the
    /// focus; false if the net is not small. Cheaper than [changes](Explicit::values_and_changes)
    /// between unrelated states.
    #[inline]
    pub fn tell_values(
        &self,
        states: &StateTable,
        state: ExplicitStateId,
        mut visit: impl FnMut(Value),
    ) -> bool {
        let (Some(_), Some(low)) = (&self.moves.words, self.layout.word) else {
            return false;
        };
        let Some(word) = states.word(state) else {
            states.get(state).iter().copied().for_each(visit);
            return true;
        };
        for field in &self.layout.fields {
            let raw = word >> field.shift_in_word(low) & ((1 << field.width) - 1);
            visit(field.low.wrapping_add(raw as Value));
        }
        true
    }

    /// Prepares the `k`-th initial state; `None` if there is none.
    pub fn initial_prospect(
        &self,
        states: &mut StateTable,
        k: usize,
    ) -> Result<Option<PreparedSuccessor>, Stop> {
        let Some(initial) = self.system.initial.get(k) else {
            return Ok(None);
        };
        states.open()?;
        states.scratch.assigned.clear();
        let values = (0..).zip(initial.iter().copied());
        states.scratch.assigned.extend(values);
        states.pack()?;
        Ok(Some(PreparedSuccessor::Prepared))
    }
}

impl StateTable {
    /// A pseudorandom number that is equal for equal states, in all workers.
    #[inline]
    pub fn print(&self, prospect: PreparedSuccessor) -> u64 {
        match prospect {
            PreparedSuccessor::Word(word) => spread(word),
            PreparedSuccessor::Here(state) => self.print_of(&self.store.get(state.0)),
            PreparedSuccessor::Prepared => self.print_of_prepared(),
        }
    }

    fn print_of_prepared(&self) -> u64 {
        let overflow_id = self.prepared_cell(self.layout.overflow_id());
        match self.store.word(&self.focus.view, &self.scratch.changes) {
            Some((word, 0)) => spread(word),
            None if overflow_id == 0 => spread(self.scratch.sum),
            _ => self.print_of(&self.prepared_cells()),
        }
    }

    /// Interns a prospect: this worker owns it from now on.
    #[inline]
    pub fn enter(&mut self, prospect: PreparedSuccessor) -> Result<ExplicitStateId, Stop> {
        match prospect {
            PreparedSuccessor::Word(word) => match self.reach_word(word)? {
                Some(state) => Ok(state),
                None => Err(Stop::Internal("a sealed store was entered".to_owned())),
            },
            PreparedSuccessor::Here(state) => Ok(state),
            PreparedSuccessor::Prepared => self.intern(),
        }
    }

    /// Id of a prospect that has been interned.
    #[inline]
    pub fn known(&mut self, prospect: PreparedSuccessor) -> Option<ExplicitStateId> {
        match prospect {
            PreparedSuccessor::Word(word) => self.find_word(word),
            PreparedSuccessor::Here(state) => Some(state),
            PreparedSuccessor::Prepared => {
                let SuccessorScratch { changes, sum, .. } = &self.scratch;
                let found = self.store.find(&self.focus.view, changes, *sum);
                found.map(ExplicitStateId)
            }
        }
    }

    /// Looks up at most [`TOGETHER`] states that are words together: each is returned as
    /// [`PreparedSuccessor::Here`] if it is found, and as a word otherwise.
    #[inline]
    pub fn seek<I: Iterator<Item = u64>>(
        &self,
        words: I,
    ) -> impl Iterator<Item = PreparedSuccessor> + use<I> {
        let (mut sought, mut hashes) = ([0; TOGETHER], [0; TOGETHER]);
        let mut len = 0;
        for word in words.take(TOGETHER) {
            (sought[len], hashes[len]) = (word, hash_of_word(word, 0));
            len += 1;
        }
        let mut found = [None; TOGETHER];
        if let StateStore::Word(vectors, _) = &self.store {
            vectors.find_words(&sought[..len], &hashes[..len], &mut found[..len]);
        }
        let known = |(word, id): (u64, Option<u32>)| match id {
            Some(id) => PreparedSuccessor::Here(ExplicitStateId(id)),
            None => PreparedSuccessor::Word(word),
        };
        sought.into_iter().zip(found).take(len).map(known)
    }

    /// The wire form of a state that is a word, if it has at most eight bytes: the first is the
    /// lowest.
    #[inline]
    pub fn short(&self, head: u32, word: u64) -> Option<u64> {
        let is_short = self.layout.bytes() < size_of::<u64>() && head < ONE_BYTE / 2;
        is_short.then_some(word << 8 | u64::from(head) << 1)
    }

    /// Length of every [short](StateTable::short) wire form in bytes.
    pub fn short_len(&self) -> usize {
        1 + self.layout.bytes()
    }

    /// Appends the wire form of a prospect.
    #[inline]
    pub fn write(&self, head: u32, prospect: PreparedSuccessor, out: &mut Vec<u8>) {
        let bytes = self.layout.bytes();
        let word = match prospect {
            PreparedSuccessor::Word(word) => Some((word, 0)),
            PreparedSuccessor::Here(state) => {
                return self.write_cells(head, &self.store.get(state.0), out);
            }
            PreparedSuccessor::Prepared => self.store.word(&self.focus.view, &self.scratch.changes),
        };
        match word {
            Some((word, 0)) => {
                number(u64::from(head) << 1, out);
                let end = out.len() + bytes;
                out.extend_from_slice(&word.to_le_bytes());
                out.truncate(end);
            }
            _ => self.write_cells(head, &self.prepared_cells(), out),
        }
    }

    /// Takes a wire form off the front of `bytes`: the head, and the state as a prospect. `None` if
    /// there is no complete one.
    #[inline]
    pub fn read(&mut self, bytes: &mut &[u8]) -> Result<Option<(u32, PreparedSuccessor)>, Stop> {
        if let (StateStore::Word(..), Some(first)) = (&self.store, bytes.first_chunk())
            && let len = self.layout.bytes()
            && len < size_of::<u64>()
            && let message = u64::from_le_bytes(*first)
            && message & u64::from(ONE_BYTE | 1) == 0
            && let Some(rest) = bytes.get(1 + len..)
        {
            *bytes = rest;
            let word = message << (56 - 8 * len) >> (64 - 8 * len);
            let head = (message & 0xff) as u32 >> 1;
            return Ok(Some((head, PreparedSuccessor::Word(word))));
        }
        self.read_any(bytes)
    }

    fn read_any(&mut self, bytes: &mut &[u8]) -> Result<Option<(u32, PreparedSuccessor)>, Stop> {
        self.open()?;
        let Some(head) = take_number(bytes) else {
            return Ok(None);
        };
        let Some((body, rest)) = bytes.split_at_checked(self.layout.bytes()) else {
            return Ok(None);
        };
        *bytes = rest;
        let escaped = head & 1 == 1;
        let head = (head >> 1) as u32;
        if let (false, StateStore::Word(..)) = (escaped, &self.store) {
            return Ok(Some((head, PreparedSuccessor::Word(word_of(body)))));
        }
        let mut upper = None;
        if escaped {
            upper = take_pairs(bytes, self.layout.fields.len());
            if upper.is_none() {
                return Ok(None);
            }
        }
        self.prepare(body, upper)?;
        Ok(Some((head, PreparedSuccessor::Prepared)))
    }

    fn prepare(&mut self, body: &[u8], upper: Option<Vec<u64>>) -> Result<(), Stop> {
        let overflow_id = match upper {
            Some(upper) => self.overflow_vectors.with((0..).zip(upper))?,
            None => 0,
        };
        let cells = cells_of(&self.layout, body);
        let (view, changes) = (&self.focus.view, &mut self.scratch.changes);
        changes.clear();
        let cells = (0..)
            .zip(cells)
            .chain([(self.layout.overflow_id(), overflow_id)]);
        changes.extend(cells.filter(|(cell, new)| view.cell(*cell) != *new));
        changes.reverse();
        self.scratch.sum = changes.iter().fold(self.focus.sum, |sum, (cell, new)| {
            sum.wrapping_add(self.layout.weigh(*cell, view.cell(*cell), *new))
        });
        Ok(())
    }

    fn prepared_cell(&self, cell: u32) -> u32 {
        let changed = self.scratch.changes.iter().find(|(c, _)| *c == cell);
        changed.map_or_else(|| self.focus.view.cell(cell), |(_, new)| *new)
    }

    /// All cells of the prepared state, the overflow id last.
    fn prepared_cells(&self) -> Vec<u32> {
        self.focus.view.changed(&self.scratch.changes)
    }

    fn print_of(&self, cells: &[u32]) -> u64 {
        let layout = &*self.layout;
        let overflow_id = cells[layout.cells];
        if let (Some(low), 0) = (layout.word, overflow_id) {
            return spread(u64::from(cells[0]) | u64::from(cells[1]) << low);
        }
        let weighed = layout.weights.iter().zip(&cells[..layout.cells]);
        let sum = weighed.fold(0u64, |sum, (weight, cell)| {
            sum.wrapping_add(weight.wrapping_mul(u64::from(*cell)))
        });
        let upper = self.overflow_vectors.get(overflow_id);
        (0..layout.fields.len() as u32).fold(spread(sum), |print, var| match upper(var) {
            0 => print,
            upper => spread(print ^ spread(upper).wrapping_add(u64::from(var))),
        })
    }

    #[cold]
    fn write_cells(&self, head: u32, cells: &[u32], out: &mut Vec<u8>) {
        let layout = &*self.layout;
        let overflow_id = cells[layout.cells];
        number(u64::from(head) << 1 | u64::from(overflow_id != 0), out);
        let end = out.len() + layout.bytes();
        match layout.word {
            Some(low) => {
                let word = u64::from(cells[0]) | u64::from(cells[1]) << low;
                out.extend_from_slice(&word.to_le_bytes());
            }
            None => {
                let filled = layout.filled.iter().map(|cell| cells[*cell as usize]);
                filled.for_each(|cell| out.extend_from_slice(&cell.to_le_bytes()));
            }
        }
        out.truncate(end);
        if overflow_id != 0 {
            let upper = self.overflow_vectors.get(overflow_id);
            let vars = (0..layout.fields.len() as u32).map(|var| (var, upper(var)));
            let vars: Vec<(u32, u64)> = vars.filter(|(_, upper)| *upper != 0).collect();
            number(vars.len() as u64, out);
            for (var, upper) in vars {
                number(var.into(), out);
                number(upper, out);
            }
        }
    }
}

/// The cells of a packed form, without the overflow id.
fn cells_of(layout: &PackedLayout, body: &[u8]) -> Vec<u32> {
    if let Some(low) = layout.word {
        let [first, second, _] = cells(word_of(body), 0, low);
        return vec![first, second];
    }
    let mut cells = vec![0; layout.cells];
    for (filled, bytes) in layout.filled.iter().zip(body.chunks(4)) {
        cells[*filled as usize] = word_of(bytes) as u32;
    }
    cells
}

/// The number with these bytes, at most eight, the lowest first.
fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Appends a number, seven bits per byte.
fn number(mut x: u64, out: &mut Vec<u8>) {
    while x >= 0x80 {
        out.push(x as u8 | 0x80);
        x >>= 7;
    }
    out.push(x as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut x = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        x |= u64::from(first & 0x7F) << shift;
        if first & 0x80 == 0 {
            return Some(x);
        }
    }
    None
}

/// Takes a list of variables with upper bits off the front; returns the upper bits of all
/// variables.
fn take_pairs(bytes: &mut &[u8], vars: usize) -> Option<Vec<u64>> {
    let mut upper = vec![0; vars];
    for _ in 0..take_number(bytes)? {
        let var = take_number(bytes)?;
        *upper.get_mut(usize::try_from(var).ok()?)? = take_number(bytes)?;
    }
    Some(upper)
}

#[cfg(test)]
mod tests {
    use super::super::testing::net;
    use super::*;
    use lariat_budget::Budget;
    use lariat_corpora::{Random, cases, seed};
    use lariat_model::Domain;

    /// Unknown words stay words, and interned ones are found, also among many with colliding slots.
    #[test]
    fn seek_finds_interned_words() {
        let mut random = Random::new(seed(6_022));
        let system = net(&mut random, 9, 18, 1);
        let space = Explicit::new(&system, Deadlock::Stutter);
        let mut states = space.states(&Budget::unlimited());
        let Some(PreparedSuccessor::Prepared) = space.initial_prospect(&mut states, 0).unwrap()
        else {
            panic!("there is an initial state");
        };
        let mut entered = Vec::new();
        for word in 0..5000 {
            entered.push(states.enter(PreparedSuccessor::Word(word << 3)).unwrap());
        }
        let mut found = 0;
        for start in (0..10_000).step_by(TOGETHER) {
            let words = (start..start + TOGETHER as u64).map(|word| word << 3);
            for (prospect, i) in states.seek(words).zip(start..) {
                match (prospect, entered.get(i as usize)) {
                    (PreparedSuccessor::Here(state), Some(known)) => {
                        assert_eq!(state, *known);
                        found += 1;
                    }
                    // Another item may hide it; `enter` finds it then.
                    (PreparedSuccessor::Word(word), _) => assert_eq!(word, i << 3),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(found > 4900, "{found}");
    }

    /// A state that one worker writes is read by another as the same state; equal states have equal
    /// prints and equal bytes in all workers.
    #[test]
    fn wire_forms_round_trip() {
        let mut random = Random::new(seed(6_021));
        for case in 0..cases(32) {
            let places = [3, 9, 40, 300][case % 4];
            let weights = [1, 3, 200, 1 << 20][case / 4 % 4];
            let mut system = net(&mut random, places, 2 * places, weights);
            if case % 3 == 0 {
                for variable in &mut system.variables {
                    variable.domain = Domain::Count { bound: Some(1) };
                }
            }
            let space = Explicit::new(&system, Deadlock::Stutter);
            let budget = Budget::unlimited();
            let (mut here, mut there) = (space.states(&budget), space.states(&budget));
            let prospect = space.initial_prospect(&mut here, 0).unwrap().unwrap();
            here.enter(prospect).unwrap();
            // Every worker prepares the initial states first.
            space.initial_prospect(&mut there, 0).unwrap();
            let mut next = 0;
            while next < here.len().min(if places > 100 { 3 } else { 30 }) {
                let from = ExplicitStateId(next as u32);
                let values: Vec<Value> = here.get(from).to_vec();
                let mut listed = Vec::new();
                if space.tell_values(&here, from, |value| listed.push(value)) {
                    assert_eq!(listed, values, "case {case}");
                }
                let mut expected = Vec::new();
                for event in system.event_ids() {
                    let successors = system.successors(&values, event);
                    expected.extend(successors.into_iter().map(|to| (Some(event), to)));
                }
                if expected.is_empty() {
                    expected.push((None, values.into()));
                }
                let mut found = Vec::new();
                let visit = |here: &mut StateTable, event, prospect| {
                    let print = here.print(prospect);
                    let mut bytes = Vec::new();
                    here.write(7, prospect, &mut bytes);
                    let entered = here.enter(prospect)?;
                    assert_eq!(here.known(prospect), Some(entered));
                    let again = PreparedSuccessor::Here(entered);
                    assert_eq!(here.print(again), print, "case {case}");
                    let mut rewritten = Vec::new();
                    here.write(7, again, &mut rewritten);
                    assert_eq!(rewritten, bytes, "case {case}");
                    if let PreparedSuccessor::Word(word) = prospect
                        && let Some(short) = here.short(7, word)
                    {
                        assert_eq!(short.to_le_bytes()[..here.short_len()], bytes[..]);
                    }
                    // Twice, so that the first is followed by more bytes.
                    let twice = [&bytes[..], &bytes].concat();
                    let mut rest = &*twice;
                    let (head, first) = there.read(&mut rest)?.unwrap();
                    assert_eq!((head, rest.len()), (7, bytes.len()));
                    let first = there.enter(first)?;
                    let (head, arrived) = there.read(&mut rest)?.unwrap();
                    assert_eq!((head, rest.len()), (7, 0));
                    assert_eq!(there.known(arrived), Some(first));
                    if let PreparedSuccessor::Word(word) = arrived {
                        let sought: Vec<PreparedSuccessor> =
                            there.seek([word, word].into_iter()).collect();
                        assert!(
                            matches!(sought[..], [_, PreparedSuccessor::Here(known)] if known == first),
                            "case {case}: {sought:?}"
                        );
                    }
                    assert_eq!(there.print(arrived), print, "case {case}");
                    let state = there.enter(arrived)?;
                    // The focus of the other worker moves from time to time.
                    if state.0 % 3 == 0 {
                        there.load(&space, state);
                    }
                    assert_eq!(there.get(state), here.get(entered), "case {case}");
                    found.push((event, there.get(state)));
                    assert!(there.read(&mut &bytes[..bytes.len() - 1])?.is_none());
                    Ok(())
                };
                space.prospects(&mut here, from, visit).unwrap();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "case {case}");
                next += 1;
            }
        }
    }
}
