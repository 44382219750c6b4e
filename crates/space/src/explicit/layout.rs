//! How a state is packed: every variable in as few bits as its values have needed so far.
//!
//! A field holds `value − low` and never straddles two words, so that a transition can add its
//! deltas to the packed form: no carry leaves a field whose new value fits. A variable that no
//! event writes takes no bits at all. Widths start from the initial state or a bound known from the
//! structure; a value that does not fit asks for a wider layout.

use lariat_model::{Domain, System, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub low: Value,
    pub word: u32,
    pub shift: u8,
    pub width: u8,
}

impl Field {
    fn mask(self) -> u64 {
        if self.width == 0 {
            0
        } else {
            u64::MAX >> (64 - self.width)
        }
    }

    /// Can the field hold `value`?
    #[inline]
    pub fn fits(self, value: Value) -> bool {
        value >= self.low && value.wrapping_sub(self.low) as u64 <= self.mask()
    }

    /// Puts in a value that fits.
    #[inline]
    pub fn set(self, words: &mut [u64], value: Value) {
        // A field of width 0 holds one value, and may stand behind the last word.
        if self.width > 0 {
            let word = &mut words[self.word as usize];
            let raw = value.wrapping_sub(self.low) as u64;
            *word = *word & !(self.mask() << self.shift) | raw << self.shift;
        }
    }

    #[inline]
    fn get(self, words: &[u64]) -> Value {
        let raw = words[self.word as usize] >> self.shift & self.mask();
        self.low.wrapping_add(raw as Value)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub fields: Vec<Field>,
    bits: usize,
}

fn width_of(size: u64) -> u8 {
    (64 - size.leading_zeros()) as u8
}

impl Layout {
    pub fn new(system: &System) -> Layout {
        let mut written = vec![false; system.variables.len()];
        for event in &system.events {
            for var in event.action.writes() {
                written[var.index()] = true;
            }
        }
        if let Some(fault) = system.fault {
            written[fault.index()] = true;
        }
        let fields = system.variables.iter().enumerate().map(|(i, variable)| {
            let initial = || system.initial.iter().map(|state| state[i]);
            let (least, most) = (initial().min().unwrap_or(0), initial().max().unwrap_or(0));
            let (low, size) = match &variable.domain {
                _ if !written[i] => (least, most.wrapping_sub(least) as u64),
                Domain::Count { bound } => (0, bound.unwrap_or(1).max(most.max(1) as u64)),
                Domain::Range { low, high } => (*low, high.wrapping_sub(*low) as u64),
                Domain::Names(names) => (0, names.len().saturating_sub(1) as u64),
            };
            (low, width_of(size))
        });
        Layout::place(fields)
    }

    fn place(sizes: impl Iterator<Item = (Value, u8)>) -> Layout {
        let (mut word, mut shift) = (0u32, 0u32);
        let fields = sizes
            .map(|(low, width)| {
                if shift + u32::from(width) > 64 {
                    word += 1;
                    shift = 0;
                }
                // A field without bits stands anywhere, so not behind a full last word.
                let at = if width == 0 {
                    (0, 0)
                } else {
                    (word, shift as u8)
                };
                shift += u32::from(width);
                Field {
                    low,
                    word: at.0,
                    shift: at.1,
                    width,
                }
            })
            .collect();
        let bits = word as usize * 64 + shift as usize;
        Layout { fields, bits }
    }

    /// Bits in use.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Bytes of a packed state; at least one.
    pub fn bytes(&self) -> usize {
        self.bits.div_ceil(8).max(1)
    }

    pub fn pack(&self, values: &[Value], words: &mut Vec<u64>) {
        words.clear();
        words.resize(self.bytes().div_ceil(8), 0);
        for (field, value) in self.fields.iter().zip(values) {
            let raw = value.wrapping_sub(field.low) as u64;
            words[field.word as usize] |= raw << field.shift;
        }
    }

    pub fn unpack(&self, words: &[u64], values: &mut Vec<Value>) {
        values.clear();
        values.extend(self.fields.iter().map(|field| field.get(words)));
    }

    /// A layout in which `values` fit, if they do not fit this one.
    pub fn widened(&self, values: &[Value]) -> Option<Layout> {
        if self.fields.iter().zip(values).all(|(f, v)| f.fits(*v)) {
            return None;
        }
        Some(Layout::place(self.fields.iter().zip(values).map(
            |(field, value)| {
                if field.fits(*value) {
                    return (field.low, field.width);
                }
                let low = field.low.min(*value);
                let high = field
                    .low
                    .saturating_add(field.mask().min(Value::MAX as u64) as Value);
                let size = high.max(*value).wrapping_sub(low) as u64;
                (low, width_of(size))
            },
        )))
    }
}
