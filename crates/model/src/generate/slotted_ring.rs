//! The slotted ring protocol (Pastor, Roig, Cortadella and Badia, ICATPN 1994), eight places per
//! station, `A` to `H` as in the usual presentation.
//!
//! A station passes a free or used slot to its neighbour when the neighbour is ready for it (`C`).
//! A station that holds a used slot determines whether it owns it; an owner may write again or
//! release it. Ten stations have 8.29e9 markings.

use super::NetBuilder;

pub(super) fn build(net: &mut NetBuilder, n: u32) {
    let stations: Vec<_> = (1..=n)
        .map(|i| {
            // `C` and `E` are marked: ready for a slot, and holding a free slot.
            ["A", "B", "C", "D", "E", "F", "G", "H"]
                .map(|place| net.place(format!("{place}_{i}"), u32::from("CE".contains(place))))
        })
        .collect();
    for (i, &[a, b, c, d, e, f, g, h]) in stations.iter().enumerate() {
        let previous = (i + stations.len() - 1) % stations.len();
        let [previous_a, previous_b, previous_c, ..] = stations[previous];
        let i = i + 1;
        net.transition(format!("get_{i}"), &[f, h], &[c, e]);
        net.transition(format!("put_{i}"), &[d, f], &[c, g]);
        net.transition(format!("free_{i}"), &[e, previous_c], &[f, previous_b]);
        net.transition(format!("used_{i}"), &[g, previous_c], &[f, previous_a]);
        net.transition(format!("other_{i}"), &[a], &[d]);
        net.transition(format!("owner_{i}"), &[a], &[b]);
        net.transition(format!("write_{i}"), &[b], &[d]);
        net.transition(format!("go_{i}"), &[b], &[h]);
    }
}
