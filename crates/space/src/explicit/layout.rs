//! Packing of states. A layout is chosen once per system and is immutable.
//!
//! A state is a vector of 32-bit cells. Every variable has a field within one cell, which holds the
//! low bits of `value − low`, so that a transition can add its deltas to the packed form: no carry
//! leaves a field as long as the bits above it do not change. These upper bits are almost always 0.
//! Where some are not, one more cell holds the id of an overflow vector (`overflow.rs`): values of
//! any size are representable, and a place that slowly fills changes the vector only once in 2ʷ
//! tokens. A variable that no event writes takes no bits.
//!
//! Small states are one machine word, in which the cells are concatenated (`words.rs`).
//!
//! Stated bounds determine the width of a field. Without one, a short random walk over the net
//! estimates the tokens per place (`rehearsal.rs`), and places that may have several tokens get
//! bits for the largest initial number of any such place.
//!
//! Fields are in the order of the model, which usually groups what changes together. Where it does
//! not, and states are trees, in which a step costs the paths above the changed cells, an order by
//! centres of gravity may be better ([`by_paths`]). The active part of a model may still be
//! anywhere in a tree: neighbouring cells are best below different nodes of its root
//! ([`PackedLayout::spread`]).

use super::plain::weights;
use super::rehearsal::rehearse;
use super::tree;
use super::words::is_small_net;
use lariat_model::order::{Heuristic, OrderDirection, OrderName, named};
use lariat_model::{Action, Domain, Event, System, Value};

/// Position of a variable in a packed state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    pub low: Value,
    pub cell: u32,
    pub shift: u8,
    pub width: u8,
}

impl Field {
    /// The bits of the field within its cell.
    #[inline]
    pub fn mask(self) -> u32 {
        (((1u64 << self.width) - 1) as u32) << self.shift
    }

    /// Splits a value into the part in the cell and the upper bits.
    #[inline]
    pub fn split(self, value: Value) -> (u32, u64) {
        let raw = value.wrapping_sub(self.low) as u64;
        let body = (raw as u32) << (self.shift % 32) & self.mask();
        (body, raw >> self.width)
    }

    /// The value of a cell and its upper bits.
    #[inline]
    pub fn join(self, cell: u32, upper: u64) -> Value {
        let body = (cell & self.mask()) >> self.shift;
        let raw = u64::from(body) | upper << self.width;
        self.low.wrapping_add(raw as Value)
    }

    /// Position of the field in a state that is a word, whose first cell has `low` bits.
    #[inline]
    pub fn shift_in_word(self, low: u32) -> u32 {
        u32::from(self.shift) + if self.cell == 0 { 0 } else { low }
    }

    /// Returns whether two values differ in their upper bits.
    #[inline]
    pub fn overflows(self, old: Value, new: Value) -> bool {
        let raw = |value: Value| value.wrapping_sub(self.low) as u64;
        (raw(old) ^ raw(new)) >> self.width != 0
    }
}

/// Maximal bytes of states that are stored whole. Wider states take fewer bytes as trees, in which
/// a lookup costs several times the work.
const PLAIN_BYTES: usize = 48;
/// Least and largest width of a place that does not look safe, in states stored whole.
const LEAST_WIDTH: u8 = 2;
const MOST_WIDTH: u8 = 8;
/// Width of a place that exceeded these bits and all initial markings during the walk, and probably
/// grows on: with fewer bits, nearly every state would have an overflow vector of its own.
const GROWING_WIDTH: u8 = 24;
/// Width of a place that does not look safe, in trees, where unchanged cells take no space.
const TREE_WIDTH: u8 = 8;

#[derive(Debug)]
pub(super) struct PackedLayout {
    pub fields: Vec<Field>,
    /// For each bit of each cell, the variable that owns it.
    pub owners: Vec<u32>,
    /// For each cell, its weight in the hash of a state.
    pub weights: Vec<u64>,
    /// Number of cells, without the overflow id behind them.
    pub cells: usize,
    /// Cells with bits of some field, in the order in which they were filled. All but the last are
    /// full.
    pub filled: Vec<u32>,
    bits: usize,
    /// Bits of the first cell, if states are words.
    pub word: Option<u32>,
}

