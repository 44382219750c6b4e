//! From the arcs of a file to the actions of the transitions: parallel arcs are added up, and
//! capacities become conditions.
//!
//! A capacity `K` of a place is the condition of its complement place: a transition whose firing
//! leads to more than `K` tokens is not enabled. Tokens that the transition takes from the place
//! make room for those that it puts there.

use super::dialect::ArcKind;
use super::label::{alike, dangling};
use super::{PnmlId, PnmlNet, PnmlNode, tag};
use crate::xml::{Xml, XmlResult};
use lariat_model::{Action, Arc, InputError, MOST_GUARDED, Transition, Value, VarId};

pub(super) struct RawArc {
    pub source: PnmlId,
    pub target: PnmlId,
    pub weight: Value,
    pub kind: ArcKind,
    /// Start of its tag.
    pub at: usize,
}

/// An arc between a transition and a place; `out` if the transition is the source.
struct Joined {
    transition: u32,
    place: VarId,
    out: bool,
    weight: Value,
    kind: ArcKind,
    at: usize,
}

impl<'a> PnmlNet<'a> {
    /// The action of every transition.
    pub(super) fn actions(&mut self, xml: &Xml<'a>) -> XmlResult<Vec<Action>> {
        let mut joined = Vec::with_capacity(self.arcs.len());
        for arc in std::mem::take(&mut self.arcs) {
            joined.push(self.joined(xml, &arc)?);
        }
        joined.sort_by_key(|arc| (arc.transition, arc.place));
        let mut all: Vec<Transition> = Vec::with_capacity(self.transitions.len());
        all.resize_with(self.transitions.len(), Transition::default);
        for of_transition in joined.chunk_by(|a, b| a.transition == b.transition) {
            let transition = &mut all[of_transition[0].transition as usize];
            for group in of_transition.chunk_by(|a, b| a.place == b.place) {
                add_up(xml, group, transition)?;
            }
        }
        let is_guarded = |t: &Transition| !t.inhibitors.is_empty() || !t.resets.is_empty();
        if !self.capacities.is_empty() || all.iter().any(is_guarded) {
            self.check_sizes(xml, &joined)?;
        }
        for (place, capacity) in std::mem::take(&mut self.capacities) {
            for transition in &mut all {
                limit(transition, place, capacity);
            }
        }
        Ok(all.into_iter().map(Transition::into_action).collect())
    }

    fn joined(&self, xml: &Xml<'a>, arc: &RawArc) -> XmlResult<Joined> {
        let ends = (self.resolve(arc.source), self.resolve(arc.target));
        let (transition, place, out) = match ends {
            (PnmlNode::Place(place), PnmlNode::Transition(t)) => (t, place, false),
            (PnmlNode::Transition(t), PnmlNode::Place(place)) => (t, place, true),
            (source, target) => return Err(self.misplaced(xml, arc, source, target)),
        };
        if out && arc.kind != ArcKind::Normal {
            let message = "an inhibitor, read or reset arc leads from a place to a transition";
            return Err(xml.error(tag(arc.at), message));
        }
        if arc.kind == ArcKind::Inhibitor && arc.weight == 0 {
            let message = "an inhibitor arc of weight 0 never enables the transition";
            return Err(xml.error(tag(arc.at), message));
        }
        if arc.kind == ArcKind::Reset && arc.weight != 1 {
            let message = "a reset arc has no weight: it takes all tokens";
            return Err(xml.error(tag(arc.at), message));
        }
        Ok(Joined {
            transition,
            place,
            out,
            weight: arc.weight,
            kind: arc.kind,
            at: arc.at,
        })
    }

    /// Refuses numbers that conditions do not support.
    fn check_sizes(&self, xml: &Xml<'a>, arcs: &[Joined]) -> XmlResult<()> {
        const WHY: &str =
            "in a net with inhibitor arcs, reset arcs or capacities: expected at most 2^31 - 1";
        if let Some(arc) = arcs.iter().find(|arc| arc.weight > MOST_GUARDED) {
            let message = format!("the weight {} {WHY}", arc.weight);
            return Err(xml.error(tag(arc.at), message));
        }
        match self.marking.iter().position(|n| *n > MOST_GUARDED) {
            None => Ok(()),
            Some(place) => {
                let (name, tokens) = (&self.places[place].name, self.marking[place]);
                Err(xml.error(0..1, format!("`{name}` starts with {tokens} tokens {WHY}")))
            }
        }
    }

    fn misplaced(
        &self,
        xml: &Xml<'a>,
        arc: &RawArc,
        source: PnmlNode,
        target: PnmlNode,
    ) -> InputError {
        let (from, to) = (self.name(arc.source), self.name(arc.target));
        let message = match (source, target) {
            (PnmlNode::Unknown, _) => dangling("starts at", from),
            (_, PnmlNode::Unknown) => dangling("leads to", to),
            (PnmlNode::Place(_), _) => alike("places", from, to),
            _ => alike("transitions", from, to),
        };
        xml.error(tag(arc.at), message)
    }
}

/// Adds the arcs between a transition and one place.
fn add_up(xml: &Xml<'_>, group: &[Joined], transition: &mut Transition) -> XmlResult<()> {
    let (mut taken, mut made, mut read): (Value, Value, Value) = (0, 0, 0);
    let (mut inhibitor, mut is_reset) = (None::<Value>, false);
    let var = group[0].place;
    for arc in group {
        let sum = match (arc.kind, arc.out) {
            (ArcKind::Normal, true) => &mut made,
            (ArcKind::Normal, false) => &mut taken,
            (ArcKind::Read, _) => {
                read = read.max(arc.weight);
                continue;
            }
            (ArcKind::Inhibitor, _) => {
                inhibitor = Some(inhibitor.map_or(arc.weight, |known| known.min(arc.weight)));
                continue;
            }
            (ArcKind::Reset, _) => {
                is_reset = true;
                continue;
            }
        };
        *sum = sum.checked_add(arc.weight).ok_or_else(|| {
            xml.error(
                tag(arc.at),
                "the weights of the arcs between these two nodes add up to more than 2^63",
            )
        })?;
    }
    let need = taken.max(read);
    let delta = if is_reset { 0 } else { made - taken };
    if need != 0 || delta != 0 {
        transition.arcs.push(Arc { var, need, delta });
    }
    transition
        .inhibitors
        .extend(inhibitor.map(|bound| (var, bound)));
    transition.resets.extend(is_reset.then_some((var, made)));
    Ok(())
}

/// Restricts a transition to markings from which the place does not exceed its capacity.
fn limit(transition: &mut Transition, place: VarId, capacity: Value) {
    let made = { transition.resets.iter() }.find(|(var, _)| *var == place);
    let bound = match made {
        Some((_, made)) if *made > capacity => 0,
        Some(_) => return,
        None => {
            let arc = transition.arcs.iter().find(|arc| arc.var == place);
            match arc.map_or(0, |arc| arc.delta) {
                delta if delta > 0 => (capacity - delta + 1).max(0),
                _ => return,
            }
        }
    };
    let known = { transition.inhibitors.iter_mut() }.find(|(var, _)| *var == place);
    match known {
        Some((_, least)) => *least = bound.min(*least),
        None => {
            transition.inhibitors.push((place, bound));
            transition.inhibitors.sort_unstable();
        }
    }
}
