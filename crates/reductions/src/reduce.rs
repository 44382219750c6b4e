//! Structural reductions: a smaller net that satisfies one property iff the original does.
//!
//! Each [`Rule`] has a file, which opens with its condition, what it preserves, and how runs are
//! lifted. All rules modify one [`ReducibleNet`], whose events record the events of the original
//! that they represent; so one [`ReductionLift`] lifts runs through all of them. Rules are applied
//! in turn until none applies, within counted work.
//!
//! Most rules inspect single rows of the incidence matrix. When they no longer apply,
//! [`ImplicitPlaceAdvice`] of the caller is requested: the crate `structural` computes it by linear
//! programming. It is not requested for dead events, which would cost one linear program per event.

use super::implicit_places::ImplicitPlace;
use super::net::ReducibleNet;
use super::reduction::ReductionLift;
use super::support::Support;
use super::{
    constant_places, dead_events, equal_events, equal_future, implicit_places, parallel_places,
    post_agglomeration, pre_agglomeration, prefix_of_interest, sink_places, token_rings,
};
use lariat_budget::{Budget, Stop};
use lariat_model::{System, VarId};

/// A reduction rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Events that cannot fire.
    DeadEvents,
    /// Events with equal effect.
    EqualEvents,
    /// Places that no event changes.
    ConstantPlaces,
    /// Places that every event changes like another place.
    ParallelPlaces,
    /// Places without output arcs.
    SinkPlaces,
    /// Places that are sufficiently marked whenever certain others are.
    ImplicitPlaces,
    /// Places whose tokens enable the same future.
    EqualFuture,
    /// Events behind the part of the net that the property observes.
    PrefixOfInterest,
    /// Places among which tokens circulate invisibly.
    TokenRings,
    /// Invisible consumers fused with their producers.
    PostAgglomeration,
    /// Invisible producers fused with their consumers.
    PreAgglomeration,
}

impl Rule {
    /// Returns whether the rule may map several steps of the original to one step, or to none.
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

    /// All rules in the order of application.
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

    /// The name of the rule on the command line.
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

    /// A one-line description of the rule.
    pub fn about(self) -> &'static str {
        match self {
            Rule::DeadEvents => "removes transitions that cannot fire",
            Rule::EqualEvents => "keeps one of several transitions with the same effect",
            Rule::ConstantPlaces => "removes places that never change",
            Rule::ParallelPlaces => "removes places that change exactly as another does",
            Rule::SinkPlaces => "removes places without output arcs",
            Rule::ImplicitPlaces => {
                "removes places that are sufficiently marked whenever certain others are"
            }
            Rule::EqualFuture => "fuses places whose tokens enable the same behaviour",
            Rule::PrefixOfInterest => {
                "removes the acyclic part behind everything that the property observes"
            }
            Rule::TokenRings => "fuses places among which tokens circulate invisibly",
            Rule::PostAgglomeration => {
                "fuses transitions with invisible ones that can follow at once"
            }
            Rule::PreAgglomeration => "fuses transitions with invisible ones that can be delayed",
        }
    }

    fn apply(
        self,
        net: &mut ReducibleNet<'_>,
        claims: &[ImplicitPlace],
        most: usize,
    ) -> Result<(), Stop> {
        let may_fuse = net.support.allows_agglomeration();
        match self {
            Rule::DeadEvents => dead_events::apply(net),
            Rule::EqualEvents => equal_events::apply(net),
            Rule::ConstantPlaces => constant_places::apply(net),
            Rule::ParallelPlaces => parallel_places::apply(net),
            Rule::SinkPlaces => sink_places::apply(net),
            Rule::ImplicitPlaces => implicit_places::apply(net, claims),
            Rule::EqualFuture => equal_future::apply(net),
            Rule::TokenRings if net.support.allows_silence() => token_rings::apply(net),
            Rule::PrefixOfInterest if may_fuse => prefix_of_interest::apply(net),
            Rule::PostAgglomeration if may_fuse => post_agglomeration::apply(net, most),
            Rule::PreAgglomeration if may_fuse => pre_agglomeration::apply(net, most),
            Rule::TokenRings
            | Rule::PrefixOfInterest
            | Rule::PostAgglomeration
            | Rule::PreAgglomeration => Ok(()),
        }
    }
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules(u16);

impl Rules {
    /// The empty set.
    pub const NONE: Rules = Rules(0);

    /// All rules.
    pub fn all() -> Rules {
        Rules::only(&Rule::ALL)
    }

