//! Observed predicates: each is evaluated again only when a variable that it reads has changed.
//!
//! Atoms about coloured nets read whole coloured places, thousands of variables and transitions.
//! Long sums, and the number of enabled transitions of a long list, are *tallies*: numbers that are
//! updated with the focus, so that they cost no more than short ones.
//!
//! ```text
//! Σ cᵢ·xᵢ      +=  cᵢ·(new − old)   for each variable that has changed
//! |{t enabled}| ±=  1                for each transition that was enabled or disabled
//! ```

use super::enabled::EnabledSet;
use super::net::CompiledNet;
use lariat_model::{Comparison, EventId, Linear, Predicate, System, Value};

/// Maximal length of sums and lists that are evaluated; longer ones are tallies. Evaluating a sum
/// of this length takes about as long as updating a tally.
const SHORT: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Observed<'s> {
    pub predicates: Vec<(u64, CompiledPredicate<'s>)>,
    /// For each variable, the predicates that read it. Empty if nothing is observed.
    readers: Vec<u64>,
    /// Predicates about events: any step may change them.
    pub volatile: u64,
    tallies: usize,
    /// For each variable, its tallies and coefficients.
    sums: Members,
    /// For each transition, its tallies and coefficients.
    counts: Members,
}

/// A predicate in the form in which it is evaluated.
#[derive(Debug)]
pub(super) enum CompiledPredicate<'s> {
    Whole(&'s Predicate),
    /// A tally compared with a constant.
    Tally(usize, Comparison, Value),
    Not(Box<CompiledPredicate<'s>>),
    And(Vec<CompiledPredicate<'s>>),
    Or(Vec<CompiledPredicate<'s>>),
}

/// The tallies of each member, with coefficients.
#[derive(Debug, Default)]
struct Members {
    ends: Vec<u32>,
    members: Vec<(u32, Value)>,
}

impl Members {
    /// Builds the lists from triples of member, tally and coefficient.
    fn new(mut all: Vec<(u32, u32, Value)>) -> Members {
        all.sort_unstable_by_key(|(member, ..)| *member);
        let mut ends = Vec::new();
        for (i, (member, ..)) in all.iter().enumerate() {
            ends.resize(*member as usize, i as u32);
            ends.push(i as u32 + 1);
        }
        let members = all.into_iter().map(|(_, tally, c)| (tally, c)).collect();
        Members { ends, members }
    }

    #[inline]
    fn tallies_of(&self, member: u32) -> &[(u32, Value)] {
        let Some(end) = self.ends.get(member as usize) else {
            return &[];
        };
        let before = (member as usize).checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        &self.members[start as usize..*end as usize]
    }
}

/// Values of the tallies in the state in focus.
pub(super) type Tallies = Vec<i128>;

/// Compilation of predicates: the tallies that they need.
struct Compiler<'a> {
    /// Present if lists of transitions are to be tallies.
    net: Option<&'a CompiledNet>,
    tallies: usize,
    sums: Vec<(u32, u32, Value)>,
    counts: Vec<(u32, u32, Value)>,
}

impl Compiler<'_> {
    fn compile<'s>(&mut self, predicate: &'s Predicate) -> CompiledPredicate<'s> {
        match predicate {
            Predicate::Linear(linear) if linear.terms.len() > SHORT => self.sum(linear),
            Predicate::Enabled(events) if events.len() > SHORT => self
                .list(events)
                .unwrap_or(CompiledPredicate::Whole(predicate)),
            Predicate::Not(p) => CompiledPredicate::Not(Box::new(self.compile(p))),
            Predicate::And(ps) => {
                CompiledPredicate::And(ps.iter().map(|p| self.compile(p)).collect())
            }
            Predicate::Or(ps) => {
                CompiledPredicate::Or(ps.iter().map(|p| self.compile(p)).collect())
            }
            _ => CompiledPredicate::Whole(predicate),
        }
    }

    fn tally(&mut self) -> u32 {
        self.tallies += 1;
        self.tallies as u32 - 1
    }

    fn sum<'s>(&mut self, linear: &Linear) -> CompiledPredicate<'s> {
        let tally = self.tally();
        let terms = linear.terms.iter();
        self.sums.extend(terms.map(|(var, c)| (var.0, tally, *c)));
        CompiledPredicate::Tally(tally as usize, linear.comparison, linear.constant)
    }

    /// Compiles the test that one of many transitions is enabled. `None` if other events are
    /// listed.
    fn list<'s>(&mut self, events: &[EventId]) -> Option<CompiledPredicate<'s>> {
        let net = self.net?;
        let mut numbers: Vec<u32> = events
            .iter()
            .map(|event| net.number(*event))
            .collect::<Option<_>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        let tally = self.tally();
        self.counts
            .extend(numbers.into_iter().map(|t| (t, tally, 1)));
        Some(CompiledPredicate::Tally(tally as usize, Comparison::Ge, 1))
    }
}

impl<'s> Observed<'s> {
    /// Compiles the predicates; `net` is present if the focus maintains its enabled transitions.
    pub fn new(
        system: &System,
        net: Option<&CompiledNet>,
        predicates: Vec<(u64, &'s Predicate)>,
    ) -> Observed<'s> {
        let mut readers = vec![0; system.variables.len()];
        let mut volatile = 0;
        let mut vars = Vec::new();
        for (bit, predicate) in &predicates {
            vars.clear();
            predicate.collect_vars(&mut vars);
            vars.iter().for_each(|var| readers[var.index()] |= bit);
            if predicate.reads_events() {
                volatile |= bit;
            }
        }
        let mut compiler = Compiler {
            // No transition is enabled after a fault.
            net: net.filter(|_| system.fault.is_none()),
            tallies: 0,
            sums: Vec::new(),
            counts: Vec::new(),
        };
        let form = |(bit, predicate)| (bit, compiler.compile(predicate));
        let predicates = predicates.into_iter().map(form).collect();
        Observed {
            predicates,
            readers,
            volatile,
            tallies: compiler.tallies,
            sums: Members::new(compiler.sums),
            counts: Members::new(compiler.counts),
        }
    }

    #[inline]
    pub fn readers(&self, var: u32) -> u64 {
        self.readers.get(var as usize).copied().unwrap_or(0)
    }

    pub fn tallies(&self, values: &[Value], enabled: Option<&EnabledSet>) -> Tallies {
        let mut tallies = vec![0; self.tallies];
        for (var, value) in (0..).zip(values) {
            self.change(&mut tallies, var, 0, *value);
        }
        let mut from = 0;
        while let Some(t) = enabled.and_then(|enabled| enabled.find(from)) {
            self.flip(&mut tallies, t, true);
            from = t + 1;
        }
        tallies
    }

    /// Updates the tallies after a variable changed.
    #[inline]
    pub fn change(&self, tallies: &mut Tallies, var: u32, old: Value, new: Value) {
        for (tally, c) in self.sums.tallies_of(var) {
            let more = i128::from(new) - i128::from(old);
            tallies[*tally as usize] += i128::from(*c) * more;
        }
    }

    /// Updates the tallies after a transition became enabled or disabled.
    #[inline]
    pub fn flip(&self, tallies: &mut Tallies, transition: u32, is_enabled: bool) {
        for (tally, c) in self.counts.tallies_of(transition) {
            let c = i128::from(*c);
            tallies[*tally as usize] += if is_enabled { c } else { -c };
        }
    }
}
