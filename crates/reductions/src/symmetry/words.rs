//! Descriptions of groups of colour permutations.

use super::colours::Colours;
use super::group::RoleGroup;
use lariat_model::coloured::{Colour, ColouredNet, SortId, SortKind};

/// Limit on the colours listed.
const SHOWN: usize = 6;

impl Colours<'_> {
    /// One phrase per role and block: `jobs 1–5 interchangeable`, `servers rotate`.
    pub fn words(&self, net: &ColouredNet) -> Vec<String> {
        let sorts = &self.roles.sorts;
        let mut phrases = Vec::new();
        for (role, (part, sort)) in self.group.parts().iter().zip(sorts).enumerate() {
            let mut name = net.sort(*sort).name.clone();
            if sorts.iter().filter(|other| *other == sort).count() > 1 {
                // Several roles of one sort are distinguished by a place and a component of its
                // tuples.
                let places = net.places.iter().zip(&self.roles.places);
                let shown = places.filter_map(|(place, slots)| {
                    let slot = slots.iter().find(|slot| slot.role == role)?;
                    Some((place, slot.leaf.position + 1))
                });
                if let Some((place, position)) = shown.into_iter().next() {
                    let several = net.sort(place.sort).parts.len() > 1;
                    let place = &place.name;
                    name = if several {
                        format!("{name} (component {position} of {place})")
                    } else {
                        format!("{name} (in {place})")
                    };
                }
            }
            match part {
                RoleGroup::Rotations { step: 1, .. } => phrases.push(format!("{name} rotate")),
                RoleGroup::Rotations { step, .. } => {
                    phrases.push(format!("{name} rotate by {step}"))
                }
                RoleGroup::Blocks(least) => {
                    for block in part.blocks() {
                        let all = block.len() == least.len();
                        let which = listed(net, *sort, &block);
                        phrases.push(if all {
                            format!("all {} {name} interchangeable", block.len())
                        } else {
                            format!("{name} {which} interchangeable")
                        });
                    }
                }
            }
        }
        phrases
    }
}

/// Lists colours of a sort, with neighbours as ranges.
fn listed(net: &ColouredNet, sort: SortId, colours: &[u32]) -> String {
    let name = |colour: u32| net.colour_name(sort, Colour(u64::from(colour)));
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for colour in colours.iter().copied() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == colour => *last = colour,
            _ => runs.push((colour, colour)),
        }
    }
    let is_range = matches!(net.sort(sort).kind, SortKind::Range { .. });
    let mut words: Vec<String> = Vec::new();
    for (first, last) in runs {
        if first == last {
            words.push(name(first));
        } else if is_range || last - first > 1 {
            words.push(format!("{}–{}", name(first), name(last)));
        } else {
            words.extend([name(first), name(last)]);
        }
    }
    if words.len() > SHOWN {
        words.truncate(SHOWN);
        words.push("…".to_owned());
    }
    words.join(", ")
}