/// Maximal bits of a state that is a word: above them are a border and an unused bit.
const WORD_BITS: u32 = 62;

fn width_of(size: u64) -> u8 {
    (64 - size.leading_zeros()) as u8
}

/// Known range of a variable.
enum Known {
    /// Least value, and a sufficient number of bits.
    Bits(Value, u8),
    Open,
}

impl PackedLayout {
    pub fn new(system: &System) -> PackedLayout {
        let known = known(system);
        let wide = PackedLayout::place(&known, |_| TREE_WIDTH);
        let is_open = |i: &usize| matches!(known[*i], Known::Open);
        let open: Vec<usize> = (0..known.len()).filter(is_open).collect();
        if open.is_empty() {
            return wide.or_tree(system, &known, |_| TREE_WIDTH);
        }
        let seen = rehearse(system, &wide, open.iter().copied());
        let initial = |i: usize| system.initial.iter().map(move |state| state[i]);
        let tokens = open.iter().copied().flat_map(initial).max().unwrap_or(0);
        let usual = width_of(tokens.max(0) as u64).max(LEAST_WIDTH);
        let narrow = PackedLayout::place(&known, |i| match seen.most[i] {
            _ if seen.looks_safe(i) => 1,
            most if most > tokens && most >> MOST_WIDTH > 0 => GROWING_WIDTH,
            most @ 2.. => width_of(most as u64).max(usual).min(MOST_WIDTH),
            _ => LEAST_WIDTH,
        });
        let in_tree = |i| if seen.looks_safe(i) { 1 } else { TREE_WIDTH };
        narrow.or_tree(system, &known, in_tree)
    }

    /// This layout if its states are stored whole, else one for trees; `open` returns the width of
    /// a variable without a bound in a tree.
    fn or_tree(self, system: &System, known: &[Known], open: impl Fn(usize) -> u8) -> PackedLayout {
        if self.is_plain() {
            return self.in_one_word(system);
        }
        by_paths(system, |order| PackedLayout::place_in(order, known, &open))
    }

    /// Converts to words if possible: the system is a small net, or has no net transitions.
    fn in_one_word(mut self, system: &System) -> PackedLayout {
        let used = |cell: u32| {
            let fields = self.fields.iter().filter(|f| f.cell == cell);
            fields.map(|f| u32::from(f.shift + f.width)).max()
        };
        let (low, high) = (used(0).unwrap_or(0), used(1).unwrap_or(0));
        let is_net = |event: &Event| matches!(event.action, Action::Net(_));
        let fits = self.cells <= 2 && low + high <= WORD_BITS;
        if fits && (is_small_net(system) || !system.events.iter().any(is_net)) {
            self.word = Some(low);
            self.bits = (low + high) as usize;
            // The second cell may be empty.
            self.cells = 2;
            self.owners.resize(64, u32::MAX);
            self.weights = weights(3);
        }
        self
    }

    /// Places the fields in the order of the model; `open` returns the width of a variable without
    /// a bound.
    fn place(known: &[Known], open: impl Fn(usize) -> u8) -> PackedLayout {
        let file: Vec<usize> = (0..known.len()).collect();
        PackedLayout::place_in(&file, known, open)
    }

    fn place_in(order: &[usize], known: &[Known], open: impl Fn(usize) -> u8) -> PackedLayout {
        let (mut cell, mut shift) = (0u32, 0u8);
        let mut fields = vec![Field::default(); known.len()];
        for i in order.iter().copied() {
            let (low, width) = match known[i] {
                Known::Bits(low, width) => (low, width.min(32)),
                Known::Open => (0, open(i)),
            };
            if shift + width > 32 {
                cell += 1;
                shift = 0;
            }
            fields[i] = Field {
                low,
                // A field without bits is in the first cell, so not behind a full last cell.
                cell: if width == 0 { 0 } else { cell },
                shift: if width == 0 { 0 } else { shift },
                width,
            };
            shift += width;
        }
        let cells = cell as usize + 1;
        let mut owners = vec![u32::MAX; cells * 32];
        for (var, field) in fields.iter().enumerate() {
            let start = field.cell as usize * 32 + usize::from(field.shift);
            owners[start..start + usize::from(field.width)].fill(var as u32);
        }
        PackedLayout {
            fields,
            owners,
            weights: weights(cells + 1),
            cells,
            filled: (0..cells as u32).collect(),
            bits: cell as usize * 32 + usize::from(shift),
            word: None,
        }
    }

