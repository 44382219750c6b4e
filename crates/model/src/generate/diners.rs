//! Dining philosophers who eat, seven places each.
//!
//! As `philosophers.rs`, but a philosopher with both forks eats before putting them back. N
//! philosophers have (2 + √7)ᴺ + (2 − √7)ᴺ markings: 22 for two, 100 for three, 4 683 382 for ten.
//! These are the numbers of A. Duret-Lutz, K. Klai, D. Poitrenaud, Y. Thierry-Mieg, *Combining
//! explicit and symbolic approaches for better on-the-fly LTL model checking*, Table 1.

use super::NetBuilder;

pub(super) fn build(net: &mut NetBuilder, n: u32) {
    let seats: Vec<_> = (1..=n)
        .map(|i| {
            [
                net.place(format!("Fork_{i}"), 1),
                net.place(format!("Thinking_{i}"), 1),
                net.place(format!("WaitsLeft_{i}"), 0),
                net.place(format!("HasLeft_{i}"), 0),
                net.place(format!("WaitsRight_{i}"), 0),
                net.place(format!("HasRight_{i}"), 0),
                net.place(format!("Eating_{i}"), 0),
            ]
        })
        .collect();
    for (
        i,
        &[
            left,
            thinking,
            waits_left,
            has_left,
            waits_right,
            has_right,
            eating,
        ],
    ) in seats.iter().enumerate()
    {
        let right = seats[(i + 1) % seats.len()][0];
        let i = i + 1;
        net.transition(
            format!("gets_hungry_{i}"),
            &[thinking],
            &[waits_left, waits_right],
        );
        net.transition(format!("takes_left_{i}"), &[waits_left, left], &[has_left]);
        net.transition(
            format!("takes_right_{i}"),
            &[waits_right, right],
            &[has_right],
        );
        net.transition(format!("eats_{i}"), &[has_left, has_right], &[eating]);
        net.transition(
            format!("puts_back_{i}"),
            &[eating],
            &[thinking, left, right],
        );
    }
}
