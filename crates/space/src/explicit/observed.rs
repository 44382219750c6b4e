//! Predicates whose truth the engines ask for in every state: each is evaluated again only when a variable that
//! it reads has changed.
//!
//! Atoms about coloured nets speak of whole places, so of thousands of variables and transitions at once. Long sums, and how many of a long list of
//! transitions are enabled, are *tallies*: numbers that follow the focus by what has changed, so that they cost no more than short ones.
//!
//! ```text
//! Σ cᵢ·xᵢ  +=  cᵢ·(new − old)   for each variable that has changed        |{t enabled}|  ±=  1   for each transition that has flipped
//! ```

use super::enabled::Enabled;
use super::net::Net;
use lariat_model::{Comparison, EventId, Linear, Predicate, System, Value};

/// Sums and lists of more members than this are tallies: shorter ones are evaluated in about the time that a tally takes to follow.
const SHORT: usize = 16;

/// Some predicates, each with its bit.
#[derive(Debug, Default)]
pub(super) struct Observed<'s> {
    pub predicates: Vec<(u64, Form<'s>)>,
    /// For each variable, the predicates that read it. Empty if nothing is observed.
    readers: Vec<u64>,
    /// Those that speak of events: any step may change them.
    pub volatile: u64,
    tallies: usize,
    /// For each variable the tallies that it counts in, with its coefficients.
    sums: Members,
    /// The same for each transition.
    counts: Members,
}

/// A predicate in the form in which it is evaluated.
#[derive(Debug)]
pub(super) enum Form<'s> {
    /// As it is.
    Whole(&'s Predicate),
    /// A tally and what it is compared with.
    Tally(usize, Comparison, Value),
    Not(Box<Form<'s>>),
    And(Vec<Form<'s>>),
    Or(Vec<Form<'s>>),
}

/// Tallies by who counts in them: each with a coefficient.
#[derive(Debug, Default)]
struct Members {
    ends: Vec<u32>,
    members: Vec<(u32, Value)>,
}

impl Members {
    /// From triples of member, tally and coefficient.
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
    fn of(&self, member: u32) -> &[(u32, Value)] {
        let Some(end) = self.ends.get(member as usize) else {
            return &[];
        };
        let before = (member as usize).checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        &self.members[start as usize..*end as usize]
    }
}

/// What tallies come to in the state in focus.
pub(super) type Tallies = Vec<i128>;

/// What a compilation has found.
struct Compiler<'a> {
    /// If lists of transitions are to be tallies.
    net: Option<&'a Net>,
    tallies: usize,
    sums: Vec<(u32, u32, Value)>,
    counts: Vec<(u32, u32, Value)>,
}

impl Compiler<'_> {
    fn compile<'s>(&mut self, predicate: &'s Predicate) -> Form<'s> {
        match predicate {
            Predicate::Linear(linear) if linear.terms.len() > SHORT => self.sum(linear),
            Predicate::Enabled(events) if events.len() > SHORT => {
                self.list(events).unwrap_or(Form::Whole(predicate))
            }
            Predicate::Not(p) => Form::Not(Box::new(self.compile(p))),
            Predicate::And(ps) => Form::And(ps.iter().map(|p| self.compile(p)).collect()),
            Predicate::Or(ps) => Form::Or(ps.iter().map(|p| self.compile(p)).collect()),
            _ => Form::Whole(predicate),
        }
    }

    fn tally(&mut self) -> u32 {
        self.tallies += 1;
        self.tallies as u32 - 1
    }

    fn sum<'s>(&mut self, linear: &Linear) -> Form<'s> {
        let tally = self.tally();
        let terms = linear.terms.iter();
        self.sums.extend(terms.map(|(var, c)| (var.0, tally, *c)));
        Form::Tally(tally as usize, linear.comparison, linear.constant)
    }

    /// Is one of many transitions enabled? `None` if there are other events among them.
    fn list<'s>(&mut self, events: &[EventId]) -> Option<Form<'s>> {
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
        Some(Form::Tally(tally as usize, Comparison::Ge, 1))
    }
}

impl<'s> Observed<'s> {
    /// `net` is given where the focus keeps its enabled transitions.
    pub fn new(
        system: &System,
        net: Option<&Net>,
        predicates: Vec<(u64, &'s Predicate)>,
    ) -> Observed<'s> {
        let mut readers = vec![0; system.variables.len()];
        let mut volatile = 0;
        let mut vars = Vec::new();
        for (bit, predicate) in &predicates {
            vars.clear();
            predicate.collect_vars(&mut vars);
            vars.iter().for_each(|var| readers[var.index()] |= bit);
            if speaks_of_events(predicate) {
                volatile |= bit;
            }
        }
        let mut compiler = Compiler {
            // Nothing is enabled after a fault.
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

    /// The tallies of a state.
    pub fn tallies(&self, values: &[Value], enabled: Option<&Enabled>) -> Tallies {
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

    /// A variable has got another value.
    #[inline]
    pub fn change(&self, tallies: &mut Tallies, var: u32, old: Value, new: Value) {
        for (tally, c) in self.sums.of(var) {
            let more = i128::from(new) - i128::from(old);
            tallies[*tally as usize] += i128::from(*c) * more;
        }
    }

    /// A transition has become enabled, or is so no longer.
    #[inline]
    pub fn flip(&self, tallies: &mut Tallies, transition: u32, is_enabled: bool) {
        for (tally, c) in self.counts.of(transition) {
            let c = i128::from(*c);
            tallies[*tally as usize] += if is_enabled { c } else { -c };
        }
    }
}

fn speaks_of_events(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Enabled(_) | Predicate::Deadlock => true,
        Predicate::Const(_) | Predicate::Linear(_) | Predicate::Expr(_) => false,
        Predicate::Not(p) => speaks_of_events(p),
        Predicate::And(ps) | Predicate::Or(ps) => ps.iter().any(speaks_of_events),
    }
}