    /// For trees: this layout with neighbouring cells below different nodes of the root.
    ///
    /// Early in a search, only a part of a model has moved. Below one node of the root, that part
    /// would need a new node, and new nodes on the path to it, in nearly every state. Below all of
    /// them, it has few combinations under each, and a new state costs little more than its root.
    fn spread(&self) -> PackedLayout {
        let named = tree::TOP as usize;
        let below = tree::leaves(self.cells + 1) / named;
        let to = |cell: usize| cell % named * below + cell / named;
        let cells = (0..self.cells).map(to).max().map_or(0, |last| last + 1);
        let mut owners = vec![u32::MAX; cells * 32];
        for (cell, of_cell) in self.owners.chunks_exact(32).enumerate() {
            owners[to(cell) * 32..][..32].copy_from_slice(of_cell);
        }
        let moved = |field: &Field| Field {
            cell: to(field.cell as usize) as u32,
            ..*field
        };
        PackedLayout {
            fields: self.fields.iter().map(moved).collect(),
            owners,
            weights: weights(cells + 1),
            cells,
            filled: (0..self.cells).map(|cell| to(cell) as u32).collect(),
            ..*self
        }
    }

    /// Average number of nodes near the root that an event changes, if states are trees.
    fn paths(&self, system: &System) -> f64 {
        let leaves = tree::leaves(self.cells + 1) as u32;
        let near = |event: &Event| {
            let written = event.action.writes().into_iter();
            let written = written.map(|var| self.fields[var.index()]);
            let cells = written.filter(|field| field.width > 0);
            let nodes = cells.flat_map(|field| tree::near_root(leaves + field.cell));
            nodes.fold(0u32, |set, node| set | 1 << node).count_ones()
        };
        let sum: u32 = system.events.iter().map(near).sum();
        f64::from(sum) / system.events.len().max(1) as f64
    }

    pub fn is_plain(&self) -> bool {
        self.bytes() <= PLAIN_BYTES
    }

    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Bytes of a packed state without its overflow id; at least one.
    pub fn bytes(&self) -> usize {
        self.bits.div_ceil(8).max(1)
    }

    pub fn overflow_id(&self) -> u32 {
        self.cells as u32
    }

    /// Contribution of a changed cell to the hash.
    #[inline]
    pub fn weigh(&self, cell: u32, old: u32, new: u32) -> u64 {
        let weight = self.weights[cell as usize];
        weight.wrapping_mul(u64::from(new).wrapping_sub(u64::from(old)))
    }
}

/// A layout for trees, from an order of the variables.
fn by_paths(system: &System, place: impl Fn(&[usize]) -> PackedLayout) -> PackedLayout {
    let arranged = arranged(system, place);
    // Places that fill have fewer bits here, so states may be small enough to be stored whole.
    if arranged.is_plain() {
        return arranged;
    }
    let spread = arranged.spread();
    if spread.paths(system) <= MORE_PATHS * arranged.paths(system) {
        spread
    } else {
        arranged
    }
}

/// Cells are spread if an event then changes at most this many times the nodes near the root;
/// beyond that, the longer paths slow lookups down.
const MORE_PATHS: f64 = 4.0 / 3.0;

/// The order of the model, unless a step changes much of a tree under it, and at most half as much
/// under FORCE's.
fn arranged(system: &System, place: impl Fn(&[usize]) -> PackedLayout) -> PackedLayout {
    let file: Vec<usize> = (0..system.variables.len()).collect();
    let file = place(&file);
    let long = file.paths(system);
    if long <= LONG_PATHS || system.variables.len() > MOST_ARRANGED {
        return file;
    }
    let force = OrderName {
        heuristic: Heuristic::Force,
        direction: OrderDirection::Down,
    };
    let Some(order) = named(system, force) else {
        return file;
    };
    let vars: Vec<usize> = order.vars().iter().map(|var| var.index()).collect();
    let other = place(&vars);
    if 2.0 * other.paths(system) <= long {
        other
    } else {
        file
    }
}

