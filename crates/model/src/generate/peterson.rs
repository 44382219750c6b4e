//! Peterson's mutual exclusion for N + 1 processes (IPL 1981), with N entry rounds.
//!
//! In each round a process writes its name into the round's `turn` and then inspects the others in
//! sequence. It passes the round when none of them wants to enter, and immediately when another
//! process has taken over the turn; when one wants to enter while the turn is still its own, it
//! starts over. Every read and every write is one step. N = 2 has 20 754 markings, N = 3 has 3 407
//! 946.

use super::NetBuilder;
use crate::system::VarId;

/// The shared variables of all processes.
struct Shared {
    processes: Vec<u32>,
    rounds: Vec<u32>,
    wants: Vec<VarId>,
    wants_not: Vec<VarId>,
    /// By round and process.
    turn: Vec<Vec<VarId>>,
}

pub(super) fn build(net: &mut NetBuilder, rounds: u32) {
    let mut shared = Shared {
        processes: (0..=rounds).collect(),
        rounds: (0..rounds).collect(),
        wants: Vec::new(),
        wants_not: Vec::new(),
        turn: Vec::new(),
    };
    for p in &shared.processes {
        shared.wants.push(net.place(format!("wants_{p}"), 0));
        shared
            .wants_not
            .push(net.place(format!("wants_not_{p}"), 1));
    }
    for r in &shared.rounds {
        let of_round = shared
            .processes
            .iter()
            .map(|p| net.place(format!("turn_{r}_{p}"), u32::from(*p == 0)));
        shared.turn.push(of_round.collect());
    }
    for p in 0..shared.processes.len() {
        process(net, &shared, p);
    }
}

/// Adds the `p`-th process: from idle through all rounds to its critical section and back.
fn process(net: &mut NetBuilder, shared: &Shared, p: usize) {
    let i = shared.processes[p];
    let idle = net.place(format!("idle_{i}"), 1);
    let critical = net.place(format!("critical_{i}"), 0);
    let asks: Vec<VarId> = shared
        .rounds
        .iter()
        .map(|r| net.place(format!("asks_{i}_{r}"), 0))
        .collect();
    net.transition(
        format!("ask_{i}"),
        &[idle, shared.wants_not[p]],
        &[asks[0], shared.wants[p]],
    );
    for (r, &k) in shared.rounds.iter().enumerate() {
        let passed = round(net, shared, p, r, asks[r]);
        match asks.get(r + 1) {
            Some(next) => net.transition(format!("advance_{i}_{k}"), &[passed], &[*next]),
            None => net.transition(format!("enter_{i}"), &[passed], &[critical]),
        }
    }
    net.transition(
        format!("leave_{i}"),
        &[critical, shared.wants[p]],
        &[idle, shared.wants_not[p]],
    );
}

/// Adds the `r`-th round of the `p`-th process, from the place `asks` to the returned place.
fn round(net: &mut NetBuilder, shared: &Shared, p: usize, r: usize, asks: VarId) -> VarId {
    let processes = &shared.processes;
    let (i, k) = (processes[p], shared.rounds[r]);
    let test_turn = net.place(format!("test_turn_{i}_{k}"), 0);
    let passed = net.place(format!("passed_{i}_{k}"), 0);
    // One pass over all processes: is it me? does it want to enter? was it the last?
    let [begin, is_me, is_alone, is_last] = ["begin", "is_me", "is_alone", "is_last"].map(|step| {
        let places = processes
            .iter()
            .map(|q| net.place(format!("{step}_{i}_{k}_{q}"), 0));
        places.collect::<Vec<VarId>>()
    });
    for (q, &j) in processes.iter().enumerate() {
        let (theirs, mine) = (shared.turn[r][q], shared.turn[r][p]);
        net.transition(
            format!("write_turn_{i}_{k}_{j}"),
            &[asks, theirs],
            &[test_turn, mine],
        );
        if q == p {
            net.transition(
                format!("turn_mine_{i}_{k}"),
                &[test_turn, mine],
                &[begin[0], mine],
            );
            net.transition(format!("me_{i}_{k}"), &[is_me[q]], &[is_last[q]]);
        } else {
            net.transition(
                format!("turn_other_{i}_{k}_{j}"),
                &[test_turn, theirs],
                &[passed, theirs],
            );
            net.transition(format!("not_me_{i}_{k}_{j}"), &[is_me[q]], &[is_alone[q]]);
            let (wants, wants_not) = (shared.wants[q], shared.wants_not[q]);
            net.transition(
                format!("alone_{i}_{k}_{j}"),
                &[is_alone[q], wants_not],
                &[is_last[q], wants_not],
            );
            net.transition(
                format!("not_alone_{i}_{k}_{j}"),
                &[is_alone[q], wants],
                &[test_turn, wants],
            );
        }
        net.transition(format!("look_{i}_{k}_{j}"), &[begin[q]], &[is_me[q]]);
        match begin.get(q + 1) {
            Some(next) => net.transition(format!("next_{i}_{k}_{j}"), &[is_last[q]], &[*next]),
            None => net.transition(format!("all_{i}_{k}"), &[is_last[q]], &[passed]),
        }
    }
    passed
}
