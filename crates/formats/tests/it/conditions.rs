//! Inhibitor, read and reset arcs, and capacities: the meaning of random nets in PNML.

use lariat_corpora::{Random, each_case};
use lariat_formats::read_model;
use lariat_model::{System, Value};
use std::fmt::Write as _;

/// Arcs between a place and the transition: kind and weight.
type Arcs = Vec<(&'static str, Value)>;

/// A net with one transition: per place its tokens, its capacity and its arcs.
struct Net {
    places: Vec<(Value, Option<Value>, Arcs)>,
}

impl Net {
    fn random(random: &mut Random) -> Net {
        let mut place = |_| {
            let tokens = random.below(4);
            let capacity = random.percent(20).then(|| tokens + random.below(3));
            let arcs = (0..random.below(4)).map(|_| {
                let kind = *random.one_of(&["in", "out", "inhibitor", "read", "reset"]);
                let weight = if kind == "reset" {
                    1
                } else {
                    random.between(1, 3)
                };
                (kind, weight)
            });
            (tokens, capacity, arcs.collect())
        };
        Net {
            places: (0..3).map(&mut place).collect(),
        }
    }

    /// The marking after the transition; `None` if it is not enabled.
    fn fire(&self) -> Option<Vec<Value>> {
        let after = |(tokens, capacity, arcs): &(Value, Option<Value>, Arcs)| {
            let sum = |kind: &str| -> Value {
                { arcs.iter() }
                    .filter(|arc| arc.0 == kind)
                    .map(|arc| arc.1)
                    .sum()
            };
            let has = |kind: &str| arcs.iter().any(|arc| arc.0 == kind);
            let blocks = |arc: &(&str, Value)| match arc.0 {
                "inhibitor" => *tokens >= arc.1,
                "read" => *tokens < arc.1,
                _ => false,
            };
            if *tokens < sum("in") || arcs.iter().any(blocks) {
                return None;
            }
            let left = if has("reset") { 0 } else { tokens - sum("in") };
            let after = left + sum("out");
            let grows = after > *tokens || has("reset");
            let is_over = grows && capacity.is_some_and(|capacity| after > capacity);
            (!is_over).then_some(after)
        };
        self.places.iter().map(after).collect()
    }

    /// The net in PNML; `attributes` selects the spelling.
    fn pnml(&self, attributes: bool) -> String {
        let mut out = String::new();
        for (i, (tokens, capacity, _)) in self.places.iter().enumerate() {
            let capacity = capacity.map_or(String::new(), |capacity| {
                format!("<capacity><text>{capacity}</text></capacity>")
            });
            let _ = match attributes {
                true => write!(
                    out,
                    "<place id='p{i}' initialMarking='{tokens}'>{capacity}</place>"
                ),
                false => write!(
                    out,
                    "<place id='p{i}'><initialMarking><text>{tokens}</text></initialMarking>{capacity}</place>"
                ),
            };
        }
        out += "<transition id='t'/>";
        for (i, (_, _, arcs)) in self.places.iter().enumerate() {
            for (kind, weight) in arcs {
                let (source, target) = match *kind {
                    "out" => ("t".to_owned(), format!("p{i}")),
                    _ => (format!("p{i}"), "t".to_owned()),
                };
                let kind = match *kind {
                    "in" | "out" => "normal",
                    kind => kind,
                };
                let _ = match attributes {
                    true => write!(
                        out,
                        "<arc source='{source}' target='{target}' type='{kind}' weight='{weight}'/>"
                    ),
                    false => write!(
                        out,
                        "<arc source='{source}' target='{target}'><type value='{kind}'/><inscription><text>{weight}</text></inscription></arc>"
                    ),
                };
            }
        }
        format!("<pnml><net id='n'><page id='g'>{out}</page></net></pnml>")
    }
}

fn successors(system: &System) -> Option<Vec<Value>> {
    let transition = system.event_ids().next().expect("a transition");
    let found = system.successors(&system.initial[0], transition);
    found.into_iter().next().map(|state| state.to_vec())
}

#[test]
fn arcs_and_capacities_mean_what_they_say() {
    let (mut fires, mut blocked, mut written) = (0, 0, 0);
    each_case(2_000, |random| {
        let net = Net::random(random);
        let expected = net.fire();
        *(if expected.is_some() {
            &mut fires
        } else {
            &mut blocked
        }) += 1;
        for attributes in [false, true] {
            let text = net.pnml(attributes);
            let system = read_model("net", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(successors(&system), expected, "{text}");
            // A transition that no marking enables cannot be written.
            let Some(again) = lariat_formats::pnml::write(&system) else {
                continue;
            };
            written += 1;
            let again = read_model("net", again.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(successors(&again), expected, "{text}");
        }
    });
    assert!(
        fires > 100 && blocked > 100 && written > 100,
        "{fires} {blocked} {written}"
    );
}