/// Nodes near the root per event, on average, up to which no other order is tried. A single path
/// has two.
const LONG_PATHS: f64 = 4.5;
/// Maximal number of variables for which another order is tried.
const MOST_ARRANGED: usize = 5_000;

fn known(system: &System) -> Vec<Known> {
    let mut written = vec![false; system.variables.len()];
    for event in &system.events {
        for var in event.action.writes() {
            written[var.index()] = true;
        }
    }
    if let Some(fault) = system.fault {
        written[fault.index()] = true;
    }
    let known = system.variables.iter().enumerate().map(|(i, variable)| {
        let initial = || system.initial.iter().map(|state| state[i]);
        let (least, most) = (initial().min().unwrap_or(0), initial().max().unwrap_or(0));
        let (low, size) = match &variable.domain {
            _ if !written[i] => (least, most.wrapping_sub(least) as u64),
            Domain::Count { bound: None } => return Known::Open,
            Domain::Count { bound: Some(bound) } => (0, (*bound).max(most.max(1) as u64)),
            Domain::Range { low, high } => (*low, high.wrapping_sub(*low) as u64),
            Domain::Names(names) => (0, names.len().saturating_sub(1) as u64),
        };
        Known::Bits(low, width_of(size))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{place, pour, transition};
    use super::*;
    use lariat_model::Variable;

    fn bounded(name: &str) -> Variable {
        Variable {
            name: name.to_owned(),
            domain: Domain::Count { bound: Some(1) },
        }
    }

    #[test]
    fn neighbouring_cells_are_spread_where_events_are_local() {
        // Tokens move between neighbours in 1024 places: 32 cells, and the overflow id behind them.
        let to_and_fro = |i: u32| transition("t", &[(2 * i, 1, -1), (2 * i + 1, 0, 1)]);
        let mut system = System {
            variables: (0..1024).map(|i| bounded(&format!("p{i}"))).collect(),
            initial: vec![(0..1024).map(|i| i % 2).collect()],
            events: (0..512).map(to_and_fro).collect(),
            ..System::default()
        };
        let spread = PackedLayout::new(&system);
        let cells = |layout: &PackedLayout| [0, 32, 64, 96, 128].map(|i| layout.fields[i].cell);
        assert_eq!(cells(&spread), [0, 16, 32, 48, 1]);
        assert!((0..1024).all(|i| {
            let Field { cell, shift, .. } = spread.fields[i];
            spread.owners[cell as usize * 32 + usize::from(shift)] == i as u32
        }));
        assert!(spread.overflow_id() < 64, "the tree has not grown");
        // Tokens move from one cell to the next.
        let on = |i: u32| transition("t", &[(i, 1, -1), (i + 32, 0, 1)]);
        system.events = (0..992).map(on).collect();
        assert_eq!(cells(&PackedLayout::new(&system)), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_growing_place_gets_a_wide_field() {
        let source = System {
            variables: vec![place("filled")],
            initial: vec![vec![0].into()],
            events: vec![transition("fill", &[(0, 0, 1)])],
            ..System::default()
        };
        assert_eq!(PackedLayout::new(&source).fields[0].width, GROWING_WIDTH);
        // Where many tokens only move, no place is taken to grow.
        let poured = PackedLayout::new(&pour(1000)).fields;
        assert_eq!([0, 1].map(|i| poured[i].width), [MOST_WIDTH; 2]);
    }

    #[test]
    fn join_inverts_split() {
        for width in [0, 1, 7, 20, 32] {
            for low in [0, -3, Value::MIN, Value::MAX] {
                let field = Field {
                    low,
                    cell: 0,
                    shift: (32 - width) / 2,
                    width,
                };
                for value in [0, 1, -1, 5, 127, 128, 1 << 33, Value::MIN, Value::MAX] {
                    let (body, upper) = field.split(value);
                    assert_eq!(body & !field.mask(), 0);
                    let others = !field.mask() & 0x5A5A_5A5A;
                    assert_eq!(field.join(body | others, upper), value);
                    assert_eq!(field.overflows(value, low), upper != 0);
                }
            }
        }
    }
}
