//! Structural reductions: a smaller net that answers one property as the original does.
//!
//! Each [`Rule`] is a file of its own and opens with its condition, what it preserves, and its way back. All of them work on one
//! [`Net`], whose events remember which events of the original they stand for; so the way back from all
//! of them together is one [`ReductionLift`]. They are applied in turn until none finds anything, within counted work.
//!
//! Most rules are kept to what a look at single rows shows. Where they find nothing any more, somebody who can do more is asked for
//! [`Advice`]: crate `structural`, which knows linear programming and comes after this one. It is not asked for dead events, which takes a
//! linear program an event: within limited work two of 71 contest nets had any that the rule does not see, two events and seven.

use super::implicit_places::Told;
use super::net::Net;
use super::reduction::ReductionLift;
use super::support::Support;
use super::{
    constant_places, dead_events, equal_events, equal_future, implicit_places, parallel_places,
    post_agglomeration, pre_agglomeration, prefix_of_interest, sink_places, token_rings,
};
use lariat_budget::{Budget, Stop};
use lariat_model::{System, VarId};

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
    /// Places of which others tell that there is enough in them.
    ImplicitPlaces,
    /// Places whose tokens can do the same.
    EqualFuture,
    /// What comes after everything that matters.
    PrefixOfInterest,
    /// Places among which tokens go round unseen.
    TokenRings,
    /// Consumers that can follow at once.
    PostAgglomeration,
    /// Producers that can wait.
    PreAgglomeration,
}

impl Rule {
    /// Are several steps of the original one step of what is left, or none?
    pub fn merges_steps(self) -> bool {
        match self {
            Rule::DeadEvents
            | Rule::EqualEvents
            | Rule::ConstantPlaces
            | Rule::ParallelPlaces
            | Rule::SinkPlaces
            | Rule::ImplicitPlaces
            | Rule::EqualFuture => false,
            Rule::PrefixOfInterest
            | Rule::TokenRings
            | Rule::PostAgglomeration
            | Rule::PreAgglomeration => true,
        }
    }

    /// All of them, in the order in which they are applied.
    pub const ALL: [Rule; 11] = [
        Rule::DeadEvents,
        Rule::EqualEvents,
        Rule::ConstantPlaces,
        Rule::ParallelPlaces,
        Rule::SinkPlaces,
        Rule::ImplicitPlaces,
        Rule::EqualFuture,
        Rule::PrefixOfInterest,
        Rule::TokenRings,
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
            Rule::ImplicitPlaces => "implicit-places",
            Rule::EqualFuture => "equal-future",
            Rule::PrefixOfInterest => "prefix-of-interest",
            Rule::TokenRings => "token-rings",
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
            Rule::ImplicitPlaces => {
                "leaves out places in which there is enough whenever others have enough"
            }
            Rule::EqualFuture => "makes one of several places whose tokens can do the same",
            Rule::PrefixOfInterest => {
                "leaves out what comes after all that is looked at and ends by itself"
            }
            Rule::TokenRings => "makes one of several places among which tokens go round unseen",
            Rule::PostAgglomeration => "joins transitions with unseen ones that can follow at once",
            Rule::PreAgglomeration => "joins transitions with unseen ones that can wait for them",
        }
    }

    fn apply(self, net: &mut Net<'_>, told: &[Told], most: usize) -> Result<(), Stop> {
        let joins = net.support.allows_agglomeration();
        match self {
            Rule::DeadEvents => dead_events::apply(net),
            Rule::EqualEvents => equal_events::apply(net),
            Rule::ConstantPlaces => constant_places::apply(net),
            Rule::ParallelPlaces => parallel_places::apply(net),
            Rule::SinkPlaces => sink_places::apply(net),
            Rule::ImplicitPlaces => implicit_places::apply(net, told),
            Rule::EqualFuture => equal_future::apply(net),
            Rule::TokenRings if net.support.allows_silence() => token_rings::apply(net),
            Rule::PrefixOfInterest if joins => prefix_of_interest::apply(net),
            Rule::PostAgglomeration if joins => post_agglomeration::apply(net, most),
            Rule::PreAgglomeration if joins => pre_agglomeration::apply(net, most),
            Rule::TokenRings
            | Rule::PrefixOfInterest
            | Rule::PostAgglomeration
            | Rule::PreAgglomeration => Ok(()),
        }
    }
}

/// Some of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules(u16);