    /// The rules that `auto` applies: all but implicit places, whose linear programs cost more than
    /// their removal has saved.
    pub fn usual() -> Rules {
        Rules::all().but(&[Rule::ImplicitPlaces])
    }

    /// Exactly these rules.
    pub fn only(rules: &[Rule]) -> Rules {
        Rules(rules.iter().fold(0, |bits, rule| bits | 1 << *rule as u16))
    }

    /// This set without `rules`.
    pub fn but(self, rules: &[Rule]) -> Rules {
        Rules(self.0 & !Rules::only(rules).0)
    }

    /// Returns whether the set contains the rule.
    pub fn has(self, rule: Rule) -> bool {
        self.0 >> rule as u16 & 1 == 1
    }
}

/// The effect of a rule on a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Removed {
    /// The rule.
    pub rule: Rule,
    /// Number of places removed.
    pub places: usize,
    /// Number of events removed; negative if agglomerations added more than they removed.
    pub events: i64,
}

/// A net after reductions.
#[derive(Debug)]
pub struct Reduction<'s> {
    /// The smaller net.
    pub system: System,
    /// Its lift.
    pub lift: ReductionLift<'s>,
    /// Effects of the rules in the order of [`Rule::ALL`]; rules without effect are omitted.
    pub removed: Vec<Removed>,
}

/// Finds which of the given places of a net are implicit, with the weights that prove it.
///
/// Places are removed in the order returned; a removed place supports no later one. Every claim is
/// checked.
pub type ImplicitPlaceAdvice<'a> = dyn FnMut(&System, &[VarId]) -> Vec<ImplicitPlace> + 'a;

/// The advice that finds no implicit place.
pub fn no_advice(_: &System, _: &[VarId]) -> Vec<ImplicitPlace> {
    Vec::new()
}

/// Requests advice about the current net and translates it to ids of the original.
fn advised(
    net: &ReducibleNet<'_>,
    rules: Rules,
    advice: &mut ImplicitPlaceAdvice<'_>,
) -> Vec<ImplicitPlace> {
    if !rules.has(Rule::ImplicitPlaces) {
        return Vec::new();
    }
    let now = net.current();
    let free = net.free_places().into_iter();
    let free: Vec<VarId> = free.filter_map(|place| now.places[place.index()]).collect();
    let old = |place: VarId| now.there.get(place.index()).copied();
    let translated = |claim: ImplicitPlace| {
        let by = claim.by.iter();
        Some(ImplicitPlace {
            place: old(claim.place)?,
            scale: claim.scale,
            by: by
                .map(|(q, weight)| Some((old(*q)?, *weight)))
                .collect::<Option<_>>()?,
        })
    };
    let claims = advice(&now.system, &free).into_iter();
    claims.filter_map(translated).collect()
}

/// Limit on the requests for advice; after each successful one other rules may apply again.
const MOST_REQUESTS: usize = 4;

/// Reduces `system` for properties with this support; `None` if it is no net or no rule applies.
///
/// If the work of `budget` is exhausted, the reductions made so far are kept.
pub fn reduce<'s>(
    system: &'s System,
    support: &Support,
    rules: Rules,
    advice: &mut ImplicitPlaceAdvice<'_>,
    budget: &Budget,
) -> Option<Reduction<'s>> {
    let mut net = ReducibleNet::new(system, support, budget)?;
    let (places, events) = net.size();
    let chosen = Rule::ALL.into_iter().filter(|rule| rules.has(*rule));
    let mut removed: Vec<Removed> = chosen
        .map(|rule| Removed {
            rule,
            places: 0,
            events: 0,
        })
        .collect();
    let mut claims = Vec::new();
    for request in 0..=MOST_REQUESTS {
        let before = net.size();
        let stopped = apply_exhaustively(&mut net, &claims, events, &mut removed).is_err();
        let helped = request == 0 || net.size() != before;
        if stopped || !helped || request == MOST_REQUESTS {
            break;
        }
        claims = advised(&net, rules, advice);
        if claims.is_empty() {
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

/// Applies the rules in turn until none applies; an error reports that the work was exhausted
/// first.
fn apply_exhaustively(
    net: &mut ReducibleNet<'_>,
    claims: &[ImplicitPlace],
    most: usize,
    removed: &mut [Removed],
) -> Result<(), Stop> {
    loop {
        let first = net.size();
        for removed in &mut *removed {
            let before = net.size();
            let ended = removed.rule.apply(net, claims, most);
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
