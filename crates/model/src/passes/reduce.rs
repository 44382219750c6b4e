//! Structural reductions: a smaller net that answers one property as the original does.
//!
//! Each [`Rule`] is a file of its own and opens with its condition, what it preserves, and its way back. All of them work on one
//! [`Net`], whose events remember which events of the original they stand for; so the way back from all
//! of them together is one [`ReductionLift`]. They are applied in turn until none finds anything, within counted work.
//!
//! The rules for places and equal events are kept to what a look at single rows shows; linear programming
//! would find more implicit places, and `facts` more dead events, which a caller may hand over.

use super::net::Net;
use super::reduction::ReductionLift;
use super::support::Support;
use super::{
    constant_places, dead_events, equal_events, parallel_places, post_agglomeration,
    pre_agglomeration, sink_places,
};
use crate::system::{EventId, System};
use lariat_budget::{Budget, Stop};

/// One rule, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Events that cannot fire.
    DeadEvents,
    /// Events that do the same.
    EqualEvents,
    /// Places that nothing changes.
    ConstantPlaces,
    /// Places that change as others do.
    ParallelPlaces,
    /// Places that nobody needs.
    SinkPlaces,
    /// Consumers that can follow at once.
    PostAgglomeration,
    /// Producers that can wait.
    PreAgglomeration,
}

impl Rule {
    /// Are several steps of the original one step of what is left?
    pub fn merges_steps(self) -> bool {
        matches!(self, Rule::PostAgglomeration | Rule::PreAgglomeration)
    }

    /// All of them, in the order in which they are applied.
    pub const ALL: [Rule; 7] = [
        Rule::DeadEvents,
        Rule::EqualEvents,
        Rule::ConstantPlaces,
        Rule::ParallelPlaces,
        Rule::SinkPlaces,
        Rule::PostAgglomeration,
        Rule::PreAgglomeration,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Rule::DeadEvents => "dead-events",
            Rule::EqualEvents => "equal-events",
            Rule::ConstantPlaces => "constant-places",
            Rule::ParallelPlaces => "parallel-places",
            Rule::SinkPlaces => "sink-places",
            Rule::PostAgglomeration => "post-agglomeration",
            Rule::PreAgglomeration => "pre-agglomeration",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Rule::DeadEvents => "leaves out transitions that cannot fire",
            Rule::EqualEvents => "keeps one of several transitions that do the same",
            Rule::ConstantPlaces => "leaves out places that never change",
            Rule::ParallelPlaces => "leaves out places that change as others do",
            Rule::SinkPlaces => "leaves out places that nobody needs",
            Rule::PostAgglomeration => "joins transitions with unseen ones that can follow at once",
            Rule::PreAgglomeration => "joins transitions with unseen ones that can wait for them",
        }
    }

    fn apply(self, net: &mut Net<'_>, proved_dead: &[EventId], most: usize) -> Result<(), Stop> {
        let joins = net.support.allows_agglomeration();
        match self {
            Rule::DeadEvents => dead_events::apply(net, proved_dead),
            Rule::EqualEvents => equal_events::apply(net),
            Rule::ConstantPlaces => constant_places::apply(net),
            Rule::ParallelPlaces => parallel_places::apply(net),
            Rule::SinkPlaces => sink_places::apply(net),
            Rule::PostAgglomeration if joins => post_agglomeration::apply(net, most),
            Rule::PreAgglomeration if joins => pre_agglomeration::apply(net, most),
            Rule::PostAgglomeration | Rule::PreAgglomeration => Ok(()),
        }
    }
}

/// Some of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules(u8);

impl Rules {
    /// None of them.
    pub const NONE: Rules = Rules(0);

    /// All of them.
    pub fn all() -> Rules {
        Rules::only(&Rule::ALL)
    }

    /// These and no others.
    pub fn only(rules: &[Rule]) -> Rules {
        Rules(rules.iter().fold(0, |bits, rule| bits | 1 << *rule as u8))
    }

    /// All but these.
    pub fn without(rules: &[Rule]) -> Rules {
        Rules(Rules::all().0 & !Rules::only(rules).0)
    }

    /// Is the rule among them?
    pub fn has(self, rule: Rule) -> bool {
        self.0 >> rule as u8 & 1 == 1
    }
}

/// What a rule did to a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Removed {
    /// The rule.
    pub rule: Rule,
    /// How many places less there are.
    pub places: usize,
    /// How many events less there are; agglomerations may leave more.
    pub events: i64,
}

/// A net after reductions.
#[derive(Debug)]
pub struct Reduction<'s> {
    /// The smaller net.
    pub system: System,
    /// The way back.
    pub lift: ReductionLift<'s>,
    /// What the rules did, in the order of [`Rule::ALL`]; only those that did something.
    pub removed: Vec<Removed>,
}

/// Reduces `system` for properties with this support; `None` if it is no net or there is nothing to reduce.
///
/// `proved_dead`, sorted, are events that the caller knows to be dead. Where the work of `budget` ends, what was done until then counts.
pub fn reduce<'s>(
    system: &'s System,
    support: &Support,
    rules: Rules,
    proved_dead: &[EventId],
    budget: &Budget,
) -> Option<Reduction<'s>> {
    let mut net = Net::new(system, support, budget)?;
    let (places, events) = net.size();
    let rules: Vec<Rule> = (Rule::ALL.into_iter())
        .filter(|rule| rules.has(*rule))
        .collect();
    let mut removed: Vec<Removed> = (rules.iter())
        .map(|rule| Removed {
            rule: *rule,
            places: 0,
            events: 0,
        })
        .collect();
    let mut changed = true;
    let mut stopped = false;
    let mut ever_changed = false;
    while changed && !stopped {
        changed = false;
        for (rule, removed) in rules.iter().zip(&mut removed) {
            let before = net.size();
            stopped = rule.apply(&mut net, proved_dead, events).is_err();
            let after = net.size();
            removed.places += before.0 - after.0;
            removed.events += before.1 as i64 - after.1 as i64;
            changed |= before != after;
            if stopped {
                break;
            }
        }
        ever_changed |= changed;
    }
    if !ever_changed {
        return None;
    }
    debug_assert!(net.size().0 <= places && net.size().1 <= events);
    removed.retain(|removed| removed.places != 0 || removed.events != 0);
    let pending = std::mem::take(&mut net.pending);
    let (reduced, places, paths) = net.into_system();
    Some(Reduction {
        system: reduced,
        lift: ReductionLift {
            original: system,
            places,
            paths,
            pending,
        },
        removed,
    })
}
