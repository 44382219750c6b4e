//! Dining philosophers (Dijkstra 1971), six places each.
//!
//! A hungry philosopher waits for both forks and takes them in either order; all may hold their
//! left fork and wait for the right one, which is a deadlock. N philosophers have Lucas(3N)
//! markings: 18 for two, 76 for three, 1 860 498 for ten.

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
            ]
        })
        .collect();
    for (i, &[left, thinking, waits_left, has_left, waits_right, has_right]) in
        seats.iter().enumerate()
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
        net.transition(
            format!("puts_back_{i}"),
            &[has_left, has_right],
            &[thinking, left, right],
        );
    }
}
