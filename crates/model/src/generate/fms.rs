//! A flexible manufacturing system (Ciardo and Trivedi 1993) with N pallets for each of three kinds
//! of parts.
//!
//! Part 1 is processed by one of three machines, part 2 by a single machine that also serves part 3
//! when it is idle; a finished part 1 or 2 is shipped alone or joined with one of the other kind to
//! a part 12, for which there are two machines. N = 5 has 2 895 018 markings,
//! N = 10 has 2 501 413 200.

use super::NetBuilder;

pub(super) fn build(net: &mut NetBuilder, n: u32) {
    let machine_1 = net.place("machine_1", 3);
    let machine_2 = net.place("machine_2", 1);
    let machine_3 = net.place("machine_3", 2);

    let mut joinable = Vec::new();
    let mut pallets = Vec::new();
    for (i, machine) in [(1, machine_1), (2, machine_2)] {
        let pallet = net.place(format!("pallets_{i}"), n);
        let waits = net.place(format!("waits_{i}"), 0);
        let works = net.place(format!("works_{i}"), 0);
        let done = net.place(format!("done_{i}"), 0);
        let ships = net.place(format!("ships_{i}"), 0);
        let joins = net.place(format!("joins_{i}"), 0);
        net.transition(format!("load_{i}"), &[pallet], &[waits]);
        net.transition(format!("start_{i}"), &[waits, machine], &[works]);
        net.transition(format!("finish_{i}"), &[works], &[machine, done]);
        net.transition(format!("alone_{i}"), &[done], &[ships]);
        net.transition(format!("together_{i}"), &[done], &[joins]);
        net.transition(format!("ship_{i}"), &[ships], &[pallet]);
        pallets.push(pallet);
        joinable.push(joins);
    }

    let pallet_3 = net.place("pallets_3", n);
    let works_3 = net.place("works_3", 0);
    let ships_3 = net.place("ships_3", 0);
    net.transition("load_3", &[pallet_3], &[works_3]);
    net.transition("finish_3", &[works_3, machine_2], &[machine_2, ships_3]);
    net.transition("ship_3", &[ships_3], &[pallet_3]);

    let joined = net.place("joined_12", 0);
    let waits_12 = net.place("waits_12", 0);
    let works_12 = net.place("works_12", 0);
    let ships_12 = net.place("ships_12", 0);
    net.transition("join_12", &joinable, &[joined]);
    net.transition("load_12", &[joined], &[waits_12]);
    net.transition("start_12", &[waits_12, machine_3], &[works_12]);
    net.transition("finish_12", &[works_12], &[machine_3, ships_12]);
    net.transition("ship_12", &[ships_12], &pallets);
}
