//! Descriptions of symmetries of places.

use super::Automorphisms;
use lariat_model::System;

/// Limit on the places listed per orbit and on the orbits listed.
const SHOWN: usize = 6;

impl Automorphisms {
    /// The number of symmetries and the orbits of places; empty if there are none.
    pub fn words(&self, system: &System) -> Vec<String> {
        let chain = self.chain();
        if chain.is_trivial() {
            return Vec::new();
        }
        let count = match chain.order() {
            Some(order) if order < 1_000_000 => order.to_string(),
            _ => format!("about 10^{:.1}", chain.magnitude()),
        };
        let more = if chain.is_complete() { "" } else { " or more" };
        let mut phrases = vec![format!(
            "{count}{more} permutations of places and transitions"
        )];
        let orbits = self.orbits();
        for orbit in orbits.iter().take(SHOWN) {
            let names = orbit.iter().take(SHOWN);
            let names: Vec<&str> = names
                .map(|v| &*system.variables[*v as usize].name)
                .collect();
            let names = names.join(", ");
            phrases.push(if orbit.len() > SHOWN {
                format!("{} places change places: {names}, …", orbit.len())
            } else {
                format!("{names} change places")
            });
        }
        if orbits.len() > SHOWN {
            phrases.push(format!("{} more sets of places", orbits.len() - SHOWN));
        }
        phrases
    }

    /// The non-singleton orbits of places, larger ones first.
    fn orbits(&self) -> Vec<Vec<u32>> {
        let vars = self.graph.vars;
        let mut least: Vec<u32> = (0..vars).collect();
        // Propagate the least place number of each orbit until a fixed point.
        loop {
            let mut changed = false;
            for (from, to) in self.chain.permutations().flatten() {
                if *from < vars {
                    let (a, b) = (least[*from as usize], least[*to as usize]);
                    changed |= a != b;
                    least[*from as usize] = a.min(b);
                    least[*to as usize] = a.min(b);
                }
            }
            if !changed {
                break;
            }
        }
        let mut orbits: Vec<Vec<u32>> = vec![Vec::new(); vars as usize];
        for (v, least) in (0..).zip(least) {
            orbits[least as usize].push(v);
        }
        orbits.retain(|orbit| orbit.len() > 1);
        orbits.sort_by_key(|orbit| (std::cmp::Reverse(orbit.len()), orbit[0]));
        orbits
    }
}