impl Rules {
    /// None of them.
    pub const NONE: Rules = Rules(0);

    /// All of them.
    pub fn all() -> Rules {
        Rules::only(&Rule::ALL)
    }

    /// Those that `auto` makes: all but implicit places. To ask for advice takes 20 to 150 ms of nets of the contest on which nothing comes of it; it finds places on
    /// 18 of 71, and has not decided a formula yet that is not decided without.
    pub fn usual() -> Rules {
        Rules::all().but(&[Rule::ImplicitPlaces])
    }

    /// These and no others.
    pub fn only(rules: &[Rule]) -> Rules {
        Rules(rules.iter().fold(0, |bits, rule| bits | 1 << *rule as u16))
    }

    /// All of them but some.
    pub fn but(self, rules: &[Rule]) -> Rules {
        Rules(self.0 & !Rules::only(rules).0)
    }

    /// Is the rule among them?
    pub fn has(self, rule: Rule) -> bool {
        self.0 >> rule as u16 & 1 == 1
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

/// Somebody with other means than the rules: of which of these places of a net do others tell that there is always enough in them?
///
/// They go in the order in which they are named, so that whoever is told of tells nothing later. All is checked.
pub type Advice<'a> = dyn FnMut(&System, &[VarId]) -> Vec<Told> + 'a;

/// Nobody.
pub fn no_advice(_: &System, _: &[VarId]) -> Vec<Told> {
    Vec::new()
}

/// Advice about the net as it is now, in terms of the original.
fn advised(net: &Net<'_>, rules: Rules, advice: &mut Advice<'_>) -> Vec<Told> {
    if !rules.has(Rule::ImplicitPlaces) {
        return Vec::new();
    }
    let now = net.current();
    let free = net.free_places().into_iter();
    let free: Vec<VarId> = free.filter_map(|place| now.places[place.index()]).collect();
    let old = |place: VarId| now.there.get(place.index()).copied();
    let translated = |told: Told| {
        let by = told.by.iter();
        Some(Told {
            place: old(told.place)?,
            scale: told.scale,
            by: by
                .map(|(q, weight)| Some((old(*q)?, *weight)))
                .collect::<Option<_>>()?,
        })
    };
    let told = advice(&now.system, &free).into_iter();
    told.filter_map(translated).collect()
}

/// How often advice is asked for: each time it has led to something, other rules may have made something new of the net.
const MOST_ASKED: usize = 4;

/// Reduces `system` for properties with this support; `None` if it is no net or there is nothing to reduce.
///
/// Where the work of `budget` ends, what was done until then counts.
pub fn reduce<'s>(
    system: &'s System,
    support: &Support,
    rules: Rules,
    advice: &mut Advice<'_>,
    budget: &Budget,
) -> Option<Reduction<'s>> {
    let mut net = Net::new(system, support, budget)?;
    let (places, events) = net.size();
    let chosen = Rule::ALL.into_iter().filter(|rule| rules.has(*rule));
    let mut removed: Vec<Removed> = chosen
        .map(|rule| Removed {
            rule,
            places: 0,
            events: 0,
        })
        .collect();
    let mut told = Vec::new();
    for asked in 0..=MOST_ASKED {
        let before = net.size();
        let stopped = until_nothing_is_left(&mut net, &told, events, &mut removed).is_err();
        let helped = asked == 0 || net.size() != before;
        if stopped || !helped || asked == MOST_ASKED {
            break;
        }
        told = advised(&net, rules, advice);
        if told.is_empty() {
            break;
        }
    }
    debug_assert!(net.size().0 <= places && net.size().1 <= events);
    removed.retain(|removed| removed.places != 0 || removed.events != 0);
    if removed.is_empty() {
        return None;
    }
    let now = net.current();
    Some(Reduction {
        system: now.system,
        lift: net.into_lift(system, now.places),
        removed,
    })
}

/// Applies the rules in turn until none finds anything. An error says that the work has ended before.
fn until_nothing_is_left(
    net: &mut Net<'_>,
    told: &[Told],
    most: usize,
    removed: &mut [Removed],
) -> Result<(), Stop> {
    loop {
        let first = net.size();
        for removed in &mut *removed {
            let before = net.size();
            let ended = removed.rule.apply(net, told, most);
            let after = net.size();
            removed.places += before.0 - after.0;
            removed.events += before.1 as i64 - after.1 as i64;
            ended?;
        }
        if net.size() == first {
            return Ok(());
        }
    }
}
