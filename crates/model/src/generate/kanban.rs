//! The kanban production line (Ciardo and Tilgner 1996): four cells with N cards each.
//!
//! Cell 1 feeds cells 2 and 3, which work in parallel and both feed cell 4. A part that enters a
//! cell takes a card, is processed, possibly repeatedly, and returns the card when it leaves. N = 5
//! has 2 546 432 markings, N = 10 has 1 005 927 208.

use super::NetBuilder;

pub(super) fn build(net: &mut NetBuilder, n: u32) {
    let cells = [1, 2, 3, 4].map(|i| {
        let cards = net.place(format!("cards_{i}"), n);
        let work = net.place(format!("work_{i}"), 0);
        let redo = net.place(format!("redo_{i}"), 0);
        let done = net.place(format!("done_{i}"), 0);
        net.transition(format!("fail_{i}"), &[work], &[redo]);
        net.transition(format!("again_{i}"), &[redo], &[work]);
        net.transition(format!("finish_{i}"), &[work], &[done]);
        (cards, work, done)
    });
    let [
        (cards_1, work_1, done_1),
        (cards_2, work_2, done_2),
        (cards_3, work_3, done_3),
        (cards_4, work_4, done_4),
    ] = cells;
    net.transition("enter", &[cards_1], &[work_1]);
    net.transition(
        "split",
        &[done_1, cards_2, cards_3],
        &[cards_1, work_2, work_3],
    );
    net.transition(
        "join",
        &[done_2, done_3, cards_4],
        &[cards_2, cards_3, work_4],
    );
    net.transition("leave", &[done_4], &[cards_4]);
}
