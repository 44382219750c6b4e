//! Random nets whose files make claims about behaviour, most of them false.
//!
//! A file may say that its net is safe and how its places nest in units, or give bounds of places in
//! sections of tools. Readers prove such a claim or do not use it. The net is written with claims
//! and read again: if the reader believes a false one, engines that rely on it disagree with the
//! oracle, which reads no claims.

use crate::nets;
use lariat_corpora::Random;
use lariat_formats::pnml;
use lariat_model::{Domain, System, Unit, VarId};

/// Generates a net with at most `cut` reachable markings, as read from a file with claims.
///
/// # Panics
///
/// If the file cannot be read.
pub fn random(rng: &mut Random, cut: usize) -> System {
    let mut net = nets::random(rng, cut);
    // A net that is not safe initially is refused. Fewer tokens do not lead to more markings.
    let marking = net.initial[0].iter().map(|tokens| (*tokens).min(1));
    net.initial = vec![marking.collect()];
    net.units = units(rng, net.variables.len());
    let is_said_safe = rng.percent(90);
    for place in &mut net.variables {
        let bound = is_said_safe.then_some(1);
        place.domain = Domain::Count { bound };
    }
    let text = pnml::write(&net).expect("a net");
    let text = with_bounds(&text);
    match lariat_formats::read_model("claims", text.as_bytes()) {
        Ok(net) => net,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// A tree of at most five units, over most of the places.
fn units(rng: &mut Random, places: usize) -> Vec<Unit> {
    let mut units = vec![Unit::default(); 1 + rng.below(5)];
    for (number, unit) in units.iter_mut().enumerate() {
        unit.name = format!("u{number}");
    }
    for unit in 1..units.len() {
        units[rng.below(unit)].subunits.push(unit);
    }
    for place in 0..places {
        if rng.percent(90) {
            let unit = rng.below(units.len());
            units[unit].places.push(VarId(place as u32));
        }
    }
    units
}

/// Adds a section of a tool that bounds every place by 0.
fn with_bounds(text: &str) -> String {
    let bound =
        "<toolspecific tool=\"bounds\" version=\"1\"><bound max=\"0\"/></toolspecific></place>";
    text.replace("</place>", bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Reachable;

    #[test]
    fn claims_are_often_false_and_proved_ones_true() {
        let (mut lies, mut proved) = (0, 0);
        for seed in 0..600 {
            let net = random(&mut Random::new(seed), 60);
            let all = Reachable::explore(&net, 60).expect("few markings");
            let most = |p: usize| all.states.iter().map(|state| state[p]).max();
            for (p, place) in net.variables.iter().enumerate() {
                let is_safe = most(p) <= Some(1);
                let Domain::Count { bound } = place.domain else {
                    panic!("a place");
                };
                assert!(bound.is_none() || is_safe, "seed {seed}, {}", place.name);
                lies += u32::from(!is_safe);
                proved += u32::from(bound.is_some());
            }
        }
        assert!(lies > 100 && proved > 100, "{lies} {proved}");
    }
}
